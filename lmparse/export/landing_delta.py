"""Landing in Delta: a Delta table whose every commit says up to which `seq` changes are in it.

The `seq` is the key `lmparse.seq` of the commit in the history of the table. The transaction `lmparse` of the commit
has one number more than that of the one before: if two processes commit at a time, the second one fails.
"""

from __future__ import annotations

import errno
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from deltalake import CommitProperties, DeltaTable, Transaction, WriterProperties, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.schema import Schema

from lmparse.columnar.schemas import CORRUPT_RECORD
from lmparse.errors import OptionError
from lmparse.export.landing_files import TableFiles
from lmparse.export.landing_merge import TableMerge
from lmparse.export.landing_rows import (
    COMMIT_DATE,
    Seen,
    TableRows,
    bad_marks,
    fitted_batch,
    is_widened,
    united,
)
from lmparse.export.landing_table import MOST_COMMITS, OTHER
from lmparse.export.landing_target import not_landed
from lmparse.options import SEQ_DIGITS

SEQ = "lmparse.seq"
_SEQS = re.compile(f"[0-9A-F]{{{SEQ_DIGITS}}}")
APPLICATION = "lmparse"
_RECENT = 64
"""Commits among which that of the last landing nearly always is."""
NONE_LANDED = "0" * SEQ_DIGITS
"""What a table says up to which no change with a `seq` is in it."""
_FEATURES = frozenset(("appendOnly", "invariants", "timestampNtz", "variantType"))
"""Features of a table that a merge need not know; the package adds the last one with any property that is set."""
_LACK = re.compile(r"\bOs \{ code: (\d+)\b")
_LACKS = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN))
"""What the system had too little of when the package did not expect it, which says nothing of the table."""
_TRIES = 15
"""How often rows are appended behind the commits of others, which the package does by default too."""
_WRITER = WriterProperties(compression="ZSTD", max_row_group_size=1 << 16)
"""A row group is held in memory until it is whole; by default it has a million rows."""
Row = dict[str, Any]


