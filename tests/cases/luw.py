"""Cases of Db2 LUW log records: every kind, in every generation that has it, in both byte orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cases.case import Case, Row
from cases.enums import worded
from writers.db2 import columns, datalink, ddl, dms, dom, lf, lob, rows, transaction, utility, xml
from writers.db2.columns import Column
from writers.db2.framing import Framed, Framing, framed
from writers.db2.header import BACKOUT_FREE, CHANGED_TYPES, COMPENSATION, PROPAGATABLE, Header, record, record_type
from writers.db2.wire import BYTE_ORDERS, GENERATIONS, Rid, Server, TableId

V7_PAGES = "IBM Db2 V7, Administrative API Reference"
DATA_MANAGER = (f'{V7_PAGES}, "Data Manager Log Records", Tables 96 to 109', "IBM Db2 12.1, Data manager log records")
HEADERS = (f'{V7_PAGES}, "Log Manager Log Record Header"', 'IBM Db2 10.5, "Log record header", topic r0024864')
LOB_MANAGER = (f'{V7_PAGES}, "LOB Manager Log Records"', "IBM Db2 12.1, LOB manager log records")
LONG_FIELDS = 'IBM Db2 V5, API Reference, "Long Field Manager Log Records"'
DATALINKS = 'IBM Db2 V6, Administrative API Reference, "DATALINK Manager Log Records"'
STATEMENTS = "Applications of version 10.1 and later"
DOCUMENTS = 'IBM Db2 11.5, "CSL manager log records"'
TRANSACTIONS = (f'{V7_PAGES}, "Transaction Manager Log Records"', "IBM Db2 11.5, Transaction manager log records")
UTILITIES = (f'{V7_PAGES}, "Utility Manager Log Records"', "IBM Db2 12.1, Utility manager log records")
SAMPLE = "IBM/db2-samples, c/utilrecov.c"

SERVERS = [Server(generation, order) for generation in GENERATIONS for order in BYTE_ORDERS]
TABLE, OBJECT = TableId(0x0102, 0x0304), TableId(0x0506, 0x0708)
"""No two bytes are the same, so that a wrong order is seen."""
IDS = {"tablespace_id": 0x0102, "table_id": 0x0304}
COLUMNS = [
    Column("ID", "INTEGER", nullable=False),
    Column("BODY", "CLOB(1M)", inline_length=68),
    Column("PRICE", "DECIMAL(9,2)"),
    Column("PHOTO", "BLOB(5K)", logged=False),
]
TIME = 1_773_483_072
USER = "DB2INST1"
SIZES = {"v7": (20, 26, 32), "v9.7": (24, 32, 40), "v10": (40, 56, 64)}
"""Bytes of a header, of that of a compensation, and of one that names what it compensates."""


@dataclass(frozen=True)
class Put:
    """A record that is put in, and what it must be read as, without its header."""

    type: str | int
    kind: str
    body: bytes
    values: Row
    flags: int = PROPAGATABLE


def cases() -> Iterator[Case]:
    """All of them."""
    for server in SERVERS:
        for folder, title, doc_ref, puts in COMPONENTS:
            given = list(puts(server))
            if given:
                yield of_kinds(folder, f"{word(server)}_kinds", f"{title}, {told(server)}", doc_ref, server, given)
        yield from headers(server)
    yield from real_sizes()
    yield from words()


def word(server: Server) -> str:
    """A server in the name of a case: v97_big."""
    return f"{server.generation.replace('.', '')}_{server.byte_order}"


def told(server: Server) -> str:
    """A server in a title."""
    return f"generation {server.generation}, {server.byte_order} end first"


FRAMINGS: dict[tuple[str, str], Framing] = {
    ("v7", "little"): "lsn6",
    ("v7", "big"): "bare",
    ("v9.7", "little"): "lsn8",
    ("v9.7", "big"): "filter97",
    ("v10", "little"): "filter",
    ("v10", "big"): "lsn8",
}
"""How the records of each server come, so that every framing is shown."""


def framing_of(server: Server) -> Framing:
    """The framing of a server's cases."""
    return FRAMINGS[server.generation, server.byte_order]


def options_of(server: Server, framing: Framing | None = None) -> Row:
    """Options that name everything."""
    named = {"generation": server.generation, "byte_order": server.byte_order}
    return {"spec": "db2_log", **named, "framing": framing or framing_of(server)}


# -- headers ------------------------------------------------------------------------------


def wide(server: Server, value: int) -> int:
    """A log sequence number: 8 bytes, of which 6 fit into version 7."""
    return value >> 16 if server.is_v7 else value


def header_of(server: Server, put: Put, number: int) -> Header:
    """A header whose values all differ, record by record."""
    type_ = put.type if isinstance(put.type, int) else record_type(put.type, server.generation)
    return Header(
        type_,
        bytes([1, 2, 3, 4, 5, 0xA0 + number % 0x50]),
        put.flags,
        lsn=0x0102030405060700 + number,
        lfs=0x1112131415161718,
        previous=wide(server, 0x2122232425262728),
        stream_id=0x0109,
        prior=wide(server, 0x3132333435363738),
        compensated=wide(server, 0x4142434445464748),
    )


FLAGS = {
    "is_redo_always": 0x0001, "is_propagatable": 0x0002, "is_temporary_table": 0x0004, "is_rollforward_undo": 0x0008,
    "is_singular": 0x0010, "is_conditionally_recoverable": 0x0080, "is_check_constraint_rollforward": 0x0100,
    "is_runtime_rollback": 0x0200, "is_pseudo_compensation": 0x0800,
}  # fmt: skip
"""Bits of the general flag, by the columns that say whether they are set."""
NORMAL, REDO, UNDO, COMPENSATED = 0x4E, 0x52, 0x55, 0x43
CLASSES = {
    "db2_dms": "add_columns alter_table_attribute delete_record insert_multiple_records insert_record update_record "
    "vector initialize_table delete_record_to_empty_page insert_record_to_empty_page undo_insert_record_to_empty_page "
    "undo_delete_record undo_delete_record_to_empty_page undo_insert_multiple_records undo_insert_record "
    "undo_update_record undo_add_columns",
    "db2_dom": "create_index drop_index create_table drop_table reorg_table import_replace undo_create_table "
    "undo_drop_table",
    "db2_lob": "add_lob_amount add_lob_data afim_amount afim_data delete_lob non_update_lob",
}
"""Kinds of records of which the manual's table, or a rollback, says the class."""


