"""Outcomes: the transactions of a log, and what became of the changes in them, from the columns of all its records."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lmparse.db2 import record_kinds
from lmparse.db2.lob_columns import Places
from lmparse.db2.record_columns import RecordTable, table_ids
from lmparse.db2.record_forms import Role
from lmparse.db2.tables import Ids
from lmparse.db2.units import OPEN, Matched, changing_members, find_units
from lmparse.framing.extents import RecordExtent
from lmparse.values.byte_arrays import Flags, Int64s, Ints, UInt64s

_CLASSES = {
    **dict.fromkeys(record_kinds.INSERTS, 1), **dict.fromkeys(record_kinds.DELETES, 2),
    **dict.fromkeys(record_kinds.UPDATES, 3), record_kinds.MULTIPLE: 4,
}  # fmt: skip
"""A number for the kinds of changes that one kind of compensation undoes."""
_UNDONE_CLASSES = {kind: _CLASSES.get(undone[0], 0) for kind, undone in record_kinds.UNDOES.items()}


class Outcomes:
    """The units of a log, which of its rows are undone, and the transactions that arrays do not show whole."""

    def __init__(self, columns: RecordTable, *, has_addresses: bool) -> None:
        self._columns = columns
        self.units, self.totals, self.unit_of = find_units(columns)
        form = columns.members.form
        row_class, undo_class = (
            np.array([*(numbers.get(kind, 0) for kind in columns.kinds), 0], np.int64)[form[member]]
            for numbers, member in ((_CLASSES, columns.rows.member), (_UNDONE_CLASSES, columns.undos.member))
        )
        matched = Matched(
            columns, self.unit_of, self.units.begins_before, row_class, undo_class, has_addresses=has_addresses
        )
        self._is_undone, self._left, self._irregular = matched.is_undone, matched.left, matched.irregular
        self._ops = columns.operations()

    # -- transactions that are read record by record ------------------------------------------

    def irregular(self, firsts: Int64s) -> UInt64s:
        """Identifiers of the transactions of which arrays do not show all that happens in them.

        `firsts` are the numbers of the first records of parts: pieces of a value and their row are in one part.
        """
        columns, units = self._columns, self.units
        members, rows, pieces = columns.members, columns.rows, columns.pieces
        row = rows_of_pieces(columns, self.unit_of, self._ops)
        has = np.flatnonzero(row >= 0)
        is_apart = row < 0
        of_piece, of_row = (
            np.searchsorted(firsts, members.index[member], side="right")
            for member in (pieces.member[has], rows.member[row[has]])
        )
        is_apart[has] = of_piece != of_row
        is_apart |= np.isin(members.index[pieces.member], units.first_index[units.begins_before])
        # A value that an update appends to is joined from the pieces of several rows.
        grown = np.unique(rows.ids[row[has[self._ops[row[has]] == b"U"]]])
        found = [
            self._irregular,
            members.tid[columns.undos.member[self._left]],
            members.tid[np.isin(members.role, (Role.IRREGULAR, Role.SINGULAR))],
            members.tid[rows.member[rows.is_half | rows.is_pointer]],
            members.tid[pieces.member[is_apart | np.isin(pieces.ids, grown)]],
        ]
        return np.unique(np.concatenate(found))

    def extents(self, irregular: UInt64s) -> Iterator[tuple[RecordExtent, int]]:
        """The records of irregular transactions that change something or end them, and of others the changes of tables
        as a whole and the ends of transactions with one; each with the number of its unit."""
        members = self._columns.members
        role = members.role
        is_special = np.isin(members.tid, np.unique(members.tid[role == Role.OBJECT]))
        is_wanted = np.isin(members.tid, irregular) & ~np.isin(role, (Role.MEMBER, Role.TOUCH))
        is_wanted |= is_special & np.isin(role, (Role.OBJECT, Role.COMMIT, Role.ABORT))
        held = members.take(is_wanted)
        columns = (held.index, held.offset, held.length, self.unit_of[is_wanted])
        for number, offset, length, unit in zip(*(column.tolist() for column in columns), strict=True):
            yield RecordExtent(number, ((offset, length),), None), unit

    def have_changes(self) -> Flags:
        """Which units have changes of rows or of tables as a whole."""
        found = np.zeros(len(self.units), np.bool_)
        found[self.unit_of[changing_members(self._columns)]] = True
        return found

    # -- what parts must know -----------------------------------------------------------------

    def of_parts(self, firsts: Int64s, count: int) -> Iterator[tuple[Int64s, Ints, Int64s]]:
        """Of each part the units that it has records of, ascending, the place of the unit of each record among these,
        and the rows that are undone, by `row_number`; `count` is the number of all records."""
        columns, place = self._columns, np.zeros(len(self.units), np.uint32)
        bounds = np.searchsorted(columns.members.index, [*firsts.tolist(), count])
        rows = np.searchsorted(columns.rows.member, bounds)
        for number in range(len(firsts)):
            unit_of = self.unit_of[bounds[number] : bounds[number + 1]]
            numbers = np.unique(unit_of)
            place[numbers] = np.arange(len(numbers))
            undone = np.flatnonzero(self._is_undone[rows[number] : rows[number + 1]]) + rows[number]
            yield numbers, place[unit_of].astype(np.min_scalar_type(len(numbers))), columns.row_numbers(undone)

    def doubtful(self, unread: list[int]) -> Int64s:
        """The rows of whose values a piece may be in a record that cannot be read, by `row_number`, ascending: it is
        between them and the change before them in their transaction."""
        columns, units = self._columns, self.units
        index, rows = columns.members.index, columns.rows
        if not unread or not len(rows):
            return np.zeros(0, np.int64)
        changes = np.unique(changing_members(columns))
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
        return columns.row_numbers(np.flatnonzero(following < index[rows.member]))

    # -- what is said of the log --------------------------------------------------------------

    def reused(self) -> int:
        """The number of transactions without an end of whose identifier another one begins."""
        return int(((self.units.state == OPEN) & ~self.units.is_last).sum())

    def open(self) -> Int64s:
        """Numbers of the units that may end behind the log."""
        units = self.units
        return np.flatnonzero((units.state == OPEN) & units.is_last)

    def last_of(self, tids: list[int]) -> dict[int, int]:
        """The number of the last record of each of some identifiers that has one."""
        units, last = self.units, self.totals.last_index
        is_wanted = units.is_last & np.isin(units.tid, np.array(tids, np.uint64))
        return dict(zip(units.tid[is_wanted].tolist(), last[is_wanted].tolist(), strict=True))

    def column_ids(self) -> dict[Ids, Places]:
        """The columns of pieces by table, once between two records that may describe a table or take that back, and for
        each transaction with such a record."""
        members, pieces = self._columns.members, self._columns.pieces
        is_describing = np.isin(members.role, (Role.OBJECT, Role.IRREGULAR, Role.SINGULAR))
        index, tid = members.index[pieces.member], members.tid[pieces.member]
        own = np.concatenate([members.tid[is_describing], self.units.tid[self.units.begins_before]])
        tid = np.where(np.isin(tid, own), tid, np.uint64(0))
        unit = np.where(tid != 0, self.unit_of[pieces.member], -1)  # an identifier may be used again
        between = np.searchsorted(members.index[is_describing], index)
        order = np.lexsort((index, unit, tid, pieces.column, between, pieces.ids))
        keys = (values[order] for values in (pieces.ids, between, pieces.column, tid, unit))
        changes = [np.append(True, key[1:] != key[:-1])[: len(order)] for key in keys]
        kept = order[np.logical_or.reduce(changes)]
        found: dict[Ids, Places] = {}
        for ids, *place in zip(*(of[kept].tolist() for of in (pieces.ids, index, pieces.column, tid)), strict=True):
            found.setdefault(table_ids(ids), set()).add(tuple(place))
        return found


def rows_of_pieces(columns: RecordTable, unit_of: Int64s, ops: Ints) -> Int64s:
    """For each piece the row that it belongs to: the next insert or update of the table in its unit; -1 if none is."""
    pieces, rows = columns.pieces, columns.rows
    if not len(pieces):
        return np.zeros(0, np.int64)
    able = np.flatnonzero((rows.number == 0) & (ops != b"D"))
    unit = np.concatenate([unit_of[rows.member[able]], unit_of[pieces.member]])
    ids = np.concatenate([rows.ids[able], pieces.ids])
    member = np.concatenate([rows.member[able], pieces.member])
    order = np.lexsort((member, ids, unit))
    place = np.where(order < len(able), np.arange(len(order)), len(order))
    following = np.minimum.accumulate(place[::-1])[::-1]
    order, unit, ids = np.append(order, -1), np.append(unit[order], -1), np.append(ids[order], -2)
    here = np.arange(len(following))
    fits = (unit[following] == unit[here]) & (ids[following] == ids[here])
    found = np.full(len(pieces), -1)
    is_piece = order[:-1] >= len(able)
    target = np.where(fits, able[np.minimum(order[following], len(able) - 1)] if len(able) else -1, -1)
    found[order[:-1][is_piece] - len(able)] = target[is_piece]
    return found
