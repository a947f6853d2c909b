"""The bytes of a file: what slices and arrays give, and what becomes of a file that changes while it is read."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from writers.bmc import framing as enc
from writers.bmc import logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

import lmparse
from lmparse.errors import ReadError
from lmparse.framing import index
from lmparse.framing.framings import framing_of
from lmparse.framing.windows import Gathered
from lmparse.storage import buffers
from lmparse.storage.buffers import occurrences, open_buffer

DATA = bytes(range(256)) * 40
TABLE = Table(0x0105, 2, 3, "PROD", "LONG", (Column("TEXT", "VCHR", 32_000),))
PLACES = st.integers(-len(DATA) - 9, len(DATA) + 9)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bytes") / "a.dat"
    path.write_bytes(DATA)
    return path


@contextmanager
def small_blocks() -> Iterator[None]:
    """Blocks of a few bytes, so that a small file has many."""
    with pytest.MonkeyPatch.context() as patch:
        for name, size in (("_LEAST_READ", 16), ("_MOST_READ", 128), ("_BEFORE", 5)):
            patch.setattr(buffers, name, size)
        for name, size in (("_LEAST_SEARCHED", 1), ("_MOST_SEARCHED", 40)):
            patch.setattr(buffers, name, size)
        yield


@pytest.mark.skipif(not os.path.isfile("/proc/version"), reason="no files of which the size is not known")
def test_a_file_without_a_size_is_not_taken_for_an_empty_one() -> None:
    with pytest.raises(ReadError, match="says that it has no bytes, and it has some") as caught:
        lmparse.open_log("/proc/version", spec="common_raw", framing="fixed", record_length=1)
    assert caught.value.code == "LMP-F012"


@examples(20, 1000)
@given(st.lists(st.tuples(PLACES, PLACES), max_size=20))
def test_slices_are_those_of_bytes(path: Path, wanted: list[tuple[int, int]]) -> None:
    with small_blocks():
        found = open_buffer(path)
        for start, end in wanted:
            assert found[start:end] == DATA[start:end]
        assert (found[:], found[7:], len(found)) == (DATA, DATA[7:], len(DATA))


@pytest.mark.parametrize("start", [0, 100, 5000, len(DATA) - 3])
@pytest.mark.parametrize("wanted", [b"\x07", b"\xfe\xff\x00\x01", b"nowhere", b"aa", DATA[3000:3300]])
def test_a_search_finds_all_that_bytes_find(path: Path, start: int, wanted: bytes) -> None:
    def places(stop: int) -> list[int]:
        found = range(start, stop - len(wanted) + 1)
        return [place for place in found if DATA.startswith(wanted, place)]

    with small_blocks():
        for buffer in (DATA, open_buffer(path)):
            for end in (start, start + 2, start + 127, start + 300, len(DATA)):
                stop = min(end, len(DATA))
                assert list(occurrences(buffer, wanted, start, stop)) == places(stop)


def test_a_search_reads_each_byte_once_however_often_it_finds() -> None:
    class Counted(bytes):
        read = 0

        def __getitem__(self, key: Any) -> Any:
            found = super().__getitem__(key)
            self.read += len(found)
            return found

    data = Counted(b"\x01\x20" * 200_000)
    assert len(list(occurrences(data, b"\x01\x20", 0, len(data)))) == 200_000
    assert data.read < 1.01 * len(data)


@examples(20, 1000)
@given(st.lists(st.tuples(st.integers(0, len(DATA)), st.integers(-3, 300)), max_size=12))
def test_gathered_pieces_are_those_of_the_file(path: Path, wanted: list[tuple[int, int]]) -> None:
    pieces = [(start, min(length, len(DATA) - start)) for start, length in wanted]
    starts, lengths = np.array(pieces, np.int64).reshape(-1, 2).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lmparse.framing.windows._NEAR", 64)
        for buffer in (DATA, open_buffer(path)):
            gathered = Gathered(buffer, starts, lengths)
            for place, (start, length) in zip(gathered.places(starts).tolist(), pieces, strict=True):
                size = max(length, 0)
                assert gathered.data[place : place + size].tobytes() == DATA[start : start + size]
            assert len(gathered.data) <= len(DATA)


# -- files that change ----------------------------------------------------------------------------

RECORDS = [bytes([number % 256]) * 500 for number in range(1000)]
"""40 times these are 20 MB: more than are read at once."""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return enc.rdw(RECORDS) * 40


def test_a_file_that_grows_is_read_as_it_was(large: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    path.write_bytes(large)
    buffer = open_buffer(path)
    windows = index.windows(framing_of("rdw"), buffer)
    count = len(next(windows))
    with path.open("ab") as file:
        file.write(b"\xff" * 999)
    assert count + sum(map(len, windows)) == 40 * len(RECORDS)


def test_a_disk_that_fails(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> int:
        raise OSError(5, "Input/output error")

    buffer = open_buffer(path)
    monkeypatch.setattr(os, "preadv", fail)
    with pytest.raises(ReadError) as found:
        _ = buffer[100:200]
    assert str(found.value) == f"{path}: byte 0 cannot be read: Input/output error [LMP-F012]"


def long_log(folder: Path) -> Path:
    """A log of 4 MB with few records."""
    path, writer = folder / "a.dat", logs.Writer([TABLE])
    writer.add(logs.Unit(1), TABLE, "I", after={"TEXT": "x" * 30_000})
    path.write_bytes(enc.rdw(writer.example().data_records) * 130)
    return path


COMMAND = """
import os, sys
from lmparse import cli
from lmparse.storage.buffers import FileBytes

path, left, *words = sys.argv[1:]
read, done = FileBytes._read, 0

def cut(self, start, size):
    global done
    done += size
    if done > 2_500_000:
        os.truncate(path, int(left))
    return read(self, start, size)

FileBytes._read = cut
sys.exit(cli.main(words))
"""


def test_a_command_names_a_file_that_becomes_shorter(tmp_path: Path) -> None:
    path, out = long_log(tmp_path), tmp_path / "a.parquet"
    words = ["convert", str(path), str(out), "--spec", "bmc_lldf"]
    run = [sys.executable, "-c", COMMAND, str(path), "2000000", *words]
    found = subprocess.run(run, capture_output=True, text=True, check=False)
    assert found.returncode == 20, found.stderr[-2000:]
    assert f"{path}: shrank while it was read" in found.stderr, found.stderr[-2000:]
    assert "Traceback" not in found.stderr
    assert not out.exists()