def class_row(put: Put) -> Row:
    """The class of a record, if it is known for records of its kind and its body is read."""
    spec, _, name = put.kind.partition(".")
    if "payload" in put.values or name.removesuffix("_v97") not in CLASSES.get(spec, "").split():
        return {}
    special = {"create_index": UNDO, "drop_index": UNDO, "initialize_table": REDO, "import_replace": REDO}
    return {"record_class": special.get(name, COMPENSATED if name.startswith("undo_") else NORMAL)}


def shown(server: Server, header: Header, put: Put) -> Row:
    """What is printed of a record."""
    row = {"kind": put.kind, **header_row(server, header, put.body), **put.values, **class_row(put)}
    return worded(row, has_operations=server.generation == "v10")


def header_row(server: Server, header: Header, body: bytes) -> Row:
    """What is printed of a header."""
    compensates = header.type == COMPENSATION
    names = compensates and bool(header.flags & PROPAGATABLE)
    size = SIZES[server.generation][compensates + names]
    digits = 12 if server.is_v7 else 16
    prior: str | None = f"{header.prior:0{digits}X}" if compensates else None
    compensated = f"{header.compensated:0{digits}X}" if names else None
    if server.is_v7 and header.type == BACKOUT_FREE:
        size, prior = SIZES["v7"][1], f"{header.prior:012X}"
    start = {"length": size + len(body), "type": header.type, "general_flag": header.flags}
    start |= {name: bool(header.flags & bit) for name, bit in FLAGS.items()}
    tid = header.tid.hex().upper()
    previous = f"{header.previous:0{digits}X}"
    if server.generation == "v10":
        named = {"lsn": f"{header.lsn:016X}", "lfs": f"{header.lfs:016X}", "previous_lso": previous}
        extra = {
            "before_compensated_log_stream_id": header.stream_id if compensates else None,
            "reserved": "000000000000" if compensates else None,
        }
        lsos = {"before_compensated_lso": prior, "compensated_lso": compensated}
        return {**start, **named, "transaction_id": tid, "log_stream_id": header.stream_id, **extra, **lsos}
    padding = {} if server.is_v7 else {"header_padding": "0000"}
    lsns = {"before_compensated_lsn": prior, "compensated_lsn": compensated}
    return {**start, "previous_lsn": previous, "transaction_id": tid, **padding, **lsns}


def of_kinds(
    folder: str,
    name: str,
    title: str,
    doc_ref: str | tuple[str, ...],
    server: Server,
    puts: Sequence[Put],
    framing: Framing | None = None,
) -> Case:
    """A case of records of one server, each with its header."""
    items, found = [], []
    for number, put in enumerate(puts):
        header = header_of(server, put, number)
        items.append(
            Framed(
                record(server, header, put.body),
                lsn=header.lsn,
                lso=77 + 4096 * number,
                lfs=header.lfs,
                stream_id=header.stream_id,
            )
        )
        found.append(shown(server, header, put))
    data = framed(framing or framing_of(server), server.byte_order, items)
    return Case(folder, name, title, doc_ref, data, found, options=options_of(server, framing))


def headers(server: Server) -> Iterator[Case]:
    """Types that carry components, flags, and what no list has; in every framing that holds such records."""
    puts = []
    for type_ in ("normal", "redo", "undo", "compensation", "compensation_required", "information"):
        puts.append(Put(type_, "db2_log.storage", b"\x06\x01\x02\x03", {"payload": "06010203"}))
    puts.append(Put("compensation", "db2_log.storage", b"\x06", {"payload": "06"}, flags=0))
    flags = (0x0001, 0x0002, 0x0004, 0x0008, 0x0010, 0x0080, 0x0100, 0x0200, 0x0800, 0xFFFF)
    puts += [Put("normal", "db2_log.storage", b"\x06", {"payload": "06"}, flags=bits) for bits in flags]
    # Updates of tables without DATA CAPTURE CHANGES, old and new, have no rows.
    differences = (b"\x01\x78\x01", b"\x01\xa3\x02")
    puts += [Put("normal", "db2_log.dms", body, {"payload": hexed(body)}, flags=0) for body in differences]
    puts.append(Put("normal", "db2_log.unlisted_9", b"\x09\x07", {"payload": "0907"}))
    puts.append(Put(0x99, "db2_log.unlisted_153", b"\x01\x02", {"payload": "0102"}))
    puts.append(Put(0x4142, "db2_log.unlisted_16706", b"", {"payload": ""}))
    framings: tuple[Framing, ...] = {
        "v7": ("bare", "lsn6"),
        "v9.7": ("bare", "lsn8", "filter97"),
        "v10": ("bare", "lsn8", "filter", "lris"),
    }[server.generation]
    title = "Types, flags, components and types that no list has"
    for framing in framings:
        name = f"{word(server)}_{framing}"
        yield of_kinds("db2_log", name, f"{title}, {told(server)}, framing {framing}", HEADERS, server, puts, framing)


# -- data manager -------------------------------------------------------------------------


def image(server: Server, data: bytes) -> bytes:
    """A record in a data page around some bytes that stand for a fixed section."""
    return rows.record(server, rows.FORMATTED, len(data), data)


def place_of(server: Server, number: int = 0) -> dms.Place:
    """A place in a data page; of version 7 the slot has one byte only."""
    rid = Rid(0x340, 12 + number) if server.is_v7 else Rid(0x12345, 0x010C + number)
    return dms.Place(rid, record_offset=5656 + 16 * number, free_space=515)


