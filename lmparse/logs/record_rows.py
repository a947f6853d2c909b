"""Record rows: the records of a file one by one, by the generated parser, as rows of a schema."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from lmparse.columnar import schemas
from lmparse.columnar.rows import Row, bad_rows
from lmparse.errors import LmparseError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.records.files import RecordFile, corrupt_field
from lmparse.records.reader import Record, Wanted
from lmparse.spec.layout import Field
from lmparse.spec.nesting import flat

Inside = list[tuple[Field, Field]]
"""Pairs of a field and a number inside it that is a column of its own."""


def record_rows(file: RecordFile, schema: pa.Schema, span: Span | None = None) -> Iterator[Row]:
    """Rows of the records of a file for a schema; in mode permissive also of bad records."""
    inside = parts_inside(file)
    file.keeps_bad_records = file.options.mode == "permissive"
    try:
        for extent, record in file.read(span, fields_for(schema, inside)):
            yield from bad_rows(file)
            yield record_row(file, extent, record, inside)
    except LmparseError:
        yield from bad_rows(file)  # they are before the damage
        raise
    yield from bad_rows(file)


def parts_inside(file: RecordFile) -> Inside:
    """Fields of a file's records with numbers inside that are columns of their own."""
    layouts = file.spec.layouts
    return [(entry, part) for entry in flat(layouts, file.spec.layout) for part in schemas.parts(layouts, entry)]


def fields_for(schema: pa.Schema, inside: Inside) -> Wanted:
    """The fields from which the columns of a schema are read."""
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
