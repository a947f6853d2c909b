"""Outputs are whole or not there, replace only what lmparse wrote, and what a killed process left is removed."""

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
from lmparse.storage import atomic_output, owned_folder
from lmparse.storage.atomic_output import (
    AtomicOutput,
    OutputPlace,
    check_place,
    write_files,
    write_text,
)
from lmparse.storage.inputs import inputs_of
from lmparse.storage.marks import begins_with, has_mark, lists_itself

KILLED = """
import os, signal, sys
from pathlib import Path
from lmparse.storage.atomic_output import AtomicOutput, check_place
from lmparse.storage.inputs import inputs_of
place = check_place(sys.argv[1], inputs_of([]), is_folder=True, overwrite=True, foreign=lambda path: None)
with AtomicOutput(place) as work:
    work.made.mkdir()
    (work.made / "half.csv").write_text("half")
    if sys.argv[2] == "moved":
        os.rename(place.path, work.folder / "before")
    print("ready", flush=True)
    if sys.argv[2] == "alive":
        sys.stdin.read()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def place_of(path: Path, *, is_folder: bool = False) -> OutputPlace:
    return check_place(path, inputs_of([]), is_folder=is_folder, overwrite=True, foreign=lambda place: None)


def started(out: Path, how: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(out), how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def ended(process: subprocess.Popen[str]) -> None:
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def test_what_a_killed_process_left_is_removed_by_the_next_and_nothing_else_is(tmp_path: Path) -> None:
    out, others = tmp_path / "out", [tmp_path / ".mine.abc.partial", tmp_path / ".x.partial"]
    for other in others:
        other.mkdir()
        (other / "kept").write_text("kept")
    alive = started(tmp_path / "alive", "alive")
    ended(started(out, "killed"))
    left = {path.name for path in tmp_path.iterdir()}
    assert len(left) == 4
    write_text("whole", place_of(out))
    now = {path.name for path in tmp_path.iterdir()}
    assert len(left - now) == 1
    assert out.read_text() == "whole"
    assert all((other / "kept").is_file() for other in others)
    assert any(name.startswith(".alive.") for name in now)
    ended(alive)
    write_text("again", place_of(out))
    assert {path.name for path in tmp_path.iterdir()} == {"out", *(other.name for other in others)}


def test_an_old_output_that_a_killed_process_had_moved_is_put_back(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "old.csv").write_text("old")
    ended(started(out, "moved"))
    assert not out.exists()
    write_text("other", place_of(tmp_path / "other"))
    assert (out / "old.csv").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "out"]


@pytest.mark.parametrize("call", ["write_text", "fsync", "mkdtemp", "replace"])
def test_a_full_disk_names_the_file_and_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    out = tmp_path / "out"
    out.write_text("old")
    place = place_of(out)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    home = {"write_text": atomic_output.Path, "mkdtemp": owned_folder.tempfile}.get(call, os)
    monkeypatch.setattr(home, call, full)
    with pytest.raises(OptionError) as caught:
        write_text("new", place)
    monkeypatch.undo()
    assert caught.value.code == "LMP-S022"
    assert caught.value.message == f"{out}: cannot be written: No space left on device"
    assert out.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_came_to_the_place_in_the_meantime_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    place = check_place(out, inputs_of([]), is_folder=False, overwrite=True, foreign=begins_with(b"ours", "ours"))
    with AtomicOutput(place) as work:
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
    assert {path.name: path.read_text() for path in folder.rglob("*") if path.is_file()} == {
        "a": "1",
        "b": "2",
        "c": "3",
    }


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


def test_the_folder_of_a_demo_has_its_mark_and_no_links(tmp_path: Path) -> None:
    foreign = has_mark("mark", b"text", "ours")
    assert foreign(tmp_path) is None
    (tmp_path / "a").touch()
    assert foreign(tmp_path) == "it is not ours: it has no mark"
    for other in (b"", b"tex", b"text of another"):
        (tmp_path / "mark").write_bytes(other)
        assert foreign(tmp_path) == "it is not ours: its mark is another"
    (tmp_path / "mark").write_bytes(b"text")
    assert foreign(tmp_path) is None
    (tmp_path / "b").symlink_to("/")
    assert foreign(tmp_path) == "it has a link, b"


@pytest.mark.parametrize("out", ["a\0b", "s3://bucket/x", "none/x"])
def test_a_place_that_cannot_be_is_refused(tmp_path: Path, out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError) as caught:
        check_place(out, inputs_of([]), is_folder=False, overwrite=True, foreign=lambda place: None)
    assert caught.value.code == "LMP-S021"


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("x.jsonl", '{}\n{"my": "data"}\n', ("convert", "DATA", "OUT", "--spec", "bmc_lldf", "--overwrite")),
        ("x.jsonl", '{"length": 1}\n{"my": 1}\n', ("convert", "DATA", "OUT", "--spec", "bmc_lldf", "--overwrite")),
        ("x.json", '{"my": 1, "report_version": 1}', ("check", "DATA", "--report", "OUT")),
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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_nothing_beside_an_output(tmp_path: Path, number: signal.Signals) -> None:
    code = """
import os, sys
from lmparse.storage.atomic_output import AtomicOutput, check_place
from lmparse.storage.inputs import inputs_of
place = check_place(sys.argv[1], inputs_of([]), is_folder=False, overwrite=False, foreign=lambda path: None)
with AtomicOutput(place) as work:
    work.made.write_text("half")
    os.kill(os.getpid(), int(sys.argv[2]))
    work.finish()
"""
    command = [sys.executable, "-c", code, str(tmp_path / "out"), str(int(number))]
    # A shell that starts this in the background would have SIGINT ignored.
    done = subprocess.run(
        command, capture_output=True, check=False, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)
    )
    assert done.returncode != 0
    assert list(tmp_path.iterdir()) == []


def test_files_are_as_they_were_after_an_error(tmp_path: Path) -> None:
    """One of them cannot be put into its place, when others are there already."""
    out = tmp_path / "out"
    (out / "way").mkdir(parents=True)
    for name in ("first", "gone", "elsewhere"):
        (out / name).write_bytes(name.encode())
    (out / "link").symlink_to(out / "elsewhere")
    files = dict.fromkeys(("first", "link", "new", "below/new", "way"), b"new")
    before = {path.name: os.path.realpath(path) for path in out.rglob("*")}
    with pytest.raises(OptionError, match="cannot be written") as caught:
        write_files(out, files, removed=["gone"])
    assert caught.value.code == "LMP-S022"
    assert {path.name: os.path.realpath(path) for path in out.rglob("*")} == before
    assert [(out / name).read_bytes() for name in ("first", "gone", "link")] == [b"first", b"gone", b"elsewhere"]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_folder_that_got_no_file_is_as_it_was(is_there: bool, tmp_path: Path) -> None:
    out = tmp_path / "out"
    if is_there:
        out.mkdir()
    with pytest.raises(OptionError, match="cannot be written"):
        write_files(out, {"first": b"new", "first/below": b"new"})
    assert out.exists() is is_there
    assert sorted(tmp_path.rglob("*")) == ([out] if is_there else [])
