"""Compensation: which changed rows of a log are undone, from the record table.

A compensation names the address of the change that it undoes. Records may state no addresses, or another change may be
at the address. Then the compensation names the record in front of the change, or only the row: it undoes the latest
change of the row that is left, as brackets close.
"""

from __future__ import annotations

import numpy as np

from lmparse.db2.record import kinds as record_kinds
from lmparse.db2.record.record_table import RecordTable
from lmparse.db2.transactions.units import are_changing
from lmparse.errors import RecordError
from lmparse.framing.extents import RecordExtent
from lmparse.values.byte_arrays import Flags, Int32s, Int64s, Ints

_CLASSES = {
    **dict.fromkeys(record_kinds.INSERTS, 1), **dict.fromkeys(record_kinds.DELETES, 2),
    **dict.fromkeys(record_kinds.UPDATES, 3), record_kinds.MULTIPLE: 4,
}  # fmt: skip
"""By kind of change, a number for all kinds that one kind of compensation undoes."""
_UNDONE_CLASSES = {kind: _CLASSES.get(undone[0], 0) for kind, undone in record_kinds.UNDOES.items()}


class Compensations:
    """The changed rows that compensations undo. A compensation undoes a change of its own unit."""

    def __init__(self, columns: RecordTable, unit_of: Int32s, *, has_addresses: bool) -> None:
        """`unit_of` is the unit of each member; `has_addresses`: records state their addresses."""
        self._columns, self._unit_of = columns, unit_of
        rows, undos = columns.rows, columns.undos
        self._row_class = _of_kinds(columns, _CLASSES, rows.member)
        self._undo_class = _of_kinds(columns, _UNDONE_CLASSES, undos.member)
        self.is_undone: Flags = np.zeros(len(rows), np.bool_)
        """Whether each changed row is undone."""
        self.errors: list[tuple[RecordExtent, RecordError]] = []
        """Compensations that name a change of another kind or table, or a change that is undone already."""
        has_class, has_address = self._undo_class > 0, undos.has_compensated & has_addresses
        left, refused = self._by_address(np.flatnonzero(has_class & has_address))
        by_row = np.union1d(refused, np.flatnonzero(has_class & ~has_address))
        names_before = undos.has_before[by_row]
        unmatched = self._by_row(by_row[names_before], names_before=True)
        unmatched = self._by_row(np.union1d(unmatched, by_row[~names_before]), names_before=False)
        self.left: Int64s = np.unique(undos.member[np.concatenate([left, unmatched])])
        """The members that compensate a change which is not in the log."""

    def _by_address(self, which: Int64s) -> tuple[Int64s, Int64s]:
        """Undo the changes at the addresses that compensations name. Returns the compensations whose change is not in
        the log, and the compensations that cannot undo the change."""
        if not len(which):
            return which, which
        columns, members, rows = self._columns, self._columns.members, self._columns.rows
        every, member = which, columns.undos.member[which]
        which = which[np.append(True, member[1:] != member[:-1])]  # one for each record: its rows share an address
        undos = columns.undos.take(which)
        is_asked = np.zeros(int(self._unit_of.max()) + 1, np.bool_)
        is_asked[self._unit_of[undos.member]] = True
        changed = np.flatnonzero(are_changing(columns) & (members.address != 0) & is_asked[self._unit_of])
        keys = _groups(
            (self._unit_of[changed], members.address[changed].view(np.int64)),
            (self._unit_of[undos.member], undos.compensated.view(np.int64)),
        )
        order = np.argsort(keys[: len(changed)], kind="stable")
        known, wanted = keys[: len(changed)][order], keys[len(changed) :]
        place = np.searchsorted(known, wanted)
        is_here = np.append(known, -1)[place] == wanted
        left: Int64s = which[~is_here]
        which, undos = which[is_here], undos.take(is_here)
        owner = changed[order[place[is_here]]]
        first = np.searchsorted(rows.member, owner)
        fits = np.append(rows.member, -1)[first] == owner  # else a change of a table as a whole
        row = np.where(fits, first, 0)
        if len(rows):
            fits &= (self._row_class[row] == self._undo_class[which]) & (rows.ids[row] == undos.ids)
        fits &= owner < undos.member
        is_first = np.zeros(len(which), np.bool_)
        is_first[np.flatnonzero(fits)[np.unique(owner[fits], return_index=True)[1]]] = True
        undone = np.zeros(len(members), np.bool_)
        undone[owner[is_first]] = True
        self.is_undone |= undone[rows.member]
        for one in np.flatnonzero(~is_first).tolist():
            undo, named = int(undos.member[one]), int(owner[one])
            error = refusal(columns.kind(undo), columns.kind(named), int(members.index[named]))
            self.errors.append((columns.extent(undo), error))
        return left, every[np.isin(member, undos.member[~is_first])]

    def _by_row(self, which: Int64s, *, names_before: bool) -> Int64s:
        """Undo the latest change of each compensated row that is left. With `names_before`, the record in front of the
        change is also the one that the compensation names. Returns the compensations without a change."""
        rows, undos, members = self._columns.rows, self._columns.undos, self._columns.members
        if not len(which):
            return which
        able = np.flatnonzero(~self.is_undone & np.isin(self._unit_of[rows.member], self._unit_of[undos.member[which]]))
        of_rows = [self._unit_of[rows.member[able]], self._row_class[able], rows.ids[able], rows.rid[able]]
        of_undos = [self._unit_of[undos.member[which]], self._undo_class[which], undos.ids[which], undos.rid[which]]
        if names_before:
            of_rows.append(members.previous[rows.member[able]])
            of_undos.append(undos.before_compensated[which])
        group = _groups(tuple(of_rows), tuple(of_undos))
        member = np.concatenate([rows.member[able], undos.member[which]])
        order = np.lexsort((member, group))
        step = np.where(order < len(able), 1, -1)
        sorted_group = group[order]
        depth = _depths(step, sorted_group)
        # A compensation that lowers the depth from n matches the change before it that raised the depth to n.
        level = np.where(step > 0, depth, depth + 1)
        pairs = np.lexsort((np.arange(len(order)), level, sorted_group))
        first, second = pairs[:-1], pairs[1:]
        is_pair = (step[first] > 0) & (step[second] < 0) & (sorted_group[first] == sorted_group[second])
        is_pair &= level[first] == level[second]
        self.is_undone[able[order[first[is_pair]]]] = True
        left: Int64s = np.setdiff1d(which, which[order[second[is_pair]] - len(able)], assume_unique=True)
        return left


