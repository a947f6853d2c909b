"""What a stream finds: what a batch finds under the same paths, or the error that the batch has.

What it does not read yet it says; nothing has arrived only where there is no file.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import socket
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from spark.conftest import write
from writers.bmc import logs

from lmparse.errors import LmparseError
from lmparse.logs import file_selection
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.samples import db2_log
from lmparse.spark.source import LmparseSource
from lmparse.storage.landing import Arrival, Waits

streaming = pytest.importorskip("pyspark.sql.streaming.datasource", reason="streams need Spark 4.2")
if not hasattr(streaming, "ReadAllAvailable"):
    pytest.skip("streams need Spark 4.2", allow_module_level=True)

NAMES = ("a.log", "b.log", "c.log")
YEAR = 365 * 86400
DAMAGED = ("LMP-F003", "LMP-F005", "LMP-F006")


class Landing:
    """A folder with three files of a log, and its options."""

    def __init__(self, folder: Path) -> None:
        tables, log = map(str, db2_log.make(8).write(folder))
        options = {"spec": "db2_log", "tables": tables}
        opened = open_changes(log, read_options(options))
        offsets = [extent.offset - opened.framing.lead for extent in opened.extents()]
        self.cuts = [0, offsets[len(offsets) // 3], offsets[2 * len(offsets) // 3], None]
        self.data = Path(log).read_bytes()
        # The mode of a batch that ends at damage, as a stream does.
        self.options = {**options, "mode": "failfast"}
        self.schema = LmparseSource({**self.options, "path": str(folder)}).schema()

    def fill(self, folder: Path) -> None:
        folder.mkdir()
        for name, (start, end) in zip(NAMES, pairwise(self.cuts), strict=True):
            (folder / name).write_bytes(self.data[start:end])


@pytest.fixture(scope="module")
def landing(tmp_path_factory: pytest.TempPathFactory) -> Landing:
    return Landing(tmp_path_factory.mktemp("log"))


def found(rows: Callable[[], list[str]]) -> list[str] | str:
    """The positions of the changes, or the code of the error."""
    try:
        return sorted(rows())
    except LmparseError as error:
        return error.code


def batch(schema: Any, options: dict[str, str]) -> list[str]:
    reader = LmparseSource(options).reader(schema)
    return [seq for part in reader.partitions() for rows in reader.read(part) for seq in rows["seq"].to_pylist()]


def stream(schema: Any, options: dict[str, str], *, is_held: bool = False) -> list[str]:
    """The rows of a stream until nothing new is there."""
    reader = LmparseSource({"settledSeconds": "0", **options}).streamReader(schema)
    if is_held:
        reader.prepareForTriggerAvailableNow()
    start, seqs = reader.initialOffset(), list[str]()
    while (end := reader.latestOffset(start, streaming.ReadAllAvailable())) != start:
        for part in reader.partitions(start, end):
            seqs += [seq for rows in reader.read(part) for seq in rows["seq"].to_pylist()]
        start = end
    return seqs


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(path))


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "d.log").write_bytes((path.parent / "a.log").read_bytes())


def _of_next_year(path: Path) -> None:
    for name in NAMES[:2]:
        os.utime(path.with_name(name), (time.time() + YEAR,) * 2)


ODD: dict[str, tuple[str, Callable[[Path], object]]] = {
    "nothing": ("odd.log", lambda path: None),
    "a dangling link": ("odd.log", lambda path: path.symlink_to(path.parent / "lost")),
    "a link to itself": ("odd.log", lambda path: path.symlink_to(path)),
    "a link below a file": ("odd.log", lambda path: path.symlink_to(path.parent / "a.log" / "x")),
    "a link to a file": ("odd.log", lambda path: path.symlink_to(path.parent / "b.log")),
    "a link to a device": ("odd.log", lambda path: path.symlink_to("/dev/null")),
    "a pipe": ("odd.log", os.mkfifo),
    "a pipe of another name": ("x.tmp", os.mkfifo),
    "a socket": ("odd.log", _socket),
    "a hidden dangling link": ("_odd.log", lambda path: path.symlink_to(path.parent / "lost")),
    "a hidden pipe": (".odd.log", os.mkfifo),
    "a folder": ("odd.log", _folder),
    "a link to a folder": ("odd.log", lambda path: path.symlink_to(path.parent.parent)),
    "a file that is no log": ("odd.log", lambda path: path.write_bytes(b"not a log " * 50)),
    "a damaged compressed file": ("odd.log", lambda path: path.write_bytes(gzip.compress(bytes(9999))[:20])),
    "a name like a pattern": ("[ab].log", lambda path: path.write_bytes(path.with_name("a.log").read_bytes())),
    "files of next year": ("odd.log", _of_next_year),
}  # fmt: skip
"""Entries beside the three files."""
PATHS: list[list[str] | str] = [
    "in", "in/", "./in", "in/a.log", "in/odd.log", "in/gone.log", "gone", "gone/*.log",
    "in/*", "in/*.log", "in/?.log", "in/[ab].log", "in/[a-b].log", "in/[!a].log", "in/[^a]*", "in/o?d.log", "in/z*",
    "in/z?", "i?/a.log", "[i]n/b.log", "in/{a,b}.log", "in/**", "i?", "in/[", "file:{top}/in/*.log",
    "file:{top}/in/[ab].log", "file://{top}/in", "local://{top}/in/?.log", "in/a.log/x",
    ["in/a.log", "in/b.log"], ["in/a.log", "in/gone"], ["in/a.log", "in/odd.log"], ["in/a.log", "gone/*"],
    ["in/[a].log", "in/?.log"], ["in/z?", "in/c.log"], ["in", "in/a.log"], ["in/gone?", "gone"],
]  # fmt: skip
OPTIONS: list[dict[str, str]] = [
    {}, {"pathGlobFilter": "?.log"}, {"recursiveFileLookup": "true"}, {"modifiedAfter": "2020-01-01"},
    {"modifiedBefore": "2020-01-01"},
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
def test_a_stream_finds_what_a_batch_finds(
    odd: str, landing: Landing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    landing.fill(tmp_path / "in")
    name, make = ODD[odd]
    make(tmp_path / "in" / name)
    cases = [(given, more) for given in PATHS for more in (OPTIONS if given in ("in", "in/*") else OPTIONS[:1])]
    others = random.Random(odd).sample(cases[1:], amount(9, len(cases) - 1))
    for given, more in [cases[0], *others]:  # the folder, and some of the rest
        texts = [text.replace("{top}", str(tmp_path)) for text in ([given] if isinstance(given, str) else given)]
        named = {"path": texts[0]} if isinstance(given, str) else {"paths": json.dumps(texts)}
        options = {**landing.options, **named, **more}
        expected = found(partial(batch, landing.schema, options))
        capsys.readouterr()
        outcome = found(partial(stream, landing.schema, options, is_held=len(given) % 2 == 0))
        if expected in DAMAGED and outcome in DAMAGED:
            continue  # they look at a damaged file in another order
        assert (outcome, given, more) == (expected, given, more)
        assert "not read yet" not in capsys.readouterr().err


@pytest.mark.parametrize("odd", ["a dangling link", "a pipe", "a file that is no log"])
def test_what_comes_while_a_stream_runs(odd: str, landing: Landing, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    landing.fill(folder)
    (folder / "c.log").rename(tmp_path / "c.log")
    reader = LmparseSource({**landing.options, "settledSeconds": "0", "path": str(folder)}).streamReader(landing.schema)
    first = reader.latestOffset(reader.initialOffset(), streaming.ReadAllAvailable())
    name, make = ODD[odd]
    make(folder / name)
    (tmp_path / "c.log").rename(folder / "c.log")
    with pytest.raises(LmparseError, match=name):
        reader.latestOffset(first, streaming.ReadAllAvailable())
    (folder / name).unlink()
    assert reader.latestOffset(first, streaming.ReadAllAvailable()) != first


def test_a_file_that_is_moved_away_while_it_is_listed(
    landing: Landing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that have been read may be moved away at any time."""
    folder, modified = tmp_path / "in", file_selection.modified
    landing.fill(folder)
    options = {**landing.options, "path": str(folder), "modifiedAfter": "2020-01-01", "settledSeconds": "0"}
    reader = LmparseSource(options).streamReader(landing.schema)
    first = reader.latestOffset(reader.initialOffset(), streaming.ReadAllAvailable())

    def moved_before(name: str) -> float | None:
        (folder / "b.log").unlink(missing_ok=True)
        return modified(name)

    monkeypatch.setattr(file_selection, "modified", moved_before)
    assert reader.latestOffset(first, streaming.ReadAllAvailable()) == first
    assert sorted(path.name for path in folder.iterdir()) == ["a.log", "c.log"]


