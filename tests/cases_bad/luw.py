"""Bad cases of Db2 LUW log records: one fault in a record between two sound ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from cases import luw
from cases.case import BadCase
from cases_bad.faulty import GOOD_ROW
from writers.db2.framing import Framed, framed, prefix
from writers.db2.header import record
from writers.db2.wire import Server

V7, V97, V10 = Server("v7", "big"), Server("v9.7", "big"), Server("v10", "little")
SERVERS = (V7, V97, V10)


def cases() -> Iterator[BadCase]:
    """All of them."""
    for server in SERVERS:
        for fault in faults(server):
            yield of_record(server, fault)


# -- lengths that lie -----------------------------------------------------------------------


@dataclass(frozen=True)
class Fault:
    """A record with a fault.

    Attributes:
        spec: folder.
        name: of the case, behind that of the server.
        title: what is wrong.
        put: the record that is changed.
        edit: bytes by their offset in its body.
        cut: what becomes of the body; None leaves its length.
        code: of the error.
        field: that the error names.
        at: offset of the field in the body; None where none is given.
        message: part of it.
        kept: the record is printed all the same.
    """

    spec: str
    name: str
    title: str
    put: luw.Put
    code: str
    field: str
    at: int | None
    message: str
    edit: Mapping[int, bytes] | None = None
    cut: Callable[[bytes], bytes] | None = None
    kept: bool = False


def of_record(server: Server, fault: Fault) -> BadCase:
    """A bad record between two good ones."""
    good = luw.Put("normal", "db2_log.storage", b"\x06", {})
    body = bytearray(fault.put.body)
    for at, new in (fault.edit or {}).items():
        assert body[at : at + len(new)] != new
        body[at : at + len(new)] = new
    broken = replace(fault.put, body=fault.cut(bytes(body)) if fault.cut else bytes(body))
    items, places, place = [], [], 0
    for number, put in enumerate((good, broken, good)):
        header = luw.header_of(server, put, number)
        item = Framed(record(server, header, put.body), lsn=header.lsn)
        place += len(prefix(luw.framing_of(server), server.byte_order, item))
        items.append(item)
        places.append(place)
        place += len(item.data)
    start = luw.SIZES[server.generation][2 if luw.header_of(server, broken, 1).propagatable_compensation else 0]
    error = {
        **{"code": fault.code, "record": 1, "record_offset": places[1], "field": fault.field},
        **{"field_offset": None if fault.at is None else start + fault.at, "message": fault.message},
    }
    data = framed(luw.framing_of(server), server.byte_order, items)
    folder, name = fault.spec, f"{luw.word(server)}_{fault.name}"
    title = f"{fault.title}, {luw.told(server)}"
    found = [GOOD_ROW] * (2 + fault.kept)
    return BadCase(folder, name, title, luw.DATA_MANAGER, data, found, options=luw.options_of(server), error=error)


ENDS, OVER, AGAINST = "the record ends inside the field", "bytes are left over", "contradict each other"


def faults(server: Server) -> Iterator[Fault]:
    """Each length field, too long and too short; version 9.7 differs from 10.1 by headers and LOB records only."""
    yield from row_faults(server)
    if server.generation != "v9.7":
        yield from table_faults(server)
        yield from object_faults(server)
        yield from end_faults(server)
    if server.generation == "v10":
        yield from v10_faults(server)
    else:
        yield from early_faults(server)


def pick(server: Server, kinds: Callable[[Server], Iterator[luw.Put]], kind: str) -> luw.Put:
    """A good record of a kind."""
    return next(put for put in kinds(server) if put.kind == kind)


def long_and_short(
    spec: str,
    name: str,
    put: luw.Put,
    place: tuple[int, Callable[[int], bytes]],
    held: tuple[str, int, int],
    *,
    more: int = 500,
) -> Iterator[Fault]:
    """A length that is too long, too short, and (of what is inserted) 0.

    `held` is field, offset and length of what it counts.
    """
    at, number = place
    field, start, length = held
    kind = put.kind.partition(".")[2]
    title = f"{name} of a record of {kind}"
    yield Fault(
        spec,
        f"{kind}_long",
        f"{title} too long",
        put,
        "LMP-R001",
        field,
        start,
        f"{ENDS}: found {length}",
        {at: number(length + more)},
    )
    yield Fault(
        spec,
        f"{kind}_short",
        f"{title} too short",
        put,
        "LMP-R003",
        "surplus",
        start + length - 2,
        f"2 {OVER}",
        {at: number(length - 2)},
    )
    if not kind.startswith(("undo", "delete")):
        edit = {at: number(0)}
        yield Fault(spec, f"{kind}_zero", f"{title} is 0", put, "LMP-R003", "surplus", start, f"{length} {OVER}", edit)


def row_faults(server: Server) -> Iterator[Fault]:
    """Lengths of rows."""
    spec, u16 = "db2_dms", server.u16
    is_v7 = server.is_v7
    at, start = (12, 18) if is_v7 else (8, 20)
    suffix = "" if is_v7 else "_v97"
    kinds = luw.dms_kinds
    for kind in (f"insert_record{suffix}", f"delete_record{suffix}", "undo_delete_record", "undo_update_record"):
        put = pick(server, kinds, f"db2_dms.{kind}")
        yield from long_and_short(spec, "Length", put, (at, u16), ("record", start, len(put.body) - start))
    undone = pick(server, kinds, "db2_dms.undo_insert_record")
    taken = (("free_space", 14), 1) if is_v7 else (("free_space", 10), 7)
    (field, place), left_out = taken
    yield Fault(
        spec,
        "undo_insert_cut",
        "A rollback of an insert that is too short",
        undone,
        "LMP-R001",
        field,
        place,
        f"{ENDS}: expected 2 bytes, found 1",
        cut=lambda body: body[:-left_out],
    )
    yield Fault(
        spec,
        "undo_insert_surplus",
        "A rollback of an insert that is too long",
        undone,
        "LMP-R003",
        "surplus",
        len(undone.body),
        f"1 {OVER}",
        cut=lambda body: body + b"\x00",
    )
    short = pick(server, kinds, f"db2_dms.insert_record{suffix}")
    yield Fault(
        spec,
        "header_cut",
        "A data manager record that ends inside its header",
        short,
        "LMP-R001",
        "table_id",
        4,
        f"{ENDS}: expected 2 bytes, found 0",
        cut=lambda body: body[:4],
    )
    yield from update_faults(server, at, start)
    if not is_v7:
        for kind in ("insert_record_to_empty_page", "delete_record_to_empty_page", "undo_delete_record_to_empty_page"):
            put = pick(server, kinds, f"db2_dms.{kind}")
            yield from long_and_short(spec, "Length", put, (8, u16), ("record", 26, len(put.body) - 26))
        yield from several_faults(server)


def update_faults(server: Server, at: int, start: int) -> Iterator[Fault]:
    """Lengths of the two rows of an update: each part gives that of the other, and each row its own."""
    spec, u16 = "db2_dms", server.u16
    suffix = "" if server.is_v7 else "_v97"
    put = pick(server, luw.dms_kinds, f"db2_dms.update_record{suffix}")
    old, new = len(luw.image(server, b"old.")), len(luw.image(server, b"a new row"))
    second = start + old
    contradicts = ("LMP-R002", "new_row", None, AGAINST)
    for name, title, edit in (
        ("update_first", "The first length is not that of the new row", {at: u16(new + 1)}),
        ("update_second", "The second length is not that of the old row", {second + at: u16(old - 1)}),
        ("update_not_crossed", "Each part gives the length of its own row", {at: u16(old), second + at: u16(new)}),
        ("update_new_short", "The new row's own length is too short", {second + start + 2: u16(new - 1)}),
    ):
        yield Fault(spec, name, title, put, *contradicts, edit)
    for name, title, length in (("long", "too long", old + 1), ("short", "too short", old - 1)):
        yield Fault(
            spec,
            f"update_old_{name}",
            f"The old row's own length is {title}",
            put,
            "LMP-R002",
            "new_header",
            start + length,
            AGAINST,
            {start + 2: u16(length)},
        )
    yield Fault(
        spec,
        "update_old_huge",
        "The old row's own length leads out of the record",
        put,
        "LMP-R001",
        "old_row.record",
        start,
        f"{ENDS}: found {old + start + new}",
        {start + 2: u16(5000)},
    )
    yield Fault(
        spec,
        "update_new_long",
        "The new row's own length leads out of the record",
        put,
        "LMP-R001",
        "new_row.record",
        second + start,
        f"{ENDS}: found {new}",
        {second + start + 2: u16(new + 1)},
    )
    for name, title, edit in (
        ("update_table", "The second header names another table", {second + 4: u16(9)}),
        ("update_function", "The second header names another function", {second + 1: b"\x09"}),
    ):
        yield Fault(spec, name, title, put, "LMP-R002", "new_header", second, AGAINST, edit)


def several_faults(server: Server) -> Iterator[Fault]:
    """Counts and lengths of several rows in one record."""
    spec, u16 = "db2_dms", server.u16
    put = pick(server, luw.dms_kinds, "db2_dms.insert_multiple_records")
    size, first = len(put.body), len(luw.image(server, b"a row"))
    second = 20 + 8 + first
    yield Fault(
        spec,
        "multiple_many",
        "More rows are counted than are there",
        put,
        "LMP-R001",
        "records[2].rid",
        size,
        f"{ENDS}: expected 6 bytes, found 0",
        {8: u16(3)},
    )
    yield Fault(
        spec,
        "multiple_few",
        "Fewer rows are counted than are there",
        put,
        "LMP-R003",
        "surplus",
        second,
        f"{size - second} {OVER}",
        {8: u16(1)},
    )
    yield Fault(
        spec,
        "multiple_long",
        "A row's own length leads out of the record",
        put,
        "LMP-R001",
        "records[0].record",
        28,
        f"{ENDS}: found {size - 28}",
        {30: u16(500)},
    )
    put = pick(server, luw.dms_kinds, "db2_dms.undo_insert_multiple_records")
    yield Fault(
        spec,
        "undo_multiple_many",
        "More rows are counted than are taken back",
        put,
        "LMP-R001",
        "records[2].rid",
        36,
        f"{ENDS}: expected 6 bytes, found 0",
        {8: u16(3)},
    )
    yield Fault(
        spec,
        "undo_multiple_few",
        "Fewer rows are counted than are taken back",
        put,
        "LMP-R003",
        "surplus",
        28,
        f"8 {OVER}",
        {8: u16(1)},
    )
    put = pick(server, luw.dms_kinds, "db2_dms.vector")
    yield from long_and_short(spec, "Length", put, (8, server.u32), ("data", 16, 8))


def table_faults(server: Server) -> Iterator[Fault]:
    """Lengths and counts in descriptions of tables."""
    spec = "db2_dms"
    put = pick(server, luw.dms_kinds, "db2_dms.initialize_table")
    at = 88 if server.is_v7 else 92
    length, size = len(put.body) - at, len(put.body)
    columns = "table_description.columns"
    lobs = "table_description.lobs"
    yield Fault(
        spec,
        "description_long",
        "A table description too long",
        put,
        "LMP-R001",
        "table_description",
        at,
        f"{ENDS}: found {length}",
        {at - 4: server.u32(500)},
    )
    yield Fault(
        spec,
        "description_short",
        "A table description that lacks a LOB descriptor",
        put,
        "LMP-R003",
        "surplus",
        size - 12,
        f"12 {OVER}",
        {at - 4: server.u32(length - 12)},
    )
    yield Fault(
        spec,
        "description_torn",
        "A table description that ends inside a LOB descriptor",
        put,
        "LMP-R001",
        f"{lobs}[1].maximum_length",
        size - 12,
        ENDS,
        {at - 4: server.u32(length - 10)},
    )
    yield Fault(
        spec,
        "description_zero",
        "A table description of no bytes",
        put,
        "LMP-R001",
        "table_description.record_type",
        at,
        ENDS,
        {at - 4: server.u32(0)},
    )
    yield Fault(
        spec,
        "columns_many",
        "More columns are counted than are described",
        put,
        "LMP-R001",
        f"{columns}[7].field_type",
        size,
        f"{ENDS}: expected 2 bytes, found 0",
        {at + 2: server.u16(9)},
    )
    yield Fault(
        spec,
        "columns_few",
        "Fewer columns are counted than are described",
        put,
        "LMP-R001",
        f"{lobs}[2].is_logged",
        size,
        f"{ENDS}: expected 4 bytes, found 0",
        {at + 2: server.u16(3)},
    )
    put = pick(server, luw.dms_kinds, "db2_dms.add_columns")
    size = len(put.body)
    yield Fault(
        spec,
        "old_columns_many",
        "More old columns are counted than are described",
        put,
        "LMP-R001",
        "old_arrays.columns[15].field_type",
        size,
        f"{ENDS}: expected 2 bytes, found 0",
        {8: server.i32(30)},
    )
    yield Fault(
        spec,
        "old_columns_negative",
        "The old column count is negative",
        put,
        "LMP-V003",
        "old_column_count",
        8,
        "expected at least 0, found -1",
        {8: server.i32(-1)},
    )
    yield Fault(
        spec,
        "new_columns_few",
        "Fewer new columns are counted than are described",
        put,
        "LMP-R003",
        "surplus",
        size - 60,
        f"60 {OVER}",
        {12: server.i32(1)},
    )
    put = pick(server, luw.dms_kinds, "db2_dms.alter_table_attribute")
    field, width = (12, 4) if server.is_v7 else (14, 8)
    yield Fault(
        spec,
        "attribute_cut",
        "Attributes of a table cut short",
        put,
        "LMP-R001",
        "attribute_values",
        field,
        f"{ENDS}: expected {width} bytes, found {width - 1}",
        cut=lambda body: body[:-1],
    )
    yield Fault(
        spec,
        "attribute_surplus",
        "Attributes of a table and a byte more",
        put,
        "LMP-R003",
        "surplus",
        field + width,
        f"1 {OVER}",
        cut=lambda body: body + b"\x00",
    )


def object_faults(server: Server) -> Iterator[Fault]:
    """Records of tables and indexes as objects."""
    spec = "db2_dom"
    put = pick(server, luw.dom_kinds, "db2_dom.import_replace")
    yield Fault(
        spec,
        "header_cut",
        "A data object manager record that ends inside its header",
        put,
        "LMP-R001",
        "table_id",
        8,
        f"{ENDS}: expected 2 bytes, found 1",
        cut=lambda body: body[:9],
    )
    put = pick(server, luw.dom_kinds, "db2_dom.create_index")
    yield Fault(
        spec,
        "index_cut",
        "An index cut short",
        put,
        "LMP-R001",
        "index_root_page",
        16,
        f"{ENDS}: expected 4 bytes, found 3",
        cut=lambda body: body[:-1],
    )
    if server.is_v7:
        yield Fault(
            spec,
            "index_surplus",
            "An index and a byte more",
            put,
            "LMP-R003",
            "surplus",
            20,
            f"1 {OVER}",
            cut=lambda body: body + b"\x00",
        )
        put = pick(server, luw.dom_kinds, "db2_dom.create_table")
        yield Fault(
            spec,
            "table_cut",
            "A table cut short",
            put,
            "LMP-R001",
            "internal",
            12,
            f"{ENDS}: expected 56 bytes, found 55",
            cut=lambda body: body[:-1],
        )
    put = pick(server, luw.long_field_kinds, "db2_long_field.add_long_field")
    yield Fault(
        "db2_long_field",
        "header_cut",
        "A long field manager record that ends inside its header",
        put,
        "LMP-R001",
        "parent_object_id",
        8,
        f"{ENDS}: expected 2 bytes, found 1",
        cut=lambda body: body[:9],
    )


def early_faults(server: Server) -> Iterator[Fault]:
    """LOB data until version 9.7, datalinks."""
    put = pick(server, luw.lob_kinds, "db2_lob.afim_data")
    yield from long_and_short("db2_lob", "Length", put, (12, server.u32), ("data", 24, 9))
    put = pick(server, luw.lob_kinds, "db2_lob.afim_amount")
    yield Fault(
        "db2_lob",
        "afim_amount_cut",
        "An amount of LOB data cut short",
        put,
        "LMP-R001",
        "byte_address",
        16,
        f"{ENDS}: expected 8 bytes, found 7",
        cut=lambda body: body[:-1],
    )
    if server.is_v7:
        for kind, at in (("link_file", 64), ("unlink_file", 32)):
            put = pick(server, luw.datalink_kinds, f"db2_datalink.{kind}")
            # A length that fits neither form is taken for that of version 5.2, which has no time stamp in front.
            edit = {at - 4: server.u32(500), at: server.u32(15)}
            yield Fault(
                "db2_datalink",
                f"{kind}_long",
                f"Length of a stem name too long, {kind}",
                put,
                "LMP-R001",
                "stem_name",
                at,
                f"{ENDS}: found 18",
                edit,
            )


def v10_faults(server: Server) -> Iterator[Fault]:
    """LOB data, statements and documents of version 10.1 and later."""
    put = pick(server, luw.lob_kinds, "db2_lob.add_lob_data")
    yield from long_and_short("db2_lob", "Length", put, (12, server.u32), ("data", 32, 9))
    put = pick(server, luw.lob_kinds, "db2_lob.delete_lob")
    yield Fault(
        "db2_lob",
        "delete_lob_cut",
        "A deleted LOB value cut short",
        put,
        "LMP-R001",
        "column_id",
        26,
        f"{ENDS}: expected 2 bytes, found 1",
        cut=lambda body: body[:27],
    )
    put = pick(server, luw.xml_kinds, "db2_xml.xml_data")
    yield from long_and_short("db2_xml", "Length", put, (12, server.u32), ("data", 24, 14))
    put = pick(server, luw.ddl_kinds, "db2_ddl.ddl_statement")
    back = "a length in the record leads back behind its start"
    yield Fault(
        "db2_ddl",
        "text_long",
        "Length of a statement too long",
        put,
        "LMP-R002",
        "entry_data",
        None,
        back,
        {20: server.u32(500)},
    )
    yield Fault(
        "db2_ddl",
        "text_huge",
        "Length of a statement of 4 GiB",
        put,
        "LMP-R002",
        "entry_data",
        None,
        back,
        {20: server.u32(0xFFFFFFFF)},
    )
    yield Fault(
        "db2_ddl",
        "entries_many",
        "More entries are counted than are there",
        put,
        "LMP-R001",
        "entries[12].entry_type",
        len(put.body) - 1,
        f"{ENDS}: expected 2 bytes, found 1",
        {14: server.u16(500)},
    )
    yield Fault(
        "db2_ddl",
        "text_not_utf8",
        "A statement that is no text in the code page of the database",
        put,
        "LMP-V007",
        "ddl_text",
        None,
        "expected text in utf-8",
        {len(put.body) - 1: b"\xff"},
        kept=True,
    )


def end_faults(server: Server) -> Iterator[Fault]:
    """Ends of transactions, and utilities."""
    spec, is_v7 = "db2_transaction", server.is_v7
    commit = pick(server, luw.transaction_kinds, "db2_transaction.normal_commit")
    width = 4 if is_v7 else 8
    yield Fault(
        spec,
        "commit_cut",
        "A commit that ends inside its time",
        commit,
        "LMP-R001",
        "time_committed",
        0,
        f"{ENDS}: expected {width} bytes, found 3",
        cut=lambda body: body[:3],
    )
    start = 4 if is_v7 else 10
    yield Fault(
        spec,
        "authid_not_utf8",
        "An authorization id that is no text in the code page",
        commit,
        "LMP-V007",
        "authid",
        start,
        "found X'FF' at byte 5",
        {start + 5: b"\xff"},
        kept=True,
    )
    coordinator = pick(server, luw.transaction_kinds, "db2_transaction.mpp_coordinator_commit_letter")
    nodes = width + 20
    yield Fault(
        spec,
        "nodes_many",
        "A list of nodes that leads out of the record",
        coordinator,
        "LMP-R001",
        "tnl",
        nodes + 2,
        f"{ENDS}: found {len(coordinator.body) - nodes - 2}",
        {nodes: server.u16(9000)},
    )
    if not is_v7:
        for kind, at in (("normal_commit", 8), ("normal_abort", 0)):
            put = pick(server, luw.transaction_kinds, f"db2_transaction.{kind}")
            held = ("authid", at + 2, 8)
            yield from long_and_short(spec, "Length of the authorization id", put, (at, server.u16), held)
        put = pick(server, luw.transaction_kinds, "db2_transaction.local_pending_list_letter")
        yield Fault(
            spec,
            "pending_list_long",
            "Length of the authorization id of a pending list too long",
            put,
            "LMP-R001",
            "authid",
            10,
            f"{ENDS}: found 10",
            {8: server.u16(500)},
        )
        yield Fault(
            spec,
            "authid_len_cut",
            "A commit that ends inside the length of its authorization id",
            commit,
            "LMP-R001",
            "authid_len",
            8,
            f"{ENDS}: expected 2 bytes, found 1",
            cut=lambda body: body[:9],
        )
    spec = "db2_utility"
    put = pick(server, luw.utility_kinds, "db2_utility.migration_begin")
    yield Fault(
        spec,
        "migration_cut",
        "A migration cut short",
        put,
        "LMP-R001",
        "new_release",
        12,
        f"{ENDS}: expected 2 bytes, found 1",
        cut=lambda body: body[:-1],
    )
    yield Fault(
        spec,
        "migration_surplus",
        "A migration and a byte more",
        put,
        "LMP-R003",
        "surplus",
        14,
        f"1 {OVER}",
        cut=lambda body: body + b"\x00",
    )
    put = pick(server, luw.utility_kinds, "db2_utility.load_start")
    yield Fault(
        spec,
        "load_cut",
        "A load cut short",
        put,
        "LMP-R001",
        "object_id",
        6,
        f"{ENDS}: expected 2 bytes, found 0",
        cut=lambda body: body[:6],
    )
