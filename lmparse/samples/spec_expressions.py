"""Expressions of a spec about an object that is being invented, whose values are known as far as it has been made."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from lmparse.records.record_ends import BINARY
from lmparse.spec.layout import Expression, Layout

_ONE: dict[str, Callable[[Any], Any]] = {"not": operator.not_, "neg": operator.neg, "~": operator.invert}
_TWO: dict[str, Callable[[Any, Any], Any]] = {
    **BINARY,
    "/": lambda one, other: one // other if isinstance(one, int) and isinstance(other, int) else one / other,
}


@dataclass(frozen=True)
class _Stream:
    pos: int


class InventionError(Exception):
    """An expression that has no value here, or a demand that no value fits."""


@dataclass
class Draft:
    """An object that is being invented: its values as the parser has them, and its bytes so far."""

    layout: Layout
    root: Draft | None
    parent: Draft | None
    values: dict[str, Any] = field(default_factory=dict)
    made: bytearray = field(default_factory=bytearray)
    places: dict[str, int] = field(default_factory=dict)
    """Offsets of numbers that may be set once more: they say how long something is."""
    bits: list[tuple[int, int, str]] = field(default_factory=list)
    """Bit fields behind the last whole byte: value, width and order."""
    base: int = 0
    """Where it begins in its stream."""
    room: int | None = None
    """Bytes that it must have."""
    has_ended: bool = False
    """Whether the record ends before the fields that it need not have."""

    @property
    def depth(self) -> int:
        return 0 if self.parent is None else self.parent.depth + 1


def evaluated(expression: Expression, one: Draft) -> Any:
    """The value of an expression about an object. Raises InventionError."""
    if not isinstance(expression, tuple):
        return expression
    head, *rest = expression
    if head == "name":
        return _named(rest[0], one)
    if head == "get":
        return _member(evaluated(rest[0], one), rest[1])
    if head == "at":
        return evaluated(rest[0], one)[evaluated(rest[1], one)]
    if head == "in":
        return evaluated(rest[0], one) in [evaluated(value, one) for value in rest[1:]]
    if head == "?":
        return evaluated(rest[1] if evaluated(rest[0], one) else rest[2], one)
    if head == "as":
        return evaluated(rest[0], one)
    if head in _ONE and len(rest) == 1:
        return _ONE[head](evaluated(rest[0], one))
    if head in _TWO and len(rest) == 2:
        return _TWO[head](evaluated(rest[0], one), evaluated(rest[1], one))
    raise InventionError("it depends on what only the parser can evaluate")


def _named(name: str, one: Draft) -> Any:
    if name == "_root":
        return one.root or one
    if name == "_parent" and one.parent is not None:
        return one.parent
    if name == "_io":
        return _Stream(one.base + len(one.made))
    return _member(one, name)


def _member(one: Any, name: str) -> Any:
    if isinstance(one, Draft):
        if name in one.values:
            return one.values[name]
        if name in one.layout.computed and not one.layout.computed[name].width:
            return evaluated(one.layout.computed[name].value, one)
        bodies = (value for entry in one.layout if entry.kind == "body" and (value := one.values.get(entry.id)))
        for body in bodies:
            with suppress(InventionError):
                return _member(body, name)
    if name == "pos" and isinstance(one, _Stream):
        return one.pos
    if name in ("size", "length") and isinstance(one, bytes | str | list):
        return len(one)
    if name == "to_i" and isinstance(one, int):
        return int(one)
    raise InventionError(f"it depends on {name}")


def literals_in(expression: Expression) -> Iterator[Any]:
    """The numbers and texts in a demand, one of which a value that fits may be."""
    if not isinstance(expression, tuple):
        yield expression
    elif expression[0] not in ("name", "get"):
        for part in expression[1:]:
            yield from literals_in(part)
