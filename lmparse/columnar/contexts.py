"""Contexts: what names mean in an expression, by the objects around it and the stream that is read.

And what values have under a name: the size and the items of a list, the length of a text, its number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.columnar import arrays
from lmparse.columnar.cursors import Place, Stream, UnfitError
from lmparse.columnar.expressions import Evaluator, Vector, joined
from lmparse.columnar.objects import Lists, Objects, Parts, Reference, seen
from lmparse.spec.layout import Expression, Field, Layout
from lmparse.values.byte_arrays import Int64s


class Reader(Protocol):
    """What reads fields and the objects in them, see `lmparse.columnar.reading`."""

    layouts: Mapping[str, Layout]

    def attribute(self, objects: Objects, name: str, stream: Stream | None = None) -> Any: ...

    def one(self, context: Context, stream: Stream, entry: Field) -> Parts: ...

    def bytes_of(self, context: Context, stream: Stream, entry: Field) -> tuple[Place, int | Int64s]: ...

    def restored(self, context: Context, stream: Stream, entry: Field) -> Stream: ...

    def width_of(self, entry: Field) -> int | None: ...

    def inner(self, context: Context, type_: str, arguments: tuple[Expression, ...], stream: Stream) -> Objects: ...

    def read_fields(self, objects: Objects) -> None: ...


@dataclass(frozen=True, eq=False)
class StreamValue:
    """Streams that an expression is about."""

    stream: Stream
    which: Int64s | None
    is_here: bool
    """Whether they have been read as far as the parser has when it evaluates the expression."""

    def some(self, which: Int64s | None) -> StreamValue:
        """The streams at some places."""
        if which is None:
            return self
        return replace(self, which=which if self.which is None else self.which[which])

    def attribute(self, name: str) -> Vector:
        """`size`, `pos` or `eof`."""
        if name == "size":
            return Vector(self.stream.size).some(self.which)
        if name not in ("pos", "eof") or not self.is_here:
            raise UnfitError(f"only the parser knows {name} of a stream")
        return Vector(getattr(self.stream, name)).some(self.which)


@dataclass(frozen=True, eq=False)
class Context:
    """The objects around an expression: one row for each, or for those with some numbers."""

    reader: Reader
    objects: Objects
    which: Int64s | None
    stream: Stream | None
    """What is being read; None for an instance, which the parser computes at some other time."""
    own: Any = None
    """The value of `_`."""
    index: Any = None
    """The value of `_index`."""

    @property
    def count(self) -> int:
        return self.objects.count if self.which is None else len(self.which)

    def some(self, rows: Int64s | None, stream: Stream | None) -> Context:
        """Some of the rows."""
        if rows is None:
            return replace(self, stream=stream)
        index = self.index.some(rows) if isinstance(self.index, Vector) else None
        return replace(
            self, which=rows if self.which is None else self.which[rows], stream=stream, index=index, own=None
        )

    def about(self, own: Any) -> Context:
        """The same with a value of `_`."""
        return replace(self, own=own)

    def value(self, expression: Expression) -> Any:
        """The value of an expression. Raises UnfitError."""
        if isinstance(expression, tuple) and expression[0] == "name" and self.which is None:
            # All objects ask for it here, so the parser computes an instance with the stream as far as it is read.
            return self._lookup(str(expression[1]), self.stream)
        return self._evaluator.value(expression)

    def truths(self, expression: Expression) -> Any:
        """Where an expression holds, and where it has no value."""
        return self._evaluator.truths(expression)

    @property
    def _evaluator(self) -> Evaluator:
        return Evaluator(self.count, self._lookup, self._of, item_of)

    def _lookup(self, name: str, stream: Stream | None = None) -> Any:
        if name == "_":
            found = self.own
        elif name == "_index":
            found = self.index
        elif name == "_io" and self.stream is not None:
            return StreamValue(self.stream, None, True)
        else:
            return self.reader.attribute(self.objects, name, stream).some(self.which)
        if found is None:
            raise UnfitError(f"only the parser knows {name}")
        return found

    def _of(self, value: Any, name: str, arguments: tuple[Any, ...]) -> Any:
        if isinstance(value, StreamValue):
            return value.attribute(name)
        if isinstance(value, Lists):
            return of_lists(value, name)
        if isinstance(value, Reference):
            parts = [
                (rows, self.reader.attribute(objects, name).some(numbers)) for rows, objects, numbers in value.parts
            ]
            found = joined(parts, value.count)
            return found if value.bad is None else found.without(value.bad)
        return of_values(value, name, arguments)


# -- what values have under a name ----------------------------------------------------------------


def of_lists(value: Lists, name: str) -> Any:
    """What lists have under a name: a size, the first or last item, the least or greatest one. Raises UnfitError."""
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
    """One item of each list, or byte of each text of bytes."""
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
    """What numbers, texts and bytes have under a name. Raises UnfitError."""
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
"""What texts (True) and bytes (False) have, value by value."""


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
