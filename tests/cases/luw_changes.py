"""Cases of changes in Db2 LUW logs: rows of every column type and form, transactions, values out of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from cases.case import Case, Row, to_yaml
from cases.luw import DATA_MANAGER, DOCUMENTS, HEADERS, LOB_MANAGER, SAMPLE, SERVERS, framing_of, options_of, told, word
from writers.db2 import dms, dom, lob
from writers.db2.columns import Column
from writers.db2.framing import Framing
from writers.db2.header import PROPAGATABLE
from writers.db2.rows import OffsetBase
from writers.db2.stream import Stream, Transaction
from writers.db2.tables import Change, Table
from writers.db2.values import External, OutOfRow, SystemDefault
from writers.db2.wire import BYTE_ORDERS, Server

COMPRESSION = "Applications of version 10.1 and later; IBM Db2, VALUE COMPRESSION"
PREFIXES = ("IBM/db2-samples, c/dblognoconnlogmerge.c", 'IBM Db2 11.5, "db2ReadLog - Read log records"')
NOT_IN_THE_LOG = "the value is not in the log"
NOT_BEFORE = "the value before is not logged"
LONG_FIELD = "long field data is logged without its row and column"
STORED_OUT = "the value is stored out of the row and not in the log"
ADDED_LATER = "the row was stored before the column was added; its default is not in the log"


def cases() -> Iterator[Case]:
    """All of them."""
    for server in SERVERS:
        yield of_types(server)
        yield described(server)
        for base in ("array", "data"):
            yield compressed(server, base)
        yield shorter(server)
        if not server.is_v7:
            yield inline_lobs(server)
            yield moved(server)
        yield values_outside(server)
        yield transactions(server)
        yield objects(server)
    for server in SERVERS[-2:]:
        yield documents(server)
        for base in ("array", "data"):
            yield out_of_row(server, base)
    yield names_of_both(Server("v10", "little"))
    yield unknown_types(Server("v10", "little"))
    yield from prefixes()


# -- a log, and what its changes must be read as --------------------------------------------


@dataclass(frozen=True)
class Written:
    """What a record says of its place in the log."""

    tid: bytes
    lfs: int


class Log(Stream):
    """A log that also knows how each record is to be named."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.written: list[Written] = []

    def write(self, kind: str, type_name: str, body: bytes = b"", **header: Any) -> int:
        self.written.append(Written(header.get("tid", b""), self._lfs))
        return super().write(kind, type_name, body, **header)

    def position(self, number: int) -> int:
        """Log sequence number of a record; its offset in the file where nothing names one."""
        is_unnamed = self.server.generation != "v10" and self.framing == "bare"
        return self.records[number].offset if is_unnamed else self.records[number].lsn

    def rows(self, details: Sequence[Any], table: Table | None = None, *, renamed: bool = False) -> list[Row]:
        """The changes in the order of the file.

        Args:
            details: of each change in this order.
            table: the one that a tables file names, if any.
            renamed: columns are C1, C2, … as nothing names them.
        """
        found: list[tuple[int, int, dict[str, Any]]] = []
        for tid in {change["tid"] for change in self.expected()}:
            changes = [change for change in self.expected() if change["tid"] == tid]
            found += self._of_unit(bytes.fromhex(tid), changes)
        found.sort(key=lambda item: item[:2])
        pairs = zip(found, details, strict=True)
        return [self._row(*item, detail, table, renamed) for item, detail in pairs]

    def _of_unit(self, tid: bytes, changes: list[dict[str, Any]]) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """The changes of a transaction with record and row in the record; what was taken back is left out."""
        steps: list[int] = []
        for number, (record, written) in enumerate(zip(self.records, self.written, strict=True)):
            if written.tid != tid:
                continue
            if record.kind.startswith("undo_"):
                steps.pop()
            elif record.kind in STEPS:
                steps.append(number)
        steps = [number for number in steps if self.records[number].kind != "out_of_row_start"]
        several = len(changes) - len(steps) + 1
        waiting = iter(changes)
        for number in steps:
            count = several if self.records[number].kind == "insert_multiple" else 1
            for row in range(count):
                yield number, row, next(waiting)

    def _row(
        self, number: int, row: int, change: dict[str, Any], detail: Any, table: Table | None, renamed: bool
    ) -> Row:
        tid = bytes.fromhex(change["tid"])
        own = [index for index, written in enumerate(self.written) if written.tid == tid]
        record, is_v10 = self.records[number], self.server.generation == "v10"
        stream = self.stream_id if is_v10 else 0
        end, start = (
            f"{self.written[index].lfs if is_v10 else 0:016X}{self.position(index):016X}" for index in (own[-1], number)
        )
        place = {"record_index": number, "record_offset": record.offset, "record_length": record.length}
        images = [change[role] for role in ("before", "after")]
        if renamed:
            images = [number_columns(image) for image in images]
        ids = f"{change['tablespace_id']}.{change['table_id']}"
        names = {"schema_name": "", "table_name": ids, "table_name_short": True}
        if table is not None:
            names = {"schema_name": table.schema, "table_name": table.name}
        return {
            "op": change["op"],
            "seq": f"{end}{start}{stream:04X}{row:04X}",
            "txn_id": f"{change['tid']}{self.position(own[0]):016X}",
            "commit_ts": change["commit_ts"] and f"{change['commit_ts']}.000000",
            "ts": None,
            **names,
            **{"before": images[0], "after": images[1], "sql_type": None, "sql_src_type": None},
            **{"log_rec_disp": "C", "uor_disp": "C", "auth_id": change["auth_id"], "plan": None},
            **{"correlation_id": None, "detail": detail, "_metadata": {**place, "spec": "db2_log"}},
        }


