"""Rows of changes: one by one, as rows of named values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from lmparse.changes.change import Change, Version
from lmparse.changes.log import ChangeLog
from lmparse.columnar.rows import Row, bad_rows
from lmparse.framing.extents import Span
from lmparse.values.json_form import to_json

VersionRow = tuple[Version | None, Row]
"""A row, and the version of a table that it is of; None for bad records and what is of no version."""


def change_rows(log: ChangeLog, schema: pa.Schema, span: Span | None = None) -> Iterator[Row]:
    """Rows of the changes of a log for `changes_schema`; bad records too, in mode permissive."""
    is_struct = any(pa.types.is_struct(entry.type) for entry in schema if entry.name in ("before", "after"))
    return (row for _, row in version_rows(log, span, is_struct))


def version_rows(log: ChangeLog, span: Span | None = None, is_struct: bool | None = None) -> Iterator[VersionRow]:
    """The same with the version of each; `is_struct` is that of `rows_of`."""
    log.keeps_bad_records = log.options.mode == "permissive"
    for change in log.typed_changes(span):
        yield from rows_of(log, change, is_struct)
    yield from rows_of(log, None)


def rows_of(log: ChangeLog, change: Change | None, is_struct: bool | None = None) -> Iterator[VersionRow]:
    """The rows that reading one change gave: those of bad records before it, and its own.

    Without `is_struct` images are values where the version of the change is known.
    """
    for row in bad_rows(log):
        yield None, row
    if change is not None:
        yield change.table, change_row(log, change, change.table is not None if is_struct is None else is_struct)


def change_row(log: ChangeLog, change: Change, is_struct: bool) -> Row:
    """One change as a row; its images as values or as JSON text."""
    row: Row = change.to_row(log.origin, header=log.options.header)
    row["table_name_short"] = row.get("table_name_short", False)
    texts = ("detail", "header") if is_struct else ("detail", "header", "before", "after")
    shown = to_json({name: row[name] for name in texts if name in row})
    return row | {name: _json_text(value) for name, value in shown.items()}


def _json_text(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)
