"""Changes of tables as a whole, read one by one when the outcomes of all transactions are known.

Such changes describe a table, drop it or its columns, or open gaps: parts of a log in which rows change without
records. Gaps begin with NOT LOGGED INITIALLY, with propagation switched off, and with a load. Each gap is a change of
its own, and changes behind a lasting gap contain its reason.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lmparse.db2.record import kinds as record_kinds
from lmparse.db2.record.log_record import Ids, LogReader, LogRecord
from lmparse.db2.record.record_table import table_number
from lmparse.db2.tables.history import TableRecord
from lmparse.db2.tables.table import Table, table_of
from lmparse.db2.transactions.compensation import refusal
from lmparse.db2.transactions.outcomes import TakenBack
from lmparse.db2.transactions.references import ChangeReference, GapTimes, Transaction, TransactionIndex
from lmparse.errors import DataError
from lmparse.framing.extents import RecordExtent
from lmparse.limits import Held
from lmparse.spec import catalog
from lmparse.storage.buffers import Buffer

LASTING = (record_kinds.ATTRIBUTE, record_kinds.LOAD)
"""Kinds of changes that open lasting gaps, which last until the table is copied anew."""
GAP_KINDS = frozenset((*LASTING, record_kinds.INITIALIZE, record_kinds.NOT_LOGGED, record_kinds.TRUNCATE))
"""Kinds of changes that open or close gaps."""
NOT_HERE = "compensations of changes that are not in the log at hand"
_CHANGE_BYTES = 1700
"""Bytes of memory of a change of a table as a whole; measured."""
_UNDO_CREATE = "db2_dom.undo_create_table"


@dataclass(eq=False)
class _Event:
    """One change of a table as a whole."""

    transaction: Transaction
    change: ChangeReference
    address: int
    """Address of the record; zero if it states none."""
    described: tuple[Table | None, Table | None] | None = None
    """As `described_in` returns it."""
    gap: ChangeReference | None = None
    """The change that reports the missing rows, if this change opens a gap."""
    taken_back: int | None = None
    """Number of the record that took the change back."""

    @property
    def is_done(self) -> bool:
        return self.transaction.state == "committed" and self.is_left

    @property
    def is_left(self) -> bool:
        return not self.change.is_undone

    @property
    def reason(self) -> str:
        """Why rows are missing behind the change; empty if it opens no gap."""
        return "" if self.gap is None else str((self.gap.notice or {})["gap"])

    @property
    def end(self) -> int | None:
        """As `TableRecord.until`."""
        if self.taken_back is not None:
            return self.taken_back
        transaction = self.transaction
        if transaction.state == "rolled-back":
            return transaction.last_index
        return transaction.reused_at if transaction.is_reused else None

    def take_back(self, index: int) -> None:
        self.taken_back, self.change.is_undone = index, True
        if self.gap is not None:
            self.gap.is_undone = True


class TableChanges:
    """The changes of the tables of one log. `index` gets them, with the descriptions of tables."""

    def __init__(
        self, transaction_of: Callable[[int], Transaction], row_at: Callable[[int, int], tuple[str, int] | None],
        held: Held, *, has_addresses: bool, read_before: int,
    ) -> None:  # fmt: skip
        """`transaction_of` makes the transaction of the unit with a number; `has_addresses`: records state addresses.

        `row_at` gives kind and number of the record of a unit that changes rows at an address. Messages on records in
        front of number `read_before` are not repeated.
        """
        self.index = TransactionIndex()
        self.taken_back: list[TakenBack] = []
        self._transaction_of, self._row_at, self._held = transaction_of, row_at, held
        self._has_addresses, self._read_before = has_addresses, read_before
        self._transactions: dict[int, Transaction] = {}
        """By number of the unit."""
        self._events: list[_Event] = []
        self._left: dict[tuple[int, Ids | None], list[_Event]] = {}
        """Events by unit and table, latest last; without those taken back with the creation of the table."""
        self._at_address: dict[tuple[int, int], _Event] = {}
        """Events by unit and address."""
        self._behind: dict[tuple[int, Ids | None, int], _Event] = {}
        """Events by unit, table, and address of the record before."""
        self._of_kind: dict[tuple[int, Ids | None, str], list[_Event]] = {}
        """Events by unit, table and kind, the latest last."""
        self._missing: dict[Ids, list[TableRecord]] = {}
        """By table, records in front of the log that define the table and are taken back in the log."""

    def read(self, logs: LogReader, buffer: Buffer, extents: Iterable[tuple[RecordExtent, int]]) -> None:
        """Read records in the order of the log, each with the number of its unit; -1 for the start of a load."""
        for extent, unit in extents:
            record = logs.read(buffer, extent)
            self._held.take(_CHANGE_BYTES, record_index=extent.index, record_offset=extent.offset)
            if record.kind == record_kinds.LOAD:
                self.index.transactions.append(load := _load(record))
                self._add(load, record)
            elif record.is_compensating and not (record.parsed.is_singular and record.kind in record_kinds.OPERATIONS):
                self._compensate(self._of(unit), record)
            else:
                self._add(self._of(unit), record)
        self._finish()

    def _of(self, unit: int) -> Transaction:
        if unit not in self._transactions:
            self._transactions[unit] = self._transaction_of(unit)
        return self._transactions[unit]

    def _add(self, transaction: Transaction, record: LogRecord) -> None:
        change = ChangeReference(
            record.extent, record.kind, record_kinds.OPERATIONS[record.kind], record.table, _lsn(record), record.lfs,
            record.stream,
        )  # fmt: skip
        event = _Event(transaction, change, record.address or 0)
        transaction.changes.append(change)
        if change.ids is not None:
            try:
                event.described = described_in(record.kind, change.ids, record.body)
            except DataError as error:
                self.index.bad.append((record.extent, error))
        if (reason := gap_opened_by(record.kind, record.body)) is not None:
            until = "the table is copied anew" if record.kind in LASTING else "the transaction commits"
            event.gap = replace(change, op="S", notice={"gap": reason, "rows_missing_until": until})
            transaction.changes.append(event.gap)
        unit, ids = transaction.number, change.ids
        self._events.append(event)
        self._left.setdefault((unit, ids), []).append(event)
        self._of_kind.setdefault((unit, ids, change.kind), []).append(event)
        self._behind[unit, ids, record.previous] = event
        if record.address:
            self._at_address[unit, record.address] = event

    # -- compensation -------------------------------------------------------------------------

    def _compensate(self, transaction: Transaction, record: LogRecord) -> None:
        """Take back the change that a compensation undoes, at its address, else the latest one of its table."""
        number, ids, is_creation = record.extent.index, record.table, record.kind == _UNDO_CREATE
        address = record.compensated if self._has_addresses else None
        event, is_refused = (None, False) if address is None else self._named(transaction, record, address)
        if address is None or is_refused:
            event = self._latest(transaction, record)
        left = self._left.get((transaction.number, ids), [])
        if event is not None:
            event.take_back(number)
            while is_creation and left and left[-1].change.extent.index > event.change.extent.index:
                if (one := left.pop()).is_left:  # else its own compensation took it back, at an earlier place
                    one.take_back(number)
            if is_creation and ids is not None:
                self.taken_back.append((transaction.number, table_number(*ids), event.change.extent.index, number))
            return
        # The creation is in front of the log. Of the changes behind it, only descriptions have no compensation.
        while is_creation and left and not is_refused and (address is None or left[-1].address > address):
            if (one := left.pop()).change.kind in record_kinds.DESCRIBING and one.is_left:
                one.take_back(number)
        if record.kind in record_kinds.UNDOES_DEFINITION and ids is not None and not is_refused:
            # Up to here the table is another one, or has other columns; only the missing record says which columns.
            tid = int.from_bytes(record.transaction_id)
            missing = TableRecord(
                None, transaction.first_index - 1, transaction.number, is_committed=False, is_undone=True, tid=tid,
                until=number,
            )  # fmt: skip
            self._missing.setdefault(ids, []).append(missing)
        if number >= self._read_before:
            self.index.counts[NOT_HERE] += 1

    def _named(self, transaction: Transaction, record: LogRecord, address: int) -> tuple[_Event | None, bool]:
        """The change at the address in a compensation, and whether there is one that the compensation cannot undo."""
        event = self._at_address.get((transaction.number, address))
        if event is not None and _fits(event, record):
            return event, False
        row = self._row_at(transaction.number, address)
        named = row if event is None else (event.change.kind, event.change.extent.index)
        if named is not None:
            self.index.bad.append((record.extent, refusal(record.kind, *named)))
        return None, named is not None

    def _latest(self, transaction: Transaction, record: LogRecord) -> _Event | None:
        """The change behind the record that a compensation names, else the latest one of the table, if any."""
        unit, kinds = transaction.number, record_kinds.UNDOES[record.kind]
        if record.before_compensated is not None:
            event = self._behind.get((unit, record.table, record.before_compensated))
            if event is not None and _fits(event, record):
                return event
        latest = [self._of_kind.get((unit, record.table, kind), []) for kind in kinds]
        for events in latest:
            while events and not events[-1].is_left:
                events.pop()
        last = [events[-1] for events in latest if events]
        return max(last, key=lambda event: event.change.extent.index, default=None)

    # -- when all are known -------------------------------------------------------------------

    def _finish(self) -> None:
        """Sort the changes by table, and add the messages on gaps."""
        index = self.index
        for event in self._events:
            change, transaction = event.change, event.transaction
            if event.described is not None and change.ids is not None:
                index.tables.setdefault(change.ids, []).append(_table_record(event, *event.described))
            if event.is_done and event.gap is not None:
                shown = "unknown" if change.ids is None else "{}.{}".format(*change.ids)
                notice = event.gap.notice or {}
                why = f"{notice['gap']}, until {notice['rows_missing_until']}"
                text = f"rows missing from here: table {shown}"
                index.gaps.append((change.extent, text, why, transaction.commit_position))
        index.gaps.sort(key=lambda gap: gap[3])
        for ids, missing in self._missing.items():
            index.tables.setdefault(ids, []).extend(missing)
        index.transactions += (one for one in self._transactions.values() if one.changes)

    def gaps(self, inherited: Mapping[Ids, str]) -> dict[Ids, GapTimes]:
        """Why rows of each table may be missing, along the log; `inherited` has the reasons of gaps that begin in front
        of the log."""
        steps: dict[Ids, list[tuple[int, int, _Event]]] = {}
        for event in self._events:
            ids, opened = event.change.ids, event.change.extent.index
            if ids is None:
                continue
            if event.gap is not None and event.change.kind in LASTING:
                steps.setdefault(ids, []).append((opened, _OPENS, event))
                if not event.is_done and (end := event.end) is not None:
                    # The record that begins another transaction is behind the gap.
                    is_reused = end == event.transaction.reused_at
                    steps[ids].append((end - is_reused, _IS_WITHDRAWN, event))
            elif event.change.kind == record_kinds.TRUNCATE and event.is_done:
                steps.setdefault(ids, []).append((event.transaction.last_index, _CLOSES, event))
            if event.change.kind == record_kinds.INITIALIZE and event.described is not None:
                steps.setdefault(ids, []).append((opened, _CLOSES, event))
        return {ids: _times(steps.get(ids, []), inherited.get(ids)) for ids in {**inherited, **steps}}


_OPENS, _IS_WITHDRAWN, _CLOSES = range(3)


def _times(steps: list[tuple[int, int, _Event]], inherited: str | None) -> GapTimes:
    """The reason why rows of a table may be missing, along the log, from the steps that open and close gaps."""
    found = GapTimes() if inherited is None else GapTimes([-1], [inherited])
    lasting: deque[_Event] = deque()
    withdrawn = set[_Event]()
    for number, what, event in sorted(steps, key=lambda step: step[0]):
        if what == _OPENS:
            lasting.append(event)
        elif what == _IS_WITHDRAWN:
            withdrawn.add(event)
        else:
            inherited = None
            # A table that is empty, or described anew, is complete again. Gaps that open behind this step remain.
            while lasting and lasting[0].change.extent.index <= event.change.extent.index:
                lasting.popleft()
        while lasting and lasting[-1] in withdrawn:
            lasting.pop()
        reason = lasting[-1].reason if lasting else inherited
        if reason != (found.reasons[-1] if found.reasons else None):
            found.indexes.append(number)
            found.reasons.append(reason)
    return found


def _fits(event: _Event, record: LogRecord) -> bool:
    """Whether a compensation can undo an event."""
    change = event.change
    return change.kind in record_kinds.UNDOES[record.kind] and change.ids == record.table and event.is_left


def _table_record(event: _Event, table: Table | None, before: Table | None) -> TableRecord:
    change, transaction = event.change, event.transaction
    return TableRecord(
        table, change.extent.index, transaction.number, event.is_done, change.is_undone, before, change.extent,
        int.from_bytes(transaction.transaction_id), event.end, is_open=transaction.state == "open", kind=change.kind,
    )  # fmt: skip


def _load(record: LogRecord) -> Transaction:
    """The start of a load as a committed transaction: it takes effect at once, whatever its transaction becomes."""
    index, lsn = record.extent.index, _lsn(record)
    return Transaction(
        record.transaction_id, lsn, index, "committed", commit_lfs=record.lfs, commit_lsn=lsn, last_index=index
    )


def _lsn(record: LogRecord) -> int:
    """Log sequence number of a record; its offset in the file if it has none."""
    return record.extent.offset if record.lsn is None else record.lsn


def described_in(kind: str, ids: Ids, body: Any) -> tuple[Table | None, Table | None] | None:
    """The table that a record describes, and its former description; None if the record defines no columns.

    A record that drops the table, or drops or alters its columns, does not describe the result: (None, None). Versions
    are numbered later, when all records of a table are known. Raises RecordError LMP-R006 for contradicting
    descriptors.
    """
    if kind == record_kinds.INITIALIZE:
        return table_of(ids, body.table_description, 0, "table_description"), None
    if kind == record_kinds.ADD_COLUMNS:
        before = table_of(ids, body.old_arrays, 0, "old_arrays")
        return table_of(ids, body.new_arrays, 0, "new_arrays"), before
    return (None, None) if kind in record_kinds.UNDESCRIBED else None


def gap_opened_by(kind: str, body: Any) -> str | None:
    """Why rows are missing behind a record; None if it opens no gap."""
    if kind == record_kinds.INITIALIZE and body.is_not_logged_initially:
        return "the table was created NOT LOGGED INITIALLY"
    if kind == record_kinds.ATTRIBUTE:
        propagation = catalog.load("db2_dms").enum("table_attribute")["propagation"]
        is_off = body.attribute_mask & ~body.attribute_values & propagation
        return "propagation was switched off" if is_off else None
    return {record_kinds.NOT_LOGGED: "NOT LOGGED INITIALLY was activated", record_kinds.LOAD: "a load began"}.get(kind)