def rid_row(server: Server, number: int = 0) -> Row:
    """A row id as it is printed."""
    return {"rid": 0x340 * 256 + 12 + number if server.is_v7 else f"00012345{0x010C + number:04X}"}


def hexed(data: bytes) -> str:
    return data.hex().upper()


def dms_row(function: int) -> Row:
    return {"component": 1, "function_id": function, **IDS}


def dms_kinds(server: Server) -> Iterator[Put]:
    """Records of rows, tables and columns, and those that have only a name."""
    yield from row_kinds(server)
    if not server.is_v7:
        yield from later_row_kinds(server)
    yield from table_kinds(server)
    names = V7_NAMES if server.is_v7 else NAMES
    for number, name in names.items():
        compensates = name.startswith("undo_")
        type_ = "compensation" if compensates else "normal"
        payload = bytes([number, 0xF0, 0x0F])
        values = {**dms_row(number), "payload": hexed(payload)}
        yield Put(type_, f"db2_dms.{name}", dms.named(server, number, TABLE, payload), values)
    yield Put("normal", "db2_dms.unlisted_250", dms.named(server, 250, TABLE), {**dms_row(250), "payload": ""})


V7_NAMES = {
    103: "create_new_page", 105: "alter_propagation", 107: "undo_alter_propagation", 108: "alter_pending",
    109: "alter_defaults", 113: "alter_column", 114: "create_system_page", 115: "undo_alter_column",
    117: "reorganize_page", 121: "update_changed_columns", 131: "undo_alter_defaults", 132: "undo_alter_pending",
}  # fmt: skip
NAMES = {
    108: "undo_update_partition_state", 113: "alter_column", 115: "undo_alter_column", 116: "alter_lob_column",
    119: "undo_alter_lob_column", 122: "rename", 123: "undo_rename", 137: "update_partition_state",
    169: "drop_columns", 170: "undo_drop_columns", 171: "change_row_version", 211: "start_of_out_of_row_data",
    212: "undo_start_of_out_of_row_data",
}  # fmt: skip


def with_function(body: bytes, function: int, second: int = 0) -> bytes:
    """A body under another function id; `second` is where the second header of an update stands."""
    changed = bytearray(body)
    changed[1] = function
    if second:
        changed[second + 1] = function
    return bytes(changed)


def held_row(server: Server, function: int, row: bytes, number: int = 0, flags: int = 0) -> Row:
    """What is printed of a record with one row."""
    sizes = {"record_length": len(row), "free_space": 515}
    rid, start = rid_row(server, number), dms_row(function)
    at = {"record_offset": 5656 + 16 * number}
    held = {"record": hexed(row)}
    if server.is_v7:
        return {**start, "padding": "0000", **rid, **sizes, **at, **held}
    return {**start, "iud_flags": flags, **sizes, **rid, **at, **held}


def row_kinds(server: Server) -> Iterator[Put]:
    old, new = image(server, b"old."), image(server, b"a new row")
    inserts, deletes, updates = ((118, 162), (106, 161), (120, 163))
    place = place_of(server)
    for function, suffix in zip(inserts, ("", "_v97"), strict=True):
        body = with_function(dms.insert(server, TABLE, place, new), function)
        yield Put("normal", f"db2_dms.insert_record{suffix}", body, held_row(server, function, new))
    for function, suffix in zip(deletes, ("", "_v97"), strict=True):
        body = with_function(dms.delete(server, TABLE, place, old), function)
        yield Put("normal", f"db2_dms.delete_record{suffix}", body, held_row(server, function, old))
    for function, suffix in zip(updates, ("", "_v97"), strict=True):
        body = dms.update(server, TABLE, place, old, new, new_place=place_of(server, 1))
        fixed = 18 if server.is_v7 else 20
        body = with_function(body, function, fixed + len(old))
        yield Put("normal", f"db2_dms.update_record{suffix}", body, update_row(server, function, old, new))
    undone = dms.undo_delete(server, TABLE, place, old)
    yield Put("compensation", "db2_dms.undo_delete_record", undone, held_row(server, 111, old))
    undone = dms.undo_update(server, TABLE, place, old)
    yield Put("compensation", "db2_dms.undo_update_record", undone, held_row(server, 112, old))
    undone = dms.undo_insert(server, TABLE, place, 0x0D0E)
    sizes = {"record_length": 0x0D0E, "free_space": 515}
    rid = rid_row(server)
    taken = {**dms_row(110), "padding": "0000", **(rid | sizes if server.is_v7 else sizes | rid)}
    yield Put("compensation", "db2_dms.undo_insert_record", undone, taken)
    if not server.is_v7:
        flagged = dms.insert(server, TABLE, place, new, flags=dms.DECOMPOSED_UPDATE)
        yield Put("normal", "db2_dms.insert_record_v97", flagged, held_row(server, 162, new, flags=0x8000))


def update_row(server: Server, function: int, old: bytes, new: bytes) -> Row:
    """What is printed of an update: each part gives the length of the other's record."""
    parts = []
    for number, (own, other) in enumerate(((old, new), (new, old))):
        part = held_row(server, function, own, number) | {"record_length": len(other)}
        parts.append({name: value for name, value in part.items() if name not in dms_row(function)})
    return {**dms_row(function), "old_row": parts[0], "new_header": dms_row(function), "new_row": parts[1]}


