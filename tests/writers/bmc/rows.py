"""Columns and row images as they stand in DATA.

Source: vendor page "Logical log data file", the list below the table "Data change record (LLDF)" (null byte before the
value, ``nn llll`` for variable fields, the three examples with a five-character field, external forms), and the table
of the page "Logical log column information record (DLCI)" (LLCOLUMNTYPE, LLCOLUMNLEN, LLNULLS, LOGLOGBYTES). External
forms not shown there (packed decimal, two's complement, hexadecimal floating point, Db2 ISO text):
bmc-logical-log.md 2.6.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from struct import pack
from typing import Literal

from .fields import FieldValue

Value = None | str | bytes | int | float | Decimal
Floats = Literal["hfp", "ieee"]
NullBytes = Literal["present", "absent"]
GraphicLen = Literal["bytes", "chars"]

NULL, NOT_NULL = b"\xff", b"\x00"
VARIABLE_TYPES = ("VCHR", "VGRF", "LVCH", "LVGR")
GRAPHIC_TYPES = ("GRPH", "VGRF", "LVGR")
LOB_TYPES = ("BLOB", "CLOB", "DBCL")
DEFAULT_LENGTHS = {"INT": 4, "FLOT": 8, "DATE": 10, "TIME": 8, "DTTM": 26, "DTTZ": 32, "ROWI": 17}


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: column name.
        type: LLCOLUMNTYPE, any text of up to four characters.
        length: CHAR, VCHR, LVCH: bytes; GRPH, VGRF, LVGR: double-byte characters; DEC: digits; INT, FLOT, DATE, TIME,
            DTTM, DTTZ, ROWI and unlisted types: bytes in the log (DTTM 19 to 32); LOB: length of the column, which is
            not what it occupies in the log.
        scale: digits behind the point (DEC).
        nulls: LLNULLS: Y, N, or L.
        subtype: LLCOLUMNSUBTYPE: B bit data, S, M, I, D, or blank.
        key_seq: KEYSEQ, 0 when the column is in no key.
        ordering: KEYORDERING.
        value_bytes: bytes of the value in the log where `length` does not tell (LOB: 0 unless given).
        dlci: fields of the DLCI record that stand instead of the computed ones, by field id.
    """

    name: str
    type: str
    length: int = 0
    scale: int = 0
    nulls: str = "N"
    subtype: str = ""
    key_seq: int = 0
    ordering: str = ""
    value_bytes: int | None = None
    dlci: Mapping[str, FieldValue] = field(default_factory=dict)

    @property
    def nullable(self) -> bool:
        """A null byte stands before the value (LLNULLS Y or L)."""
        return self.nulls in ("Y", "L")

    @property
    def variable(self) -> bool:
        """A halfword with the length stands before the value."""
        return self.type in VARIABLE_TYPES

    @property
    def size(self) -> int:
        """Length as given, or the usual one of the type."""
        return self.length or DEFAULT_LENGTHS.get(self.type, 0)

    @property
    def max_bytes(self) -> int:
        """Bytes of the longest value, without null byte and halfword."""
        if self.value_bytes is not None:
            return self.value_bytes
        if self.type in LOB_TYPES:
            return 0
        if self.type == "DEC":
            return self.size // 2 + 1
        return self.size * 2 if self.type in GRAPHIC_TYPES else self.size

    @property
    def loglog_bytes(self) -> int:
        """LOGLOGBYTES, "number of bytes on a logical log record": null byte, halfword, longest value."""
        return self.nullable + 2 * self.variable + self.max_bytes


@dataclass(frozen=True)
class Style:
    """How images of one file are written; see `image`."""

    null_bytes: NullBytes = "present"
    expand_var: bool = False
    floats: Floats = "hfp"
    encoding: str = "cp037"
    graphic_len: GraphicLen = "bytes"
    graphic_encoding: str | None = None
    datetime_encoding: str | None = None
    filler: bytes = b"\x00"

    @property
    def text_blank(self) -> bytes:
        """Blank of the table's encoding."""
        return " ".encode(self.encoding)

    @property
    def graphic_blank(self) -> bytes:
        """Double-byte blank: U+0020 in UTF-16, X'4040' in EBCDIC."""
        return b"\x00\x20" if self.encoding.startswith("utf") else b"\x40\x40"

    def graphic(self, value: str) -> bytes:
        """Double-byte text: UTF-16 in a Unicode table; EBCDIC double-byte pages have no codec here."""
        encoding = self.graphic_encoding or ("utf-16-be" if self.encoding.startswith("utf") else None)
        if encoding is None:
            raise ValueError(f"{value!r}: graphic values of a table that is not Unicode are given as bytes")
        return value.encode(encoding)


