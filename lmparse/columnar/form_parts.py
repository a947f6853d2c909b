"""Form parts: what a walk finds in the records of one form, for all of them at once.

A nested record has one layout in all records, and its fields are the same, though not at the same places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from lmparse.records import evaluation
from lmparse.records.evaluation import UnfitError
from lmparse.spec.layout import Code, Field, Layout
from lmparse.values.byte_arrays import Int64s

NUMBERS = ("uint", "int", "code", "lsn")
"""Kinds whose bytes the parser reads as a number, unless they have a type."""


@dataclass(frozen=True, slots=True, eq=False)
class FieldPlace:
    """A place in the data for each record: a number of bytes behind a base."""

    base: Int64s
    offset: int = 0

    def behind(self, size: int | Int64s) -> FieldPlace:
        """The place some bytes behind."""
        if isinstance(size, np.ndarray):
            return FieldPlace(self.base + (self.offset + size))
        return FieldPlace(self.base, self.offset + size)

    @property
    def array(self) -> Int64s:
        """The offsets in the data."""
        return self.base + self.offset


@dataclass(slots=True, eq=False)
class Stream:
    """The bytes that a part of each record reads, and how far it has read."""

    start: FieldPlace
    end: Int64s
    cursor: FieldPlace
    _room: tuple[Int64s, int, int] | None = None
    """A base, and the least and the most bytes between it and the end."""

    def room(self, base: Int64s) -> tuple[int, int]:
        """The least and the most bytes between a base and the end."""
        if self._room is None or self._room[0] is not base:
            left = self.end - base
            self._room = base, int(left.min()), int(left.max())
        return self._room[1], self._room[2]

    def take(self, size: int | Int64s) -> FieldPlace:
        """Read some bytes. Raises SplitError if some records do not have them."""
        begin = self.cursor
        if isinstance(size, np.ndarray):
            evaluation.demanded(size >= 0, len(self.end))
        self.cursor = self.behind(begin, size)
        return begin

    def behind(self, place: FieldPlace, size: int | Int64s) -> FieldPlace:
        """The place some bytes behind another one, which is not behind the end. Raises SplitError.

        Sizes come from the data and may be any numbers, so it is computed only where it is in the stream.
        """
        if isinstance(size, np.ndarray):
            evaluation.demanded(size <= self.end - place.array, len(self.end))
            return place.behind(size)
        least, most = self.room(place.base)
        if place.offset + size > least:
            holds = self.end - place.base >= place.offset + size if place.offset + size <= most else False
            evaluation.demanded(holds, len(self.end))
        return place.behind(size)

    def attribute(self, name: str) -> Any:
        """`pos`, `eof` or `size`."""
        if name == "size":
            return self.end - self.start.array
        if name == "eof":
            least, most = self.room(self.cursor.base)
            offset = self.cursor.offset
            return False if offset < least else True if offset >= most else self.cursor.array >= self.end
        if name == "pos":
            is_near = self.cursor.base is self.start.base
            return self.cursor.offset - self.start.offset if is_near else self.cursor.array - self.start.array
        raise UnfitError(f"only the parser knows {name} of a stream")


@dataclass(eq=False)
class FieldBytes:
    """The bytes of a field."""

    place: FieldPlace
    length: int | Int64s
    field: Field
    parent: Layout
    endian: str | None
    """`be` or `le` of a number."""
    order: list[int] | None = None
    """The bytes in the order in which they are shown, if that is not the one of the record."""

    @property
    def is_number(self) -> bool:
        """Whether the parser reads it as a number."""
        return self.field.kind in NUMBERS and self.field.type is None and isinstance(self.length, int)


@dataclass(frozen=True, slots=True, eq=False)
class Calculated:
    """A calculated value: one for all records, or one for each."""

    value: Any
    field: Field


@dataclass(eq=False)
class Part:
    """A nested record: one layout in all records."""

    layout: Layout
    stream: Stream
    above: Part | None
    arguments: dict[str, Any]
    root: Part = None  # type: ignore[assignment]
    is_little: bool | None = None
    is_ordered: bool = False
    """Whether `is_little` is known."""
    values: dict[str, Any] = field(default_factory=dict)
    """By field id in the order in which they are read: FieldBytes, Part, list of parts, or None for what is absent."""
    looked: dict[str, Any] = field(default_factory=dict)
    """Values of instances."""
    depth: int = 0
    calculated: dict[str, Calculated | None] = field(default_factory=dict)
    """Calculated values that are columns; None for what is absent."""

    def inside(self) -> Iterator[Part]:
        """The part and all parts inside it."""
        yield self
        for value in self.values.values():
            for one in value if isinstance(value, list) else (value,):
                if isinstance(one, Part):
                    yield from one.inside()


class FormKind(NamedTuple):
    """What records are."""

    number: int | Int64s
    spec: str
    codes: tuple[Code, ...]
    """Their enumeration."""


@dataclass(frozen=True)
class FoundForm:
    """Some records of a window that have the same fields."""

    which: Int64s
    """Their numbers in the window."""
    part: Part
    kind: FormKind | None
    """None if the records of the spec do not tell their kind."""
