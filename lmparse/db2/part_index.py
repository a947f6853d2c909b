"""Part index: the transactions of one part of a log, as arrays, and what must be known of them outside of the part."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from lmparse.db2 import record_kinds
from lmparse.db2.links import Links, LoadStart
from lmparse.db2.lob_columns import Places
from lmparse.db2.record_columns import NO_AUTHID, ChangedRows, Members, RecordColumns, narrowed, widened
from lmparse.db2.record_forms import Role
from lmparse.db2.transaction_index import Crossing
from lmparse.db2.units import COMMITTED, OPEN, STATES, Matched, Units, find_units, match_undos
from lmparse.errors import DataError, FramingError
from lmparse.framing.extents import RecordExtent
from lmparse.values.byte_arrays import Flags, Int64s, Ints, UInt64s

RECORD_BYTES = 180
"""Bytes of memory of a record with a changed row, in arrays."""
_CLASSES = {
    **dict.fromkeys(record_kinds.INSERTS, 1), **dict.fromkeys(record_kinds.DELETES, 2),
    **dict.fromkeys(record_kinds.UPDATES, 3), record_kinds.MULTIPLE: 4,
}  # fmt: skip
"""A number for the kinds of changes that one kind of compensation undoes."""
_STATE = ("unit_of", "is_undone")
"""Arrays of an index that are pickled."""
_UNDONE_CLASSES = {kind: _CLASSES.get(undone[0], 0) for kind, undone in record_kinds.UNDOES.items()}


@dataclass
class PartSummary:
    """What the index of a whole log needs of one part. Numbers of records count from the start of the part."""

    count: int
    """Number of all records."""
    end: int
    """Offset in the file behind the last one; 0 if there is none."""
    fault: FramingError | None
    """The damage behind its last record."""
    bad: list[tuple[RecordExtent, DataError]]
    counts: Counter[str]
    links: Links
    broken: frozenset[int]
    """Numbers of the first records of units that lack a record between two that are here."""
    apart: list[RecordExtent]
    loads: list[LoadStart]
    last_loads: dict[int, LoadStart]
    """The last one of each identifier that has no other record behind it."""
    heads: Units
    """The first unit of each identifier, if it does not begin with the first record of a transaction."""
    head_is_tail: Flags
    """Which of them is also the last unit of its identifier."""
    tails: Units
    """Other last units that have no end."""
    authids: dict[int, str]
    """Authorization ids of the heads by their numbers."""
    begun: UInt64s
    """Identifiers whose first unit begins with the first record of a transaction."""
    reused: UInt64s
    """Identifiers of units without an end that are followed by another one in the part."""
    cut: Units
    """Units that are neither heads nor tails and whose first record is not there."""
    irregular: UInt64s
    """Identifiers whose records are to be read one by one."""
    special: UInt64s
    """Identifiers of transactions that change tables as a whole."""
    undoing: UInt64s
    """Identifiers of heads with compensations of changes that are not in the part."""
    grown: set[int]
    """Tables with updates of values that are stored outside of their row."""
    outside: dict[int, UInt64s]
    """Identifiers of the transactions that have pieces of such values, by table."""
    column_ids: dict[int, Places]
    """Columns of such values, by table."""
    tables: set[int] = field(default_factory=set)
    """Tables with changed rows."""
    digest: bytes = b""
    """SHA-256 of the file in which the index of the part was left; empty if it was not."""

    def moved(self, first: int) -> PartSummary:
        """The same with the numbers of records from the start of the log, of which the part has number `first` on."""
        if self.fault is not None and self.fault.record_index is not None:
            self.fault.record_index += first
        return replace(
            self, bad=[(_moved(extent, first), error) for extent, error in self.bad],
            apart=[_moved(extent, first) for extent in self.apart],
            loads=[replace(one, index=one.index + first) for one in self.loads],
            last_loads={tid: replace(one, index=one.index + first) for tid, one in self.last_loads.items()},
            heads=self.heads.moved(first), tails=self.tails.moved(first), cut=self.cut.moved(first),
            links=self.links.moved(first),
            broken=frozenset(number + first for number in self.broken),
            column_ids={
                ids: {(index + first, column, tid) for index, column, tid in places}
                for ids, places in self.column_ids.items()
            },
        )  # fmt: skip


class PartIndex:
    """The transactions of one part of a log."""

    def __init__(
        self, columns: RecordColumns, kinds: list[str], authids: dict[str, int], *, has_addresses: bool
    ) -> None:
        self.columns, self.kinds, self.authids = columns, kinds, authids
        self.units, self.unit_of = find_units(columns)
        self._has_addresses = has_addresses
        matched = self._match(columns, self.unit_of)
        self.is_undone = matched.is_undone
        self._matched = matched
        self.row_unit: Int64s = self.unit_of[columns.rows.member]

    def __getstate__(self) -> dict[str, Any]:
        """What the first pass over a log leaves for the next ones; the summary has the rest."""
        arrays = {name: narrowed(getattr(self, name)) for name in _STATE}
        # The reader knows the authorization ids of all parts before, too.
        used, authid = np.unique(self.units.authid, return_inverse=True)
        known, first = list(self.authids), int(np.searchsorted(used, 0))
        authids = {known[number]: place for place, number in enumerate(used[first:].tolist())}
        units = replace(self.units, authid=np.maximum(authid - first, NO_AUTHID))
        return {**arrays, "columns": self.columns.moved(0), "units": units, "named": (self.kinds, authids)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.columns, self.units = state["columns"], state["units"]
        self.kinds, self.authids = state["named"]
        for name in _STATE:
            setattr(self, name, widened(*state[name]))
        self.row_unit = self.unit_of[self.columns.rows.member]

    def moved(self, first: int) -> PartIndex:
        """Add `first` to the numbers of records."""
        self.columns, self.units = self.columns.moved(first), self.units.moved(first)
        return self

    def _match(self, columns: RecordColumns, unit_of: Int64s) -> Matched:
        row_class = self._by_form(_CLASSES)[columns.members.form[columns.rows.member]]
        undo_class = self._by_form(_UNDONE_CLASSES)[columns.members.form[columns.undos.member]]
        return match_undos(
            columns, unit_of, self.units.begins_before, row_class, undo_class, has_addresses=self._has_addresses
        )

    def _by_form(self, numbers: dict[str, int]) -> Ints:
        """A number for each form by its kind; the last one is for records that were parsed by themselves."""
        return np.array([*(numbers.get(kind, 0) for kind in self.kinds), 0], np.int64)

    @cached_property
    def ops(self) -> Ints:
        """The operation of each changed row, one letter."""
        letters = [*(record_kinds.OPERATIONS.get(kind, " ").encode() for kind in self.kinds), b" "]
        found: Ints = np.array(letters, "S1")[self.columns.members.form[self.columns.rows.member]]
        return found

    # -- values outside of their row -----------------------------------------------------------

    @cached_property
    def piece_rows(self) -> Int64s:
        """For each piece the row that it belongs to: the next insert or update of the table; -1 if there is none."""
        pieces, rows = self.columns.pieces, self.columns.rows
        if not len(pieces):
            return np.zeros(0, np.int64)
        able = np.flatnonzero((rows.number == 0) & (self.ops != b"D"))
        unit = np.concatenate([self.row_unit[able], self.unit_of[pieces.member]])
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

    # -- for the index of the whole log ---------------------------------------------------------

    def summary(self, fault: FramingError | None = None) -> PartSummary:
        """What must be known outside of the part."""
        columns, units = self.columns, self.units
        is_first, is_last = units.is_first, units.is_last
        is_head = is_first & units.begins_before
        is_open = (units.state == OPEN) & (units.sizes > 0)
        is_tail = is_last & is_open & ~is_head
        undoing, irregular = self._undoing(is_head)
        pieces, rows = columns.pieces, columns.rows
        has_pieces = self.piece_rows[self.piece_rows >= 0]
        grown = np.unique(rows.ids[has_pieces[self.ops[has_pieces] == b"U"]])
        tids = columns.members.tid
        heads, known = units.take(is_head), list(self.authids)
        broken = frozenset(units.first_index[units.is_broken].tolist())
        return PartSummary(
            columns.count, columns.end, fault, columns.bad, columns.counts, columns.links, broken, columns.apart,
            columns.loads,
            last_loads=self._last_loads(),
            heads=heads,
            head_is_tail=is_last[is_head],
            tails=units.take(is_tail),
            authids={number: known[number] for number in np.unique(heads.authid[heads.authid >= 0]).tolist()},
            begun=units.tid[is_first & ~is_head],
            reused=units.tid[is_open & ~is_last],
            cut=units.take(~is_head & ~is_tail & units.begins_before),
            irregular=irregular,
            special=np.unique(tids[columns.members.role == Role.OBJECT]),
            undoing=undoing,
            grown=set(grown.tolist()),
            outside=_different(pieces.ids, tids[pieces.member]),
            column_ids=self._column_ids(),
            tables=set(np.unique(rows.ids).tolist()),
        )  # fmt: skip

    def _last_loads(self) -> dict[int, LoadStart]:
        """As in the summary."""
        found = {one.tid: one for one in self.columns.loads}
        if not found:
            return found
        units = self.units
        is_wanted = units.is_last & np.isin(units.tid, np.fromiter(found, np.uint64, len(found)))
        behind = dict(zip(units.tid[is_wanted].tolist(), units.last_index[is_wanted].tolist(), strict=True))
        return {tid: one for tid, one in found.items() if behind.get(tid, -1) < one.index}

    def _column_ids(self) -> dict[int, Places]:
        """The columns of pieces by table, once for each stretch without a record that may describe a table or take that
        back, and for each transaction with such a record."""
        members, pieces = self.columns.members, self.columns.pieces
        is_describing = (members.role == Role.OBJECT) | (members.role == Role.IRREGULAR)
        index, tid = members.index[pieces.member], members.tid[pieces.member]
        own = np.concatenate([members.tid[is_describing], self.units.tid[self.units.begins_before]])
        tid = np.where(np.isin(tid, own), tid, np.uint64(0))
        unit = np.where(tid != 0, self.unit_of[pieces.member], -1)  # an identifier may be used again
        stretch = np.searchsorted(members.index[is_describing], index)
        order = np.lexsort((index, unit, tid, pieces.column, stretch, pieces.ids))
        keys = (values[order] for values in (pieces.ids, stretch, pieces.column, tid, unit))
        changes = [np.append(True, key[1:] != key[:-1])[: len(order)] for key in keys]
        kept = order[np.logical_or.reduce(changes)]
        found: dict[int, Places] = {}
        for ids, *place in zip(*(of[kept].tolist() for of in (pieces.ids, index, pieces.column, tid)), strict=True):
            found.setdefault(ids, set()).add(tuple(place))
        return found

    def _undoing(self, is_head: Flags) -> tuple[UInt64s, UInt64s]:
        """Identifiers with compensations of changes of other parts, and those that are to be read one by one."""
        columns, unit_of = self.columns, self.unit_of
        members, rows, pieces = columns.members, columns.rows, columns.pieces
        undo_unit = unit_of[columns.undos.member[self._matched.left]]
        may_cross = is_head[undo_unit]
        is_cut = np.flatnonzero(self.units.begins_before)
        first = np.isin(members.index[pieces.member], self.units.first_index[is_cut])
        irregular = np.concatenate([
            self._matched.irregular,
            np.array(columns.irregular, np.uint64),
            self.units.tid[undo_unit[~may_cross]],
            members.tid[members.role == Role.IRREGULAR],
            members.tid[rows.member[rows.is_half | rows.is_pointer]],
            members.tid[pieces.member[(self.piece_rows < 0) | first]],
        ])  # fmt: skip
        return np.unique(self.units.tid[undo_unit[may_cross]]), np.unique(irregular)

    def of(self, tids: UInt64s) -> RecordColumns:
        """The members with some identifiers, with their rows and compensations."""
        columns = self.columns
        is_in = np.isin(columns.members.tid, tids)
        numbers = np.cumsum(is_in) - 1

        def part(held: ChangedRows) -> ChangedRows:
            found = held.take(is_in[held.member])
            return replace(found, member=numbers[found.member])

        undos = columns.undos.take(is_in[columns.undos.member])
        return RecordColumns(
            members=columns.members.take(is_in), rows=part(columns.rows),
            undos=replace(undos, member=numbers[undos.member]),
        )  # fmt: skip

    def of_tables(self, tids: UInt64s) -> Members:
        """Of some identifiers, the changes of tables, the first and the last record of each unit."""
        members = self.columns.members
        is_in = np.isin(members.tid, tids)
        is_wanted = np.isin(members.role, (Role.OBJECT, Role.COMMIT, Role.ABORT))
        is_wanted |= np.isin(members.index, self.units.first_index)
        return members.take(is_in & is_wanted)

    # -- with what is known of the whole log --------------------------------------------------------

    def settle(self, crossing: dict[int, Crossing], *, heads: bool) -> None:
        """Set what is known of the heads or tails of the part, by their identifiers."""
        units = self.units
        if not crossing:
            return
        which = units.is_first & units.begins_before if heads else units.is_last
        places = np.flatnonzero(which & np.isin(units.tid, np.fromiter(crossing, np.uint64, len(crossing))))
        for place, tid in zip(places.tolist(), units.tid[places].tolist(), strict=True):
            known = crossing[tid]
            units.first_index[place], units.first_lsn[place] = known.first_index, known.first_lsn
            units.previous[place], units.first_stream[place] = known.previous, known.first_stream
            units.is_broken[place] |= known.is_broken
            units.state[place] = STATES.index(known.state)
            if units.state[place] == COMMITTED:
                units.commit_lfs[place], units.commit_lsn[place] = known.commit_lfs, known.commit_lsn
                units.commit_time[place] = known.commit_time
                number = -1 if known.authid is None else self.authids.setdefault(known.authid, len(self.authids))
                units.authid[place] = number

    def undo(self, places: Int64s | None) -> None:
        """Mark more rows as undone, by `row_number`."""
        if places is not None:
            self.is_undone |= np.isin(self.columns.row_numbers, places)

    def without(self, tids: UInt64s | None) -> Int64s:
        """Numbers of the changed rows whose transactions are not among some."""
        columns = self.columns
        if tids is None or not len(tids):
            return np.arange(len(columns.rows))
        return np.flatnonzero(~np.isin(columns.members.tid[columns.rows.member], tids))


def _different(ids: Int64s, values: Any) -> dict[int, Any]:
    """The different values of each table, ascending."""
    order = np.lexsort((values, ids))
    ids, values = ids[order], values[order]
    is_first = np.append(True, ids[1:] != ids[:-1])[: len(ids)]
    is_kept = is_first | np.append(True, values[1:] != values[:-1])[: len(ids)]
    starts = np.flatnonzero(is_first[is_kept])
    return dict(zip(ids[is_first].tolist(), np.split(values[is_kept], starts[1:]), strict=True)) if len(ids) else {}


def _moved(extent: RecordExtent, first: int) -> RecordExtent:
    return RecordExtent(extent.index + first, extent.pieces, extent.resume)
