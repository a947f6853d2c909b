"""Logs of Db2 LUW: what db2ReadLog returns, as records and as changes.

What becomes of a change is known when its transaction ends. So a log is read twice: one pass finds
the units of work, a second one reads the rows of those that are asked for. Parts of a log are sets of
whole units, never stretches of the file; parts of its records are stretches of the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmparse.changes.change import Change
from lmparse.changes.log import ChangeLog
from lmparse.changes.ranges import OUTSIDE
from lmparse.db2 import log_record
from lmparse.db2.lob_values import OutsideValues, first_column
from lmparse.db2.row_reader import LuwRow, LuwRowReader, RecordHeader, record_header
from lmparse.db2.settings import LuwSettings, find_log
from lmparse.db2.tables import Ids, LuwColumn, LuwTable, read_tables_file
from lmparse.db2.transaction_index import Entry, Piece, TransactionIndex, Unit
from lmparse.db2.transactions import UnitReader
from lmparse.errors import ControlError, DataError, OptionError, RecordError, TableNotFoundError
from lmparse.framing.framings import RecordExtent, Span
from lmparse.options import Options
from lmparse.records.reader import Values, to_json
from lmparse.records.settings import FileSettings, FoundFile

if TYPE_CHECKING:
    from lmparse.framing.sync import Plausible

_NEVER = "F" * 20
"""Commit position of what is not committed: behind everything that is."""
_SAMPLE = 64
_DISPOSITIONS = {"committed": "C", "rolled-back": "A"}
_EPOCH = datetime(1970, 1, 1)


def open_log(
    path: str | Path,
    options: Options,
    *,
    settings: FileSettings | None = None,
    on_error: Callable[[DataError], None] | None = None,
) -> Db2Log:
    """Open a log. Raises FramingError, OptionError."""
    found, logs = find_log(path, options, settings)
    return Db2Log(path, options, found, logs, on_error=on_error)


class Db2Log(ChangeLog):
    """Log records of one Db2 LUW server, in the order in which the API returned them."""

    def __init__(
        self,
        path: str | Path,
        options: Options,
        found: FoundFile,
        logs: log_record.LogReader,
        *,
        on_error: Callable[[DataError], None] | None = None,
    ) -> None:
        super().__init__(path, options, found, on_error=on_error)
        assert isinstance(found.own, LuwSettings)
        self.logs, self._known = logs, found.own
        self.generation, self.byte_order = logs.generation, found.framing.byte_order or ""
        self._readers: dict[LuwTable, LuwRowReader] = {}
        self._named_tables: dict[tuple[Ids, int], LuwTable] = {}
        """Descriptions under the names of the tables file, by table and identity of the description in the log."""
        self._unknown: Counter[str] = Counter()
        """Rows of tables that nothing describes, by table."""

    @property
    def has_descriptions(self) -> bool:
        return True

    # -- records ----------------------------------------------------------------------

    def plausible(self) -> Plausible:
        def is_read(extent: RecordExtent) -> bool:
            try:
                self.logs.read(self.buffer, extent)
            except DataError:
                return False
            return True

        return is_read

    def observe(self, values: dict[str, Any]) -> dict[str, str]:
        return {"kind": values["kind"]}

    def log_records(self) -> Iterator[log_record.LogRecord]:
        """Every good record, parsed; bad ones are left for the ledger."""
        for extent in self.extents():
            try:
                record = self.logs.read(self.buffer, extent)
            except DataError as error:
                self._bad.append((extent, error))
                continue
            yield record

    def report(self, error: DataError, extent: RecordExtent | None = None) -> None:
        super().report(error if extent is None else self._placed(error, extent), extent)

    def _placed(self, error: DataError, extent: RecordExtent) -> DataError:
        """An error with the log sequence number of its record, as far as that can be read."""
        said = self.logs.place(self.buffer, extent)
        hints = [error.hint, said]
        error.hint = "; ".join(hint for hint in hints if hint) or None
        return error

    # -- units of work and tables -----------------------------------------------------

    @cached_property
    def ledger(self) -> TransactionIndex:
        """The units of work, from one pass over the log."""
        if self._known.index is not None:
            return self._known.index
        if not self._has_numbers:
            self.notice("no record names its log sequence number: seq and txn_id count bytes of this file instead")
        self._bad: list[tuple[RecordExtent, DataError]] = []
        ledger = UnitReader(self.byte_order, self.code_page).read(self.log_records())
        ledger.bad = sorted([*ledger.bad, *self._bad], key=lambda bad: bad[0].index)
        ledger.named = read_tables_file(self.options.tables) if self.options.tables else {}
        for text, count in ledger.counts.items():
            self.notice(f"{count} x {text}")
        for text in ledger.gaps:
            self.notice(text)
        for form, count in ledger.address_forms.items():
            self.decide("LOB byte address", form, f"fits {count} LOB records, the other form none of them")
        return ledger

    @property
    def _has_numbers(self) -> bool:
        return self.generation == "v10" or self.framing.name != "bare"

    def table_of(self, unit: Unit, entry: Entry) -> LuwTable | None:
        """The description of a change's table: from the log where it has one, under the names of the tables file.

        Raises ControlError LMP-C010 when the two contradict each other.
        """
        if entry.ids is None:
            return None
        named = self.ledger.named.get(entry.ids)
        logged = self.ledger.description(unit, entry)
        if logged is None or named is None:
            return logged or named
        # The same object for all changes of a version, which is what tells versions apart. The ledger keeps the key.
        known = self._named_tables.get((entry.ids, id(logged)))
        if known is not None:
            return known
        difference = logged.differs_from(named)
        if difference is not None:
            raise ControlError(
                "the tables file is not of this log", code="LMP-C010", file=self.options.tables, found=difference,
                hint="print it again from the catalog of the database that wrote the log",
            )  # fmt: skip
        return self._named_tables.setdefault((entry.ids, id(logged)), logged.named_by(named))

    @cached_property
    def table_ids(self) -> frozenset[tuple[Any, ...]] | None:
        wanted = self.options.table
        if wanted is None or self._known.table_ids is not None:
            return self._known.table_ids
        found: dict[Ids, str] = {}
        for table in self._all_versions():
            if wanted in (table.name, table.full_name, table.hex_ids):
                found[table.ids] = f"{table.full_name} ({table.hex_ids})"
        for unit in self.ledger.units:
            for entry in unit.entries:
                if entry.ids is not None and wanted == f"{entry.ids[0]}.{entry.ids[1]}":
                    found.setdefault(entry.ids, wanted)
        if len(found) > 1:
            raise OptionError(
                f"table {wanted!r} is ambiguous: {', '.join(found.values())}", code="LMP-C005",
                hint="name it by TABLESPACE.TABLE in decimal",
            )  # fmt: skip
        if not found:
            raise TableNotFoundError(f"neither log nor tables file has a table {wanted!r}", code="LMP-C005")
        self.table_names = set(found.values())
        return frozenset(found)

    def _all_versions(self) -> Iterator[LuwTable]:
        """Every description there is, under the names of the tables file."""
        for ids, records in self.ledger.tables.items():
            named = self.ledger.named.get(ids)
            for record in records:
                if record.is_committed or self.options.include != ("committed",):
                    for table in (record.before, record.table):
                        if table is not None:
                            yield table.named_by(named) if named is not None else table
        yield from self.ledger.named.values()

    def table_versions(self) -> list[LuwTable]:
        ids = self.table_ids or frozenset()
        picked = self.options.table_version
        versions = [table for table in self._all_versions() if table.ids in ids]
        return [table for table in versions if picked in (None, table.sequence)]

    # -- changes ----------------------------------------------------------------------

    def change_parts(self, max_bytes: int) -> list[tuple[FileSettings, Span]]:
        """Parts of whole units of work: a transaction is never torn, wherever its records stand."""
        whole = Span(0, len(self.buffer), 0)
        known = (LuwSettings(self.generation, self.table_ids, index) for index in self.ledger.parts(max_bytes))
        return [(replace(self.settings, own=own), whole) for own in known]

    def typed_changes(self, span: Span | None = None) -> Iterator[Change]:
        self.begin_changes()
        for unit, entry in self.in_order():
            if not self.is_asked_for(entry):
                continue
            why = self.why_left_out(unit, entry)
            if why is not None:
                self.left_out[why] += 1
                continue
            change = self.change_of(unit, entry)
            if change is not None:
                yield change
        self.end_changes()

    def begin_changes(self) -> None:
        """Check what is asked for, and report the records that the ledger could not use."""
        self._check_columns()
        for extent, error in self.ledger.bad:
            self.quarantine(error, extent)

    def end_changes(self) -> None:
        """Say what is to be said behind the last change; raise FramingError where the file is damaged."""
        for ids, count in sorted(self._unknown.items()):
            self.notice(f"{count} rows of table {ids} are kept as bytes: nothing describes the table")
        if self.ledger.fault is not None:
            raise self.ledger.fault

    def _check_columns(self) -> None:
        if self.options.table_version is not None and self.options.table is None:
            raise OptionError("tableVersion needs a table", hint="give table too")
        versions = list(self._all_versions()) if self.options.table is None else self.table_versions()
        names = {column.name for version in versions for column in version.columns}
        for name in self.options.columns:
            if name not in names:
                raise OptionError(f"columns: there is no column {name!r}", hint="one of " + ", ".join(sorted(names)))

    def in_order(self) -> Iterator[tuple[Unit, Entry]]:
        """The changes in the order that is asked for: of the file, or of commits."""
        units = self.ledger.units
        pairs = [(unit, entry) for unit in units for entry in unit.entries]
        if self.options.order == "commit":
            return iter(sorted(pairs, key=lambda pair: self.seq_of(*pair)))
        return iter(sorted(pairs, key=lambda pair: (pair[1].extent.index, pair[1].number)))

    def is_asked_for(self, entry: Entry) -> bool:
        """Whether a change is of an operation and a table that the options ask for."""
        if self.options.operations and entry.op not in self.options.operations:
            return False
        return self.table_ids is None or entry.ids in self.table_ids

    def why_left_out(self, unit: Unit, entry: Entry) -> str | None:
        """Why options leave a change out: what became of it, or that it is outside a range."""
        state = "rolled-back" if entry.is_undone else unit.state
        if "all" not in self.options.include and state not in self.options.include:
            return state
        time = None if unit.commit_time is None else unit.commit_time * 1_000_000
        return None if self.range.holds(lambda: self.seq_of(unit, entry), lambda: time) else OUTSIDE

    def seq_of(self, unit: Unit, entry: Entry) -> str:
        """Commit position, log flush sequence, log sequence number, log stream, row in the record."""
        is_done = unit.state == "committed" and not entry.is_undone
        commit = f"{unit.commit_lsn:016X}{unit.commit_stream:04X}" if is_done else _NEVER
        ordinal = 2 * entry.number + (entry.notice is not None)
        return f"{commit}{entry.lfs:020X}{entry.lsn:020X}{entry.stream:04X}{ordinal:08X}"

    def change_of(self, unit: Unit, entry: Entry) -> Change | None:
        """One change, or None when its record is bad. Errors go where errors go."""
        try:
            record = self.logs.read(self.buffer, entry.extent)
            change = self._bare_change(unit, entry, record)
            if entry.notice is not None:
                change.detail = dict(entry.notice)
            elif entry.op in ("I", "U", "D"):
                if not self._fill(change, unit, entry, record):
                    return None
            else:
                change.detail = self._object_detail(record, change.table)
        except DataError as error:
            self.quarantine(error, entry.extent)
            return None
        for fault in change.faults:
            self.report(fault, entry.extent)
        if change.faults and self.options.mode == "dropmalformed":
            self.tally.dropped += 1
            return None
        return change

    def _bare_change(self, unit: Unit, entry: Entry, record: log_record.LogRecord) -> Change:
        table = self.table_of(unit, entry)
        schema, name, is_short = self.name_of(table, entry)
        time = unit.commit_time
        return Change(
            op=entry.op,
            seq=self.seq_of(unit, entry),
            txn_id=unit.txn_id,
            schema_name=schema,
            table_name=name,
            table_name_short=is_short,
            before=None,
            after=None,
            values=self.outcome_of(unit, entry),
            header=to_json(self._header(record)),
            commit_ts=None if time is None else (_EPOCH + timedelta(seconds=time)).isoformat(timespec="microseconds"),
            ts=None,
            detail=None,
            extent=entry.extent,
            length=entry.extent.length,
            table=table,
        )

    def name_of(self, table: LuwTable | None, entry: Entry) -> tuple[str, str, bool]:
        """Schema and name of the table of a change, and whether its ids stand for the name."""
        ids = "" if entry.ids is None else f"{entry.ids[0]}.{entry.ids[1]}"
        schema, name = ("", "") if table is None else (table.schema, table.name)
        return schema, name or ids, not name

    def outcome_of(self, unit: Unit, entry: Entry) -> Values:
        """Who made a change, and what became of its transaction and of itself."""
        state = _DISPOSITIONS.get(unit.state)
        return {"auth_id": unit.authid, "uor_disp": state, "log_rec_disp": "A" if entry.is_undone else state}

    def detail_of(self, entry: Entry) -> dict[str, Any]:
        """What the ledger has to say of a change of a row."""
        detail: dict[str, Any] = {}
        if entry.is_half or entry.other is not None:
            detail["moved"] = True
        if entry.gap is not None:
            detail["gap"] = entry.gap
        return detail

    def _header(self, record: log_record.LogRecord) -> Values:
        values = self.logs.values(record).values
        data = ("record", "records", "old_row", "new_row", "data", "payload")
        return {name: value for name, value in values.items() if name not in data}

    # -- rows -----------------------------------------------------------------------------

    def _fill(self, change: Change, unit: Unit, entry: Entry, record: log_record.LogRecord) -> bool:
        """Read the rows of a change into it; False when the record holds no row."""
        images = self._images(entry, record)
        headers = {role: self._page_header(role, image) for role, image in images.items()}
        if not any(header.is_row for header in headers.values()):
            self.left_out["internal records that are no rows"] += 1
            return False
        detail = self.detail_of(entry)
        table = change.table
        if record.is_compressed:
            raise RecordError(
                "its rows are compressed still: the API could not expand them", code="LMP-R007", spec="db2_prefix",
                field="sqlcode", expected="0", found=str(record.prefix.sqlcode),
            )  # fmt: skip
        if not isinstance(table, LuwTable):
            detail |= {f"{role}_bytes": image.hex().upper() for role, image in images.items()}
            self._unknown[change.table_name] += 1
            change.detail = detail
            return True
        absent: dict[str, str] = {}
        columns = frozenset(self.options.columns) or None
        for role, image in images.items():
            if not headers[role].is_row:
                detail[f"{role}_bytes"] = image.hex().upper()
                continue
            row = self._read_row(table, unit, entry, role, image, columns)
            setattr(change, role, row.values)
            for fault in row.faults:
                fault.field = f"{role}.{fault.field}"
            change.faults.extend(row.faults)
            absent |= {f"{role}.{column}": reason for column, reason in row.absent.items()}
            if row.unread:
                detail[f"{role}_unread_bytes"] = row.unread
        if absent:
            detail["absent"] = absent
        change.detail = detail or None
        return True

    def _page_header(self, role: str, image: bytes) -> RecordHeader:
        try:
            return record_header(image, self.byte_order)
        except DataError as error:
            error.field = f"{role}.{error.field}"
            raise

    def _images(self, entry: Entry, record: log_record.LogRecord) -> dict[str, bytes]:
        """The records in a data page that a change has, by their role."""
        body = record.body
        if hasattr(body, "old_row"):
            return {"before": body.old_row.record, "after": body.new_row.record}
        own = body.records[entry.number].record if hasattr(body, "records") else body.record
        if entry.other is None:
            return {"before" if entry.op == "D" else "after": own}
        other = self.logs.read(self.buffer, entry.other).body
        return {"before": other.old_row.record if hasattr(other, "old_row") else other.record, "after": own}

    def _read_row(
        self, table: LuwTable, unit: Unit, entry: Entry, role: str, image: bytes, columns: frozenset[str] | None
    ) -> LuwRow:
        reader = self._row_reader(table)
        first = self.first_column_of(table)
        if first == 1:
            self.notice(f"columns in LOB records of {table.full_name} count from 1: from 0 they would be others")
        outside = OutsideValues(entry, reader, self._piece, lambda: self._has_rival(unit, entry), first)
        try:
            return reader.read(image, outside.after if role == "after" else outside.before, columns)
        except DataError as error:
            error.field = f"{role}.{error.field}" if error.field else role
            raise

    def first_column_of(self, table: LuwTable) -> int | None:
        """What the columns in LOB records of a table count from; None when nothing fits."""
        return first_column(self.ledger.column_ids.get(table.ids, ()), table)

    def _row_reader(self, table: LuwTable) -> LuwRowReader:
        reader = self._readers.get(table)
        if reader is None:
            reader = LuwRowReader(table, self.byte_order, self.code_page, trim=self.options.trim)
            self._readers[table] = reader
        return reader

    def _piece(self, piece: Piece) -> bytes:
        data: bytes = self.logs.read(self.buffer, piece.extent).body.data
        return data

    def _has_rival(self, unit: Unit, entry: Entry) -> bool:
        """Whether another row of the transaction waits for a LOB value as well."""
        asked: list[str] = []

        def ask(column: LuwColumn) -> str:
            asked.append(column.name)
            return ""

        for rival in entry.rivals:
            with suppress(DataError):  # a bad row is reported where it is read
                table = self.table_of(unit, rival)
                image = self._images(rival, self.logs.read(self.buffer, rival.extent)).get("after", b"")
                if table is not None:
                    self._row_reader(table).read(image, ask)
                else:
                    asked.append("")  # what nothing describes may have LOB columns
        return bool(asked)

    def _object_detail(self, record: log_record.LogRecord, table: object) -> dict[str, Any]:
        """What a change of a table as a whole has to say."""
        body = record.body
        detail: dict[str, Any] = {"kind": record.kind}
        if (hasattr(body, "table_description") or hasattr(body, "new_arrays")) and isinstance(table, LuwTable):
            detail["columns"] = [
                {"name": column.name, "type": column.sql_type.words, "nullable": column.is_nullable}
                for column in table.columns
            ]
        if hasattr(body, "attribute_mask"):
            detail["attributes"] = log_record.attributes(body)
        for name in ("index_token", "index_root_page", "flag", "ddl_text_left"):
            if hasattr(body, name):
                detail[name] = getattr(body, name)
        if hasattr(body, "ddl_text"):
            detail["text"] = self.code_page.decode(body.ddl_text)
        return detail
