"""Cursors: how far the streams of many objects have been read, for all of them at once.

While everything in front of a field is as wide in all objects, its place is one number behind a base that they share;
behind the first field that is not, it is an array. An object whose bytes end too early takes the place of one that is
sound, so that every place stays inside of the data; its record is marked and is the parser's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lmparse.values.byte_arrays import Bytes, Flags, Int64s


class NothingLeftError(Exception):
    """All records of some objects are the parser's."""


class UnfitError(Exception):
    """Only the parser can read this; the text says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A place in the data for each of n objects: a number of bytes behind a base, and bits in that byte."""

    base: Int64s
    offset: int = 0
    bits: int | Int64s = 0
    """Bits of the byte that have been read."""

    def behind(self, size: int | Int64s) -> Place:
        """The place some bytes behind, at a whole byte."""
        if isinstance(size, np.ndarray):
            return Place(self.base + (self.offset + size))
        return Place(self.base, self.offset + size)

    @property
    def array(self) -> Int64s:
        """The offsets in the data."""
        return self.base + self.offset if self.offset else self.base

    def some(self, which: Int64s) -> Place:
        """The places of some objects."""
        return Place(
            self.base[which], self.offset, self.bits[which] if isinstance(self.bits, np.ndarray) else self.bits
        )


class Records:
    """The records of a window while they are read. `bad` are those that are left to the parser."""

    def __init__(self, sizes: Int64s) -> None:
        self.sizes, self.bad = sizes, np.zeros(len(sizes), np.bool_)
        self.rounds = 0
        """Items of lists that were walked through."""
        self._places: dict[tuple[int, int], tuple[Bytes, Int64s]] = {}

    def places_of(self, data: Bytes, byte: int) -> Int64s:
        """Where a byte is in some data."""
        key = id(data), byte
        if key not in self._places:
            self._places[key] = data, np.flatnonzero(data == byte)
        return self._places[key][1]

    def leave(self, objects: Int64s | None, which: Flags) -> None:
        """Leave the records of some objects to the parser; `objects` are the numbers of their records."""
        if objects is None:
            self.bad |= which
        else:
            self.bad[objects[which]] = True


@dataclass(slots=True, eq=False)
class Stream:
    """The bytes that each of n objects reads, and how far it has read."""

    records: Records
    of: Int64s | None
    """The number of the record of each object; None if they are the records."""
    start: Place
    end: Int64s
    cursor: Place
    data: Bytes
    bit_order: str | None = None
    """`be` or `le` of the bits of the byte that the cursor is in."""
    _room: tuple[Int64s, int, int] | None = None
    """A base, and the least and the most bytes between it and the end."""

    def copy(self) -> Stream:
        """The same place in the same bytes, from which other things may be read."""
        return replace(self)

    def some(self, which: Int64s) -> Stream:
        """The streams of some objects."""
        of = which if self.of is None else self.of[which]
        start, cursor = self.start.some(which), self.cursor.some(which)
        return Stream(self.records, of, start, self.end[which], cursor, self.data, self.bit_order)

    def room(self, base: Int64s) -> tuple[int, int]:
        """The least and the most bytes between a base and the end."""
        if self._room is None or self._room[0] is not base:
            left = self.end - base
            self._room = base, int(left.min()), int(left.max())
        return self._room[1], self._room[2]

    def demand(self, holds: Flags) -> Int64s | None:
        """Leave the records to the parser in which something does not hold. Raises NothingLeftError if it never does.

        These objects take the places of one that is sound: which one each now has the place of, None if all hold.
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
        """Values of all objects; the records of those that have none here, by the flags, are left to the parser."""
        values, bad = found
        if bad is not None:
            self.demand(~bad)
        return values

    def align(self) -> Place:
        """The cursor at the next whole byte."""
        bits = self.cursor.bits
        if isinstance(bits, np.ndarray) or bits:
            self.cursor = self.cursor.behind((bits > 0).astype(np.int64) if isinstance(bits, np.ndarray) else 1)
        return self.cursor

    def take(self, size: int | Int64s) -> Place:
        """Read some bytes; the place where they begin. Sizes come from the data and may be any numbers."""
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
        """Read some bits; the place where they begin. Raises UnfitError within a byte that is read in another order."""
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
        """The same bytes from a position in them."""
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
        """Go on where streams that began as this one, or as some of it, have come to."""
        if which is None:
            self.cursor = other.cursor
            return
        self.bit_order = other.bit_order
        base, bits = self.cursor.array.copy(), np.zeros(len(self.end), np.int64)
        bits[:] = self.cursor.bits
        base[which], bits[which] = other.cursor.array, other.cursor.bits
        np.minimum(base, self.end, out=base)  # an object that has taken the place of another one may be anywhere
        self.cursor = Place(base, 0, bits if bits.any() else 0)

    @property
    def size(self) -> Int64s:
        """Bytes of each stream."""
        return self.end - self.start.array

    @property
    def pos(self) -> int | Int64s:
        """How far each has been read."""
        bits, is_near = self.cursor.bits, self.cursor.base is self.start.base
        here = self.cursor.offset - self.start.offset if is_near else self.cursor.array - self.start.array
        return here + ((bits > 0).astype(np.int64) if isinstance(bits, np.ndarray) else int(bits > 0))

    @property
    def eof(self) -> bool | Flags:
        """Which have been read to the end. While bits of the last byte are left, a stream is not at its end."""
        least, most = self.room(self.cursor.base)
        offset, bits = self.cursor.offset, self.cursor.bits
        if isinstance(bits, np.ndarray):
            found: Flags = (self.cursor.array >= self.end) & (bits == 0)
            return found
        return False if bits or offset < least else True if offset >= most else self.cursor.array >= self.end
