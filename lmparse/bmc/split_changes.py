"""Split changes: what becomes of changes that `change_pairs` tells apart, in segments or several of one identity.

If an extract has all of a change, it gives the change, and the others leave theirs out. If none has all segments, the
last extract that has one is lent those that it lacks, unless extracts cut changes at different places, as they do where
their records or headers have other lengths, or have other bytes, as EXPANDVAR and DATEFORMAT make them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count

from lmparse.bmc.change_copies import ChangeCopy, Copies, are_whole
from lmparse.bmc.change_numbers import PlacedChange
from lmparse.bmc.change_pairs import by_data, by_order
from lmparse.bmc.change_record import has_images
from lmparse.bmc.extract_heads import ExtractHeads, not_one
from lmparse.bmc.extract_settings import LentSegment
from lmparse.bmc.repeated_changes import Given, SharedRecords, SharedSegment
from lmparse.bmc.segment_fits import Read, SegmentFits
from lmparse.bmc.segment_numbering import SegmentNumbering
from lmparse.bmc.segments import KEY_FIELDS, Segment
from lmparse.errors import DataError


@dataclass(frozen=True)
class SplitChanges:
    """What became of the changes that were told apart."""

    lent: list[list[LentSegment]]
    """The segments that are lent to each extract."""
    placed: list[PlacedChange]
    """What each extract has of them."""
    untested: int
    """How many changes other than of rows are put together though nothing shows whether they are cut alike."""
    unpaired: int
    """At how many positions nothing shows which changes are the same."""


def split_changes(
    identities: Iterable[Copies], found: Sequence[SharedRecords], heads: Sequence[ExtractHeads], given: Sequence[Given],
    read: Read, *, rid: slice, has_data: bool,
) -> SplitChanges:  # fmt: skip
    """Add to `given` what each extract leaves to others.

    `rid` is the place of RID in an identity, and `has_data` says whether digests are of DATA. Raises FramingError
    LMP-F013 for changes that differ.
    """
    lent: list[list[LentSegment]] = [[] for _ in heads]
    placed: list[PlacedChange] = []
    numbers, untested, unpaired = count(), 0, 0
    numberings = [one.numbering for one in found]
    bases, lengths = [one.base for one in numberings], [one.segment_lengths for one in found]
    for copies_of_one in identities:
        fits = SegmentFits(read, numberings, lengths, rid)
        pairs = by_data(copies_of_one, fits, bases) if has_data else by_order(copies_of_one)
        if pairs.differing is not None:
            raise _differing(heads, *pairs.differing)
        unpaired += not pairs.is_sure
        if len(pairs.changes) > 1:
            for copy in (copy for copies in pairs.changes for copy in copies if copy.segments):
                given[copy.rank].starts.append(min(copy.offsets))
        for number, copies in zip(numbers, pairs.changes, strict=False):
            whole = [copy for copy in copies if copy.is_whole]
            if len(copies) == 1:
                placed += _placed(copies, number)
            elif whole:
                giver = _give(copies, whole, numberings, given)
                placed += _placed(copies, number, giver)
            elif _fit_together(copies, heads, numberings):
                owner = copies[-1]
                before = len(lent[owner.rank])
                is_row = _lend(copies, heads, given, lent, read)
                untested += not is_row and not all(_lengths([copy], numberings) for copy in copies)
                placed += _placed(copies, number, owner, range(before, len(lent[owner.rank])))
            else:
                placed += _placed(copies, number)
    return SplitChanges(lent, placed, untested, unpaired)


def _give(
    copies: Sequence[ChangeCopy], whole: Sequence[ChangeCopy], numberings: Sequence[SegmentNumbering],
    given: Sequence[Given],
) -> ChangeCopy:  # fmt: skip
    """Give a change from one of the extracts that have it whole; the others leave it out."""
    kept = next((copy for copy in whole if copy.is_settled), whole[-1])
    change = _GivenChange(kept, numberings)
    settled = min((copy.rank for copy in copies if copy.is_settled), default=len(given))
    for copy in copies:
        own = given[copy.rank]
        own.repeats += 1
        own.continues |= settled < copy.rank
        if copy is not kept:
            own.elsewhere += copy.offsets
            own.misnumbered += change.misnumbered(copy)
    return kept


def _placed(
    copies: Sequence[ChangeCopy], number: int, giver: ChangeCopy | None = None, lent: Iterable[int] = ()
) -> Iterator[PlacedChange]:
    """What extracts have of one change; each gives what it has if none gives the change."""
    for copy in copies:
        yield PlacedChange(
            copy.rank, copy.identity, copy.offsets, copy.ordinal, number, giver is None or copy is giver,
            tuple(lent) if copy is giver else (),
        )  # fmt: skip


def _fit_together(
    copies: Sequence[ChangeCopy], heads: Sequence[ExtractHeads], numberings: Sequence[SegmentNumbering]
) -> bool:
    """Whether segments may be those of one change: in one form, with one TOTALSEGS, numbered and cut alike."""
    forms = {heads[copy.rank].form for copy in copies}
    totals = {segment.total for copy in copies for segment in copy.segments}
    bases = {numberings[copy.rank].base for copy in copies} - {None}
    is_alike = len(forms) == len(totals) == 1 and len(bases) < 2 and len(_lengths(copies, numberings)) < 2
    return is_alike and not any(one.digest != other.digest for one, other in _of_one_number(copies))


def _of_one_number(copies: Sequence[ChangeCopy]) -> Iterator[tuple[SharedSegment, SharedSegment]]:
    """Segments of one number: the first one, and each other one."""
    met: dict[int, SharedSegment] = {}
    for segment in (segment for copy in copies for segment in copy.segments if segment.is_complete):
        before = met.setdefault(segment.number, segment)
        if before is not segment:
            yield before, segment


class _GivenChange:
    """A whole change that one extract gives, to compare those records with that others have of it."""

    def __init__(self, kept: ChangeCopy, numberings: Sequence[SegmentNumbering]) -> None:
        self._numberings = numberings
        self._segments = {segment.number: segment for segment in kept.segments}
        self._total = kept.segments[0].total if kept.segments else 1
        self._first = 0 if 0 in self._segments else 1
        self._numbers: dict[bytes, set[int]] = {}
        """Numbers of the segments with some table and DATA."""
        for segment in kept.segments:
            if segment.is_complete:
                self._numbers.setdefault(segment.digest, set()).add(segment.number)

    def misnumbered(self, copy: ChangeCopy) -> Iterator[int]:
        """Offsets of records that cannot be of it, by their TOTALSEGS or SEGNUM.

        It has other numbers of the same TOTALSEGS, or their DATA behind another number. With another TOTALSEGS, as
        records of another length have it, segments may be a part of the change; but then all have the same one.
        """
        if copy.is_miscounted:
            yield from copy.offsets
            return
        base = self._numberings[copy.rank].base
        shifts = {0, 2 * self._first - 1} if base is None else {self._first - base}
        by_total: dict[int, list[SharedSegment]] = {}
        for segment in copy.segments:
            by_total.setdefault(segment.total, []).append(segment)
        for total, segments in by_total.items():
            is_same = total == self._total
            if are_whole(segments) or (not is_same and len(by_total) == 1):
                continue
            numbered = [(one, self._numbers.get(one.digest, self._segments.keys())) for one in segments]
            counts = {shift: sum(one.number + shift in numbers for one, numbers in numbered) for shift in shifts}
            shift = max(counts, key=lambda shift: (counts[shift], shift == 0))
            for one, numbers in numbered:
                if not is_same or one.number + shift not in numbers:
                    yield one.extent.offset


def _lengths(copies: Sequence[ChangeCopy], numberings: Sequence[SegmentNumbering]) -> set[int]:
    """Bytes of DATA of segments that are not the last one of their change; they have as many in one extract."""
    every = [(segment, numberings[copy.rank]) for copy in copies for segment in copy.segments if segment.is_complete]
    return {one.data_length for one, numbering in every if not numbering.may_be_last(one.total, one.number)}


def _differing(heads: Sequence[ExtractHeads], one: ChangeCopy, other: ChangeCopy) -> DataError:
    error = not_one(f"{heads[one.rank].path} has another change at the position of a record", heads[other.rank].path)
    error.record_offset = other.offsets[0]
    return error


def _lend(
    copies: Sequence[ChangeCopy], heads: Sequence[ExtractHeads], given: Sequence[Given], lent: list[list[LentSegment]],
    read: Read,
) -> bool:  # fmt: skip
    """Lend the last copy the segments that it lacks; the other copies leave theirs out.

    Returns whether it is a change of a row, whose lengths do not fit if its segments do not.
    """
    owner, is_row = copies[-1], True
    start = min(owner.offsets)
    numbers = {segment.number for segment in owner.segments}
    for copy in copies[:-1]:
        for segment in copy.segments:
            if segment.number not in numbers:
                try:
                    found = read(copy.rank, segment.extent, segment.ordinal)
                except DataError:
                    continue  # it stays where it is, and is reported there
                numbers.add(segment.number)
                is_row = has_images(found.values["change_type"])
                index = -1 - len(lent[owner.rank])
                named = replace(_with_key(found, owner, read), extent=replace(found.extent, index=index))
                lent[owner.rank].append(LentSegment(named, heads[copy.rank].path, found.extent, start))
            given[copy.rank].elsewhere.append(segment.extent.offset)
    return is_row


def _with_key(lent: Segment, owner: ChangeCopy, read: Read) -> Segment:
    """A segment with the values by which the others of its change are known: headers may have different fields."""
    with suppress(DataError):
        own = read(owner.rank, owner.segments[0].extent).values
        values = lent.values | {name: own[name] for name in KEY_FIELDS}
        return replace(lent, record=replace(lent.record, values=values))
    return lent
