"""Split changes: changes in segments that are in several extracts of a log.

If an extract has all segments of a change, it gives the change, and the others leave theirs out. If none has all, the
last extract that has one is lent those that it lacks. Extracts cut a change at different places where their records or
headers have other lengths, and have other bytes of it where EXPANDVAR or DATEFORMAT differ: then nothing is lent, and
only whole changes are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np

from lmparse.bmc.change_numbers import PlacedChange
from lmparse.bmc.change_record import has_images
from lmparse.bmc.extract_heads import ExtractHeads, not_one
from lmparse.bmc.extract_settings import LentSegment
from lmparse.bmc.repeated_changes import Given, SharedRecords, SharedSegment
from lmparse.bmc.segment_numbering import SegmentNumbering
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
    ordinal: int = 0
    """The number that the file shows of a change in one record."""
    digest: bytes = b""
    """Of table and DATA of the whole change; empty if it is not here, or Log Master could not complete it."""

    @property
    def is_whole(self) -> bool:
        """Whether it is the whole change."""
        totals = {segment.total for segment in self.segments}
        return not totals or (len(totals) == 1 and _are_whole(self.segments))


@dataclass(frozen=True)
class SplitChanges:
    """What became of the changes in segments that extracts share."""

    lent: list[list[LentSegment]]
    """The segments that are lent to each extract."""
    placed: list[PlacedChange]
    """What each extract has of them."""
    untested: int
    """How many changes other than of rows are put together though nothing shows whether they are cut alike."""
    unpaired: int
    """At how many positions nothing shows which changes are the same."""


def split_changes(
    found: Sequence[SharedRecords], heads: Sequence[ExtractHeads], given: list[Given], read: Read, *, has_data: bool
) -> SplitChanges:
    """Add to `given` what each extract leaves to others.

    `has_data` says whether digests are of DATA. Raises FramingError LMP-F013 for changes that differ.
    """
    lent: list[list[LentSegment]] = [[] for _ in found]
    numberings, untested = [one.numbering for one in found], 0
    identities = list(_by_identity(found))
    placed: list[PlacedChange] = []
    for number, copies in enumerate(_copies(identities, has_data=has_data)):
        if len(copies) == 1:
            placed += _placed(copies, number)
            continue
        whole = [copy for copy in copies if copy.is_whole]
        is_alike = len({heads[copy.rank].form for copy in copies}) == 1 and _are_cut_alike(copies, numberings)
        if is_alike:
            _check_segments(copies, whole, heads, numberings)
        if whole:
            kept = next((copy for copy in whole if copy.is_settled), whole[-1])
            _check_whole(whole, heads, has_data=has_data)
            change = _GivenChange(kept, numberings)
            for copy in copies:
                given[copy.rank].repeats += 1
                if copy is not kept:
                    given[copy.rank].elsewhere += copy.offsets
                    given[copy.rank].misnumbered += change.misnumbered(copy)
                    given[copy.rank].misnumbered += change.miscounted(copy) if has_data else ()
            placed += _placed(copies, number, giver=kept)
        elif is_alike and _have_one_numbering(copies, numberings) and _fit_together(copies):
            owner = copies[-1]
            before = len(lent[owner.rank])
            is_row = _lend(copies, heads, given, lent, read)
            untested += not is_row and not all(_lengths([copy], numberings) for copy in copies)
            placed += _placed(copies, number, owner, range(before, len(lent[owner.rank])))
        else:
            placed += _placed(copies, number)
    return SplitChanges(lent, placed, untested, sum(_is_unpaired(one, has_data=has_data) for one in identities))


def _placed(
    copies: Sequence[_Copy], number: int, giver: _Copy | None = None, lent: Iterable[int] = ()
) -> Iterator[PlacedChange]:
    """What extracts have of one change; each gives what it has if none gives the change."""
    identity = next(copy.segments[0].identity for copy in copies if copy.segments)
    for copy in copies:
        ordinal = copy.segments[0].ordinal if copy.segments else copy.ordinal
        is_given = giver is None or copy is giver
        yield PlacedChange(
            copy.rank, identity, copy.offsets, ordinal, number, is_given, tuple(lent) if copy is giver else ()
        )


def _fit_together(copies: Sequence[_Copy]) -> bool:
    """Whether all segments have one TOTALSEGS, and those of one number are the same."""
    totals = {segment.total for copy in copies for segment in copy.segments}
    return len(totals) == 1 and not any(one.digest != other.digest for (_, one), (_, other) in _of_one_number(copies))


def _of_one_number(copies: Sequence[_Copy]) -> Iterator[tuple[tuple[int, SharedSegment], tuple[int, SharedSegment]]]:
    """Segments of one number and TOTALSEGS, with the extracts that have them: the first one, and each other one."""
    met: dict[tuple[int, int], tuple[int, SharedSegment]] = {}
    for copy in copies:
        for segment in (segment for segment in copy.segments if segment.is_complete):
            found = copy.rank, segment
            before = met.setdefault((segment.total, segment.number), found)
            if before is not found:
                yield before, found


def _have_one_numbering(copies: Sequence[_Copy], numberings: Sequence[SegmentNumbering]) -> bool:
    bases = {numberings[copy.rank].base for copy in copies} - {None}
    return len(bases) < 2


def _are_whole(segments: Sequence[SharedSegment]) -> bool:
    """Whether segments of one TOTALSEGS are a whole change."""
    numbers, total = {segment.number for segment in segments}, segments[0].total
    return len(numbers) == len(segments) == total and (0 in numbers) != (total in numbers)


class _GivenChange:
    """A whole change that one extract gives, to compare those records with that others have of it."""

    def __init__(self, kept: _Copy, numberings: Sequence[SegmentNumbering]) -> None:
        self._numberings = numberings
        self._segments = {segment.number: segment for segment in kept.segments}
        self._total = kept.segments[0].total if kept.segments else 1
        self._first = 0 if 0 in self._segments else 1
        self._digest = kept.digest
        self._numbers: dict[bytes, set[int]] = {}
        """Numbers of the segments with some table and DATA."""
        for segment in kept.segments:
            if segment.is_complete:
                self._numbers.setdefault(segment.digest, set()).add(segment.number)

    def misnumbered(self, copy: _Copy) -> Iterator[int]:
        """Offsets of segments that cannot be of it.

        It has other numbers of the same TOTALSEGS, or their DATA behind another number. With another TOTALSEGS, as
        records of another length have it, segments may be a part of the change; but then all have the same one.
        """
        base = self._numberings[copy.rank].base
        shifts = {0, 2 * self._first - 1} if base is None else {self._first - base}
        by_total: dict[int, list[SharedSegment]] = {}
        for segment in copy.segments:
            by_total.setdefault(segment.total, []).append(segment)
        for total, segments in by_total.items():
            is_same = total == self._total
            if _are_whole(segments) or (not is_same and len(by_total) == 1):
                continue
            numbered = [(one, self._numbers.get(one.digest, self._segments.keys())) for one in segments]
            counts = {shift: sum(one.number + shift in numbers for one, numbers in numbered) for shift in shifts}
            shift = max(counts, key=lambda shift: (counts[shift], shift == 0))
            for one, numbers in numbered:
                if not is_same or one.number + shift not in numbers:
                    yield one.extent.offset

    def miscounted(self, copy: _Copy) -> Iterator[int]:
        """Offsets of records with the DATA of one of its records, but with another TOTALSEGS.

        A segment has not the DATA of the whole change. Two segments of one number have different lengths if TOTALSEGS
        differs, unless one of them is the last.
        """
        if copy.digest in self._numbers:
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


def _copies(identities: Iterable[Sequence[Sequence[_Copy]]], *, has_data: bool) -> Iterator[list[_Copy]]:
    """The copies of each change that an extract has in segments, in the order of the extracts.

    Of several changes of one identity in one extract, those with the same DATA are one change; of the others the first
    one is the first of the other extracts, and so on.
    """
    for changes in identities:
        if max(map(len, changes)) == 1:
            # One of a single record in one extract may be in segments in another.
            yield from _nth(changes)
            continue
        alike: dict[bytes, list[list[_Copy]]] = {}
        for number, own in enumerate(changes):
            for copy in (copy for copy in own if copy.segments):
                known = alike.setdefault(copy.digest if has_data else b"", [[] for _ in changes])
                known[number].append(copy)
        others = alike.pop(b"", [[] for _ in changes])
        for same in alike.values():
            _add_parts(same, others)
            if sum(map(bool, same)) > 1:
                yield from _nth(same)
            else:
                others = [[*known, *own] for known, own in zip(others, same, strict=True)]
        yield from _nth([sorted(own, key=lambda copy: copy.offsets) for own in others])


def _add_parts(whole: Sequence[list[_Copy]], parts: Sequence[list[_Copy]]) -> None:
    """Move parts of a change to the extracts' copies of it that have none: those with segments of the whole one."""
    known = {(one.total, one.digest) for own in whole for copy in own[:1] for one in copy.segments}
    for own, left in zip(whole, parts, strict=False):
        if not own:
            fitting = [copy for copy in left if all((one.total, one.digest) in known for one in copy.segments)]
            own += fitting[:1]
            left[:] = [copy for copy in left if copy not in fitting[:1]]


