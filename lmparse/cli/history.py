"""`lmparse history`: the life of one row, change by change."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lmparse.cli.arguments import Commands, add_changes_read, add_command, add_log, add_show_errors, given_options
from lmparse.cli.messages import (
    GOOD,
    ErrorPrinter,
    fail,
    message,
    note,
    print_json,
    print_lines,
    report_left_out,
    report_tally,
)
from lmparse.errors import OptionError
from lmparse.spelling import quoted
from lmparse.terminal import json_text

if TYPE_CHECKING:
    from lmparse.changes.row_history import HistoryEntry

_LONGEST = 200
"""Characters of a value that are printed as text; JSON has all."""


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "history", run, "list the changes of one row, by commit")
    add_log(command)
    command.add_argument(
        "--key", nargs="+", action="extend", required=True, metavar="COL=VALUE",
        help="the row: values of the columns of its key, bytes as hexadecimal digits",
    )  # fmt: skip
    command.add_argument("--json", action="store_true", help="one JSON object a change")
    add_show_errors(command)
    add_changes_read(command)


def run(parsed: argparse.Namespace) -> int:
    """Print the history; exit code as for `changes`."""
    from lmparse.changes.row_history import RowHistory
    from lmparse.logs.families import read_options
    from lmparse.logs.open import open_resumed

    errors = ErrorPrinter(parsed.show_errors)
    options = read_options({**given_options(parsed), "order": "commit"})
    if options.table is None:
        raise OptionError("a history is of a row of one table", code="LMP-S003", hint="give --table")
    log = open_resumed(parsed.files, options, on_error=errors, say=note)
    history = RowHistory(log, _key(parsed.key))
    said = history.check()
    if said:
        note(said)
    for entry in history.entries():
        if parsed.json:
            print_json(entry.to_dict())
        else:
            print_lines(_lines(entry, with_file=log.origin.joined is not None))
    code = GOOD if history.fault is None else fail(history.fault)
    errors.total()
    message(f"changes of the row: {history.found}")
    if history.unreadable:
        message(f"changes of the table that may be of the row, since their key is not known: {history.unreadable}")
    code = report_tally(log.tally, code)
    report_left_out(log.left_out)
    return code


def _key(words: list[str]) -> dict[str, str]:
    """Values by column. Raises OptionError for a word without `=` and for a column that is given twice."""
    found: dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not name or not sign:
            raise OptionError(f"key has no value {quoted(word)}", code="LMP-S003", hint="COL=VALUE, as EMPNO=000123")
        if name in found:
            raise OptionError(f"key: {name} is given twice", code="LMP-S003")
        found[name] = value
    return found


def _lines(entry: HistoryEntry, *, with_file: bool) -> Iterator[str]:
    row = entry.to_dict()
    file, number, offset = (row["_metadata"][name] for name in ("file", "record_index", "record_offset"))
    place = (f"{file}: " if with_file else "") + f"record {number} at {offset:#x}"
    people = [row[name] for name in ("auth_id", "plan", "correlation_id") if row[name]]
    yield "  ".join([row["op"] or "?", row["commit_ts"] or "no time of commit", *people, place])
    yield f"    seq {row['seq']}, transaction {row['txn_id']}"
    if row["key"]:
        yield "    key " + ", ".join(f"{name} = {_shown(value)}" for name, value in row["key"].items())
    for name, values in row["changed"].items():
        yield f"    {name}: {_shown(values['before'])} -> {_shown(values['after'])}"
    if row["detail"] and not row["key"]:
        yield f"    detail: {_shown(row['detail'])}"
    yield from (f"    note: {note}" for note in row["notes"])


def _shown(value: Any) -> str:
    text = json_text(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... of {len(text)} characters"
