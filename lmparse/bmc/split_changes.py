"""Split changes: changes in segments that are in several extracts of a log.

If an extract has all segments of a change, it gives the change, and the others leave theirs out. If none has all, the
last extract that has one is lent those that it lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from lmparse.bmc.extract_heads import ExtractHeads, not_one
from lmparse.bmc.extract_settings import LentSegment
from lmparse.bmc.repeated_changes import Given, SharedRecords, SharedSegment
from lmparse.bmc.segments import KEY_FIELDS, Segment
from lmparse.bmc.unit_outcomes import keys
from lmparse.errors import DataError

Read = Callable[[int, SharedSegment], Segment]
"""Reads a segment of the extract with a number. Raises DataError."""


@dataclass(frozen=True, slots=True)
class _Copy:
    """The records of one change in one extract."""

    rank: int
    segments: tuple[SharedSegment, ...]
    offsets: tuple[int, ...]
    is_settled: bool
    digest: bytes = b""
    """Of a change in one record; empty if it is not complete."""

    @property
    def is_whole(self) -> bool:
        """Whether it is the whole change."""
        totals = {segment.total for segment in self.segments}
        return not totals or (len(totals) == 1 and _are_whole(self.segments))


def split_changes(
    found: Sequence[SharedRecords], heads: Sequence[ExtractHeads], given: list[Given], read: Read, *, has_data: bool
) -> list[list[LentSegment]]:
    """Add to `given` what each extract leaves to others; returns the segments that are lent to each.

    `has_data` says whether digests are of DATA. Raises FramingError LMP-F013 for segments that differ.
    """
    lent: list[list[LentSegment]] = [[] for _ in found]
    for copies in _copies(found):
        whole = [copy for copy in copies if copy.is_whole]
        _check_same(copies, heads, may_be_cut_elsewhere=bool(whole))
        if whole:
            kept = next((copy for copy in whole if copy.is_settled), whole[-1])
            _check_joined(whole, heads, read)
            change = _GivenChange(kept)
            for copy in copies:
                given[copy.rank].repeats += 1
                if copy is not kept:
                    given[copy.rank].elsewhere += copy.offsets
                    given[copy.rank].misnumbered += change.misnumbered(copy)
                    given[copy.rank].misnumbered += change.miscounted(copy) if has_data else ()
        elif len({segment.total for copy in copies for segment in copy.segments}) == 1:
            _lend(copies, heads, given, lent, read)
    return lent


def _are_whole(segments: Sequence[SharedSegment]) -> bool:
    """Whether segments of one TOTALSEGS are a whole change."""
    numbers, total = {segment.number for segment in segments}, segments[0].total
    return len(numbers) == len(segments) == total and (0 in numbers) != (total in numbers)


class _GivenChange:
    """A whole change that one extract gives, to compare those records with that others have of it."""

    def __init__(self, kept: _Copy) -> None:
        self._segments = {segment.number: segment for segment in kept.segments}
        self._total = kept.segments[0].total if kept.segments else 1
        self._first = 0 if 0 in self._segments else 1
        self._digest = kept.digest
        self._digests = {segment.digest for segment in kept.segments if segment.is_complete}

    def misnumbered(self, copy: _Copy) -> Iterator[int]:
        """Offsets of segments that cannot be of it.

        It has other numbers of the same TOTALSEGS. With another TOTALSEGS, as records of another length have it,
        segments may be a part of the change; but then all have the same one.
        """
        by_total: dict[int, list[SharedSegment]] = {}
        for segment in copy.segments:
            by_total.setdefault(segment.total, []).append(segment)
        for total, segments in by_total.items():
            is_same = total == self._total
            if _are_whole(segments) or (not is_same and len(by_total) == 1):
                continue
            yield from (one.extent.offset for one in segments if not is_same or one.number not in self._segments)

    def miscounted(self, copy: _Copy) -> Iterator[int]:
        """Offsets of records with the DATA of one of its records, but with another TOTALSEGS.

        A segment has not the DATA of the whole change. Two segments of one number have different lengths if TOTALSEGS
        differs, unless one of them is the last.
        """
        if copy.digest in self._digests:
            yield copy.offsets[0]
        for segment in copy.segments:
            if segment.is_complete and segment.total != self._total and self._has_data_of(segment):
                yield segment.extent.offset

    def _has_data_of(self, segment: SharedSegment) -> bool:
        if not self._segments:
            return segment.digest == self._digest
        other = self._segments.get(segment.number)
        is_last = segment.number >= min(segment.total, self._total) - 1 + self._first
        return other is not None and other.is_complete and other.digest == segment.digest and not is_last


def _copies(found: Sequence[SharedRecords]) -> Iterator[list[_Copy]]:
    """The copies of each change in segments that are in several extracts, in the order of these."""
    segments: dict[bytes, dict[int, list[SharedSegment]]] = {}
    for rank, one in enumerate(found):
        for segment in one.segments:
            segments.setdefault(segment.identity, {}).setdefault(rank, []).append(segment)
    if not segments:
        return
    named = np.frombuffer(b"".join(segments), np.uint8).reshape(len(segments), -1)
    copies: dict[bytes, list[_Copy]] = {identity: [] for identity in segments}
    for rank, one in enumerate(found):
        for place in np.flatnonzero(np.isin(keys(one.identity), keys(named))).tolist():
            digest = one.digest[place].tobytes() if one.is_complete[place] else b""
            whole = _Copy(rank, (), (int(one.offset[place]),), bool(one.is_settled[place]), digest)
            copies[one.identity[place].tobytes()].append(whole)
    for identity, by_rank in segments.items():
        for rank, own in by_rank.items():
            is_settled = all(segment.is_settled for segment in own)
            offsets = tuple(segment.extent.offset for segment in own)
            copies[identity].append(_Copy(rank, tuple(own), offsets, is_settled))
        if len({copy.rank for copy in copies[identity]}) == len(copies[identity]) > 1:
            yield sorted(copies[identity], key=lambda copy: copy.rank)


def _check_same(copies: Sequence[_Copy], heads: Sequence[ExtractHeads], *, may_be_cut_elsewhere: bool) -> None:
    """Raise FramingError if segments of one number differ.

    Those of another length may be of an extract with another capacity of records, where DATA is cut elsewhere.
    """
    met: dict[tuple[int, int], tuple[int, SharedSegment]] = {}
    for copy in copies:
        for segment in copy.segments:
            if not segment.is_complete:
                continue
            rank, other = met.setdefault((segment.total, segment.number), (copy.rank, segment))
            is_cut_alike = other.extent.length == segment.extent.length or not may_be_cut_elsewhere
            if other.digest != segment.digest and is_cut_alike:
                raise _differing(heads, rank, copy.rank, segment.extent.offset)


def _check_joined(whole: Sequence[_Copy], heads: Sequence[ExtractHeads], read: Read) -> None:
    """Raise FramingError if whole changes in different segments differ."""
    several = [copy for copy in whole if copy.segments and all(segment.is_complete for segment in copy.segments)]
    if len({tuple((one.number, one.digest) for one in copy.segments) for copy in several}) < 2:
        return
    data: list[bytes] = []
    with suppress(DataError):  # a bad record is reported where it is read
        for copy in several:
            segments = sorted(copy.segments, key=lambda one: one.number)
            data.append(b"".join(read(copy.rank, one).values["data"] for one in segments))
    for copy, one in zip(several, data, strict=False):
        if one != data[0]:
            raise _differing(heads, several[0].rank, copy.rank, copy.offsets[0])


def _differing(heads: Sequence[ExtractHeads], rank: int, other: int, offset: int) -> DataError:
    error = not_one(f"{heads[rank].path} has another change at the position of a record", heads[other].path)
    error.record_offset = offset
    return error


def _lend(
    copies: Sequence[_Copy], heads: Sequence[ExtractHeads], given: list[Given], lent: list[list[LentSegment]],
    read: Read,
) -> None:  # fmt: skip
    """Lend the last copy the segments that it lacks; the other copies leave theirs out."""
    owner = copies[-1]
    numbers = {segment.number for segment in owner.segments}
    for copy in copies[:-1]:
        for segment in copy.segments:
            if segment.number not in numbers:
                try:
                    found = read(copy.rank, segment)
                except DataError:
                    continue  # it stays where it is, and is reported there
                numbers.add(segment.number)
                index = -1 - len(lent[owner.rank])
                named = replace(_with_key(found, owner, read), extent=replace(found.extent, index=index))
                lent[owner.rank].append(LentSegment(named, heads[copy.rank].path, found.extent))
            given[copy.rank].elsewhere.append(segment.extent.offset)


def _with_key(lent: Segment, owner: _Copy, read: Read) -> Segment:
    """A segment with the values by which the others of its change are known: headers may have different fields."""
    with suppress(DataError):
        own = read(owner.rank, owner.segments[0]).values
        values = lent.values | {name: own[name] for name in KEY_FIELDS}
        return replace(lent, record=replace(lent.record, values=values))
    return lent
