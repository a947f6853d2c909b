"""`lmparse records` and `lmparse changes`: the records of a file, or the changes of a log, as JSON lines."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lmparse.cli.arguments import Commands, add_command, add_options, add_show_errors, given_options, options_of
from lmparse.cli.messages import GOOD, ErrorPrinter, fail, print_json, report_left_out, report_tally
from lmparse.errors import DataError

if TYPE_CHECKING:
    from lmparse.records.files import RecordFile


def add(commands: Commands) -> None:
    """Add both commands."""
    for name, run, summary in (
        ("records", run_records, "print the records of a file, one JSON object each"),
        ("changes", run_changes, "print the changes of a log, one JSON object each"),
    ):
        command = add_command(commands, name, run, summary)
        command.add_argument("file", metavar="FILE")
        add_show_errors(command)
        add_options(command, name)


def run_records(parsed: argparse.Namespace) -> int:
    """Print the records."""
    from lmparse.logs.open import open_named

    errors = ErrorPrinter(parsed.show_errors)
    file = open_named(parsed.file, given_options(parsed), on_error=errors)
    return _print_rows(file, file.records(), errors)


def run_changes(parsed: argparse.Namespace) -> int:
    """Print the changes, and the number of those that `include` leaves out."""
    from lmparse.logs.open import open_changes

    errors = ErrorPrinter(parsed.show_errors)
    log = open_changes(parsed.file, options_of(parsed), on_error=errors)
    code = _print_rows(log, log.changes(), errors)
    report_left_out(log.left_out)
    return code


def _print_rows(file: RecordFile, rows: Iterator[dict[str, Any]], errors: ErrorPrinter) -> int:
    """Print rows up to the end of the file or an error that ends reading; returns the exit code."""
    code = GOOD
    try:
        for row in rows:
            print_json(row)
    except DataError as error:
        code = fail(error)
    errors.total()
    return report_tally(file.tally, code)
