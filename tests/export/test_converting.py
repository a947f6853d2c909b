"""`lmparse convert`: the files it writes, that they appear whole or not at all, and that processes change nothing."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from amounts import amount
from writers.bmc import control, framing, logs
from writers.bmc.control import Table

from lmparse import __version__, cli
from lmparse.columnar import kernels, schemas
from lmparse.columnar.comparison import compared
from lmparse.columnar.texts import as_text
from lmparse.errors import EngineDifferenceError, LmparseError
from lmparse.export import filenames
from lmparse.export.filenames import Named
from lmparse.logs import arrow
from lmparse.samples import db2_log
from lmparse.spec import catalog
from lmparse.storage import processes

ROOT = Path(__file__).parents[2]
END = "FFFFFFFFFFFFFFFFFFFF"
ENDINGS = ("parquet", "arrow", "csv", "jsonl")
Rows = list[dict[str, Any]]


class Run(NamedTuple):
    """What one command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in this process."""

    def run(*arguments: object) -> Run:
        try:
            code = cli.main(list(map(str, arguments)))
        except SystemExit as end:
            code = int(str(end.code))
        return Run(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="module")
def example() -> logs.Example:
    return logs.example()


class Files(NamedTuple):
    """A log on disk, in a folder of its own, and a folder to write to."""

    data: Path
    control: Path
    to: Path


@pytest.fixture
def log(tmp_path: Path, example: logs.Example) -> Files:
    files = Files(tmp_path / "in" / "night.dat", tmp_path / "in" / "night.ctl", tmp_path / "to")
    files.data.parent.mkdir()
    files.to.mkdir()
    files.data.write_bytes(framing.rdw(example.data_records))
    files.control.write_bytes(framing.rdw([*example.control_records[:-1], control.dlge(ENDRBA=END)]))
    return files


@pytest.fixture
def damaged(log: Files, example: logs.Example) -> Files:
    """The third record has a timestamp that is none, the fifth a LENGTH that leads behind its end."""
    records = list(example.data_records)
    records[2] = records[2][:60] + b"\xff" * 17 + records[2][77:]
    records[4] = b"\x7f\xff" + records[4][2:]
    log.data.write_bytes(framing.rdw(records))
    return log


def read(path: Path) -> pa.Table:
    """A Parquet or Arrow file."""
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return pa.ipc.open_file(pa.BufferReader(path.read_bytes())).read_all()


def json_rows(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text().splitlines()]


def manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return found


def content(place: Path) -> dict[str, str]:
    """Every file under a place, hidden ones too, with a hash of what is in it."""
    files = [place] if place.is_file() else [path for path in sorted(place.rglob("*")) if path.is_file()]
    return {str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def failure(done: Run, code: str) -> str:
    """The line that says why a command failed."""
    assert done.out == ""
    assert "Traceback" not in done.err
    (line,) = [line for line in done.err.splitlines() if line.endswith(f"[{code}]")]
    return line


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


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_file_of_columns_says_where_it_comes_from(run: Any, log: Files, ending: str) -> None:
    out = log.to / f"x.{ending}"
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


@pytest.mark.parametrize(
    ("ending", "compression", "codec"),
    [("parquet", None, "ZSTD"), ("parquet", "snappy", "SNAPPY"), ("parquet", "none", "UNCOMPRESSED")],
)
def test_compression_of_parquet(run: Any, log: Files, ending: str, compression: str | None, codec: str) -> None:
    out = log.to / f"x.{ending}"
    run("convert", log.data, out, *(("--compression", compression) if compression else ()))
    assert pq.ParquetFile(out).metadata.row_group(0).column(0).compression == codec


def test_compression_of_arrow(run: Any, log: Files) -> None:
    plain, small = log.to / "plain.arrow", log.to / "small.arrow"
    assert run("convert", log.data, plain).code == 0
    assert run("convert", log.data, small, "--compression", "zstd").code == 0
    assert small.stat().st_size < plain.stat().st_size
    assert read(small).equals(read(plain))


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


def test_csv_tells_nothing_from_an_empty_text(run: Any, log: Files) -> None:
    out = log.to / "x.csv"
    run("convert", log.data, out, "--columns", "sql_src_type,uor_commit_timestamp")
    lines = out.read_text().splitlines()
    assert lines[0].startswith('"sql_src_type","uor_commit_timestamp",')
    assert any(line.startswith('"",,') for line in lines)  # blank text, and no time


@pytest.mark.parametrize(
    ("array", "texts"),
    [
        (pa.array([b"\x00\xc1", None, b"", b"\xff"]), ["00C1", None, "", "FF"]),
        (pa.array([b"no", b"\x00\xc1", None, b"\xff"]).slice(1), ["00C1", None, "FF"]),
        (pa.array([0, None, 1773483072000123], schemas.MICROS),
         ["1970-01-01T00:00:00.000000", None, "2026-03-14T10:11:12.000123"]),
        (pa.array([None, 0, 20526], pa.date32()), [None, "1970-01-01", "2026-03-14"]),
        (pa.array([None, "-0.0000001", "12"], pa.string()).cast(pa.decimal128(20, 7)),
         [None, "-0.0000001", "12.0000000"]),
        (pa.array([1.5, None, float("nan"), -0.0, 1e20]), ["1.5", None, '"NaN"', "-0.0", "1e+20"]),
        (pa.array([True, None, False]), ["true", None, "false"]),
        (pa.array([{"a": 'x"\n', "b": b"\x01", "c": 1}, None, {"a": None, "b": None, "c": None}],
                  pa.struct([("a", pa.string()), ("b", pa.binary()), ("c", pa.int64())])),
         ['{"a": "x\\"\\n", "b": "01", "c": 1}', None, '{"a": null, "b": null, "c": null}']),
        (pa.array([{"d": 1, "f": 1.5, "s": {"x": None}}, {"d": 2, "f": None, "s": {"x": "ä"}}],
                  pa.struct([("d", pa.date32()), ("f", pa.float64()), ("s", pa.struct([("x", pa.string())]))])),
         ['{"d": "1970-01-02", "f": 1.5, "s": {"x": null}}', '{"d": "1970-01-03", "f": null, "s": {"x": "ä"}}']),
        (pa.array([[{"path": "a", "raw": b"\x01"}], None, []],
                  pa.list_(pa.struct([("path", pa.string()), ("raw", pa.binary())]))),
         ['[{"path": "a", "raw": "01"}]', None, "[]"]),
        (pa.array([None, {}], pa.struct([])), [None, "{}"]),
        (pa.array([], pa.binary()), []),
    ],
)  # fmt: skip
def test_values_as_text(array: pa.Array, texts: list[str | None]) -> None:
    assert as_text(array).to_pylist() == texts


def test_records_of_several_kinds(run: Any, log: Files) -> None:
    out = log.to / "x.parquet"
    assert run("convert", log.control, out, "--spec", "bmc_control").code == 0
    assert read(out).equals(arrow.read_table(log.control, spec="bmc_control"))
    lines = log.to / "x.jsonl"
    assert run("convert", log.control, lines, "--spec", "bmc_control").code == 0
    assert lines.read_text() == run("records", log.control, "--spec", "bmc_control").out
    table = log.to / "x.csv"
    assert run("convert", log.control, table, "--spec", "bmc_control").code == 0
    assert len(table.read_text().splitlines()) > read(out).num_rows


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
    ("DATA", "TO/x.arrow", "--compression", "snappy"),
    ("DATA", "TO/x.parquet", "--jobs", "0"),
    ("DATA", "TO/x.parquet", "--jobs", "many"),
    ("DATA", "TO/x.parquet", "--columns", "no_such_field"),
    ("DATA", "TO/x.jsonl", "--columns", "no_such_field"),
    ("DATA", "TO/x.parquet", "--spec", "no_such_spec"),
    ("DATA", "TO/nowhere/x.parquet"),
    ("DATA", "s3://TO/x.parquet"),
    ("DATA", "DATA/x.parquet"),
    ("DATA", "TO"),
    ("DATA", "TO/x", "--include", "all"),
    ("DATA", "TO/x", "--control", "CONTROL", "--format", "xml"),
    ("DATA", "TO/x", "--control", "CONTROL", "--order", "commit", "--jobs", "2"),
    ("DATA", "TO/x", "--control", "CONTROL", "--table", "NOTHING"),
    ("DATA", "TO/x", "--control", "CONTROL", "--columns", "NO_SUCH_COLUMN"),
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


@pytest.mark.parametrize("is_link", [False, True])
def test_what_is_read_is_never_written_over(run: Any, log: Files, is_link: bool) -> None:
    before = content(log.data.parent)
    data = log.data.parent / "night.parquet"
    os.rename(log.data, data)
    out = data
    if is_link:
        out = log.to / "x.parquet"
        out.symlink_to(data)
    for options in ((), ("--overwrite",)):
        done = run("convert", data, out, *options)
        assert done.code == 2
        assert "is an input" in done.err
    folder = data.parent
    done = run("convert", data, folder, "--control", log.control, "--overwrite")
    assert done.code == 2
    assert "holds an input" in done.err
    os.rename(data, log.data)
    assert content(folder) == before


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


def test_a_link_is_written_through(run: Any, log: Files) -> None:
    target, out = log.to / "target.parquet", log.to / "x.parquet"
    out.symlink_to(target)
    assert run("convert", log.data, out, "--columns", "dbid").code == 0
    assert run("convert", log.data, out, "--overwrite").code == 0
    assert out.is_symlink()
    assert read(target).num_rows


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


def test_file_and_folder_do_not_replace_each_other(run: Any, log: Files) -> None:
    file, folder = log.to / "a.parquet", log.to / "b.parquet"
    file.write_text("a file")
    folder.mkdir()
    assert run("convert", log.data, file, "--control", log.control, "--overwrite").code == 2
    assert run("convert", log.data, folder, "--overwrite").code == 2
    assert file.read_text() == "a file"
    assert folder.is_dir()


# -- changes --------------------------------------------------------------------------------


def without_corrupt(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not name.startswith("_corrupt")}


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
    (described,) = [column for column in entry["schema"] if column["name"] == "after"]
    assert [column["name"] for column in described["fields"]] == [after.field(n).name for n in range(after.num_fields)]
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


@pytest.mark.parametrize("form", ENDINGS)
def test_every_form_of_a_folder_has_the_same_rows(run: Any, log: Files, form: str) -> None:
    out = log.to / "x"
    assert run("convert", log.data, out, "--control", log.control, "--format", form).code == 0
    said = manifest(out)
    shown = printed(run, log.data, "--control", log.control)
    assert said["format"] == form
    assert said["counts"]["changes"] == len(shown)
    assert all(entry["file"].endswith(f".{form}") for entry in said["files"])
    if form == "csv":
        for entry in said["files"]:
            with open(out / entry["file"], newline="", encoding="utf-8") as lines:
                rows = list(csv.DictReader(lines))
            wanted = {row["seq"]: row for row in shown}
            for row in rows:
                for role in ("before", "after"):
                    assert (json.loads(row[role]) if row[role] else None) == in_columns(wanted[row["seq"]][role], row)


def in_columns(image: Any, row: dict[str, str]) -> Any:
    """An image as columns hold it: timestamps to the microsecond."""
    if image is None or row["table_name"] != "ORDERS":
        return image
    cut = {"FINE": 26, "STAMP": 26}
    return {name: value[: cut[name]] if value and name in cut else value for name, value in image.items()}


def test_a_compressed_log_is_read_as_it_is_unpacked(run: Any, log: Files) -> None:
    packed = log.data.with_suffix(".dat.gz")
    packed.write_bytes(gzip.compress(log.data.read_bytes()))
    plain, out = log.to / "plain", log.to / "packed"
    run("convert", log.data, plain, "--control", log.control)
    assert run("convert", packed, out, "--control", log.control, "--jobs", 2, "--part-bytes", 4000).code == 0
    first, second = manifest(plain), manifest(out)
    assert second["source"]["name"] == "night.dat.gz"
    assert second["source"]["sha256"] == hashlib.sha256(packed.read_bytes()).hexdigest()
    assert list(map(rows_of, second["files"])) == list(map(rows_of, first["files"]))


def test_an_empty_log_has_a_manifest_and_no_files(run: Any, log: Files) -> None:
    log.data.write_bytes(b"")
    out = log.to / "x"
    done = run("convert", log.data, out, "--control", log.control)
    assert done.code == 0
    assert os.listdir(out) == ["manifest.json"]
    assert (manifest(out)["files"], manifest(out)["counts"]["changes"]) == ([], 0)
    assert "the file is empty" in "".join(manifest(out)["notices"])


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

AWKWARD = ["CON", "nul", "A/B", "A.B", "A B", "..", "Ä", "a", "A", "-x", "_x", "x" * 300, "日本", "COM1", '"', "A%2FB",
           "\udc80", "\x00", "\n"]  # fmt: skip


def test_names_of_files_are_safe_and_differ() -> None:
    tables = [Named(schema, name, 1, f"{schema}|{name}") for schema in ["", *AWKWARD] for name in AWKWARD]
    names = filenames.safe_names(tables)
    assert len({name.casefold() for name in names}) == len(tables)
    for name in names:
        assert set(name) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.%~")
        assert name[0] not in "-_."
        assert len(name) <= 150
        assert name.split(".")[0].upper() not in ("CON", "NUL", "COM1")


@pytest.mark.parametrize(
    ("table", "name"),
    [
        (("PROD", "ORDERS", 1), "PROD.ORDERS.v001"),
        (("PROD", "ORDERS", 1234), "PROD.ORDERS.v1234"),
        (("", "ORDERS", 0), "ORDERS.v000"),
        (("", "", 0), "%.v000"),
        (("CON", "ORDERS", 1), "%43ON.ORDERS.v001"),
        (("PROD", "CON", 1), "PROD.CON.v001"),
        (("_X", "Y", 1), "%5FX.Y.v001"),
        (("A/B", "C.D", 1), "A%2FB.C%2ED.v001"),
        (("Ä", "$#@", 1), "%C3%84.%24%23%40.v001"),
    ],
)
def test_names_of_files(table: tuple[str, str, int], name: str) -> None:
    assert filenames.safe_name(Named(*table, "")) == name


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
    assert all(entry["file"].startswith(("A.T.v001~", "A.t.v001~")) for entry in files)
    by_ids = {entry["ids"]: [row["after"]["ID"] for row in read(out / entry["file"]).to_pylist()] for entry in files}
    assert by_ids == {"DB2A.0001.0002.0003": [0, 3], "DB2A.0001.0002.0004": [1], "DB2A.0001.0002.0005": [2]}


# -- damage ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("here")
def with_rows(err: str) -> list[str]:
    """What `records` or `changes` says of bad records, as `convert` says it, which writes a row for each."""
    said = "bad records without a row:"
    assert err.count(said) == 1
    return err.replace(said, "bad records, whose rows have their bytes and no values:").splitlines()


@pytest.mark.parametrize(("ending", "jobs"), [("parquet", 1), ("arrow", 1), ("parquet", 2)])
def test_permissive_writes_good_and_bad_records_and_names_the_bad_ones(
    run: Any, damaged: Files, ending: str, jobs: int
) -> None:
    out = damaged.to / f"x.{ending}"
    done = run("convert", damaged.data, out, "--jobs", jobs, "--part-bytes", 3000)
    assert done.code == 20
    found = read(out)
    assert found.equals(arrow.read_table(damaged.data))
    assert [row for row, value in enumerate(found["_corrupt_record"].to_pylist()) if value is not None] == [4]
    assert found["_corrupt_fields"][2].as_py()[0]["code"] == "LMP-V005"
    shown = with_rows(run("records", damaged.data).err)
    assert done.err.splitlines()[:-1] == shown


def test_dropmalformed_leaves_both_out(run: Any, damaged: Files, example: logs.Example) -> None:
    out = damaged.to / "x.parquet"
    assert run("convert", damaged.data, out, "--mode", "dropmalformed").code == 20
    assert read(out).num_rows == len(example.data_records) - 2


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("ending", "jobs"), [*((ending, 1) for ending in ENDINGS), ("parquet", 2)])
def test_failfast_writes_nothing(run: Any, damaged: Files, ending: str, jobs: int) -> None:
    out = damaged.to / f"x.{ending}"
    done = run("convert", damaged.data, out, "--mode", "failfast", "--jobs", jobs, "--part-bytes", 3000)
    assert done.code == 20
    assert "record 2 at " in failure(done, "LMP-V005")
    assert f"{out} is not written" in done.err
    assert os.listdir(damaged.to) == []


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("cut", "code", "error"), [(slice(None, -7), 20, "LMP-F006"), (slice(None), 31, "LMP-F007")])
@pytest.mark.parametrize(
    ("name", "jobs"), [*((f"x.{ending}", 1) for ending in ENDINGS), ("x", 1), ("x.csv", 2), ("x.arrow", 2), ("x", 2)]
)
def test_damaged_framing_writes_nothing(
    run: Any, log: Files, name: str, cut: slice, code: int, error: str, jobs: int
) -> None:
    log.data.write_bytes(log.data.read_bytes()[cut] + (b"" if code == 20 else b"\x00" * 16))
    out = log.to / name
    with_control = ("--control", log.control) if name == "x" else ()
    done = run("convert", log.data, out, *with_control, "--jobs", jobs, "--part-bytes", 3000)
    assert done.code == code
    failure(done, error)
    assert f"{out} is not written: it would not be complete" in done.err
    assert os.listdir(log.to) == []


def test_an_old_output_survives_damage(run: Any, log: Files) -> None:
    out = log.to / "x.parquet"
    assert run("convert", log.data, out).code == 0
    before = content(log.to)
    log.data.write_bytes(log.data.read_bytes()[:-7])
    assert run("convert", log.data, out, "--overwrite").code == 20
    assert content(log.to) == before


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("jobs", [1, 2])
def test_bad_records_among_changes_stand_in_other(run: Any, damaged: Files, jobs: int) -> None:
    out = damaged.to / "x"
    asked = (damaged.data, "--control", damaged.control)
    done = run("convert", asked[0], out, *asked[1:], "--jobs", jobs, "--part-bytes", 3000)
    shown = run("changes", *asked)
    assert done.code == shown.code == 20
    assert sorted(done.err.splitlines()[:-1]) == sorted(with_rows(shown.err))
    said = manifest(out)
    other = said["files"][-1]
    assert other["file"] == "other.parquet"
    assert other["rows_by_operation"]["bad record"] == said["counts"]["bad_records"] == 1
    assert said["counts"]["changes"] == len(shown.out.splitlines())
    (bad,) = [row for row in read(out / "other.parquet").to_pylist() if row["_corrupt_record"]]
    assert bad["_metadata"]["record_index"] == 4
    lines = damaged.to / "lines"
    run("convert", asked[0], lines, *asked[1:], "--jobs", jobs, "--part-bytes", 3000, "--format", "jsonl")
    found = [line for path in lines.glob("*.jsonl") for line in path.read_text().splitlines()]
    assert sorted(found) == sorted(shown.out.splitlines())


# -- processes ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def long_log(tmp_path_factory: pytest.TempPathFactory, example: logs.Example) -> Files:
    """A log with a segment missing and a bad record, in many parts; its segments stand in several."""
    folder = tmp_path_factory.mktemp("long")
    records = list(example.data_records) * 3
    lone = next(n for n, record in enumerate(records) if record.startswith(b"\x7f") or n == 40)
    records[lone] = b"\x7f\xff" + records[lone][2:]
    files = Files(folder / "night.dat", folder / "night.ctl", folder)
    files.data.write_bytes(framing.rdw(records[:-30]))
    files.control.write_bytes(framing.rdw([*example.control_records[:-1], control.dlge(ENDRBA=END)]))
    return files


@pytest.mark.parametrize(("ending", "jobs"), [*((ending, 2) for ending in ENDINGS), ("parquet", 3)])
def test_processes_change_nothing_in_records(
    run: Any, long_log: Files, tmp_path: Path, request: pytest.FixtureRequest, ending: str, jobs: int
) -> None:
    if jobs == 2:
        request.getfixturevalue("here")  # the one with three shows that processes of their own do the same
    one, many = tmp_path / f"one.{ending}", tmp_path / f"many.{ending}"
    first = run("convert", long_log.data, one)
    second = run("convert", long_log.data, many, "--jobs", jobs, "--part-bytes", 4000)
    assert first.code == second.code == 20
    assert first.err.splitlines()[:-1] == second.err.splitlines()[:-1]
    assert many.read_bytes() == one.read_bytes()
    assert sorted(os.listdir(tmp_path)) == [many.name, one.name]


@pytest.mark.parametrize(("form", "most"), [("parquet", 3), ("jsonl", 2)])
def test_processes_change_nothing_in_changes(
    run: Any, long_log: Files, tmp_path: Path, request: pytest.FixtureRequest, form: str, most: int
) -> None:
    if form == "jsonl":
        request.getfixturevalue("here")
    said = []
    for jobs in range(1, most + 1, amount(most - 1, 1)):
        out = tmp_path / str(jobs)
        done = run("convert", long_log.data, out, "--control", long_log.control, "--format", form,
                   "--include", "all", "--jobs", jobs, "--part-bytes", 4000)  # fmt: skip
        assert done.code == 20
        said.append((content(out), manifest(out), sorted(done.err.replace(str(out), "OUT").splitlines())))
    assert all(entry == said[0] for entry in said)


@pytest.mark.usefixtures("here")
def test_processes_change_nothing_in_a_log_of_db2_for_luw(run: Any, tmp_path: Path) -> None:
    tables, data = db2_log.make().write(tmp_path)
    for options in (("--tables", tables), ("--spec", "db2_log")):
        said = []
        for jobs in (1, 2):
            out = tmp_path / f"{options[0]}{jobs}"
            done = run("convert", data, out, *options, "--include", "all", "--jobs", jobs, "--part-bytes", 3000)
            assert done.code == 0
            said.append((content(out), manifest(out)))
        assert said[0] == said[1]


def twice(number: int) -> int:
    """What workers of these tests do."""
    if number == 13:
        raise LmparseError("unlucky", code="LMP-S003", hint="another one")
    if number == 14:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 15:
        raise ValueError(lambda: "cannot be pickled")
    return 2 * number


def test_results_come_in_the_order_of_their_tasks() -> None:
    assert list(processes.in_order(twice, range(12), 3)) == list(range(0, 24, 2))
    assert list(processes.in_order(twice, [], 3)) == []


def test_an_error_is_raised_in_its_turn() -> None:
    results = processes.in_order(twice, [1, 13, 2], 2)
    assert next(results) == 2
    with pytest.raises(LmparseError, match="unlucky") as caught:
        next(results)
    assert caught.value.hint == "another one"


def test_an_error_that_cannot_be_pickled_is_told_of() -> None:
    with pytest.raises(RuntimeError, match="ValueError"):
        list(processes.in_order(twice, [15], 1))


def test_a_dead_worker_is_an_error() -> None:
    with pytest.raises(LmparseError, match="signal 9") as caught:
        list(processes.in_order(twice, [1, 14, 2, 3], 2))
    assert caught.value.code == "LMP-S007"


# -- whole or not at all --------------------------------------------------------------------

LONG = 500
"""How often the example is written one after the other, for what is interrupted."""


@pytest.fixture(scope="module")
def very_long(tmp_path_factory: pytest.TempPathFactory, example: logs.Example) -> Files:
    folder = tmp_path_factory.mktemp("very_long")
    files = Files(folder / "night.dat", folder / "night.ctl", folder)
    files.data.write_bytes(framing.rdw(example.data_records) * LONG)
    files.control.write_bytes(framing.rdw([*example.control_records[:-1], control.dlge(ENDRBA=END)]))
    return files


@pytest.mark.parametrize(
    ("number", "jobs", "name"),
    [
        (signal.SIGINT, 1, "x.jsonl"),
        (signal.SIGINT, 2, "x.jsonl"),
        (signal.SIGTERM, 2, "x.parquet"),
        (signal.SIGINT, 2, "x"),
    ],
)
def test_a_signal_leaves_nothing_behind(
    very_long: Files, tmp_path: Path, number: signal.Signals, jobs: int, name: str
) -> None:
    """As Ctrl-C does it: every process of the terminal gets the signal."""
    words = ("--control", very_long.control) if name == "x" else ("--engine", "kaitai")
    command = ["convert", very_long.data, tmp_path / name, *words, "--jobs", jobs, "--part-bytes", 100_000]
    with subprocess.Popen(
        [sys.executable, "-m", "lmparse", *map(str, command)],
        cwd=ROOT, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=heed_ctrl_c,
    ) as process:  # fmt: skip
        wait_for(lambda: any(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()), process)
        while process.poll() is None:
            # Python loses an interrupt in callbacks of the garbage collector, so a user presses Ctrl-C again.
            os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.5)
        printed, said = process.communicate(timeout=60)
    # Python ends itself by the signal if that came while it compiled; shells make the same exit code of both.
    assert process.returncode in ((130, -number) if number == signal.SIGINT else (128 + number,))
    assert (printed, said) == ("", "")
    assert os.listdir(tmp_path) == []


def heed_ctrl_c() -> None:
    """What a shell starts in the background ignores Ctrl-C, and so would the programs that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for(is_so: Any, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        try:
            if is_so():
                return
        except FileNotFoundError:
            pass
        time.sleep(0.005)
    raise AssertionError(f"ended too early: {process.communicate()}")


def test_a_full_disk_leaves_nothing_behind(very_long: Files, tmp_path: Path) -> None:
    """Files may not grow beyond a limit here, which is an error of the same kind."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    for name in ("x.parquet", "x.csv"):
        columns = ("--compression", "none") if name == "x.parquet" else ()
        done = subprocess.run(
            [sys.executable, "-B", "-m", "lmparse", "convert", very_long.data, tmp_path / name, *columns],
            cwd=ROOT, preexec_fn=limit, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 2
        assert "cannot be written: File too large" in done.stderr
        assert "Traceback" not in done.stderr
        assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_put_in_place_leaves_the_old_one(
    run: Any, log: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = log.to / "x"
    asked = ("convert", log.data, out, "--control", log.control)
    run(*asked)
    before = content(out)
    rename = os.rename

    def fail(source: Any, target: Any) -> None:
        if Path(source).name == "made":
            raise PermissionError(13, "Permission denied", str(target))
        rename(source, target)

    monkeypatch.setattr(os, "rename", fail)
    done = run(*asked, "--operations", "D", "--overwrite")
    assert done.code == 2
    assert "cannot be written: Permission denied" in done.err
    assert content(out) == before
    assert os.listdir(log.to) == ["x"]


def test_modes_of_files_are_those_of_the_user(run: Any, log: Files) -> None:
    """Not those of a temporary folder, which nobody else may enter."""
    before = os.umask(0o022)
    try:
        run("convert", log.data, log.to / "x.parquet")
        run("convert", log.data, log.to / "x", "--control", log.control)
    finally:
        os.umask(before)
    assert (log.to / "x.parquet").stat().st_mode & 0o777 == 0o644
    assert (log.to / "x").stat().st_mode & 0o777 == 0o755


# -- both engines ---------------------------------------------------------------------------


@pytest.fixture
def wrong_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unsigned numbers of two bytes are one more than they are, from 5 on."""
    right = kernels.integer

    def wrong(type_: pa.DataType, order: Any, is_signed: bool, raw: Any) -> Any:
        array, bad = right(type_, order, is_signed, raw)
        if raw.shape[1] == 2 and type_ == pa.int32():
            array = pa.array([value + (value == 5) for value in array.to_pylist()], type_)
        return array, bad

    monkeypatch.setattr(kernels, "integer", wrong)


@pytest.mark.usefixtures("wrong_kernel")
@pytest.mark.parametrize("ending", ENDINGS)
def test_engine_check_finds_a_difference(run: Any, log: Files, ending: str) -> None:
    out = log.to / f"x.{ending}"
    done = run("convert", log.data, out, "--engine", "check")
    assert done.code == 24
    line = failure(done, "LMP-S006")
    table = arrow.read_table(log.data, engine="kaitai")
    index = table["tbobid"].to_pylist().index(5)
    offset = table["_metadata"][index].as_py()["record_offset"]
    assert line == f"record {index} at {offset:#x}: tbobid: 6 column-wise, 5 by the parser [LMP-S006]"
    assert os.listdir(log.to) == []
    assert run("convert", log.data, out, "--engine", "kaitai").code == 0


def test_engine_check_agrees_on_damage(run: Any, damaged: Files) -> None:
    out = damaged.to / "x.parquet"
    done = run("convert", damaged.data, out, "--engine", "check")
    assert done.code == 20
    assert done.err.splitlines()[:-1] == with_rows(run("records", damaged.data).err)
    assert read(out).equals(arrow.read_table(damaged.data))


def test_engine_check_says_when_it_compares_nothing(run: Any, log: Files, tmp_path: Path) -> None:
    done = run("convert", log.control, log.to / "x.csv", "--spec", "bmc_control", "--engine", "check")
    assert done.code == 0
    assert "nothing is compared" not in done.err
    path = tmp_path / "words.dat"
    path.write_bytes(bytes((0, 4, 0, 0)) * 9)
    given = "--spec", "zos_sdw", "--framing", "fixed", "--record-length", "4", "--engine", "check"
    done = run("convert", path, log.to / "y.csv", *given)
    assert done.code == 0
    assert "note: nothing is compared, since records of zos_sdw go row by row" in done.err


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("form", "jobs"), [("parquet", 1), ("jsonl", 1), ("parquet", 2)])
def test_engine_check_of_changes(run: Any, long_log: Files, tmp_path: Path, form: str, jobs: int) -> None:
    asked = ("--control", long_log.control, "--include", "all", "--format", form)
    one, both = tmp_path / "one", tmp_path / "both"
    run("convert", long_log.data, one, *asked)
    done = run("convert", long_log.data, both, *asked, "--engine", "check", "--jobs", jobs, "--part-bytes", 4000)
    assert done.code == 20
    assert [rows_of(entry) for entry in manifest(both)["files"]] == [rows_of(entry) for entry in manifest(one)["files"]]


