"""`lmparse convert`: the files it writes."""

from __future__ import annotations

import csv
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from export.conftest import (
    ENDINGS,
    Files,
    Rows,
    content,
    failure,
    manifest,
    read,
)
from writers.bmc import framing, logs
from writers.bmc.control import Table

from lmparse import __version__
from lmparse.columnar import schemas
from lmparse.export.writers import safe_name
from lmparse.logs import arrow
from lmparse.samples import db2_log
from lmparse.spec import catalog

# -- records --------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("engine", ["columnar", "kaitai", "check"])
def test_files_of_columns_are_the_table_that_python_gives(run: Any, log: Files, ending: str, engine: str) -> None:
    out = log.to / f"x.{ending}"
    done = run("convert", log.data, out, "--engine", engine)
    assert (done.code, done.out) == (0, "")
    found, expected = read(out), arrow.read_table(log.data)
    assert found.equals(expected)
    assert [entry.metadata for entry in found.schema] == [entry.metadata for entry in expected.schema]
    assert found.schema.field("length").metadata[b"comment"]
    size, bytes_read = out.stat().st_size, log.data.stat().st_size
    assert done.err == f"{out}: {found.num_rows} records in {size} bytes, from {bytes_read} bytes\n"
    assert os.listdir(log.to) == [out.name]


def test_a_file_of_columns_says_where_it_comes_from(run: Any, log: Files) -> None:
    out = log.to / "x.parquet"
    assert run("convert", log.data, out, "--columns", "dbid,table_name", "--framing", "rdw").code == 0
    found = read(out)
    assert found.schema.names == ["dbid", "table_name", *schemas.OUTCOMES]
    said = {name.decode(): value.decode() for name, value in found.schema.metadata.items()}
    assert said["lmparse.version"] == __version__
    assert said["lmparse.spec"] == "bmc_lldf"
    assert said["lmparse.spec_sha256"] == catalog.load("bmc_lldf").layout.sha256
    assert said["lmparse.source"] == "night.dat"
    assert json.loads(said["lmparse.options"]) == {"columns": ["dbid", "table_name"], "framing": "rdw"}
    assert str(log.data.parent) not in "".join(said.values())


@pytest.mark.parametrize(("compression", "codec"), [(None, "ZSTD"), ("snappy", "SNAPPY"), ("none", "UNCOMPRESSED")])
def test_compression_of_parquet(run: Any, log: Files, compression: str | None, codec: str) -> None:
    out = log.to / "x.parquet"
    run("convert", log.data, out, *(("--compression", compression) if compression else ()))
    assert pq.ParquetFile(out).metadata.row_group(0).column(0).compression == codec


def test_lines_are_those_of_records(run: Any, log: Files) -> None:
    out = log.to / "x.jsonl"
    for engine in ("columnar", "check"):
        assert run("convert", log.data, out, "--engine", engine, "--overwrite").code == 0
        assert out.read_text() == run("records", log.data).out
    assert run("convert", log.data, out, "--columns", "table_name,dbid", "--overwrite").code == 0
    assert out.read_text() == run("records", log.data, "--columns", "table_name,dbid").out


def test_a_csv_file_has_the_values_of_records_as_text(run: Any, damaged: Files) -> None:
    out = damaged.to / "x.csv"
    assert run("convert", damaged.data, out).code == 20
    with open(out, newline="", encoding="utf-8") as lines:
        found = list(csv.DictReader(lines))
    assert list(found[0]) == schemas.records_schema("bmc_lldf").names
    bad = [number for number, row in enumerate(found) if row["_corrupt_record"]]
    assert bad == [4]
    good = [row for number, row in enumerate(found) if number not in bad]
    expected = [json.loads(line) for line in run("records", damaged.data).out.splitlines()]
    for row, wanted in zip(good, expected, strict=True):
        faults = wanted.pop("_corrupt_fields", None)
        assert {name: row[name] for name in wanted} == {
            name: "" if value is None else str(value) for name, value in wanted.items()
        }
        assert (json.loads(row["_corrupt_fields"]) if row["_corrupt_fields"] else None) == faults
        assert json.loads(row["_metadata"])["file"] == str(damaged.data)
    assert found[4]["_corrupt_record"].startswith("7FFF")
    assert json.loads(found[4]["_corrupt_fields"])[0]["code"] == "LMP-V004"


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_empty_log_has_no_rows(run: Any, log: Files, ending: str) -> None:
    log.data.write_bytes(b"")
    out = log.to / f"x.{ending}"
    done = run("convert", log.data, out, "--framing", "rdw")
    assert done.code == 0
    assert "note: the file is empty" in done.err
    if ending in ("parquet", "arrow"):
        found = read(out)
        assert (found.num_rows, found.schema.names) == (0, schemas.records_schema("bmc_lldf").names)
    else:
        assert len(out.read_text().splitlines()) == (ending == "csv")


