"""User schemas: the columns that `spark.read.schema(...)` requests, and their values in the types that it names.

A user schema has columns of the source, in any order and letter case, also inside structs, and may leave columns out. A
type may be wider than the source's, so that every value is the same in it, or another one in which some values are:
each of the others is a bad value. A type in which no value is the same is refused when the reading is planned.

So is a column that must not be null: Spark takes a user schema for its plan as it is, where its own file sources make
all columns nullable, and neither tests for nulls in such a column nor reads those that are there. But any column of the
source may be null, if only because a value is bad.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from inspect import signature
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import PySparkTypeError
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructField, StructType

from lmparse.errors import OptionError
from lmparse.spark.exact_casts import Misfit, exactly, may_hold, spark_name

_DIGITS = {8: 3, 16: 5, 32: 10, 64: 19}
"""Decimal digits of the largest integer of so many bits."""
_EXACT_BITS = {16: 11, 32: 24, 64: 53}
"""Bits of the integers that a floating-point number of so many bits represents exactly."""


def as_arrow(wanted: StructType) -> pa.Schema:
    """A user schema as Arrow's. Raises OptionError LMP-S012 for a type that Arrow does not have."""
    return pa.schema([_arrow_field(entry) for entry in wanted])


def _arrow_field(entry: StructField) -> pa.Field:
    # Spark 4.2 requires a time zone where a column has one; no column of the source has, so any serves.
    zone: dict[str, Any] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}
    try:
        return to_arrow_schema(StructType([entry]), **zone).field(0)
    except PySparkTypeError:
        said = f"column {entry.name!r}: no column of the source is, or has in it, {entry.dataType.simpleString()}"
        raise _refused(said, "printSchema() without schema(...) shows the types") from None


def source_columns(source: pa.Schema, wanted: pa.Schema) -> pa.Schema:
    """The columns of the source that a user schema requests, in its order, under the names and types of the source.

    Raises OptionError LMP-S012 if it requests none, if the source has no such column, if no value fits the type, or if
    a column must not be null that may be.
    """
    if not len(wanted):
        # Arrow batches without columns do not say how many rows they have: Spark would get none.
        raise _refused("the schema has no column", "name one, or leave schema(...) out and count in the query")
    return pa.schema(_fields(source, wanted, ""))


def may_misfit(source: pa.Schema, wanted: pa.Schema) -> bool:
    """Whether values of `source_columns` may not be the same in the types of the user schema."""
    return any(_may_misfit(one.type, other.type) for one, other in zip(source, wanted, strict=True))