def packed(value: Decimal | str | int, precision: int, scale: int = 0, *, positive: int = 0xC) -> bytes:
    """Packed decimal: one digit a nibble, sign nibble last (C or `positive`, D for negative values).

    Raises:
        ValueError: the value has more digits than `precision` or more decimals than `scale`.
    """
    unscaled = Decimal(value).scaleb(scale, Context(prec=64))
    if unscaled != unscaled.to_integral_value() or len(str(abs(int(unscaled)))) > max(precision, 1):
        raise ValueError(f"{value} does not fit DECIMAL({precision},{scale})")
    sign = 0xD if unscaled < 0 else positive
    width = precision // 2 * 2 + 1
    return bytes.fromhex(f"{abs(int(unscaled)):0{width}d}{sign:X}")


def hfp(value: float, length: int = 8) -> bytes:
    """Hexadecimal floating point of 4 or 8 bytes: sign bit, exponent of 16 plus 64 in 7 bits, fraction below 1.

    The fraction is normalised (first hexadecimal digit not zero) and rounded half up; a result too small is zero.

    Raises:
        OverflowError: the value is beyond the range of the form.
    """
    digits = 6 if length == 4 else 14
    magnitude = abs(Fraction(value))
    if magnitude == 0:
        return bytes(length)
    exponent = 0
    while magnitude >= 1:
        magnitude, exponent = magnitude / 16, exponent + 1
    while magnitude < Fraction(1, 16):
        magnitude, exponent = magnitude * 16, exponent - 1
    fraction = int(magnitude * 16**digits + Fraction(1, 2))
    if fraction == 16**digits:
        fraction, exponent = fraction // 16, exponent + 1
    if exponent > 63:
        raise OverflowError(f"{value} is beyond hexadecimal floating point")
    if exponent < -64:
        return bytes(length)
    first = (0x80 if value < 0 else 0) | exponent + 64
    return bytes([first]) + fraction.to_bytes(length - 1, "big")


def iso_date(value: str) -> str:
    """DATE as Db2 ISO text, ``yyyy-mm-dd``."""
    return value


def iso_time(value: str) -> str:
    """TIME as Db2 ISO text, ``hh.mm.ss``, from that or from ``hh:mm:ss``."""
    return value.replace(":", ".")


def iso_timestamp(value: str, length: int, zone: bool = False) -> str:
    """TIMESTAMP as Db2 ISO text of `length` characters: ``yyyy-mm-dd-hh.mm.ss`` and, above 19, point and digits.

    With `zone`, six characters ``±hh:mm`` follow and are part of `length`.

    Raises:
        ValueError: not a timestamp, or it has more decimals than there is room for.
    """
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)[T -](\d\d)[:.](\d\d)[:.](\d\d)(?:\.(\d+))?([+-]\d\d:\d\d)?", value)
    if match is None or bool(match[6]) != zone:
        raise ValueError(f"{value!r} is no timestamp {'with' if zone else 'without'} time zone")
    room = max(length - 20 - 6 * zone, 0)
    fraction = (match[5] or "").ljust(room, "0")
    if fraction[room:].strip("0"):
        raise ValueError(f"{value!r} has more than {room} decimals")
    point = "." if room else ""
    return f"{match[1]}-{match[2]}.{match[3]}.{match[4]}{point}{fraction[:room]}{match[6] or ''}"


def _text(value: Value, style: Style) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode(style.encoding)


def _char(column: Column, value: Value, style: Style) -> bytes:
    blank = NOT_NULL if column.subtype == "B" else style.text_blank
    encoded = _text(value, style)
    return encoded + blank * (column.size - len(encoded))


def _graphic_text(value: Value, style: Style) -> bytes:
    return value if isinstance(value, bytes) else style.graphic(str(value))


