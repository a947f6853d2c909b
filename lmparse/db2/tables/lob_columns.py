"""LOB columns: how LOB records number the columns of a table, from 0 as the catalog, or from 1. No manual states it.

A number fits a table if every LOB record of it then names a column that keeps values out of the row. A server counts in
one way, so tables that only one number fits decide for all tables. Ids may be used again for another table, and a table
may change its columns. So a LOB record belongs to the description that was in force at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from lmparse.db2.record.log_record import Ids
from lmparse.db2.tables.history import TableHistory, TableRecord
from lmparse.db2.tables.table import Table
from lmparse.spec import catalog

_UNDESCRIBED = -1
"""In place of the number of a version: the record in force does not describe the table."""
Places = set[tuple[int, int, int]]
"""LOB records of a table: number, column that the record names, and identifier of the transaction; zero for a
transaction that describes no table. Between two records that make or undo a description, one LOB record stands for all
others of its column and transaction."""


@cache
def whole_row() -> int:
    """Column number of pieces that contain the varying values of a whole row."""
    return catalog.load("db2_lob").enum("column")["whole_row"]


def numbered(table: Table) -> set[int]:
    """The numbers of the columns of a table that LOB records may name."""
    return {column.number for column in table.columns if column.sql_type.is_lob or column.type == "XML"}


def fitting(ids: Iterable[int], table: Table) -> tuple[int, ...]:
    """The numbers of the first column, 0 and 1, that fit a table whose LOB records name the columns `ids`."""
    able = numbered(table)
    named = {number for number in ids if number != whole_row()}
    return tuple(first for first in (0, 1) if {number + 1 - first for number in named} <= able)


def by_version(places: Places, described: Sequence[TableRecord]) -> dict[int, set[int]]:
    """The columns that LOB records of a table name, by the number of the version in force at the records.

    Version 0 is in front of the first description. A version that is not committed is in force for its own transaction,
    until it is taken back.
    """
    found: dict[int, set[int]] = {}
    history = TableHistory(described)
    for index, column, tid in places:
        record = history.record_at(index, tid)
        version = 0 if record is None else _UNDESCRIBED if record.table is None else record.table.sequence
        found.setdefault(version, set()).add(column)
    return found


def proven(
    column_ids: Mapping[Ids, Places],
    described: Mapping[Ids, Sequence[TableRecord]],
    named: Mapping[Ids, Table],
    known: int | None,
) -> int | None:
    """The number of the first column that all tables of a log, or earlier files of it, prove; None without one.

    `described` are the descriptions in the log, `named` those of the tables file; `known` is what earlier files prove.
    """
    found = set() if known is None else {known}
    for ids, places in column_ids.items():
        records = described.get(ids, ())
        first = next((record.before for record in records if record.before is not None), named.get(ids))
        tables = {record.table.sequence: record.table for record in records if record.table is not None}
        if first is not None:
            tables[0] = first
        for version, numbers in by_version(places, records).items():
            fits = fitting(numbers, tables[version]) if version in tables else ()
            found.update(fits if len(fits) == 1 else ())
    return found.pop() if len(found) == 1 else None
