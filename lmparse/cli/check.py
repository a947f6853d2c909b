"""`lmparse check`: accounts for every byte of a log and compares the log with its control file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lmparse.cli.arguments import Commands, add_command, add_options, add_show_errors, given_options
from lmparse.cli.messages import DATA, DIFFERENCE, GOOD, LEFTOVER, ErrorPrinter, note, print_json, print_lines
from lmparse.options import Options
from lmparse.terminal import json_text

if TYPE_CHECKING:
    from lmparse.storage.atomic_output import OutputPlace


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "check", run, "account for every byte and compare the control file with the data")
    command.add_argument("file", metavar="FILE", help="a log")
    command.add_argument("--report", metavar="R.json", help="write the whole report here")
    command.add_argument("--json", action="store_true", help="print the whole report")
    add_show_errors(command)
    add_options(command, "check")


def run(parsed: argparse.Namespace) -> int:
    """Check a log; for the exit code, errors outweigh differences."""
    from lmparse.logs.beside import look_beside
    from lmparse.logs.check import account
    from lmparse.logs.open import options_for
    from lmparse.storage.atomic_output import write_text

    options, said = options_for(parsed.file, given_options(parsed))
    if said:
        note(said)
    beside = look_beside(parsed.file, options)
    options = beside.options
    place = _report_place(parsed.report, parsed.file, options) if parsed.report else None
    found = account(parsed.file, options, beside.decision)
    if beside.decision is not None:
        note(str(beside.decision))
    if place:
        write_text(json_text(found.to_dict(), indent=2) + "\n", place)
    if parsed.json:
        print_json(found.to_dict())
    else:
        print_lines(found.lines())
    errors = ErrorPrinter(parsed.show_errors)
    for error in found.errors:
        errors(error)
    errors.total(found.error_count)
    if found.error_count:
        return LEFTOVER if found.has_leftover else DATA
    return DIFFERENCE if found.differences else GOOD


def _report_place(out: str, file: str, options: Options) -> OutputPlace:
    """The place of the report. An earlier report is replaced, so that a check can run every night; nothing else is."""
    from lmparse.logs.open import files_read
    from lmparse.storage.atomic_output import check_place
    from lmparse.storage.marks import begins_with

    foreign = begins_with(b'{\n  "report_version": ', "a report of lmparse check")
    return check_place(out, files_read(file, options), is_folder=False, overwrite=True, foreign=foreign)
