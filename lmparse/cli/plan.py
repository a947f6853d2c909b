"""`lmparse plan`: which columns of a spec are read many records at a time."""

from __future__ import annotations

import argparse

from lmparse.cli.arguments import Commands, add_command, not_installed, options_of
from lmparse.cli.exit_codes import GOOD
from lmparse.cli.messages import print_json


def add(commands: Commands) -> None:
    """Add the command."""
    summary = "say which columns of a spec are read by the column, and why not"
    command = add_command(commands, "plan", run, summary)
    command.add_argument("spec", metavar="SPEC", help="spec id, or the path of a spec built elsewhere")
    command.add_argument("--columns", help="only these, comma separated")
    command.add_argument("--control", help="control file of a logical log, whose header it describes")
    command.add_argument("--json", action="store_true", help="one JSON object")


def run(parsed: argparse.Namespace) -> int:
    """Say it."""
    try:
        from lmparse.logs.plan import planned
    except ImportError as error:
        raise not_installed(error) from None
    found = planned(parsed.spec, options_of(parsed).columns, parsed.control)
    if parsed.json:
        print_json(found.to_dict())
    else:
        print("\n".join(found.lines()))
    return GOOD
