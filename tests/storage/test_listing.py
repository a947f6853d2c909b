"""Folders that cannot be read: nothing in them is missing in silence, or replaced."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import framing, logs

import lmparse
from lmparse import cli
from lmparse.errors import FramingError
from lmparse.storage.listing import list_files

Lock = Callable[[Path], None]


@pytest.fixture
def lock(monkeypatch: pytest.MonkeyPatch) -> Lock:
    """Makes folders, and what is in them, unreadable; permissions do not hold for a root that runs tests."""
    locked: list[Path] = []

    def guarded(function: Any) -> Any:
        def call(path: Any = ".", *given: Any, **named: Any) -> Any:
            if not isinstance(path, int):
                place = Path(os.path.abspath(os.fsdecode(path)))
                if any(place.is_relative_to(one) and (place != one or is_read) for one in locked):
                    raise PermissionError(13, "Permission denied", os.fspath(path))
            return function(path, *given, **named)

        is_read = function.__name__ in ("listdir", "scandir", "open")
        return call

    for name in ("listdir", "scandir", "stat", "lstat", "open"):
        monkeypatch.setattr(os, name, guarded(getattr(os, name)))
    return locked.append


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder of files with a folder in it."""
    for name in ("logs/a.dat", "logs/in/b.dat", "logs/_old/c.dat"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "locked"),
    [
        ("logs", "logs"),
        ("logs", "logs/in"),
        ("logs/*.dat", "logs"),
        ("logs/*/b.dat", "logs/in"),
        ("logs/**/*.dat", "logs/in"),
    ],
)
def test_files_are_not_left_out(path: str, locked: str, tree: Path, lock: Lock) -> None:
    lock(tree / locked)
    with pytest.raises(FramingError, match=f"{locked}(/b.dat)?: cannot be read: Permission denied") as caught:
        list_files([f"{tree}/{path}"], recursive=True)
    assert caught.value.code == "LMP-F001"


def _nowhere(path: Path) -> None:
    path.symlink_to(path.parent / "lost.dat")


def _round(path: Path) -> None:
    path.symlink_to(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(path))


@pytest.mark.parametrize("make", [_nowhere, _round, os.mkfifo, _socket])
def test_what_is_not_a_file_is_not_left_out(
    make: Callable[[Path], None], tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)
    odd = tree / "logs" / "in" / "odd.dat"
    make(odd)
    for path, recursive in (("logs", True), ("logs/in", False), ("logs/in/*.dat", False), ("logs/**", True)):
        with pytest.raises(FramingError, match=r"/odd.dat: is a (link|pipe).*, not a file") as caught:
            list_files([path], recursive=recursive)
        assert caught.value.code == "LMP-F001"
    # Names that are not those of data, or that do not pass the filter, are not asked for.
    assert list_files(["logs"]) == ["logs/a.dat"]
    assert list_files(["logs/in"], name_filter="b*") == list_files(["logs/in/b*"]) == ["logs/in/b.dat"]
    odd.rename(odd.with_name("_odd.dat"))
    assert list_files(["logs/in"]) == list_files(["logs/in/*.dat"]) == ["logs/in/b.dat"]


@pytest.mark.parametrize(("path", "locked"), [("logs", "logs/_old"), ("logs/*.dat", "logs/in"), ("logs/a.dat", "x")])
def test_folders_that_are_not_asked_for_may_be_unreadable(path: str, locked: str, tree: Path, lock: Lock) -> None:
    lock(tree / locked)
    recursive = locked == "logs/_old"
    names = [os.path.relpath(name, tree) for name in list_files([f"{tree}/{path}"], recursive=recursive)]
    assert names == ["logs/a.dat", *(["logs/in/b.dat"] if recursive else [])]


def test_a_folder_of_control_files(tmp_path: Path, lock: Lock) -> None:
    data = tmp_path / "a.dat"
    data.write_bytes(framing.rdw(logs.example().data_records))
    (tmp_path / "ctl").mkdir()
    lock(tmp_path / "ctl")
    with pytest.raises(FramingError, match="ctl: cannot be read: Permission denied"):
        lmparse.open_log(data, control=str(tmp_path / "ctl"))


def test_an_output_with_a_folder_that_cannot_be_read_is_not_replaced(tmp_path: Path, lock: Lock) -> None:
    """It may hold files of others."""
    example = logs.example()
    data, control, out = (tmp_path / name for name in ("a.dat", "a.ctl", "out"))
    data.write_bytes(framing.rdw(example.data_records))
    control.write_bytes(framing.rdw(example.control_records))
    command = ["convert", str(data), str(out), "--control", str(control), "--overwrite"]
    assert cli.main(command) == 0
    before = sorted(out.iterdir())
    (out / "sub").mkdir()
    assert cli.main(command) == 0
    (out / "sub").mkdir()
    lock(out / "sub")
    assert cli.main(command) == 2
    assert sorted(out.iterdir()) == sorted([*before, out / "sub"])
