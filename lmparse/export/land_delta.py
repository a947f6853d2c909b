"""Landing in Delta: each commit of a table states the `seq` up to which the table has changes.

The `seq` is the key `lmparse.seq` of the commit in the table's history, because a Delta transaction holds only a number
of 64 bits. The transaction `lmparse` counts commits: of two processes at the same time, one fails.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, QueryBuilder, Transaction, WriterProperties, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.schema import Schema

from lmparse.errors import OptionError
from lmparse.export.change_parts import stored
from lmparse.export.land_rows import COMMIT_DATE, IDENTIFYING, NONE_LANDED, TableRows, fitted, is_widened, united
from lmparse.export.land_target import not_landed
from lmparse.options import SEQ_DIGITS

SEQ, KEYS = "lmparse.seq", "lmparse.keys"
"""Keys of a commit: the last `seq`, and the keys of the rows, as JSON."""
_SEQS = re.compile(f"[0-9A-F]{{{SEQ_DIGITS}}}")
_APPLICATION = "lmparse"
DELETED = "_deleted"
"""Column of the rows of a merge: whether to delete the row with this key."""
_RECENT = 64
"""Commits that nearly always include the last landing."""
_TRIES = 15
"""Attempts to append rows behind commits of other writers; this is also the package's default."""
_WRITER = WriterProperties(compression="ZSTD", max_row_group_size=1 << 16)
"""Memory holds a row group until it is complete; by default it has a million rows."""


