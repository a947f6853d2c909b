"""Units of work of a Db2 LUW log: which changes a transaction made, and what became of them.

Log records of transactions stand mixed in the log, and what becomes of a change is known at the end
of its transaction only. One pass over the records gives a ledger: the units with the places of their
changes, without a row in memory. Rows are read afterwards, unit by unit or in the order of the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lmparse import catalog
from lmparse.codepages import CodePage
from lmparse.errors import DataError, FramingError, RecordError
from lmparse.framing import Frame
from lmparse.luw import LogRecord
from lmparse.luw_rows import record_header
from lmparse.luw_tables import Ids, LuwTable, table_of

_INSERTS = ("db2_dms.insert_record", "db2_dms.insert_record_v97", "db2_dms.insert_record_to_empty_page")
_MULTIPLE = "db2_dms.insert_multiple_records"
_DELETES = ("db2_dms.delete_record", "db2_dms.delete_record_v97", "db2_dms.delete_record_to_empty_page")
_UPDATES = ("db2_dms.update_record", "db2_dms.update_record_v97")
_INITIALIZE = "db2_dms.initialize_table"
_ATTRIBUTE = "db2_dms.alter_table_attribute"
_TRUNCATE = "db2_dom.import_replace"
_NOT_LOGGED = "db2_dom.activate_not_logged"
_LOAD = "db2_utility.load_start"
_OBJECTS = (
    _INITIALIZE, _ATTRIBUTE, "db2_dms.add_columns", "db2_dms.alter_column", "db2_dms.alter_lob_column",
    "db2_dms.drop_columns", "db2_dms.rename", "db2_dms.update_partition_state", _NOT_LOGGED, "db2_dom.create_table",
    "db2_dom.drop_table", "db2_dom.create_index", "db2_dom.drop_index", "db2_dom.reorg_table", "db2_ddl.ddl_statement",
)  # fmt: skip
OPERATIONS: dict[str, str] = {
    **dict.fromkeys((*_INSERTS, _MULTIPLE), "I"), **dict.fromkeys(_DELETES, "D"), **dict.fromkeys(_UPDATES, "U"),
    _TRUNCATE: "T", **dict.fromkeys(_OBJECTS, "O"), _LOAD: "O",
}  # fmt: skip
"""The operation of each kind of record that is a change."""
_UNDOES: dict[str, tuple[str, ...]] = {
    "db2_dms.undo_insert_record": _INSERTS,
    "db2_dms.undo_insert_record_to_empty_page": _INSERTS,
    "db2_dms.undo_insert_multiple_records": (_MULTIPLE,),
    "db2_dms.undo_delete_record": _DELETES,
    "db2_dms.undo_delete_record_to_empty_page": _DELETES,
    "db2_dms.undo_update_record": _UPDATES,
    "db2_dms.undo_add_columns": ("db2_dms.add_columns",),
    "db2_dms.undo_alter_column": ("db2_dms.alter_column",),
    "db2_dms.undo_alter_lob_column": ("db2_dms.alter_lob_column",),
    "db2_dms.undo_rename": ("db2_dms.rename",),
    "db2_dms.undo_update_partition_state": ("db2_dms.update_partition_state",),
    "db2_dms.undo_drop_columns": ("db2_dms.drop_columns",),
    "db2_dms.alter_table_attribute": ("db2_dms.alter_table_attribute",),
    "db2_dom.undo_create_table": ("db2_dom.create_table",),
    "db2_dom.undo_drop_table": ("db2_dom.drop_table",),
    "db2_dom.drop_index": ("db2_dom.create_index",),
    "db2_dom.create_index": ("db2_dom.drop_index",),
    "db2_ddl.undo_ddl_statement": ("db2_ddl.ddl_statement",),
}
"""What each kind of compensation takes back."""
_COMMIT_WORDS = (
    *("normal_commit", "commit", "heuristic_commit_letter", "heuristic_commit"),
    *("mpp_subordinate_commit_letter", "mpp_subordinate_commit"),
    *("mpp_coordinator_commit_letter", "mpp_coordinator_commit"),
    *("local_pending_list_letter", "local_pending_list", "global_pending_list"),
)
_COMMITS = tuple(f"db2_transaction.{word}" for word in _COMMIT_WORDS)
_ABORTS = ("db2_transaction.normal_abort", "db2_transaction.heuristic_abort")
_LOBS_NAMED = ("db2_lob.add_lob_data", "db2_lob.add_lob_amount")
_LOBS_UNNAMED = ("db2_lob.afim_data", "db2_lob.afim_amount")
_XML = "db2_xml.xml_data"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a value that is stored out of its row."""

    frame: Frame
    kind: str
    column: int | None
    """Number of the column as the record has it, None when it has none."""
    address: int
    length: int
    has_data: bool

    @property
    def end(self) -> int:
        """Byte address behind it."""
        return self.address + self.length


