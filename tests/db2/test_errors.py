"""Db2 for LUW: damage, tables files that cannot be used, and what each is called."""

from __future__ import annotations

import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from writers.db2 import dms
from writers.db2.columns import Column
from writers.db2.framing import Framed, framed
from writers.db2.stream import Stream
from writers.db2.tables import Table

import lmparse
from lmparse import cli
from lmparse.errors import FramingError

ITEM = Table(
    2, 9, "ITEM", [Column("ID", "INTEGER", nullable=False), Column("PRICE", "DECIMAL(7,2)"), Column("AT", "DATE")]
)
ROW = {"ID": 1, "PRICE": Decimal("1.50"), "AT": "2026-03-14"}
COLUMNS = "{name: ID, type: INTEGER, nullable: false}, {name: PRICE, type: 'DECIMAL(7,2)'}, {name: AT, type: DATE}"
TABLE = "{tablespace_id: 2, table_id: 9, schema: S, name: ITEM, columns: [COLUMNS]}"


def stream_of(generation: Any = "v10", byte_order: Any = "little", framing: Any = "filter") -> Stream:
    """One transaction: initialize, insert, update, delete; then its commit."""
    stream = Stream(generation, byte_order, framing)
    unit = stream.begin("ALICE")
    unit.initialize(ITEM)
    unit.insert(ITEM, ROW)
    unit.update(ITEM, ROW, ROW | {"ID": 2})
    unit.delete(ITEM, ROW | {"ID": 2})
    unit.commit()
    return stream


def read(path: Path, data: bytes, **options: Any) -> Any:
    path.write_bytes(data)
    log = lmparse.open_log(str(path), spec="db2_log", **options)
    log.rows_read = list(log.changes())
    return log


def patched(stream: Stream, number: int, offset: int, raw: bytes) -> bytes:
    """The stream with some bytes of one record changed; the offset counts from the record's start."""
    data = bytearray(stream.bytes())
    place = stream.records[number].offset + offset
    data[place : place + len(raw)] = raw
    return bytes(data)


HEADER = 40
INSERT_ROW = HEADER + 20
"""Where the row of an insert of version 10 begins."""


@pytest.mark.parametrize(
    ("number", "offset", "raw", "code", "field", "field_offset"),
    [
        pytest.param(1, HEADER + 8, b"\x00\x10", "LMP-R001", "record", HEADER + 20, id="record length too long"),
        pytest.param(1, HEADER + 8, b"\x05\x00", "LMP-R003", "surplus", HEADER + 25, id="record length too short"),
        pytest.param(2, HEADER + 8, b"\x07\x00", "LMP-R002", "new_row", None, id="update without its other length"),
        pytest.param(4, HEADER + 8, b"\xff\x00", "LMP-R001", "authid", HEADER + 10, id="authid length too long"),
        pytest.param(
            0, HEADER + 88, b"\xff\xff", "LMP-R001", "table_description", HEADER + 92, id="description length"
        ),
        pytest.param(
            0, HEADER + 94, b"\x09\x00", "LMP-R001", "table_description.columns[3].field_type", None, id="column count"
        ),
        pytest.param(1, 8, b"\x00" * 8, "LMP-R002", "lsn", None, id="another LSN than the API's"),
        pytest.param(
            1, INSERT_ROW + 2, b"\x09\x00", "LMP-V009", "after.record_length", None, id="the row's own length"
        ),
        pytest.param(1, INSERT_ROW + 6, b"\x0a\x00", "LMP-R001", "after.C3", None, id="fixed section too short"),
        pytest.param(1, INSERT_ROW + 8 + 4, b"\xc1\xc2", "LMP-V002", "after.C2", 12, id="letters in a decimal"),
        pytest.param(1, INSERT_ROW + 8 + 8, b"\x02", "LMP-V001", "after.C2.null_byte", None, id="null byte"),
        pytest.param(1, INSERT_ROW + 8 + 9, b"\x20\x26\x99\x14", "LMP-V006", "after.C3", 17, id="month 99"),
    ],
)
def test_damage_is_named(
    tmp_path: Path, number: int, offset: int, raw: bytes, code: str, field: str, field_offset: int | None
) -> None:
    stream = stream_of()
    log = read(tmp_path / "x.log", patched(stream, number, offset, raw), generation="v10")
    error = log.tally.errors[0]
    record = stream.records[number]
    assert (error.code, error.field, error.record_index) == (code, field, number), str(error)
    assert error.record_offset == record.offset
    assert f"LSN {record.lsn:016X}" in error.hint or field == "lsn"
    if field_offset is not None:
        assert error.field_offset == field_offset