def later_row_kinds(server: Server) -> Iterator[Put]:
    """Rows of empty pages, several rows in a record, and vectors."""
    row, other = image(server, b"a row"), image(server, b"another one")
    place, second = place_of(server), place_of(server, 1)
    pages = {"internal": "0000", "first_page": 0x0A0B0C0D}
    for function, name, make in (
        (165, "insert_record_to_empty_page", dms.insert_to_empty_page),
        (164, "delete_record_to_empty_page", dms.delete_to_empty_page),
        (166, "undo_delete_record_to_empty_page", dms.undo_delete_to_empty_page),
    ):
        held = held_row(server, function, row)
        last = {key: held.pop(key) for key in ("record_offset", "record")}
        type_ = "compensation" if function == 166 else "normal"
        body = make(server, TABLE, place, row, first_page=0x0A0B0C0D)
        yield Put(type_, f"db2_dms.{name}", body, {**held, **pages, **last})
    body = dms.undo_insert_to_empty_page(server, TABLE, place, 0x0D0E, internal=b"\x00\x01\x02")
    sizes = {"record_length": 0x0D0E, "free_space": 515}
    values = {**dms_row(131), "padding": "0000", **sizes, **rid_row(server), "internal": "000102"}
    yield Put("compensation", "db2_dms.undo_insert_record_to_empty_page", body, values)
    several = [(place, row), (second, other)]
    counts = {"iud_flags": 0, "num_records": 2, "free_space": 0, "sum_of_record_lengths": len(row) + len(other)}
    entries = [
        {**rid_row(server, number), "record_offset": 5656 + 16 * number, "record": hexed(held)}
        for number, held in enumerate((row, other))
    ]
    lengths = {"variable_part_length": len(row) + len(other) + 16, "pool_page_number": 0x0A0B0C0D}
    body = dms.insert_multiple(server, TABLE, several, pool_page=0x0A0B0C0D)
    values = {**dms_row(167), **counts, **lengths, "records": entries}
    yield Put("normal", "db2_dms.insert_multiple_records", body, values)
    removed = [{**rid_row(server, number), "internal": "0000"} for number in range(2)]
    lengths = {"variable_part_length": 16, "pool_page_number": 0x0A0B0C0D}
    body = dms.undo_insert_multiple(server, TABLE, several, pool_page=0x0A0B0C0D)
    values = {**dms_row(168), **counts, **lengths, "records": removed}
    yield Put("compensation", "db2_dms.undo_insert_multiple_records", body, values)
    body = dms.vector_data(server, TABLE, 0x0203, b"[1.5,-2]")
    values = {**dms_row(213), "column_id": 0x0203, "data_length": 8, "internal": "00000000"}
    yield Put("normal", "db2_dms.vector", body, {**values, "data": hexed(b"[1.5,-2]")})


def descriptor_rows(server: Server, described: Sequence[Column], *, parallel: bool) -> Row:
    """What is printed of column and LOB descriptors; parallel arrays have a LOB descriptor for every column."""
    entries, lobs = [], []
    for column, at in zip(described, columns.offsets(described), strict=False):
        is_decimal = column.word == "DECIMAL"
        entries.append(
            {
                "field_type": columns.TYPE_CODES[column.word],
                "precision": column.length if is_decimal else None,
                "scale": column.scale if is_decimal else None,
                "length": None if is_decimal else 0 if column.lob else column.max_bytes,
                "null_flag": 1 if column.nullable else 2,
                "is_nullable": column.nullable,
                "field_offset": at,
            }
        )
        inline = 0 if server.is_v7 else column.inline_length
        element = {"maximum_length": column.max_bytes, "inline_length": inline, "is_logged": int(column.logged)}
        if column.lob:
            lobs.append(element)
        elif parallel:
            lobs.append(dict.fromkeys(element, 0))
    return {"columns": entries, "lobs": lobs}


def table_kinds(server: Server) -> Iterator[Put]:
    """Records of tables and columns."""
    body = dms.initialize_table(
        server,
        TABLE,
        COLUMNS,
        file_create_lsn=wide(server, 0x5152535455565758),
        index_flag=0x0A0B,
        index_root_page=0x0C0D0E0F,
        tdesc_recid=-0x01020304,
        flags=dms.NOT_LOGGED_INITIALLY,
    )
    start = {} if server.is_v7 else {"padding": "0000"}
    length = 4 + 8 * len(COLUMNS) + 12 * 2
    description = {"record_type": 0, "reserved": "00", "num_columns": len(COLUMNS)}
    values = {
        **dms_row(128),
        **start,
        "file_create_lsn": "515253545556" if server.is_v7 else "5152535455565758",
        "record_type": 0,
        "reserved1": "00",
        "index_flag": 0x0A0B,
        "index_root_page": 0x0C0D0E0F,
        "tdesc_recid": -0x01020304,
        "reserved2": "00" * 56,
        "flags": 0x20,
        "is_not_logged_initially": True,
        "table_description_length": length,
        "table_description": {**description, **descriptor_rows(server, COLUMNS, parallel=False)},
    }
    yield Put("redo", "db2_dms.initialize_table", body, values)
    padding = {"padding": "0000"} if server.is_v7 else {}
    for type_, mask, on in (("normal", 0x00610003, 0x00200001), ("compensation", 0x00010000, 0)):
        body = dms.alter_table_attribute(server, TABLE, mask, on)
        values = {**dms_row(124), **padding, "attribute_mask": mask, "attribute_values": on}
        yield Put(type_, "db2_dms.alter_table_attribute", body, values)
    for type_, function, name in (("normal", 102, "add_columns"), ("compensation", 104, "undo_add_columns")):
        for behind in (b"", bytes(24)):
            body = dms.add_columns(server, TABLE, COLUMNS[:2], COLUMNS, undo=function == 104)
            values = {
                **dms_row(function),
                "padding": "0000",
                "old_column_count": 2,
                "new_column_count": 4,
                "old_arrays": descriptor_rows(server, COLUMNS[:2], parallel=True),
                "new_arrays": descriptor_rows(server, COLUMNS, parallel=True),
            }
            surplus = {"surplus": "00" * 24} if behind else {}
            yield Put(type_, f"db2_dms.{name}", body + behind, values | surplus)


# -- data object manager ------------------------------------------------------------------