@dataclass(slots=True)
class Entry:
    """One change: where its record stands, and what became of it."""

    frame: Frame
    kind: str
    op: str
    ids: Ids | None
    lsn: int
    """Its log sequence number, or its place in the file where no record has one."""
    lfs: int = 0
    stream: int = 0
    address: int | None = None
    previous: int = 0
    rid: Any = None
    number: int = 0
    """Which row of a record with several."""
    is_undone: bool = False
    is_half: bool = False
    """One half of an update that moved its row, by the flag in the record."""
    other: Frame | None = None
    """The record with the row before, when this is both halves of one update."""
    pieces: tuple[Piece, ...] = ()
    """Values stored out of the row, as far as they are known to be of it."""
    grows: tuple[Entry, ...] = ()
    """Changes of the same row whose values the pieces go on, the earliest first. All of them stand
    here, and not each in the next, so that a part with many of them can be pickled."""
    rivals: tuple[Entry, ...] = ()
    """Other changes of the transaction that pieces without a column might be of."""
    is_doubtful: bool = False
    """Whether a damaged record stands where pieces of its values may have stood."""
    is_shared: bool = False
    """Whether the pieces are of one of several rows in the same record."""
    gap: str | None = None
    """Why rows of its table may be missing before it."""
    notice: dict[str, Any] | None = None
    """Of a change that is no record's own but says that rows are missing."""


