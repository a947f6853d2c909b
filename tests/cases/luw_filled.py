"""Cases of Db2 LUW log records that put a value where those of other cases have zero."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from cases import luw
from cases.case import Case, Row, to_yaml
from writers.db2 import dms, dom, lob, rows
from writers.db2.columns import Column
from writers.db2.framing import Framed, framed
from writers.db2.header import record
from writers.db2.wire import Server

FLAGS, FREE = dms.DECOMPOSED_UPDATE, 0x0203
"""Flags of records with rows, and what is free on their page."""
ODD_COLUMNS = [
    Column("SHAPE", "STRUCT(40)"),
    Column("NOTES", "LONG VARGRAPHIC"),
    Column("SHORT", "SMALLINT", nullable=False),
]
"""Types of which no row is known; their descriptors are as those of all types."""


def cases() -> Iterator[Case]:
    """All of them."""
    for server in luw.SERVERS:
        for folder, doc_ref, puts in COMPONENTS:
            given = list(puts(server))
            if given:
                title = f"A value where it is zero elsewhere, {luw.told(server)}"
                yield luw.of_kinds(folder, f"{luw.word(server)}_filled", title, doc_ref, server, given)
    yield from refused_rows()
    yield from internal_records()


def dms_filled(server: Server) -> Iterator[luw.Put]:
    """Types of records that are told by a number, types of columns, what stands behind added columns, flags."""
    yield initialized(server)
    for function, name in ((102, "add_columns"), (104, "undo_add_columns")):
        body = dms.add_columns(server, luw.TABLE, luw.COLUMNS[:1], luw.COLUMNS[:2], undo=function == 104)
        values = {
            **luw.dms_row(function),
            "padding": "0000",
            "old_column_count": 1,
            "new_column_count": 2,
            "old_arrays": luw.descriptor_rows(server, luw.COLUMNS[:1], parallel=True),
            "new_arrays": luw.descriptor_rows(server, luw.COLUMNS[:2], parallel=True),
            "surplus": luw.hexed(bytes(range(24))),
        }
        type_ = "compensation" if function == 104 else "normal"
        yield luw.Put(type_, f"db2_dms.{name}", body + bytes(range(24)), values)
    if not server.is_v7:
        yield from flagged(server)


def initialized(server: Server) -> luw.Put:
    """A table of odd columns; both types of records are told by a number that is not zero."""
    body = dms.initialize_table(server, luw.TABLE, ODD_COLUMNS, record_type=0x0E, description_type=0x0F)
    start: Row = {} if server.is_v7 else {"padding": "0000"}
    description = {"record_type": 0x0F, "reserved": "00", "num_columns": 3}
    values = {
        **luw.dms_row(128),
        **start,
        "file_create_lsn": "0" * (12 if server.is_v7 else 16),
        "record_type": 0x0E,
        "reserved1": "00",
        "index_flag": 0,
        "index_root_page": 0,
        "tdesc_recid": 0,
        "reserved2": "00" * 56,
        "flags": 0,
        "is_not_logged_initially": False,
        "table_description_length": 4 + 8 * len(ODD_COLUMNS),
        "table_description": {**description, **luw.descriptor_rows(server, ODD_COLUMNS, parallel=False)},
    }
    return luw.Put("redo", "db2_dms.initialize_table", body, values)


def flagged(server: Server) -> Iterator[luw.Put]:
    """Records of rows with flags, and several rows with what is free on their page."""
    old, new = luw.image(server, b"old."), luw.image(server, b"a new row")
    place, second = luw.place_of(server), luw.place_of(server, 1)
    update = dms.update(server, luw.TABLE, place, old, new, new_place=second, flags=FLAGS)
    shown = luw.update_row(server, 163, old, new)
    for part in ("old_row", "new_row"):
        shown[part] = shown[part] | {"iud_flags": FLAGS}
    yield luw.Put("normal", "db2_dms.update_record_v97", update, shown)
    held = luw.held_row(server, 165, new, flags=FLAGS)
    last = {key: held.pop(key) for key in ("record_offset", "record")}
    body = dms.insert_to_empty_page(server, luw.TABLE, place, new, first_page=0x0A0B0C0D, flags=FLAGS)
    pages = {"internal": "0000", "first_page": 0x0A0B0C0D}
    yield luw.Put("normal", "db2_dms.insert_record_to_empty_page", body, {**held, **pages, **last})
    held_rows = [(place, old), (second, new)]
    counts = {"iud_flags": FLAGS, "num_records": 2, "free_space": FREE, "sum_of_record_lengths": len(old) + len(new)}
    given: dict[str, Any] = {"pool_page": 0x0A0B0C0D, "flags": FLAGS, "free_space": FREE}
    entries = [
        {**luw.rid_row(server, number), "record_offset": 5656 + 16 * number, "record": luw.hexed(row)}
        for number, (_, row) in enumerate(held_rows)
    ]
    lengths = {"variable_part_length": len(old) + len(new) + 16, "pool_page_number": 0x0A0B0C0D}
    values = {**luw.dms_row(167), **counts, **lengths, "records": entries}
    yield luw.Put(
        "normal", "db2_dms.insert_multiple_records", dms.insert_multiple(server, luw.TABLE, held_rows, **given), values
    )
    removed = [{**luw.rid_row(server, number), "internal": "0000"} for number in range(2)]
    values = {**luw.dms_row(168), **counts, **lengths, "variable_part_length": 16, "records": removed}
    body = dms.undo_insert_multiple(server, luw.TABLE, held_rows, **given)
    yield luw.Put("compensation", "db2_dms.undo_insert_multiple_records", body, values)


def dom_filled(server: Server) -> Iterator[luw.Put]:
    """Internal bytes of a reorganization, and what later versions may have behind an index."""
    about = dom.DomObject(luw.TABLE, object=luw.OBJECT, object_type=0x09, flags=0x8A)
    ids = {"object_tablespace_id": 0x0506, "object_id": 0x0708, **luw.IDS, "object_type": 0x09, "flags": 0x8A}
    start = {"component": 4, "function_id": 35, **ids}
    body = dom.reorg_table(server, about, index_token=0x0B0C, fill=0xA5)
    values = {**start, "internal": "A5" * (252 if server.is_v7 else 476), "index_token": 0x0B0C}
    values |= {"temp_tablespace_id": 0} | ({} if server.is_v7 else {"long_temp_tablespace_id": 0})
    yield luw.Put("normal", "db2_dom.reorg_table", body, values)
    if not server.is_v7:
        body = dom.create_index(server, about, 0x0B0C, 0x0D0E0F10) + b"\x01\x02\x03"
        index = {"padding": "0000", "index_token": 0x0B0C, "index_root_page": 0x0D0E0F10, "surplus": "010203"}
        yield luw.Put("undo", "db2_dom.create_index", body, {**start, "function_id": 2, **index})


def lob_filled(server: Server) -> Iterator[luw.Put]:
    """LOB data that a delete of its row wrote."""
    if server.generation != "v10":
        return
    body = lob.add_data(server, luw.ABOUT, b"some data", 0x0102030405060708, 0x0A0B, original=lob.BY_DELETE)
    start = {"component": 5, "operation_id": 64, **luw.POOLS, "object_type": 2}
    placed = {"data_length": 9, "byte_address": 0x0102030405060708, "internal": "00", "original_operation": 2}
    held = {"column_id": 0x0A0B, "internal2": "00000000", "data": luw.hexed(b"some data")}
    yield luw.Put("normal", "db2_lob.add_lob_data", body, {**start, **placed, **held})


def refused_rows() -> Iterator[Case]:
    """Records whose rows the API could not expand: their fields are read all the same."""
    for server in luw.SERVERS:
        framing = {"v9.7": "filter97", "v10": "filter"}.get(server.generation)
        if framing is None:
            continue
        row = luw.image(server, b"a row")
        put = luw.Put(
            "normal", "", dms.insert(server, luw.TABLE, luw.place_of(server), row), luw.held_row(server, 162, row)
        )
        header = luw.header_of(server, put, 0)
        item = Framed(
            record(server, header, put.body), lsn=header.lsn, lso=77, lfs=header.lfs, stream_id=header.stream_id
        )
        data = framed(framing, server.byte_order, [replace(item, sqlcode=-2048)])  # type: ignore[arg-type]
        shown = luw.shown(server, header, replace(put, kind="db2_dms.insert_record_v97"))
        title = f"An sqlcode in the prefix of framing {framing}, {luw.told(server)}"
        options = luw.options_of(server, framing)  # type: ignore[arg-type]
        yield Case(
            "db2_prefix", f"{luw.word(server)}_{framing}_sqlcode", title, luw.SAMPLE, data, [shown], options=options
        )


def internal_records() -> Iterator[Case]:
    """Records of a table in whose place in the page something else than a row stands."""
    columns = [{"name": "ID", "type": "INTEGER", "nullable": False}]
    table = {"tablespace_id": 0x0102, "table_id": 0x0304, "schema": "PROD", "name": "THING", "columns": columns}
    for server in luw.SERVERS:
        puts = []
        for outer, inner in ((0, 0), (0x02, rows.FORMATTED)):
            held = rows.record(server, inner, 0x0D0E, b"\x01\x02\x03", outer_type=outer)
            suffix = "" if server.is_v7 else "_v97"
            function = dms.insert_function(server)
            body = dms.insert(server, luw.TABLE, luw.place_of(server), held)
            puts.append(luw.Put("normal", f"db2_dms.insert_record{suffix}", body, luw.held_row(server, function, held)))
        title = f"Internal control in place of rows, {luw.told(server)}"
        case = luw.of_kinds("db2_row_header", f"{luw.word(server)}_internal", title, luw.SAMPLE, server, puts)
        yield replace(case, tables=to_yaml({"tables": [table]}))


COMPONENTS: tuple[tuple[str, Any, Callable[[Server], Iterator[luw.Put]]], ...] = (
    ("db2_dms", luw.DATA_MANAGER, dms_filled),
    ("db2_dom", luw.DATA_MANAGER, dom_filled),
    ("db2_lob", luw.LOB_MANAGER, lob_filled),
)
