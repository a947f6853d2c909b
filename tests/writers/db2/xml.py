"""CSL manager records with serialized XML (11.5.8 and later; reference 6.4)."""

from __future__ import annotations

from .lob import LobObject
from .wire import Server

COMPONENT = 15
SERIALIZED_XML = 114
XML_OBJECT = 6


def document(server: Server, about: LobObject, data: bytes, column_id: int) -> bytes:
    """Ids 2, 4, 6, 8 (2 each), object type 10, length 12(4), column id 16(2), UTF-8 data at 24."""
    if server.generation != "v10":
        raise ValueError(f"{server.generation} has no serialized XML")
    ids = (about.object.tablespace_id, about.object.table_id, about.parent.tablespace_id, about.parent.table_id)
    start = bytes([COMPONENT, SERIALIZED_XML]) + b"".join(server.u16(value) for value in ids)
    start += bytes([XML_OBJECT, 0])
    return start + server.u32(len(data)) + server.u16(column_id) + bytes(6) + data