# -- usage ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["x.txt", "x", "x.parquet.gz", ".parquet"])
def test_another_ending_is_refused_with_those_there_are(run: Any, log: Files, name: str) -> None:
    done = run("convert", log.data, log.to / name)
    assert done.code == 2
    failure(done, "LMP-S003")
    assert all(f".{ending}" in done.err for ending in ENDINGS)
    assert os.listdir(log.to) == []


@pytest.mark.parametrize("arguments", [
    ("DATA", "TO/x.parquet", "--format", "csv"),
    ("DATA", "TO/x.csv", "--compression", "zstd"),
    ("DATA", "TO/x.parquet", "--jobs", "0"),
    ("DATA", "TO/x.parquet", "--columns", "no_such_field"),
    ("DATA", "TO/x.parquet", "--spec", "no_such_spec"),
    ("DATA", "DATA/x.parquet"),
    ("DATA", "TO"),
    ("DATA", "TO/x", "--control", "CONTROL", "--format", "xml"),
    ("DATA", "TO/x", "--control", "CONTROL", "--order", "commit", "--jobs", "2"),
    ("DATA", "TO/x", "--control", "CONTROL", "--table", "NOTHING"),
    ("DATA", "TO/x", "--control", "CONTROL", "--spec", "bmc_dlci"),
], ids=" ".join)  # fmt: skip
def test_wrong_usage_is_2_and_writes_nothing(run: Any, log: Files, arguments: tuple[str, ...]) -> None:
    paths = {"DATA": str(log.data), "CONTROL": str(log.control), "TO": str(log.to)}
    words = ["/".join(paths.get(part, part) for part in word.split("/")) for word in arguments]
    done = run("convert", *words)
    assert (done.code, done.out) == (2, "")
    assert done.err
    assert "Traceback" not in done.err
    assert os.listdir(log.to) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_is_replaced_only_when_asked_to(run: Any, log: Files, ending: str) -> None:
    out = log.to / f"x.{ending}"
    out.write_text("kept")
    done = run("convert", log.data, out)
    assert done.code == 2
    assert "--overwrite" in done.err
    assert out.read_text() == "kept"
    done = run("convert", log.data, out, "--overwrite")
    assert "was not written by lmparse" in failure(done, "LMP-S021")
    assert out.read_text() == "kept"
    out.unlink()
    assert run("convert", log.data, out, "--columns", "dbid").code == 0
    size = out.stat().st_size
    assert run("convert", log.data, out, "--overwrite").code == 0
    assert out.stat().st_size > size
    assert os.listdir(log.to) == [out.name]


def test_only_folders_of_its_own_are_replaced(run: Any, log: Files) -> None:
    out = log.to / "x"
    out.mkdir()
    (out / "precious.txt").write_text("kept")
    asked = ("convert", log.data, out, "--control", log.control)
    assert "--overwrite" in run(*asked).err
    done = run(*asked, "--overwrite")
    assert done.code == 2
    assert "not written by lmparse" in done.err
    assert content(out).keys() == {"precious.txt"}
    (out / "precious.txt").unlink()
    assert run(*asked, "--overwrite").code == 0
    first = content(out)
    (out / "leftover.parquet").write_text("of somebody else")
    assert run(*asked).code == 2
    assert "it also has leftover.parquet" in run(*asked, "--overwrite").err
    (out / "leftover.parquet").unlink()
    assert run(*asked, "--operations", "D", "--overwrite").code == 0
    assert content(out) != first
    assert run(*asked, "--overwrite").code == 0
    assert content(out) == first
    assert os.listdir(log.to) == ["x"]