STEPS = (
    *("insert", "insert_to_empty_page", "insert_multiple", "update", "delete", "delete_to_empty_page", "truncate"),
    *("create_table", "initialize_table", "drop_table", "alter_table_attribute", "add_columns", "statement"),
    *("out_of_row_start", "create_index", "drop_index", "reorg_table", "load_start"),
)
"""Kinds of the encoder that a rollback comes upon."""


def number_columns(image: Mapping[str, Any] | None) -> Row | None:
    """Columns under the names that they have where nothing names them."""
    return None if image is None else {f"C{number}": value for number, value in enumerate(image.values(), 1)}


def absent(table: Table, before: Row | None, after: Row | None, lobs: Any = (), *, renamed: bool = False) -> Any:
    """The detail that says which values are not in the log."""
    reasons: dict[str, str] = {}
    for role, row in (("before", before), ("after", after)):
        for number, column in enumerate(table.columns, 1):
            value = None if row is None or column.name in lobs else row.get(column.name)
            if isinstance(value, External | OutOfRow):
                name = f"C{number}" if renamed else column.name
                outside = STORED_OUT if isinstance(value, OutOfRow) else NOT_IN_THE_LOG
                is_long = column.word == "LONG VARCHAR"
                reasons[f"{role}.{name}"] = LONG_FIELD if is_long else NOT_BEFORE if role == "before" else outside
    return {"absent": reasons} if reasons else None


def tables_file(*tables: Table) -> bytes:
    """The file of the option `tables`."""
    entries = [
        {
            **{"tablespace_id": table.tablespace_id, "table_id": table.table_id},
            **{"schema": table.schema, "name": table.name},
            "columns": [
                {"name": column.name, "type": column.type, "nullable": column.nullable} for column in table.columns
            ],
        }
        for table in tables
    ]
    return to_yaml({"tables": entries})


