"""Row images: "record header and data" of the row records (Table 108; reference 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .columns import SLOT, Column, offsets
from .values import DEFAULT_CODECS, Codecs, JsonValue, OutOfRow, SystemDefault, Value, in_row, json_value
from .wire import Server

Row = Mapping[str, Value]
OffsetBase = Literal["array", "data"]

FORMATTED, VALUE_COMPRESSION = 0x01, 0x02
NULL, NOT_NULL = b"\x01", b"\x00"
SYSTEM_DEFAULT = b"\x80"
#: High bit of an offset: out-of-row descriptor, or (value compression) an attribute byte.
SPECIAL = 0x8000


def record(server: Server, inner_type: int, count: int, data: bytes, *, outer_type: int = 0) -> bytes:
    """Outer header (type, reserved, whole length) and inner one (type, reserved, fixed length or column count)."""
    outer = bytes([outer_type, 0]) + server.u16(8 + len(data))
    return outer + bytes([inner_type, 0]) + server.u16(count) + data


def formatted(
    server: Server, columns: Sequence[Column], row: Row, *, outer_type: int = 0, codecs: Codecs = DEFAULT_CODECS
) -> bytes:
    """A row without value compression: fixed section with null bytes, then the variable values in column order.

    A variable column's slot holds the offset of its value from the start of the fixed section, and its length.
    """
    fixed_length = offsets(columns)[-1]
    fixed = variable = b""
    for column in columns:
        value = row[column.name]
        if value is None:
            if not column.nullable:
                raise ValueError(f"{column.name} is NOT NULL")
            fixed += bytes(column.fixed_bytes) + NULL
            continue
        if isinstance(value, SystemDefault):
            raise ValueError(f"{column.name}: only value compression leaves system defaults away")
        data = in_row(server, column, value, codecs)
        if column.variable:
            special = SPECIAL if isinstance(value, OutOfRow) else 0
            slot = server.u16(fixed_length + len(variable) | special) + server.u16(len(data))
            assert len(slot) == SLOT
            fixed += slot
            variable += data
        else:
            fixed += data
        fixed += NOT_NULL if column.nullable else b""
    return record(server, FORMATTED, fixed_length, fixed + variable, outer_type=outer_type)


def _compressed_value(server: Server, column: Column, value: Value, codecs: Codecs) -> tuple[int, bytes]:
    """The special bit of the offset, and the bytes."""
    if value is None:
        return SPECIAL, NULL
    if isinstance(value, SystemDefault):
        return SPECIAL, SYSTEM_DEFAULT
    return SPECIAL if isinstance(value, OutOfRow) else 0, in_row(server, column, value, codecs)


def compressed(
    server: Server,
    columns: Sequence[Column],
    row: Row,
    *,
    outer_type: int = 0,
    offset_base: OffsetBase = "array",
    codecs: Codecs = DEFAULT_CODECS,
) -> bytes:
    """A row with value compression: ncols + 1 offsets, then the values (reference 5.2).

    Whether offsets count from the start of their array or from the data behind it is not settled.
    """
    place = 2 * (len(columns) + 1) if offset_base == "array" else 0
    array = data = b""
    for column in columns:
        special, value = _compressed_value(server, column, row[column.name], codecs)
        array += server.u16(place | special)
        place += len(value)
        data += value
    array += server.u16(place)
    return record(server, VALUE_COMPRESSION, len(columns), array + data, outer_type=outer_type)


def json_row(
    columns: Sequence[Column], row: Mapping[str, Any], codecs: Codecs = DEFAULT_CODECS
) -> dict[str, JsonValue]:
    """A row as the reader prints it, by column name."""
    return {column.name: json_value(column, row[column.name], codecs) for column in columns}
