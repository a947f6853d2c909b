"""Records and changes as Arrow batches, column-wise if a plan allows it.

Columns of records are the fields of their spec; columns of changes are those of `lmparse changes`. Docs of the specs
become comments.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lmparse.changes.change import Version
from lmparse.changes.log import ChangeLog
from lmparse.changes.rows import VersionBatch, accumulated, joined, version_rows
from lmparse.changes.schemas import changes_schema, version_schema
from lmparse.columnar import schemas
from lmparse.columnar.comparison import compared
from lmparse.columnar.filters import Filter, matching
from lmparse.columnar.record_plan import Decoded, RecordPlan
from lmparse.columnar.rows import Origin, Row, bad_rows, batches, is_full, size_of, to_batch
from lmparse.errors import DataError, LmparseError, OptionError, TableNotFoundError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import Window
from lmparse.logs import envelopes
from lmparse.logs.envelopes import change_batches
from lmparse.logs.families import change_reader, check_changes, family_of, read_options
from lmparse.logs.open import open_file, opened_again
from lmparse.logs.partitions import FilePart, Part, Request, UnreadFile, is_damage
from lmparse.options import Options, check_taken, options_of_changes, truth
from lmparse.records.files import RecordFile, corrupt_field, ignored
from lmparse.records.reader import Record, Wanted
from lmparse.records.settings import FileSettings
from lmparse.spec import catalog
from lmparse.spec.layout import Field
from lmparse.spec.nesting import flat
from lmparse.storage.addresses import in_utf8, path_of
from lmparse.storage.buffers import open_buffer
from lmparse.storage.states import check_all
from lmparse.values.byte_arrays import Flags, Int64s

Inside = list[tuple[Field, Field]]
"""Pairs of a field and a number inside the field that has a column."""
SHOWN_BYTES = 4096
"""Most bytes of an unread part of a file that its row shows; the part may be large."""

# -- records ----------------------------------------------------------------------------


def read_table(path: str | Path, *, filters: Sequence[Filter] = (), metadata: bool = True, **options: Any) -> pa.Table:
    """The records of a file that fulfil all `filters`, as an Arrow table; needs pyarrow.

    `metadata` adds the column `_metadata`. The metadata of the schema have facts about the reading, as for
    `Log.to_table`. Options are those of the command line under their Python names; options for changes raise
    OptionError. Raises FramingError for damaged framing, and EngineDifferenceError where two engines differ with engine
    `check`. Bad records and values are in the columns for them.
    """
    path, filters = path_of("path", path), Filter.all_of(filters)
    named = read_options(options)
    family = family_of(catalog.load(named.spec))
    read = family.record_files if family is not None else ()
    idle = dict.fromkeys((*options_of_changes(options), *(name for name in named.files if name not in read)))
    if idle:
        raise OptionError(f"{', '.join(idle)}: for changes only, and read_table gives records", code="LMP-S003")
    check_taken(options, "records lines", "read_table")
    schema = record_schema(named)
    if not truth("metadata", metadata):
        schema = without_metadata(schema)
    file = open_file(path, named, on_error=ignored)
    return noted(pa.Table.from_batches(by_engines(file, schema, filters=filters), schema), file.tally.to_dict())


def noted(table: pa.Table, found: Mapping[str, Any]) -> pa.Table:
    """A table with facts about its reading, as JSON, in the metadata of its schema."""
    return table.replace_schema_metadata({f"lmparse.{name}": json.dumps(value) for name, value in found.items()})


def by_engines(
    file: RecordFile,
    schema: pa.Schema,
    span: Span | None = None,
    filters: Sequence[Filter] = (),
    *,
    with_changes: bool = False,
    settings: FileSettings | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield the records or changes of a file that match filters, by the engine of the file's options.

    Engine `check` reads with both engines and compares. Raises EngineDifferenceError where they differ.
    """

    def read(source: RecordFile, filters: Sequence[Filter] = ()) -> Iterator[pa.RecordBatch]:
        if with_changes and isinstance(source, ChangeLog):
            return change_batches(source, schema, span, filters)
        return record_batches(source, schema, span, filters)

    if file.options.engine != "check":
        return read(file, filters)
    return matching(compared(read(file), read(opened_again(file, settings))), filters)


