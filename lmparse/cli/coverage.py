"""`lmparse coverage`: shows what of the specs is seen in samples."""

from __future__ import annotations

import argparse
import sys

from lmparse.cli.arguments import given_options
from lmparse.cli.messages import DATA, DIFFERENCE, GOOD, fail, message, print_result
from lmparse.errors import OptionError


def run(parsed: argparse.Namespace) -> int:
    """Read the samples and print the report; for the exit code, damage outweighs a share that is too low."""
    from lmparse.review.coverage.files import collect
    from lmparse.review.coverage.reports import report_of

    if parsed.fail_under is not None and not 0 <= parsed.fail_under <= 100:
        raise OptionError(f"--fail-under has no value {parsed.fail_under:g}", hint="a number from 0 to 100")
    if parsed.limit is not None and not 0 < parsed.limit <= sys.maxsize:
        raise OptionError(f"--limit has no value {parsed.limit}", hint="a whole number above zero, of 63 bits")
    samples = collect(parsed.files, given_options(parsed), limit=parsed.limit)
    found = report_of(samples, with_unreached=parsed.all)
    print_result(found, as_json=parsed.json)
    codes = [fail(error) for error in samples.faults]
    if codes:
        return DATA if DATA in codes else codes[0]
    if parsed.fail_under is not None and found.share.is_below(parsed.fail_under):
        message(f"coverage {found.share.percent} % is below {parsed.fail_under:g} %")
        return DIFFERENCE
    return GOOD