def waited(text: str) -> list[str]:
    """What was said of files that are not read yet."""
    return [line.partition(": ")[2] for line in text.splitlines() if "not read yet" in line]


@pytest.mark.parametrize(
    ("path", "more"),
    [("in", {}), ("in/*.log", {}), ("in/?.log", {}), ("in/a.log", {}), ("in", {"pathGlobFilter": "*.log"})],
)
def test_markers_are_found_whatever_names_the_files(
    path: str, more: dict[str, str], landing: Landing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """A pattern and a filter of names leave markers out, and say which files they are for."""
    monkeypatch.chdir(tmp_path)
    landing.fill(tmp_path / "in")
    options = {**landing.options, **more, "path": path}
    expected = batch(landing.schema, options)
    options |= {"completionMarker": ".done", "settledSeconds": None}
    assert stream(landing.schema, options) == []
    assert waited(capsys.readouterr().err) == []  # files are new, and markers may come
    for name in NAMES:
        os.utime(tmp_path / "in" / name, (time.time() - 60,) * 2)
    assert stream(landing.schema, options) == []
    named = "in/a.log" if path == "in/a.log" else "in/a.log, in/b.log, in/c.log"
    assert waited(capsys.readouterr().err) == [f"not read yet, since there is no .done beside it: {named}"]
    for name in NAMES:
        (tmp_path / "in" / f"{name}.done").touch()
    assert sorted(stream(landing.schema, options)) == sorted(expected)
    assert waited(capsys.readouterr().err) == []


def test_files_that_are_waited_for_are_said_once(
    landing: Landing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    landing.fill(tmp_path / "in")
    for name in "defgh":
        (tmp_path / "in" / f"{name}.log").touch()
    reader = LmparseSource({**landing.options, "settledSeconds": "0", "path": "in"}).streamReader(landing.schema)
    start = reader.initialOffset()
    for said in (["it is empty: in/d.log, in/e.log, in/f.log and 2 more"], [], ["it is empty: in/i.log"], []):
        start = reader.latestOffset(start, streaming.ReadAllAvailable())
        assert waited(capsys.readouterr().err) == [f"not read yet, since {one}" for one in said]
        (tmp_path / "in" / "d.log").unlink(missing_ok=True)
        if not said:
            (tmp_path / "in" / "i.log").touch()


def test_an_extract_without_its_control_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "in"
    write(folder, logs.example(), "a")
    alone = write(folder, logs.example(), "b").data
    options = {"path": str(folder)}
    schema = LmparseSource(options).schema()
    alone.with_suffix(".ctl").unlink()
    expected = batch(schema, {"path": str(folder / "a.dat")})
    assert expected
    assert sorted(stream(schema, options)) == sorted(expected)
    (line,) = waited(capsys.readouterr().err)
    assert line == (
        f"not read yet, since its control file is not found: {alone} (no control file in {folder} for it)"
    )  # fmt: skip


def test_an_address_with_nothing_at_it_where_a_table_is_named(landing: Landing) -> None:
    """What columns the files say is asked before they are looked for."""
    pytest.importorskip("fsspec")
    types = pytest.importorskip("pyspark.sql.types")
    after = types.StructType([types.StructField("ID", types.IntegerType())])
    schema = types.StructType([types.StructField("op", types.StringType()), types.StructField("after", after)])
    options = {**landing.options, "path": "memory://bucket/empty", "table": "PROD.A", "settledSeconds": "0"}
    reader = LmparseSource(options).streamReader(schema)
    start = reader.initialOffset()
    assert reader.latestOffset(start, streaming.ReadAllAvailable()) == start


def test_an_address_with_nothing_at_it(landing: Landing, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder of an object store is there only while it has files."""
    memory = pytest.importorskip("fsspec").filesystem("memory")
    options = {**landing.options, "path": "memory://bucket/in"}
    assert found(partial(batch, landing.schema, options)) == "LMP-F001"
    reader = LmparseSource({**options, "settledSeconds": "0"}).streamReader(landing.schema)
    start = reader.initialOffset()
    for said in (["not read yet, since there is nothing at this address: memory://bucket/in"], []):
        assert reader.latestOffset(start, streaming.ReadAllAvailable()) == start
        assert waited(capsys.readouterr().err) == said
    try:
        memory.pipe("/bucket/in/a.log", landing.data)
        assert sorted(stream(landing.schema, options)) == sorted(batch(landing.schema, options))
        marked = {**options, "path": "memory://bucket/in/*.log", "completionMarker": ".done", "settledSeconds": None}
        assert stream(landing.schema, marked) == []
        assert len(waited(capsys.readouterr().err)) == 1
        memory.pipe("/bucket/in/a.log.done", b"")
        assert sorted(stream(landing.schema, marked)) == sorted(batch(landing.schema, options))
    finally:
        memory.store.clear()
        memory.pseudo_dirs[:] = [""]


def test_times_in_the_future(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sender's clock does not say when a file was written here; where both are ahead, the file is waited for."""
    path = tmp_path / "a.log"
    path.write_bytes(b"x")
    now = time.time()

    def arrived(seconds: int, clock: float) -> tuple[bool, list[str]]:
        waits = Waits()
        monkeypatch.setattr(time, "time", lambda: clock)
        return bool(Arrival(seconds=seconds).arrived([str(path)], waits)), list(waits.found)

    said = ["by the clock of this machine it was last written in the future"]
    for written in (now, now + YEAR):
        os.utime(path, (written, written))
        assert [arrived(10, now + wait) for wait in (0, 5, 20)] == [(False, []), (False, []), (True, [])]
        assert arrived(0, now - YEAR) == (True, [])
        assert arrived(10, now - YEAR) == (False, said)