def case(
    folder: str,
    name: str,
    title: str,
    doc_ref: str | tuple[str, ...],
    log: Log,
    details: Sequence[Any],
    table: Table | None = None,
    *,
    renamed: bool = False,
    **options: Any,
) -> Case:
    """A case of changes; `table` is the one that a tables file describes."""
    found = log.rows(details, table, renamed=renamed)
    given = options_of(log.server, log.framing) | options
    tables = None if table is None else tables_file(table)
    return Case(folder, name, title, doc_ref, log.bytes(), found, "changes", given, tables=tables)


# -- rows of every column type ----------------------------------------------------------------

DATE, TIME, STAMP = "2026-03-14", "10:11:12", "2026-03-14T10:11:12"
TYPES: tuple[tuple[str, Any, Any], ...] = (
    ("SMALLINT", 0x0102, -32768),
    ("INTEGER", 0x01020304, -(1 << 31)),
    ("BIGINT", 0x0102030405060708, -(1 << 63)),
    ("REAL", 1.5, -0.25),
    ("DOUBLE", 3.141592653589793, -1e300),
    ("DECIMAL(9,2)", Decimal("1234567.89"), Decimal("-0.01")),
    ("DECIMAL(4,0)", Decimal(0), Decimal(-9999)),
    ("DECIMAL(31,31)", Decimal("0.1234567890123456789012345678901"), Decimal(0)),
    ("DECFLOAT(16)", Decimal("1234567890.123456"), Decimal("-1E-300")),
    ("DECFLOAT(34)", Decimal("1234567890123456789012345678901234"), Decimal("-Infinity")),
    ("CHAR(6)", "Größ", ""),
    ("CHAR(4) FOR BIT DATA", b"\x00\xff\x80\x01", b"ab"),
    ("GRAPHIC(4)", "日本", "Größ"),
    ("DATE", DATE, "0001-01-01"),
    ("TIME", TIME, "23:59:59"),
    ("TIMESTAMP(6)", f"{STAMP}.000123", "9999-12-31T23:59:59.999999"),
    ("VARCHAR(20)", "Größe 日本", ""),
    ("VARCHAR(6) FOR BIT DATA", b"\x00\xff", b"abcdef"),
    ("VARGRAPHIC(8)", "日本", ""),
    ("LONG VARCHAR", External(), External()),
    ("XML", External(), External()),
)
LATER_TYPES = (("TIMESTAMP(0)", STAMP, STAMP), ("TIMESTAMP(12)", f"{STAMP}.000000000001", f"{STAMP}.5"))
LATEST_TYPES = (
    ("BOOLEAN", True, False),
    ("BINARY(4)", b"\x00\xff\x80\x01", b"ab"),
    ("VARBINARY(6)", b"\x00\xff", b""),
)
LOB_TYPES = (("CLOB(5K)", "Größe", ""), ("BLOB(5K)", b"\x00\xff", b""), ("DBCLOB(5K)", "日本", ""))


def types_of(server: Server) -> list[tuple[str, Any, Any]]:
    """Types that a generation has, each with two values; LOB values stand in the row from 9.7 on."""
    lobs = [(type_, External(), External()) if server.is_v7 else (type_, *rest) for type_, *rest in LOB_TYPES]
    types = [*TYPES, *lobs]
    if not server.is_v7:
        types += LATER_TYPES
    return [*types, *LATEST_TYPES] if server.generation == "v10" else types


def table_of(types: Sequence[tuple[str, Any, Any]], *, nullable: bool, **form: Any) -> Table:
    """A table of a column of each type."""
    made = [Column(f"COL{number}", type_, nullable) for number, (type_, *_) in enumerate(types, 1)]
    return Table(0x0102, 0x0304, "EVERY_TYPE", tuple(made), **form)


def rows_of(table: Table, types: Sequence[tuple[str, Any, Any]]) -> list[Row]:
    """A row of the first value of each column, a row of the second, a row of nulls, and each null in turn with them."""
    names = [column.name for column in table.columns]
    first, second = ({name: entry[at] for name, entry in zip(names, types, strict=True)} for at in (1, 2))
    if not all(column.nullable for column in table.columns):
        return [first, second]
    mixed = {name: first[name] if number % 2 else None for number, name in enumerate(names)}
    other = {name: None if number % 2 else second[name] for number, name in enumerate(names)}
    return [first, second, dict.fromkeys(names), mixed, other]


