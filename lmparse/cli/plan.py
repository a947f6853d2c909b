"""`lmparse plan`: tells which columns of a spec are decoded column-wise."""

from __future__ import annotations

import argparse

from lmparse.cli.arguments import Commands, add_command, add_options, options_of
from lmparse.cli.messages import GOOD, print_json, print_lines
from lmparse.errors import not_installed


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "plan", run, "show which columns of a spec are decoded column-wise, and why not")
    command.add_argument("spec", metavar="SPEC", help="spec id, or the path of a spec built elsewhere")
    command.add_argument("--columns", help="only these columns, comma separated")
    command.add_argument("--control", help="control file that describes the header of a logical log")
    command.add_argument("--json", action="store_true", help="one JSON object")
    add_options(command, "plan")


def run(parsed: argparse.Namespace) -> int:
    """Print the plan."""
    try:
        from lmparse.logs.plan import planned
    except ImportError as error:
        raise not_installed(error) from None
    options = options_of(parsed)
    found = planned(parsed.spec, options.columns, parsed.control, options.bounds)
    if parsed.json:
        print_json(found.to_dict())
    else:
        print_lines(found.lines())
    return GOOD