def narrowed(batch: pa.RecordBatch, chosen: pa.Schema) -> pa.RecordBatch:
    """Rows with the fields that `source_columns` has of each column, which may have more."""
    columns = [_narrowed(column, entry.type) for column, entry in zip(batch.columns, chosen, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=chosen)


def _narrowed(column: pa.Array, chosen: pa.DataType) -> pa.Array:
    if column.type.equals(chosen):
        return column
    if pa.types.is_struct(chosen):
        parts = dict(zip((entry.name for entry in column.type), column.flatten(), strict=True))
        found = [_narrowed(parts[entry.name], entry.type) for entry in chosen]
        return pa.StructArray.from_arrays(found, fields=list(chosen), mask=pc.is_null(column))
    column = _compact(column)
    values = _narrowed(column.values, chosen.value_type)
    return pa.ListArray.from_arrays(column.offsets, values, type=chosen, mask=pc.is_null(column))


def _compact(column: pa.Array) -> pa.Array:
    """Lists without values that are in no row, as a slice and a null may have them."""
    return column.take(pa.array(np.arange(len(column))))


def as_requested(batch: pa.RecordBatch, wanted: pa.Schema) -> tuple[pa.RecordBatch, list[Misfit]]:
    """Rows of `source_columns` with the names and types of the user schema; values that do not fit are null."""
    misfits: list[Misfit] = []
    columns = [
        _as_type(column, entry.type, entry.name, misfits) for column, entry in zip(batch.columns, wanted, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=wanted), misfits


def _fields(source: Iterable[pa.Field], wanted: Iterable[pa.Field], inside: str) -> list[pa.Field]:
    known = {entry.name: entry for entry in source}
    found: list[pa.Field] = []
    for entry in wanted:
        name = inside + entry.name
        field = known.get(_name(entry.name, list(known), name))
        assert field is not None
        if any(field.name == other.name for other in found):
            raise _refused(f"the schema has column {name!r} twice", "leave one of them out")
        _check_nulls(field, entry, name)
        found.append(pa.field(field.name, _type(field.type, entry.type, name), field.nullable))
    return found


def _check_nulls(source: pa.Field, wanted: pa.Field, shown: str) -> None:
    if source.nullable and not wanted.nullable:
        hint = "leave NOT NULL (nullable=False) out, and filter nulls in the query"
        raise _refused(f"column {shown!r} may be null, and the schema says NOT NULL", hint)


def _name(wanted: str, known: list[str], shown: str) -> str:
    """The name in the source: as it is written, or the only one that differs in letter case."""
    if wanted in known:
        return wanted
    alike = [name for name in known if name.lower() == wanted.lower()]
    if len(alike) == 1:
        return alike[0]
    if alike:
        raise _refused(f"column {shown!r} may be any of {', '.join(alike)}", "write it as the source does")
    near = difflib.get_close_matches(wanted.lower(), [name.lower() for name in known], n=1, cutoff=0.5)
    nearest = next((name for name in known if near and name.lower() == near[0]), None)
    hint = f"did you mean {nearest}?" if nearest else "printSchema() without schema(...) shows the columns"
    raise _refused(f"the source has no column {shown!r}", hint)


def _type(source: pa.DataType, wanted: pa.DataType, shown: str) -> pa.DataType:
    """The type in which the source is read, without the fields of structs that are left out."""
    if pa.types.is_struct(source) and pa.types.is_struct(wanted):
        return pa.struct(_fields(source, wanted, f"{shown}."))
    if _is_list(source) and _is_list(wanted):
        _check_nulls(source.value_field, wanted.value_field, f"{shown}[]")
        return pa.list_(_type(source.value_type, wanted.value_type, f"{shown}[]"))
    if not _holds(wanted, source) and not may_hold(wanted, source):
        expected = spark_name(source)
        raise _refused(
            f"column {shown!r}: expected {expected} or a type with the same values, found {spark_name(wanted)} in the "
            "schema",
            f"read it as {expected} and cast it in the query, where Spark states what becomes of other values",
        )
    return source


def _may_misfit(source: pa.DataType, wanted: pa.DataType) -> bool:
    if pa.types.is_struct(source):
        return any(_may_misfit(one.type, other.type) for one, other in zip(source, wanted, strict=True))
    if _is_list(source):
        return _may_misfit(source.value_type, wanted.value_type)
    return not _holds(wanted, source) and not pa.types.is_string(wanted)


def _holds(wanted: pa.DataType, source: pa.DataType) -> bool:
    """Whether every value of `source` is the same in `wanted`."""
    types = pa.types
    if source.equals(wanted):
        return True
    if types.is_integer(source):
        bits = source.bit_width
        if types.is_integer(wanted):
            return bool(wanted.bit_width >= bits)
        if types.is_decimal(wanted):
            return bool(wanted.precision - wanted.scale >= _DIGITS[bits])
        return bool(types.is_floating(wanted) and bits <= _EXACT_BITS[wanted.bit_width])
    if types.is_decimal(source) and types.is_decimal(wanted):
        whole = wanted.precision - wanted.scale >= source.precision - source.scale
        return bool(whole and wanted.scale >= source.scale)
    return bool(types.is_floating(source) and types.is_floating(wanted) and wanted.bit_width >= source.bit_width)


def _as_type(column: pa.Array, wanted: pa.DataType, path: str, misfits: list[Misfit]) -> pa.Array:
    """A column in a type of the user schema; its misfits are added to those that are known."""
    if column.type.equals(wanted):
        return column
    if pa.types.is_struct(wanted):
        # `flatten` gives nulls in the fields of a null struct.
        parts = [
            _as_type(part, entry.type, f"{path}.{entry.name}", misfits)
            for part, entry in zip(column.flatten(), wanted, strict=True)
        ]
        return pa.StructArray.from_arrays(parts, fields=list(wanted), mask=pc.is_null(column))
    if _is_list(wanted):
        column, inside = _compact(column), list[Misfit]()
        values = _as_type(column.values, wanted.value_type, f"{path}[]", inside)
        rows = np.searchsorted(column.offsets.to_numpy(), [one.row for one in inside], "right") - 1
        misfits += [
            Misfit(row, one.path, one.wanted, one.value) for row, one in zip(rows.tolist(), inside, strict=True)
        ]
        return pa.ListArray.from_arrays(column.offsets, values, type=wanted, mask=pc.is_null(column))
    if _holds(wanted, column.type):
        return column.cast(wanted)
    made, places = exactly(column, wanted)
    misfits += [Misfit(place, path, wanted, column[place].as_py()) for place in places]
    return made


def _is_list(type_: pa.DataType) -> bool:
    return bool(pa.types.is_list(type_) or pa.types.is_large_list(type_))


def _refused(text: str, hint: str) -> OptionError:
    return OptionError(text, code="LMP-S012", hint=hint)
