"""Expressions of a spec, evaluated for many objects at once; see `lmparse.spec.layout.Expression`.

A value is a vector of integers of 64 bits, floats, booleans, texts or bytes; or objects; or lists. `bad` flags the
objects without a value: the generated parser would fail there, or compute a number beyond 64 bits. Records that need
such a value are left to the parser.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.columnar.cursors import UnfitError
from lmparse.spec.layout import Expression
from lmparse.values.byte_arrays import Flags, Int64s

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_COMPARE_TEXTS = {
    "==": pc.equal, "!=": pc.not_equal, "<": pc.less, "<=": pc.less_equal, ">": pc.greater, ">=": pc.greater_equal,
}  # fmt: skip
_COMPUTE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "%": operator.mod, "&": operator.and_, "|": operator.or_,
    "^": operator.xor,
}  # fmt: skip
_MOST = {"+": 1 << 61, "-": 1 << 61, "*": 1 << 31}
"""The largest size of operands for which the result surely fits 64 bits."""
_LEAST_NUMBER, _MOST_NUMBER = -1 << 63, (1 << 63) - 1


class Vector(NamedTuple):
    """One value for each of n objects."""

    data: Any
    """A NumPy array (integers, floats, booleans), an Arrow array (texts, bytes), or one value for all objects."""
    bad: Any = None
    """Flags of the objects without a value, or one flag for all; None if all objects have a value."""

    def some(self, which: Int64s | None) -> Vector:
        """The values of the objects numbered `which`; None for all."""
        if which is None:
            return self
        return Vector(_take(self.data, which), self.bad[which] if np.ndim(self.bad) else self.bad)

    def without(self, bad: Any) -> Vector:
        """The vector with more objects marked as without a value; `bad` is flags, or one flag for all."""
        if isinstance(bad, bool | np.bool_) and not bad:
            return self
        return Vector(self.data, _either(self.bad, bad))

    def numbers(self) -> Vector:
        """The vector as integers or floats; booleans become 0 and 1. Raises UnfitError for other values."""
        data = self.data
        if isinstance(data, np.ndarray):
            return self if data.dtype != np.bool_ else Vector(data.astype(np.int64), self.bad)
        if isinstance(data, bool | int | np.integer):
            data = int(data)
            return Vector(data, self.bad) if _LEAST_NUMBER <= data <= _MOST_NUMBER else Vector(0, np.True_)
        if isinstance(data, float):
            return self
        raise UnfitError("it is not a number")

    def truths(self, count: int) -> tuple[Flags, Flags | None]:
        """Flags of the objects whose value is true, and flags of the objects without a value. Raises UnfitError."""
        data = self.data
        if isinstance(data, np.ndarray):
            holds = data if data.dtype == np.bool_ else data != 0
        elif isinstance(data, bool | int | float | np.bool_):
            holds = np.full(count, bool(data))
        else:
            raise UnfitError("it is neither true nor false")
        return holds, None if self.bad is None else np.broadcast_to(self.bad, holds.shape)

    def whole(self, count: int) -> tuple[Int64s, Flags | None]:
        """The integers as one array, and flags of the objects without a value. Raises UnfitError for other values."""
        data, bad = self.numbers()
        if isinstance(data, float) or (isinstance(data, np.ndarray) and data.dtype != np.int64):
            raise UnfitError("it is not a whole number")
        return np.broadcast_to(np.asarray(data, np.int64), (count,)), None if bad is None else np.broadcast_to(
            bad, (count,)
        )


def _take(data: Any, which: Int64s) -> Any:
    if isinstance(data, np.ndarray):
        return data[which]
    return data.take(pa.array(which)) if isinstance(data, pa.Array) else data


def _either(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else one | other


def joined(parts: list[tuple[Int64s | None, Any]], count: int) -> Any:
    """The values of `count` objects from parts with the numbers of their objects; others have no value."""
    if len(parts) == 1 and parts[0][0] is None:
        return parts[0][1]
    if not parts:
        return Vector(0, np.ones(count, np.bool_))
    if not all(isinstance(one, Vector) for _, one in parts):
        return type(parts[0][1]).joined(parts, count)
    order, bad, begin, pieces = np.zeros(count, np.int64), np.ones(count, np.bool_), 0, []
    for which, one in parts:
        assert which is not None
        order[which] = np.arange(begin, begin + len(which))
        begin += len(which)
        bad[which] = False if one.bad is None else one.bad
        pieces.append(_spread(one.data, len(which)))
    kinds = {type(piece) for piece in pieces}
    if len(kinds) > 1:
        raise UnfitError("it is of several kinds")
    whole = (
        pa.concat_arrays(pieces) if kinds == {pa.StringArray} or kinds == {pa.BinaryArray} else np.concatenate(pieces)
    )
    return Vector(_take(whole, order) if begin else np.zeros(count, np.int64), bad)


def _spread(data: Any, count: int) -> Any:
    """One common value as an array."""
    if isinstance(data, np.ndarray | pa.Array):
        return data
    if isinstance(data, str | bytes):
        return pa.repeat(pa.scalar(data), count)
    return np.full(count, data)


class Evaluator:
    """Evaluates expressions for `count` objects: `lookup` returns the value of a name, `of` a member or method of a
    value, `item` one item of a list or of bytes."""

    def __init__(self, count: int, lookup: Callable[[str], Any], of: Callable[[Any, str, tuple[Any, ...]], Any],
                 item: Callable[[Any, Vector], Any]) -> None:  # fmt: skip
        self._count, self._lookup, self._of, self._item = count, lookup, of, item

    def value(self, expression: Expression) -> Any:
        """The value of an expression. Raises UnfitError if only the parser can evaluate it."""
        if isinstance(expression, int) and not _LEAST_NUMBER <= expression <= _MOST_NUMBER:
            return Vector(0, np.ones(self._count, np.bool_))
        if isinstance(expression, int | float | str | bytes):
            return Vector(expression)
        match expression:
            case ("name", name):
                return self._lookup(name)
            case ("none",):
                return Vector(0, np.ones(self._count, np.bool_))
            case ("get", inner, name):
                return self._of(self.value(inner), name, ())
            case ("call", inner, name, *arguments):
                return self._of(self.value(inner), name, tuple(map(self.value, arguments)))
            case ("as", inner, _):
                return self.value(inner)
            case ("at", inner, place):
                return self._item(self.value(inner), self.value(place))
            case ("not", inner):
                holds, bad = self.truths(inner)
                return Vector(~holds, bad)
            case ("~", inner):
                one = self.value(inner).numbers()
                return Vector(~one.data, one.bad)
            case ("neg", inner):
                one = self.value(inner).numbers()
                least = one.data == _LEAST_NUMBER
                return Vector(-one.data, one.bad).without(least if np.any(least) else False)
            case ("in", inner, *listed):
                one = self.value(inner)
                found = [_compared("==", one, self.value(other)) for other in listed]
                return reduce(lambda a, b: Vector(a.data | b.data, _either(a.bad, b.bad)), found)
            case ("?", condition, chosen, other):
                return self._chosen(condition, chosen, other)
            case ("and" | "or" as sign, left, right):
                return self._both(sign, left, right)
            case (sign, left, right):
                return _binary(str(sign), self.value(left), self.value(right))
        raise UnfitError("only the parser can evaluate it")

    def truths(self, expression: Expression) -> tuple[Flags, Flags | None]:
        """Flags of the objects for which an expression holds, and of those for which it has no value (None if none)."""
        found = self.value(expression)
        if not isinstance(found, Vector):
            raise UnfitError("it is neither true nor false")
        return found.truths(self._count)

    def _both(self, sign: str, left: Expression, right: Expression) -> Vector:
        """Evaluate `and` and `or`; the right side only counts where the left side does not decide."""
        one, bad = self.truths(left)
        decided = one if sign == "or" else ~one
        if decided.all():
            return Vector(one, bad)
        other, worse = self.truths(right)
        if worse is not None:
            bad = _either(bad, worse & ~decided)
        return Vector(one | other if sign == "or" else one & other, bad)

    def _chosen(self, condition: Expression, chosen: Expression, other: Expression) -> Any:
        holds, bad = self.truths(condition)
        if holds.all() or not holds.any():
            found = self.value(chosen if holds.any() else other)
        else:
            sides = [(np.flatnonzero(flags), self.value(one)) for flags, one in ((holds, chosen), (~holds, other))]
            found = joined([(which, one.some(which)) for which, one in sides], self._count)
        return found if bad is None else found.without(bad)


def _compared(sign: str, one: Any, other: Any) -> Vector:
    if not (isinstance(one, Vector) and isinstance(other, Vector)):
        raise UnfitError("objects are not compared")
    bad = _either(one.bad, other.bad)
    if _is_text(one.data) and _is_text(other.data):
        if isinstance(one.data, str | bytes) and isinstance(other.data, str | bytes):
            return Vector(bool(_COMPARE[sign](one.data, other.data)), bad)
        return Vector(np.asarray(_COMPARE_TEXTS[sign](one.data, other.data)), bad)
    one, other = one.numbers(), other.numbers()
    if np.asarray(one.data).dtype != np.asarray(other.data).dtype:
        # Floats hold integers exactly only up to 53 bits; Python compares exactly.
        large = [np.abs(data) > 1 << 53 for data in (one.data, other.data) if np.asarray(data).dtype == np.int64]
        bad = _either(bad, reduce(operator.or_, large, np.False_))
    return Vector(_COMPARE[sign](one.data, other.data), _either(bad, _either(one.bad, other.bad)))


def _is_text(data: Any) -> bool:
    return isinstance(data, str | bytes | pa.Array)


def _binary(sign: str, one: Any, other: Any) -> Vector:
    if sign in _COMPARE:
        return _compared(sign, one, other)
    if not (isinstance(one, Vector) and isinstance(other, Vector)):
        raise UnfitError("objects are no numbers")
    if sign == "+" and _is_text(one.data) and _is_text(other.data):
        return _concatenated(one, other)
    one, other = one.numbers(), other.numbers()
    bad = _either(one.bad, other.bad)
    with np.errstate(all="ignore"):
        found = _computed(sign, one.data, other.data)
    data = found.data if np.ndim(found.data) else np.asarray(found.data).item()
    return Vector(data, _either(found.bad, bad))


def _concatenated(one: Vector, other: Vector) -> Vector:
    bad = _either(one.bad, other.bad)
    if isinstance(one.data, str | bytes) and isinstance(other.data, str | bytes):
        return Vector(one.data + other.data, bad)  # type: ignore[operator]
    empty = b"" if pa.types.is_binary((one.data if isinstance(one.data, pa.Array) else other.data).type) else ""
    return Vector(pc.binary_join_element_wise(one.data, other.data, empty), bad)


def _computed(sign: str, one: Any, other: Any) -> Vector:
    is_real = any(np.asarray(side).dtype == np.float64 for side in (one, other))
    if sign in "/%":
        is_zero = np.equal(other, 0)
        # The least integer divided by -1 exceeds 64 bits.
        is_least = np.equal(other, -1) & np.equal(one, _LEAST_NUMBER)
        safe = np.where(is_zero | is_least, 1, other)
        found = (np.divide if is_real else np.floor_divide)(one, safe) if sign == "/" else np.mod(one, safe)
        return Vector(found, is_zero | is_least if np.any(is_zero | is_least) else None)
    if is_real:
        if sign not in "+-*":
            raise UnfitError(f"only the parser can compute {sign}")
        return Vector(_COMPUTE[sign](one, other))
    if sign in ("<<", ">>"):
        return _shifted(sign, one, other)
    if sign not in _COMPUTE:
        raise UnfitError(f"only the parser can compute {sign}")
    most = _MOST.get(sign)
    bad = None
    if most is not None:
        is_large = reduce(operator.or_, ((side > most) | (side < -most) for side in (one, other)))
        bad = np.asarray(is_large) if np.any(is_large) else None
        if bad is not None:
            one, other = np.where(bad, 0, one), np.where(bad, 0, other)
    return Vector(_COMPUTE[sign](one, other), bad)


def _shifted(sign: str, one: Any, other: Any) -> Vector:
    one, other = np.asarray(one, np.int64), np.asarray(other, np.int64)
    size = np.clip(other, 0, 63)
    if sign == ">>":
        return Vector(one >> size, other < 0)
    found = one << size
    return Vector(found, (other < 0) | (other > 62) | ((found >> size) != one))
