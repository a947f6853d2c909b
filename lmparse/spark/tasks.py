"""Tasks that executors run before or instead of the data source.

A data source plans in a process of the driver that has no session, so it cannot ask executors. What must be known of a
whole log before its parts can be read is found by tasks of its own here, where a family needs that.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema

from lmparse.errors import LmparseError
from lmparse.spark.read_job import ReadJob, hints_shown, read_job, source_columns
from lmparse.spark.requests import reader_request
from lmparse.storage.addresses import path_of
from lmparse.storage.processes import Run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


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
