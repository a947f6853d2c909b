"""Envelopes of a log: flat changes, read by the engine of the options and put into the envelope of the options.

`change_batches` makes all batches of changes; `lines` makes the text that commands print.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.change import Version
from lmparse.changes.envelopes import Enveloper, check_names, check_zone, envelope_schema, image_type
from lmparse.changes.log import ChangeLog
from lmparse.changes.rows import are_structs, version_rows
from lmparse.changes.schemas import table_type
from lmparse.columnar import json_texts, schemas
from lmparse.columnar.comparison import compared
from lmparse.columnar.filters import Filter, matching
from lmparse.columnar.json_texts import as_text
from lmparse.columnar.rows import batches
from lmparse.columnar.schemas import TEXT
from lmparse.errors import OptionError
from lmparse.framing.extents import Span
from lmparse.logs.families import change_reader, check_changes
from lmparse.logs.open import opened_again
from lmparse.options import Options
from lmparse.version import VERSION


def schema_of(options: Options, versions: Sequence[Version] | None) -> pa.Schema:
    """The columns of the envelope in options: for the versions of one table its columns, else images as JSON.

    Raises OptionError for an impossible combination.
    """
    check_versions(options, versions or ())
    image = TEXT if versions is None else table_type(versions, options.columns)
    return envelope_schema(options.envelope, image)


def check_versions(options: Options, versions: Sequence[Version]) -> None:
    """Raise OptionError if an envelope cannot be made for some table versions."""
    for name in (name for version in versions for name in version.key):
        if options.columns and name not in options.columns:
            text = f"columns leaves out {name} of the key, which envelope {options.envelope} needs"
            raise OptionError(text, hint=f"name {name} too")


def _enveloper(log: ChangeLog, image: pa.DataType) -> Enveloper:
    """The enveloper by a log's options, for flat changes with images of a type.

    `log.left_out` counts changes without a form in the envelope.
    """
    options = log.options
    form = check_changes(options).seq_form
    maker = Enveloper(options.envelope, image, seq_form=form, zone=_zone(options), version=VERSION)
    maker.left_out = log.left_out
    return maker


def flat_batches(
    log: ChangeLog, schema: pa.Schema, span: Span | None = None, filters: Sequence[Filter] = ()
) -> Iterator[pa.RecordBatch]:
    """Yield flat changes of a log, column-wise if its family can; readers may skip what `filters` exclude."""
    columns = change_reader(log, schema, filters)
    if columns is None:
        rows = (row for _, row in version_rows(log, span, are_structs(schema)))
        yield from batches(rows, schema, log.rows_together)
        return
    for found in columns.read(span):
        yield from (one.batch for one in found if one.batch.num_rows)


def change_batches(
    log: ChangeLog, schema: pa.Schema, span: Span | None = None, filters: Sequence[Filter] = ()
) -> Iterator[pa.RecordBatch]:
    """Yield the changes of a log that match filters, by the envelope and engine of the log's options.

    The columns are those of a schema: all columns of the envelope, or some of them.
    """
    if log.options.envelope == "flat":
        yield from matching(flat_batches(log, schema, span, filters), filters)
        return
    image = TEXT if log.options.table is None else image_type(schema, log.options.envelope)
    maker = _enveloper(log, image)
    for batch in filter(len, map(maker.rows, flat_batches(log, maker.flat, span))):
        columns = ((batch.column(entry.name), entry.type) for entry in schema)
        arrays = [array if array.type == type_ else array.cast(type_) for array, type_ in columns]
        yield from matching([pa.RecordBatch.from_arrays(arrays, schema=schema)], filters)


def check_log(log: ChangeLog) -> None:
    """Raise OptionError if the envelope in a log's options cannot be made as JSON lines."""
    options = log.options
    versions = log.all_versions() if options.table is None else log.table_versions()
    check_versions(options, versions)
    if options.table is not None and options.envelope != "debezium":
        names = [column.name for version in versions for column in version.columns]
        check_names([name for name in names if not options.columns or name in options.columns], options.envelope)
    if options.envelope == "debezium" and _zone(options) is None:
        log.notice("ts_ms is null: the time zone of the log's times is not known; sourceTimeZone names it")


def _zone(options: Options) -> str | None:
    """The zone of commit times; None if unknown. Raises OptionError for a zone that does not exist."""
    if options.source_time_zone is not None:
        check_zone(options.source_time_zone)
        return options.source_time_zone
    return check_changes(options).commit_zone


def lines(log: ChangeLog) -> Iterator[str]:
    """Yield the changes of a log in their envelope as JSON, many lines at a time.

    Raises EngineDifferenceError where engines differ (engine `check`). Raises OptionError for an impossible envelope,
    and as `ChangeLog.typed_changes` does.
    """
    check_log(log)
    found = _read(log)
    if log.options.engine == "check":
        found = compared(found, _read(opened_again(log)))
    for batch in found:
        text = json_texts.harmless(_lines(batch, log.options.envelope, is_flat=log.options.table is not None))
        yield "".join(text.to_pylist())


def _read(log: ChangeLog) -> Iterator[pa.RecordBatch]:
    """Yield changes in their envelope with images as JSON text. Bad records are reported, and have no rows."""
    maker = _enveloper(log, TEXT)
    for batch in flat_batches(log, maker.flat):
        bad = batch.column(schemas.CORRUPT_RECORD)
        log.tally.kept -= len(bad) - bad.null_count
        made = maker.rows(batch if bad.null_count == len(bad) else batch.filter(bad.is_null()))
        if len(made):
            yield made


def _lines(batch: pa.RecordBatch, envelope: str, *, is_flat: bool) -> pa.Array:
    """Rows with images as JSON text, as JSON lines; `is_flat` puts the columns of the image among the others."""
    count = batch.num_rows
    raw = {"before", "after", "message", "row"}
    omitted = {schemas.CORRUPT_RECORD} | ({"_metadata"} if envelope == "debezium" else set())
    columns: dict[str, tuple[json_texts.Part, bool]] = {}
    for name in batch.schema.names:
        array = batch.column(name)
        if name in omitted or (is_flat and name in ("schema_name", "table_name", "row")):
            continue
        is_missing = name == schemas.CORRUPT_FIELDS or (name == "message" and array.null_count > 0)
        if pa.types.is_nested(array.type) or (name not in raw and array.null_count == len(array)):
            array = as_text(array)
        elif name not in raw:
            array = json_texts.values(as_text(array) if pa.types.is_timestamp(array.type) else array)
        columns[name] = array, is_missing
    if not is_flat or envelope == "debezium":
        return json_texts.joined([*json_texts.members(columns), "\n"], count)
    image = pc.fill_null(pc.utf8_slice_codeunits(batch.column("row"), 0, -1), "{")
    lead = pc.if_else(pc.equal(image, "{"), image, pc.binary_join_element_wise(image, ", ", ""))
    parts = json_texts.members(columns)
    first = parts[0]
    assert isinstance(first, str)
    assert first.startswith("{")
    return json_texts.joined([lead, first[1:], *parts[1:], "\n"], count)


def rows(log: ChangeLog) -> Iterator[dict[str, Any]]:
    """Yield the changes of a log in their envelope, as `lines` prints them."""
    for text in lines(log):
        yield from map(json.loads, text.splitlines())
