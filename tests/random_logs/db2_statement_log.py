"""Random statements of transactions side by side, which hold locks as a database does, written as a Db2 LUW log.

What each statement changes is known from the rows that were given to the writer. A table that a transaction creates,
drops, alters or truncates is its own until it ends; other tables may be changed by several, each with its own rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from random import Random
from typing import Any, get_args

from writers.db2.columns import Column
from writers.db2.scripts import Form
from writers.db2.stream import CommitKind, Stream, Transaction
from writers.db2.tables import Table
from writers.db2.values import External, Value

_TYPES = (
    "INTEGER", "VARCHAR(30)", "DECIMAL(9,2)", "DATE", "CHAR(5)", "BIGINT", "DOUBLE", "TIMESTAMP(6)", "SMALLINT", "REAL",
    "TIME", "VARBINARY(8)", "TIMESTAMP(12)", "DECFLOAT(16)", "VARGRAPHIC(6)",
)  # fmt: skip
_LOB_TYPES = ("CLOB(1M)", "BLOB(1M)")
_TABLES = 3
_MOST_OPEN = 3
_WEIGHTS: dict[str, float] = {
    "define": 12, "add columns": 10, "drop columns": 4, "drop": 3, "truncate": 2, "insert": 24, "insert many": 6,
    "update": 16, "delete": 8, "singular": 3, "savepoint": 9, "end": 10,
}  # fmt: skip
_IN_SAVEPOINTS = (
    "define", "add columns", "drop columns", "drop", "insert", "insert", "insert many", "update", "update", "delete",
)  # fmt: skip
_KINDS: tuple[CommitKind, ...] = get_args(CommitKind)
_PROOF = Table(2, 40, "PROOF", (Column("ID", "INTEGER", nullable=False), Column("L", "CLOB(1M)")))


@dataclass(eq=False)
class _Session:
    """A transaction and what takes its statements back, in the model."""

    unit: Transaction
    undo: list[Callable[[], None]] = field(default_factory=list)
    is_irreversible: bool = False
    has_lob: bool = False
    """Whether a row of it has a value outside, also if that was taken back."""

    def undo_from(self, mark: int) -> None:
        while len(self.undo) > mark:
            self.undo.pop()()


@dataclass(eq=False)
class _Row:
    values: dict[str, Value]
    owner: _Session | None
    """The open transaction that has written it."""


@dataclass(eq=False)
class Life:
    """A table from the record that describes it first up to the one that describes another under its ids."""

    described: int


@dataclass(eq=False)
class _Place:
    """A table that may be there, its rows, and the transactions that have locked it."""

    number: int
    table: Table | None = None
    life: Life = field(default_factory=lambda: Life(0))
    rows: list[_Row] = field(default_factory=list)
    definer: _Session | None = None
    writers: list[_Session] = field(default_factory=list)

    def may_define(self, session: _Session) -> bool:
        return self.may_change(session) and all(one is session for one in self.writers)

    def may_change(self, session: _Session | None) -> bool:
        return self.definer is None or self.definer is session

    def release(self, session: _Session) -> None:
        self.definer = None if self.definer is session else self.definer
        self.writers = [one for one in self.writers if one is not session]
        for row in self.rows:
            row.owner = None if row.owner is session else row.owner

    def put(self, table: Table | None, life: Life, rows: list[_Row]) -> None:
        self.table, self.life, self.rows = table, life, rows


class StatementLog:
    """Writes one log."""

    def __init__(self, chance: Random, form: Form) -> None:
        self.chance, self.form = chance, form
        self.is_v7 = form.generation == "v7"
        first = chance.choice((0, 1)) if form.generation == "v10" else 0
        self.stream = Stream(form.generation, form.byte_order, form.framing, lob_columns_from=first)
        self.options: dict[str, Any] = {
            "framing": form.framing, "byte_order": form.byte_order, "generation": form.generation,
        }  # fmt: skip
        self.lob_columns_from = first
        if first:
            self._say_where_columns_begin()
        self.first = len(self.stream.records)
        """Number of the first record of a statement."""
        self.lives: dict[int, Life] = {}
        """The tables of the rows that are changed, by numbers of records."""
        self.places = [_Place(number) for number in range(_TABLES)]
        self.open: list[_Session] = []
        self._ended: list[bytes] = []
        self._number = 0

    def write(self, statements: int) -> Stream:
        for _ in range(statements):
            self._step()
        for session in list(self.open):
            if self.chance.random() < 0.7:
                self._commit(session)
        return self.stream

    def _say_where_columns_begin(self) -> None:
        """LOB records count columns from 1: an option says so, or a value of the last column, which has no number from
        0."""
        if self.chance.random() < 0.5:
            self.options["decisions"] = "lob_columns_from=1"
            return
        unit = self.stream.begin()
        unit.initialize(_PROOF)
        unit.insert(_PROOF, {"ID": 1}, lobs={"L": "a value of the second column"})
        unit.commit()

    def _step(self) -> None:
        chance = self.chance
        if self.form.generation == "v10" and chance.random() < 0.15:
            self.stream.flush()
        if not self.open or (len(self.open) < _MOST_OPEN and chance.random() < 0.3):
            self.open.append(self._begin())
        session = chance.choice(self.open)
        (word,) = chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))
        self._do(session, word)

    def _begin(self) -> _Session:
        unit = self.stream.begin(self.chance.choice(("ALICE", "BOB")))
        if self._ended and self.chance.random() < 0.2:
            unit.tid = self._ended.pop(self.chance.randrange(len(self._ended)))
        return _Session(unit)

    def _do(self, session: _Session, word: str) -> None:
        place = self.chance.choice(self.places)
        self._number += 1
        if word == "end":
            self._end(session)
        elif word == "savepoint":
            self._savepoint(session)
        elif place.table is None or word in _DEFINITIONS:
            if place.may_define(session):
                _DEFINITIONS.get(word if place.table else "define", StatementLog._define)(self, session, place)
        elif place.may_change(session):
            first = len(self.stream.records)
            _CHANGES[word](self, session, place, place.table)
            self.lives |= dict.fromkeys(range(first, len(self.stream.records)), place.life)

    # -- tables ---------------------------------------------------------------------------

    def _put(self, session: _Session, place: _Place, table: Table | None, life: Life, rows: list[_Row]) -> None:
        """A table is from now on another one, until the transaction is taken back."""
        session.undo.append(partial(place.put, place.table, place.life, place.rows))
        place.definer = session
        place.put(table, life, rows)

    def _define(self, session: _Session, place: _Place) -> None:
        unit, table, is_dropped = session.unit, self._new_table(place.number), False
        if place.table is not None and self.chance.random() < 0.5:
            unit.drop_table(place.table)
            is_dropped = True
        # Without a record that creates it or drops the one before, none shows that it is taken back.
        is_free = place.table is None and place.definer is None
        if self._is_in_savepoint or not (is_dropped or is_free) or self.chance.random() < 0.6:
            unit.create_table(table)
        life = Life(len(self.stream.records))
        unit.initialize(table)
        if self.chance.random() < 0.3:
            unit.statement(table, f"create table t{self._number} (…)")
        self._put(session, place, table, life, [])

    def _add_columns(self, session: _Session, place: _Place) -> None:
        assert place.table is not None
        types = (*_TYPES, *_LOB_TYPES)
        columns = [
            Column(f"A{self._number}_{number}", self.chance.choice(types))
            for number in range(self.chance.choice((1, 2)))
        ]
        self._put(session, place, session.unit.add_columns(place.table, *columns), place.life, list(place.rows))

    def _drop_columns(self, session: _Session, place: _Place) -> None:
        """What is left has other columns, which only the next record says, with the columns that it adds."""
        assert place.table is not None
        if not self.is_v7:
            names = [column.name for column in place.table.columns if column.name != "ID"]
            dropped = self.chance.sample(names, self.chance.randrange(len(names) + 1))
            self._put(session, place, session.unit.drop_columns(place.table, *dropped), Life(-1), [])
            place.life.described = len(self.stream.records)
            self._add_columns(session, place)

    def _drop(self, session: _Session, place: _Place) -> None:
        assert place.table is not None
        session.unit.drop_table(place.table)
        self._put(session, place, None, Life(len(self.stream.records)), [])

    def _truncate(self, session: _Session, place: _Place) -> None:
        assert place.table is not None
        if not self._is_in_savepoint:
            session.unit.truncate(place.table)
            session.is_irreversible = True
            self._put(session, place, place.table, place.life, [])

    def _new_table(self, number: int) -> Table:
        chance = self.chance
        columns = [Column("ID", "INTEGER", nullable=False)]
        columns += [
            Column(f"X{self._number}_{n}", chance.choice(_TYPES), nullable=chance.random() < 0.7)
            for n in range(chance.randrange(1, 5))
        ]
        for name in ("L", "M"):
            if chance.random() < 0.5:
                lob = Column(name, chance.choice(_LOB_TYPES), logged=chance.random() < 0.9)
                columns.insert(chance.randrange(len(columns) + 1), lob)
        return Table(2, 4 + number, f"T{number}", tuple(columns), value_compression=chance.random() < 0.25)

    # -- rows -----------------------------------------------------------------------------

    def _insert(self, session: _Session, place: _Place, table: Table) -> None:
        row, lobs = self._row(table, session)
        is_empty_page = not self.is_v7 and self.chance.random() < 0.1
        session.unit.insert(table, row, lobs=lobs, empty_page=is_empty_page)
        self._replace(session, place, None, _with_descriptors(row, lobs))

    def _insert_many(self, session: _Session, place: _Place, table: Table) -> None:
        if self.is_v7:
            return
        rows = [self._row(table, None)[0] for _ in range(self.chance.choice((1, 2, 5)))]
        session.unit.insert_many(table, rows)
        for row in rows:
            self._replace(session, place, None, row)

    def _update(self, session: _Session, place: _Place, table: Table) -> None:
        old = self._chosen(session, place)
        if old is not None:
            row, lobs = self._row(table, session)
            for name in [name for name, value in old.values.items() if isinstance(value, External)]:
                if name not in lobs and self._may_be_outside(session) and self.chance.random() < 0.5:
                    row[name], session.has_lob = External(), True
            session.unit.update(table, old.values, row, lobs=lobs)
            self._replace(session, place, old, _with_descriptors(row, lobs))

    def _delete(self, session: _Session, place: _Place, table: Table) -> None:
        old = self._chosen(session, place)
        if old is not None:
            session.unit.delete(table, old.values, empty_page=not self.is_v7 and self.chance.random() < 0.1)
            self._replace(session, place, old, None)

    def _singular(self, session: _Session, place: _Place, table: Table) -> None:
        """A row of a transaction that is over with it; only of a table that no open one has defined."""
        if place.definer is None:
            row, _ = self._row(table, None)
            self.stream.begin(singular=True).insert(table, row)
            place.rows.append(_Row(row, None))

    def _chosen(self, session: _Session, place: _Place) -> _Row | None:
        own = [row for row in place.rows if row.owner is None or row.owner is session]
        return self.chance.choice(own) if own else None

    def _replace(self, session: _Session, place: _Place, old: _Row | None, new: dict[str, Value] | None) -> None:
        """A row of a table gives way to another one, and is back if the transaction is taken back."""
        if session not in place.writers:
            place.writers.append(session)
        rows, row = place.rows, None if new is None else _Row(new, session)
        if old is not None:
            rows.remove(old)
        if row is not None:
            rows.append(row)
        session.undo.append(partial(_undo_row, rows, old, row))

    def _may_be_outside(self, session: _Session) -> bool:
        """Before 10.1, LOB records name neither column nor row: values are null where several rows of a transaction
        have descriptors."""
        return self.form.generation == "v10" or not session.has_lob

    def _row(self, table: Table, session: _Session | None) -> tuple[dict[str, Value], dict[str, str | bytes]]:
        """Values of a row, and those of them that are outside of it, by column; without a session, none."""
        row: dict[str, Value] = {}
        lobs: dict[str, str | bytes] = {}
        for column in table.columns:
            if not column.lob:
                row[column.name] = self._value(column)
            elif session is not None and self._may_be_outside(session) and self.chance.random() < 0.6:
                lobs[column.name], session.has_lob = self._large(column), True
            elif column.nullable and (self.is_v7 or self.chance.random() < 0.6):
                row[column.name] = None
            else:
                row[column.name] = self._inline(column)
        return row, lobs

    def _value(self, column: Column) -> Value:
        if column.nullable and self.chance.random() < 0.25:
            return None
        return _VALUES[column.type](self.chance, self._number)

    def _large(self, column: Column) -> str | bytes:
        text = f"{column.name}å{self._number} " * self.chance.choice((1, 20, 2000, 9000))
        return text if column.word == "CLOB" else text.encode()

    def _inline(self, column: Column) -> str | bytes:
        text = f"inline {self._number}" * self.chance.randrange(3)
        return text if column.word == "CLOB" else text.encode()

    # -- ends -----------------------------------------------------------------------------

    _is_in_savepoint = False

    def _savepoint(self, session: _Session) -> None:
        """Statements that are taken back, while the transaction goes on."""
        unit_mark, mark = session.unit.mark(), len(session.undo)
        self._is_in_savepoint = True
        for _ in range(self.chance.choice((1, 1, 2, 4))):
            self._do(session, self.chance.choice(_IN_SAVEPOINTS))
        self._is_in_savepoint = False
        session.unit.rollback_to(unit_mark)
        session.undo_from(mark)

    def _end(self, session: _Session) -> None:
        if session.is_irreversible or self.chance.random() < 0.7:
            self._commit(session)
        else:
            session.unit.abort(heuristic=self.chance.random() < 0.2)
            session.undo_from(0)
            self._close(session)

    def _commit(self, session: _Session) -> None:
        kind = self.chance.choice(_KINDS) if self.chance.random() < 0.2 else "normal"
        # Of version 7, what a local pending list has behind its time is not read.
        session.unit.commit("normal" if self.is_v7 and kind == "local_pending_list" else kind)
        self._close(session)

    def _close(self, session: _Session) -> None:
        self.open.remove(session)
        self._ended.append(session.unit.tid)
        for place in self.places:
            place.release(session)


def _undo_row(rows: list[_Row], old: _Row | None, new: _Row | None) -> None:
    if new is not None:
        rows.remove(new)
    if old is not None:
        rows.append(old)


def _with_descriptors(row: dict[str, Value], lobs: dict[str, str | bytes]) -> dict[str, Value]:
    """What a row holds of its values."""
    return {**row, **dict.fromkeys(lobs, External())}


_DEFINITIONS: dict[str, Callable[[StatementLog, _Session, _Place], None]] = {
    "define": StatementLog._define, "add columns": StatementLog._add_columns,
    "drop columns": StatementLog._drop_columns, "drop": StatementLog._drop,
    "truncate": StatementLog._truncate,
}  # fmt: skip
_CHANGES: dict[str, Callable[[StatementLog, _Session, _Place, Table], None]] = {
    "insert": StatementLog._insert, "insert many": StatementLog._insert_many, "update": StatementLog._update,
    "delete": StatementLog._delete, "singular": StatementLog._singular,
}  # fmt: skip
_VALUES: dict[str, Callable[[Random, int], Value]] = {
    "INTEGER": lambda chance, number: chance.choice((number, -number, 2**31 - 1, -(2**31))),
    "SMALLINT": lambda chance, number: chance.choice((number % 1000, -1, -(2**15))),
    "BIGINT": lambda chance, number: -number << 33,
    "VARCHAR(30)": lambda chance, number: "åz " * chance.randrange(8),
    "VARBINARY(8)": lambda chance, number: bytes(chance.randrange(256) for _ in range(chance.randrange(8))),
    "VARGRAPHIC(6)": lambda chance, number: "日本" * chance.randrange(4),
    "CHAR(5)": lambda chance, number: f"{number % 10000}",
    "DECIMAL(9,2)": lambda chance, number: chance.choice((-1, 1)) * Decimal(number) / 4,
    "DECFLOAT(16)": lambda chance, number: Decimal(number) / 8,
    "DOUBLE": lambda chance, number: -number / 8,
    "REAL": lambda chance, number: number / 8,
    "DATE": lambda chance, number: f"20{chance.randrange(10, 99)}-0{chance.randrange(1, 10)}-1{chance.randrange(10)}",
    "TIME": lambda chance, number: f"{chance.randrange(24):02}:{number % 60:02}:59",
    "TIMESTAMP(6)": lambda chance, number: f"2026-03-14T10:11:{number % 60:02}.{chance.randrange(10**6):06}",
    "TIMESTAMP(12)": lambda chance, number: f"2026-03-14T10:11:{number % 60:02}.{chance.randrange(10**12):012}",
}  # fmt: skip
