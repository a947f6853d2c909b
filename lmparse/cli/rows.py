"""`lmparse records` and `lmparse changes`: the records of a file, or the changes of a log, as JSON lines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lmparse.changes.log import ChangeLog, check_going_on
from lmparse.cli.arguments import given_options, with_arrow
from lmparse.cli.messages import GOOD, ErrorPrinter, fail, message, report_tally
from lmparse.errors import DataError, not_installed
from lmparse.storage.arrow_alone import load_arrow
from lmparse.terminal import json_text

if TYPE_CHECKING:
    from lmparse.records.files import RecordFile

_SMALL = 1 << 20
"""Bytes of a file that are read row by row in the time that it takes to load Arrow."""

_PIECE = 1 << 16
"""Characters that are written at a time. Python does not report a write that ends early because the reader of an
unbuffered pipe has gone; the write behind it fails."""


def run_records(parsed: argparse.Namespace) -> int:
    """Print the records."""
    from lmparse.logs.families import read_options
    from lmparse.logs.open import open_file

    errors, given = ErrorPrinter(parsed.show_errors), given_options(parsed)
    file = open_file(parsed.file, read_options(given), on_error=errors)
    lines = _by_column(file, given, with_changes=False)
    return _print_lines(file, map(_line, file.records()) if lines is None else lines, errors)


def run_changes(parsed: argparse.Namespace) -> int:
    """Print the changes, and the number of those that `include` leaves out."""
    from lmparse.logs.families import read_options
    from lmparse.logs.joining import checkpoint_place
    from lmparse.logs.open import files_read, open_resumed, save_checkpoint

    errors, given = ErrorPrinter(parsed.show_errors), given_options(parsed)
    options = read_options(given)
    check_going_on(options)
    log = open_resumed(parsed.files, options, on_error=errors)
    if log.options.checkpoint is not None:
        checkpoint_place(log.options, files_read(log.path, log.options))
    if log.options.envelope == "flat":
        lines = _by_column(log, given, with_changes=True)
    else:
        with with_arrow():  # an envelope is made by the column only
            from lmparse.logs import envelopes
        lines = envelopes.lines(log)
    code = _print_lines(log, map(_line, log.changes()) if lines is None else lines, errors)
    if log.options.checkpoint is not None:
        if errors.is_ended:
            message(f"{log.options.checkpoint} is as it was: the log was not read to its end")
        else:
            sys.stdout.flush()
            save_checkpoint(log)
    return code


def _by_column(file: RecordFile, given: Mapping[str, Any], *, with_changes: bool) -> Iterator[str] | None:
    """The lines from many rows at a time; None if they are to be made row by row.

    Small files are read row by row unless an engine is named: to load what reads by the column takes longer.
    """
    if file.options.engine == "kaitai" or ("engine" not in given and len(file.buffer) < _SMALL):
        return None
    try:
        load_arrow()
        from lmparse.logs import lines
    except ImportError as error:
        if "engine" in given:
            raise not_installed(error) from None
        return None
    return lines.printed(file, with_changes=with_changes)


def _line(row: Any) -> str:
    return json_text(row) + "\n"


def _print_lines(file: RecordFile, lines: Iterator[str], errors: ErrorPrinter) -> int:
    """Print lines up to the end of the file or an error that ends reading; returns the exit code."""
    code = GOOD
    try:
        for text in lines:
            for start in range(0, len(text), _PIECE):
                sys.stdout.write(text[start : start + _PIECE])
    except DataError as error:
        code = fail(error)
        errors.is_ended = True
    errors.total()
    return report_tally(file.tally, code, file.left_out if isinstance(file, ChangeLog) else None)
