"""Data object manager records of the DOM component (Tables 97, 99, 101 to 103; reference 4.10)."""

from __future__ import annotations

from dataclasses import dataclass

from .wire import Server, TableId

COMPONENT = 4

CREATE_INDEX, DROP_INDEX = 2, 3
DROP_TABLE, UNDO_DROP_TABLE = 4, 5
TRUNCATE, ACTIVATE_NOT_LOGGED_INITIALLY = 11, 12
REORG_TABLE = 35
CREATE_TABLE, UNDO_CREATE_TABLE = 101, 130


@dataclass(frozen=True)
class DomObject:
    """The object a record is about (the table's own data object unless given), and the table it belongs to."""

    table: TableId
    object: TableId | None = None
    object_type: int = 0
    flags: int = 0


def header(server: Server, function: int, about: DomObject) -> bytes:
    """Table 97, 12 bytes: component 0, function 1, object 2(2) 4(2), table 6(2) 8(2), object type 10, flags 11."""
    target = about.object or about.table
    ids = (target.tablespace_id, target.table_id, about.table.tablespace_id, about.table.table_id)
    start = bytes([COMPONENT, function]) + b"".join(server.u16(value) for value in ids)
    return start + bytes([about.object_type, about.flags])


def truncate(server: Server, about: DomObject, internal: bytes = b"") -> bytes:
    """Table 99, import replace (truncate): 12 bytes plus internal ones."""
    return header(server, TRUNCATE, about) + internal


def activate_not_logged_initially(server: Server, about: DomObject, internal: bytes = b"") -> bytes:
    """Activate NOT LOGGED INITIALLY: its layout behind the header is not known."""
    return header(server, ACTIVATE_NOT_LOGGED_INITIALLY, about) + internal


def _index(server: Server, function: int, about: DomObject, token: int, root_page: int) -> bytes:
    return header(server, function, about) + bytes(2) + server.u16(token) + server.u32(root_page)


def create_index(server: Server, about: DomObject, token: int, root_page: int) -> bytes:
    """Table 102: padding 12(2), index token 14(2), index root page 16(4); 20 bytes."""
    return _index(server, CREATE_INDEX, about, token, root_page)


def drop_index(server: Server, about: DomObject, token: int, root_page: int) -> bytes:
    """Table 102, as `create_index`."""
    return _index(server, DROP_INDEX, about, token, root_page)


def _table(server: Server, function: int, about: DomObject, internal: bytes) -> bytes:
    """Table 103: internal 12(56); 68 bytes. The size in later versions is not known; the same stands in for it."""
    return header(server, function, about) + internal


def create_table(server: Server, about: DomObject, internal: bytes = bytes(56)) -> bytes:
    """Table 103, create table."""
    return _table(server, CREATE_TABLE, about, internal)


def drop_table(server: Server, about: DomObject, internal: bytes = bytes(56)) -> bytes:
    """Table 103, drop table."""
    return _table(server, DROP_TABLE, about, internal)


def undo_create_table(server: Server, about: DomObject, internal: bytes = bytes(56)) -> bytes:
    """Table 103, rollback create table."""
    return _table(server, UNDO_CREATE_TABLE, about, internal)


def undo_drop_table(server: Server, about: DomObject, internal: bytes = bytes(56)) -> bytes:
    """Table 103, rollback drop table."""
    return _table(server, UNDO_DROP_TABLE, about, internal)


def reorg_table(
    server: Server,
    about: DomObject,
    *,
    index_token: int = 0,
    temporary_tablespace_id: int = 0,
    long_temporary_tablespace_id: int = 0,
    fill: int = 0,
) -> bytes:
    """Table 101: v7 internal 12(252), token 264(2), table space 266(2); later internal 12(476), 488, 490, 492.

    `fill` is every byte of the internal part.
    """
    start = header(server, REORG_TABLE, about)
    tail = server.u16(index_token) + server.u16(temporary_tablespace_id)
    if server.is_v7:
        return start + bytes([fill]) * 252 + tail
    return start + bytes([fill]) * 476 + tail + server.u16(long_temporary_tablespace_id)