def test_overlapping_columns(tmp_path: Path) -> None:
    # The offset of the second column: description at 92, array behind four bytes, second element, last two bytes.
    data = patched(stream_of(), 0, HEADER + 92 + 4 + 8 + 6, b"\x03\x00")
    log = read(tmp_path / "x.log", data)
    assert [error.code for error in log.tally.errors] == ["LMP-R006"]
    assert log.tally.errors[0].field == "table_description.columns[1].field_offset"
    assert all("bytes" in key for row in log.rows_read if row["op"] in "IUD" for key in row["detail"])


def test_rows_that_the_api_could_not_expand(tmp_path: Path) -> None:
    stream = stream_of("v9.7", "big", "bare")
    data = stream.bytes()
    records = [data[record.offset : record.offset + record.length] for record in stream.records]
    items = [Framed(raw, record.lsn, sqlcode=-2032 * (number == 1))
             for number, (raw, record) in enumerate(zip(records, stream.records, strict=True))]  # fmt: skip
    log = read(tmp_path / "x.log", framed("filter97", "big", items))
    assert [(error.code, error.record_index) for error in log.tally.errors] == [("LMP-R007", 1)]
    assert [row["op"] for row in log.rows_read] == ["O", "U", "D"]


def test_a_compensation_of_something_else(tmp_path: Path) -> None:
    stream = Stream("v9.7", "little", "lsn8")
    unit = stream.begin("ALICE")
    unit.initialize(ITEM)
    mark = unit.mark()
    unit.insert(ITEM, ROW)
    unit.rollback_to(mark)
    unit.commit()
    number = next(n for n, record in enumerate(stream.records) if "undo" in record.kind)
    named = stream.records[0].lsn.to_bytes(8, "little")
    log = read(tmp_path / "x.log", patched(stream, number, 32, named))
    assert [(error.code, error.record_index) for error in log.tally.errors] == [("LMP-R008", number)]
    assert [row["op"] for row in log.rows_read] == ["O"], "by its row id it takes the insert back all the same"


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("tables: 3", "tables"),
        ("- a", "tables"),
        ("tables: [3]", "tables[0]"),
        ("tables: [{table: 1}]", "tables[0].table"),
        (f"tables: [{TABLE}, {TABLE}]".replace("COLUMNS", COLUMNS), "tables[1]"),
        (f"tables: [{TABLE}]".replace("COLUMNS", COLUMNS).replace("table_id: 9", "table_id: x"), "tables[0].table_id"),
        (f"tables: [{TABLE}]".replace("COLUMNS", ""), "tables[0].columns"),
        (f"tables: [{TABLE}]".replace("COLUMNS", "{name: A, type: TEXT}"), "tables[0].columns[0].type"),
        (f"tables: [{TABLE}]".replace("COLUMNS", "{name: A, type: VARCHAR}"), "tables[0].columns[0].type"),
        (f"tables: [{TABLE}]".replace("COLUMNS", "{name: A, type: 'DECIMAL(40)'}"), "tables[0].columns[0].type"),
        (f"tables: [{TABLE}]".replace("COLUMNS", "{name: A, type: DATE, nullable: 1}"),
         "tables[0].columns[0].nullable"),
        (f"tables: [{TABLE}]".replace("COLUMNS", "{name: A, type: DATE}, {name: A, type: DATE}"),
         "tables[0].columns[1].name"),
        ("tables: [", None),
        ("", "tables"),
    ],
)  # fmt: skip
def test_tables_files_that_cannot_be_used(text: str, field: str | None, tmp_path: Path, capsys: Any) -> None:
    path, log = tmp_path / "t.yaml", tmp_path / "x.log"
    path.write_text(text)
    log.write_bytes(stream_of().bytes())
    assert cli.main(["changes", str(log), "--tables", str(path)]) == 20
    said = capsys.readouterr().err
    assert "LMP-C009" in said
    assert str(path) in said
    assert field is None or f": {field}:" in said


