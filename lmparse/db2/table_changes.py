"""Changes of tables in a Db2 LUW log, as they are met: what describes a table, drops it, or drops columns of it, and
gaps: stretches in which rows of a table change without log records.

Gaps begin with NOT LOGGED INITIALLY, with propagation switched off, and with a load. Each is a change of its own, and
changes behind a lasting gap contain its reason.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lmparse.db2 import record_kinds
from lmparse.db2.order import Position
from lmparse.db2.table_history import TableRecord
from lmparse.db2.tables import Ids, Table, table_of
from lmparse.db2.transaction_index import ChangeReference, GapTimes, Transaction, TransactionIndex
from lmparse.spec import catalog

LASTING = (record_kinds.ATTRIBUTE, record_kinds.LOAD)
"""The kinds of changes that open gaps that last until the table is copied anew."""
GAP_KINDS = frozenset((*LASTING, record_kinds.INITIALIZE, record_kinds.NOT_LOGGED, record_kinds.TRUNCATE))
"""All kinds of changes that open gaps or close them."""


class Definitions:
    """The definitions of all tables; their outcomes are known when their transactions have ended."""

    def __init__(self) -> None:
        self._described: dict[Ids, list[tuple[Transaction, ChangeReference, Table | None, Table | None]]] = {}
        self._taken_back: dict[ChangeReference, int] = {}
        """As `OpenChanges.taken_back`, of transactions that have ended."""
        self._missing: dict[Ids, list[tuple[Transaction, int, int]]] = {}

    def add(
        self, transaction: Transaction, reference: ChangeReference, table: Table | None, before: Table | None
    ) -> None:
        """Add what a record says of its table: the description from there on, and the one before."""
        assert reference.ids is not None
        self._described.setdefault(reference.ids, []).append((transaction, reference, table, before))

    def add_missing(self, transaction: Transaction, ids: Ids, begin: int, until: int) -> None:
        """Add one that is not here, but was taken back here by record `until`; it is behind record `begin` at the
        earliest.
        """
        self._missing.setdefault(ids, []).append((transaction, begin, until))

    def take_back(self, taken_back: Mapping[ChangeReference, int]) -> None:
        """Note what a transaction took back, as `OpenChanges.taken_back`."""
        self._taken_back |= taken_back

    def records(self) -> dict[Ids, list[TableRecord]]:
        """All of them by table, when all transactions have ended."""
        found = {
            ids: [self._record(transaction, reference, *tables) for transaction, reference, *tables in described]
            for ids, described in self._described.items()
        }
        for ids, missing in self._missing.items():
            found.setdefault(ids, []).extend(
                TableRecord(
                    None, begin, transaction.number, is_committed=False, is_undone=True,
                    tid=int.from_bytes(transaction.transaction_id), until=until,
                )
                for transaction, begin, until in missing
            )  # fmt: skip
        return found

    def _record(
        self, transaction: Transaction, reference: ChangeReference, table: Table | None, before: Table | None
    ) -> TableRecord:
        return TableRecord(
            table, reference.extent.index, transaction.number,
            transaction.state == "committed" and not reference.is_undone, reference.is_undone, before,
            reference.extent, int.from_bytes(transaction.transaction_id), self._until(transaction, reference),
            is_open=transaction.state == "open", kind=reference.kind,
        )  # fmt: skip

    def _until(self, transaction: Transaction, reference: ChangeReference) -> int | None:
        """As `TableRecord.until`."""
        if (taken_back := self._taken_back.get(reference)) is not None:
            return taken_back
        if transaction.state == "rolled-back":
            return transaction.last_index
        return transaction.reused_at if transaction.is_reused else None


def described_in(kind: str, ids: Ids, body: Any) -> tuple[Table | None, Table | None] | None:
    """The table that a record describes, and its description before; None if the record is not of that kind.

    What is behind a record that drops the table, or columns of it, is another one, which it does not describe. Versions
    are numbered where all records of a table are known. Raises RecordError LMP-R006 for contradicting descriptors.
    """
    if kind == record_kinds.INITIALIZE:
        return table_of(ids, body.table_description, 0, "table_description"), None
    if kind == record_kinds.ADD_COLUMNS:
        before = table_of(ids, body.old_arrays, 0, "old_arrays")
        return table_of(ids, body.new_arrays, 0, "new_arrays"), before
    return (None, None) if kind in (record_kinds.DROP, record_kinds.DROP_COLUMNS) else None


# -- gaps -------------------------------------------------------------------------------------


class Gaps:
    """The lasting gaps, and messages about all gaps."""

    def __init__(self, transaction_index: TransactionIndex, inherited: Mapping[Ids, str]) -> None:
        """`inherited` are the reasons of gaps that begin in front of the records that are read."""
        self._index = transaction_index
        self._lasting: dict[Ids, deque[ChangeReference]] = {}
        """By table, in the order of the log."""
        self._inherited = dict(inherited)
        self._withdrawn: set[ChangeReference] = set()
        """Those whose transaction was not committed."""
        self._changed: set[Ids] = set()
        """Those whose gaps have been opened or closed since the last note."""
        self.times = {ids: GapTimes([-1], [reason]) for ids, reason in inherited.items()}
        """Why rows of each table may be missing, along the log."""

    def open(self, transaction: Transaction, reference: ChangeReference, body: Any) -> None:
        """Add the gap that a change opens, if it opens one, to its transaction."""
        reason, lasts = gap_opened_by(reference.kind, body), reference.kind in LASTING
        if reason is None:
            return
        until = "the table is copied anew" if lasts else "the transaction commits"
        gap = replace(reference, op="S", notice={"gap": reason, "rows_missing_until": until}, pieces=(), gap=None)
        transaction.changes.append(gap)
        if lasts and reference.ids is not None:
            self._changed.add(reference.ids)
            self._lasting.setdefault(reference.ids, deque()).append(gap)

    def reason(self, ids: Ids | None) -> str | None:
        """Why rows of a table may be missing at this place of the log."""
        gaps = self._lasting.get(ids) if ids is not None else None
        while gaps:
            if not gaps[-1].is_undone and gaps[-1] not in self._withdrawn:
                return str((gaps[-1].notice or {})["gap"])
            self._withdrawn.discard(gaps.pop())
        return None if ids is None else self._inherited.get(ids)

    def note(self, ids: Ids | None, index: int) -> None:
        """Note the gaps of a table, and of others, that may have been opened, closed or taken back behind a record."""
        changed, self._changed = self._changed | self.times.keys() & {ids}, set()
        for one in changed:
            times, reason = self.times.setdefault(one, GapTimes()), self.reason(one)
            if reason != (times.reasons[-1] if times.reasons else None):
                times.indexes.append(index)
                times.reasons.append(reason)

    def forget(self, ids: Ids) -> None:
        """A table that is described anew has no gap."""
        self._changed.add(ids)
        self._lasting.pop(ids, None)
        self._inherited.pop(ids, None)

    def settle(self, reference: ChangeReference, commit: Position, *, is_done: bool) -> None:
        """Open or close gaps by a change whose transaction has ended, with a commit at a position."""
        if reference.op == "S" and is_done:
            self._report(reference, commit)
        if reference.ids is None:
            return
        if reference.kind == record_kinds.TRUNCATE and is_done and reference.ids in self._inherited:
            del self._inherited[reference.ids]
            self._changed.add(reference.ids)
        gaps = self._lasting.get(reference.ids)
        if gaps:
            self._changed.add(reference.ids)
        if gaps and reference.kind == record_kinds.TRUNCATE and is_done:
            # A truncated table is complete again; gaps behind the truncate remain.
            while gaps and gaps[0].extent.index <= reference.extent.index:
                self._withdrawn.discard(gaps.popleft())
        elif gaps and reference.kind == record_kinds.ATTRIBUTE and reference.notice is not None and not is_done:
            self._withdrawn.add(reference)

    def _report(self, reference: ChangeReference, commit: Position) -> None:
        ids = "unknown" if reference.ids is None else f"{reference.ids[0]}.{reference.ids[1]}"
        notice = reference.notice or {}
        why = f"{notice.get('gap')}, until {notice.get('rows_missing_until')}"
        self._index.gaps.append((reference.extent, f"rows missing from here: table {ids}", why, commit))


def gap_opened_by(kind: str, body: Any) -> str | None:
    """Why rows are missing behind a record; None if it opens no gap."""
    if kind == record_kinds.INITIALIZE and body.is_not_logged_initially:
        return "the table was created NOT LOGGED INITIALLY"
    if kind == record_kinds.ATTRIBUTE:
        propagation = catalog.load("db2_dms").enum("table_attribute")["propagation"]
        is_off = body.attribute_mask & ~body.attribute_values & propagation
        return "propagation was switched off" if is_off else None
    return {record_kinds.NOT_LOGGED: "NOT LOGGED INITIALLY was activated", record_kinds.LOAD: "a load began"}.get(kind)