def dom_kinds(server: Server) -> Iterator[Put]:
    """Records of tables and indexes as objects."""
    about = dom.DomObject(TABLE, object=OBJECT, object_type=0x09, flags=0x8A)
    ids = {"object_tablespace_id": 0x0506, "object_id": 0x0708, **IDS, "object_type": 0x09, "flags": 0x8A}

    def start(function: int) -> Row:
        return {"component": 4, "function_id": function, **ids}

    index = {"padding": "0000", "index_token": 0x0B0C, "index_root_page": 0x0D0E0F10}
    for function, name, make in ((2, "create_index", dom.create_index), (3, "drop_index", dom.drop_index)):
        body = make(server, about, 0x0B0C, 0x0D0E0F10)
        yield Put("undo", f"db2_dom.{name}", body, {**start(function), **index})
    inner = bytes(range(56))
    later = not server.is_v7
    held = {"internal": None if later else hexed(inner), "internal_later": hexed(inner) if later else ""}
    for function, name, encode in (
        (101, "create_table", dom.create_table),
        (4, "drop_table", dom.drop_table),
        (130, "undo_create_table", dom.undo_create_table),
        (5, "undo_drop_table", dom.undo_drop_table),
    ):
        type_ = "compensation" if name.startswith("undo") else "normal"
        yield Put(type_, f"db2_dom.{name}", encode(server, about, inner), {**start(function), **held})
    truncated = {**start(11), "internal": "010203"}
    yield Put("redo", "db2_dom.import_replace", dom.truncate(server, about, b"\x01\x02\x03"), truncated)
    yield Put("information", "db2_dom.import_replace", dom.truncate(server, about), {**start(11), "internal": ""})
    body = dom.reorg_table(
        server, about, index_token=0x0B0C, temporary_tablespace_id=0x0D0E, long_temporary_tablespace_id=0x0F10
    )
    values = {**start(35), "internal": "00" * (252 if server.is_v7 else 476), "index_token": 0x0B0C}
    values |= {"temp_tablespace_id": 0x0D0E} | ({} if server.is_v7 else {"long_temp_tablespace_id": 0x0F10})
    yield Put("normal", "db2_dom.reorg_table", body, values)
    other = dom.header(server, dom.REORG_TABLE, about) + b"\x01\x02"
    yield Put("normal", "db2_dom.reorg_table", other, {**start(35), "payload": "0102"})
    activated = dom.activate_not_logged_initially(server, about, b"\x01\x02")
    yield Put("normal", "db2_dom.activate_not_logged", activated, {**start(12), "payload": "0102"})
    started = dom.header(server, 6, about)
    yield Put("undo", "db2_dom.start_object_completion", started, {**start(6), "payload": ""})
    unlisted = dom.header(server, 99, about) + b"\xff"
    yield Put("normal", "db2_dom.unlisted_99", unlisted, {**start(99), "payload": "FF"})


# -- values out of their rows -------------------------------------------------------------

ABOUT = lob.LobObject(OBJECT, TABLE, object_type=2)
POOLS = {"pool_id": 0x0506, "object_id": 0x0708, "parent_pool_id": 0x0102, "parent_object_id": 0x0304}


def lob_kinds(server: Server) -> Iterator[Put]:
    """LOB data, and amounts of data that is not logged."""
    if server.generation != "v10":
        address = 0x0A0B0C0D
        start = {**POOLS, "object_type": 2, "padding": "00"}
        for operation, name in ((64, "afim_data"), (7, "afim_data"), (65, "afim_amount")):
            named = {"component": 5, "operation_id": operation, **start}
            if name == "afim_data":
                body = lob.afim_data(server, ABOUT, b"some data", address, operation=operation)
                held: Row = {"data_length": 9, "byte_address": float(address), "data": hexed(b"some data")}
            else:
                body = lob.afim_amount(server, ABOUT, 0x01020304, address, operation=operation)
                held = {"data_length": 0x01020304, "byte_address": float(address)}
            yield Put("normal", f"db2_lob.{name}", body, {**named, **held})
        return
    address = 0x0102030405060708
    for function, name, original, type_ in (
        (64, "add_lob_data", 1, "normal"),
        (64, "add_lob_data", 4, "normal"),
        (65, "add_lob_amount", 1, "normal"),
        (66, "delete_lob", 2, "information"),
        (67, "non_update_lob", 4, "information"),
    ):
        data = b"some data" if function == 64 else b""
        length = len(data) or 0x01020304
        encoders: dict[int, Callable[[], bytes]] = {
            64: lambda data=data, original=original: lob.add_data(  # type: ignore[misc]
                server, ABOUT, data, address, 0x0A0B, original=original
            ),
            65: lambda: lob.add_amount(server, ABOUT, 0x01020304, address, 0x0A0B),
            66: lambda: lob.delete(server, ABOUT, 0x01020304, address, 0x0A0B),
            67: lambda: lob.non_update(server, ABOUT, 0x01020304, address, 0x0A0B),
        }
        start = {"component": 5, "operation_id": function, **POOLS, "object_type": 2}
        placed = {"data_length": length, "byte_address": address, "internal": "00", "original_operation": original}
        held = {"data": hexed(data)} if data else {}
        values = {**start, **placed, "column_id": 0x0A0B, "internal2": "00000000", **held}
        yield Put(type_, f"db2_lob.{name}", encoders[function](), values)
    other = lob.header(server, 80, ABOUT) + b"\x01"
    values = {"component": 5, "operation_id": 80, **POOLS, "object_type": 2, "payload": "01"}
    yield Put("normal", "db2_lob.unlisted_80", other, values)


def long_field_kinds(server: Server) -> Iterator[Put]:
    """Long field data, in whole sectors."""
    for operation, name in ((110, "add"), (111, "delete"), (112, "non_update")):
        start = {"component": 3, "operation_id": operation, **POOLS}
        kind = f"db2_long_field.{name}_long_field"
        body = lf.record(server, ABOUT, b"long" * 130, 0x01020304, operation=operation)
        if server.is_v7:
            held = {"long_field_length": 2, "file_offset": 0x01020304}
            filled = (b"long" * 130).ljust(1024, b"\x00")
            yield Put("normal", kind, body, {**start, **held, "data": hexed(filled)})
        else:
            yield Put("normal", kind, body, {**start, "payload": hexed(body[10:])})
        yield Put("information", kind, lf.header(server, operation, ABOUT), {**start, "payload": ""})


