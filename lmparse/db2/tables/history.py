"""History of a Db2 LUW table: the records of a log that describe it, drop it, or change columns of it, in their order.

Which one is in force depends on the transaction that asks: its own records count as soon as they are written, those of
others when they are committed, and those that were taken back up to where that was done.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lmparse.db2.record.kinds import DROP, INITIALIZE, UNDESCRIBED
from lmparse.db2.tables.table import Table
from lmparse.framing.extents import RecordExtent


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A description of a table in the log, a record that drops the table or columns of it, or one in front of the log
    that defines it otherwise and is taken back in the log."""

    table: Table | None
    """From there on. None if nothing describes it: the record drops the table, or drops or alters columns of it, or is
    not there, and none behind it says what the table was then."""
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
    is_last: bool = True
    """Whether the table is not dropped or made anew behind, and no columns of it are dropped or altered; known once it
    is settled, as below."""
    is_last_table: bool = True
    """Whether the table is not dropped or made anew behind."""

    @property
    def is_taken_back(self) -> bool:
        """Whether the table never was so for others, and will not be."""
        return self.is_undone or not (self.is_committed or self.is_open)


class TableHistory:
    """The descriptions of one table, so that the one in force is found without a walk over all."""

    def __init__(self, records: Sequence[TableRecord]) -> None:
        own: dict[int, list[TableRecord]] = {}
        for record in records:
            own.setdefault(record.tid, []).append(record)
        self._committed = _InForce([record for record in records if record.is_committed])
        self._own = {tid: _InForce(some) for tid, some in own.items()}
        """By identifier of the transaction that made them."""
        self._indexes = [record.index for record in records]
        self._before = sorted((record for record in records if record.before is not None), key=_index_of)
        """Those that state the columns from the beginning of the log on."""
        self._last = _last_index(records, _OF_COLUMNS)

    def at(self, index: int, tid: int) -> tuple[Table | None, TableRecord | None]:
        """The description in force at a record of a transaction, and the record that says it; a record without a
        description if that says that nothing is known."""
        record = self.record_at(index, tid)
        place = bisect_right(self._before, index, key=_index_of)
        if record is None and place < len(self._before):
            return self._before[place].before, self._before[place]
        return None if record is None else record.table, record

    def next_index(self, index: int) -> int:
        """Number of the next record of the table from another one on; that of this one if none is behind it."""
        return min((one for one in self._indexes if one > index), default=index)

    def is_last(self, index: int) -> bool:
        """Whether no record behind another one drops the table, makes it, or drops or alters columns of it."""
        return index >= self._last

    def record_at(self, index: int, tid: int) -> TableRecord | None:
        """The last record that describes or drops the table for a record of a transaction."""
        committed, own = self._committed.at(index), self._own[tid].at(index) if tid in self._own else None
        return own if own is not None and (committed is None or own.index >= committed.index) else committed


class _InForce:
    """Which of some descriptions is in force: the last one that is not taken back."""

    def __init__(self, records: Sequence[TableRecord]) -> None:
        self._indexes = turning_points(records)
        self._found: list[TableRecord | None] = []
        coming, open_ = sorted(records, key=_index_of, reverse=True), list[TableRecord]()
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


def _index_of(record: TableRecord) -> int:
    return record.index


def turning_points(records: Sequence[TableRecord]) -> list[int]:
    """Numbers of the records with which another description of a table may be in force, ascending."""
    untils = {record.until for record in records if record.until is not None}
    return sorted({record.index for record in records} | untils)


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
        begin = history.record_at(record.index - 1, record.tid)
        if _is_doubtful(record, begin, doubtful):
            continue
        if begin is None:
            is_begun_before.add(record.index)
        elif begin.table is None:
            first.setdefault(id(begin), record.before)
    last, last_table = _last_index(records, _OF_COLUMNS), _last_index(records, _OF_A_TABLE)
    found = []
    for record in records:
        table = first.get(id(record)) if record.table is None else record.table
        number += table is not None
        found.append(
            replace(
                record, table=None if table is None else replace(table, sequence=number),
                before=record.before if record.index in is_begun_before else None, sequence=number,
                is_last=record.index >= last, is_last_table=record.index >= last_table,
            )
        )  # fmt: skip
    return found


_OF_A_TABLE = frozenset((INITIALIZE, DROP))
_OF_COLUMNS = _OF_A_TABLE.union(UNDESCRIBED)
"""Kinds of records behind which nothing that was described in front holds: of a table, and of its columns."""


def _last_index(records: Iterable[TableRecord], kinds: frozenset[str]) -> int:
    """Number of the last record of some kinds that was not taken back, or may still be; -1 if there is none."""
    return max((one.index for one in records if one.kind in kinds and not one.is_taken_back), default=-1)


def unlike_before(records: Sequence[TableRecord]) -> list[TableRecord]:
    """Of the descriptions of one table, not settled, those that add columns to others than are described in front."""
    history, found = TableHistory(records), list[TableRecord]()
    for record in records:
        if record.before is not None:
            known = history.record_at(record.index - 1, record.tid)
            if known is not None and known.table is not None and not known.table.has_columns_of(record.before):
                found.append(record)
    return found


def _is_doubtful(record: TableRecord, begin: TableRecord | None, other: TableRecord | None) -> bool:
    """Whether the table that a record changes may begin behind `begin`: with `other`, of which no end is in the log."""
    if other is None or other.transaction == record.transaction:
        return False
    return begin is None or begin.index < other.index
