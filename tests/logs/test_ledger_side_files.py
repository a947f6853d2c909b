"""What lies beside a ledger under the names of SQLite's own files: never lost, unless SQLite has left it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from commands import Run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import db2_scripts as luw

from lmparse.errors import OptionError
from lmparse.logs.ledger_file import changing_ledger
from lmparse.logs.ledger_side_files import own_files

ENDINGS = ("-journal", "-wal", "-shm")
LOG = luw.full_stream("v10", "little", "filter").bytes()
KILLED = """
import os, sqlite3, sys
ledger = sqlite3.connect("x.db", isolation_level=None)
ledger.execute(f"PRAGMA cache_size = {sys.argv[1]}")
ledger.execute("BEGIN IMMEDIATE")
for words in sys.argv[2:]:
    ledger.execute(words)
os._exit(9)
"""
"""A run that is killed in a transaction: with one page of cache, changes are in the database already."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[..., Run]) -> Path:
    """A folder with a log and a ledger that has it."""
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_bytes(LOG)
    assert run("ledger", "add", "x.db", "a.log").code == 0
    return tmp_path


def refused(done: Run, beside: str) -> bool:
    return done.code == 2 and done.err.startswith(beside) and "[LMP-S021]" in done.err


def killed(cache: int, *statements: str) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED, str(cache), *statements], check=False).returncode == 9
    assert Path("x.db-journal").stat().st_size >= 512


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("ledger", ["x.db", "new.db"])
def test_a_file_of_others_stays(ledger: str, ending: str, folder: Path, run: Callable[..., Run]) -> None:
    beside, before = Path(ledger + ending), Path("x.db").read_bytes()
    Path("b.log").write_bytes(LOG[:-1])
    beside.write_bytes(LOG)
    Path("inside").mkdir()
    os.link(beside, "inside/b.log")
    for words in ([str(beside)], ["inside"], ["a.log"], ["."]):
        assert refused(run("ledger", "add", ledger, *words), str(beside)), words
    if ledger == "x.db":
        assert refused(run("ledger", "status", ledger), str(beside))
        assert refused(run("ledger", "verify", ledger), str(beside))
    assert beside.read_bytes() == LOG
    assert Path("x.db").read_bytes() == before
    assert not Path("new.db").exists()


@pytest.mark.parametrize("ending", ENDINGS)
def test_links_and_folders(ending: str, folder: Path, run: Callable[..., Run]) -> None:
    """Also what has the bytes of a journal, or none: under its other name it is a file of others."""
    killed(-2000, "DELETE FROM files")
    Path("x.db-journal").rename("other")
    Path("empty").touch()
    beside = Path(f"x.db{ending}")
    for target in ("other", "empty"):
        before = Path(target).read_bytes()
        for link in (os.link, os.symlink):
            link(target, beside)
            assert refused(run("ledger", "add", "x.db", "a.log"), str(beside))
            assert refused(run("ledger", "status", "x.db"), str(beside))
            assert Path(target).read_bytes() == before
            beside.unlink()
    beside.symlink_to("nowhere")
    assert refused(run("ledger", "add", "x.db", "a.log"), str(beside))
    beside.unlink()
    beside.mkdir()
    assert refused(run("ledger", "add", "x.db", "a.log"), str(beside))
    beside.rmdir()
    os.mkfifo(beside)
    assert refused(run("ledger", "add", "x.db", "a.log"), str(beside))


def test_a_ledger_behind_a_link(folder: Path, run: Callable[..., Run]) -> None:
    """SQLite has its files beside the ledger, not beside the link."""
    Path("links").mkdir()
    os.symlink("../x.db", "links/y.db")
    Path("links/y.db-journal").write_bytes(LOG)
    assert run("ledger", "status", "links/y.db").code == 0
    assert run("ledger", "add", "links/y.db", "a.log").code == 0
    assert Path("links/y.db-journal").read_bytes() == LOG
    Path("x.db-wal").write_bytes(LOG)
    assert refused(run("ledger", "status", "links/y.db"), "links/y.db-wal")
    assert Path("x.db-wal").read_bytes() == LOG


@pytest.mark.parametrize("cache", [1, -2000])
def test_the_journal_of_a_killed_run_restores_the_ledger(cache: int, folder: Path, run: Callable[..., Run]) -> None:
    before = run("ledger", "status", "x.db", "--json")
    killed(cache, "DELETE FROM files", "CREATE TABLE t (x)", "INSERT INTO t VALUES (randomblob(100000))")
    assert run("ledger", "status", "x.db", "--json") == before
    killed(cache, "DELETE FROM files", "CREATE TABLE t (x)", "INSERT INTO t VALUES (randomblob(100000))")
    done = run("ledger", "add", "x.db", ".", "--json")  # of the folder neither the ledger nor its journal is a log
    assert [(row["file"], row["state"]) for row in done.rows] == [("a.log", "known")]
    assert run("ledger", "status", "x.db", "--json") == before
    killed(cache, "DELETE FROM files", "CREATE TABLE t (x)", "INSERT INTO t VALUES (randomblob(100000))")
    assert refused(run("ledger", "add", "x.db", "x.db-journal"), "x.db-journal")
    assert run("ledger", "status", "x.db", "--json") == before


