"""Read job: what every task does with its part, for the data source, `read_changes` and `write_parquet` alike.

It reads the part in the columns that are asked for, and says on standard error what is damaged.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from lmparse.columnar import schemas
from lmparse.columnar.filters import Filter
from lmparse.errors import DataError, LmparseError, OptionError
from lmparse.logs import arrow
from lmparse.logs.arrow import part_rows
from lmparse.logs.partitions import Part, Request, folder_array, with_folder_columns
from lmparse.spark.requests import corrupt_record
from lmparse.storage.partition_folders import PartitionColumn
from lmparse.storage.processes import prefetched
from lmparse.terminal import harmless, one_line

_RECORD = schemas.CORRUPT_RECORD
_ADD = f"add the column {schemas.CORRUPT_FIELDS} to the schema, which lists bad values, or read in mode dropmalformed"


@contextmanager
def hints_shown() -> Iterator[None]:
    """Show the hint of an error below its text, also in the errors of Spark, which have the text of the traceback."""
    try:
        yield
    except LmparseError as error:
        note = f"  hint: {harmless(one_line(str(error.hint)))}"
        if error.hint and error.hint not in error.message and note not in getattr(error, "__notes__", ()):
            error.add_note(note)
        raise


@dataclass(frozen=True)
class ReadJob:
    """The columns of a job and the rows that it keeps. Safe to pickle."""

    columns: pa.Schema
    """The columns of the rows that tasks give."""
    read: pa.Schema
    """Those that are read, under the names of the source; and `_metadata` where folders make columns."""
    with_changes: bool
    filters: tuple[Filter, ...] = ()
    folders: tuple[PartitionColumn, ...] = ()
    """Those of the columns that folders of `k=v` make; the others are read."""
    hint: str | None = None
    """What to do about an error that is raised because there is no column for it."""

    def batches(self, part: Part | None, *, ahead: bool = False) -> Iterator[pa.RecordBatch]:
        """The rows of a part; none if there is no part. With `ahead` a thread reads them in advance."""
        if part is None:
            return
        with hints_shown(), self._advised():
            # Without a column for bad values these are errors, but bytes that no field has leave no value out.
            rows = part_rows(part, self.read, self.filters, with_changes=self.with_changes, say=say,
                             allows_unread=self.hint is not None)  # fmt: skip
            yield from map(self._shown, filter(len, prefetched(rows) if ahead else rows))

    def _shown(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        folders, read = {column.name: column for column in self.folders}, iter(batch.columns)
        arrays = [folder_array(folders[name], batch) if name in folders else next(read) for name in self.columns.names]
        return pa.RecordBatch.from_arrays(arrays, schema=self.columns)

    @contextmanager
    def _advised(self) -> Iterator[None]:
        try:
            yield
        except DataError as error:
            error.hint = error.hint or self.hint
            raise


def say(text: str) -> None:
    """Print what is noticed on standard error."""
    print(harmless(one_line(f"lmparse: {text}")), file=sys.stderr, flush=True)


def source_columns(request: Request, options: Mapping[str, Any]) -> pa.Schema:
    """All columns of the source. Raises OptionError if another one has the name that bad records are to have."""
    columns = _renamed(arrow.request_schema(request), corrupt_record(options))
    return with_folder_columns(columns, request.selected.columns)


def read_job(
    request: Request, options: Mapping[str, Any], columns: pa.Schema, *, filters: Sequence[Filter] = ()
) -> tuple[Request, ReadJob]:
    """The job that gives some of `source_columns`, and the request as it is to be planned for it.

    Without the column for bad values a null could mean anything: then what is bad is an error in mode permissive too.
    """
    name, hint = corrupt_record(options), None
    folders = tuple(column for column in request.selected.columns if column.name in columns.names)
    own = [entry for entry in columns if entry.name not in [column.name for column in folders]]
    read = pa.schema([entry.with_name(_RECORD) if entry.name == name else entry for entry in own])
    if folders and "_metadata" not in read.names:
        read = read.append(pa.field("_metadata", schemas.METADATA))
    if request.options.mode == "permissive" and schemas.CORRUPT_FIELDS not in read.names:
        request = replace(request, options=replace(request.options, mode="failfast"))
        hint = _ADD
    return request, ReadJob(columns, read, request.with_changes, tuple(filters), folders, hint)


def _renamed(source: pa.Schema, name: str) -> pa.Schema:
    if name != _RECORD and name.lower() in (known.lower() for known in source.names):
        raise OptionError(
            f"columnNameOfCorruptRecord has no value {name!r}: another column has it", hint="a name of its own"
        )  # fmt: skip
    fields = [entry.with_name(name) if entry.name == _RECORD else entry for entry in source]
    return pa.schema(fields, source.metadata)
