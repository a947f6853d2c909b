"""Logs of Db2 LUW: the records that db2ReadLog returns, and the changes in them.

The outcome of a change is known when its transaction ends. So a log is read twice. One pass finds the transactions, by
the column or record by record. A second pass reads the rows of the selected changes. Parts are stretches of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmparse.changes.change import Change
from lmparse.changes.claims import Claim
from lmparse.changes.log import ChangeLog
from lmparse.db2.files.continuity import Continuity
from lmparse.db2.files.settings import LuwSettings, find_log, known_lob_columns_from
from lmparse.db2.record import log_record
from lmparse.db2.record.log_record import Ids
from lmparse.db2.rows.change_decoder import COLUMN_DOCS, ChangeDecoder
from lmparse.db2.tables import lob_columns
from lmparse.db2.tables.history import settled, unlike_before
from lmparse.db2.tables.table import Table
from lmparse.db2.transactions.descriptions import Descriptions, tables_of_file
from lmparse.db2.transactions.log_part import PART_BYTES, LogBeginning, LogPart
from lmparse.db2.transactions.references import ChangeReference, Transaction, TransactionIndex
from lmparse.errors import DataError, FramingError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import MAX_BYTES
from lmparse.limits import Held
from lmparse.options import Options
from lmparse.records.files import OnError
from lmparse.records.settings import FileSettings, FoundFile

if TYPE_CHECKING:
    from lmparse.db2.transactions.changed_rows import ChangeWindow
    from lmparse.db2.transactions.log_index import LogIndex


def open_log(
    path: str | Path, options: Options, *, settings: FileSettings | None = None, on_error: OnError = None
) -> Db2Log:
    """Open a log. Raises FramingError, OptionError."""
    found, logs = find_log(path, options, settings)
    return Db2Log(path, options, found, logs, settings=settings, on_error=on_error)


class Db2Log(ChangeLog):
    """Log records of one Db2 LUW server, in the order in which the API returned them."""

    table_hint = "TABLESPACE.TABLE in decimal"

    def __init__(
        self,
        path: str | Path,
        options: Options,
        found: FoundFile,
        logs: log_record.LogReader,
        *,
        settings: FileSettings | None = None,
        on_error: OnError = None,
    ) -> None:
        super().__init__(path, options, found, on_error=on_error)
        assert isinstance(found.own, LuwSettings)
        self.logs, self._known = logs, found.own
        self.held = Held(options.bounds)
        """Counts the memory of the index of the log."""
        self._part_bytes = PART_BYTES
        self.known_table_ids = found.own.table_ids
        self.generation, self.byte_order = logs.generation, found.framing.byte_order or ""
        if self.origin.joined is not None and settings is None:
            from lmparse.db2.files.joining import said

            for text in said(self.origin.joined):
                self.notice(text)

    @property
    def has_descriptions(self) -> bool:
        return True

    # -- records ----------------------------------------------------------------------

    def observe(self, values: dict[str, Any]) -> dict[str, str]:
        return {"kind": values["kind"]}

    def log_records(self, on_bad: Callable[[RecordExtent, DataError], None]) -> Iterator[log_record.LogRecord]:
        """Every good record, parsed; `on_bad` gets each bad record with its error."""
        for extent in self.extents():
            try:
                yield self.logs.read(self.buffer, extent)
            except DataError as error:
                on_bad(extent, error)

    def claims(self) -> list[Claim]:
        fault, watch = self.transactions.fault, Continuity(self.origin)
        with suppress(FramingError):  # the index has the error
            for record in self.log_records(lambda extent, _: watch.unreadable(extent)):
                watch.add(record, record.extent.read(self.buffer))
        if fault is not None and fault.code == Held.code:
            self.report(fault)  # unlike damaged framing, the limit does not end the reading of records
        return watch.claims()

    def report(self, error: DataError, extent: RecordExtent | None = None) -> None:
        if extent is not None:
            # Add the log sequence number of the record, if it can be read.
            hints = error.hint, self.logs.lsn_and_transaction(self.buffer, extent)
            error.hint = "; ".join(filter(None, hints)) or None
        super().report(error, extent)

    # -- transactions and tables -----------------------------------------------------

    @property
    def transactions(self) -> TransactionIndex:
        """The results of the pass over the log, without the transactions that are in arrays."""
        return self.log_index.whole.rest

    @property
    def beginning(self) -> LogBeginning:
        """Where the log begins, from its files and the checkpoint."""
        return LogBeginning.of(self.origin.joined, self.resumed)

    @property
    def gaps_before(self) -> Mapping[Ids, str]:
        """By table, why rows may be missing in front of this reading; from the checkpoint."""
        if self.resumed is None:
            return {}
        from lmparse.db2.files.resuming import gaps_of

        return gaps_of(self, self.resumed)

    @cached_property
    def log_index(self) -> LogIndex:
        """The transactions of the log, by one pass over it."""
        from lmparse.db2.transactions.log_index import LogIndex

        if self._known.part is not None:
            return LogIndex(self).known(self._known.part)
        if self.generation != "v10" and not self.framing.lead:
            self.notice("no record names its log sequence number: seq and txn_id count bytes of this file instead")
        if not len(self.buffer):
            next(self.extents(), None)  # adds the notice on an empty file
        found = LogIndex(self, part_bytes=self._part_bytes)
        if self.run is None or len(spans := self.spans(self._part_bytes)) == 1:
            found.build()
        else:
            settings = replace(self.settings, own=LuwSettings(self.generation))
            found.build_apart(spans, self.run, partial(open_log, self.path, self.options, settings=settings))
        self._completed(found.whole.rest)
        return found

    def _completed(self, found: TransactionIndex) -> TransactionIndex:
        """Add the tables file to an index, and report the messages of the index."""
        if found.fault is not None:
            self.origin.place(found.fault)
        found.bad.sort(key=lambda bad: bad[0].index)
        self._leave_out_said(found)
        numbers: dict[Ids, int] = {}
        known: int | None = None
        if self.resumed is not None:
            from lmparse.db2.files.resuming import seed

            numbers, known = seed(self, found.tables, self.resumed), known_lob_columns_from(self.resumed)
        self._note_unlike_before(found)
        found.tables = {ids: settled(records, numbers.get(ids, 0)) for ids, records in found.tables.items()}
        if self.options.tables:
            found.named = tables_of_file(self.options.tables, found.tables, self.options.bounds, self.notice)
        found.lob_columns_from = lob_columns.proven(found.column_ids, found.tables, found.named, known)
        for text, count in sorted(found.counts.items()):
            self.notice(f"{count} x {text}")
        for extent, text, why, _ in found.gaps:
            self.notice(f"{text}, {self.origin.said(extent)}: {why}")
        for text in found.links.said(self.origin.said_number):
            self.notice(text)
        for form, count in found.address_forms.items():
            self.decide("LOB byte address", form, f"fits {count} LOB records, the other form none of them")
        return found

    def _note_unlike_before(self, found: TransactionIndex) -> None:
        for (space, table), records in found.tables.items():
            for record in unlike_before(records):
                if record.extent is not None and record.extent.index >= self.beginning.read_before:
                    place = self.origin.said(record.extent)
                    self.notice(
                        f"table {space}.{table} has other columns than the log describes in front, where some are "
                        f"added, {place}: rows between may be read with columns that are not theirs"
                    )

    def _leave_out_said(self, found: TransactionIndex) -> None:
        """Leave out messages that an earlier reading gave on records that are read again."""
        if self.resumed is None:
            return
        reached, first = self.resumed.reached, self.beginning.read_before
        found.gaps = [gap for gap in found.gaps if gap[3] > reached]
        found.bad = [bad for bad in found.bad if bad[0].index >= first]
        found.links.forget(first)

    @cached_property
    def descriptions(self) -> Descriptions:
        """The descriptions of the tables of the log."""
        return Descriptions(self.transactions, self.options.tables)

    def tables_named(self, wanted: str) -> dict[tuple[Any, ...], tuple[str, str]]:
        found: dict[Ids, str] = {}
        for table in self.all_versions():
            if wanted in (table.name, table.full_name, table.hex_ids):
                found[table.ids] = f"{table.full_name} ({table.hex_ids})"
        for ids in self._changed_tables():
            if wanted == f"{ids[0]}.{ids[1]}":
                found.setdefault(ids, wanted)
        if not found:
            names = (f"{table.full_name} ({table.ids[0]}.{table.ids[1]})" for table in self.all_versions())
            raise self.no_table(f"neither log nor tables file has a table {wanted!r}", names)
        return {ids: (shown, shown) for ids, shown in found.items()}

    def _changed_tables(self) -> Iterator[Ids]:
        for transaction in self.transactions.transactions:
            yield from (reference.ids for reference in transaction.changes if reference.ids is not None)
        from lmparse.db2.record.record_table import NO_TABLE, table_ids

        yield from map(table_ids, sorted(self.log_index.whole.tables - {NO_TABLE}))

    @property
    def lacks_descriptions(self) -> bool:
        return self.transactions.fault is not None or bool(self.transactions.bad)

    def all_versions(self) -> list[Table]:
        return list(self.descriptions.all(is_committed=self.options.include == ("committed",)))

    def described(self) -> Iterator[Table]:
        for records in self.transactions.tables.values():
            for record in records:
                yield from (table for table in (record.table, record.before) if table is not None)
        yield from self.transactions.named.values()

    @classmethod
    def column_docs(cls) -> dict[str, str]:
        return COLUMN_DOCS

    def table_versions(self) -> list[Table]:
        ids = self.table_ids or frozenset()
        picked = self.options.table_version
        versions = [table for table in self.all_versions() if table.ids in ids]
        return [table for table in versions if picked in (None, table.sequence)]

    # -- changes ----------------------------------------------------------------------

    def change_parts(self, max_bytes: int) -> list[tuple[FileSettings, Span]]:
        """Parts of the file, each with what it must know of the rest."""
        if self.options.engine == "check" or self.options.order == "commit":
            parts: Iterable[LogPart | None] = [None]  # each engine finds the transactions by itself
        else:
            if max_bytes < self._part_bytes:
                self.__dict__.pop("log_index", None)  # the parts of this index are too large
                self._part_bytes = max_bytes
            parts = self.log_index.divided(max_bytes)
        known = [LuwSettings(self.generation, self.table_ids, part) for part in parts]
        return [(replace(self.settings, own=own), Span(0, len(self.buffer), 0)) for own in known]

    def typed_changes(self, span: Span | None = None) -> Iterator[Change]:
        self.begin_changes()
        for transaction, reference in self.in_order():
            if not self.is_asked_for(reference):
                continue
            why = self.why_left_out(transaction, reference)
            if why is not None:
                self.left_out[why] += 1
                continue
            change = self.change_of(transaction, reference)
            if change is not None:
                yield change
        self.end_changes()

    def begin_changes(self) -> None:
        """Check the options, and report the records that the transaction index could not use."""
        self.check_columns()
        for extent, error in self.transactions.bad:
            self.quarantine(error, extent)

    def end_changes(self) -> None:
        """Report what is known only behind the last change. Raises FramingError if the file is damaged."""
        for ids, count in sorted(self.decoder.unknown.items()):
            self.notice(f"{count} rows of table {ids} are kept as bytes: nothing describes the table")
        for doubt in self.descriptions.doubts():
            self.notice(doubt)
        fault = self.transactions.fault
        if fault is not None:
            raise fault

    def in_order(self) -> Iterator[tuple[Transaction, ChangeReference]]:
        """The changes in the order of the option `order`: of the file, or of commits."""
        for window in self.change_windows(self.rows_together, MAX_BYTES):
            yield from map(window.pair, range(len(window)))

    def change_windows(self, max_records: int, max_bytes: int) -> Iterator[ChangeWindow]:
        """The changes of `in_order` by the column, in windows of limited number and size."""
        from lmparse.db2.transactions.changed_rows import in_commit_order

        parts = self.log_index.parts()
        if self.options.order == "commit":
            yield from in_commit_order(list(parts), max_records, max_bytes)
            return
        for part in parts:
            yield from part.windows(max_records, max_bytes)

    def is_asked_for(self, reference: ChangeReference) -> bool:
        """Whether the options select the operation and the table of a change."""
        if self.options.operations and reference.op not in self.options.operations:
            return False
        return self.table_ids is None or reference.ids in self.table_ids

    def why_left_out(self, transaction: Transaction, reference: ChangeReference) -> str | None:
        """Why the options exclude a change: its outcome, or OUTSIDE; None if they do not."""
        found = transaction.included_as(reference)
        return self.why_excluded(found, lambda: transaction.seq(reference), lambda: transaction.commit_micros)

    @cached_property
    def decoder(self) -> ChangeDecoder:
        """The decoder of changes."""
        index, page = self.transactions, self.code_page
        return ChangeDecoder(index, self.descriptions, self.logs, self.buffer, page, self.options, self.notice)

    def change_of(self, transaction: Transaction, reference: ChangeReference) -> Change | None:
        """One change; None if its record is bad, which is reported, or contains no row."""
        try:
            change = self.decoder.decode(transaction, reference)
        except DataError as error:
            self.quarantine(error, reference.extent)
            return None
        if change is None:
            self.left_out["internal records that are not rows"] += 1
            return None
        return change if self.is_kept(change, change.faults) else None