def insert_all(unit: Transaction, table: Table, rows: Sequence[Row], *, renamed: bool = False) -> list[Any]:
    """Insert rows, update the first by the last, and delete the second; gives the details."""
    details = []
    for row in rows:
        unit.insert(table, row)
        details.append(absent(table, None, row, renamed=renamed))
    unit.update(table, rows[0], rows[-1])
    details.append(absent(table, rows[0], rows[-1], renamed=renamed))
    unit.delete(table, rows[1])
    details.append(absent(table, rows[1], None, renamed=renamed))
    return details


def of_types(server: Server) -> Case:
    """Every type, null and not null, described by a tables file alone."""
    types = types_of(server)
    table = table_of(types, nullable=True)
    log = Log(server.generation, server.byte_order, framing_of(server), stream_id=3)
    unit = log.begin()
    details = insert_all(unit, table, rows_of(table, types))
    unit.commit()
    title = f"Every column type, null and not null, named by a tables file, {told(server)}"
    return case("db2_row", f"{word(server)}_types", title, DATA_MANAGER, log, details, table)


def described(server: Server) -> Case:
    """Every type but those of bit data, NOT NULL, described by the log alone."""
    types = [entry for entry in types_of(server) if "BIT DATA" not in entry[0]]
    table = table_of(types, nullable=False)
    log = Log(server.generation, server.byte_order, framing_of(server))
    unit = log.begin()
    unit.initialize(table)
    details = [initialized(table), *insert_all(unit, table, rows_of(table, types), renamed=True)]
    unit.commit()
    title = f"Every column type, NOT NULL, described by the log, {told(server)}"
    return case("db2_row", f"{word(server)}_described", title, DATA_MANAGER, log, details, renamed=True)


def shown_type(column: Column) -> str:
    """A type in SQL words, its length in full."""
    if column.word in ("CLOB", "BLOB", "DBCLOB"):
        return f"{column.word}({column.length})"
    return column.type


def shown_columns(table: Table, *, renamed: bool = True) -> list[Row]:
    """Columns as a change of the table names them."""
    return [
        {
            **{"name": f"C{number}" if renamed else column.name, "type": shown_type(column)},
            "nullable": column.nullable,
        }
        for number, column in enumerate(table.columns, 1)
    ]


def initialized(table: Table, *, renamed: bool = True) -> Row:
    """Detail of a table's beginning."""
    shown = {"columns": shown_columns(table, renamed=renamed)}
    return {"kind": "db2_dms.initialize_table", **shown, "index_root_page": 0}


def names_of_both(server: Server) -> Case:
    """The log describes the table, the tables file names it and knows which columns are bit data."""
    types = types_of(server)
    table = table_of(types, nullable=True)
    log = Log(server.generation, server.byte_order, "bare")
    unit = log.begin()
    unit.initialize(table)
    details = [initialized(table, renamed=False), *insert_all(unit, table, rows_of(table, types))]
    unit.commit()
    title = "Described by the log, named by a tables file that also knows bit data"
    return case("db2_row", f"{word(server)}_both", title, DATA_MANAGER, log, details, table)


