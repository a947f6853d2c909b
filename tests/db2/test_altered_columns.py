"""Columns of a table of Db2 LUW that are altered: no row is read with columns of another time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from samples import db2_scripts as luw
from samples.db2_scripts import read
from writers.db2 import dms
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table

from lmparse.logs.open import table_descriptions

BEFORE = Table(3, 7, "PRICE", (Column("K", "INTEGER", nullable=False), Column("SUM", "DECIMAL(4,0)")))
NOW = replace(BEFORE, columns=(BEFORE.columns[0], Column("SUM", "DECIMAL(5,1)")))
"""Of the same width."""


def altered(*, is_described: bool, is_done: bool = True, times: int = 1) -> Stream:
    stream = Stream("v10", "little", "filter")
    first = stream.begin()
    if is_described:
        first.initialize(BEFORE)
    first.insert(BEFORE, {"K": 1, "SUM": "1234"})
    first.commit()
    for number in range(times):
        if number:
            between = stream.begin()
            between.insert(BEFORE, {"K": 9, "SUM": "9"})
            between.commit()
        unit = stream.begin()
        body = dms.named(stream.server, dms.NAMES_ONLY["alter_column"], BEFORE.id, b"\0\0")
        unit.record("alter_column", "normal", body)
        unit.commit() if is_done else unit.abort()
    last = stream.begin()
    last.insert(NOW if is_done else BEFORE, {"K": 2, "SUM": "1234.5" if is_done else "7"})
    last.commit()
    return stream


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
@pytest.mark.parametrize("is_described", [True, False])
@pytest.mark.parametrize("has_file", [True, False])
def test_rows_around_an_alteration(engine: str, tmp_path: Path, *, is_described: bool, has_file: bool) -> None:
    """The log says what the table was in front, the tables file what it is behind; the other side stays bytes."""
    options: dict[str, Any] = {"tables": luw.tables_file(tmp_path, NOW)} if has_file else {}
    stream = altered(is_described=is_described)
    found = read(tmp_path, stream, operations="I", engine=engine, **options)
    assert found.codes == []
    first = {"C1": 1, "C2": "1234"} if is_described else None
    assert [row["after"] for row in found.rows] == [first, {"K": 2, "SUM": "1234.5"} if has_file else None]
    assert [row["table_name"] for row in found.rows] == [
        "PRICE" if is_described and has_file else "3.7", "PRICE" if has_file else "3.7",
    ]  # fmt: skip
    in_front = "rows of table 3.7 in front of a record that makes or drops it, or drops or alters columns of it, "
    what = "have no names of the tables file" if is_described else "are kept as bytes"
    assert found.has_note(in_front + what) is has_file


def test_the_very_same_columns_have_the_names_of_the_tables_file(tmp_path: Path) -> None:
    """Something else than the type was altered, such as the default."""
    stream = altered(is_described=True)
    found = read(tmp_path, stream, operations="I", tables=luw.tables_file(tmp_path, BEFORE))
    assert found.rows[0]["after"] == {"K": 1, "SUM": "1234"}
    assert found.has_note("have names of the tables file, which is as of the end of the log and has the very same")


def test_between_two_alterations_nothing_describes_the_table(tmp_path: Path) -> None:
    tables = luw.tables_file(tmp_path, NOW)
    found = read(tmp_path, altered(is_described=True, times=2), operations="I", tables=tables)
    assert [row["after"] for row in found.rows] == [{"C1": 1, "C2": "1234"}, None, {"K": 2, "SUM": "1234.5"}]


def test_tables_are_listed_on_both_sides_of_an_alteration(tmp_path: Path) -> None:
    found = read(tmp_path, altered(is_described=True), tables=luw.tables_file(tmp_path, NOW))
    shown = [(one.since, one.until, one.version.columns[1].sql_words) for one in table_descriptions(found.log).found]
    assert shown == [("record 0", "record 3", "DECIMAL(4,0)"), ("record 3", None, "DECIMAL(5,1)")]


def test_an_alteration_that_was_rolled_back_alters_nothing(tmp_path: Path) -> None:
    tables = luw.tables_file(tmp_path, BEFORE)
    found = read(tmp_path, altered(is_described=False, is_done=False), operations="I", tables=tables)
    assert found.values() == [(1, "1234"), (2, "7")]


def test_a_file_with_other_digits_is_not_of_a_log_without_an_alteration(tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(BEFORE)
    unit.insert(BEFORE, {"K": 1, "SUM": "1234"})
    unit.commit()
    found = read(tmp_path, stream, tables=luw.tables_file(tmp_path, NOW), operations="I")
    assert found.codes == ["LMP-C010"]
    assert found.rows == []