# -- changes --------------------------------------------------------------------------------


def printed(run: Any, *arguments: object) -> Rows:
    return [json.loads(line) for line in run("changes", *arguments).out.splitlines()]


def images(row: dict[str, Any]) -> tuple[Any, ...]:
    """What tells a change from all others."""
    return row["seq"], row["op"], row["_metadata"]["record_index"]


def test_a_folder_of_changes_has_the_changes_that_changes_prints(run: Any, log: Files) -> None:
    out = log.to / "x"
    done = run("convert", log.data, out, "--control", log.control, "--include", "all")
    assert (done.code, done.out) == (0, "")
    expected = printed(run, log.data, "--control", log.control, "--include", "all")
    said = manifest(out)
    assert {path.name for path in out.iterdir()} == {"manifest.json", *(entry["file"] for entry in said["files"])}
    found: Rows = []
    for entry in said["files"]:
        rows = read(out / entry["file"]).to_pylist()
        assert entry["rows"] == len(rows) > 0
        assert sum(entry["rows_by_operation"].values()) == len(rows)
        assert [row["_metadata"]["record_index"] for row in rows] == sorted(
            row["_metadata"]["record_index"] for row in rows
        )
        if entry["table"] is not None:
            assert {f"{row['schema_name']}.{row['table_name']}" for row in rows} == {entry["table"]}
        found += rows
    assert sorted(map(images, found)) == sorted(map(images, expected))
    assert said["counts"] == {"changes": len(expected), "left_out": {}, "bad_records": 0, "errors": 0}
    assert [entry["table"] for entry in said["files"][:2]] == ["PROD.ITEMS", "PROD.ORDERS"]


@pytest.mark.parametrize("options", [(), ("--include", "all"), ("--order", "commit"), ("--operations", "I,U"),
                                     ("--table", "PROD.ITEMS", "--columns", "NAME,PRICE"), ("--header",)],
                         ids=" ".join)  # fmt: skip
def test_lines_of_changes_are_those_that_changes_prints(run: Any, log: Files, options: tuple[str, ...]) -> None:
    out = log.to / "x"
    asked = (log.data, "--control", log.control, *options)
    done = run("convert", log.data, out, *asked[1:], "--format", "jsonl")
    shown = run("changes", *asked)
    lines = shown.out.splitlines()
    files = {entry["file"]: (out / entry["file"]).read_text().splitlines() for entry in manifest(out)["files"]}
    assert sorted(line for found in files.values() for line in found) == sorted(lines)
    for found in files.values():
        assert found == [line for line in lines if line in set(found)]  # in the order in which they are printed
    assert done.err.startswith(shown.err)
    assert all(name.endswith(".jsonl") for name in files)


def test_files_of_tables_have_their_columns(run: Any, log: Files) -> None:
    out = log.to / "x"
    run("convert", log.data, out, "--control", log.control)
    (entry,) = [entry for entry in manifest(out)["files"] if entry["table"] == "PROD.ITEMS"]
    found = read(out / entry["file"])
    after = found.schema.field("after").type
    assert pa.types.is_struct(after)
    assert after.field("PRICE").type == pa.decimal128(11, 2)
    assert entry["file"] == "PROD.ITEMS.v001.parquet"
    assert (entry["version"], entry["ids"]) == (1, "DB2A.0105.0004.0005")


