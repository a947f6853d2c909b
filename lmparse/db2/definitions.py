"""Definitions of tables in a Db2 LUW log, as they are met: what describes a table, drops it, or drops columns of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lmparse.db2 import record_kinds
from lmparse.db2.table_history import TableRecord
from lmparse.db2.tables import Ids, Table, table_of
from lmparse.db2.transaction_index import ChangeReference, Transaction


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
