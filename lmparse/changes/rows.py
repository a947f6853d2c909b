"""Rows of changes: single rows as dictionaries by column name, and batches of rows of one table version."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa

from lmparse.changes.change import Change, Version
from lmparse.changes.log import ChangeLog
from lmparse.changes.schemas import KEY, changes_schema
from lmparse.columnar import json_texts, schemas
from lmparse.columnar.rows import Row, bad_rows, to_batch
from lmparse.errors import LmparseError
from lmparse.framing.extents import Span
from lmparse.values.byte_arrays import Int64s
from lmparse.values.json_form import to_json

T = TypeVar("T")
_VERSIONS = 32
"""Table versions that may each hold rows for a whole batch; with more versions, batches are smaller."""
_PIECES = 1 << 12
"""Most parts held with more versions than `_VERSIONS`; a part with a single row takes some thousand bytes."""
JSON_COLUMNS = ("detail", "header", "before", "after")
"""Columns of changes that may be JSON text."""
VersionRow = tuple[Version | None, Row]
"""A row and its table version; None for bad records and for changes without a table version."""


def are_structs(schema: pa.Schema) -> bool:
    """Whether a schema has images as structs, not as JSON text."""
    return any(pa.types.is_struct(entry.type) for entry in schema if entry.name in ("before", "after"))


def version_rows(log: ChangeLog, span: Span | None = None, is_struct: bool | None = None) -> Iterator[VersionRow]:
    """Yield rows for `changes_schema` with their table versions; in mode permissive also rows of bad records.

    `is_struct` is as in `rows_of`.
    """
    log.keeps_bad_records = log.options.mode == "permissive"
    try:
        for change in log.typed_changes(span):
            yield from rows_of(log, change, is_struct)
    except LmparseError:
        yield from rows_of(log, None)  # bad records in front of the damage
        raise
    yield from rows_of(log, None)


def rows_of(log: ChangeLog, change: Change | None, is_struct: bool | None = None) -> Iterator[VersionRow]:
    """Yield the rows of bad records in front of a change, then the row of the change.

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
    """The key of a table version as the value of the column KEY."""
    return json.dumps(list(version.key), ensure_ascii=False)


def printed_columns(*, has_header: bool, is_short: bool) -> Iterator[str]:
    """Yield the names in a line of `lmparse changes` for a change without faults, in order."""
    unshown = {*schemas.OUTCOMES} - {"_metadata"}
    for entry in changes_schema(None, header=has_header):
        if entry.name not in unshown and (is_short or entry.name != "table_name_short"):
            yield entry.name


def line_row(log: ChangeLog, change: Change) -> Row:
    """The row of a change with its line of `lmparse changes` as bytes."""
    row: Row = change.to_row(log.origin, header=log.options.header)
    return row | {json_texts.LINE: json_texts.json_line(to_json(row))}


@dataclass(frozen=True)
class VersionBatch:
    """Rows of one table version, or rows without a version."""

    version: Version | None
    batch: pa.RecordBatch
    numbers: Int64s
    """Number in the window of the change of each row; ascending."""

    def before(self, number: int) -> VersionBatch:
        """The rows of changes with numbers below `number`."""
        count = int(np.searchsorted(self.numbers, number))
        if count == len(self.numbers):
            return self
        return replace(self, batch=self.batch.slice(0, count), numbers=self.numbers[:count])


@dataclass(frozen=True)
class FallbackRow:
    """A row from the code that reads changes one by one."""

    number: int
    """Number of the change in the window."""
    version: Version | None
    row: Row


P = TypeVar("P", VersionBatch, FallbackRow)


def by_schema(parts: Iterable[P], *, has_one: bool = False) -> list[list[P]]:
    """Group batches or rows by table version, in the order of first occurrence; one group if they share a schema."""
    found: dict[int, list[P]] = {}
    for part in parts:
        found.setdefault(0 if has_one else id(part.version), []).append(part)
    return list(found.values())


def batch_of(rows: list[FallbackRow], schema: pa.Schema) -> VersionBatch:
    """Rows, usually of one version, as a batch with a schema."""
    numbers = np.array([row.number for row in rows], np.int64)
    return VersionBatch(rows[0].version, to_batch([row.row for row in rows], schema), numbers)


def joined(batches: list[VersionBatch]) -> VersionBatch:
    """Batches with one schema as one batch, in the order of their changes."""
    if len(batches) == 1:
        return batches[0]
    numbers = np.concatenate([one.numbers for one in batches])
    order = np.argsort(numbers, kind="stable")
    batch = pa.concat_batches([one.batch for one in batches]).take(pa.array(order))
    return VersionBatch(batches[0].version, batch, numbers[order])


def accumulated(
    parts: Iterable[tuple[Version | None, T]], rows_in: Callable[[T], int], most: int
) -> Iterator[tuple[Version | None, list[T]]]:
    """Collect parts by table version until a version has `most` rows, or all versions together many times as many.

    `rows_in` returns the number of rows of a part.
    """
    held: dict[int, tuple[Version | None, list[T]]] = {}
    counts: dict[int, int] = {}
    rows = pieces = 0
    for version, part in parts:
        kept = held.setdefault(id(version), (version, []))[1]
        kept.append(part)
        count = rows_in(part)
        counts[id(version)] = counts.get(id(version), 0) + count
        rows, pieces = rows + count, pieces + 1
        if counts[id(version)] >= most:
            yield version, [*kept]
            rows, pieces = rows - counts[id(version)], pieces - len(kept)
            kept.clear()
            counts[id(version)] = 0
        if rows >= _VERSIONS * most or (pieces >= _PIECES and len(held) > _VERSIONS):
            yield from ((version, kept) for version, kept in held.values() if kept)
            held, counts, rows, pieces = {}, {}, 0, 0
    yield from ((version, kept) for version, kept in held.values() if kept)
