"""Frames: rows as Arrow batches, with the schema that the layout and the tables give.

Columns of records are the fields of their spec; columns of changes are those that
`lmparse changes` prints, with `before` and `after` as structs when one table is asked
for and as JSON text otherwise. Docs of the specs become comments.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lmparse import catalog, numeric, schemas
from lmparse.change_logs import ChangeLog
from lmparse.changes import HEADER_FIELDS, Change, Described, Version, to_json_row
from lmparse.columns import Plan
from lmparse.errors import FramingError, OptionError, TableNotFoundError
from lmparse.files import RecordFile, corrupt_field
from lmparse.framing import Frame, Span
from lmparse.index import Window, windows
from lmparse.layout import Field
from lmparse.opening import open_file
from lmparse.options import Options
from lmparse.partitions import Part, Request
from lmparse.records import Record, Wanted

BATCH_ROWS = 8192
Row = dict[str, Any]


# -- records ----------------------------------------------------------------------------


def record_rows(file: RecordFile, schema: pa.Schema, span: Span | None = None) -> Iterator[Row]:
    """Rows of the records of a file for a schema; bad records too, in mode permissive."""
    split = _split(file)
    file.keeps_bad_records = file.options.mode == "permissive"
    for frame, record in file.read(span, _wanted(schema, split)):
        yield from _bad_rows(file)
        yield _row(file, frame, record, split)
    yield from _bad_rows(file)


def record_batches(file: RecordFile, schema: pa.Schema, span: Span | None = None) -> Iterator[pa.RecordBatch]:
    """The same rows as batches of a schema: by the column where a plan allows it, else row by row.

    Records that are not regular are read one by one and put where they stand, so that values,
    errors and their order are those of `record_rows`.
    """
    plan = plan_of(file)
    if plan.refusal(schema):
        yield from batches(record_rows(file, schema, span), schema)
        return
    file.keeps_bad_records = file.options.mode == "permissive"
    names = [name for name in schema.names if name not in schemas.OUTCOMES]
    origin = _Origin(file)
    for window in _windows(file, span):
        decoded = plan.decode(window, names)
        found = dict(zip(names, decoded.arrays, strict=True))
        made = [
            found[entry.name].cast(entry.type) if entry.name in found else origin.column(entry, window)
            for entry in schema
        ]
        batch = pa.RecordBatch.from_arrays(made, schema=schema)
        yield _mended(batch, file, window, decoded.irregular) if decoded.irregular.any() else batch


def read_table(path: str | Path, *, metadata: bool = True, **options: Any) -> pa.Table:
    """The records of a file as one table; `metadata` says whether it has the column `_metadata`.

    Options are those of the command line under their Python names. Raises FramingError where
    the file is damaged; bad records and values stand in the columns for them.
    """
    named = Options.parse(options)
    schema = schemas.records_schema(named.spec, named.columns)
    if not metadata:
        schema = schema.remove(schema.get_field_index("_metadata"))
    file = open_file(path, named, on_error=lambda error: None)
    return pa.Table.from_batches(engine_batches(file, schema), schema)


def engine_batches(file: RecordFile, schema: pa.Schema, span: Span | None = None) -> Iterator[pa.RecordBatch]:
    """The records of a file through the engine that its options name."""
    if file.options.engine == "kaitai":
        return batches(record_rows(file, schema, span), schema)
    return record_batches(file, schema, span)


def plan_of(file: RecordFile) -> Plan:
    """Which way the columns of the records of a file go."""
    return Plan(file.spec, file.code_page, end_at=file.header_width, reason=file.row_reason)


def _windows(file: RecordFile, span: Span | None) -> Iterator[Window]:
    span = span or Span(0, len(file.buffer), 0)
    try:
        yield from windows(file.framing, file.buffer, span.start, span.end, span.first_index)
    except FramingError as error:
        error.at(file=file.path)
        raise


def _mended(batch: pa.RecordBatch, file: RecordFile, window: Window, irregular: Any) -> pa.RecordBatch:
    """A batch with irregular records read one by one."""
    rows: list[Row] = []
    order: list[int] = []
    split = _split(file)
    wanted = _wanted(batch.schema, split)
    for number in np.flatnonzero(irregular).tolist():
        frame = window.frame(number)
        record = file.read_frame(frame, wanted)
        found = list(_bad_rows(file)) if record is None else [_row(file, frame, record, split)]
        order += [number] * len(found)
        rows += found
    regular = np.flatnonzero(~irregular)
    if not rows:
        return batch.take(pa.array(regular))
    places = np.concatenate([regular, np.array(order, np.int64)])
    both = pa.concat_batches([batch.take(pa.array(regular)), _batch(rows, batch.schema)])
    return both.take(pa.array(np.argsort(places, kind="stable")))


class _Origin:
    """The columns behind the values of good records: nothing is corrupt, and where they come from."""

    def __init__(self, file: RecordFile) -> None:
        self._constants = (file.path, file.spec.id, file.spec.layout.sha256)

    def column(self, entry: pa.Field, window: Window) -> pa.Array:
        """One of them, for the records of a window."""
        if entry.name != "_metadata":
            return pa.nulls(len(window), entry.type)
        path, spec, sha256 = (pa.repeat(pa.scalar(text, schemas.TEXT), len(window)) for text in self._constants)
        index = np.arange(window.first_index, window.first_index + len(window))
        parts = [path, pa.array(index), pa.array(window.offsets), pa.array(window.lengths), spec, sha256]
        return pa.StructArray.from_arrays(parts, fields=list(schemas.METADATA)).cast(entry.type)


_Split = list[tuple[Field, Field]]


def _split(file: RecordFile) -> _Split:
    """Fields with numbers inside that are columns of their own."""
    layouts = file.spec.layouts
    return [
        (entry, part) for entry in schemas.flat(layouts, file.spec.layout) for part in schemas.parts(layouts, entry)
    ]


def _wanted(schema: pa.Schema, split: _Split) -> Wanted:
    """The fields that the columns of a schema are read from."""
    whole = {f"{entry.id}_{part.id}": entry.id for entry, part in split}
    return frozenset(whole.get(name, name) for name in schema.names)


def _row(file: RecordFile, frame: Frame, record: Record, split: _Split) -> Row:
    row: Row = dict(record.values)
    for entry, part in split:
        raw = record.values.get(entry.id)
        if raw is not None:
            row[f"{entry.id}_{part.id}"] = int.from_bytes(raw[part.offset : part.end], "big")
    row[schemas.CORRUPT_FIELDS] = [corrupt_field(fault) for fault in record.faults] or None
    row["_metadata"] = _metadata(file, frame)
    return row


# -- changes ----------------------------------------------------------------------------


def changes_schema(
    versions: Sequence[Version] | None,
    dec_length: str = "bytes",
    *,
    header: bool = False,
    columns: tuple[str, ...] = (),
) -> pa.Schema:
    """Columns of changes. With the versions of one table, `before` and `after` are structs."""
    layout = catalog.load("bmc_lldf").layout
    image = schemas.TEXT if versions is None else table_type(versions, dec_length, columns)
    head = [
        (
            "op",
            schemas.TEXT,
            "I insert, U update, D delete, M mass delete, T truncate, X exchange, S status, C command, O object",
        ),
        ("seq", schemas.TEXT, "sorts as commit order"),
        ("txn_id", schemas.TEXT, "member and RBA of the unit of recovery"),
        ("commit_ts", schemas.MICROS, layout["uor_commit_timestamp"].doc),
        ("ts", schemas.MICROS, layout["timestamp"].doc),
        ("schema_name", schemas.TEXT, "owner of the table"),
        ("table_name", schemas.TEXT, "name of the table"),
        ("table_name_short", pa.bool_(), "true when only the short form of owner or name is known"),
        ("before", image, "the row before the change"),
        ("after", image, "the row after the change"),
        *((name, schemas.TEXT, layout[name].doc) for name in HEADER_FIELDS),
        ("detail", schemas.TEXT, "what an operation has more to say, JSON"),
    ]
    fields = [schemas.commented(*entry) for entry in head]
    if header:
        fields.append(schemas.commented("header", schemas.TEXT, "every field of the header, JSON"))
    return pa.schema([*fields, *schemas.outcome_fields()])


def change_rows(log: ChangeLog, schema: pa.Schema, span: Span | None = None) -> Iterator[Row]:
    """Rows of the changes of a log for `changes_schema`; bad records too, in mode permissive."""
    is_struct = any(pa.types.is_struct(entry.type) for entry in schema if entry.name in ("before", "after"))
    log.keeps_bad_records = log.options.mode == "permissive"
    for change in log.typed_changes(span):
        yield from _bad_rows(log)
        yield _change_row(log, change, is_struct)
    yield from _bad_rows(log)


def _change_row(log: ChangeLog, change: Change, is_struct: bool) -> Row:
    row: Row = change.to_row(log.origin, header=log.options.header)
    texts = to_json_row(row)
    row["table_name_short"] = row.get("table_name_short", False)
    row["detail"] = _json_text(texts["detail"])
    if "header" in row:
        row["header"] = _json_text(texts["header"])
    if not is_struct:
        row |= {role: _json_text(texts[role]) for role in ("before", "after")}
    return row


def version_schema(log: ChangeLog, version: Version | None) -> pa.Schema:
    """Columns of the changes that are of one version of a table, or of none."""
    options = log.options
    if version is None:
        return changes_schema(None, header=options.header)
    known = {column.name for column in version.columns}
    columns = tuple(name for name in options.columns if name in known)
    return changes_schema([version], log.dec_length, header=options.header, columns=columns)


def version_batches(log: ChangeLog, span: Span | None = None) -> Iterator[tuple[Version | None, pa.RecordBatch]]:
    """The changes of a log as batches, each of one version of a table; None for what is of no version.

    Those of one version keep their order. Bad records stand among those of no version.
    """
    held: dict[int, tuple[Version | None, pa.Schema, list[Row]]] = {}

    def hold(version: Version | None, row: Row) -> Iterator[tuple[Version | None, pa.RecordBatch]]:
        if id(version) not in held:
            held[id(version)] = version, version_schema(log, version), []
        _, schema, rows = held[id(version)]
        rows.append(row)
        if len(rows) == BATCH_ROWS:
            yield version, _batch(rows, schema)
            rows.clear()

    log.keeps_bad_records = log.options.mode == "permissive"
    for change in log.typed_changes(span):
        for row in _bad_rows(log):
            yield from hold(None, row)
        yield from hold(change.table, _change_row(log, change, is_struct=change.table is not None))
    for row in _bad_rows(log):
        yield from hold(None, row)
    for version, schema, rows in held.values():
        if rows:
            yield version, _batch(rows, schema)


def _bad_rows(file: RecordFile) -> Iterator[Row]:
    for frame, error in file.bad_records:
        yield {
            schemas.CORRUPT_RECORD: frame.read(file.buffer),
            schemas.CORRUPT_FIELDS: [corrupt_field(error)],
            "_metadata": _metadata(file, frame),
        }
    file.bad_records.clear()


def _metadata(file: RecordFile, frame: Frame) -> Row:
    return {
        "file": file.path,
        "record_index": frame.index,
        "record_offset": frame.offset,
        "record_length": frame.length,
        "spec": file.spec.id,
        "spec_hash": file.spec.layout.sha256,
    }


def table_type(versions: Sequence[Version], dec_length: str, columns: tuple[str, ...] = ()) -> pa.StructType:
    """One struct for all versions of a table: their union in column-number order, or some columns.

    Integers and decimals are widened, columns that a version lacks are null. Raises
    OptionError LMP-C008 for two types that have nothing in common, naming both.
    """
    found: dict[str, tuple[Described, Version, pa.DataType]] = {}
    for version in sorted(versions, key=lambda entry: entry.sequence):
        for column in version.columns:
            type_ = column_type(column, dec_length)
            if column.name in found:
                known, owner, before = found[column.name]
                merged = schemas.widened(before, type_)
                if merged is None:
                    raise OptionError(
                        f"column {column.name} is {before} in {owner.identity} and {type_} in {version.identity}",
                        code="LMP-C008", hint="pick one version with tableVersion",
                    )  # fmt: skip
                found[column.name] = (known, owner, merged)
            else:
                found[column.name] = (column, version, type_)
    for name in columns:
        if name not in found:
            raise OptionError(f"columns: there is no column {name!r} in the table", hint=", ".join(found))
    ordered = sorted(found.values(), key=lambda entry: entry[0].number)
    ordered = [entry for entry in ordered if not columns or entry[0].name in columns]
    return pa.struct([pa.field(column.name, type_) for column, _, type_ in ordered])


def column_type(column: Described, dec_length: str) -> pa.DataType:
    """The Arrow type of a column."""
    form = column.form
    if form == "int":
        return {2: pa.int16(), 4: pa.int32(), 8: pa.int64()}[column.length]
    if form == "decimal":
        precision = max(column.precision(dec_length), column.scale)
        return pa.decimal128(precision, column.scale) if precision <= 38 else schemas.TEXT
    if form == "absent":
        return pa.binary() if column.type == "BLOB" else schemas.TEXT
    types = {
        "float": pa.float64(),
        "boolean": pa.bool_(),
        "text": schemas.TEXT,
        "date": pa.date32(),
        "timestamp": schemas.MICROS,
        "bytes": pa.binary(),
        "raw": pa.binary(),
    }
    return types.get(form, schemas.TEXT)


# -- what a request gives ------------------------------------------------------------------


def request_schema(request: Request) -> pa.Schema:
    """The columns of a request. For one table its versions are gathered from all files."""
    options = request.options
    if not request.with_changes:
        return schemas.records_schema(options.spec, options.columns)
    if options.table is None:
        return changes_schema(None, header=options.header)
    versions: list[Version] = []
    dec_length, names, missing = "", set[str](), []
    for path, named in request.files():
        log = open_file(path, named)
        assert isinstance(log, ChangeLog)
        try:
            versions.extend(log.table_versions())
        except TableNotFoundError as error:
            missing.append(error)  # a log among many need not have changes of every table
            continue
        names |= log.table_names
        dec_length = dec_length or log.dec_length
    if not versions and missing:
        raise missing[0]
    if len(names) > 1:
        raise OptionError(
            f"table {options.table!r} is ambiguous: {', '.join(sorted(names))}",
            code="LMP-C005",
            hint="name it as SCHEMA.NAME",
        )
    return changes_schema(versions, dec_length, header=options.header, columns=options.columns)


def part_batches(part: Part, schema: pa.Schema, *, with_changes: bool) -> Iterator[pa.RecordBatch]:
    """The rows of one part as batches of a schema. Errors of single values and records are rows."""
    file = part.open(on_error=lambda error: None)
    if with_changes and isinstance(file, ChangeLog):
        return batches(change_rows(file, schema, part.span), schema)
    return engine_batches(file, schema, part.span)


# -- both -------------------------------------------------------------------------------


def batches(rows: Iterable[Row], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Rows as batches of at most BATCH_ROWS rows; a column that a row lacks is null."""
    collected: list[Row] = []
    for row in rows:
        collected.append(row)
        if len(collected) == BATCH_ROWS:
            yield _batch(collected, schema)
            collected = []
    if collected:
        yield _batch(collected, schema)


