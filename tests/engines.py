"""Both engines over one file: the rows and errors of each, in a form that can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from lmparse import frames, rows, schemas
from lmparse.errors import DataError, LmparseError
from lmparse.opening import open_file
from lmparse.options import Options


@dataclass
class Outcome:
    """What one engine gave for a file."""

    table: pa.Table
    errors: list[dict[str, Any]]
    """Those it told of, and the one that ended the reading."""
    dropped: int = 0


def by_row(path: Path, columns: tuple[str, ...] = (), **options: Any) -> Outcome:
    """The records of a file through the generated parser."""
    return _outcome(path, columns, options, lambda file, schema: rows.batches(rows.record_rows(file, schema), schema))


def by_column(path: Path, columns: tuple[str, ...] = (), **options: Any) -> Outcome:
    """The records of a file by the column."""
    return _outcome(path, columns, options, frames.record_batches)


def _outcome(path: Path, columns: tuple[str, ...], options: dict[str, Any], read: Any) -> Outcome:
    errors: list[LmparseError] = []
    parsed = Options.parse(options)
    schema = schemas.records_schema(parsed.spec, columns)
    found = Outcome(schema.empty_table(), [])
    batches: list[pa.RecordBatch] = []
    try:
        file = open_file(path, parsed, on_error=errors.append)
        try:
            batches.extend(_checked(read(file, schema)))
        finally:
            found.dropped = file.tally.dropped
    except LmparseError as error:
        errors.append(error)
    found.errors = [
        error.to_dict() if isinstance(error, DataError) else {"code": error.code, "message": str(error)}
        for error in errors
    ]
    found.table = pa.Table.from_batches(batches, schema)
    return found


def _checked(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        batch.validate(full=True)
        yield batch


def difference(one: Outcome, other: Outcome, *, ends_early: bool = False) -> str:
    """In what two outcomes differ, in words; empty when in nothing.

    Where an error ended the reading, engines may have given a different number of rows before it.
    """
    if one.errors != other.errors:
        return f"errors: {one.errors} and {other.errors}"
    if one.dropped != other.dropped:
        return f"dropped: {one.dropped} and {other.dropped}"
    count = min(one.table.num_rows, other.table.num_rows)
    if one.table.num_rows != other.table.num_rows and not ends_early:
        return f"rows: {one.table.num_rows} and {other.table.num_rows}"
    for name in one.table.column_names:
        left = one.table.column(name).slice(0, count).combine_chunks()
        right = other.table.column(name).slice(0, count).combine_chunks()
        # As the bytes of numbers, so that NaN equals NaN.
        if not left.equals(right) and left.to_pylist() != right.to_pylist():
            place = next(n for n in range(count) if left[n].as_py() != right[n].as_py())
            return f"row {place}, {name}: {left[place]} and {right[place]}"
    return ""
