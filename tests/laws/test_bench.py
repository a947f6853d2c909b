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
import pytest

import lmparse
from bench import any_spec, data, engine, harness
from bench.harness import Contender, Job, TablesDiffer
from bench.rivals import generated_parser, struct_loop
from lmparse.framing.framings import framing_of
from lmparse.storage.buffers import open_buffer

SIZE = 300 * 385
PLAIN = Contender("struct_loop", "bench.rivals.struct_loop", is_fresh=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where files are kept; blocks are smaller than usual, for these are made often."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "_LLDF_ROWS", 500)
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


# -- rivals -------------------------------------------------------------------------------


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


def test_any_spec_is_read_alike_by_both_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "write", lambda name, content: data.ROOT / name)
    assert any_spec.main(["--records", "60", "--rounds", "1"]) == 0
