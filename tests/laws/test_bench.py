"""The benchmarks in short form: rivals agree on a small file, and the harness sees when they do not."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lmparse
from bench import data, engine, harness, lines, transactions
from bench.harness import Contender, Job, TablesDiffer
from bench.rivals import generated_parser, numpy_script, struct_loop, target
from lmparse.columnar.schemas import records_schema
from lmparse.framing.framings import framing_of
from lmparse.storage.buffers import open_buffer

SIZE = 300 * 385
PLAIN = Contender("struct_loop", "bench.rivals.struct_loop", is_fresh=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where files are kept; blocks are smaller than usual, for these are made often."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "_LLDF_RECORDS", 500)
        yield tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="module")
def truth(folder: Path) -> data.Truth:
    return data.make("lldf", folder, size=SIZE)


@pytest.fixture(scope="module")
def expected(truth: data.Truth) -> pa.Table:
    return generated_parser.read(truth.path, None)


# -- files --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", data.KINDS)
def test_a_file_is_what_is_said_of_it(folder: Path, kind: str) -> None:
    made = data.make(kind, folder, size=SIZE)
    buffer = open_buffer(made.path)
    assert sum(1 for _ in framing_of("rdw").extents(buffer)) == made.records > 50
    assert sha256(buffer[:]).hexdigest() == made.sha256
    assert len(buffer) == made.bytes <= SIZE
    log = lmparse.open_log(made.path, spec=made.spec)
    assert sum(1 for _ in log.records()) == made.records
    assert log.tally.errors == []


@pytest.mark.parametrize("what", lines.READERS)
def test_lines_of_both_engines(folder: Path, what: str) -> None:
    made = data.make("rows", folder, size=SIZE)
    found = [lines.READERS[what](made, engine) for engine in ("kaitai", "columnar")]
    assert found[0] == found[1]
    assert found[0][1] > SIZE / 2


# -- rivals -------------------------------------------------------------------------------


def test_the_columns_are_those_of_the_header() -> None:
    schema = records_schema("bmc_lldf")
    others = {"rid_page", "rid_row", "header_rest", "data"}
    assert set(target.COLUMNS) == {name for name in schema.names if not name.startswith("_")} - others
    assert all(target.SCHEMA.field(name).type == schema.field(name).type for name in target.COLUMNS)


def reader(module: str, package: str | None = None) -> Callable[..., pa.Table]:
    if package is not None:
        pytest.importorskip(package)
    read: Callable[..., pa.Table] = importlib.import_module(f"bench.rivals.{module}").read
    return read


RIVALS = [
    ("struct_loop", None),
    ("numpy_script", None),
    ("construct_reader", "construct"),
    ("dissect_reader", "dissect.cstruct"),
]


@pytest.mark.parametrize(("module", "package"), RIVALS)
def test_rivals_agree(truth: data.Truth, expected: pa.Table, module: str, package: str | None) -> None:
    found = reader(module, package)(truth.path, None)
    harness.check_equal(expected, found, module)
    assert found.num_rows == truth.records


@pytest.mark.parametrize(
    "columns", [("plan",), ("uor_timestamp", "rid", "sql_type"), ("plan", "dbid", *target.COLUMNS)]
)
@pytest.mark.parametrize(("module", "package"), [("generated_parser", None), *RIVALS])
def test_some_columns(
    truth: data.Truth, expected: pa.Table, module: str, package: str | None, columns: tuple[str, ...]
) -> None:
    columns = tuple(dict.fromkeys(columns))
    harness.check_equal(expected.select(columns), reader(module, package)(truth.path, columns), module)


def test_the_script_reads_a_file_in_pieces(
    truth: data.Truth, expected: pa.Table, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(numpy_script, "_PIECE", 4321)
    monkeypatch.setattr(numpy_script, "_WALKERS", 3)
    monkeypatch.setattr(numpy_script, "BATCH", 7)
    harness.check_equal(expected, numpy_script.read(truth.path, None), "in pieces")
    numpy_script.to_parquet(truth.path, str(tmp_path / "out.parquet"))
    harness.check_equal(expected, pq.read_table(tmp_path / "out.parquet"), "as Parquet")


@pytest.mark.parametrize("read", [struct_loop.read, numpy_script.read])
def test_a_file_that_ends_inside_a_record(truth: data.Truth, tmp_path: Path, read: Callable[..., pa.Table]) -> None:
    path = tmp_path / "cut.dat"
    path.write_bytes(Path(truth.path).read_bytes()[:-1])
    with pytest.raises(ValueError, match="record"):
        read(str(path), None)


# -- the harness ----------------------------------------------------------------------------


def contender(monkeypatch: pytest.MonkeyPatch, name: str, read: Callable[..., pa.Table]) -> Contender:
    """A contender of a test's own."""
    module = ModuleType(f"rival_{name}")
    module.read = read  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return Contender(name, module.__name__, is_fresh=False)


