"""Change copies: what each extract has of changes that need more than their identity to be told apart.

These are changes of which some extract has several with one position, unit of recovery, RID and change type, or has one
in segments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lmparse.bmc.repeated_changes import SharedRecords, SharedSegment
from lmparse.bmc.unit_outcomes import keys
from lmparse.framing.extents import RecordExtent
from lmparse.values.byte_arrays import Flags


@dataclass(frozen=True, slots=True)
class ChangeCopy:
    """The records of one change in one extract."""

    rank: int
    """Number of the extract."""
    identity: bytes
    extents: tuple[RecordExtent, ...]
    segments: tuple[SharedSegment, ...]
    """Empty for a change in one record."""
    is_whole: bool
    """Whether it is the whole change."""
    is_settled: bool
    """Whether the extract states what became of its unit, and has it complete."""
    ordinal: int
    """The number that the file shows."""
    digest: bytes = b""
    """Of table and DATA of the whole change; empty if it is not here, or Log Master could not complete it."""
    is_miscounted: bool = False
    """Whether it is one record with the DATA of a record of the change, but with another TOTALSEGS or SEGNUM."""

    @property
    def offsets(self) -> tuple[int, ...]:
        """Where its records are, the first one first."""
        return tuple(extent.offset for extent in self.extents)


Copies = list[list[ChangeCopy]]
"""Of one identity: for each extract what it has, in the order of its records."""


def are_whole(segments: Sequence[SharedSegment]) -> bool:
    """Whether segments of one TOTALSEGS are a whole change."""
    numbers, total = {segment.number for segment in segments}, segments[0].total
    return len(numbers) == len(segments) == total and (0 in numbers) != (total in numbers)


def part_of(rank: int, segments: Sequence[SharedSegment], digest: bytes = b"") -> ChangeCopy:
    """Segments of one change; `digest` is that of the whole one, if they are all."""
    is_complete = all(segment.is_complete for segment in segments)
    is_whole = len({segment.total for segment in segments}) == 1 and are_whole(segments)
    extents = tuple(segment.extent for segment in segments)
    is_settled = all(segment.is_settled for segment in segments)
    return ChangeCopy(
        rank, segments[0].identity, extents, tuple(segments), is_whole, is_settled, segments[0].ordinal,
        digest if is_complete else b"",
    )  # fmt: skip


def copies_apart(found: Sequence[SharedRecords]) -> tuple[list[Flags], Iterator[Copies]]:
    """Which records in one piece are of such a change, for each extract; and the copies of each identity."""
    segments: dict[bytes, dict[int, list[SharedSegment]]] = {}
    for rank, one in enumerate(found):
        for segment in one.segments:
            segments.setdefault(segment.identity, {}).setdefault(rank, []).append(segment)
    named = {*segments, *_several(found)}
    if not named:
        return [np.zeros(len(one.offset), np.bool_) for one in found], iter(())
    wanted = keys(np.frombuffer(b"".join(named), np.uint8).reshape(len(named), -1))
    apart: list[Flags] = [np.isin(keys(one.identity), wanted) for one in found]
    return apart, _by_identity(found, apart, segments)


def _several(found: Sequence[SharedRecords]) -> set[bytes]:
    """Identities that several extracts have, and one of them more than once."""
    own = [keys(one.identity) for one in found]
    every, counts = np.unique(np.concatenate([np.unique(one) for one in own]), return_counts=True)
    shared, several = every[counts > 1], set[bytes]()
    for one, records in zip(own, found, strict=True):
        _, places, times = np.unique(one, return_index=True, return_counts=True)
        places = places[times > 1]
        several.update(records.identity[place].tobytes() for place in places[np.isin(one[places], shared)])
    return several


def _by_identity(
    found: Sequence[SharedRecords], apart: Sequence[Flags], segments: Mapping[bytes, Mapping[int, list[SharedSegment]]]
) -> Iterator[Copies]:
    copies: dict[bytes, Copies] = {identity: [[] for _ in found] for identity in segments}
    for rank, one in enumerate(found):
        for place in np.flatnonzero(apart[rank]).tolist():
            identity = one.identity[place].tobytes()
            digest = one.digest[place].tobytes() if one.is_complete[place] else b""
            copy = ChangeCopy(
                rank, identity, (one.extent(place),), (), True, bool(one.is_settled[place]), int(one.ordinal[place]),
                digest,
            )  # fmt: skip
            copies.setdefault(identity, [[] for _ in found])[rank].append(copy)
    for identity, own in copies.items():
        for rank, pieces in segments.get(identity, {}).items():
            own[rank] += changes_of(rank, pieces, found[rank].joined)
            own[rank].sort(key=lambda copy: copy.offsets[0])
        yield own


def changes_of(
    rank: int, segments: Sequence[SharedSegment], joined: Mapping[tuple[bytes, int], Sequence[bytes]]
) -> Iterator[ChangeCopy]:
    """The changes of one identity that an extract has in segments.

    Those of one TOTALSEGS are whole changes, one behind the other; what is left are segments of one that is not whole,
    or of which one has another TOTALSEGS by damage. `joined` are the digests of whole ones.
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
                yield part_of(rank, [*group.values()], next(digests))
            else:
                left += group.values()
    if left:
        yield part_of(rank, sorted(left, key=lambda segment: segment.extent.offset))
