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

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructField, StructType

from lmparse.logs import arrow
from lmparse.logs.arrow import TableColumns
from lmparse.logs.partitions import Part, Request
from lmparse.spark.given_schema import StreamColumns, batch_columns
from lmparse.spark.plan_progress import PlanProgress
from lmparse.spark.read_job import ReadJob, hints_shown, inner, read_job, renamed
from lmparse.spark.requests import check_batch, job_options, request_of, with_those_of_table
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
            request, wanted = request_of(self.options), as_arrow(schema)
            source = batch_columns(request, inner(wanted, self.options))
            return LmparseReader(*read_job(request, self.options, source=source, wanted=wanted))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """A reader of the changes in the files of a log as they arrive."""
        with hints_shown():
            self.options = with_those_of_table(self.options, _mark(schema))
            check_stream(self.options)
            request, wanted = request_of(self.options), as_arrow(schema)
            columns = StreamColumns(request, inner(wanted, self.options))

            def job_of(said: TableColumns) -> tuple[Request, ReadJob]:
                return read_job(request, self.options, source=columns.of(said), wanted=wanted)

            planned, _ = job_of(columns.first)
            return LogStreamReader(planned, self.options, lambda said: job_of(said)[1])


class LogPartition(InputPartition):
    """A part of a log, with its number among all of them."""

    def __init__(self, part: Part, number: int, count: int) -> None:
        super().__init__(part)
        self.number, self.count = number, count


class LmparseReader(DataSourceReader):
    """Reads parts of files as Arrow batches."""

    def __init__(self, request: Request, job: ReadJob) -> None:
        self.request, self.job = request, job

    def partitions(self) -> Sequence[InputPartition]:
        """The parts, each for one task."""
        with hints_shown(), PlanProgress() as progress:
            parts = list(self.request.parts(is_numbered=self.job.is_numbered, on_file=progress.at))
        return [LogPartition(part, number, len(parts)) for number, part in enumerate(parts)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one part; Spark passes a partition of its own if there is none."""
        if not isinstance(partition, LogPartition):
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