def refusal(kind: str, named: str, index: int) -> RecordError:
    """The error LMP-R008 of a compensation that cannot undo the change of kind `named` in record `index`."""
    return RecordError(
        "the change that it compensates is of another kind or table, or taken back already", code="LMP-R008",
        spec="db2_log", field="compensated_lsn", expected=" or ".join(record_kinds.UNDOES[kind]),
        found=f"{named} in record {index}",
    )  # fmt: skip


def _of_kinds(columns: RecordTable, numbers: dict[str, int], members: Int64s) -> Ints:
    """The number that `numbers` has for the kind of each member; zero for other kinds."""
    found: Ints = np.array([*(numbers.get(kind, 0) for kind in columns.kinds), 0], np.int8)[
        columns.members.form[members]
    ]
    return found


def _groups(first: tuple[Ints, ...], second: tuple[Ints, ...]) -> Int64s:
    """A number for each different tuple of values, in two sets of tuples. Example: [5, 7] and [7] give [0, 1, 1]."""
    found: Int64s = np.zeros(len(first[0]) + len(second[0]), np.int64)
    for one, other in zip(first, second, strict=True):
        _, values = np.unique(np.concatenate([one, other]), return_inverse=True)
        _, found = np.unique(found * (len(values) + 1) + values, return_inverse=True)
    return found


def _depths(step: Int64s, group: Int64s) -> Int64s:
    """Changes that are left in the group behind each step. Example: steps [1, -1, -1, 1] give [1, 0, 0, 1]."""
    total = np.cumsum(step)
    is_first = np.append(True, group[1:] != group[:-1])[: len(group)]
    base = (total - step)[is_first][np.cumsum(is_first) - 1]
    depth = total - base
    # Below zero, the lowest depth so far counts as zero.
    span = len(step) + 1
    lowest = np.minimum.accumulate(depth - np.cumsum(is_first) * 2 * span) + np.cumsum(is_first) * 2 * span
    found: Int64s = depth - np.minimum(lowest, 0)
    return found
