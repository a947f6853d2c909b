"""Index: windows give the records that `extents` gives, and stop at the same error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from samples.framed_files import EVERY, written
from writers.bmc import framing as enc

from lmparse.errors import LmparseError
from lmparse.framing import word_scan
from lmparse.framing.base import Framing
from lmparse.framing.framings import framing_of
from lmparse.framing.index import windows
from lmparse.framing.windows import MAX_BYTES, MAX_RECORDS, Window

QUICK = examples(10, 20)
Facts = tuple[list[tuple[int, int, bytes]], dict[str, Any] | None]


def by_extents(framing: Framing, buffer: bytes, *place: Any) -> Facts:
    got: list[tuple[int, int, bytes]] = []
    try:
        for extent in framing.extents(buffer, *place):
            got.append((extent.index, extent.offset, extent.read(buffer)))
    except LmparseError as error:
        return got, described(error)
    return got, None


def by_windows(framing: Framing, buffer: bytes, *place: Any, **limits: int) -> Facts:
    got: list[tuple[int, int, bytes]] = []
    try:
        for window in windows(framing, buffer, *place, **limits):
            check(window, limits)
            got += contents(window)
    except LmparseError as error:
        return got, described(error)
    return got, None


def described(error: LmparseError) -> dict[str, Any]:
    return {"type": type(error), "args": error.args, "text": str(error), **vars(error)}


def contents(window: Window) -> list[tuple[int, int, bytes]]:
    raw = window.data.tobytes()
    places = zip(window.offsets.tolist(), window.starts.tolist(), window.lengths.tolist(), strict=True)
    return [
        (window.first_index + number, offset, raw[start : start + length])
        for number, (offset, start, length) in enumerate(places)
    ]


def check(window: Window, limits: dict[str, int]) -> None:
    """What holds for every window."""
    count = len(window)
    assert 1 <= count <= max(limits.get("max_records", MAX_RECORDS), 1)
    assert [len(window.starts), len(window.lengths), len(window.offsets)] == [count] * 3
    assert {window.starts.dtype, window.lengths.dtype, window.offsets.dtype} == {np.dtype(np.int64)}
    assert window.data.dtype == np.uint8
    assert not window.data.flags.writeable
    ends = window.starts + window.lengths
    assert window.starts[0] == 0
    assert ends[-1] == len(window.data)
    assert (window.lengths >= 0).all()
    assert (window.starts[1:] >= ends[:-1]).all()
    assert (np.diff(window.offsets) > 0).all()
    if count > 1:
        assert len(window.data) <= limits.get("max_bytes", MAX_BYTES)


def assert_equal(framing: Framing, buffer: bytes, *place: Any, **limits: int) -> Facts:
    expected = by_extents(framing, buffer, *place)
    assert by_windows(framing, buffer, *place, **limits) == expected
    return expected


@pytest.fixture(params=[1, word_scan._SCAN_BYTES], ids=lambda size: f"scan {size}")
def scan_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How much is scanned at a time: also so little that every record, piece and block is torn apart."""
    monkeypatch.setattr(word_scan, "_SCAN_BYTES", request.param)
    return request.param


# the same records


texts = st.lists(st.binary(max_size=60), max_size=30)


@pytest.mark.parametrize("way", EVERY)
@pytest.mark.parametrize("scan", [40, 1 << 20])
def test_windows_are_the_extents(way: str, scan: int) -> None:
    @QUICK
    @given(texts, st.integers(1, 40), st.integers(1, 400), st.integers(0, 3))
    def holds(records: list[bytes], max_records: int, max_bytes: int, first_index: int) -> None:
        framing, data = written(way, records)
        got, error = assert_equal(framing, data, 0, None, first_index, max_records=max_records, max_bytes=max_bytes)
        assert error is None
        if way != "glued":
            assert len(got) == len(records)
        assert_equal(framing, data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_scan, "_SCAN_BYTES", scan)
        holds()


