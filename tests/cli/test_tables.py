"""`lmparse tables`, and what it says in the schemas and the manifest of what is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from samples import log_master
from samples.db2_scripts import with_added_column

import lmparse
from lmparse import cli


@pytest.fixture
def log(tmp_path: Path) -> tuple[Path, Path]:
    """A Log Master log and its control file."""
    return log_master.written(tmp_path)


@pytest.fixture
def luw(tmp_path: Path) -> tuple[Path, Path]:
    """A Db2 LUW log in which a column is added, and a tables file with a key."""
    data, path = with_added_column(tmp_path)
    path.write_text(path.read_text().replace("name: ITEM", "name: ITEM, key: [ID]"))
    return data, path


def run(*words: Any, code: int = 0) -> None:
    assert cli.main([str(word) for word in words]) == code


def test_tables_of_a_control_file(log: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    data, described = log
    run("tables", data, "--control", described)
    lines = capsys.readouterr().out.splitlines()
    first = lines.index("PROD.ITEMS (0105.0004.0005) version 1, in force from the beginning to the end")
    assert lines[first + 1 : first + 7] == [
        "  key ORDER_NO, LINE_NO (KEYSEQ of DLCI)",
        "     1  ORDER_NO  INTEGER        not null  key 1",
        "     2  LINE_NO   SMALLINT       not null  key 2",
        "     3  PRICE     DECIMAL(11,2)  not null",
        "     4  NAME      VARCHAR(30)    CCSID 1208",
        "     5  STATE     CHAR(2)        not null  CCSID 1208",
    ]
    run("tables", data, "--control", described, "--json")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["table_name"] for row in rows] == ["ORDERS", "ITEMS", "STOCK_MOVEMENTS_OF_ALL_SITES"]
    assert rows[0]["columns"][7] == {
        "number": 8, "name": "CODE", "type": "CHAR(6)", "nullable": True, "length": 6, "ccsid": 37, "key": None,
    }  # fmt: skip
    assert rows == list(lmparse.open_log(data, control=str(described)).tables())


def test_a_damaged_log_gives_the_tables_that_are_described(
    log: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Their names are in headers, so those behind the damage are not known."""
    data, described = log
    data.write_bytes(data.read_bytes()[:-3])
    run("tables", data, "--control", described, code=20)
    out, err = capsys.readouterr()
    assert out.count(" version ") == 3
    assert "LMP-F" in err


def test_versions_of_a_luw_table(luw: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    path, described = luw
    run("tables", path, "--tables", described)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "version" in line] == [
        "PROD.ITEM (3.5) version 1, in force from record 0 to record 2",
        "PROD.ITEM (3.5) version 2, in force from record 2 to the end",
    ]
    assert lines.count("  key ID (tables file)") == 2
    assert "     1  ID    INTEGER      not null  key 1" in lines
    assert "     3  D     DATE" in lines


def test_a_tables_file_of_another_log_is_a_note(luw: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    path, described = luw
    described.write_text(described.read_text().replace("VARCHAR(20)", "INTEGER"))
    run("tables", path, "--tables", described)
    out = capsys.readouterr().out
    assert out.count("note: the tables file is not of this log: column NAME of PROD.ITEM") == 2
    assert "no key is known" in out


def test_key_of_versions_that_differ_is_not_stated(luw: tuple[Path, Path], tmp_path: Path) -> None:
    """One struct of all versions says only what holds in all of them."""
    path, described = luw
    described.write_text(described.read_text().replace("key: [ID]", "key: [D]"))
    from lmparse.logs.arrow import request_schema
    from lmparse.logs.families import read_options
    from lmparse.logs.partitions import Request

    options = read_options({"tables": str(described), "table": "PROD.ITEM"})
    schema = request_schema(Request((str(path),), options, True))
    fields: dict[str, pa.Field] = {field.name: field for field in schema.field("after").type}
    assert fields["D"].metadata == {b"lmparse.type": b"DATE"}
    assert fields["ID"].metadata == {b"lmparse.type": b"INTEGER", b"lmparse.not_null": b"true"}
