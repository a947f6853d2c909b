"""Segments: the records of a change that is too long for one record, and how they are joined.

Each segment repeats the header; the DATA area is one stream of bytes, cut at capacity. Segments may be apart and out of
order, and their numbers begin at 0 or at 1. So a pass over the headers finds the places of all segments before any
segment is read, and a part of a file ends where no change is divided.

Key and number of a segment occur once. If they occur again with other bytes, the segments are of several changes, and
nothing tells which segments belong together: all of them are bad records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np

from lmparse.bmc.record.change_record import number_at
from lmparse.errors import FileLimitError, FramingError, InvalidValueError, RecordError
from lmparse.framing.extents import RecordExtent
from lmparse.framing.windows import Window
from lmparse.limits import Held
from lmparse.records.files import RecordFile
from lmparse.records.reader import Record, Values
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Flags

KEY_FIELDS = ("uor_id", "log_rba", "log_lrsn", "rid", "member_id", "change_type", "total_segs")
"""Segments with the same values of these fields belong to the same change."""
FIELDS = (*KEY_FIELDS, "seg_num")
"""The header fields that tell segments apart; the header of a log may lack some of them."""
Place = tuple[int, int]
"""Offset and width of a field, in bytes from the start of the record."""
_EXTENT_BYTES = 400
"""Bytes of memory of the extent of a segment with its number, and its share in lists and dicts; measured."""
_ELEMENT = 8
"""Most bytes that NumPy reads as one number."""
_MOST_SHOWN = 10


@dataclass(slots=True)
class JoinedChange:
    """One change with its whole DATA."""

    values: Values
    """Header of the first segment; `data` is the whole DATA area."""
    extents: list[RecordExtent]
    """Extents of the segments, in the order of their numbers."""
    faults: list[InvalidValueError]
    """Faulty values in the headers of the segments."""
    ordinal: int = 0
    """Number of the change among changes with the same position, from its segment that is first in the file."""

    @property
    def extent(self) -> RecordExtent:
        """Extent of the last segment in the file, which is the place of the change."""
        return max(self.extents, key=lambda extent: extent.index)


def join(records: Sequence[tuple[RecordExtent, Record]], ordinal: int) -> JoinedChange:
    """Join the segments of one change, given in the order of their numbers."""
    data = b"".join(record.values["data"] for _, record in records)
    faults = [fault for _, record in records for fault in record.faults]
    extents = [extent for extent, _ in records]
    return JoinedChange(records[0][1].values | {"data": data}, extents, faults, ordinal)


@dataclass(slots=True, eq=False)
class SegmentedChange:
    """The segments with one key. They are of one change, unless they are mixed."""

    total: int
    begin: int
    end: int
    """Offsets of the first and the last record with the key."""
    by_number: dict[int, RecordExtent] = field(default_factory=dict)
    """Extents by number of the segment, in the order of the file."""
    surplus: dict[int, tuple[RecordExtent, int | None]] = field(default_factory=dict)
    """By number of the record, records that repeat a segment, or whose SEGNUM the change cannot have; with SEGNUM."""
    differs: bool = False
    """Whether two segments have one number and different bytes."""
    ordinal: int = 0
    """Number of the change among changes with its position, once its first record is read."""

    @property
    def is_mixed(self) -> bool:
        """Whether the segments are of several changes: numbers from 0 up to TOTALSEGS are one too many, too."""
        return self.differs or len(self.by_number) > self.total

    @property
    def is_complete(self) -> bool:
        """Whether all numbers are present, counted from 0 or from 1, and no other change has one of them."""
        return (
            not self.differs
            and len(self.by_number) == self.total
            and (0 in self.by_number) != (self.total in self.by_number)
        )

    @property
    def in_file(self) -> list[RecordExtent]:
        """Extents of the segments in the order of the file."""
        return list(self.by_number.values())

    @property
    def shown(self) -> str:
        """The segments that are there, in words: `segments 0, 2 of 4 are there`."""
        numbers, is_one = _in_words(sorted(self.by_number)), len(self.by_number) == 1
        return f"segment{'' if is_one else 's'} {numbers} of {self.total} {'is' if is_one else 'are'} there"


class SegmentIndex:
    """All segments of a file or of a part of it, found by one pass over the headers when the first one is met.

    `places` are the places of FIELDS in the header. Records that `has` leaves out are not looked at. The places of the
    segments count against the limit `held_bytes`. Raises FileLimitError LMP-L004.
    """

    def __init__(
        self,
        file: RecordFile,
        places: Mapping[str, Place],
        windows: Callable[[], Iterator[Window]],
        has: Callable[[Window], Flags],
    ) -> None:
        self._file, self._windows, self._has = file, windows, has
        self._key = [places[name] for name in KEY_FIELDS if name in places]
        self._total, self._number = places.get("total_segs"), places.get("seg_num")
        self._end = max(map(sum, places.values()), default=0)
        self._by_index: dict[int, SegmentedChange] = {}

    def of(self, extent: RecordExtent) -> SegmentedChange | None:
        """The change that a record is a segment of; None if the record is a change of its own."""
        if self._total is None or extent.length < self._end:
            return None
        if number_at(extent.read(self._file.buffer), self._total) <= 1:
            return None
        _ = self.changes
        return self._by_index.get(extent.index)

    @cached_property
    def changes(self) -> list[SegmentedChange]:
        """The changes in the order of their first records, up to damage of the file, which is reported elsewhere."""
        found: dict[bytes, SegmentedChange] = {}
        held = Held(self._file.options.bounds)
        try:
            for extent, head in self._segments():
                held.take(_EXTENT_BYTES, record_index=extent.index, record_offset=extent.offset)
                self._add(extent, head, found)
        except FileLimitError:
            raise
        except FramingError:
            pass
        return list(found.values())

    def _segments(self) -> Iterator[tuple[RecordExtent, bytes]]:
        """The extents of all segments, each with its bytes up to the last field that is compared."""
        if self._total is None:
            return
        offset, width = number_in(self._total)
        for window in self._windows():
            fits = np.flatnonzero((window.lengths >= self._end) & self._has(window))
            totals = byte_arrays.take_rows(window.data, window.starts[fits] + offset, width)
            for number in fits[integers.decode_unsigned_array(totals) > 1].tolist():
                start = int(window.starts[number])
                yield window.extent(number), window.data[start : start + self._end].tobytes()

    def number(self, extent: RecordExtent) -> int | None:
        """SEGNUM of a record; None if the header lacks it."""
        return None if self._number is None else number_at(extent.read(self._file.buffer), self._number)

    def _add(self, extent: RecordExtent, head: bytes, found: dict[bytes, SegmentedChange]) -> None:
        assert self._total is not None
        total, key = number_at(head, self._total), fields_of(head, self._key)
        change = found.setdefault(key, SegmentedChange(total, extent.offset, extent.offset))
        change.end = extent.offset
        self._by_index[extent.index] = change
        number = None if self._number is None else number_at(head, self._number)
        if number is None or number > total:
            change.surplus[extent.index] = extent, number
        elif (other := change.by_number.setdefault(number, extent)) is not extent:
            change.surplus[extent.index] = extent, number
            change.differs |= other.read(self._file.buffer) != extent.read(self._file.buffer)

    def missing(self, change: SegmentedChange, values: Values) -> RecordError:
        """The error LMP-R004 of a change that lacks a segment, with the header of a segment that is there."""
        first = change.in_file[0]
        return RecordError(
            f"a segment is missing: {change.shown}", code="LMP-R004", spec="bmc_lldf", field="seg_num",
            record_index=first.index, record_offset=first.offset,
            hint=f"log RBA {_hex(values['log_rba'])}, unit of recovery {_hex(values['uor_id'])}",
        )  # fmt: skip


class SegmentReader:
    """Joins the segments in an index when the last segment of a change is reached."""

    def __init__(
        self,
        file: RecordFile,
        index: SegmentIndex,
        read: Callable[[RecordExtent], Record | None],
        is_left_out: Callable[[JoinedChange], bool],
    ) -> None:
        """`read` reads one record, and reports a bad record. `is_left_out` says whether a change that lacks a segment
        is left out for another reason, and then counts it."""
        self._file, self._index, self._read, self._is_left_out = file, index, read, is_left_out

    def next(self, extent: RecordExtent, ordinal: int) -> JoinedChange | None:
        """The change that the next record is or completes; None if it is bad, or if other segments follow."""
        change = self._index.of(extent)
        if change is None:
            record = self._read(extent)
            return None if record is None else JoinedChange(record.values, [extent], record.faults, ordinal)
        if change.is_mixed or extent.index in change.surplus:
            if self._read(extent) is not None:
                self._file.quarantine(self._surplus(change, extent), extent)
            return None
        if extent.index == next(iter(change.by_number.values())).index:
            change.ordinal = ordinal
            if not change.is_complete:
                self._report_missing(change)
        is_last = change.is_complete and extent.index == next(reversed(change.by_number.values())).index
        return join(records, change.ordinal) if is_last and (records := self._all(change)) else None

    def _all(self, change: SegmentedChange) -> list[tuple[RecordExtent, Record]]:
        """All segments in the order of their numbers; none if a segment is bad, which is reported."""
        read = {extent.index: self._read(extent) for extent in change.in_file}
        found = [
            (extent, record)
            for _, extent in sorted(change.by_number.items())
            if (record := read[extent.index]) is not None
        ]
        if len(found) == len(change.by_number):
            return found
        self._file.tally.dropped += len(found)
        return []

    def _report_missing(self, change: SegmentedChange) -> None:
        records = self._all(change)
        if records and not self._is_left_out(join(records, change.ordinal)):
            fault = self._index.missing(change, records[0][1].values)
            self._file.quarantine(fault, change.in_file[0], len(records))

    def _surplus(self, change: SegmentedChange, extent: RecordExtent) -> RecordError:
        """The error LMP-R005 of a segment that cannot be joined."""
        text = "segments of several changes have one position, and nothing tells which belong together"
        return RecordError(
            text if change.is_mixed else "", code="LMP-R005", spec="bmc_lldf", field="seg_num",
            expected=f"a segment of {change.total} not met yet", found=str(self._index.number(extent)),
            record_index=extent.index, record_offset=extent.offset, hint="a merged log may contain a record twice",
        )  # fmt: skip


def number_in(place: Place) -> Place:
    """The end of a field, as wide as NumPy can read it as one number."""
    offset, width = place
    part = min(width, _ELEMENT)
    return offset + width - part, part


def fields_of(raw: bytes, places: Iterable[Place]) -> bytes:
    """The bytes of some fields of a record, side by side."""
    return b"".join([raw[offset : offset + width] for offset, width in places])


def _in_words(numbers: Iterable[int]) -> str:
    """Numbers as text; of many numbers the first ones. TOTALSEGS decides how many may be missing."""
    first = [str(number) for number in islice(numbers, _MOST_SHOWN + 1)]
    return ", ".join(first[:_MOST_SHOWN]) + " and more" * (len(first) > _MOST_SHOWN)


def _hex(position: bytes | None) -> str:
    return "unknown" if position is None else position.hex().upper()
