"""`lmparse diff`: shows what a change of specs means to the readers of their data."""

from __future__ import annotations

import argparse

from lmparse.cli.arguments import with_arrow
from lmparse.cli.messages import DIFFERENCE, GOOD, print_json, print_lines


def run(parsed: argparse.Namespace) -> int:
    """Compare two states."""
    from lmparse.spec.ksy import read_specs

    with with_arrow():  # the columns of a spec are those of Arrow
        from lmparse.review.diff import reports
        from lmparse.review.diff.compare import compare
    found = compare(read_specs(parsed.old), read_specs(parsed.new))
    if parsed.json:
        print_json(reports.to_dict(found))
    else:
        print_lines(reports.markdown(found) if parsed.markdown else reports.lines(found))
    return DIFFERENCE if parsed.fail_on != "none" and found.reaches(parsed.fail_on) else GOOD
