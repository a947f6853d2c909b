"""Units: the records of one transaction in a stretch of a log, found by sorting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lmparse.db2.record.forms import Role
from lmparse.db2.record.links import LoadStarts
from lmparse.db2.record.record_table import NO_AUTHID, NO_TIME, Arrays, RecordTable
from lmparse.values.byte_arrays import Flags, Int32s, Int64s, UInt64s

NO_STREAM = -1
OPEN, COMMITTED, ROLLED_BACK = 0, 1, 2
"""Outcomes of units."""
STATES = ("open", "committed", "rolled-back")
"""The words of the outcomes, by number."""
_TOGETHER = 1 << 20
"""Members that are processed together."""


@dataclass(frozen=True, eq=False)
class Units(Arrays):
    """Stretches of records with one transaction identifier. A unit goes from a first record, or from behind an end, to
    an end.

    Units are sorted by identifier; those of one identifier are in the order of the log. A lone end is no transaction.
    """

    tid: UInt64s
    first_index: Int64s
    """Number of the first record."""
    first_lsn: UInt64s
    previous: UInt64s
    """Link of the first record; zero if the transaction begins with this record."""
    first_stream: Int64s
    """Log stream of the first record; NO_STREAM if this record states no address."""
    state: Int64s
    commit_lfs: UInt64s
    commit_lsn: UInt64s
    commit_time: Int64s
    authid: Int64s
    is_broken: Flags
    """Whether a record is missing between two records of the unit."""

    @property
    def begins_before(self) -> Flags:
        """Whether a record of the transaction precedes the first record of the unit."""
        found: Flags = self.previous != 0
        return found

    @property
    def is_last(self) -> Flags:
        """Whether the unit is the last one of its identifier."""
        return np.append(self.tid[1:] != self.tid[:-1], True)[-len(self) :] if len(self) else np.zeros(0, np.bool_)

    def reused_at(self, unit: int) -> int:
        """Number of the record at which another transaction uses the identifier of an open unit; -1 without one."""
        is_reused = self.state[unit] == OPEN and unit + 1 < len(self) and self.tid[unit + 1] == self.tid[unit]
        return int(self.first_index[unit + 1]) if is_reused else -1


@dataclass(frozen=True, eq=False)
class UnitTotals(Arrays):
    """Totals of the records of each unit, and its last record: what the parts of a log need not know."""

    is_end: Flags
    """Whether the unit is a lone end."""
    records: Int64s
    bytes: Int64s
    first_offset: Int64s
    """Offset of the first record in the file."""
    last_index: Int64s
    """Number of the last record."""
    last_offset: Int64s
    last_lsn: UInt64s


def find_units(columns: RecordTable) -> tuple[Units, UnitTotals, Int32s]:
    """The units of the members, their totals, and the number of the unit of each member.

    Members are sorted by transaction identifier and then processed some at a time. Beside the table, memory needs some
    16 bytes for each record, mostly for this order.
    """
    members, loads = columns.members, LoadStarts(columns.loads)
    order = np.argsort(members.tid, kind="stable")
    starts, broken = _starts(columns, order, loads)
    begin = np.flatnonzero(starts)
    first, end = order[begin], order[np.append(begin[1:], len(order))[: len(begin)] - 1]
    unit_of, sizes = _numbered(members.length, order, starts)
    role = members.role[end]
    is_commit = (role == Role.COMMIT) | (role == Role.SINGULAR)
    units = Units(
        tid=members.tid[first],
        first_index=members.index[first],
        first_lsn=members.lsn[first],
        previous=members.previous[first],
        first_stream=np.where(members.address[first] != 0, members.stream[first], NO_STREAM),
        state=np.where(is_commit, COMMITTED, np.where(role == Role.ABORT, ROLLED_BACK, OPEN)),
        commit_lfs=np.where(is_commit, members.lfs[end], np.uint64(0)),
        commit_lsn=np.where(is_commit, members.lsn[end], np.uint64(0)),
        commit_time=np.where(is_commit, _of_ends(columns, end, columns.ends.time, NO_TIME), NO_TIME),
        authid=np.where(is_commit, _of_ends(columns, end, columns.ends.authid, NO_AUTHID), NO_AUTHID),
        is_broken=np.zeros(len(begin), np.bool_),
    )
    totals = UnitTotals(
        is_end=((role == Role.COMMIT) | (role == Role.ABORT)) & (first == end),
        records=np.diff(begin, append=len(order)),
        bytes=sizes,
        first_offset=members.offset[first],
        last_index=members.index[end],
        last_offset=members.offset[end],
        last_lsn=members.lsn[end],
    )
    units.is_broken[unit_of[broken]] = True
    for place in broken.tolist():
        previous = loads.through(int(members.tid[place]), int(members.previous[place]))
        columns.links.miss(previous, int(members.index[place]))
    return units, totals, unit_of


def _starts(columns: RecordTable, order: Int64s, loads: LoadStarts) -> tuple[Flags, Int64s]:
    """Which of the members, sorted by transaction, begin a unit; and the members behind a missing one, ascending."""
    members, starts, broken = columns.members, np.zeros(len(order), np.bool_), [order[:0]]
    for low in range(0, len(order), _TOGETHER):
        lead = int(low > 0)  # begin with the last member of the step before
        which = order[low - lead : low + _TOGETHER]
        tid, role = members.tid[which], members.role[which]
        # A transaction may begin with the start of a load, which is no member.
        begins = loads.all_through(tid, members.previous[which]) == 0
        begins[1:] |= (tid[1:] != tid[:-1]) | np.isin(role[:-1], (Role.COMMIT, Role.ABORT, Role.SINGULAR))
        begins[: 1 - lead] = True
        starts[low : low + _TOGETHER] = begins[lead:]
        broken.append(_behind_missing(columns, which, begins, loads))
    return starts, np.sort(np.concatenate(broken))


def _numbered(lengths: Int64s, order: Int64s, starts: Flags) -> tuple[Int32s, Int64s]:
    """The number of the unit of each member, and the bytes of each unit."""
    unit_of, sizes, unit = np.empty(len(order), np.int32), np.zeros(np.count_nonzero(starts), np.int64), -1
    for low in range(0, len(order), _TOGETHER):
        which = order[low : low + _TOGETHER]
        numbers = unit + np.cumsum(starts[low : low + _TOGETHER])
        unit_of[which] = numbers
        first, unit = int(numbers[0]), int(numbers[-1])
        # Sums of whole numbers below 2^53 are exact in floating point.
        sizes[first : unit + 1] += np.bincount(numbers - first, lengths[which]).astype(np.int64)
    return unit_of, sizes


def _behind_missing(columns: RecordTable, order: Int64s, starts: Flags, loads: LoadStarts) -> Int64s:
    """The members that follow a missing record of their transaction. A member without a transaction follows none.

    `order` has the members sorted by transaction; units begin at `starts`. A link across a record that cannot be read
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
    return after[places]


def are_changing(columns: RecordTable) -> Flags:
    """Which members are changes, of rows or of a table as a whole."""
    role = columns.members.role
    found: Flags = (role == Role.OBJECT) | (role == Role.SINGULAR)
    found[columns.rows.member] = True
    return found


def _of_ends(columns: RecordTable, members: Int64s, values: Int64s, otherwise: int) -> Int64s:
    """The value of the end that each member is; `otherwise` for members that are not ends."""
    if not len(columns.ends):
        return np.full(len(members), otherwise)
    places = np.minimum(np.searchsorted(columns.ends.member, members), len(columns.ends) - 1)
    return np.where(columns.ends.member[places] == members, values[places], otherwise)
