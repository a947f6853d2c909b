"""`lmparse check`: accounts for every byte of a log and compares the log with its control file.

Several files are those of one log: what goes on from one to the next is tested too.
"""

from __future__ import annotations

import argparse

from lmparse.cli.arguments import options_of
from lmparse.cli.messages import DATA, DIFFERENCE, GOOD, LEFTOVER, ErrorPrinter, note, print_result


def run(parsed: argparse.Namespace) -> int:
    """Check a log; for the exit code, errors outweigh differences."""
    from lmparse.logs.check import account
    from lmparse.logs.joining import one_log
    from lmparse.logs.open import look_beside

    path, options = one_log(parsed.files, options_of(parsed))
    beside = look_beside(path, options)
    found = account(path, beside.options, beside.decision)
    if beside.decision is not None:
        note(str(beside.decision))
    print_result(found, as_json=parsed.json)
    errors = ErrorPrinter(parsed.show_errors)
    for error in found.errors:
        errors(error)
    errors.total(found.error_count)
    if found.error_count:
        return LEFTOVER if found.has_leftover else DATA
    return DIFFERENCE if found.differences else GOOD
