"""`lmparse diff`: shows what a change of specs means to the readers of their data."""

from __future__ import annotations

import argparse

from lmparse.cli.arguments import Commands, add_command
from lmparse.cli.messages import DIFFERENCE, GOOD, print_json, print_lines


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "diff", run, "show what a change of specs means to the readers of their data")
    state = "a .ksy file, a folder of specs, or 'installed'"
    command.add_argument("old", metavar="OLD", help=state)
    command.add_argument("new", metavar="NEW", help=f"likewise: {state}")
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="one JSON object")
    shown.add_argument("--markdown", action="store_true", help="a table for a pull request")
    command.add_argument(
        "--fail-on",
        choices=("breaking", "widening", "compatible", "doc", "none"),
        default="breaking",
        help="exit with 24 when a change is of this class or of a worse one (default: breaking)",
    )


def run(parsed: argparse.Namespace) -> int:
    """Compare two states."""
    from lmparse.errors import not_installed
    from lmparse.spec.ksy import read_specs

    try:
        from lmparse.review.diff import reports
        from lmparse.review.diff.compare import compare
    except ImportError as error:  # the columns of a spec are those of Arrow
        raise not_installed(error) from None
    found = compare(read_specs(parsed.old), read_specs(parsed.new))
    if parsed.json:
        print_json(reports.to_dict(found))
    else:
        print_lines(reports.markdown(found) if parsed.markdown else reports.lines(found))
    return DIFFERENCE if parsed.fail_on != "none" and found.reaches(parsed.fail_on) else GOOD