class DeltaFolder:
    """A Delta table in a local folder; the table may not exist yet."""

    def __init__(self, path: Path, name: str, work: Path, seq_column: str = "seq") -> None:
        """`work` is a folder for intermediate files; `seq_column` has the `seq` of each row.

        Raises OptionError LMP-S031 for rows from other programs.
        """
        self.path, self._name, self._work = path, name, work
        self._table: DeltaTable | None = None
        with self._naming(), suppress(TableNotFoundError):
            self._table = DeltaTable(str(path)) if path.is_dir() else None
        with self._naming():
            self.stated = self._last_landing(seq_column)
        """The keys of the last landing's commit; empty without a landing."""

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Add the name of the table to errors of the package."""
        try:
            yield
        except CommitFailedError as error:
            raise OptionError(
                f"{self.path}: another process has changed the table while it was landed in", code="LMP-S022",
                hint="run it again: nothing is landed twice",
            ) from error  # fmt: skip
        except (DeltaError, pa.ArrowException) as error:
            raise OptionError(f"{self.path}: {_first_line(error)}", code="LMP-S022") from error
        except BaseException as error:
            # The package raises this when a table's log is unexpected; it is no subclass of Exception.
            if type(error).__name__ != "PanicException":
                raise
            raise not_landed(self.path, _first_line(error)) from None

    def _last_landing(self, seq_column: str) -> Mapping[str, Any]:
        if self._table is None:
            return {}
        for limit in (_RECENT, None):
            for entry in self._table.history(limit):
                if SEQ in entry:
                    if not _SEQS.fullmatch(str(entry[SEQ])):
                        raise not_landed(self.path, f"its history has {SEQ} {entry[SEQ]!r}")
                    return entry
                if entry.get("operation") == "RESTORE":
                    raise not_landed(self.path, "it was restored to what it was before")
        if self._table.transaction_version(_APPLICATION) is not None:  # the history was cleaned up, as after a month
            found = [str(batch.column(0)[0].as_py() or "") for batch in self.rows(f"max({quoted(seq_column)}) AS seq")]
            return {SEQ: found[0] or NONE_LANDED}
        if self._table.count():
            raise not_landed(self.path, f"it has rows, and no commit says with {SEQ} up to where")
        return {}

    @property
    def seq(self) -> str | None:
        """The `seq` up to which the table has changes; None before the first landing."""
        return self.stated.get(SEQ)

    @property
    def keys(self) -> list[list[str]]:
        """The keys of the rows in the last commit; none if unknown."""
        found: list[list[str]] = json.loads(self.stated.get(KEYS, "[]"))
        return found

    def schema(self) -> pa.Schema | None:
        """The columns of the table; None if the table is missing."""
        return None if self._table is None else pa.schema(self._table.schema().to_arrow())

    def rows(self, columns: str = "*", rest: str = "") -> Iterator[pa.RecordBatch]:
        """Yield some columns of rows in no order; `columns` is SQL in front of FROM, `rest` is SQL behind the table.

        Texts and bytes have the Arrow types of the schema, also within structs.
        """
        if self._table is None:
            return
        with self._naming():
            stream = QueryBuilder().register("landed", self._table).execute(f"SELECT {columns} FROM landed {rest}")
            for batch in pa.RecordBatchReader.from_stream(stream):
                yield batch.cast(pa.schema([entry.with_type(_plain(entry.type)) for entry in batch.schema]))

    # -- commits --------------------------------------------------------------------------------

    def write(
        self,
        batches: Iterable[pa.RecordBatch],
        schema: pa.Schema,
        stated: Mapping[str, str],
        *,
        mode: Literal["append", "overwrite"],
        partition_by: str | None = None,
    ) -> None:
        """Append rows, or replace all rows, and add the columns that the table lacks.

        `stated` has the commit's keys about the landing.
        """
        rows = pa.RecordBatchReader.from_batches(schema, iter(batches))
        with self._naming():
            write_deltalake(
                self._table or str(self.path), rows, mode=mode, partition_by=partition_by,
                name=self._name if self._table is None else None,
                schema_mode="merge" if mode == "append" else "overwrite",
                writer_properties=_WRITER, commit_properties=self._commit(stated, _TRIES if mode == "append" else 0),
            )  # fmt: skip
            self._table, self.stated = DeltaTable(str(self.path)), stated

    def merge(
        self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, key: Sequence[str], stated: Mapping[str, str]
    ) -> None:
        """Merge rows by key: rows that are DELETED are removed, others updated or inserted."""
        assert self._table is not None
        columns = {quoted(name): f"s.{quoted(name)}" for name in schema.names if name != DELETED}
        keys = [(quoted(name), " + 0.0" if pa.types.is_floating(schema.field(name).type) else "") for name in key]
        # -0.0 equals the key 0.0; adding 0.0 makes both the same.
        equal = " AND ".join(f"(s.{name}{plus} IS NOT DISTINCT FROM t.{name}{plus})" for name, plus in keys)
        with self._naming():
            merger = self._table.merge(
                pa.RecordBatchReader.from_batches(schema, iter(batches)), equal, "s", "t",
                writer_properties=_WRITER, commit_properties=self._commit(stated, 0),
            )  # fmt: skip
            merger.when_matched_delete(f"s.{DELETED}").when_matched_update(columns)
            merger.when_not_matched_insert(columns, f"NOT s.{DELETED}").execute()
            self._table, self.stated = DeltaTable(str(self.path)), stated

    def widen(self, schema: pa.Schema) -> None:
        """Add the columns of a schema that the table lacks; rewrite the table if a column gets a wider type."""
        known = self.schema()
        if self._table is None or known is None:
            return
        wanted = united(known, schema, self._name)
        if is_widened(known, wanted):
            stated = {name: str(text) for name, text in self.stated.items() if name.startswith(f"{_APPLICATION}.")}
            partition = next(iter(self._table.metadata().partition_columns), None)
            rows = self.on_disk((fitted(batch, wanted) for batch in self.rows()), wanted)
            self.write(rows, wanted, stated, mode="overwrite", partition_by=partition)
        elif added := [entry for entry in wanted if entry.name not in known.names]:
            with self._naming():
                self._table.alter.add_columns(Schema.from_arrow(pa.schema(added)).fields)
                self._table = DeltaTable(str(self.path))

    def on_disk(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Copy the rows of a table to the disk, because the package cannot read while it writes."""
        path = self._work / uuid.uuid4().hex
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        return stored(str(path))

    def _commit(self, stated: Mapping[str, str], tries: int) -> CommitProperties:
        """Retry behind commits of other writers only if no files are replaced: the package would also commit behind an
        OPTIMIZE, which has moved the rows."""
        number = (self._table.transaction_version(_APPLICATION) if self._table is not None else None) or 0
        transaction = Transaction(_APPLICATION, number + 1)
        return CommitProperties(custom_metadata=dict(stated), app_transactions=[transaction], max_commit_retries=tries)


class DeltaChanges(DeltaFolder):
    """The change table of one table, in Delta."""

    def identities(self, schema: pa.Schema, seq: str) -> Iterator[pa.RecordBatch]:
        """Yield the columns IDENTIFYING of rows from a `seq` on, and of rows without a `seq`."""
        return self.rows(", ".join(map(quoted, IDENTIFYING)), f"WHERE seq >= '{seq}' OR seq IS NULL")

    def land(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, rows: TableRows) -> None:
        """Append rows in one commit."""
        self.widen(schema)
        stated = {SEQ: max(filter(None, (self.seq, rows.last_seq)), default=NONE_LANDED)}
        stated[KEYS] = json.dumps(rows.keys or self.keys)
        self.write(batches, schema, stated, mode="append", partition_by=COMMIT_DATE)


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _plain(type_: pa.DataType) -> pa.DataType:
    """The plain type of the package's view types for text and bytes."""
    if pa.types.is_string_view(type_):
        return pa.string()
    if pa.types.is_binary_view(type_):
        return pa.binary()
    if pa.types.is_struct(type_):
        return pa.struct([entry.with_type(_plain(entry.type)) for entry in type_])
    return pa.list_(type_.value_field.with_type(_plain(type_.value_type))) if pa.types.is_list(type_) else type_


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
