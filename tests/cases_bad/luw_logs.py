"""Bad cases of Db2 LUW logs: streams, options, rows, and tables files; one fault in a log that is sound otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from cases import luw, luw_changes
from cases.case import BadCase, Row, to_yaml
from cases_bad.faulty import GOOD_ROW, error, good_records
from writers.bmc import framing as zos_framing
from writers.db2.columns import Column
from writers.db2.framing import Framed, Framing, framed
from writers.db2.header import Header, record
from writers.db2.rows import FORMATTED
from writers.db2.rows import record as page_record
from writers.db2.tables import Table
from writers.db2.wire import Server

V7, V97, V10 = Server("v7", "big"), Server("v9.7", "big"), Server("v10", "little")
HEADER = {"v7": 20, "v9.7": 24, "v10": 40}
ENDS, OVER = "the record ends inside the field", "bytes are left over"


def cases() -> Iterator[BadCase]:
    """All of them."""
    yield from streams()
    yield from options()
    yield from no_logs()
    yield from values()
    yield from tables_files()
    yield from contradictions()


# -- streams that are cut, and options that are wrong -------------------------------------------

EMPLOYEES = luw_changes.EMPLOYEES


def log_of(server: Server, framing: Framing) -> luw_changes.Log:
    """Two inserts and their commit."""
    log = luw_changes.Log(server.generation, server.byte_order, framing)
    unit = log.begin("ALICE")
    for number in (1, 2):
        unit.insert(EMPLOYEES, luw_changes.employee(number))
    unit.commit()
    return log


def bad(
    name: str,
    title: str,
    data: bytes,
    fault: Row,
    rows: int,
    *,
    spec: str = "db2_log",
    options: Mapping[str, Any] | None = None,
    **more: Any,
) -> BadCase:
    """A bad case; what of its place is not named is not there."""
    given = {"spec": "db2_log", **(options or {})}
    doc_ref = more.pop("doc_ref", luw.HEADERS)
    return BadCase(spec, name, title, doc_ref, data, [GOOD_ROW] * rows, options=given, error=fault, **more)


FORMS: tuple[tuple[Server, Framing], ...] = (
    (V10, "filter"),
    (V97, "filter97"),
    (Server("v9.7", "little"), "lsn8"),
    (V7, "lsn6"),
    (V10, "bare"),
)


def streams() -> Iterator[BadCase]:
    """Logs that end where they should not, and lengths of records that lie."""
    for server, framing in FORMS:
        log = log_of(server, framing)
        data, records = log.bytes(), log.records
        spec = "db2_log" if framing == "bare" else "db2_prefix"
        named: dict[str, Any] = {"options": luw.options_of(server, framing), "spec": spec}
        form = f"{luw.word(server)}_{framing}"
        last, before = records[2], records[1]
        width = last.offset - before.offset - before.length
        ends = "the file ends inside the record"

        for name, end in (("body", last.offset + last.length - 3), ("header", last.offset + 10)):
            says = f"{ends}: expected {last.length} bytes, found {end - last.offset}"
            fault = error("LMP-F006", says, record=2, record_offset=last.offset)
            title = f"The file ends inside the {name} of a record"
            yield bad(f"{form}_cut_in_{name}", title, data[:end], fault, 2, **named)
        start = last.offset - width
        for name, end in (("prefix", last.offset - 2), ("length", last.offset + 2)):
            if end > start:
                says = f"{ends}: expected {width + 4} bytes, found {end - start}"
                fault = error("LMP-F006", says, record=2, record_offset=start)
                title = f"The file ends inside the {name} of a record"
                yield bad(f"{form}_cut_in_{name}", title, data[:end], fault, 2, **named)
        behind = {"record": 3, "record_offset": len(data)}
        fault = error("LMP-F007", "2 bytes behind the last record are not a record: found X'0D0A'", **behind)
        title = "Whole records, then a line end that a transfer added"
        yield bad(f"{form}_line_end", title, data + b"\r\n", fault, 3, exit=31, **named)
        if framing != "bare":
            continue
        says = "60 bytes behind the last record are not a record: expected at least 20, found 0"
        fault = error("LMP-F007", says, **behind, field="length", field_offset=0)
        yield bad(f"{form}_zeros", "Whole records, then zeros", data + bytes(60), fault, 3, exit=31, **named)
        says = f"{ends}: expected {0xFFFFFFFF} bytes, found 60"
        title = "Whole records, then bytes that would be a length of 4 GiB"
        yield bad(f"{form}_ones", title, data + b"\xff" * 60, error("LMP-F006", says, **behind), 3, **named)
        yield from lengths(log, form, named)


def lengths(log: luw_changes.Log, form: str, named: dict[str, Any]) -> Iterator[BadCase]:
    """The length in a header that is 0, too long, too short, and shorter than any header."""
    data, one = log.bytes(), log.records[1]

    def changed(length: int) -> bytes:
        return data[: one.offset] + log.server.u32(length) + data[one.offset + 4 :]

    place = {"record": 1, "record_offset": one.offset}
    for length in (0, 19):
        left = len(data) - one.offset
        says = f"{left} bytes behind the last record are not a record: expected at least 20, found {length}"
        fault = error("LMP-F007", says, **place, field="length", field_offset=0)
        title = f"A record's length is {length}"
        yield bad(f"{form}_length_{length}", title, changed(length), fault, 1, exit=31, **named)
    fault = error("LMP-R003", f"5 {OVER}", **place, field="surplus", field_offset=one.length)
    title = "A record's length is too long: it takes bytes of the next, and no record begins behind it"
    yield bad(f"{form}_length_long", title, changed(one.length + 5), fault, 1, more_errors=1, **named)
    row_at = HEADER[log.server.generation] + 20
    says = f"{ENDS}: found {one.length - row_at - 5}"
    fault = error("LMP-R001", says, **place, field="record", field_offset=row_at)
    title = "A record's length is too short: no record begins behind it"
    yield bad(f"{form}_length_short", title, changed(one.length - 5), fault, 1, more_errors=1, **named)
    fault = error("LMP-R001", f"{ENDS}: expected 8 bytes, found 5", **place, field="lfs", field_offset=16)
    title = "A record's length is less than that of its header"
    yield bad(f"{form}_length_21", title, changed(21), fault, 1, more_errors=1, **named)


def options() -> Iterator[BadCase]:
    """A wrong generation, byte order or framing."""
    ends = "the file ends inside the record"
    for server, framing in FORMS:
        log = log_of(server, framing)
        data, first = log.bytes(), log.records[0]
        form = f"{luw.word(server)}_{framing}"
        named = luw.options_of(server, framing)
        other = "big" if server.byte_order == "little" else "little"
        swapped = int.from_bytes(server.u32(first.length), other)
        says = f"{ends}: expected {swapped} bytes, found {len(data) - first.offset}"
        fault = error("LMP-F006", says, record=0, record_offset=first.offset)
        named |= {"byte_order": other}
        yield bad(f"{form}_wrong_byte_order", "The other byte order was named", data, fault, 0, options=named)
    log = log_of(V10, "filter")
    at_length = {"record": 0, "record_offset": 0, "field": "length", "field_offset": 0}
    fault = error("LMP-F005", "expected at least 20, found 1", **at_length)
    title = "Framing bare was named, the file has prefixes"
    yield bad("wrong_framing", title, log.bytes(), fault, 0, options=luw.options_of(V10, "bare"))
    log = log_of(V10, "bare")
    # Behind a prefix of 8 bytes that is not there stands the LSN, 0x41AE0.
    fault = error("LMP-F006", f"{ends}: expected {0x41AE0} bytes", record=0, record_offset=8)
    title = "Framing lsn8 was named, the file has no prefixes"
    yield bad("wrong_framing_lsn8", title, log.bytes(), fault, 0, options=luw.options_of(V10, "lsn8"))
    yield from wrong_generations()


def wrong_generations() -> Iterator[BadCase]:
    """A generation of the log record header that is not that of the log; the other one is told."""
    for server, framing, name, command in (
        (Server("v9.7", "big"), "filter97", "wrong_generation_v10", "changes"),
        (Server("v7", "little"), "lsn6", "wrong_generation_v7_log", "records"),
    ):
        found = f"records that look like generation {server.generation}"
        fault = error("LMP-F005", f"{NOT_OF} v10: expected generation v10, found {found}")
        title = f"Generation v10 was named, the log is one of {server.generation}, and all of its records show it"
        named = luw.options_of(server, framing) | {"generation": "v10"}
        yield bad(name, title, log_of(server, framing).bytes(), fault, 0, command=command, options=named)


NOT_OF = "the records are not of generation"


def no_logs() -> Iterator[BadCase]:
    """Files that are no log records."""
    fault = error("LMP-F002", "is empty, so nothing proves what it is")
    yield bad("empty", "A file of no bytes: nothing proves what it is", b"", fault, 0)
    yield bad("empty_changes", "The same, read as changes", b"", fault, 0, command="changes")
    text = b"This file was never a log.\n" * 20
    yield bad("text", "A text file", text, error("LMP-F003", "is of another kind: a text file", record_offset=0), 0)
    fault = error("LMP-F003", "no framing gives Db2 LUW log records", record_offset=0)
    yield bad("noise", "Bytes that are no record in any framing", bytes(range(256)) * 4, fault, 0)
    length = int.from_bytes(text[:4], "little")
    says = f"the file ends inside the record: expected {length} bytes, found {len(text)}"
    fault = error("LMP-F006", says, record=0, record_offset=0)
    yield bad("text_named", "A text file, everything named", text, fault, 0, options=luw.options_of(V10, "bare"))
    zos = zos_framing.framed("rdw", good_records()).data
    fault = error("LMP-F003", "is of another kind: BMC AMI Log Master for Db2: logical logs", record_offset=0)
    yield bad("zos", "A logical log of z/OS", zos, fault, 0, command="changes")


# -- values -------------------------------------------------------------------------------------

ITEM = Table(
    2,
    9,
    "ITEM",
    (
        Column("ID", "INTEGER", nullable=False),
        Column("PRICE", "DECIMAL(7,2)"),
        Column("AT", "DATE"),
        Column("BEGINS", "TIME"),
        Column("SINCE", "TIMESTAMP(6)"),
        Column("NAME", "VARCHAR(9)"),
        Column("LABEL", "CHAR(4)"),
        Column("WIDE", "GRAPHIC(2)"),
        Column("IS_NEW", "BOOLEAN"),
    ),
)
ROW: Row = {
    **{"ID": 1, "PRICE": "1.50", "AT": "2026-03-14", "BEGINS": "10:11:12", "SINCE": "2026-03-14T10:11:12.000123"},
    **{"NAME": "Größe", "LABEL": "ab", "WIDE": "ab", "IS_NEW": True},
}


def place_of(name: str) -> int:
    """Offset of a column in the row image, behind its headers."""
    at = 8
    for column in ITEM.columns:
        if column.name == name:
            return at
        at += column.fixed_bytes + column.nullable
    raise ValueError(name)


FIXED = sum(column.fixed_bytes + column.nullable for column in ITEM.columns)


def values() -> Iterator[BadCase]:
    """Rows whose bytes are no values of their columns, and rows that do not hold together."""
    for server in (V7, V97, V10):
        yield from column_values(server)
        yield from images(server)
        yield from compressed(server)


def row_case(
    server: Server,
    name: str,
    title: str,
    code: str,
    field: str,
    at: int | None,
    message: str,
    edit: Mapping[int, bytes],
    *,
    kept: bool = False,
    table: Table = ITEM,
) -> BadCase:
    """Three inserts, the row of the second with other bytes at some offsets of its image."""
    log = luw_changes.Log(server.generation, server.byte_order, luw.framing_of(server))
    unit = log.begin("ALICE")
    for number in (1, 2, 3):
        unit.insert(table, {column.name: ROW[column.name] for column in table.columns} | {"ID": number})
    unit.commit()
    data, one = bytearray(log.bytes()), log.records[1]
    start = one.offset + HEADER[server.generation] + (18 if server.is_v7 else 20)
    for offset, new in edit.items():
        assert data[start + offset : start + offset + len(new)] != new
        data[start + offset : start + offset + len(new)] = new
    fault = error(code, message, record=1, record_offset=one.offset, field=field, field_offset=at)
    name, title = f"{luw.word(server)}_{name}", f"{title}, {luw.told(server)}"
    known: Row = {"options": luw.options_of(server), "tables": luw_changes.tables_file(table)}
    known |= {"spec": "db2_row", "command": "changes", "doc_ref": luw.DATA_MANAGER}
    return bad(name, title, bytes(data), fault, 2 + kept, **known)


def column_values(server: Server) -> Iterator[BadCase]:
    """A column whose bytes are no value of its type: it is null, and the row is kept."""
    listed = {
        "decimal_letters": ("PRICE", b"\xc1\xc2", "LMP-V002", "expected packed decimal", 0),
        "decimal_sign": ("PRICE", b"\x53", "LMP-V002", "sign 0x3", 3),
        "date_month": ("AT", b"\x20\x26\x99\x14", "LMP-V006", "2026-99-14", 0),
        "date_letter": ("AT", b"\x2a", "LMP-V006", "", 0),
        "date_zero": ("AT", bytes(4), "LMP-V006", "0000-00-00", 0),
        "time_hour": ("BEGINS", b"\x25", "LMP-V006", "25", 0),
        "timestamp_day": ("SINCE", b"\x32", "LMP-V006", "32", 3),
        "char_not_utf8": ("LABEL", b"\xff", "LMP-V007", "expected text in utf-8, found X'FF' at byte 1", 1),
        "graphic_not_utf16": ("WIDE", b"\xd8\x00", "LMP-V007", "expected text in utf-16-be", 0),
        "boolean_two": ("IS_NEW", b"\x02", "LMP-V001", "expected X'00' or X'01', found X'02'", 0),
    }
    for name, (column, new, code, message, offset) in listed.items():
        if name != "boolean_two" or server.generation == "v10":
            at = place_of(column)
            title = f"{column} holds no such value: it is null, and the row is kept"
            yield row_case(server, name, title, code, f"after.{column}", at, message, {at + offset: new}, kept=True)


def images(server: Server) -> Iterator[BadCase]:
    """Rows that cannot be read: null bytes, places of values, lengths."""
    u16 = server.u16
    null = place_of("PRICE") + 4  # behind its packed digits
    title = "A null byte that is neither 0 nor 1"
    field, edit = "after.PRICE.null_byte", {null: b"\x02"}
    yield row_case(server, "null_byte", title, "LMP-V001", field, null, "found 2", edit)
    name, size = place_of("NAME"), 8 + FIXED + len("Größe".encode())
    length = size - 8 - FIXED
    within = f"expected within {FIXED} to {FIXED + length}"
    title = "The place of a varying value leads out of the variable-length section"
    for word, edit, found in (
        ("slot_behind", {name: u16(FIXED + 5)}, f"found {length} bytes at {FIXED + 5}"),
        ("slot_before", {name: u16(FIXED - 1)}, f"found {length} bytes at {FIXED - 1}"),
        ("slot_long", {name + 2: u16(length + 1)}, f"found {length + 1} bytes at {FIXED}"),
    ):
        yield row_case(server, word, title, "LMP-R002", "after.NAME", name, f"{within}, {found}", edit)
    title = "A row's own length is not that of the record around it"
    says, edit = f"expected {size}, found {size + 1}", {2: u16(size + 1)}
    yield row_case(server, "own_length", title, "LMP-V009", "after.record_length", 2, says, edit)
    title = "The length of the fixed-length section ends inside a column"
    yield row_case(server, "fixed_length_short", title, "LMP-R001", "after.AT", 17, ENDS, {6: u16(11)})
    title = "The fixed-length section is longer than the row"
    says, section = f"{ENDS}: found {FIXED + length}", "after.fixed_section"
    yield row_case(server, "fixed_length_long", title, "LMP-R001", section, 8, says, {6: u16(500)})
    title = "The fixed-length section is longer than the columns of the table: it is of another table"
    field, edit = f"{section}.surplus", {6: u16(FIXED + 1)}
    yield row_case(server, "fixed_surplus", title, "LMP-R003", field, 8 + FIXED, f"1 {OVER}", edit)


def compressed(server: Server) -> Iterator[BadCase]:
    """Rows with VALUE COMPRESSION whose offsets lead astray."""
    table = replace(ITEM, columns=ITEM.columns[:-1], value_compression=True)
    u16, count = server.u16, len(ITEM.columns) - 1
    base = 2 * (count + 1)
    edits = {
        "offsets_base": {8: u16(base + 1)},
        "offsets_order": {8 + 2: u16(base + 9), 8 + 4: u16(base + 5)},
        "offsets_end": {8 + 2 * count: u16(999)},
    }
    title, field, says = (
        "Offsets of values lead out of the record", "after.value_offsets", "value offsets lead out of the record"
    )  # fmt: skip
    for name, edit in edits.items():
        yield row_case(server, name, title, "LMP-R002", field, None, says, edit, table=table)
    # The whole row begins with 4 bytes of ID; the first byte of PRICE stands behind them.
    price = 8 + base + 4
    edit = {8 + 2: u16(0x8000 | base + 4), 8 + 4: u16(base + 5), price: b"\x07"}
    title, says = "An attribute byte that is neither null nor a default", "expected X'01' (null) or X'80'"
    yield row_case(server, "attribute", title, "LMP-V001", "after.PRICE", price, says, edit, table=table)


# -- tables files ---------------------------------------------------------------------------------

GOOD_COLUMNS = [
    {"name": "ID", "type": "INTEGER", "nullable": False},
    {"name": "PRICE", "type": "DECIMAL(7,2)"},
    {"name": "AT", "type": "DATE"},
]
GOOD_TABLE = {"tablespace_id": 2, "table_id": 9, "schema": "PROD", "name": "ITEM", "columns": GOOD_COLUMNS}
SMALL = replace(ITEM, columns=ITEM.columns[:3])
BARE: dict[str, Any] = {"command": "changes", "options": luw.options_of(V10, "bare")}
"""How its log is read."""


def small_log(*, described: bool) -> luw_changes.Log:
    """One row of a small table."""
    log = luw_changes.Log("v10", "little", "bare")
    unit = log.begin("ALICE")
    if described:
        unit.initialize(SMALL)
    unit.insert(SMALL, {name: ROW[name] for name in ("ID", "PRICE", "AT")})
    unit.commit()
    return log


def tables_files() -> Iterator[BadCase]:
    """LMP-C009: a tables file that cannot be used."""

    def column(number: int = 0, **keys: Any) -> bytes:
        columns = [entry | (keys if at == number else {}) for at, entry in enumerate(GOOD_COLUMNS)]
        return to_yaml({"tables": [GOOD_TABLE | {"columns": columns}]})

    def table(**keys: Any) -> bytes:
        return to_yaml({"tables": [GOOD_TABLE | keys]})

    first, of_column = "tables[0]", "tables[0].columns[0]"
    whole = "expected a number from 0 to 65535, found"
    listed: dict[str, tuple[bytes, str | None, str]] = {
        "no_yaml": (b"tables: [", None, "is not usable YAML"),
        "not_utf8": (b"tables: \xff\n", None, "is not usable YAML"),
        "empty": (b"", "tables", "expected a list of tables under the key tables, found None"),
        "list": (b"- a\n", "tables", "expected a list of tables under the key tables"),
        "number": (b"tables: 3\n", "tables", "expected a list of tables under the key tables"),
        "no_mapping": (b"tables: [3]\n", first, "expected a mapping of keys, found 3"),
        "unknown_key": (table(table=1), f"{first}.table", "expected one of tablespace_id, table_id"),
        "id_text": (table(table_id="9"), f"{first}.table_id", f"{whole} 9"),
        "id_bool": (table(table_id=True), f"{first}.table_id", f"{whole} True"),
        "id_large": (table(tablespace_id=65536), f"{first}.tablespace_id", f"{whole} 65536"),
        "id_negative": (table(tablespace_id=-1), f"{first}.tablespace_id", f"{whole} -1"),
        "no_schema": (table(schema=None), f"{first}.schema", "expected a text, found None"),
        "empty_name": (table(name=""), f"{first}.name", "expected a text"),
        "no_columns": (table(columns=[]), f"{first}.columns", "expected a list of columns, found []"),
        "twice": (to_yaml({"tables": [GOOD_TABLE, GOOD_TABLE]}), "tables[1]", "expected every table once, found 2.9"),
        "column_text": (table(columns=["ID"]), of_column, "expected a mapping of keys, found ID"),
        "column_key": (column(length=4), f"{of_column}.length", "expected one of name, type, nullable, found length"),
        "column_twice": (column(1, name="ID"), f"{first}.columns[1].name", "expected every column once, found ID"),
        "nullable_text": (column(nullable="N"), f"{of_column}.nullable", "expected true or false, found N"),
        "type_words": (column(type="CHAR 6"), f"{of_column}.type", "'CHAR 6' is not an SQL type"),
        "type_needs_length": (column(type="VARCHAR"), f"{of_column}.type", "VARCHAR needs a length"),
        "type_precision": (column(type="DECIMAL(40,2)"), f"{of_column}.type", "precision is 1 to 31"),
        "type_length": (column(type="INTEGER(4)"), f"{of_column}.type", "INTEGER takes no length"),
    }
    data, title = small_log(described=False).bytes(), "A tables file that cannot be used"
    for name, (content, field, message) in listed.items():
        fault = error("LMP-C009", message, field=field)
        yield bad(f"tables_{name}", title, data, fault, 0, **BARE, tables=content)


def contradictions() -> Iterator[BadCase]:
    """LMP-C010: a tables file that contradicts the log."""
    data, title = small_log(described=True).bytes(), "A tables file of another log"
    for name, changes, found in (
        ("type", {"type": "DECIMAL(9,2)"}, "column PRICE of PROD.ITEM (2.9) is DECIMAL(9,2) at 4"),
        ("nullable", {"nullable": False}, "column PRICE of PROD.ITEM (2.9) is DECIMAL(7,2) NOT NULL at 4"),
    ):
        columns = [entry | (changes if at == 1 else {}) for at, entry in enumerate(GOOD_COLUMNS)]
        content = to_yaml({"tables": [GOOD_TABLE | {"columns": columns}]})
        fault = error("LMP-C010", f"the tables file is not of this log: found {found}", record=0, record_offset=0)
        yield bad(f"tables_other_{name}", title, data, fault, 0, **BARE, more_errors=1, tables=content)
    yield from other_causes()


def other_causes() -> Iterator[BadCase]:
    """LMP-R006 to LMP-R008: columns that overlap, rows that are compressed still, compensations of something else."""
    log = small_log(described=True)
    data, first = bytearray(log.bytes()), log.records[0]
    # The offset of the second column: description at 92, array behind four bytes, second element, last two bytes.
    place = first.offset + HEADER["v10"] + 92 + 4 + 8 + 6
    data[place : place + 2] = V10.u16(3)
    says, field = "column descriptors are not packed: expected 4, found 3", "table_description.columns[1].field_offset"
    fault = error("LMP-R006", says, record=0, record_offset=0, field=field)
    yield bad("columns_overlap", "Columns that overlap", bytes(data), fault, 2, spec="db2_dms", **BARE)
    log, prefixed = log_of(V97, "bare"), {"spec": "db2_prefix", "command": "changes"}
    raw = log.bytes()
    items = [
        Framed(raw[one.offset : one.offset + one.length], one.lsn, sqlcode=-2032 * (number == 1))
        for number, one in enumerate(log.records)
    ]
    at = 16 * 2 + log.records[0].length
    fault = error("LMP-R007", "expected 0, found -2032", record=1, record_offset=at, field="sqlcode")
    data, named = framed("filter97", "big", items), luw.options_of(V97, "filter97")
    tables, title = luw_changes.tables_file(EMPLOYEES), "A row that the API could not expand"
    yield bad("still_compressed", title, data, fault, 1, **prefixed, options=named, tables=tables)
    log = luw_changes.Log("v9.7", "little", "lsn8")
    unit = log.begin("ALICE")
    unit.initialize(EMPLOYEES)
    mark = unit.mark()
    unit.insert(EMPLOYEES, luw_changes.employee(1))
    unit.rollback_to(mark)
    unit.commit()
    data, undo = bytearray(log.bytes()), log.records[2]
    data[undo.offset + 32 : undo.offset + 40] = log.records[0].lsn.to_bytes(8, "little")
    says, place = "found db2_dms.initialize_table in record 0", {"record": 2, "record_offset": undo.offset}
    fault = error("LMP-R008", says, **place, field="compensated_lsn")
    named, title = (
        luw.options_of(Server("v9.7", "little"), "lsn8"),
        "A compensation that names a record of another kind",
    )
    yield bad("compensates_other", title, bytes(data), fault, 1, command="changes", options=named)
    for server in (V10, Server("v10", "big")):
        log = log_of(server, "lsn8")
        data, one = bytearray(log.bytes()), log.records[1]
        stated = int.from_bytes(data[one.offset - 8 : one.offset], server.byte_order)
        data[one.offset + 8 : one.offset + 16] = server.u64(stated + 1)
        says = f"expected {stated:016X}, found {stated + 1:016X}"
        fault = error("LMP-R002", says, record=1, record_offset=one.offset, field="lsn")
        name, title = f"{luw.word(server)}_two_lsns", "The API and the record name two LSNs"
        named = luw.options_of(server, "lsn8")
        yield bad(name, title, bytes(data), fault, 1, **prefixed, options=named, tables=tables)
    yield from short_headers()


def short_headers() -> Iterator[BadCase]:
    """Records that are shorter than the header that their type makes."""
    title = "A compensation without what it compensates"
    for server, length, field, width in (
        (V7, 20, "before_compensated_lsn", 6),
        (V97, 24, "before_compensated_lsn", 8),
        (V10, 40, "before_compensated_log_stream_id", 2),
    ):
        whole = record(server, Header(0x43, bytes(6), lsn=7))
        data = server.u32(length) + whole[4:length]
        place = {"record": 0, "record_offset": 0, "field": field, "field_offset": length}
        fault = error("LMP-R001", f"{ENDS}: expected {width} bytes, found 0", **place)
        name = f"{luw.word(server)}_compensation_cut"
        yield bad(name, title, data, fault, 0, options=luw.options_of(server, "bare"))
    # Small shared formats.
    title = "A record header that gives another length than the record has"
    for order in ("little", "big"):
        data = page_record(Server("v10", order), FORMATTED, 0, b"")[:6]  # type: ignore[arg-type]
        place = {"record": 0, "record_offset": 0, "field": "record_length", "field_offset": 2}
        fault = error("LMP-V009", "expected 6, found 8", **place)
        named = {"spec": "db2_row_header", "framing": "fixed", "record_length": 6, "byte_order": order}
        yield bad(f"length_{order}", title, data, fault, 0, spec="db2_row_header", options=named)
