"""`lmparse summary`: what is in a log, in numbers: as text and as JSON."""

from __future__ import annotations

import argparse

from lmparse.cli.arguments import given_options
from lmparse.cli.messages import DATA, GOOD, ErrorPrinter, fail, note, print_json, print_lines
from lmparse.errors import not_installed
from lmparse.storage.arrow_alone import load_arrow


def run(parsed: argparse.Namespace) -> int:
    """Read the log and print the summary; exit code as for `changes`."""
    try:
        load_arrow()
        from lmparse.review.summary import recognised, summarized
    except ImportError as error:
        raise not_installed(error) from None
    errors = ErrorPrinter(parsed.show_errors)
    options = recognised(parsed.files, given_options(parsed))
    found = summarized(parsed.files, options, on_error=errors, say=note)
    if parsed.json:
        print_json(found.to_dict())
    else:
        print_lines(found.lines())
    codes = [fail(fault) for fault in found.faults]
    errors.total()
    return DATA if found.has_bad else next(iter(codes), GOOD)
