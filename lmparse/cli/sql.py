"""`lmparse sql`: the changes of a log as statements of SQL, to make them again or to take them back."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from lmparse.cli.arguments import Commands, add_command, add_log, add_options, add_show_errors, given_options
from lmparse.cli.messages import GOOD, ErrorPrinter, fail, message, note, report_left_out, report_tally
from lmparse.errors import OptionError

if TYPE_CHECKING:
    from lmparse.export.sql_script import SqlScript

_OF_PRINTED_CHANGES = ("columns", "envelope", "header", "order", "source_time_zone", "trim")
"""Options for the shape of changes that are printed or converted; a script has whole rows in the order of commits."""


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "sql", run, "write the changes of a log as SQL, one statement a line")
    add_log(command)
    which = command.add_mutually_exclusive_group(required=True)
    which.add_argument("--redo", action="store_true", help="statements that make the changes again, by commit")
    which.add_argument("--undo", action="store_true", help="statements that take the changes back, the last one first")
    command.add_argument(
        "--with-triggered", action="store_true",
        help="--redo writes what triggers, referential constraints and histories did too",
    )  # fmt: skip
    command.add_argument(
        "--keep-absent", action="store_true",
        help="an update leaves columns as they are whose value is not in the log, such as a LOB that it did not change",
    )  # fmt: skip
    command.add_argument(
        "--if-unchanged", action="store_true",
        help="change a row only if all columns that can be compared have the values in the log, not its key alone",
    )  # fmt: skip
    command.add_argument(
        "--text-times", action="store_true",
        help="write dates and times as text, which older servers take that have no datetime constants",
    )  # fmt: skip
    add_show_errors(command)
    add_options(command, "changes", without=_OF_PRINTED_CHANGES)


def run(parsed: argparse.Namespace) -> int:
    """Print the script; exit code as for `changes`."""
    from lmparse.export.sql_script import Direction, Rules, SqlScript
    from lmparse.logs.families import read_options
    from lmparse.logs.open import open_resumed

    if parsed.undo and parsed.with_triggered:
        raise OptionError("--with-triggered is for --redo: --undo takes back every row", code="LMP-S003")
    errors = ErrorPrinter(parsed.show_errors)
    options = read_options({**given_options(parsed), "order": "commit"})
    if options.mode == "dropmalformed":
        raise OptionError("mode dropmalformed would leave changes out of the script without a word", code="LMP-S003")
    log = open_resumed(parsed.files, options, on_error=errors, say=note)
    direction = Direction.UNDO if parsed.undo else Direction.REDO
    rules = Rules(
        direction, parsed.with_triggered, parsed.keep_absent, parsed.if_unchanged, parsed.text_times
    )  # fmt: skip
    script = SqlScript(log, rules)
    for line in script.lines():
        sys.stdout.write(line + "\n")
    code = GOOD if script.fault is None else fail(script.fault)
    errors.total()
    _report(script)
    code = report_tally(log.tally, code)
    report_left_out(log.left_out)
    return code


def _report(script: SqlScript) -> None:
    """Print how many statements there are, and how many changes have none."""
    message(f"statements: {script.statements}")
    if script.guarded:
        message(
            f"statements of rows without a known key: {script.guarded}; such a statement compares all columns that can "
            "be compared, and changes nothing if several rows have the same values"
        )
    for refusal, count in script.refused.most_common():
        message(f"comments in place of statements: {count} for {refusal.value}")
