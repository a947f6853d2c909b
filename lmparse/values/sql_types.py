"""SQL types of Db2 LUW columns: from words such as DECIMAL(9,2) to the form and the width of values in a row.

Sources: IBM Db2 V7, "Data Manager Log Records", Field Lengths; IBM Db2 12.1, SQL reference, "CREATE TABLE".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

_ALIASES = {
    "INT": "INTEGER", "DEC": "DECIMAL", "NUMERIC": "DECIMAL", "NUM": "DECIMAL", "CHARACTER": "CHAR",
    "CHARACTER VARYING": "VARCHAR", "CHAR VARYING": "VARCHAR", "DOUBLE PRECISION": "DOUBLE", "FLOAT": "DOUBLE",
    "BINARY VARYING": "VARBINARY", "CHARACTER LARGE OBJECT": "CLOB", "CHAR LARGE OBJECT": "CLOB",
    "BINARY LARGE OBJECT": "BLOB", "NCHAR": "GRAPHIC", "NVARCHAR": "VARGRAPHIC", "NCLOB": "DBCLOB",
}  # fmt: skip
_WIDTHS = {"SMALLINT": 2, "INTEGER": 4, "BIGINT": 8, "REAL": 4, "DOUBLE": 8, "DATE": 4, "TIME": 3, "BOOLEAN": 1}
_LENGTHS = {"CHAR": 1, "GRAPHIC": 1, "BINARY": 1, "BLOB": 1 << 20, "CLOB": 1 << 20, "DBCLOB": 1 << 20}
"""Types that take a length, with their default length."""
_NEED_LENGTH = ("VARCHAR", "VARGRAPHIC", "VARBINARY")
_BARE = (*_WIDTHS, "LONG VARCHAR", "LONG VARGRAPHIC", "XML", "DATALINK")
LOBS = ("BLOB", "CLOB", "DBCLOB")
_VARYING = (*_NEED_LENGTH, *LOBS, "LONG VARCHAR", "LONG VARGRAPHIC", "XML", "DATALINK")
_GRAPHIC = ("GRAPHIC", "VARGRAPHIC", "LONG VARGRAPHIC", "DBCLOB")
_BINARY = ("BINARY", "VARBINARY", "BLOB")
_FORMS = {
    **dict.fromkeys(("SMALLINT", "INTEGER", "BIGINT"), "int"), **dict.fromkeys(("REAL", "DOUBLE"), "float"),
    **dict.fromkeys(("CHAR", "VARCHAR", "GRAPHIC", "VARGRAPHIC", "CLOB", "DBCLOB", "XML"), "text"),
    **dict.fromkeys(("BINARY", "VARBINARY", "BLOB"), "bytes"),
    **dict.fromkeys(("LONG VARCHAR", "LONG VARGRAPHIC", "DATALINK"), "absent"),
    "DECIMAL": "decimal", "DECFLOAT": "decfloat", "DATE": "date", "TIME": "time", "TIMESTAMP": "timestamp",
    "BOOLEAN": "boolean",
}  # fmt: skip
NAMES = frozenset((*_FORMS, *_ALIASES))
"""All names of types that are known."""
_WORDS = re.compile(
    r"(?P<name>[A-Z]+(?: [A-Z]+)*?)\s*"
    r"(?:\(\s*(?P<length>[0-9]{1,10})\s*(?P<unit>[KMG])?\s*(?P<code_unit>OCTETS|CODEUNITS16|CODEUNITS32)?\s*(?:,\s*(?P<scale>[0-9]{1,10})\s*)?\))?"
    r"(?P<bits>\s+FOR BIT DATA)?"
)
_LONGEST = 1 << 31
"""Largest length of any type: that of a LOB."""
_CODE_UNITS = {"OCTETS": 1, "CODEUNITS16": 2, "CODEUNITS32": 4}
"""Most bytes of one unit of a length."""
_UNITS = {None: 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class TableColumn(Protocol):
    """A column of a table, in whatever log."""

    @property
    def number(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def form(self) -> str: ...
    @property
    def length(self) -> int: ...
    @property
    def scale(self) -> int: ...
    @property
    def precision(self) -> int:
        """Digits of a decimal."""

    @property
    def is_nullable(self) -> bool: ...
    @property
    def ccsid(self) -> int | None:
        """CCSID of the column's text; None for other columns, or if the log does not state it."""

    @property
    def sql_words(self) -> str:
        """The column's type in SQL words, such as CHAR(6)."""


