"""`lmparse explain`: shows the bytes of one record beside its fields."""

from __future__ import annotations

import argparse
import shutil

from lmparse.cli.arguments import Commands, add_command, add_options, given_options, options_of
from lmparse.cli.messages import DATA, GOOD, LEFTOVER, note, print_json, print_lines, report
from lmparse.errors import LeftoverError, OptionError


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "explain", run, "show one record's bytes beside its fields and what they mean")
    command.add_argument("file", metavar="FILE", help="a file of records, of which one is shown")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--record", metavar="N", help="number of the record, from 0 (default: 0)")
    which.add_argument("--offset", metavar="X", help="offset in the file of any byte of the record, as 696 or 0x2b8")
    which.add_argument("--lsn", metavar="L", help="position of the record in the log, in hex")
    command.add_argument("--brief", action="store_true", help="one line for each field, without documentation")
    about = "only this field, with all of its bytes; may be repeated"
    command.add_argument("--field", action="append", default=[], metavar="NAME", help=about)
    command.add_argument("--json", action="store_true", help="one JSON object")
    command.add_argument("--html", metavar="OUT", help="write a page here that shows bytes and fields side by side")
    command.add_argument("--overwrite", action="store_true", help="replace OUT")
    add_options(command, "explain")


def run(parsed: argparse.Namespace) -> int:
    """Show the record."""
    from lmparse.logs.beside import CONTROL_FILE, look_beside
    from lmparse.logs.open import files_read
    from lmparse.review.explain.search import explain
    from lmparse.review.templating import foreign_page
    from lmparse.storage.outputs import check_place, write_text

    _check(parsed)
    options = options_of(parsed)
    place = None
    if parsed.html is not None:
        inputs = files_read(parsed.file, look_beside(parsed.file, options).options)
        place = check_place(parsed.html, inputs, is_folder=False, overwrite=parsed.overwrite, foreign=foreign_page)
    found = explain(parsed.file, parsed.record, offset=parsed.offset, lsn=parsed.lsn, **given_options(parsed))
    shown = found.only(*parsed.field) if parsed.field else found
    for decision in found.decisions:
        if decision.name == CONTROL_FILE:
            note(str(decision))
    if place:
        write_text(found.html(), place)
    if parsed.json:
        print_json(shown.to_dict())
    elif not place:
        print_lines(shown.lines(shutil.get_terminal_size().columns, parsed.brief))
    for error in found.faults:
        report(error)
    if not found.faults:
        return GOOD
    return LEFTOVER if isinstance(found.fault, LeftoverError) else DATA


def _check(parsed: argparse.Namespace) -> None:
    """Raise OptionError for arguments that contradict each other."""
    if parsed.brief and (parsed.json or parsed.html):
        raise OptionError("--brief is for text in the terminal", hint="leave --json and --html out")
    if parsed.overwrite and parsed.html is None:
        raise OptionError("--overwrite is for a page", hint="give --html too")
    if parsed.field and parsed.html:
        raise OptionError("--field is for text and --json: a page shows all fields", hint="leave one of them out")
