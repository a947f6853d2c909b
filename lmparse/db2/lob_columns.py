"""LOB columns: how LOB records number the columns of a table, which no manual states: from 0 as the catalog, or from 1.

A number fits a table if every LOB record of it then names a column that keeps values out of the row. One server counts
in one way, so tables that only one number fits decide for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Protocol

from lmparse.db2.tables import Ids, Table
from lmparse.spec import catalog

_EVIDENCE = "LOB columns count from {}"
"""What a checkpoint keeps of it."""


class _Described(Protocol):
    """A description of a table in the log, as `TableRecord`."""

    @property
    def table(self) -> Table: ...


@cache
def whole_row() -> int:
    """Column number of pieces that contain the varying values of a whole row."""
    return catalog.load("db2_lob").enum("column")["whole_row"]


def fitting(ids: Iterable[int], table: Table) -> tuple[int, ...]:
    """The numbers of the first column, 0 and 1, that fit a table whose LOB records have some column numbers."""
    able = {column.number for column in table.columns if column.sql_type.is_lob or column.type == "XML"}
    named = {number for number in ids if number != whole_row()}
    return tuple(first for first in (0, 1) if {number + 1 - first for number in named} <= able)


def proven(
    column_ids: Mapping[Ids, set[int]],
    described: Mapping[Ids, Iterable[_Described]],
    named: Mapping[Ids, Table],
    evidence: Iterable[str],
) -> int | None:
    """The number of the first column that the tables of a log, or earlier files of it, prove; None if none does.

    `described` are the descriptions in the log, `named` those of the tables file.
    """  # fmt: skip
    found = {first for first in (0, 1) if _EVIDENCE.format(first) in evidence}
    for ids, numbers in column_ids.items():
        tables = [record.table for record in described.get(ids, ())]
        for table in [*tables, named[ids]] if ids in named else tables:
            fits = fitting(numbers, table)
            found.update(fits if len(fits) == 1 else ())
    return found.pop() if len(found) == 1 else None


def evidence_of(first: int | None) -> frozenset[str]:
    """What a checkpoint keeps of the number that is proven."""
    return frozenset() if first is None else frozenset({_EVIDENCE.format(first)})
