"""Change pairs: which copies in several extracts are of one change, where their identity does not tell it.

Whole changes are the same if their table and DATA are; of several with the same, the first one of an extract is the
first one of the others. A segment is of the whole change that has its bytes at the place which its number says.
Segments that are of no whole change are put together in the order of the extracts. Where DATA cannot be compared, the
first change of an extract is the first one of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise, zip_longest

from lmparse.bmc.change_copies import ChangeCopy, Copies, part_of
from lmparse.bmc.repeated_changes import SharedSegment

Fits = Callable[[ChangeCopy, int, SharedSegment], bool | None]
"""Whether a segment of the extract with a number is of a whole change; None if that cannot be known."""
_MOST_COMPARED = 16
"""Most whole changes of one identity whose bytes are compared with those of a segment."""


@dataclass(frozen=True)
class PairedChanges:
    """The changes of one identity."""

    changes: list[list[ChangeCopy]]
    """The copies of each, in the order of the extracts."""
    is_sure: bool
    """Whether nothing but order, or the lack of another one, says that some copies are of one change, or are not."""


def by_order(copies: Copies) -> PairedChanges:
    """The first changes of all extracts, then the second ones and so on; DATA is not compared."""
    changes = [[copy for copy in together if copy is not None] for together in zip_longest(*copies)]
    return PairedChanges(changes, len(changes) == 1)


def by_data(copies: Copies, fits: Fits) -> PairedChanges:
    """The changes of one identity, told apart by their DATA."""
    return _Pairing(copies, fits).pairs()


@dataclass(eq=False)
class _Change:
    """A change that some extract has whole, with what the others have of it."""

    copies: dict[int, ChangeCopy] = field(default_factory=dict)
    """Of the extracts that have it whole, by their number."""
    parts: dict[int, dict[int, SharedSegment]] = field(default_factory=dict)
    """Of the others, by number of the extract and of the segment."""

    @property
    def whole(self) -> ChangeCopy:
        return next(iter(self.copies.values()))

    def lacks(self, rank: int, number: int) -> bool:
        """Whether an extract may have a segment of it, besides what it is known to have."""
        return rank not in self.copies and number not in self.parts.get(rank, ())


@dataclass(eq=False)
class _Joined:
    """Segments of a change that no extract has whole."""

    total: int
    by_number: dict[int, dict[int, SharedSegment]] = field(default_factory=dict)
    """The segments with each number, by the number of the extract."""

    def add(self, rank: int, segment: SharedSegment) -> None:
        self.by_number.setdefault(segment.number, {})[rank] = segment

    def takes(self, rank: int, segment: SharedSegment) -> bool:
        """Whether a segment may be of it: one that it lacks, or that another extract has too."""
        known = self.by_number.get(segment.number)
        if known is None:
            return not self.is_whole
        first = next(iter(known.values()))
        is_compared = first.is_complete and segment.is_complete
        return rank not in known and (not is_compared or first.digest == segment.digest)

    @property
    def members(self) -> list[tuple[int, SharedSegment]]:
        """Its segments, with the numbers of the extracts."""
        return [member for own in self.by_number.values() for member in own.items()]

    @property
    def is_whole(self) -> bool:
        return len(self.by_number) == self.total and (0 in self.by_number) != (self.total in self.by_number)


class _Pairing:
    """Finds the changes of one identity."""

    def __init__(self, copies: Copies, fits: Fits) -> None:
        self._copies, self._fits = copies, fits
        self._changes: list[_Change] = []
        self._by_digest: dict[bytes, list[_Change]] = {}
        self._counts: dict[tuple[int, bytes], int] = {}
        """How many changes with some table and DATA an extract has."""
        self._by_segment: dict[tuple[int, bytes], list[_Change]] = {}
        """The changes that have a segment with some TOTALSEGS, table and DATA."""
        self._tried: dict[tuple[int, int, int, bytes], int] = {}
        """How many of them were tried for such a segment of one extract, by its number."""
        self._is_sure = True

    def pairs(self) -> PairedChanges:
        every = [copy for own in self._copies for copy in own]
        parts = [copy for copy in every if not copy.is_whole]
        # In an extract that begins and ends within changes, the last segments of one are in front of the first ones of
        # the next: together they look like a whole one.
        mixed = [copy for copy in every if copy.is_whole and copy.digest and _is_turned(copy.segments)]
        apart = {(copy.rank, copy.offsets): copy for copy in mixed}
        for copy in every:
            if copy.is_whole and copy.digest and (copy.rank, copy.offsets) not in apart:
                self._take_whole(copy)
        for rank, own in enumerate(self._copies):
            self._take_incomplete(rank, [copy for copy in own if copy.is_whole and not copy.digest])
        left: list[list[ChangeCopy]] = []
        for one in _joined(self._not_taken([*parts, *mixed])):
            found = _parts(one.members)
            whole = apart.get((found[0].rank, found[0].offsets)) if len(found) == 1 else None
            if whole is None:
                left.append(found)
            else:
                self._take_whole(whole)
        self._unite()
        return PairedChanges([*map(_copies_of, self._changes), *left], self._is_sure)

    def _take_whole(self, copy: ChangeCopy) -> None:
        nth = self._counts[copy.rank, copy.digest] = self._counts.get((copy.rank, copy.digest), 0) + 1
        same = self._by_digest.setdefault(copy.digest, [])
        if nth > len(same):
            same.append(_Change())
            self._changes.append(same[-1])
        same[nth - 1].copies[copy.rank] = copy
        for key in {(segment.total, segment.digest) for segment in copy.segments}:
            known = self._by_segment.setdefault(key, [])
            if same[nth - 1] not in known[-1:]:
                known.append(same[nth - 1])

    def _take_incomplete(self, rank: int, copies: Sequence[ChangeCopy]) -> None:
        """Changes that Log Master could not complete are the first ones that their extract lacks."""
        if not copies:
            return
        lacking = [change for change in self._changes if rank not in change.copies]
        self._is_sure &= len(lacking) < 2
        added = [_Change() for _ in copies[len(lacking) :]]
        self._changes += added
        for change, copy in zip([*lacking, *added], copies, strict=False):
            change.copies[rank] = copy

    def _not_taken(self, parts: Iterable[ChangeCopy]) -> Iterator[tuple[int, SharedSegment]]:
        """Give segments to the whole changes that they are of; what is left, with the numbers of the extracts."""
        segments = [(copy.rank, segment) for copy in parts for segment in copy.segments]
        segments.sort(key=lambda one: (one[0], one[1].extent.offset))
        for rank, own in groupby(segments, key=lambda one: one[0]):
            lacking = [change for change in self._changes if rank not in change.copies]
            for _, segment in own:
                change = self._with_segment(rank, segment) or self._with_bytes(rank, segment, lacking)
                if change is None:
                    yield rank, segment
                else:
                    change.parts.setdefault(rank, {})[segment.number] = segment

    def _with_segment(self, rank: int, segment: SharedSegment) -> _Change | None:
        """The first change that has the segment in another extract."""
        if not segment.is_complete:
            return None
        known = self._by_segment.get((segment.total, segment.digest), ())
        key = rank, segment.number, segment.total, segment.digest
        for place in range(self._tried.get(key, 0), len(known)):
            self._tried[key] = place + 1
            if known[place].lacks(rank, segment.number):
                return known[place]
        return None

    def _with_bytes(self, rank: int, segment: SharedSegment, lacking: Sequence[_Change]) -> _Change | None:
        """The first change that has the bytes of a segment; else the first one of which that cannot be known."""
        unknown: list[_Change] = []
        for change in lacking[:_MOST_COMPARED]:
            if change.lacks(rank, segment.number):
                does_fit = self._fits(change.whole, rank, segment)
                if does_fit:
                    return change
                unknown += [change] if does_fit is None else []
        self._is_sure &= len(unknown) < 2 and len(lacking) <= _MOST_COMPARED
        return unknown[0] if unknown else None

    def _unite(self) -> None:
        """Take for one change what contradicts each other: two extracts have different ones next to the same one."""
        own: dict[int, list[_Change]] = {}
        for change in self._changes:
            for rank in change.copies:
                own.setdefault(rank, []).append(change)
        for changes in pairwise(sorted(own.items())):
            (one, first), (other, second) = (
                (rank, sorted(found, key=lambda change: change.copies[rank].offsets)) for rank, found in changes
            )
            shared = {id(change) for change in first}.intersection(map(id, second))
            is_one = len(self._copies[one]) == len(self._copies[other]) == 1
            for mine, theirs in zip(_runs(first, shared, other), _runs(second, shared, one), strict=True):
                if mine and theirs and (shared or is_one):
                    mine[0].copies |= theirs[0].copies
                    self._changes.remove(theirs[0])
                elif mine and theirs:
                    self._is_sure = False


def _runs(changes: Iterable[_Change], shared: set[int], other: int) -> list[list[_Change]]:
    """The changes in front of, between and behind those that are shared, of which another extract has nothing."""
    found: list[list[_Change]] = [[]]
    for change in changes:
        if id(change) in shared:
            found.append([])
        elif change.whole.digest and not change.parts.get(other):
            found[-1].append(change)
    return found


def _is_turned(segments: Sequence[SharedSegment]) -> bool:
    """Whether the last segments are in front of the first ones, each in their order."""
    numbers = [segment.number for segment in sorted(segments, key=lambda segment: segment.extent.offset)]
    return sum(one > other for one, other in pairwise(numbers)) == 1 and numbers[-1] < numbers[0]


def _joined(segments: Iterable[tuple[int, SharedSegment]]) -> list[_Joined]:
    """Put segments of all extracts together: one begins where numbers are there again, or the one before is whole."""
    found: list[_Joined] = []
    last: dict[int, _Joined] = {}
    for run in _ascending(segments):
        total = run[0][1].total
        known = last.get(total)
        if known is None or not all(known.takes(*one) for one in run):
            known = last[total] = _Joined(total)
            found.append(known)
        for rank, segment in run:
            known.add(rank, segment)
    return found


def _ascending(segments: Iterable[tuple[int, SharedSegment]]) -> Iterator[list[tuple[int, SharedSegment]]]:
    """Segments of one extract and TOTALSEGS with ascending numbers, which may be of one change."""
    for _, own in groupby(segments, key=lambda one: one[0]):
        runs: dict[int, list[tuple[int, SharedSegment]]] = {}
        for rank, segment in own:
            run = runs.setdefault(segment.total, [])
            if run and segment.number <= run[-1][1].number:
                yield run
                run = runs[segment.total] = []
            run.append((rank, segment))
        yield from runs.values()


def _copies_of(change: _Change) -> list[ChangeCopy]:
    members = [(rank, segment) for rank, own in change.parts.items() for segment in own.values()]
    return sorted([*change.copies.values(), *_parts(members)], key=lambda copy: copy.rank)


def _parts(members: Iterable[tuple[int, SharedSegment]]) -> list[ChangeCopy]:
    """Segments as the copies of the extracts that have them."""
    by_rank: dict[int, list[SharedSegment]] = {}
    for rank, segment in members:
        by_rank.setdefault(rank, []).append(segment)
    return [
        part_of(rank, sorted(own, key=lambda segment: segment.extent.offset)) for rank, own in sorted(by_rank.items())
    ]