def unknown_types(server: Server) -> Case:
    """Three tables in a tables file, two of them with a distinct type: one that the log describes, one that it does
    not."""
    item = Table(2, 9, "ITEM", (Column("ID", "INTEGER", nullable=False), Column("NAME", "VARCHAR(9)")))
    pay = Table(2, 10, "PAY", (*item.columns[:1], Column("AMOUNT", "DECIMAL(9,2)"), *item.columns[1:]))
    bonus = replace(pay, table_id=11, name="BONUS")
    log = Log(server.generation, server.byte_order, framing_of(server))
    unit = log.begin()
    unit.initialize(bonus)
    row = {"ID": 1, "AMOUNT": Decimal("1.50"), "NAME": "one"}
    unit.insert(item, {"ID": 1, "NAME": "one"})
    unit.insert(pay, row)
    unit.insert(bonus, row)
    unit.commit()
    details = [initialized(bonus, renamed=False), None, {"after_bytes": log.image(pay, row).hex().upper()}, None]
    title = "A tables file with a distinct type: names where the log describes the table, bytes where nothing does"
    made = case("db2_log", f"{word(server)}_unknown_type", title, DATA_MANAGER, log, details, item)
    bytes_ = {"schema_name": "", "table_name": "2.10", "table_name_short": True, "after": None}
    names = ({"table_name": "BONUS"}, {}, bytes_, {"table_name": "BONUS"})
    rows = [found | name for found, name in zip(made.rows, names, strict=True)]
    distinct = tables_file(item, pay, bonus).replace(b"DECIMAL(9,2)", b"EURO")
    return replace(made, rows=rows, tables=distinct)


HAVE_DEFAULTS = ("SMALLINT", "INTEGER", "BIGINT", "REAL", "DOUBLE", "DECIMAL", "CHAR", "GRAPHIC", "BINARY")
"""Types with a system default that the manual names."""


def compressed(server: Server, base: OffsetBase) -> Case:
    """Every type with VALUE COMPRESSION."""
    types = types_of(server)
    table = table_of(types, nullable=True, value_compression=True)
    log = Log(server.generation, server.byte_order, framing_of(server), offset_base=base)
    unit = log.begin()
    rows = rows_of(table, types)
    defaults = dict(rows[2])
    for column in table.columns:
        if column.word in HAVE_DEFAULTS and "BIT DATA" not in column.type:
            defaults[column.name] = SystemDefault()
    details = insert_all(unit, table, [*rows, defaults])
    unit.commit()
    title = f"VALUE COMPRESSION, offsets count from the {base}, {told(server)}"
    return case("db2_row", f"{word(server)}_compressed_from_{base}", title, COMPRESSION, log, details, table)


def inline_lobs(server: Server) -> Case:
    """LOB values that stand in the row, empty ones, and pointers."""
    types = LOB_TYPES
    table = table_of(types, nullable=True)
    names = [column.name for column in table.columns]
    log = Log(server.generation, server.byte_order, framing_of(server))
    unit = log.begin()
    unit.initialize(table)
    mixed = dict(zip(names, ("inline", External(), ""), strict=True))
    long = dict(zip(names, ("ü" * 30, bytes(range(256)), "日" * 40), strict=True))
    rows = [*rows_of(table, types), mixed, long, dict.fromkeys(names, External())]
    details = [initialized(table), *insert_all(unit, table, rows, renamed=True)]
    unit.commit()
    title = f"LOB values in the row, empty ones, and pointers to LOB data, {told(server)}"
    return case("db2_row", f"{word(server)}_inline_lobs", title, SAMPLE, log, details, renamed=True)


def shorter(server: Server) -> Case:
    """Rows that were stored before columns were added, in both forms."""
    old = Table(2, 9, "ITEM", (Column("ID", "INTEGER", nullable=False), Column("NAME", "VARCHAR(9)")))
    new = replace(old, columns=(*old.columns, Column("PRICE", "DECIMAL(7,2)"), Column("AT", "DATE")))
    log = Log(server.generation, server.byte_order, framing_of(server))
    unit = log.begin()
    unit.initialize(old)
    row = {"ID": 1, "NAME": "one"}
    unit.insert(old, row)
    unit.add_columns(old, *new.columns[2:])
    unit.insert(new, row | {"PRICE": Decimal("1.50"), "AT": DATE})
    unit.delete(old, row)
    short = replace(old, value_compression=True)
    unit.insert(short, row | {"NAME": None})
    unit.commit()
    added = {"kind": "db2_dms.add_columns", "columns": shown_columns(new)}
    reasons = [{"absent": {f"{role}.{name}": ADDED_LATER for name in ("C3", "C4")}} for role in ("before", "after")]
    details = [initialized(old), None, added, None, *reasons]
    title = f"Rows stored before columns were added, also with VALUE COMPRESSION, {told(server)}"
    made = case("db2_row", f"{word(server)}_shorter", title, DATA_MANAGER, log, details, renamed=True)
    for found in made.rows[-2:]:
        for role in ("before", "after"):
            if found[role] is not None:
                found[role] |= {"C3": None, "C4": None}
    return made


