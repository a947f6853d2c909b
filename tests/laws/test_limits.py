"""Limits: what is at a limit is read, what is above it is an error that names it; memory does not follow claims."""

from __future__ import annotations

import dataclasses
import gzip
import re
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engines import changes, changes_difference
from samples.db2_scripts import ITEM
from samples.framed_files import EVERY, RECORDS, written
from writers.bmc import framing as enc
from writers.bmc import logs
from writers.bmc.control import Table
from writers.bmc.rows import Column
from writers.db2 import dms
from writers.db2.stream import Stream

import lmparse
from lmparse.errors import FileLimitError, FramingError, LmparseError
from lmparse.framing import index
from lmparse.framing.base import Framing
from lmparse.framing.framings import framing_of
from lmparse.limits import DEFAULT, Held, Limits
from lmparse.logs.open import open_file
from lmparse.options import Options
from lmparse.samples import bmc_log
from lmparse.spelling import camel
from lmparse.storage import buffers

CUT = [way for way in EVERY if way != "fixed"]
MANY = [bytes([number]) * (20 + 37 * (number % 5)) for number in range(1, 40)]


def spans_of(framing: Framing, data: bytes) -> list[int]:
    """Bytes of each record from the first to the last one."""
    return [extent.end - extent.offset for extent in framing.extents(data)]


def one_by_one(framing: Framing, data: bytes) -> tuple[list[bytes], FramingError | None]:
    found: list[bytes] = []
    try:
        found.extend(extent.read(data) for extent in framing.extents(data))
    except FramingError as error:
        return found, error
    return found, None


def as_arrays(framing: Framing, data: bytes) -> tuple[list[bytes], FramingError | None]:
    found: list[bytes] = []
    try:
        for window in index.windows(framing, data, max_records=7):
            for start, length in zip(window.starts, window.lengths, strict=True):
                found.append(window.data[start : start + length].tobytes())
    except FramingError as error:
        return found, error
    return found, None


# -- records: all framings, both ways of reading, and parts ------------------------------------


@pytest.mark.parametrize("way", CUT)
def test_a_record_at_the_limit_is_read_and_one_above_it_is_an_error(way: str) -> None:
    framing, data = written(way, RECORDS if way == "glued" else MANY)
    sizes = spans_of(framing, data)
    whole, none = one_by_one(framing, data)
    assert none is None
    for most in sorted({max(sizes), max(sizes) - 1, min(sizes), 1}):
        bounded = framing.within(Limits(record_bytes=most))
        first = next((number for number, size in enumerate(sizes) if size > most), None)
        for read in (one_by_one, as_arrays):
            found, error = read(bounded, data)
            if first is None:
                assert (found, error) == (whole, None)
                continue
            assert found == whole[:first], (most, read)
            assert isinstance(error, FileLimitError)
            offset = list(framing.extents(data))[first].offset
            assert (error.code, error.record_index, error.record_offset) == ("LMP-L002", first, offset)
            assert error.expected == f"at most {most} bytes from the first to the last one of a record"


def test_records_of_a_length_that_the_user_names_have_no_limit() -> None:
    framing = framing_of("fixed", 100, limits=Limits(record_bytes=1))
    assert len(list(framing.extents(bytes(300)))) == 3


@pytest.mark.parametrize("blocked", [False, True])
def test_a_record_has_no_more_pieces_than_the_limit(blocked: bool) -> None:
    """A piece takes more memory than its one byte, in a list of places and as an array."""

    def written_in(count: int) -> bytes:
        one = b"\x00\x05\x01\x00A" + b"\x00\x05\x03\x00B" * (count - 2) + b"\x00\x05\x02\x00C"
        if not blocked:
            return one
        return b"".join(struct.pack(">HH", 4 + len(part), 0) + part for part in enc_blocks(one))

    framing = framing_of("bdw-vbs" if blocked else "vbs", limits=Limits(record_pieces=7000))
    for read in (one_by_one, as_arrays):
        found, error = read(framing, written_in(7000))
        assert (len(found), error) == (1, None)
        found, error = read(framing, written_in(7001))
        assert isinstance(error, FileLimitError)
        assert (found, error.code, error.record_index) == ([], "LMP-L002", 0)
        assert error.hint == "raise it with the option limits, as recordPieces=14000"
    default = framing_of("bdw-vbs" if blocked else "vbs")
    data = written_in(200_000)
    for read in (one_by_one, as_arrays):
        tracemalloc.start()
        found, error = read(default, data)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (found, error and error.code) == ([], "LMP-L002")
        assert peak < 20_000_000