def record_batches(
    file: RecordFile, schema: pa.Schema, span: Span | None = None, filters: Sequence[Filter] = ()
) -> Iterator[pa.RecordBatch]:
    """Yield the records of a file that match filters: column-wise if engine and plan allow it, else row by row.

    Irregular records are read one by one and inserted at their places. Values, errors and their order are therefore
    those of `record_rows`. If filters exclude a record, its other columns are not read, except in mode failfast, where
    any bad value ends the reading.
    """
    plan = None if file.options.engine == "kaitai" else plan_of(file)
    names = [name for name in schema.names if name not in schemas.OUTCOMES]
    if plan is None or plan.refusal(names):
        yield from matching(batches(record_rows(file, schema, span), schema), filters)
        return
    deciding = [] if file.options.mode == "failfast" else plan.deciding(filters)
    file.keeps_bad_records = file.options.mode == "permissive"
    origin = Origin(file)
    for window in file.windows(span):
        if deciding:
            numbers, decoded = plan.decode_matching(window, names, deciding)
        else:
            numbers, decoded = np.arange(len(window)), plan.decode(window, names)
        irregular = decoded.irregular | count_unread(file, window, decoded)[numbers]
        if not len(numbers):
            continue
        found = dict(zip(names, decoded.arrays, strict=True))
        made = [
            found[entry.name].cast(entry.type) if entry.name in found else origin.column(entry, window, numbers)
            for entry in schema
        ]
        batch = pa.RecordBatch.from_arrays(made, schema=schema)
        yield from matching(_mended(batch, file, window, numbers, irregular), filters)


def count_unread(file: RecordFile, window: Window, decoded: Decoded) -> Flags:
    """Count the bytes of a window in no field. In mode failfast, flag the records; the parser refuses them."""
    has: Flags = decoded.unread > 0
    if file.refuses_unread or not has.any():
        return has
    file.count_unread(window.extent(int(has.argmax())), int(decoded.unread.sum()), int(has.sum()))
    return np.zeros(len(has), np.bool_)


def plan_of(file: RecordFile) -> RecordPlan:
    """The record plan of a file."""
    family = family_of(file.spec)
    if family is not None and family.record_plan is not None:
        return family.record_plan(file)
    reader = file.reader
    plan = RecordPlan(file.spec, file.code_page, arguments=tuple(map(int, reader.arguments)), labels=reader.labels)
    plan.reason = reader.needs_around or plan.reason
    if reader.parent is not None:
        plan.parent = reader.parent.values
        plan.reason = plan.reason or ("a value around the list is bad" if reader.parent.faults else "")
    return plan


def _mended(
    batch: pa.RecordBatch, file: RecordFile, window: Window, numbers: Int64s, irregular: Flags
) -> Iterator[pa.RecordBatch]:
    """Yield the batch of some records of a window, with irregular records read one by one."""
    inside = parts_inside(file)
    wanted = fields_for(batch.schema, inside)

    def read(number: int) -> list[Row]:
        extent = window.extent(int(numbers[number]))
        record = file.read_extent(extent, wanted)
        return list(bad_rows(file)) if record is None else [record_row(file, extent, record, inside)]

    return with_irregular(batch, irregular, read)


def with_irregular(
    batch: pa.RecordBatch, irregular: Flags, read: Callable[[int], list[Row]]
) -> Iterator[pa.RecordBatch]:
    """Yield a batch with irregular rows replaced by the rows that `read` returns for their numbers.

    The batch is divided where the new rows are enough for a batch, because few bytes of a window may unpack to many. An
    error of `read` is raised after the rows before it.
    """
    rows: list[Row] = []
    order: list[int] = []
    begin, reached, size, fault = 0, len(irregular), 0, None
    for number in np.flatnonzero(irregular).tolist():
        try:
            found = read(number)
        except LmparseError as error:
            reached, fault = number, error
            break
        order += [number] * len(found)
        rows += found
        size += size_of(found)
        if is_full(size):
            yield _with_rows(batch, irregular, range(begin, number + 1), rows, order)
            rows, order, begin, size = [], [], number + 1, 0
    if begin < reached:
        yield _with_rows(batch, irregular, range(begin, reached), rows, order)
    if fault is not None:
        raise fault