def _nth(changes: Sequence[Sequence[_Copy]]) -> Iterator[list[_Copy]]:
    """The first changes of all extracts, then the second ones and so on."""
    for together in zip_longest(*changes):
        yield [copy for copy in together if copy is not None]


def _is_unpaired(changes: Sequence[Sequence[_Copy]], *, has_data: bool) -> bool:
    """Whether of several changes of one identity some may be in segments in one extract, and not in another."""
    if max(map(len, changes)) == 1:
        return False
    singles = {sum(not copy.segments for copy in own) for own in changes if own}
    return len(singles) > 1 or (not has_data and singles != {0})


def _by_identity(found: Sequence[SharedRecords]) -> Iterator[list[list[_Copy]]]:
    """The changes of each identity that has segments: for each extract, in the order of its records."""
    segments: dict[bytes, dict[int, list[SharedSegment]]] = {}
    for rank, one in enumerate(found):
        for segment in one.segments:
            segments.setdefault(segment.identity, {}).setdefault(rank, []).append(segment)
    if not segments:
        return
    named = np.frombuffer(b"".join(segments), np.uint8).reshape(len(segments), -1)
    changes: dict[bytes, list[list[_Copy]]] = {identity: [[] for _ in found] for identity in segments}
    for rank, one in enumerate(found):
        for place in np.flatnonzero(np.isin(keys(one.identity), keys(named))).tolist():
            digest = one.digest[place].tobytes() if one.is_complete[place] else b""
            offset, ordinal = int(one.offset[place]), int(one.ordinal[place])
            whole = _Copy(rank, (), (offset,), bool(one.is_settled[place]), ordinal, digest)
            changes[one.identity[place].tobytes()][rank].append(whole)
    for identity, by_rank in segments.items():
        for rank, own in by_rank.items():
            changes[identity][rank] += _changes_of(rank, own, found[rank].joined)
            changes[identity][rank].sort(key=lambda copy: copy.offsets[0])
        yield changes[identity]


