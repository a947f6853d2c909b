"""Tables of Db2 LUW that are made, dropped and made anew under the same ids, and rows of them."""

from __future__ import annotations

from typing import Any

from writers.db2.columns import Column
from writers.db2.stream import Stream, Transaction
from writers.db2.tables import Table

FIRST = Table(2, 6, "A", (Column("ID", "INTEGER", nullable=False), Column("N", "INTEGER", nullable=False)))
SECOND = Table(2, 6, "B", (Column("ID", "INTEGER", nullable=False), Column("T", "CHAR(4)", nullable=False)))
ADDED = Column("D", "DATE")


def insert(stream: Stream, table: Table, number: int, **values: Any) -> None:
    unit = stream.begin()
    second = "BCDE" if table.columns[1].word == "CHAR" else 0x42434445
    unit.insert(table, {"ID": number, table.columns[1].name: second, **values})
    unit.commit()


def replaced(unit: Transaction) -> None:
    """Drop the first table, and make the second one under its ids."""
    unit.drop_table(FIRST)
    unit.create_table(SECOND)
    unit.initialize(SECOND)


def insert_described(stream: Stream, table: Table) -> None:
    unit = stream.begin()
    unit.initialize(table)
    unit.commit()
    insert(stream, table, 1)
