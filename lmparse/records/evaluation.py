"""Evaluation: the expressions of a spec over many records at a time, see `lmparse.spec.layout.Expression`.

A value is one number for all records, or an array with one for each. What the generated parser would compute in another
way, as numbers beyond 64 bits, is not computed: `UnfitError`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from lmparse.spec.layout import Expression
from lmparse.values.byte_arrays import Int64s, places_by_value

Number: TypeAlias = "int | Int64s"
Lookup = Callable[[Any, str], Any]
"""The value of an attribute of an object; of the object around the expression if that is None."""
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_COMPUTE: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "&": lambda a, b: a & b,
}
_MOST = {"+": 1 << 60, "-": 1 << 60, "*": 1 << 31}
"""Size of the operands up to which an operator does not leave 64 bits."""
_LEAST_NUMBER, _MOST_NUMBER = -1 << 63, (1 << 63) - 1


class UnfitError(Exception):
    """These records cannot be read column-wise; the text says why."""


@dataclass(eq=False)
class SplitError(Exception):
    """Records that were read as one are of several forms."""

    parts: list[Int64s]
    """The numbers of the records of each. Those in no part are of no form: only the parser can say what is wrong."""


def value(expression: Expression, lookup: Lookup) -> Any:
    """The value of an expression: a number, an object, a piece of bytes, or None for an instance that is absent."""
    if isinstance(expression, int):
        return expression
    if expression is None:
        raise UnfitError("there is no expression")
    match expression:
        case ("name", name):
            return lookup(None, name)
        case ("get", inner, name):
            return lookup(_there(value(inner, lookup)), name)
        case ("not", inner):
            return np.logical_not(truth(value(inner, lookup)))
        case ("neg", inner):
            return _negative(_number(value(inner, lookup)))
        case ("at", inner, place):
            return lookup(_there(value(inner, lookup)), str(_constant(value(place, lookup))))
        case ("in", inner, *listed):
            one = _number(value(inner, lookup))
            return np.isin(one, [_constant(value(other, lookup)) for other in listed])
        case ("?", condition, chosen, other):
            return _chosen(truth(value(condition, lookup)), chosen, other, lookup)
        case (operator, left, right):
            return _binary(operator, left, right, lookup)
    raise UnfitError(f"only the parser can evaluate {expression[-1]}")


def truth(found: Any) -> Any:
    """Whether a value holds: one answer for all records, or one for each."""
    if isinstance(found, np.ndarray):
        return found if found.dtype == np.bool_ else found != 0
    return bool(_number(found))


def _chosen(holds: Any, chosen: Expression, other: Expression, lookup: Lookup) -> Any:
    if _is_one(holds):
        return value(chosen if np.all(holds) else other, lookup)
    one, two = (_of_some(holds, _number, branch, lookup) for branch in (chosen, other))
    return np.where(holds, one, two)


def _binary(operator: str, left: Expression, right: Expression, lookup: Lookup) -> Any:
    one = value(left, lookup)
    if operator in ("and", "or"):
        holds = truth(one)
        if _is_one(holds) and np.all(holds) == (operator == "or"):
            return holds
        other = _of_some(holds, truth, right, lookup)
        return holds & other if operator == "and" else holds | other
    other = value(right, lookup)
    if operator in ("==", "!=") and (one is None or other is None):
        return (one is other) == (operator == "==")
    one, other = _number(one), _number(other)
    if operator in _COMPARE:
        return _COMPARE[operator](one, other)
    if operator not in _COMPUTE:
        raise UnfitError(f"only the parser can compute {operator}")
    if operator in "/%":
        if not np.all(other):
            raise UnfitError("a division by zero")
        if np.any(np.equal(other, -1)):
            _negative(one)  # the quotient
    most = _MOST.get(operator)
    if most is not None and any(np.any(operand > most) or np.any(operand < -most) for operand in (one, other)):
        raise UnfitError("numbers that are too large")
    return _COMPUTE[operator](one, other)


def _is_one(holds: Any) -> bool:
    """Whether an answer is the same for all records."""
    return not isinstance(holds, np.ndarray) or bool(holds.all() or not holds.any())


def _of_some(holds: Any, read: Callable[[Any], Any], expression: Expression, lookup: Lookup) -> Any:
    """What is read of an expression that the parser may compute only for records with one answer, and that may have no
    value for the others. Raises SplitError if it has none for some of them."""
    try:
        return read(value(expression, lookup))
    except UnfitError:
        if _is_one(holds):
            raise
        raise SplitError([np.flatnonzero(holds), np.flatnonzero(~holds)]) from None


def _there(found: Any) -> Any:
    """An object that is there. What is absent has no attributes."""
    if found is None:
        raise UnfitError("it is absent")
    return found


def _negative(found: Any) -> Any:
    """The number with the other sign, which is within 64 bits."""
    if np.any(np.equal(found, _LEAST_NUMBER)):
        raise UnfitError("numbers that are too large")
    return -found


def _number(found: Any) -> Any:
    """A number that operators can work with: one of 64 bits."""
    if isinstance(found, np.ndarray):
        return found.astype(np.int64) if found.dtype == np.bool_ else found
    if isinstance(found, int | np.integer | np.bool_):
        return _within(int(found))
    raise UnfitError("it is not a number")


def _constant(found: Any) -> int:
    if isinstance(found, int):
        return _within(found)
    raise UnfitError("its place depends on the data")


def _within(number: int) -> int:
    if not _LEAST_NUMBER <= number <= _MOST_NUMBER:
        raise UnfitError("numbers that are too large")
    return number


def decided(found: Any) -> bool:
    """The one answer of all records. Raises SplitError if they differ."""
    holds = truth(found)
    if not isinstance(holds, np.ndarray):
        return bool(holds)
    if holds.all():
        return True
    if not holds.any():
        return False
    raise SplitError([np.flatnonzero(holds), np.flatnonzero(~holds)])


def same(found: Any) -> int:
    """The one number of all records. Raises SplitError if they differ."""
    found = _number(found)
    if not isinstance(found, np.ndarray):
        return int(found)
    if found.min() == found.max():
        return int(found[0])
    order = np.argsort(found, kind="stable")
    ends = np.flatnonzero(np.diff(found[order])) + 1
    raise SplitError(np.split(order, ends))


def demanded(found: Any, count: int) -> None:
    """Demand that something holds of all records. Raises SplitError if it does not hold of some of them."""
    holds = truth(found)
    if not isinstance(holds, np.ndarray):
        holds = np.full(count, holds)
    if not holds.all():
        raise SplitError([np.flatnonzero(holds)])


def case_of(on: Any, cases: dict[int, int]) -> int:
    """The number of the case of all records, -1 for the default, from the numbers by key. Raises SplitError."""
    if on is None:
        return -1
    on = _number(on)
    if not isinstance(on, np.ndarray):
        return cases.get(on, -1)
    if on.min() == on.max():
        return cases.get(int(on[0]), -1)
    different, which = np.unique(on, return_inverse=True)
    found = np.array([cases.get(key, -1) for key in different.tolist()])
    if len(np.unique(found)) == 1:
        return int(found[0])
    raise SplitError([places for _, places in places_by_value(found[which])])


def is_moving(expression: Expression) -> bool:
    """Whether a value depends on how far the stream has been read, so that it matters when it is computed."""
    if not isinstance(expression, tuple):
        return False
    if expression[0] == "get" and expression[1] == ("name", "_io"):
        return str(expression[2]) != "size"
    return any(is_moving(one) for one in expression[1:])


def unread(expression: Expression) -> str:
    """The text of the part of an expression that only the parser can evaluate; empty if there is none."""
    if not isinstance(expression, tuple):
        return ""
    if expression[0] == "unread":
        return str(expression[1])
    return next(filter(None, map(unread, expression[1:])), "")
