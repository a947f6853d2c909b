"""Histories of tables: transactions with locks, as events that a log is written of, and the rows that they leave."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from random_logs.landed_columns import KINDS, Field, Values, key_fields, keys

MOST_OPEN = 3
COUNTS = (1, 2, 3, 3, 4, 7)
"""Files that a log is cut into."""
ADDED = "N"
"""Names of columns that a table gets later begin with it."""
OPERATIONS = {"insert": "I", "update": "U", "delete": "D", "truncate": "T"}
"""Operations of changes by the kind of the event."""
Rows = dict[int, "Row"]
"""Rows by the number of their key in the pool of a table."""


@dataclass(frozen=True)
class Row:
    """A row: its values, and what a target can know of it."""

    values: Values
    is_seen: bool = True
    """Whether a change of it is in the log, or the target began with it."""
    unit: int = -1
    """The transaction of its last change."""


@dataclass(frozen=True)
class Event:
    """One thing that happens in a transaction."""

    kind: str
    unit: int
    table: int = 0
    before: Row | None = None
    after: Row | None = None
    columns: tuple[Field, ...] = ()
    """Of the table from now on, where it is created or gets columns."""


@dataclass
class Table:
    """One table, and its rows as they are committed."""

    name: str
    fields: tuple[Field, ...]
    pool: list[list[Values]]
    """Keys, each as values that are equal in Db2."""
    is_described: bool = True
    """Whether the log describes it wherever it has rows, so that it may get columns."""
    rows: Rows = field(default_factory=dict)
    first: Rows = field(default_factory=dict)
    """The rows before the log."""

    @property
    def key(self) -> list[str]:
        """Names of the columns of the key."""
        return [one.name for one in self.fields if one.is_key]


@dataclass(frozen=True)
class Wish:
    """What a history may have."""

    kinds: tuple[str, ...]
    """Types of columns."""
    tables: int = 1
    steps: int = 30
    drops: bool = True
    """Whether tables are dropped and created again, and get columns."""
    begins: str = "created"
    """`created` in the log, `known`: the target begins with rows, `unknown`: rows before the log are not known."""


@dataclass
class _Unit:
    """An open transaction: what it has done to rows, None for those that it has deleted."""

    number: int
    own: dict[tuple[int, int], Row | None] = field(default_factory=dict)


class History:
    """Random transactions on some tables."""

    def __init__(self, chance: random.Random, wish: Wish) -> None:
        self.chance, self.wish = chance, wish
        self.events: list[Event] = []
        self._open: list[_Unit] = []
        self._locks: dict[tuple[int, int], int] = {}
        self._units = self._steps = 0
        self._is_same = chance.random() < 0.35
        """Whether rows are equal in all but the key."""
        self.tables = [self._table(number) for number in range(wish.tables)]
        if wish.begins == "created" and wish.drops:
            self._in_one(lambda unit: [self._create(unit, number, "both") for number in range(wish.tables)])
        if wish.begins == "known" and chance.random() < 0.4:
            self._whole_table()  # what a target began with is emptied before a row of it changes
        for _ in range(wish.steps):
            self._step()
        if not any(event.kind in OPERATIONS for event in self.events):
            self._in_one(lambda unit: self._one_row(unit, 0))
        for unit in [*self._open]:
            self._end(unit, self.chance.choice(("commit", "commit", "commit", "abort", "")))

    # -- tables ---------------------------------------------------------------------------------

    def _table(self, number: int) -> Table:
        chance, wish = self.chance, self.wish
        key = key_fields(chance, wish.kinds)
        fields = [*key, *(Field(f"V{n}", KINDS[chance.choice(wish.kinds)], is_nullable=True) for n in range(2))]
        chance.shuffle(fields)
        pool = keys(chance, [one for one in fields if one.is_key])
        found = Table("TU"[number], tuple(fields), pool, is_described=wish.begins == "created")
        if wish.begins != "created":
            for place in range(len(pool)):
                if chance.random() < 0.7:
                    found.first[place] = self._first_row(found, place)
            found.rows = dict(found.first)
        return found

    def _first_row(self, table: Table, place: int) -> Row:
        is_known = self.wish.begins == "known"
        values = {one.name: self._value(one) for one in table.fields} | table.pool[place][0]
        return Row(values, is_seen=is_known)

    def _value(self, one: Field) -> Any:
        if one.is_nullable and self.chance.random() < 0.2:
            return None
        return one.kind.values[0][0] if self._is_same else self.chance.choice(one.kind.values)[0]

    def _create(self, unit: _Unit, number: int, said: str = "") -> None:
        """A table in the log: its object and its description, or one of them."""
        table = self.tables[number]
        said = said or self.chance.choice(("both", "both", "create", "describe"))
        table.is_described &= said != "create"
        if said != "describe":
            self._event("create", unit, number, columns=table.fields)
        if said != "create":
            self._event("describe", unit, number, columns=table.fields)

    # -- transactions ---------------------------------------------------------------------------

    def _event(self, kind: str, unit: _Unit, table: int = 0, before: Row | None = None, after: Row | None = None,
               columns: tuple[Field, ...] = ()) -> None:  # fmt: skip
        self.events.append(Event(kind, unit.number, table, before, after, columns))

    def _begin(self) -> _Unit:
        unit = _Unit(self._units)
        self._units += 1
        self._open.append(unit)
        self._event("begin", unit)
        return unit

    def _in_one(self, work: Callable[[_Unit], Any], end: str = "commit") -> None:
        """A transaction of its own."""
        unit = self._begin()
        work(unit)
        self._end(unit, end)

    def _end(self, unit: _Unit, kind: str) -> None:
        """End a transaction; without a kind its end is not in the log."""
        if kind:
            self._event(kind, unit)
        if kind == "commit":
            for (number, place), row in unit.own.items():
                if row is None:
                    self.tables[number].rows.pop(place, None)
                else:
                    self.tables[number].rows[place] = row
        self._open.remove(unit)
        self._locks = {place: owner for place, owner in self._locks.items() if owner != unit.number}

    def _step(self) -> None:
        chance = self.chance
        self._steps += 1
        if chance.random() < 0.3:
            self.events.append(Event("flush", -1))
        draw = chance.random()
        if draw < 0.1 and self._whole_table():
            return
        if len(self._open) < MOST_OPEN and (not self._open or chance.random() < 0.4):
            self._begin()
        unit = chance.choice(self._open)
        if draw > 0.86:
            self._end(unit, chance.choice(("commit", "commit", "commit", "commit", "abort")))
            return
        number = chance.randrange(len(self.tables))
        mark = dict(unit.own) if chance.random() < 0.15 else None
        if mark is not None:
            self._event("mark", unit)
        for _ in range(chance.choice((1, 1, 2))):
            self._one_row(unit, number)
        if mark is not None:
            self._event("rollback", unit)
            unit.own = mark

    # -- rows -----------------------------------------------------------------------------------

    def _free(self, unit: _Unit, number: int) -> list[int]:
        """Keys that no other transaction has locked."""
        places = range(len(self.tables[number].pool))
        return [place for place in places if self._locks.get((number, place), unit.number) == unit.number]

    def _row(self, unit: _Unit, number: int, place: int) -> Row | None:
        return unit.own[number, place] if (number, place) in unit.own else self.tables[number].rows.get(place)

    def _lock(self, unit: _Unit, number: int, *places: int) -> None:
        for place in places:
            self._locks[number, place] = unit.number

    def _one_row(self, unit: _Unit, number: int) -> None:
        """A statement on one row."""
        chance, free = self.chance, self._free(unit, number)
        if not free:
            return
        place = chance.choice(free)
        self._lock(unit, number, place)
        row = self._row(unit, number, place)
        if row is None:
            self._insert(unit, number, place)
        elif chance.random() < 0.3:
            self._event("delete", unit, number, row, None)
            unit.own[number, place] = None
        else:
            to = chance.choice(free) if chance.random() < 0.4 else place
            to = to if self._row(unit, number, to) is None else place
            self._lock(unit, number, to)
            new = self._updated(unit, number, row, to, is_moved=to != place)
            self._event("update", unit, number, row, new)
            unit.own[number, place] = None
            unit.own[number, to] = new

    def _insert(self, unit: _Unit, number: int, place: int) -> None:
        table = self.tables[number]
        values = {one.name: self._value(one) for one in table.fields} | self.chance.choice(table.pool[place])
        row = Row(values, unit=unit.number)
        self._event("insert", unit, number, None, row)
        unit.own[number, place] = row

    def _updated(self, unit: _Unit, number: int, row: Row, to: int, *, is_moved: bool) -> Row:
        """A row behind an update, with another key, other values, or both."""
        table, chance = self.tables[number], self.chance
        values = dict(row.values)
        if chance.random() < 0.6:
            values |= {one.name: self._value(one) for one in table.fields if not one.is_key and chance.random() < 0.6}
        if is_moved or chance.random() < 0.1:
            values |= chance.choice(table.pool[to])
        return Row(values, unit=unit.number)

    # -- tables as a whole ----------------------------------------------------------------------

    def _whole_table(self) -> bool:
        """Empty a table, drop it and create it again, or add a column; not while a transaction has changed it."""
        chance, number = self.chance, self.chance.randrange(len(self.tables))
        if any(owner[0] == number for owner in self._locks):
            return False
        draw = chance.random()
        if not self.wish.drops or draw < 0.35:
            self._in_one(lambda unit: self._emptied(unit, number, "truncate"))
        elif draw < 0.5 and self.tables[number].is_described and len(self.tables[number].fields) < 8:
            self._add_column(number)
        elif draw < 0.6:
            self._in_one(lambda unit: self._event("drop", unit, number), "abort")
        elif draw < 0.65:
            self._in_one(lambda unit: (self._event("drop", unit, number), self._create(unit, number)), "abort")
        else:
            self._drop(number)
        return True

    def _emptied(self, unit: _Unit, number: int, kind: str) -> None:
        self._event(kind, unit, number)
        self.tables[number].rows.clear()
        self._some(unit, number)

    def _some(self, unit: _Unit, number: int) -> None:
        for _ in range(self.chance.choice((0, 0, 1, 3))):
            self._one_row(unit, number)

    def _drop(self, number: int) -> None:
        def create(unit: _Unit) -> None:
            self._create(unit, number)
            self.tables[number].rows.clear()
            self._some(unit, number)

        if self.chance.random() < 0.5:
            self._in_one(lambda unit: (self._event("drop", unit, number), create(unit)))
        else:
            self._in_one(lambda unit: self._event("drop", unit, number))
            self._in_one(create)

    def _add_column(self, number: int) -> None:
        table = self.tables[number]
        new = Field(f"{ADDED}{len(table.fields)}", KINDS[self.chance.choice(self.wish.kinds)], is_nullable=True)
        table.fields = (*table.fields, new)
        table.rows = {p: replace(row, values={**row.values, new.name: None}) for p, row in table.rows.items()}
        self._in_one(lambda unit: self._event("add column", unit, number, columns=table.fields))


@dataclass(frozen=True)
class Change:
    """A committed change of a row, or of all (`T`)."""

    op: str
    unit: int
    before: Row | None = None
    after: Row | None = None


def changes_of(history: History, table: int) -> list[Change]:
    """The committed changes of a table, in the order of the commits."""
    held: dict[int, list[Event]] = {}
    marks: dict[int, int] = {}
    found: list[Change] = []
    for event in history.events:
        own = held.setdefault(event.unit, [])
        if event.kind == "mark":
            marks[event.unit] = len(own)
        elif event.kind == "rollback":
            del own[marks[event.unit] :]
        elif event.kind == "commit":
            mine = (one for one in own if one.table == table)
            found += [Change(OPERATIONS[one.kind], one.unit, one.before, one.after) for one in mine]
        elif event.kind in OPERATIONS:
            own.append(event)
    return found
