"""Scripts of Db2 LUW logs, and what every test of them needs: tables, a way to read, rows under the names in use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from writers.db2.columns import Column
from writers.db2.framing import FRAMINGS
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.wire import BYTE_ORDERS, GENERATIONS

from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes

FORMS = [(generation, order) for generation in GENERATIONS for order in BYTE_ORDERS]
ALL_FORMS = [(generation, order, framing) for generation, order in FORMS for framing in FRAMINGS]
SOME_FORMS = [
    ("v7", "big", "lsn6"), ("v7", "little", "bare"), ("v9.7", "little", "lsn8"), ("v9.7", "big", "filter97"),
    ("v10", "big", "bare"), ("v10", "little", "filter"),
]  # fmt: skip
"""Every generation in both byte orders, and every framing, once."""

EMP = Table(
    2,
    4,
    "EMP",
    (
        Column("EMPNO", "CHAR(6)", nullable=False),
        Column("NAME", "VARCHAR(40)"),
        Column("SALARY", "DECIMAL(9,2)"),
        Column("HIRED", "DATE"),
        Column("LOGIN", "TIME"),
        Column("AT", "TIMESTAMP(6)"),
        Column("RATE", "DOUBLE"),
        Column("KEY", "BINARY(4)"),
        Column("N", "BIGINT", nullable=False),
    ),
)
ITEM = Table(3, 5, "ITEM", (Column("ID", "INTEGER", nullable=False), Column("NAME", "VARCHAR(20)")))
DOC = Table(2, 9, "DOC", (Column("ID", "INTEGER", nullable=False), Column("BODY", "CLOB(1M)")))
PAIR = Table(2, 10, "PAIR", (Column("ID", "INTEGER", nullable=False), Column("A", "CLOB(1M)"), Column("B", "BLOB(1M)")))


def emp(number: int, name: str | None = "Åsa") -> dict[str, Any]:
    """A row of EMP; every other one has nulls."""
    is_odd = number % 2 == 1
    return {
        "EMPNO": f"{number:06d}",
        "NAME": name,
        "SALARY": Decimal("-12.50") * number,
        "HIRED": None if is_odd else "2026-03-14",
        "LOGIN": "23:59:59" if is_odd else None,
        "AT": "2026-03-14T10:11:12.000123",
        "RATE": None if is_odd else 0.1,
        "KEY": b"\x00\xc1\x80\xff",
        "N": -(1 << 40) + number,
    }


def item(number: int, name: str | None = None) -> dict[str, Any]:
    """A row of ITEM."""
    return {"ID": number, "NAME": name}


@dataclass
class Read:
    """What reading a log gave."""

    rows: list[dict[str, Any]]
    log: Any

    def values(self, role: str = "after", ops: str = "IUD") -> list[Any]:
        """The values of every row image of a role as tuples, None where there is none."""
        return [row[role] and tuple(row[role].values()) for row in self.rows if row["op"] in ops]

    def ops(self, leave: str = "O") -> list[str]:
        """The operations, without those of `leave`."""
        return [row["op"] for row in self.rows if row["op"] not in leave]

    @property
    def codes(self) -> list[str]:
        """Codes of the errors."""
        return [error.code for error in self.log.tally.errors]

    @property
    def notes(self) -> list[str]:
        """What was said besides."""
        notices: list[str] = self.log.tally.notices
        return notices

    def has_note(self, part: str) -> bool:
        """Whether something was said with these words in it."""
        return any(part in note for note in self.notes)


def read(folder: Path, data: bytes | bytearray | Stream, **options: Any) -> Read:
    """Write a log and read its changes."""
    path = folder / "x.log"
    path.write_bytes(data.bytes() if isinstance(data, Stream) else bytes(data))
    log = open_changes(path, read_options({"spec": "db2_log", **options}))
    return Read(list(log.changes()), log)


def numbered(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Columns under the names they have where nothing names them."""
    return values and {f"C{number}": value for number, value in enumerate(values.values(), 1)}


def expected(stream: Stream, *, names: bool = False) -> list[dict[str, Any]]:
    """The committed changes of a script, in commit order, under KEYS."""
    rename = (lambda values: values) if names else numbered
    return [
        {
            "op": change["op"],
            "before": rename(change["before"]),
            "after": rename(change["after"]),
            "tid": change["tid"],
            "commit_ts": change["commit_ts"] and f"{change['commit_ts']}.000000",
            "auth_id": change["auth_id"],
            "table": f"{change['tablespace_id']}.{change['table_id']}",
        }
        for change in stream.expected()
    ]


