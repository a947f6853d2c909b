"""Tasks: what executors do with the parts of a log, for the data source, `read_changes` and `write_parquet` alike.

A task reads its part in the columns that are asked for, and says on standard error what is damaged. A data source plans
in a process of the driver that has no session, so it cannot ask executors: what must be known of a whole log before its
parts can be read is found by tasks of its own (`runner`), where a family needs that.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema

from lmparse.columnar import schemas
from lmparse.columnar.filters import Filter
from lmparse.errors import DataError, LmparseError, OptionError
from lmparse.logs import arrow
from lmparse.logs.partitions import Part, Request, folder_array, with_folder_columns
from lmparse.spark.requests import corrupt_record, reader_request
from lmparse.storage.addresses import path_of
from lmparse.storage.partition_folders import PartitionColumn
from lmparse.storage.processes import Run, prefetched
from lmparse.terminal import harmless, one_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

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
        # Without a column for bad values these are errors, but bytes that no field has leave no value out.
        allows_unread = self.hint is not None
        with hints_shown():
            try:
                rows = arrow.part_rows(
                    part, self.read, self.filters, with_changes=self.with_changes, say=_say, allows_unread=allows_unread
                )
                yield from map(self._shown, filter(len, prefetched(rows) if ahead else rows))
            except DataError as error:
                error.hint = error.hint or self.hint
                raise

    def _shown(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        folders, read = {column.name: column for column in self.folders}, iter(batch.columns)
        arrays = [folder_array(folders[name], batch) if name in folders else next(read) for name in self.columns.names]
        return pa.RecordBatch.from_arrays(arrays, schema=self.columns)


def _say(text: str) -> None:
    print(harmless(one_line(f"lmparse: {text}")), file=sys.stderr, flush=True)


def source_columns(request: Request, options: Mapping[str, Any]) -> pa.Schema:
    """All columns of the source. Raises OptionError if another one has the name that bad records are to have."""
    source, name = arrow.request_schema(request), corrupt_record(options)
    if name != _RECORD and name.lower() in (known.lower() for known in source.names):
        raise OptionError(
            f"columnNameOfCorruptRecord has no value {name!r}: another column has it", hint="a name of its own"
        )  # fmt: skip
    fields = [entry.with_name(name) if entry.name == _RECORD else entry for entry in source]
    return with_folder_columns(pa.schema(fields, source.metadata), request.selected.columns)


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


# -- tasks of a session ----------------------------------------------------------------------------


def runner(spark: SparkSession) -> Run:
    """Runs a module's function on tasks by executors, a Spark task for each."""

    def run(function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        if not tasks:
            return
        job = _Call(function, tuple(map(pickle.dumps, tasks)))
        numbers = spark.range(0, len(tasks), 1, len(tasks))
        rows = numbers.mapInArrow(job, "number long, result binary").collect()
        for row in sorted(rows, key=lambda row: int(row["number"])):
            is_good, result = pickle.loads(bytes(row["result"]))
            if not is_good:
                raise result
            yield result

    return run


@dataclass(frozen=True)
class _Call:
    """The function of a Spark task, whose rows are numbers of tasks; it returns a row for each."""

    function: Callable[[Any], Any]
    tasks: tuple[bytes, ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                try:
                    outcome: tuple[bool, Any] = True, self.function(pickle.loads(self.tasks[number]))
                except LmparseError as error:
                    outcome = False, error  # of the log, and not of the cluster, which would try again
                yield pa.RecordBatch.from_pylist([{"number": number, "result": pickle.dumps(outcome)}])


def read_changes(spark: SparkSession, path: str, **options: Any) -> DataFrame:
    """The changes of logs as a DataFrame; options are those of the data source, in camelCase or as Python names.

    What a log must know of all its parts is found by executors, before they read rows; with `format("lmparse")` the
    driver finds it. The files are planned now, and read when rows are asked for. Raises as the data source does.
    """
    options = {**options, "path": path_of("path", path)}
    with hints_shown():
        request = reader_request(options, with_changes=True)
        request, job = read_job(request, options, source_columns(request, options))
        parts = tuple(map(pickle.dumps, request.parts(run=runner(spark))))
    numbers = spark.range(0, len(parts), 1, max(len(parts), 1))
    return numbers.mapInArrow(_Read(parts, job), from_arrow_schema(job.columns, prefer_timestamp_ntz=True))


@dataclass(frozen=True)
class _Read:
    """The function of a Spark task, whose rows are numbers of parts; it returns the rows of these."""

    parts: tuple[bytes, ...]
    job: ReadJob

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from self.job.batches(pickle.loads(self.parts[number]), ahead=True)
