"""SQL scripts: the changes of a log as Db2 SQL statements, or statements that undo the changes from the last one back.

Each change of a row is one statement on one line; a change without a certain statement is a comment with the reason.
The key of its table finds the row. Without a key, all comparable columns find the row, and only if no other row has
equal values: the statement changes this row or none.

An undo script is written from its end: its lines are made in the order of the log and wait in a temporary file, which
stays in memory while small.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from lmparse.changes.change import ROLES, SILENT_REASONS, Change, Version
from lmparse.changes.log import ChangeLog
from lmparse.errors import DataError, OptionError
from lmparse.export.sql_literals import LONGEST_STATEMENT, NoLiteralError, SqlColumn, comment, identifier, too_long
from lmparse.framing.extents import RecordExtent
from lmparse.records.reader import Values
from lmparse.terminal import json_text

_IN_MEMORY = 8 << 20
"""Bytes of lines that wait in memory."""
_SIZE_BYTES = 8
_SEPARATOR = "\x1f"
"""Separates transaction and statement of a waiting line; neither contains it."""


class Refusal(Enum):
    """Why a change has no statement, in the words of the counts."""

    NO_ROW = "changes of tables and other objects, not of rows"
    TRIGGERED = "changes that Db2 made because of others; --with-triggered writes them"
    NOT_COMMITTED = "changes that were not committed or take another one back"
    NO_NAME = "changes of tables without a description or a whole name"
    HALF = "halves of updates that moved a row"
    BAD_VALUE = "changes with a bad value"
    NOT_IN_LOG = "changes with a value that the log lacks"
    NO_LITERAL = "changes with a value that SQL cannot say"
    NO_KEY = "changes of rows that no column identifies"
    SAME = "updates that changed no value"
    BAD_RECORD = "records that cannot be read"


class NoStatementError(Exception):
    """A change has no statement."""

    def __init__(self, refusal: Refusal, why: str, *, is_silent: bool = False) -> None:
        super().__init__(why)
        self.refusal, self.is_silent = refusal, is_silent
        """Whether the reason is an absent value that the change may have left unchanged."""


@dataclass(frozen=True)
class Rules:
    """The content of a script."""

    is_undo: bool = False
    """Whether the script undoes the changes."""
    with_triggered: bool = False
    """Whether a redo includes changes by triggers, referential constraints and history tables."""
    keeps_absent: bool = False
    """Whether an update skips columns whose value is absent before and after the change."""
    if_unchanged: bool = False
    """Whether a row identified by its key is changed only if its other columns also have the values in the log."""


_SOURCES = {
    "R": "a referential constraint made it", "T": "a trigger made it",
    "B": "a referential constraint and a trigger made it", "H": "it is in a history table, which Db2 fills",
}  # fmt: skip
"""The cause of a change that no statement made, by `sql_src_type`."""
_KINDS = {
    "I": "insert", "U": "update", "D": "delete", "M": "mass delete", "T": "truncate", "X": "exchange",
    "S": "status", "C": "command", "O": "object",
}  # fmt: skip


@dataclass
class _TableText:
    """Text that all statements of a table version share."""

    name: str
    columns: dict[str, SqlColumn]
    key: Sequence[SqlColumn]


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of a change, with the reasons for absent values."""

    values: Values
    lacks: Mapping[str, NoStatementError]


def _conditions(columns: Sequence[SqlColumn], row: _Row) -> str:
    return " AND ".join(
        f"{column.identifier} IS NULL"
        if row.values[column.name] is None
        else f"{column.identifier} = {column.literal(row.values[column.name])}"
        for column in columns
    )


def _row(change: Change, role: str, table: _TableText) -> _Row:
    """One row of a change. Raises NoStatementError if the log lacks the row's values."""
    values: Values | None = getattr(change, role)
    if values is None:
        raise NoStatementError(Refusal.NOT_IN_LOG, f"the log has no values of the row {role} it")
    detail, lacks = change.detail or {}, dict[str, NoStatementError]()
    for name in table.columns:
        why = detail.get("absent", {}).get(f"{role}.{name}")
        if why is not None:
            is_silent = why in SILENT_REASONS
            lacks[name] = NoStatementError(Refusal.NOT_IN_LOG, f"{role}.{name}: {why}", is_silent=is_silent)
        elif name not in values:
            lacks[name] = NoStatementError(Refusal.NOT_IN_LOG, f"{role}.{name} was not read")
    for fault in change.faults:
        path = fault.field or ""
        names = [name for name in table.columns if f"{path}.".startswith(f"{role}.{name}.")]
        if not names and not path.startswith(("before.", "after.")):
            raise NoStatementError(Refusal.BAD_VALUE, f"{path}: {fault.says()}")
        lacks |= {name: NoStatementError(Refusal.BAD_VALUE, f"{path}: {fault.says()}") for name in names}
    return _Row(values, lacks)


