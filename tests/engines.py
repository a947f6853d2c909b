"""Both engines over one file: the rows and errors of each, in a form that can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from lmparse.changes.schemas import changes_schema
from lmparse.columnar import rows, schemas
from lmparse.errors import DataError, LmparseError
from lmparse.logs import arrow
from lmparse.logs.arrow import record_rows
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes, open_file
from lmparse.spec import catalog
from lmparse.spec.catalog import Spec


@dataclass
class Outcome:
    """What one engine gave for a file."""

    table: pa.Table
    errors: list[dict[str, Any]]
    """Those it told of, and the one that ended the reading."""
    dropped: int = 0


def by_row(path: Path, columns: tuple[str, ...] = (), **options: Any) -> Outcome:
    """The records of a file through the generated parser."""
    return _outcome(path, columns, options, lambda file, schema: rows.batches(record_rows(file, schema), schema))


def by_column(path: Path, columns: tuple[str, ...] = (), **options: Any) -> Outcome:
    """The records of a file by the column."""
    return _outcome(path, columns, options, arrow.record_batches)


def _outcome(path: Path, columns: tuple[str, ...], options: dict[str, Any], read: Any) -> Outcome:
    errors: list[LmparseError] = []
    parsed = read_options(options)
    schema = _schema(parsed.spec, columns)
    dropped = 0
    batches: list[pa.RecordBatch] = []
    try:
        file = open_file(path, parsed, on_error=errors.append)
        try:
            batches.extend(_checked(read(file, schema)))
        finally:
            dropped = file.tally.dropped
    except LmparseError as error:
        errors.append(error)
    return Outcome(pa.Table.from_batches(batches, schema), [_told(error) for error in errors], dropped)


_schemas: dict[tuple[int, tuple[str, ...]], tuple[Spec, pa.Schema]] = {}


def _schema(spec_id: str, columns: tuple[str, ...]) -> pa.Schema:
    """The columns of records, which are made once of each spec: to make them takes as long as to read some records."""
    spec = catalog.load(spec_id)
    key = id(spec), columns
    if key not in _schemas:
        _schemas[key] = spec, schemas.records_schema(spec_id, columns)  # and keeps the spec alive
    return _schemas[key][1]


def _told(error: LmparseError) -> dict[str, Any]:
    return error.to_dict() if isinstance(error, DataError) else {"code": error.code, "message": str(error)}


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
        for one_, other_ in zip(_leaves(name, left), _leaves(name, right), strict=True):
            if not one_[1].equals(other_[1]):
                place = next(n for n in range(count) if one_[1][n] != other_[1][n])
                return f"row {place}, {one_[0]}: {one_[1][place]} and {other_[1][place]}"
    return ""


def _leaves(path: str, array: pa.Array) -> Iterator[tuple[str, pa.Array]]:
    """The columns inside structs; floating point as its bits, so that NaN is NaN and zero is not minus zero."""
    if pa.types.is_struct(array.type):
        yield path, array.is_valid()
        for entry, inner in zip(array.type, array.flatten(), strict=True):
            yield from _leaves(f"{path}.{entry.name}", inner)
    else:
        yield path, array.view(pa.int64()) if pa.types.is_float64(array.type) else array


# -- changes ------------------------------------------------------------------------------


@dataclass
class Changes:
    """What one engine gave of the changes of a log."""

    tables: dict[str, pa.Table]
    """By the identity of the table version."""
    errors: list[dict[str, Any]]
    left_out: dict[str, int]
    dropped: int = 0


def changes(path: Path, engine: str, *, span: Any = None, **options: Any) -> Changes:
    """The changes of a log through one engine, those of each table version as a table."""
    errors: list[LmparseError] = []
    found = Changes({}, [], {})
    by_version: dict[str, list[pa.RecordBatch]] = {}
    try:
        log = open_changes(path, read_options({**options, "engine": engine}), on_error=errors.append)
        try:
            for version, batch in arrow.version_batches(log, span):
                batch.validate(full=True)
                by_version.setdefault(version.identity if version else "", []).append(batch)
        finally:
            found.left_out, found.dropped = dict(log.left_out), log.tally.dropped
    except LmparseError as error:
        errors.append(error)
    found.errors = [_told(error) for error in errors]
    found.tables = {name: pa.Table.from_batches(batches) for name, batches in by_version.items()}
    return found


def one_table(path: Path, engine: str, **options: Any) -> Outcome:
    """The changes of the table that `table` names, all of its versions in one table."""
    errors: list[LmparseError] = []
    log = open_changes(path, read_options({**options, "engine": engine}), on_error=errors.append)
    schema = changes_schema(log.table_versions(), columns=log.options.columns)
    batches: list[pa.RecordBatch] = []
    try:
        batches.extend(_checked(arrow.change_batches(log, schema)))
    except LmparseError as error:
        errors.append(error)
    return Outcome(pa.Table.from_batches(batches, schema), [_told(error) for error in errors], log.tally.dropped)


def changes_difference(one: Changes, other: Changes, *, ends_early: bool = False) -> str:
    """In what two engines differ over changes, in words; empty when in nothing."""
    for what in ("errors", "left_out", "dropped"):
        if getattr(one, what) != getattr(other, what) and not (ends_early and what != "errors"):
            return f"{what}: {getattr(one, what)} and {getattr(other, what)}"
    if one.tables.keys() != other.tables.keys() and not ends_early:
        return f"tables: {[*one.tables]} and {[*other.tables]}"
    for name in one.tables.keys() & other.tables.keys():
        left, right = Outcome(one.tables[name], []), Outcome(other.tables[name], [])
        if said := difference(left, right, ends_early=ends_early):
            return f"{name}: {said}"
    return ""
