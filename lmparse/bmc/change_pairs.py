"""Change pairs: which copies in several extracts are of one change, where their identity does not tell it.

Whole changes are the same if their table and DATA are; of several with the same, the first one of an extract is the
first one of the others. A segment is of the whole change that has its bytes at the place which its number says.
Segments that are of no whole change are put together in the order of the extracts. Where DATA cannot be compared, the
first change of an extract is the first one of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise, zip_longest

from lmparse.bmc.change_copies import ChangeCopy, Copies, part_of
from lmparse.bmc.repeated_changes import SharedSegment

Fits = Callable[[ChangeCopy, int, SharedSegment], bool | None]
"""Whether a segment of the extract with a number is of a whole change; None if that cannot be known."""
_MOST_COMPARED = 64
"""Most whole changes of one identity whose bytes are compared with those of a segment."""


@dataclass(frozen=True)
class PairedChanges:
    """The changes of one identity."""

    changes: list[list[ChangeCopy]]
    """The copies of each, in the order of the extracts."""
    is_sure: bool
    """Whether nothing but order, or the lack of another one, says that some copies are of one change, or are not."""
    differing: tuple[ChangeCopy, ChangeCopy] | None = None
    """Two that contradict each other."""


def by_order(copies: Copies) -> PairedChanges:
    """The first changes of all extracts, then the second ones and so on; only tables are compared."""
    changes = [[copy for copy in together if copy is not None] for together in zip_longest(*copies)]
    known = ([copy for copy in change if copy.is_whole and copy.digest] for change in changes)
    differing = ((own[0], copy) for own in known for copy in own if copy.digest != own[0].digest)
    return PairedChanges(changes, len(changes) == 1, next(differing, None))


def by_data(copies: Copies, fits: Fits) -> PairedChanges:
    """The changes of one identity, told apart by their DATA.

    In an extract that begins and ends within changes, the last segments of one are in front of the first ones of the
    next: together they look like a whole one, whose segments are in another order. They are taken for two if that
    leaves fewer segments without the others.
    """
    found = _Pairing(copies, fits)
    if not any(_is_turned(copy) for own in copies for copy in own):
        return found.pairs()
    apart = _Pairing(copies, fits, are_turned_apart=True)
    pairs, other_pairs = found.pairs(), apart.pairs()
    return other_pairs if apart.unfinished < found.unfinished else pairs


@dataclass(eq=False)
class _Change:
    """A change, with what extracts have of it."""

    total: int = 0
    """TOTALSEGS, if no extract has it whole."""
    copies: dict[int, ChangeCopy] = field(default_factory=dict)
    """Of the extracts that have it whole, by their number."""
    parts: dict[int, dict[int, SharedSegment]] = field(default_factory=dict)
    """Segments of the others, by the number of the segment and of the extract."""
    miscounted: list[ChangeCopy] = field(default_factory=list)
    """Records with the DATA of one of its records, but with another TOTALSEGS or SEGNUM."""

    @property
    def whole(self) -> ChangeCopy:
        return next(iter(self.copies.values()))

    @property
    def ranks(self) -> set[int]:
        """The extracts that have some of it."""
        return {*self.copies, *(rank for own in self.parts.values() for rank in own)}

    def lacks(self, rank: int, number: int) -> bool:
        """Whether an extract may have a segment of it, besides what it is known to have."""
        return rank not in self.copies and rank not in self.parts.get(number, ())

    def add(self, rank: int, segment: SharedSegment) -> None:
        self.parts.setdefault(segment.number, {})[rank] = segment

    def takes(self, rank: int, segment: SharedSegment) -> bool:
        """Whether a segment may be of it, of which no extract has all: one that it lacks, or that another has too."""
        known = self.parts.get(segment.number)
        if known is None:
            return not self.is_put_together
        first = next(iter(known.values()))
        is_compared = first.is_complete and segment.is_complete
        return rank not in known and (not is_compared or first.digest == segment.digest)

    @property
    def is_put_together(self) -> bool:
        """Whether all segments of a change are known that no extract has whole."""
        return len(self.parts) == self.total and (0 in self.parts) != (self.total in self.parts)

    def part_copies(self) -> list[ChangeCopy]:
        """The segments as the copies of the extracts that have them."""
        by_rank: dict[int, list[SharedSegment]] = {}
        for own in self.parts.values():
            for rank, segment in own.items():
                by_rank.setdefault(rank, []).append(segment)
        return [part_of(rank, sorted(own, key=_offset)) for rank, own in by_rank.items()]

    def all_copies(self) -> list[ChangeCopy]:
        """What extracts have of it, in their order."""
        every = [*self.copies.values(), *self.part_copies(), *self.miscounted]
        return sorted(every, key=lambda copy: (copy.rank, copy.offsets[0]))


class _Pairing:
    """Finds the changes of one identity."""

    def __init__(self, copies: Copies, fits: Fits, *, are_turned_apart: bool = False) -> None:
        self._copies, self._fits, self._are_turned_apart = copies, fits, are_turned_apart
        self.unfinished = 0
        """How many changes lack segments; one counts twice that has one of another change, or others of its number."""
        self._changes: list[_Change] = []
        self._by_digest: dict[bytes, list[_Change]] = {}
        self._counts: dict[tuple[int, bytes], int] = {}
        """How many changes with some table and DATA an extract has."""
        self._by_segment: dict[tuple[int, bytes], list[_Change]] = {}
        """The changes that have a segment with some TOTALSEGS, table and DATA."""
        self._by_piece: dict[bytes, _Change] = {}
        """The first change that has a segment with some table and DATA."""
        self._tried: dict[tuple[int, int, int, bytes], int] = {}
        """How many of them were tried for such a segment of one extract, by its number."""
        self._is_sure = True

    def pairs(self) -> PairedChanges:
        every = [copy for own in self._copies for copy in own]
        whole, parts = [copy for copy in every if copy.is_whole], [copy for copy in every if not copy.is_whole]
        pieces = {segment.digest for copy in whole for segment in copy.segments}
        miscounted = [copy for copy in whole if not copy.segments and copy.digest in pieces]
        turned = [copy for copy in whole if _is_turned(copy)]
        left = {id(copy) for copy in (*miscounted, *turned)}
        for copy in (copy for copy in whole if copy.digest and id(copy) not in left):
            self._take_whole(copy)
        if self._are_turned_apart:
            parts += turned
        else:
            self.unfinished += 2 * sum(map(self._has_another, turned))
            for copy in turned:
                self._take_whole(copy)
        again, totals = {(copy.rank, copy.offsets): copy for copy in turned}, set[int]()
        for change in _put_together(self._not_taken(parts)):
            found = change.part_copies()
            copy_again = again.get((found[0].rank, found[0].offsets)) if len(found) == 1 else None
            if copy_again is not None:
                self._take_whole(copy_again)
            elif len(found) > 1 or len(found[0].segments) > 1 or not self._is_miscounted(found[0]):
                self._changes.append(change)
                totals.add(change.total)
                self.unfinished += not change.is_put_together
        self.unfinished += 2 * sum(copy.segments[0].total in totals for copy in turned if not self._are_turned_apart)
        for copy in miscounted:
            if not self._is_miscounted(copy):
                self._take_whole(copy)
        for rank, own in enumerate(self._copies):
            self._take_incomplete(rank, [copy for copy in own if copy.is_whole and not copy.digest])
        differing = self._differing()
        return PairedChanges([change.all_copies() for change in self._changes], self._is_sure, differing)

    def _has_another(self, copy: ChangeCopy) -> bool:
        """Whether a change that no extract has in order has a segment of one that an extract has so."""
        return copy.digest not in self._by_digest and any(
            _key(segment) in self._by_segment for segment in copy.segments
        )

    def _take_whole(self, copy: ChangeCopy) -> None:
        nth = self._counts[copy.rank, copy.digest] = self._counts.get((copy.rank, copy.digest), 0) + 1
        same = self._by_digest.setdefault(copy.digest, [])
        if nth > len(same):
            same.append(_Change())
            self._changes.append(same[-1])
        same[nth - 1].copies[copy.rank] = copy
        for key in set(map(_key, copy.segments)):
            known = self._by_segment.setdefault(key, [])
            if same[nth - 1] not in known[-1:]:
                known.append(same[nth - 1])
            self._by_piece.setdefault(key[1], same[nth - 1])

    def _is_miscounted(self, copy: ChangeCopy) -> bool:
        """Whether one record is of a change that its extract lacks, with the DATA of one of its records."""
        digest = copy.segments[0].digest if copy.segments else copy.digest
        change = self._by_piece.get(digest) or next(iter(self._by_digest.get(digest, ())), None)
        if change is None or copy.rank in change.copies:
            return False
        change.miscounted.append(replace(copy, is_whole=False, is_miscounted=True))
        return True

    def _take_incomplete(self, rank: int, copies: Sequence[ChangeCopy]) -> None:
        """Changes that Log Master could not complete are the first ones that their extract lacks."""
        if not copies:
            return
        lacking = [change for change in self._changes if rank not in change.ranks]
        are_put_together = any(not change.copies for change in lacking[: len(copies)])
        self._is_sure &= max(map(len, self._copies)) == 1 and not are_put_together
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
            left = []
            # Those that are not compared take what is left of a change.
            for segment in sorted((segment for _, segment in own), key=lambda segment: not segment.is_complete):
                change = self._with_segment(rank, segment) or self._with_bytes(rank, segment, lacking)
                if change is None:
                    left.append(segment)
                else:
                    change.add(rank, segment)
            yield from ((rank, segment) for segment in sorted(left, key=_offset))

    def _with_segment(self, rank: int, segment: SharedSegment) -> _Change | None:
        """The first change that has the segment in another extract."""
        if not segment.is_complete:
            return None
        known = self._by_segment.get(_key(segment), ())
        key = rank, segment.number, *_key(segment)
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
        self._is_sure &= not unknown and len(lacking) <= _MOST_COMPARED
        return unknown[0] if unknown else None

    def _differing(self) -> tuple[ChangeCopy, ChangeCopy] | None:
        """Whole changes that contradict each other: two extracts have different ones next to the same one."""
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
                    return mine[0].copies[one], theirs[0].copies[other]
                self._is_sure &= not (mine and theirs)
        return None


def _runs(changes: Iterable[_Change], shared: set[int], other: int) -> list[list[_Change]]:
    """The changes in front of, between and behind those that are shared, of which another extract has nothing."""
    found: list[list[_Change]] = [[]]
    for change in changes:
        if id(change) in shared:
            found.append([])
        elif change.whole.digest and other not in change.ranks:
            found[-1].append(change)
    return found


def _is_turned(copy: ChangeCopy) -> bool:
    """Whether the last segments of a change are in front of the first ones, each in their order."""
    if not copy.is_whole or not copy.digest:
        return False
    numbers = [segment.number for segment in sorted(copy.segments, key=_offset)]
    return sum(one > other for one, other in pairwise(numbers)) == 1 and numbers[-1] < numbers[0]


def _put_together(segments: Iterable[tuple[int, SharedSegment]]) -> list[_Change]:
    """Put segments of all extracts together: one begins where numbers are there again, or the one before is whole."""
    found: list[_Change] = []
    last: dict[int, _Change] = {}
    for run in _ascending(segments):
        total = run[0][1].total
        known = last.get(total)
        if known is None or not all(known.takes(*one) for one in run):
            known = last[total] = _Change(total)
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


def _key(segment: SharedSegment) -> tuple[int, bytes]:
    return segment.total, segment.digest


def _offset(segment: SharedSegment) -> int:
    return segment.extent.offset
