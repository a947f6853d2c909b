"""History of a Db2 LUW table: the records of a log, in their order, that describe the table, drop it or change its
columns.

A record is in force from its own place on: for all transactions if it is committed, else only for its own transaction,
up to the place where it is taken back.
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
    """A record of the log that describes a table, drops it, or changes its columns. A record that is taken back in the
    log may itself be in front of the log."""

    table: Table | None
    """The table behind the record. None if nothing describes it: the record drops the table, or drops or alters columns
    of it, or is not in the log, and no later record states the table of then."""
    index: int
    """Number of the record; if it is not in the log, the number of the record behind which it may be."""
    transaction: int
    """Number of the transaction that made the record."""
    is_committed: bool
    is_undone: bool
    before: Table | None = None
    """The former description of the table, from the same record. Once settled, it is kept only if no record in front
    describes the table; it then holds from the beginning of the log on."""
    extent: RecordExtent | None = None
    """Extent of the record; None if an earlier reading had it, see `checkpoint`, or if it is not in the log."""
    tid: int = 0
    """Identifier of the transaction."""
    until: int | None = None
    """Number of the record that took it back, that ended its transaction without a commit, or at which another
    transaction uses the identifier; None without one."""
    is_open: bool = False
    """Whether the transaction has no end in the log."""
    sequence: int = 0
    """Number of the last version up to the record."""
    kind: str = ""
    """Kind of the record; empty if it is not in the log."""
    is_last: bool = True
    """Whether no later record drops the table, makes it, or drops or alters columns of it; known once it is settled."""
    is_last_table: bool = True
    """Whether no later record drops the table or makes it."""

    @property
    def is_taken_back(self) -> bool:
        """Whether the record never counted for other transactions, and never will."""
        return self.is_undone or not (self.is_committed or self.is_open)


class TableHistory:
    """Finds the record of a table that is in force at a place of the log, without a walk over all records."""

    def __init__(self, records: Sequence[TableRecord]) -> None:
        own: dict[int, list[TableRecord]] = {}
        for record in records:
            own.setdefault(record.tid, []).append(record)
        self._committed = _InForce([record for record in records if record.is_committed])
        self._own = {tid: _InForce(some) for tid, some in own.items()}
        """By identifier of the transaction of the records."""
        self._indexes = [record.index for record in records]
        self._before = sorted((record for record in records if record.before is not None), key=_index_of)
        """Records that state former columns."""
        self._last = _last_index(records, _OF_COLUMNS)

    def at(self, index: int, tid: int) -> tuple[Table | None, TableRecord | None]:
        """The description in force at record `index` of a transaction, and the record that states it. The description
        is None if that record leaves the table undescribed, or if there is no record."""
        record = self.record_at(index, tid)
        place = bisect_right(self._before, index, key=_index_of)
        if record is None and place < len(self._before):
            return self._before[place].before, self._before[place]
        return None if record is None else record.table, record

    def next_index(self, index: int) -> int:
        """Number of the next record of the table behind record `index`; `index` if there is none."""
        return min((number for number in self._indexes if number > index), default=index)

    def is_last(self, index: int) -> bool:
        """Whether no record behind record `index` drops the table, makes it, or drops or alters columns of it."""
        return index >= self._last

    def record_at(self, index: int, tid: int) -> TableRecord | None:
        """The record that is in force at record `index` of a transaction; None if there is none."""
        committed, own = self._committed.at(index), self._own[tid].at(index) if tid in self._own else None
        return own if own is not None and (committed is None or own.index >= committed.index) else committed


class _InForce:
    """Finds the last of some records that is not taken back at a place of the log."""

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
        """The record in force at record `index`; None if there is none."""
        place = bisect_right(self._indexes, index)
        return self._found[place - 1] if place else None


def _index_of(record: TableRecord) -> int:
    return record.index


def turning_points(records: Sequence[TableRecord]) -> list[int]:
    """Numbers of the records at which another description of a table may come into force, ascending."""
    untils = {record.until for record in records if record.until is not None}
    return sorted({record.index for record in records} | untils)


def settled(records: Sequence[TableRecord], number: int = 0) -> list[TableRecord]:
    """The records of one table with the numbers of versions; `number` is the number of the last version before them.

    The former columns in a record hold from where the table begins: behind the drop of an earlier table with its ids,
    or from the beginning of the log on. In between, nothing else may describe the table.
    """
    history = TableHistory(records)
    is_begun_before, first = set[int](), dict[int, Table]()
    doubtful: TableRecord | None = None
    for record in records:
        if record.before is None:
            # Behind an open description, records may be of its table or of the table before it.
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
"""Kinds of records behind which no earlier description holds: of a table, and of its columns."""


def _last_index(records: Iterable[TableRecord], kinds: frozenset[str]) -> int:
    """Number of the last record of some kinds that is not taken back; -1 if there is none."""
    return max((record.index for record in records if record.kind in kinds and not record.is_taken_back), default=-1)


def unlike_before(records: Sequence[TableRecord]) -> list[TableRecord]:
    """The records of one table, not settled, that add columns to other columns than are described in front."""
    history, found = TableHistory(records), list[TableRecord]()
    for record in records:
        if record.before is not None:
            known = history.record_at(record.index - 1, record.tid)
            if known is not None and known.table is not None and not known.table.has_columns_of(record.before):
                found.append(record)
    return found


def _is_doubtful(record: TableRecord, begin: TableRecord | None, other: TableRecord | None) -> bool:
    """Whether the table of a record may begin behind `begin`: with `other`, a record of an open transaction."""
    if other is None or other.transaction == record.transaction:
        return False
    return begin is None or begin.index < other.index