def _with_rows(
    batch: pa.RecordBatch, irregular: Flags, part: range, rows: list[Row], order: list[int]
) -> pa.RecordBatch:
    """The regular rows of a part of a batch, and replacing rows, whose numbers in the batch are `order`."""
    regular = np.flatnonzero(~irregular[part.start : part.stop]) + part.start
    if len(regular) == len(batch):
        return batch
    kept = [VersionBatch(None, batch.take(pa.array(regular)), regular)]
    if rows:
        kept.append(VersionBatch(None, to_batch(rows, batch.schema), np.array(order, np.int64)))
    return joined(kept).batch


def record_rows(file: RecordFile, schema: pa.Schema, span: Span | None = None) -> Iterator[Row]:
    """Yield the records of a file as rows for a schema, read by the parser; in mode permissive also bad records."""
    inside = parts_inside(file)
    file.keeps_bad_records = file.options.mode == "permissive"
    try:
        for extent, record in file.read(span, fields_for(schema, inside)):
            yield from bad_rows(file)
            yield record_row(file, extent, record, inside)
    except LmparseError:
        yield from bad_rows(file)  # bad records in front of the damage
        raise
    yield from bad_rows(file)


def parts_inside(file: RecordFile) -> Inside:
    """Fields of a file's records with a number inside that has a column."""
    layouts = file.spec.layouts
    return [(entry, part) for entry in flat(layouts, file.spec.layout) for part in schemas.parts(layouts, entry)]


def fields_for(schema: pa.Schema, inside: Inside) -> Wanted:
    """The fields that the columns of a schema need."""
    whole = {f"{entry.id}_{part.id}": entry.id for entry, part in inside}
    return frozenset(whole.get(name, name) for name in schema.names)


def record_row(file: RecordFile, extent: RecordExtent, record: Record, inside: Inside) -> Row:
    """One record as a row."""
    row: Row = dict(record.values)
    for entry, part in inside:
        raw = record.values.get(entry.id)
        if raw is not None:
            order = file.spec.layouts[entry.type or ""].byte_order(part)
            row[f"{entry.id}_{part.id}"] = int.from_bytes(raw[part.offset : part.end], order)
    row[schemas.CORRUPT_FIELDS] = [corrupt_field(fault) for fault in record.faults] or None
    row["_metadata"] = file.origin.metadata(extent)
    return row


# -- changes ----------------------------------------------------------------------------


def log_batches(log: ChangeLog, schema: pa.Schema, filters: Sequence[Filter] = ()) -> Iterator[pa.RecordBatch]:
    """Yield the changes of a whole log that match filters, as batches of a schema.

    Raises EngineDifferenceError where engines differ (engine `check`), and finally ReadError LMP-F012 if a file has
    changed.
    """
    if log.options.engine == "check" and change_reader(log, schema) is None:
        log.notice("nothing is compared, since changes go row by row")
        yield from change_batches(log, schema, filters=filters)
    else:
        yield from by_engines(log, schema, filters=filters, with_changes=True)
    check_all(log.planned)


def version_batches(log: ChangeLog, span: Span | None = None) -> Iterator[tuple[Version | None, pa.RecordBatch]]:
    """Yield the changes of a log as batches of one table version each; None stands for no version.

    Changes of one version keep their order. Bad records have no version.
    """
    columns = change_reader(log)
    if columns is None:
        by_row = accumulated(version_rows(log, span), lambda row: 1, log.rows_together)
        found = ((version, to_batch(rows, version_schema(log, version))) for version, rows in by_row)
    else:
        found = ((one.version, one.batch) for many in columns.read(span) for one in many)
    for version, kept in accumulated(found, lambda batch: batch.num_rows, log.rows_together):
        yield version, pa.concat_batches(kept)


# -- what a request gives ------------------------------------------------------------------


def request_schema(request: Request) -> pa.Schema:
    """The columns of a request. The versions of one table are collected from all files."""
    if not request.with_changes:
        return record_schema(request.options)
    return changes_of(request.options, request.logs(), ", ".join(request.paths))


def record_schema(options: Options) -> pa.Schema:
    """The columns of records."""
    return schemas.records_schema(options.spec, options.columns, labels=options.enums == "labels", rows=options.rows)


