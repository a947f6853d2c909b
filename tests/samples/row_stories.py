"""Row stories: random tables and random transactions on them, as a log and as the rows before and after it."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

from cases.case import to_yaml
from writers.bmc import framing, logs
from writers.bmc.control import Table as BmcTable
from writers.bmc.rows import Column as BmcColumn
from writers.db2.columns import Column as Db2Column
from writers.db2.stream import Stream
from writers.db2.tables import Table as Db2Table
from writers.db2.values import json_value
from writers.db2.wire import BYTE_ORDERS

from samples import bmc_random

Row = dict[str, Any]
LATIN = string.ascii_letters + " '\"';--%\\éñ\n\r\t\x00\x1b\x85"
"""Characters of every EBCDIC page, among them those that could end a line, a constant or a statement."""
UNICODE = LATIN + "€日\u2028\u202e\ufeff😀"
NAMES = ("ID", "select", 'A"B', "IT'S", "X Y", "N#1", "-- A", "ÑU", "A;B", "E", "F", "G", "H")


@dataclass
class Story:
    """A log, and the rows of its tables as `changes` prints values."""

    arguments: list[str]
    """Path and options for a command."""
    columns: dict[str, list[str]]
    """Names of the columns by table, as SCHEMA.NAME."""
    before: dict[str, list[Row]]
    after: dict[str, list[Row]]
    keyed: dict[str, bool]
    """By table, whether its key is described."""
    records: list[bytes]
    """The records of the log; of Db2 LUW with what is in front of each, of Log Master in the order of the commits."""
    options: dict[str, str]
    """What `open_log` takes for the log."""
    control: bytes | None = None
    """The control file of each extract of Log Master."""

    def extracts(self, folder: Path, chance: random.Random, count: int = 4) -> list[Path]:
        """The log cut at some of its records, into files in a folder of their own, which `options` fit too."""
        folder.mkdir()
        places = [0, *sorted(chance.sample(range(1, len(self.records)), count - 1)), len(self.records)]
        found = []
        for number, (start, end) in enumerate(pairwise(places)):
            records, later = self.records[start:end], self.records[end:]
            found.append(folder / f"{number}.{'log' if self.control is None else 'dat'}")
            found[-1].write_bytes(
                b"".join(records) if self.control is None else framing.rdw(logs.opened(records, later))
            )
            if self.control is not None:
                found[-1].with_suffix(".ctl").write_bytes(self.control)
        return found


@dataclass
class _Rows:
    """Rows of the tables by a number that no two of them share, and what open transactions did to them."""

    tables: dict[str, dict[int, Row]]
    locks: dict[tuple[str, int], int] = field(default_factory=dict)

    def free(self, table: str, owner: int) -> list[int]:
        """Rows that no other transaction has changed."""
        return [number for number in self.tables[table] if self.locks.get((table, number), owner) == owner]


@dataclass
class _Work:
    """One transaction on the rows."""

    rows: _Rows
    owner: int
    undo: list[tuple[str, int, Row | None]] = field(default_factory=list)

    def put(self, table: str, number: int, row: Row | None) -> None:
        """Insert, update or (None) delete a row."""
        known = self.rows.tables[table]
        self.undo.append((table, number, known.get(number)))
        self.rows.locks[table, number] = self.owner
        if row is None:
            del known[number]
        else:
            known[number] = row

    def roll_back(self, mark: int = 0) -> None:
        """Take back what was done since a mark."""
        while len(self.undo) > mark:
            table, number, row = self.undo.pop()
            if row is None:
                self.rows.tables[table].pop(number, None)
            else:
                self.rows.tables[table][number] = row

    def end(self) -> None:
        """Free its rows."""
        self.rows.locks = {place: owner for place, owner in self.rows.locks.items() if owner != self.owner}


def text(chance: random.Random, most: int, alphabet: str, encoding: str) -> str:
    """A text of at most `most` bytes."""
    found = "".join(chance.choice(alphabet) for _ in range(chance.choice((0, 1, most, chance.randint(0, most)))))
    while len(found.encode(encoding)) > most:
        found = found[:-1]
    return found


# -- Log Master -----------------------------------------------------------------------------

_BMC_TYPES: tuple[dict[str, Any], ...] = (
    {"type": "INT", "length": 2}, {"type": "INT", "length": 4}, {"type": "INT", "length": 8},
    {"type": "DEC", "length": 9, "scale": 2}, {"type": "DEC", "length": 31, "scale": 31}, {"type": "DEC", "length": 5},
    {"type": "FLOT", "length": 8}, {"type": "FLOT", "length": 4}, {"type": "CHAR", "length": 12, "subtype": "S"},
    {"type": "CHAR", "length": 4, "subtype": "B"}, {"type": "VCHR", "length": 40, "subtype": "S"},
    {"type": "VCHR", "length": 9, "subtype": "B"}, {"type": "LVCH", "length": 50, "subtype": "S"}, {"type": "DATE"},
    {"type": "TIME"}, {"type": "DTTM", "length": 19}, {"type": "DTTM", "length": 26}, {"type": "DTTM", "length": 32},
    {"type": "DTTZ", "length": 32}, {"type": "GRPH", "length": 4}, {"type": "VGRF", "length": 10},
)  # fmt: skip


def _bmc_table(chance: random.Random, number: int) -> BmcTable:
    types = [chance.choice(_BMC_TYPES) for _ in range(chance.randint(1, 8))]
    names = chance.sample(NAMES[1:], len(types))
    columns = [
        BmcColumn(name, nulls=chance.choice("YN"), **type_) for name, type_ in zip(names, types, strict=True)
    ]  # fmt: skip
    key = chance.choice((0, 1))
    columns.insert(chance.randint(0, len(columns)), BmcColumn("ID", "INT", 4, key_seq=key))
    name = f'T"{number}' if chance.random() < 0.3 else f"T{number}"
    return BmcTable(
        0x0105, 2 * number, 2 * number + 1, "PROD", name, tuple(columns), encoding_scheme=chance.choice("EU")
    )


def _bmc_value(chance: random.Random, table: BmcTable, column: BmcColumn) -> Any:
    is_unicode = table.encoding_scheme == "U"
    if column.nullable and chance.random() < 0.2:
        return None
    if column.type in ("CHAR", "VCHR", "LVCH") and column.subtype != "B":
        encoding = logs.ENCODINGS[table.encoding_scheme]
        return text(chance, column.size, UNICODE if is_unicode else LATIN, encoding)
    if column.type in ("GRPH", "VGRF") and is_unicode:
        return text(chance, 2 * column.size, UNICODE, "utf-16-be")
    found = bmc_random.value(chance, replace(column, nulls="N"))
    return found


def bmc_story(seed: int, folder: Path) -> Story:
    """A story as a logical log. Units of recovery commit in another order than that of the file."""
    chance = random.Random(seed)
    tables = {f"{table.owner}.{table.name}": table for table in (_bmc_table(chance, n) for n in (1, 2))}
    numbers = iter(range(1, 10**6))

    def new(name: str) -> Row:
        table = tables[name]
        row = {column.name: _bmc_value(chance, table, column) for column in table.columns}
        return row | {"ID": next(numbers)}

    rows = _Rows({name: {} for name in tables})
    for name, known in rows.tables.items():
        known.update((row["ID"], row) for row in (new(name) for _ in range(chance.randint(0, 6))))
    before = {name: [*known.values()] for name, known in rows.tables.items()}
    done: dict[int, list[tuple[str, str, Row | None, Row | None]]] = {}
    units = [logs.Unit(number, chance.choice(("C", "C", "C", "A", ""))) for number in range(1, 10)]
    for unit in sorted(units, key=lambda unit: unit.commit_lrsn):
        work, steps = _Work(rows, unit.number), done.setdefault(unit.number, [])
        for name, old, row in _steps(chance, rows, work, new):
            steps.append(("I" if old is None else "D" if row is None else "UB", name, old, row))
        if not unit.committed:
            work.roll_back()
        work.end()
    writer = logs.Writer([*tables.values()])

    def write(writer: logs.Writer, units: list[logs.Unit]) -> logs.Example:
        kinds = random.Random(seed)
        for unit in units:
            for change_type, name, old, row in done[unit.number]:
                kind = kinds.choice(("I", "IL")) if change_type == "I" else change_type
                writer.add(unit, tables[name], kind, old, row)
        return writer.example()

    example = write(writer, units)
    # An extract has all of the units that commit before its end.
    by_commit = write(logs.Writer([*tables.values()]), sorted(units, key=lambda unit: unit.commit_lrsn))
    (folder / "a.dat").write_bytes(framing.rdw(example.data_records))
    (folder / "a.ctl").write_bytes(framing.rdw(example.control_records))

    def shown(state: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
        return {name: [writer._shown_row(tables[name], row) or {} for row in found] for name, found in state.items()}

    return Story(
        [str(folder / "a.dat"), "--control", str(folder / "a.ctl")],
        {name: [column.name for column in table.columns] for name, table in tables.items()},
        shown(before), shown({name: [*known.values()] for name, known in rows.tables.items()}),
        {name: any(column.key_seq for column in table.columns) for name, table in tables.items()},
        list(by_commit.data_records), {}, framing.rdw(by_commit.control_records),
    )  # fmt: skip


def _steps(
    chance: random.Random, rows: _Rows, work: _Work, new: Callable[[str], Row], most: int = 5
) -> Iterator[tuple[str, Row | None, Row | None]]:
    """Some changes of one transaction: table, row before, row after."""
    for _ in range(chance.randint(0, most)):
        name = chance.choice([*rows.tables])
        free = rows.free(name, work.owner)
        kind = chance.choice("IUUD") if free else "I"
        old = None if kind == "I" else rows.tables[name][number := chance.choice(free)]
        row = None if kind == "D" else new(name)
        if kind == "U":
            assert old is not None
            assert row is not None
            changed = {column for column in row if chance.random() < (0.1 if column == "ID" else 0.4)}
            row = {column: (row if column in changed else old)[column] for column in row}
        if kind == "U" and row is not None and row["ID"] == number:
            work.put(name, number, row)
        else:
            if old is not None:
                work.put(name, number, None)
            if row is not None:
                work.put(name, row["ID"], row)
        yield name, old, row


# -- Db2 LUW --------------------------------------------------------------------------------

_DB2_TYPES = (
    "SMALLINT", "INTEGER", "BIGINT", "DECIMAL(9,2)", "DECIMAL(31,31)", "DECIMAL(5,0)", "REAL", "DOUBLE", "CHAR(12)",
    "CHAR(4) FOR BIT DATA", "VARCHAR(40)", "VARCHAR(9) FOR BIT DATA", "GRAPHIC(4)", "VARGRAPHIC(10)", "DATE", "TIME",
    "TIMESTAMP(0)", "TIMESTAMP(6)", "TIMESTAMP(12)",
)  # fmt: skip
_DB2_LATER_TYPES = ("DECFLOAT(16)", "DECFLOAT(34)", "BOOLEAN", "BINARY(4)", "VARBINARY(9)", "CLOB(1K)", "BLOB(1K)",
                    "DBCLOB(1K)")  # fmt: skip
"""Types of versions whose rows may have LOB values in them."""


def _db2_table(chance: random.Random, number: int, types: tuple[str, ...]) -> Db2Table:
    count = chance.randint(1, 8)
    columns = [
        Db2Column(name, chance.choice(types), nullable=chance.random() < 0.5)
        for name in chance.sample(NAMES[1:], count)
    ]  # fmt: skip
    columns.insert(chance.randint(0, count), Db2Column("ID", "INTEGER", nullable=False))
    return Db2Table(2, 3 + number, f"T{number}", tuple(columns), value_compression=chance.random() < 0.3)


def _db2_value(chance: random.Random, column: Db2Column) -> Any:
    if column.nullable and chance.random() < 0.2:
        return None
    word, size = column.word, column.max_bytes
    if word in ("SMALLINT", "INTEGER", "BIGINT"):
        top = 1 << 8 * size - 1
        return chance.choice((0, 1, -1, top - 1, -top, chance.randrange(-top, top)))
    if word == "DECIMAL":
        return bmc_random.digits(chance, column.length, column.scale)
    if word == "DECFLOAT":
        return chance.choice((Decimal("0"), Decimal("1.50"), Decimal("-7E+80"), Decimal("1234567890123456E-20")))
    if word in ("REAL", "DOUBLE"):
        return chance.choice((0.0, 1.0, -118.625, 1.5e30, 0.1 if word == "DOUBLE" else 0.5))
    if word == "BOOLEAN":
        return chance.random() < 0.5
    if word in ("DATE", "TIME", "TIMESTAMP"):
        found = bmc_random.moment(chance, column.length if word == "TIMESTAMP" else 0)
        return found[:10] if word == "DATE" else found[11:] if word == "TIME" else found
    if column.bit_data:
        return chance.randbytes(size if not column.variable else chance.choice((0, 1, min(size, 60))))
    encoding = "utf-16-be" if word in ("GRAPHIC", "VARGRAPHIC", "DBCLOB") else "utf-8"
    return text(chance, min(size, 90), UNICODE, encoding)


def db2_story(seed: int, folder: Path) -> Story:
    """A story as log records of Db2 LUW: transactions side by side, savepoints, aborts, one that stays open."""
    chance = random.Random(seed)
    generation = chance.choice(("v7", "v9.7", "v10"))
    types = _DB2_TYPES if generation == "v7" else _DB2_TYPES + _DB2_LATER_TYPES
    named = {f"{table.schema}.{table.name}": table for table in (_db2_table(chance, n, types) for n in (1, 2))}
    numbers = iter(range(1, 10**6))

    def new(name: str) -> Row:
        row = {column.name: _db2_value(chance, column) for column in named[name].columns}
        return row | {"ID": next(numbers)}

    rows = _Rows({name: {} for name in named})
    for name, known in rows.tables.items():
        known.update((row["ID"], row) for row in (new(name) for _ in range(chance.randint(0, 6))))
    before = {name: [*known.values()] for name, known in rows.tables.items()}
    framings = {"v7": ("bare", "lsn6"), "v9.7": ("bare", "lsn8", "filter97"), "v10": ("bare", "lsn8", "filter")}
    stream = Stream(generation, chance.choice(BYTE_ORDERS), chance.choice(framings[generation]))
    running = {}
    for owner in range(1, 9):
        running[owner] = stream.begin(f"USER{owner}"), _Work(rows, owner)
        for number in chance.sample([*running], len(running)):
            unit, work = running[number]
            mark = unit.mark(), len(work.undo)
            for name, old, row in _steps(chance, rows, work, new, 3):
                if old is None:
                    unit.insert(named[name], row or {})
                elif row is None:
                    unit.delete(named[name], old)
                else:
                    unit.update(named[name], old, row)
            if chance.random() < 0.2:
                unit.rollback_to(mark[0])
                work.roll_back(mark[1])
        for number in [number for number in running if chance.random() < 0.4]:
            unit, work = running.pop(number)
            if chance.random() < 0.25:
                work.roll_back()
                unit.abort()
            else:
                unit.commit()
            work.end()
    for _, work in running.values():  # their end is not in the log
        work.roll_back()
    keyed = {name: chance.random() < 0.5 for name in named}
    entries = [
        {
            "tablespace_id": table.tablespace_id, "table_id": table.table_id, "schema": table.schema,
            "name": table.name, "key": ["ID"] * keyed[name],
            "columns": [{"name": one.name, "type": one.type, "nullable": one.nullable} for one in table.columns],
        }
        for name, table in named.items()
    ]  # fmt: skip
    (folder / "a.log").write_bytes(stream.bytes())
    (folder / "a.yaml").write_bytes(to_yaml({"tables": entries}))

    def shown(state: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
        return {
            name: [{one.name: json_value(one, row[one.name]) for one in named[name].columns} for row in found]
            for name, found in state.items()
        }

    return Story(
        [str(folder / "a.log"), "--tables", str(folder / "a.yaml"), "--spec", "db2_log"],
        {name: [column.name for column in table.columns] for name, table in named.items()},
        shown(before), shown({name: [*known.values()] for name, known in rows.tables.items()}), keyed,
        stream.pieces(), {"tables": str(folder / "a.yaml"), "spec": "db2_log"},
    )  # fmt: skip


STORIES: dict[str, Callable[[int, Path], Story]] = {"bmc": bmc_story, "db2": db2_story}