def _changes_of(
    rank: int, segments: Sequence[SharedSegment], joined: Mapping[tuple[bytes, int], Sequence[bytes]]
) -> Iterator[_Copy]:
    """The changes of one identity that an extract has in segments.

    Those of one TOTALSEGS are whole changes, one behind the other; what is left are segments of one that is not whole,
    or of which one has another TOTALSEGS by damage.
    """
    groups: dict[int, list[dict[int, SharedSegment]]] = {}
    """By TOTALSEGS, the segments of each change by number."""
    for segment in segments:
        own = groups.setdefault(segment.total, [{}])
        if len(own[-1]) == segment.total or segment.number in own[-1]:
            own.append({})
        own[-1][segment.number] = segment
    left: list[SharedSegment] = []
    for total, own in groups.items():
        digests = iter(joined.get((segments[0].identity, total), ()))
        for group in own:
            if len(group) == total:
                yield _copy(rank, [*group.values()], next(digests))
            else:
                left += group.values()
    if left:
        yield _copy(rank, sorted(left, key=lambda segment: segment.extent.offset), b"")


def _copy(rank: int, segments: Sequence[SharedSegment], digest: bytes) -> _Copy:
    is_complete = all(segment.is_complete for segment in segments)
    offsets = tuple(segment.extent.offset for segment in segments)
    is_settled = all(segment.is_settled for segment in segments)
    return _Copy(rank, tuple(segments), offsets, is_settled, digest=digest if is_complete else b"")