def datalink_kinds(server: Server) -> Iterator[Put]:
    """Files that are linked, with and without a time stamp, versions 5.2 to 7."""
    if not server.is_v7:
        return
    ids: Row = {"prefix_id": bytes(range(1, 10)), "recovery_id": bytes(range(17, 24))}
    for timestamp in (0x65666768, None):
        link = datalink.Link(b"stem/of/a.file", 0x01020304, ids["prefix_id"], ids["recovery_id"], timestamp)
        tail = {"time_stamp": timestamp, "stem_name_length": 14, "stem_name": "stem/of/a.file"}
        prefix, recovery = {"prefix_id": hexed(ids["prefix_id"])}, {"recovery_id": hexed(ids["recovery_id"])}
        body = datalink.link_file(
            server, link, read_only=True, auth_id="ALICE", group_id=b"STAFF".ljust(17), access_control=0x0506
        )
        named = {"read_only": 1, "auth_id": "ALICE", "group_id": "STAFF", "padding2": "00", "access_control": 0x0506}
        start = {"component": 8, "function_id": 33, "padding": "0000", "server_id": 0x01020304}
        values = {**start, **named, **prefix, "padding3": "000000", **recovery, "padding4": "00", **tail}
        yield Put("datalink", "db2_datalink.link_file", body, values)
        start |= {"function_id": 34}
        values = {**start, **prefix, "padding2": "000000", **recovery, "padding3": "00", **tail}
        yield Put("datalink", "db2_datalink.unlink_file", datalink.unlink_file(server, link), values)
    for function, name in ((35, "delete_group"), (36, "delete_pgroup"), (37, "dlfm_prepare"), (38, "unlisted_38")):
        values = {"component": 8, "function_id": function, "padding": "0000", "payload": "7879"}
        yield Put("datalink", f"db2_datalink.{name}", datalink.named(function, b"xy"), values)


def ddl_kinds(server: Server) -> Iterator[Put]:
    """DDL statements, 10.1 and later."""
    if server.generation != "v10":
        return
    text = "ALTER TABLE Größe ADD COLUMN X INT"
    for undo in (False, True):
        body = ddl.statement(
            server,
            TABLE,
            text.encode(),
            undo=undo,
            text_left=0x0A0B0C0D,
            operation=0x0102,
            object_id=0x0304,
            options=0x0506,
            flags=0x0708,
            entries=[(1, b"PROD"), (0x0B0C, b"x")],
        )
        entries: list[Row] = [
            {"entry_type": "default_schema", "entry_length": 4}, {"entry_type": str(0x0B0C), "entry_length": 1}
        ]  # fmt: skip
        values = {
            **{"component": 11, "function_id": 5 if undo else 4, **IDS, "flags": 0x0708},
            **{"ddl_operation": 0x0102, "ddl_object": 0x0304, "ddl_options": 0x0506, "num_entries": 2},
            **{"ddl_text_left": 0x0A0B0C0D, "ddl_text_length": len(text.encode()), "entries": entries},
            **{"entry_data": hexed(b"PRODx"), "ddl_text": text},
        }
        kind = "undo_ddl_statement" if undo else "ddl_statement"
        yield Put("compensation" if undo else "normal", f"db2_ddl.{kind}", body, values)
    body = ddl.statement(server, TABLE, b"")
    empty: Row = {"ddl_operation": 0, "ddl_object": 0, "ddl_options": 0, "num_entries": 0, "ddl_text_left": 0}
    values = {"component": 11, "function_id": 4, **IDS, "flags": 0, **empty, "ddl_text_length": 0, "entries": []}
    yield Put("normal", "db2_ddl.ddl_statement", body, {**values, "entry_data": "", "ddl_text": ""})
    body = b"\x0b\x63" + body[2:8] + b"\x01\x02"
    values = {"component": 11, "function_id": 99, **IDS, "flags": 0, "payload": "0102"}
    yield Put("normal", "db2_ddl.unlisted_99", body, values)


def xml_kinds(server: Server) -> Iterator[Put]:
    """XML documents, 11.5.8 and later."""
    if server.generation != "v10":
        return
    data = "<a>Größe</a>".encode()
    start = {"component": 15, "operation_id": 114, **POOLS, "object_type": 6}
    values = {**start, "internal": "00", "data_length": len(data), "column_id": 0x0A0B, "internal2": "00" * 6}
    body = xml.document(server, ABOUT, data, 0x0A0B)
    yield Put("information", "db2_xml.xml_data", body, {**values, "data": hexed(data)})
    body = b"\x0f\x63" + body[2:11] + b"\x01"
    yield Put("information", "db2_xml.unlisted_99", body, {**start, "operation_id": 99, "payload": "01"})


# -- ends of transactions, and utilities --------------------------------------------------


def variants(name: str) -> tuple[int, ...]:
    """Both numbers of a type that has two: letter, and number of version 9.7 and later."""
    return CHANGED_TYPES[name]


def lettered(name: str, is_letter: bool) -> str:
    """Such a type as the spec names it."""
    if name == "commit":
        return "normal_commit" if is_letter else "commit"
    return f"{name}_letter" if is_letter else name


