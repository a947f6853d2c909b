"""A whole small log: data records, control records, and the changes it must give.

The changes are computed here from the given values, not read back from the bytes; their keys and the forms of values
are those of the `changes` command (design.md 3.3): `seq`, `txn_id`, `op`, and so on. What each record means (change
types, dispositions) is the vendor's table "Data change record (LLDF)".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal

from . import control, framing, lldf
from .control import Table
from .fields import FieldValue
from .lldf import Reading
from .rows import LOB_TYPES, Column, Floats, GraphicLen, NullBytes, Value, image

Row = dict[str, Value]
Change = dict[str, Any]
Include = Literal["committed", "rolled-back", "open", "all"]

#: CHANGE TYPE to the `op` of a change.
OPERATIONS = {
    "UB": "U",
    "I": "I",
    "IL": "I",
    "D": "D",
    "DM": "M",
    "DT": "T",
    "DR": "T",
    "E": "X",
    "SC": "S",
    "CM": "C",
    "CO": "O",
}
ENCODINGS = {"E": "cp037", "A": "latin-1", "U": "utf-8"}
NO_COMMIT = "F" * 20

EVERY_TYPE = (
    Column("ID", "INT", 4, key_seq=1),
    Column("SMALL", "INT", 2, nulls="Y"),
    Column("BIG", "INT", 8, nulls="Y"),
    Column("AMOUNT", "DEC", 9, 2, nulls="Y"),
    Column("RATE", "DEC", 6, 4),
    Column("RATIO", "FLOT", 8, nulls="Y"),
    Column("WEIGHT", "FLOT", 4),
    Column("CODE", "CHAR", 6, nulls="Y", subtype="S"),
    Column("BITS", "CHAR", 4, nulls="Y", subtype="B"),
    Column("DAY", "DATE", nulls="Y"),
    Column("AT", "TIME", nulls="Y"),
    Column("STAMP", "DTTM", 26, nulls="Y"),
    Column("FINE", "DTTM", 32),
    Column("ZONED", "DTTZ", 32, nulls="Y"),
    Column("ROW_ID", "ROWI", 17),
    Column("WIDE", "GRPH", 4, nulls="Y"),
    Column("NOTE", "VCHR", 40, nulls="Y", subtype="S"),
    Column("BLOCK", "VCHR", 8, nulls="Y", subtype="B"),
    Column("WIDER", "VGRF", 10, nulls="Y"),
    Column("LONG_NOTE", "LVCH", 60, nulls="Y", subtype="S"),
    Column("LONG_WIDE", "LVGR", 20, nulls="Y"),
    Column("PHOTO", "BLOB", 1048576, nulls="L"),
    Column("TEXT", "CLOB", 1048576, nulls="L"),
    Column("WIDE_TEXT", "DBCL", 524288, nulls="L"),
    Column("ODD", "DECF", 8, nulls="Y"),
    Column("LAST", "CHAR", 3, subtype="S"),
)

ITEMS = (
    Column("ORDER_NO", "INT", 4, key_seq=1),
    Column("LINE_NO", "INT", 2, key_seq=2, ordering="D"),
    Column("PRICE", "DEC", 11, 2),
    Column("NAME", "VCHR", 30, nulls="Y", subtype="M"),
    Column("STATE", "CHAR", 2, subtype="M"),
    Column("WIDE", "GRPH", 3, nulls="Y"),
    Column("WIDER", "VGRF", 6),
    Column("DAY", "DATE", nulls="Y"),
)

PLAIN = (
    Column("NO", "INT", 4, key_seq=1),
    Column("KIND", "CHAR", 3, nulls="Y", subtype="S"),
    Column("SUM", "DEC", 7, 2, nulls="Y"),
)

TABLES = (
    Table(0x0105, 0x0002, 0x0003, "PROD", "ORDERS", EVERY_TYPE),
    Table(0x0105, 0x0004, 0x0005, "PROD", "ITEMS", ITEMS, encoding_scheme="U", tsname="TSITEM"),
    Table(
        0x0106,
        0x0002,
        0x0003,
        "WAREHOUSE_OWNER",
        "STOCK_MOVEMENTS_OF_ALL_SITES",
        PLAIN,
        sequence=2,
        dbname="DBSTOCK",
        tsname="TSSTOCK",
        short_name="STOCK_MOVEME000001",
    ),
)


@dataclass(frozen=True)
class Unit:
    """A unit of recovery: UORID, UORIDLRSN, UORDISP, its commit, and who did it."""

    number: int
    disposition: str = "C"
    member_id: int = 1
    auth_id: str = "APPUSER"
    plan: str = "PLANA"
    correlation_id: str = "PAYROLL01"

    @property
    def rba(self) -> str:
        """UORID."""
        return f"{0x12300000 + 0x1000 * self.number:020X}"

    @property
    def lrsn(self) -> str:
        """UORIDLRSN."""
        return f"{0x00DE1234560000000000 + (self.number << 32):020X}"

    @property
    def commit_lrsn(self) -> str:
        """UORCOMMITLRSN; units commit in an order that is not that of their starts."""
        return f"{0x00DE1234780000000000 + ((self.number * 7 % 10) << 32):020X}"

    @property
    def commit_ts(self) -> str:
        """UORCOMMITTIMESTAMP."""
        return f"2026-03-14T10:30:{self.number:02d}.250000"

    @property
    def committed(self) -> bool:
        """UORDISP is C."""
        return self.disposition == "C"

    def header_fields(self) -> dict[str, FieldValue]:
        """The fields of an LLDF header that name this unit; an open unit has no commit (zeros)."""
        commit: dict[str, FieldValue] = {
            "uor_commit_timestamp": self.commit_ts if self.committed else None,
            "uor_commit_lrsn": self.commit_lrsn if self.committed else None,
            "uor_commit_point": f"{int(self.rba, 16) + 0x1000000:020X}" if self.committed else None,
        }
        return {
            "member_id": self.member_id,
            "uor_timestamp": f"2026-03-14T10:10:{self.number:02d}",
            "uor_disp": self.disposition,
            "uor_id_lrsn": self.lrsn,
            "uor_id": self.rba,
            "correlation_id": self.correlation_id,
            "auth_id": self.auth_id,
            "plan": self.plan,
            **commit,
        }


def decimal_text(value: Value, scale: int) -> str:
    """DECIMAL as `changes` prints it: text with the scale kept."""
    return f"{Decimal(str(value)):.{scale}f}"


def time_text(value: str, column: Column) -> str:
    """DATE, TIME, TIMESTAMP as `changes` prints them, from ISO text with ``T`` and colons: all the column's digits."""
    if column.type in ("DATE", "TIME"):
        return value
    stamp, zone = (value[:-6], value[-6:]) if column.type == "DTTZ" else (value, "")
    seconds, _, fraction = stamp.partition(".")
    room = max(column.size - 20 - len(zone), 0)
    return seconds + ("." + fraction.ljust(room, "0") if room else "") + zone


