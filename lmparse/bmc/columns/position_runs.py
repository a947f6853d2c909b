"""Position runs: consecutive records with one position in the log, and the number of each change in its run.

The position of a record (LRSN, RBA, member) is its place in the log of Db2: all files state the same position. Only
changes with the same position need a number: it counts the changes directly in front of the change in the file. Fields
are compared as bytes at their places in the header, so other bad fields of a record do not matter.

A log is cut into parts so that the changes of each part can be read by themselves. A cut divides neither a run, whose
changes are numbered in `seq` from its start, nor the segments of a change. So a cut moves on to the first record that
has another position than the record in front of it; both must be behind the first place of the cut. A cut between the
segments of a change is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from lmparse.bmc.record.change_record import number_at
from lmparse.bmc.record.segments import KEY_FIELDS, Place, SegmentIndex, fields_of, number_in
from lmparse.errors import DataError
from lmparse.framing.extents import Span
from lmparse.framing.windows import Window
from lmparse.records.files import RecordFile
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Int64s

POSITION_FIELDS = ("log_rba", "log_lrsn", "member_id")
FIELDS = tuple(dict.fromkeys((*POSITION_FIELDS, *KEY_FIELDS)))
"""The header fields that are compared; the header of a log may lack some of them."""
REACH = 1 << 22
"""Bytes behind the place of a cut in which a run must end; else the file is not cut there."""


class PositionRuns:
    """Numbers the changes of each run, from the start of a part on, record by record or window by window.

    The first change of a run has number 0. Segments of one change that follow one another count once. A record that is
    too short to have a position ends a run.
    """

    def __init__(self, places: Mapping[str, Place]) -> None:
        self._position = [places[name] for name in POSITION_FIELDS if name in places]
        self._key = [places[name] for name in KEY_FIELDS if name in places and name not in POSITION_FIELDS]
        self._end = max((sum(place) for place in (*self._position, *self._key)), default=0)
        self._total = number_in(places["total_segs"]) if "total_segs" in places else None
        self._held: bytes | None = None
        """Position of the last record; None in front of the first record, and for a record without a position."""
        self._held_key: bytes | None = None
        """Key of the change of the last record if it is a segment; else None."""
        self._ordinal = 0

    def position(self, raw: bytes) -> bytes | None:
        """The position of a record as bytes; None if the record is too short."""
        return None if len(raw) < self._end else fields_of(raw, self._position)

    def _segment_key(self, raw: bytes) -> bytes | None:
        if self._total is None or len(raw) < self._end:
            return None
        return fields_of(raw, self._key) if number_at(raw, self._total) > 1 else None

    def number(self, raw: bytes) -> int:
        """The number of the change of the next record in its run."""
        position, key = self.position(raw), self._segment_key(raw)
        if position is None or position != self._held:
            self._ordinal = 0
        elif key is None or key != self._held_key:
            self._ordinal += 1
        self._held, self._held_key = position, key
        return self._ordinal

    def numbers(self, window: Window) -> Int64s:
        """The numbers of the changes of all records of the next window."""
        count = len(window)
        found = np.zeros(count, np.int64)
        if not count:
            return found
        found[0] = self.number(self._head(window, 0))
        later = self._at_the_same_position(window)
        if len(later):
            found[later] = 1
            found[self._of_the_same_change(window, later)] = 0
            steps = np.cumsum(found)
            before = steps.copy()
            before[later] = 0
            before[0] = 0
            found = steps - np.maximum.accumulate(before)
        last = self._head(window, count - 1)
        self._held, self._held_key, self._ordinal = self.position(last), self._segment_key(last), int(found[-1])
        return found

    def _head(self, window: Window, number: int) -> bytes:
        """The first bytes of a record, up to the last field that is compared."""
        start, length = int(window.starts[number]), int(window.lengths[number])
        return window.data[start : start + min(length, self._end)].tobytes()

    def _at_the_same_position(self, window: Window) -> Int64s:
        """Numbers of the records that have the position of the record before, ascending; without the first record."""
        which = np.flatnonzero(window.lengths >= self._end)
        offset, width = number_in(self._position[0])  # the end of the RBA differs if positions do
        tails = byte_arrays.take_rows(window.data, window.starts[which] + offset, width)
        numbers = integers.decode_unsigned_array(tails)
        is_same = (numbers[1:] == numbers[:-1]) & (which[1:] - which[:-1] == 1)
        return _equal_to_the_one_before(window, which[1:][is_same], self._position)

    def _of_the_same_change(self, window: Window, later: Int64s) -> Int64s:
        """The records in `later` that are segments of the change of the record before."""
        if self._total is None:
            return later[:0]
        same = _equal_to_the_one_before(window, later, self._key)
        offset, width = self._total
        totals = integers.decode_unsigned_array(byte_arrays.take_rows(window.data, window.starts[same] + offset, width))
        return same[totals > 1]


def _equal_to_the_one_before(window: Window, numbers: Int64s, places: Sequence[Place]) -> Int64s:
    """The records in `numbers` with the same bytes at all places as the record before."""
    for offset, width in places:
        if not len(numbers):
            break
        own, before = (
            byte_arrays.take_rows(window.data, window.starts[which] + offset, width) for which in (numbers, numbers - 1)
        )
        numbers = numbers[(own == before).all(1)]
    return numbers


# -- parts --------------------------------------------------------------------------------------


def cut(file: RecordFile, runs: Callable[[], PositionRuns], segments: SegmentIndex, max_bytes: int) -> list[Span]:
    """Spans of about `max_bytes` of a log, from passes over all descriptor words and headers.

    A span is longer if the segments of a change are far apart. `runs` makes a numbering for the records of a part;
    `segments` has the segments of the whole log. Raises FileLimitError LMP-L004.
    """
    spans = _between_runs(file, runs, file.spans(max_bytes))
    if len(spans) < 2:
        return spans
    starts = np.array([span.start for span in spans])
    divides = np.zeros(len(spans) + 1, np.int64)
    for change in segments.changes:
        low, high = np.searchsorted(starts, (change.begin, change.end), side="right")
        divides[low] += 1
        divides[high] -= 1
    kept = [span for span, count in zip(spans, np.cumsum(divides).tolist(), strict=False) if not count]
    ends = [*(span.start for span in kept[1:]), spans[-1].end]
    return [replace(span, end=end) for span, end in zip(kept, ends, strict=True)]


def _between_runs(file: RecordFile, runs: Callable[[], PositionRuns], spans: list[Span]) -> list[Span]:
    """Move the cuts between spans to places between runs. A span without such a start joins the span before it."""
    starts = {spans[0].start: spans[0].first_index}
    for span in spans[1:]:
        moved = _moved(file, runs(), span)
        if moved is not None:
            starts.setdefault(*moved)
    ends = [*list(starts)[1:], spans[-1].end]
    return [Span(start, end, first) for (start, first), end in zip(starts.items(), ends, strict=True)]


def _moved(file: RecordFile, runs: PositionRuns, span: Span) -> tuple[int, int] | None:
    """Offset and number of the first record of a span that may begin a part; None if no such record is in reach."""
    before = None
    try:
        for number, extent in enumerate(file.framing.extents(file.buffer, span.start, None, span.first_index)):
            if extent.offset > span.start + REACH:
                return None
            position = runs.position(extent.read(file.buffer))
            if number and extent.resume is not None and (position is None or position != before):
                return extent.resume, extent.index
            before = position
    except DataError:
        pass  # the error is reported where the record is read
    return None
