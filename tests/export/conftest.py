"""Logs to convert, and what the tests of the command look at."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import Run
from writers.bmc import control, framing, logs

from lmparse.samples import db2_log

ROOT = Path(__file__).parents[2]
END = "FFFFFFFFFFFFFFFFFFFF"
ENDINGS = ("parquet", "arrow", "csv", "jsonl")
Rows = list[dict[str, Any]]


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


@pytest.fixture
def sample(tmp_path: Path) -> tuple[Path, Path]:
    """A log and its tables file."""
    tables, log = db2_log.make(8).write(tmp_path / "in")
    return log, tables


def read(path: Path) -> pa.Table:
    """A Parquet or Arrow file."""
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return pa.ipc.open_file(pa.BufferReader(path.read_bytes())).read_all()


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


LONG = 500
"""How often the example is written one after the other, for what is interrupted."""


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


@pytest.fixture(scope="module")
def very_long(tmp_path_factory: pytest.TempPathFactory, example: logs.Example) -> Files:
    folder = tmp_path_factory.mktemp("very_long")
    files = Files(folder / "night.dat", folder / "night.ctl", folder)
    files.data.write_bytes(framing.rdw(example.data_records) * LONG)
    files.control.write_bytes(framing.rdw([*example.control_records[:-1], control.dlge(ENDRBA=END)]))
    return files


def with_rows(err: str) -> list[str]:
    """What `records` or `changes` says of bad records, as `convert` says it, which writes a row for each."""
    said = "bad records without a row:"
    assert err.count(said) == 1
    return err.replace(said, "bad records, whose rows have their bytes and no values:").splitlines()


def rows_of(entry: dict[str, Any]) -> dict[str, Any]:
    """What a manifest says of a file but what its options decide."""
    return {name: value for name, value in entry.items() if name not in ("sha256", "size")}
