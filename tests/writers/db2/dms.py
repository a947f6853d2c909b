"""Data manager records of the DMS component (Tables 96, 98, 100, 104 to 109; reference 3 and 4).

Offsets in the docstrings count from the end of the log record header, v7 first and then 9.7 and later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .columns import Column, parallel_arrays, table_description
from .wire import Rid, Server, TableId

COMPONENT = 1

ADD_COLUMNS, UNDO_ADD_COLUMNS = 102, 104
UNDO_INSERT, UNDO_DELETE, UNDO_UPDATE = 110, 111, 112
ALTER_TABLE_ATTRIBUTE = 124
INITIALIZE_TABLE = 128
UNDO_INSERT_TO_EMPTY_PAGE = 131
DELETE_TO_EMPTY_PAGE, INSERT_TO_EMPTY_PAGE, UNDO_DELETE_TO_EMPTY_PAGE = 164, 165, 166
INSERT_MULTIPLE, UNDO_INSERT_MULTIPLE = 167, 168
OUT_OF_ROW_START, UNDO_OUT_OF_ROW_START = 211, 212
VECTOR_DATA = 213

#: Functions of which the layout behind the header is not known (reference 3.1, 4.5, 4.10).
NAMES_ONLY = {
    "undo_update_partition_state": 108,
    "alter_column": 113,
    "undo_alter_column": 115,
    "alter_lob_column_info": 116,
    "undo_alter_lob_column_info": 119,
    "rename": 122,
    "undo_rename": 123,
    "update_partition_state": 137,
    "drop_columns": 169,
    "undo_drop_columns": 170,
    "change_row_version": 171,
    "out_of_row_start": OUT_OF_ROW_START,
    "undo_out_of_row_start": UNDO_OUT_OF_ROW_START,
}

#: lrIUDflags: one half of an update that was carried out as delete and insert.
DECOMPOSED_UPDATE = 0x8000
#: Flag of an Initialize table record.
NOT_LOGGED_INITIALLY = 0x00000020
#: Bits of an Alter table attribute record (Table 104).
PROPAGATION, CHECK_PENDING, APPEND_MODE = 0x00000001, 0x00000002, 0x00010000
LF_PROPAGATION, LOB_PROPAGATION = 0x00200000, 0x00400000


@dataclass(frozen=True)
class Place:
    """Where a row record stands: RID, byte offset of the record in its page, and what is free there."""

    rid: Rid
    record_offset: int = 0
    free_space: int = 0


def insert_function(server: Server) -> int:
    """Function id of an insert."""
    return 118 if server.is_v7 else 162


def delete_function(server: Server) -> int:
    """Function id of a delete."""
    return 106 if server.is_v7 else 161


def update_function(server: Server) -> int:
    """Function id of an update."""
    return 120 if server.is_v7 else 163


def header(server: Server, function: int, table: TableId) -> bytes:
    """Table 96, 6 bytes: component 0, function 1, table space 2(2), table 4(2)."""
    return bytes([COMPONENT, function]) + server.u16(table.tablespace_id) + server.u16(table.table_id)


def named(server: Server, function: int, table: TableId, body: bytes = b"") -> bytes:
    """Header and an arbitrary body, for functions with a name only (see `NAMES_ONLY`)."""
    return header(server, function, table) + body


def _fixed_part(server: Server, function: int, table: TableId, place: Place, length: int, flags: int = 0) -> bytes:
    """Fields that rollback insert, insert, and update share; 16 bytes, later 18.

    v7: padding 6(2), RID 8(4), record length 12(2), free space 14(2). Later: flags 6(2), record length 8(2), free
    space 10(2), RID 12(6).
    """
    start = header(server, function, table) + server.u16(flags)
    sizes = server.u16(length) + server.u16(place.free_space)
    rid = server.rid(place.rid)
    return start + (rid + sizes if server.is_v7 else sizes + rid)


def _row(
    server: Server, function: int, table: TableId, place: Place, row: bytes, flags: int = 0, length: int | None = None
) -> bytes:
    """Table "Insert record, delete record, …": record offset at 16(2), later 18(2), then the row."""
    fixed = _fixed_part(server, function, table, place, len(row) if length is None else length, flags)
    return fixed + server.u16(place.record_offset) + row


def insert(server: Server, table: TableId, place: Place, row: bytes, *, flags: int = 0) -> bytes:
    """Insert record: 18, later 20 bytes plus the row (reference 4.1)."""
    return _row(server, insert_function(server), table, place, row, flags)


def delete(server: Server, table: TableId, place: Place, row: bytes, *, flags: int = 0) -> bytes:
    """Delete record, as `insert`."""
    return _row(server, delete_function(server), table, place, row, flags)


def undo_delete(server: Server, table: TableId, place: Place, row: bytes) -> bytes:
    """Rollback delete record, as `insert`, with the row that is back on the page."""
    return _row(server, UNDO_DELETE, table, place, row)


def undo_update(server: Server, table: TableId, place: Place, row: bytes) -> bytes:
    """Rollback update record, as `insert`, with the row that is back on the page."""
    return _row(server, UNDO_UPDATE, table, place, row)


def undo_insert(server: Server, table: TableId, place: Place, length: int) -> bytes:
    """Table 100, rollback insert: 16, later 18 bytes, no row."""
    return _fixed_part(server, UNDO_INSERT, table, place, length)


def update(
    server: Server,
    table: TableId,
    place: Place,
    old: bytes,
    new: bytes,
    *,
    new_place: Place | None = None,
    flags: int = 0,
) -> bytes:
    """Table 109, update: 36, later 40 bytes plus both rows.

    The parts are insert layouts back to back, but their record lengths are crossed: the part that holds the old row
    tells the length of the new one, and the other way round.
    """
    function = update_function(server)
    before = _row(server, function, table, place, old, flags, length=len(new))
    return before + _row(server, function, table, new_place or place, new, flags, length=len(old))


def _to_empty_page(
    server: Server, function: int, table: TableId, place: Place, row: bytes, first_page: int = 0, flags: int = 0
) -> bytes:
    """Empty-page variants: internal 18(2), first page 20(4), record offset 24(2), row at 26 (reference 4.3)."""
    _require_later(server, function)
    fixed = _fixed_part(server, function, table, place, len(row), flags)
    return fixed + bytes(2) + server.u32(first_page) + server.u16(place.record_offset) + row


def delete_to_empty_page(server: Server, table: TableId, place: Place, row: bytes, *, first_page: int = 0) -> bytes:
    """Delete record to empty page (164): 26 bytes plus the row."""
    return _to_empty_page(server, DELETE_TO_EMPTY_PAGE, table, place, row, first_page)


def insert_to_empty_page(
    server: Server, table: TableId, place: Place, row: bytes, *, first_page: int = 0, flags: int = 0
) -> bytes:
    """Insert record to empty page (165): 26 bytes plus the row."""
    return _to_empty_page(server, INSERT_TO_EMPTY_PAGE, table, place, row, first_page, flags)


def undo_delete_to_empty_page(
    server: Server, table: TableId, place: Place, row: bytes, *, first_page: int = 0
) -> bytes:
    """Rollback delete record to empty page (166): 26 bytes plus the row."""
    return _to_empty_page(server, UNDO_DELETE_TO_EMPTY_PAGE, table, place, row, first_page)


def undo_insert_to_empty_page(
    server: Server, table: TableId, place: Place, length: int, *, internal: bytes = b""
) -> bytes:
    """Rollback insert record to empty page (131): RID at 12, no row; what may follow the RID is not known."""
    _require_later(server, UNDO_INSERT_TO_EMPTY_PAGE)
    return _fixed_part(server, UNDO_INSERT_TO_EMPTY_PAGE, table, place, length) + internal


def _multiple(
    server: Server,
    function: int,
    table: TableId,
    count: int,
    lengths: int,
    entries: bytes,
    page: int,
    *,
    flags: int,
    free_space: int,
) -> bytes:
    """Flags 6(2), number of records 8(2), free space 10(2), sum of lengths 12(2), variable length 14(2), page 16(4)."""
    _require_later(server, function)
    counts = server.u16(count) + server.u16(free_space) + server.u16(lengths) + server.u16(len(entries))
    return header(server, function, table) + server.u16(flags) + counts + server.u32(page) + entries


def insert_multiple(
    server: Server,
    table: TableId,
    rows: Sequence[tuple[Place, bytes]],
    *,
    pool_page: int = 0,
    flags: int = 0,
    free_space: int = 0,
) -> bytes:
    """Insert multiple records (167): an entry is RID(6), record offset(2), row (reference 4.4)."""
    entries = [server.rid(place.rid) + server.u16(place.record_offset) + row for place, row in rows]
    total = sum(len(row) for _, row in rows)
    return _multiple(
        server,
        INSERT_MULTIPLE,
        table,
        len(rows),
        total,
        b"".join(entries),
        pool_page,
        flags=flags,
        free_space=free_space,
    )


def undo_insert_multiple(
    server: Server,
    table: TableId,
    rows: Sequence[tuple[Place, bytes]],
    *,
    pool_page: int = 0,
    flags: int = 0,
    free_space: int = 0,
) -> bytes:
    """Rollback insert multiple records (168): an entry is RID(6) and 2 bytes."""
    entries = [server.rid(place.rid) + bytes(2) for place, _ in rows]
    total = sum(len(row) for _, row in rows)
    return _multiple(
        server,
        UNDO_INSERT_MULTIPLE,
        table,
        len(rows),
        total,
        b"".join(entries),
        pool_page,
        flags=flags,
        free_space=free_space,
    )


def initialize_table(
    server: Server,
    table: TableId,
    columns: Sequence[Column],
    *,
    file_create_lsn: int = 0,
    index_flag: int = 0,
    index_root_page: int = 0,
    tdesc_recid: int = 0,
    flags: int = 0,
    record_type: int = 0,
    description_type: int = 0,
) -> bytes:
    """Table 98, initialize table: 88, later 92 bytes plus the table description record.

    File create LSN 6(6), later 8(8); then the table directory record of 72 bytes (type, reserved, index flag 2(2),
    index root page 4(4), TDESC recid 8(4), reserved 12(56), flags 68(4)) and the description's length (4).
    """
    padding = b"" if server.is_v7 else bytes(2)
    directory = bytes([record_type, 0]) + server.u16(index_flag) + server.u32(index_root_page) + server.i32(tdesc_recid)
    directory += bytes(56) + server.u32(flags)
    description = table_description(server, columns, description_type)
    start = header(server, INITIALIZE_TABLE, table) + padding + server.lsn(file_create_lsn)
    return start + directory + server.u32(len(description)) + description


def alter_table_attribute(server: Server, table: TableId, mask: int, values: int) -> bytes:
    """Table 104: v7 padding 6(2), mask 8(4), values 12(4); later mask 6(8), values 14(8) (reference 4.9)."""
    start = header(server, ALTER_TABLE_ATTRIBUTE, table)
    if server.is_v7:
        return start + bytes(2) + server.u32(mask) + server.u32(values)
    return start + server.u64(mask) + server.u64(values)


def add_columns(
    server: Server, table: TableId, old: Sequence[Column], new: Sequence[Column], *, undo: bool = False
) -> bytes:
    """Table 105, add columns: counts 8(4) and 12(4), arrays of the old columns at 16, then of the new ones."""
    function = UNDO_ADD_COLUMNS if undo else ADD_COLUMNS
    counts = server.i32(len(old)) + server.i32(len(new))
    arrays = parallel_arrays(server, old) + parallel_arrays(server, new)
    return header(server, function, table) + bytes(2) + counts + arrays


def vector_data(server: Server, table: TableId, column_id: int, text: bytes) -> bytes:
    """VECTOR serialized data (213): column id 6(2), length 8(4), data at 16 (reference 4.10)."""
    _require_later(server, VECTOR_DATA)
    return header(server, VECTOR_DATA, table) + server.u16(column_id) + server.u32(len(text)) + bytes(4) + text


def _require_later(server: Server, function: int) -> None:
    if server.is_v7:
        raise ValueError(f"v7 has no DMS function {function}")
