"""Arguments that commands share: the fields of `Options`, and what is given in them."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Collection
from typing import Any, TypeAlias

from lmparse.errors import OptionError
from lmparse.options import Options

SHOWN_ERRORS = 1000
"""Errors that a command prints unless it is asked for another number."""
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


class _Once(argparse.Action):
    """Stores the value of an option that may be given once: of two, one would be ignored. A value is never empty, as
    that of a variable of the shell that is not set: as a path it would be the folder one is in.
    """

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        given: set[str] = namespace.__dict__.setdefault("given_once", set())
        if option is not None and self.dest in given:
            raise OptionError(f"{option} is given twice", code="LMP-S003", hint="leave one of them out")
        if values == "":
            name = option or self.metavar
            raise OptionError(f"{name} has no value ''", code="LMP-S003", hint="a text, or leave it out")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


def add_command(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int], summary: str
) -> argparse.ArgumentParser:
    """Add a command without arguments; `run` receives the parsed arguments and returns the exit code."""
    about = summary[0].upper() + summary[1:] + "."
    command = commands.add_parser(name, help=summary, description=about, allow_abbrev=False)
    command.register("action", None, _Once)
    command.register("action", "store", _Once)
    command.set_defaults(run=run)
    return command


def finish(commands: Commands) -> None:
    """Finish commands that have all of their arguments: each knows its options, of which an error names the nearest."""
    for command in commands.choices.values():
        command.color = False  # type: ignore[attr-defined]  # from Python 3.14 on, help would have escapes
        command.set_defaults(flags=[flag for flag in command._option_string_actions if flag.startswith("--")])


def add_options(command: argparse.ArgumentParser, name: str, without: Collection[str] = ()) -> None:
    """Add the fields of Options that the command `name` takes, or one of several uses, but for some."""
    for entry in dataclasses.fields(Options):
        meta = entry.metadata
        if {*name.split()}.isdisjoint(meta["of"].split()) or entry.name in without:
            continue
        doc = meta["doc"]
        if meta["values"]:
            default = "" if meta["kind"] is tuple or entry.default is None else f"; default: {entry.default}"
            doc += f" ({', '.join(meta['values'])}{default})"
        given: dict[str, Any] = {"dest": entry.name, "default": None, "help": doc}
        if meta["kind"] is bool:
            # `--header` alone means true; a value, as in `--trim false`, is the form of Spark.
            given |= {"nargs": "?", "const": "true", "metavar": "true|false"}
        command.add_argument("--" + entry.name.replace("_", "-"), **given)


def add_log(command: argparse.ArgumentParser) -> None:
    """Add the argument for a log, `files`."""
    command.add_argument(
        "files", metavar="FILE", nargs="+", help="a log, the files of one log in any order, or a folder of them"
    )


def given_options(parsed: argparse.Namespace) -> dict[str, Any]:
    """The options in the arguments, as text."""
    names = [entry.name for entry in dataclasses.fields(Options)]
    return {name: value for name in names if (value := getattr(parsed, name, None)) is not None}


def options_of(parsed: argparse.Namespace) -> Options:
    """The options in the arguments, parsed. Raises OptionError."""
    from lmparse.logs.families import read_options

    return read_options(given_options(parsed))


def add_show_errors(command: argparse.ArgumentParser) -> None:
    """Add the argument for the number of errors to print."""
    about = f"print at most N errors, and the number of all (default: {SHOWN_ERRORS})"
    command.add_argument("--show-errors", type=_count, default=SHOWN_ERRORS, metavar="N", help=about)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError("a whole number from 0, of at most 18 digits")
    return int(text)
