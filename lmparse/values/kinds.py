"""Kinds of fields: for each kind that a layout names, its column type, and how bytes become a value and back.

Nested records (struct, body) are not values and have no entry.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from lmparse.values import decimals, floats, packed_times, texts
from lmparse.values.codepages import CodePage
from lmparse.values.integers import ByteOrder

Decode = Callable[[Any], Any]
"""Decodes the bytes of a field, most significant first. Raises InvalidValueError."""
Encode = Callable[[Any, int, CodePage, ByteOrder], bytes]
"""Encodes a value (None as blank or zero) in a width, with a code page for text and a byte order for numbers."""


class Kind(NamedTuple):
    """The column type of a kind, and how its bytes become a value and back."""

    column: str
    """Arrow's name of the column type; empty for whole numbers, whose width decides."""
    decoder: Callable[[CodePage], Decode | None]
    """For a code page, the function that decodes the bytes of a field; None if the bytes are the value."""
    encode: Encode


def column_type(kind: str, width: int | None, bits: int | None = None) -> str:
    """Arrow's name of the type of a column with fields of a kind: `int16`, `string`, `binary`.

    `width` is in bytes, `bits` the width of a bit field.
    """
    name = KINDS[kind].column if kind in KINDS else "binary"
    needed = (bits or 8 * (width or 1)) + (kind == "uint")
    return name or next((number for most, number in _NUMBERS if needed <= most), UINT64)


def _integer(is_signed: bool) -> Encode:
    return lambda value, width, page, order: int(value or 0).to_bytes(width, order, signed=is_signed)


_NUMBERS = ((16, "int16"), (32, "int32"), (64, "int64"))
"""Bits and Arrow's names of integers."""
UINT64 = "decimal(20,0)"
"""The column type of unsigned numbers of 64 bits; Arrow has no short name for it."""
_TEXT = Kind("string", texts.decoder, lambda value, width, page, order: texts.encode(str(value or ""), width, page))
_PARSED_TEXT = Kind("string", lambda page: str, _TEXT.encode)
"""Text that the parser has decoded."""
_BYTES = Kind("binary", lambda page: None, _integer(False))
KINDS: dict[str, Kind] = {
    "uint": Kind("", lambda page: partial(int.from_bytes, byteorder="big"), _integer(False)),
    "int": Kind("", lambda page: partial(int.from_bytes, byteorder="big", signed=True), _integer(True)),
    "float": Kind(
        "double",
        lambda page: floats.decode_ieee,
        lambda value, width, page, order: floats.encode_ieee(value or 0, width, order),
    ),
    "char": _TEXT,
    "str": _PARSED_TEXT,
    "code": _TEXT,
    "hextext": Kind("string", lambda page: lambda raw: texts.decode_hex(page.decode(raw)), _TEXT.encode),
    "decimaltext": Kind(
        "int64",
        lambda page: lambda raw: decimals.decode_text(page.decode(raw)),
        lambda value, width, page, order: decimals.encode_text(value, width, page),
    ),
    "timestamp17": Kind(
        "timestamp[us]",
        lambda page: packed_times.decode_timestamp17,
        lambda value, width, page, order: packed_times.encode_timestamp17(value, width),
    ),
    **dict.fromkeys(("lrsn10", "rba10", "lsn", "rid6", "bytes", "variable", "rest"), _BYTES),
}
