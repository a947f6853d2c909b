"""Calculated values and words of enumerations: the same by both engines, in tables, lines and filters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from spec.test_step_budget import built
from writers.bmc import framing

from lmparse import cli
from lmparse.columnar.filters import Filter
from lmparse.logs.arrow import read_table

SPEC = """\
seq:
  - {id: state, type: u1, enum: state, doc: State}
  - {id: few, type: u1, enum: state, repeat: expr, repeat-expr: 2}
  - {id: amount, type: u2}
  - {id: by, type: u1}
instances:
  each: {value: amount / by}
  exact: {value: amount / 2.0}
  is_open: {value: 'state == state::open'}
  again: {value: state, if: by > 0}
  here: {value: _root}
enums: {state: {1: open, 2: closed}}
"""
FIXED = """\
seq:
  - {id: state, type: u1, enum: state}
  - {id: amount, type: u2}
enums: {state: {1: open, 2: closed}}
"""
RECORDS = [b"\1\1\2\0\x0a\3", b"\2\2\x09\0\7\0", b"\x09\1\1\0\0\1"]


@pytest.fixture
def name(tmp_path: Path) -> str:
    built(tmp_path, SPEC)
    return f"{tmp_path}/out/acme_a"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.dat"
    path.write_bytes(framing.framed("rdw", RECORDS).data)
    return path


@pytest.mark.parametrize("engine", ["columnar", "kaitai", "check"])
def test_a_table_has_what_the_spec_names(name: str, path: Path, engine: str) -> None:
    table = read_table(path, spec=name, framing="rdw", engine=engine)
    shown = ("state", "few", "each", "exact", "is_open", "again")
    assert {one: str(table.schema.field(one).type) for one in shown} == {
        "state": "string", "few": "list<item: string>", "each": "int64", "exact": "double", "is_open": "bool",
        "again": "string",
    }  # fmt: skip
    assert "here" not in table.schema.names
    assert table.schema.field("state").metadata == {b"comment": b"State (open, closed)"}
    rows = table.drop_columns(["_metadata", "_corrupt_record"]).to_pylist()
    faults = [row.pop("_corrupt_fields") for row in rows]
    assert rows == [
        {"state": "open", "few": ["open", "closed"], "amount": 10, "by": 3, "each": 3, "exact": 5.0, "is_open": True,
         "again": "open"},
        {"state": "closed", "few": ["closed", "9"], "amount": 7, "by": 0, "each": None, "exact": 3.5, "is_open": False,
         "again": None},
        {"state": "9", "few": ["open", "open"], "amount": 0, "by": 1, "each": 0, "exact": 0.0, "is_open": False,
         "again": "9"},
    ]  # fmt: skip
    assert [(fault["path"], fault["code"]) for fault in faults[1]] == [("each", "LMP-R012")]
    assert faults[0] is faults[2] is None


def test_numbers_are_shown_where_they_are_asked_for(name: str, path: Path) -> None:
    table = read_table(path, spec=name, framing="rdw", enums="numbers")
    assert table.column("state").to_pylist() == [1, 2, 9]
    assert table.column("again").to_pylist() == [1, None, 9]
    assert table.schema.field("state").type == pa.int16()


def test_filters_and_columns_are_of_what_is_shown(name: str, path: Path) -> None:
    table = read_table(path, spec=name, framing="rdw", columns="amount,is_open", filters=[Filter("is_open", "=", True)])
    assert table.column("amount").to_pylist() == [10]
    table = read_table(path, spec=name, framing="rdw", columns="state", filters=[Filter("state", "=", "closed")])
    assert table.num_rows == 1


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_lines_have_the_same(name: str, path: Path, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = cli.main(["records", str(path), "--spec", name, "--framing", "rdw", "--engine", engine])
    first, second, _ = map(json.loads, capsys.readouterr().out.splitlines())
    assert code == 20
    assert list(first) == ["state", "few", "amount", "by", "each", "exact", "is_open", "again"]
    assert second["each"] is None
    assert second["_corrupt_fields"][0]["path"] == "each"


def test_fixed_records_are_decoded_to_words_column_wise(tmp_path: Path) -> None:
    built(tmp_path, FIXED)
    path = tmp_path / "x.dat"
    path.write_bytes(b"".join(bytes([number % 4, 0, number]) for number in range(200)))
    options: dict[str, Any] = {"spec": f"{tmp_path}/out/acme_a", "framing": "fixed", "record_length": 3}
    table = read_table(path, **options, engine="check")
    assert table.column("state").to_pylist()[:4] == ["0", "open", "closed", "3"]
    assert read_table(path, **options, filters=[Filter("state", "=", "open")]).num_rows == 50
