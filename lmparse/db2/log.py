"""Logs of Db2 LUW: the records that db2ReadLog returns, and the changes in them.

The outcome of a change is known when its transaction ends. So a log is read twice: one pass finds the transactions, a
second one reads the rows of the selected changes. Parts of changes are sets of whole transactions; parts of records are
stretches of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from lmparse.changes.change import Change
from lmparse.changes.claims import Claim
from lmparse.changes.log import ChangeLog
from lmparse.db2 import log_record
from lmparse.db2.continuity import Continuity
from lmparse.db2.decoder import COLUMN_DOCS, ChangeDecoder
from lmparse.db2.settings import LuwSettings, find_log
from lmparse.db2.tables import Ids, Table, read_tables_file
from lmparse.db2.transaction_index import ChangeReference, Descriptions, Transaction, TransactionIndex
from lmparse.db2.transactions import TransactionReader
from lmparse.errors import DataError, FramingError, TableNotFoundError
from lmparse.framing.extents import Plausible, RecordExtent, Span
from lmparse.limits import Held
from lmparse.options import Options
from lmparse.records.files import OnError
from lmparse.records.settings import FileSettings, FoundFile

_ERROR_BYTES = 2600
"""Bytes of memory of the error of a record; measured."""


def open_log(
    path: str | Path, options: Options, *, settings: FileSettings | None = None, on_error: OnError = None
) -> Db2Log:
    """Open a log. Raises FramingError, OptionError."""
    found, logs = find_log(path, options, settings)
    return Db2Log(path, options, found, logs, on_error=on_error)


class Db2Log(ChangeLog):
    """Log records of one Db2 LUW server, in the order in which the API returned them."""

    table_hint = "TABLESPACE.TABLE in decimal"
    rows_cover_records = False

    def __init__(
        self,
        path: str | Path,
        options: Options,
        found: FoundFile,
        logs: log_record.LogReader,
        *,
        on_error: OnError = None,
    ) -> None:
        super().__init__(path, options, found, on_error=on_error)
        assert isinstance(found.own, LuwSettings)
        self.logs, self._known = logs, found.own
        self._bad: list[tuple[RecordExtent, DataError]] = []
        self._held = Held(options.bounds)
        """What the transaction index and `_bad` take."""
        self._continuity: Continuity | None = None
        """Tests the records of the next pass over the log."""
        self.known_table_ids = found.own.table_ids
        self.generation, self.byte_order = logs.generation, found.framing.byte_order or ""

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
        """Every good record, parsed; bad ones are kept for the transaction index."""
        watch = self._continuity
        for extent in self.extents():
            try:
                record = self.logs.read(self.buffer, extent)
            except DataError as error:
                self._held.take(_ERROR_BYTES, record_index=extent.index, record_offset=extent.offset)
                self._bad.append((extent, error))
                if watch is not None:
                    watch.unreadable(extent)
                continue
            if watch is not None:
                watch.add(record, extent.read(self.buffer))
            yield record

    def claims(self) -> list[Claim]:
        self._continuity = Continuity()
        if "transaction_index" not in self.__dict__:
            assert self.transaction_index is not None  # its pass over the log is enough
        else:
            with suppress(FramingError):  # it is in the index
                for _ in self.log_records():
                    pass
        found, self._continuity = self._continuity.claims(), None
        fault = self.transaction_index.fault
        if fault is not None and fault.code == Held.code:
            self.report(fault)  # unlike damaged framing, it does not end the reading of records
        return found

    def report(self, error: DataError, extent: RecordExtent | None = None) -> None:
        if extent is not None:
            # The log sequence number of the record, if that can be read.
            hints = error.hint, self.logs.lsn_and_transaction(self.buffer, extent)
            error.hint = "; ".join(filter(None, hints)) or None
        super().report(error, extent)

    # -- transactions and tables -----------------------------------------------------

    @cached_property
    def transaction_index(self) -> TransactionIndex:
        """The transactions, from one pass over the log."""
        if self._known.index is not None:
            return self._known.index
        if self.generation != "v10" and not self.framing.lead:
            self.notice("no record names its log sequence number: seq and txn_id count bytes of this file instead")
        transaction_index = TransactionReader(self.byte_order, self.code_page, self._held).read(self.log_records())
        if transaction_index.fault is not None:
            transaction_index.fault.at(file=self.path)
        transaction_index.bad = sorted([*transaction_index.bad, *self._bad], key=lambda bad: bad[0].index)
        transaction_index.named = (
            read_tables_file(self.options.tables, self.options.bounds) if self.options.tables else {}
        )
        for text, count in transaction_index.counts.items():
            self.notice(f"{count} x {text}")
        for text in transaction_index.gaps:
            self.notice(text)
        for form, count in transaction_index.address_forms.items():
            self.decide("LOB byte address", form, f"fits {count} LOB records, the other form none of them")
        return transaction_index

    @cached_property
    def descriptions(self) -> Descriptions:
        """The descriptions of its tables."""
        return Descriptions(self.transaction_index, self.options.tables)

    def tables_named(self, wanted: str) -> dict[tuple[Any, ...], tuple[str, str]]:
        found: dict[Ids, str] = {}
        for table in self.all_versions():
            if wanted in (table.name, table.full_name, table.hex_ids):
                found[table.ids] = f"{table.full_name} ({table.hex_ids})"
        for transaction in self.transaction_index.transactions:
            for reference in transaction.changes:
                if reference.ids is not None and wanted == f"{reference.ids[0]}.{reference.ids[1]}":
                    found.setdefault(reference.ids, wanted)
        if not found:
            raise TableNotFoundError(f"neither log nor tables file has a table {wanted!r}", code="LMP-C005")
        return {ids: (shown, shown) for ids, shown in found.items()}

    def all_versions(self) -> list[Table]:
        return list(self.descriptions.all(is_committed=self.options.include == ("committed",)))

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
        """Parts of whole transactions, wherever their records are."""
        whole = Span(0, len(self.buffer), 0)
        parts = self.transaction_index.parts(max_bytes)
        known = (LuwSettings(self.generation, self.table_ids, index) for index in parts)
        return [(replace(self.settings, own=own), whole) for own in known]

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
        for extent, error in self.transaction_index.bad:
            self.quarantine(error, extent)

    def end_changes(self) -> None:
        """Report what is known only behind the last change; raise FramingError where the file is damaged."""
        for ids, count in sorted(self.decoder.unknown.items()):
            self.notice(f"{count} rows of table {ids} are kept as bytes: nothing describes the table")
        if self.transaction_index.fault is not None:
            raise self.transaction_index.fault

    def in_order(self) -> Iterator[tuple[Transaction, ChangeReference]]:
        """The changes in the order that the options name: of the file, or of commits."""
        transactions = self.transaction_index.transactions
        pairs = [(transaction, reference) for transaction in transactions for reference in transaction.changes]
        if self.options.order == "commit":
            return iter(sorted(pairs, key=lambda pair: pair[0].seq(pair[1])))
        return iter(sorted(pairs, key=lambda pair: (pair[1].extent.index, pair[1].number)))

    def is_asked_for(self, reference: ChangeReference) -> bool:
        """Whether the options select the operation and the table of a change."""
        if self.options.operations and reference.op not in self.options.operations:
            return False
        return self.table_ids is None or reference.ids in self.table_ids

    def why_left_out(self, transaction: Transaction, reference: ChangeReference) -> str | None:
        """The reason for which options exclude a change: its outcome, or OUTSIDE; None if none does."""
        state = transaction.outcome(reference)
        return self.why_excluded(state, lambda: transaction.seq(reference), lambda: transaction.commit_micros)

    @cached_property
    def decoder(self) -> ChangeDecoder:
        """The decoder of changes."""
        index, page = self.transaction_index, self.code_page
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
