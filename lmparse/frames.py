"""Frames: rows as Arrow batches, with the schema that the layout and the tables give.

Columns of records are the fields of their spec; columns of changes are those that
`lmparse changes` prints, with `before` and `after` as structs when one table is asked
for and as JSON text otherwise. Docs of the specs become comments.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from lmparse import catalog, numeric
from lmparse.change_logs import ChangeLog
from lmparse.changes import HEADER_FIELDS, Described, Version, to_json_row
from lmparse.errors import OptionError, TableNotFoundError
from lmparse.files import RecordFile, corrupt_field
from lmparse.framing import Frame, Span
from lmparse.layout import Field, Layout
from lmparse.opening import open_file
from lmparse.partitions import Part, Request

BATCH_ROWS = 8192
_TEXT = pa.string()
_MICROS = pa.timestamp("us")
_CORRUPT = pa.list_(
    pa.struct([("path", _TEXT), ("offset", pa.int64()), ("raw", _TEXT), ("code", _TEXT), ("message", _TEXT)])
)
_METADATA = pa.struct(
    [
        ("file", _TEXT),
        ("record_index", pa.int64()),
        ("record_offset", pa.int64()),
        ("record_length", pa.int64()),
        ("spec", _TEXT),
        ("spec_hash", _TEXT),
    ]
)
_CORRUPT_FIELDS = "_corrupt_fields"
_CORRUPT_RECORD = "_corrupt_record"
Row = dict[str, Any]


# -- records ----------------------------------------------------------------------------


def records_schema(spec_id: str, columns: tuple[str, ...] = ()) -> pa.Schema:
    """Columns of the records of a spec, or some of them, with `_metadata` and what was corrupt."""
    spec = catalog.load(spec_id)
    fields: dict[str, pa.Field] = {}
    if spec.has_kind:
        fields[catalog.KIND] = _commented(catalog.KIND, _TEXT, "spec and word of what the record is")
    for entry in _flat(spec.layouts, spec.layout):
        field = _arrow_field(spec.layouts, entry)
        known = fields.setdefault(entry.id, field)
        if known.type != field.type:
            fields[entry.id] = known.with_type(_common(known.type, field.type))
        for part in _parts(spec.layouts, entry):
            fields.setdefault(f"{entry.id}_{part.id}", _commented(f"{entry.id}_{part.id}", pa.int64(), part.doc))
    for name in columns:
        if name not in fields:
            raise OptionError(f"columns: there is no field {name!r} in {spec.id}")
    wanted = [fields[name] for name in columns] if columns else list(fields.values())
    return pa.schema([*wanted, *_outcome_fields()])


def record_rows(file: RecordFile, span: Span | None = None) -> Iterator[Row]:
    """Rows of the records of a file for `records_schema`; bad records too, in mode permissive."""
    layouts = file.spec.layouts
    split = [(entry, part) for entry in _flat(layouts, file.spec.layout) for part in _parts(layouts, entry)]
    file.keeps_bad_records = file.options.mode == "permissive"
    for frame, record in file.read(span):
        yield from _bad_rows(file)
        row: Row = dict(record.values)
        for entry, part in split:
            raw = record.values.get(entry.id)
            if raw is not None:
                row[f"{entry.id}_{part.id}"] = int.from_bytes(raw[part.offset : part.end], "big")
        row[_CORRUPT_FIELDS] = [corrupt_field(fault) for fault in record.faults] or None
        row["_metadata"] = _metadata(file, frame)
        yield row
    yield from _bad_rows(file)


def _flat(layouts: Any, layout: Layout) -> Iterator[Field]:
    """The fields of a record; those of every record it may be, when a code in it decides."""
    for entry in layout:
        if entry.kind == "body":
            for case in entry.cases:
                yield from _flat(layouts, layouts[case])
        else:
            yield entry


def _common(first: pa.DataType, second: pa.DataType) -> pa.DataType:
    """A type for a field that has two in different kinds of records: the wider number, else text."""
    numbers = [type_ for type_ in (first, second) if pa.types.is_integer(type_) or pa.types.is_decimal(type_)]
    if len(numbers) < 2:
        return _TEXT
    return _widened(first, second) or max(numbers, key=pa.types.is_decimal)


def _parts(layouts: Any, entry: Field) -> list[Field]:
    """Numbers inside a field that is shown as bytes, such as page and row of a RID."""
    if entry.kind != "bytes" or entry.type is None:
        return []
    return [part for part in layouts[entry.type] if part.kind == "uint"]


def _arrow_field(layouts: Any, entry: Field) -> pa.Field:
    return _commented(entry.id, _arrow_type(layouts, entry), entry.doc)


def _arrow_type(layouts: Any, entry: Field) -> pa.DataType:
    width = entry.width or 1
    if entry.kind == "struct":
        inner = [_arrow_field(layouts, part) for part in layouts[entry.type]] if entry.type else []
        return pa.list_(pa.struct(inner)) if entry.repeated else pa.struct(inner)
    if entry.kind == "uint":
        return (
            pa.int16() if width < 2 else pa.int32() if width < 4 else pa.int64() if width < 8 else pa.decimal128(20, 0)
        )
    if entry.kind == "int":
        return pa.int16() if width <= 2 else pa.int32() if width <= 4 else pa.int64()
    if entry.kind == "float":
        return pa.float64()
    if entry.kind in ("char", "code", "hextext"):
        return _TEXT
    if entry.kind == "decimaltext":
        return pa.int64()
    return _MICROS if entry.kind == "timestamp17" else pa.binary()


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
    image = _TEXT if versions is None else table_type(versions, dec_length, columns)
    head = [
        (
            "op",
            _TEXT,
            "I insert, U update, D delete, M mass delete, T truncate, X exchange, S status, C command, O object",
        ),
        ("seq", _TEXT, "sorts as commit order"),
        ("txn_id", _TEXT, "member and RBA of the unit of recovery"),
        ("commit_ts", _MICROS, layout["uor_commit_timestamp"].doc),
        ("ts", _MICROS, layout["timestamp"].doc),
        ("schema_name", _TEXT, "owner of the table"),
        ("table_name", _TEXT, "name of the table"),
        ("table_name_short", pa.bool_(), "true when only the short form of owner or name is known"),
        ("before", image, "the row before the change"),
        ("after", image, "the row after the change"),
        *((name, _TEXT, layout[name].doc) for name in HEADER_FIELDS),
        ("detail", _TEXT, "what an operation has more to say, JSON"),
    ]
    fields = [_commented(*entry) for entry in head]
    if header:
        fields.append(_commented("header", _TEXT, "every field of the header, JSON"))
    return pa.schema([*fields, *_outcome_fields()])


def change_rows(log: ChangeLog, schema: pa.Schema, span: Span | None = None) -> Iterator[Row]:
    """Rows of the changes of a log for `changes_schema`; bad records too, in mode permissive."""
    is_struct = any(pa.types.is_struct(entry.type) for entry in schema if entry.name in ("before", "after"))
    log.keeps_bad_records = log.options.mode == "permissive"
    for row in log.rows(span):
        yield from _bad_rows(log)
        texts = to_json_row(row)
        row["table_name_short"] = row.get("table_name_short", False)
        row["detail"] = _json_text(texts["detail"])
        if "header" in row:
            row["header"] = _json_text(texts["header"])
        if not is_struct:
            row |= {role: _json_text(texts[role]) for role in ("before", "after")}
        yield row
    yield from _bad_rows(log)


def _bad_rows(file: RecordFile) -> Iterator[Row]:
    for frame, error in file.bad_records:
        yield {
            _CORRUPT_RECORD: frame.read(file.buffer),
            _CORRUPT_FIELDS: [corrupt_field(error)],
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
                merged = _widened(before, type_)
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
        return pa.decimal128(precision, column.scale) if precision <= 38 else _TEXT
    if form == "absent":
        return pa.binary() if column.type == "BLOB" else _TEXT
    types = {
        "float": pa.float64(),
        "boolean": pa.bool_(),
        "text": _TEXT,
        "date": pa.date32(),
        "timestamp": _MICROS,
        "bytes": pa.binary(),
        "raw": pa.binary(),
    }
    return types.get(form, _TEXT)


def _widened(first: pa.DataType, second: pa.DataType) -> pa.DataType | None:
    if first == second:
        return first
    if pa.types.is_integer(first) and pa.types.is_integer(second):
        return max(first, second, key=lambda type_: type_.bit_width)
    if pa.types.is_decimal(first) and pa.types.is_decimal(second):
        scale = max(first.scale, second.scale)
        whole = max(first.precision - first.scale, second.precision - second.scale)
        return pa.decimal128(whole + scale, scale) if whole + scale <= 38 else None
    return None


# -- what a request gives ------------------------------------------------------------------


def request_schema(request: Request) -> pa.Schema:
    """The columns of a request. For one table its versions are gathered from all files."""
    options = request.options
    if not request.with_changes:
        return records_schema(options.spec, options.columns)
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
    rows = (
        change_rows(file, schema, part.span)
        if with_changes and isinstance(file, ChangeLog)
        else record_rows(file, part.span)
    )
    return batches(rows, schema)


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
    return numeric.timestamp_micros(text[:10] + "-" + text[11:].replace(":", "."))


def _text(value: Any) -> str:
    shown = to_json_row({"value": value})["value"]
    return json.dumps(shown, ensure_ascii=False) if isinstance(shown, dict | list) else str(shown)


def _json_text(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


def _commented(name: str, type_: pa.DataType, doc: str) -> pa.Field:
    return pa.field(name, type_, metadata={"comment": " ".join(doc.split())} if doc else None)


def _outcome_fields() -> list[pa.Field]:
    return [
        _commented(_CORRUPT_RECORD, pa.binary(), "the bytes of a record that could not be read"),
        _commented(_CORRUPT_FIELDS, _CORRUPT, "values that could not be decoded; they are null"),
        _commented("_metadata", _METADATA, "where the row comes from"),
    ]
