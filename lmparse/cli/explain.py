"""`lmparse explain`: shows the bytes of one record beside its fields."""

from __future__ import annotations

import argparse
import shutil

from lmparse.cli.arguments import given_options, options_of
from lmparse.cli.messages import DATA, GOOD, LEFTOVER, note, print_json, print_lines, report
from lmparse.errors import LeftoverError, OptionError


def run(parsed: argparse.Namespace) -> int:
    """Show the record."""
    from lmparse.logs.open import CONTROL_FILE, files_read, look_beside
    from lmparse.review.explain.search import explain
    from lmparse.review.templating import foreign_page
    from lmparse.storage.outputs import check_place, write_text

    if parsed.brief and (parsed.json or parsed.html):
        raise OptionError("--brief is for text in the terminal", hint="leave --json and --html out")
    if parsed.overwrite and parsed.html is None:
        raise OptionError("--overwrite is for a page", hint="give --html too")
    options = options_of(parsed)
    place = None
    if parsed.html is not None:
        inputs = files_read(parsed.file, look_beside(parsed.file, options).options)
        place = check_place(parsed.html, inputs, is_folder=False, overwrite=parsed.overwrite, foreign=foreign_page)
    found = explain(parsed.file, parsed.record, offset=parsed.offset, lsn=parsed.lsn, **given_options(parsed))
    for decision in found.decisions:
        if decision.name == CONTROL_FILE:
            note(str(decision))
    if place:
        write_text(found.html(), place)
    if parsed.json:
        print_json(found.to_dict())
    elif not place:
        print_lines(found.lines(shutil.get_terminal_size().columns, parsed.brief))
    for error in found.faults:
        report(error)
    if not found.faults:
        return GOOD
    return LEFTOVER if isinstance(found.fault, LeftoverError) else DATA