def _may_be_same(*lacks: NoStatementError | None) -> bool:
    """Whether a value is absent before and after an update, and the log does not state that it changed."""
    found = [lack for lack in lacks if lack is not None and lack.refusal is Refusal.NOT_IN_LOG]
    return len(found) == len(lacks) and any(lack.is_silent for lack in found)


def is_same(one: Any, other: Any) -> bool:
    """Whether two values of a column are equal, with all digits of a decimal; NaN equals NaN."""
    if one is other or type(one) is not type(other):
        return one is other
    return bool(one == other) if isinstance(one, str | bytes | int) else repr(one) == repr(other)


def transaction_title(change: Change) -> str:
    """The transaction of a change, with its user and commit time."""
    state = f"committed {change.commit_ts or ''}".strip() if change.outcome == "committed" else "not committed"
    people = (change.values[name] for name in ("auth_id", "plan", "correlation_id") if change.values.get(name))
    return ", ".join([f"transaction {change.txn_id}", state, *people])


# -- scripts ----------------------------------------------------------------------------------


@dataclass
class SqlScript:
    """The lines of a script, with counts."""

    log: ChangeLog
    """Its option `order` is `commit`."""
    rules: Rules
    statements: int = 0
    guarded: int = 0
    """Number of statements that change nothing if several rows have equal values, because no key is known."""
    refused: Counter[Refusal] = field(default_factory=Counter)
    """Number of comments in place of statements, by reason."""
    fault: DataError | None = None
    """Damage that ended reading."""
    _tables: dict[tuple[int, str, str], tuple[Version, _TableText]] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """Yield the lines: statements, comments in place of statements, and a comment in front of each transaction.

        Raises LmparseError in mode failfast, in an undo script before the first line.
        """
        found = _reversed(self._in_order()) if self.rules.is_undo else self._in_order()
        before = ""
        for transaction, text in found:
            if transaction and transaction != before:
                yield comment(transaction)
            before = transaction or before
            yield text

    def _in_order(self) -> Iterator[tuple[str, str]]:
        """Yield transaction and text of each line, in the order of the log."""
        self.log.keeps_bad_records = True
        try:
            for change in self.log.typed_changes():
                yield from self._bad_records()
                yield transaction_title(change), self._line(change)
        except DataError as error:
            if self.log.options.mode == "failfast":
                raise
            self.fault = error
        yield from self._bad_records()
        if self.fault is not None:
            yield "", comment(f"what is behind this is not in the script: {self.fault}")

    def _place(self, extent: RecordExtent) -> str:
        """The place of a record in the words of errors; with its file if the log has several files."""
        origin = self.log.origin
        known = origin.metadata(extent)
        file = "" if origin.joined is None else f"{known['file']}: "
        return f"{file}record {known['record_index']} at {known['record_offset']:#x}"

    def _bad_records(self) -> Iterator[tuple[str, str]]:
        found = [*self.log.bad_records]
        self.log.bad_records.clear()
        for extent, error in found:
            name = ".".join(word for word in (error.spec, error.field) if word)
            text = ": ".join(filter(None, (self._place(extent), "cannot be read", name, error.says())))
            self.refused[Refusal.BAD_RECORD] += 1
            yield "", comment(f"{text} [{error.code}]")

    # -- the statement of a change ---------------------------------------------------------------

    def _line(self, change: Change) -> str:
        """The statement of a change, or a comment with the reason why it has none; both are counted."""
        try:
            self._check(change)
            try:
                text, is_guarded = self._written(change, self._table(change))
            except NoLiteralError as error:
                raise NoStatementError(Refusal.NO_LITERAL, str(error)) from None
            if (size := len(text.encode())) > LONGEST_STATEMENT:
                raise NoStatementError(Refusal.NO_LITERAL, too_long(size))
        except NoStatementError as error:
            self.refused[error.refusal] += 1
            place, name = self._place(change.extent), ".".join(filter(None, (change.schema_name, change.table_name)))
            return comment(f"{place}: {_KINDS.get(change.op or '', 'change')} of {name}: {error}")
        self.statements += 1
        self.guarded += is_guarded
        return text

    def _check(self, change: Change) -> None:
        """Raise NoStatementError for a change that is refused whatever its rows."""
        detail, is_undo = change.detail or {}, self.rules.is_undo
        if change.op not in ROLES:
            raise NoStatementError(Refusal.NO_ROW, json_text(detail) if detail else "it is not of a row")
        if change.table is None or change.table_name_short or not change.table_name:
            raise NoStatementError(Refusal.NO_NAME, "nothing describes the table, or says its whole name")
        source = change.values.get("sql_src_type")
        if source and not is_undo and not self.rules.with_triggered:
            why = _SOURCES.get(source, f"SQLSRCTYPE {source} says that no statement made it")
            raise NoStatementError(Refusal.TRIGGERED, why)
        if change.values.get("sql_type") == "U":
            raise NoStatementError(Refusal.NOT_COMMITTED, "it takes back another change")
        if is_undo and change.state != "committed":
            raise NoStatementError(Refusal.NOT_COMMITTED, "it was not committed, so there is nothing to take back")
        if detail.get("moved") and change.op != "U":
            raise NoStatementError(Refusal.HALF, "it is half of an update that moved the row")

    def _table(self, change: Change) -> _TableText:
        assert change.table is not None
        place = id(change.table), change.schema_name, change.table_name
        if place not in self._tables:
            names = [identifier(name) for name in (change.schema_name, change.table_name) if name]
            columns = {column.name: SqlColumn(column) for column in change.table.columns}
            key = [columns[name] for name in change.table.key]
            self._tables[place] = change.table, _TableText(".".join(names), columns, key)
        return self._tables[place][1]

    def _written(self, change: Change, table: _TableText) -> tuple[str, bool]:
        """The statement, and whether it is guarded."""
        roles = {role: _row(change, role, table) for role in ROLES[change.op or ""]}
        old, new = roles.get("before"), roles.get("after")
        if self.rules.is_undo:
            old, new = new, old
        if old is None:
            assert new is not None
            for error in new.lacks.values():
                raise error
            names = ", ".join(column.identifier for column in table.columns.values())
            values = ", ".join(column.literal(new.values[name]) for name, column in table.columns.items())
            return f"INSERT INTO {table.name} ({names}) VALUES ({values});", False
        if new is None:
            return self._found(f"DELETE FROM {table.name}", table, old)
        assigned = ", ".join(self._assignments(table, old, new))
        if not assigned:
            raise NoStatementError(Refusal.SAME, "no value in the log changes")
        return self._found(f"UPDATE {table.name} SET {assigned}", table, old)

    def _assignments(self, table: _TableText, old: _Row, new: _Row) -> Iterator[str]:
        for name, column in table.columns.items():
            if name in new.lacks:
                if self.rules.keeps_absent and _may_be_same(old.lacks.get(name), new.lacks[name]):
                    continue
                raise new.lacks[name]
            value = new.values[name]
            if name in old.lacks or not is_same(old.values[name], value):
                yield f"{column.identifier} = {column.literal(value)}"

    def _found(self, start: str, table: _TableText, row: _Row) -> tuple[str, bool]:
        """A statement that changes one row, and whether it is guarded because no key identifies the row."""
        usable = [
            column for name, column in table.columns.items() if column.is_comparable and name not in row.lacks
        ]  # fmt: skip
        # A unique index may have several rows with null.
        if table.key and all(column in usable and row.values[column.name] is not None for column in table.key):
            others = [column for column in usable if column not in table.key] if self.rules.if_unchanged else []
            return f"{start} WHERE {_conditions([*table.key, *others], row)};", False
        if not usable:
            raise NoStatementError(Refusal.NO_KEY, "no column of it can be compared")
        conditions = _conditions(usable, row)
        return f"{start} WHERE {conditions} AND 1 = (SELECT COUNT(*) FROM {table.name} WHERE {conditions});", True


def _reversed(lines: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield lines from last to first. Raises OptionError LMP-S022 if the disk is full."""
    try:
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
            for line in lines:
                raw = _SEPARATOR.join(line).encode()
                file.write(raw + len(raw).to_bytes(_SIZE_BYTES, "big"))
            place = file.tell()
            while place:
                file.seek(place - _SIZE_BYTES)
                size = int.from_bytes(file.read(_SIZE_BYTES), "big")
                place -= _SIZE_BYTES + size
                file.seek(place)
                transaction, _, text = file.read(size).decode().partition(_SEPARATOR)
                yield transaction, text
    except OSError as error:
        raise OptionError(f"{tempfile.gettempdir()}: {error.strerror}", code="LMP-S022") from None
