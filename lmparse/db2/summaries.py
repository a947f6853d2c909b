"""Transaction summaries of a Db2 LUW log: one for each transaction, whatever its outcome.

Records and outcomes come from the units of the log index. Changed rows are counted by the column. Memory holds some
numbers of each transaction and each of its tables.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from lmparse.changes.transaction_summary import TableLabels, TransactionSummary
from lmparse.db2.log import Db2Log
from lmparse.db2.record.log_record import Ids
from lmparse.db2.record.record_table import NO_TABLE, table_ids
from lmparse.db2.record.row_header import RecordHeader
from lmparse.db2.record.row_images import with_header
from lmparse.db2.rows.change_decoder import name_of
from lmparse.db2.tables.table import Table
from lmparse.db2.transactions.changed_rows import PartRows
from lmparse.db2.transactions.references import Transaction
from lmparse.db2.transactions.units import OPEN, STATES
from lmparse.errors import DataError
from lmparse.values.byte_arrays import Int64s

BEGINS_BEFORE = "it begins before the log"
NO_END = "its end is not in the log"
USED_AGAIN = "another transaction begins with its identifier, and its end is not in the log"
UNREAD = "a record that may be its own cannot be read"


def transaction_summaries(log: Db2Log) -> Iterator[TransactionSummary]:
    """The transactions in the order of their ends; then those without an end, in the order of their beginnings.

    Raises FramingError for a damaged log, behind the transactions in front of the damage.
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
        self._unread = log.log_index.unread

    def in_order(self) -> Iterator[TransactionSummary]:
        """All summaries, in the order of `transaction_summaries`."""
        units, totals, parsed = self._index.units, self._index.totals, self._log.transactions.transactions
        loads = [one for one in parsed if one.number < 0]
        of_unit = {one.number: one for one in parsed}
        # Behind an end, another end of the same transaction says nothing new.
        numbers = np.flatnonzero(~totals.is_end | ~units.begins_before | self._index.whole.beginning.lack(units))
        counts = UnitCounts(self._log)
        is_open = np.append(units.state[numbers] == OPEN, np.zeros(len(loads), np.bool_))
        first = np.append(units.first_index[numbers], [one.first_index for one in loads])
        last = np.append(totals.last_index[numbers], [one.last_index for one in loads])
        for place in np.lexsort((np.where(is_open, first, last), is_open)).tolist():
            if place >= len(numbers):
                yield self._of_load(loads[place - len(numbers)])
                continue
            unit = int(numbers[place])
            found = self._of_unit(unit, self._index.transaction(unit))
            for ids, table, op, is_undone, number in counts.of(unit):
                found.count(self._name(ids, table), op, number, is_undone=is_undone)
            if unit in of_unit:
                self._add_changes(found, of_unit[unit])
            yield found

    def _of_unit(self, unit: int, transaction: Transaction) -> TransactionSummary:
        """The summary of a unit without its changes."""
        totals, reasons = self._index.totals, self._reasons(transaction)
        return TransactionSummary(
            txn_id=transaction.txn_id,
            disposition=transaction.state,
            complete=not reasons,
            why="; ".join(reasons) or None,
            commit_ts=transaction.commit_ts,
            auth_id=transaction.authid,
            first_position=f"{transaction.first_lsn:016X}",
            last_position=f"{int(totals.last_lsn[unit]):016X}",
            first_record_index=transaction.first_index,
            first_record_offset=int(totals.first_offset[unit]),
            last_record_index=transaction.last_index,
            last_record_offset=int(totals.last_offset[unit]),
            records=int(totals.records[unit]),
            bytes=int(totals.bytes[unit]),
        )

    def _of_load(self, load: Transaction) -> TransactionSummary:
        """The start of a load, which takes effect at once and is a transaction of its own."""
        extent, position = load.changes[0].extent, f"{load.first_lsn:016X}"
        found = TransactionSummary(
            txn_id=load.txn_id, disposition=load.state, complete=True, why=None, commit_ts=load.commit_ts,
            auth_id=load.authid, first_position=position, last_position=position, first_record_index=extent.index,
            first_record_offset=extent.offset, last_record_index=extent.index, last_record_offset=extent.offset,
            records=1, bytes=extent.length,
        )  # fmt: skip
        self._add_changes(found, load)
        return found

    def _add_changes(self, summary: TransactionSummary, transaction: Transaction) -> None:
        for change in transaction.changes:
            if self._log.decoder.has_row(change):
                try:
                    table = self._log.descriptions.of(transaction, change)
                except DataError:
                    table = None  # reading the change raises the error
                summary.count(self._name(change.ids, table), change.op, 1, is_undone=change.is_undone)

    def _reasons(self, transaction: Transaction) -> list[str]:
        """Why a transaction is not complete; empty if it is complete."""
        reasons = [BEGINS_BEFORE] if transaction.is_incomplete else []
        # The record in front of the first one may be a record that cannot be read.
        start = -1 if transaction.begins_before and not transaction.is_incomplete else transaction.first_index
        place = bisect_left(self._unread, start)  # the first record may be a piece with a bad address
        if place < len(self._unread) and self._unread[place] < transaction.last_index:
            reasons.append(UNREAD)
        if transaction.state == STATES[OPEN]:
            reasons.append(USED_AGAIN if transaction.is_reused else NO_END)
        return reasons

    def _name(self, ids: Ids | None, described: Table | None) -> str:
        """The label of a table, as `changes` names it: its name in the description at the change, else its ids."""
        schema, name, _ = name_of(described, ids)
        return self._labels.label(f"{schema}.{name}" if schema else name, "" if ids is None else _shown(ids))


