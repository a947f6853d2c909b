"""The data source: records and changes as DataFrames.

    changes = (spark.read.format("lmparse")
        .option("control", "payroll.ctl").option("table", "PAYROLL.EMPLOYEE")
        .load("payroll.dat"))

Spark finds the source by itself in a fresh interpreter (through `pyspark_lmparse`); `register` registers it in a
session. It calls nothing in the JVM, so it also works over Spark Connect.

Options are those of the command line in camelCase, and those of Spark's own file sources: see `requests`. With
`control`, `tables`, `table` or another option that applies to changes only, or without `spec`, rows are changes;
otherwise they are the records of that spec. A file is read in parts, each by one task. Files must be readable under the
same path on every executor.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructField, StructType

from lmparse.logs import arrow
from lmparse.logs.partitions import Part, Request
from lmparse.spark.plan_progress import PlanProgress
from lmparse.spark.read_job import ReadJob, hints_shown, inner, read_job, renamed
from lmparse.spark.requests import check_batch, job_options, request_of, with_those_of_table, without
from lmparse.spark.stream import LogStreamReader, check_stream
from lmparse.spark.user_schema import as_arrow

_OPTIONS = "lmparse.options"
"""Key in the metadata of the column `_metadata` for the options that the schema was made from."""


class LmparseSource(DataSource):
    """The data source `lmparse`; the module describes its options."""

    def __init__(self, options: Mapping[str, str]) -> None:
        # Spark also makes an instance without options, to ask for its abilities; so nothing is read here.
        self.options = dict(options)

    @classmethod
    def name(cls) -> str:
        """The name for `format`."""
        return "lmparse"

    def schema(self) -> StructType:
        """The columns of the spec or of the table, with their docs as comments."""
        with hints_shown():
            columns = renamed(arrow.request_schema(request_of(self.options)), job_options(self.options))
        found = from_arrow_schema(columns, prefer_timestamp_ntz=True)
        mark = json.dumps([self.options])
        return StructType([_with_comment(field, columns.field(field.name), mark) for field in found])

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader of these columns: all columns of the source, or those in the user's schema."""
        with hints_shown():
            self.options = with_those_of_table(self.options, _mark(schema))
            check_batch(self.options)
            request = request_of(self.options)
            if not request.selection.names():
                return LmparseReader(request, None)  # without a file nothing says which columns a table has
            return LmparseReader(*self._job(request, schema))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """A reader of the changes in the files of a log as they arrive."""
        with hints_shown():
            self.options = with_those_of_table(self.options, _mark(schema))
            check_stream(self.options)
            request, _ = self._job(request_of(self.options), schema)
            return LogStreamReader(request, self.options, partial(self._stream_job, as_arrow(schema)))

    def _job(self, request: Request, schema: StructType) -> tuple[Request, ReadJob]:
        wanted = as_arrow(schema)
        # The files say which columns the source has now: those of a table of the catalog may have been others when it
        # was created.
        is_said = request.options.table is None or any(True for _ in request.logs())
        return read_job(request, self.options, source=None if is_said else self._unsaid(wanted), wanted=wanted)

    def _stream_job(self, wanted: pa.Schema, source: pa.Schema | None) -> ReadJob:
        found = self._unsaid(wanted) if source is None else source
        return read_job(request_of(self.options), self.options, source=found, wanted=wanted)[1]

    def _unsaid(self, wanted: pa.Schema) -> pa.Schema:
        """The columns where no file says those of the table: the wanted ones, of which there are no rows then."""
        fixed = arrow.request_schema(request_of(without(self.options, "table", "tableVersion", "columns")))
        own = {entry.name.lower(): entry for entry in inner(wanted, self.options)}
        others = [entry for entry in fixed if entry.name.lower() not in own]
        return pa.schema([*own.values(), *others])


class LogPartition(InputPartition):
    """A part of a log, with its number among all of them."""

    def __init__(self, part: Part, number: int, count: int) -> None:
        super().__init__(part)
        self.number, self.count = number, count


class LmparseReader(DataSourceReader):
    """Reads parts of files as Arrow batches."""

    def __init__(self, request: Request, job: ReadJob | None) -> None:
        """Without a job there is nothing to read."""
        self.request, self.job = request, job

    def partitions(self) -> Sequence[InputPartition]:
        """The parts, each for one task."""
        if self.job is None:
            return []
        with hints_shown(), PlanProgress() as progress:
            parts = list(self.request.parts(is_numbered=self.job.is_numbered, on_file=progress.at))
        return [LogPartition(part, number, len(parts)) for number, part in enumerate(parts)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one part; Spark passes a partition of its own if there is none."""
        if self.job is None or not isinstance(partition, LogPartition):
            return iter(())
        return self.job.batches(partition.value, partition.number, partition.count, ahead=True)


def _mark(schema: StructType) -> dict[str, str]:
    """The options that a schema of the source was made from; none for a user schema."""
    stored = [field.metadata[_OPTIONS] for field in schema if _OPTIONS in field.metadata]
    found: dict[str, str] = json.loads(stored[0])[0] if stored else {}
    return found


def _with_comment(field: StructField, arrow: pa.Field, mark: str) -> StructField:
    comment = (arrow.metadata or {}).get(b"comment", b"").decode()
    metadata = {"comment": comment} if comment else {}
    if field.name == "_metadata":
        metadata[_OPTIONS] = mark
    return StructField(field.name, field.dataType, True, metadata)