def shown(column: Column, value: Value, encoding: str = "cp037") -> Any:
    """A value as `changes` prints it in `before` and `after`.

    LOB values are kept outside of the record, so they are null; bytes of a type without a published form, and graphic
    bytes of an EBCDIC table, are hexadecimal text.
    """
    if value is None or column.type in LOB_TYPES:
        return None
    if column.type in ("INT", "FLOT"):
        return value
    if column.type == "DEC":
        return decimal_text(value, column.scale)
    if column.type in ("DATE", "TIME", "DTTM", "DTTZ"):
        return time_text(str(value), column)
    if isinstance(value, bytes):
        return bytes_text(column, value, encoding)
    return str(value).rstrip(" ") if column.type in ("CHAR", "GRPH") else value


def bytes_text(column: Column, value: bytes, encoding: str) -> str:
    """Show a value given as bytes: text for CHAR and VCHR that are no bit data, else hexadecimal, padded as logged."""
    if column.type in ("CHAR", "VCHR", "LVCH") and column.subtype != "B":
        decoded = value.decode(encoding)
        return decoded.rstrip(" ") if column.type == "CHAR" else decoded
    pad = b"\x40" if column.type == "GRPH" else b"\x00"
    return (value if column.variable else value.ljust(column.max_bytes, pad)).hex().upper()


