"""Db2 for LUW tables: from the log, from a tables file, from both; columns that are added; types and their rows."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from samples import db2_scripts as luw
from samples.db2_scripts import EMP, ITEM, item, read
from writers.db2 import decfloat, dms, rows, values
from writers.db2.columns import Column, offsets
from writers.db2.dms import Place
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.values import OutOfRow, SystemDefault
from writers.db2.wire import Rid, Server

from lmparse import cli
from lmparse.changes.schemas import table_type
from lmparse.db2 import tables
from lmparse.db2.row_plan import LuwRowPlan
from lmparse.db2.row_reader import RowReader
from lmparse.db2.tables import placed, table_of
from lmparse.errors import DataError, RecordError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.spec import catalog
from lmparse.values import codepages
from lmparse.values.sql_types import parse_type

PLACE = Place(Rid(1, 1))


def described(table: Table, *rows_: dict[str, Any], generation: Any = "v10", byte_order: Any = "little") -> Stream:
    """A log with a table and some rows, all committed."""
    stream = Stream(generation, byte_order, "bare")
    unit = stream.begin()
    unit.initialize(table)
    for row in rows_:
        unit.insert(table, row)
    unit.commit()
    return stream


def without_description(stream: Stream) -> bytes:
    """The log without its first record, which must be without prefix."""
    return stream.bytes()[stream.records[0].length :]


# types in SQL words

WORDS: list[tuple[str, str]] = [
    ("INT", "INTEGER"),
    ("int", "INTEGER"),
    ("Integer", "INTEGER"),
    ("DEC(9,2)", "DECIMAL(9,2)"),
    ("NUMERIC(9,2)", "DECIMAL(9,2)"),
    ("NUM(9, 2)", "DECIMAL(9,2)"),
    ("decimal ( 9 , 2 )", "DECIMAL(9,2)"),
    ("DECIMAL(9)", "DECIMAL(9,0)"),
    ("DEC", "DECIMAL(5,0)"),
    ("CHARACTER(6)", "CHAR(6)"),
    ("CHAR", "CHAR(1)"),
    ("CHAR(6) FOR BIT DATA", "CHAR(6) FOR BIT DATA"),
    ("CHARACTER(6)  for bit  data", "CHAR(6) FOR BIT DATA"),
    ("VARCHAR(6) FOR BIT DATA", "VARCHAR(6) FOR BIT DATA"),
    ("CHARACTER VARYING(6)", "VARCHAR(6)"),
    ("CHAR VARYING(6)", "VARCHAR(6)"),
    ("VARCHAR(6 OCTETS)", "VARCHAR(6)"),
    ("DOUBLE PRECISION", "DOUBLE"),
    ("FLOAT", "DOUBLE"),
    ("FLOAT(53)", "DOUBLE"),
    ("FLOAT(24)", "REAL"),
    ("REAL", "REAL"),
    ("CLOB(5K)", "CLOB(5120)"),
    ("CLOB(1M)", "CLOB(1048576)"),
    ("CLOB", "CLOB(1048576)"),
    ("CHARACTER LARGE OBJECT(5K)", "CLOB(5120)"),
    ("BINARY LARGE OBJECT(1G)", "BLOB(1073741824)"),
    ("BINARY VARYING(6)", "VARBINARY(6)"),
    ("NCHAR(4)", "GRAPHIC(4)"),
    ("NVARCHAR(4)", "VARGRAPHIC(4)"),
    ("NCLOB(4K)", "DBCLOB(4096)"),
    ("TIMESTAMP", "TIMESTAMP(6)"),
    ("TIMESTAMP(0)", "TIMESTAMP(0)"),
    ("TIMESTAMP(12)", "TIMESTAMP(12)"),
    ("DECFLOAT", "DECFLOAT(34)"),
    ("DECFLOAT(16)", "DECFLOAT(16)"),
    ("LONG VARCHAR", "LONG VARCHAR"),
    ("XML", "XML"),
    ("BOOLEAN", "BOOLEAN"),
    ("DATE", "DATE"),
]


@pytest.mark.parametrize(("words", "canonical"), WORDS)
def test_words_of_types(words: str, canonical: str) -> None:
    assert parse_type(words) == parse_type(canonical)
    assert parse_type(words).words == canonical
    assert parse_type(parse_type(words).words) == parse_type(words)


@pytest.mark.parametrize(
    "words",
    [
        "", "TEXT", "VARCHAR", "VARCHAR()", "VARCHAR(-1)", "INTEGER(4)", "DATE(3)", "DECIMAL(0)", "DECIMAL(32)",
        "DECIMAL(5,6)", "CHAR(4,2)", "TIMESTAMP(13)", "DECFLOAT(20)", "INTEGER FOR BIT DATA", "CLOB(5K) FOR BIT DATA",
        "CHAR(6", "CHAR 6", "XML(3)", "DECIMAL(5,1,1)", "'CHAR(6)'", "CHAR(6) NOT NULL",
    ],
)  # fmt: skip
def test_words_that_are_no_type(words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_type(words)
    log = tmp_path / "x.log"
    log.write_bytes(described(ITEM, item(1)).bytes())
    path = tmp_path / "t.yaml"
    entry = {"tablespace_id": 3, "table_id": 5, "schema": "S", "name": "N", "columns": [{"name": "A", "type": words}]}
    path.write_text(json.dumps({"tables": [entry]}))
    assert cli.main(["changes", str(log), "--tables", str(path)]) == 20
    said = capsys.readouterr().err
    assert f"{path}: tables[0].columns[0].type: " in said
    assert "LMP-C009" in said


@pytest.mark.parametrize(("words", "length"), [("CHAR(5 CODEUNITS32)", 20), ("GRAPHIC(5 CODEUNITS32)", 20),
                                                ("GRAPHIC(5 CODEUNITS16)", 10), ("VARCHAR(5 OCTETS)", 5),
                                                ("CLOB(1K CODEUNITS32)", 4096)])  # fmt: skip
def test_lengths_in_code_units_are_bytes(words: str, length: int) -> None:
    assert parse_type(words).length == length


@pytest.mark.parametrize("words", ["CHAR(5 CODEUNITS16)", "GRAPHIC(5 OCTETS)", "BINARY(5 CODEUNITS32)",
                                   "CHAR(5 CODEUNITS32) FOR BIT DATA"])  # fmt: skip
def test_code_units_that_a_type_does_not_count_in(words: str) -> None:
    with pytest.raises(ValueError, match="is not counted in"):
        parse_type(words)


# a tables file that cannot be used

_KEYED = (
    "tables: [{{tablespace_id: 3, table_id: 5, schema: S, name: N, columns: [{{name: A, type: INT}}, "
    "{{name: B, type: INT}}, {{name: L, type: CLOB(5K)}}, {{name: M, type: XML}}], key: {}}}]"
)
BAD_FILES = {
    "no list": ("tables: 3", "tables"),
    "no key": ("table: []", "tables"),
    "no mapping": ("[]", "tables"),
    "nothing": ("", "tables"),
    "an entry that is text": ("tables: [EMP]", "tables[0]"),
    "an unknown key": ("tables: [{tablespace: 3}]", "tables[0].tablespace"),
    "a number as text": ("tables: [{tablespace_id: '3', table_id: 5}]", "tables[0].tablespace_id"),
    "a number too large": ("tables: [{tablespace_id: 3, table_id: 65536}]", "tables[0].table_id"),
    "a number below zero": ("tables: [{tablespace_id: -1, table_id: 5}]", "tables[0].tablespace_id"),
    "true for a number": ("tables: [{tablespace_id: true, table_id: 5}]", "tables[0].tablespace_id"),
    "no name": ("tables: [{tablespace_id: 3, table_id: 5, schema: S}]", "tables[0].name"),
    "no schema": ("tables: [{tablespace_id: 3, table_id: 5, name: N}]", "tables[0].schema"),
    "a name that is a number": ("tables: [{tablespace_id: 3, table_id: 5, schema: S, name: 7}]", "tables[0].name"),
    "no columns": ("tables: [{tablespace_id: 3, table_id: 5, schema: S, name: N}]", "tables[0].columns"),
    "columns that are none": (
        "tables: [{tablespace_id: 3, table_id: 5, schema: S, name: N, columns: {A: INT}}]", "tables[0].columns"),
    "a column that is text": (
        "tables: [{tablespace_id: 3, table_id: 5, schema: S, name: N, columns: [A]}]", "tables[0].columns[0]"),
    "a column without type": (
        "tables: [{tablespace_id: 3, table_id: 5, schema: S, name: N, columns: [{name: A}]}]",
        "tables[0].columns[0].type"),
    "a column with more": (
        "tables: [{tablespace_id: 3, table_id: 5, schema: S, name: N, columns: [{name: A, type: INT, length: 4}]}]",
        "tables[0].columns[0].length"),
    "nullable in words": (
        "tables: [{tablespace_id: 3, table_id: 5, schema: S, name: N, "
        "columns: [{name: A, type: INT, nullable: 'no'}]}]",
        "tables[0].columns[0].nullable"),
    "a key that is text": (_KEYED.format("A"), "tables[0].key"),
    "a key with a number": (_KEYED.format("[A, 2]"), "tables[0].key[1]"),
    "a key with an unknown column": (_KEYED.format("[A, X]"), "tables[0].key[1]"),
    "a key with a column twice": (_KEYED.format("[A, B, A]"), "tables[0].key[2]"),
    "a key with a LOB": (_KEYED.format("[L]"), "tables[0].key[0]"),
    "a key with XML": (_KEYED.format("[M]"), "tables[0].key[0]"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FILES)
def test_tables_files_that_cannot_be_used(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, field = BAD_FILES[name]
    log, path = tmp_path / "x.log", tmp_path / "t.yaml"
    log.write_bytes(described(ITEM, item(1)).bytes())
    path.write_text(text)
    assert cli.main(["changes", str(log), "--tables", str(path)]) == 20
    out, err = capsys.readouterr()
    assert out == ""
    assert "LMP-C009" in err
    assert f"{path}: {field}: " in err


@pytest.mark.parametrize("raw", [b"tables: [", b"\xff\xfe\x00", b"tables: !!python/object:os.system {}", b"a: b: c"])
def test_tables_files_that_are_no_yaml(raw: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, path = tmp_path / "x.log", tmp_path / "t.yaml"
    log.write_bytes(described(ITEM, item(1)).bytes())
    path.write_bytes(raw)
    assert cli.main(["changes", str(log), "--tables", str(path)]) == 20
    assert "LMP-C009" in capsys.readouterr().err
    assert cli.main(["changes", str(log), "--tables", str(tmp_path)]) == 20
    assert "LMP-C009" in capsys.readouterr().err
    assert cli.main(["changes", str(log), "--tables", str(tmp_path / "none")]) == 20
    assert "cannot be read" in capsys.readouterr().err


# tables from a file, and from both

ALL = Table(
    7,
    8,
    "ALL_TYPES",
    (
        Column("I2", "SMALLINT"),
        Column("I4", "INTEGER", nullable=False),
        Column("I8", "BIGINT"),
        Column("F4", "REAL"),
        Column("F8", "DOUBLE"),
        Column("DEC", "DECIMAL(31,5)"),
        Column("DEC1", "DECIMAL(1,1)", nullable=False),
        Column("DF16", "DECFLOAT(16)"),
        Column("DF34", "DECFLOAT(34)"),
        Column("C", "CHAR(7)"),
        Column("CB", "CHAR(3) FOR BIT DATA"),
        Column("V", "VARCHAR(30)"),
        Column("VB", "VARCHAR(30) FOR BIT DATA", nullable=False),
        Column("G", "GRAPHIC(4)"),
        Column("VG", "VARGRAPHIC(30)"),
        Column("D", "DATE"),
        Column("T", "TIME"),
        Column("TS", "TIMESTAMP(6)"),
        Column("TS0", "TIMESTAMP(0)"),
        Column("TS12", "TIMESTAMP(12)"),
        Column("TS5", "TIMESTAMP(5)"),
        Column("BOOL", "BOOLEAN"),
        Column("BIN", "BINARY(5)"),
        Column("VBIN", "VARBINARY(9)"),
        Column("CL", "CLOB(5K)"),
        Column("BL", "BLOB(5K)"),
        Column("DBCL", "DBCLOB(5K)"),
    ),
)
FULL: dict[str, Any] = {
    "I2": -32768, "I4": 2147483647, "I8": -(1 << 63), "F4": 1.5, "F8": -1e-300,
    "DEC": Decimal("-12345678901234567890.12345"),
    "DEC1": Decimal("0.7"), "DF16": Decimal("-1.50"), "DF34": Decimal("9.99E+6109"), "C": "aå ", "CB": b"\0\xff",
    "V": " blank behind ", "VB": b"\x80", "G": "日本", "VG": "žluť", "D": "0001-01-01", "T": "24:00:00",
    "TS": "9999-12-31T24:00:00.000000", "TS0": "2026-03-14T10:11:12", "TS12": "2026-03-14T10:11:12.123456789012",
    "TS5": "2026-03-14T10:11:12.12345", "BOOL": True, "BIN": b"\1", "VBIN": b"", "CL": "inline", "BL": b"\2",
    "DBCL": "å",
}  # fmt: skip
NULLS: dict[str, Any] = {"I4": 0, "DEC1": Decimal(0), "VB": b""}


@pytest.mark.parametrize("is_compressed", [False, True])
@pytest.mark.parametrize("byte_order", ["little", "big"])
@pytest.mark.parametrize("source", ["file", "both"])
def test_every_type(source: str, byte_order: Any, is_compressed: bool, tmp_path: Path) -> None:
    table = Table(7, 8, "ALL_TYPES", ALL.columns, value_compression=is_compressed)
    stream = described(table, FULL, NULLS, byte_order=byte_order)
    data = without_description(stream) if source == "file" else stream.bytes()
    found = read(
        tmp_path, data, tables=luw.tables_file(tmp_path, table), operations="I", include="committed,incomplete"
    )
    assert found.codes == []
    assert found.notes == (["1 x transactions that begin before the log at hand: earlier changes are not in it"]
                           if source == "file" else [])  # fmt: skip
    wanted = [row["after"] for row in luw.expected(stream, names=True) if row["op"] == "I"]
    assert [row["after"] for row in found.rows] == wanted
    assert all(row["detail"] is None for row in found.rows)
    json.dumps(found.rows, allow_nan=False)


def test_what_a_log_alone_knows_of_types(tmp_path: Path) -> None:
    """Bit data looks like text, and digits of a timestamp come in pairs."""
    stream = described(ALL, FULL, generation="v9.7")
    found = read(tmp_path, stream)
    types = [column["type"] for column in found.rows[0]["detail"]["columns"]]
    for column, type_ in zip(ALL.columns, types, strict=True):
        wanted = column.type.replace(" FOR BIT DATA", "").replace("TIMESTAMP(5)", "TIMESTAMP(6)").replace("5K", "5120")
        assert type_ == wanted
    after = found.rows[1]["after"]
    assert after[f"C{1 + [column.name for column in ALL.columns].index('TS5')}"] == "2026-03-14T10:11:12.123450"
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


@pytest.mark.parametrize(
    ("old", "new"),
    [("INTEGER", "BIGINT"), ("INTEGER", "REAL"), ("VARCHAR(20)", "CLOB(20)"), ("false", "true"),
     ("VARCHAR(20)", "DATE")],
)  # fmt: skip
def test_a_tables_file_of_another_log(old: str, new: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(described(ITEM, item(1)).bytes())
    tables = luw.tables_file(tmp_path, ITEM, replaced=[(old, new)])
    assert cli.main(["changes", str(path), "--tables", tables]) == 20
    err = capsys.readouterr().err
    assert "LMP-C010" in err
    assert tables in err
    assert "PROD.ITEM (3.5)" in err
    assert new in err or old == "false"


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


def test_key_has_the_names_that_columns_have_in_the_log() -> None:
    """Of two columns of one name the second has another one."""
    number = parse_type("INTEGER")
    logged = tables.Table(2, 4, placed([(f"C{place}", number, True) for place in range(1, 4)]))
    named = logged.named_by(tables.Table(2, 4, placed([("C2", number, True)]), key=("C2",)))
    assert named.key == (named.columns[0].name,)


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


def test_a_table_without_columns(tmp_path: Path) -> None:
    stream = Stream("v10", "little", "bare")
    unit = stream.begin()
    none = Table(3, 5, "NONE", ())
    unit.initialize(none)
    unit.insert(ITEM, item(1))
    unit.insert(none, {})
    unit.commit()
    found = read(tmp_path, stream)
    assert len(found.rows) + len(found.codes) == 3
    assert set(found.codes) <= {"LMP-R001", "LMP-R003", "LMP-R012"}


# columns that are added


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


# rows with value compression


@pytest.mark.parametrize("base", ["array", "data"])
@pytest.mark.parametrize("byte_order", ["little", "big"])
def test_value_compression(base: Any, byte_order: Any, tmp_path: Path) -> None:
    table = Table(7, 8, "ALL_TYPES", ALL.columns, value_compression=True)
    stream = Stream("v10", byte_order, "bare", offset_base=base)
    unit = stream.begin()
    unit.initialize(table)
    for row in (FULL, NULLS):
        unit.insert(table, row)
    unit.update(table, FULL, NULLS)
    unit.commit()
    found = read(tmp_path, stream, tables=luw.tables_file(tmp_path, table), operations="I,U")
    assert found.codes == []
    wanted = [row for row in luw.expected(stream, names=True) if row["op"] in "IU"]
    assert [(row["before"], row["after"]) for row in found.rows] == [(row["before"], row["after"]) for row in wanted]


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


@pytest.mark.parametrize("change", ["first", "order", "end", "count"])
def test_offsets_of_values_that_cannot_be(change: str, tmp_path: Path) -> None:
    table = Table(2, 4, "T", (Column("A", "VARCHAR(9)"), Column("B", "VARCHAR(9)")), value_compression=True)
    stream = described(table, {"A": "aaa", "B": "bbb"})
    row = 40 + 20
    place, raw = {"first": (8, b"\1\0"), "order": (10, b"\0\1"), "end": (12, b"\xff\0"), "count": (6, b"\3\0")}[change]
    found = read(tmp_path, luw.patched(stream, 1, row + place, raw))
    assert found.codes in (["LMP-R002"], ["LMP-R003"])
    assert found.rows[1:] == []


# rows of every kind of table


def server_of(order: Any) -> Server:
    return Server("v10", order)


def lengths(largest: int) -> st.SearchStrategy[int]:
    return st.integers(1, largest)


def text(largest: int, codec: str = "utf-8") -> st.SearchStrategy[str]:
    """Text of so many bytes at most."""
    letters = st.characters(exclude_categories=("Cs",), exclude_characters="\x00")
    return st.text(letters, max_size=largest).filter(lambda value: len(value.encode(codec)) <= largest)


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    limit = 10**precision - 1
    return st.integers(-limit, limit).map(lambda number: Decimal(number).scaleb(-scale, values._EXACT))


def floats_of(digits: int) -> st.SearchStrategy[Decimal]:
    form = decfloat.FORMATS[digits]
    numbers = st.integers(0, 10**digits - 1)
    exponents = st.integers(-form.bias, (3 << form.exponent_bits) - 1 - form.bias)
    signs = st.integers(0, 1)
    return st.builds(lambda s, n, e: Decimal((s, tuple(map(int, str(n))), e)), signs, numbers, exponents)


def timestamps(digits: int) -> st.SearchStrategy[str]:
    fraction = st.text("0123456789", min_size=digits, max_size=digits)
    moments = st.datetimes().map(lambda moment: moment.replace(microsecond=0).isoformat())
    return st.builds(lambda moment, part: f"{moment}.{part}" if digits else moment, moments, fraction)


@st.composite
def columns_with_values(draw: st.DrawFn) -> tuple[Column, Any]:
    kind = draw(st.sampled_from(["int", "float", "decimal", "decfloat", "text", "bytes", "time", "lob"]))
    nullable = draw(st.booleans())
    type_, value = draw(_TYPES[kind]())
    return Column("A", type_, nullable=nullable), None if nullable and draw(st.booleans()) else value


def _ints() -> st.SearchStrategy[tuple[str, Any]]:
    sizes = {"SMALLINT": 15, "INTEGER": 31, "BIGINT": 63}
    return st.sampled_from(list(sizes)).flatmap(
        lambda name: st.tuples(st.just(name), st.integers(-(1 << sizes[name]), (1 << sizes[name]) - 1))
    )


def _floats() -> st.SearchStrategy[tuple[str, Any]]:
    finite: Any = {"allow_nan": False, "allow_infinity": False}
    return st.one_of(
        st.tuples(st.just("REAL"), st.floats(width=32, **finite)), st.tuples(st.just("DOUBLE"), st.floats(**finite))
    )


def _decimals() -> st.SearchStrategy[tuple[str, Any]]:
    sizes = lengths(31).flatmap(lambda precision: st.tuples(st.just(precision), st.integers(0, precision)))
    return sizes.flatmap(lambda size: st.tuples(st.just(f"DECIMAL({size[0]},{size[1]})"), decimals(*size)))


def _decfloats() -> st.SearchStrategy[tuple[str, Any]]:
    return st.sampled_from([16, 34]).flatmap(
        lambda digits: st.tuples(st.just(f"DECFLOAT({digits})"), floats_of(digits))
    )


def _texts() -> st.SearchStrategy[tuple[str, Any]]:
    plain = st.tuples(st.sampled_from(["CHAR", "VARCHAR"]), lengths(40)).flatmap(
        lambda size: st.tuples(st.just(f"{size[0]}({size[1]})"), text(size[1]))
    )
    graphic = st.tuples(st.sampled_from(["GRAPHIC", "VARGRAPHIC"]), lengths(40)).flatmap(
        lambda size: st.tuples(st.just(f"{size[0]}({size[1]})"), text(2 * size[1], "utf-16-be"))
    )
    return st.one_of(plain, graphic)


def _bytes() -> st.SearchStrategy[tuple[str, Any]]:
    names = st.sampled_from(["CHAR({}) FOR BIT DATA", "VARCHAR({}) FOR BIT DATA", "BINARY({})", "VARBINARY({})"])
    return st.tuples(names, lengths(40)).flatmap(
        lambda size: st.tuples(st.just(size[0].format(size[1])), st.binary(max_size=size[1]))
    )


def _times() -> st.SearchStrategy[tuple[str, Any]]:
    stamps = st.integers(0, 12).flatmap(lambda digits: st.tuples(st.just(f"TIMESTAMP({digits})"), timestamps(digits)))
    dates = st.tuples(st.just("DATE"), st.dates().map(str))
    times = st.tuples(st.just("TIME"), st.times().map(lambda time: str(time.replace(microsecond=0))))
    return st.one_of(stamps, dates, times, st.tuples(st.just("BOOLEAN"), st.booleans()))


def _lobs() -> st.SearchStrategy[tuple[str, Any]]:
    return st.one_of(
        st.tuples(st.just("CLOB(5K)"), text(60)), st.tuples(st.just("BLOB(5K)"), st.binary(max_size=60)),
        st.tuples(st.just("DBCLOB(5K)"), text(60, "utf-16-be")),
    )  # fmt: skip


_TYPES: dict[str, Any] = {
    "int": _ints, "float": _floats, "decimal": _decimals, "decfloat": _decfloats, "text": _texts, "bytes": _bytes,
    "time": _times, "lob": _lobs,
}  # fmt: skip
steady = examples(80, 250, derandomize=True, database=None)
tables_with_rows = st.lists(columns_with_values(), min_size=1, max_size=6)


def reader_of(columns: list[Column], order: str) -> RowReader:
    from lmparse.values import codepages

    known = placed([(column.name, parse_type(column.type), column.nullable) for column in columns])
    assert [column.offset for column in known] == offsets(columns)[:-1]
    return RowReader(tables.Table(2, 4, known, "S", "T"), order, codepages.lookup("utf-8"))


def named(pairs: list[tuple[Column, Any]]) -> tuple[list[Column], dict[str, Any]]:
    columns = [Column(f"C{n}", column.type, nullable=column.nullable) for n, (column, _) in enumerate(pairs, 1)]
    return columns, {column.name: value for column, (_, value) in zip(columns, pairs, strict=True)}


def no_value(column: Any) -> str:
    return "none of them stands outside"


@steady
@given(tables_with_rows, st.sampled_from(["little", "big"]), st.booleans(), st.sampled_from(["array", "data"]))
def test_rows_are_what_was_encoded(pairs: Any, order: Any, is_compressed: bool, base: Any) -> None:
    from lmparse.values.json_form import to_json

    columns, row = named(pairs)
    server = server_of(order)
    if is_compressed:
        image = rows.compressed(server, columns, row, offset_base=base)
    else:
        image = rows.formatted(server, columns, row)
    found = reader_of(columns, order).read(image, no_value)
    assert not found.faults
    assert not found.absent
    assert found.unread == 0
    got = to_json({"after": found.values})["after"]
    wanted = rows.json_row(columns, row)
    for column in columns:
        mine, theirs = got[column.name], wanted[column.name]
        if column.word == "DECFLOAT" and theirs is not None:
            mine, theirs = str(Decimal(mine)), str(Decimal(theirs))
        assert mine == theirs, column


@steady
@given(tables_with_rows, st.sampled_from(["little", "big"]), st.booleans(), st.data())
def test_damaged_rows_give_values_or_an_error(pairs: Any, order: Any, is_compressed: bool, data: st.DataObject) -> None:
    columns, row = named(pairs)
    server = server_of(order)
    make = rows.compressed if is_compressed else rows.formatted
    image = bytearray(make(server, columns, row))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(image) - 1))
        image[place] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(image)))
    for raw in (bytes(image), bytes(image[:end])):
        try:
            found = reader_of(columns, order).read(raw, no_value)
        except DataError:
            continue
        assert list(found.values) == [column.name for column in columns]
        assert found.unread >= 0


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
            assert table_type([table], "").num_fields == 1
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