class DeltaFolder:
    """A Delta table in a folder of this machine, whether it is there yet or not."""

    def __init__(self, path: Path, name: str, partition_by: str | None = None) -> None:
        self._path, self._name, self._partition_by = path, name, partition_by
        self._table: DeltaTable | None = None
        self._read: tuple[int, TableFiles] | None = None
        with self._naming(), suppress(TableNotFoundError):
            self._table = DeltaTable(self._uri) if path.is_dir() else None

    @property
    def _uri(self) -> str:
        return str(self._path)

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Give errors of the package the name of the table."""
        try:
            yield
        except DeltaError as error:
            why = str(error).partition("\n")[0]
            if isinstance(error, CommitFailedError) and self._is_overtaken():
                raise OptionError(
                    f"{self._path}: another process has changed the table while it was landed in", code="LMP-S022",
                    hint="run it again: nothing is landed twice",
                ) from error  # fmt: skip
            raise OptionError(f"{self._path}: cannot be written: {why}", code="LMP-S022") from error
        except pa.ArrowException as error:
            raise not_landed(self._path, str(error).partition("\n")[0]) from None
        except BaseException as error:
            # The package's way to say that it did not expect what is in the log of the table; no subclass of Exception.
            if type(error).__name__ != "PanicException":
                raise
            why = str(error).partition("\n")[0]
            if (lack := _LACK.search(why)) and int(lack[1]) in _LACKS:
                raise OptionError(
                    f"{self._path}: cannot be written: {os.strerror(int(lack[1]))}", code="LMP-S022"
                ) from None
            raise not_landed(self._path, why) from None

    def _is_overtaken(self) -> bool:
        """Whether there are commits behind that which was read."""
        if self._table is None:
            return False
        with suppress(DeltaError, OSError):
            return DeltaTable(self._uri).version() > self._table.version()
        return False

    @property
    def id(self) -> str | None:
        """The id of the table; None if it is not there."""
        return None if self._table is None else str(self._table.metadata().id)

    @property
    def commits(self) -> int | None:
        """How often it has been landed in, which stays known when its history is cleaned up; None if never."""
        if self._table is None:
            return None
        with self._naming():
            return self._table.transaction_version(APPLICATION)

    def schema(self) -> pa.Schema | None:
        """Its columns; None if it is not there."""
        return None if self._table is None else pa.schema(self._table.schema().to_arrow())

    # -- what is landed -------------------------------------------------------------------------

    def landed_seq(self) -> str | None:
        """The `seq` up to which changes are in the table; None if no commit in its history says it.

        Raises OptionError LMP-S031 if the table has been put back to what it was before that.
        """
        if self._table is None:
            return None
        with self._naming():
            if self.commits is None:
                return None
            for limit in (_RECENT, None):
                history = self._table.history(limit)
                for place, entry in enumerate(history):
                    if SEQ in entry:
                        self._check_kept(history[: place + 1])
                        return self._seq(entry[SEQ])
        return None

    def _check_kept(self, history: Sequence[Mapping[str, Any]]) -> None:
        """Raise OptionError LMP-S031 if commits, the newest first, have put back what was before the last of them."""
        kept = None
        """Version that is in force again; those behind it are not."""
        for entry in history[:-1]:
            if entry.get("operation") == "RESTORE" and (kept is None or entry["version"] <= kept):
                kept = _restored(entry.get("operationParameters"))
        if kept is not None and kept < history[-1]["version"]:
            raise not_landed(self._path, "it was restored to what it was before the last landing")

    def _seq(self, found: Any) -> str:
        if not (isinstance(found, str) and _SEQS.fullmatch(found)):
            raise not_landed(self._path, f"its history has {SEQ} {found!r}")
        return found

    def greatest_seq(self) -> str | None:
        """The greatest value of its column `seq`."""
        found: str | None = None
        if self._table is not None:
            with self._naming():
                for batch in self._dataset().to_batches(columns=["seq"]):
                    one = pc.max(batch.column("seq")).as_py()
                    found = max(filter(None, (found, one)), default=None)
        return None if found is None else self._seq(found)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Columns of all rows, in no order."""
        if self._table is not None:
            with self._naming():
                yield from self._dataset().to_batches(columns=[*columns])

    def bad_records(self) -> set[bytes]:
        """What tells apart the bad records that it has."""
        found: set[bytes] = set()
        if self._table is not None:
            wanted = pc.field(COMMIT_DATE).is_null() & pc.field("seq").is_null()
            with self._naming():
                for batch in self._dataset().to_batches(columns=[CORRUPT_RECORD, "_metadata"], filter=wanted):
                    found.update(bad_marks(batch))
        return found

    def find(self, key: Mapping[str, pa.Scalar]) -> Row | None:
        """The row with a key; None if there is none."""
        if self._table is None:
            return None
        files = self._files()
        values = {name: value.cast(files.schema.field(name).type) for name, value in key.items()}
        wanted, is_nan = pc.scalar(True), pc.scalar(True)
        for name, value in values.items():
            column = pc.field(name)
            if not value.is_valid:
                wanted = wanted & column.is_null()
            elif _is_nan(value):
                is_nan = is_nan & pc.is_nan(column)
            else:
                wanted = wanted & (column == value)
        found = files.with_one_of({name: pa.array([value.as_py()], value.type) for name, value in values.items()})
        with self._naming():
            for batch in files.rows(found).to_batches(filter=wanted):
                # What a file states of its row groups leaves out NaN.
                rows: list[Row] = batch.filter(is_nan).slice(0, 1).to_pylist()
                if rows:
                    return rows[0]
        return None

    def _files(self) -> TableFiles:
        """Its files, as of the version that is known."""
        assert self._table is not None
        with self._naming():
            version = self._table.version()
            if self._read is None or self._read[0] != version:
                self._read = version, TableFiles(self._table, self._path)
        return self._read[1]

    def _dataset(self) -> ds.Dataset:
        """Its rows."""
        return self._files().rows()

    # -- commits --------------------------------------------------------------------------------

    def append(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, seq: str | None) -> None:
        """Append rows, and columns that the table lacks."""
        self._write(batches, schema, seq, mode="append", schema_mode="merge")

    def replace(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, seq: str | None) -> None:
        """Put rows in the place of all that are there."""
        self._write(batches, schema, seq, mode="overwrite", schema_mode="overwrite")

    def _write(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, seq: str | None, *, mode: Any,
               schema_mode: Any) -> None:  # fmt: skip
        reader = pa.RecordBatchReader.from_batches(_as_stored(schema, self.schema()), iter(batches))
        with self._naming():
            write_deltalake(
                self._table or self._uri, reader, name=self._name if self._table is None else None, mode=mode,
                schema_mode=schema_mode, partition_by=self._partition_by, writer_properties=_WRITER,
                commit_properties=self._commit(seq, tries=_TRIES if mode == "append" else 0),
            )  # fmt: skip
            self._table = DeltaTable(self._uri)

    def _commit(self, seq: str | None, *, tries: int = 0) -> CommitProperties:
        """What a commit says of the landing; without a `seq` it lands nothing. It is tried again behind commits of
        others only if it replaces no files: the package commits behind an OPTIMIZE, which has moved their rows."""
        if seq is None:
            return CommitProperties(max_commit_retries=tries)
        last = self.commits or 0
        if not 0 <= last < MOST_COMMITS:
            raise not_landed(self._path, f"the transaction {APPLICATION} has number {last}")
        transaction = Transaction(APPLICATION, last + 1)
        return CommitProperties(custom_metadata={SEQ: seq}, app_transactions=[transaction], max_commit_retries=tries)

    def widen(self, schema: pa.Schema) -> None:
        """Rewrite the table if a column of a schema has a wider type there; add its columns then."""
        known = self.schema()
        if known is None or not is_widened(known, whole := united(known, schema, self._name)):
            return
        rows = (fitted_batch(batch, whole) for batch in self._dataset().to_batches())
        self._write(rows, whole, self.landed_seq(), mode="overwrite", schema_mode="overwrite")

    def add_columns(self, schema: pa.Schema) -> None:
        """Add the columns of a schema that the table lacks."""
        known = self.schema()
        if self._table is None or known is None:
            return
        added = [entry for entry in schema if entry.name not in known.names]
        if added:
            with self._naming():
                self._table.alter.add_columns(Schema.from_arrow(_as_stored(pa.schema(added), None)).fields)

    def merge(self, rows: pa.RecordBatch, key: Sequence[str], seq: str) -> None:
        """Merge rows by key in one commit: those with `_deleted` go, others are updated or inserted."""
        assert self._table is not None
        with TableMerge(self._path, self._files(), key, rows) as merge, self._naming():
            actions = merge.actions()
            try:
                self._table.create_write_transaction(
                    actions, "append", self._table.schema(), commit_properties=self._commit(seq)
                )
            except DeltaError:
                # What the package does behind a commit may fail too, and then the table has the files.
                if not merge.is_any_in(DeltaTable(self._uri).file_uris()):
                    merge.remove_files()
                raise
            self._table = DeltaTable(self._uri)

    def why_unmerged(self) -> str:
        """Why rows cannot be merged into the table; empty if they can, or if it is not there."""
        if self._table is None:
            return ""
        about, protocol = self._table.metadata(), self._table.protocol()
        if about.partition_columns:
            return f"it is partitioned, by {about.partition_columns[0]}"
        if about.configuration.get("delta.enableChangeDataFeed", "").lower() == "true":
            return "it has a change data feed"
        if 2 < protocol.min_writer_version < 7:
            return f"its writers must be of version {protocol.min_writer_version}"
        needed = sorted({*(protocol.writer_features or ())} - _FEATURES)
        return f"it has the feature {needed[0]}" if needed else ""


