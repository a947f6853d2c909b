"""One value as bytes of a row, and as the reader prints it (reference 5.1)."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

from . import decfloat
from .columns import GRAPHIC_TYPES, Column
from .wire import Server

JsonValue = None | bool | int | float | str

#: Wide enough for DECIMAL(31) with any scale.
_EXACT = Context(prec=80)
INLINE_LOB = bytes.fromhex("69000000")
EMPTY_LOB = bytes.fromhex("80000000")
OUT_OF_ROW_BYTES = 24


@dataclass(frozen=True)
class External:
    """What a row holds for a LOB, XML or LONG VARCHAR value outside of it: bytes only Db2 can follow."""

    descriptor: bytes = bytes(range(1, 25))

    def __post_init__(self) -> None:
        if self.descriptor[:1] in (INLINE_LOB[:1], EMPTY_LOB[:1]):
            raise ValueError("the first byte of a descriptor must not be that of an inline or an empty LOB")


@dataclass(frozen=True)
class OutOfRow:
    """What a row holds for a VARCHAR and the like moved out of it by the extended row size, 24 bytes."""

    descriptor: bytes = bytes(range(1, OUT_OF_ROW_BYTES + 1))

    def __post_init__(self) -> None:
        if len(self.descriptor) != OUT_OF_ROW_BYTES:
            raise ValueError(f"an out-of-row descriptor has {OUT_OF_ROW_BYTES} bytes")


@dataclass(frozen=True)
class SystemDefault:
    """A value left away by COMPRESS SYSTEM DEFAULT: 0, blanks, zeros (value compression only)."""


#: None, int, float, Decimal, bool, bytes, or text (DATE, TIME, TIMESTAMP: ISO text).
Value = None | bool | int | float | Decimal | bytes | str | External | OutOfRow | SystemDefault


@dataclass(frozen=True)
class Codecs:
    """Encodings of the database; how GRAPHIC stands on a little-endian server is not known."""

    text: str = "utf-8"
    graphic: str = "utf-16-be"

    def of(self, column: Column) -> str:
        """The codec of a text column."""
        return self.graphic if column.word in GRAPHIC_TYPES else self.text


DEFAULT_CODECS = Codecs()


def _digits(text: str) -> bytes:
    """Digits, two in a byte, no sign nibble."""
    return bytes.fromhex(text)


def date(value: str) -> bytes:
    """DATE, 4 bytes yyyymmdd."""
    return _digits(value.replace("-", ""))


def time(value: str) -> bytes:
    """TIME, 3 bytes hhmmss."""
    return _digits(value.replace(":", ""))


def _timestamp_text(value: str, digits: int) -> tuple[str, str]:
    """The part up to the seconds, and exactly `digits` digits behind them."""
    whole, _, fraction = value.partition(".")
    if len(fraction) > digits:
        raise ValueError(f"{value} has more than {digits} digits behind the seconds")
    return whole, fraction.ljust(digits, "0")


def timestamp(value: str, digits: int = 6) -> bytes:
    """TIMESTAMP(p), 7 + (p+1)/2 bytes yyyymmddhhmmss and the digits, a zero behind an odd number of them."""
    whole, fraction = _timestamp_text(value, digits)
    return _digits(re.sub(r"\D", "", whole) + fraction + "0" * (digits % 2))


def packed(value: Decimal | int | str, precision: int, scale: int) -> bytes:
    """DECIMAL, (p+2)/2 bytes: a digit a nibble, sign nibble C or D last; zero has no sign.

    Raises:
        ValueError: the value does not fit.
    """
    scaled = Decimal(value).scaleb(scale, _EXACT)
    unscaled = int(scaled)
    if unscaled != scaled or abs(unscaled) >= 10**precision:
        raise ValueError(f"{value} does not fit DECIMAL({precision},{scale})")
    width = (precision + 2) // 2 * 2 - 1
    return _digits(f"{abs(unscaled):0{width}d}{'D' if unscaled < 0 else 'C'}")


def _decimal_text(value: Decimal | int | str, scale: int) -> str:
    text = f"{Decimal(value).quantize(Decimal(1).scaleb(-scale), context=_EXACT):f}"
    return text.removeprefix("-") if Decimal(value) == 0 else text


def _data(column: Column, value: Any, codecs: Codecs) -> bytes:
    """Bytes of a text or byte value; a fixed column padded with blanks, BINARY with zeros."""
    data = bytes(value) if column.bit_data else value.encode(codecs.of(column))
    if column.outside:
        return data
    if len(data) > column.max_bytes:
        raise ValueError(f"{column.name}: {len(data)} bytes do not fit {column.type}")
    if column.variable:
        return data
    pad = b"\x00" if column.word == "BINARY" else b" " if column.bit_data else " ".encode(codecs.of(column))
    return data + pad * ((column.max_bytes - len(data)) // len(pad))


_NUMBERS: dict[str, Callable[[Server, Any], bytes]] = {
    "SMALLINT": Server.i16,
    "INTEGER": Server.i32,
    "BIGINT": Server.i64,
    "REAL": Server.f32,
    "DOUBLE": Server.f64,
}


def encode(server: Server, column: Column, value: Any, codecs: Codecs = DEFAULT_CODECS) -> bytes:
    """A value that is neither null nor outside the row; a LOB without its inline header."""
    word = column.word
    if word in _NUMBERS:
        return _NUMBERS[word](server, value)
    if word == "DECIMAL":
        return packed(value, column.length, column.scale)
    if word == "DECFLOAT":
        number = decfloat.encode(Decimal(value), column.length)
        return number if server.byte_order == "big" else number[::-1]
    if word == "DATE":
        return date(value)
    if word == "TIME":
        return time(value)
    if word == "TIMESTAMP":
        return timestamp(value, column.length)
    if word == "BOOLEAN":
        return bytes([value])
    return _data(column, value, codecs)


def in_row(server: Server, column: Column, value: Value, codecs: Codecs = DEFAULT_CODECS) -> bytes:
    """What a row holds for a value: its bytes, an inline or empty LOB, or a descriptor.

    Raises:
        ValueError: a row of this generation cannot hold the value.
    """
    if isinstance(value, External | OutOfRow):
        return value.descriptor
    data = encode(server, column, value, codecs)
    if not column.outside:
        return data
    if server.is_v7 or not column.lob:
        raise ValueError(f"{column.name}: {column.type} stands outside a {server.generation} row")
    return INLINE_LOB + data if data else EMPTY_LOB


def _default_value(column: Column) -> Value:
    """System default: 0, blanks, zero bytes."""
    if column.bit_data:
        return b""
    if column.word == "BOOLEAN":
        return False
    return 0 if column.word in (*_NUMBERS, "DECIMAL", "DECFLOAT") else ""


def json_value(column: Column, value: Any, codecs: Codecs = DEFAULT_CODECS) -> JsonValue:
    """A value as the reader prints it; what stands outside the row is null here."""
    if value is None or isinstance(value, External | OutOfRow):
        return None
    if isinstance(value, SystemDefault):
        value = _default_value(column)
    word = column.word
    if word == "REAL":
        return float(struct.unpack(">f", struct.pack(">f", value))[0])
    if word == "DECIMAL":
        return _decimal_text(value, column.scale)
    if word == "DECFLOAT":
        return str(Decimal(value))
    if word == "TIMESTAMP":
        whole, fraction = _timestamp_text(value, column.length)
        return f"{whole}.{fraction}" if fraction else whole
    if column.bit_data:
        return _data(column, value, codecs).hex().upper()
    if word in ("CHAR", "GRAPHIC"):
        return str(value).rstrip(" ")
    plain: JsonValue = value
    return plain
