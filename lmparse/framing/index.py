"""Index: where the records of a stretch of a file stand, as arrays, without an object for each."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lmparse.errors import FramingError, LmparseError
from lmparse.framing.base import Framing
from lmparse.framing.extents import Handover, RecordExtent, Span
from lmparse.storage.buffers import Buffer

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]

MAX_RECORDS = 1 << 13
MAX_BYTES = 1 << 23
_RELEASE_BYTES = 1 << 24
"""Bytes of a mapped file that are given back at a time."""


_NONE: Places = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Window:
    """Records that follow one another in a file. All arrays have one entry a record but `data`."""

    first_index: int
    """Number of its first record in the file."""
    data: Bytes
    """The bytes the records stand in, read only: a view of the file, or a copy when one of the
    records is spanned; then the descriptor words between its pieces are left out."""
    starts: Places
    """Where each record begins in `data`; ascending. An empty record may begin at its end."""
    lengths: Places
    """Bytes of each record, without descriptor words."""
    offsets: Places
    """Offset of the first byte of each record in the file, as `RecordExtent.offset`."""
    gap_starts: Places = field(default_factory=lambda: _NONE)
    gap_ends: Places = field(default_factory=lambda: _NONE)
    """Where in the file something stands between two pieces of one record, over all records."""

    def __len__(self) -> int:
        return len(self.starts)

    def behind(self, number: int) -> Window:
        """The same without the first `number` records."""
        return Window(
            self.first_index + number, self.data, self.starts[number:], self.lengths[number:], self.offsets[number:],
            self.gap_starts, self.gap_ends,
        )  # fmt: skip

    def extent(self, number: int) -> RecordExtent:
        """One of the records, 0 being the first; reading goes on behind it nowhere."""
        start, left = int(self.offsets[number]), int(self.lengths[number])
        pieces = []
        for gap in range(int(np.searchsorted(self.gap_starts, start)), len(self.gap_starts)):
            size = int(self.gap_starts[gap]) - start
            if size >= left:
                break
            pieces.append((start, size))
            start, left = int(self.gap_ends[gap]), left - size
        return RecordExtent(self.first_index + number, (*pieces, (start, left)), None)


class Run(NamedTuple):
    """Records that follow one another. Offsets in the file; all arrays ascend but `lengths`."""

    offsets: Places = _NONE
    lengths: Places = _NONE
    ends: Places = _NONE
    """Behind the last byte of each record."""
    gap_starts: Places = _NONE
    """What stands between two pieces of one record, over all records."""
    gap_ends: Places = _NONE

    def then(self, other: Run) -> Run:
        """These records and others behind them."""
        if not len(self.offsets):
            return other
        return Run(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))

    def part(self, first: int, behind: int) -> Run:
        """Some of its records."""
        if first == behind:
            return Run()
        offsets, ends = self.offsets[first:behind], self.ends[first:behind]
        gaps = slice(*np.searchsorted(self.gap_starts, (offsets[0], ends[-1])))
        return Run(offsets, self.lengths[first:behind], ends, self.gap_starts[gaps], self.gap_ends[gaps])

    def behind(self, first: int, max_records: int, max_bytes: int) -> int:
        """Number behind the last record that fits in a window with record `first`."""
        fitting = int(np.searchsorted(self.ends, self.offsets[first] + max_bytes, side="right"))
        return min(max(fitting, first + 1), first + max(max_records, 1))

    def window(self, whole: Bytes, index: int) -> Window:
        """The window of these records, the first being number `index` of the file."""
        low, high = int(self.offsets[0]), int(self.ends[-1])
        if not len(self.gap_starts):
            return Window(index, whole[low:high], self.offsets - low, self.lengths, self.offsets)
        kept = zip((low, *self.gap_ends.tolist()), (*self.gap_starts.tolist(), high), strict=True)
        data = np.concatenate([whole[start:end] for start, end in kept])
        data.flags.writeable = False
        left_out = np.concatenate(([0], np.cumsum(self.gap_ends - self.gap_starts)))
        # A gap that begins where a record does is behind the record's empty first piece.
        starts = self.offsets - low - left_out[np.searchsorted(self.gap_starts, self.offsets)]
        return Window(index, data, starts, self.lengths, self.offsets, self.gap_starts, self.gap_ends)


def windows(
    framing: Framing,
    buffer: Buffer,
    start: int = 0,
    end: int | None = None,
    first_index: int = 0,
    max_records: int = MAX_RECORDS,
    max_bytes: int = MAX_BYTES,
) -> Iterator[Window]:
    """The records that `framing.extents(buffer, start, end, first_index)` gives, many at a time.

    A window has at most `max_records` records, which stand in at most `max_bytes` bytes of the
    file, but always one. Raises what `extents` raises, behind the last window of good records.

    Memory is constant: of a mapped file, pages behind the current window are given back now and
    then while the next one is asked for. Arrays that are kept stay valid.
    """
    stop = len(buffer) if end is None else end
    if start >= stop:
        return
    whole = np.frombuffer(buffer, np.uint8)
    whole.flags.writeable = False
    release = _Release(buffer, start)
    index = first_index
    for run in _filled(_runs(framing, buffer, start, stop, first_index), max_records, max_bytes):
        release.up_to(int(run.offsets[0]))
        yield run.window(whole, index)
        index += len(run.offsets)


def _filled(runs: Iterator[Run], max_records: int, max_bytes: int) -> Iterator[Run]:
    """The same records in runs of as many as a window may have; all good ones come before an error."""
    held = Run()
    fault: LmparseError | None = None
    is_last = False
    while not is_last:
        try:
            held = held.then(next(runs))
        except StopIteration:
            is_last = True
        except LmparseError as error:
            fault, is_last = error, True
        place, count = 0, len(held.offsets)
        while place < count:
            behind = held.behind(place, max_records, max_bytes)
            if behind >= count and not is_last:
                break
            behind = min(behind, count)
            yield held.part(place, behind)
            place = behind
        held = held.part(place, count)
    if fault is not None:
        raise fault


def spans(framing: Framing, buffer: Buffer, max_bytes: int) -> list[Span]:
    """As `Framing.spans`, some thousand records at a time, where reading may begin at every record."""
    found: list[Span] = []
    start, first = 0, 0
    try:
        for window in windows(framing, buffer):
            begins = window.offsets - framing.lead
            while (number := int(np.searchsorted(begins, start + max_bytes))) < len(window):
                found.append(Span(start, int(begins[number]), first))
                start, first = int(begins[number]), window.first_index + number
    except FramingError:
        pass
    return [*found, Span(start, len(buffer), first)]


class _Release:
    """Gives pages of a mapped file back, so that resident memory does not grow with the file."""

    def __init__(self, buffer: Buffer, start: int) -> None:
        self._map: mmap.mmap | None = None
        if isinstance(buffer, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED") and memoryview(buffer).readonly:
            # A private map that was written to would lose what was written.
            self._map = buffer
        self._done = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE

    def up_to(self, offset: int) -> None:
        """Give back what lies before `offset`, when it is much."""
        if self._map is not None and offset - self._done >= _RELEASE_BYTES:
            size = (offset - self._done) // mmap.PAGESIZE * mmap.PAGESIZE
            self._map.madvise(mmap.MADV_DONTNEED, self._done, size)
            self._done += size


def _runs(framing: Framing, buffer: Buffer, start: int, end: int, index: int) -> Iterator[Run]:
    """The records by a scan as far as it goes, the rest by `extents`, which say what is wrong there."""
    handover = Handover(start, index)
    if start >= 0 and end <= len(buffer):
        handover = yield from framing.runs(buffer, start, end, index)
    extents = framing.extents(buffer, handover.offset, end, handover.index)
    yield from _by_extents(islice(extents, handover.given, None))


def _by_extents(extents: Iterator[RecordExtent]) -> Iterator[Run]:
    fault: LmparseError | None = None
    while fault is None:
        batch: list[RecordExtent] = []
        try:
            for extent in islice(extents, MAX_RECORDS):
                batch.append(extent)  # one by one, so that those before an error are kept
        except LmparseError as error:
            fault = error
        if batch:
            pieces = [(piece, number > 0) for extent in batch for number, piece in enumerate(extent.pieces)]
            places = np.array([piece for piece, _ in pieces], np.int64)
            continues = np.array([continues for _, continues in pieces], np.bool_)
            yield joined(places[:, 0], places.sum(1), continues)
        elif fault is None:
            return
    raise fault


def joined(starts: Places, ends: Places, continues: npt.NDArray[np.bool_]) -> Run:
    """Records from their pieces: where the bytes of each start and end, and which ones go on with a record."""
    offsets = starts[~continues]
    record_ends = ends[~np.append(continues[1:], False)]
    if len(offsets) == len(starts):
        return Run(offsets, record_ends - offsets, record_ends)
    gap_starts, gap_ends = ends[:-1][continues[1:]], starts[1:][continues[1:]]
    sizes = np.where(continues, starts - np.append(starts[:1], ends[:-1]), 0)
    lengths = record_ends - offsets - np.add.reduceat(sizes, np.flatnonzero(~continues))
    return Run(offsets, lengths, record_ends, gap_starts, gap_ends)
