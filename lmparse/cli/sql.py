"""`lmparse sql`: the changes of a log as statements of SQL, to make them again or to take them back."""

from __future__ import annotations

import argparse
import sys

from lmparse.cli.arguments import given_options
from lmparse.cli.messages import GOOD, ErrorPrinter, fail, message, report_tally
from lmparse.errors import OptionError


def run(parsed: argparse.Namespace) -> int:
    """Print the script; exit code as for `changes`."""
    from lmparse.export.sql_script import Rules, SqlScript
    from lmparse.logs.families import read_options
    from lmparse.logs.open import open_resumed

    if parsed.undo and parsed.with_triggered:
        raise OptionError("--with-triggered is for --redo: --undo takes back every row", code="LMP-S003")
    errors = ErrorPrinter(parsed.show_errors)
    options = read_options({**given_options(parsed), "order": "commit"})
    if options.mode == "dropmalformed":
        raise OptionError("mode dropmalformed would leave changes out of the script without a word", code="LMP-S003")
    log = open_resumed(parsed.files, options, on_error=errors)
    rules = Rules(parsed.undo, parsed.with_triggered, parsed.keep_absent, parsed.if_unchanged)
    script = SqlScript(log, rules)
    for line in script.lines():
        sys.stdout.write(line + "\n")
    code = GOOD if script.fault is None else fail(script.fault)
    errors.total()
    message(f"statements: {script.statements}")
    if script.guarded:
        message(
            f"statements of rows without a known key: {script.guarded}; such a statement compares all columns that can "
            "be compared, and changes nothing if several rows have the same values"
        )
    for refusal, count in script.refused.most_common():
        message(f"comments in place of statements: {count} for {refusal.value}")
    return report_tally(log.tally, code, log.left_out)
