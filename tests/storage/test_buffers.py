"""Files that are compressed whole, or lie on remote file systems, give what plain local ones give."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from writers.bmc import control, framing, logs

from lmparse.bmc.control_search import find_control, is_control
from lmparse.errors import ControlError, FramingError, OptionError
from lmparse.logs.partitions import Request
from lmparse.options import Options
from lmparse.storage import addresses, buffers, file_systems
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import names_in
from lmparse.storage.listing import list_files

ROOT = Path(__file__).parents[2]
DATA = random.Random(7).randbytes(2500) + b"log " * 2500
MANY = b"".join(number.to_bytes(3, "big") for number in range(1 << 20))


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


PACKERS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".zst": zstd}
ENDINGS = list(PACKERS)
SKIPPED = b"\x53\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"
CHECKED = bytes.fromhex("28b52ffd0458410000636f6d7072657373c9f5c8af")
"""The bytes `compress` and a checksum that does not fit them."""


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


@pytest.fixture(autouse=True)
def nothing_known() -> None:
    """No copy of an earlier test is left."""
    buffers._kept.clear()
    buffers._copied_once.clear()


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


# -- compressed files: commands -----------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("command", ["records", "sniff", "check"])
def test_a_compressed_file_is_read_like_a_plain_one(log: Log, run: Any, command: str, ending: str) -> None:
    other, plain = packed(log.data, ending), alone(log.data)
    expected = run(command, plain)
    assert expected.code == 0
    assert expected.out
    assert run(command, other).without(other) == expected.without(plain)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("is_found", [False, True], ids=["named", "found beside it"])
def test_changes_of_a_compressed_log(log: Log, run: Any, ending: str, is_found: bool) -> None:
    other, other_control = packed(log.data, ending), packed(log.control, ending)
    expected = run("changes", log.data, "--control", log.control)
    found = run("changes", other, "--control", other_control.parent if is_found else other_control)
    assert expected.out.count("\n") > 10
    assert found.without(other, other_control) == expected.without(log.data, log.control)
    assert {row["_metadata"]["file"] for row in found.rows} == {str(other)}


@pytest.mark.parametrize(
    ("ending", "more"),
    [(".gz", ()), (".zst", ()), (".gz", ("--jobs", 2, "--part-bytes", 4000))],
    ids=["gzip", "zstd", "in parts"],
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


@pytest.mark.parametrize("ending", ENDINGS)
def test_parts_of_a_compressed_file(log: Log, ending: str) -> None:
    def rows(path: Path) -> list[Any]:
        request = Request((str(path),), Options.parse({}), max_bytes=4000)
        parts = list(request.parts())
        assert len(parts) > 2
        return [(extent.offset, record.values) for part in parts for extent, record in part.open().read(part.span)]

    assert rows(packed(log.data, ending)) == rows(log.data)


def test_a_damaged_file_prints_no_record(log: Log, run: Any) -> None:
    other = packed(log.data, ".gz")
    other.write_bytes(other.read_bytes()[:-9])
    found = run("records", other)
    assert (found.code, found.out) == (20, "")
    size = other.stat().st_size
    assert found.err.startswith(f"{other}: is cut short: its gzip data go on behind byte {size}, where the file ends [")


# -- compressed files: bytes ----------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".gz", ".gzip", ".GZ", ".zst", ".zstd", ".Zst"])
def test_endings(tmp_path: Path, ending: str) -> None:
    pack = gzip.compress if "g" in ending.lower() else zstd
    buffer = open_buffer(written(tmp_path / f"a.dat{ending}", pack(DATA)))
    assert len(buffer) == len(DATA)
    assert buffer[:] == DATA


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
        else:
            assert f"behind byte {size}, where" in fault(path).message, size


@pytest.mark.parametrize("place", range(0, 3000, 37))
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


def test_the_byte_at_which_damage_shows(tmp_path: Path) -> None:
    first = gzip.compress(MANY)
    path = written(tmp_path / "a.gz", first + gzip.compress(DATA)[:-8] + bytes(8))
    start, end = len(first), path.stat().st_size
    assert fault(path).message == (
        f"is damaged at byte {end - 5} of the compressed file (in what begins at byte {start}): incorrect data check"
    )
    path.write_bytes(first + b"\0\0and so on")
    assert f"at byte {start + 3} of the compressed file (in what begins at byte {start + 2})" in fault(path).message


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


def test_an_ending_of_another_compression(tmp_path: Path) -> None:
    assert open_buffer(written(tmp_path / "a.zst", gzip.compress(DATA)))[:] == DATA
    assert open_buffer(written(tmp_path / "a.gz", zstd(DATA)))[:] == DATA


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


def test_the_first_bytes_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffers, "_copied", None)
    for ending, pack in PACKERS.items():
        path = written(tmp_path / f"a{ending}", pack(MANY * 4)[:-20])  # the end is not looked at
        assert buffers.head(path, 7) == MANY[:7]
        assert buffers.head(written(path, pack(DATA[:5])), 7) == DATA[:5]


# -- copies ---------------------------------------------------------------------------------------


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
    before = open_copies()
    readers = [open_buffer(path) for _ in range(20)] + [open_buffer(tmp_path / "b.gz")]
    assert all(reader is readers[0] for reader in readers)
    assert (copies, open_copies()) == (["a.gz"], before + 1)
    del readers
    assert open_copies() == before


def test_parts_read_one_after_the_other_do_not_copy_each_time(log: Log, copies: list[str]) -> None:
    data, ctl = packed(log.data, ".gz"), packed(log.control, ".gz")
    options = Options.parse({"control": str(ctl)})
    request = Request((str(data),), options, with_changes=True, max_bytes=1000)
    parts = list(request.parts())
    assert len(parts) > 5
    for part in parts:
        list(part.open().read(part.span))
    assert copies.count(data.name) <= 2
    assert copies.count(ctl.name) <= 2


def test_copies_do_not_pile_up(tmp_path: Path) -> None:
    before = open_copies()
    paths = [written(tmp_path / f"{number}.gz", gzip.compress(DATA)) for number in range(70)]
    for path in paths * 3:
        assert open_buffer(path)[:1] == DATA[:1]
        assert open_copies() <= before + 3
    assert len(buffers._copied_once) <= 64


def test_many_threads(tmp_path: Path) -> None:
    paths = [written(tmp_path / f"{number}.gz", gzip.compress(DATA)) for number in range(5)] * 40
    with ThreadPoolExecutor(8) as pool:
        assert all(found == DATA for found in pool.map(lambda path: open_buffer(path)[:], paths))


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


# -- remote file systems --------------------------------------------------------------------------


class Remote:
    """A file system under an address, to be filled."""

    def __init__(self, root: str, write: Callable[[str, bytes], object]) -> None:
        self.root, self._write = root, write

    def put(self, name: str, data: bytes) -> str:
        self._write(name, data)
        return f"{self.root}/{name}"

    def names(self, found: list[str]) -> list[str]:
        assert all(name.startswith(f"{self.root}/") for name in found)
        return [name.removeprefix(f"{self.root}/") for name in found]


@pytest.fixture(params=["arrow", "fsspec"])
def remote(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Remote]:
    if request.param == "fsspec":
        memory = pytest.importorskip("fsspec").filesystem("memory")
        yield Remote("memory://logs", lambda name, data: memory.pipe(f"/logs/{name}", data))
        memory.store.clear()
        memory.pseudo_dirs[:] = [""]
        return
    base = tmp_path / "bucket"

    def write(name: str, data: bytes) -> None:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_bytes(data)

    local = pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem())
    monkeypatch.setattr(pafs, "FileSystem", SimpleNamespace(from_uri=lambda uri: (local, "bucket")))
    file_systems._arrow_system.cache_clear()
    yield Remote("s3://bucket", write)
    file_systems._arrow_system.cache_clear()


@pytest.mark.parametrize("ending", ["", *ENDINGS])
@pytest.mark.parametrize("command", ["records", "sniff", "check"])
def test_a_remote_file_is_read_like_a_local_one(log: Log, remote: Remote, run: Any, command: str, ending: str) -> None:
    address = remote.put(f"a b/100%20#.dat{ending}", PACKERS.get(ending, bytes)(log.data.read_bytes()))
    plain = alone(log.data)
    expected = run(command, plain)
    found = run(command, address)
    assert (found.code, found.out.replace(address, str(plain))) == (expected.code, expected.out)


@pytest.mark.parametrize("ending", ["", *ENDINGS])
def test_changes_of_a_remote_log(log: Log, remote: Remote, run: Any, ending: str) -> None:
    pack = PACKERS.get(ending, bytes)
    data = remote.put(f"day/night.dat{ending}", pack(log.data.read_bytes()))
    ctl = remote.put(f"day/night.ctl{ending}", pack(log.control.read_bytes()))
    expected = run("changes", log.data, "--control", log.control)
    for named in (ctl, f"{remote.root}/day", f"{remote.root}/day/{{stem}}.ctl{ending}", log.control):
        found = run("changes", data, "--control", named)
        assert (found.code, found.err) == (expected.code, expected.err)
        assert found.out.replace(data, str(log.data)) == expected.out
    assert find_control(data, None) == ctl
    assert is_control(ctl)
    assert not is_control(data)
    assert not is_control(f"{remote.root}/day")
    assert not is_control(f"{remote.root}/none")


def test_converting_a_remote_log(log: Log, remote: Remote, run: Any, tmp_path: Path) -> None:
    data = remote.put("night.dat.gz", gzip.compress(log.data.read_bytes()))
    ctl = remote.put("night.ctl", log.control.read_bytes())
    tables = []
    for name, path, control_path in (("a", log.data, log.control), ("b", data, ctl)):
        records, changes = tmp_path / f"{name}.parquet", tmp_path / name
        assert run("convert", path, records).code == 0
        assert run("convert", path, changes, "--control", control_path).code == 0
        tables.append([pq.read_table(found) for found in (records, *sorted(changes.glob("*.parquet")))])
    for expected, found in zip(*tables, strict=True):
        assert found.drop_columns("_metadata").equals(expected.drop_columns("_metadata"))
        assert found.column("_metadata")[0].as_py()["file"] == data


def test_a_remote_file_is_copied_once_while_it_is_in_use(remote: Remote, copies: list[str]) -> None:
    address = remote.put("a.dat", DATA)
    buffer = open_buffer(address)
    assert open_buffer(address) is buffer
    assert copies == ["a.dat"]
    remote.put("a.dat", DATA[:-1])
    assert open_buffer(address)[:] == DATA[:-1]
    assert buffer[:] == DATA
    assert len(open_buffer(remote.put("empty.dat", b""))) == 0


@pytest.fixture
def tree(remote: Remote) -> Remote:
    names = ("b.dat", "a.dat", "a.ctl", "_SUCCESS", ".a.crc", "day 1/c.dat", "day 1/.e", "_temporary/d.dat", "n[1].dat")
    for name in (*names, "day 1/deep/f.dat"):
        remote.put(name, b"x")
    return remote


TOP = ["a.ctl", "a.dat", "b.dat"]


@pytest.mark.parametrize(
    ("path", "recursive", "expected"),
    [
        ("", False, [*TOP, "n[1].dat"]),
        ("/", False, [*TOP, "n[1].dat"]),
        ("", True, [*TOP, "day 1/c.dat", "day 1/deep/f.dat", "n[1].dat"]),
        ("/day 1", False, ["day 1/c.dat"]),
        ("/day 1/", True, ["day 1/c.dat", "day 1/deep/f.dat"]),
        ("/_temporary", False, ["_temporary/d.dat"]),
        ("/_SUCCESS", False, ["_SUCCESS"]),
        ("/n[1].dat", False, ["n[1].dat"]),
        ("/*.dat", False, ["a.dat", "b.dat", "n[1].dat"]),
        ("/?.dat", False, ["a.dat", "b.dat"]),
        ("/[ab].*", False, TOP),
        ("/_*", False, []),
        ("/*/c.dat", False, ["day 1/c.dat"]),
        ("/d*/*/f.dat", False, ["day 1/deep/f.dat"]),
        ("/**/*.dat", False, ["_temporary/d.dat", "day 1/c.dat"]),
        ("/**/?.dat", True, ["_temporary/d.dat", "a.dat", "b.dat", "day 1/c.dat", "day 1/deep/f.dat"]),
        ("/day 1/**", True, ["day 1/c.dat", "day 1/deep/f.dat"]),
    ],
)
def test_folders_and_patterns(tree: Remote, tmp_path: Path, path: str, recursive: bool, expected: list[str]) -> None:
    assert tree.names(list_files([tree.root + path], recursive=recursive)) == expected
    base = tmp_path / "bucket"
    if base.is_dir():  # and as on a local disk
        found = list_files([f"{base}{path}"], recursive=recursive)
        assert [Path(name).relative_to(base).as_posix() for name in found] == expected


def test_more_of_folders(tree: Remote) -> None:
    assert tree.names(list_files([tree.root], name_filter="a.*")) == ["a.ctl", "a.dat"]
    assert tree.names(list_files([f"{tree.root}/b.dat", f"{tree.root}/a.*"])) == ["b.dat", "a.ctl", "a.dat"]
    for path in ("none.dat", "none/", "*.none", "none/*"):
        with pytest.raises(FramingError) as caught:
            list_files([f"{tree.root}/{path}"])
        assert (caught.value.code, caught.value.file) == ("LMP-F001", f"{tree.root}/{path}")


def test_files_of_a_remote_folder_with_their_control_files(
    remote: Remote, contents: tuple[bytes, bytes], copies: list[str]
) -> None:
    options = Options.parse({})
    for name in ("a", "b", "c", "d"):
        remote.put(f"{name}.dat.gz", gzip.compress(contents[0]))
        remote.put(f"{name}.ctl", contents[1])
    request = Request((remote.root,), options, with_changes=True)
    ((log, named),) = request.files()  # of one system, so they are one log
    assert names_in(log) == [f"{remote.root}/{name}.dat.gz" for name in "abcd"]
    assert names_in(str(named.control)) == [f"{remote.root}/{name}.ctl" for name in "abcd"]
    assert sorted(one for one in copies if ".dat" in one) == [f"{name}.dat.gz" for name in "abcd"], "each once"


def test_no_remote_control_file_is_an_error(remote: Remote, contents: tuple[bytes, bytes]) -> None:
    data = remote.put("night.dat", contents[0])
    remote.put("day.ctl", contents[1])
    remote.put("broken.ctl.gz", gzip.compress(contents[1])[:-9])
    with pytest.raises(ControlError, match="no control file") as caught:
        find_control(data, None)
    assert (caught.value.code, caught.value.file, caught.value.found) == ("LMP-C007", data, "day.ctl")


def test_the_control_file_whose_dlds_names_the_data_set(tmp_path: Path) -> None:
    records = [control.xtyp(), control.dlds(ORIGDATADSNAME="PROD.LLOG.D1"), control.dlge()]
    expected = written(tmp_path / "x.ctl.gz", gzip.compress(framing.rdw(records)))
    for name in ("PROD.LLOG.D1.gz", "prod.llog.d1.zst", "PROD.LLOG.D1.bin.gz"):
        assert find_control(str(tmp_path / name), None) == str(expected)


# -- remote file systems: errors ------------------------------------------------------------------


def test_remote_files_that_cannot_be_read(tree: Remote, run: Any) -> None:
    assert fault(f"{tree.root}/none.dat").message == "cannot be read: No such file or directory"
    assert fault(f"{tree.root}/day 1").message == "is a directory, not a file"
    found = run("records", f"{tree.root}/none.dat.gz")
    assert (found.code, found.out) == (20, "")
    assert found.err.startswith(f"{tree.root}/none.dat.gz: cannot be read: No such file or directory [LMP-F001]")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PermissionError(13, "AWS Error ACCESS_DENIED during GetObject"), "AWS Error ACCESS_DENIED during GetObject"),
        (PermissionError("Forbidden: k"), "Forbidden: k"),
        (OSError("no such bucket\nDetails: many"), "no such bucket"),
        (RuntimeError("proxy http://me:secret@proxy:80 is down"), "proxy http://proxy:80 is down"),
        (ZeroDivisionError(), "ZeroDivisionError"),
        (pa.ArrowInvalid("x" * 5000), "x" * 300),
    ],
)
@pytest.mark.parametrize("stage", ["look_up", "open", "read"])
def test_errors_of_a_file_system(
    monkeypatch: pytest.MonkeyPatch, run: Any, stage: str, error: Exception, reason: str
) -> None:
    class File(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise error

    class System:
        def info(self, path: str) -> dict[str, str]:
            if stage == "look_up":
                raise error
            return {"type": "file", "mtime": "now"}

        def open(self, path: str, mode: str) -> Any:
            if stage == "open":
                raise error
            return File()

    monkeypatch.setattr(file_systems, "_arrow_system", lambda front, behind: (System(), "bucket"))
    for name in ("a.dat", "a.gz"):
        assert fault(f"s3://bucket/{name}").message == f"cannot be read: {reason}"
    assert run("sniff", "s3://bucket/a.dat").code == 20


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_connection_that_breaks(monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    """It is no damage of the file."""

    class File(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            data = super().read(min(size or 0, 4000))
            if not data:
                raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")
            return data

    class System:
        def info(self, path: str) -> dict[str, str]:
            return {"type": "file", "mtime": "now"}

        def open(self, path: str, mode: str) -> Any:
            return File(PACKERS[ending](MANY)[:-100])

    monkeypatch.setattr(file_systems, "_arrow_system", lambda front, behind: (System(), "bucket"))
    assert fault(f"s3://bucket/a{ending}").message == "cannot be read: Connection reset by peer"


def test_a_scheme_that_nothing_knows(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("nonesuch://host/a.dat", "nonesuch::other://a"):
        found = run("records", address)
        assert (found.code, found.out) == (2, "")
        assert "pyarrow" in found.err
        assert "fsspec" in found.err
        assert "lmparse[remote]" in found.err
    for name in ("pyarrow.fs", "fsspec", "fsspec.core", "fsspec.implementations.arrow"):
        monkeypatch.setitem(sys.modules, name, None)
    file_systems._arrow_system.cache_clear()
    for address in ("s3://bucket/a.dat", "memory://a.dat"):
        with pytest.raises(OptionError, match=r"pyarrow.*fsspec"):
            open_buffer(address)


@pytest.mark.parametrize(
    "address",
    [
        "s3://key:hush@bucket/a.dat",
        "sftp://me:hush@host:22/a.dat",
        "simplecache::sftp://me:hush@host/a.dat",
        "https://host/a.dat?X-Amz-Signature=hush",
        "https://host/a.dat?sv=1&sig=hush",
        "s3://bucket/a.dat?secret_key=hush",
    ],
)
def test_an_address_with_a_credential_is_refused(run: Any, address: str) -> None:
    for command in ("records", "sniff", "check"):
        found = run(command, address)
        assert (found.code, found.out) == (2, "")
        assert "credential" in found.err
        assert "hush" not in found.err
    with pytest.raises(OptionError):
        list_files([address])


@pytest.mark.parametrize(
    ("address", "front", "path", "behind"),
    [
        ("s3://bucket/a/b.dat", "s3://bucket", "/a/b.dat", ""),
        ("s3://bucket", "s3://bucket", "", ""),
        ("s3://bucket/n?ght.dat", "s3://bucket", "/n?ght.dat", ""),
        ("s3://bucket/a?region=eu", "s3://bucket", "/a", "?region=eu"),
        ("s3://bucket/a b%20#c", "s3://bucket", "/a b%20#c", ""),
        ("s3://bucket/a\nb", "s3://bucket", "/a\nb", ""),
        ("abfs://c@account.dfs.core.windows.net/a", "abfs://c@account.dfs.core.windows.net", "/a", ""),
        ("hdfs:///a/*.dat", "hdfs://", "/a/*.dat", ""),
        ("memory://*.dat", "memory://", "*.dat", ""),
        ("zip://in/a.dat::file:///x.zip", "zip://in", "/a.dat", "::file:///x.zip"),
        ("zip://*.dat::file:///x.zip", "zip://", "*.dat", "::file:///x.zip"),
        ("https://host/a.gz?b=c", "https://", "host/a.gz", "?b=c"),
    ],
)
def test_the_parts_of_an_address(address: str, front: str, path: str, behind: str) -> None:
    assert addresses.is_remote(address)
    assert addresses.split(address) == (front, path, behind)
    assert "".join(addresses.split(address)) == address


@pytest.mark.parametrize("path", ["a.dat", "/a/b:c", "file:///a", "file:/a", "C:/a", "a::b", "s3:/a", "dir/s3://a"])
def test_paths_that_are_no_address(path: str) -> None:
    assert not addresses.is_remote(path)


def test_file_addresses_are_local(log: Log, run: Any) -> None:
    address = log.data.as_uri()
    found = run("records", address)
    assert found.out == run("records", log.data).out
    rows = run("changes", address, "--control", log.control.as_uri()).rows
    assert {row["_metadata"]["file"] for row in rows} == {address}
    assert fault(log.data.parent.as_uri()).message == "is a directory, not a file"
    assert open_buffer(packed(log.data, ".gz").as_uri())[:] == log.data.read_bytes()


def test_files_in_an_archive(log: Log, tmp_path: Path, run: Any) -> None:
    pytest.importorskip("fsspec")
    import zipfile

    with zipfile.ZipFile(tmp_path / "logs.zip", "w") as archive:
        archive.write(log.data, "in/night.dat")
        archive.write(log.control, "in/night.ctl")
    address = f"zip://in/night.dat::{(tmp_path / 'logs.zip').as_uri()}"
    assert run("records", address).out == run("records", log.data).out
    assert list_files([address.replace("night.dat", "*.dat")]) == [address]
    assert find_control(address, None) == address.replace("night.dat", "night.ctl")


def test_neither_arrow_nor_fsspec_is_loaded_for_plain_files(log: Log) -> None:
    gz = packed(log.data, ".gz")
    program = (
        "import sys, lmparse; [list(lmparse.open_log(path).records()) for path in sys.argv[1:]]; "
        "print(*{'pyarrow', 'fsspec'}.intersection(sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, log.data, gz], cwd=ROOT, capture_output=True, text=True, check=True
    )  # fmt: skip
    assert run.stdout.strip() == ""


@pytest.mark.parametrize("name", ["a.dat", "a.dat.gz"])
@pytest.mark.parametrize("other", ["pipe", "folder"])
def test_what_takes_the_place_of_a_file_while_it_is_opened_is_not_awaited(
    name: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, stat_ = tmp_path / name, os.stat
    path.write_bytes(gzip.compress(b"x") if name.endswith(".gz") else b"x")

    def swapped(place: Any, *arguments: Any, **named: Any) -> os.stat_result:
        found = stat_(place, *arguments, **named)
        if place == str(path) and found.st_mode & 0o170000 == 0o100000:
            path.unlink()
            os.mkfifo(path) if other == "pipe" else path.mkdir()
        return found

    monkeypatch.setattr(os, "stat", swapped)
    with pytest.raises(FramingError, match="is a pipe or device" if other == "pipe" else "is a directory"):
        open_buffer(path)
