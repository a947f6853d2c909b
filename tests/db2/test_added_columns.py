"""Columns that are added to a table of Db2 LUW that has rows: the rows before and behind are read as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from db2.redefined_tables import ADDED, FIRST, SECOND, insert, replaced
from samples import db2_scripts as luw
from samples.db2_scripts import ITEM, item, read, without_description
from writers.db2 import dms
from writers.db2.columns import Column
from writers.db2.dms import Place
from writers.db2.stream import Stream
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


_BYTES = {"after_bytes"}


def _shown(found: luw.Read) -> list[Any]:
    """Of each insert the row, or which detail it has in place of it."""
    return [
        set(row["detail"]) if row["after"] is None else tuple(row["after"].values())
        for row in found.rows
        if row["op"] == "I"
    ]


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_a_tables_file_says_nothing_of_a_table_in_front(engine: str, tmp_path: Path) -> None:
    """The file is of the last table with its ids; nothing describes the one in front, whose rows stay bytes."""
    note = "rows of table 2.6 in front of a record that makes or drops it, or drops or alters columns of it, are kept"
    for is_first in (True, False):
        stream = Stream("v10", "little", "filter")
        if is_first:
            insert(stream, FIRST, 1)
        unit = stream.begin()
        replaced(unit)
        unit.commit()
        insert(stream, SECOND, 2)
        found = read(tmp_path, stream, operations="I", engine=engine, tables=luw.tables_file(tmp_path, SECOND))
        assert _shown(found) == [*([_BYTES] if is_first else []), (2, "BCDE")]
        assert found.has_note(note) is is_first


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("begins", ["drop", "initialize", "both"])
@pytest.mark.parametrize("ends", ["commit", "abort", "open", "savepoint"])
def test_columns_before_are_not_those_of_another_table(ends: str, begins: str, engine: str, tmp_path: Path) -> None:
    """The columns before an added one are those of the table that is altered, back to where it begins."""
    stream = Stream("v10", "little", "filter")
    insert(stream, FIRST, 1)
    unit = stream.begin()
    mark = unit.mark()
    if begins != "initialize":
        unit.drop_table(FIRST)
    if begins != "drop":
        unit.create_table(SECOND)
        unit.initialize(SECOND)
    unit.insert(SECOND, {"ID": 2, "T": "two"})
    wider = unit.add_columns(SECOND, ADDED)
    unit.insert(wider, {"ID": 3, "T": "tri", "D": "2026-03-14"})
    if ends == "savepoint":
        unit.rollback_to(mark)
        unit.insert(FIRST, {"ID": 4, "N": 4})
    if ends == "abort":
        unit.abort()
    elif ends != "open":
        unit.commit()
    options = {"operations": "I", "include": "all", "engine": engine}
    found = read(tmp_path, stream, **options)
    assert found.codes == []
    behind = [_BYTES] if ends == "savepoint" else []
    assert _shown(found) == [_BYTES, (2, "two"), (3, "tri", "2026-03-14"), *behind]
    assert f"{1 + len(behind)} rows of table 2.6 are kept as bytes: nothing describes the table" in found.notes


_WIDE = replace(FIRST, columns=(*FIRST.columns, ADDED))


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("is_described", [True, False])
@pytest.mark.parametrize("ends", ["commit", "abort", "savepoint"])
def test_a_description_holds_neither_way_across_dropped_columns(
    ends: str, is_described: bool, engine: str, tmp_path: Path
) -> None:
    """In front they are those that the log has, behind those that the next added column states as before."""
    stream = Stream("v10", "little", "filter")
    if is_described:
        unit = stream.begin()
        unit.initialize(_WIDE)
        unit.commit()
    insert(stream, _WIDE, 1, D="2026-03-14")
    unit = stream.begin()
    mark = unit.mark()
    assert unit.drop_columns(_WIDE, ADDED.name) == FIRST
    if ends == "savepoint":
        unit.rollback_to(mark)
    (unit.abort if ends == "abort" else unit.commit)()
    is_dropped = ends == "commit"
    behind = FIRST if is_dropped else _WIDE
    insert(stream, behind, 2, **({} if is_dropped else {"D": None}))
    wide, number = (1, 0x42434445, "2026-03-14"), 0x42434445
    in_front = wide if is_described else _BYTES
    later = _BYTES if is_dropped or not is_described else (2, number, None)
    found = read(tmp_path, stream, operations="I", engine=engine)
    assert _shown(found) == [in_front, later]
    unit = stream.begin()
    wider = unit.add_columns(behind, Column("E", "INTEGER"))
    unit.commit()
    insert(stream, wider, 3, E=None)
    found = read(tmp_path, stream, operations="I", engine=engine)
    if is_dropped:
        assert _shown(found) == [in_front, (2, number), (3, number, None)]
    else:
        assert _shown(found) == [wide, (2, number, None), (3, number, None, None)]
    assert found.codes == []


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("ends", ["commit", "abort"])
def test_behind_an_altered_column_nothing_describes_the_table(ends: str, engine: str, tmp_path: Path) -> None:
    """No record says how it was altered."""
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(FIRST)
    unit.commit()
    insert(stream, FIRST, 1)
    unit = stream.begin()
    for name in ("alter_column", "alter_lob_column_info"):
        unit.record(name, "normal", dms.named(stream.server, dms.NAMES_ONLY[name], FIRST.id))
    (unit.commit if ends == "commit" else unit.abort)()
    insert(stream, FIRST, 2)
    found = read(tmp_path, stream, operations="I", engine=engine)
    assert _shown(found) == [(1, 0x42434445), _BYTES if ends == "commit" else (2, 0x42434445)]
    assert found.has_note("1 rows of table 2.6 are kept as bytes") is (ends == "commit")


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("is_same", [True, False])
def test_columns_before_that_are_not_those_described_in_front_are_said(
    is_same: bool, engine: str, tmp_path: Path
) -> None:
    """Something in between is not in the log, or was altered; nobody knows from where on."""
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(FIRST)
    unit.commit()
    insert(stream, FIRST, 1)
    unit = stream.begin()
    unit.add_columns(FIRST if is_same else SECOND, ADDED)
    unit.commit()
    found = read(tmp_path, stream, engine=engine)
    assert found.has_note("table 2.6 has other columns than the log describes in front, where some are") is not is_same
    assert _shown(found) == [(1, 0x42434445)]


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_behind_a_savepoint_former_columns_hold_where_the_table_goes_later(engine: str, tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.create_table(ITEM)
    unit.initialize(ITEM)
    mark = unit.mark()
    unit.add_columns(ITEM, Column("D", "DATE"))
    unit.rollback_to(mark)
    unit.insert(ITEM, item(1, "one"))
    unit.abort()
    found = read(tmp_path, stream, operations="I", include="all", engine=engine)
    assert (found.codes, found.values("after")) == ([], [(1, "one")])
