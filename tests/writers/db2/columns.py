"""Columns, and how a table description record describes them (Tables 98, 105, 107; reference 4.6 to 4.8)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from .wire import Server

#: Field type codes (reference 4.7).
TYPE_CODES = {
    "SMALLINT": 0x0000,
    "INTEGER": 0x0001,
    "DECIMAL": 0x0002,
    "DOUBLE": 0x0003,
    "REAL": 0x0004,
    "BIGINT": 0x0005,
    "DECFLOAT16": 0x0006,
    "DECFLOAT34": 0x0007,
    "CHAR": 0x0100,
    "VARCHAR": 0x0101,
    "LONG VARCHAR": 0x0104,
    "DATE": 0x0105,
    "TIME": 0x0106,
    "TIMESTAMP": 0x0107,
    "BLOB": 0x0108,
    "CLOB": 0x0109,
    "STRUCT": 0x010D,
    "BOOLEAN": 0x010F,
    "BINARY": 0x0110,
    "VARBINARY": 0x0111,
    "XML": 0x0112,
    "GRAPHIC": 0x0200,
    "VARGRAPHIC": 0x0201,
    "LONG VARGRAPHIC": 0x0202,
    "DBCLOB": 0x0203,
}
LOB_TYPES = ("BLOB", "CLOB", "DBCLOB")
GRAPHIC_TYPES = ("GRAPHIC", "VARGRAPHIC", "DBCLOB")
VARIABLE_TYPES = ("VARCHAR", "LONG VARCHAR", "VARGRAPHIC", "LONG VARGRAPHIC", "VARBINARY", "XML", *LOB_TYPES)
#: Types of one size only.
SIZES = {"SMALLINT": 2, "INTEGER": 4, "BIGINT": 8, "REAL": 4, "DOUBLE": 8, "DATE": 4, "TIME": 3, "BOOLEAN": 1}
#: A variable column's part of the fixed section: offset u16, length u16.
SLOT = 4
LONG_VARCHAR_LENGTH = 32700
#: Bits of the null flag.
NULLABLE, NOT_NULL = 0x0001, 0x0002

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_TYPE = re.compile(r"([A-Z ]+?)\s*(?:\((\d+)([KMG]?)(?:,\s*(\d+))?\))?\s*(FOR BIT DATA)?")
_DEFAULT_LENGTHS = {"CHAR": 1, "GRAPHIC": 1, "BINARY": 1, "DECIMAL": 5, "DECFLOAT": 34, "TIMESTAMP": 6}


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: column name.
        type: in SQL words: ``CHAR(6)``, ``CHAR(4) FOR BIT DATA``, ``DECIMAL(9,2)``, ``CLOB(5K)``, ``TIMESTAMP(12)``.
        nullable: it has a null byte.
        inline_length: of a LOB column.
        logged: of a LOB column: its data is in the log.
    """

    name: str
    type: str
    nullable: bool = True
    inline_length: int = 0
    logged: bool = True

    @cached_property
    def _parts(self) -> tuple[str, int, int, bool]:
        match = _TYPE.fullmatch(self.type)
        if match is None:
            raise ValueError(f"{self.type!r} is no column type")
        word, length, unit, scale, bit_data = match.groups()
        size = int(length) * _UNITS[unit] if length else _DEFAULT_LENGTHS.get(word, 0)
        return word, size, int(scale or 0), bit_data is not None

    @property
    def word(self) -> str:
        """The type's name alone."""
        return self._parts[0]

    @property
    def length(self) -> int:
        """Length, precision, or digits as declared."""
        return self._parts[1]

    @property
    def scale(self) -> int:
        """Scale of a DECIMAL."""
        return self._parts[2]

    @property
    def bit_data(self) -> bool:
        """Its values are bytes, not text."""
        return self._parts[3] or self.word in ("BINARY", "VARBINARY", "BLOB")

    @property
    def variable(self) -> bool:
        """Its value stands in the variable section."""
        return self.word in VARIABLE_TYPES

    @property
    def lob(self) -> bool:
        """It has an element in the LOB descriptor array."""
        return self.word in LOB_TYPES

    @property
    def outside(self) -> bool:
        """Its value may stand outside the row."""
        return self.lob or self.word in ("XML", "LONG VARCHAR")

    @property
    def type_code(self) -> int:
        """Field type of its descriptor."""
        return TYPE_CODES[f"DECFLOAT{self.length}" if self.word == "DECFLOAT" else self.word]

    @property
    def max_bytes(self) -> int:
        """Bytes of its longest value; of a fixed column, of each (reference 5.1)."""
        if self.word in SIZES:
            return SIZES[self.word]
        if self.word == "DECIMAL":
            return (self.length + 2) // 2
        if self.word == "DECFLOAT":
            return self.length // 2 if self.length == 16 else 16
        if self.word == "TIMESTAMP":
            return 7 + (self.length + 1) // 2
        if self.word in ("LONG VARCHAR", "LONG VARGRAPHIC"):
            return LONG_VARCHAR_LENGTH
        return self.length * 2 if self.word in GRAPHIC_TYPES else self.length

    @property
    def fixed_bytes(self) -> int:
        """Its bytes in the fixed section, without the null byte."""
        return SLOT if self.variable else self.max_bytes


def offsets(columns: Sequence[Column]) -> list[int]:
    """Field offset of each column, and the length of the fixed section: packed, a null byte behind each nullable."""
    out = [0]
    for column in columns:
        out.append(out[-1] + column.fixed_bytes + column.nullable)
    return out


def _length_field(server: Server, column: Column) -> bytes:
    """DECIMAL: a byte each for precision and scale; LOB and XML: not used; else the longest value in bytes."""
    if column.word == "DECIMAL":
        return bytes([column.length, column.scale])
    return server.u16(0 if column.lob else column.max_bytes)


def column_element(server: Server, column: Column, offset: int) -> bytes:
    """Element of the column descriptor array, 8 bytes: type 0(2), length 2(2), null flag 4(2), offset 6(2)."""
    null_flag = NULLABLE if column.nullable else NOT_NULL
    return server.u16(column.type_code) + _length_field(server, column) + server.u16(null_flag) + server.u16(offset)


def lob_element(server: Server, column: Column) -> bytes:
    """Element of the LOB descriptor array, 12 bytes: longest length, inline length (none in v7), log flag."""
    inline = 0 if server.is_v7 else column.inline_length
    return server.u32(column.max_bytes) + server.u32(inline) + server.u32(column.logged)


def column_array(server: Server, columns: Sequence[Column]) -> bytes:
    """Column descriptor array, 8 bytes a column."""
    places = offsets(columns)
    return b"".join(column_element(server, column, place) for column, place in zip(columns, places, strict=False))


def table_description(server: Server, columns: Sequence[Column], record_type: int = 0) -> bytes:
    """Table description record: type 0, reserved 1, number of columns 2(2), column array, an element for each LOB."""
    lobs = b"".join(lob_element(server, column) for column in columns if column.lob)
    return bytes([record_type, 0]) + server.u16(len(columns)) + column_array(server, columns) + lobs


def parallel_arrays(server: Server, columns: Sequence[Column]) -> bytes:
    """Arrays of an Add columns record: 8 and 12 bytes for every column, zeros where it is no LOB (Table 105)."""
    lobs = b"".join(lob_element(server, column) if column.lob else bytes(12) for column in columns)
    return column_array(server, columns) + lobs