def test_the_journal_of_a_first_run(folder: Path, run: Callable[..., Run]) -> None:
    Path("x.db").unlink()
    killed(-2000, "CREATE TABLE t (x)")
    assert Path("x.db").read_bytes() == b""
    assert run("ledger", "add", "x.db", "a.log").code == 0
    assert not Path("x.db-journal").exists()


def test_the_journal_of_a_database_that_is_gone(folder: Path, run: Callable[..., Run]) -> None:
    killed(1, "CREATE TABLE t (x)", "INSERT INTO t VALUES (randomblob(100000))")
    journal = Path("x.db-journal").read_bytes()
    Path("x.db").unlink()
    for makes in (lambda: None, Path("x.db").touch):
        makes()
        assert refused(run("ledger", "add", "x.db", "a.log"), "x.db-journal")
        assert Path("x.db-journal").read_bytes() == journal


def test_a_journal_that_names_others(folder: Path, run: Callable[..., Run]) -> None:
    """SQLite would delete the file that it names; no ledger has such a journal."""
    killed(1, "CREATE TABLE t (x)", "INSERT INTO t VALUES (randomblob(100000))")
    name = os.fsencode(os.path.abspath("a.log"))
    check = sum(name)
    with open("x.db-journal", "ab") as file:
        file.write(b"\0\x20\0\1" + name + len(name).to_bytes(4, "big") + check.to_bytes(4, "big"))
        file.write(bytes.fromhex("d9d505f920a163d7"))
    assert refused(run("ledger", "status", "x.db"), "x.db-journal")
    assert Path("a.log").read_bytes() == LOG


def test_a_ledger_in_wal_mode(folder: Path, run: Callable[..., Run]) -> None:
    data = bytearray(Path("x.db").read_bytes())
    data[18:20] = b"\2\2"
    Path("x.db").write_bytes(data)
    assert "[LMP-S040]" in run("ledger", "status", "x.db").err
    assert "[LMP-S021]" in run("ledger", "add", "x.db", "a.log").err
    assert sorted(path.name for path in folder.iterdir()) == ["a.log", "x.db"]
    assert Path("x.db").read_bytes() == data


def test_names_that_differ_in_case(folder: Path, run: Callable[..., Run]) -> None:
    """Where a file system makes no difference, both names are one file, as a link is elsewhere."""
    if not Path("X.DB").exists():
        os.symlink("x.db", "X.DB")
    done = run("ledger", "add", "x.db", ".", "--json")
    assert [(row["file"], row["state"]) for row in done.rows] == [("a.log", "known")]
    assert refused(run("ledger", "add", "x.db", "X.DB"), "x.db is an input")
    os.link("a.log", "x.db-JOURNAL")
    assert run("ledger", "add", "x.db", "a.log").code == (2 if Path("x.db-journal").exists() else 0)
    assert Path("x.db-JOURNAL").read_bytes() == LOG


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_bytes_stay(tmp_path: Path, data: st.DataObject) -> None:
    """Whatever is beside a ledger stays, unless it is a whole header of a journal or nothing."""
    ledger = tmp_path / "x.db"
    ledger.unlink(missing_ok=True)
    journal, head = tmp_path / "x.db-journal", bytes.fromhex("d9d505f920a163d7" + "00" * 12 + "0000020000001000")
    begins = st.sampled_from((head, bytes(12), bytes(512), b"", LOG[:600], b"SQLite format 3\0"))
    made = bytearray(data.draw(begins) + data.draw(st.binary(max_size=600)))
    for place in data.draw(st.lists(st.integers(0, 511), max_size=2)):
        made[place : place + 1] = data.draw(st.binary(min_size=1, max_size=1)) if place < len(made) else b""
    journal.write_bytes(made)
    is_journal = made[:8] in (head[:8], bytes(8)) and not any(made[28:512]) and len(made) >= 512
    with suppress(OptionError) if is_journal or not made else pytest.raises(OptionError, match="LMP-S021"):
        with changing_ledger(str(ledger)):
            pass
        return
    if journal.exists():
        assert journal.read_bytes() == made
        assert own_files(ledger) == [ledger]


@pytest.mark.parametrize("root", ["/", "//", "file:///"])
def test_the_root_of_the_file_system_is_no_ledger(root: str, folder: Path, run: Callable[..., Run]) -> None:
    done = run("ledger", "add", root, "a.log")
    assert (done.code, "[LMP-S021]" in done.err) == (2, True), done.err


@pytest.mark.parametrize("command", [("status",), ("add",)])
def test_a_ledger_of_two_names(command: tuple[str], folder: Path, run: Callable[..., Run]) -> None:
    """A journal that a killed run has left has one of them: under the other one, what it restores would be lost."""
    Path("b.log").write_bytes(LOG[:-1])
    os.link("x.db", "y.db")
    for name in ("x.db", "y.db"):
        done = run("ledger", *command, name, *(["b.log"] if command == ("add",) else []))
        assert refused(done, f"{name} has several names")
    os.unlink("x.db")
    assert run("ledger", "status", "y.db").code == 0
