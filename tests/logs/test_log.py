"""A log as programs read it: its changes as Arrow, and what is said of a reading."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from writers.bmc import framing, logs

import lmparse
from lmparse.logs import arrow
from lmparse.logs.families import read_options
from lmparse.logs.log import Log
from lmparse.logs.open import open_changes
from lmparse.logs.partitions import Request
from lmparse.samples import db2_log

BAD = 2
"""Number of the record that is cut short; those before it are a change each."""
COUNTS = ("left_out", "error_count", "dropped", "kept", "notices")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound log of each family, and three with a bad record, a cut end, or both."""
    folder, example = tmp_path_factory.mktemp("logs"), logs.example()
    records = example.data_records
    (folder / "a.dat").write_bytes(framing.rdw(records))
    (folder / "bad.dat").write_bytes(framing.rdw([*records[:BAD], records[BAD][:100], *records[BAD + 1 :]]))
    (folder / "cut.dat").write_bytes(framing.rdw(records)[:-40])
    (folder / "both.dat").write_bytes(framing.rdw([*records[:BAD], records[BAD][:100], records[BAD + 1]])[:-40])
    (folder / "a.ctl").write_bytes(framing.rdw(example.control_records))
    db2_log.make().write(folder)
    return folder


def given(folder: Path, name: str, **options: Any) -> tuple[Path, dict[str, Any]]:
    """The path of a log and the options that read it."""
    if name == "db2":
        return folder / "sample.log", {"tables": str(folder / "sample.yaml"), **options}
    return folder / f"{name}.dat", {"control": str(folder / "a.ctl"), **options}


def as_spark_reads(path: Path, options: dict[str, Any]) -> pa.Table:
    asked = Request((str(path),), read_options(options), with_changes=True)
    schema = arrow.request_schema(asked)
    parts = (arrow.part_rows(part, schema, with_changes=True) for part in asked.parts())
    return pa.Table.from_batches((batch for batches in parts for batch in batches), schema)


def counts(table: pa.Table) -> dict[str, Any]:
    """What the metadata of a table say of its reading."""
    assert set(table.schema.metadata) == {f"lmparse.{name}".encode() for name in COUNTS}
    return {name: json.loads(table.schema.metadata[f"lmparse.{name}".encode()]) for name in COUNTS}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a", {"include": "all"}),
        ("a", {"include": "rolled-back,open", "header": True, "order": "commit", "operations": "I,U"}),
        ("a", {"table": "PROD.ORDERS", "columns": "ID,AMOUNT", "trim": False}),
        ("a", {"table": "PROD.ITEMS", "engine": "kaitai", "order": "commit"}),
        ("bad", {"include": "all", "engine": "check"}),
        ("bad", {"mode": "dropmalformed"}),
        ("db2", {"include": "all", "header": True}),
        ("db2", {"table": "HR.EMPLOYEE", "order": "commit"}),
        ("db2", {"spec": "db2_log", "columns": "EMPNO", "engine": "check"}),
    ],
)
def test_a_table_is_what_spark_reads(folder: Path, name: str, options: dict[str, Any]) -> None:
    path, options = given(folder, name, **options)
    expected, table = as_spark_reads(path, options), lmparse.read_changes(path, **options)
    assert expected.num_rows
    assert table.schema.remove_metadata().equals(expected.schema.remove_metadata(), check_metadata=True)
    assert table.equals(expected)
    log = lmparse.open_log(path, **options)
    assert log.to_reader().read_all().equals(expected)
    if "engine" not in options:
        printed = list(log.changes())
        rows = [row for row in table.to_pylist() if row["_corrupt_record"] is None]
        assert [row["seq"] for row in rows] == [change["seq"] for change in printed]
        assert [row["_metadata"] for row in rows] == [change["_metadata"] for change in printed]
        if "table" not in options:
            assert [json.loads(row["after"] or "null") for row in rows] == [change["after"] for change in printed]


def test_bad_records_are_rows_and_are_counted(folder: Path) -> None:
    path, options = given(folder, "bad", include="all")
    log = lmparse.open_log(path, **options)
    table = log.to_table()
    (row,) = [row for row in table.to_pylist() if row["_corrupt_record"] is not None]
    (error,) = log.tally.errors
    assert row["_corrupt_fields"][0]["code"] == error.code
    assert (row["_metadata"]["record_index"], error.record_index) == (BAD, BAD)
    assert counts(table) == {"left_out": {}, "error_count": 1, "dropped": 1, "kept": 1, "notices": []}
    dropped = lmparse.read_changes(path, **options, mode="dropmalformed")
    assert dropped.num_rows == table.num_rows - 1
    assert (counts(dropped)["error_count"], counts(dropped)["kept"]) == (1, 0)


@pytest.mark.parametrize("name", ["bad", "db2"])
@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_a_reading_leaves_nothing_to_the_next_one(folder: Path, name: str, engine: str) -> None:
    path, options = given(folder, name, include="all")
    expected = lmparse.read_changes(path, **options)
    log = Log(open_changes(path, read_options({**options, "engine": engine})))
    printed = list(log.changes())
    for _ in range(2):
        assert log.to_table().equals(expected)
        assert list(log.changes()) == printed
    log.to_reader().read_next_batch()
    assert log.to_table().equals(expected)