@dataclass(slots=True)
class Unit:
    """One transaction."""

    transaction_id: bytes
    first_lsn: int
    first_index: int = 0
    """Number of its first record in the file."""
    state: str = "open"
    """committed, rolled-back, or open."""
    begins_before: bool = False
    """Whether its first record is not in the log at hand."""
    entries: list[Entry] = field(default_factory=list)
    commit_lsn: int = 0
    commit_stream: int = 0
    commit_time: int | None = None
    """Seconds since 1970-01-01, as far as the record that ended it has a time."""
    authid: str | None = None
    number: int = 0
    """Which of the units, in the order in which they ended."""

    @property
    def txn_id(self) -> str:
        """Transaction identifier and first log sequence number, 28 hex digits."""
        return f"{self.transaction_id.hex().upper()}{self.first_lsn:016X}"

    @property
    def bytes(self) -> int:
        """Size of its changes, with the values stored out of their rows."""
        return sum(entry.frame.length + sum(piece.length for piece in entry.pieces) for entry in self.entries)


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A description of a table in the log."""

    table: LuwTable
    index: int
    """Number of the record it stands in."""
    unit: int
    """Number of the unit of work that made it."""
    is_committed: bool
    is_undone: bool
    before: LuwTable | None = None
    """What the same record says of the table as it was."""


@dataclass(slots=True)
class Ledger:
    """What one pass over a log found."""

    units: list[Unit] = field(default_factory=list)
    tables: dict[Ids, list[TableRecord]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    """What is to be said besides, by its words."""
    address_forms: Counter[str] = field(default_factory=Counter)
    """How byte addresses of LOB records are read where the manual is silent."""
    gaps: list[str] = field(default_factory=list)
    """Where rows begin to be missing, in words."""
    bad: list[tuple[Frame, DataError]] = field(default_factory=list)
    """Records that could not be read."""
    fault: FramingError | None = None
    """Where records can be cut out of the file no more."""
    named: dict[Ids, LuwTable] = field(default_factory=dict)
    """The tables of the tables file."""
    column_ids: dict[Ids, set[int]] = field(default_factory=dict)
    """Columns that records of values stored out of the row name, by table."""

    def description(self, unit: Unit, entry: Entry) -> LuwTable | None:
        """The description of the table of a change that was in force at its record.

        Of other units committed ones only; one that was taken back holds for what was taken back with it.
        """
        found = None
        for record in self.tables.get(entry.ids or (0, 0), ()):
            is_own = record.unit == unit.number and (not record.is_undone or entry.is_undone)
            if record.index <= entry.frame.index:
                found = record.table if record.is_committed or is_own else found
            elif found is None and record.before is not None:
                return record.before
        return found

    def parts(self, max_bytes: int) -> Iterator[Ledger]:
        """The same in parts of whole units, of about so many bytes; what went wrong is in the last."""
        size, units = 0, list[Unit]()
        for unit in self.units:
            if size and size + unit.bytes > max_bytes:
                yield replace(self, units=units, bad=[], fault=None)
                size, units = 0, []
            units.append(unit)
            size += unit.bytes
        yield replace(self, units=units)


class UnitReader:
    """Sorts log records into units of work."""

    def __init__(self, byte_order: str, page: CodePage) -> None:
        self.ledger = Ledger()
        self._byte_order = byte_order
        self._page = page
        self._open: dict[bytes, Unit] = {}
        self._pieces: dict[tuple[bytes, Ids], list[Piece]] = {}
        self._unnamed: dict[tuple[int, Ids], list[Piece]] = {}
        self._values: dict[tuple[Ids, Any], Entry] = {}
        self._gaps: dict[Ids, list[Entry]] = {}
        """Gaps that last, by table, the latest last."""
        self._described: dict[Ids, list[tuple[Unit, Entry, LuwTable, LuwTable | None]]] = {}
        self._ended = 0
        self._next = 0
        self._damaged: list[int] = []
        """Numbers of records that could not be read."""

    def read(self, records: Iterable[LogRecord]) -> Ledger:
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
                    table, entry.frame.index, unit.number,
                    unit.state == "committed" and not entry.is_undone, entry.is_undone, before,
                )
                for unit, entry, table, before in described
            ]  # fmt: skip
        return self.ledger

    def add(self, record: LogRecord) -> None:
        """Take one record into account."""
        self._damaged += range(self._next, record.frame.index)
        self._next = record.frame.index + 1
        difference = record.class_differs
        if difference:
            self.ledger.counts[difference] += 1
        if record.kind.startswith("db2_log.unlisted"):
            self.ledger.counts["records of a type or component that is not listed; they are passed over"] += 1
        kind = record.kind
        if kind in _COMMITS or kind in _ABORTS:
            self._finish(record)
        elif kind == _LOAD:
            self._load(record)
        elif record.parsed.is_singular and kind in OPERATIONS:
            unit = Unit(record.transaction_id, _place(record))
            self._change(unit, record)
            self._commit(unit, record)
        elif record.parsed.is_compensation or kind.partition(".")[2].startswith("undo_"):
            self._compensate(self._unit(record), record)
        elif kind in OPERATIONS:
            self._change(self._unit(record), record)
        elif kind in (*_LOBS_NAMED, *_LOBS_UNNAMED, _XML):
            self._piece(self._unit(record), record)
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
            unit = Unit(record.transaction_id, _place(record), record.frame.index, begins_before=record.previous != 0)
            self._open[record.transaction_id] = unit
        return unit

    def _finish(self, record: LogRecord) -> None:
        unit = self._open.get(record.transaction_id)
        if unit is None:
            return  # it changed nothing here, or ended before
        if record.kind in _ABORTS:
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
            self.ledger.bad.append((record.frame, error.at(spec="db2_transaction", field="authid")))
        self._end(unit, "committed")

    def _end(self, unit: Unit, state: str) -> None:
        if self._open.get(unit.transaction_id) is unit:
            del self._open[unit.transaction_id]
        unit.state, unit.number = state, self._ended
        self._ended += 1
        if unit.begins_before and unit.entries:
            self.ledger.counts["transactions that begin before the log at hand: earlier changes are not in it"] += 1
        self._assign_unnamed(unit)
        self._pair_halves(unit)
        for entry in unit.entries:
            if entry.op == "S" and not entry.is_undone and state == "committed":
                self._say_gap(entry)
            self._settle_gap(entry, is_done=state == "committed" and not entry.is_undone)
        for key in [key for key in self._pieces if key[0] == unit.transaction_id]:
            if self._pieces.pop(key):
                self.ledger.counts["LOB values without a row"] += 1
        if unit.entries:
            self.ledger.units.append(unit)

    # -- changes --------------------------------------------------------------------------

    def _change(self, unit: Unit, record: LogRecord) -> None:
        body, kind = record.body, record.kind
        base = Entry(
            record.frame, kind, OPERATIONS[kind], record.table, _place(record), record.lfs, record.stream,
            record.address, record.previous,
        )  # fmt: skip
        if kind == _MULTIPLE:
            entries = [replace(base, number=number, rid=_rid(row)) for number, row in enumerate(body.records)]
        else:
            entries = [replace(base, rid=_rid(getattr(body, "old_row", body)))]
        for entry in entries:
            entry.is_half = bool(getattr(body, "iud_flags", 0) & _enum("iud_flag", "moved_row"))
            entry.gap = self._gap_of(entry.ids)
        if base.op in ("I", "U") and base.ids is not None:
            self._take_pieces(unit, entries)
        if base.op == "U":
            self._join_pointer(unit, entries[0], record)
        unit.entries.extend(entries)
        self._describe(unit, entries[0], body)
        self._open_gap(unit, entries[0], body)

    def _join_pointer(self, unit: Unit, entry: Entry, record: LogRecord) -> None:
        """An update that left a pointer: the row itself is in the insert before it."""
        try:
            header = record_header(record.body.new_row.record, self._byte_order)
        except DataError as error:
            self.ledger.bad.append((record.frame, error))
            return
        if header.is_row or not header.is_pointer:
            return
        before = next((known for known in reversed(unit.entries) if known.ids == entry.ids), None)
        if before is not None and before.op == "I" and not before.is_undone:
            # The insert is where the new row stands; the update gives the row before.
            unit.entries.remove(before)
            entry.other, entry.frame = entry.frame, before.frame
            entry.number, entry.pieces = before.number, before.pieces or entry.pieces

    def _describe(self, unit: Unit, entry: Entry, body: Any) -> None:
        if entry.ids is None:
            return
        known = self._described.setdefault(entry.ids, [])
        try:
            if entry.kind == _INITIALIZE:
                table = table_of(entry.ids, body.table_description, len(known) + 1, "table_description")
                known.append((unit, entry, table, None))
                self._gaps.pop(entry.ids, None)
            elif entry.kind == "db2_dms.add_columns":
                before = table_of(entry.ids, body.old_arrays, 0, "old_arrays")
                table = table_of(entry.ids, body.new_arrays, len(known) + 1, "new_arrays")
                known.append((unit, entry, table, before))
        except DataError as error:
            self.ledger.bad.append((entry.frame, error))

    def _load(self, record: LogRecord) -> None:
        """A load is what it is at once, whatever becomes of the transaction it stands in."""
        unit = Unit(record.transaction_id, _place(record))
        unit.entries.append(
            Entry(record.frame, record.kind, "O", record.table, _place(record), record.lfs, record.stream)
        )
        self._add_gap(unit, unit.entries[0], "a load began", "the table is copied anew", lasts=True)
        self._commit(unit, record)

    def _open_gap(self, unit: Unit, entry: Entry, body: Any) -> None:
        if entry.kind == _INITIALIZE and body.is_not_logged_initially:
            self._add_gap(unit, entry, "the table was created NOT LOGGED INITIALLY", "the transaction commits")
        elif entry.kind == _NOT_LOGGED:
            self._add_gap(unit, entry, "NOT LOGGED INITIALLY was activated", "the transaction commits")
        elif entry.kind == _ATTRIBUTE and body.attribute_mask & ~body.attribute_values & _enum(
            "table_attribute", "propagation"
        ):
            self._add_gap(unit, entry, "propagation was switched off", "the table is copied anew", lasts=True)

    def _add_gap(self, unit: Unit, entry: Entry, reason: str, until: str, *, lasts: bool = False) -> None:
        notice = {"gap": reason, "rows_missing_until": until}
        gap = replace(entry, op="S", notice=notice, pieces=(), gap=None)
        unit.entries.append(gap)
        if lasts and entry.ids is not None:
            self._gaps.setdefault(entry.ids, []).append(gap)

    def _gap_of(self, ids: Ids | None) -> str | None:
        """Why rows of a table may be missing at this place of the log."""
        gaps = self._gaps.get(ids, []) if ids is not None else []
        return next((str((gap.notice or {})["gap"]) for gap in reversed(gaps) if not gap.is_undone), None)

    def _settle_gap(self, entry: Entry, *, is_done: bool) -> None:
        """What a unit that has ended does to the gaps of other units' tables."""
        if entry.ids is None:
            return
        gaps = self._gaps.get(entry.ids, [])
        if entry.kind == _TRUNCATE and is_done:
            # An empty table is known again; what came behind the truncate is not.
            self._gaps[entry.ids] = [gap for gap in gaps if gap.frame.index > entry.frame.index]
        elif entry.kind == _ATTRIBUTE and not is_done:
            self._gaps[entry.ids] = [gap for gap in gaps if gap is not entry]

    def _say_gap(self, entry: Entry) -> None:
        ids = "unknown" if entry.ids is None else f"{entry.ids[0]}.{entry.ids[1]}"
        notice = entry.notice or {}
        self.ledger.gaps.append(
            f"rows missing from here: table {ids}, record {entry.frame.index} at {entry.frame.offset:#x}: "
            f"{notice.get('gap')}, until {notice.get('rows_missing_until')}"
        )

    # -- compensation ---------------------------------------------------------------------

    def _compensate(self, unit: Unit, record: LogRecord) -> None:
        """Find what a compensation takes back: by log sequence number, else by row id."""
        if record.kind == "db2_dms.undo_start_of_out_of_row_data" and record.table is not None:
            self._pieces.pop((unit.transaction_id, record.table), None)
        undone = _UNDOES.get(record.kind)
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
                found=f"{named[0].kind} in record {named[0].frame.index}",
            )  # fmt: skip
            self.ledger.bad.append((record.frame, error))
        found = [entry for entry in named if entry in left] or self._by_rid(left, record)
        if not found:
            self.ledger.counts["compensations of changes that are not in the log at hand"] += 1
        for entry in found:
            entry.is_undone = True
            for other in unit.entries:
                is_notice = other.notice is not None and other.frame is entry.frame
                is_of_table = record.kind == "db2_dom.undo_create_table" and other.ids == entry.ids
                if is_notice or (is_of_table and other.frame.index > entry.frame.index):
                    other.is_undone = True

    def _by_rid(self, left: list[Entry], record: LogRecord) -> list[Entry]:
        body = record.body
        if record.kind == "db2_dms.undo_insert_multiple_records":
            rids = [_rid(row) for row in body.records]
            found = [entry for entry in left if entry.rid in rids]
            return [entry for entry in found if entry.frame == found[0].frame]
        rid = _rid(body)
        before = record.before_compensated
        found = [entry for entry in left if rid is None or entry.rid == rid]
        exact = [entry for entry in found if before is not None and entry.previous == before]
        return (exact or found)[:1]

    # -- values that are stored out of their row -----------------------------------------------

    def _piece(self, unit: Unit, record: LogRecord) -> None:
        body, ids = record.body, record.table
        if ids is None:
            return
        column = getattr(body, "column_id", None)
        try:
            address, form = byte_address(body)
        except DataError as error:
            self.ledger.bad.append((record.frame, error))
            self._damaged.append(record.frame.index)
            return
        if form:
            self.ledger.address_forms[form] += 1
        piece = Piece(record.frame, record.kind, column, address, body.data_length, hasattr(body, "data"))
        if column is not None:
            self.ledger.column_ids.setdefault(ids, set()).add(column)
        if record.kind in _LOBS_UNNAMED:
            self._unnamed.setdefault((id(unit), ids), []).append(piece)
        else:
            self._pieces.setdefault((unit.transaction_id, ids), []).append(piece)

    def _take_pieces(self, unit: Unit, entries: list[Entry]) -> None:
        """Values stand before the record of their row; those of several rows in one record cannot be told apart."""
        ids = entries[0].ids
        assert ids is not None
        pieces = tuple(self._pieces.pop((unit.transaction_id, ids), ()))
        start = 0 if unit.begins_before else unit.first_index
        if unit.entries:
            start = unit.entries[-1].frame.index
        is_doubtful = self._is_damaged(start, entries[0].frame.index)
        for entry in entries:
            entry.is_doubtful = is_doubtful
            entry.pieces, entry.is_shared = pieces, len(entries) > 1
            if pieces:
                # Only an update appends; a new row in the place of another has a value of its own.
                entry.grows = _grown_by(pieces, self._values.get((ids, entry.rid))) if entry.op == "U" else ()
                self._values[ids, entry.rid] = entry

    def _is_damaged(self, start: int, end: int) -> bool:
        """Whether a record between two numbers could not be read; which transaction it was of is not known."""
        return any(start <= index < end for index in reversed(self._damaged))

    def _assign_unnamed(self, unit: Unit) -> None:
        """Until version 9.7 nothing names row or column: every row of the transaction is a rival."""
        for key in [key for key in self._unnamed if key[0] == id(unit)]:
            pieces = tuple(self._unnamed.pop(key))
            rows = [entry for entry in unit.entries if entry.op in ("I", "U") and not entry.is_undone]
            is_doubtful = self._is_damaged(unit.first_index, self._next)
            for row in rows:
                if row.ids == key[1]:
                    row.is_doubtful = is_doubtful
                    row.pieces = pieces
                    row.rivals = tuple(other for other in rows if other is not row)

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
                    entry.op, entry.other = "U", deletes[0].frame
                    unit.entries.remove(deletes[0])


