"""`lmparse diff`: shows what a change of specs means to the readers of their data."""

from __future__ import annotations

import argparse

from lmparse.cli.arguments import Commands, add_command, add_page, page_place
from lmparse.cli.messages import DIFFERENCE, GOOD, print_json, print_lines


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "diff", run, "show what a change of specs means to the readers of their data")
    state = "a .ksy file, a folder of specs, REV or REV:PATH of the git repository here, or 'installed'"
    command.add_argument("old", metavar="OLD", help=state)
    command.add_argument("new", metavar="NEW", help=f"likewise: {state}")
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="one JSON object")
    shown.add_argument("--markdown", action="store_true", help="a table for a pull request")
    add_page(command, "write a page with both states side by side here")
    command.add_argument(
        "--fail-on",
        choices=("breaking", "widening", "compatible", "doc", "none"),
        default="breaking",
        help="exit with 24 when a change is of this class or of a worse one (default: breaking)",
    )


def run(parsed: argparse.Namespace) -> int:
    """Compare two states."""
    from lmparse.review.diff import reports
    from lmparse.review.diff.compare import compare
    from lmparse.review.diff.page import page
    from lmparse.spec.ksy import read_specs
    from lmparse.storage.inputs import inputs_of
    from lmparse.storage.outputs import write_text

    place = page_place(parsed, inputs_of((parsed.old, parsed.new)))
    found = compare(read_specs(parsed.old), read_specs(parsed.new))
    if place:
        write_text(page(found), place)
    if parsed.json:
        print_json(reports.to_dict(found))
    else:
        print_lines(reports.markdown(found) if parsed.markdown else reports.lines(found))
    return DIFFERENCE if parsed.fail_on != "none" and found.reaches(parsed.fail_on) else GOOD