def changes_of(options: Options, logs: Iterable[ChangeLog], shown: str = "") -> pa.Schema:
    """The columns of the changes of logs. The versions of one table are collected from all logs.

    Raises OptionError for a table that no log has; `shown` names the logs.
    """
    versions = None if options.table is None else _table_versions(options.table, logs, shown)
    if options.envelope != "flat":
        return envelopes.schema_of(options, versions)
    docs = check_changes(options).column_docs()
    return changes_schema(versions, header=options.header, columns=options.columns, docs=docs)


def _table_versions(table: str, logs: Iterable[ChangeLog], shown: str) -> list[Version]:
    """The versions of one table in logs. Raises OptionError LMP-C005 for no table, or several, of this name."""
    versions: list[Version] = []
    names, missing, has_logs = set[str](), list[TableNotFoundError](), False
    for log in logs:
        has_logs = True
        try:
            versions.extend(log.table_versions())
        except TableNotFoundError as error:
            missing.append(error)  # not every log has changes of every table
            continue
        names |= log.table_names
    if len(names) > 1:
        text = f"table {table!r} is ambiguous: {', '.join(sorted(names))}"
        raise OptionError(text, code="LMP-C005", hint="name it as SCHEMA.NAME")
    if missing and not versions:
        raise missing[0]
    if not has_logs:
        text = f"there is no log that says which columns table {table!r} has: {shown} has no file that can be read"
        hint = "without table, before and after are JSON text, and no file is needed for the columns"
        raise OptionError(text, code="LMP-C005", hint=hint)
    return versions


def without_metadata(schema: pa.Schema) -> pa.Schema:
    """A schema without the column `_metadata`."""
    return schema.remove(schema.get_field_index("_metadata"))


def part_rows(
    part: Part, schema: pa.Schema, filters: Sequence[Filter] = (), *, with_changes: bool,
    say: Callable[[str], None] = lambda text: None, allows_unread: bool = False,
) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """Yield the rows of one part that match filters, as batches of a schema. Bad values and records are rows.

    In mode permissive, damage in a tolerant part is a row behind all others. `say` gets a text about such damage, and
    about notices of reading, such as bytes in no field. Such bytes are no error if `allows_unread`, whatever the mode.
    Raises EngineDifferenceError where engines differ (engine `check`), and ReadError LMP-F012 if the file differs from
    the planned file, or changes before the last row.
    """
    try:
        if isinstance(part, UnreadFile):
            raise part.error
        file = part.open(on_error=ignored)
        file.refuses_unread &= not allows_unread
        yield from by_engines(file, schema, part.span, filters, with_changes=with_changes, settings=part.settings)
        part.check()  # only now are all rows proven
        for text in () if with_changes else file.tally.notices:
            say(f"{part.path}: {text}")
    except DataError as error:
        if (isinstance(part, FilePart) and not part.is_tolerant) or not is_damage(error, part.path):
            raise
        is_left = isinstance(part, UnreadFile) and not part.start
        how_far = "nothing of it is read" if is_left else "it is read up to there"
        say("; ".join(filter(None, (str(error.at(file=part.path)), error.hint, how_far))))
        if part.options.mode == "permissive":
            yield from matching([to_batch([_row(part, error)], schema)], filters)


def _row(part: Part, error: DataError) -> dict[str, Any]:
    """The row for a part of a file that an error leaves unread, with its place and first bytes.

    The unread part reaches from the damage to the end of the file.
    """
    path = error.file or part.path
    start = error.record_offset or (part.span.start if isinstance(part, FilePart) else 0)
    try:
        buffer = open_buffer(path, part.options.bounds)
        first, size = bytes(buffer[start : start + SHOWN_BYTES]), len(buffer)
    except DataError:
        first, size = b"", 0  # the file cannot be read at all
    spec = catalog.load(part.options.spec, part.options.rows)
    return {
        schemas.CORRUPT_RECORD: first,
        schemas.CORRUPT_FIELDS: [corrupt_field(error)],
        "_metadata": {
            "file": in_utf8(path),
            "record_index": error.record_index,
            "record_offset": start,
            "record_length": max(size - start, 0),
            "spec": spec.id,
            "spec_hash": spec.layout.sha256,
        },
    }
