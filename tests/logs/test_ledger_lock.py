"""Runs that add to a ledger at the same time: one after the other, also where it is not there yet."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Run
from samples import db2_scripts as luw

from lmparse.logs.ledger_file import changing_ledger

LOG = luw.full_stream("v10", "little", "filter").bytes()
OTHER = """
from lmparse.errors import LmparseError
from lmparse.logs import ledger_file
ledger_file.WAIT_SECONDS = 0
try:
    with ledger_file.changing_ledger("x.db") as held:
        held.remove_copy("none")
    print("changed")
except LmparseError as error:
    print(error.code)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a log in it."""
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_bytes(LOG)
    return tmp_path


def other() -> str:
    return subprocess.run([sys.executable, "-c", OTHER], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("is_new", [True, False])
def test_it_is_held_though_the_ledger_is_read_as_a_file(is_new: bool, run: Callable[..., Run]) -> None:
    """As when a control file is looked for beside a log: with that the locks of SQLite are gone."""
    if not is_new:
        assert run("ledger", "add", "x.db", "a.log").code == 0
    with changing_ledger("x.db"):
        Path("x.db").read_bytes()
        assert other() == "LMP-S041"
        assert run("ledger", "status", "x.db").code == 0
    assert other() == "changed"


def test_a_reader_beside_a_run_that_adds_to_a_new_ledger(run: Callable[..., Run]) -> None:
    """It found the journal of a database without a byte, and deleted it."""
    with changing_ledger("x.db") as held:
        assert held.entries() == {}
        Path("x.db").read_bytes()
        assert run("ledger", "status", "x.db").out == "the ledger has no files\n"
        held.remove_copy("none")
    assert run("ledger", "add", "x.db", "a.log").code == 0


def test_two_runs_that_make_a_ledger() -> None:
    for number in range(3):
        command = [sys.executable, "-m", "lmparse", "ledger", "add", f"{number}.db"]
        both = [
            subprocess.Popen([*command, name, "--spec", "db2_log"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for name in ("a.log", "a.log")
        ]
        assert [(process.communicate(timeout=120)[1], process.returncode) for process in both] == [(b"", 0)] * 2


def test_a_ledger_in_the_folder_that_is_added_as_an_address(folder: Path, run: Callable[..., Run]) -> None:
    for state in ("added", "known"):
        done = run("ledger", "add", f"file:{folder}/x.db", ".", "--json")
        assert [(row["file"], row["state"]) for row in done.rows] == [("a.log", state)]
