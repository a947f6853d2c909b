"""Numbers as the Db2 server writes them: its own byte order, unaligned (reference 1.5).

Every function that builds a body takes a `Server`: the generation of its log records and its byte order. The three
generations are named by the version that first had them: v7 (V5 to V7), v9.7, and v10 (10.1 to 12.1).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Literal

Generation = Literal["v7", "v9.7", "v10"]
ByteOrder = Literal["little", "big"]
#: The builtin, for classes with a method of that name.
Raw = bytes

GENERATIONS: tuple[Generation, ...] = ("v7", "v9.7", "v10")
BYTE_ORDERS: tuple[ByteOrder, ...] = ("little", "big")


@dataclass(frozen=True)
class Rid:
    """Where a row is: page number and slot in the page (reference 5.4)."""

    page: int
    slot: int


@dataclass(frozen=True)
class TableId:
    """What joins a log record to SYSCAT.TABLES: table space id and table id."""

    tablespace_id: int
    table_id: int


def sqlu_lsn(value: int, byte_order: ByteOrder) -> bytes:
    """SQLU_LSN: three u16 words, the most significant word first, each in the server's byte order (reference 2.1)."""
    words = ((value >> 32) & 0xFFFF, (value >> 16) & 0xFFFF, value & 0xFFFF)
    return b"".join(word.to_bytes(2, byte_order) for word in words)


@dataclass(frozen=True)
class Server:
    """The Db2 server that writes the log."""

    generation: Generation
    byte_order: ByteOrder

    @property
    def is_v7(self) -> bool:
        """V5 to V7: 6-byte LSNs, 4-byte RIDs."""
        return self.generation == "v7"

    def _number(self, form: str, value: float) -> bytes:
        return struct.pack(("<" if self.byte_order == "little" else ">") + form, value)

    def u16(self, value: int) -> bytes:
        """Unsigned short."""
        return self._number("H", value)

    def u32(self, value: int) -> bytes:
        """sqluint32."""
        return self._number("I", value)

    def u64(self, value: int) -> bytes:
        """sqluint64."""
        return self._number("Q", value)

    def i16(self, value: int) -> bytes:
        """Short."""
        return self._number("h", value)

    def i32(self, value: int) -> bytes:
        """sqlint32."""
        return self._number("i", value)

    def i64(self, value: int) -> bytes:
        """sqlint64."""
        return self._number("q", value)

    def f32(self, value: float) -> bytes:
        """IEEE 754 single."""
        return self._number("f", value)

    def f64(self, value: float) -> bytes:
        """IEEE 754 double."""
        return self._number("d", value)

    def lsn(self, value: int) -> bytes:
        """A log sequence number: SQLU_LSN of 6 bytes in v7, later 8 bytes."""
        return sqlu_lsn(value, self.byte_order) if self.is_v7 else self.u64(value)

    def rid(self, rid: Rid) -> bytes:
        """RID: page * 256 + slot in 4 bytes (v7), page << 16 | slot in 6 (reference 5.4)."""
        if self.is_v7:
            return self.i32(rid.page * 256 + rid.slot)
        return (rid.page << 16 | rid.slot).to_bytes(6, self.byte_order)