def _shown(ids: Ids) -> str:
    return f"{ids[0]}.{ids[1]}"


def _is_internal(header: RecordHeader) -> bool:
    return not header.is_row


# -- rows by the column -----------------------------------------------------------------------


class UnitCounts:
    """Counts the changed rows of each unit."""

    def __init__(self, log: Db2Log) -> None:
        self._log = log
        self._tables: list[tuple[int, Table | None]] = []
        self._found: list[Int64s] = []
        """Of each count: unit, number of the table, operation, whether the rows are undone, and how many; (5, n)."""
        for part in log.log_index.parts():
            self._add(part)

    def _add(self, part: PartRows) -> None:
        """Count the rows of the next part. Ids that are used again, and a table that is altered, are several tables."""
        held, is_internal = part.columns.rows, np.ones(len(part.ops), np.bool_)
        for types, other in ((held.before_types, b"I"), (held.after_types, b"D")):
            is_internal &= (part.ops == other) | with_header(types, self._log.byte_order, _is_internal, otherwise=False)
        rows = part.rows[~is_internal[part.rows]]
        table = np.zeros(len(rows), np.int64)
        first = len(self._tables)
        for described, places in part.versions(rows, self._log.descriptions):
            table[places] = len(self._tables) - first
            self._tables.append((int(part.columns.rows.ids[rows[places[0]]]), described))
        op = part.ops[rows].view(np.uint8).astype(np.int64)
        # Below 2^63: a part has less than 2^22 units and tables.
        key = (part.row_unit[rows] << 32 | table) << 8 | op
        different, counts = np.unique(2 * key + part.is_undone[rows], return_counts=True)
        key = different >> 1
        unit, table = part.unit_numbers[key >> 40], (key >> 8 & 0xFFFFFFFF) + first
        self._found.append(np.stack([unit, table, key & 0xFF, different & 1, counts]))

    def of(self, unit: int) -> Iterator[tuple[Ids | None, Table | None, str, bool, int]]:
        """The changed rows of a unit: ids of the table, its description at the changes, operation, whether the rows are
        undone, and number of rows."""
        units, found = self._counts
        low, high = np.searchsorted(units, (unit, unit + 1))
        for _, table, op, is_undone, number in found[:, low:high].T.tolist():
            ids, described = self._tables[table]
            yield None if ids == NO_TABLE else table_ids(ids), described, chr(op), bool(is_undone), number

    @cached_property
    def _counts(self) -> tuple[Int64s, Int64s]:
        """The units of all counts, ascending; and the counts, in the same order."""
        found = np.concatenate([np.zeros((5, 0), np.int64), *self._found], axis=1)
        found = found[:, np.argsort(found[0], kind="stable")]
        return found[0], found