def rows_of(entry: dict[str, Any]) -> dict[str, Any]:
    """What a manifest says of a file but what its options decide."""
    return {name: value for name, value in entry.items() if name not in ("sha256", "size")}


def stream(rows: Rows, *sizes: int) -> Iterator[pa.RecordBatch]:
    """Rows as batches of some sizes."""
    schema = pa.schema([("n", pa.int64()), ("f", pa.float64()), ("l", pa.list_(pa.float64())),
                        ("_metadata", schemas.METADATA)])  # fmt: skip
    start = 0
    for size in (*sizes, len(rows)):
        yield pa.RecordBatch.from_pylist(rows[start : start + size], schema)
        start += size


def row(n: int, f: float | None = 0.5, items: list[float] | None = None) -> dict[str, Any]:
    return {"n": n, "f": f, "l": items, "_metadata": {"record_index": n + 100, "record_offset": 16 * n}}


NAN = float("nan")
SAME = [row(n, NAN if n == 3 else None if n == 4 else -0.0, [NAN] if n % 2 else None) for n in range(9)]


@pytest.mark.parametrize("sizes", [(), (1, 1, 7), (4, 0, 4), (9,), (0, 0)])
def test_streams_that_are_the_same(sizes: tuple[int, ...]) -> None:
    given = compared(stream(SAME, 2, 3), stream(SAME, *sizes))
    assert sum(batch.num_rows for batch in given) == len(SAME)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ([*SAME[:5], row(5, 1.0, [NAN]), row(6, 9.0)], r"record 105 at 0x50: f: -0.0 column-wise, 1.0 by the parser"),
        ([*SAME[:5], row(5, 0.0, [NAN])], r"record 105 at 0x50: f: -0.0 column-wise, 0.0 by the parser"),
        ([*SAME[:3], row(3, None, [NAN])], r"record 103 at 0x30: f: nan column-wise, None by the parser"),
        ([*SAME[:7], row(7, -0.0, [NAN, 1.0])], r"record 107 at 0x70: l: \[nan\] column-wise, \[nan, 1.0\] by"),
        ([row(1, -0.0, None)], r"record 100 at 0x0: n: 0 column-wise, 1 by the parser"),
        (SAME[:7], r"record 107 at 0x70: is there column-wise only"),
        ([], r"record 100 at 0x0: is there column-wise only"),
        ([*SAME, row(9), row(10)], r"record 109 at 0x90: is there by the parser only"),
    ],
)
@pytest.mark.parametrize("sizes", [(), (2, 2), (1,) * 9])
def test_the_first_difference_is_named(other: Rows, message: str, sizes: tuple[int, ...]) -> None:
    with pytest.raises(EngineDifferenceError, match=message) as caught:
        list(compared(stream(SAME, 4), stream(other, *sizes)))
    assert caught.value.code == "LMP-S006"


def test_columns_that_differ_are_named() -> None:
    other = iter([pa.RecordBatch.from_pydict({"m": [1]})])
    with pytest.raises(EngineDifferenceError, match="columns differ"):
        list(compared(stream(SAME), other))


# -- progress -------------------------------------------------------------------------------


def test_progress_is_shown_on_a_terminal_only(very_long: Files, tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "lmparse", "convert", very_long.data, tmp_path / "x.csv", "--engine", "kaitai"]
    with subprocess.Popen(command, cwd=ROOT, stderr=theirs, stdout=subprocess.PIPE) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 4096)
            except OSError:  # nobody holds the other end any more
                break
    os.close(ours)
    assert process.returncode == 0
    assert b"MB/s" in shown
    assert b"records/s" in shown
    assert b" left" in shown
    last = shown.replace(b"\r\n", b"\n").decode().rsplit("\x1b[K", 1)[-1]
    assert last.endswith(" s\n")
    assert f"from {very_long.data.stat().st_size} bytes, " in last
