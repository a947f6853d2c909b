"""`lmparse check`: accounts for every byte of a log and compares the log with its control file."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from lmparse.cli.arguments import Commands, add_command, add_options, options_of
from lmparse.cli.messages import DATA, DIFFERENCE, GOOD, print_json, report
from lmparse.errors import OptionError


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "check", run, "account for every byte and compare the control file with the data")
    command.add_argument("file", metavar="FILE")
    command.add_argument("--report", metavar="R.json", help="write the whole report here")
    command.add_argument("--json", action="store_true", help="print the whole report")
    add_options(command, "check")


def run(parsed: argparse.Namespace) -> int:
    """Check a log; for the exit code, errors outweigh differences."""
    from lmparse.logs.check import account

    options = options_of(parsed)
    if parsed.report and os.path.realpath(parsed.report) in map(os.path.realpath, (parsed.file, options.control or "")):
        raise OptionError("the report would overwrite what is checked", hint="name another file")
    found = account(parsed.file, options)
    if parsed.report:
        Path(parsed.report).write_text(json.dumps(found.to_dict(), indent=2) + "\n", encoding="utf-8")
    if parsed.json:
        print_json(found.to_dict())
    else:
        print("\n".join(found.lines()))
    for error in found.errors:
        report(error)
    if found.error_count:
        return DATA
    return DIFFERENCE if found.differences else GOOD