@dataclass
class Example:
    """A log and what it must give.

    Attributes:
        data_records: records of the data file, in file order, without framing.
        control_records: records of the control file.
        tables: the tables.
        changes: every change in file order (of the last standing segment), as `changes` prints it with include=all,
            without `_metadata`.
        groups: of each change: "committed", "rolled-back", or "open".
        last_records: of each change the index of the record where its last segment stands.
    """

    data_records: list[bytes] = field(default_factory=list)
    control_records: list[bytes] = field(default_factory=list)
    tables: tuple[Table, ...] = TABLES
    changes: list[Change] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    last_records: list[int] = field(default_factory=list)

    @property
    def expected(self) -> list[Change]:
        """What `changes` prints without options: committed changes in file order."""
        return self.expected_for()

    def expected_for(self, include: Include = "committed", order: Literal["file", "commit"] = "file") -> list[Change]:
        """What `changes` prints with these options."""
        pairs = zip(self.changes, self.groups, strict=True)
        chosen = [change for change, group in pairs if include in ("all", group)]
        return sorted(chosen, key=lambda change: str(change["seq"])) if order == "commit" else chosen


@dataclass(frozen=True)
class Options:
    """How a log is written; the arguments of `example`."""

    reading: Reading = "total"
    base: Literal[0, 1] = 1
    null_bytes: NullBytes = "present"
    expand_var: bool = False
    floats: Floats = "hfp"
    graphic_len: GraphicLen = "bytes"
    datetime_encoding: str | None = None
    size: int = lldf.HEADER_LENGTH
    extra: bytes = b""
    lines: tuple[lldf.HeaderField, ...] | None = None

    @property
    def header(self) -> list[lldf.HeaderField]:
        """The header as XHDF describes it; `extra` is a field of its own."""
        described = list(self.lines) if self.lines is not None else lldf.described(self.size)
        end = len(lldf.any_header({}, size=self.size, lines=self.lines))
        return [*described, lldf.HeaderField("NEWERFIELD", "BIN", len(self.extra), end)] if self.extra else described

    @property
    def header_options(self) -> dict[str, Any]:
        """Arguments of `lldf.record` and `lldf.segmented`."""
        return {"size": self.size, "extra": self.extra, "lines": self.lines}


@dataclass
class _Pending:
    """A change whose last record is not known yet."""

    change: Change
    group: str
    commit_position: str
    lrsn: str
    rba: str
    member_id: int
    last_record: int = -1
    ordinal: int = -1
    """Its number among changes of one position that follow one another; -1 until its first record is met."""