def test_the_manifest_says_what_was_read(run: Any, log: Files, example: logs.Example) -> None:
    out = log.to / "x"
    run("convert", log.data, out, "--control", log.control, "--operations", "I")
    said = manifest(out)
    raw = log.data.read_bytes()
    assert said["source"] == {"name": "night.dat", "size": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
    assert said["control"]["sha256"] == hashlib.sha256(log.control.read_bytes()).hexdigest()
    assert said["tables"] is None
    assert said["options"] == {"control": "night.ctl", "operations": ["I"]}
    assert (said["spec"], said["spec_sha256"]) == ("bmc_lldf", catalog.load("bmc_lldf").layout.sha256)
    assert said["lmparse"] == __version__
    for entry in said["files"]:
        assert entry["sha256"] == hashlib.sha256((out / entry["file"]).read_bytes()).hexdigest()
        assert set(entry["rows_by_operation"]) == {"I"}
    assert str(log.to.parent) not in json.dumps(said)


def test_a_log_of_db2_for_luw(run: Any, tmp_path: Path) -> None:
    tables, data = db2_log.make().write(tmp_path)
    (tmp_path / "to").mkdir()
    out = tmp_path / "to" / "x"
    done = run("convert", data, out, "--tables", tables)
    assert done.code == 0
    said = manifest(out)
    assert [entry["file"] for entry in said["files"]] == ["HR.EMPLOYEE.v000.parquet", "SALES.ORDERS.v000.parquet"]
    assert said["tables"]["sha256"] == hashlib.sha256(tables.read_bytes()).hexdigest()
    assert (said["control"], said["spec"]) == (None, "db2_log")
    rows = [row for entry in said["files"] for row in read(out / entry["file"]).to_pylist()]
    assert sorted(map(images, rows)) == sorted(map(images, printed(run, data, "--tables", tables)))
    records = tmp_path / "to" / "x.jsonl"
    assert run("convert", data, records, "--spec", "db2_log").code == 0
    assert records.read_text() == run("records", data, "--spec", "db2_log").out


def test_what_is_of_no_version_stands_in_other(run: Any, tmp_path: Path) -> None:
    _, data = db2_log.make().write(tmp_path)
    out = tmp_path / "x"
    assert run("convert", data, out, "--spec", "db2_log", "--include", "all").code == 0
    said = manifest(out)
    assert [entry["file"] for entry in said["files"]] == ["other.parquet"]
    assert said["files"][0]["table"] is None
    assert read(out / "other.parquet").num_rows == said["counts"]["changes"]
    assert len(said["notices"]) >= 2


# -- names of files --------------------------------------------------------------------------

AWKWARD = ["nul", "A/B", "A.B", "A B", "..", "Ä", "a", "A", "-x", "_x", "x" * 300, "日本", '"', "A%2FB",
           "\udc80", "\x00", "\n"]  # fmt: skip


def test_names_of_files_are_safe_and_differ() -> None:
    tables, taken = [(schema, name) for schema in ["", *AWKWARD] for name in AWKWARD], set[str]()
    names = [safe_name(schema, name, "1.2.3", taken, ".v001") for schema, name in tables]
    assert len({name.casefold() for name in names}) == len(taken) == len(tables)
    for name in names:
        assert set(name) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.%~")
        assert name[0] not in "-_."
        assert len(name) <= 150


def test_two_tables_of_one_name_have_two_files(run: Any, tmp_path: Path) -> None:
    """One was dropped and made again: other ids, the same name and version. A third differs in its case only."""
    column = (logs.Column("ID", "INT", 4, key_seq=1),)
    tables = (*(Table(1, 2, tbobid, "A", "T", column) for tbobid in (3, 4)), Table(1, 2, 5, "A", "t", column))
    writer = logs.Writer(tables)
    for number, table in enumerate((*tables, tables[0])):
        writer.add(logs.Unit(1), table, "I", after={"ID": number})
    made = writer.example()
    data, ctl, out = tmp_path / "a.dat", tmp_path / "a.ctl", tmp_path / "x"
    data.write_bytes(framing.rdw(made.data_records))
    ctl.write_bytes(framing.rdw(made.control_records))
    assert run("convert", data, out, "--control", ctl).code == 0
    files = manifest(out)["files"]
    assert len({entry["file"].casefold() for entry in files}) == 3
    assert sorted(entry["file"][:4] for entry in files) == ["A.T.", "A.T~", "A.t~"]
    by_ids = {entry["ids"]: [row["after"]["ID"] for row in read(out / entry["file"]).to_pylist()] for entry in files}
    assert by_ids == {"DB2A.0001.0002.0003": [0, 3], "DB2A.0001.0002.0004": [1], "DB2A.0001.0002.0005": [2]}