def _grown_by(pieces: tuple[Piece, ...], last: Entry | None) -> tuple[Entry, ...]:
    """The changes whose values some pieces go on: they begin where the value of the same row ended."""
    chain = () if last is None else (*last.grows, last)
    while chain:
        ends = {} if chain[-1].is_undone else {piece.column: piece.end for piece in chain[-1].pieces}
        if any(ends.get(piece.column) == piece.address for piece in pieces):
            return chain
        chain = chain[:-1]
    return ()


def _place(record: LogRecord) -> int:
    """Log sequence number of a record, or its place in the file where nothing names one."""
    return record.frame.offset if record.lsn is None else record.lsn


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


def byte_address(body: Any) -> tuple[int, str]:
    """Where a piece stands in its object; until version 9.7 an IEEE number or an integer, as the bytes show.

    Gives the form too where it is not stated. A piece without an address (XML) has zero. Raises
    RecordError LMP-R002 for bytes that are neither. No bytes are both: an IEEE number of one or more
    is 2 to the power of 61 and above when read as an integer.
    """
    stated = getattr(body, "byte_address", 0)
    if isinstance(stated, int):
        return stated, ""
    as_integer = int(body.byte_address_integer)
    if as_integer < _LARGEST_OBJECT:
        return as_integer, "integer" if as_integer else ""
    if 1 <= stated < _LARGEST_OBJECT and stated == int(stated):
        return int(stated), "IEEE number"
    raise RecordError(
        "the byte address is neither an IEEE number nor an integer", code="LMP-R002", spec="db2_lob",
        field="byte_address", expected=f"less than {_LARGEST_OBJECT}", found=f"X'{as_integer:016X}'",
    )  # fmt: skip


_LARGEST_OBJECT = 1 << 48
"""No LOB object is as large, in bytes."""
