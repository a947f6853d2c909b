"""How LOB records count the columns of a table: from 0 or from 1, as the log proves it, or as the option says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from db2.resumed_extracts import FORM, Extracts, shown
from db2.test_lob_values import DOC, OUT, Script, absent, read
from samples import db2_scripts as luw
from writers.db2 import dms, lob
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.values import External
from writers.db2.wire import Rid

from lmparse.logs import lines
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes

TWO_LOBS = Table(
    2, 21, "TWO", (Column("ID", "INTEGER", nullable=False), Column("A", "CLOB(1M)"), Column("B", "CLOB(1M)"))
)  # fmt: skip


@pytest.mark.parametrize("column", [1, 2])
def test_what_columns_count_from(column: int, tmp_path: Path) -> None:
    """From 0, unless that is no column that keeps values out of its row."""
    script = Script(DOC)
    script.piece(b"text", 0, column)
    script.insert(ID=1, BODY=OUT)
    found = script.read(tmp_path)
    assert found.values() == [(1, "text")]
    assert found.has_note("columns in LOB records of PROD.DOC count from 1") == (column == 2)


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("asked", ["auto", "0", "1"])
@pytest.mark.parametrize("also", [None, 1, 2])
def test_columns_that_may_count_from_0_or_1(also: int | None, asked: str, engine: str, tmp_path: Path) -> None:
    """LOB records of a table may fit both ways: then those of another table decide, or the option; or it is said."""
    script = Script(TWO_LOBS)
    script.piece(b"text", 0, 2)
    script.insert(ID=1, A=OUT, B=OUT)
    if also is not None:
        script.table = DOC
        script.piece(b"more", 0, also)
        script.insert(ID=2, BODY=OUT)
    script.unit.commit()
    tables = luw.tables_file(tmp_path, TWO_LOBS, DOC)
    found = read(
        tmp_path, script.stream, operations="I", tables=tables, engine=engine,
        decisions="" if asked == "auto" else f"lob_columns_from={asked}",
    )  # fmt: skip
    first = int(asked) if asked != "auto" else 1 if also == 2 else 0
    after = next(row["after"] for row in found.rows if row["op"] == "I")
    assert (after["A"], after["B"]) == (("text", None) if first else (None, "text"))
    assert found.has_note("columns in LOB records of PROD.TWO may count from 0 or from 1") == (
        also is None and asked == "auto"
    )
    if also is not None and first != also - 1:
        assert "not columns that keep values out of the row" in str(found.rows[-1]["detail"])


def test_columns_that_keep_nothing_out_of_the_row(tmp_path: Path) -> None:
    script = Script(DOC)
    script.piece(b"text", 0, 5)
    script.insert(ID=1, BODY=OUT)
    found = script.read(tmp_path)
    assert found.values() == [(1, None)]
    assert "not columns that keep values out of the row" in absent(found)["after.BODY"]


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_how_lob_records_count_columns_is_kept(engine: str, tmp_path: Path) -> None:
    """What one file proves holds for the next ones, which may fit in two ways."""
    table = Table(2, 10, "PAIR", (
        Column("ID", "INTEGER", nullable=False), Column("A", "CLOB(1M)"), Column("B", "CLOB(1M)"),
    ))  # fmt: skip
    stream, about = Stream(*FORM), lob.LobObject(table.id, table.id)
    unit = stream.begin()
    unit.initialize(table)
    unit.commit()
    for number, values in enumerate(({2: b"A", 3: b"B"}, {2: b"A again"})):
        unit = stream.begin()
        for column, text in values.items():
            address = stream.lob_address(len(text))
            body = lob.add_data(stream.server, about, text, address, column, original=lob.BY_INSERT)
            unit.record("lob_add_data", "normal", body)
        row = {"ID": number, "A": External(), "B": External() if 3 in values else None}
        body = dms.insert(stream.server, table.id, dms.Place(Rid(1, number), 100, 50), stream.image(table, row))
        unit.record("insert", "normal", body)
        unit.commit()
    log = Extracts(tmp_path, stream=stream)
    log.options["engine"] = engine
    assert [row["after"]["C2"] for row in log.rows if row["op"] == "I"] == ["A", "A again"]
    cut = log.places[-3]
    assert log.read(log.file(0, cut)) + log.read(log.file(cut, len(log.data))) == log.rows


def printed(log: Extracts, part_bytes: int) -> tuple[list[dict[str, Any]], list[str]]:
    """The changes of a whole log and what is said of it; read by the column in parts of so many bytes, if not zero."""
    opened: Any = open_changes(log.folder / "whole.log", read_options(log.options))
    if part_bytes:
        opened.change_parts(part_bytes)
    rows = [json.loads(line) for text in lines.printed(opened, with_changes=True) for line in text.splitlines()]
    return rows, list(opened.tally.notices)


def versions_of_two_tables() -> tuple[Stream, list[int]]:
    """LOB values of tables of the same ids, one behind the other, and of a table that fits both ways; and where the
    records of each table begin."""
    number, far = Column("ID", "INTEGER", nullable=False), Column("L", "CLOB(1M)")
    more = Column("L2", "CLOB(1M)")
    versions = [
        Table(2, 6, "ONE", (number, far)), Table(2, 6, "TWO", (number, Column("X", "INTEGER"), far)),
        Table(2, 6, "THREE", (far, more, number)), Table(2, 6, "FOUR", (number, Column("X", "INTEGER"), far, more)),
    ]  # fmt: skip
    stream, begins = Stream(*FORM), []
    unit = stream.begin()
    unit.initialize(TWO_LOBS)
    unit.commit()
    for place, table in enumerate(versions):
        begins.append(len(stream.records))
        unit = stream.begin()
        if place:
            unit.drop_table(versions[place - 1])
        unit.create_table(table)
        unit.initialize(table)
        unit.insert(table, {"ID": place, **({"X": 5} if place % 2 else {})}, lobs={"L": f"value {place}"})
        unit.commit()
        unit = stream.begin()
        row = {"ID": place, "A": External(), "B": External()}
        unit.update(TWO_LOBS, row, {"ID": place, "A": External()}, lobs={"B": f"B {place}"})
        unit.commit()
    return stream, begins


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_tables_that_have_the_same_ids(engine: str, tmp_path: Path) -> None:
    """LOB records are of the table that had the ids at them, wherever the log is cut."""
    stream, begins = versions_of_two_tables()
    log = Extracts(tmp_path, stream=stream)
    log.options["engine"] = engine
    found = [row["after"] for row in log.rows if row["op"] in "IU"]
    values = [{value for value in after.values() if isinstance(value, str)} for after in found]
    assert values == [{f"{word} {place}"} for place in range(4) for word in ("value", "B")]
    assert [after["C3"] for after in found[1::2]] == [f"B {place}" for place in range(4)]
    for part_bytes in (0, 300, 700, 1500) if engine == "columnar" else (0,):
        rows, notices = printed(log, part_bytes)
        assert [shown(row) for row in rows] == log.rows
        assert not [text for text in notices if "LOB" in text]
    places = [0, *log.places, len(log.data)]
    for number in range(begins[1], len(log.places), amount(6, 2)):
        log.state.unlink(missing_ok=True)
        assert log.read(log.file(0, places[number])) + log.read(log.file(places[number], len(log.data))) == log.rows


def test_a_description_that_was_not_committed(tmp_path: Path) -> None:
    """LOB records behind it are of the one before, and those of its own transaction of it."""
    number, far = Column("ID", "INTEGER", nullable=False), Column("L", "CLOB(1M)")
    one, two = Table(2, 6, "ONE", (number, far)), Table(2, 6, "TWO", (number, far, Column("M", "CLOB(1M)")))
    stream = Stream(*FORM)
    unit = stream.begin()
    unit.initialize(one)
    unit.commit()
    for place in range(3):
        unit = stream.begin()
        unit.insert(one, {"ID": place}, lobs={"L": f"value {place}"})
        unit.commit()
        unit = stream.begin()
        unit.initialize(two)
        unit.insert(two, {"ID": 10 + place}, lobs={"L": "lost", "M": "lost too"})
        unit.abort()
    log = Extracts(tmp_path, stream=stream)
    assert [row["after"]["C2"] for row in log.rows if row["op"] == "I"] == [f"value {place}" for place in range(3)]


PAIR = Table(2, 6, "PAIR", (Column("A", "CLOB(1M)"), Column("B", "CLOB(1M)"), Column("ID", "INTEGER")))


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_lob_records_of_a_description_that_was_taken_back(engine: str, tmp_path: Path) -> None:
    """In front of the record that takes it back they are of it."""
    stream = Stream(*FORM)
    unit = stream.begin()
    unit.initialize(PAIR)
    unit.commit()
    unit = stream.begin()
    row = {"A": External(), "B": None, "ID": 1}
    unit.insert(PAIR, row, lobs={"A": "A 1"})
    mark = unit.mark()
    wide = unit.add_columns(PAIR, Column("M", "CLOB(1M)"))
    unit.insert(wide, {"A": None, "B": None, "ID": 2, "M": External()}, lobs={"M": "M 2"})
    unit.rollback_to(mark)
    unit.insert(PAIR, {"A": None, "B": External(), "ID": 3}, lobs={"B": "B 3"})
    mark = unit.mark()
    unit.insert(PAIR, {"A": None, "B": External(), "ID": 4}, lobs={"B": "B 4"})
    unit.rollback_to(mark)
    unit.commit()
    log = Extracts(tmp_path, stream=stream)
    log.options |= {"engine": engine, "include": "all", "order": "file"}
    rows, _ = printed(log, 0)
    found = [list(row["after"].values()) for row in rows if row["op"] == "I"]
    assert found == [["A 1", None, 1], [None, None, 2, "M 2"], [None, "B 3", 3], [None, "B 4", 4]]