def test_a_tables_file_of_another_log(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(f"tables: [{TABLE}]".replace("COLUMNS", COLUMNS).replace("7,2", "8,3"))
    log = read(tmp_path / "x.log", stream_of().bytes(), tables=str(path))
    assert {error.code for error in log.tally.errors} == {"LMP-C010"}
    assert "DECIMAL(8,3)" in str(log.tally.errors[0].found)
    path.write_text(f"tables: [{TABLE}]".replace("COLUMNS", COLUMNS))
    log = read(tmp_path / "x.log", stream_of().bytes(), tables=str(path))
    assert not log.tally.errors
    assert log.rows_read[1]["after"] == {"ID": 1, "PRICE": "1.50", "AT": "2026-03-14"}
    assert (log.rows_read[1]["schema_name"], log.rows_read[1]["table_name"]) == ("S", "ITEM")


def test_a_wrong_generation_says_which_it_looks_like(tmp_path: Path) -> None:
    with pytest.raises(FramingError, match=r"records that look like generation v9.7 \[LMP-F005\]"):
        read(tmp_path / "x.log", stream_of("v9.7", "big", "lsn8").bytes(),
             generation="v10", byte_order="big", framing="lsn8")  # fmt: skip


def test_rows_of_an_unknown_table_are_kept(tmp_path: Path) -> None:
    stream = stream_of()
    first = stream.records[0]
    data = stream.bytes()[first.offset + first.length :]
    log = read(tmp_path / "x.log", data, include="committed,incomplete")
    rows = [row for row in log.rows_read if row["op"] in "IUD"]
    assert [sorted(row["detail"]) for row in rows] == [
        ["after_bytes"],
        ["after_bytes", "before_bytes"],
        ["before_bytes"],
    ]
    assert "3 rows of table 2.9 are kept as bytes: nothing describes the table" in log.tally.notices
    assert log.tally.error_count == 0


@pytest.mark.parametrize("form", [("v7", "big", "lsn6"), ("v9.7", "little", "bare"), ("v10", "little", "filter")])
def test_any_damage_gives_values_or_an_error_of_ours(form: tuple[Any, Any, Any], tmp_path: Path) -> None:
    data = stream_of(*form).bytes()
    known = dict(zip(("generation", "byte_order", "framing"), form, strict=True))
    path = tmp_path / "x.log"
    chance = random.Random(1)
    count, said = 0, list[str]()
    step = amount(11, 3)
    for place in range(0, len(data), step):
        changed = data[:place] + bytes([data[place] ^ chance.choice((1, 0x10, 0x80, 0xFF))]) + data[place + 1 :]
        for damaged in (data[:place], changed):
            for options in (known, {}) if place % (3 * step) == 0 else (known,):
                try:
                    log = read(path, damaged, include="all", **options)
                    list(log.records())
                except lmparse.LmparseError as error:
                    said.append(str(error))
                count += 1
    assert count > amount(100, 200)
    assert all(said)


def test_flags_of_an_update_that_moved_its_row(tmp_path: Path) -> None:
    stream = Stream("v10", "big", "filter")
    unit = stream.begin("ALICE")
    unit.initialize(ITEM)
    unit.insert(ITEM, ROW)
    unit.delete(ITEM, ROW, flags=dms.DECOMPOSED_UPDATE)
    unit.insert(ITEM, ROW | {"ID": 5}, flags=dms.DECOMPOSED_UPDATE)
    unit.delete(ITEM, ROW | {"ID": 5}, flags=dms.DECOMPOSED_UPDATE)
    unit.commit()
    log = read(tmp_path / "x.log", stream.bytes())
    ops = [(row["op"], row["before"] and row["before"]["C1"], row["after"] and row["after"]["C1"], row["detail"])
           for row in log.rows_read if row["op"] != "O"]  # fmt: skip
    moved = {"moved": True}
    assert ops == [("I", None, 1, None), ("U", 1, 5, moved), ("D", 5, None, moved)]
