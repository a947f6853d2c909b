"""Compensation: which changes of an open transaction a record undoes, and which of them are part of another one.

A transaction may have millions of changes, and as many compensations. So every lookup takes constant time on average.
Changes are entered when the first lookup behind them needs them: a transaction that undoes nothing costs nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

from lmparse.db2.log_record import LogRecord
from lmparse.db2.record_kinds import DESCRIBING
from lmparse.db2.tables import Ids
from lmparse.db2.transaction_index import ChangeReference
from lmparse.errors import RecordError
from lmparse.limits import Held

_ENTRY_BYTES = 600
"""Bytes of memory for one change in the lookups by address and table; those by row take twice as many. Measured."""
_UNDO_CREATE = "db2_dom.undo_create_table"
_ANY = "any"
"""In the place of a row id or an address: whatever it is. Neither of them is a text."""


class OpenChanges:
    """Lookups among the changes of one transaction.

    `changes` only grows: a change that is joined with another is removed by `settled`, at the end of the transaction.
    The entries of the lookups count against the limit `held_bytes` up to then.
    """

    def __init__(self, changes: list[ChangeReference], held: Held) -> None:
        self._held, self._taken = held, 0
        self._changes = changes
        self._joined: set[ChangeReference] = set()
        self.taken_back: dict[ChangeReference, int] = {}
        """For changes that describe a table and are undone, the number of the record that undoes them."""
        self._entered = self._placed = 0
        """Number of changes that are entered by address and by table, and by row."""
        self._first: dict[int, ChangeReference] = {}
        """The first change of each address."""
        self._by_address: dict[tuple[int, str, Ids | None], list[ChangeReference]] = {}
        self._by_table: dict[Ids | None, list[ChangeReference]] = {}
        self._describing: dict[Ids | None, list[ChangeReference]] = {}
        """Those that describe a table or drop it, as far as a creation in front of the log has not taken them back."""
        self._notices: dict[int, list[ChangeReference]] = {}
        """Changes without a record of their own, by number of the record that they are of."""
        self._by_row: dict[tuple[Any, ...], list[int]] = {}
        """Numbers of changes by kind, table, row id and address of the record before; the latest last."""

    def settled(self) -> list[ChangeReference]:
        """The changes without those that are part of another. The lookups are not used any more."""
        self._held.give(self._taken)
        self._taken = 0
        return [change for change in self._changes if change not in self._joined] if self._joined else self._changes

    def join(self, change: ChangeReference) -> None:
        """Make the latest change of its table a part of another."""
        self._by_table[change.ids].pop()
        self._joined.add(change)

    def last(self, ids: Ids | None) -> ChangeReference | None:
        """The latest change of a table."""
        self._enter()
        changes = self._by_table.get(ids)
        return changes[-1] if changes else None

    def undo(self, record: LogRecord, kinds: Sequence[str]) -> tuple[bool, RecordError | None]:
        """Mark the changes that a compensation undoes, which are of some kinds.

        They are found by address, else by row id. But where changes state their addresses, one that is of no change
        names one that is not here: no other change of the row is taken for it. Returns whether there is one, and what
        is wrong with the address.
        """
        self._enter()
        address, error = record.compensated, None
        found = [] if address is None else list(self._named(address, record.table, kinds))
        named = None if address is None else self._first.get(address)
        if named is not None and not found:
            error = RecordError(
                "the change that it compensates is of another kind or table, or taken back already", code="LMP-R008",
                spec="db2_log", field="compensated_lsn", expected=" or ".join(kinds),
                found=f"{named.kind} in record {named.extent.index}",
            )  # fmt: skip
        is_elsewhere = address is not None and named is None and bool(self._first)
        if not found and not is_elsewhere:
            found = list(self._of_row(record, kinds))
        for change in found:
            self._mark(change, record)
            later = self._by_table.get(change.ids, []) if record.kind == _UNDO_CREATE else []
            while later and later[-1].extent.index > change.extent.index:
                self._mark(later.pop(), record)
        if record.kind == _UNDO_CREATE and not found and named is None:
            # The creation is in front of the log: of what is behind it, only a description has no compensation.
            described = self._describing.get(record.table, [])
            while described and (address is None or (described[-1].address or address + 1) > address):
                change = described.pop()
                if self._is_left(change):
                    self._mark(change, record)
        return bool(found), error

    def behind(self, address: int | None) -> int:
        """The number of the record behind the last change in front of an address; -1 if it may be in front of all."""
        if address is None:
            return -1
        place = bisect_left(self._changes, address, key=lambda change: -1 if change.address is None else change.address)
        return self._changes[place - 1].extent.index + 1 if place and self._changes[0].address is not None else -1

    def _mark(self, change: ChangeReference, record: LogRecord) -> None:
        change.is_undone = True
        if change.kind in DESCRIBING:
            self.taken_back.setdefault(change, record.extent.index)  # a creation takes all behind it back once more
        for notice in self._notices.pop(change.extent.index, ()):
            notice.is_undone = True

    def _is_left(self, change: ChangeReference) -> bool:
        return not change.is_undone and change not in self._joined

    def _named(self, address: int, ids: Ids | None, kinds: Sequence[str]) -> Iterator[ChangeReference]:
        for kind in kinds:
            yield from filter(self._is_left, self._by_address.pop((address, kind, ids), ()))

    def _of_row(self, record: LogRecord, kinds: Sequence[str]) -> Iterator[ChangeReference]:
        """The latest change of the row; of several rows those in the record that has the latest one."""
        self._place()
        if record.kind != "db2_dms.undo_insert_multiple_records":
            rid, before = row_id(record.body), record.before_compensated
            rid = _ANY if rid is None else rid
            number = -1 if before is None else self._latest(kinds, record.table, rid, before)
            number = self._latest(kinds, record.table, rid) if number < 0 else number
            if number >= 0:
                yield self._changes[number]
            return
        rids = list(dict.fromkeys(map(row_id, record.body.records)))
        numbers = [self._latest(kinds, record.table, rid) for rid in rids]
        newest = max(numbers, default=-1)
        for rid, number in zip(rids, numbers, strict=True):
            while number >= 0 and self._changes[number].extent is self._changes[newest].extent:
                yield self._changes[number]
                self._changes[number].is_undone = True
                number = self._latest(kinds, record.table, rid)

    def _latest(self, kinds: Sequence[str], ids: Ids | None, rid: Any, before: Any = _ANY) -> int:
        """Number of the latest change that is not undone; -1 if there is none."""
        latest = -1
        for kind in kinds:
            numbers = self._by_row.get((kind, ids, rid, before), [])
            while numbers and not self._is_left(self._changes[numbers[-1]]):
                numbers.pop()  # it is never done again
            latest = max(latest, numbers[-1] if numbers else -1)
        return latest

    # -- entries ----------------------------------------------------------------------------

    def _take(self, entries: int) -> None:
        self._held.take(_ENTRY_BYTES * entries)
        self._taken += _ENTRY_BYTES * entries

    def _enter(self) -> None:
        self._take(len(self._changes) - self._entered)
        for number in range(self._entered, len(self._changes)):
            change = self._changes[number]
            if change.notice is not None:
                self._notices.setdefault(change.extent.index, []).append(change)
                continue
            self._by_table.setdefault(change.ids, []).append(change)
            if change.kind in DESCRIBING:
                self._describing.setdefault(change.ids, []).append(change)
            if change.address is not None:
                self._first.setdefault(change.address, change)
                self._by_address.setdefault((change.address, change.kind, change.ids), []).append(change)
        self._entered = len(self._changes)

    def _place(self) -> None:
        self._take(2 * (len(self._changes) - self._placed))
        for number in range(self._placed, len(self._changes)):
            change = self._changes[number]
            if change.notice is None and change not in self._joined:
                for rid in (change.rid, _ANY):
                    for before in (change.previous, _ANY):
                        self._by_row.setdefault((change.kind, change.ids, rid, before), []).append(number)
        self._placed = len(self._changes)


def without_halves(changes: list[ChangeReference]) -> list[ChangeReference]:
    """The changes with each delete and the insert behind it as one update, if both have the flag and the same table."""
    waiting: dict[Ids | None, list[ChangeReference]] = {}
    joined: set[ChangeReference] = set()
    for change in changes:
        if not change.is_half or change.is_undone:
            continue
        if change.op == "D":
            waiting.setdefault(change.ids, []).append(change)
        elif change.op == "I":
            deletes = waiting.pop(change.ids, [])
            if len(deletes) == 1 and change.number == 0:
                change.op, change.other = "U", deletes[0].extent
                joined.add(deletes[0])
    return [change for change in changes if change not in joined] if joined else changes


def row_id(part: Any) -> Any:
    """The row id of a part of a record, in a comparable form."""
    rid = getattr(part, "rid", None)
    return rid if rid is None or isinstance(rid, int) else (rid.word0, rid.word1, rid.word2)
