"""Transaction summaries of a Db2 LUW log: one for each transaction, whatever became of it.

The engine `kaitai` sums up the transactions that `transactions` has read record by record. The other one takes most of
them from the arrays of the log index; memory holds some numbers of each transaction and each of its tables.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from lmparse.changes.transaction_summary import TableLabels, TransactionSummary
from lmparse.db2 import record_kinds
from lmparse.db2.changed_rows import transaction_of
from lmparse.db2.decoder import name_of
from lmparse.db2.log import Db2Log
from lmparse.db2.record_fields import Fields
from lmparse.db2.row_images import RowImages
from lmparse.db2.tables import Ids, Table
from lmparse.db2.transaction_index import ChangeReference, Transaction
from lmparse.db2.unit_totals import UnitTotals
from lmparse.db2.units import OPEN, STATES
from lmparse.errors import DataError

BEGINS_BEFORE = "it begins before the log"
NO_END = "its end is not in the log"
USED_AGAIN = "another transaction begins with its identifier, and its end is not in the log"
UNREAD = "a record that may be its own cannot be read"


def transaction_summaries(log: Db2Log) -> Iterator[TransactionSummary]:
    """The transactions in the order in which they end; those without an end follow, in the order in which they begin.

    Raises FramingError where the log is damaged, behind the transactions before the damage.
    """
    index = log.transactions
    for extent, error in index.bad:
        log.quarantine(error, extent)
    yield from _Summaries(log).in_order()
    if index.fault is not None:
        raise index.fault


class _Summaries:
    """Sums up the transactions of one log."""

    def __init__(self, log: Db2Log) -> None:
        self._log, self._index = log, log.log_index
        self._labels = TableLabels()
        for ids, table in log.transactions.named.items():
            self._labels.add(table.full_name, _shown(ids))
        self._unread = log.transactions.unread
        irregular = [one.irregular for one in self._index.contexts[:1] if one.irregular is not None]
        self._irregular = np.concatenate([np.zeros(0, np.uint64), *irregular])

    def in_order(self) -> Iterator[TransactionSummary]:
        """All summaries, as `transaction_summaries` gives them."""
        units, whole = self._index.units, self._index.whole
        is_incomplete = whole.beginning.lack(units)
        # Behind an end, another end of the same transaction says nothing new.
        is_here = (units.sizes > 0) | ~units.begins_before | is_incomplete
        numbers = np.flatnonzero(is_here & ~np.isin(units.tid, self._irregular))
        totals, is_last = self._totals(), units.is_last
        parsed, special = self._parsed()
        is_open = np.append(units.state[numbers] == OPEN, [one.state == STATES[OPEN] for one in parsed]).astype(
            np.bool_
        )
        first = np.append(units.first_index[numbers], [one.first_index for one in parsed])
        last = np.append(totals.last_index[numbers], [one.totals.last_index for one in parsed])
        for place in np.lexsort((np.where(is_open, first, last), is_open)).tolist():
            if place >= len(numbers):
                yield self._of(parsed[place - len(numbers)])
                continue
            unit = int(numbers[place])
            found = transaction_of(whole, units, unit, self._index.authids, is_incomplete=is_incomplete[unit])
            is_reused = bool(is_open[place]) and not is_last[unit]
            yield self._of_unit(found, totals, unit, special.get((_tid(found), found.first_index)), is_reused=is_reused)

    def _parsed(self) -> tuple[list[Transaction], dict[tuple[int, int], Transaction]]:
        """The transactions of which all records were read one by one, and by identifier and number of the first record
        those of which only the changes of tables as a whole were."""
        rest = self._log.transactions
        irregular, is_parsed = frozenset(self._irregular.tolist()), self._log.options.engine == "kaitai"
        parsed, special = list[Transaction](), dict[tuple[int, int], Transaction]()
        for one in (*rest.transactions, *rest.unchanged):
            if is_parsed or _tid(one) in irregular or _is_load(one):
                parsed.append(one)
            else:
                special[_tid(one), one.first_index] = one
        return parsed, special

    def _totals(self) -> UnitTotals:
        log, index = self._log, self._index
        images = RowImages(Fields(log.logs.records.spec.layouts, log.logs.byte_order_word))
        found = UnitTotals(len(index.units), log.buffer, images, log.descriptions)
        for context, part in zip(index.contexts, index.parts(has_extras=False), strict=True):
            if context.unit_numbers is not None:
                found.add(part, context.unit_numbers)
        return found

    def _of_unit(
        self, transaction: Transaction, totals: UnitTotals, unit: int, special: Transaction | None, *, is_reused: bool
    ) -> TransactionSummary:
        found = self._bare(
            transaction, int(totals.first_offset[unit]), int(totals.last_index[unit]), int(totals.last_offset[unit]),
            int(totals.last_lsn[unit]), is_reused=is_reused,
        )  # fmt: skip
        found.records, found.bytes = int(totals.records[unit]), int(totals.bytes[unit])
        for ids, table, op, is_undone, number in totals.counts(unit):
            found.count(self._name(ids, table), op, number, is_undone=is_undone)
        self._add_changes(found, special)
        return found

    def _of(self, transaction: Transaction) -> TransactionSummary:
        """A transaction that was read record by record."""
        totals = transaction.totals
        found = self._bare(
            transaction, totals.first_offset, totals.last_index, totals.last_offset, totals.last_lsn,
            is_reused=transaction.is_reused,
        )  # fmt: skip
        found.records, found.bytes = totals.records, totals.bytes
        self._add_changes(found, transaction)
        return found

    def _add_changes(self, summary: TransactionSummary, transaction: Transaction | None) -> None:
        if transaction is None:
            return
        for change in transaction.changes:
            if self._log.decoder.has_row(change):
                table = self._described(transaction, change)
                summary.count(self._name(change.ids, table), change.op, 1, is_undone=change.is_undone)

    def _bare(
        self,
        transaction: Transaction,
        first_offset: int,
        last_index: int,
        last_offset: int,
        last_lsn: int,
        *,
        is_reused: bool,
    ) -> TransactionSummary:
        """A summary without its records and changes."""
        reasons = self._reasons(transaction, last_index, is_reused=is_reused)
        return TransactionSummary(
            txn_id=transaction.txn_id,
            disposition=transaction.state,
            complete=not reasons,
            why="; ".join(reasons) or None,
            commit_ts=transaction.commit_ts,
            auth_id=transaction.authid,
            first_position=f"{transaction.first_lsn:016X}",
            last_position=f"{last_lsn:016X}",
            first_record_index=transaction.first_index,
            first_record_offset=first_offset,
            last_record_index=last_index,
            last_record_offset=last_offset,
            records=0,
            bytes=0,
        )

    def _reasons(self, transaction: Transaction, last_index: int, *, is_reused: bool) -> list[str]:
        """Why a transaction is not complete."""
        reasons = [BEGINS_BEFORE] if transaction.is_incomplete else []
        # The record before its first one may be one that cannot be read.
        start = -1 if transaction.begins_before and not transaction.is_incomplete else transaction.first_index
        place = bisect_right(self._unread, start)
        if place < len(self._unread) and self._unread[place] < last_index:
            reasons.append(UNREAD)
        if transaction.state == STATES[OPEN]:
            reasons.append(USED_AGAIN if is_reused else NO_END)
        return reasons

    def _described(self, transaction: Transaction, change: ChangeReference) -> Table | None:
        try:
            return self._log.descriptions.of(transaction, change)
        except DataError:
            return None  # reading the change raises it

    def _name(self, ids: Ids | None, described: Table | None) -> str:
        """The name of a table as its changes have it: that of the file is not that of a table before it."""
        table = self._log.transactions.named.get(ids) if described is None and ids is not None else described
        schema, name, _ = name_of(table, ids)
        return self._labels.label(f"{schema}.{name}" if schema else name, "" if ids is None else _shown(ids))


def _shown(ids: Ids) -> str:
    return f"{ids[0]}.{ids[1]}"


def _tid(transaction: Transaction) -> int:
    return int.from_bytes(transaction.transaction_id, "big")


def _is_load(transaction: Transaction) -> bool:
    """Whether it is a load, which takes effect at once and is a transaction of its own."""
    return bool(transaction.changes) and transaction.changes[0].kind == record_kinds.LOAD
