"""What commands print: data on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lmparse.cli.exit_codes import DATA, GOOD, code_of
from lmparse.errors import LmparseError

if TYPE_CHECKING:
    from lmparse.records.files import Tally


def print_json(row: Any) -> None:
    """One line of JSON."""
    sys.stdout.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def message(text: str) -> None:
    """One line for the user."""
    print(text, file=sys.stderr)


def report(error: LmparseError) -> None:
    """An error with its hint."""
    message(str(error))
    if error.hint and error.hint not in error.message:
        message(f"  hint: {error.hint}")


def fail(error: LmparseError) -> int:
    """Report an error; returns the exit code that it asks for."""
    report(error)
    return code_of(error)


def report_tally(tally: Tally, code: int = GOOD) -> int:
    """What was noticed in a file; returns the exit code, which is `code` where no record was bad."""
    for notice in tally.notices:
        message(f"note: {notice}")
    if tally.dropped:
        message(f"bad records without a row: {tally.dropped}")
    return DATA if tally.error_count else code


def report_left_out(left_out: Mapping[str, int]) -> None:
    """How many changes were not asked for, by the state of their unit of recovery."""
    for state, count in sorted(left_out.items()):
        message(f"left out: {count} {state}")