def _graphic(column: Column, value: Value, style: Style) -> bytes:
    encoded = _graphic_text(value, style)
    return encoded + style.graphic_blank * (column.size - len(encoded) // 2)


def _decimal(column: Column, value: Value, style: Style) -> bytes:
    if isinstance(value, bytes):
        return value
    assert isinstance(value, (Decimal, str, int))
    return packed(value, column.size, column.scale)


def _integer(column: Column, value: Value, style: Style) -> bytes:
    """Two's complement, big-endian."""
    if isinstance(value, bytes):
        return value
    assert isinstance(value, int)
    return value.to_bytes(column.size, "big", signed=True)


def _float(column: Column, value: Value, style: Style) -> bytes:
    if isinstance(value, bytes):
        return value
    assert isinstance(value, (float, int))
    if style.floats == "hfp":
        return hfp(value, column.size)
    return pack(">f" if column.size == 4 else ">d", value)


def _time_text(column: Column, value: Value, style: Style) -> bytes:
    if isinstance(value, bytes):
        return value
    shown = str(value)
    forms: dict[str, Callable[[], str]] = {
        "DATE": lambda: iso_date(shown),
        "TIME": lambda: iso_time(shown),
        "DTTM": lambda: iso_timestamp(shown, column.size),
        "DTTZ": lambda: iso_timestamp(shown, column.size, zone=True),
    }
    return forms[column.type]().encode(style.datetime_encoding or style.encoding)


def _bytes(column: Column, value: Value, style: Style) -> bytes:
    """LOB, ROWID, and unlisted types: bytes as they are, or hexadecimal text."""
    if isinstance(value, str):
        return bytes.fromhex(value)
    assert isinstance(value, bytes)
    return value


_FIXED: dict[str, Callable[[Column, Value, Style], bytes]] = {
    "CHAR": _char,
    "GRPH": _graphic,
    "DEC": _decimal,
    "INT": _integer,
    "FLOT": _float,
    "DATE": _time_text,
    "TIME": _time_text,
    "DTTM": _time_text,
    "DTTZ": _time_text,
}


def _variable_value(column: Column, value: Value, style: Style) -> bytes:
    """Halfword and data; padded to the full length when var fields are expanded (DLDS.EXPANDVAR Y)."""
    graphic = column.type in GRAPHIC_TYPES
    encode = _graphic_text if graphic else _text
    data = b"" if value is None else encode(value, style)
    if len(data) > column.max_bytes:
        raise ValueError(f"{column.name}: {len(data)} bytes, at most {column.max_bytes}")
    count = len(data) // 2 if graphic and style.graphic_len == "chars" else len(data)
    padding = b""
    if style.expand_var:
        blank = style.graphic_blank if graphic else NOT_NULL if column.subtype == "B" else style.text_blank
        padding = blank * ((column.max_bytes - len(data)) // len(blank))
    return count.to_bytes(2, "big") + data + padding


def _fixed_value(column: Column, value: Value, style: Style) -> bytes:
    if value is None:
        return style.filler * column.max_bytes if style.null_bytes == "present" else b""
    data = _FIXED.get(column.type, _bytes)(column, value, style)
    if len(data) != column.max_bytes:
        raise ValueError(f"{column.name}: {len(data)} bytes, expected {column.max_bytes}")
    return data


def field_image(column: Column, value: Value, style: Style | None = None) -> bytes:
    """One column: null byte when nullable, halfword when variable, value.

    Raises:
        ValueError: null for a column that allows none, or a value that does not fit.
    """
    style = style or Style()
    if value is None and not column.nullable:
        raise ValueError(f"{column.name} is not nullable")
    indicator = (NULL if value is None else NOT_NULL) if column.nullable else b""
    encode = _variable_value if column.variable else _fixed_value
    return indicator + encode(column, value, style)


def image(
    columns: Sequence[Column],
    values: Sequence[Value] | Mapping[str, Value],
    *,
    null_bytes: NullBytes = "present",
    expand_var: bool = False,
    floats: Floats = "hfp",
    encoding: str = "cp037",
    graphic_len: GraphicLen = "bytes",
    graphic_encoding: str | None = None,
    datetime_encoding: str | None = None,
    filler: bytes = b"\x00",
) -> bytes:
    """A row image: the columns one after another in COLNO order.

    Args:
        columns: in the order of LLCOLUMNNUM.
        values: by position or by column name. Text for CHAR, VCHR, GRPH and the like (bytes stand as they are), Decimal
            or text for DEC, int for INT, float for FLOT, ISO text for DATE, TIME, DTTM, DTTZ, bytes or hexadecimal
            text for the rest.
        null_bytes: whether a null column of fixed length keeps the bytes of its value (not stated by the pages).
        expand_var: pad variable columns to their full length, as with DLDS.EXPANDVAR Y.
        floats: form of FLOT; the pages only say "external format".
        encoding: code page of the table's text.
        graphic_len: what the halfword of graphic columns counts (not stated).
        graphic_encoding: code page of text given for graphic columns; None is UTF-16 in Unicode tables, else only
            bytes are taken.
        datetime_encoding: code page of DATE, TIME, and timestamps (not stated), the table's when None.
        filler: byte of the value of a null column.
    """
    style = Style(null_bytes, expand_var, floats, encoding, graphic_len, graphic_encoding, datetime_encoding, filler)
    row = [values[column.name] for column in columns] if isinstance(values, Mapping) else list(values)
    if len(row) != len(columns):
        raise ValueError(f"{len(row)} values for {len(columns)} columns")
    return b"".join(field_image(column, value, style) for column, value in zip(columns, row, strict=True))
