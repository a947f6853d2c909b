"""Kinds of fields: for each kind that a layout names, its column type, and how bytes become a value and back.

Nested records (struct, body) are not values and have no entry.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from lmparse.errors import OptionError
from lmparse.spec.kind_words import MAX_DIGITS, ZONED, is_decimal, precision
from lmparse.values import decimals, floats, packed_times, texts, zoned
from lmparse.values.codepages import CodePage
from lmparse.values.integers import ByteOrder

Decode = Callable[[Any], Any]
"""Decodes the bytes of a field, most significant byte first. Raises InvalidValueError."""
Encode = Callable[[Any, int, CodePage, ByteOrder], bytes]
"""Encodes a value (None as blank or zero) in `width` bytes, with a code page for text and a byte order for numbers.

A decimal is encoded as a whole number. Raises OverflowError if the value does not fit.
"""


class Kind(NamedTuple):
    """Column type, decoder and encoder of a kind, without a scale."""

    column: str
    """Arrow's name of the column type; empty for whole numbers, whose width decides, and for decimals."""
    decoder: Callable[[CodePage], Decode | None]
    """For a code page, the decoder of a field's bytes; None if the bytes are the value."""
    encode: Encode


def column_type(kind: str, width: int | None, bits: int | None = None, scale: int | None = None) -> str:
    """Arrow's name of the type of a column with fields of a kind: `int16`, `string`, `binary`, `decimal(5,2)`.

    `width` is in bytes, `bits` the width of a bit field, `scale` the number of digits behind the point.
    """
    most = precision(kind, scale, width, bits)
    if most is not None:
        return f"decimal({most},{scale or 0})"
    name = KINDS[kind].column if kind in KINDS else "binary"
    needed = (bits or 8 * (width or 1)) + (kind == "uint")
    return name or next((number for most, number in _NUMBERS if needed <= most), UINT64)


def decoder(kind: str, page: CodePage, scale: int | None = None) -> Decode | None:
    """The function that decodes the bytes of a field, or, for a whole number, the number that the parser read.

    None if its argument already is the value. Raises OptionError if a code page has no such values.
    """
    decode = KINDS[kind].decoder(page) if kind not in ("uint", "int") else int
    if decode is None or not is_decimal(kind, scale):
        return decode
    read, places = decode, scale or 0

    def number(raw: Any) -> Any:
        whole = read(raw)
        return None if whole is None else decimals.scaled(whole, places)

    return number if places else decode


def encode(kind: str, value: Any, width: int, page: CodePage, order: ByteOrder, scale: int | None = None) -> bytes:
    """The bytes of a value; a decimal may be a number or its text. Raises OptionError if the value does not fit."""
    if not is_decimal(kind, scale):
        return KINDS[kind].encode(value, width, page, order)
    try:
        whole = None if value is None else decimals.unscaled(value, scale or 0)
        return KINDS[kind].encode(whole, width, page, order)
    except (OverflowError, ArithmeticError) as error:
        raise OptionError(f"{value} is not a {kind} of {width} bytes and scale {scale or 0}: {error}") from error


def zones(kind: str, page: CodePage) -> zoned.Zones:
    """The zones of a code page. Raises OptionError if the page has digits of several bytes."""
    found = zoned.maybe_zones(page)
    if found is None:
        raise OptionError(
            f"there are no {kind} decimals in {page.name}: a digit has more than one byte", code="LMP-S003"
        )
    return found


def _zoned(kind: str) -> Kind:
    style = zoned.STYLES[kind]
    return Kind(
        "",
        lambda page: partial(zoned.decode, style=style, zones=zones(kind, page)),
        lambda value, width, page, order: zoned.encode(value or 0, width, style, zones(kind, page)),
    )


def _integer(is_signed: bool) -> Encode:
    return lambda value, width, page, order: int(value or 0).to_bytes(width, order, signed=is_signed)


_NUMBERS = ((16, "int16"), (32, "int32"), (64, "int64"))
"""Bits and Arrow's names of integers."""
UINT64 = "decimal(20,0)"
"""The column type of unsigned numbers of 64 bits; Arrow has no alias for this type."""
_TEXT = Kind("string", texts.decoder, lambda value, width, page, order: texts.encode(str(value or ""), width, page))
_PARSED_TEXT = Kind("string", lambda page: str, _TEXT.encode)
"""Text decoded by the parser."""
_BYTES = Kind("binary", lambda page: None, _integer(False))
KINDS: dict[str, Kind] = {
    "uint": Kind("", lambda page: partial(int.from_bytes, byteorder="big"), _integer(False)),
    "int": Kind("", lambda page: partial(int.from_bytes, byteorder="big", signed=True), _integer(True)),
    "float": Kind(
        "double",
        lambda page: floats.decode_ieee,
        lambda value, width, page, order: floats.encode_ieee(value or 0, width, order),
    ),
    "hfp": Kind(
        "double", lambda page: floats.decode_hfp, lambda value, width, page, order: floats.encode_hfp(value or 0, width)
    ),
    "packed": Kind(
        "",
        lambda page: partial(decimals.decode_packed, scale=0, precision=MAX_DIGITS),
        lambda value, width, page, order: decimals.encode_packed(Decimal(value or 0), width, 0),
    ),
    "bcd": Kind(
        "", lambda page: decimals.decode_bcd, lambda value, width, page, order: decimals.encode_bcd(value or 0, width)
    ),
    **{kind: _zoned(kind) for kind in ZONED},
    "boolean": Kind("bool", lambda page: bool, _integer(False)),
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