@dataclass(frozen=True)
class SqlType:
    """A type with its length. Lengths are in bytes."""

    name: str
    """SMALLINT, DECIMAL, CHAR, ..."""
    length: int = 0
    """Bytes of a value; for a varying length, bytes of the longest value."""
    precision: int = 0
    """Digits of a DECIMAL or DECFLOAT, digits of the fraction of a TIMESTAMP."""
    scale: int = 0
    is_bit_data: bool = False

    @property
    def is_varying(self) -> bool:
        """Whether the fixed-length section has place and length of the value instead of the value."""
        return self.name in _VARYING

    @property
    def is_lob(self) -> bool:
        """Whether values may be stored in a separate object, and logged in separate records."""
        return self.name in LOBS

    @property
    def is_graphic(self) -> bool:
        """Whether values are double-byte characters."""
        return self.name in _GRAPHIC

    @property
    def form(self) -> str:
        """The form of values: int, float, decimal, decfloat, text, bytes, date, time, timestamp, boolean, absent (never
        in the log), or raw (for an unlisted type)."""
        return "bytes" if self.is_bit_data else _FORMS.get(self.name, "raw")

    @property
    def words(self) -> str:
        """The type in SQL words."""
        if self.name == "DECIMAL":
            return f"DECIMAL({self.precision},{self.scale})"
        if self.name in ("DECFLOAT", "TIMESTAMP"):
            return f"{self.name}({self.precision})"
        if (self.name in _LENGTHS or self.name in _NEED_LENGTH) and self.length:
            length = self.length // 2 if self.is_graphic else self.length
            return f"{self.name}({length})" + (" FOR BIT DATA" if self.is_bit_data else "")
        return self.name


def parse_type(text: str) -> SqlType:
    """The type in SQL words. Raises ValueError with the reason if the words name no type."""
    match = _WORDS.fullmatch(" ".join(text.upper().split()))
    name = _ALIASES.get(match["name"], match["name"]) if match else ""
    if match is None or name not in _FORMS:
        raise ValueError(f"{text!r} is not an SQL type")
    length = int(match["length"]) * _UNITS[match["unit"]] if match["length"] else None
    if length is not None and length > _LONGEST:
        raise ValueError(f"{text!r}: no value has more than {_LONGEST} bytes")
    if length == 0 and name != "TIMESTAMP":
        raise ValueError(f"{text!r}: a length is at least 1")
    scale = int(match["scale"]) if match["scale"] else None
    is_bit_data = match["bits"] is not None
    if is_bit_data and name not in ("CHAR", "VARCHAR"):
        raise ValueError(f"{name} cannot be FOR BIT DATA")
    if scale is not None and name != "DECIMAL":
        raise ValueError(f"{name} takes no scale")
    if name in ("DECIMAL", "TIMESTAMP", "DECFLOAT"):
        return _type_of_digits(text, name, length, scale)
    if match["name"] == "FLOAT" and length is not None:
        if length > 53:
            raise ValueError(f"{text!r}: a FLOAT has 1 to 53 binary digits")
        return SqlType("REAL", 4) if length < 25 else SqlType("DOUBLE", 8)
    if name in _BARE:
        if length is not None:
            raise ValueError(f"{name} takes no length")
        return SqlType(name, _WIDTHS.get(name, 0))
    if name in _NEED_LENGTH and length is None:
        raise ValueError(f"{name} needs a length")
    length = _LENGTHS.get(name, 0) if length is None else length
    default = "CODEUNITS16" if name in _GRAPHIC else "OCTETS"
    unit = match["code_unit"] or default
    if unit not in (default, "CODEUNITS32") or (unit != default and (is_bit_data or name in _BINARY)):
        raise ValueError(f"{text!r}: {name} is not counted in {unit}")
    return SqlType(name, _CODE_UNITS[unit] * length, is_bit_data=is_bit_data)


def _type_of_digits(text: str, name: str, length: int | None, scale: int | None) -> SqlType:
    """A type whose SQL length is a number of digits."""
    if name == "DECIMAL":
        precision, scale = 5 if length is None else length, scale or 0
        if not 1 <= precision <= 31 or scale > precision:
            raise ValueError(f"{text!r}: precision is 1 to 31, scale at most as large")
        return SqlType(name, decimal_bytes(precision), precision, scale)
    if name == "TIMESTAMP":
        digits = 6 if length is None else length
        if digits > 12:
            raise ValueError(f"{text!r}: a timestamp has 0 to 12 digits behind the second")
        return SqlType(name, timestamp_bytes(digits), digits)
    digits = 34 if length is None else length
    if digits not in (16, 34):
        raise ValueError(f"{text!r}: DECFLOAT has 16 or 34 digits")
    return SqlType(name, 8 if digits == 16 else 16, digits)


def decimal_bytes(precision: int) -> int:
    """Bytes of a packed decimal with `precision` digits: (precision + 2) / 2."""
    return (precision + 2) // 2


def timestamp_bytes(digits: int) -> int:
    """Bytes of a timestamp with `digits` digits of the fraction."""
    return 7 + (digits + 1) // 2
