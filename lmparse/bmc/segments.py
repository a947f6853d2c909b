"""Segments: the records of a change that is too long for one record, and how they are joined.

Each segment repeats the header; the DATA area is one stream of bytes, cut at capacity. Segments may be apart and out
of order, and their numbers begin at 0 or at 1.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from sys import getsizeof
from typing import Any

from lmparse.errors import FileLimitError, InvalidValueError, RecordError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.limits import DEFAULT, Held, Limits
from lmparse.records.reader import Record, Values

KEY_FIELDS = ("uor_id", "log_rba", "log_lrsn", "rid", "member_id", "change_type", "total_segs")
"""Segments with the same values of these fields belong to the same change."""


@dataclass(slots=True)
class JoinedChange:
    """One change with its whole DATA."""

    values: Values
    """Header of the first segment; `data` is the whole DATA area."""
    extents: list[RecordExtent]
    """Extents of its segments, in the order of their numbers."""
    faults: list[InvalidValueError]
    """Faulty values in the headers of its segments."""
    ordinal: int = 0
    """Its number among changes with the same position: that of the segment that is first in the file."""

    @property
    def extent(self) -> RecordExtent:
        """Extent of its last segment in the file, which is the place of the change."""
        return max(self.extents, key=lambda extent: extent.index)


@dataclass(slots=True)
class Segment:
    """One record of a data file: a change, or a part of one."""

    extent: RecordExtent
    record: Record
    """Its `data` is its piece of the DATA area."""
    ordinal: int = 0
    """Number of its change in its run; see `position_runs`."""

    @property
    def values(self) -> Values:
        """Its header and data."""
        return self.record.values

    @property
    def is_partial(self) -> bool:
        """Whether the change has other segments."""
        return (self.values["total_segs"] or 0) > 1

    @property
    def key(self) -> tuple[Any, ...]:
        """The values that all segments of a change have in common."""
        return tuple(self.values[name] for name in KEY_FIELDS)


@dataclass(slots=True)
class SegmentGroup:
    """The segments of one change that were found so far."""

    total: int
    by_number: dict[int, Segment] = field(default_factory=dict)
    held: int = 0
    """Bytes of memory of its segments."""

    @property
    def is_complete(self) -> bool:
        """Whether all numbers are present, counted from 0 or from 1."""
        return _are_all(self.by_number, self.total)

    @property
    def segments(self) -> list[Segment]:
        """In the order of their numbers."""
        return [self.by_number[number] for number in sorted(self.by_number)]


def _are_all(numbers: Collection[int], total: int) -> bool:
    """Whether these are the numbers of all segments of a change, from 0 or from 1."""
    return len(numbers) == total and (0 in numbers) != (total in numbers)


def join(segments: list[Segment]) -> JoinedChange:
    """Join the segments of one change, given in the order of their numbers."""
    data = b"".join(segment.values["data"] for segment in segments)
    faults = [fault for segment in segments for fault in segment.record.faults]
    first = min(segments, key=lambda segment: segment.extent.index)
    extents = [segment.extent for segment in segments]
    return JoinedChange(segments[0].values | {"data": data}, extents, faults, first.ordinal)


_EXTENT_BYTES = 400
"""Bytes of memory of an extent with its numbers, and its share in lists and dicts; measured."""


class Joiner:
    """Collects segments until a change is complete. Keeps incomplete changes only.

    Against the limit `held_bytes` count the values of their headers and their pieces of the DATA area.
    """

    def __init__(self, limits: Limits = DEFAULT) -> None:
        self._open: dict[tuple[Any, ...], SegmentGroup] = {}
        self._held = Held(limits)
        self.base: int | None = None
        """Number of the first segment, known from the first complete change."""

    def add(self, segment: Segment) -> JoinedChange | None:
        """Add a segment; returns the joined change if it is complete now.

        Raises RecordError LMP-R005 for a number that occurs twice or is out of range, and FileLimitError LMP-L004 for
        a segment that cannot be kept; segments that complete changes are still taken.
        """
        total, number = segment.values["total_segs"], segment.values["seg_num"]
        group = self._open.get(segment.key) or SegmentGroup(total)
        if number is None or number > total or number in group.by_number:
            raise RecordError(
                code="LMP-R005", spec="bmc_lldf", field="seg_num", expected=f"a segment of {total} not met yet",
                found=str(number), record_index=segment.extent.index, record_offset=segment.extent.offset,
                hint="a merged log may contain a record twice",
            )  # fmt: skip
        group.by_number[number] = segment
        if not group.is_complete:
            self._keep(group, number, segment)
            return None
        self._held.give(group.held)
        self.base = min(group.by_number)
        self._open.setdefault(segment.key, group)
        return join(self._open.pop(segment.key).segments)

    def _keep(self, group: SegmentGroup, number: int, segment: Segment) -> None:
        size = _EXTENT_BYTES + getsizeof(segment.values) + sum(map(getsizeof, segment.values.values()))
        try:
            self._held.take(size, record_index=segment.extent.index, record_offset=segment.extent.offset)
        except FileLimitError:
            del group.by_number[number]
            raise
        group.held += size
        self._open[segment.key] = group

    def incomplete(self) -> Iterator[tuple[SegmentGroup, RecordError]]:
        """The changes that lack a segment at the end, each with its error (LMP-R004)."""
        for group in self._open.values():
            first = min((segment.extent for segment in group.segments), key=lambda extent: extent.index)
            values = group.segments[0].values
            found = in_words(runs_of(sorted(group.by_number)), ", ")
            yield group, RecordError(
                f"segment {self._missing(group)} of {group.total} is missing", code="LMP-R004", spec="bmc_lldf",
                field="seg_num", record_index=first.index, record_offset=first.offset,
                expected=f"{group.total} segments", found=f"only {found}",
                hint=f"log RBA {_hex(values['log_rba'])}, unit of recovery {_hex(values['uor_id'])}",
            )  # fmt: skip

    def _missing(self, group: SegmentGroup) -> str:
        base = 0 if 0 in group.by_number else 1 if group.total in group.by_number else self.base
        if base is None:
            # Without the first and the last, the numbers do not show whether they begin at 0 or 1.
            return f"number {min(group.by_number) - 1} or {max(group.by_number) + 1}" if group.total == 2 else "one"
        edges = [base - 1, *sorted(group.by_number), base + group.total]
        return in_words([range(before + 1, after) for before, after in pairwise(edges) if before + 1 < after], " and ")


@dataclass(slots=True)
class SegmentNumbers:
    """The segments of one change, of which only the numbers are known."""

    numbers: set[int] = field(default_factory=set)
    total: int = 0
    owner: int | None = None
    """Number of the span that has the first one."""

    def add(self, total: int, number: int | None) -> bool:
        """Add a segment by its TOTALSEGS and SEGNUM; returns whether it is out of range or there twice."""
        self.total = total
        if number is None or number > total or number in self.numbers:
            return True
        self.numbers.add(number)
        return False

    @property
    def is_complete(self) -> bool:
        return _are_all(self.numbers, self.total)


_MOST_SHOWN = 10


def in_words(runs: Sequence[range], between: str) -> str:
    """Numbers as text, the first ones if they are many: TOTALSEGS alone says how many may be missing."""
    parts = [text for run in runs[:_MOST_SHOWN] for text in _run_in_words(run)]
    more = ["more"] if len(runs) > _MOST_SHOWN or len(parts) > _MOST_SHOWN else []
    return between.join([*parts[:_MOST_SHOWN], *more])


def _run_in_words(run: range) -> list[str]:
    return [str(number) for number in run] if len(run) < 3 else [f"{run[0]} to {run[-1]}"]


def runs_of(numbers: Iterable[int]) -> list[range]:
    """Ascending numbers as runs without a gap."""
    found: list[range] = []
    for number in numbers:
        if found and found[-1].stop == number:
            found[-1] = range(found[-1].start, number + 1)
        else:
            found.append(range(number, number + 1))
    return found


def _hex(position: bytes | None) -> str:
    return "unknown" if position is None else position.hex().upper()


def share_out(spans: list[Span], segments: Iterable[Segment], limits: Limits = DEFAULT) -> list[Span]:
    """Assign the segments of each change to the span that contains the first one; the others are read there.

    Several changes may have one key: one begins where the one before is complete, as for a `Joiner`. Against the limit
    `held_bytes` count keys and extents of the segments. Raises FileLimitError LMP-L004.
    """
    groups: dict[tuple[Any, ...], SegmentNumbers] = {}
    held, places = Held(limits), [span.start for span in spans]
    skip: dict[int, set[int]] = {}
    foreign: dict[int, list[RecordExtent]] = {}
    for segment in segments:
        key, extent = segment.key, segment.extent
        size = _EXTENT_BYTES if key in groups else _EXTENT_BYTES + sum(map(getsizeof, key))
        held.take(size, record_index=extent.index, record_offset=extent.offset)
        group, place = groups.setdefault(key, SegmentNumbers()), bisect_right(places, extent.offset) - 1
        if group.owner is None:
            group.owner = place
        elif place != group.owner:
            skip.setdefault(place, set()).add(extent.index)
            foreign.setdefault(group.owner, []).append(extent)
        group.add(segment.values["total_segs"], segment.values["seg_num"])
        if group.is_complete:
            groups[key] = SegmentNumbers()
    return [
        replace(span, skip=frozenset(skip.get(number, ())), foreign=tuple(foreign.get(number, ())))
        for number, span in enumerate(spans)
    ]
