"""The page on Db2 for LUW: its SQL prints a tables file that is read."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from lmparse.db2.tables.table import Table, read_tables_file
from lmparse.samples.db2_log import tables, tables_file

PAGE = (Path(__file__).parents[2] / "docs" / "db2-luw.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE))
CATALOG_NAMES = {"CHAR": "CHARACTER"}
DISTINCT = "EURO"
"""The distinct type of all columns that are DECIMAL(9,2)."""


def catalog_row(table: Table, number: int) -> tuple[object, ...]:
    """A column as SYSCAT.COLUMNS has it."""
    column = table.columns[number]
    type_ = column.sql_type
    length = {"DECIMAL": type_.precision, "TIMESTAMP": 10}.get(type_.name, type_.length)
    scale = type_.precision if type_.name == "TIMESTAMP" else type_.scale
    named = ("SYSIBM", CATALOG_NAMES.get(type_.name, type_.name), length, scale)
    if column.sql_words == "DECIMAL(9,2)":
        named = ("PAY", DISTINCT, 0, 0)
    return (
        *(table.schema, table.name, column.name, number, *named),
        *("Y" if column.is_nullable else "N", 0 if type_.is_bit_data else 1208),
        table.key.index(column.name) + 1 if column.name in table.key else None,
    )


def test_the_sql_prints_a_tables_file(tmp_path: Path) -> None:
    """Run on SQLite, which has the same words for it; the values are what the catalog would have."""
    database = sqlite3.connect(":memory:")
    database.execute("ATTACH ':memory:' AS syscat")
    database.execute("CREATE TABLE syscat.tables (tabschema, tabname, type, datacapture, tbspaceid, tableid)")
    names = "tabschema, tabname, colname, colno, typeschema, typename, length, scale, nulls, codepage, keyseq"
    database.execute(f"CREATE TABLE syscat.columns ({names})")
    names = "typeschema, typemodulename, typename, sourcename, metatype, length, scale, codepage"
    database.execute(f"CREATE TABLE syscat.datatypes ({names})")
    types = [
        ("SYSIBM", None, "INTEGER", None, "S", 4, 0, 0), ("PAY", None, DISTINCT, "DECIMAL", "T", 9, 2, 0),
        ("PAY", "M", DISTINCT, "INTEGER", "T", 4, 0, 0),
    ]  # fmt: skip
    database.executemany("INSERT INTO syscat.datatypes VALUES (?, ?, ?, ?, ?, ?, ?, ?)", types)
    first, second = tables()
    wanted = [replace(first, key=("NAME", "EMPNO")), replace(second, key=())]
    for table in wanted:
        row = (table.schema, table.name, "T", "Y", table.tablespace_id, table.table_id)
        database.execute("INSERT INTO syscat.tables VALUES (?, ?, ?, ?, ?, ?)", row)
        rows = [catalog_row(table, number) for number in range(len(table.columns))]
        database.executemany("INSERT INTO syscat.columns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    lines = [line for (line,) in database.execute(BLOCKS["sql"])]
    database.close()
    path = tmp_path / "tables.yaml"
    path.write_text("\n".join(["tables:", *lines]) + "\n")
    assert list(read_tables_file(str(path)).values()) == wanted


@pytest.mark.parametrize("text", [BLOCKS["yaml"], tables_file(tables())], ids=["page", "sample"])
def test_tables_files_that_are_shown_are_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "tables.yaml"
    path.write_text(text)
    assert read_tables_file(str(path))
