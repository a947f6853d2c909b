"""What surrounds a record in a read buffer (reference 1.1): a prefix before each one, and no padding between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from .wire import ByteOrder, Server, sqlu_lsn

Framing = Literal["bare", "lsn6", "lsn8", "filter", "filter97", "lris"]
FRAMINGS: tuple[Framing, ...] = ("bare", "lsn6", "lsn8", "filter", "filter97", "lris")


@dataclass(frozen=True)
class Framed:
    """A record and what its prefix says of it.

    Attributes:
        data: the record, header included.
        lsn: its log sequence number.
        lso: its log stream offset.
        lfs: its log flush sequence.
        stream_id: its log stream.
        sqlcode: result of decompressing the row.
        real_length: length after decompression; the record's own unless given.
    """

    data: bytes
    lsn: int
    lso: int = 0
    lfs: int = 0
    stream_id: int = 0
    sqlcode: int = 0
    real_length: int | None = None

    @property
    def log_length(self) -> int:
        """realLogRecLen."""
        return len(self.data) if self.real_length is None else self.real_length


def _bare(server: Server, item: Framed) -> bytes:
    return b""


def _lsn6(server: Server, item: Framed) -> bytes:
    """SQLU_LSN before each record of sqlurlog (reference 1.4)."""
    return sqlu_lsn(item.lsn, server.byte_order)


def _lsn8(server: Server, item: Framed) -> bytes:
    """db2LSN before each record of db2ReadLogNoConn."""
    return server.u64(item.lsn)


def _lri(server: Server, kind: int, part1: int, part2: int) -> bytes:
    """db2LRI, 24 bytes: lriType, part1, part2."""
    return server.u64(kind) + server.u64(part1) + server.u64(part2)


def _filter(server: Server, item: Framed) -> bytes:
    """db2ReadLogFilterData 10.1, 56 bytes: LRI of type 1 (LFS, LSN), of type 2 (stream id, LSO), length, sqlcode."""
    return _lris(server, item) + server.u32(item.log_length) + server.i32(item.sqlcode)


def _lris(server: Server, item: Framed) -> bytes:
    """Two db2LRI, 48 bytes, as IBM's sample in C++ has them in front of records that are read without a connection."""
    return _lri(server, 1, item.lfs, item.lsn) + _lri(server, 2, item.stream_id, item.lso)


def _filter97(server: Server, item: Framed) -> bytes:
    """db2ReadLogFilterData of 9.7, 16 bytes: LSN, length, sqlcode."""
    return server.u64(item.lsn) + server.u32(item.log_length) + server.i32(item.sqlcode)


_PREFIXES: dict[Framing, Callable[[Server, Framed], bytes]] = {
    "bare": _bare,
    "lsn6": _lsn6,
    "lsn8": _lsn8,
    "filter": _filter,
    "filter97": _filter97,
    "lris": _lris,
}


def prefix(framing: Framing, byte_order: ByteOrder, item: Framed) -> bytes:
    """Bytes before one record; integers in the server's byte order, whatever its generation."""
    return _PREFIXES[framing](Server("v10", byte_order), item)


def framed(framing: Framing, byte_order: ByteOrder, items: Iterable[Framed]) -> bytes:
    """A whole buffer."""
    return b"".join(prefix(framing, byte_order, item) + item.data for item in items)