# -- what more than one record makes ----------------------------------------------------------


def moved(server: Server) -> Case:
    """An update that moved its row comes as a delete and an insert, both flagged."""
    table = Table(2, 9, "ITEM", (Column("ID", "INTEGER", nullable=False), Column("NAME", "VARCHAR(9)")))
    log = Log(server.generation, server.byte_order, framing_of(server))
    unit = log.begin()
    row, other = {"ID": 1, "NAME": "one"}, {"ID": 2, "NAME": "two"}
    unit.insert(table, row)
    unit.delete(table, row, flags=dms.DECOMPOSED_UPDATE)
    unit.insert(table, other, flags=dms.DECOMPOSED_UPDATE)
    unit.delete(table, other)
    unit.commit()
    made = case("db2_dms", f"{word(server)}_moved", f"An update that moved its row, {told(server)}",
                "IBM Db2, lrIUDflags of row records", log, [None, None, {"moved": True}, None], table)  # fmt: skip
    insert, delete, moved_to, last = made.rows
    update = moved_to | {"op": "U", "before": delete["before"]}
    return replace(made, rows=[insert, update, last])


def values_outside(server: Server) -> Case:
    """LOB values in records of their own; until 9.7 only where they can be told apart."""
    is_v10 = server.generation == "v10"
    clob, blob = Column("BODY", "CLOB(1M)"), Column("PHOTO", "BLOB(5K)")
    secret = Column("SECRET", "CLOB(1M)", logged=False)
    some = (Column("ID", "INTEGER", nullable=False), clob, *((blob, secret) if is_v10 else ()))
    table = Table(2, 9, "DOCUMENT", some)
    # Far more data than one record has, and small enough for a case: the second piece begins at 32768.
    form: Any = {"address_form": "u64" if server.byte_order == "big" else "double"}
    log = Log(server.generation, server.byte_order, framing_of(server), **form)
    details: list[Any] = []
    body = "Größe "
    for number, lobs in enumerate(({"BODY": body}, {"BODY": body * 2, "PHOTO": b"\x00\xff"}), 1):
        unit = log.begin()
        given = {name: value for name, value in lobs.items() if name in {column.name for column in some}}
        unit.insert(table, {"ID": number}, lobs=given)
        details.append(None)
        unit.commit()
    unit = log.begin()
    old = {"ID": 1, "BODY": External()}
    unit.update(table, old, {"ID": 3}, lobs={"BODY": "new"})
    details.append(absent(table, old, None))
    unit.commit()
    if is_v10:
        unit = log.begin()
        unit.insert(table, {"ID": 4}, lobs={"SECRET": "not logged"})
        details.append({"absent": {"after.SECRET": "not logged: 10 bytes of a NOT LOGGED column"}})
        unit.commit()
    else:
        unit = log.begin()
        rival = "the transaction changed several rows with LOB values, and the record does not name the one it is of"
        for number in (5, 6):
            unit.insert(table, {"ID": number}, lobs={"BODY": "whose?"})
            details.append({"absent": {"after.BODY": rival}})
        unit.commit()
    title = f"LOB values in records of their own, {told(server)}"
    return case("db2_lob", f"{word(server)}_values", title, LOB_MANAGER, log, details, table)


