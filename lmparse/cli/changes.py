"""`lmparse changes`: the changes of a log."""

from __future__ import annotations

import argparse

from lmparse.cli.arguments import Commands, add_command, add_options, options_of
from lmparse.cli.messages import report, report_left_out
from lmparse.cli.records import print_rows


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "changes", run, "print the changes of a log, one JSON object each")
    command.add_argument("file", metavar="FILE")
    add_options(command, "changes")


def run(parsed: argparse.Namespace) -> int:
    """Print them, and count those that were not asked for."""
    from lmparse.logs.open import open_changes

    log = open_changes(parsed.file, options_of(parsed), on_error=report)
    code = print_rows(log, log.changes())
    report_left_out(log.left_out)
    return code
