"""No option of a command is taken and ignored: each changes what the command prints or writes, or is refused."""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from commands import Run
from laws.test_idle_options import VALUES, readings

from lmparse.cli.command_line import build_parser

Command = Callable[..., Run]
BMC, DB2 = ("a.dat", "--control", "a.ctl"), ("sample.log", "--tables", "sample.yaml")
RUNS: dict[str, tuple[str, ...]] = {
    "records of bmc": ("records", "a.dat", "--spec", "bmc_lldf"),
    "records of db2": ("records", "sample.log", "--spec", "db2_log"),
    "changes of bmc": ("changes", *BMC, "--include", "all"),
    "changes of db2": ("changes", *DB2, "--include", "all"),
    "summary of db2": ("summary", *DB2, "--json"),
    "txn of bmc": ("txn", *BMC, "--json"),
    "txn of db2": ("txn", *DB2, "--json"),
    "tables of bmc": ("tables", *BMC, "--json"),
    "tables of db2": ("tables", *DB2, "--json"),
    "sql of bmc": ("sql", *BMC, "--redo"),
    "sql of db2": ("sql", *DB2, "--redo"),
    "convert of bmc": ("convert", *BMC, "OUT", "--include", "all", "--format", "jsonl"),
    "convert of records": ("convert", "a.dat", "OUT.jsonl", "--spec", "bmc_lldf"),
    "land of bmc": ("land", *BMC, "--to", "OUT", "--as", "parquet"),
    "land of db2": ("land", *DB2, "--to", "OUT", "--as", "parquet"),
    "check of bmc": ("check", *BMC, "--json"),
    "sniff": ("sniff", "a.dat", "--json"),
    "explain of bmc": ("explain", *BMC, "--json"),
    "explain of db2": ("explain", *DB2, "--json", "--record", "4"),
    "coverage of bmc": ("coverage", *BMC, "--json"),
    "coverage of db2": ("coverage", *DB2, "--json"),
    "coverage of records": ("coverage", "a.dat", "sample.log", "--json"),
}
"""Every command that reads logs, but `serve`, which is tested apart; `sample` writes some."""
MODE = "the text says nothing of a bad record but that it is bad, in every mode but failfast"
WORDS = {("enums", "numbers"): "records of Log Master have no numbers with an enumeration"}
SAME = {
    **{name: {("mode", "dropmalformed"): MODE} for name in ("changes of bmc", "txn of bmc", "convert of bmc")},
    **{name: {("mode", "dropmalformed"): MODE} | WORDS for name in ("records of bmc", "convert of records")},
    "explain of bmc": WORDS,
    "records of db2": dict.fromkeys((("mode", "failfast"), ("mode", "dropmalformed")), "no record of it is bad")
    | {("code_page", "latin-1"): "its only texts are names of users, in ASCII"},
    "txn of db2": dict.fromkeys((("mode", "failfast"), ("mode", "dropmalformed")), "no record of it is bad")
    | {("code_page", "latin-1"): "its only texts are names of users, in ASCII"},
    "tables of db2": {("code_page", "latin-1"): "the file that describes the tables is UTF-8"},
    "tables of bmc": {
        ("row_images", "exclusive"): "no column of it has a length that only its rows decide",
        ("decisions", "null_bytes=absent"): "tables are described, and no row is read",
    },
    "sql of bmc": {("floats", "ieee"): "the table with floats has a ROWID, so its rows have no statement"},
}  # fmt: skip
"""Options without an effect on one of these logs, and why; other logs or commands show it."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("arguments")
    readings.__wrapped__(made)
    return made


def taken(words: tuple[str, ...]) -> set[str]:
    """The options that a command takes, by their names in Python."""
    parser = build_parser()
    (uses,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    parser = uses.choices[words[0]]
    return {action.dest for action in parser._actions if action.option_strings}


def done(run: Command, words: tuple[str, ...]) -> tuple[Any, ...]:
    """The exit code, what was printed, and what was written, without times."""
    for path in Path().glob("OUT*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    found = run(*words)
    files = sorted(path for path in Path().glob("OUT*/**/*") if path.is_file() and "_lmparse" not in path.parts)
    written = [
        pq.read_table(path).to_pylist() if path.suffix == ".parquet" else path.read_bytes()
        for path in (*files, *filter(Path.is_file, Path().glob("OUT*.jsonl"))) if path.name != "manifest.json"
    ]  # fmt: skip
    return found.code, re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "", found.out), found.err, written


@pytest.mark.parametrize("name", RUNS)
def test_no_option_of_a_command_is_ignored(
    name: str, folder: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    words, options = RUNS[name], taken(RUNS[name]) & VALUES.keys()
    base = done(run, words)
    assert base[0] in (0, 20), base[2]
    assert base[1] or base[3]
    unseen = set()
    for option in sorted(options):
        for value in VALUES[option]:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            flag = f"--{option.replace('_', '-')}"
            # An option that the words have already is given with the other value in its place.
            place = words.index(flag) if flag in words else None
            given = words if place is None else (*words[:place], *words[place + 2 :])
            found = done(run, (*given, f"{flag}={text}"))
            assert found[0] in (0, 2, 20, 24, 31), found[2]
            if found == base:
                unseen.add((option, value))
    assert unseen == SAME.get(name, {}).keys()


def test_every_command_that_reads_logs_is_here() -> None:
    parser = build_parser()
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    reading = {name for name in commands.choices if "framing" in taken((name, "add"))}
    assert reading - {words[0] for words in RUNS.values()} == {"serve", "sample"}