@pytest.mark.parametrize("way", EVERY)
def test_damage_to_any_descriptor_byte(way: str, scan_bytes: int) -> None:
    framing, data = written(way, [b"", b"a", b"b" * 45, b"", b"c" * 12])
    errors = 0
    for place in range(min(len(data), 200)):
        # Scanned in one go, every value; torn apart, by turns: the values are those of the words, not of the tears.
        for value in (0, 3, 4, 0x80, 0xFF) if scan_bytes > 1 else ((0, 0x80), (3, 0xFF), (4, 0xFF))[place % 3]:
            spoilt = data[:place] + bytes([value]) + data[place + 1 :]
            errors += assert_equal(framing, spoilt)[1] is not None
    assert errors or way == "fixed"


@pytest.mark.parametrize("way", EVERY)
def test_a_file_cut_at_any_byte(way: str, scan_bytes: int) -> None:
    framing, data = written(way, [b"", b"a", b"b" * 45, b"", b"c" * 12])
    for cut in range(len(data)):
        assert_equal(framing, data[:cut])
        # The same with other bytes behind the end that is given.
        assert_equal(framing, data, 0, cut, 7)


def test_pieces_in_any_order() -> None:
    codes = st.tuples(st.integers(0, 5), st.integers(0, 4))

    @examples(50, 300)
    @given(st.lists(st.lists(codes, min_size=1, max_size=4), max_size=8), st.sampled_from([1, 20, 1 << 20]))
    def holds(blocks: list[list[tuple[int, int]]], scan: int) -> None:
        filled = [b"".join(enc.descriptor(size, code) + b"x" * size for code, size in block) for block in blocks]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(word_scan, "_SCAN_BYTES", scan)
            assert_equal(framing_of("vbs"), b"".join(filled))
            assert_equal(framing_of("bdw-vbs"), b"".join(enc.descriptor(len(block)) + block for block in filled))

    holds()


# limits of windows


def test_a_window_is_as_large_as_allowed() -> None:
    data = enc.rdw([b"x" * 96] * 100)
    assert [len(window) for window in windows(framing_of("rdw"), data, max_records=30)] == [30, 30, 30, 10]
    assert [len(window) for window in windows(framing_of("rdw"), data, max_bytes=1000)] == [10] * 10
    assert [len(window) for window in windows(framing_of("rdw"), data, max_bytes=995)] == [9] * 11 + [1]
    assert [len(window) for window in windows(framing_of("rdw"), data, max_bytes=1)] == [1] * 100
    assert [window.first_index for window in windows(framing_of("rdw"), data, 0, None, 5, 50)] == [5, 55]


# files


PROGRAM = """
import resource, sys
from lmparse.framing.framings import framing_of
from lmparse.storage.buffers import open_buffer
from lmparse.framing.index import windows
path, name = sys.argv[1:]
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
buffer, framing = open_buffer(path), framing_of(name)
sum(len(window) for window in windows(framing, buffer, 0, 32760 * 100))
before, count, total = peak(), 0, 0
for window in windows(framing, buffer):
    count += len(window)
    total += int(window.data[::512].sum())  # touches every page
print(count, total, peak() - before)
"""


@pytest.mark.parametrize("name", ["rdw", "bdw"])
def test_memory_does_not_grow_with_the_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    count, size = 9600, 32760
    with path.open("wb") as file:  # mostly holes: only descriptor words are written
        for number in range(count):
            file.seek(number * size)
            file.write(enc.descriptor(size - 4) + (enc.descriptor(size - 8) if name == "bdw" else b""))
        file.truncate(count * size)
    run = subprocess.run([sys.executable, "-c", PROGRAM, path, name], capture_output=True, text=True, check=True)
    got, _, growth = map(int, run.stdout.split())
    assert got == count
    assert path.stat().st_size > 300_000_000
    assert growth < 100_000, f"{growth} KiB"
