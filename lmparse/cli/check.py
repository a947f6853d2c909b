"""`lmparse check`: accounts for every byte of a log and compares the log with its control file.

Several files are those of one log: what goes on from one to the next is tested too.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lmparse.cli.arguments import options_of
from lmparse.cli.messages import DATA, DIFFERENCE, GOOD, LEFTOVER, ErrorPrinter, note, print_result
from lmparse.options import Options
from lmparse.terminal import json_text

if TYPE_CHECKING:
    from lmparse.storage.outputs import OutputPlace


def run(parsed: argparse.Namespace) -> int:
    """Check a log; for the exit code, errors outweigh differences."""
    from lmparse.logs.beside import look_beside
    from lmparse.logs.check import account
    from lmparse.storage.outputs import write_text

    path, options = _checked(parsed)
    beside = look_beside(path, options)
    options = beside.options
    place = _report_place(parsed.report, path, options) if parsed.report is not None else None
    found = account(path, options, beside.decision)
    if beside.decision is not None:
        note(str(beside.decision))
    if place:
        write_text(json_text(found.to_dict(), indent=2) + "\n", place)
    print_result(found, as_json=parsed.json)
    errors = ErrorPrinter(parsed.show_errors)
    for error in found.errors:
        errors(error)
    errors.total(found.error_count)
    if found.error_count:
        return LEFTOVER if found.has_leftover else DATA
    return DIFFERENCE if found.differences else GOOD


def _checked(parsed: argparse.Namespace) -> tuple[str, Options]:
    """The path of the file, or under which the files of one log are read, and the options to read it with."""
    from lmparse.logs.joining import files_without, one_log

    return one_log(files_without(parsed.report, parsed.files), options_of(parsed))


def _report_place(out: str, file: str, options: Options) -> OutputPlace:
    """The place of the report. An earlier report is replaced, so that a check can run every night; nothing else is."""
    from lmparse.logs.open import files_read
    from lmparse.storage.outputs import begins_with, check_place

    foreign = begins_with(b'{\n  "report_version": ', "a report of lmparse check")
    return check_place(out, files_read(file, options), is_folder=False, overwrite=True, foreign=foreign)
