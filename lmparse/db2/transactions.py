"""Transactions of a Db2 LUW log: the changes of each transaction, and its outcome.

Records of transactions are mixed in the log, and the outcome of a change is known only at the end of its transaction.
One pass over the records makes an index: transactions with the extents of their changes, without rows in memory. Rows
are read afterwards, in the order of commits or of the file. The index is kept until the last row is read, so its
transactions, changes and pieces of LOB values count against the limit `held_bytes`, ended or not; each with what it
takes in memory, some hundred bytes. The bytes of the log are not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lmparse.db2 import record_kinds
from lmparse.db2.compensation import OpenChanges, row_id, without_halves
from lmparse.db2.definitions import Definitions, described_in
from lmparse.db2.gaps import Gaps
from lmparse.db2.links import LoadStart, MissingRecord
from lmparse.db2.lob_pieces import LobPieces
from lmparse.db2.log_beginning import LogBeginning
from lmparse.db2.log_record import LogRecord, commit_seconds
from lmparse.db2.row_reader import record_header
from lmparse.db2.tables import Ids
from lmparse.db2.transaction_index import ChangeReference, Transaction, TransactionIndex
from lmparse.errors import DataError, FramingError
from lmparse.framing.extents import RecordExtent
from lmparse.limits import Held
from lmparse.spec import catalog
from lmparse.values.codepages import CodePage

_CHANGE_BYTES, _TRANSACTION_BYTES = 800, 900
"""Bytes of memory of a change and of a transaction in the index; measured."""


UNLISTED = "records of a type or component that is not listed; they are passed over"
USED_AGAIN = "transactions without an end, whose identifier is used again"
BEGUN_BEFORE = "transactions that begin before the log at hand: earlier changes are not in it"
ALTERED = (
    "columns altered by records that do not say how: the rows in front and behind are read with the same description, "
    "if none is between them"
)
ENDED_ALONE = "ends of transactions without another record in the log at hand: their changes are in front of it"


class TransactionReader:
    """Sorts log records into transactions."""

    def __init__(self, byte_order: str, page: CodePage, held: Held, counted: frozenset[bytes] = frozenset()) -> None:
        """`counted`: identifiers of transactions whose beginnings are counted elsewhere."""
        self.index = TransactionIndex()
        self._counted = counted
        self._held = held
        self._byte_order = byte_order
        self._page = page
        self._open: dict[bytes, Transaction] = {}
        self._lookups: dict[Transaction, OpenChanges] = {}
        """For open transactions that needed one."""
        self._pieces = LobPieces(self.index, held)
        self._gaps = Gaps(self.index)
        self._definitions = Definitions()
        self._beginning = LogBeginning()
        self._latest: dict[bytes, tuple[int, int]] = {}
        """Address and number of the last record of each open transaction, if records state addresses."""
        self._broken: frozenset[int] = frozenset()
        self._begun_before: set[Transaction] = set()
        """The open transactions that are newly found to begin in front of the log; others lack records inside it."""
        self._skipped = -1
        """Number of the last record that could not be read."""
        self._ended = 0
        self._next = 0
        """Number of the record behind the last one."""

    def read(self, records: Iterable[LogRecord], bad: Sequence[tuple[RecordExtent, DataError]]) -> TransactionIndex:
        """All records of a log up to damage or a limit; then the transactions that are still open.

        `bad` gets records that cannot be read, and are not among `records`, before these end.
        """
        extent: RecordExtent | None = None
        try:
            for record in records:
                extent = record.extent
                self.skip(self._next, extent.index)
                self.add(record)
        except FramingError as error:
            if extent is not None:
                error.at(record_index=extent.index, record_offset=extent.offset)
            self.index.fault = error
        self.skip(self._next, bad[-1][0].index + 1 if bad else 0)
        return self.finished()

    def finished(self) -> TransactionIndex:
        """The index, with the transactions that are still open."""
        for transaction in list(self._open.values()):
            self._end(transaction, "open")
        self.index.unread = self._pieces.damaged
        self.index.tables |= self._definitions.records()
        return self.index

    def skip(self, first: int, end: int) -> None:
        """Note that records cannot be read: the numbers of the first one and of the one behind the last."""
        self._pieces.damage(first, end)
        if first < end:
            self._skipped, self._next = end - 1, end

    @property
    def damaged(self) -> list[int]:
        """Numbers of the records that may have been pieces of values, ascending."""
        return self._pieces.damaged

    def begin_at(self, beginning: LogBeginning, broken: frozenset[int] = frozenset()) -> None:
        """Set where the log begins; `broken` are the numbers of the first records of transactions that lack one in it.

        They tell it of those that are counted elsewhere, of which not all records are added.
        """
        self._beginning, self._broken = beginning, broken

    def touch(self, record: LogRecord) -> None:
        """Begin the transaction of a record if it has not begun, and leave out what the record changes."""
        self._transaction(record)

    def inherit_gaps(self, reasons: Mapping[Ids, str]) -> None:
        """Begin with the tables of which rows may be missing in front of the first record, each with the reason."""
        self._gaps.inherit(reasons)

    def gap(self, ids: Ids) -> str | None:
        """Why rows of a table may be missing behind the last record."""
        return self._gaps.reason(ids)

    def changed_gaps(self) -> set[Ids]:
        """Tables whose gaps have been opened or closed since the last call."""
        return self._gaps.changed()

    def add(self, record: LogRecord) -> None:
        """Add one record."""
        self._next = record.extent.index + 1
        self.index.links.place(record.stream, record.lfs, _lsn(record), record.extent.index)
        if record.address:
            self._beginning.place(record.stream, record.address)
            self._link(record, record.address)
        else:
            self._latest.pop(record.transaction_id, None)  # nobody knows whether the next one follows it
        difference = record.class_differs
        if difference:
            self.index.counts[difference] += 1
        if record.kind.startswith("db2_log.unlisted"):
            self.index.counts[UNLISTED] += 1
        kind = record.kind
        if kind in record_kinds.COMMITS or kind in record_kinds.ABORTS:
            self._finish(record)
        elif kind == record_kinds.LOAD:
            self._load(record)
        elif record.parsed.is_singular and kind in record_kinds.OPERATIONS:
            transaction = self._singular(record)
            self._change(transaction, record)
            self._commit(transaction, record)
        elif record.is_compensating:
            self._compensate(self._transaction(record), record)
        elif kind in record_kinds.OPERATIONS:
            self._change(self._transaction(record), record)
        elif kind in (*record_kinds.LOBS_NAMED, *record_kinds.LOBS_UNNAMED, record_kinds.XML):
            transaction = self._transaction(record)
            if record.table is not None:
                is_first = transaction.is_incomplete and transaction.first_index == record.extent.index
                self._pieces.add(record, record.table, transaction.first_index, is_first=is_first)
        elif any(record.transaction_id):
            self._transaction(record)  # not a change, but any record can be the first of a transaction

    def _link(self, record: LogRecord, address: int) -> None:
        """Test whether a record follows the one before it in its transaction."""
        self.index.links.add(record.stream, address, record.extent.length)
        if record.kind == record_kinds.LOAD:
            self._beginning.loads.add(LoadStart.of(record))
            return
        previous = self._beginning.loads.through(int.from_bytes(record.transaction_id), record.previous)
        known = self._latest.get(record.transaction_id)
        if known is not None and previous > known[0] and self._skipped < known[1]:
            self.index.links.miss(MissingRecord(previous, record.extent.index))
            transaction = self._open.get(record.transaction_id)
            if transaction is not None and self._beginning.lacks_records and record.transaction_id not in self._counted:
                transaction.is_incomplete = True
        if record.kind in record_kinds.COMMITS or record.kind in record_kinds.ABORTS:
            self._latest.pop(record.transaction_id, None)
        elif any(record.transaction_id):
            self._latest[record.transaction_id] = address, record.extent.index

    # -- beginnings and ends ------------------------------------------------------------

    def _transaction(self, record: LogRecord) -> Transaction:
        """The open transaction of a record; a first record begins a new one with the same identifier."""
        transaction = self._begun(record)
        if transaction is None:
            self._held.take(_TRANSACTION_BYTES)
            transaction = Transaction(
                record.transaction_id, _lsn(record), record.extent.index, begins_before=record.previous != 0,
                is_incomplete=self._lacks(record),
            )  # fmt: skip
            self._note_beginning(transaction, record)
            self._open[record.transaction_id] = transaction
        transaction.totals.add(record.extent, _lsn(record))
        return transaction

    def _begun(self, record: LogRecord) -> Transaction | None:
        """The open transaction that a record goes on; a first record ends one that had its identifier before."""
        transaction = self._open.get(record.transaction_id)
        # A transaction may begin with the start of a load, which is none of its records.
        if transaction is None or self._beginning.loads.through(int.from_bytes(record.transaction_id), record.previous):
            return transaction
        if transaction.transaction_id not in self._counted:
            self.index.counts[USED_AGAIN] += 1
        transaction.reused_at = record.extent.index
        self._end(transaction, "open")
        return None

    def _lacks(self, record: LogRecord) -> bool:
        """Whether the record before one in its transaction may be in front of the log, or is known to be missing."""
        is_broken = record.extent.index in self._broken and record.transaction_id in self._counted
        return (is_broken and self._beginning.lacks_records) or self._beginning.lacks(*_link_of(record))

    def _is_behind(self, record: LogRecord) -> bool:
        """Whether the record before one in its transaction may be in front of the log."""
        return self._beginning.is_behind(*_link_of(record))

    def _note_beginning(self, transaction: Transaction, record: LogRecord) -> None:
        """Note that a transaction begins in front of the log, if its first record at hand is the first to say so."""
        is_new = record.extent.index >= self._beginning.read_before
        if is_new and transaction.is_incomplete and self._is_behind(record):
            self._begun_before.add(transaction)

    def _singular(self, record: LogRecord) -> Transaction:
        """A transaction of one record; pieces of its values precede it and may have opened the transaction."""
        transaction = self._begun(record)
        if transaction is None or transaction.changes:
            self._held.take(_TRANSACTION_BYTES)
            is_first = transaction is None  # else the record before it is in that one
            transaction = Transaction(
                record.transaction_id, _lsn(record), record.extent.index,
                begins_before=is_first and record.previous != 0, is_incomplete=is_first and self._lacks(record),
            )  # fmt: skip
            self._note_beginning(transaction, record)
        transaction.totals.add(record.extent, _lsn(record))
        return transaction

    def _finish(self, record: LogRecord) -> None:
        transaction = self._begun(record)
        if transaction is None:
            if record.previous and not self._lacks(record):
                return  # it ended before
            is_new = record.extent.index >= self._beginning.read_before
            if is_new and self._is_behind(record) and record.transaction_id not in self._counted:
                self.index.counts[ENDED_ALONE] += 1
            transaction = self._transaction(record)
        else:
            transaction.totals.add(record.extent, _lsn(record))
        if record.kind in record_kinds.ABORTS:
            self._end(transaction, "rolled-back")
        else:
            self._commit(transaction, record)

    def _commit(self, transaction: Transaction, record: LogRecord) -> None:
        transaction.commit_lfs, transaction.commit_lsn = record.lfs, _lsn(record)
        transaction.commit_time = commit_seconds(getattr(record.body, "time_committed", None), self._byte_order)
        raw = getattr(record.body, "authid", None)
        try:
            transaction.authid = self._page.decode(raw.rstrip(b"\x00 ")) if raw else None
        except DataError as error:
            self.index.bad.append((record.extent, error.at(spec="db2_transaction", field="authid")))
        self._end(transaction, "committed")

    def _end(self, transaction: Transaction, state: str) -> None:
        lookup = self._lookups.pop(transaction, None)
        if lookup is not None:
            transaction.changes = lookup.settled()
            self._definitions.take_back(lookup.taken_back)
        if self._open.get(transaction.transaction_id) is transaction:
            del self._open[transaction.transaction_id]
            self._pieces.give_unnamed(transaction, self._next - 1)
            self._pieces.end(transaction.transaction_id)
        transaction.state, transaction.number = state, self._ended
        self._ended += 1
        is_counted = transaction.transaction_id in self._counted
        if transaction in self._begun_before and transaction.changes and not is_counted:
            self.index.counts[BEGUN_BEFORE] += 1
        self._begun_before.discard(transaction)
        transaction.changes = without_halves(transaction.changes)
        for reference in transaction.changes:
            is_done = state == "committed" and not reference.is_undone
            self._gaps.settle(reference, transaction.commit_position, is_done=is_done)
            is_read_before = reference.extent.index < self._beginning.read_before
            if is_done and not is_read_before and reference.kind in record_kinds.ALTER:
                self.index.counts[ALTERED] += 1
        (self.index.transactions if transaction.changes else self.index.unchanged).append(transaction)

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
            reference.is_half = bool(getattr(body, "iud_flags", 0) & _enum("iud_flag", "moved_row"))
            reference.gap = self._gaps.reason(reference.ids)
        if base.op in ("I", "U") and base.ids is not None:
            self._pieces.give(transaction, references)
        if base.op == "U":
            self._join_pointer(transaction, references[0], record)
        transaction.changes.extend(references)
        self._describe(transaction, references[0], body)
        self._gaps.open(transaction, references[0], body)

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
            self._gaps.forget(reference.ids)

    def _load(self, record: LogRecord) -> None:
        """A load takes effect at once, whatever the outcome of its transaction."""
        self._held.take(_TRANSACTION_BYTES + _CHANGE_BYTES)
        transaction = Transaction(record.transaction_id, _lsn(record), record.extent.index)
        transaction.totals.add(record.extent, _lsn(record))
        reference = ChangeReference(
            record.extent, record.kind, "O", record.table, _lsn(record), record.lfs, record.stream
        )
        transaction.changes.append(reference)
        self._gaps.open(transaction, reference, record.body)
        self._commit(transaction, record)

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
        if not is_found and record.extent.index >= self._beginning.read_before:
            self.index.counts["compensations of changes that are not in the log at hand"] += 1

    def _lookup(self, transaction: Transaction) -> OpenChanges:
        """Lookups among the changes of an open transaction."""
        lookup = self._lookups.get(transaction)
        if lookup is None:
            lookup = self._lookups[transaction] = OpenChanges(transaction.changes, self._held)
        return lookup


def _link_of(record: LogRecord) -> tuple[int, int | None, int]:
    """The link of a record to the one before in its transaction, as `LogBeginning.is_behind` takes it."""
    return record.previous, record.stream if record.address else None, int.from_bytes(record.transaction_id)


def _lsn(record: LogRecord) -> int:
    """Log sequence number of a record; its offset in the file if it has none."""
    return record.extent.offset if record.lsn is None else record.lsn


def _enum(name: str, word: str) -> int:
    return catalog.load("db2_dms").enum(name)[word]
