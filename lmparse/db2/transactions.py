"""Transactions of a Db2 LUW log that are read record by record, because arrays do not show all that happens in them.

These are those with something rare (rows that moved, compensations that contradict what they name, values that grow);
of those that change tables as a whole, only these changes; with the engine `kaitai` all of them. Where a transaction
begins and ends is known before, see `units`. Its changes are kept as the extents of their records, without rows in
memory, and count against the limit `held_bytes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import Any

from lmparse.db2 import record_kinds
from lmparse.db2.compensation import OpenChanges, row_id, without_halves
from lmparse.db2.lob_pieces import LobPieces
from lmparse.db2.log_record import LogReader, LogRecord
from lmparse.db2.row_reader import record_header
from lmparse.db2.table_changes import Definitions, Gaps, described_in
from lmparse.db2.tables import Ids
from lmparse.db2.transaction_index import ChangeReference, Transaction, TransactionIndex
from lmparse.errors import DataError, FramingError, RecordError
from lmparse.framing.extents import RecordExtent
from lmparse.limits import Held
from lmparse.spec import catalog
from lmparse.storage.buffers import Buffer

_CHANGE_BYTES, _TRANSACTION_BYTES = 800, 900
"""Bytes of memory of a change and of a transaction in the index; measured."""
_PIECES = frozenset((*record_kinds.LOBS_NAMED, *record_kinds.LOBS_UNNAMED, record_kinds.XML))
ALTERED = (
    "columns altered by records that do not say how: the rows in front and behind are read with the same description, "
    "if none is between them"
)


class TransactionReader:
    """Sorts the changes in log records into transactions."""

    def __init__(
        self,
        byte_order: str,
        held: Held,
        transaction_of: Callable[[int], Transaction],
        *,
        unread: Sequence[int],
        read_before: int,
        gaps: Mapping[Ids, str],
    ) -> None:
        """`transaction_of` makes the transaction of the unit with a number, without its changes.

        `unread` are the numbers of the records of the log that cannot be read, ascending. Of those in front of number
        `read_before`, an earlier reading has said what is to be said. `gaps` are the tables of which rows may be
        missing in front of the first record, with reasons.
        """
        self.index = TransactionIndex()
        self._held, self._byte_order, self._read_before = held, byte_order, read_before
        self._transaction_of = transaction_of
        self._moved = catalog.load("db2_dms").enum("iud_flag")["moved_row"]
        self._open: dict[int, Transaction] = {}
        """By number of the unit."""
        self._reused: list[tuple[int, int]] = []
        """The open ones without an end of whose identifier another one begins: number of that record, and of the unit;
        a heap."""
        self._lookups: dict[Transaction, OpenChanges] = {}
        """For open transactions that needed one."""
        self._pieces = LobPieces(self.index, held, unread)
        self.gaps = Gaps(self.index, gaps)
        self._definitions = Definitions()

    @property
    def unread(self) -> list[int]:
        """The records that cannot be read, with those whose place in their transaction cannot."""
        return self._pieces.damaged

    def read(self, logs: LogReader, buffer: Buffer, extents: Iterable[tuple[RecordExtent, int]]) -> TransactionIndex:
        """Read records in the order of the log, each with the number of its unit, and end what is still open."""
        last: RecordExtent | None = None
        try:
            for extent, unit in extents:
                last = extent
                self.add(logs.read(buffer, extent), unit)
        except FramingError as error:
            if last is not None:
                error.at(record_index=last.index, record_offset=last.offset)
            self.index.fault = error
        for transaction in list(self._open.values()):
            self._end(transaction)
        self.index.tables |= self._definitions.records()
        return self.index

    def add(self, record: LogRecord, unit: int) -> None:
        """Add one record."""
        kind, index = record.kind, record.extent.index
        while self._reused and self._reused[0][0] <= index:
            self._end(self._open[heappop(self._reused)[1]])
            self.gaps.note(None, index - 1)
        if kind == record_kinds.LOAD:
            self._load(record)
            self.gaps.note(record.table, index)
            return
        transaction = self._transaction(unit)
        if record.is_compensating:
            self._compensate(transaction, record)
        elif kind in record_kinds.OPERATIONS:
            if record.parsed.is_singular and transaction.changes:
                self._refuse_singular(transaction, record)
            self._change(transaction, record)
        elif kind in _PIECES and record.table is not None:
            is_first = transaction.is_incomplete and transaction.first_index == index
            self._pieces.add(record, record.table, transaction.first_index, is_first=is_first)
        if index == transaction.last_index and transaction.state != "open":
            self._end(transaction)
        self.gaps.note(record.table, index)

    # -- beginnings and ends ------------------------------------------------------------

    def _transaction(self, unit: int) -> Transaction:
        transaction = self._open.get(unit)
        if transaction is None:
            self._held.take(_TRANSACTION_BYTES)
            transaction = self._open[unit] = self._transaction_of(unit)
            if transaction.is_reused:
                heappush(self._reused, (transaction.reused_at, unit))
        return transaction

    def _refuse_singular(self, transaction: Transaction, record: LogRecord) -> None:
        """Nothing tells whether a transaction of one record commits what others have changed before it."""
        transaction.state = "open"
        error = RecordError(
            "it is a transaction of its own, but others have its identifier and no end", code="LMP-R008",
            spec="db2_log", field="general_flag", expected="no change with its identifier in front, or an end of it",
            found=f"{len(transaction.changes)} changes without an end",
        )  # fmt: skip
        self.index.bad.append((record.extent, error))

    def _end(self, transaction: Transaction) -> None:
        lookup = self._lookups.pop(transaction, None)
        if lookup is not None:
            transaction.changes = lookup.settled()
            self._definitions.take_back(lookup.taken_back)
        if self._open.pop(transaction.number, None) is not None:
            self._pieces.give_unnamed(transaction)
            self._pieces.end(transaction.transaction_id)
        transaction.changes = without_halves(transaction.changes)
        for reference in transaction.changes:
            is_done = transaction.state == "committed" and not reference.is_undone
            self.gaps.settle(reference, transaction.commit_position, is_done=is_done)
            is_read_before = reference.extent.index < self._read_before
            if is_done and not is_read_before and reference.kind in record_kinds.ALTER:
                self.index.counts[ALTERED] += 1
        if transaction.changes:
            self.index.transactions.append(transaction)

    # -- changes --------------------------------------------------------------------------

    def _change(self, transaction: Transaction, record: LogRecord) -> None:
        body, kind = record.body, record.kind
        base = ChangeReference(
            record.extent, kind, record_kinds.OPERATIONS[kind], record.table, _lsn(record), record.lfs, record.stream,
            record.address, record.previous,
        )  # fmt: skip
        if kind == record_kinds.MULTIPLE:
            self._held.take(_CHANGE_BYTES * len(body.records))
            references = [replace(base, number=number, rid=row_id(row)) for number, row in enumerate(body.records)]
            if not references:
                return  # it says that it has no rows
        else:
            self._held.take(_CHANGE_BYTES)
            references = [replace(base, rid=row_id(getattr(body, "old_row", body)))]
        for reference in references:
            reference.is_half = bool(getattr(body, "iud_flags", 0) & self._moved)
            reference.gap = self.gaps.reason(reference.ids)
        if base.op in ("I", "U") and base.ids is not None:
            self._pieces.give(transaction, references)
        if base.op == "U":
            self._join_pointer(transaction, references[0], record)
        transaction.changes.extend(references)
        self._describe(transaction, references[0], body)
        self.gaps.open(transaction, references[0], body)

    def _join_pointer(self, transaction: Transaction, reference: ChangeReference, record: LogRecord) -> None:
        """Join an update that left a pointer with the insert before it, which contains the row."""
        try:
            header = record_header(record.body.new_row.record, self._byte_order)
        except DataError as error:
            self.index.bad.append((record.extent, error))
            return
        if header.is_row or not header.is_pointer:
            return
        lookup = self._lookup(transaction)
        before = lookup.last(reference.ids)
        if before is not None and before.op == "I" and not before.is_undone:
            # The insert has the new row, the update the row before.
            lookup.join(before)
            reference.other, reference.extent = reference.extent, before.extent
            reference.number, reference.pieces = before.number, before.pieces or reference.pieces

    def _describe(self, transaction: Transaction, reference: ChangeReference, body: Any) -> None:
        if reference.ids is None:
            return
        try:
            found = described_in(reference.kind, reference.ids, body)
        except DataError as error:
            self.index.bad.append((reference.extent, error))
            return
        if found is not None:
            self._definitions.add(transaction, reference, *found)
            self._pieces.describe(reference.ids)
        if found is not None and reference.kind == record_kinds.INITIALIZE:
            self.gaps.forget(reference.ids)

    def _load(self, record: LogRecord) -> None:
        """A load takes effect at once, whatever the outcome of its transaction."""
        self._held.take(_TRANSACTION_BYTES + _CHANGE_BYTES)
        transaction = Transaction(
            record.transaction_id, _lsn(record), record.extent.index, "committed", commit_lfs=record.lfs,
            commit_lsn=_lsn(record), last_index=record.extent.index,
        )  # fmt: skip
        reference = ChangeReference(
            record.extent, record.kind, "O", record.table, _lsn(record), record.lfs, record.stream
        )
        transaction.changes.append(reference)
        self.gaps.open(transaction, reference, record.body)
        self._end(transaction)

    # -- compensation ---------------------------------------------------------------------

    def _compensate(self, transaction: Transaction, record: LogRecord) -> None:
        """Undo what a compensation undoes."""
        if record.kind == record_kinds.NOT_STORED_OUTSIDE and record.table is not None:
            self._pieces.take_back(transaction.transaction_id, record.table)
        undone = record_kinds.UNDOES.get(record.kind)
        if undone is None:
            return
        lookup = self._lookup(transaction)
        known = len(lookup.taken_back)
        is_found, error = lookup.undo(record, undone)
        if len(lookup.taken_back) > known and record.table is not None:
            self._pieces.describe(record.table)
        if error is not None:
            self.index.bad.append((record.extent, error))
        elif not is_found and record.kind in record_kinds.UNDOES_DEFINITION and record.table is not None:
            # Its table is another one up to here, or has other columns; which, only the missing record says.
            self._held.take(_CHANGE_BYTES)
            begin = lookup.behind(record.compensated)
            self._definitions.add_missing(transaction, record.table, begin, record.extent.index)
            self._pieces.describe(record.table)
        if not is_found and record.extent.index >= self._read_before:
            self.index.counts["compensations of changes that are not in the log at hand"] += 1

    def _lookup(self, transaction: Transaction) -> OpenChanges:
        """Lookups among the changes of an open transaction."""
        lookup = self._lookups.get(transaction)
        if lookup is None:
            lookup = self._lookups[transaction] = OpenChanges(transaction.changes, self._held)
        return lookup


def _lsn(record: LogRecord) -> int:
    """Log sequence number of a record; its offset in the file if it has none."""
    return record.extent.offset if record.lsn is None else record.lsn
