"""Units of work of a Db2 LUW log: which changes a transaction made, and what became of them.

Log records of transactions stand mixed in the log, and what becomes of a change is known at the end
of its transaction only. One pass over the records gives a ledger: the units with the places of their
changes, without a row in memory. Rows are read afterwards, unit by unit or in the order of the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from lmparse.db2 import record_kinds
from lmparse.db2.gaps import Gaps
from lmparse.db2.lob_pieces import Pieces
from lmparse.db2.log_record import LogRecord
from lmparse.db2.row_reader import record_header
from lmparse.db2.tables import Ids, LuwTable, table_of
from lmparse.db2.transaction_index import Entry, TableRecord, TransactionIndex, Unit
from lmparse.errors import DataError, FramingError, RecordError
from lmparse.spec import catalog
from lmparse.values.codepages import CodePage


class UnitReader:
    """Sorts log records into units of work."""

    def __init__(self, byte_order: str, page: CodePage) -> None:
        self.ledger = TransactionIndex()
        self._byte_order = byte_order
        self._page = page
        self._open: dict[bytes, Unit] = {}
        self._pieces = Pieces(self.ledger)
        self._gaps = Gaps(self.ledger)
        self._described: dict[Ids, list[tuple[Unit, Entry, LuwTable, LuwTable | None]]] = {}
        self._ended = 0
        self._next = 0
        """Number of the record behind the last one."""

    def read(self, records: Iterable[LogRecord]) -> TransactionIndex:
        """Every record of a log, up to where it is damaged, then what is still open."""
        try:
            for record in records:
                self.add(record)
        except FramingError as error:
            self.ledger.fault = error
        for unit in list(self._open.values()):
            self._end(unit, "open")
        for ids, described in self._described.items():
            self.ledger.tables[ids] = [
                TableRecord(
                    table, entry.extent.index, unit.number,
                    unit.state == "committed" and not entry.is_undone, entry.is_undone, before,
                )
                for unit, entry, table, before in described
            ]  # fmt: skip
        return self.ledger

    def add(self, record: LogRecord) -> None:
        """Take one record into account."""
        self._pieces.damage(self._next, record.extent.index)
        self._next = record.extent.index + 1
        difference = record.class_differs
        if difference:
            self.ledger.counts[difference] += 1
        if record.kind.startswith("db2_log.unlisted"):
            self.ledger.counts["records of a type or component that is not listed; they are passed over"] += 1
        kind = record.kind
        if kind in record_kinds.COMMITS or kind in record_kinds.ABORTS:
            self._finish(record)
        elif kind == record_kinds.LOAD:
            self._load(record)
        elif record.parsed.is_singular and kind in record_kinds.OPERATIONS:
            unit = self._singular(record)
            self._change(unit, record)
            self._commit(unit, record)
        elif record.parsed.is_compensation or kind.partition(".")[2].startswith("undo_"):
            self._compensate(self._unit(record), record)
        elif kind in record_kinds.OPERATIONS:
            self._change(self._unit(record), record)
        elif kind in (*record_kinds.LOBS_NAMED, *record_kinds.LOBS_UNNAMED, record_kinds.XML):
            self._unit(record)
            if record.table is not None:
                self._pieces.add(record, record.table)
        elif any(record.transaction_id):
            self._unit(record)  # not a change, but the first record of one may be any

    # -- beginnings and ends ------------------------------------------------------------

    def _unit(self, record: LogRecord) -> Unit:
        """The open unit of a record's transaction; an identifier that begins anew begins another."""
        unit = self._open.get(record.transaction_id)
        if unit is not None and not record.previous:
            self.ledger.counts["transactions without an end, whose identifier is used again"] += 1
            self._end(unit, "open")
            unit = None
        if unit is None:
            unit = Unit(record.transaction_id, _place(record), record.extent.index, begins_before=record.previous != 0)
            self._open[record.transaction_id] = unit
        return unit

    def _singular(self, record: LogRecord) -> Unit:
        """The unit of a transaction of one record; pieces of its values stand before that and have opened it."""
        unit = self._open.get(record.transaction_id)
        if unit is not None and not unit.entries:
            return unit
        return Unit(record.transaction_id, _place(record), record.extent.index)

    def _finish(self, record: LogRecord) -> None:
        unit = self._open.get(record.transaction_id)
        if unit is None:
            return  # it changed nothing here, or ended before
        if record.kind in record_kinds.ABORTS:
            self._end(unit, "rolled-back")
        else:
            self._commit(unit, record)

    def _commit(self, unit: Unit, record: LogRecord) -> None:
        unit.commit_lsn, unit.commit_stream = _place(record), record.stream
        unit.commit_time = commit_seconds(getattr(record.body, "time_committed", None), self._byte_order)
        raw = getattr(record.body, "authid", None)
        try:
            unit.authid = self._page.decode(raw.rstrip(b"\x00 ")) if raw else None
        except DataError as error:
            self.ledger.bad.append((record.extent, error.at(spec="db2_transaction", field="authid")))
        self._end(unit, "committed")

    def _end(self, unit: Unit, state: str) -> None:
        if self._open.get(unit.transaction_id) is unit:
            del self._open[unit.transaction_id]
            self._pieces.give_unnamed(unit, self._next - 1)
            self._pieces.end(unit.transaction_id)
        unit.state, unit.number = state, self._ended
        self._ended += 1
        if unit.begins_before and unit.entries:
            self.ledger.counts["transactions that begin before the log at hand: earlier changes are not in it"] += 1
        self._pair_halves(unit)
        for entry in unit.entries:
            self._gaps.settle(entry, is_done=state == "committed" and not entry.is_undone)
        if unit.entries:
            self.ledger.units.append(unit)

    # -- changes --------------------------------------------------------------------------

    def _change(self, unit: Unit, record: LogRecord) -> None:
        body, kind = record.body, record.kind
        base = Entry(
            record.extent, kind, record_kinds.OPERATIONS[kind], record.table, _place(record), record.lfs, record.stream,
            record.address, record.previous,
        )  # fmt: skip
        if kind == record_kinds.MULTIPLE:
            entries = [replace(base, number=number, rid=_rid(row)) for number, row in enumerate(body.records)]
        else:
            entries = [replace(base, rid=_rid(getattr(body, "old_row", body)))]
        for entry in entries:
            entry.is_half = bool(getattr(body, "iud_flags", 0) & _enum("iud_flag", "moved_row"))
            entry.gap = self._gaps.reason(entry.ids)
        if base.op in ("I", "U") and base.ids is not None:
            self._pieces.give(unit, entries)
        if base.op == "U":
            self._join_pointer(unit, entries[0], record)
        unit.entries.extend(entries)
        self._describe(unit, entries[0], body)
        self._gaps.open(unit, entries[0], body)

    def _join_pointer(self, unit: Unit, entry: Entry, record: LogRecord) -> None:
        """An update that left a pointer: the row itself is in the insert before it."""
        try:
            header = record_header(record.body.new_row.record, self._byte_order)
        except DataError as error:
            self.ledger.bad.append((record.extent, error))
            return
        if header.is_row or not header.is_pointer:
            return
        before = next((known for known in reversed(unit.entries) if known.ids == entry.ids), None)
        if before is not None and before.op == "I" and not before.is_undone:
            # The insert is where the new row stands; the update gives the row before.
            unit.entries.remove(before)
            entry.other, entry.extent = entry.extent, before.extent
            entry.number, entry.pieces = before.number, before.pieces or entry.pieces

    def _describe(self, unit: Unit, entry: Entry, body: Any) -> None:
        if entry.ids is None:
            return
        known = self._described.setdefault(entry.ids, [])
        try:
            if entry.kind == record_kinds.INITIALIZE:
                table = table_of(entry.ids, body.table_description, len(known) + 1, "table_description")
                known.append((unit, entry, table, None))
                self._gaps.forget(entry.ids)
            elif entry.kind == "db2_dms.add_columns":
                before = table_of(entry.ids, body.old_arrays, 0, "old_arrays")
                table = table_of(entry.ids, body.new_arrays, len(known) + 1, "new_arrays")
                known.append((unit, entry, table, before))
        except DataError as error:
            self.ledger.bad.append((entry.extent, error))

    def _load(self, record: LogRecord) -> None:
        """A load is what it is at once, whatever becomes of the transaction it stands in."""
        unit = Unit(record.transaction_id, _place(record))
        entry = Entry(record.extent, record.kind, "O", record.table, _place(record), record.lfs, record.stream)
        unit.entries.append(entry)
        self._gaps.open(unit, entry, record.body)
        self._commit(unit, record)

    # -- compensation ---------------------------------------------------------------------

    def _compensate(self, unit: Unit, record: LogRecord) -> None:
        """Find what a compensation takes back: by log sequence number, else by row id."""
        if record.kind == "db2_dms.undo_start_of_out_of_row_data" and record.table is not None:
            self._pieces.take_back(unit.transaction_id, record.table)
        undone = record_kinds.UNDOES.get(record.kind)
        if undone is None:
            return
        left = [
            entry
            for entry in reversed(unit.entries)
            if not entry.is_undone and entry.kind in undone and entry.ids == record.table
        ]
        named = [entry for entry in unit.entries if entry.address is not None and entry.address == record.compensated]
        if named and not any(entry in left for entry in named):
            error = RecordError(
                "the change that it compensates is of another kind or table, or taken back already", code="LMP-R008",
                spec="db2_log", field="compensated_lsn", expected=" or ".join(undone),
                found=f"{named[0].kind} in record {named[0].extent.index}",
            )  # fmt: skip
            self.ledger.bad.append((record.extent, error))
        found = [entry for entry in named if entry in left] or self._by_rid(left, record)
        if not found:
            self.ledger.counts["compensations of changes that are not in the log at hand"] += 1
        for entry in found:
            entry.is_undone = True
            for other in unit.entries:
                is_notice = other.notice is not None and other.extent is entry.extent
                is_of_table = record.kind == "db2_dom.undo_create_table" and other.ids == entry.ids
                if is_notice or (is_of_table and other.extent.index > entry.extent.index):
                    other.is_undone = True

    def _by_rid(self, left: list[Entry], record: LogRecord) -> list[Entry]:
        body = record.body
        if record.kind == "db2_dms.undo_insert_multiple_records":
            rids = [_rid(row) for row in body.records]
            found = [entry for entry in left if entry.rid in rids]
            return [entry for entry in found if entry.extent == found[0].extent]
        rid = _rid(body)
        before = record.before_compensated
        found = [entry for entry in left if rid is None or entry.rid == rid]
        exact = [entry for entry in found if before is not None and entry.previous == before]
        return (exact or found)[:1]

    # -- updates that moved their row --------------------------------------------------------

    def _pair_halves(self, unit: Unit) -> None:
        """A delete and the insert right behind it, both flagged and of one table, are one update."""
        waiting: dict[Ids | None, list[Entry]] = {}
        for entry in [entry for entry in unit.entries if entry.is_half and not entry.is_undone]:
            if entry.op == "D":
                waiting.setdefault(entry.ids, []).append(entry)
            elif entry.op == "I":
                deletes = waiting.pop(entry.ids, [])
                if len(deletes) == 1 and entry.number == 0:
                    entry.op, entry.other = "U", deletes[0].extent
                    unit.entries.remove(deletes[0])


def _place(record: LogRecord) -> int:
    """Log sequence number of a record, or its place in the file where nothing names one."""
    return record.extent.offset if record.lsn is None else record.lsn


def _rid(part: Any) -> Any:
    """The row id of a part of a record, in a form that compares."""
    rid = getattr(part, "rid", None)
    return rid if rid is None or isinstance(rid, int) else (rid.word0, rid.word1, rid.word2)


def _enum(name: str, word: str) -> int:
    return catalog.load("db2_dms").enum(name)[word]


_EARLIEST, _LATEST = 315_532_800, 1 << 32
"""Seconds that a time of a commit can be: from 1980 on, in 32 bits."""


def commit_seconds(value: int | None, byte_order: str) -> int | None:
    """The seconds in a time of 4 or 8 bytes; of the two halves the one that can be a time.

    When both can, the one that stands first in memory, as if it were seconds and a fraction.
    """
    if value is None:
        return None
    halves = [value & 0xFFFFFFFF, value >> 32]
    likely = [half for half in (halves if byte_order == "little" else reversed(halves)) if _EARLIEST <= half < _LATEST]
    return likely[0] if likely else halves[0]