class DeltaChanges:
    """The change table of one table, in Delta."""

    def __init__(self, path: Path, name: str) -> None:
        """Raises OptionError LMP-S031 as `DeltaFolder.landed_seq`."""
        self._folder = DeltaFolder(path, name, COMMIT_DATE)
        self._landed = self._folder.landed_seq()

    @property
    def id(self) -> str | None:
        """The id of the table; None if it is not there."""
        return self._folder.id

    @property
    def commits(self) -> int | None:
        """How often it has been landed in; None if it is not there."""
        return self._folder.commits

    def last_seq(self) -> str | None:
        """The `seq` up to which changes are in it, of its history or else of its rows; None if it has none."""
        return self._landed or self._folder.greatest_seq()

    def schema(self) -> pa.Schema | None:
        """Its columns; None if it is not there."""
        return self._folder.schema()

    def land(self, rows: TableRows, schema: pa.Schema, seen: Seen) -> None:
        """Append the rows that the table does not have, in one commit. They are passed to `seen` as they are read."""
        folder = self._folder
        folder.widen(schema)
        after = self.last_seq()
        known = folder.bad_records() if rows.ids == OTHER else set()
        batches = chain(rows.batches(schema, after), rows.bad_batches(schema, known))
        first = next(batches, None)
        if first is not None:
            last = max(filter(None, (after, rows.last_seq)), default=NONE_LANDED)
            folder.append(_noted(chain([first], batches), seen), schema, last)


def _as_stored(schema: pa.Schema, known: pa.Schema | None) -> pa.Schema:
    """A schema with the metadata that a table has for its columns; new columns have their comment alone.

    What else is known of a column may be otherwise in a later version, and a table has it once.
    """
    return pa.schema(_stored_fields(list(schema), [] if known is None else list(known)))


def _stored_fields(fields: Sequence[pa.Field], known: Sequence[pa.Field]) -> list[pa.Field]:
    before, found = {entry.name: entry for entry in known}, []
    for entry in fields:
        old = before.get(entry.name)
        if pa.types.is_struct(entry.type):
            inner = [] if old is None else list(old.type)
            entry = entry.with_type(pa.struct(_stored_fields(list(entry.type), inner)))
        comment = {name: text for name, text in (entry.metadata or {}).items() if name == b"comment"}
        found.append(entry.with_metadata(comment if old is None else old.metadata or {}))
    return found


def _is_nan(value: pa.Scalar) -> bool:
    return pa.types.is_floating(value.type) and math.isnan(value.as_py())


def _restored(parameters: Any) -> int:
    """The version that a commit has restored; -1 if it names a time instead."""
    found = str(parameters.get("version", "")) if isinstance(parameters, Mapping) else ""
    return int(found) if found.isascii() and found.isdecimal() else -1


def _noted(batches: Iterable[pa.RecordBatch], seen: Seen) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        seen(batch)
        yield batch
