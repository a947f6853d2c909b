"""Histories of tables as logs of Db2 LUW."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from writers.db2 import tables
from writers.db2.columns import Column
from writers.db2.framing import Framing
from writers.db2.stream import Stream, Transaction
from writers.db2.wire import ByteOrder, Generation

from random_logs.landed_columns import Field, kinds_for
from random_logs.landed_history import ADDED, COUNTS, Event, History, Wish

FORMS: tuple[tuple[Generation, ByteOrder, Framing], ...] = (
    ("v10", "little", "filter"), ("v10", "big", "lsn8"), ("v10", "little", "bare"), ("v10", "big", "filter"),
    ("v9.7", "big", "filter97"), ("v9.7", "little", "lsn8"), ("v7", "big", "lsn6"),
)  # fmt: skip
_FIRST_COMMIT, _BETWEEN_COMMITS = datetime(2026, 3, 14, 10), timedelta(hours=7)


@dataclass
class Db2Log:
    """A log, and what was asked for when it was made."""

    history: History
    stream: Stream
    options: dict[str, Any]
    commits: dict[int, datetime] = field(default_factory=dict)
    """The time of the commit of each transaction."""

    def files(self, chance: random.Random, folder: Path) -> list[Path]:
        """The log in one to seven files, which may have records of the file before too."""
        pieces = self.stream.pieces()
        count = min(chance.choice(COUNTS), len(pieces))
        places = [0, *sorted(chance.sample(range(1, len(pieces)), count - 1)), len(pieces)]
        overlap = chance.choice((0, 0, 3))
        found = []
        for number, (start, end) in enumerate(pairwise(places)):
            found.append(folder / f"{number}.log")
            found[-1].write_bytes(b"".join(pieces[max(start - overlap, 0) : end]))
        return found


def wish(chance: random.Random, generation: Generation) -> Wish:
    """What a history of a generation may have."""
    begins = chance.choice(("created", "created", "known", "unknown"))
    return Wish(
        tuple(kinds_for("db2", generation)), chance.choice((1, 1, 2)), chance.choice((12, 25, 45)), begins=begins
    )


def db2_log(chance: random.Random, folder: Path) -> Db2Log:
    """A random log, and the tables file for it."""
    form = chance.choice(FORMS)
    history = History(chance, wish(chance, form[0]))
    writer = _Writer(history, Stream(*form))
    for event in history.events:
        writer.write(event)
    path = folder / "t.yaml"
    path.write_text(_tables_file(history))
    options = {
        "spec": "db2_log", "tables": str(path), "framing": form[2], "generation": form[0], "byte_order": form[1],
    }  # fmt: skip
    return Db2Log(history, writer.stream, options, writer.commits)


def _table(history: History, number: int, fields: Iterable[Field]) -> tables.Table:
    """A table with some columns."""
    columns = tuple(Column(one.name, one.kind.db2, nullable=one.is_nullable) for one in fields)
    return tables.Table(2, 5 + number, history.tables[number].name, columns)


def _first_table(history: History, number: int) -> tables.Table:
    """A table as it is at the beginning."""
    fields = history.tables[number].fields
    return _table(history, number, [one for one in fields if not one.name.startswith(ADDED)])


class _Writer:
    """Events as log records."""

    def __init__(self, history: History, stream: Stream) -> None:
        self._history, self.stream = history, stream
        self._tables = [_first_table(history, number) for number in range(len(history.tables))]
        self._units: dict[int, Transaction] = {}
        self._marks: dict[int, int] = {}
        self.commits: dict[int, datetime] = {}

    def write(self, event: Event) -> None:
        """Write one event."""
        if event.kind == "flush":
            self.stream.flush()
            return
        if event.kind == "begin":
            self._units[event.unit] = self.stream.begin()
            return
        self._in_unit(event, self._units[event.unit])

    def _in_unit(self, event: Event, unit: Transaction) -> None:
        table = self._tables[event.table]
        if event.kind == "commit":
            time = _FIRST_COMMIT + len(self.commits) * _BETWEEN_COMMITS
            self.commits[event.unit] = unit.commit(at=time)
        elif event.kind == "abort":
            unit.abort()
        elif event.kind == "mark":
            self._marks[event.unit] = unit.mark()
        elif event.kind == "rollback":
            unit.rollback_to(self._marks[event.unit])
        elif event.kind == "truncate":
            unit.truncate(table)
        elif event.kind == "drop":
            unit.drop_table(table)
        elif event.kind == "create":
            unit.create_table(table)
        elif event.kind == "describe":
            unit.initialize(table)
        elif event.kind == "add column":
            added = _table(self._history, event.table, event.columns).columns[len(table.columns) :]
            self._tables[event.table] = unit.add_columns(table, *added)
        else:
            self._row(event, unit, table)

    def _row(self, event: Event, unit: Transaction, table: tables.Table) -> None:
        if event.after is None:
            assert event.before is not None
            unit.delete(table, event.before.values)
        elif event.before is None:
            unit.insert(table, event.after.values)
        else:
            unit.update(table, event.before.values, event.after.values)


def _tables_file(history: History) -> str:
    """The tables as they are at the end."""
    return "tables:\n" + "".join(_described(history, number) for number in range(len(history.tables)))


def _described(history: History, number: int) -> str:
    table = _table(history, number, history.tables[number].fields)
    columns = ", ".join(
        f"{{name: {one.name}, type: '{one.type}', nullable: {str(one.nullable).lower()}}}" for one in table.columns
    )
    ids = f"tablespace_id: {table.tablespace_id}, table_id: {table.table_id}"
    key = ", ".join(history.tables[number].key)
    return f"  - {{{ids}, schema: PROD, name: {table.name}, key: [{key}], columns: [{columns}]}}\n"
