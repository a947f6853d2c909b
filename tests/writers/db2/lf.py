"""Long field manager records (V5 page "Long field manager log records"; reference 6.3)."""

from __future__ import annotations

from .lob import LobObject
from .wire import Server

COMPONENT = 3
SECTOR = 512
#: Operations; their numbers in V5 to V7 are not known, these are said to be those of later versions.
ADD, DELETE, NON_UPDATE = 110, 111, 112


def header(server: Server, operation: int, about: LobObject) -> bytes:
    """10 bytes: component 0, operation 1, pool 2(2), object 4(2), parent pool 6(2), parent object 8(2)."""
    ids = (about.object.tablespace_id, about.object.table_id, about.parent.tablespace_id, about.parent.table_id)
    return bytes([COMPONENT, operation]) + b"".join(server.u16(value) for value in ids)


def record(server: Server, about: LobObject, data: bytes, sector: int, *, operation: int = ADD) -> bytes:
    """Length 10(2) and file offset 12(4) in sectors, then whole sectors of data at 16."""
    sectors = -(-len(data) // SECTOR)
    filled = data.ljust(sectors * SECTOR, b"\x00")
    return header(server, operation, about) + server.u16(sectors) + server.u32(sector) + filled
