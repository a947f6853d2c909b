"""Schemas: the Arrow columns of the records of a spec; the docs of fields become comments of columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from lmparse.errors import OptionError
from lmparse.spec import catalog
from lmparse.spec.catalog import PARENT, Spec
from lmparse.spec.kind_words import MAX_DIGITS, common_digits
from lmparse.spec.layout import Field, Layout
from lmparse.spec.nesting import flat, json_reason
from lmparse.values import kinds
from lmparse.values.sql_types import TableColumn

TEXT = pa.string()
MICROS = pa.timestamp("us")
_TYPES = {
    "float": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": MICROS,
    "bytes": pa.binary(),
    "raw": pa.binary(),
}
"""Arrow types by the form of a table column; columns of other forms are text."""
_FEW = 12
"""Words of an enumeration up to which the comment of a column lists them."""
_INTEGER_DIGITS = {16: 5, 32: 10, 64: 19}
"""Decimal digits of integers by their bits."""
CORRUPT = pa.list_(
    pa.struct([("path", TEXT), ("offset", pa.int64()), ("raw", TEXT), ("code", TEXT), ("message", TEXT)])
)
METADATA = pa.struct(
    [
        ("file", TEXT),
        ("record_index", pa.int64()),
        ("record_offset", pa.int64()),
        ("record_length", pa.int64()),
        ("spec", TEXT),
        ("spec_hash", TEXT),
    ]
)
CORRUPT_FIELDS = "_corrupt_fields"
CORRUPT_RECORD = "_corrupt_record"
OUTCOMES = (CORRUPT_RECORD, CORRUPT_FIELDS, "_metadata")
"""Columns about the record, behind the columns of its values."""


def records_schema(
    spec_id: str, columns: tuple[str, ...] = (), *, labels: bool = True, rows: str | None = None
) -> pa.Schema:
    """The columns of the records of a spec, or the named ones, and the OUTCOMES; with `rows`, of the items of a list.

    `labels`: whether numbers of an enumeration become its words. Raises OptionError for an unknown column.
    """
    spec = catalog.load(spec_id, rows)
    fields = columns_of(spec.layouts, spec.layout, has_kind=spec.has_kind, labels=labels)
    if (parent := parent_field(spec, labels=labels)) and PARENT in columns:
        fields[PARENT] = parent
    for name in columns:
        if name not in fields:
            raise OptionError(f"columns: there is no field {name!r} in {spec.id}")
    wanted = [fields[name] for name in columns] if columns else list(fields.values())
    return pa.schema([*wanted, *outcome_fields()])


def parent_field(spec: Spec, *, labels: bool) -> pa.Field | None:
    """The column PARENT of the items of a list. None if the list has no fields in front, or records are no items."""
    found: pa.Field | None = None
    for layout in spec.parents:
        members: dict[str, pa.Field] = {} if found is None else {PARENT: found}
        for entry in flat(spec.layouts, layout):
            _put(members, _arrow_field(spec.layouts, entry, labels))
        if members:
            found = commented(PARENT, pa.struct(list(members.values())), f"fields of {layout.id} in front of the list")
    return found


def columns_of(
    layouts: Mapping[str, Layout], layout: Layout, *, has_kind: bool, labels: bool = True
) -> dict[str, pa.Field]:
    """The columns of the records of a layout by name; with `has_kind`, the column KIND comes first."""
    fields: dict[str, pa.Field] = {}
    if has_kind:
        fields[catalog.KIND] = commented(catalog.KIND, TEXT, "spec and word of what the record is")
    for entry in flat(layouts, layout):
        _put(fields, _arrow_field(layouts, entry, labels))
        for part in parts(layouts, entry):
            fields.setdefault(f"{entry.id}_{part.id}", commented(f"{entry.id}_{part.id}", pa.int64(), part.doc))
    return fields


def _put(fields: dict[str, pa.Field], field: pa.Field) -> None:
    """Add a column. Two kinds of records may have fields of one name: their column has the type for both."""
    known = fields.setdefault(field.name, field)
    if known.type != field.type:
        fields[field.name] = known.with_type(common(known.type, field.type))


def common(first: pa.DataType, second: pa.DataType) -> pa.DataType:
    """The type for values of both types: a number type that holds both, else text."""
    found = widened(
        *(
            _as_decimal(type_) if pa.types.is_decimal(other) else type_
            for type_, other in ((first, second), (second, first))
        )
    )
    return TEXT if found is None else found


def _as_decimal(type_: pa.DataType) -> pa.DataType:
    """The decimal type that holds an integer type; other types are returned unchanged."""
    return pa.decimal128(_INTEGER_DIGITS[type_.bit_width], 0) if pa.types.is_integer(type_) else type_


def parts(layouts: Any, entry: Field) -> list[Field]:
    """The numbers inside a field that is shown as bytes, such as page and row of a RID."""
    if entry.kind != "bytes" or entry.type is None:
        return []
    return [part for part in layouts[entry.type] if part.kind == "uint"]


def _arrow_field(layouts: Any, entry: Field, labels: bool) -> pa.Field:
    words = ", ".join(code.id for code in entry.codes)
    is_listed = labels and entry.is_labelled and len(entry.codes) <= _FEW
    return commented(entry.id, arrow_type(layouts, entry, labels), f"{entry.doc} ({words})" if is_listed else entry.doc)


def arrow_type(layouts: Any, entry: Field, labels: bool = False) -> pa.DataType:
    """The Arrow type of the column of a field."""
    one = _item_type(layouts, entry, labels)
    return pa.list_(one) if entry.repeated else one


def _item_type(layouts: Any, entry: Field, labels: bool) -> pa.DataType:
    if json_reason(layouts, entry) or (labels and entry.is_labelled):
        return TEXT
    if entry.kind == "switch":
        return pa.struct([_arrow_field(layouts, choice, labels) for choice in entry.choices])
    if entry.kind == "struct":
        members: dict[str, pa.Field] = {}
        for part in flat(layouts, layouts[entry.type or ""]):
            _put(members, _arrow_field(layouts, part, labels))
        return pa.struct(list(members.values()))
    name = kinds.column_type(entry.kind, entry.width or entry.number_width, entry.bits, entry.scale)
    if name.startswith("decimal"):
        # Arrow has no aliases for decimal types.
        return pa.decimal128(*map(int, name[len("decimal(") : -1].split(",")))
    return pa.type_for_alias(name)


def column_type(column: TableColumn) -> pa.DataType:
    """The Arrow type of a column of a table."""
    form = column.form
    if form == "int":
        return {2: pa.int16(), 4: pa.int32(), 8: pa.int64()}[column.length]
    if form == "decimal":
        precision = max(column.precision, column.scale)
        return pa.decimal128(precision, column.scale) if precision <= MAX_DIGITS else TEXT
    if form == "absent":
        return pa.binary() if column.type == "BLOB" else TEXT
    return _TYPES.get(form, TEXT)


def widened(first: pa.DataType, second: pa.DataType) -> pa.DataType | None:
    """The number type that holds both number types; None if there is none."""
    if first == second:
        return first
    if pa.types.is_integer(first) and pa.types.is_integer(second):
        return max(first, second, key=lambda type_: type_.bit_width)
    if pa.types.is_decimal(first) and pa.types.is_decimal(second):
        found = common_digits((first.precision, first.scale), (second.precision, second.scale))
        return None if found is None else pa.decimal128(*found)
    return None


def commented(name: str, type_: pa.DataType, doc: str) -> pa.Field:
    """A column with its documentation as comment."""
    return pa.field(name, type_, metadata={"comment": " ".join(doc.split())} if doc else None)


def outcome_fields() -> list[pa.Field]:
    """The columns OUTCOMES, which stand behind all others."""
    return [
        commented(CORRUPT_RECORD, pa.binary(), "the bytes of a record that could not be read"),
        commented(CORRUPT_FIELDS, CORRUPT, "values that could not be decoded; they are null"),
        commented("_metadata", METADATA, "where the row comes from"),
    ]
