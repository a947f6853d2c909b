"""History of a Db2 LUW table: the records of a log that describe it, drop it, or drop columns of it, in their order.

Which one is in force depends on the transaction that asks: its own records count as soon as they are written, those of
others when they are committed, and those that were taken back up to where that was done.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lmparse.db2.record.kinds import DROP, DROP_COLUMNS, INITIALIZE
from lmparse.db2.tables.table import Table
from lmparse.framing.extents import RecordExtent


class ColumnRange:
    """The descriptions of a table up to where it, or columns of it, are dropped: each adds columns to one in front.

    Those that hold have each the columns of the one before. One that was taken back may have other columns than the one
    that came instead, and is none of them.
    """

    def __init__(self, begin: TableRecord | None) -> None:
        """`begin`: the record with which it begins; None if that is in front of the log."""
        self.begin = begin
        self.tables: list[Table] = []
        """Those that were not taken back, but with all of it."""
        self._asked: tuple[Table, bool] | None = None

    def has_one_of(self, other: Table) -> bool:
        """Whether one that holds has the columns of another description, as `Table.has_columns_of`."""
        if self._asked is None or self._asked[0] is not other:
            self._asked = other, any(table.has_columns_of(other) for table in self.tables)
        return self._asked[1]

    @property
    def is_made(self) -> bool:
        """Whether the table is there to go on from: its beginning is committed, or in front of the log."""
        return self.begin is None or self.begin.is_committed

    def contradicts(self, other: Table) -> bool:
        """Whether another description has otherwise what all of them go on from, whatever was taken back."""
        return self.is_made and bool(self.tables) and self.tables[0].differs_from(other) is not None


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A description of a table in the log, a record that drops the table or columns of it, or one in front of the log
    that defines it otherwise and is taken back in the log."""

    table: Table | None
    """From there on. None if nothing describes it: the record drops the table, or columns of it, or is not there, and
    none behind it describes the next one with its ids, or the columns that are left."""
    index: int
    """Number of its record; of one that is not there, of the one behind which it may be."""
    transaction: int
    """Number of the transaction that made it."""
    is_committed: bool
    is_undone: bool
    before: Table | None = None
    """Description of the table as it was before, from the same record; once it is settled, only where none in front
    of the record describes the table, and from the beginning of the log on."""
    extent: RecordExtent | None = None
    """Its record; None if the record was read before, see `checkpoint`, or is not there."""
    tid: int = 0
    """Identifier of that transaction."""
    until: int | None = None
    """Number of the record that took it back, that ended its transaction otherwise than with a commit, or that begins
    another one with its identifier; None if there is none."""
    is_open: bool = False
    """Whether that transaction has no end in the log."""
    sequence: int = 0
    """Number of the last version up to here."""
    kind: str = ""
    """Kind of the record; empty if it is not there."""
    is_last_table: bool = True
    """Whether no other table with its ids is described behind; known once it is settled, as those below."""
    has_last_columns: bool = True
    """Whether moreover no columns were dropped behind: a later description only has more, if neither is taken back."""
    column_range: ColumnRange | None = None
    """The descriptions with which it has its first columns in common; known once it is settled."""
    may_be_gone: str = ""
    """What a record drops behind all descriptions, in front of a table that nothing describes: `table` or `columns`."""

    @property
    def is_taken_back(self) -> bool:
        """Whether the table never was so for others, and will not be."""
        return self.is_undone or not (self.is_committed or self.is_open)


