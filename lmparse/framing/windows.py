"""Records as arrays with one entry for each record: runs from scans, and windows for readers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lmparse.framing.extents import RecordExtent
from lmparse.storage.buffers import Buffer
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

MAX_RECORDS = 1 << 13
MAX_BYTES = 1 << 23

_NONE: Int64s = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive records of a file. `starts`, `lengths` and `offsets` have one entry for each record."""

    first_index: int
    """Number in the file of the first record."""
    data: Bytes
    """The bytes that contain the records, read only. They are as in the file; with spanned records, they lack the
    descriptor words between pieces."""
    starts: Int64s
    """Offset of each record in `data`; ascending. An empty record may begin at the end of `data`."""
    lengths: Int64s
    """Number of bytes of each record, without descriptor words."""
    offsets: Int64s
    """Offset in the file of the first byte of each record, as `RecordExtent.offset`."""
    gap_starts: Int64s = field(default_factory=lambda: _NONE)
    gap_ends: Int64s = field(default_factory=lambda: _NONE)
    """Starts and ends in the file of the bytes between two pieces of a record, for all records."""

    def __len__(self) -> int:
        return len(self.starts)

    def numbers_in_file(self, which: Int64s | None = None) -> Int64s:
        """The number in the file of each record, or of the records `which`."""
        if which is not None:
            return which + self.first_index
        return np.arange(self.first_index, self.first_index + len(self))

    def extent(self, number: int) -> RecordExtent:
        """The extent of record `number` of the window, counted from 0; its `resume` is None."""
        start, left = int(self.offsets[number]), int(self.lengths[number])
        pieces = []
        for gap in range(int(np.searchsorted(self.gap_starts, start)), len(self.gap_starts)):
            size = int(self.gap_starts[gap]) - start
            if size >= left:
                break
            pieces.append((start, size))
            start, left = int(self.gap_ends[gap]), left - size
        return RecordExtent(self.first_index + number, (*pieces, (start, left)), None)


class ExtentRun(NamedTuple):
    """Consecutive records of a file. All arrays except `lengths` ascend."""

    offsets: Int64s = _NONE
    lengths: Int64s = _NONE
    ends: Int64s = _NONE
    """Offset behind the last byte of each record."""
    gap_starts: Int64s = _NONE
    """Starts, and in `gap_ends` the ends, of the bytes between two pieces of a record, for all records."""
    gap_ends: Int64s = _NONE

    def then(self, other: ExtentRun) -> ExtentRun:
        """These records, followed by the records of `other`."""
        if not len(self.offsets):
            return other
        return ExtentRun(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))

    def part(self, first: int, behind: int) -> ExtentRun:
        """The records from number `first` to before number `behind`."""
        if first == behind:
            return ExtentRun()
        offsets, ends = self.offsets[first:behind], self.ends[first:behind]
        gaps = slice(*np.searchsorted(self.gap_starts, (offsets[0], ends[-1])))
        return ExtentRun(offsets, self.lengths[first:behind], ends, self.gap_starts[gaps], self.gap_ends[gaps])

    def behind(self, first: int, max_records: int, max_bytes: int) -> int:
        """The number behind the last record that fits into a window with first record `first`."""
        fitting = int(np.searchsorted(self.ends, self.offsets[first] + max_bytes, side="right"))
        return min(max(fitting, first + 1), first + max(max_records, 1))

    def window(self, buffer: Buffer, index: int, lead: int = 0) -> Window:
        """The window of these records: number of the first record in the file, and bytes in front of it."""
        low, high = int(self.offsets[0]) - lead, int(self.ends[-1])
        if not len(self.gap_starts):
            return Window(index, array_of(buffer, low, high), self.offsets - low, self.lengths, self.offsets)
        kept = zip((low, *self.gap_ends.tolist()), (*self.gap_starts.tolist(), high), strict=True)
        data = np.concatenate([array_of(buffer, start, end) for start, end in kept])
        data.flags.writeable = False
        left_out = np.concatenate(([0], np.cumsum(self.gap_ends - self.gap_starts)))
        # A gap at the start of a record is behind an empty first piece of the record.
        starts = self.offsets - low - left_out[np.searchsorted(self.gap_starts, self.offsets)]
        return Window(index, data, starts, self.lengths, self.offsets, self.gap_starts, self.gap_ends)


def joined(starts: Int64s, ends: Int64s, continues: Flags) -> ExtentRun:
    """Records from pieces: start and end of the bytes of each piece, and whether the piece continues a record."""
    offsets = starts[~continues]
    record_ends = ends[~np.append(continues[1:], False)]
    if len(offsets) == len(starts):
        return ExtentRun(offsets, record_ends - offsets, record_ends)
    gap_starts, gap_ends = ends[:-1][continues[1:]], starts[1:][continues[1:]]
    sizes = np.where(continues, starts - np.append(starts[:1], ends[:-1]), 0)
    lengths = record_ends - offsets - np.add.reduceat(sizes, np.flatnonzero(~continues))
    return ExtentRun(offsets, lengths, record_ends, gap_starts, gap_ends)


_NEAR = 1 << 16
"""Default for the bytes between two pieces that are read together with the pieces."""


def array_of(buffer: Buffer, start: int, end: int, *, is_kept: bool = False) -> Bytes:
    """The bytes from `start` to `end` of a buffer as a read-only array that stays valid.

    `is_kept` keeps the bytes in the buffer, so that arrays of parts need no second reading.
    """
    if isinstance(buffer, bytes):
        return np.frombuffer(buffer, np.uint8)[start:end]
    return buffer.array(start, max(start, end), is_kept=is_kept)


class Gathered:
    """Pieces of a file that are read together; the pieces may overlap and have any order."""

    def __init__(self, buffer: Buffer, starts: Int64s, lengths: Int64s, near: int = _NEAR) -> None:
        """`starts` and `lengths` have one entry in bytes for each piece; a negative length counts as 0.

        Up to `near` bytes between two pieces are read too.
        """
        order = np.argsort(starts, kind="stable")
        begins, ends = starts[order], np.maximum.accumulate((starts + np.maximum(lengths, 0))[order])
        is_first = np.append(True, begins[1:] > ends[:-1] + near)[: len(begins)]
        self._begins, self._ends = begins[is_first], ends[np.append(is_first[1:], True)[: len(begins)]]
        sizes = self._ends - self._begins
        self._bases = np.cumsum(sizes) - sizes
        places = zip(self._begins.tolist(), self._ends.tolist(), strict=True)
        parts = [array_of(buffer, begin, end) for begin, end in places]
        self.data: Bytes = parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.uint8), *parts])
        """The bytes of all pieces."""

    def places(self, starts: Int64s) -> Int64s:
        """The offsets in `data` of the pieces that begin at `starts` in the file."""
        number = np.searchsorted(self._begins, starts, side="right") - 1
        found: Int64s = starts - self._begins[number] + self._bases[number]
        return found
