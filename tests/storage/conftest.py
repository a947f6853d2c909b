"""A log that is compressed or remote, and what is known of copies."""

from __future__ import annotations

import gzip
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.fs as pafs
import pytest
from writers.bmc import control, framing, logs

from lmparse.errors import FramingError
from lmparse.storage import buffers, stored
from lmparse.storage.buffers import open_buffer

DATA = random.Random(7).randbytes(2500) + b"log " * 2500
MANY = np.arange(1 << 20, dtype=">u4").view("u1").reshape(-1, 4)[:, 1:].tobytes()


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


PACKERS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".zst": zstd}
ENDINGS = list(PACKERS)


class Log(NamedTuple):
    data: Path
    control: Path


@pytest.fixture(scope="module")
def contents() -> tuple[bytes, bytes]:
    """Data file and control file of the example."""
    example = logs.example()
    records = [*example.control_records[:-1], control.dlge(ENDRBA="FFFFFFFFFFFFFFFFFFFF")]
    return framing.rdw(example.data_records), framing.rdw(records)


@pytest.fixture
def log(tmp_path: Path, contents: tuple[bytes, bytes]) -> Log:
    found = Log(tmp_path / "plain" / "night.dat", tmp_path / "plain" / "night.ctl")
    found.data.parent.mkdir()
    found.data.write_bytes(contents[0])
    found.control.write_bytes(contents[1])
    return found


@pytest.fixture
def nothing_known() -> None:
    """No copy of an earlier test is left."""
    buffers._last.clear()


def packed(path: Path, ending: str, folder: str = "packed") -> Path:
    made = path.parent.parent / folder / (path.name + ending)
    made.parent.mkdir(exist_ok=True)
    made.write_bytes(PACKERS[ending](path.read_bytes()))
    return made


def alone(path: Path) -> Path:
    """A copy of a log in a folder without its control file, which would be found."""
    made = path.parent.parent / "alone" / path.name
    made.parent.mkdir(exist_ok=True)
    made.write_bytes(path.read_bytes())
    return made


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def fault(path: object) -> FramingError:
    with pytest.raises(FramingError) as caught:
        open_buffer(str(path))
    assert (caught.value.code, caught.value.file) == ("LMP-F001", str(path))
    return caught.value


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that were copied."""
    made: list[str] = []
    real = buffers._copied

    def copied(stored: Any, limits: Any) -> Any:
        made.append(os.path.basename(stored.name))
        return real(stored, limits)

    monkeypatch.setattr(buffers, "_copied", copied)
    return made


class Remote:
    """A file system under an address, to be filled."""

    root = "s3://bucket"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, data: bytes) -> str:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return f"{self.root}/{name}"

    def names(self, found: list[str]) -> list[str]:
        assert all(name.startswith(f"{self.root}/") for name in found)
        return [name.removeprefix(f"{self.root}/") for name in found]


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Remote]:
    """A local folder in place of a bucket."""
    local = pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem())
    monkeypatch.setattr(pafs, "FileSystem", SimpleNamespace(from_uri=lambda uri: (local, "bucket")))
    stored._system.cache_clear()
    yield Remote(tmp_path / "bucket")
    stored._system.cache_clear()
