"""`lmparse summary`: what is in a log, in numbers: as text and as JSON."""

from __future__ import annotations

import argparse

from lmparse.cli.arguments import given_options, with_arrow
from lmparse.cli.messages import DATA, GOOD, ErrorPrinter, fail, print_result


def run(parsed: argparse.Namespace) -> int:
    """Read the log and print the summary; exit code as for `changes`."""
    with with_arrow():
        from lmparse.review.summary import recognised, summarized
    errors = ErrorPrinter(parsed.show_errors)
    options = recognised(parsed.files, given_options(parsed))
    found = summarized(parsed.files, options, on_error=errors)
    print_result(found, as_json=parsed.json)
    codes = [fail(fault) for fault in found.faults]
    errors.total()
    return DATA if found.has_bad else next(iter(codes), GOOD)
