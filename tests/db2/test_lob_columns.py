"""How LOB records count the columns of a table: from 0 or from 1, as the log proves it, or as the option says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from db2.resumed_extracts import FORM, Extracts
from db2.test_lob_values import DOC, OUT, Script, read
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