def changed(name: str, row: int, change: Callable[[Any], Any]) -> Callable[..., pa.Table]:
    """The plain loop with another value in one place."""

    def read(path: str, columns: tuple[str, ...] | None) -> pa.Table:
        table = struct_loop.read(path, columns)
        values = table[name].to_pylist()
        values[row] = change(values[row])
        entry = table.schema.field(name)
        return table.set_column(table.schema.get_field_index(name), entry, pa.array(values, entry.type))

    return read


def test_a_changed_byte_is_found(truth: data.Truth, monkeypatch: pytest.MonkeyPatch) -> None:
    flipped = contender(monkeypatch, "flipped", changed("log_rba", 217, lambda raw: raw[:9] + bytes([raw[9] ^ 1])))
    with pytest.raises(TablesDiffer, match=r"struct_loop and flipped: column log_rba, row 217: b'.*' and b'.*'"):
        harness.compare([PLAIN, flipped], Job(truth.path, None), rounds=1)


def test_a_lost_null_is_found(truth: data.Truth, expected: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    row = expected["uor_commit_timestamp"].to_pylist().index(None)
    filled = changed("uor_commit_timestamp", row, lambda _: 0)(truth.path, None)
    with pytest.raises(TablesDiffer, match=rf"column uor_commit_timestamp, row {row}: None and datetime"):
        harness.check_equal(expected, filled, "both")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda table: table.slice(1), r"\d+ and \d+ rows"),
        (lambda table: table.drop_columns("plan"), "columns are"),
        (lambda table: table.set_column(2, "dbid", table["dbid"].cast(pa.int64())), "column dbid is int32 and int64"),
    ],
)
def test_tables_of_other_shape_differ(expected: pa.Table, change: Callable[[pa.Table], pa.Table], text: str) -> None:
    with pytest.raises(TablesDiffer, match=text):
        harness.check_equal(expected, change(expected), "both")


def test_a_run_in_a_process_of_its_own(truth: data.Truth) -> None:
    fresh = replace(PLAIN, is_fresh=True)
    found = harness.run(fresh, Job(truth.path, ("plan",), warm_up=truth.path))
    assert found.rows == truth.records
    assert found.peak_bytes is not None
    assert found.peak_bytes >= (found.base_bytes or 0) > 10_000_000
    with pytest.raises(harness.ContenderFailed, match="FileNotFoundError"):
        harness.run(fresh, Job(truth.path + ".absent", None))


def test_the_command_writes_a_result(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engine, "CONTENDERS", [replace(entry, is_fresh=False) for entry in engine.CONTENDERS])
    write = harness.write
    monkeypatch.setattr(harness, "write", lambda name, content: write(name, content, tmp_path))
    monkeypatch.setattr(data, "ROOT", tmp_path)
    only = ["struct_loop", "numpy_script", "memcpy"]
    assert engine.main(["--size", "60K", "--rounds", "2", "--cache", str(folder), "--only", *only]) == 0
    content = json.loads((tmp_path / "engine.json").read_text())
    assert list(content["contenders"]) == ["numpy_script", "struct_loop", "memcpy"]
    assert content["baseline"] == "struct_loop"
    assert content["contenders"]["struct_loop"]["times_the_baseline"] == 1
    assert len(content["data"]["sha256"]) == 64
    assert str(tmp_path) not in json.dumps(content)
    assert "all tables equal" in capsys.readouterr().out


# -- transactions ---------------------------------------------------------------------------


def test_both_families_have_the_same_changes(folder: Path, tmp_path: Path) -> None:
    both = transactions.logs(tmp_path, 500_000)
    rows = transactions.changes(both["Log Master"], 50)
    with pytest.raises(TablesDiffer, match="families: change"):
        transactions.check_rows(rows, [*rows[:7], {**rows[7], "before": None, "after": None}, *rows[8:]])
    found = transactions.measure_index(both["Db2 LUW"], 1)
    assert found["transactions"] > 50
    assert found["changes"] > 500
