"""Objects: what is read of many objects of one type at once.

Objects are the records of a window, objects nested in records, or the items of lists in all records. A field has one
value for all objects, or several values for some objects each: a switch type has one value for each case. Where an `if`
does not hold, the field has no value.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from typing import Any, Self, TypeAlias

import numpy as np
import pyarrow as pa

from lmparse.columnar.cursors import Place, Records, Stream, UnfitError
from lmparse.columnar.expressions import Vector, joined
from lmparse.spec.layout import Field, Layout
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

NUMBERS = ("uint", "int", "code", "lsn")
"""Kinds whose bytes the parser reads as a number, unless the field has a type."""
Convert: TypeAlias = Callable[[Bytes], tuple[Bytes, Flags | None]]
"""Converts (n, width) bytes to another width; also returns flags of the rows that do not fit (None if none)."""
Order: TypeAlias = "str | Flags | None"
"""`le`, `be`, flags of the little-endian numbers, or None for fields that are no numbers."""


@dataclass(eq=False)
class FieldBytes:
    """The bytes of a field in n objects."""

    data: Bytes
    place: Place
    length: int | Int64s
    field: Field
    layout: Layout
    """The type that has the field."""
    order: Order = None
    shown: list[int] | slice | None = None
    """The order of display of the bytes, if it differs from the order in the record."""
    convert: Convert | None = None
    """Converts the bytes to the width of the field."""
    sized_stream: Stream | None = None
    """The stream of a sized field; the stream may be longer than the value."""
    gathered: tuple[int, Bytes] | None = None
    """Offset of the first of several neighbouring fields, and the (n, width) bytes of all these fields."""

    @property
    def count(self) -> int:
        return len(self.place.base)

    @property
    def width(self) -> int:
        """Width of `raw` in bytes."""
        assert isinstance(self.length, int)
        return self.length if self.convert is None else self.field.width or 0

    def converted(self) -> tuple[Bytes, Flags | None]:
        """The bytes as in `raw`, and flags of the rows that `convert` cannot convert."""
        return (self._taken(), None) if self.convert is None else self.convert(self._taken())

    def raw(self) -> Bytes:
        """(n, width) bytes; numbers have the byte order `endian`."""
        return self.converted()[0]

    def _taken(self) -> Bytes:
        assert isinstance(self.length, int)
        if self.gathered is not None:
            low, rows = self.gathered
            raw = rows[:, self.place.offset - low : self.place.offset - low + self.length]
        else:
            raw = byte_arrays.take_rows(self.data, self.place.array, self.length)
        if isinstance(self.order, np.ndarray):
            raw = np.where(self.order[:, None], raw[:, ::-1], raw)
        return raw if self.shown is None else np.ascontiguousarray(raw[:, self.shown])

    @property
    def endian(self) -> str | None:
        """The byte order of `raw`."""
        return "be" if isinstance(self.order, np.ndarray) else self.order

    def lengths(self) -> Int64s:
        return np.broadcast_to(np.asarray(self.length, np.int64), (self.count,))

    def vector(self) -> Vector:
        """The values for use in expressions. Raises UnfitError for fields with a type."""
        entry = self.field
        if entry.type is None and isinstance(self.length, int) and entry.kind in (*NUMBERS, "float"):
            raw = byte_arrays.take_rows(self.data, self.place.array, self.length)
            if isinstance(self.order, np.ndarray):
                raw = np.where(self.order[:, None], raw[:, ::-1], raw)
            return number(raw, entry.kind, "little" if self.endian == "le" else "big")
        if entry.type is not None:
            raise UnfitError(f"only the parser knows {entry.id}")
        flat, offsets = byte_arrays.ragged_bytes(self.data, self.place.array, self.lengths())
        return Vector(pa.Array.from_buffers(pa.binary(), self.count, [None, pa.py_buffer(offsets), pa.py_buffer(flat)]))


@dataclass(eq=False)
class Numbers:
    """Values without bytes of their own: bit fields, calculated values, decoded texts."""

    values: Vector
    field: Field
    count: int

    def vector(self) -> Vector:
        """The values for use in expressions; unsigned numbers beyond 63 bits have no value."""
        data = self.values.data
        if isinstance(data, np.ndarray) and data.dtype == np.uint64:
            data = data.view(np.int64)
            return Vector(data).without(data < 0)
        return self.values


@dataclass(eq=False)
class ListItems:
    """A list in each of n objects."""

    offsets: Int64s
    """n + 1 numbers: the items of object i are offsets[i] to offsets[i + 1]."""
    owners: Int64s
    """The number of the object of each item."""
    parts: Parts

    @property
    def count(self) -> int:
        return len(self.offsets) - 1


@dataclass(eq=False)
class Objects:
    """n objects of one type."""

    layout: Layout
    stream: Stream
    around: InitVar[Objects | None] = None
    within: Int64s | None = None
    """The number of the object above for each object; None if the numbers are equal."""
    arguments: dict[str, Any] = field(default_factory=dict)
    order: Order = None
    """The byte order of numbers whose type does not state one."""
    is_ordered: bool = False
    depth: int = 0
    values: dict[str, Parts] = field(default_factory=dict)
    """By field id, in the order of reading."""
    attributes: dict[str, Any] = field(default_factory=dict)
    """Values of instances for use in expressions, by name."""
    sized_stream: Stream | None = None
    """The streams of sized objects, if their bytes are those of the record, as stored or changed byte by byte."""
    open: set[str] = field(default_factory=set)
    """Instances that are being computed."""

    def __post_init__(self, around: Objects | None) -> None:
        self.count = len(self.stream.end)
        # Weak, because a cycle would keep the bytes of a window until the garbage collector runs.
        self._around = None if around is None else weakref.ref(around)

    @property
    def above(self) -> Objects | None:
        """The objects around these objects; None for records."""
        return None if self._around is None else self._around()

    @property
    def records(self) -> Records:
        return self.stream.records


Value: TypeAlias = "FieldBytes | Numbers | ListItems | Objects"
Parts: TypeAlias = "list[tuple[Int64s | None, Value]]"
"""Values of a field, each with the numbers of the objects that have the value (None for all)."""


@dataclass(eq=False)
class Reference:
    """Objects as the value of an expression, one for each of n rows."""

    parts: list[tuple[Int64s | None, Any, Int64s | None]]
    """Rows (None for all), objects, and the numbers of these objects (None for the numbers of the rows)."""
    count: int
    bad: Flags | None = None

    def some(self, which: Int64s | None) -> Self:
        """The objects of the rows `which`; None for all."""
        if which is None:
            return self
        bad = None if self.bad is None else self.bad[which]
        if len(self.parts) == 1 and self.parts[0][0] is None:
            _, objects, numbers = self.parts[0]
            return type(self)([(None, objects, which if numbers is None else numbers[which])], len(which), bad)
        parts: list[tuple[Int64s | None, Any, Int64s | None]] = []
        for rows, objects, numbers in self.parts:
            own = np.full(self.count, -1)
            rows = np.arange(self.count) if rows is None else rows
            own[rows] = np.arange(len(rows)) if numbers is None else numbers
            chosen = own[which]
            parts.append((np.flatnonzero(chosen >= 0), objects, chosen[chosen >= 0]))
        return type(self)(parts, len(which), bad)

    def without(self, bad: Flags) -> Self:
        """The reference with more rows marked as without an object."""
        return type(self)(self.parts, self.count, bad if self.bad is None else self.bad | bad)

    @classmethod
    def joined(cls, parts: list[tuple[Int64s | None, Any]], count: int) -> Self:
        """Join references of some rows each; rows in no part have no object. Raises UnfitError."""
        found: list[tuple[Int64s | None, Any, Int64s | None]] = []
        bad = np.ones(count, np.bool_)
        for which, one in parts:
            if type(one) is not cls:
                raise UnfitError("it is of several kinds")
            which = np.arange(count) if which is None else which
            bad[which] = False if one.bad is None else one.bad
            found += [
                (which if rows is None else which[rows], objects, numbers) for rows, objects, numbers in one.parts
            ]
        return cls(found, count, bad)


class Lists(Reference):
    """Lists as the value of an expression, one for each of n rows; `parts` has ListItems in place of objects."""

    @property
    def items(self) -> ListItems:
        """The items of all lists. Raises UnfitError if the lists belong to several fields."""
        if len(self.parts) != 1:
            raise UnfitError("it is of several kinds")
        found: ListItems = self.parts[0][1]
        return found

    def bounds(self) -> tuple[Int64s, Int64s]:
        """The number of the first item of each list, and the count of its items."""
        rows, items, numbers = self.parts[0]
        which: Any = slice(None) if numbers is None else numbers
        if rows is not None:
            which = np.zeros(self.count, np.int64)
            which[rows] = np.arange(len(rows)) if numbers is None else numbers
        starts = self.items.offsets[:-1][which]
        return starts, items.offsets[1:][which] - starts


def number(raw: Bytes, kind: str, order: integers.ByteOrder) -> Vector:
    """Numbers from (n, width) bytes; numbers beyond 63 bits have no value."""
    if kind == "float":
        from lmparse.values import floats

        return Vector(floats.decode_ieee_array(raw, order))
    if kind == "int":
        return Vector(integers.decode_signed_array(raw, order).astype(np.int64))
    found = integers.decode_unsigned_array(raw, order).astype(np.uint64).view(np.int64)
    return Vector(found, found < 0 if raw.shape[1] == 8 else None)


def seen(parts: Parts, count: int) -> Any:
    """The values of a field in `count` objects for use in expressions."""
    return joined([(which, _seen(value)) for which, value in parts], count)


def _seen(value: Value) -> Any:
    if isinstance(value, Objects):
        return Reference([(None, value, None)], value.count)
    if isinstance(value, ListItems):
        return Lists([(None, value, None)], value.count)
    return value.vector()
