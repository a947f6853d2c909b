"""`lmparse explain`: shows the bytes of one record beside its fields."""

from __future__ import annotations

import argparse
import os
import shutil
import sys

from lmparse.cli.arguments import Commands, add_command, add_options, add_page, given_options, options_of, page_place
from lmparse.cli.messages import DATA, GOOD, LEFTOVER, print_json, report
from lmparse.errors import LeftoverError
from lmparse.terminal import unchanged


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "explain", run, "show one record's bytes beside its fields and what they mean")
    command.add_argument("file", metavar="FILE")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--record", metavar="N", help="number of the record, from 0 (default: 0)")
    which.add_argument("--offset", metavar="X", help="offset in the file of any byte of the record, as 696 or 0x2b8")
    which.add_argument("--lsn", metavar="L", help="position of the record in the log, in hex")
    command.add_argument("--json", action="store_true", help="one JSON object")
    add_page(command, "write a page here that shows bytes and fields side by side")
    add_options(command, "explain")


def run(parsed: argparse.Namespace) -> int:
    """Show the record."""
    from lmparse.logs.open import files_read
    from lmparse.review.explain.search import explain
    from lmparse.storage.atomic_output import write_text

    place = page_place(parsed, files_read(parsed.file, options_of(parsed)))
    found = explain(parsed.file, parsed.record, offset=parsed.offset, lsn=parsed.lsn, **given_options(parsed))
    if place:
        write_text(found.html(), place)
    if parsed.json:
        print_json(found.to_dict())
    elif not place:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        lines = found.lines(shutil.get_terminal_size().columns, colour)
        print("\n".join(lines), file=unchanged(sys.stdout) if colour else sys.stdout)  # its texts are printable
    for error in found.faults:
        report(error)
    if not found.faults:
        return GOOD
    return LEFTOVER if isinstance(found.fault, LeftoverError) else DATA
