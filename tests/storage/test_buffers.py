"""Files that are compressed whole give what plain ones give; copies are made once, and none is left."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from storage.conftest import DATA, ENDINGS, MANY, PACKERS, Log, alone, fault, packed, written, zstd

from lmparse.storage import buffers
from lmparse.storage.buffers import open_buffer

pytestmark = pytest.mark.usefixtures("nothing_known")

ROOT = Path(__file__).parents[2]
SKIPPED = b"\x53\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"
CHECKED = bytes.fromhex("28b52ffd0458410000636f6d7072657373c9f5c8af")
"""The bytes `compress` and a checksum that does not fit them."""


# -- compressed files: commands -----------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("command", ["records", "sniff"])
def test_a_compressed_file_is_read_like_a_plain_one(log: Log, run: Any, command: str, ending: str) -> None:
    other, plain = packed(log.data, ending), alone(log.data)
    expected = run(command, plain)
    assert expected.code == 0
    assert expected.out
    assert run(command, other).without(other) == expected.without(plain)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("ending", "more"),
    [(".zst", ()), (".gz", ("--jobs", 2, "--part-bytes", 4000))],
    ids=["zstd", "in parts"],
)
def test_converting_a_compressed_log(log: Log, run: Any, tmp_path: Path, ending: str, more: tuple[Any, ...]) -> None:
    outs = []
    for name, data, ctl, how in (
        ("plain", log.data, log.control, ()),
        ("packed", packed(log.data, ending), packed(log.control, ending), more),
    ):
        records, changes = tmp_path / f"{name}.parquet", tmp_path / f"out-{name}"
        assert run("convert", data, records, *how).code == 0
        assert run("convert", data, changes, "--control", ctl, *how).code == 0
        tables = [pq.read_table(path) for path in (records, *sorted(changes.glob("*.parquet")))]
        manifest = json.loads(next(changes.glob("*.json")).read_text())
        outs.append(([table.drop_columns("_metadata") for table in tables], manifest))
    (expected, manifest), (found, other_manifest) = outs
    assert len(expected) > 2
    assert all(left.equals(right) for left, right in zip(expected, found, strict=True))
    assert other_manifest["counts"] == manifest["counts"]
    assert other_manifest["source"]["name"] == f"night.dat{ending}"


# -- compressed files: bytes ----------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
def test_several_members_or_frames(tmp_path: Path, ending: str) -> None:
    pack = PACKERS[ending]
    pieces = [DATA[:1], b"", DATA[1:700], DATA[700:]]
    assert open_buffer(written(tmp_path / f"a{ending}", b"".join(map(pack, pieces))))[:] == DATA
    small = [MANY[place : place + 4000] for place in range(0, len(MANY), 4000)]
    assert open_buffer(written(tmp_path / f"b{ending}", b"".join(map(pack, small))))[:] == MANY


def test_what_may_stand_between(tmp_path: Path) -> None:
    """Zeros behind members, as of tapes, and frames that are to be passed over."""
    one, two = gzip.compress(DATA[:99]), gzip.compress(DATA[99:])
    assert open_buffer(written(tmp_path / "a.gz", one + bytes(3000) + two + bytes(1 << 21)))[:] == DATA
    one, two = zstd(DATA[:99]), zstd(DATA[99:])
    assert open_buffer(written(tmp_path / "a.zst", SKIPPED + one + SKIPPED + two + SKIPPED))[:] == DATA


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_is_cut_short_anywhere(tmp_path: Path, ending: str) -> None:
    pack = PACKERS[ending]
    first = pack(DATA[:600])
    whole = first + pack(DATA[600:])
    near = {*range(30), *range(len(first) - 20, len(first) + 30), *range(len(whole) - 30, len(whole))}
    for size in sorted({*range(0, len(whole), 17), *near}):
        path = written(tmp_path / f"a{ending}", whole[:size])
        if size == len(first):
            assert open_buffer(path)[:] == DATA[:600]
        elif ending == ".gz" and size in (1, len(first) + 1):
            assert "Not a gzipped file (b'\\x1f')" in fault(path).message
        else:
            assert f"behind byte {size}, where" in fault(path).message, size


@pytest.mark.parametrize("place", range(0, 3000, 111))
def test_damage_in_gzip_is_an_error_that_says_where(tmp_path: Path, place: int) -> None:
    whole = bytearray(gzip.compress(DATA, mtime=0))
    place = min(place, len(whole) - 1)
    whole[place] ^= 0xFF
    path = written(tmp_path / "a.gz", bytes(whole))
    if place in range(4, 10):
        assert open_buffer(path)[:] == DATA  # time and system in the header
    elif place < 3:
        assert open_buffer(path)[:] == bytes(whole)
    else:
        error = fault(path)
        found = error.message.split("byte ")[1].split()[0].rstrip(",")
        assert place <= int(found) <= len(whole)


@pytest.mark.parametrize(
    "data",
    [CHECKED, zstd(DATA) + b"and so on", zstd(MANY)[:6] + b"\x06" + zstd(MANY)[7:]],
    ids=["checksum", "behind", "block"],
)
def test_damage_in_zstd_is_an_error(tmp_path: Path, data: bytes) -> None:
    assert "is damaged at or before byte" in fault(written(tmp_path / "a.zst", data)).message


@pytest.mark.parametrize("behind", [b"", bytes(1 << 24)], ids=["small", "large"])
def test_a_sound_zstd_frame_with_a_large_window_is_not_said_to_be_damaged(tmp_path: Path, behind: bytes) -> None:
    def framed(window_log: int) -> bytes:
        """A frame of one block that is not packed, as `zstd --long` begins it, and a frame that is skipped."""
        block = (len(DATA) << 3 | 1).to_bytes(3, "little") + DATA
        skipped = b"\x50\x2a\x4d\x18" + len(behind).to_bytes(4, "little") + behind
        return b"\x28\xb5\x2f\xfd\x00" + bytes([window_log - 10 << 3]) + block + skipped

    assert len(DATA) < 1 << 17
    assert open_buffer(written(tmp_path / "a.zst", framed(27)))[:] == DATA
    found = fault(written(tmp_path / "b.zst", framed(28)))
    assert found.message == "its zstd data need a window of more than 128 MB, or are damaged"
    assert "--long=27" in str(found.hint)


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_ending_without_the_magic_number_is_read_plainly(log: Log, run: Any, ending: str) -> None:
    other = log.data.rename(log.data.with_name(f"other{ending}"))
    found = run("records", other)
    log.data.write_bytes(other.read_bytes())
    assert found.without(other) == run("records", log.data).without(log.data)
    for short in (b"\x00", b"\x00\x05\x00\x00x"):
        assert open_buffer(written(other, short))[:] == short


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_magic_number_without_the_ending_is_no_log(log: Log, run: Any, ending: str) -> None:
    other = packed(log.data, ending)
    found = run("records", other.rename(other.with_suffix("")))
    assert (found.code, found.out) == (20, "")
    assert "LMP-F003" in found.err


@pytest.mark.parametrize("ending", ENDINGS)
def test_empty_files(log: Log, run: Any, ending: str) -> None:
    empty = written(log.data.with_name(f"empty.dat{ending}"), PACKERS[ending](b""))
    assert len(open_buffer(empty)) == 0
    found = run("changes", empty, "--control", log.control)
    assert (found.code, found.out) == (0, "")
    assert "empty" in found.err
    assert "cut short" in fault(written(empty, b"")).message  # there would be a header


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.gz").mkdir()
    os.mkfifo(tmp_path / "b.gz")
    assert fault(tmp_path / "a.gz").message == "is a directory, not a file"
    assert fault(tmp_path / "b.gz").message == "is a pipe or device, not a file"
    assert fault(tmp_path / "c.gz").message == "cannot be read: No such file or directory"


def test_zstd_without_pyarrow(log: Log, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = packed(log.data, ".zst")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    found = run("records", path)
    assert (found.code, found.out) == (2, "")
    assert "pyarrow is not installed" in found.err
    assert "pip install 'lmparse[arrow]'" in found.err
    assert run("records", packed(log.data, ".gz")).code == 0


@pytest.mark.parametrize("is_early", [True, False])
def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_early: bool) -> None:
    class Full(io.BytesIO):
        def write(self, data: Any) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def none() -> Any:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    path = written(tmp_path / "a.gz", gzip.compress(DATA))
    monkeypatch.setattr(tempfile, "TemporaryFile", none if is_early else Full)
    error = fault(path)
    assert error.message.startswith("cannot be copied to the disk: No")
    assert "TMPDIR" in (error.hint or "")


# -- copies ---------------------------------------------------------------------------------------


def open_copies() -> int:
    """Temporary files that this process still has."""
    found = 0
    for entry in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{entry}")
        except FileNotFoundError:
            continue
        found += target.startswith(tempfile.gettempdir()) and target.endswith("(deleted)")
    return found


def test_a_file_is_copied_once_while_it_is_in_use(tmp_path: Path, copies: list[str]) -> None:
    path = written(tmp_path / "a.gz", gzip.compress(DATA))
    (tmp_path / "b.gz").symlink_to(path)
    buffers._last.clear()
    before = open_copies()
    readers = [open_buffer(path) for _ in range(20)] + [open_buffer(tmp_path / "b.gz")]
    assert all(reader is readers[0] for reader in readers)
    assert (copies, open_copies()) == (["a.gz"], before + 1)
    del readers
    buffers._last.clear()
    assert open_copies() == before


def test_a_file_that_has_changed_is_read_anew(tmp_path: Path) -> None:
    path = written(tmp_path / "a.gz", gzip.compress(DATA))
    old = open_buffer(path)
    path.write_bytes(gzip.compress(DATA[::-1]))
    os.utime(path, (1, 1))
    assert open_buffer(path)[:] == DATA[::-1]
    assert old[:] == DATA


PROGRAM = """
import resource, sys
from lmparse.framing.framings import framing_of
from lmparse.framing.index import windows
from lmparse.storage.buffers import open_buffer
from lmparse.storage.stored import StoredBytes, StoredFile
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
small, large = sys.argv[1:]
framing = framing_of("rdw")
sum(len(window) for window in windows(framing, open_buffer(small)))
before = peak()
count = sum(len(window) for window in windows(framing, open_buffer(large)))
print(count, peak() - before)
"""


@pytest.mark.parametrize("ending", ENDINGS)
def test_memory_does_not_grow_with_the_file(tmp_path: Path, ending: str) -> None:
    record = (32756).to_bytes(2, "big") + bytes(32754)
    part = PACKERS[ending](record * 64)  # 2 MiB
    paths = [written(tmp_path / f"{count}{ending}", part * count) for count in (8, 100)]
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, *paths], capture_output=True, text=True, check=True, cwd=ROOT
    )  # fmt: skip
    count, growth = map(int, run.stdout.split())
    assert count == 6400
    assert growth < 40_000, f"{growth} KiB"


def test_arrow_is_not_loaded_for_plain_files(log: Log) -> None:
    gz = packed(log.data, ".gz")
    program = (
        "import sys, lmparse; [list(lmparse.open_log(path).records()) for path in sys.argv[1:]]; "
        "print('pyarrow' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, log.data, gz], cwd=ROOT, capture_output=True, text=True, check=True
    )  # fmt: skip
    assert run.stdout.strip() == "False"