def documents(server: Server) -> Case:
    """XML documents before the record of their row."""
    table = Table(2, 9, "DOCUMENT", (Column("ID", "INTEGER", nullable=False), Column("BODY", "XML")))
    log = Log(server.generation, server.byte_order, framing_of(server))
    unit = log.begin()
    unit.insert(table, {"ID": 1}, lobs={"BODY": "<a>Größe</a>"})
    old = {"ID": 1, "BODY": External()}
    unit.update(table, old, {"ID": 1}, lobs={"BODY": "<b/>"})
    unit.insert(table, {"ID": 2})
    unit.commit()
    details = [None, absent(table, old, None), None]
    title = f"XML documents in records before their rows, {told(server)}"
    return case("db2_xml", f"{word(server)}_values", title, DOCUMENTS, log, details, table)


def out_of_row(server: Server, base: OffsetBase) -> Case:
    """Varying values that are stored out of their row, all together in one LOB record."""
    names = ("NAME", "NOTE")
    table = Table(2, 9, "WIDE", (Column("ID", "INTEGER", nullable=False), *(Column(n, "VARCHAR(99)") for n in names)))
    log = Log(server.generation, server.byte_order, framing_of(server))
    unit = log.begin()
    data = lob.consolidated(server, [b"", "Größe".encode(), b""], offset_base=base)
    about = lob.LobObject(table.id, table.id)
    unit.record("lob_add_data", "normal", lob.add_data(server, about, data, 0, lob.CONSOLIDATED))
    row = {"ID": 1, "NAME": OutOfRow(), "NOTE": "in the row"}
    unit.insert(table, row)
    unit.delete(table, row)
    unit.insert(table, row | {"ID": 2})
    unit.commit()
    details = [None, absent(table, row, None), absent(table, None, row)]
    title = f"Varying values stored out of their row, offsets count from the {base}, {told(server)}"
    made = case("db2_lob", f"{word(server)}_out_of_row_from_{base}", title, COMPRESSION, log, details, table)
    made.rows[0]["after"]["NAME"] = "Größe"
    return made


EMPLOYEES = Table(
    2,
    4,
    "EMP",
    (
        Column("EMPNO", "CHAR(6)", nullable=False),
        Column("NAME", "VARCHAR(20)"),
        Column("SALARY", "DECIMAL(9,2)"),
        Column("HIRED", "DATE"),
    ),
)


def employee(number: int, name: str | None = "Åsa") -> Row:
    """A row."""
    hired = None if number % 2 else DATE
    return {"EMPNO": f"{number:06d}", "NAME": name, "SALARY": Decimal("-12.50"), "HIRED": hired}


def transactions(server: Server) -> Case:
    """Transactions side by side: one takes back a part, one all of it, one is open; and every kind of commit."""
    log = Log(server.generation, server.byte_order, framing_of(server), stream_id=2)
    first = log.begin("ALICE")
    first.initialize(EMPLOYEES)
    first.commit()
    one, two, left = log.begin("BOB"), log.begin("CAROL"), log.begin("DAVE")
    one.insert(EMPLOYEES, employee(1))
    two.insert(EMPLOYEES, employee(2))
    left.insert(EMPLOYEES, employee(7))
    one.update(EMPLOYEES, employee(1), employee(1, "a longer name"))
    mark = one.mark()
    one.insert(EMPLOYEES, employee(9))
    one.delete(EMPLOYEES, employee(1, "a longer name"))
    one.rollback_to(mark)
    two.abort()
    one.delete(EMPLOYEES, employee(1, "a longer name"))
    one.commit(at=None)
    heuristic = log.begin("EVE")
    heuristic.insert(EMPLOYEES, employee(3))
    heuristic.abort(heuristic=True)
    details: list[Any] = [initialized(EMPLOYEES), None, None, None]
    for kind in ("heuristic", "mpp_coordinator", "mpp_subordinate", "local_pending_list"):
        if (server.generation, kind) != ("v7", "local_pending_list"):  # where its authorization id ends is not known
            unit = log.begin("FRANK")
            unit.insert(EMPLOYEES, employee(4, kind))
            unit.commit(kind)  # type: ignore[arg-type]
            details.append(None)
    alone = log.begin(singular=True)
    alone.insert(EMPLOYEES, employee(5))
    details.append(None)
    if not server.is_v7:
        several = log.begin("GRACE")
        several.insert_many(EMPLOYEES, [employee(number) for number in (10, 11, 12)])
        several.insert(EMPLOYEES, employee(13), empty_page=True)
        mark = several.mark()
        several.delete(EMPLOYEES, employee(13), empty_page=True)
        several.rollback_to(mark)
        several.delete(EMPLOYEES, employee(13), empty_page=True)
        several.commit()
        details += [None] * 5
    title = f"Transactions side by side, savepoints, aborts, every kind of commit, {told(server)}"
    return case("db2_log", f"{word(server)}_transactions", title, HEADERS, log, details, renamed=True)


