"""A whole log: transactions side by side, and the changes a reader must give for it.

The changes are computed from the script, never read back from the bytes. A transaction's records point back to the one
before; a rollback writes a compensation record for each record it undoes, the last one first (reference 2 and 7).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal

from . import ddl, dms, dom, lob, transaction, xml
from .columns import Column
from .framing import Framed, Framing, prefix
from .header import PROPAGATABLE, SINGULAR_TRANSACTION, Header, record, record_type
from .rows import OffsetBase, Row, compressed, formatted, json_row
from .tables import Change, JsonChange, Op, Pages, Table
from .values import DEFAULT_CODECS, Codecs, External, JsonValue, Value, encode, json_value
from .wire import ByteOrder, Generation, Raw, Rid, Server, TableId

CommitKind = Literal["normal", "heuristic", "mpp_coordinator", "mpp_subordinate", "local_pending_list"]
Lobs = Mapping[str, str | bytes]

COMMIT_TYPES: dict[CommitKind, str] = {
    "normal": "commit",
    "heuristic": "heuristic_commit",
    "mpp_coordinator": "mpp_coordinator_commit",
    "mpp_subordinate": "mpp_subordinate_commit",
    "local_pending_list": "local_pending_list",
}
EPOCH = datetime(1970, 1, 1)
FIRST_COMMIT = datetime(2026, 3, 14, 10, 11, 12)
AUTH_ID = "DB2INST1"

#: First log sequence numbers; the words of one differ, so that a wrong order of words or bytes is seen.
FIRST_LSN: dict[Generation, int] = {"v7": 0x00010002F00C, "v9.7": 0x000000012345F00C, "v10": 0x0000000000041AE0}
FIRST_LSO = 0x0000000223344556
FIRST_LFS = 77
FIRST_TID = 0x000001A2B3C4
NO_TID = bytes(6)

#: LOB data starts at multiples of this in the LOB object.
LOB_SEGMENT = 1024


@dataclass(frozen=True)
class StreamRecord:
    """Where a record stands: offset of the first byte of its header in the stream, length, LSN, and what it is."""

    offset: int
    length: int
    lsn: int
    kind: str


@dataclass(frozen=True)
class Parts:
    """What a record was made of: its header, what is behind that, and what its prefix says."""

    header: Header
    body: bytes
    framed: Framed


@dataclass
class _Step:
    """A record a rollback comes upon: its position and back pointer, the record that undoes it, and what it changed."""

    position: int
    previous: int
    changes: list[Change]
    undo_kind: str | None = None
    undo_body: bytes = b""
    reversible: bool = True


class Stream:
    """A log under construction.

    Attributes:
        records: every record written so far, in order.
        parts: what each of them was made of.
    """

    def __init__(
        self,
        generation: Generation,
        byte_order: ByteOrder,
        framing: Framing = "bare",
        *,
        stream_id: int = 0,
        codecs: Codecs = DEFAULT_CODECS,
        offset_base: OffsetBase = "array",
        address_form: lob.AddressForm = "double",
        first_commit: datetime = FIRST_COMMIT,
        lob_columns_from: int = 0,
    ) -> None:
        """Start an empty log.

        Args:
            generation: of the log records.
            byte_order: of the server.
            framing: prefix before each record.
            stream_id: log stream id (v10).
            codecs: encodings of text columns.
            offset_base: of rows with value compression.
            address_form: byte address in LOB records before v10.
            first_commit: time (UTC) of the first commit; each further one is a second later unless it says its own.
            lob_columns_from: number that LOB records have for the first column of a table (v10).
        """
        self.server = Server(generation, byte_order)
        self.framing: Framing = framing
        self.stream_id = stream_id
        self.codecs = codecs
        self.offset_base: OffsetBase = offset_base
        self.address_form: lob.AddressForm = address_form
        self.lob_columns_from = lob_columns_from
        self.records: list[StreamRecord] = []
        self.parts: list[Parts] = []
        self._data = bytearray()
        self._committed: list[JsonChange] = []
        self._lsn = FIRST_LSN[generation]
        self._lso = FIRST_LSO
        self._lfs = FIRST_LFS
        self._next_tid = FIRST_TID
        self._next_commit = first_commit
        self._pages: dict[TableId, Pages] = {}
        self._places: dict[tuple[TableId, Raw], dms.Place] = {}
        self._lob_end = 0

    def bytes(self) -> Raw:
        """The log so far."""
        return bytes(self._data)

    def pieces(self) -> list[Raw]:
        """The records of the log, each with what is in front of it."""
        lead = self.records[0].offset
        places = [*(record.offset - lead for record in self.records), len(self._data)]
        return [bytes(self._data[start:end]) for start, end in pairwise(places)]

    def expected(self, *, objects: bool = True) -> list[JsonChange]:
        """Committed changes in commit order; `objects` False leaves out those of op O."""
        return [change for change in self._committed if objects or change["op"] != "O"]

    def begin(self, auth_id: str = AUTH_ID, *, singular: bool = False) -> Transaction:
        """Start a transaction; a `singular` one is over with its first row record and has no commit record."""
        tid = self._next_tid.to_bytes(6, self.server.byte_order)
        self._next_tid += 1
        return Transaction(self, tid, auth_id, singular)

    def write(
        self,
        kind: str,
        type_name: str,
        body: Raw = b"",
        *,
        tid: Raw = NO_TID,
        flags: int = PROPAGATABLE,
        previous: int = 0,
        prior: int = 0,
        compensated: int = 0,
    ) -> int:
        """Append any record and return its position, which is what back pointers hold: its LSN, in v10 its LSO."""
        header = Header(
            record_type(type_name, self.server.generation),
            tid,
            flags,
            lsn=self._lsn,
            lfs=self._lfs,
            previous=previous,
            stream_id=self.stream_id,
            prior=prior,
            compensated=compensated,
        )
        data = record(self.server, header, body)
        framed = Framed(data, self._lsn, self._lso, self._lfs, self.stream_id)
        self._data += prefix(self.framing, self.server.byte_order, framed)
        self.records.append(StreamRecord(len(self._data), len(data), self._lsn, kind))
        self.parts.append(Parts(header, body, framed))
        self._data += data
        return self._advance(len(data))

    def _advance(self, length: int) -> int:
        """Position of the record just written: up to 9.7 the LSN is a byte address, in v10 the LSO, and LSNs count."""
        if self.server.generation == "v10":
            position = self._lso
            self._lsn += 1
            self._lso += length
        else:
            position = self._lsn
            self._lsn += length
        return position

    def flush(self) -> None:
        """The log buffer goes to disk: the next records have the next log flush sequence number."""
        self._lfs += 1

    def commit_time(self, at: datetime | None) -> datetime:
        """The given time, or a second past the last commit."""
        time = self._next_commit if at is None else at
        self._next_commit = time + timedelta(seconds=1)
        return time

    def committed(self, changes: list[JsonChange]) -> None:
        """Changes of a transaction that ends now."""
        self._committed += changes

    def image(self, table: Table, row: Row) -> Raw:
        """A row as it stands in the table's records."""
        if table.value_compression:
            return compressed(self.server, table.columns, row, offset_base=self.offset_base, codecs=self.codecs)
        return formatted(self.server, table.columns, row, codecs=self.codecs)

    def allocate(self, table: Table, image: Raw) -> dms.Place:
        """A place for a new row."""
        place = self._pages.setdefault(table.id, Pages()).allocate(len(image))
        self._places[table.id, image] = place
        return place

    def locate(self, table: Table, image: Raw) -> dms.Place:
        """The place of a row written before, or a new one for a row older than the log."""
        return self._places.get((table.id, image)) or self.allocate(table, image)

    def move(self, table: Table, image: Raw, place: dms.Place) -> None:
        """A row takes the place of its old form."""
        self._places[table.id, image] = place

    def lob_address(self, length: int) -> int:
        """Byte address of a new value in the LOB object."""
        start = -(-self._lob_end // LOB_SEGMENT) * LOB_SEGMENT
        self._lob_end = start + length
        return start


class Transaction:
    """One transaction; `Stream.begin` makes it. Several may be open at once."""

    def __init__(self, stream: Stream, tid: bytes, auth_id: str, singular: bool) -> None:
        self.stream = stream
        self.tid = tid
        self.auth_id = auth_id
        self._singular = singular
        self._last = 0
        self._steps: list[_Step] = []
        self._open = True

    def record(
        self,
        kind: str,
        type_name: str,
        body: bytes = b"",
        *,
        flags: int = PROPAGATABLE,
        prior: int = 0,
        compensated: int = 0,
    ) -> int:
        """Write any record of this transaction; it changes nothing that is expected."""
        if not self._open:
            raise ValueError("the transaction is over")
        options = {"flags": flags, "previous": self._last, "prior": prior, "compensated": compensated}
        self._last = self.stream.write(kind, type_name, body, tid=self.tid, **options)
        return self._last

    def _step(
        self,
        kind: str,
        type_name: str,
        body: bytes,
        *changes: Change,
        undo: tuple[str, bytes] | None = None,
        reversible: bool = True,
        ends_singular: bool = False,
    ) -> None:
        """Write a record together with what undoes it."""
        previous = self._last
        over = self._singular and ends_singular
        position = self.record(kind, type_name, body, flags=PROPAGATABLE | (SINGULAR_TRANSACTION if over else 0))
        undo_kind, undo_body = undo or (None, b"")
        self._steps.append(_Step(position, previous, list(changes), undo_kind, undo_body, reversible))
        if over:
            self._finish(None, None)

    # Rows

    def insert(
        self, table: Table, row: Row, *, lobs: Lobs | None = None, flags: int = 0, empty_page: bool = False
    ) -> Rid:
        """Insert a row; `lobs` are values that stand outside of it, by column, written before it."""
        server = self.stream.server
        whole, outside = self._outside(table, row, lobs, lob.BY_INSERT)
        image = self.stream.image(table, whole)
        place = self.stream.allocate(table, image)
        change = self._change("I", table, None, whole, outside)
        if empty_page:
            body = dms.insert_to_empty_page(server, table.id, place, image)
            undo = ("undo_insert_to_empty_page", dms.undo_insert_to_empty_page(server, table.id, place, len(image)))
            self._step("insert_to_empty_page", "normal", body, change, undo=undo, ends_singular=True)
        else:
            body = dms.insert(server, table.id, place, image, flags=flags)
            undo = ("undo_insert", dms.undo_insert(server, table.id, place, len(image)))
            self._step("insert", "normal", body, change, undo=undo, ends_singular=True)
        return place.rid

    def insert_many(self, table: Table, rows: Sequence[Row]) -> None:
        """Insert rows by one record (9.7 and later)."""
        server = self.stream.server
        wholes = [self._whole(table, row, ()) for row in rows]
        images = [self.stream.image(table, row) for row in wholes]
        entries = [(self.stream.allocate(table, image), image) for image in images]
        changes = [self._change("I", table, None, row, {}) for row in wholes]
        page = entries[0][0].rid.page
        undo = ("undo_insert_multiple", dms.undo_insert_multiple(server, table.id, entries, pool_page=page))
        body = dms.insert_multiple(server, table.id, entries, pool_page=page)
        self._step("insert_multiple", "normal", body, *changes, undo=undo, ends_singular=True)

    def update(self, table: Table, old: Row, new: Row, *, lobs: Lobs | None = None) -> Rid:
        """Update a row in its place; `lobs` as in `insert`."""
        server = self.stream.server
        before = self._whole(table, old, ())
        after, outside = self._outside(table, new, lobs, lob.BY_UPDATE)
        images = self.stream.image(table, before), self.stream.image(table, after)
        place = self.stream.locate(table, images[0])
        self.stream.move(table, images[1], place)
        body = dms.update(server, table.id, place, *images)
        undo = ("undo_update", dms.undo_update(server, table.id, place, images[0]))
        change = self._change("U", table, before, after, outside)
        self._step("update", "normal", body, change, undo=undo, ends_singular=True)
        return place.rid

    def delete(self, table: Table, row: Row, *, flags: int = 0, empty_page: bool = False) -> Rid:
        """Delete a row; `empty_page` when it is the last of its page."""
        server = self.stream.server
        whole = self._whole(table, row, ())
        image = self.stream.image(table, whole)
        place = self.stream.locate(table, image)
        change = self._change("D", table, whole, None, {})
        if empty_page:
            body = dms.delete_to_empty_page(server, table.id, place, image)
            undo = ("undo_delete_to_empty_page", dms.undo_delete_to_empty_page(server, table.id, place, image))
            self._step("delete_to_empty_page", "normal", body, change, undo=undo, ends_singular=True)
        else:
            body = dms.delete(server, table.id, place, image, flags=flags)
            undo = ("undo_delete", dms.undo_delete(server, table.id, place, image))
            self._step("delete", "normal", body, change, undo=undo, ends_singular=True)
        return place.rid

    # Tables

    def create_table(self, table: Table) -> None:
        """Create the data object."""
        about, server = dom.DomObject(table.id), self.stream.server
        undo = ("undo_create_table", dom.undo_create_table(server, about))
        self._step("create_table", "normal", dom.create_table(server, about), Change("O", table), undo=undo)

    def initialize(self, table: Table, *, flags: int = 0) -> None:
        """Describe a new table; undone together with its creation."""
        body = dms.initialize_table(self.stream.server, table.id, table.columns, flags=flags)
        self._step("initialize_table", "redo", body, Change("O", table))

    def drop_table(self, table: Table) -> None:
        """Drop the data object."""
        about, server = dom.DomObject(table.id), self.stream.server
        undo = ("undo_drop_table", dom.undo_drop_table(server, about))
        self._step("drop_table", "normal", dom.drop_table(server, about), Change("O", table), undo=undo)

    def alter_attribute(self, table: Table, mask: int, values: int) -> None:
        """Alter attributes of a table (bits of `dms`)."""
        server = self.stream.server
        undo = ("undo_alter_table_attribute", dms.alter_table_attribute(server, table.id, mask, mask & ~values))
        body = dms.alter_table_attribute(server, table.id, mask, values)
        self._step("alter_table_attribute", "normal", body, Change("O", table), undo=undo)

    def add_columns(self, table: Table, *columns: Column) -> Table:
        """Add columns; the record holds the columns before and after. Returns the new form of the table."""
        server = self.stream.server
        new = replace(table, columns=(*table.columns, *columns))
        undo = ("undo_add_columns", dms.add_columns(server, table.id, table.columns, new.columns, undo=True))
        body = dms.add_columns(server, table.id, table.columns, new.columns)
        self._step("add_columns", "normal", body, Change("O", table), undo=undo)
        return new

    def drop_columns(self, table: Table, *names: str) -> Table:
        """Drop columns; the record does not say which. Returns the new form of the table."""
        server, kinds = self.stream.server, dms.NAMES_ONLY
        undo = ("undo_drop_columns", dms.named(server, kinds["undo_drop_columns"], table.id))
        body = dms.named(server, kinds["drop_columns"], table.id)
        self._step("drop_columns", "normal", body, Change("O", table), undo=undo)
        return replace(table, columns=tuple(column for column in table.columns if column.name not in names))

    def truncate(self, table: Table, internal: bytes = bytes(8)) -> None:
        """Import replace: no savepoint goes back behind it, and no compensation record undoes it."""
        body = dom.truncate(self.stream.server, dom.DomObject(table.id), internal)
        self._step("truncate", "redo", body, Change("T", table), reversible=False)

    def statement(self, table: Table, text: str) -> None:
        """A DDL statement."""
        server, data = self.stream.server, text.encode(self.stream.codecs.text)
        undo = ("undo_statement", ddl.statement(server, table.id, data, undo=True))
        self._step("statement", "normal", ddl.statement(server, table.id, data), Change("O", table), undo=undo)

    # Ends

    def mark(self) -> int:
        """A savepoint."""
        return len(self._steps)

    def rollback_to(self, mark: int) -> None:
        """Go back to a savepoint: a compensation record for each record behind it, the last one first."""
        if not all(step.reversible for step in self._steps[mark:]):
            raise ValueError("no savepoint goes back behind a truncate")
        self._undo(mark)

    def commit(
        self, kind: CommitKind = "normal", *, at: datetime | None = None, auth_id: str | None = None
    ) -> datetime:
        """End the transaction; returns its time (UTC)."""
        time = self.stream.commit_time(at)
        user = self.auth_id if auth_id is None else auth_id
        seconds = round((time - EPOCH).total_seconds())
        body = _COMMIT_BODIES[kind](self.stream.server, seconds, user)
        self.record(COMMIT_TYPES[kind], COMMIT_TYPES[kind], body)
        self._finish(time, user)
        return time

    def abort(self, *, heuristic: bool = False) -> None:
        """Undo everything and end the transaction."""
        self._undo(0)
        kind = "heuristic_abort" if heuristic else "abort"
        self.record(kind, kind, transaction.abort(self.stream.server, self.auth_id))
        self._close()

    def _undo(self, mark: int) -> None:
        while len(self._steps) > mark:
            step = self._steps.pop()
            if step.undo_kind is not None:
                extensions = {"prior": step.previous, "compensated": step.position}
                self.record(step.undo_kind, "compensation", step.undo_body, **extensions)

    def _close(self) -> None:
        self._open = False
        self.stream.flush()

    def _finish(self, time: datetime | None, auth_id: str | None) -> None:
        """Hand over the changes; a singular transaction has neither time nor authorization id."""
        changes = [change for step in self._steps for change in step.changes]
        ending = {"tid": self.tid.hex().upper(), "commit_ts": time and time.isoformat(), "auth_id": auth_id}
        with_lobs = self._lobs_attach(changes)
        self.stream.committed([{**change.json(with_lobs=with_lobs(change)), **ending} for change in changes])
        self._close()

    def _lobs_attach(self, changes: list[Change]) -> Callable[[Change], bool]:
        """Which changes get their LOB values.

        Before v10 LOB records name neither column nor row: the table must have one LOB column, and the transaction one
        row with a value.
        """
        if self.stream.server.generation == "v10":
            return lambda change: True
        alone = sum(bool(change.lobs) for change in changes) == 1
        return lambda change: alone and len(change.table.lob_columns) == 1

    # Values outside the row

    def _change(
        self, op: Op, table: Table, before: Row | None, after: Row | None, lobs: dict[str, JsonValue]
    ) -> Change:
        rows = [None if row is None else json_row(table.columns, row, self.stream.codecs) for row in (before, after)]
        return Change(op, table, rows[0], rows[1], lobs)

    def _whole(self, table: Table, row: Row, outside: Sequence[str]) -> dict[str, Value]:
        """The row with every column: a descriptor where the value stands outside, null where none is given."""
        names = [column.name for column in table.columns]
        unknown = {*row, *outside} - set(names)
        if unknown:
            raise ValueError(f"{table.name} has no column {', '.join(sorted(unknown))}")
        return {name: External() if name in outside else row.get(name) for name in names}

    def _outside(
        self, table: Table, row: Row, lobs: Lobs | None, original: int
    ) -> tuple[dict[str, Value], dict[str, JsonValue]]:
        """Write the values outside a row; returns the whole row, and these values as printed."""
        given = lobs or {}
        whole = self._whole(table, row, tuple(given))
        if given and self.stream.server.generation == "v10":
            undo = ("undo_out_of_row_start", self._out_of_row(table, dms.UNDO_OUT_OF_ROW_START))
            body = self._out_of_row(table, dms.OUT_OF_ROW_START)
            self._step("out_of_row_start", "undo", body, undo=undo)
        printed: dict[str, JsonValue] = {}
        for column_id, column in enumerate(table.columns, self.stream.lob_columns_from):
            if column.name in given:
                value = given[column.name]
                self._value_records(table, column, column_id, value, original)
                printed[column.name] = json_value(column, value, self.stream.codecs) if column.logged else None
        return whole, printed

    def _out_of_row(self, table: Table, function: int) -> bytes:
        return dms.named(self.stream.server, function, table.id, bytes(2))

    def _value_records(self, table: Table, column: Column, column_id: int, value: str | bytes, original: int) -> None:
        """Records of one value, each with at most `lob.MAX_DATA` bytes.

        Raises:
            ValueError: an empty value, which has no record; give it in the row.
        """
        server = self.stream.server
        about = lob.LobObject(table.id, table.id)
        data = encode(server, column, value, self.stream.codecs)
        if not data:
            raise ValueError(f"{column.name}: an empty value stands in the row")
        address = self.stream.lob_address(len(data))
        if not column.logged:
            self._amount_record(about, len(data), address, column_id, original)
            return
        for start in range(0, len(data), lob.MAX_DATA):
            piece = data[start : start + lob.MAX_DATA]
            if column.word == "XML":
                self.record("xml_document", "information", xml.document(server, about, piece, column_id))
            elif server.generation == "v10":
                body = lob.add_data(server, about, piece, address + start, column_id, original=original)
                self.record("lob_add_data", "normal", body)
            else:
                body = lob.afim_data(server, about, piece, address + start, address_form=self.stream.address_form)
                self.record("lob_afim_data", "normal", body)

    def _amount_record(self, about: lob.LobObject, length: int, address: int, column_id: int, original: int) -> None:
        """The one record of a value that is not logged."""
        server = self.stream.server
        if server.generation == "v10":
            body = lob.add_amount(server, about, length, address, column_id, original=original)
            self.record("lob_add_amount", "normal", body)
        else:
            body = lob.afim_amount(server, about, length, address, address_form=self.stream.address_form)
            self.record("lob_afim_amount", "normal", body)


_COMMIT_BODIES: dict[CommitKind, Callable[[Server, int, str], bytes]] = {
    "normal": transaction.commit,
    "heuristic": transaction.commit,
    "mpp_coordinator": transaction.mpp_coordinator_commit,
    "mpp_subordinate": transaction.mpp_subordinate_commit,
    "local_pending_list": transaction.local_pending_list,
}
