"""Column types: the Arrow type of a column of a table, however a log describes it."""

from __future__ import annotations

from typing import Protocol

import pyarrow as pa

from lmparse.columnar import schemas

MOST_DIGITS = 38
"""Of a decimal128."""


class Typed(Protocol):
    """What the Arrow type of a column depends on."""

    @property
    def type(self) -> str: ...
    @property
    def form(self) -> str: ...
    @property
    def length(self) -> int: ...
    @property
    def scale(self) -> int: ...
    def precision(self, dec_length: str) -> int: ...


def column_type(column: Typed, dec_length: str) -> pa.DataType:
    """The Arrow type of a column."""
    form = column.form
    if form == "int":
        return {2: pa.int16(), 4: pa.int32(), 8: pa.int64()}[column.length]
    if form == "decimal":
        precision = max(column.precision(dec_length), column.scale)
        return pa.decimal128(precision, column.scale) if precision <= MOST_DIGITS else schemas.TEXT
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
