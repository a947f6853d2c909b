"""Outcomes: the transactions of a log, and what became of their changed rows, from the record table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

import numpy as np

from lmparse.db2.record.forms import Role
from lmparse.db2.record.log_record import Ids
from lmparse.db2.record.record_table import RecordTable, table_ids
from lmparse.db2.record.row_images import with_header
from lmparse.db2.tables.lob_columns import Places
from lmparse.db2.transactions.compensation import Compensations
from lmparse.db2.transactions.units import OPEN, are_changing, find_units
from lmparse.errors import DataError, RecordError
from lmparse.framing.extents import RecordExtent
from lmparse.values.byte_arrays import Flags, Int32s, Int64s, Ints, UInt64s

TakenBack = tuple[int, int, int, int]
"""A creation of a table that is taken back, and with it the changed rows of the table: unit, table as one number, and
the numbers of the creating and the compensating record."""


@dataclass(frozen=True, eq=False)
class MovedRows:
    """Updates in two or three records, because the row moved; sorted by `after`."""

    after: Int64s
    """Numbers of the changed rows that are shown as the updates: they have the after image, if the log has it."""
    before: Int64s
    """Numbers of the changed rows with the before image."""
    pointers: Int64s
    """Numbers of the updates of pointers to the rows; equal to `before` without a pointer."""

    @property
    def hidden(self) -> Int64s:
        """Numbers of the changed rows that are not shown, ascending."""
        found: Int64s = np.setdiff1d(np.concatenate([self.before, self.pointers]), self.after)
        return found


class Outcomes:
    """The units of a log, and which changed rows are undone or are parts of other changes."""

    def __init__(self, columns: RecordTable, *, has_addresses: bool) -> None:
        self._columns = columns
        self.units, self.totals, self.unit_of = find_units(columns)
        self.errors: list[tuple[RecordExtent, DataError]] = []
        self._refuse_singular()
        self.row_unit: Int32s = self.unit_of[columns.rows.member]
        """The unit of each changed row."""
        self.ops = columns.operations()
        """The operation of each changed row."""
        compensations = Compensations(columns, self.unit_of, has_addresses=has_addresses)
        self.is_undone, self.left = compensations.is_undone, compensations.left
        self.errors += compensations.errors

    def _refuse_singular(self) -> None:
        """Leave units open that a singular change ends behind other changes: it may not commit these."""
        columns, units = self._columns, self.units
        singular = np.flatnonzero(columns.members.role == Role.SINGULAR)
        if not len(singular):
            return
        records = np.bincount(self.unit_of[are_changing(columns)], minlength=len(units))
        for member in singular.tolist():
            unit = int(self.unit_of[member])
            if count := int(records[unit]) - 1:
                units.state[unit] = OPEN
                error = RecordError(
                    "it is a transaction of its own, but others have its identifier and no end", code="LMP-R008",
                    spec="db2_log", field="general_flag", found=f"{count} records of changes without an end",
                    expected="no change with its identifier in front, or an end of it",
                )  # fmt: skip
                self.errors.append((columns.extent(member), error))

    def take_back(self, found: list[TakenBack]) -> None:
        """Mark the changed rows of a table as undone if the creation of the table is taken back."""
        if not found:
            return
        columns = self._columns
        order = np.lexsort((self.row_unit, columns.rows.ids))  # stable: rows of one table and unit stay in log order
        ids, unit = columns.rows.ids[order], self.row_unit[order]
        index = columns.members.index[columns.rows.member[order]]
        for number, table, begin, end in found:
            low, high = np.searchsorted(ids, (table, table + 1))
            first, last = low + np.searchsorted(unit[low:high], (number, number + 1))
            start, stop = first + np.searchsorted(index[first:last], (begin + 1, end))
            self.is_undone[order[start:stop]] = True

    def row_at(self, unit: int, address: int) -> tuple[str, int] | None:
        """Kind and number of the record of a unit that changes rows at an address; None without such a record."""
        addresses, members = self._rows_by_address
        low, high = (np.searchsorted(addresses, np.uint64(address), side) for side in ("left", "right"))
        found = next((at for at in members[low:high].tolist() if address and self.unit_of[at] == unit), None)
        return None if found is None else (self._columns.kind(found), int(self._columns.members.index[found]))

    @cached_property
    def _rows_by_address(self) -> tuple[UInt64s, Int64s]:
        members, address = np.unique(self._columns.rows.member), self._columns.members.address
        members = members[np.argsort(address[members], kind="stable")]
        return address[members], members

    # -- rows that moved --------------------------------------------------------------------------

    def moved(self, byte_order: str) -> MovedRows:
        """The updates of rows that moved: updates with a pointer, and updates in two halves."""
        found = [self._by_pointers(byte_order), self._by_halves()]
        after, which = np.unique(np.concatenate([one[0] for one in found]), return_index=True)
        before, pointers = (np.concatenate([one[number] for one in found])[which] for number in (1, 2))
        return MovedRows(after, before, pointers)

    def _by_halves(self) -> tuple[Int64s, Int64s, Int64s]:
        """Updates in halves: a delete and the insert behind it, of one table and unit, both with the flag of halves."""
        rows = self._columns.rows
        halves = np.flatnonzero(rows.is_half & ~self.is_undone)
        halves = halves[np.lexsort((self.row_unit[halves], rows.ids[halves]))]
        is_delete, follows = self.ops[halves] == b"D", self._follow(halves)
        is_alone = ~np.append(False, follows[1:] & is_delete[:-1])[: len(halves)]  # no other delete in front of it
        is_pair = follows & ~is_delete & (rows.number[halves] == 0)
        is_pair[1:] &= (is_delete & is_alone)[:-1]
        places = np.flatnonzero(is_pair)
        before = halves[places - 1]
        return halves[places], before, before

    def _by_pointers(self, byte_order: str) -> tuple[Int64s, Int64s, Int64s]:
        """Updates with a pointer: the row is inserted elsewhere, its own place becomes a pointer, and the row in the
        former place elsewhere is deleted. These changes are of one table and unit, one behind the other."""
        rows, ops = self._columns.rows, self.ops
        was, is_, is_elsewhere = (
            with_header(types, byte_order, test, otherwise=False)
            for types, test in (
                (rows.before_types, attrgetter("is_pointer")), (rows.after_types, attrgetter("is_pointer")),
                (rows.before_types, attrgetter("is_moved_here")),
            )
        )  # fmt: skip
        every = np.flatnonzero(np.isin(rows.ids, np.unique(rows.ids[was | is_])))
        every = every[np.lexsort((self.row_unit[every], rows.ids[every]))]
        follows, is_undone = self._follow(every), self.is_undone[every]
        is_insert, is_delete = ops[every] == b"I", (ops[every] == b"D") & is_elsewhere[every]
        has_after, has_before = (which[every] & (ops[every] == b"U") for which in (is_, was))
        has_after[:1] = has_before[-1:] = False
        has_after[1:] &= (follows[1:] & is_insert[:-1]) & (is_undone[1:] | ~is_undone[:-1])
        has_before[:-1] &= (follows[1:] & is_delete[1:]) & (is_undone[:-1] | ~is_undone[1:])
        places = np.flatnonzero(has_after | has_before)
        pointers = every[places]
        after = np.where(has_after[places], every[places - 1], pointers)
        before = np.where(has_before[places], every[np.minimum(places + 1, len(every) - 1)], pointers)
        self.is_undone[after] = self.is_undone[pointers]
        return after, before, pointers

    def _follow(self, rows: Int64s) -> Flags:
        """Which of some rows, sorted by table and unit, have the table and unit of the row in front of them."""
        ids, unit = self._columns.rows.ids[rows], self.row_unit[rows]
        return np.append(False, (ids[1:] == ids[:-1]) & (unit[1:] == unit[:-1]))[: len(rows)]

    # -- what parts must know ---------------------------------------------------------------------

    def of_parts(self, firsts: Int64s, count: int) -> Iterator[tuple[Ints, Ints, Int64s]]:
        """For each part: the numbers of its units, ascending; the place of the unit of each record among them; and the
        rows that are undone, by `row_number`. `count` is the number of all records."""
        columns, place = self._columns, np.zeros(len(self.units), np.uint32)
        bounds = np.searchsorted(columns.members.index, [*firsts.tolist(), count])
        rows = np.searchsorted(columns.rows.member, bounds)
        for number in range(len(firsts)):
            unit_of = self.unit_of[bounds[number] : bounds[number + 1]]
            numbers = np.unique(unit_of)
            place[numbers] = np.arange(len(numbers))
            undone = np.flatnonzero(self.is_undone[rows[number] : rows[number + 1]]) + rows[number]
            yield numbers, place[unit_of].astype(np.min_scalar_type(len(numbers))), columns.row_numbers(undone)

    def doubtful(self) -> Int64s:
        """The rows of whose values a piece may be in a record that cannot be read, ascending. Such a record is between
        the row and the change before it in its transaction."""
        columns, units = self._columns, self.units
        index, rows = columns.members.index, columns.rows
        unread = columns.unread
        if not unread or not len(rows):
            return np.zeros(0, np.int64)
        changes = np.flatnonzero(are_changing(columns))
        unit = self.unit_of[changes]
        order = np.argsort(unit, kind="stable")
        unit, changes = unit[order], changes[order]
        start = np.where(units.begins_before[unit], 0, units.first_index[unit])
        goes_on = np.flatnonzero(unit[1:] == unit[:-1]) + 1
        start[goes_on] = index[changes[goes_on - 1]]
        start_of = np.zeros(len(index), np.int64)
        start_of[changes] = start
        known = np.append(np.array(unread), np.iinfo(np.int64).max)
        following = known[np.searchsorted(known, start_of[rows.member])]
        return np.flatnonzero(following < index[rows.member])

    # -- what is said of the log ------------------------------------------------------------------

    def have_changes(self) -> Flags:
        """Which units have changes of rows or of tables as a whole."""
        found = np.zeros(len(self.units), np.bool_)
        found[self.unit_of[are_changing(self._columns)]] = True
        return found

    def reused(self) -> int:
        """Number of transactions without an end whose identifier another transaction uses again."""
        return int(((self.units.state == OPEN) & ~self.units.is_last).sum())

    def open(self) -> Int64s:
        """Numbers of the units that may end behind the log."""
        units = self.units
        return np.flatnonzero((units.state == OPEN) & units.is_last)

    def end_of(self, unit: int) -> int:
        """Number of a record behind which a unit has none; `sys.maxsize` if the unit may end behind the log."""
        if self.units.state[unit] != OPEN:
            return int(self.totals.last_index[unit])
        reused = self.units.reused_at(unit)
        return sys.maxsize if reused < 0 else reused

    def last_of(self, tids: list[int]) -> dict[int, int]:
        """Number of the last record of each transaction identifier; identifiers without a record are left out."""
        units, last = self.units, self.totals.last_index
        is_wanted = units.is_last & np.isin(units.tid, np.array(tids, np.uint64))
        return dict(zip(units.tid[is_wanted].tolist(), last[is_wanted].tolist(), strict=True))

    def column_ids(self) -> dict[Ids, Places]:
        """The columns of pieces by table, see `lob_columns.Places`: once between two records that may describe a table
        or take that back, and for each transaction with such a record."""
        members, pieces = self._columns.members, self._columns.pieces
        is_describing = np.isin(members.role, (Role.OBJECT, Role.UNDO_OBJECT, Role.SINGULAR))
        index, tid = members.index[pieces.member], members.tid[pieces.member]
        own = np.concatenate([members.tid[is_describing], self.units.tid[self.units.begins_before]])
        tid = np.where(np.isin(tid, own), tid, np.uint64(0))
        unit = np.where(tid != 0, self.unit_of[pieces.member], -1)  # an identifier may be used again
        between = np.searchsorted(members.index[is_describing], index)
        order = np.lexsort((index, unit, tid, pieces.column, between, pieces.ids))
        order = order[pieces.column[order] >= 0]
        keys = (values[order] for values in (pieces.ids, between, pieces.column, tid, unit))
        changes = [np.append(True, key[1:] != key[:-1])[: len(order)] for key in keys]
        kept = order[np.logical_or.reduce(changes)]
        found: dict[Ids, Places] = {}
        for ids, *place in zip(*(of[kept].tolist() for of in (pieces.ids, index, pieces.column, tid)), strict=True):
            found.setdefault(table_ids(ids), set()).add(tuple(place))
        return found
