"""Outputs are whole or not there, replace only what lmparse wrote, and never an input."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lmparse import cli
from lmparse.errors import OptionError
from lmparse.samples import bmc_log
from lmparse.storage import outputs
from lmparse.storage.outputs import (
    OutputPlace,
    atomic_output,
    begins_with,
    check_place,
    inputs_of,
    lists_itself,
    write_files,
    write_text,
)

HALF_WRITTEN = """
import os, sys
from lmparse.storage.interrupts import ended_by_signals
from lmparse.storage.outputs import atomic_output, check_place
from lmparse.storage.outputs import inputs_of
place = check_place(sys.argv[1], inputs_of([]), is_folder=False, overwrite=True, foreign=lambda path: None)
with ended_by_signals(), atomic_output(place) as work:
    work.made.write_text("half")
    os.kill(os.getpid(), int(sys.argv[2]))
    work.finish()
"""


def place_of(path: Path, *, is_folder: bool = False) -> OutputPlace:
    return check_place(path, inputs_of([]), is_folder=is_folder, overwrite=True, foreign=lambda place: None)


def half_written(out: Path, number: signal.Signals) -> None:
    """Write an output in another process, which gets a signal when half of it is there."""
    done = subprocess.run(
        [sys.executable, "-c", HALF_WRITTEN, str(out), str(int(number))],
        capture_output=True,
        check=False,
        # A shell that starts this in the background would have SIGINT ignored.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None,
    )
    assert done.returncode in (128 + number, -number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_the_old_output_and_nothing_beside_it(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "out").write_text("old")
    half_written(tmp_path / "out", number)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out": "old"}


def test_what_a_killed_process_leaves_is_a_partial_folder_that_nobody_removes(tmp_path: Path) -> None:
    out = tmp_path / "out"
    half_written(out, signal.SIGKILL)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".out.")
    assert left.suffix == ".partial"
    write_text("whole", place_of(out))
    assert set(tmp_path.iterdir()) == {left, out}


@pytest.mark.parametrize("call", ["write_text", "fsync", "mkdtemp", "replace"])
def test_a_full_disk_names_the_file_and_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    out = tmp_path / "out"
    out.write_text("old")
    place = place_of(out)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    home = {"write_text": outputs.Path, "mkdtemp": outputs.tempfile}.get(call, os)
    monkeypatch.setattr(home, call, full)
    with pytest.raises(OptionError) as caught:
        write_text("new", place)
    monkeypatch.undo()
    assert caught.value.code == "LMP-S022"
    assert caught.value.message == f"{out}: cannot be written: No space left on device"
    assert out.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_stays_where_it_was_if_the_new_one_cannot_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "old.csv").write_text("old")
    rename = os.rename

    def fails(source: Path, target: Path) -> None:
        if source.name == "made":
            raise OSError(errno.EIO, "Input/output error")
        rename(source, target)

    def replaced() -> None:
        with atomic_output(place_of(out, is_folder=True)) as work:
            work.made.mkdir()
            monkeypatch.setattr(os, "rename", fails)
            work.finish()

    with pytest.raises(OptionError, match="Input/output error"):
        replaced()
    assert [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*"))] == ["out", "out/old.csv"]


def test_what_came_to_the_place_in_the_meantime_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    place = check_place(out, inputs_of([]), is_folder=False, overwrite=True, foreign=begins_with(b"ours", "ours"))
    with atomic_output(place) as work:
        work.made.write_text("ours, new")
        out.write_text("theirs")
        with pytest.raises(OptionError, match="not written by lmparse"):
            work.finish()
    assert out.read_text() == "theirs"


def test_a_link_in_the_place_of_a_file_is_replaced_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a").symlink_to(precious)
    os.link(precious, folder / "b")
    write_files(folder, {"a": b"1", "b": b"2", "deep/c": b"3"})
    assert precious.read_text() == "kept"
    files = {path.name: path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert files == {"a": "1", "b": "2", "c": "3"}


@pytest.mark.parametrize("is_there", [True, False])
def test_no_file_comes_to_its_place_before_all_are_written(
    is_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    if is_there:
        out.mkdir()

    def full(_: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(outputs.Path, "write_bytes", full)
    with pytest.raises(OptionError, match="cannot be written") as caught:
        write_files(out, {"first": b"new"}, removed=["gone"])
    assert caught.value.code == "LMP-S022"
    assert sorted(tmp_path.rglob("*")) == ([out] if is_there else [])


def test_a_folder_is_ours_only_if_its_list_has_everything_in_it(tmp_path: Path) -> None:
    foreign = lists_itself("list.json", lambda said: list(said["files"]))
    assert foreign(tmp_path) is None
    (tmp_path / "a").touch()
    assert foreign(tmp_path) == "it has no list.json"
    for text in ("", "[]", "{}", "null", '{"files": 1}', "[" * 100_000, "\xff"):
        (tmp_path / "list.json").write_text(text, encoding="latin-1")
        assert foreign(tmp_path) == "its list.json is not one of lmparse"
    (tmp_path / "list.json").write_text('{"files": ["a"]}')
    assert foreign(tmp_path) is None
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b").touch()
    assert foreign(tmp_path) == "it also has deep/b"


def test_the_folder_of_a_demo_has_its_mark(tmp_path: Path) -> None:
    foreign = begins_with(b"text", "ours", "mark")
    assert foreign(tmp_path) is None
    (tmp_path / "a").touch()
    assert foreign(tmp_path) == "it is not ours: it has no mark"
    for other in (b"", b"of another"):
        (tmp_path / "mark").write_bytes(other)
        assert foreign(tmp_path) == "it is not ours"
    (tmp_path / "mark").write_bytes(b"text")
    assert foreign(tmp_path) is None


@pytest.mark.parametrize("out", ["a\0b", "\ud800", "s3://bucket/x", "none/x"])
def test_a_place_that_cannot_be_is_refused(tmp_path: Path, out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError) as caught:
        check_place(out, inputs_of([]), is_folder=False, overwrite=True, foreign=lambda place: None)
    assert caught.value.code == "LMP-S021"


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("x.jsonl", '{"length": 1, "my": 1}\n', ("convert", "DATA", "OUT", "--spec", "bmc_lldf", "--overwrite")),
        ("x.html", '<p><meta name="generator" content="lmparse">', ("explain", "DATA", "--html", "OUT", "--overwrite")),
    ],
)
def test_a_file_that_only_looks_like_ours_is_not_replaced(
    tmp_path: Path, name: str, text: str, command: tuple[str, ...]
) -> None:
    described, data = bmc_log.make(units=1).write(tmp_path / "log")
    described.unlink()  # it says that there are segments, which so short a log does not have
    out = tmp_path / name
    out.write_text(text)
    assert cli.main([{"DATA": str(data), "OUT": str(out)}.get(word, word) for word in command]) == 2
    assert out.read_text() == text
    out.unlink()
    assert cli.main([{"DATA": str(data), "OUT": str(out)}.get(word, word) for word in command]) == 0
    assert cli.main([{"DATA": str(data), "OUT": str(out)}.get(word, word) for word in command]) == 0
