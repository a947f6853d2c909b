"""LOB columns: how LOB records number the columns of a table, which no manual states: from 0 as the catalog, or from 1.

A number fits a table if every LOB record of it then names a column that keeps values out of the row. One server counts
in one way, so tables that only one number fits decide for the others. Ids may be used again for another table, and the
columns of one may change: LOB records are of the description that was in force at them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from lmparse.db2.record.log_record import Ids
from lmparse.db2.tables.history import TableHistory, TableRecord
from lmparse.db2.tables.table import Table
from lmparse.spec import catalog

_UNDESCRIBED = -1
"""In the place of the number of a version: nothing describes the table behind the record that dropped another."""


Places = set[tuple[int, int, int]]
"""Numbers of LOB records of a table, the column that each names, and the identifier of its transaction; zero for one
that describes no table. Of those between two records that describe a table or take that back, at least one for each
column and transaction."""


@cache
def whole_row() -> int:
    """Column number of pieces that contain the varying values of a whole row."""
    return catalog.load("db2_lob").enum("column")["whole_row"]


def numbered(table: Table) -> set[int]:
    """The numbers of the columns of a table that LOB records may name."""
    return {column.number for column in table.columns if column.sql_type.is_lob or column.type == "XML"}


def fitting(ids: Iterable[int], table: Table) -> tuple[int, ...]:
    """The numbers of the first column, 0 and 1, that fit a table whose LOB records have some column numbers."""
    able = numbered(table)
    named = {number for number in ids if number != whole_row()}
    return tuple(first for first in (0, 1) if {number + 1 - first for number in named} <= able)


def by_version(places: Places, described: Sequence[TableRecord]) -> dict[int, set[int]]:
    """The columns that LOB records of a table name, by the number of the version that was in force at them.

    0 is the one before the first description. One that was not committed is in force for its own transaction, until it
    is taken back.
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
    """The number of the first column that the tables of a log, or earlier files of it, prove; None if none does.

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
