"""Paired change: one change, with what several extracts have of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from lmparse.bmc.change_copies import ChangeCopy, part_of
from lmparse.bmc.repeated_changes import SharedSegment

Key = tuple[int, bytes]
"""TOTALSEGS, and the digest of table and DATA."""
MOST_COMPARED = 64
"""Most changes of one identity that segments are compared with, where a key does not find the one."""


@dataclass(eq=False)
class PairedChange:
    """A change, with what extracts have of it."""

    total: int = 0
    """TOTALSEGS, if no extract has it whole."""
    copies: dict[int, ChangeCopy] = field(default_factory=dict)
    """Of the extracts that have it whole, by their number."""
    parts: dict[int, dict[int, SharedSegment]] = field(default_factory=dict)
    """Segments of the others, by the number of the segment and of the extract."""
    miscounted: list[ChangeCopy] = field(default_factory=list)
    """Records with the DATA of one of its records, but with another TOTALSEGS or SEGNUM."""
    _of_copies: Counter[bytes] = field(default_factory=Counter)
    """How many records with some table and DATA an extract has that has it whole."""
    _of_parts: Counter[tuple[int, bytes]] = field(default_factory=Counter)
    """The same of the others, by the number of the extract too."""

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

    def lacks_piece(self, rank: int, digest: bytes) -> bool:
        """Whether an extract has records with some table and DATA of it less often than one that has it whole."""
        return rank not in self.copies and self._of_parts[rank, digest] < self._of_copies[digest]

    def add_whole(self, copy: ChangeCopy) -> None:
        self.copies[copy.rank] = copy
        self._of_copies |= Counter(_digests(copy))

    def add_miscounted(self, copy: ChangeCopy) -> None:
        self.miscounted.append(replace(copy, is_whole=False, is_miscounted=True))
        self._of_parts.update((copy.rank, digest) for digest in _digests(copy))

    def add(self, rank: int, segment: SharedSegment) -> None:
        self.parts.setdefault(segment.number, {})[rank] = segment
        self._of_parts[rank, segment.digest] += 1

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
        """The segments as the copies of the extracts that have them. None gives the change if one has it in order."""
        by_rank: dict[int, list[SharedSegment]] = {}
        for own in self.parts.values():
            for rank, segment in own.items():
                by_rank.setdefault(rank, []).append(segment)
        parts = [part_of(rank, sorted(own, key=offset_of)) for rank, own in by_rank.items()]
        return [replace(part, is_whole=part.is_whole and not self.copies) for part in parts]

    def all_copies(self) -> list[ChangeCopy]:
        """What extracts have of it, in their order."""
        every = [*self.copies.values(), *self.part_copies(), *self.miscounted]
        return sorted(every, key=lambda copy: (copy.rank, copy.offsets[0]))


def key_of(segment: SharedSegment) -> Key:
    return segment.total, segment.digest


def _digests(copy: ChangeCopy) -> list[bytes]:
    """Of table and DATA of each record."""
    return [segment.digest for segment in copy.segments] or [copy.digest]


def offset_of(segment: SharedSegment) -> int:
    return segment.extent.offset