class TableHistory:
    """The descriptions of one table, so that the one in force is found without a walk over all."""

    def __init__(self, records: Sequence[TableRecord]) -> None:
        self._committed = _InOrder()
        self._own: dict[int, _InOrder] = {}
        """By transaction that made them, those that it did not take back."""
        self._with_undone: dict[int, _InForce] = {}
        """All of them, by transaction."""
        self._before = _InOrder()
        """Those that state the columns from the beginning of the log on."""
        all_own: dict[int, list[TableRecord]] = {}
        for record in records:
            if record.is_committed:
                self._committed.add(record)
            if not record.is_undone:
                self._own.setdefault(record.transaction, _InOrder()).add(record)
            all_own.setdefault(record.transaction, []).append(record)
            if record.before is not None:
                self._before.add(record)
        for transaction, own in all_own.items():
            self._with_undone[transaction] = _InForce(own)

    def at(self, index: int, transaction: int, *, is_undone: bool) -> tuple[Table, TableRecord] | None:
        """The description in force at a record of a transaction, and the record that has it."""
        record = self.record_at(index, transaction, is_undone=is_undone)
        if record is None:
            following = self._before.behind(index)
            return None if following is None or following.before is None else (following.before, following)
        return None if record.table is None else (record.table, record)

    def is_made_behind(self, index: int) -> bool:
        """Whether a record behind makes or drops a table, of which none states the columns before."""
        return self._committed.behind(index) is not None

    def record_at(self, index: int, transaction: int, *, is_undone: bool) -> TableRecord | None:
        """The last record that describes or drops the table for a record of a transaction."""
        committed = self._committed.at(index)
        if is_undone:
            in_force = self._with_undone.get(transaction)
            own = None if in_force is None else in_force.at(index)
        else:
            held = self._own.get(transaction)
            own = None if held is None else held.at(index)
        return own if own is not None and (committed is None or own.index >= committed.index) else committed


class _InForce:
    """Which of the descriptions by one transaction is in force, with those that it took back up to where it did so."""

    def __init__(self, records: Sequence[TableRecord]) -> None:
        self._indexes = turning_points(records)
        self._found: list[TableRecord | None] = []
        coming, open_ = sorted(records, key=lambda record: record.index, reverse=True), list[TableRecord]()
        for index in self._indexes:
            while coming and coming[-1].index <= index:
                open_.append(coming.pop())
            while open_ and (until := open_[-1].until) is not None and until <= index:
                open_.pop()
            self._found.append(open_[-1] if open_ else None)

    def at(self, index: int) -> TableRecord | None:
        """The one at a record."""
        place = bisect_right(self._indexes, index)
        return self._found[place - 1] if place else None


def turning_points(records: Sequence[TableRecord]) -> list[int]:
    """Numbers of the records with which another description of a table may be in force, ascending."""
    untils = {record.until for record in records if record.until is not None}
    return sorted({record.index for record in records} | untils)


class _InOrder:
    """Descriptions in the order of the log."""

    def __init__(self) -> None:
        self._indexes: list[int] = []
        self._records: list[TableRecord] = []

    def add(self, record: TableRecord) -> None:
        self._indexes.append(record.index)
        self._records.append(record)

    def at(self, index: int) -> TableRecord | None:
        """The last one up to a record."""
        place = bisect_right(self._indexes, index)
        return self._records[place - 1] if place else None

    def behind(self, index: int) -> TableRecord | None:
        """The first one behind a record."""
        place = bisect_right(self._indexes, index)
        return self._records[place] if place < len(self._records) else None


