"""Members: what a name means for a value in an expression, such as `size` of a list or `length` of a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.columnar import arrays
from lmparse.columnar.cursors import UnfitError
from lmparse.columnar.expressions import Vector
from lmparse.columnar.objects import Lists, seen


def of_lists(value: Lists, name: str) -> Any:
    """A member of lists: `size`, `length`, `first`, `last`, `min` or `max`. Raises UnfitError."""
    starts, counts = value.bounds()
    if name in ("size", "length"):
        return Vector(counts, value.bad)
    if name in ("first", "last"):
        return item_of(value, Vector(np.zeros(len(counts), np.int64) if name == "first" else counts - 1))
    if name in ("min", "max"):
        items = seen(value.items.parts, int(value.items.offsets[-1]))
        has = counts > 0
        if isinstance(items, Vector) and isinstance(items.data, np.ndarray) and items.bad is None and has.any():
            ends = np.cumsum(counts[has])
            index = np.repeat(starts[has] - ends + counts[has], counts[has]) + np.arange(int(ends[-1]))
            found = np.zeros(len(counts), items.data.dtype)
            found[has] = getattr(np, f"{name}imum").reduceat(items.data[index], ends - counts[has])
            return Vector(found, value.bad).without(~has)
        if not has.any():
            return Vector(0, ~has)
    raise UnfitError(f"only the parser knows {name} of a list")


def item_of(value: Any, place: Any) -> Any:
    """The item at `place` of each list, or the byte at `place` of each byte string. Raises UnfitError."""
    if isinstance(value, Lists):
        starts, counts = value.bounds()
        number, bad = place.whole(value.count)
        holds = (number >= 0) & (number < counts)
        if bad is not None:
            holds &= ~bad
        if value.bad is not None:
            holds &= ~value.bad
        if not holds.any():
            return Vector(0, ~holds)
        items = seen(value.items.parts, int(value.items.offsets[-1]))
        found = items.some(np.where(holds, starts + number, starts[holds.argmax()] + number[holds.argmax()]))
        return found if holds.all() else found.without(~holds)
    if isinstance(value, Vector) and isinstance(value.data, pa.Array) and pa.types.is_binary(value.data.type):
        number, bad = place.whole(len(value.data))
        flat, bounds = arrays.flat(value.data)
        holds = (number >= 0) & (number < np.diff(bounds))
        found = Vector(
            flat[np.where(holds, bounds[:-1] + number, 0)].astype(np.int64) if len(flat) else 0 * number, bad
        )
        return found.without(~holds if not holds.all() else False).without(False if value.bad is None else value.bad)
    raise UnfitError("it has no items that are known here")


def of_values(value: Vector, name: str, arguments: tuple[Any, ...]) -> Vector:
    """A member or method of numbers, texts or byte strings. Raises UnfitError if only the parser knows the name."""
    data = value.data
    if isinstance(data, np.ndarray | bool | int | float):
        return _of_numbers(value, name)
    is_text = isinstance(data, str) or (isinstance(data, pa.Array) and pa.types.is_string(data.type))
    if name in ("length", "size"):
        if not isinstance(data, pa.Array):
            return Vector(len(data), value.bad)
        lengths = pc.utf8_length(data) if is_text else pc.binary_length(data)
        return Vector(np.asarray(lengths).astype(np.int64), value.bad)
    if not is_text and name in ("first", "last"):
        size = of_values(value, "size", ())
        found: Vector = item_of(value, Vector(0) if name == "first" else Vector(size.data - 1, size.bad))
        return found
    function = _FUNCTIONS.get((name, is_text))
    if function is None:
        raise UnfitError(f"only the parser knows {name}")
    count = len(data) if isinstance(data, pa.Array) else 1
    columns = [
        list(one.data.tolist()) if isinstance(one.data, np.ndarray | pa.Array) else [one.data] * count
        for one in (value, *arguments)
    ]
    results, bad = [], np.zeros(count, np.bool_)
    for number, row in enumerate(zip(*columns, strict=True)):
        try:
            results.append(function(*row))
        except (ValueError, LookupError, TypeError):
            bad[number] = True
            results.append(None)
    made = _as_array(results, bad)
    for one in (value, *arguments):
        bad = bad if one.bad is None else bad | one.bad
    return Vector(made if isinstance(data, pa.Array) else made[0], bad)


def _as_array(found: list[Any], bad: Any) -> Any:
    sound = next((one for one in found if one is not None), None)
    if isinstance(sound, int):
        bad |= [one is not None and not -(1 << 63) <= one < 1 << 63 for one in found]
        return np.array([0 if flag else one for one, flag in zip(found, bad, strict=True)], np.int64)
    return pa.array([one or "" for one in found], pa.string())


_FUNCTIONS: dict[tuple[str, bool], Callable[..., Any]] = {
    ("to_i", True): lambda text, base=10: int(text, base),
    ("reverse", True): lambda text: text[::-1],
    ("substring", True): lambda text, begin, end: text[begin:end],
    ("to_s", False): lambda raw, encoding: raw.decode(encoding),
    ("min", False): min,
    ("max", False): max,
}
"""Methods of texts (True) and byte strings (False), evaluated value by value."""


def _of_numbers(value: Vector, name: str) -> Vector:
    data = value.data
    if name == "to_i":
        whole = value.numbers()
        if not isinstance(whole.data, np.ndarray) or whole.data.dtype == np.int64:
            return whole if not isinstance(whole.data, float) else Vector(int(whole.data), whole.bad)
        holds = np.abs(whole.data) < 2.0**63
        return Vector(np.where(holds, whole.data, 0).astype(np.int64), whole.bad).without(~holds)
    if name == "to_s":
        whole = value.numbers()
        if isinstance(whole.data, np.ndarray) and whole.data.dtype == np.int64:
            return Vector(pa.array(whole.data).cast(pa.string()), whole.bad)
        if isinstance(data, int) and not isinstance(data, bool):
            return Vector(str(data), value.bad)
    raise UnfitError(f"only the parser knows {name} of a number")