def objects(server: Server) -> Case:
    """Tables that are created, described, altered, emptied and dropped."""
    table = EMPLOYEES
    log = Log(server.generation, server.byte_order, framing_of(server))
    unit = log.begin("ALICE")
    unit.create_table(table)
    unit.initialize(table)
    unit.alter_attribute(table, dms.PROPAGATION | dms.APPEND_MODE, dms.PROPAGATION)
    unit.insert(table, employee(1))
    unit.truncate(table)
    about = dom.DomObject(table.id)
    unit._step("create_index", "undo", dom.create_index(server, about, 7, 8), Change("O", table))
    unit._step("drop_index", "undo", dom.drop_index(server, about, 7, 8), Change("O", table))
    body = dom.reorg_table(server, about, index_token=7)
    unit._step("reorg_table", "normal", body, Change("O", table))
    attributes = {"propagation": True, "append_mode": False}
    details = [
        {"kind": "db2_dom.create_table"},
        initialized(table),
        {"kind": "db2_dms.alter_table_attribute", "attributes": attributes},
        None,
        {"kind": "db2_dom.import_replace"},
        {"kind": "db2_dom.create_index", "index_token": 7, "index_root_page": 8},
        {"kind": "db2_dom.drop_index", "index_token": 7, "index_root_page": 8},
        {"kind": "db2_dom.reorg_table", "index_token": 7},
    ]
    if server.generation == "v10":
        unit.statement(table, "ALTER TABLE EMP ADD COLUMN Größe INT")
        text = {"ddl_text_left": 0, "text": "ALTER TABLE EMP ADD COLUMN Größe INT"}
        details.append({"kind": "db2_ddl.ddl_statement", **text})
    unit.drop_table(table)
    details.append({"kind": "db2_dom.drop_table"})
    unit.commit()
    title = f"What becomes of a table as a whole, {told(server)}"
    return case("db2_log", f"{word(server)}_objects", title, DATA_MANAGER, log, details, renamed=True)


def prefixes() -> Iterator[Case]:
    """Every framing in both byte orders: the prefix names the log sequence number where the record does not."""
    forms: tuple[tuple[Any, Framing], ...] = (
        *(("v7", "bare"), ("v7", "lsn6"), ("v9.7", "lsn8"), ("v9.7", "filter97")),
        *(("v10", "lsn8"), ("v10", "filter")),
    )
    for generation, framing in forms:
        for order in BYTE_ORDERS:
            server = Server(generation, order)
            log = Log(generation, order, framing, stream_id=0x0102)
            unit = log.begin()
            unit.insert(EMPLOYEES, employee(2))
            unit.record("lock_description", "lock_description", b"\x01", flags=PROPAGATABLE)
            unit.update(EMPLOYEES, employee(2), employee(2, None))
            unit.commit()
            title = f"Numbers in the prefix of framing {framing}, {told(server)}"
            name = f"{word(server)}_{framing}"
            yield case("db2_prefix", name, title, PREFIXES, log, [None, None], EMPLOYEES)
