"""`lmparse records`: the records of a file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lmparse.cli.arguments import Commands, add_command, add_options, options_of
from lmparse.cli.exit_codes import GOOD
from lmparse.cli.messages import fail, print_json, report, report_tally
from lmparse.errors import DataError

if TYPE_CHECKING:
    from lmparse.records.files import RecordFile


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "records", run, "print the records of a file, one JSON object each")
    command.add_argument("file", metavar="FILE")
    add_options(command, "records")


def run(parsed: argparse.Namespace) -> int:
    """Print them."""
    from lmparse.logs.open import open_file

    file = open_file(parsed.file, options_of(parsed), on_error=report)
    return print_rows(file, file.records())


def print_rows(file: RecordFile, rows: Iterator[dict[str, Any]]) -> int:
    """Print rows of a file up to its end or an error that ends it; returns the exit code."""
    code = GOOD
    try:
        for row in rows:
            print_json(row)
    except DataError as error:
        code = fail(error)
    return report_tally(file.tally, code)
