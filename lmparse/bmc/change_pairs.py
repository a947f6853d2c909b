"""Change pairs: which copies in several extracts are of one change, where their identity does not tell it.

Whole changes are the same if their table and DATA are; of several with the same, the first one of an extract is the
first one of the others. A segment is of the whole change that has its bytes at the place which its number says.
Segments that are of no whole change are put together in the order of the extracts. Where DATA cannot be compared, the
first change of an extract is the first one of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest
from typing import Any

from lmparse.bmc.change_copies import ChangeCopy, Copies
from lmparse.bmc.paired_change import MOST_COMPARED, Key, PairedChange, key_of, offset_of
from lmparse.bmc.repeated_changes import SharedSegment
from lmparse.bmc.segment_runs import put_together

Fits = Callable[[ChangeCopy, int, SharedSegment], bool | None]
"""Whether a segment of the extract with a number is of a whole change; None if that cannot be known."""
Bases = Sequence[int | None]
"""Of each extract, the SEGNUM of the first segment of a change; None if no segment shows it."""


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


def by_data(copies: Copies, fits: Fits, bases: Bases) -> PairedChanges:
    """The changes of one identity, told apart by their DATA.

    In an extract that begins and ends within changes, the last segments of one are in front of the first ones of the
    next: together they look like a whole one, whose segments are in another order. They are taken for two if that
    leaves fewer segments without the others.
    """
    found = _Pairing(copies, fits, bases)
    if not any(_is_turned(copy) for own in copies for copy in own):
        return found.pairs()
    apart = _Pairing(copies, fits, bases, are_turned_apart=True)
    pairs, other_pairs = found.pairs(), apart.pairs()
    return other_pairs if apart.unfinished < found.unfinished else pairs


class _Pairing:
    """Finds the changes of one identity."""

    def __init__(self, copies: Copies, fits: Fits, bases: Bases, *, are_turned_apart: bool = False) -> None:
        self._copies, self._fits, self._bases = copies, fits, bases
        every = [copy for own in copies for copy in own]
        whole = [copy for copy in every if copy.is_whole]
        turned = [copy for copy in whole if _is_turned(copy)]
        self._times = Counter(record for copy in every for record in _records(copy))
        pieces = {segment.digest for copy in whole for segment in copy.segments}
        odd = [copy for copy in whole if not copy.segments and copy.digest in pieces and self._is_alone(copy)]
        left = {id(copy) for copy in (*turned, *odd)}
        self._plain = [copy for copy in whole if copy.digest and id(copy) not in left]
        self._incomplete = [copy for copy in whole if not copy.digest]
        self._turned = [] if are_turned_apart else turned
        self._apart = turned if are_turned_apart else []
        """Changes whose segments are taken for those of two."""
        self._parts = [copy for copy in every if not copy.is_whole] + self._apart
        self._odd = odd
        """Changes in one record that has the DATA of a segment."""
        self._changes: list[PairedChange] = []
        self._by_digest: dict[bytes, list[PairedChange]] = {}
        self._counts: dict[tuple[int, bytes], int] = {}
        """How many changes with some table and DATA an extract has."""
        self._by_place: dict[tuple[Key, int], list[PairedChange]] = {}
        """The changes that have a segment with some TOTALSEGS, table and DATA at a place."""
        self._by_segment: dict[Key, list[PairedChange]] = {}
        """The same, at any place."""
        self._by_piece: dict[bytes, list[PairedChange]] = {}
        """The same, with any TOTALSEGS."""
        self._tried: dict[Any, int] = {}
        """How many of them were tried for such a segment of one extract, by its number."""
        self._is_sure = True
        self.unfinished = 0
        """How many changes lack segments; one counts twice that has one of another change, or others of its number."""

    def pairs(self) -> PairedChanges:
        """The changes. Those that are whole come first, then what may be of these."""
        for copy in self._plain:
            self._take_whole(copy)
        self.unfinished += 2 * sum(map(self._has_another, self._turned))
        for copy in self._turned:
            self._take_whole(copy)
        self._take_rest(list(self._not_taken()))
        for copy in self._odd:
            if not self._is_miscounted(copy):
                self._take_whole(copy)
        self._take_incomplete()
        differing = self._differing()
        return PairedChanges([change.all_copies() for change in self._changes], self._is_sure, differing)

    def _has_another(self, copy: ChangeCopy) -> bool:
        """Whether a change that no extract has in order has a segment of one that an extract has so."""
        return copy.digest not in self._by_digest and any(
            key_of(segment) in self._by_segment for segment in copy.segments
        )

    def _take_whole(self, copy: ChangeCopy) -> None:
        nth = self._counts[copy.rank, copy.digest] = self._counts.get((copy.rank, copy.digest), 0) + 1
        same = self._by_digest.setdefault(copy.digest, [])
        if nth > len(same):
            same.append(PairedChange())
            self._changes.append(same[-1])
        change = same[nth - 1]
        change.add_whole(copy)
        first = min((segment.number for segment in copy.segments), default=0)
        for segment in copy.segments:
            key = key_of(segment)
            _append(self._by_place.setdefault((key, segment.number - first), []), change)
            _append(self._by_segment.setdefault(key, []), change)
            _append(self._by_piece.setdefault(segment.digest, []), change)

    def _take_rest(self, left: Iterable[tuple[int, SharedSegment]]) -> None:
        """Put segments together that are of no whole change."""
        apart, totals = {(copy.rank, copy.offsets): copy for copy in self._apart}, set[int]()
        for change in put_together(left):
            found = change.part_copies()
            copy_again = apart.get((found[0].rank, found[0].offsets)) if len(found) == 1 else None
            if copy_again is not None:
                self._take_whole(copy_again)
            elif len(found) > 1 or len(found[0].segments) > 1 or not self._is_miscounted(found[0]):
                self._changes.append(change)
                totals.add(change.total)
                self.unfinished += not change.is_put_together
        self.unfinished += 2 * sum(copy.segments[0].total in totals for copy in self._turned)

    def _is_alone(self, copy: ChangeCopy) -> bool:
        """Whether no other record is as that of a copy in one."""
        return all(self._times[record] == 1 for record in _records(copy))

    def _is_miscounted(self, copy: ChangeCopy) -> bool:
        """Whether one record is of a change that its extract lacks, with the DATA of one of its records.

        It is taken for that if no other one is as it is, and its extract lacks a record with this DATA.
        """
        digest = copy.segments[0].digest if copy.segments else copy.digest
        found = self._by_piece.get(digest, ())[:MOST_COMPARED] or self._by_digest.get(digest, ())[:1]
        change = next((change for change in found if change.lacks_piece(copy.rank, digest)), None)
        if change is None or not digest or not self._is_alone(copy):
            return False
        change.add_miscounted(copy)
        self._is_sure = False
        return True

    def _take_incomplete(self) -> None:
        """Changes that Log Master could not complete are the first ones that their extract lacks."""
        for rank, found in groupby(self._incomplete, key=lambda copy: copy.rank):
            copies = [*found]
            lacking = [change for change in self._changes if rank not in change.ranks]
            are_put_together = any(not change.copies for change in lacking[: len(copies)])
            self._is_sure &= max(map(len, self._copies)) == 1 and not are_put_together
            added = [PairedChange() for _ in copies[len(lacking) :]]
            self._changes += added
            for change, copy in zip([*lacking, *added], copies, strict=False):
                change.add_whole(copy)

    def _not_taken(self) -> Iterator[tuple[int, SharedSegment]]:
        """Give segments to the whole changes that they are of; what is left, with the numbers of the extracts."""
        segments = [(copy.rank, segment) for copy in self._parts for segment in copy.segments]
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
            yield from ((rank, segment) for segment in sorted(left, key=offset_of))

    def _with_segment(self, rank: int, segment: SharedSegment) -> PairedChange | None:
        """The first change that has the segment in another extract, best at its place."""
        if not segment.is_complete:
            return None
        key, base = key_of(segment), self._bases[rank]
        for first in (0, 1) if base is None else (base,):
            place = segment.number - first
            if change := self._first_that_lacks(rank, segment, self._by_place.get((key, place), ()), place):
                return change
        change = self._first_that_lacks(rank, segment, self._by_segment.get(key, ()), None)
        self._is_sure &= change is None
        return change

    def _first_that_lacks(
        self, rank: int, segment: SharedSegment, known: Sequence[PairedChange], place: int | None
    ) -> PairedChange | None:
        key = rank, segment.number, key_of(segment), place
        for at in range(self._tried.get(key, 0), len(known)):
            self._tried[key] = at + 1
            if known[at].lacks(rank, segment.number):
                return known[at]
        return None

    def _with_bytes(self, rank: int, segment: SharedSegment, lacking: Sequence[PairedChange]) -> PairedChange | None:
        """The first change that has the bytes of a segment; else the first one of which that cannot be known."""
        unknown: list[PairedChange] = []
        for change in lacking[:MOST_COMPARED]:
            if change.lacks(rank, segment.number):
                does_fit = self._fits(change.whole, rank, segment)
                if does_fit:
                    return change
                unknown += [change] if does_fit is None else []
        self._is_sure &= not unknown and len(lacking) <= MOST_COMPARED
        return unknown[0] if unknown else None

    def _differing(self) -> tuple[ChangeCopy, ChangeCopy] | None:
        """Whole changes that contradict each other: two extracts have different ones next to the same one."""
        own: dict[int, list[PairedChange]] = {}
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


def _runs(changes: Iterable[PairedChange], shared: set[int], other: int) -> list[list[PairedChange]]:
    """The changes in front of, between and behind those that are shared, of which another extract has nothing."""
    found: list[list[PairedChange]] = [[]]
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
    numbers = [segment.number for segment in sorted(copy.segments, key=offset_of)]
    return sum(one > other for one, other in pairwise(numbers)) == 1 and numbers[-1] < numbers[0]


def _records(copy: ChangeCopy) -> Iterator[tuple[int, int, bytes]]:
    """TOTALSEGS, SEGNUM, and the digest of table and DATA of each record; SEGNUM of an only one is not known."""
    yield from ((one.total, one.number, one.digest) for one in copy.segments)
    if not copy.segments:
        yield 1, 0, copy.digest


def _append(changes: list[PairedChange], change: PairedChange) -> None:
    if change not in changes[-1:]:
        changes.append(change)
