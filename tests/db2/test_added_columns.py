"""Columns that are added to a table of Db2 LUW that has rows: the rows before and behind are read as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from samples import db2_scripts as luw
from samples.db2_scripts import ITEM, described, item, read, without_description
from writers.db2 import dms
from writers.db2.columns import Column
from writers.db2.dms import Place
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.wire import Rid

PLACE = Place(Rid(1, 1))


@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS)
@pytest.mark.parametrize("source", ["log", "file", "add alone"])
def test_rows_around_an_added_column(source: str, generation: Any, byte_order: Any, tmp_path: Path) -> None:
    stream = Stream(generation, byte_order, "bare")
    unit = stream.begin()
    unit.initialize(ITEM)
    unit.insert(ITEM, item(1, "one"))
    wider = unit.add_columns(ITEM, Column("D", "DATE"), Column("V", "VARCHAR(5)"))
    unit.insert(wider, {**item(2, "two"), "D": "2026-03-14", "V": "v"})
    old = stream.image(ITEM, item(1, "one"))
    new = stream.image(wider, {**item(3), "D": None, "V": ""})
    unit.record("update", "normal", dms.update(stream.server, ITEM.id, PLACE, old, new))
    unit.record("delete", "normal", dms.delete(stream.server, ITEM.id, PLACE, old))
    unit.commit()
    data = without_description(stream) if source != "log" else stream.bytes()
    options = {"tables": luw.tables_file(tmp_path, wider)} if source == "file" else {}
    options["include"] = "committed,incomplete"
    found = read(tmp_path, data, generation=generation, operations="I,U,D", **options)
    assert found.codes == []
    assert found.values("after") == [(1, "one"), (2, "two", "2026-03-14", "v"), (3, None, None, ""), None]
    assert found.values("before")[2:] == [(1, "one", None, None)] * 2
    names = ("D", "V") if source == "file" else ("C3", "C4")
    reason = "the row was stored before the column was added; its default is not in the log"
    assert [row["detail"] for row in found.rows[:2]] == [None, None]
    for row in found.rows[2:]:
        assert row["detail"] == {"absent": {f"before.{name}": reason for name in names}}


def test_short_rows_with_value_compression(tmp_path: Path) -> None:
    table = Table(2, 4, "T", (Column("A", "INTEGER"), Column("B", "VARCHAR(5)")), value_compression=True)
    stream = Stream("v10", "little", "bare")
    unit = stream.begin()
    unit.initialize(table)
    unit.insert(table, {"A": 1, "B": "b"})
    wider = unit.add_columns(table, Column("C", "INTEGER"))
    unit.delete(table, {"A": 1, "B": "b"})
    unit.insert(wider, {"A": 2, "B": None, "C": 3})
    unit.commit()
    found = read(tmp_path, stream, operations="I,D")
    assert found.values() == [(1, "b"), None, (2, None, 3)]
    assert found.rows[1]["before"] == {"C1": 1, "C2": "b", "C3": None}
    assert list(found.rows[1]["detail"]["absent"]) == ["before.C3"]


@pytest.mark.parametrize("ends", ["savepoint", "abort", "open"])
def test_a_column_that_was_not_added_after_all(ends: str, tmp_path: Path) -> None:
    stream = described(ITEM, item(1))
    unit = stream.begin()
    mark = unit.mark()
    wider = unit.add_columns(ITEM, Column("D", "DATE"))
    unit.insert(wider, {**item(2), "D": "2026-03-14"})
    if ends == "savepoint":
        unit.rollback_to(mark)
        unit.insert(ITEM, item(3))
        unit.commit()
    elif ends == "abort":
        unit.abort()
    other = stream.begin()
    other.insert(ITEM, item(4))
    other.commit()
    found = read(tmp_path, stream, operations="I", include="all")
    assert found.codes == []
    kept = [(3, None)] if ends == "savepoint" else []
    assert found.values() == [(1, None), (2, None, "2026-03-14"), *kept, (4, None)]
    assert all(row["detail"] is None for row in found.rows)


def test_ids_that_are_used_again(tmp_path: Path) -> None:
    other = Table(3, 5, "OTHER", (Column("D", "DATE", nullable=False), Column("N", "BIGINT")))
    stream = Stream("v9.7", "big", "lsn8")
    unit = stream.begin()
    unit.initialize(ITEM)
    unit.insert(ITEM, item(1))
    unit.drop_table(ITEM)
    unit.commit()
    lost = stream.begin()
    lost.create_table(other)
    lost.initialize(other)
    lost.insert(other, {"D": "2026-03-14", "N": 1})
    lost.abort()
    unit = stream.begin()
    unit.create_table(other)
    unit.initialize(other)
    unit.insert(other, {"D": "2026-03-15", "N": 2})
    unit.commit()
    found = read(tmp_path, stream, operations="I", include="all")
    assert found.codes == []
    assert found.values() == [(1, None), ("2026-03-14", 1), ("2026-03-15", 2)]
    # A tables file is of one time: rows of the other table are bad, and not misread.
    found = read(tmp_path, stream, operations="I", tables=luw.tables_file(tmp_path, other))
    assert set(found.codes) == {"LMP-C010"}
    assert [row["after"] for row in found.rows] == [{"D": "2026-03-15", "N": 2}]
