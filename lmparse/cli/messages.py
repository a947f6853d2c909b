"""What commands print, and their exit codes: data go to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lmparse.errors import EngineDifferenceError, LeftoverError, LmparseError, OptionError, UnknownFormatError

if TYPE_CHECKING:
    from lmparse.records.files import Tally

GOOD, USAGE, DATA, DIFFERENCE, LEFTOVER, INTERRUPTED = 0, 2, 20, 24, 31, 130


def print_json(row: Any) -> None:
    """Print one line of JSON."""
    sys.stdout.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def message(text: str) -> None:
    """Print one line for the user."""
    print(text, file=sys.stderr)


def report(error: LmparseError) -> None:
    """Print an error with its hint."""
    message(str(error))
    if error.hint and error.hint not in error.message:
        message(f"  hint: {error.hint}")


def fail(error: LmparseError) -> int:
    """Report an error that ends a command; returns the exit code."""
    report(error)
    if isinstance(error, OptionError | UnknownFormatError):
        return USAGE
    if isinstance(error, LeftoverError):
        return LEFTOVER
    return DIFFERENCE if isinstance(error, EngineDifferenceError) else DATA


def report_tally(tally: Tally, code: int = GOOD) -> int:
    """Print the notices on a file; returns the exit code: `code` unless a record was bad."""
    for notice in tally.notices:
        message(f"note: {notice}")
    if tally.dropped:
        message(f"bad records without a row: {tally.dropped}")
    return DATA if tally.error_count else code


def report_left_out(left_out: Mapping[str, int]) -> None:
    """Print how many changes `include` leaves out, by the state of their unit of recovery."""
    for state, count in sorted(left_out.items()):
        message(f"left out: {count} {state}")
