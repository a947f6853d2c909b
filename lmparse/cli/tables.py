"""`lmparse tables`: lists the tables that describe a log, each version with its columns and its key."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lmparse.cli.arguments import options_of
from lmparse.cli.messages import GOOD, ErrorPrinter, aligned, fail, print_json, print_lines, report_tally

if TYPE_CHECKING:
    from lmparse.changes.descriptions import TableDescription


def run(parsed: argparse.Namespace) -> int:
    """Print the table versions; what ends reading is reported behind those that are known."""
    from lmparse.logs.open import open_resumed, table_descriptions

    errors = ErrorPrinter(parsed.show_errors)
    log = open_resumed(parsed.files, options_of(parsed), on_error=errors)
    described = table_descriptions(log)
    for table in described.found:
        if parsed.json:
            print_json(table.to_dict())
        else:
            print_lines(_lines(table))
    code = GOOD if described.fault is None else fail(described.fault)
    errors.total()
    return report_tally(log.tally, code)


def _lines(table: TableDescription) -> Iterator[str]:
    described = table.to_dict()
    short = " (short name)" if table.is_short else ""
    ids = f" ({table.ids})" if table.full_name != table.ids else ""
    force = f"from {table.since or 'the beginning'} to {table.until or 'the end'}"
    yield f"{table.full_name}{short}{ids} version {described['version']}, in force {force}"
    key = ", ".join(described["key"])
    yield f"  key {key} ({described['key_source']})" if key else "  no key is known"
    columns = described["columns"]
    widths = [-6, *(max((len(column[part]) for column in columns), default=0) for part in ("name", "type"))]
    for column in columns:
        words = [
            "" if column["nullable"] else "not null",
            f"CCSID {column['ccsid']}" if column["ccsid"] is not None else "",
            f"key {column['key']}" if column["key"] is not None else "",
        ]
        cells = [str(column["number"]), column["name"], column["type"], *filter(None, words)]
        yield aligned(cells, [*widths, *[0] * (len(cells) - 3)])
    yield from (f"  note: {note}" for note in table.notes)
