"""`lmparse land`: appends the changes of a log to a table for each of its tables, each change once."""

from __future__ import annotations

import argparse

from lmparse.cli.arguments import options_of, with_arrow
from lmparse.cli.messages import DIFFERENCE, GOOD, ShownWork, message, print_json, report_tally


def run(parsed: argparse.Namespace) -> int:
    """Land, and report what was landed and what was left out."""
    with with_arrow("delta" if parsed.form == "delta" else "arrow"):
        from lmparse.export import land

    asked = land.Landing(parsed.files, parsed.to, options_of(parsed), parsed.form, parsed.current)
    ended = f"nothing is landed in {parsed.to}: the log was not read to its end"
    with ShownWork(parsed.show_errors, ended) as shown:
        landed = land.run(asked, shown.on_error)
    if shown.code:
        return shown.code
    is_refused = any(table.is_refused for table in landed.tables)
    code = report_tally(landed.tally, DIFFERENCE if is_refused else GOOD, landed.left_out)
    if parsed.json:
        print_json(landed.to_dict())
    for table in landed.tables:
        counts = ", ".join(f"{count} {op}" for op, count in sorted(table.rows_by_operation.items()))
        merged = f"; current: {table.merged} changes merged" if table.merged is not None else ""
        message(f"{table.folder}: {table.rows} changes" + (f" ({counts})" if counts else "") + merged)
        if table.is_refused:
            message(f"error: {table.refusal}")
        elif table.refusal:
            message(f"{table.folder}: no current table: {table.refusal}")
    message(f"{landed.to}: {landed.rows} changes landed, from {landed.bytes_read} bytes")
    return code
