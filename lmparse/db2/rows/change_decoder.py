"""Decoder: makes a change from its log records, with the columns of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from lmparse.changes.change import ROLES, Change, RowValues, add_row, reading
from lmparse.db2.record import log_record
from lmparse.db2.record.log_record import Ids, LogReader, LogRecord
from lmparse.db2.record.row_header import RecordHeader, record_header
from lmparse.db2.rows.lob_values import NOT_BEFORE, Key, Known, OutsideValues
from lmparse.db2.rows.row_reader import RowReader
from lmparse.db2.tables.lob_columns import by_version, fitting, numbered, whole_row
from lmparse.db2.tables.table import Column, Table
from lmparse.db2.transactions.descriptions import Descriptions
from lmparse.db2.transactions.references import ChangeReference, LobPiece, Transaction, TransactionIndex
from lmparse.errors import DataError
from lmparse.framing.extents import RecordExtent
from lmparse.options import Options
from lmparse.storage.buffers import Buffer
from lmparse.values.codepages import CodePage

DISPOSITIONS = {"committed": "C", "rolled-back": "A"}
COLUMN_DOCS = {
    "txn_id": "transaction identifier and log sequence number of the first record of the transaction",
    "commit_ts": "when the transaction was committed, UTC, to the second",
    "ts": "null: log records of Db2 LUW have no time of their own",
    "sql_type": "null for Db2 LUW",
    "sql_src_type": "null for Db2 LUW",
    "log_rec_disp": "C when the change was committed, A when it or its transaction was rolled back",
    "uor_disp": "C when the transaction was committed, A when it was rolled back; null while it is open",
    "auth_id": "authorization id, where the record that ended the transaction has it",
    "plan": "null for Db2 LUW",
    "correlation_id": "null for Db2 LUW",
}
"""Comments of the columns that every change has and that Db2 LUW fills in its own way."""
_KEPT_BYTES, _KEPT_PIECES = 1 << 23, 1 << 14
"""Most bytes and pieces of LOB values that are kept between changes."""
_KEPT_RIVALS = 1 << 10
"""Most lists of rivals for which the needs of outside values are kept."""


@dataclass
class ChangeDecoder:
    """Decodes the changes of one log."""

    index: TransactionIndex
    descriptions: Descriptions
    logs: LogReader
    buffer: Buffer
    code_page: CodePage
    options: Options
    notice: Callable[[str], None]
    unknown: Counter[str] = field(default_factory=Counter)
    """Number of rows of tables without a description, by table."""
    _readers: dict[Table, RowReader] = field(default_factory=dict)
    _first_columns: dict[Table, int | None] = field(default_factory=dict)
    _columns_named: dict[Ids, dict[int, set[int]]] = field(default_factory=dict)
    """By table and number of the version, the columns that LOB records name."""
    _lacking: dict[Key, Known] = field(default_factory=dict)
    _pieces: dict[int, bytes] = field(default_factory=dict)
    """Data of pieces by record: each change of a value that grows reads earlier pieces again."""
    _piece_bytes: int = 0
    _needing: dict[int, tuple[Sequence[ChangeReference], Counter[str]]] = field(default_factory=dict)
    """By identity of `ChangeReference.rivals`: the rivals, and for each column how many of them need an outside value.
    The empty name counts those that need a value of any column."""
    _last: LogRecord | None = None
    """The record that was read last."""
    _last_header: dict[str, Any] | None = None
    """The fields of that record in front of its rows, once they are needed."""

    def decode(self, transaction: Transaction, reference: ChangeReference) -> Change | None:
        """One change; None for a record without a row. Raises the error of a record that cannot be read."""
        record = self._read(reference.extent)
        change = self._bare_change(transaction, reference, record)
        if reference.notice is not None:
            change.detail = dict(reference.notice)
        elif reference.op in ROLES:
            if not self._fill(change, transaction, reference, record):
                return None
        else:
            change.detail = _object_detail(record, change.table, self.code_page)
        return change

    def _bare_change(self, transaction: Transaction, reference: ChangeReference, record: LogRecord) -> Change:
        """A change without rows and detail, of the record that was read last."""
        state = DISPOSITIONS.get(transaction.state)
        table = self.descriptions.of(transaction, reference)
        schema, name, is_short = name_of(table, reference.ids)
        if self._last_header is None:
            self._last_header = self.logs.header_of(record)
        return Change(
            op=reference.op,
            seq=transaction.seq(reference),
            txn_id=transaction.txn_id,
            schema_name=schema,
            table_name=name,
            table_name_short=is_short,
            values={
                "auth_id": transaction.authid,
                "uor_disp": state,
                "log_rec_disp": "A" if reference.is_undone else state,
            },
            header=dict(self._last_header),
            outcome=transaction.state,
            is_undone=reference.is_undone,
            commit_ts=transaction.commit_ts,
            ts=None,
            extent=reference.extent,
            length=reference.extent.length,
            table=table,
        )

    # -- rows -----------------------------------------------------------------------------

    def _fill(self, change: Change, transaction: Transaction, reference: ChangeReference, record: LogRecord) -> bool:
        """Add the rows of a record to its change. Returns False if the record contains no row."""
        images = self._images(reference, record)
        headers: dict[str, RecordHeader] = {}
        for role, image in images.items():
            with reading(role):
                headers[role] = record_header(image, self.logs.byte_order)
        if not any(header.is_row for header in headers.values()):
            return False
        detail, table = detail_of(reference), change.table
        if record.is_compressed:
            raise log_record.still_compressed(record)
        if not isinstance(table, Table):
            detail |= {f"{role}_bytes": image.hex().upper() for role, image in images.items()}
            self.unknown[change.table_name] += 1
            change.detail = detail
            return True
        absent: dict[str, str] = {}
        for role, image in images.items():
            if not headers[role].is_row:
                detail[f"{role}_bytes"] = image.hex().upper()
                continue
            row = self._read_row(table, transaction, reference, role, image)
            add_row(change, role, row, absent)
            if row.unread:
                detail[f"{role}_unread_bytes"] = row.unread
        if absent:
            detail["absent"] = absent
        change.detail = detail or None
        return True

    def has_row(self, reference: ChangeReference) -> bool:
        """Whether `decode` finds a row or an error, and not only internal records; true if the change needs no row."""
        if reference.op not in ROLES or reference.notice is not None:
            return True
        try:
            images = self._images(reference, self._read(reference.extent)).values()
            return any(record_header(image, self.logs.byte_order).is_row for image in images)
        except DataError:
            return True

    def _images(self, reference: ChangeReference, record: LogRecord) -> dict[str, bytes]:
        """The before and after images of a change, by role."""
        found = _rows_of(record.body, reference.number, reference.op)
        if reference.other is not None:
            found["before"] = next(iter(_rows_of(self._read(reference.other).body, 0, "D").values()))
        return {role: found[role] for role in ROLES[reference.op] if role in found}

    def _read_row(
        self, table: Table, transaction: Transaction, reference: ChangeReference, role: str, image: bytes
    ) -> RowValues:
        reader = self._row_reader(table)
        first = self.first_column_of(table)
        outside = OutsideValues(
            reference, reader, self._lob_data, lambda change, column: self._has_rival(transaction, change, column),
            first, self._lacking,
        )  # fmt: skip
        wanted = frozenset(self.options.columns) or None
        with reading(role):
            return reader.read(image, outside.after if role == "after" else lambda _: NOT_BEFORE, wanted)

    def first_column_of(self, table: Table) -> int | None:
        """The number that LOB records give to the first column of a table; None if no number fits."""
        if table not in self._first_columns:
            self._first_columns[table] = self._find_first_column(table)
        return self._first_columns[table]

    def _find_first_column(self, table: Table) -> int | None:
        versions = self._columns_named.get(table.ids)
        if versions is None:
            places, described = self.index.column_ids.get(table.ids, set()), self.index.tables.get(table.ids, ())
            versions = self._columns_named[table.ids] = by_version(places, described)
        numbers = versions.get(table.sequence, set()) - {whole_row()}
        fits, known = fitting(numbers, table), self.index.lob_columns_from
        asked = self.options.decision("lob_columns_from")
        if not numbers and not numbered(table):
            return 0
        if asked != "auto":
            return int(asked) if int(asked) in fits else None
        if not numbers:
            return known or 0
        named = f"columns in LOB records of {table.full_name}"
        if fits == (1,):
            self.notice(f"{named} count from 1: from 0 they would be others")
        elif len(fits) == 2 and known is None:
            self.notice(
                f"{named} may count from 0 or from 1, which would be other columns; they are taken to count from 0, "
                "unless the option decisions has lob_columns_from=1"
            )
        elif len(fits) == 2 and known == 1:
            self.notice(f"{named} count from 1, as those of other tables must")
        return known if known in fits else next(iter(fits), None)

    def _row_reader(self, table: Table) -> RowReader:
        reader = self._readers.get(table)
        if reader is None:
            reader = RowReader(table, self.logs.byte_order, self.code_page, trim=self.options.trim)
            self._readers[table] = reader
        return reader

    def _read(self, extent: RecordExtent) -> LogRecord:
        """The record with an extent. The last record is kept, because the rows of a record come one after another."""
        if self._last is None or self._last.extent.index != extent.index:
            self._last, self._last_header = self.logs.read(self.buffer, extent), None
        return self._last

    def _lob_data(self, piece: LobPiece) -> bytes:
        data: bytes | None = self._pieces.get(piece.extent.index)
        if data is None:
            data = self._read(piece.extent).body.data
            self._piece_bytes += len(data)
            if self._piece_bytes > _KEPT_BYTES or len(self._pieces) >= _KEPT_PIECES:
                self._pieces.clear()
                self._piece_bytes = len(data)
            self._pieces[piece.extent.index] = data
        return data

    def _has_rival(self, transaction: Transaction, change: ChangeReference, column: Column) -> bool:
        """Whether the pieces of a change may belong to another row, which also needs a value of the column."""
        if len(change.rivals) < 2:
            return False
        key = id(change.rivals)
        if key not in self._needing:
            if len(self._needing) >= _KEPT_RIVALS:
                self._needing.clear()
            needing = Counter[str]()
            for row in change.rivals:
                names = self._columns_outside(transaction, row)
                needing.update([*names, *([""] if names else [])])
            self._needing[key] = change.rivals, needing
        return self._needing[key][1][column.name if change.pieces[0].column is not None else ""] > 1

    def _columns_outside(self, transaction: Transaction, reference: ChangeReference) -> Sequence[str]:
        """Names of the columns of a row whose values are stored outside of it."""
        asked: list[str] = []

        def ask(column: Column) -> str:
            asked.append(column.name)
            return ""

        with suppress(DataError):  # a bad row is reported where it is read
            table = self.descriptions.of(transaction, reference)
            if table is None:
                return ("",)  # a table without a description may have LOB columns
            self._row_reader(table).read(self._images(reference, self._read(reference.extent)).get("after", b""), ask)
        return asked


def _rows_of(body: Any, number: int, op: str) -> dict[str, bytes]:
    """The images in a record, by role; `number` is the number of the row in a record with several rows."""
    if hasattr(body, "old_row"):
        return {"before": body.old_row.record, "after": body.new_row.record}
    own = body.records[number].record if hasattr(body, "records") else body.record
    return {"before" if op == "D" else "after": own}


def name_of(table: Table | None, ids: Ids | None) -> tuple[str, str, bool]:
    """Schema and name of the table of a change, and whether its ids replace the name."""
    shown = "" if ids is None else f"{ids[0]}.{ids[1]}"
    schema, name = ("", "") if table is None else (table.schema, table.name)
    return schema, name or shown, not name


def detail_of(reference: ChangeReference) -> dict[str, Any]:
    """The column `detail` of a change of a row, as far as the transaction index has it."""
    detail: dict[str, Any] = {}
    if reference.is_half or reference.other is not None:
        detail["moved"] = True
    if reference.gap is not None:
        detail["gap"] = reference.gap
    return detail


def _object_detail(record: LogRecord, table: object, page: CodePage) -> dict[str, Any]:
    """The column `detail` of a change of a table as a whole."""
    body = record.body
    detail: dict[str, Any] = {"kind": record.kind}
    if (hasattr(body, "table_description") or hasattr(body, "new_arrays")) and isinstance(table, Table):
        detail["columns"] = [
            {"name": column.name, "type": column.sql_type.words, "nullable": column.is_nullable}
            for column in table.columns
        ]
    if hasattr(body, "attribute_mask"):
        detail["attributes"] = log_record.attributes(body)
    for name in ("index_token", "index_root_page", "flag", "ddl_text_left"):
        if hasattr(body, name):
            detail[name] = getattr(body, name)
    if hasattr(body, "entries"):
        detail |= _entries(body, page)
    if hasattr(body, "ddl_text"):
        try:
            detail["text"] = page.decode(body.ddl_text)
        except DataError as error:
            error.at(spec="db2_ddl", field="ddl_text")
            raise
    return detail


def _entries(body: Any, page: CodePage) -> dict[str, str]:
    """Texts of the entries of a DDL statement, if their lengths add up: the schema of names without a schema."""
    found, place = {}, 0
    if sum(entry.entry_length for entry in body.entries) != len(body.entry_data):
        return {}
    for entry in body.entries:
        raw = body.entry_data[place : place + entry.entry_length]
        place += entry.entry_length
        if (name := getattr(entry.entry_type, "name", "")) == "default_schema":
            try:
                found[name] = page.decode(raw).rstrip(" ")
            except DataError as error:
                raise error.at(spec="db2_ddl", field="entry_data") from None
    return found