def settled(records: Sequence[TableRecord], number: int = 0) -> list[TableRecord]:
    """The descriptions of one table, all of them, with their numbers, of which `number` is the last one before.

    The columns that a record states as those before hold from where the table begins: where the one with its ids before
    it was dropped, or in front of the log. In between nothing else may describe it, or its columns are known.
    """
    history = TableHistory(records)
    is_begun_before, first = set[int](), dict[int, Table]()
    doubtful: TableRecord | None = None
    for record in records:
        if record.before is None:
            # Whether others behind it change this table or the one before is not known.
            doubtful = record if record.is_open and not record.is_undone else doubtful
            continue
        begin = history.record_at(record.index - 1, record.transaction, is_undone=True)
        if _is_doubtful(record, begin, doubtful):
            continue
        if begin is None:
            is_begun_before.add(record.index)
        elif begin.table is None:
            first.setdefault(id(begin), record.before)
    tables, columns = (_Ranges(records, history, kinds, first) for kinds in (_OF_A_TABLE, _OF_COLUMNS))
    may_be_gone = "table" if tables.has_open_end else "columns" if columns.has_open_end else ""
    found = []
    for record in records:
        table = first.get(id(record)) if record.table is None else record.table
        number += table is not None
        column_range = columns.of(record)
        before = record.before if record.index in is_begun_before else None
        table = None if table is None else replace(table, sequence=number)
        # What is taken back with the whole range holds in it. Else what the columns were before may be taken back too.
        holds = not record.is_taken_back or not column_range.is_made
        column_range.tables += (one for one in ((record.before, table) if holds else (before,)) if one is not None)
        found.append(
            replace(
                record, table=table, before=before, sequence=number, is_last_table=tables.is_last(record),
                has_last_columns=columns.is_last(record), may_be_gone=may_be_gone, column_range=column_range,
            )
        )  # fmt: skip
    return found


_OF_A_TABLE = frozenset((INITIALIZE, DROP))
_OF_COLUMNS = _OF_A_TABLE | {DROP_COLUMNS}
"""Kinds of records behind which nothing that was described in front holds: of a table, and of its columns."""


class _Ranges:
    """Which descriptions of one table go on from one another: those from one record of some kinds to the next one."""

    def __init__(
        self, records: Sequence[TableRecord], history: TableHistory, kinds: frozenset[str], first: Mapping[int, Table]
    ) -> None:
        """`first`: the descriptions behind records that have none, by identity of these."""
        front = ColumnRange(None)
        self._ranges = {id(one): ColumnRange(one) for one in records if one.kind in kinds or not one.kind}
        """The range of each record, by identity."""
        for record in records:
            if id(record) not in self._ranges:
                known = history.record_at(record.index - 1, record.transaction, is_undone=True)
                self._ranges[id(record)] = self._ranges.get(id(known), front)
        committed = [record for record in records if record.kind in kinds and record.is_committed]
        described = [self.of(record) for record in records if record.table is not None or id(record) in first]
        among = set(described)
        last = next((found for one in reversed(committed) if (found := self.of(one)) in among), front)
        if described and last not in among:
            last = described[-1]
        behind = -1 if last.begin is None else last.begin.index
        may_follow = [record for record in records if record.kind in kinds and record.is_open]
        may_follow = [record for record in may_follow if not record.is_undone and record.index > behind]
        self._last = {last, *map(self.of, may_follow)}
        """The last range that is described, and those that may be behind it: of transactions without an end."""
        self.has_open_end = bool(may_follow) or (bool(committed) and committed[-1].index > behind)
        """Whether another range begins behind that, or may do so, which nothing describes."""

    def of(self, record: TableRecord) -> ColumnRange:
        """The range that a description is in."""
        return self._ranges[id(record)]

    def is_last(self, record: TableRecord) -> bool:
        """Whether a description is in the last range that is described, or in one that may be it."""
        return self.of(record) in self._last


def unlike_before(records: Sequence[TableRecord]) -> list[TableRecord]:
    """Of the descriptions of one table, not settled, those that add columns to others than are described in front."""
    history, found = TableHistory(records), list[TableRecord]()
    for record in records:
        if record.before is not None:
            known = history.record_at(record.index - 1, record.transaction, is_undone=True)
            if known is not None and known.table is not None and not known.table.has_columns_of(record.before):
                found.append(record)
    return found


def _is_doubtful(record: TableRecord, begin: TableRecord | None, other: TableRecord | None) -> bool:
    """Whether the table that a record changes may begin behind `begin`: with `other`, of which no end is in the log."""
    if other is None or other.transaction == record.transaction:
        return False
    return begin is None or begin.index < other.index
