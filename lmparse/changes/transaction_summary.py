"""Transaction summary: facts about a transaction (Db2 LUW) or unit of recovery (Log Master), without its rows.

Both families give the same columns. `docs/db2-luw.md` and `docs/log-master.md` define the columns for each family.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, fields
from typing import Any

from lmparse.errors import EngineDifferenceError

TableCounts = dict[str, dict[str, int]]
"""Number of changes by table, `SCHEMA.NAME`, and operation; see `Change.op`."""
NO_OPERATION = "other"
"""Stands for the operation of a change of an unlisted type."""


@dataclass(slots=True, kw_only=True)
class TransactionSummary:
    """One transaction or unit of recovery, with the columns of `lmparse txn`."""

    txn_id: str
    """As in the changes of the transaction."""
    disposition: str
    """committed, rolled-back, or open."""
    complete: bool | None
    """Whether the log has all of the transaction; None if that cannot be tested."""
    why: str | None
    """Why the transaction is incomplete, or why that cannot be tested."""
    begin_ts: str | None = None
    """Time of its beginning; None if records do not state it."""
    commit_ts: str | None
    auth_id: str | None
    plan: str | None = None
    correlation_id: str | None = None
    connect_id: str | None = None
    first_position: str
    """Position in the log of its first record in the file, upper-case hex."""
    last_position: str
    first_file: str = ""
    """The file of the first record; a log may have several files."""
    first_record_index: int
    """Number of the first record in the file."""
    first_record_offset: int
    """Offset of the first record in the file, in bytes."""
    last_file: str = ""
    last_record_index: int
    last_record_offset: int
    records: int
    bytes: int
    """Length of all its records in bytes."""
    tables: TableCounts = field(default_factory=dict)
    """Its changes, except those that it took back."""
    compensated: TableCounts = field(default_factory=dict)
    """The changes that it took back."""

    def to_row(self) -> dict[str, Any]:
        """The summary by column name."""
        row = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        for name in ("tables", "compensated"):  # tables and operations by name
            row[name] = {table: dict(sorted(numbers.items())) for table, numbers in sorted(row[name].items())}
        return row

    def count(self, table: str, op: str, number: int, *, is_undone: bool) -> None:
        """Add changes of one table."""
        counts = (self.compensated if is_undone else self.tables).setdefault(table, {})
        counts[op] = counts.get(op, 0) + number


def total(counts: TableCounts) -> int:
    """Number of changes of all tables."""
    return sum(sum(numbers.values()) for numbers in counts.values())


class TableLabels:
    """Names of tables in summaries. Two tables with one name are told apart by their ids."""

    def __init__(self) -> None:
        self._identities: dict[str, set[str]] = defaultdict(set)

    def add(self, name: str, identity: str) -> None:
        """Add a table by its name and its ids as text."""
        self._identities[name].add(identity)

    def label(self, name: str, identity: str) -> str:
        """The label of a table, after all tables were added."""
        return f"{name} ({identity})" if len(self._identities[name]) > 1 else name


def check_equal(one: TransactionSummary | None, other: TransactionSummary | None, place: int) -> TransactionSummary:
    """The summary of transaction number `place`, if two engines agree. Raises EngineDifferenceError otherwise."""
    if one is None or other is None:
        known, where = one or other, "by the parser only" if one is None else "column-wise only"
        raise EngineDifferenceError(f"transaction {place} ({known and known.txn_id}): is there {where}")
    rows = one.to_row(), other.to_row()
    for name, value in rows[0].items():
        if value != rows[1][name]:
            text = f"transaction {place} ({one.txn_id}): {name}: {value!r} column-wise, {rows[1][name]!r} by the parser"
            hint = "one of them is wrong: report it; engine kaitai, the parser, sets the meaning"
            raise EngineDifferenceError(text, hint=hint)
    return one
