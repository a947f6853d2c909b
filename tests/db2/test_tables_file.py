"""A tables file: types in the words of SQL, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from samples import db2_scripts as luw
from samples.db2_scripts import ITEM, described, item, read
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table

from lmparse import cli
from lmparse.db2.tables.table import read_tables_file
from lmparse.values.sql_types import parse_type

# types in SQL words

WORDS: list[tuple[str, str]] = [
    ("INT", "INTEGER"), ("int", "INTEGER"), ("Integer", "INTEGER"), ("DEC(9,2)", "DECIMAL(9,2)"),
    ("NUMERIC(9,2)", "DECIMAL(9,2)"), ("NUM(9, 2)", "DECIMAL(9,2)"), ("decimal ( 9 , 2 )", "DECIMAL(9,2)"),
    ("DECIMAL(9)", "DECIMAL(9,0)"), ("DEC", "DECIMAL(5,0)"), ("CHARACTER(6)", "CHAR(6)"), ("CHAR", "CHAR(1)"),
    ("CHAR(6) FOR BIT DATA", "CHAR(6) FOR BIT DATA"), ("CHARACTER(6)  for bit  data", "CHAR(6) FOR BIT DATA"),
    ("VARCHAR(6) FOR BIT DATA", "VARCHAR(6) FOR BIT DATA"), ("CHARACTER VARYING(6)", "VARCHAR(6)"),
    ("CHAR VARYING(6)", "VARCHAR(6)"), ("VARCHAR(6 OCTETS)", "VARCHAR(6)"), ("DOUBLE PRECISION", "DOUBLE"),
    ("FLOAT", "DOUBLE"), ("FLOAT(53)", "DOUBLE"), ("FLOAT(24)", "REAL"), ("REAL", "REAL"), ("CLOB(5K)", "CLOB(5120)"),
    ("CLOB(1M)", "CLOB(1048576)"), ("CLOB", "CLOB(1048576)"), ("CHARACTER LARGE OBJECT(5K)", "CLOB(5120)"),
    ("BINARY LARGE OBJECT(1G)", "BLOB(1073741824)"), ("BINARY VARYING(6)", "VARBINARY(6)"),
    ("NCHAR(4)", "GRAPHIC(4)"), ("NVARCHAR(4)", "VARGRAPHIC(4)"), ("NCLOB(4K)", "DBCLOB(4096)"),
    ("TIMESTAMP", "TIMESTAMP(6)"), ("TIMESTAMP(0)", "TIMESTAMP(0)"), ("TIMESTAMP(12)", "TIMESTAMP(12)"),
    ("DECFLOAT", "DECFLOAT(34)"), ("DECFLOAT(16)", "DECFLOAT(16)"), ("LONG VARCHAR", "LONG VARCHAR"), ("XML", "XML"),
    ("BOOLEAN", "BOOLEAN"), ("DATE", "DATE"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "canonical"), WORDS)
def test_words_of_types(words: str, canonical: str) -> None:
    assert parse_type(words) == parse_type(canonical)
    assert parse_type(words).words == canonical
    assert parse_type(parse_type(words).words) == parse_type(words)


@pytest.mark.parametrize(
    "words",
    [
        "", "7", "VARCHAR", "VARCHAR()", "VARCHAR(-1)", "INTEGER(4)", "DATE(3)", "DECIMAL(0)", "DECIMAL(32)",
        "DECIMAL(5,6)", "CHAR(4,2)", "TIMESTAMP(13)", "DECFLOAT(20)", "INTEGER FOR BIT DATA", "CLOB(5K) FOR BIT DATA",
        "CHAR(6", "CHAR 6", "XML(3)", "DECIMAL(5,1,1)", "'CHAR(6)'", "CHAR(6) NOT NULL",
        "CHAR(0)", "VARCHAR(0)", "GRAPHIC(0)", "VARBINARY(0K)", "CLOB(0)", "FLOAT(0)", "FLOAT(54)",
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


# columns of a type that is not known


@pytest.mark.parametrize("words", ["US_DOLLAR", "DB2SECURITYLABEL", "VECTOR", "VECTOR(3, FLOAT32)", "PAY.EUR", "TEXT"])
def test_types_that_are_not_known(words: str, tmp_path: Path) -> None:
    path = luw.tables_file(tmp_path, ITEM, replaced=[("VARCHAR(20)", words)])
    (table,) = read_tables_file(path).values()
    assert [column.sql_words for column in table.of_unknown_type] == [words]


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("described_as", ["nothing", "the table", "fewer columns", "a table that is dropped"])
def test_a_table_with_a_column_of_an_unknown_type(described_as: str, engine: str, tmp_path: Path) -> None:
    """Its rows are bytes unless the log describes the table: then the log says the type, and the file all names."""
    pay = Table(3, 6, "PAY", (Column("K", "INTEGER"), Column("SUM", "DECIMAL(9,2)"), Column("V", "VARCHAR(9)")))
    row = {"K": 1, "SUM": "12.50", "V": "v"}
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.insert(ITEM, item(1, "x"))
    if described_as != "nothing":
        unit.initialize(replace(pay, columns=pay.columns[:1]) if described_as == "fewer columns" else pay)
    if described_as != "fewer columns":
        unit.insert(pay, row)
    if described_as == "a table that is dropped":
        unit.drop_table(pay)
    unit.commit()
    path = luw.tables_file(tmp_path, ITEM, pay, replaced=[("DECIMAL(9,2)", "US_DOLLAR")])
    found = read(tmp_path, stream, tables=path, engine=engine, operations="I")
    assert found.codes == []
    assert found.rows[0]["after"] == item(1, "x")
    if described_as != "fewer columns":
        wanted = {"nothing": None, "the table": row, "a table that is dropped": {"C1": 1, "C2": "12.50", "C3": "v"}}
        assert [one["after"] for one in found.rows[1:]] == [wanted[described_as]]
        assert found.rows[1]["table_name"] == ("PAY" if described_as == "the table" else "3.6")
    how = "the log describes the table" if described_as == "the table" else "rows are read as if the file did not have"
    assert found.has_note(f"{path}: a type that is not known in table PROD.PAY (3.6): SUM is US_DOLLAR; {how}")
    assert found.has_note("1 rows of table 3.6 are kept as bytes") is (described_as == "nothing")


# a tables file that cannot be used

_KEYED = (
    "tables: [{{tablespace_id: 3, table_id: 5, schema: S, name: N, columns: [{{name: A, type: INT}}, "
    "{{name: B, type: INT}}, {{name: L, type: CLOB(5K)}}, {{name: M, type: XML}}], key: {}}}]"
)
BAD_FILES = {
    "no name": ("tables: [{tablespace_id: 3, table_id: 5, schema: S}]", "tables[0].name"),
    "a name that is a number": ("tables: [{tablespace_id: 3, table_id: 5, schema: S, name: 7}]", "tables[0].name"),
    "a name with X'00'": (
        'tables: [{tablespace_id: 3, table_id: 5, schema: S, name: "N\\0"}]', "tables[0].name"),
    "a column with X'00'": (
        'tables: [{tablespace_id: 3, table_id: 5, schema: S, name: N, columns: [{name: "\\0", type: INT}]}]',
        "tables[0].columns[0].name"),
    "columns that are none": (
        "tables: [{tablespace_id: 3, table_id: 5, schema: S, name: N, columns: {A: INT}}]", "tables[0].columns"),
    "a column without type": (
        "tables: [{tablespace_id: 3, table_id: 5, schema: S, name: N, columns: [{name: A}]}]",
        "tables[0].columns[0].type"),
    "a key that is text": (_KEYED.format("A"), "tables[0].key"),
    "a key with a number": (_KEYED.format("[A, 2]"), "tables[0].key[1]"),
    "a key with an unknown column": (_KEYED.format("[A, X]"), "tables[0].key[1]"),
    "a key with a column twice": (_KEYED.format("[A, B, A]"), "tables[0].key[2]"),
    "a key with a LOB": (_KEYED.format("[L]"), "tables[0].key[0]"),
    "a key with XML": (_KEYED.format("[M]"), "tables[0].key[0]"),
}  # fmt: skip
"""What is wrong beside what the bad cases of db2_log show."""


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
