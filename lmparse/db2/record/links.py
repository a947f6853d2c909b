"""Links: whether each record follows the one that it names as the one before in its transaction.

A link to a record that is not there is a gap, unless records were left out when the log was read: the filter of the API
does that all over a log. Addresses count bytes, so that a record begins where the one before ends; from how many do is
seen whether the filter was used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from lmparse.db2.record.log_record import MARGIN
from lmparse.framing.extents import RecordExtent
from lmparse.values.byte_arrays import UInt64s

_MOST_NAMED = 10
"""Most missing records that are named; all are counted."""


@dataclass(frozen=True, slots=True)
class LoadStart:
    """The start of a load. It takes effect at once, and so is none of the changes of its transaction, but a link of
    this may lead to it, and from it to the record before."""

    tid: int
    address: int
    """Zero if the record does not state it."""
    previous: int
    extent: RecordExtent


class LoadStarts:
    """The starts of loads, which links go through."""

    def __init__(self, found: Iterable[LoadStart] = ()) -> None:
        self._previous: dict[tuple[int, int], int] = {}
        self._indexes: dict[tuple[int, int], int] = {}
        """Number of the first of the loads that a link goes through."""
        for one in found:
            if one.address > one.previous:  # without addresses no link is tested
                self._previous[one.tid, one.address] = one.previous
                self._indexes[one.tid, one.address] = self.first_index(one.tid, one.previous, one.extent.index)
        self._addresses = np.unique(np.array([address for _, address in self._previous], np.uint64))

    def first_index(self, tid: int, previous: int, index: int) -> int:
        """The number of the first of the loads that the link `previous` goes through; else that of its own record."""
        return self._indexes.get((tid, previous), index)

    def through(self, tid: int, previous: int) -> int:
        """The address of the record before in a transaction, of which the link is `previous`."""
        passed = []
        while (tid, previous) in self._previous:
            passed.append(previous)
            previous = self._previous[tid, previous]
        for address in passed:  # or a chain of loads would be walked again for each link to it
            self._previous[tid, address] = previous
        return previous

    def all_through(self, tids: UInt64s, previous: UInt64s) -> UInt64s:
        """The same of many."""
        if not self._previous:
            return previous
        places = np.flatnonzero(np.isin(previous, self._addresses))
        found = previous.copy()
        for place, tid in zip(places.tolist(), tids[places].tolist(), strict=True):
            found[place] = self.through(tid, int(previous[place]))
        return found


@dataclass
class Links:
    """What a stretch of a log shows of the links between its records."""

    adjoining: int = 0
    """Records that begin where the one before in their log stream ends."""
    apart: int = 0
    """Records that begin behind that."""
    count: int = 0
    """Missing records."""
    named: list[tuple[int, int]] = field(default_factory=list)
    """Addresses of the first of them, each with the number of the record that follows it."""
    firsts: dict[int, int] = field(default_factory=dict)
    """Address of the first record of each log stream."""
    ends: dict[int, int] = field(default_factory=dict)
    """Address behind the last one."""
    late: int = 0
    """Records with a position (LFS and LSN) in front of that of the record before in their log stream."""
    first_late: int = -1
    """Number of the first of them; -1 if there is none."""
    lowest: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """Position and number of the first record of each log stream."""
    last: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """Position and number of the last one."""

    @property
    def is_whole(self) -> bool:
        """Whether the log was read without the filter."""
        return self.adjoining >= max(1, MARGIN * self.apart)

    def said(self, record: Callable[[int], str]) -> Iterator[str]:
        """What is not as it is in a log, in words; `record` names a record.

        Missing records are named if the log was read without the filter.
        """
        if self.late:
            where = f"behind {record(self.first_late - 1)}"
            where += f" and at {self.late - 1} more places" if self.late > 1 else ""
            yield (
                f"positions go back {where}: files were put together in another order, or one of them twice, whose "
                "changes are then given twice"
            )
        if not self.is_whole:
            return
        for address, index in self.named:
            yield f"a record at {address:016X} is missing, which {record(index)} of its transaction follows"
        if self.count > len(self.named):
            yield f"records are missing at {self.count - len(self.named)} more places"

    def count_late(self, count: int, first: int) -> None:
        """Count records in front of whose position another one was; `first` is the number of the first of them.

        Those of a log stream may be counted behind those of another one, and be in front of them.
        """
        if count:
            self.first_late = min(first, self.first_late) if self.late else first
        self.late += count

    def miss(self, address: int, index: int) -> None:
        """Count the record at an address, which is missing in front of another one of its transaction."""
        self.count += 1
        if len(self.named) < _MOST_NAMED:
            self.named.append((address, index))

    def forget(self, end: int) -> None:
        """Leave out what is missing in front of a record, as far as it is named."""
        kept = [one for one in self.named if one[1] >= end]
        self.count -= len(self.named) - len(kept)
        self.named = kept

    def moved(self, first: int) -> Links:
        """The same with `first` added to the numbers of records."""
        lowest, last = (
            {stream: (lfs, lsn, index + first) for stream, (lfs, lsn, index) in places.items()}
            for places in (self.lowest, self.last)
        )
        named = [(address, index + first) for address, index in self.named]
        first_late = self.first_late + first if self.late else -1
        return replace(self, named=named, lowest=lowest, last=last, first_late=first_late)

    def then(self, other: Links) -> Links:
        """These, followed by those of the next stretch."""
        for stream, address in other.firsts.items():
            end = self.ends.get(stream)
            if end is None:
                self.firsts[stream] = address
            else:
                self.adjoining += address == end
                self.apart += address > end
        self.ends |= other.ends
        for stream, position in other.lowest.items():
            known = self.last.get(stream)
            if known is None:
                self.lowest[stream] = position
            elif position[:2] < known[:2]:
                self.count_late(1, position[2])
        self.count_late(other.late, other.first_late)
        self.last |= other.last
        self.adjoining, self.apart = self.adjoining + other.adjoining, self.apart + other.apart
        self.count += other.count
        self.named += other.named[: _MOST_NAMED - len(self.named)]
        return self
