"""Transactions: which records are of one, how it ended, what in it was taken back, and which rows moved."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from oracle.records import CREATE, DESCRIBING, Change, Record, header


@dataclass(eq=False)
class Transaction:
    """The records of one transaction."""

    tid: bytes
    is_incomplete: bool = False
    """Whether it may begin in front of the log."""
    state: str = "open"
    next_index: int = sys.maxsize
    """Number of the record with which another one begins with its identifier."""
    records: list[Record] = field(default_factory=list)

    @property
    def txn_id(self) -> str:
        return f"{self.tid.hex().upper()}{self.records[0].lsn:016X}"

    @property
    def end(self) -> int:
        """Number of a record behind which none is of it."""
        return self.records[-1].index if self.state != "open" else self.next_index

    @property
    def changes(self) -> Iterator[Change]:
        return (change for record in self.records for change in record.changes)

    def state_of(self, change: Change) -> str:
        return "rolled-back" if change.is_undone else self.state

    def seq(self, change: Change) -> str:
        record, last = change.record, self.records[-1]
        commit = f"{last.raw.lfs:016X}{last.lsn:016X}" if self.state_of(change) == "committed" else "F" * 32
        return f"{commit}{record.raw.lfs:016X}{record.lsn:016X}{record.raw.stream:04X}{change.number:04X}"


def transactions_of(records: list[Record]) -> list[Transaction]:
    """All transactions, in the order of their first records. Links lead on over the starts of loads."""
    loads = {(one.tid, one.address): one.previous for one in records if one.role == "load"}
    log_begins = {one.raw.stream: one.address for one in reversed(records) if one.address}
    found, latest = list[Transaction](), dict[bytes, Transaction]()
    for record in records:
        if record.role == "load":
            found.append(Transaction(record.tid, state="committed", records=[record]))
        elif any(record.tid) or record.role not in ("", "bad"):
            before = record.previous
            while loads.get((record.tid, before), before) < before:
                before = loads[record.tid, before]
            one = latest.get(record.tid)
            if one is None or one.records[-1].is_end or not before:
                if one is not None:
                    one.next_index = record.index
                is_in_front = not record.address or before < log_begins[record.raw.stream]
                one = latest[record.tid] = Transaction(record.tid, before != 0 and is_in_front)
                found.append(one)
            is_refused = record.role == "change" and any(other.changes for other in one.records)
            if record.is_end and not is_refused:  # of a change, nothing tells whether it commits others, too
                one.state = "rolled-back" if record.role == "abort" else "committed"
            one.records.append(record)
    return found


def take_back(one: Transaction, *, has_addresses: bool) -> None:
    """Mark the changes of a transaction that its compensations undo."""
    changing = [record for record in one.records if record.changes]
    at_address = {record.address: record for record in reversed(changing) if record.address}

    def before(undo: Record, first: int = -1) -> list[Record]:
        return [other for other in changing if other.table == undo.table and first < other.index < undo.index]

    def mark(undo: Record, changes: list[Change]) -> None:
        more = before(undo, changes[0].record.index) if undo.subject == CREATE else []
        for change in (*changes, *(change for other in more for change in other.changes)):
            change.is_undone = True

    def without_creation(undo: Record, address: int) -> None:
        # The creation is in front of the log: of what is behind it, a description has no compensation of its own.
        for record in before(undo) if undo.subject == CREATE else []:
            if DESCRIBING.fullmatch(record.subject) and record.address > address:
                record.changes[0].is_undone = record.changes[-1].is_undone = True

    def is_named(undo: Record) -> bool:
        """Whether the change that a compensation names is taken back, or is not in the log."""
        address = undo.raw.compensated if has_addresses else None
        named = at_address.get(address or 0)
        if address is not None and named is None:
            without_creation(undo, address)
        elif named in before(undo) and named.subject == undo.subject and not any(c.is_undone for c in named.changes):
            mark(undo, named.changes)
        else:
            return False  # it names none, or, which is an error, one that it cannot undo
        return True

    def is_latest(undo: Record, rid: Any, *, is_near: bool) -> bool:
        """Take back the latest change of a row, or table; with `is_near` behind the record that `undo` names."""
        for record in reversed(before(undo)):
            changes = [change for change in record.changes if change.rid == rid and not change.is_undone]
            is_fit = record.subject == undo.subject and (not is_near or record.previous == undo.raw.before_compensated)
            if changes and is_fit:
                mark(undo, changes if rid is None else changes[-1:])
                return True
        return False

    # What names its change is certain, what names the record in front of it nearly so; the rest takes what is left.
    undos = [record for record in one.records if record.role == "undo"]
    # One that lists no row takes none back, whatever it names.
    of_rows = [undo for undo in undos if undo.row_ids]
    left = [(undo, rid) for undo in of_rows if not is_named(undo) for rid in undo.row_ids]
    for undo, rid in [pair for pair in left if not is_latest(*pair, is_near=True)]:
        is_latest(undo, rid, is_near=False)
    for undo in [undo for undo in undos if not undo.is_of_rows]:
        if is_named(undo) or is_latest(undo, None, is_near=True) or is_latest(undo, None, is_near=False):
            continue
        if not has_addresses or undo.raw.compensated is None:
            without_creation(undo, -1)


def join_moved(one: Transaction, byte_order: str) -> None:
    """Make one update of the changes of a row that moved."""
    tables = defaultdict[Any, list[Change]](list)
    for change in one.changes:
        if change.op in "IUD":
            tables[change.record.table].append(change)
    for rows in tables.values():
        for front, row, behind in zip([None, *rows], rows, [*rows[1:], None], strict=False):
            if row.op == "U":
                _join_pointer(front, row, behind, byte_order)
        halves = [row for row in rows if row.is_half and not row.is_undone]
        for two, front, row in zip([None, *halves], halves, halves[1:], strict=False):
            is_pair = front.op == "D" and row.op == "I" and row.number == 0 and row.other is None
            if is_pair and not (two and two.op == "D"):  # of two deletes nothing tells which one it is
                row.other, front.whole = front, row


def _join_pointer(front: Change | None, row: Change, behind: Change | None, byte_order: str) -> None:
    """The row that moved is in the insert in front of the update of its pointer, that before in the delete behind."""
    was, is_, gone = (header(raw, byte_order) for raw in (row.before, row.after, behind and behind.before))
    if is_ == "pointer" and front and front.op == "I" and (row.is_undone or not front.is_undone):
        row.whole, front.other, front.is_undone = front, row, row.is_undone
    if was == "pointer" and gone == "moved" and behind and behind.op == "D" and (row.is_undone or not behind.is_undone):
        behind.whole = row.whole or row
        behind.whole.other = behind