def enc_blocks(pieces: bytes) -> list[bytes]:
    return [pieces[start : start + 32_000] for start in range(0, len(pieces), 32_000)]


def test_memory_does_not_follow_a_length_that_is_claimed(tmp_path: Path) -> None:
    """One log record of 80 MB, as its first bytes claim, in a file that has these bytes: a hole on the disk."""
    path = tmp_path / "large.log"
    size = 80 << 20
    with open(path, "wb") as file:
        file.write(struct.pack("<IHH", size, 0x4E, 2))
        file.truncate(size)
    given: dict[str, Any] = {"spec": "db2_log", "byte_order": "little", "generation": "v10"}
    for framing in ("bare", "auto"):
        tracemalloc.start()
        with pytest.raises(FileLimitError) as caught:
            list(open_file(path, Options.parse({**given, "framing": framing})).records())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (caught.value.code, caught.value.record_index, caught.value.record_offset) == ("LMP-L002", 0, 0)
        assert caught.value.found == str(size)
        assert caught.value.hint == "raise it with the option limits, as recordBytes=134217728"
        assert peak < size // 2  # modules that are imported count too


# -- every command ----------------------------------------------------------------------------------


COMMANDS = ["records", "changes", "txn", "tables", "check", "convert", "coverage", "explain", "sniff", "docs"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("limits", "code"), [("recordBytes=50", "LMP-L002"), ("unpackedBytes=100", "LMP-L003")])
def test_every_command_that_reads_logs_has_the_limits(
    command: str, limits: str, code: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from lmparse.cli.command_line import main

    control, data = map(str, bmc_log.make().write(tmp_path / "log")[:2])
    for name in (control, data):
        Path(name + ".gz").write_bytes(gzip.compress(Path(name).read_bytes()))
    control, data = (control + ".gz", data + ".gz") if code == "LMP-L003" else (control, data)
    given = {
        "changes": [data, "--control", control], "convert": [data, str(tmp_path / "out.csv"), "--spec", "bmc_lldf"],
        "docs": [str(tmp_path / "docs"), "--samples", data],
    }  # fmt: skip
    assert main([command, *given.get(command, [data]), "--limits", limits]) not in (0, None)
    shown = capfd.readouterr()
    assert code in shown.out + shown.err


def test_one_record_has_the_limit_too() -> None:
    with pytest.raises(LmparseError) as caught:
        lmparse.parse(RECORDS[0], "bmc_lldf", limits="recordBytes=100")
    assert caught.value.code == "LMP-L002"
    assert lmparse.parse(RECORDS[0], "bmc_lldf", limits=f"recordBytes={len(RECORDS[0])}")


# -- copies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_a_copy_at_the_limit_is_made_and_one_above_it_is_not(ending: str, tmp_path: Path) -> None:
    import pyarrow as pa

    content = np.random.default_rng(1).bytes(3 << 20)
    path = tmp_path / f"a.dat{ending}"
    path.write_bytes(gzip.compress(content) if ending == ".gz" else pa.compress(content, "zstd", asbytes=True))
    assert buffers.open_buffer(path, Limits(unpacked_bytes=len(content)))[:] == content
    with pytest.raises(FileLimitError, match="above the limit unpackedBytes") as caught:
        buffers.open_buffer(path, Limits(unpacked_bytes=len(content) - 1))
    assert (caught.value.code, caught.value.file) == ("LMP-L003", str(path))


def test_a_copy_takes_a_share_of_the_disk_that_is_free_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    path = tmp_path / "a.dat.gz"
    path.write_bytes(gzip.compress(bytes(4 << 20)))
    monkeypatch.setattr(buffers, "_STEP_BYTES", 1 << 20)
    written_before: list[int] = []

    def usage(_: str) -> Any:
        written_before.append(0)
        return SimpleNamespace(free=(4 << 20))

    monkeypatch.setattr(buffers.shutil, "disk_usage", usage)
    assert len(buffers.open_buffer(path, Limits(disk_share=50))) == 4 << 20
    assert len(written_before) == 5  # after each step, and at the end
    written_before.clear()
    with pytest.raises(FileLimitError, match="above the limit diskShare") as caught:
        buffers.open_buffer(path, Limits(disk_share=30))
    assert (caught.value.code, len(written_before)) == ("LMP-L003", 2)


# -- what is held -----------------------------------------------------------------------------------


@pytest.fixture
def most_held(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The most bytes that were held at any time, as its last entry."""
    most = [0]
    real = Held.take

    def take(self: Held, size: int, **place: Any) -> None:
        real(self, size, **place)
        most[0] = max(most[0], self.bytes)

    monkeypatch.setattr(Held, "take", take)
    return most


def segmented_log(folder: Path) -> dict[str, str]:
    """A log in which five changes of three segments each are open at the same time; all are complete at the end."""
    wide = Table(0x0105, 2, 3, "PROD", "WIDE", (Column("NO", "INT", 4), Column("TEXT", "CHAR", 60)))
    writer = logs.Writer([wide])
    pieces = [
        writer.pieces(
            logs.Unit(1), wide, "UB", {"NO": no, "TEXT": f"row {no}"}, {"NO": no, "TEXT": f"changed {no}"}, segments=3
        )
        for no in range(5)
    ]
    for number in range(3):
        for change in pieces:
            writer.put(*change[number])
    log = writer.example()
    data, control = folder / "a.dat", folder / "a.ctl"
    data.write_bytes(enc.rdw(log.data_records))
    control.write_bytes(enc.rdw(log.control_records))
    return {"path": str(data), "control": str(control)}


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_places_of_segments_at_the_limit_are_kept_and_one_above_it_is_an_error(
    engine: str, tmp_path: Path, most_held: list[int]
) -> None:
    log: dict[str, Any] = segmented_log(tmp_path)
    whole = changes(engine=engine, **log)
    assert not whole.errors
    limit = most_held[0]
    assert limit == 15 * 400
    assert not changes_difference(whole, changes(engine=engine, limits=f"heldBytes={limit}", **log))
    (error,) = changes(engine=engine, limits=f"heldBytes={limit - 1}", **log).errors
    assert (error["code"], error["record_index"]) == ("LMP-L004", 14)


def altered_tables(stream: Stream, size: int) -> None:
    unit = stream.begin()
    for _ in range(size):
        unit.alter_attribute(ITEM, dms.APPEND_MODE, 0)
    unit.commit()


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
@pytest.mark.parametrize("family", ["bmc", "db2"])
def test_units_at_the_limit_are_read_and_one_above_it_is_an_error(
    family: str, engine: str, tmp_path: Path, most_held: list[int]
) -> None:
    if family == "bmc":
        # So many changes that their keys take more than the segments of those that are not complete.
        control, data = map(str, bmc_log.make(units=100).write(tmp_path)[:2])
        given = {"control": control, "include": "all", "order": "commit"}
    else:
        # Changes of tables are read record by record by both engines.
        data, given = str(tmp_path / "altered.log"), {"spec": "db2_log", "include": "all"}
        stream = Stream("v10", "little", "filter")
        altered_tables(stream, 60)
        Path(data).write_bytes(stream.bytes())
    whole = changes(Path(data), engine, **given)
    assert not whole.errors
    limit = most_held[0]
    assert limit > 20_000
    assert not changes_difference(whole, changes(Path(data), engine, **given, limits=f"heldBytes={limit}"))
    error = changes(Path(data), engine, **given, limits=f"heldBytes={limit - 1}").errors[-1]
    assert (error["code"], error["file"]) == ("LMP-L004", data)
    assert error["record_index"] > 0


# -- the option -------------------------------------------------------------------------------------


def test_the_page_lists_every_limit() -> None:
    page = (Path(__file__).parents[2] / "docs" / "limits.md").read_text()
    lines = re.findall(r"\| `(\w+)` \| (\d+)([KMGT]?) \| (LMP-L\d+|none) \| (.*) \|", page)
    units = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
    said = {name: (int(number) << units[unit], code, text) for name, number, unit, code, text in lines}
    assert said == {
        camel(entry.name): (getattr(DEFAULT, entry.name), entry.metadata["code"], entry.metadata["counted"])
        for entry in dataclasses.fields(Limits)
    }


def test_a_hint_names_a_value_that_is_enough() -> None:
    assert DEFAULT.error("record_bytes", 300 << 20).hint == "raise it with the option limits, as recordBytes=536870912"
    assert DEFAULT.error("disk_share", "x").hint == "raise it with the option limits, as diskShare=100"
    with pytest.raises(LmparseError, match="limits has no value"):
        Limits.parse("diskShare=101")