def _batch(rows: list[Row], schema: pa.Schema) -> pa.RecordBatch:
    arrays = [pa.array([fit(row.get(entry.name)) for row in rows], entry.type)
              for entry, fit in ((entry, _fitting(entry.type)) for entry in schema)]  # fmt: skip
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fitting(type_: pa.DataType) -> Callable[[Any], Any]:
    """What brings a typed value into the form that Arrow takes for a column of a table."""
    if pa.types.is_struct(type_):
        inner = {entry.name: _fitting(entry.type) for entry in type_}
        return lambda value: None if value is None else {name: fit(value.get(name)) for name, fit in inner.items()}
    if pa.types.is_date32(type_):
        return lambda value: numeric.date_days(value) if isinstance(value, str) else value
    if pa.types.is_timestamp(type_):
        return lambda value: _iso_micros(value) if isinstance(value, str) else value
    if pa.types.is_string(type_):
        return lambda value: value if value is None or isinstance(value, str) else _text(value)
    return lambda value: value


def _iso_micros(text: str) -> int:
    # Digits finer than microseconds are cut off; header timestamps have more than the text form may.
    return numeric.timestamp_micros(text[:10] + "-" + text[11:26].replace(":", "."))


def _text(value: Any) -> str:
    shown = to_json_row({"value": value})["value"]
    return json.dumps(shown, ensure_ascii=False) if isinstance(shown, dict | list) else str(shown)


def _json_text(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)
