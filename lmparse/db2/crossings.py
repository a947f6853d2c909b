"""Crossings: transactions whose records are in several parts of a log, followed from part to part."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from lmparse.db2.links import LoadStart, MissingRecord
from lmparse.db2.log_beginning import LogBeginning
from lmparse.db2.log_part import PartContext
from lmparse.db2.part_index import PartSummary
from lmparse.db2.transaction_index import Crossing
from lmparse.db2.units import COMMITTED, OPEN, STATES, Units
from lmparse.limits import Held


class Crossings:
    """Follows transactions from part to part."""

    def __init__(
        self, contexts: Sequence[PartContext], beginning: LogBeginning, unread: Sequence[int], held: Held
    ) -> None:
        """`unread` as in `missing_records`."""
        self._unread = unread
        self._contexts, self._beginning, self._held = contexts, beginning, held
        self._open: dict[int, Crossing] = {}
        self._before: list[Crossing] = []
        self._loads: dict[int, LoadStart] = {}
        """The starts of loads behind which no record of their identifier has been seen."""
        self.reused: list[int] = []
        """Identifiers of transactions without an end, of which a later part begins another one."""
        self.ended_alone: list[int] = []
        """Identifiers of transactions with only an end in the log, and records in front of it."""
        self.missing: list[MissingRecord] = []
        """Records that are missing between two parts."""
        self.broken: set[int] = set()
        """Numbers of the first records of their transactions: another one may have the identifier before or later."""
        self.undoing_before: list[int] = []
        """Identifiers with compensations of changes that are in front of the log."""

    def begun_before(self) -> list[int]:
        """Identifiers of the transactions with changes whose first record is not in the log, one entry for each."""
        first = self._beginning.read_before
        return [one.tid for one in self._before if one.changes and one.first_index >= first]

    def end(self, tids: frozenset[int]) -> None:
        """Take note of transactions that have ended without a record that says so: singular ones end with a change.

        So do those behind which the start of a load begins another one with their identifier, and is all of it so far.
        """
        begun = {tid for tid, one in self._loads.items() if not self._beginning.loads.through(tid, one.previous)}
        for tid in begun.union(tids).intersection(self._open):
            del self._open[tid]

    def oldest_open(self) -> int | None:
        """Number of the first record of the transactions that may end behind the log.

        Of some there is nothing else than the start of a load, and others begin with one.
        """
        first = self._beginning.loads.first_index
        opened = [first(one.tid, one.previous, one.first_index) for one in self._open.values()]
        return min([*opened, *(first(one.tid, one.address, one.index) for one in self._loads.values())], default=None)

    def add(self, number: int, summary: PartSummary) -> None:
        """Add the next part."""
        context = self._contexts[number]
        if self._open:
            known = np.fromiter(self._open, np.uint64, len(self._open))
            for tid in known[np.isin(known, summary.begun)].tolist():
                self.reused.append(tid)
                del self._open[tid]
        if self._loads:
            for tid in summary.begun.tolist():
                self._loads.pop(tid, None)
        undoing = frozenset(summary.undoing.tolist())
        for place, is_last in enumerate(summary.head_is_tail.tolist()):
            self._head(context, summary, place, undoing, is_last=is_last)
        for place in range(len(summary.tails)):
            self._held.take(_CROSSING_BYTES)
            found = _crossing(summary.tails, place)
            context.tails[found.tid] = self._open[found.tid] = found
            if self._is_incomplete(found):
                self._before.append(found)
        self._loads |= summary.last_loads

    def _head(
        self, context: PartContext, summary: PartSummary, place: int, undoing: frozenset[int], *, is_last: bool
    ) -> None:
        heads = summary.heads
        tid = int(heads.tid[place])
        previous = self._beginning.loads.through(tid, int(heads.previous[place]))
        self._loads.pop(tid, None)
        found = self._open.get(tid)
        if found is not None and not previous:  # another one, which begins with the start of a load
            self.reused.append(tid)
            del self._open[tid]
            found = None
        if found is None:
            if tid in undoing:
                self.undoing_before.append(tid)
            found = _crossing(heads, place)
            is_incomplete = self._is_incomplete(found)
            if not heads.sizes[place]:
                self.ended_alone += [tid] * (is_incomplete and found.last_index >= self._beginning.read_before)
                return  # it changed nothing here
            self._held.take(_CROSSING_BYTES)
            self._before += [found] * is_incomplete
        else:
            first = int(heads.first_index[place])
            if heads.is_broken[place]:
                found.is_broken = True
                self.broken.add(found.first_index)
            if tid and previous > found.last_address > 0 and not self._is_between(found.last_index, first):
                found.is_broken = True
                self.broken.add(found.first_index)
                self.missing.append(MissingRecord(previous, first))
            found.last_address, found.last_index = int(heads.last_address[place]), int(heads.last_index[place])
            if found.last_change >= 0:
                context.last_changes[tid] = found.last_change
            found.changes += int(heads.changes[place])
            found.last_change = max(found.last_change, int(heads.last_change[place]))
        context.heads[tid] = found
        state = int(heads.state[place])
        if state == OPEN and is_last:
            context.tails[tid] = self._open[tid] = found
            return
        self._open.pop(tid, None)
        found.state = STATES[state]
        if state == COMMITTED:
            found.commit_lfs, found.commit_lsn = int(heads.commit_lfs[place]), int(heads.commit_lsn[place])
            found.commit_time = int(heads.commit_time[place])
            authid = int(heads.authid[place])
            found.authid = None if authid < 0 else summary.authids[authid]

    def _is_between(self, before: int, after: int) -> bool:
        """Whether a record that cannot be read, so that it may be of any transaction, is between two."""
        return bisect_left(self._unread, before) != bisect_left(self._unread, after)

    def _is_incomplete(self, crossing: Crossing) -> bool:
        return self._beginning.is_behind(crossing.previous, crossing.first_stream, crossing.tid)


_CROSSING_BYTES = 400
"""Bytes of memory of a transaction that crosses parts; measured."""


def _crossing(units: Units, place: int) -> Crossing:
    return Crossing(
        int(units.tid[place]), int(units.first_index[place]), int(units.first_lsn[place]),
        int(units.previous[place]), int(units.first_stream[place]),
        int(units.changes[place]), int(units.last_change[place]), int(units.last_address[place]),
        int(units.last_index[place]), bool(units.is_broken[place]),
    )  # fmt: skip
