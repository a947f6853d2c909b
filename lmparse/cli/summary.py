"""`lmparse summary`: what is in a log, in numbers: as text, as JSON, and as a page with plots."""

from __future__ import annotations

import argparse
import shutil
from typing import TYPE_CHECKING

from lmparse.cli.arguments import (
    Commands,
    add_command,
    add_log,
    add_options,
    add_page,
    add_show_errors,
    given_options,
    page_place,
)
from lmparse.cli.messages import DATA, GOOD, ErrorPrinter, fail, note, print_json, print_lines
from lmparse.errors import not_installed
from lmparse.storage.arrow_alone import load_arrow

if TYPE_CHECKING:
    from lmparse.options import Options
    from lmparse.storage.inputs import Inputs


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "summary", run, "count what is in a log: records, changes, transactions, who, when")
    add_log(command)
    command.add_argument("--json", action="store_true", help="one JSON object")
    add_show_errors(command)
    add_page(command, "write the summary as a page with plots here")
    add_options(command, "summary")


def run(parsed: argparse.Namespace) -> int:
    """Read the log and print the summary; exit code as for `changes`."""
    try:
        load_arrow()
        from lmparse.review.summary.report import recognised, summarized
    except ImportError as error:
        raise not_installed(error) from None
    from lmparse.logs.joining import files_without
    from lmparse.review.templating import check_installed
    from lmparse.storage.atomic_output import write_text

    errors, files = ErrorPrinter(parsed.show_errors), files_without(parsed.html, parsed.files)
    options = recognised(files, given_options(parsed))
    place = page_place(parsed, _inputs(files, options))
    if place:
        check_installed()
    found = summarized(files, options, on_error=errors, say=note)
    if place:
        write_text(found.html(), place)
    if parsed.json:
        print_json(found.to_dict())
    elif not place:
        print_lines(found.lines(shutil.get_terminal_size().columns))
    codes = [fail(fault) for fault in found.faults]
    errors.total()
    return DATA if found.has_bad else next(iter(codes), GOOD)


def _inputs(paths: list[str], options: Options) -> Inputs:
    """The files that are read."""
    from lmparse.logs.beside import look_beside
    from lmparse.logs.joining import is_several
    from lmparse.logs.open import files_read
    from lmparse.storage.inputs import inputs_of

    if not is_several(paths):
        return files_read(paths[0], look_beside(paths[0], options).options)
    return inputs_of([*paths, *options.files.values()])
