"""Links: whether the record that each record names as the previous one of its transaction is in the log.

A link to a record that is not in the log is a gap, unless the filter of the API left out records all over the log.
Addresses count bytes, so a record begins where the record before it ends. The share of records that do shows whether
the filter was used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from lmparse.db2.record.log_record import MARGIN
from lmparse.framing.extents import RecordExtent
from lmparse.values.byte_arrays import UInt64s

_MOST_NAMED = 10
"""Most missing records that messages name; all of them are counted."""


@dataclass(frozen=True, slots=True)
class LoadStart:
    """The start of a load. It takes effect at once, so it is no change of its transaction. A link of the transaction
    may lead to it, and its own link leads to the record before."""

    tid: int
    address: int
    """Zero if the record does not state it."""
    previous: int
    extent: RecordExtent


class LoadStarts:
    """The starts of loads. Links lead through them to other records."""

    def __init__(self, loads: Iterable[LoadStart] = ()) -> None:
        self._previous: dict[tuple[int, int], int] = {}
        self._indexes: dict[tuple[int, int], int] = {}
        """By transaction and address of a load, the number of the first load in its chain."""
        for load in loads:
            if load.address > load.previous:  # without addresses no link is tested
                self._previous[load.tid, load.address] = load.previous
                self._indexes[load.tid, load.address] = self.first_index(load.tid, load.previous, load.extent.index)
        self._addresses = np.unique(np.array([address for _, address in self._previous], np.uint64))

    def first_index(self, tid: int, previous: int, index: int) -> int:
        """The number of the first load that the link `previous` leads through; `index` if it leads through none."""
        return self._indexes.get((tid, previous), index)

    def through(self, tid: int, previous: int) -> int:
        """The address of the record to which the link `previous` of a transaction leads, behind all loads."""
        passed = []
        while (tid, previous) in self._previous:
            passed.append(previous)
            previous = self._previous[tid, previous]
        for address in passed:  # else each link to a chain of loads would walk over all of it
            self._previous[tid, address] = previous
        return previous

    def all_through(self, tids: UInt64s, previous: UInt64s) -> UInt64s:
        """As `through`, for arrays of links."""
        if not self._previous:
            return previous
        places = np.flatnonzero(np.isin(previous, self._addresses))
        found = previous.copy()
        for place, tid in zip(places.tolist(), tids[places].tolist(), strict=True):
            found[place] = self.through(tid, int(previous[place]))
        return found


@dataclass
class Links:
    """The links between the records in a stretch of a log."""

    adjoining: int = 0
    """Records that begin where the record before them in their log stream ends."""
    apart: int = 0
    """Records that begin behind that end."""
    count: int = 0
    """Missing records."""
    named: list[tuple[int, int]] = field(default_factory=list)
    """Addresses of the first missing records, each with the number of the record that follows it."""
    firsts: dict[int, int] = field(default_factory=dict)
    """Address of the first record of each log stream."""
    ends: dict[int, int] = field(default_factory=dict)
    """Address behind the last record of each log stream."""
    late: int = 0
    """Records with a position (LFS and LSN) in front of the position of the record before them in their log stream."""
    first_late: int = -1
    """Number of the first late record; -1 if there is none."""
    lowest: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """Position and number of the first record of each log stream."""
    last: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """Position and number of the last record of each log stream."""

    @property
    def is_whole(self) -> bool:
        """Whether the log was read without the filter."""
        return self.adjoining >= max(1, MARGIN * self.apart)

    def said(self, record: Callable[[int], str]) -> Iterator[str]:
        """Messages on late and on missing records; `record` names a record by its number.

        Missing records are named only if the log was read without the filter.
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
        """Count late records; `first` is the number of the first of them. Log streams are counted one after another, so
        `first` may be in front of late records that are counted already."""
        if count:
            self.first_late = min(first, self.first_late) if self.late else first
        self.late += count

    def miss(self, address: int, index: int) -> None:
        """Count the missing record at an address; the record with number `index` follows it."""
        self.count += 1
        if len(self.named) < _MOST_NAMED:
            self.named.append((address, index))

    def forget(self, end: int) -> None:
        """Leave out the named missing records that a record in front of number `end` follows."""
        kept = [one for one in self.named if one[1] >= end]
        self.count -= len(self.named) - len(kept)
        self.named = kept

    def moved(self, first: int) -> Links:
        """These links with `first` added to the numbers of records."""
        lowest, last = (
            {stream: (lfs, lsn, index + first) for stream, (lfs, lsn, index) in places.items()}
            for places in (self.lowest, self.last)
        )
        named = [(address, index + first) for address, index in self.named]
        first_late = self.first_late + first if self.late else -1
        return replace(self, named=named, lowest=lowest, last=last, first_late=first_late)

    def then(self, other: Links) -> Links:
        """Add the links of the next stretch to these. Returns these."""
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
