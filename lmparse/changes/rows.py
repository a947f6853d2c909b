"""Rows of changes: one by one, as dictionaries of values by column name."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pyarrow as pa

from lmparse.changes.change import Change, Version
from lmparse.changes.log import ChangeLog
from lmparse.changes.schemas import KEY, changes_schema
from lmparse.columnar import json_texts, schemas
from lmparse.columnar.rows import Row, bad_rows
from lmparse.errors import LmparseError
from lmparse.framing.extents import Span
from lmparse.values.json_form import to_json

JSON_COLUMNS = ("detail", "header", "before", "after")
"""Columns of changes that may be JSON text."""
VersionRow = tuple[Version | None, Row]
"""A row and its table version; None for bad records and for changes without a table version."""


def change_rows(log: ChangeLog, schema: pa.Schema, span: Span | None = None) -> Iterator[Row]:
    """The changes of a log as rows for `changes_schema`; in mode permissive bad records too."""
    return (row for _, row in version_rows(log, span, are_structs(schema)))


def are_structs(schema: pa.Schema) -> bool:
    """Whether a schema wants images as values, not as JSON text."""
    return any(pa.types.is_struct(entry.type) for entry in schema if entry.name in ("before", "after"))


def version_rows(log: ChangeLog, span: Span | None = None, is_struct: bool | None = None) -> Iterator[VersionRow]:
    """The same with the table version of each row; `is_struct` as in `rows_of`."""
    log.keeps_bad_records = log.options.mode == "permissive"
    try:
        for change in log.typed_changes(span):
            yield from rows_of(log, change, is_struct)
    except LmparseError:
        yield from rows_of(log, None)  # they are before the damage
        raise
    yield from rows_of(log, None)


def rows_of(log: ChangeLog, change: Change | None, is_struct: bool | None = None) -> Iterator[VersionRow]:
    """The rows that result from reading one change: those of bad records before it, and its own.

    Without `is_struct`, images are values if the table version of the change is known.
    """
    for bad in bad_rows(log):
        yield None, bad
    if change is None:
        return
    row: Row = change.to_row(log.origin, header=log.options.header)
    row["table_name_short"] = row.get("table_name_short", False)
    if change.table is not None:
        row[KEY] = key_text(change.table)
    has_values = change.table is not None if is_struct is None else is_struct
    texts = ("detail", "header") if has_values else JSON_COLUMNS
    for name, value in to_json({name: row[name] for name in texts if name in row}).items():
        row[name] = None if value is None else json.dumps(value, ensure_ascii=False)
    yield change.table, row


def key_text(version: Version) -> str:
    """The key of a table version in the column KEY."""
    return json.dumps(list(version.key), ensure_ascii=False)


def printed_columns(*, has_header: bool, is_short: bool) -> Iterator[str]:
    """The names in a line that `lmparse changes` prints of a change without faults, in their order."""
    unshown = {*schemas.OUTCOMES} - {"_metadata"}
    for entry in changes_schema(None, header=has_header):
        if entry.name not in unshown and (is_short or entry.name != "table_name_short"):
            yield entry.name


def line_row(log: ChangeLog, change: Change) -> Row:
    """One change with the line that `lmparse changes` prints, as bytes."""
    row: Row = change.to_row(log.origin, header=log.options.header)
    return row | {json_texts.LINE: json_texts.json_line(to_json(row))}