def transaction_kinds(server: Server) -> Iterator[Put]:
    """How transactions end; a letter and a number are accepted for the same end."""
    yield from commit_kinds(server)
    user: Row = {"authid": USER} if server.is_v7 else {"authid_len": 8, "authid": USER}
    nobody: Row = {"authid": ""} if server.is_v7 else {"authid_len": None, "authid": None}
    for type_, kind in (("abort", "normal_abort"), ("heuristic_abort", "heuristic_abort")):
        yield Put(type_, f"db2_transaction.{kind}", transaction.abort(server, USER), user)
        yield Put(type_, f"db2_transaction.{kind}", transaction.abort(server, None), nobody, flags=0)
    body = transaction.global_pending_list(server, USER, b"\x01\x02")
    held: Row = {"payload": hexed(body)} if server.is_v7 else {**user, "entries": "0102"}
    yield Put("global_pending_list", "db2_transaction.global_pending_list", body, held)
    for name in ("tm_prepare", "xa_prepare", "mpp_prepare"):
        body = transaction.prepare(server, TIME, 0x0102)
        for is_letter, type_ in zip((True, False), variants(name), strict=True):
            yield Put(type_, f"db2_transaction.{lettered(name, is_letter)}", body, {"payload": hexed(body)})
    kinds = {"backout_free": "backout_free", "forget": "forget_transaction", "lock_description": "lock_description"}
    kinds |= {"partial_abort": "partial_abort", "mpp_log_synchronization": "mpp_log_synchronization"}
    kinds |= {} if server.is_v7 else {"application_information": "application_information"}
    for type_, kind in kinds.items():
        yield Put(type_, f"db2_transaction.{kind}", b"\x01\x02\x03", {"payload": "010203"})
        yield Put(type_, f"db2_transaction.{kind}", b"", {"payload": ""})


def commit_kinds(server: Server) -> Iterator[Put]:
    """Commits, with and without an authorization id."""
    user: Row = {"authid": USER} if server.is_v7 else {"authid_len": 8, "authid": USER}
    nobody: Row = {"authid": ""} if server.is_v7 else {"authid_len": None, "authid": None}
    time = {"time_committed": TIME}
    gxid = transaction.Gxid(b"globalXB", format_id=0x01020304, branch_length=2)
    shown = {"gxid": hexed(gxid.encode(server))}
    nodes = {"max_node_number": 9, "tnl": "0A02"}
    for is_letter in (True, False):
        for name in ("commit", "heuristic_commit"):
            type_ = variants(name)[not is_letter]
            kind = f"db2_transaction.{lettered(name, is_letter)}"
            yield Put(type_, kind, transaction.commit(server, TIME, USER), {**time, **user})
            yield Put(type_, kind, transaction.commit(server, TIME, None), {**time, **nobody}, flags=0)
        name = "mpp_coordinator_commit"
        body = transaction.mpp_coordinator_commit(server, TIME, USER, gxid=gxid, nodes=[1, 3, 9])
        kind = f"db2_transaction.{lettered(name, is_letter)}"
        yield Put(variants(name)[not is_letter], kind, body, {**time, **shown, **nodes, **user})
        name = "mpp_subordinate_commit"
        body = transaction.mpp_subordinate_commit(server, TIME, USER, gxid=gxid)
        kind = f"db2_transaction.{lettered(name, is_letter)}"
        yield Put(variants(name)[not is_letter], kind, body, {**time, **shown, **user})
        name = "local_pending_list"
        body = transaction.local_pending_list(server, TIME, USER, b"\x01\x02")
        held = {"payload": hexed(body[4:])} if server.is_v7 else {**user, "entries": "0102"}
        kind = f"db2_transaction.{lettered(name, is_letter)}"
        yield Put(variants(name)[not is_letter], kind, body, {**time, **held})


def utility_kinds(server: Server) -> Iterator[Put]:
    """What utilities write."""
    releases = {"previous_release": 0x0102, "new_release": 0x0304}
    body = utility.migration_begin(server, "2026031410", 0x0102, 0x0304)
    yield Put("migration_begin", "db2_utility.migration_begin", body, {"start_time": hexed(b"2026031410"), **releases})
    body = utility.migration_end(server, "2026031411", 0x0304)
    values = {"end_time": hexed(b"2026031411"), "new_release": 0x0304}
    yield Put("migration_end", "db2_utility.migration_end", body, values)
    for pools in (b"", b"\x01\x02\x03\x04"):
        body = utility.load_start(server, 0x01020304, 0x0506, 0x0708, flag=9, pools=pools)
        ids = {"log_record_id": 0x01020304, "pool_id": 0x0506, "object_id": 0x0708}
        yield Put("load_start", "db2_utility.load_start", body, {**ids, "flag": 9, "object_pool_list": hexed(pools)})
    pending = utility.load_pending_list(server, TIME, USER, b"\x01")
    ended = utility.backup_end(server, TIME, b"\x02")
    bodies = {"load_pending_list": ("load_pending_list", pending), "backup_end": ("backup_end", ended)}
    names = {
        "load_delete_start": "table_load_delete_start",
        "load_delete_start_compensation": "load_delete_start_compensation",
        "backup_start": "backup_start",
        "tablespace_rolled_forward": "tablespace_rolled_forward",
        "table_quiesce": "table_quiesce",
        "rollforward_pit_end": "rollforward_to_pit_ends",
    }
    bodies |= {type_: (kind, b"") for type_, kind in names.items()}
    for type_, (kind, body) in bodies.items():
        yield Put(type_, f"db2_utility.{kind}", body, {"payload": hexed(body)})
    letter, number = variants("rollforward_pit_begin")
    yield Put(letter, "db2_utility.rollforward_to_pit_starts", b"\x01", {"payload": "01"})
    yield Put(number, "db2_utility.rollforward_to_pit_begins", b"\x02", {"payload": "02"})


COMPONENTS: tuple[tuple[str, str, Any, Callable[[Server], Iterator[Put]]], ...] = (
    ("db2_dms", "Every kind of data manager record", DATA_MANAGER, dms_kinds),
    ("db2_dom", "Every kind of data object manager record", DATA_MANAGER, dom_kinds),
    ("db2_lob", "Every kind of LOB manager record", LOB_MANAGER, lob_kinds),
    ("db2_long_field", "Every kind of long field manager record", LONG_FIELDS, long_field_kinds),
    ("db2_datalink", "Every kind of datalink manager record", DATALINKS, datalink_kinds),
    ("db2_ddl", "Every kind of relation manager record", STATEMENTS, ddl_kinds),
    ("db2_xml", "Every kind of CSL manager record", DOCUMENTS, xml_kinds),
    ("db2_transaction", "Every kind of transaction manager record", TRANSACTIONS, transaction_kinds),
    ("db2_utility", "Every kind of utility manager record", UTILITIES, utility_kinds),
)


