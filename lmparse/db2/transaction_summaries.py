"""Transaction summaries of a Db2 LUW log: one for each transaction, whatever became of it.

The engine `kaitai` sums up the transactions that `transactions` has read record by record. The other one takes most of
them from the arrays of the log index, part by part: beside one part, memory holds the transactions that have no end in
it, and those that are read record by record in both engines.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from lmparse.changes.transaction_summary import TableLabels, TransactionSummary
from lmparse.db2 import record_kinds
from lmparse.db2.changed_rows import PartRows
from lmparse.db2.decoder import name_of
from lmparse.db2.log import Db2Log
from lmparse.db2.log_part import PartContext
from lmparse.db2.part_index import PartIndex
from lmparse.db2.record_fields import Fields
from lmparse.db2.row_images import RowImages
from lmparse.db2.tables import Ids, Table
from lmparse.db2.transaction_index import ChangeReference, Transaction
from lmparse.db2.unit_totals import UnitTotals
from lmparse.db2.units import OPEN, STATES
from lmparse.errors import DataError
from lmparse.values.byte_arrays import Flags, UInt64s

BEGINS_BEFORE = "it begins before the log"
NO_END = "its end is not in the log"
USED_AGAIN = "another transaction begins with its identifier, and its end is not in the log"
UNREAD = "a record that may be its own cannot be read"
_SUMMARY_BYTES = 1500
"""Bytes of memory of a summary; measured with changes of one table."""


def transaction_summaries(log: Db2Log) -> Iterator[TransactionSummary]:
    """The transactions in the order in which they end; those without an end follow, in the order in which they begin.

    Raises FramingError where the log is damaged, behind the transactions before the damage.
    """
    index = log.transactions
    for extent, error in index.bad:
        log.quarantine(error, extent)
    summaries = _Summaries(log)
    yield from summaries.by_column() if log.is_by_column else summaries.by_record()
    if index.fault is not None:
        raise index.fault


class _Summaries:
    """Sums up the transactions of one log."""

    def __init__(self, log: Db2Log) -> None:
        self._log = log
        self._labels = TableLabels()
        for ids, table in log.transactions.named.items():
            self._labels.add(table.full_name, _shown(ids))
        self._unread = log.transactions.unread
        self._open: dict[int, TransactionSummary] = {}
        """Transactions without an end in the parts so far, by identifier."""
        self._endless: list[TransactionSummary] = []
        """Those that have no end in the log."""

    def by_record(self) -> Iterator[TransactionSummary]:
        """The transactions that were read record by record."""
        index = self._log.transaction_index
        yield from self._in_order([*index.transactions, *index.unchanged])

    def _in_order(self, transactions: list[Transaction]) -> Iterator[TransactionSummary]:
        ended = [one for one in transactions if one.state != STATES[OPEN]]
        yield from map(self._of, sorted(ended, key=_last_index))
        endless = [one for one in transactions if one.state == STATES[OPEN]]
        yield from map(self._of, sorted(endless, key=lambda one: one.first_index))

    def by_column(self) -> Iterator[TransactionSummary]:
        """The same from the log index."""
        index = self._log.log_index
        apart = [*index.whole.rest.transactions, *index.whole.rest.unchanged]
        irregular = frozenset(tid for context in index.contexts[:1] for tid in _tids(context))
        wholly = [one for one in apart if _tid(one) in irregular or _is_load(one)]
        ended = deque(sorted((one for one in wholly if one.state != STATES[OPEN]), key=_last_index))
        self._add_endless(map(self._of, (one for one in wholly if one.state == STATES[OPEN])))
        # Of the others only the changes of tables as a whole were read record by record.
        own = set(map(id, wholly))
        special = {(_tid(one), one.first_index): one for one in apart if id(one) not in own}
        images = RowImages(Fields(self._log.logs.records.spec.layouts, self._log.logs.byte_order_word))
        for context, part in index.parts():
            held = PartRows(index.whole, replace(context, extras=[]), part)
            for summary in self._of_part(context, part, self._totals(held, images), held, special):
                while ended and _last_index(ended[0]) < summary.last_record_index:
                    yield self._of(ended.popleft())
                yield summary
        yield from map(self._of, ended)
        self._add_endless(self._open.values())
        yield from sorted(self._endless, key=lambda summary: summary.first_record_index)

    def _of_part(
        self,
        context: PartContext,
        part: PartIndex,
        totals: UnitTotals,
        held: PartRows,
        special: dict[tuple[int, int], Transaction],
    ) -> Iterator[TransactionSummary]:
        """The transactions that end in a part; the others are added to those that have no end yet."""
        units = part.units
        tids, firsts = units.tid, units.is_first
        is_last, has_end = units.is_last, totals.records > units.sizes
        is_here = np.ones(len(units), np.bool_)
        if context.irregular is not None:
            is_here = ~np.isin(tids, context.irregular)
        start = context.span.first_index
        heads = [tid for tid, one in context.heads.items() if one.first_index < start]  # others begin here
        is_open, is_head = firsts & _among(tids, self._open), firsts & _among(tids, heads)
        goes_on = is_open & is_head
        for tid in tids[is_open & ~is_head].tolist():
            self._add_endless([_used_again(self._open.pop(tid))])
        # Behind an end, another end of the same transaction says nothing new.
        is_here &= (units.sizes > 0) | goes_on | ~units.begins_before | held.is_incomplete
        order = np.argsort(totals.last, kind="stable")
        for unit in order[is_here[order]].tolist():
            found = self._of_unit(held, totals, unit, special)
            if goes_on[unit]:
                found = self._joined(int(tids[unit]), found)
            if has_end[unit]:
                yield found
            elif not is_last[unit]:
                self._add_endless([_used_again(found)])
            else:
                self._log.held.take(_SUMMARY_BYTES)
                self._open[int(tids[unit])] = found

    def _joined(self, tid: int, later: TransactionSummary) -> TransactionSummary:
        """A transaction that goes on from an earlier part."""
        self._log.held.give(_SUMMARY_BYTES)
        found = self._open.pop(tid)
        found.add(later)
        found.complete, found.why = later.complete, later.why
        return found

    def _of_unit(
        self, held: PartRows, totals: UnitTotals, unit: int, special: dict[tuple[int, int], Transaction]
    ) -> TransactionSummary:
        members, transaction = held.columns.members, held.transaction(unit)
        first, last = int(totals.first[unit]), int(totals.last[unit])
        found = self._bare(
            transaction, int(members.offset[first]), int(members.index[last]), int(members.offset[last]),
            int(members.lsn[last]),
        )  # fmt: skip
        found.records, found.bytes = int(totals.records[unit]), int(totals.bytes[unit])
        for ids, table, op, is_undone, number in totals.counts(unit):
            found.count(self._name(ids, table), op, number, is_undone=is_undone)
        self._add_changes(found, special.pop((int(held.units.tid[unit]), transaction.first_index), None))
        return found

    def _of(self, transaction: Transaction) -> TransactionSummary:
        """A transaction that was read record by record."""
        totals = transaction.totals
        found = self._bare(
            transaction, totals.first_offset, totals.last_index, totals.last_offset, totals.last_lsn
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
        self, transaction: Transaction, first_offset: int, last_index: int, last_offset: int, last_lsn: int
    ) -> TransactionSummary:
        """A summary without its records and changes."""
        reasons = self._reasons(transaction, last_index)
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

    def _reasons(self, transaction: Transaction, last_index: int) -> list[str]:
        """Why a transaction is not complete."""
        reasons = [BEGINS_BEFORE] if transaction.is_incomplete else []
        # The record before its first one may be one that cannot be read.
        start = -1 if transaction.begins_before and not transaction.is_incomplete else transaction.first_index
        place = bisect_right(self._unread, start)
        if place < len(self._unread) and self._unread[place] < last_index:
            reasons.append(UNREAD)
        if transaction.state == STATES[OPEN]:
            reasons.append(USED_AGAIN if transaction.is_reused else NO_END)
        return reasons

    def _totals(self, held: PartRows, images: RowImages) -> UnitTotals:
        return UnitTotals(held, self._log.buffer, images, self._log.descriptions)

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

    def _add_endless(self, summaries: Iterable[TransactionSummary]) -> None:
        for summary in summaries:
            self._log.held.take(_SUMMARY_BYTES)
            self._endless.append(summary)


def _shown(ids: Ids) -> str:
    return f"{ids[0]}.{ids[1]}"


def _tid(transaction: Transaction) -> int:
    return int.from_bytes(transaction.transaction_id, "big")


def _tids(context: PartContext) -> list[int]:
    return [] if context.irregular is None else context.irregular.tolist()


def _is_load(transaction: Transaction) -> bool:
    """Whether it is a load, which takes effect at once and is a transaction of its own."""
    return bool(transaction.changes) and transaction.changes[0].kind == record_kinds.LOAD


def _last_index(transaction: Transaction) -> int:
    return transaction.totals.last_index


def _among(tids: UInt64s, known: Iterable[int]) -> Flags:
    found: Flags = np.isin(tids, np.fromiter(known, np.uint64))
    return found


def _used_again(summary: TransactionSummary) -> TransactionSummary:
    """An open transaction of whose identifier another one begins."""
    summary.why = (summary.why or NO_END).replace(NO_END, USED_AGAIN)
    return summary
