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
        put: the record that is changed; its component is the folder.
        name: of the case, behind that of the server.
        title: what is wrong.
        edit: bytes by their offset in its body.
        cut: what becomes of the body; None leaves its length.
        code: of the error.
        field: that the error names.
        at: offset of the field in the body; None where none is given.
        message: part of it.
        kept: the record is printed all the same.
    """

    put: luw.Put
    name: str
    title: str
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
    folder, name = fault.put.kind.partition(".")[0], f"{luw.word(server)}_{fault.name}"
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


def ends(put: luw.Put, name: str, title: str, field: str, at: int, edit: Mapping[int, bytes], says: str = "") -> Fault:
    """A length or a count by which the record ends inside a field."""
    return Fault(put, name, title, "LMP-R001", field, at, ENDS + says, edit)


def over(put: luw.Put, name: str, title: str, left: int, edit: Mapping[int, bytes]) -> Fault:
    """A length or a count by which the last bytes of the record are left over."""
    return Fault(put, name, title, "LMP-R003", "surplus", len(put.body) - left, f"{left} {OVER}", edit)


def cut(put: luw.Put, name: str, title: str, size: int, field: str, at: int, width: int) -> Fault:
    """A body of fewer bytes, which end inside a field of some width; a size below 0 counts from its end."""
    size = size if size > 0 else len(put.body) + size
    says = f"{ENDS}: expected {width} bytes, found {size - at}"
    return Fault(put, name, title, "LMP-R001", field, at, says, cut=lambda body: body[:size])


def longer(put: luw.Put, name: str, title: str) -> Fault:
    """A byte behind the last field."""
    return Fault(
        put, name, title, "LMP-R003", "surplus", len(put.body), f"1 {OVER}", cut=lambda body: body + b"\x00"
    )  # fmt: skip


def long_and_short(
    name: str, put: luw.Put, place: tuple[int, Callable[[int], bytes]], field: str, start: int, length: int
) -> Iterator[Fault]:
    """A length that is too long, too short, and (of what is inserted) 0; the field is what it counts."""
    at, number = place
    kind = put.kind.partition(".")[2]
    title = f"{name} of a record of {kind}"
    edit = {at: number(length + 500)}
    yield ends(put, f"{kind}_long", f"{title} too long", field, start, edit, f": found {length}")
    yield over(put, f"{kind}_short", f"{title} too short", 2, {at: number(length - 2)})
    if not kind.startswith(("undo", "delete")):
        yield over(put, f"{kind}_zero", f"{title} is 0", length, {at: number(0)})


def row_faults(server: Server) -> Iterator[Fault]:
    """Lengths of rows."""
    u16, is_v7, kinds = server.u16, server.is_v7, luw.dms_kinds
    at, start = (12, 18) if is_v7 else (8, 20)
    suffix = "" if is_v7 else "_v97"
    for kind in (f"insert_record{suffix}", f"delete_record{suffix}", "undo_delete_record", "undo_update_record"):
        put = pick(server, kinds, f"db2_dms.{kind}")
        yield from long_and_short("Length", put, (at, u16), "record", start, len(put.body) - start)
    undone = pick(server, kinds, "db2_dms.undo_insert_record")
    place, left_out = (14, 1) if is_v7 else (10, 7)
    yield cut(undone, "undo_insert_cut", "A rollback of an insert that is too short", -left_out, "free_space", place, 2)
    yield longer(undone, "undo_insert_surplus", "A rollback of an insert that is too long")
    short = pick(server, kinds, f"db2_dms.insert_record{suffix}")
    yield cut(short, "header_cut", "A data manager record that ends inside its header", 4, "table_id", 4, 2)
    yield from update_faults(server, at, start)
    if not is_v7:
        for kind in ("insert_record_to_empty_page", "delete_record_to_empty_page", "undo_delete_record_to_empty_page"):
            put = pick(server, kinds, f"db2_dms.{kind}")
            yield from long_and_short("Length", put, (8, u16), "record", 26, len(put.body) - 26)
        yield from several_faults(server)


def update_faults(server: Server, at: int, start: int) -> Iterator[Fault]:
    """Lengths of the two rows of an update: each part gives that of the other, and each row its own."""
    u16 = server.u16
    put = pick(server, luw.dms_kinds, f"db2_dms.update_record{'' if server.is_v7 else '_v97'}")
    old, new = len(luw.image(server, b"old.")), len(luw.image(server, b"a new row"))
    second = start + old
    for name, title, edit in (
        ("update_first", "The first length is not that of the new row", {at: u16(new + 1)}),
        ("update_second", "The second length is not that of the old row", {second + at: u16(old - 1)}),
        ("update_not_crossed", "Each part gives the length of its own row", {at: u16(old), second + at: u16(new)}),
        ("update_new_short", "The new row's own length is too short", {second + start + 2: u16(new - 1)}),
    ):
        yield Fault(put, name, title, "LMP-R002", "new_row", None, AGAINST, edit)
    for name, title, place, edit in (
        ("old_long", "The old row's own length is too long", start + old + 1, {start + 2: u16(old + 1)}),
        ("old_short", "The old row's own length is too short", start + old - 1, {start + 2: u16(old - 1)}),
        ("table", "The second header names another table", second, {second + 4: u16(9)}),
        ("function", "The second header names another function", second, {second + 1: b"\x09"}),
    ):
        yield Fault(put, f"update_{name}", title, "LMP-R002", "new_header", place, AGAINST, edit)
    title, found = "The old row's own length leads out of the record", f": found {old + start + new}"
    yield ends(put, "update_old_huge", title, "old_row.record", start, {start + 2: u16(5000)}, found)
    title, edit = "The new row's own length leads out of the record", {second + start + 2: u16(new + 1)}
    yield ends(put, "update_new_long", title, "new_row.record", second + start, edit, f": found {new}")


NOTHING = ": expected 2 bytes, found 0"


def several_faults(server: Server) -> Iterator[Fault]:
    """Counts and lengths of several rows in one record."""
    u16 = server.u16
    put = pick(server, luw.dms_kinds, "db2_dms.insert_multiple_records")
    size, second = len(put.body), 20 + 8 + len(luw.image(server, b"a row"))
    no_rid = ": expected 6 bytes, found 0"
    title = "More rows are counted than are there"
    yield ends(put, "multiple_many", title, "records[2].rid", size, {8: u16(3)}, no_rid)
    yield over(put, "multiple_few", "Fewer rows are counted than are there", size - second, {8: u16(1)})
    title = "A row's own length leads out of the record"
    yield ends(put, "multiple_long", title, "records[0].record", 28, {30: u16(500)}, f": found {size - 28}")
    put = pick(server, luw.dms_kinds, "db2_dms.undo_insert_multiple_records")
    title = "More rows are counted than are taken back"
    yield ends(put, "undo_multiple_many", title, "records[2].rid", 36, {8: u16(3)}, no_rid)
    yield over(put, "undo_multiple_few", "Fewer rows are counted than are taken back", 8, {8: u16(1)})
    put = pick(server, luw.dms_kinds, "db2_dms.vector")
    yield from long_and_short("Length", put, (8, server.u32), "data", 16, 8)


def table_faults(server: Server) -> Iterator[Fault]:
    """Lengths and counts in descriptions of tables."""
    u16, u32, i32 = server.u16, server.u32, server.i32
    put = pick(server, luw.dms_kinds, "db2_dms.initialize_table")
    at = 88 if server.is_v7 else 92
    length, size = len(put.body) - at, len(put.body)
    table = "table_description"
    for name, title, field, place, edit, says in (
        ("description_long", "A table description too long", table, at, {at - 4: u32(500)}, f": found {length}"),
        ("description_torn", "A table description that ends inside a LOB descriptor",
         f"{table}.lobs[1].maximum_length", size - 12, {at - 4: u32(length - 10)}, ""),
        ("description_zero", "A table description of no bytes", f"{table}.record_type", at, {at - 4: u32(0)}, ""),
        ("columns_many", "More columns are counted than are described",
         f"{table}.columns[7].field_type", size, {at + 2: u16(9)}, NOTHING),
        ("columns_few", "Fewer columns are counted than are described",
         f"{table}.lobs[2].is_logged", size, {at + 2: u16(3)}, ": expected 4 bytes, found 0"),
    ):  # fmt: skip
        yield ends(put, name, title, field, place, edit, says)
    title = "A table description that lacks a LOB descriptor"
    yield over(put, "description_short", title, 12, {at - 4: u32(length - 12)})
    put = pick(server, luw.dms_kinds, "db2_dms.add_columns")
    title, field = "More old columns are counted than are described", "old_arrays.columns[15].field_type"
    yield ends(put, "old_columns_many", title, field, len(put.body), {8: i32(30)}, NOTHING)
    title, says = "The old column count is negative", "expected at least 0, found -1"
    yield Fault(put, "old_columns_negative", title, "LMP-V003", "old_column_count", 8, says, {8: i32(-1)})
    yield over(put, "new_columns_few", "Fewer new columns are counted than are described", 60, {12: i32(1)})
    put = pick(server, luw.dms_kinds, "db2_dms.alter_table_attribute")
    place, width = (12, 4) if server.is_v7 else (14, 8)
    yield cut(put, "attribute_cut", "Attributes of a table cut short", -1, "attribute_values", place, width)
    yield longer(put, "attribute_surplus", "Attributes of a table and a byte more")


def object_faults(server: Server) -> Iterator[Fault]:
    """Records of tables and indexes as objects."""
    put = pick(server, luw.dom_kinds, "db2_dom.import_replace")
    yield cut(put, "header_cut", "A data object manager record that ends inside its header", 9, "table_id", 8, 2)
    put = pick(server, luw.dom_kinds, "db2_dom.create_index")
    yield cut(put, "index_cut", "An index cut short", -1, "index_root_page", 16, 4)
    if server.is_v7:
        yield longer(put, "index_surplus", "An index and a byte more")
        put = pick(server, luw.dom_kinds, "db2_dom.create_table")
        yield cut(put, "table_cut", "A table cut short", -1, "internal", 12, 56)
    put = pick(server, luw.long_field_kinds, "db2_long_field.add_long_field")
    yield cut(put, "header_cut", "A long field manager record that ends inside its header", 9, "parent_object_id", 8, 2)


def early_faults(server: Server) -> Iterator[Fault]:
    """LOB data until version 9.7, datalinks."""
    put = pick(server, luw.lob_kinds, "db2_lob.afim_data")
    yield from long_and_short("Length", put, (12, server.u32), "data", 24, 9)
    put = pick(server, luw.lob_kinds, "db2_lob.afim_amount")
    yield cut(put, "afim_amount_cut", "An amount of LOB data cut short", -1, "byte_address", 16, 8)
    if server.is_v7:
        for kind, at in (("link_file", 64), ("unlink_file", 32)):
            put = pick(server, luw.datalink_kinds, f"db2_datalink.{kind}")
            # A length that fits neither form is taken for that of version 5.2, which has no time stamp in front.
            edit = {at - 4: server.u32(500), at: server.u32(15)}
            title = f"Length of a stem name too long, {kind}"
            yield ends(put, f"{kind}_long", title, "stem_name", at, edit, ": found 18")


def v10_faults(server: Server) -> Iterator[Fault]:
    """LOB data, statements and documents of version 10.1 and later."""
    u16, u32 = server.u16, server.u32
    put = pick(server, luw.lob_kinds, "db2_lob.add_lob_data")
    yield from long_and_short("Length", put, (12, u32), "data", 32, 9)
    put = pick(server, luw.lob_kinds, "db2_lob.delete_lob")
    yield cut(put, "delete_lob_cut", "A deleted LOB value cut short", 27, "column_id", 26, 2)
    put = pick(server, luw.xml_kinds, "db2_xml.xml_data")
    yield from long_and_short("Length", put, (12, u32), "data", 24, 14)
    put = pick(server, luw.ddl_kinds, "db2_ddl.ddl_statement")
    back = "a length in the record leads back behind its start"
    for name, title, length in (
        ("text_long", "Length of a statement too long", 500),
        ("text_huge", "Length of a statement of 4 GiB", 0xFFFFFFFF),
    ):
        yield Fault(put, name, title, "LMP-R002", "entry_data", None, back, {20: u32(length)})
    last, title = len(put.body) - 1, "More entries are counted than are there"
    says = ": expected 2 bytes, found 1"
    yield ends(put, "entries_many", title, "entries[12].entry_type", last, {14: u16(500)}, says)
    title = "A statement that is no text in the code page of the database"
    says = "expected text in utf-8"
    yield Fault(put, "text_not_utf8", title, "LMP-V007", "ddl_text", None, says, {last: b"\xff"}, kept=True)


def end_faults(server: Server) -> Iterator[Fault]:
    """Ends of transactions, and utilities."""
    is_v7, kinds = server.is_v7, luw.transaction_kinds
    commit = pick(server, kinds, "db2_transaction.normal_commit")
    width, start = (4, 4) if is_v7 else (8, 10)
    yield cut(commit, "commit_cut", "A commit that ends inside its time", 3, "time_committed", 0, width)
    title, says, edit = (
        "An authorization id that is no text in the code page",
        "found X'FF' at byte 5",
        {start + 5: b"\xff"},
    )
    yield Fault(commit, "authid_not_utf8", title, "LMP-V007", "authid", start, says, edit, kept=True)
    put = pick(server, kinds, "db2_transaction.mpp_coordinator_commit_letter")
    nodes, title = width + 20, "A list of nodes that leads out of the record"
    says = f": found {len(put.body) - nodes - 2}"
    yield ends(put, "nodes_many", title, "tnl", nodes + 2, {nodes: server.u16(9000)}, says)
    if not is_v7:
        for kind, at in (("normal_commit", 8), ("normal_abort", 0)):
            put = pick(server, kinds, f"db2_transaction.{kind}")
            yield from long_and_short("Length of the authorization id", put, (at, server.u16), "authid", at + 2, 8)
        put = pick(server, kinds, "db2_transaction.local_pending_list_letter")
        title = "Length of the authorization id of a pending list too long"
        yield ends(put, "pending_list_long", title, "authid", 10, {8: server.u16(500)}, ": found 10")
        title = "A commit that ends inside the length of its authorization id"
        yield cut(commit, "authid_len_cut", title, 9, "authid_len", 8, 2)
    put = pick(server, luw.utility_kinds, "db2_utility.migration_begin")
    yield cut(put, "migration_cut", "A migration cut short", -1, "new_release", 12, 2)
    yield longer(put, "migration_surplus", "A migration and a byte more")
    put = pick(server, luw.utility_kinds, "db2_utility.load_start")
    yield cut(put, "load_cut", "A load cut short", 6, "object_id", 6, 2)