def _are_cut_alike(copies: Sequence[_Copy], numberings: Sequence[SegmentNumbering]) -> bool:
    """Whether nothing shows that two copies are cut at different places."""
    return len(_lengths(copies, numberings)) < 2


def _lengths(copies: Sequence[_Copy], numberings: Sequence[SegmentNumbering]) -> set[int]:
    """Bytes of DATA of segments that are not the last one of their change; they have as many in one extract."""
    every = [(segment, numberings[copy.rank]) for copy in copies for segment in copy.segments if segment.is_complete]
    return {one.data_length for one, numbering in every if not numbering.may_be_last(one.total, one.number)}


def _check_segments(
    copies: Sequence[_Copy],
    whole: Sequence[_Copy],
    heads: Sequence[ExtractHeads],
    numberings: Sequence[SegmentNumbering],
) -> None:
    """Raise FramingError if segments of copies that are cut alike differ.

    Those of an extract that lacks one must be among those of one that has all, else two of one number the same. The
    last segment shows by its length whether the change is cut alike. Numbers are not compared where it is not known
    whether both extracts count from 0 or from 1.
    """
    for other in (copy for copy in whole if copy.segments and copy.digest):
        known = {segment.digest for segment in other.segments}
        last = max(other.segments, key=lambda segment: segment.number)
        for copy in (copy for copy in copies if not copy.is_whole):
            for segment in copy.segments:
                is_comparable = segment.is_complete and segment.total == last.total
                if is_comparable and numberings[copy.rank].may_be_last(segment.total, segment.number):
                    is_comparable = segment.data_length == last.data_length
                if is_comparable and segment.digest not in known:
                    raise _differing(heads, other.rank, copy.rank, segment.extent.offset)
        return
    for (rank, before), (other_rank, segment) in _of_one_number(copies):
        bases = {numberings[rank].base, numberings[other_rank].base}
        is_known = len(bases) == 1 and None not in bases
        if is_known and before.digest != segment.digest and before.data_length == segment.data_length:
            raise _differing(heads, rank, other_rank, segment.extent.offset)


def _check_whole(whole: Sequence[_Copy], heads: Sequence[ExtractHeads], *, has_data: bool) -> None:
    """Raise FramingError if whole changes differ.

    A record with the DATA of a segment is one with a damaged TOTALSEGS, see `miscounted`.
    """
    parts = {segment.digest for copy in whole for segment in copy.segments} if has_data else set()
    known = [copy for copy in whole if copy.digest and (copy.segments or copy.digest not in parts)]
    for copy in known:
        if copy.digest != known[0].digest:
            raise _differing(heads, known[0].rank, copy.rank, copy.offsets[0])


def _differing(heads: Sequence[ExtractHeads], rank: int, other: int, offset: int) -> DataError:
    error = not_one(f"{heads[rank].path} has another change at the position of a record", heads[other].path)
    error.record_offset = offset
    return error


def _lend(
    copies: Sequence[_Copy], heads: Sequence[ExtractHeads], given: list[Given], lent: list[list[LentSegment]],
    read: Read,
) -> bool:  # fmt: skip
    """Lend the last copy the segments that it lacks; the other copies leave theirs out.

    Returns whether it is a change of a row, whose lengths do not fit if its segments do not.
    """
    owner, is_row = copies[-1], True
    numbers = {segment.number for segment in owner.segments}
    for copy in copies[:-1]:
        for segment in copy.segments:
            if segment.number not in numbers:
                try:
                    found = read(copy.rank, segment)
                except DataError:
                    continue  # it stays where it is, and is reported there
                numbers.add(segment.number)
                is_row = has_images(found.values["change_type"])
                index = -1 - len(lent[owner.rank])
                named = replace(_with_key(found, owner, read), extent=replace(found.extent, index=index))
                lent[owner.rank].append(LentSegment(named, heads[copy.rank].path, found.extent))
            given[copy.rank].elsewhere.append(segment.extent.offset)
    return is_row


def _with_key(lent: Segment, owner: _Copy, read: Read) -> Segment:
    """A segment with the values by which the others of its change are known: headers may have different fields."""
    with suppress(DataError):
        own = read(owner.rank, owner.segments[0]).values
        values = lent.values | {name: own[name] for name in KEY_FIELDS}
        return replace(lent, record=replace(lent.record, values=values))
    return lent
