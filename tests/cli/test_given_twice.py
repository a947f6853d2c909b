"""An option of a command is given once, or repeated where its help says so; and an empty text is not ignored."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from commands import Run
from writers.bmc import framing, logs

from lmparse.cli.command_line import build_parser

Command = Callable[..., Run]


def parsers(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[tuple[str, argparse.Action]]:
    """Each option that stores one value, with the words of its command."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from parsers(inner, (*words, name))
        elif action.option_strings and action.nargs != 0 and not hasattr(action, "version"):
            yield " ".join(words), action


OPTIONS = [
    (command, action.option_strings[-1])
    for command, action in parsers(build_parser())
    if not isinstance(action, argparse._AppendAction | argparse._ExtendAction)
]
REPEATED = {("build", "--import"), ("docs", "--samples")}


def test_what_may_be_repeated_is_known() -> None:
    assert len(OPTIONS) > 300
    everything = {(command, action.option_strings[-1]) for command, action in parsers(build_parser())}
    assert everything - set(OPTIONS) == REPEATED


@pytest.mark.parametrize("command", sorted({command for command, _ in OPTIONS}))
def test_no_option_is_taken_twice(run: Command, command: str) -> None:
    """Of two values one would be ignored; they are refused before anything is read or written."""
    parser = dict(_commands(build_parser()))[command]
    for name, option in OPTIONS:
        if name != command:
            continue
        (action,) = (one for one in parser._actions if option in one.option_strings)
        value = str(next(iter(action.choices))) if action.choices else "1"
        done = run(*command.split(), f"{option}={value}", f"{option}={value}")
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"{option} is given twice [LMP-S003]"), done.err


def _commands(
    parser: argparse.ArgumentParser, words: tuple[str, ...] = ()
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from _commands(inner, (*words, name))
    yield " ".join(words), parser


@pytest.mark.parametrize(
    "words",
    [
        ("changes", "FILE", "--code-page", ""), ("changes", "FILE", "--control", ""), ("txn", "FILE", "--tables", ""),
        ("changes", "FILE", "--table", ""), ("records", "FILE", "--spec", ""), ("changes", "FILE", "--limits", ","),
        ("changes", "FILE", "--limits", "recordBytes=1G,record_bytes=2G"), ("changes", "FILE", "--checkpoint", " "),
        ("explain", "FILE", "--html", ""),
        ("land", "FILE", "--as", "parquet", "--to", ""), ("land", "FILE", "--as", "parquet", "--to", " "),
        ("convert", "FILE", ""),
        ("convert", "FILE", "OUT", "--jobs", "2", "--part-bytes", "-5"),
        ("convert", "FILE", "OUT", "--part-bytes", "0"), ("docs", "OUT", "--specs", ""),
        ("serve", "FILE", "--specs", ""), ("diff", "", ""), ("diff", "installed", ""), ("docs", ""), ("formats", ""),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_names_nothing_is_refused(run: Command, tmp_path: Path, words: tuple[str, ...]) -> None:
    example = logs.example()
    (tmp_path / "a.dat").write_bytes(framing.rdw(example.data_records))
    (tmp_path / "a.ctl").write_bytes(framing.rdw(example.control_records))
    before = sorted(tmp_path.iterdir())
    paths = {"FILE": tmp_path / "a.dat", "OUT": tmp_path / "out"}
    done = run(*(paths.get(word, word) for word in words))
    assert (done.code, done.out) == (2, "")
    assert "[LMP-S" in done.err
    assert sorted(tmp_path.iterdir()) == before
