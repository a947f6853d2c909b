"""`lmparse sniff`: tells what a file is, with proof."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lmparse.cli.arguments import Commands, add_command, add_options, options_of
from lmparse.cli.messages import DATA, GOOD, print_json, print_lines, report
from lmparse.errors import DataError
from lmparse.spelling import camel

if TYPE_CHECKING:
    from lmparse.logs.sniff import Sniffed


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "sniff", run, "show what a file is, with proof, and the options that read it")
    command.add_argument("files", nargs="+", metavar="FILE")
    command.add_argument("--json", action="store_true", help="one JSON object a file")
    add_options(command, "sniff")


def run(parsed: argparse.Namespace) -> int:
    """Print what each file is; a file that is not a log is reported, and the next ones are still read."""
    from lmparse.logs.sniff import sniff

    limits = options_of(parsed).bounds
    code = GOOD
    for path in parsed.files:
        try:
            found = sniff(path, limits)
        except DataError as error:
            if parsed.json:
                print_json({"file": path, "kind": None, "error": error.to_dict()})
            report(error)
            code = DATA
            continue
        if parsed.json:
            print_json(found.to_dict())
        else:
            print_lines(_lines(path, found))
    return code


def _lines(path: str, found: Sniffed) -> list[str]:
    sure = "" if found.trial.is_proven else ", but it is damaged"
    shown = found.options.items()
    return [
        f"{path}: {found.kind} ({found.spec}), framing {found.trial.framing.name}{sure}",
        *(f"  record {index} at {offset:#x}, {length} bytes" for index, offset, length in found.records),
        *([] if found.trial.fault is None else [f"  {found.trial.fault}"]),
        "  shell  " + " ".join(f"--{name.replace('_', '-')} {value}" for name, value in shown),
        "  Spark  " + "".join(f'.option("{camel(name)}", "{value}")' for name, value in shown),
    ]