def shown(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Changes as read, under KEYS; for tables that nothing names."""
    return [
        {
            **{name: row[name] for name in ("op", "before", "after", "commit_ts", "auth_id")},
            "tid": row["txn_id"][:12],
            "table": row["table_name"],
        }
        for row in rows
    ]


def tables_file(folder: Path, *tables: Table, name: str = "t.yaml", replaced: Sequence[tuple[str, str]] = ()) -> str:
    """A tables file of some tables; `replaced` changes its text."""
    lines = ["tables:"]
    for table in tables:
        ids = f"tablespace_id: {table.tablespace_id}, table_id: {table.table_id}"
        columns = ", ".join(
            f"{{name: {column.name}, type: '{column.type}', nullable: {str(column.nullable).lower()}}}"
            for column in table.columns
        )
        lines.append(f"  - {{{ids}, schema: {table.schema}, name: {table.name}, columns: [{columns}]}}")
    text = "\n".join(lines)
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    path = folder / name
    path.write_text(text)
    return str(path)


def with_added_column(folder: Path) -> tuple[Path, Path]:
    """A log in which ITEM gets a column, and a tables file of ITEM as it is then."""
    stream = Stream("v10", "little", "bare")
    unit = stream.begin()
    unit.initialize(ITEM)
    unit.insert(ITEM, item(1, "one"))
    wider = unit.add_columns(ITEM, Column("D", "DATE"))
    unit.insert(wider, {**item(2, "two"), "D": "2026-03-14"})
    unit.commit()
    (folder / "x.log").write_bytes(stream.bytes())
    return folder / "x.log", Path(tables_file(folder, wider))


def full_stream(generation: Any, byte_order: Any, framing: Any = "bare") -> Stream:
    """Every way to change and to end, side by side: what is committed is in `expected()`.

    One transaction commits with savepoints rolled back, one aborts heuristically, one normally, one stays open.
    """
    stream = Stream(generation, byte_order, framing)
    begun = stream.begin("ALICE")
    begun.create_table(EMP)
    begun.initialize(EMP)
    begun.create_table(ITEM)
    begun.initialize(ITEM)
    begun.statement(ITEM, "create table item (id int not null, näme varchar(20))")
    begun.commit()
    one, two, three, left = (stream.begin(name) for name in ("BOB", "CAROL", "DAVE", "ERIN"))
    one.insert(EMP, emp(1))
    two.insert(EMP, emp(2))
    left.insert(EMP, emp(7))
    three.insert(ITEM, item(30, "x"))
    one.update(EMP, emp(1), emp(1, "a much longer name"))
    mark = one.mark()
    one.insert(EMP, emp(9))
    one.update(EMP, emp(1, "a much longer name"), emp(1, ""))
    one.delete(EMP, emp(1, ""))
    one.insert(ITEM, item(9))
    one.rollback_to(mark)
    three.update(ITEM, item(30, "x"), item(31, None))
    two.update(EMP, emp(2), emp(2, None))
    two.delete(EMP, emp(2, None))
    two.abort()
    one.update(EMP, emp(1, "a much longer name"), emp(1, "b"))
    if generation != "v7":
        one.insert(ITEM, item(10, "page"), empty_page=True)
        mark = one.mark()
        one.insert(ITEM, item(11, "undone"), empty_page=True)
        one.delete(ITEM, item(10, "page"), empty_page=True)
        one.insert_many(ITEM, [item(12, "p"), item(13, "q")])
        one.rollback_to(mark)
        one.insert_many(ITEM, [item(14, "r"), item(15, None), item(16, "s")])
        one.delete(ITEM, item(10, "page"), empty_page=True)
    left.update(EMP, emp(7), emp(7, "open"))
    three.abort(heuristic=True)
    one.delete(EMP, emp(1, "b"))
    one.commit()
    kinds: tuple[Any, ...] = ("normal", "heuristic", "mpp_coordinator", "mpp_subordinate", "local_pending_list")
    units = [stream.begin(f"USER{number}") for number in range(len(kinds))]
    for number, unit in enumerate(units):
        unit.insert(ITEM, item(100 + number, "n" * number))
    for unit, kind in reversed(list(zip(units, kinds, strict=True))):
        unit.commit(kind)
    for number in range(3):
        stream.begin(singular=True).insert(ITEM, item(200 + number, "alone"))
    last = stream.begin("FRANK")
    last.truncate(ITEM)
    last.commit()
    return stream


def described(table: Table, *rows_: dict[str, Any], generation: Any = "v10", byte_order: Any = "little") -> Stream:
    """A log with a table and some rows, all committed."""
    stream = Stream(generation, byte_order, "bare")
    unit = stream.begin()
    unit.initialize(table)
    for row in rows_:
        unit.insert(table, row)
    unit.commit()
    return stream


def without_description(stream: Stream) -> bytes:
    """The log without its first record, which must be without prefix."""
    return stream.bytes()[stream.records[0].length :]


def patched(stream: Stream, number: int, offset: int, raw: bytes) -> bytes:
    """The stream with some bytes of one record changed; the offset counts from the record's start."""
    data = bytearray(stream.bytes())
    place = stream.records[number].offset + offset
    data[place : place + len(raw)] = raw
    return bytes(data)


def number_of(stream: Stream, kind: str, which: int = 0) -> int:
    """Number of a record of some kind."""
    return [number for number, record in enumerate(stream.records) if record.kind == kind][which]


def record_bytes(stream: Stream, number: int) -> bytes:
    """One record without its prefix."""
    record = stream.records[number]
    return stream.bytes()[record.offset : record.offset + record.length]
