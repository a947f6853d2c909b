"""Encoding of one field and of one record laid out by a vendor table.

The encoder is a second opinion on the format: every table in this package is written from the vendor's pages and
nothing is taken from the specs under ``formats/``. A record is a list of `Field`; `fill` turns values into its bytes.

Forms of the single values, with their source:

* BIN(n) numbers are unsigned and big-endian (z/OS byte order).
* BIN(17) timestamps: ``YYYYMMDDHHMMSSHHMMMMNNNPPPFFF00000`` as 34 unsigned decimal digits, two in a byte
  (footnote 1 of the page "Logical log data file", table "Data change record (LLDF)").
* BIN(10) LRSN and RBA: a 6-byte LRSN stands at offset 1 (``CA670FBBF3D3`` -> ``00CA670FBBF3D3000000``), a 6-byte
  RBA at offset 4 (``123456789ABC`` -> ``00000000123456789ABC``) (same footnote).
* CHAR(n) is EBCDIC text, blank padded; numbers of the control file are EBCDIC digits with leading zeros; object ids
  of the control file are four EBCDIC hexadecimal digits (bmc-logical-log.md, section 1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache

FieldValue = int | str | bytes | datetime | None

EBCDIC = "cp037"
EBCDIC_BLANK = b"\x40"
TIMESTAMP_BYTES = 17


@dataclass(frozen=True)
class Field:
    """One line of a vendor table: name, decimal offset, length in bytes, and how a value becomes bytes.

    Kinds: ``uint`` (BIN number), ``char`` (CHAR text), ``digits`` (CHAR number), ``hextext`` (CHAR object id),
    ``rba`` and ``lrsn`` (BIN(10) or BIN(6)), ``ts`` (BIN timestamp), ``dttm`` (timestamp as text),
    ``bytes`` (BIN without a number's meaning).
    """

    name: str
    offset: int
    length: int
    kind: str

    @property
    def end(self) -> int:
        """Offset of the first byte behind the field."""
        return self.offset + self.length


@cache
def key(name: str) -> str:
    """Name of a field without blanks, underscores, and case: ``CHANGE TYPE``, ``change_type`` -> ``changetype``."""
    return name.replace(" ", "").replace("_", "").lower()


def text(value: str, length: int, encoding: str = EBCDIC) -> bytes:
    """CHAR(length): text in EBCDIC, padded with blanks on the right.

    Raises:
        ValueError: the text is longer than the field.
    """
    encoded = value.encode(encoding)
    if len(encoded) > length:
        raise ValueError(f"{value!r} does not fit CHAR({length})")
    return encoded + " ".encode(encoding) * (length - len(encoded))


def digits(value: int, length: int) -> bytes:
    """Number of the control file: EBCDIC digits with leading zeros; a negative one is right-justified (``   -1``)."""
    shown = f"{value:0{length}d}" if value >= 0 else f"{value:>{length}d}"
    return text(shown, length)


def timestamp_digits(value: str | datetime) -> str:
    """ISO text to the 34 digits of a BIN(17) timestamp: date 8, time 6, fraction 20.

    The hour may be 24, the fraction may have up to 20 digits; ``T``, blank, or ``-`` may part date and time.
    """
    shown = value.isoformat() if isinstance(value, datetime) else value
    match = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)[T -](\d\d)[:.](\d\d)[:.](\d\d)(?:\.(\d{1,20}))?", shown)
    if match is None:
        raise ValueError(f"{shown!r} is no timestamp")
    *parts, fraction = match.groups()
    return "".join(parts) + (fraction or "").ljust(20, "0")


def timestamp(value: FieldValue, length: int = TIMESTAMP_BYTES) -> bytes:
    """BIN(length) timestamp; None is all zeros; a shorter one keeps the leading digits (10 bytes = microseconds)."""
    if value is None:
        return bytes(length)
    if isinstance(value, bytes):
        return value
    if isinstance(value, int):
        raise TypeError("a timestamp is ISO text, raw bytes, or None")
    return bytes.fromhex(timestamp_digits(value))[:length]


def timestamp_text(value: FieldValue, length: int = 26) -> bytes:
    """DTTM of XHDF: the timestamp as Db2 ISO text in EBCDIC, ``yyyy-mm-dd-hh.mm.ss.ffffff``; None is blank."""
    if isinstance(value, bytes):
        return value
    if value is None:
        return EBCDIC_BLANK * length
    if isinstance(value, int):
        raise TypeError("a timestamp is ISO text, raw bytes, or None")
    d = timestamp_digits(value)
    shown = f"{d[:4]}-{d[4:6]}-{d[6:8]}-{d[8:10]}.{d[10:12]}.{d[12:14]}.{d[14:]}"
    return text(shown[:length], length)


def _raw(value: FieldValue, length: int) -> bytes:
    """Bytes as they are, hexadecimal text, a number (big-endian), or zeros for None."""
    if value is None:
        return bytes(length)
    if isinstance(value, bytes):
        return value
    if isinstance(value, int):
        return value.to_bytes(length, "big")
    if isinstance(value, str):
        return bytes.fromhex(value)
    raise TypeError(f"{value!r} is neither bytes, hexadecimal text, nor a number")


def extend_rba(short: bytes) -> bytes:
    """BIN(6) RBA to BIN(10): it is placed at offset 4 (LLDF footnote 1)."""
    return bytes(4) + short


def extend_lrsn(short: bytes) -> bytes:
    """BIN(6) LRSN to BIN(10): it is placed at offset 1 (LLDF footnote 1)."""
    return bytes(1) + short + bytes(3)


def rba(value: FieldValue, length: int = 10) -> bytes:
    """RBA in today's 10 bytes or the older 6; 6 bytes (12 hex digits) are extended, 10 are narrowed as needed."""
    raw = _raw(value, length)
    if length == 10 and len(raw) == 6:
        return extend_rba(raw)
    if length == 6 and len(raw) == 10:
        return raw[4:]
    return raw


def lrsn(value: FieldValue, length: int = 10) -> bytes:
    """LRSN in today's 10 bytes or the older 6; 6 bytes (12 hex digits) are extended, 10 are narrowed as needed."""
    if isinstance(value, int):
        value = value.to_bytes(10, "big")
    raw = _raw(value, length)
    if length == 10 and len(raw) == 6:
        return extend_lrsn(raw)
    if length == 6 and len(raw) == 10:
        return raw[1:7]
    return raw


def _uint(value: FieldValue, length: int) -> bytes:
    if value is None:
        return bytes(length)
    if isinstance(value, bytes):
        return value
    if isinstance(value, int):
        return value.to_bytes(length, "big", signed=value < 0)
    raise TypeError(f"{value!r} is no number")


def _char(value: FieldValue, length: int) -> bytes:
    if value is None:
        return EBCDIC_BLANK * length
    if isinstance(value, bytes):
        return value
    return text(str(value), length)


def _digits(value: FieldValue, length: int) -> bytes:
    return digits(value, length) if isinstance(value, int) else _char(value, length)


def _hextext(value: FieldValue, length: int) -> bytes:
    return text(f"{value:0{length}X}", length) if isinstance(value, int) else _char(value, length)


_KINDS: dict[str, Callable[[FieldValue, int], bytes]] = {
    "uint": _uint,
    "char": _char,
    "digits": _digits,
    "hextext": _hextext,
    "rba": rba,
    "lrsn": lrsn,
    "ts": timestamp,
    "dttm": timestamp_text,
    "bytes": _raw,
}


def encode(field: Field, value: FieldValue) -> bytes:
    """Bytes of one field.

    Raises:
        ValueError: the bytes do not have the length of the field.
    """
    encoded = _KINDS[field.kind](value, field.length)
    if len(encoded) != field.length:
        raise ValueError(f"{field.name}: {len(encoded)} bytes, expected {field.length}")
    return encoded


@cache
def _nothing(kind: str, length: int) -> bytes:
    """Bytes of a field without a value, as most fields of a record are."""
    return encode(Field("", 0, length, kind), None)


def table(*lines: tuple[str, int, int, str]) -> tuple[Field, ...]:
    """A vendor table from (name, offset, length, kind) lines."""
    return tuple(Field(*line) for line in lines)


def fill(fields: Iterable[Field], values: Mapping[str, FieldValue], total: int, blank: bytes = b"\x00") -> bytes:
    """Bytes 0 to `total` of a record.

    Fields without a value are zero or blank by their kind, places without a field are `blank`. A `total` below the
    table's end cuts the record there, one above it appends `blank`.

    Raises:
        TypeError: a value whose name is not in the table.
    """
    fields = tuple(fields)
    given = {key(name): value for name, value in values.items()}
    unknown = given.keys() - {key(field.name) for field in fields}
    if unknown:
        raise TypeError(f"no such field: {', '.join(sorted(unknown))}")
    record = bytearray(blank * max([total, *(field.end for field in fields)]))
    for field in fields:
        value = given.get(key(field.name))
        encoded = _nothing(field.kind, field.length) if value is None else encode(field, value)
        record[field.offset : field.end] = encoded
    return bytes(record[:total])
