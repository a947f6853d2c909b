"""Relation manager records with DDL statements (10.1 and later; reference 6.5)."""

from __future__ import annotations

from collections.abc import Sequence

from .wire import Server, TableId

COMPONENT = 11
STATEMENT, UNDO_STATEMENT = 4, 5


def statement(
    server: Server,
    table: TableId,
    text: bytes,
    *,
    undo: bool = False,
    text_left: int = 0,
    operation: int = 0,
    object_id: int = 0,
    options: int = 0,
    flags: int = 0,
    entries: Sequence[tuple[int, bytes]] = (),
) -> bytes:
    """Operation 8, object 10, options 12, number of entries 14 (2 each), text left 16(4), text length 20(4).

    Entries at 24: type and length (2 each); the bytes of all entries, then the text, follow the last of them.
    `text_left` is what further records hold of a text too long for one.
    """
    ids = (table.tablespace_id, table.table_id, flags, operation, object_id, options, len(entries))
    start = bytes([COMPONENT, UNDO_STATEMENT if undo else STATEMENT])
    start += b"".join(server.u16(value) for value in ids)
    heads = b"".join(server.u16(kind) + server.u16(len(data)) for kind, data in entries)
    data = b"".join(data for _, data in entries)
    return start + server.u32(text_left) + server.u32(len(text)) + heads + data + text
