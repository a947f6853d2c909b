"""Exact casts: columns in the types that a user schema names, where the value stays the same.

A cast is exact if it gives the same value back: 2.0 as an integer, 1.10 as a floating-point number, midnight as a date.
Every other value becomes null and a `Misfit`, so that none is changed, and none is lost unsaid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import from_arrow_type

from lmparse.errors import InvalidValueError
from lmparse.values.json_form import to_json

_INTEGER_DIGITS = 19
"""Decimal digits of the largest integer of 64 bits."""
_LONGEST = 60
"""Characters of a value in a message."""


@dataclass(frozen=True)
class Misfit:
    """A value that the type of a user schema does not represent."""

    row: int
    """Number of the row in its batch."""
    path: str
    """Name of the column, in a struct behind those of the structs."""
    wanted: pa.DataType
    value: Any

    def error(self) -> InvalidValueError:
        """The error that says it."""
        shown = str(to_json(self.value))
        return InvalidValueError(
            "the type that the schema names does not represent the value",
            code="LMP-V011",
            field=self.path,
            expected=f"a value of {spark_name(self.wanted)}",
            found=shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}...",
            hint="read the column in its own type and cast it in the query",
        )


def spark_name(type_: pa.DataType) -> str:
    """Spark's name of a type."""
    return from_arrow_type(type_, prefer_timestamp_ntz=True).simpleString()


def may_hold(wanted: pa.DataType, source: pa.DataType) -> bool:
    """Whether some values of `source` are the same in `wanted`."""
    types = pa.types
    if _is_number(source) and _is_number(wanted):
        return True
    if types.is_string(wanted):
        return bool(types.is_integer(source) or types.is_decimal(source) or types.is_binary(source))
    return bool(
        (types.is_date32(source) and _is_local_time(wanted)) or (_is_local_time(source) and types.is_date32(wanted))
    )


def _is_number(type_: pa.DataType) -> bool:
    return bool(pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_))


def _is_decimal_and_float(one: pa.DataType, other: pa.DataType) -> bool:
    return bool(pa.types.is_decimal(one) and pa.types.is_floating(other))


def _is_local_time(type_: pa.DataType) -> bool:
    return bool(pa.types.is_timestamp(type_) and type_.tz is None)


def exactly(column: pa.Array, wanted: pa.DataType) -> tuple[pa.Array, list[int]]:
    """A column in another type, and the places of its values that are not the same there, which are null."""
    if pa.types.is_string(wanted):
        texts = [None if value is None else str(to_json(value)) for value in column.to_pylist()]
        return pa.array(texts, wanted), []
    cast, back = _way(column.type, wanted), _way(wanted, column.type)
    arrays: list[pa.Array] = []
    misfits: list[int] = []
    for start, made, bad in _halved(column, wanted, cast, back, 0):
        arrays.append(made)
        misfits += [start + place for place in bad]
    return pa.concat_arrays(arrays) if len(arrays) != 1 else arrays[0], misfits


_Cast = Callable[[pa.Array], pa.Array]


def _way(source: pa.DataType, wanted: pa.DataType) -> _Cast:
    if pa.types.is_integer(source) and pa.types.is_decimal(wanted):
        # Arrow casts an integer only to a decimal that represents all integers.
        return lambda column: column.cast(pa.decimal128(_INTEGER_DIGITS, 0)).cast(wanted)
    if _is_decimal_and_float(source, wanted) or _is_decimal_and_float(wanted, source):
        # Arrow's cast is not the nearest number, in either direction; its texts are exact, and the shortest ones.
        return lambda column: column.cast(pa.string()).cast(wanted)
    return lambda column: column.cast(wanted)


def _halved(
    column: pa.Array, wanted: pa.DataType, cast: _Cast, back: _Cast, start: int
) -> Iterator[tuple[int, pa.Array, list[int]]]:
    """The column in pieces, each with its first place and the places of misfits in it.

    Arrow says that some value cannot be cast, but not which one: then each half is cast by itself.
    """
    with suppress(pa.ArrowInvalid):
        made = cast(column)
        is_same = pc.fill_null(_same(back(made), column), True)
        bad = np.flatnonzero(~is_same.to_numpy(zero_copy_only=False)).tolist()
        yield start, pc.if_else(is_same, made, pa.scalar(None, wanted)) if bad else made, bad
        return
    if len(column) == 1:
        value = _one(column[0].as_py(), wanted)
        yield start, pa.array([value], wanted), [] if value is not None else [0]
        return
    middle = len(column) // 2
    yield from _halved(column.slice(0, middle), wanted, cast, back, start)
    yield from _halved(column.slice(middle), wanted, cast, back, start + middle)


def _same(found: pa.Array, column: pa.Array) -> pa.Array:
    same = pc.equal(found, column)
    return pc.or_(same, pc.and_(pc.is_nan(found), pc.is_nan(column))) if pa.types.is_floating(column.type) else same


def _one(value: Any, wanted: pa.DataType) -> Any:
    """A large integer as a floating-point number, which Arrow refuses from 2^53 on; None for any other value."""
    if isinstance(value, int) and pa.types.is_floating(wanted):
        found = float(wanted.to_pandas_dtype()(value))
        return found if found == value else None
    return None
