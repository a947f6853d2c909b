"""Rows of changes: one by one, as rows of named values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from lmparse.changes.change import Change
from lmparse.changes.log import ChangeLog
from lmparse.columnar.rows import Row, bad_rows
from lmparse.framing.extents import Span
from lmparse.values.json_form import to_json


def change_rows(log: ChangeLog, schema: pa.Schema, span: Span | None = None) -> Iterator[Row]:
    """Rows of the changes of a log for `changes_schema`; bad records too, in mode permissive."""
    is_struct = any(pa.types.is_struct(entry.type) for entry in schema if entry.name in ("before", "after"))
    log.keeps_bad_records = log.options.mode == "permissive"
    for change in log.typed_changes(span):
        yield from bad_rows(log)
        yield change_row(log, change, is_struct)
    yield from bad_rows(log)


def change_row(log: ChangeLog, change: Change, is_struct: bool) -> Row:
    """One change as a row; its images as values or as JSON text."""
    row: Row = change.to_row(log.origin, header=log.options.header)
    row["table_name_short"] = row.get("table_name_short", False)
    texts = ("detail", "header") if is_struct else ("detail", "header", "before", "after")
    shown = to_json({name: row[name] for name in texts if name in row})
    return row | {name: _json_text(value) for name, value in shown.items()}


def _json_text(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)
