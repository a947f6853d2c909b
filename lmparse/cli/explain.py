"""`lmparse explain`: shows the bytes of one record beside its fields."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from lmparse.cli.arguments import Commands, add_command, add_options, add_page, given_options, options_of, page_place
from lmparse.cli.messages import DATA, GOOD, LEFTOVER, message, note, print_json, report
from lmparse.errors import LeftoverError, OptionError
from lmparse.terminal import unchanged


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
    command.add_argument("--watch", action="store_true", help="show it again whenever the file or a built spec changes")
    add_page(command, "write a page here that shows bytes and fields side by side")
    add_options(command, "explain")


def run(parsed: argparse.Namespace) -> int:
    """Show the record, once or after each change."""
    _check(parsed)
    return _watch(parsed) if parsed.watch else _show(parsed)


def _check(parsed: argparse.Namespace) -> None:
    """Raise OptionError for arguments that contradict each other."""
    if parsed.brief and (parsed.json or parsed.html):
        raise OptionError("--brief is for text in the terminal", hint="leave --json and --html out")
    if parsed.field and parsed.html:
        raise OptionError("--field is for text and --json: a page shows all fields", hint="leave one of them out")


def _watch(parsed: argparse.Namespace) -> int:
    """Show the record in a process of its own each time, since a spec is code that is loaded once."""
    from lmparse.spec.built import MANIFEST
    from lmparse.storage.addresses import is_remote, local_path
    from lmparse.storage.watched import changed, state_of

    names = [name for name in (parsed.file, parsed.control, parsed.tables) if name]
    if any(map(is_remote, names)):
        raise OptionError("--watch looks at local files only")
    paths = [Path(local_path(name)) for name in names]
    if parsed.spec and Path(parsed.spec).name != parsed.spec:
        paths.append(Path(parsed.spec).parent / MANIFEST)
    # Without -P, Python would import modules from the current folder, which may be one of data.
    command = [sys.executable, "-P", "-m", "lmparse", *(word for word in parsed.words if word != "--watch")]
    try:
        while True:
            before = state_of(paths)
            if sys.stdout.isatty():
                print("\x1b[2J\x1b[H", end="", file=unchanged(sys.stdout))  # an empty screen
            sys.stdout.flush()
            subprocess.run(command, check=False)
            message(f"{time.strftime('%H:%M:%S')} waiting for changes")
            changed(before, lambda: paths)
    except KeyboardInterrupt:
        return GOOD


def _show(parsed: argparse.Namespace) -> int:
    from lmparse.logs.beside import CONTROL_FILE, look_beside
    from lmparse.logs.open import files_read
    from lmparse.review.explain.search import explain
    from lmparse.storage.outputs import write_text

    options = options_of(parsed)
    if parsed.html is not None:
        options = look_beside(parsed.file, options).options  # what is read is not replaced
    place = page_place(parsed, files_read(parsed.file, options))
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
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        lines = shown.lines(shutil.get_terminal_size().columns, colour, parsed.brief)
        print("\n".join(lines), file=unchanged(sys.stdout) if colour else sys.stdout)  # its texts are printable
    for error in found.faults:
        report(error)
    if not found.faults:
        return GOOD
    return LEFTOVER if isinstance(found.fault, LeftoverError) else DATA
