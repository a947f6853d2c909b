"""Cursors: how far the streams of many objects are read, for all objects at once.

While all objects have equal widths in front of a field, its place is a base array plus one common offset. Behind the
first varying width, the place is an array. An object whose bytes end too early takes the place of a sound object, so
that all places stay inside the data; its record is marked and left to the parser.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lmparse.values.byte_arrays import Bytes, Flags, Int64s


class NothingLeftError(Exception):
    """All records of some objects are left to the parser."""


class UnfitError(Exception):
    """Only the parser can read these records; the text says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A place in the data for each of n objects: base plus offset in bytes, and a number of bits."""

    base: Int64s
    offset: int = 0
    bits: int | Int64s = 0
    """Bits of the byte at the place that are already read."""

    def behind(self, size: int | Int64s) -> Place:
        """The place `size` bytes further, without bits."""
        if isinstance(size, np.ndarray):
            return Place(self.base + (self.offset + size))
        return Place(self.base, self.offset + size)

    @property
    def array(self) -> Int64s:
        """The byte offset of each object in the data."""
        return self.base + self.offset if self.offset else self.base

    def some(self, which: Int64s) -> Place:
        """The places of some objects."""
        return Place(
            self.base[which], self.offset, self.bits[which] if isinstance(self.bits, np.ndarray) else self.bits
        )


class Records:
    """The records of a window while they are read. `bad` flags the records that are left to the parser."""

    def __init__(self, sizes: Int64s) -> None:
        self.sizes, self.bad = sizes, np.zeros(len(sizes), np.bool_)
        self.rounds = 0
        """Steps of walking lists item by item in this window."""
        self._places: dict[tuple[int, int], tuple[Bytes, Int64s]] = {}

    def places_of(self, data: Bytes, byte: int) -> Int64s:
        """All offsets of a byte value in some data, in ascending order; computed once."""
        key = id(data), byte
        if key not in self._places:
            self._places[key] = data, np.flatnonzero(data == byte)
        return self._places[key][1]

    def leave(self, objects: Int64s | None, which: Flags) -> None:
        """Leave records to the parser: those of the flagged objects. `objects` has the record number of each object."""
        if objects is None:
            self.bad |= which
        else:
            self.bad[objects[which]] = True


@dataclass(slots=True, eq=False)
class Stream:
    """The bytes of each of n objects, and how far each object is read."""

    records: Records
    of: Int64s | None
    """The record number of each object; None if the objects are the records."""
    start: Place
    end: Int64s
    cursor: Place
    data: Bytes
    bit_order: str | None = None
    """`be` or `le`: the order of bits in the byte at the cursor."""
    _room: tuple[Int64s, int, int] | None = None
    """A base, and the smallest and largest number of bytes between the base and the end."""

    def copy(self) -> Stream:
        """A stream over the same bytes with a cursor of its own."""
        return replace(self)

    def some(self, which: Int64s) -> Stream:
        """The streams of the objects numbered `which`."""
        of = which if self.of is None else self.of[which]
        start, cursor = self.start.some(which), self.cursor.some(which)
        return Stream(self.records, of, start, self.end[which], cursor, self.data, self.bit_order)

    def room(self, base: Int64s) -> tuple[int, int]:
        """The smallest and largest number of bytes between a base and the end, over all objects."""
        if self._room is None or self._room[0] is not base:
            left = self.end - base
            self._room = base, int(left.min()), int(left.max())
        return self._room[1], self._room[2]

    def demand(self, holds: Flags) -> Int64s | None:
        """Leave the records of objects without a flag to the parser. Raises NothingLeftError if no object has a flag.

        A sound object stands in for the objects left: the result has, for each object, the number of its stand-in. The
        result is None if all flags are set.
        """
        if holds.all():
            return None
        self.records.leave(self.of, ~holds)
        sound = int(holds.argmax())
        if not holds[sound]:
            raise NothingLeftError
        stand_in = np.where(holds, np.arange(len(holds)), sound)
        self.start, self.end, self.cursor = self.start.some(stand_in), self.end[stand_in], self.cursor.some(stand_in)
        self._room = None
        return stand_in

    def known(self, found: tuple[Any, Flags | None]) -> Any:
        """The values of (values, flags of objects without a value); the records of flagged objects are the parser's."""
        values, bad = found
        if bad is not None:
            self.demand(~bad)
        return values

    def align(self) -> Place:
        """Move the cursor to the next whole byte, and return it."""
        bits = self.cursor.bits
        if isinstance(bits, np.ndarray) or bits:
            self.cursor = self.cursor.behind((bits > 0).astype(np.int64) if isinstance(bits, np.ndarray) else 1)
        return self.cursor

    def take(self, size: int | Int64s) -> Place:
        """Read `size` bytes; the result is where they begin. Sizes come from the data and may be any numbers."""
        self.align()
        if isinstance(size, np.ndarray):
            stand_in = self.demand((size >= 0) & (size <= self.end - self.cursor.array))
            size = size if stand_in is None else size[stand_in]
        else:
            self._demand_room(size)
        begin = self.cursor
        self.cursor = begin.behind(size)
        return begin

    def _demand_room(self, size: int) -> None:
        base, need = self.cursor.base, self.cursor.offset + size
        least, most = self.room(base)
        if size < 0 or need > most:
            self.demand(np.zeros(len(base), np.bool_))
        if need > least:
            self.demand(self.end - base >= need)

    def take_bits(self, width: int, order: str | None) -> Place:
        """Read `width` bits, and return where they begin. Raises UnfitError if one byte is read in both bit orders."""
        begin = self.cursor
        if np.any(begin.bits) and self.bit_order != order:
            raise UnfitError("bits of one byte are read in both orders")
        self.bit_order = order
        size = -(-(begin.bits + width) // 8)
        if isinstance(size, np.ndarray):
            self.demand(size <= self.end - begin.array)
        else:
            self._demand_room(size)
        begin = self.cursor
        total = begin.bits + width
        self.cursor = replace(begin.behind(total // 8), bits=total % 8)
        return begin

    def at(self, pos: int | Int64s) -> Stream:
        """A stream over the same bytes with its cursor at `pos`, in bytes from the start."""
        size = self.end - self.start.array
        moved = self.copy()
        if isinstance(pos, np.ndarray):
            stand_in = moved.demand((pos >= 0) & (pos <= size))
            moved.cursor = Place(moved.start.array + (pos if stand_in is None else pos[stand_in]))
        else:
            moved.demand((size >= pos) & (pos >= 0))
            moved.cursor = moved.start.behind(pos)
        return moved

    def move(self, which: Int64s | None, other: Stream) -> None:
        """Move the cursors of the objects `which` (None: all) to those of `other`, a part of this stream."""
        if which is None:
            self.cursor = other.cursor
            return
        self.bit_order = other.bit_order
        base, bits = self.cursor.array.copy(), np.zeros(len(self.end), np.int64)
        bits[:] = self.cursor.bits
        base[which], bits[which] = other.cursor.array, other.cursor.bits
        np.minimum(base, self.end, out=base)  # a stand-in may be beyond the end of the object that it stands for
        self.cursor = Place(base, 0, bits if bits.any() else 0)

    @property
    def size(self) -> Int64s:
        """Length of each stream in bytes."""
        return self.end - self.start.array

    @property
    def pos(self) -> int | Int64s:
        """Bytes of each stream that are read; a byte that is read in part counts."""
        bits, is_near = self.cursor.bits, self.cursor.base is self.start.base
        here = self.cursor.offset - self.start.offset if is_near else self.cursor.array - self.start.array
        return here + ((bits > 0).astype(np.int64) if isinstance(bits, np.ndarray) else int(bits > 0))

    @property
    def eof(self) -> bool | Flags:
        """Which streams are at their end; a stream with bits left in its last byte is not."""
        least, most = self.room(self.cursor.base)
        offset, bits = self.cursor.offset, self.cursor.bits
        if isinstance(bits, np.ndarray):
            found: Flags = (self.cursor.array >= self.end) & (bits == 0)
            return found
        return False if bits or offset < least else True if offset >= most else self.cursor.array >= self.end
