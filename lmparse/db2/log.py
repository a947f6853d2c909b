"""Logs of Db2 LUW: what db2ReadLog returns, as records and as changes.

What becomes of a change is known when its transaction ends. So a log is read twice: one pass finds
the transactions, a second one reads the rows of those that are asked for. Parts of a log are sets of
whole transactions, never stretches of the file; parts of its records are stretches of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from lmparse.changes.change import Change
from lmparse.changes.log import ChangeLog
from lmparse.db2 import log_record, order
from lmparse.db2.decoder import COLUMN_DOCS, ChangeDecoder
from lmparse.db2.descriptions import Descriptions
from lmparse.db2.tables import Ids, Table, read_tables_file
from lmparse.db2.transaction_index import ChangeReference, Transaction, TransactionIndex
from lmparse.db2.transactions import TransactionReader
from lmparse.errors import DataError, FramingError, OptionError, TableNotFoundError
from lmparse.framing.base import Framing
from lmparse.framing.detection import Detection, detect, try_framing
from lmparse.framing.extents import Plausible, RecordExtent, Span
from lmparse.framing.framings import PREFIXED, framing_of
from lmparse.options import Options
from lmparse.records.files import FileSettings
from lmparse.records.reader import RecordReader

_SAMPLE = 64


class Db2Log(ChangeLog):
    """Log records of one Db2 LUW server, in the order in which the API returned them."""

    table_hint = "TABLESPACE.TABLE in decimal"

    def __init__(
        self,
        path: str | Path,
        options: Options,
        *,
        settings: FileSettings | None = None,
        on_error: Callable[[DataError], None] | None = None,
    ) -> None:
        known = settings or FileSettings()
        self.generation = known.generation or options.generation
        self.byte_order = known.byte_order or options.byte_order
        super().__init__(path, options, settings=settings, on_error=on_error)

    # -- what is known before the first record is read ------------------------------

    def detection(self) -> Detection:
        known = self._settings
        return log_record.detection(known.framing or self.options.framing, self.byte_order, self.generation)

    @property
    def may_be_empty(self) -> bool:
        return super().may_be_empty or self.options.tables is not None

    def _reader(self) -> RecordReader:
        # Stands in until the framing is known, and with it how records are read; see _framing.
        return log_record.LogReader(log_record.GENERATIONS[-1], log_record.BYTE_ORDERS[0], "bare").records

    def _framing(self) -> Framing:
        framing = self._found_framing()
        self.byte_order = framing.byte_order or self.byte_order
        self.logs = log_record.LogReader(self.generation, self.byte_order, framing.name, self.code_page)
        self.reader = self.logs.records
        if self._settings.generation is None and self.options.generation != "auto":
            self._check_generation(framing)
        return framing

    def _check_generation(self, framing: Framing) -> None:
        """A generation that was named must explain a record when another one does: nothing else shows it wrong."""
        looks = self._looks_like(framing)
        if looks is not None:
            raise FramingError(
                f"the records are not of generation {self.generation}", code="LMP-F005", file=self.path,
                expected=f"generation {self.generation}", found=f"records that look like generation {looks}",
                hint="name the other generation, or leave it to the records",
            )  # fmt: skip

    def _found_framing(self) -> Framing:
        name = self._settings.framing or self.options.framing
        if name not in ("auto", *PREFIXED):
            raise OptionError(f"framing {name} is not one of log records", hint="one of " + ", ".join(PREFIXED))
        is_named = name != "auto" and self.byte_order != "auto"
        if is_named and (self.generation != "auto" or not len(self.buffer)):
            self.decide("framing", f"{name} {self.byte_order} {self.generation}", "option")
            self.generation = "v10" if self.generation == "auto" else self.generation
            return framing_of(name, byte_order=self.byte_order)
        if not len(self.buffer) and self.may_be_empty:
            self.generation = "v10" if self.generation == "auto" else self.generation
            self.decide("framing", PREFIXED[0] if name == "auto" else name, "the file is empty")
            order = log_record.BYTE_ORDERS[0] if self.byte_order == "auto" else self.byte_order
            return framing_of(PREFIXED[0] if name == "auto" else name, byte_order=order)
        detection = self.detection()
        try:
            trial = (
                try_framing(self.buffer, detection.framings[0], detection)
                if is_named
                else detect(self.buffer, detection)
            )
            records = [extent.read(self.buffer) for extent in trial.extents]
            order = trial.framing.byte_order or ""
            if not records and trial.fault is not None:
                raise trial.fault
            if self.generation == "auto":
                self.generation = log_record.prove_generation(records, order)
        except FramingError as error:
            error.at(file=self.path)
            raise
        self.decide("framing", trial.framing.name, f"the first {len(records)} records tile the file" if trial.is_proven
                    else f"the file begins with {len(records)} sound records")  # fmt: skip
        self.decide("byte order", order, "the lengths of the records")
        count = log_record.explained(records, order, (self.generation,))[self.generation]
        self.decide("generation", self.generation, f"explains {count} of {len(records)} records to the last byte")
        return trial.framing

    def settings(self) -> FileSettings:
        return FileSettings(self.framing.name, byte_order=self.byte_order, generation=self.generation)

    @property
    def has_descriptions(self) -> bool:
        return True

    # -- records ----------------------------------------------------------------------

    def settings_for_records(self) -> FileSettings:
        return self.settings()

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
        """Every good record, parsed; bad ones are left for the transaction index."""
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
        said = self.logs.lsn_and_transaction(self.buffer, extent)
        hints = [error.hint, said]
        error.hint = "; ".join(hint for hint in hints if hint) or None
        return error

    def _looks_like(self, framing: Framing) -> str | None:
        """Another generation that explains most of the first records, when the one that was named explains none."""
        extents: list[RecordExtent] = []
        with suppress(FramingError):
            extents.extend(islice(framing.extents(self.buffer), _SAMPLE))
        counts = log_record.explained([extent.read(self.buffer) for extent in extents], self.byte_order)
        best = max(counts, key=lambda name: counts[name])
        is_other = counts[best] > log_record.MARGIN * counts[self.generation]
        # Of a few damaged records one may pass for another generation's by chance.
        return best if is_other and 2 * counts[best] > len(extents) else None

    # -- transactions and tables -----------------------------------------------------

    @cached_property
    def transaction_index(self) -> TransactionIndex:
        """The transactions, from one pass over the log."""
        if self._settings.transaction_index is not None:
            transaction_index: TransactionIndex = self._settings.transaction_index
            return transaction_index
        if not self._has_numbers:
            self.notice("no record names its log sequence number: seq and txn_id count bytes of this file instead")
        self._bad: list[tuple[RecordExtent, DataError]] = []
        transaction_index = TransactionReader(self.byte_order, self.code_page).read(self.log_records())
        transaction_index.bad = sorted([*transaction_index.bad, *self._bad], key=lambda bad: bad[0].index)
        transaction_index.named = read_tables_file(self.options.tables) if self.options.tables else {}
        for text, count in transaction_index.counts.items():
            self.notice(f"{count} x {text}")
        for text in transaction_index.gaps:
            self.notice(text)
        for form, count in transaction_index.address_forms.items():
            self.decide("LOB byte address", form, f"fits {count} LOB records, the other form none of them")
        return transaction_index

    @property
    def _has_numbers(self) -> bool:
        return self.generation == "v10" or self.framing.lead > 0

    @cached_property
    def descriptions(self) -> Descriptions:
        """What is known of its tables."""
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
        """Parts of whole transactions: none is torn, wherever its records stand."""
        settings = replace(self.settings(), table_ids=self.table_ids)
        whole = Span(0, len(self.buffer), 0)
        return [
            (replace(settings, transaction_index=transaction_index), whole)
            for transaction_index in self.transaction_index.parts(max_bytes)
        ]

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
        """Check what is asked for, and report the records that the transaction index could not use."""
        self.check_columns()
        for extent, error in self.transaction_index.bad:
            self.quarantine(error, extent)

    def end_changes(self) -> None:
        """Say what is to be said behind the last change; raise FramingError where the file is damaged."""
        for ids, count in sorted(self.decoder.unknown.items()):
            self.notice(f"{count} rows of table {ids} are kept as bytes: nothing describes the table")
        if self.transaction_index.fault is not None:
            raise self.transaction_index.fault

    def in_order(self) -> Iterator[tuple[Transaction, ChangeReference]]:
        """The changes in the order that is asked for: of the file, or of commits."""
        transactions = self.transaction_index.transactions
        pairs = [(transaction, reference) for transaction in transactions for reference in transaction.changes]
        if self.options.order == "commit":
            return iter(sorted(pairs, key=lambda pair: order.seq(*pair)))
        return iter(sorted(pairs, key=lambda pair: (pair[1].extent.index, pair[1].number)))

    def is_asked_for(self, reference: ChangeReference) -> bool:
        """Whether a change is of an operation and a table that the options ask for."""
        if self.options.operations and reference.op not in self.options.operations:
            return False
        return self.table_ids is None or reference.ids in self.table_ids

    def why_left_out(self, transaction: Transaction, reference: ChangeReference) -> str | None:
        """Why options leave a change out: what became of it, or that it is outside a range."""
        state = order.state(transaction, reference)
        return self.why_excluded(
            state, lambda: order.seq(transaction, reference), lambda: order.commit_micros(transaction)
        )

    @cached_property
    def decoder(self) -> ChangeDecoder:
        """What turns records into changes."""
        index, page = self.transaction_index, self.code_page
        return ChangeDecoder(index, self.descriptions, self.logs, self.buffer, page, self.options, self.notice)

    def change_of(self, transaction: Transaction, reference: ChangeReference) -> Change | None:
        """One change, or None when its record is bad or holds no row. Errors go where errors go."""
        try:
            change = self.decoder.decode(transaction, reference)
        except DataError as error:
            self.quarantine(error, reference.extent)
            return None
        if change is None:
            self.left_out["internal records that are no rows"] += 1
            return None
        return change if self.is_kept(change, change.faults) else None
