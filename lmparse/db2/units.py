"""Units: the records of one transaction in a stretch of a log, found by sorting, with what is undone in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lmparse.db2.links import LoadStarts
from lmparse.db2.record_columns import NO_AUTHID, NO_TIME, Arrays, RecordTable
from lmparse.db2.record_forms import Role
from lmparse.values.byte_arrays import Flags, Int64s, Ints, UInt64s

NO_STREAM = -1
OPEN, COMMITTED, ROLLED_BACK = 0, 1, 2
"""Outcomes of units."""
STATES = ("open", "committed", "rolled-back")
"""The same in words, by number."""


@dataclass(frozen=True, eq=False)
class Units(Arrays):
    """Stretches of records with one transaction identifier, each from a first record or behind an end, up to an end.

    Sorted by identifier, and those of one identifier in the order of the log. A unit with only an end is none of a
    transaction.
    """

    tid: UInt64s
    first_index: Int64s
    """Number of its first record."""
    first_lsn: UInt64s
    previous: UInt64s
    """Of its first record; zero if the transaction begins with it."""
    first_stream: Int64s
    """Log stream of its first record; NO_STREAM if that states no address."""
    state: Int64s
    commit_lfs: UInt64s
    commit_lsn: UInt64s
    commit_time: Int64s
    authid: Int64s
    is_broken: Flags
    """Whether a record is missing between two that are here."""

    @property
    def begins_before(self) -> Flags:
        """Whether a record of the transaction precedes the first one that is here."""
        found: Flags = self.previous != 0
        return found

    @property
    def is_last(self) -> Flags:
        """Whether it is the last one of its identifier."""
        return np.append(self.tid[1:] != self.tid[:-1], True)[-len(self) :] if len(self) else np.zeros(0, np.bool_)


@dataclass(frozen=True, eq=False)
class UnitTotals(Arrays):
    """All records of each unit, and the last of them: what the parts of a log need not know."""

    is_end: Flags
    """Whether an end is all of it."""
    records: Int64s
    bytes: Int64s
    first_offset: Int64s
    """Of its first record in the file."""
    last_index: Int64s
    """Number of its last record."""
    last_offset: Int64s
    last_lsn: UInt64s


def find_units(columns: RecordTable) -> tuple[Units, UnitTotals, Int64s]:
    """The units of the members with their totals, and the number of the unit of each member."""
    members = columns.members
    order = np.argsort(members.tid, kind="stable")
    tid, role = members.tid[order], members.role[order]
    is_end = (role == Role.COMMIT) | (role == Role.ABORT) | (role == Role.SINGULAR)
    loads = LoadStarts(columns.loads)
    # A transaction may begin with the start of a load, which is no member.
    starts = loads.all_through(tid, members.previous[order]) == 0
    starts[1:] |= (tid[1:] != tid[:-1]) | is_end[:-1]
    starts[:1] = True
    numbers = np.cumsum(starts) - 1
    unit_of = np.empty(len(order), np.int64)
    unit_of[order] = numbers
    first = order[starts]
    count = len(first)
    last = np.append(np.flatnonzero(starts)[1:] - 1, len(order) - 1)[:count]
    is_last_end = is_end[last] if count else np.zeros(0, np.bool_)
    state = np.where(is_last_end, np.where(role[last] == Role.ABORT, ROLLED_BACK, COMMITTED), OPEN)
    end = order[last] if count else first
    is_commit = state == COMMITTED
    units = Units(
        tid=members.tid[first],
        first_index=members.index[first],
        first_lsn=members.lsn[first],
        previous=members.previous[first],
        first_stream=np.where(members.address[first] != 0, members.stream[first], NO_STREAM),
        state=state,
        commit_lfs=np.where(is_commit, members.lfs[end], np.uint64(0)),
        commit_lsn=np.where(is_commit, members.lsn[end], np.uint64(0)),
        commit_time=np.where(is_commit, _of_ends(columns, end, columns.ends.time, NO_TIME), NO_TIME),
        authid=np.where(is_commit, _of_ends(columns, end, columns.ends.authid, NO_AUTHID), NO_AUTHID),
        is_broken=np.zeros(count, np.bool_),
    )
    totals = UnitTotals(
        is_end=is_last_end & (role[last] != Role.SINGULAR) & (last == np.flatnonzero(starts)),
        records=np.bincount(numbers, minlength=count),
        # Sums of whole numbers below 2^53 are exact in floating point.
        bytes=np.bincount(unit_of, members.length, count).astype(np.int64),
        first_offset=members.offset[first],
        last_index=members.index[end],
        last_offset=members.offset[end],
        last_lsn=members.lsn[end],
    )
    broken = _behind_missing(columns, order, starts, loads)
    units.is_broken[unit_of[broken]] = True
    for place in broken.tolist():
        previous = loads.through(int(members.tid[place]), int(members.previous[place]))
        columns.links.miss(previous, int(members.index[place]))
    return units, totals, unit_of


def _behind_missing(columns: RecordTable, order: Int64s, starts: Flags, loads: LoadStarts) -> Int64s:
    """The members that follow a missing record of their transaction, ascending; those without one follow none.

    `order` sorts members by transaction, and units of one begin at `starts`. A link over a record that cannot be read
    shows nothing.
    """
    members, before, after = columns.members, order[:-1], order[1:]
    tid, address = members.tid[after], members.address[before]
    previous = loads.all_through(tid, members.previous[after])
    places = np.flatnonzero(~starts[1:] & (tid != 0) & (address != 0) & (previous > address))
    if len(places) and columns.bad:
        between = np.array(columns.unread)
        low, high = (np.searchsorted(between, members.index[side[places]]) for side in (before, after))
        places = places[low == high]
    return np.sort(after[places])


def changing_members(columns: RecordTable) -> Int64s:
    """The member of each change, in the order of the log."""
    objects = np.flatnonzero(columns.members.role == Role.OBJECT)
    return np.sort(np.concatenate([columns.rows.member, objects]))


def _of_ends(columns: RecordTable, members: Int64s, values: Int64s, otherwise: int) -> Int64s:
    """A value of the ends that are these members; `otherwise` for members that are not ends."""
    if not len(columns.ends):
        return np.full(len(members), otherwise)
    places = np.minimum(np.searchsorted(columns.ends.member, members), len(columns.ends) - 1)
    return np.where(columns.ends.member[places] == members, values[places], otherwise)


# -- compensation -----------------------------------------------------------------------------


class Matched:
    """What the compensations in a stretch undo: a change in their unit, by address, else the latest one of the row."""

    def __init__(
        self, columns: RecordTable, unit_of: Int64s, is_cut: Flags, row_class: Ints, undo_class: Ints, *,
        has_addresses: bool,
    ) -> None:  # fmt: skip
        """`is_cut` tells of each unit whether the transaction may have changes in front of the stretch. `row_class` and
        `undo_class` are the kinds of changes, one for each row and each compensation; only equal ones match.
        """
        self._is_cut, self._row_class, self._undo_class = is_cut, row_class, undo_class
        self._rows, self._undos, self._members = columns.rows, columns.undos, columns.members
        self._row_unit, self._undo_unit = unit_of[self._rows.member], unit_of[self._undos.member]
        self.is_undone = np.zeros(len(self._rows), np.bool_)
        """For each changed row."""
        self._is_irregular = np.zeros(len(self._undos), np.bool_)
        self._left: list[Int64s] = [np.zeros(0, np.int64)]
        has_address = self._undos.has_compensated & has_addresses
        self._by_address(np.flatnonzero(has_address))
        self._by_row(np.flatnonzero(~has_address))
        both = np.intersect1d(self._undo_unit[has_address], self._undo_unit[~has_address])
        self._is_irregular[np.isin(self._undo_unit, both)] = True
        self.left = np.sort(np.concatenate(self._left))
        """Numbers of the compensations whose change is not in the stretch."""
        self.irregular: UInt64s = np.unique(self._members.tid[self._undos.member[self._is_irregular]])
        """Identifiers of transactions whose compensations contradict what they compensate, or do so in several ways."""

    def _by_address(self, which: Int64s) -> None:
        if not len(which):
            return
        addresses = self._members.address[self._rows.member]
        order = np.argsort(addresses, kind="stable")
        known, wanted = addresses[order], self._undos.compensated[which]
        low, high = np.searchsorted(known, wanted), np.searchsorted(known, wanted, side="right")
        self._is_irregular[which[high - low > 1]] = True  # several rows, or log streams with the same addresses
        self._left.append(which[high == low])
        which, row = which[high - low == 1], order[low[high - low == 1]]
        is_here = self._row_unit[row] == self._undo_unit[which]
        self._left.append(which[~is_here])
        which, row = which[is_here], row[is_here]
        fits = (self._row_class[row] == self._undo_class[which]) & (self._rows.ids[row] == self._undos.ids[which])
        fits &= self._rows.member[row] < self._undos.member[which]
        _, inverse, counts = np.unique(row, return_inverse=True, return_counts=True)
        fits &= counts[inverse] == 1
        self._is_irregular[which[~fits]] = True
        self.is_undone[row[fits]] = True

    def _by_row(self, which: Int64s) -> None:
        """The changes and compensations of one row are like brackets: the latest change that is left is undone."""
        if not len(which):
            return
        rows = np.flatnonzero(np.isin(self._row_unit, self._undo_unit[which]))
        group = _groups(
            (self._row_unit[rows], self._row_class[rows], self._rows.ids[rows], self._rows.rid[rows].view(np.int64)),
            (
                self._undo_unit[which],
                self._undo_class[which],
                self._undos.ids[which],
                self._undos.rid[which].view(np.int64),
            ),
        )
        member = np.concatenate([self._rows.member[rows], self._undos.member[which]])
        order = np.lexsort((member, group))
        step = np.where(order < len(rows), 1, -1)
        sorted_group = group[order]
        depth = _depths(step, sorted_group)
        # A compensation matches the change before it that raised the depth to where it is lowered from.
        level = np.where(step > 0, depth, depth + 1)
        pairs = np.lexsort((np.arange(len(order)), level, sorted_group))
        first, second = pairs[:-1], pairs[1:]
        is_pair = (step[first] > 0) & (step[second] < 0) & (sorted_group[first] == sorted_group[second])
        is_pair &= level[first] == level[second]
        row, undo = rows[order[first[is_pair]]], which[order[second[is_pair]] - len(rows)]
        self.is_undone[row] = True
        self._left.append(np.setdiff1d(which, undo, assume_unique=True))
        self._test_before(group, rows, which, row, undo)

    def _test_before(self, group: Int64s, rows: Int64s, which: Int64s, row: Int64s, undo: Int64s) -> None:
        """Refuse compensations that name, by the record before it, another change of the row than the latest one."""
        previous = self._members.previous[self._rows.member]
        differs = self._undos.has_before[undo] & (previous[row] != self._undos.before_compensated[undo])
        if not differs.any():
            return
        # The change that one names may be in front of the stretch.
        self._is_irregular[undo[differs & self._is_cut[self._undo_unit[undo]]]] = True
        named = np.flatnonzero(np.isin(which, undo[differs]))
        pairs = _groups(
            (group[: len(rows)], previous[rows].view(np.int64)),
            (group[len(rows) :][named], self._undos.before_compensated[which[named]].view(np.int64)),
        )
        self._is_irregular[which[named[np.isin(pairs[len(rows) :], pairs[: len(rows)])]]] = True


def _groups(first: tuple[Ints, ...], second: tuple[Ints, ...]) -> Int64s:
    """A number for each different tuple of values, of two sets of them one after the other."""
    found: Int64s = np.zeros(len(first[0]) + len(second[0]), np.int64)
    for one, other in zip(first, second, strict=True):
        _, values = np.unique(np.concatenate([one, other]), return_inverse=True)
        _, found = np.unique(found * (len(values) + 1) + values, return_inverse=True)
    return found


def _depths(step: Int64s, group: Int64s) -> Int64s:
    """How many changes of the group are left behind each step; a compensation of nothing leaves none."""
    total = np.cumsum(step)
    is_first = np.append(True, group[1:] != group[:-1])[: len(group)]
    base = (total - step)[is_first][np.cumsum(is_first) - 1]
    depth = total - base
    # Below zero, the lowest depth so far counts as zero.
    span = len(step) + 1
    lowest = np.minimum.accumulate(depth - np.cumsum(is_first) * 2 * span) + np.cumsum(is_first) * 2 * span
    found: Int64s = depth - np.minimum(lowest, 0)
    return found