class Writer:
    """Builds a log record by record; `example` is one use of it."""

    def __init__(self, tables: Sequence[Table] = TABLES, options: Options | None = None) -> None:
        self.tables = tuple(tables)
        self.options = options or Options()
        self.records: list[bytes] = []
        self._pending: list[_Pending] = []
        self._owners: list[_Pending] = []
        self._tick = 0

    def row_image(self, table: Table, row: Mapping[str, Value]) -> bytes:
        """Image of a row of the table in this log's style."""
        o = self.options
        return image(
            table.columns,
            row,
            null_bytes=o.null_bytes,
            expand_var=o.expand_var,
            floats=o.floats,
            encoding=ENCODINGS[table.encoding_scheme],
            graphic_len=o.graphic_len,
            datetime_encoding=o.datetime_encoding,
        )

    def add(
        self,
        unit: Unit,
        table: Table,
        change_type: str,
        before: Row | None = None,
        after: Row | None = None,
        parts: Sequence[bytes | str] = (),
        detail: Any = None,
        **header: Any,
    ) -> None:
        """Append a change of one record; see `pieces` for the arguments."""
        for piece in self.pieces(unit, table, change_type, before, after, parts, detail, **header):
            self.put(*piece)

    def put(self, record: bytes, pending: _Pending) -> None:
        """Append one record, or segment, of a change that `pieces` gave."""
        pending.last_record = len(self.records)
        self.records.append(record)
        self._owners.append(pending)

    def pieces(
        self,
        unit: Unit,
        table: Table,
        change_type: str,
        before: Row | None = None,
        after: Row | None = None,
        parts: Sequence[bytes | str] = (),
        detail: Any = None,
        segments: int = 1,
        **header: FieldValue,
    ) -> list[tuple[bytes, _Pending]]:
        """The records of a change, to be placed with `put`.

        Args:
            unit: the unit of recovery it belongs to.
            table: the table it names.
            change_type: CHANGE TYPE.
            before: the row before, None when the change has none.
            after: the row after.
            parts: DATA of a change without row images: owner and name, limit keys, or a payload.
            detail: what the change must give as `detail`.
            segments: number of records it is divided into.
            **header: header fields that differ.
        """
        o = self.options
        images = [self.row_image(table, row) for row in (before, after) if row is not None]
        data = lldf.data_area(change_type, images or parts, o.reading)
        values: dict[str, Any] = {**self._common(unit, change_type), **table.header_fields, **header}
        pending = self._expect(values, unit, table, detail, before, after)
        self._pending.append(pending)
        if segments == 1:
            return [(lldf.record(data, **o.header_options, **values), pending)]
        capacity = -(-len(data) // segments)
        cut = lldf.segmented(values, data, capacity, o.base, **o.header_options)
        return [(record, pending) for record in cut]

    def _common(self, unit: Unit, change_type: str) -> dict[str, FieldValue]:
        """Header fields of the next log record: RBA, LRSN, and time go up."""
        self._tick += 1
        return {
            **unit.header_fields(),
            "change_type": change_type,
            "timestamp": f"2026-03-14T10:{11 + self._tick // 60:02d}:{self._tick % 60:02d}.000123",
            "log_lrsn": f"{0x00DE1234670000000000 + (self._tick << 24):020X}",
            "log_rba": f"{0x12345000 + 0x100 * self._tick:020X}",
            "rid": f"{0x0100 + self._tick:08X}01",
            "sql_type": "R",
            "log_rec_disp": "A" if unit.disposition == "A" else "C",
        }

    def _expect(
        self,
        values: Mapping[str, FieldValue],
        unit: Unit,
        table: Table,
        detail: Any,
        before: Row | None,
        after: Row | None,
    ) -> _Pending:
        change_type = str(values["change_type"]).strip()
        change: Change = {
            "op": OPERATIONS.get(change_type),
            "seq": "",
            "txn_id": f"{unit.member_id:04X}{unit.rba}",
            "commit_ts": unit.commit_ts if unit.committed else None,
            "ts": values["timestamp"],
            "schema_name": table.owner,
            "table_name": table.name,
            "before": self._shown_row(table, before),
            "after": self._shown_row(table, after),
            "sql_type": str(values["sql_type"]).strip(),
            "sql_src_type": str(values.get("sql_src_type", "")).strip(),
            "log_rec_disp": str(values["log_rec_disp"]).strip(),
            "uor_disp": unit.disposition.strip(),
            "auth_id": unit.auth_id,
            "plan": unit.plan,
            "correlation_id": unit.correlation_id,
            "detail": detail,
        }
        if any(_has_lob_outside(table, row) for row in (before, after)):
            del change["detail"]
        position = unit.commit_lrsn if unit.committed else NO_COMMIT
        lrsn, rba = str(values["log_lrsn"]), str(values["log_rba"])
        return _Pending(change, _group(change), position, lrsn, rba, unit.member_id)

    def _shorten(self, change: Change) -> None:
        """Without DTBI's tail names that do not fit the header are only known in their short form."""
        names = {(table.owner, table.name): (table.owner8, table.name18) for table in self.tables}
        full = change["schema_name"], change["table_name"]
        if names[full] != full:
            change["schema_name"], change["table_name"] = names[full]
            change["table_name_short"] = True

    @staticmethod
    def _shown_row(table: Table, row: Row | None) -> dict[str, Any] | None:
        if row is None:
            return None
        encoding = ENCODINGS[table.encoding_scheme]
        return {column.name: shown(column, row[column.name], encoding) for column in table.columns}

    def example(self, **control_options: Any) -> Example:
        """The log so far, with its control records (`control_options` as for `control.for_tables`)."""
        done = sorted(self._pending, key=lambda pending: pending.last_record)
        self._number()
        for pending in done:
            ordinal = f"{pending.member_id:04X}{pending.ordinal:08X}"
            pending.change["seq"] = pending.commit_position + pending.lrsn + pending.rba + ordinal
            if control_options.get("dtbi_total", control.DTBI_INFERRED) < control.DTBI_INFERRED:
                self._shorten(pending.change)
        return Example(
            data_records=list(self.records),
            control_records=control.for_tables(self.tables, **control_options),
            tables=self.tables,
            changes=[pending.change for pending in done],
            groups=[pending.group for pending in done],
            last_records=[pending.last_record for pending in done],
        )

    def _number(self) -> None:
        """Count the changes with one position that follow one another, from 0; a change counts once in a row."""
        for pending in self._owners:
            pending.ordinal = -1
        before, count = None, 0
        for pending in self._owners:
            position = pending.lrsn, pending.rba, pending.member_id
            if before is None or position != (before.lrsn, before.rba, before.member_id):
                count = 0
            elif pending is not before:
                count += 1
            if pending.ordinal < 0:
                pending.ordinal = count
            before = pending


def _has_lob_outside(table: Table, row: Row | None) -> bool:
    """A LOB column of the row is not null: `changes` says in `detail` that its value is elsewhere, in its own words."""
    return row is not None and any(row[c.name] is not None for c in table.columns if c.type in LOB_TYPES)


def _group(change: Change) -> str:
    """What became of a change (design.md 3.3, include): UORDISP C, LOGRECDISP C or blank, not an UNDO is committed."""
    if change["uor_disp"] == "":
        return "open"
    standing = change["uor_disp"] == "C" and change["log_rec_disp"] in ("C", "") and change["sql_type"] != "U"
    return "committed" if standing else "rolled-back"


def full_row(number: int, lob: bytes | None = None, **values: Value) -> Row:
    """A row of the table with every type, no value null but the LOBs."""
    row: Row = {
        "ID": number,
        "SMALL": -number,
        "BIG": -(2**40) - number,
        "AMOUNT": Decimal("-0.01"),
        "RATE": "12.5000",
        "RATIO": -118.625,
        "WEIGHT": 0.15625,
        "CODE": "AB",
        "BITS": b"\x00\xff\x40\x01",
        "DAY": "2026-03-14",
        "AT": "13:32:00",
        "STAMP": "2026-03-14T10:11:12.000123",
        "FINE": "2026-03-14T10:11:12.000123456789",
        "ZONED": "2026-03-14T10:11:12.500000+01:00",
        "ROW_ID": bytes(range(0xC0, 0xD1)),
        "WIDE": b"\x42\xc1\x42\xc2",
        "NOTE": "two  blanks ",
        "BLOCK": b"\x01\x00",
        "WIDER": b"\x42\xc3",
        "LONG_NOTE": "a longer note",
        "LONG_WIDE": b"\x42\xc4\x42\xc5\x40\x40",
        "PHOTO": lob,
        "TEXT": lob,
        "WIDE_TEXT": lob,
        "ODD": bytes.fromhex("2238000000000001"),
        "LAST": "END",
    }
    return {**row, **values}


def null_row(number: int) -> Row:
    """A row of the table with every type, null where it may be."""
    row = full_row(number)
    return {column.name: None if column.nullable else row[column.name] for column in EVERY_TYPE}


def example(
    reading: Reading = "total",
    base: Literal[0, 1] = 1,
    *,
    segment_order: Sequence[int] = (0, 1, 2),
    lob: bytes | None = None,
    limit_keys: Sequence[bytes] = (),
    control_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Example:
    """A small log with every kind of change.

    Nine units of recovery over three tables (all column types in EBCDIC; a Unicode table; a table whose names are
    longer than the header's): inserts, a load insert, updates, deletes; an update in three segments with other records
    between them; a unit rolled back, one with a rollback to a savepoint (LOGRECDISP S), one with a reversed record (O)
    and an UNDO, one still open (UORDISP blank), and mass delete, truncate, exchange, DDL, command, status change.

    Args:
        reading: how DATA's halfwords count.
        base: SEGNUM of a first segment.
        segment_order: the order in which the segments of the divided update stand.
        lob: value of the LOB columns where a row has no nulls: None, or ``b""`` for a value that is kept elsewhere
            (`changes` shows null and says so in `detail`; such changes have no key `detail` here).
        limit_keys: DATA of the mass delete.
        control_options: as for `control.for_tables`.
        **options: further fields of `Options` (``lines``: an older header, for instance ``tuple(lldf.narrow())``).
    """
    writer = Writer(TABLES, Options(reading=reading, base=base, **options))
    _ordinary_units(writer, lob, segment_order)
    _units_taken_back(writer)
    _changes_without_rows(writer, limit_keys)
    return writer.example(**_control_options(writer.options, control_options or {}))


def _control_options(options: Options, given: Mapping[str, Any]) -> dict[str, Any]:
    flags: dict[str, FieldValue] = {
        "EXPANDVAR": "Y" if options.expand_var else "N",
        "SEGMENTED": "Y",
        "DDLOBJECTS": "Y",
        "CMDSINCLUDED": "Y",
    }
    return {
        "header": options.header,
        **given,
        "dlds_fields": {**flags, **given.get("dlds_fields", {})},
    }


def _ordinary_units(writer: Writer, lob: bytes | None, segment_order: Sequence[int]) -> None:
    """Two committed units; the divided update stands among the records of the second."""
    orders, items, stock = TABLES
    first, second = Unit(1), Unit(2, member_id=2, auth_id="BATCH1", plan="PLANB", correlation_id="NIGHTLY")
    writer.add(first, orders, "I", after=full_row(1, lob))
    writer.add(first, orders, "I", after=null_row(2))
    writer.add(first, orders, "IL", after=full_row(3, lob, NOTE="", BLOCK=b"", CODE="", AMOUNT="9999999.99"))
    divided = writer.pieces(
        first,
        orders,
        "UB",
        full_row(1, lob),
        full_row(1, lob, NOTE="changed", AMOUNT="12345.67", RATIO=0.0),
        segments=3,
    )
    item: Row = {"ORDER_NO": 1, "LINE_NO": 1, "PRICE": "-19.90", "NAME": "Käse 日本", "STATE": "N"}
    item.update(WIDE="日本", WIDER="東京 ", DAY="2026-03-14")
    shipped = {**item, "STATE": "S", "NAME": None, "DAY": None}
    between = [
        writer.pieces(second, items, "I", after=item),
        writer.pieces(second, items, "UB", item, shipped, sql_src_type="T"),
    ]
    for rank, index in enumerate(segment_order):
        writer.put(*divided[index])
        for piece in between[rank] if rank < len(between) else []:
            writer.put(*piece)
    writer.add(second, items, "D", before=shipped, sql_src_type="R", log_rec_disp="")
    writer.add(first, stock, "I", after={"NO": 7, "KIND": "A", "SUM": "10.50"})
    writer.add(first, stock, "D", before={"NO": 8, "KIND": None, "SUM": None})


def _units_taken_back(writer: Writer) -> None:
    """A unit rolled back, a savepoint, a reversed record with its UNDO, and a unit still open."""
    _, items, stock = TABLES
    row: Row = {"NO": 9, "KIND": "B", "SUM": "-0.01"}
    aborted = Unit(3, disposition="A")
    writer.add(aborted, stock, "I", after=row, uor_has_comp="Y")
    writer.add(aborted, stock, "D", before=row, sql_type="U", uor_has_comp="Y")
    savepoint = Unit(4)
    writer.add(savepoint, stock, "I", after=row)
    writer.add(savepoint, stock, "UB", row, {**row, "KIND": "C"}, log_rec_disp="S")
    reversed_ = Unit(5, member_id=2)
    item: Row = {"ORDER_NO": 2, "LINE_NO": 1, "PRICE": "5.00", "NAME": "screw", "STATE": "OK"}
    item.update(WIDE=None, WIDER="", DAY="9999-12-31")
    writer.add(reversed_, items, "I", after=item, log_rec_disp="O")
    writer.add(reversed_, items, "D", before=item, sql_type="U")
    writer.add(reversed_, items, "I", after={**item, "LINE_NO": 2})
    still_open = Unit(6, disposition="")
    writer.add(still_open, stock, "UB", {**row, "NO": 10}, {**row, "NO": 10, "SUM": "1.00"}, log_rec_disp="")


def _changes_without_rows(writer: Writer, limit_keys: Sequence[bytes]) -> None:
    """Mass delete, truncate, exchange, DDL, command, and status change."""
    _, items, stock = TABLES
    utility = Unit(7, auth_id="DBA", plan="DSNUTIL", correlation_id="LOADREPL")
    keys = {"limit_keys": [key.hex().upper() for key in limit_keys]} if limit_keys else None
    writer.add(utility, stock, "DM", parts=limit_keys, detail=keys)
    writer.add(utility, stock, "DT")
    writer.add(utility, items, "DR", detail={"change_type": "DR"})
    clone = {"clone_owner": "PROD", "clone_name": "ITEMS_CLONE"}
    writer.add(utility, items, "E", parts=tuple(clone.values()), detail=clone)
    ddl = "ALTER TABLE PROD.ITEMS ADD COLUMN EXTRA INTEGER"
    command = "-STOP DATABASE(DBSTOCK)"
    writer.add(Unit(8), items, "CO", parts=[ddl], detail={"text": ddl})
    writer.add(Unit(9), stock, "CM", parts=[command], detail={"text": command})
    writer.add(Unit(9), stock, "SC", parts=[b"\x00\x01\xff"], detail={"payload": "0001FF"})


def with_tables(log: Example, *tables: Table, **control_options: Any) -> Example:
    """The same log with other control records, for tests of missing or changed tables."""
    return replace(log, tables=tables, control_records=control.for_tables(tables, **control_options))


def field(record: bytes, name: str) -> bytes:
    """The bytes of a field of today's header."""
    place = lldf.NAME_OF[name]
    return record[place.offset : place.end]


def changed(record: bytes, **values: bytes) -> bytes:
    """The same record with the bytes of some fields, zeros behind them."""
    for name, value in values.items():
        place = lldf.NAME_OF[name]
        record = record[: place.offset] + value.ljust(place.length, b"\0") + record[place.end :]
    return record


def opened(records: Sequence[bytes], later: Sequence[bytes]) -> list[bytes]:
    """Records as an extract has them that ends before later ones: units that go on have no UORDISP and no commit."""

    def unit(record: bytes) -> bytes:
        return field(record, "memberid") + field(record, "uorid")

    going_on = {unit(record) for record in later}
    nothing = dict.fromkeys(("uorcommittimestamp", "uorcommitlrsn", "uorcommitpoint"), b"")
    return [changed(record, uordisp=b"\x40", **nothing) if unit(record) in going_on else record for record in records]


def as_file(records: Sequence[bytes], kind: str = "rdw", **options: object) -> bytes:
    """The records in a framing by its name (see `framing.KINDS`)."""
    return framing.framed(kind, records, **options).data
