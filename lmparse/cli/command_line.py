"""The command `lmparse`: from its arguments to an exit code."""

from __future__ import annotations

import argparse
import difflib
import sys
from typing import Any, NoReturn

from lmparse import __version__
from lmparse.cli import (
    build,
    check,
    convert,
    coverage,
    demo,
    diff,
    docs,
    explain,
    formats,
    land,
    rows,
    serve,
    sniff,
    sql,
    summary,
    tables,
    txn,
)
from lmparse.cli.arguments import finish
from lmparse.cli.messages import exit_code, fail
from lmparse.errors import LmparseError, OptionError
from lmparse.options import NEAR
from lmparse.spelling import quoted, shortened

COMMANDS = (
    formats,
    sniff,
    rows,
    summary,
    txn,
    tables,
    sql,
    convert,
    land,
    check,
    coverage,
    diff,
    explain,
    serve,
    docs,
    build,
    demo,
)
"""Modules of the commands, in the order of the help."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    return exit_code(lambda: _run(arguments))


def _run(arguments: list[str] | None) -> int:
    parser = build_parser()
    try:
        parsed, unknown = parser.parse_known_args(arguments)
        if unknown:
            raise _unknown(unknown[0], parsed.flags)
        parsed.main = main  # for the demo, whose steps are commands
        return int(parsed.run(parsed))
    except LmparseError as error:
        return fail(error)


def _unknown(given: str, flags: list[str]) -> OptionError:
    """The error for an option that the command does not have, with the nearest one that it has."""
    near = difflib.get_close_matches(given.split("=")[0], flags, n=1, cutoff=NEAR)
    hint = f"did you mean {near[0]}?" if near else "see --help"
    return OptionError(f"there is no option {quoted(given)}; {hint}", code="LMP-S002", hint=hint)


class _Parser(argparse.ArgumentParser):
    """Quotes what was given as other errors do, and not whatever its length; what cannot be printed is an error."""

    def _print_message(self, message: str, file: Any = None) -> None:
        if message:
            (sys.stderr if file is None else file).write(message)

    def error(self, message: str) -> NoReturn:
        super().error(shortened(message))


def build_parser() -> argparse.ArgumentParser:
    """The commands with their options."""
    parser: argparse.ArgumentParser = _Parser(
        prog="lmparse", description="Read database change logs.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"lmparse {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.add(commands)
    parser.color = False  # type: ignore[attr-defined]  # see `finish`
    finish(commands)
    return parser
