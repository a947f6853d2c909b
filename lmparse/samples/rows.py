"""Rows of synthetic logs: tables, values of every type, and transactions on rows that were there before.

An update and a delete are of a row that a committed transaction, or the same one, has inserted in the same block of the
log, so that the images of a row go on from one another.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

from lmparse.db2.tables.table import Column, Table, placed
from lmparse.errors import InvalidValueError, OptionError
from lmparse.samples.keys import FamilyForm, key_of
from lmparse.values.codepages import CodePage
from lmparse.values.sql_types import SqlType, parse_type

Row = dict[str, Any]
End = Literal["commit", "abort", "open"]
WORDS = ("Müller", "Anna", "Søren", "Lucja", "Ortiz", "invoice", "ledger", "März", "année", "copy", "final", "draft")
START = datetime(2026, 3, 14, 10, 11, 12)
ROW_BYTES = 32_000
"""About the longest row of a page of 32 KB."""
ROWID = "ROWID"
ZONED = re.compile(r"TIMESTAMP\s*(?:\((\d|1[0-2])\))?\s+WITH\s+TIME\s+ZONE", re.IGNORECASE).fullmatch
"""With `ROWID` the types that only Db2 for z/OS has, which a tables file does not know."""
_SHORT = 120
"""Bytes of a value of varying length, but for one of a few rows."""
_LONG_LOB = 70_000


@dataclass(frozen=True)
class Shape:
    """What a log is like."""

    aborted: float = 0.08
    """Share of transactions that are rolled back."""
    savepoints: float = 0.05
    """Share of the others that take back some changes."""
    open_at_once: int = 8
    """Transactions side by side."""
    lobs: float = 0.0
    """Share of inserted rows whose values outside of the row are in the log."""
    lob_bytes: int = 3000


@dataclass(frozen=True)
class RowChange:
    """A change of one row; `before` is None for an insert, `after` for a delete."""

    before: Row | None
    after: Row | None
    table: int = 0
    """Its place among the tables."""
    rid: int | None = None
    is_taken_back: bool = False
    """Whether the transaction rolls back to a savepoint in front of it."""


@dataclass(frozen=True)
class UnitOfWork:
    """The changes of one transaction."""

    changes: Sequence[RowChange]
    end: End = "commit"

    @property
    def committed(self) -> int:
        """Number of its changes that last."""
        return sum(not change.is_taken_back for change in self.changes) if self.end == "commit" else 0


def described(columns: Iterable[tuple[str, str, bool]]) -> tuple[Column, ...]:
    """Columns from their names, types in SQL words, and whether they are nullable."""
    return placed([(name, _sql_type(words), is_nullable) for name, words, is_nullable in columns])


def _sql_type(words: str) -> SqlType:
    return SqlType(words) if words == ROWID or ZONED(words) else parse_type(words)


# -- values -------------------------------------------------------------------------------


class Inventor:
    """Invents the values of the columns of one table."""

    def __init__(self, table: Table, form: FamilyForm, shape: Shape, chance: random.Random) -> None:
        self.table, self.key = table, key_of(table, form)
        self._form, self._shape, self.chance = form, shape, chance
        self._words = [word for word in WORDS if _has(form.page, word) and _has(form.graphic, word)]
        self.inserted = 0
        """Rows so far, which number the keys."""
        varying = [one for one in table.columns if one.sql_type.is_varying]
        fixed = table.fixed_length + sum(min(one.length, _SHORT) for one in varying)
        if fixed > ROW_BYTES:
            raise OptionError(f"table {table.full_name}: its rows have {fixed} bytes, and no page has so many")
        self._room = ROW_BYTES - fixed
        self._outside = [one.name for one in table.columns if _is_outside(one)]
        self._long = [one.name for one in varying if one.length > 4000 and not _is_outside(one)]

    def row(self, *, with_lobs: bool) -> Row:
        """A new row, with the next key."""
        self.inserted += 1
        long = self.chance.choice(self._long) if self._long and self.chance.random() < 0.05 else None
        row = {one.name: self._value(one, one.name == long, with_lobs) for one in self.table.columns}
        if self.key is not None:
            row[self.key.column.name] = self.key.value(self.inserted - 1)
        return row

    def changed(self, row: Row) -> Row:
        """The row with other values in some columns; its key, and its values outside of the row, stay."""
        key = (*self.table.key, self.key.column.name if self.key else "")
        free = [one for one in self.table.columns if one.name not in key and not _is_outside(one)]
        return row | {one.name: self._value(one, False, False) for one in free if self.chance.random() < 0.4}

    def _value(self, column: Column, is_long: bool, with_lobs: bool) -> Any:
        outside = _is_outside(column)
        is_never_logged = column.form == "absent" or (outside and not with_lobs)
        if column.is_nullable and (self.chance.random() < 0.2 or is_never_logged):
            return None
        limit = min(column.length, self._room) if is_long else min(column.length or _LONG_LOB, _SHORT)
        if outside:
            limit = min(self._shape.lob_bytes, column.length or _LONG_LOB) if with_lobs else 0
        return _MAKERS[kind_of(column)](self, column, limit)

    def phrase(self, limit: int, page: CodePage) -> str:
        """Some words of at most `limit` bytes in a page."""
        words = " ".join(self.chance.choices(self._words, k=self.chance.randint(1, 5)))
        text = words if limit <= _SHORT else (words + " ") * (limit // len(page.encode(words + " ")))
        while len(page.encode(text)) > limit:
            text = text[:-1]
        return text

    def moment(self) -> datetime:
        chance = self.chance
        back = timedelta(days=chance.randrange(9000), seconds=chance.randrange(86_400))
        return START - back + timedelta(microseconds=chance.randrange(10**6))

    def text(self, column: Column, limit: int) -> str:
        page = self._form.graphic if column.sql_type.is_graphic else self._form.page
        text = self.phrase(limit, page)
        return f"<note>{text}</note>" if column.type == "XML" else text

    def bytes(self, column: Column, limit: int) -> bytes:
        is_varying = column.sql_type.is_varying
        return self.chance.randbytes(self.chance.randint(min(limit, 1), limit) if is_varying else column.length)

    def number(self, digits: int, scale: int) -> Decimal:
        whole = self.chance.randrange(10 ** self.chance.randint(1, digits)) * self.chance.choice((1, 1, -1))
        return Decimal(whole).scaleb(-scale)

    def timestamp(self, digits: int) -> str:
        """Text with some digits of the fraction."""
        fraction = f".{self.chance.randrange(10**12):012d}"[: 1 + digits] if digits else ""
        return f"{self.moment():%Y-%m-%d %H:%M:%S}{fraction}"

    def has_outside(self, row: Row) -> bool:
        """Whether a row has values outside of it, which an update would not have."""
        return any(row[name] for name in self._outside)


def kind_of(column: Column) -> str:
    """The form of the values of a column, as `SqlType.form`, or `rowid` or `zoned`.

    Raises OptionError for a type of which no value is known.
    """
    if column.form != "raw":
        return column.form
    kind = "rowid" if column.type.upper() == ROWID else "zoned" if ZONED(column.type) else ""
    if not kind:
        raise OptionError(f"column {column.name} is {column.type}: no value of this type is known")
    return kind


def zone_digits(column: Column) -> int:
    """Digits of the fraction of a timestamp with time zone."""
    match = ZONED(column.type)
    return int(match[1] or 6) if match else 0


def _is_outside(column: Column) -> bool:
    return column.sql_type.is_lob or column.form == "absent" or column.type == "XML"


def _has(page: CodePage, word: str) -> bool:
    try:
        return bool(page.encode(word))
    except InvalidValueError:
        return False


_ZONES = ("+00:00", "+01:00", "-05:00")
_Maker = Callable[[Inventor, Column, int], Any]
_MAKERS: dict[str, _Maker] = {
    "int": lambda self, column, limit: self.chance.randrange(-1 << 8 * limit - 2, 1 << 8 * limit - 2),
    "float": lambda self, column, limit: self.chance.randrange(-1 << 20, 1 << 20) / 64,
    "decimal": lambda self, column, limit: self.number(column.precision, column.scale),
    "decfloat": lambda self, column, limit: self.number(column.precision - 1, self.chance.randrange(6)),
    "boolean": lambda self, column, limit: self.chance.random() < 0.5,
    "text": Inventor.text,
    "bytes": Inventor.bytes,
    "absent": lambda self, column, limit: b"",
    "date": lambda self, column, limit: self.moment().date(),
    "time": lambda self, column, limit: self.moment().time().replace(microsecond=0),
    "timestamp": lambda self, column, limit: self.timestamp(column.precision),
    "zoned": lambda self, column, limit: self.timestamp(zone_digits(column)) + self.chance.choice(_ZONES),
    "rowid": lambda self, column, limit: self.chance.randbytes(17),
}


# -- transactions -------------------------------------------------------------------------


@dataclass
class _Held:
    """A row that a transaction changes; only this one may until it ends."""

    table: int
    rid: int
    at_first: Row | None
    now: Row | None


@dataclass(frozen=True, eq=False)
class OpenUnit(UnitOfWork):
    """A transaction that is being written."""

    held: Sequence[_Held] = ()


class Story:
    """Invents transactions one after another, on rows that are there and that no other transaction has changed."""

    def __init__(self, inventors: Sequence[Inventor], shape: Shape, chance: random.Random) -> None:
        self.inventors, self.shape, self.chance = inventors, shape, chance
        self.rid = 0
        self.forget()

    def forget(self) -> None:
        """Begin with no rows, as each block does."""
        self._rows: list[dict[int, Row]] = [{} for _ in self.inventors]

    @property
    def numbers(self) -> dict[str, int]:
        """What has been given out: row ids, and the keys of each table."""
        return {"rid": self.rid, **{f"key {number}": one.inserted for number, one in enumerate(self.inventors)}}

    def skip(self, steps: Mapping[str, int]) -> None:
        """Leave out some numbers."""
        self.rid += steps["rid"]
        for number, one in enumerate(self.inventors):
            one.inserted += steps[f"key {number}"]

    def units(self, rows: int, *, is_last: bool = False) -> Iterator[OpenUnit]:
        """Transactions with so many changes that last; behind the last of a log comes one that stays open."""
        while rows:
            unit = self.begin(rows)
            rows -= unit.committed
            yield unit
        if is_last:
            yield self.begin(9, "open")

    def check_keys(self, blocks: int) -> None:
        """Raise OptionError for a table whose key has fewer values than rows are inserted in so many blocks."""
        for one in self.inventors:
            capacity = one.key.capacity if one.key else 0
            if one.table.key and blocks * one.inserted > capacity:
                column = f", of which {one.key.column.name} has most," if one.key else ""
                raise OptionError(
                    f"the key of {one.table.full_name} has {capacity} values{column} and more rows are to be inserted",
                    hint="fewer rows, or a key with a number or a text of more digits",
                )

    def begin(self, most: int, end: End | None = None) -> OpenUnit:
        """A transaction with up to `most` changes that last, from now on with its rows for itself."""
        chance, shape = self.chance, self.shape
        held: list[_Held] = []
        end = end or ("abort" if chance.random() < shape.aborted else "commit")
        changes = [self._change(held) for _ in range(min(most, chance.randint(1, 9)))]
        if end == "commit" and chance.random() < shape.savepoints:
            before = [replace(one) for one in held]
            changes += [replace(self._change(held), is_taken_back=True) for _ in range(chance.randint(1, 3))]
            known = {(one.table, one.rid): one.now for one in before}
            for one in held:
                one.now = known.get((one.table, one.rid), one.at_first)
        return OpenUnit(changes, end, held)

    def end(self, unit: OpenUnit) -> None:
        """Leave the rows of a transaction to others."""
        for one in unit.held:
            row = one.now if unit.end == "commit" else one.at_first
            if row is not None:
                self._rows[one.table][one.rid] = row

    def _change(self, held: list[_Held]) -> RowChange:
        chance = self.chance
        number = chance.randrange(len(self.inventors))
        inventor, rows = self.inventors[number], self._rows[number]
        kind = chance.choice("IIUUD")
        mine = [one for one in held if one.table == number and one.now is not None]
        one: _Held | None = None
        if kind != "I" and rows and (not mine or chance.random() < 0.7):
            rid = chance.choice([*rows])
            row = rows.pop(rid)
            held.append(one := _Held(number, rid, row, row))
        elif kind != "I" and mine:
            one = chance.choice(mine)
        if one is None:
            self.rid += 1
            row = inventor.row(with_lobs=chance.random() < self.shape.lobs)
            held.append(_Held(number, self.rid, None, row))
            return RowChange(None, row, number, self.rid)
        before = one.now
        assert before is not None
        one.now = None if kind == "D" or inventor.has_outside(before) else inventor.changed(before)
        return RowChange(before, one.now, number, one.rid)