# -- real sizes, and small shared formats ---------------------------------------------------

REAL = Server("v9.7", "little")
REAL_DATA = bytes.fromhex("303030303330 0F000500 14001E0000 6173636969 69000000") + b"This is another new resume"
"""User data of a row of EMP_RESUME: EMPNO CHAR(6), RESUME_FORMAT VARCHAR(10), RESUME CLOB."""


def real_sizes() -> Iterator[Case]:
    """Records of the sizes that real ones of version 9.7 have, one of them around a real row."""
    row = rows.record(REAL, rows.FORMATTED, 15, REAL_DATA)
    at = dms.Place(Rid(0x340, 12), record_offset=5656, free_space=0)

    def held_row(held: bytes, function: int) -> Row:
        sizes = {"iud_flags": 0, "record_length": len(held), "free_space": 0, "rid": "00000340000C"}
        return {**dms_row(function), **sizes, "record_offset": 5656, "record": hexed(held)}

    shorter, third = image(REAL, bytes(45)), image(REAL, bytes(48))
    masks = {"attribute_mask": 1, "attribute_values": 1}
    ended = {"time_committed": TIME, "authid_len": 8, "authid": USER}
    puts = [
        Put("normal", "db2_dms.insert_record_v97", dms.insert(REAL, TABLE, at, row), held_row(row, 162)),
        Put("normal", "db2_dms.insert_record_v97", dms.insert(REAL, TABLE, at, shorter), held_row(shorter, 162)),
        Put("normal", "db2_dms.delete_record_v97", dms.delete(REAL, TABLE, at, third), held_row(third, 161)),
        Put(
            "normal",
            "db2_dms.alter_table_attribute",
            dms.alter_table_attribute(REAL, TABLE, 1, 1),
            {**dms_row(124), **masks},
        ),
        Put("commit", "db2_transaction.commit", transaction.commit(REAL, TIME, USER), ended),
    ]
    title = "Sizes of real records, a real row in the first of them"
    case = of_kinds("db2_log", "v97_real_sizes", title, SAMPLE, REAL, puts, "bare")
    assert [found["length"] for found in case.rows] == [102, 97, 100, 46, 42]
    yield case
    little = Server("v10", "little")
    later = Put("normal", "db2_dms.insert_record_v97", dms.insert(little, TABLE, at, row), held_row(row, 162))
    yield of_kinds("db2_log", "v10_real_row", "The same row in a record of 118 bytes", SAMPLE, little, [later], "bare")


def form(outer: int, inner: int) -> int:
    """What stands behind the headers of a record with outer and inner type: no row (0), one, or a compressed one."""
    return {1: 1, 2: 2}.get(inner, 0) if outer in (0x00, 0x10, 0x04) else 0


@dataclass(frozen=True)
class Words:
    """A small shared format that can be read on its own, in both byte orders."""

    spec: str
    title: str
    doc_ref: str
    values: Sequence[tuple[Callable[[Server], bytes], Callable[[Server], Row]]]
    version: Server = field(default_factory=lambda: Server("v10", "little"))


def words() -> Iterator[Case]:
    """Row ids, log sequence numbers and record headers, each a record of its own."""

    def rid(page: int, slot: int) -> tuple[Callable[[Server], bytes], Callable[[Server], Row]]:
        parts = (page >> 16, page & 0xFFFF, slot)

        def row(server: Server) -> Row:
            ordered = parts if server.byte_order == "big" else parts[::-1]
            return {f"word{number}": part for number, part in enumerate(ordered)}

        return lambda server: server.rid(Rid(page, slot)), row

    def lsn(value: int) -> tuple[Callable[[Server], bytes], Callable[[Server], Row]]:
        parts = {"word0": value >> 32, "word1": value >> 16 & 0xFFFF, "word2": value & 0xFFFF, "number": value}
        return lambda server: replace(server, generation="v7").lsn(value), lambda server: parts

    def head(outer: int, inner: int) -> tuple[Callable[[Server], bytes], Callable[[Server], Row]]:
        def encode(server: Server) -> bytes:
            return bytes([outer, 0]) + server.u16(6) + bytes([inner, 0])

        start = {"record_type": outer, "reserved": "00", "record_length": 6}
        facts = {"is_moved_here": bool(outer & 4), "is_pointer": bool(outer & 2), "form": form(outer, inner)}
        return encode, lambda server: {**start, "inner_record_type": inner, "inner_reserved": "00", **facts}

    rids = [rid(0x340, 12), rid(0, 7), rid(0xFFFFFFFF, 0xFFFF), rid(0x01020304, 0x0506)]
    lsns = [lsn(0), lsn(0x00010002F00C), lsn(0xFFFFFFFFFFFF)]
    heads = [head(outer, inner) for outer in (0, 0x10, 0x04, 0x02, 0x08) for inner in (1, 2, 0)]
    for given in (
        Words("db2_rid", "Half-words of row ids as they stand", SAMPLE, rids),
        Words("db2_sqlu_lsn", "Half-words of log sequence numbers, the most significant first", V7_PAGES, lsns),
        Words("db2_row_header", "Every outer type with every inner one", SAMPLE, heads),
    ):
        for order in BYTE_ORDERS:
            server = replace(given.version, byte_order=order)
            data = b"".join(encode(server) for encode, _ in given.values)
            found = [worded(row(server)) for _, row in given.values]
            options = {"framing": "fixed", "record_length": 6, "byte_order": order}
            yield Case(given.spec, f"words_{order}", given.title, given.doc_ref, data, found, options=options)