@pytest.mark.parametrize("engine", ["columnar", "kaitai", "check"])
@pytest.mark.parametrize(("name", "mode"), [("bad", "failfast"), ("cut", "permissive"), ("both", "permissive")])
def test_an_error_is_raised_behind_the_rows_before_it(folder: Path, name: str, mode: str, engine: str) -> None:
    path, options = given(folder, name, include="all", mode=mode, engine=engine)
    found: list[dict[str, Any]] = []
    reader = lmparse.open_log(path, **options).to_reader()
    with pytest.raises(lmparse.DataError) as caught:
        found.extend(row for batch in reader for row in batch.to_pylist())
    sound, of_all = given(folder, "a", include="all")
    seqs = [row["seq"] for row in lmparse.read_changes(sound, **of_all).to_pylist()]
    expected = {"bad": seqs[:BAD], "cut": seqs[:-1], "both": [*seqs[:BAD], None]}[name]
    assert [row["seq"] for row in found] == expected
    assert (caught.value.code == "LMP-F006") is (name != "bad")
    with pytest.raises(type(caught.value)) as again:
        lmparse.read_changes(path, **options)
    assert str(again.value) == str(caught.value)


@pytest.mark.parametrize("which", ["a.dat", "a.ctl"])
@pytest.mark.parametrize("batches", [0, 1])
def test_a_file_that_changes_is_an_error(folder: Path, tmp_path: Path, which: str, batches: int) -> None:
    for name in ("a.dat", "a.ctl"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    path, options = given(tmp_path, "a")
    reader = lmparse.open_log(path, **options).to_reader()
    for _ in range(batches):
        reader.read_next_batch()
    os.utime(tmp_path / which, ns=(1, 1))
    with pytest.raises(lmparse.ReadError, match=f"{which}: was written to") as caught:
        reader.read_all()
    assert caught.value.code == "LMP-F012"
    assert lmparse.read_changes(path, **options).num_rows


def test_dictionaries_refuse_an_engine(folder: Path) -> None:
    path, options = given(folder, "a", engine="check")
    log = lmparse.open_log(path, **options)
    for read in (log.changes, log.records):
        with pytest.raises(lmparse.OptionError, match=r"^engine check means nothing for"):
            read()
    assert log.to_table().num_rows


def test_filters_and_columns_that_are_not_wanted(folder: Path) -> None:
    path, options = given(folder, "a", include="all")
    table = lmparse.read_changes(path, **options)
    deletes = [lmparse.Filter("op", "=", "D")]
    for engine in ("columnar", "kaitai", "check"):
        found = lmparse.read_changes(path, filters=deletes, metadata=False, engine=engine, **options)
        assert found.column_names == table.column_names[:-1]
        assert found.to_pylist() == [
            {name: value for name, value in row.items() if name != "_metadata"}
            for row in table.to_pylist()
            if row["op"] == "D"
        ]
    with pytest.raises(lmparse.OptionError, match="there is no column 'NO'"):
        lmparse.read_changes(path, filters=[lmparse.Filter("NO", "=", "D")], **options)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"table": "NO.SUCH"}, "NO.SUCH"),
        ({"columns": "NO_SUCH"}, "there is no column 'NO_SUCH'"),
        ({"table_version": 1}, "tableVersion needs a table"),
        ({"control": None, "spec": "bmc_dlci"}, "records of bmc_dlci are not changes"),
        ({"colums": "A"}, "did you mean columns"),
        ({"framing": "rdw", "record_length": 5}, "framing rdw does not use recordLength"),
    ],
)
def test_options_are_refused_before_the_first_batch(folder: Path, options: dict[str, Any], why: str) -> None:
    path, options = given(folder, "a", **options)
    with pytest.raises(lmparse.OptionError, match=why):
        lmparse.open_log(path, **options).to_reader()
    with pytest.raises(lmparse.OptionError, match=why):
        lmparse.read_changes(path, **options)


@pytest.mark.parametrize("engine", ["columnar", "check"])
def test_extracts_of_a_log_are_tables_of_their_own(folder: Path, tmp_path: Path, engine: str) -> None:
    path, options = given(folder, "db2", order="commit", engine=engine)
    data, records = path.read_bytes(), lmparse.read_table(path, spec="db2_log")
    lead = open_changes(path, read_options(options)).framing.lead
    place = records.column("_metadata")[records.num_rows // 2]["record_offset"].as_py() - lead
    found = []
    for name, part in (("first.log", data[:place]), ("second.log", data[place:])):
        (tmp_path / name).write_bytes(part)
        log = lmparse.open_log([tmp_path / name], checkpoint=str(tmp_path / "state.json"), **options)
        found.append(log.to_table(metadata=False))
        log.save_checkpoint()
    assert all(table.num_rows for table in found)
    assert pa.concat_tables(found).equals(lmparse.read_changes(path, metadata=False, **options))
    with pytest.raises(lmparse.OptionError, match="checkpoint means nothing for read_changes"):
        lmparse.read_changes(path, checkpoint=str(tmp_path / "state.json"), **options)
