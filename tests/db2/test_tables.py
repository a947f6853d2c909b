"""Db2 for LUW tables: from the log, from a tables file, from both; keys; descriptions that cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from samples import db2_scripts as luw
from samples.db2_scripts import EMP, ITEM, described, item, read, without_description
from writers.db2 import values
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.values import OutOfRow, SystemDefault

from lmparse import cli
from lmparse.changes.schemas import table_type
from lmparse.db2.rows.row_plan import LuwRowPlan
from lmparse.db2.tables import table as tables
from lmparse.db2.tables.table import placed, table_of
from lmparse.errors import RecordError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.spec import catalog
from lmparse.values import codepages
from lmparse.values.sql_types import parse_type

# tables from a file, and from both

ALIKE = Table(
    7, 8, "ALIKE",
    (
        Column("CB", "CHAR(3) FOR BIT DATA"), Column("VB", "VARCHAR(30) FOR BIT DATA", nullable=False),
        Column("TS5", "TIMESTAMP(5)"), Column("CL", "CLOB(5K)"), Column("V", "VARCHAR(30)"),
    ),
)  # fmt: skip
FULL: dict[str, Any] = {
    "CB": b"\0\xff", "VB": b"\x80", "TS5": "2026-03-14T10:11:12.12345", "CL": "inline", "V": " blank behind ",
}  # fmt: skip


def test_what_a_log_alone_knows_of_types(tmp_path: Path) -> None:
    """Bit data looks like text, and digits of a timestamp come in pairs."""
    stream = described(ALIKE, FULL, generation="v9.7")
    found = read(tmp_path, stream)
    types = [column["type"] for column in found.rows[0]["detail"]["columns"]]
    for column, type_ in zip(ALIKE.columns, types, strict=True):
        wanted = column.type.replace(" FOR BIT DATA", "").replace("TIMESTAMP(5)", "TIMESTAMP(6)").replace("5K", "5120")
        assert type_ == wanted
    after = found.rows[1]["after"]
    assert after[f"C{1 + [column.name for column in ALIKE.columns].index('TS5')}"] == "2026-03-14T10:11:12.123450"
    assert found.codes == ["LMP-V007", "LMP-V007"], "bytes that are no text"


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_numbers_that_json_lacks(number: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(2, 4, "T", (Column("A", "DOUBLE"), Column("B", "REAL")))
    path = tmp_path / "x.log"
    path.write_bytes(described(table, {"A": number, "B": number}).bytes())
    assert cli.main(["changes", str(path), "--spec", "db2_log", "--operations", "I"]) == 0
    after = json.loads(capsys.readouterr().out)["after"]
    assert {str(value).lower().replace("infinity", "inf") for value in after.values()} == {str(number)}


def test_nullable_is_true_unless_it_is_said(tmp_path: Path) -> None:
    stream = described(ITEM, item(1, "x"))
    path = tmp_path / "t.yaml"
    entry = "{tablespace_id: 3, table_id: 5, schema: S, name: N, columns: [%s]}"
    columns = "{name: ID, type: INT, nullable: false}, {name: NAME, type: VARCHAR(20)}"
    path.write_text("tables: [%s]" % (entry % columns))
    found = read(tmp_path, without_description(stream), tables=str(path), include="committed,incomplete")
    assert found.values() == [(1, "x")]
    path.write_text("tables: [%s]" % (entry % "{name: ID, type: INT}, {name: NAME, type: VARCHAR(20)}"))
    found = read(tmp_path, stream, tables=str(path))
    assert set(found.codes) == {"LMP-C010"}


def test_a_tables_file_may_be_longer_or_shorter_in_what_varies(tmp_path: Path) -> None:
    """The longest value of a varying column moves nothing, and a file may be of an earlier or later time."""
    stream = described(ITEM, item(1, "x"))
    longer = luw.tables_file(tmp_path, ITEM, replaced=[("VARCHAR(20)", "VARCHAR(200)")])
    assert read(tmp_path, stream, tables=longer).rows[1]["after"] == {"ID": 1, "NAME": "x"}
    fewer = Table(3, 5, "ITEM", ITEM.columns[:1])
    found = read(tmp_path, stream, tables=luw.tables_file(tmp_path, fewer))
    assert found.rows[1]["after"] == {"ID": 1, "C2": "x"}
    more = Table(3, 5, "ITEM", (*ITEM.columns, Column("MORE", "DATE")))
    found = read(tmp_path, stream, tables=luw.tables_file(tmp_path, more))
    assert found.rows[1]["after"] == {"ID": 1, "NAME": "x"}
    assert found.codes == []


@given(st.lists(st.sampled_from(["", "A", "C1", "C2", "C3", "C3#3"]), max_size=5))
def test_no_two_columns_have_one_name(names: list[str]) -> None:
    """A tables file may name fewer columns than the log describes; the others are C and their number."""
    number = parse_type("INTEGER")
    logged = tables.Table(2, 4, placed([(f"C{place}", number, True) for place in range(1, 5)]))
    named = logged.named_by(tables.Table(2, 4, placed([(name, number, True) for name in names])))
    found = [column.name for column in named.columns]
    assert len({*found}) == len(found) == 4
    assert not names or not names[0] or found[0] == names[0]


def test_names_come_from_the_file_and_places_from_the_log(tmp_path: Path) -> None:
    stream = described(ITEM, item(1, "x"))
    found = read(tmp_path, stream, tables=luw.tables_file(tmp_path, ITEM))
    assert found.rows[0]["detail"]["columns"] == [
        {"name": "ID", "type": "INTEGER", "nullable": False}, {"name": "NAME", "type": "VARCHAR(20)", "nullable": True},
    ]  # fmt: skip
    assert {(row["schema_name"], row["table_name"]) for row in found.rows} == {("PROD", "ITEM")}


# keys


def test_key_of_the_tables_file_holds_for_each_version_that_has_its_columns(tmp_path: Path) -> None:
    data, path = luw.with_added_column(tmp_path)
    described_ = yaml.safe_load(path.read_text())
    keys = []
    for key in (["NAME", "ID"], ["D"], []):
        described_["tables"][0]["key"] = key
        path.write_text(yaml.safe_dump(described_))
        log = open_changes(data, read_options({"tables": str(path)}))
        keys.append([(len(table.columns), table.key, table.key_source) for table in log.all_versions()])
    assert {(2, ("NAME", "ID"), "tables file"), (3, ("NAME", "ID"), "tables file")} == set(keys[0])
    assert {(2, (), ""), (3, ("D",), "tables file")} == set(keys[1])
    assert {(key, source) for _, key, source in keys[2]} == {((), "")}


# tables that nothing describes


@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS)
def test_rows_that_nothing_describes(generation: Any, byte_order: Any, tmp_path: Path, capsys: Any) -> None:
    stream = Stream(generation, byte_order, "lsn8")
    unit = stream.begin()
    unit.insert(ITEM, item(1, "x"))
    unit.update(ITEM, item(1, "x"), item(2))
    unit.delete(ITEM, item(2))
    unit.commit()
    images = [stream.image(ITEM, row).hex().upper() for row in (item(1, "x"), item(2))]
    path = tmp_path / "x.log"
    path.write_bytes(stream.bytes())
    assert cli.main(["changes", str(path), "--spec", "db2_log"]) == 0
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(row["op"], row["before"], row["after"]) for row in lines] == [(op, None, None) for op in "IUD"]
    assert [row["detail"] for row in lines] == [
        {"after_bytes": images[0]}, {"before_bytes": images[0], "after_bytes": images[1]}, {"before_bytes": images[1]},
    ]  # fmt: skip
    assert "note: 3 rows of table 3.5 are kept as bytes: nothing describes the table" in err
    assert cli.main(["changes", str(path), "--spec", "db2_log", "--table", "3.5"]) == 0


# descriptions that cannot be


def changed(stream: Stream, column: int, place: int, raw: bytes) -> bytes:
    """The log with one column descriptor changed; version 10, no prefix."""
    return luw.patched(stream, 0, 40 + 92 + 4 + 8 * column + place, raw)


@pytest.mark.parametrize(
    ("column", "place", "raw", "field"),
    [
        (1, 6, b"\3\0", "columns[1].field_offset"),
        (1, 6, b"\5\0", "columns[1].field_offset"),
        (0, 6, b"\1\0", "columns[0].field_offset"),
        (0, 2, b"\2\0", "columns[1].field_offset"),
        (0, 4, b"\1\0", "columns[1].field_offset"),
        (1, 6, b"\0\0", "columns[1].field_offset"),
    ],
)
def test_columns_that_overlap_or_leave_gaps(
    column: int, place: int, raw: bytes, field: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = described(ITEM, item(1))
    path = tmp_path / "x.log"
    path.write_bytes(changed(stream, column, place, raw))
    assert cli.main(["changes", str(path), "--spec", "db2_log"]) == 20
    out, err = capsys.readouterr()
    assert "LMP-R006" in err
    assert f"record 0 at 0x0: db2_dms.table_description.{field}: " in err
    rows_ = [json.loads(line) for line in out.splitlines()]
    assert [sorted(row["detail"]) for row in rows_ if row["op"] == "I"] == [["after_bytes"]]
    # A tables file stands in for a description that cannot be.
    assert cli.main(["changes", str(path), "--tables", luw.tables_file(tmp_path, ITEM)]) == 20
    rows_ = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows_[-1]["after"] == {"ID": 1, "NAME": None}


def test_types_that_are_not_listed(tmp_path: Path) -> None:
    table = Table(2, 4, "T", (Column("A", "BINARY(4)"), Column("B", "INTEGER")))
    stream = described(table, {"A": b"\1\2\3\4", "B": 5})
    found = read(tmp_path, changed(stream, 0, 0, b"\x3f\x01"))
    assert found.codes == []
    assert found.values() == [("01020304", 5)]
    assert found.rows[0]["detail"]["columns"][0]["type"] == "TYPE 0x013f"


# rows with value compression


DEFAULTS = ["SMALLINT", "INTEGER", "BIGINT", "REAL", "DOUBLE", "DECIMAL(7,2)", "CHAR(4)", "CHAR(4) FOR BIT DATA",
            "GRAPHIC(4)", "VARCHAR(4)", "VARGRAPHIC(4)", "BINARY(4)", "VARBINARY(4)", "BOOLEAN", "DECFLOAT(16)",
            "DECFLOAT(34)"]  # fmt: skip


@pytest.mark.parametrize("type_", DEFAULTS)
def test_system_defaults(type_: str, tmp_path: Path) -> None:
    table = Table(2, 4, "T", (Column("A", type_), Column("B", "INTEGER")), value_compression=True)
    stream = described(table, {"A": SystemDefault(), "B": 7})
    found = read(tmp_path, stream, operations="I", tables=luw.tables_file(tmp_path, table))
    wanted = values.json_value(table.columns[0], SystemDefault())
    if type_ == "CHAR(4) FOR BIT DATA":
        assert found.values()[0][0] in ("20202020", "00000000")  # blanks by the manual of CREATE TABLE
    else:
        assert found.values() == [(wanted, 7)]


def test_out_of_row_descriptors_of_another_length(tmp_path: Path) -> None:
    """The bit in the offset says where a value is, whatever the length says."""
    assert len(OutOfRow().descriptor) == 24
    stream = described(ITEM, item(1, "x" * 5))
    found = read(tmp_path, luw.patched(stream, 1, 40 + 20 + 8 + 5, b"\x80"))
    assert found.values() == [(1, None)]
    assert found.rows[1]["detail"] == {"absent": {"after.C2": "the value is stored out of the row and not in the log"}}


# lengths that a type does not have


def descriptor(word: str, length: int) -> Any:
    column = SimpleNamespace(field_type=SimpleNamespace(name=word), length=length, is_nullable=True, field_offset=0)
    column.precision, column.scale = length & 0xFF, length >> 8
    return SimpleNamespace(columns=[column], lobs=[SimpleNamespace(maximum_length=9)])


@pytest.mark.parametrize("word", [code.id for code in catalog.load("db2_dms").layout.enums["column_type"]])
def test_a_described_column_is_refused_or_has_a_plan_and_a_schema(word: str) -> None:
    """Both engines look up the width of a type, so no other may come through."""
    for length in [*range(40), 255, 256, 0x0902, 0x2004, 0xFFFF]:
        table, codes = None, []
        try:
            table = table_of((2, 4), descriptor(word, length), 1, "table_description")
        except RecordError as error:
            codes.append(error.code)
        if table is not None:
            LuwRowPlan(table, "little", codepages.lookup("utf-8"))
            assert table_type([table]).num_fields == 1
        assert table is not None or codes == ["LMP-R006"]


@pytest.mark.parametrize("command", ["check", "changes", "kaitai", "columnar", "compared"])
def test_a_byte_of_a_length_in_a_description(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(3, 5, "LAST", (Column("ID", "INTEGER"),))
    stream = Stream("v10", "little", "lsn8")
    unit = stream.begin()
    unit.initialize(table)
    unit.insert(table, {"ID": 1})
    unit.commit()
    data = bytearray(stream.bytes())
    data[data.index(b"\x01\x00\x04\x00") + 3] = 0x20
    (tmp_path / "x.log").write_bytes(data)
    tables = luw.tables_file(tmp_path, EMP)  # of another table
    words = ["convert", str(tmp_path / "x.log"), str(tmp_path / "out"), "--tables", tables, "--engine"]
    engine = "check" if command == "compared" else command
    run = [command, str(tmp_path / "x.log")] if command in ("check", "changes") else [*words, engine]
    assert cli.main([*run, "--spec", "db2_log", "--framing", "lsn8"]) == 20
    assert "expected 4 bytes for INTEGER, found 8196 bytes [LMP-R006]" in capsys.readouterr().err
