"""Parquet written by the executors: each part of a log becomes a file without passing through the JVM.

    from lmparse.spark import write_parquet
    write_parquet(spark, "/logs/payroll.dat", "/lake/payroll", control="/logs/payroll.ctl", table="PAYROLL.EMPLOYEE")

`df.write.parquet` passes every row to the JVM, which takes longer than decoding it. Here a task decodes its part and
writes it with Arrow; only the names of the files are returned. This also works over Spark Connect.
"""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from lmparse.columnar import schemas
from lmparse.columnar.filters import Filter
from lmparse.errors import OptionError
from lmparse.export import parquet_folder
from lmparse.export.writers import MARK
from lmparse.logs.open import spec_files
from lmparse.options import Options, truth
from lmparse.spark.read_job import ReadJob, hints_shown, read_job, source_columns
from lmparse.spark.requests import request_of
from lmparse.spark.tasks import runner
from lmparse.storage.addresses import path_of
from lmparse.storage.outputs import atomic_output, inputs_of, naming_output

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_READING_MODES = ("permissive", "dropmalformed", "failfast")
_COMPRESSIONS = ("zstd", "snappy", "gzip", "lz4", "brotli", "none")
_ROW_GROUP, _GROUP_BYTES = 1 << 17, 1 << 27
"""Rows of a row group, approximately, and bytes in memory from which on it has fewer: a row may be wide."""
_RESULT = "number long, name string, rows long, corrupt_rows long"


@dataclass(frozen=True)
class Written:
    """What was written."""

    files: tuple[str, ...]
    """Names of the files in the folder, in the order of the parts."""
    rows: int
    corrupt_rows: int
    """Number of rows with bad values or of bad records."""


def write_parquet(
    spark: SparkSession,
    path: str,
    out: str | Path,
    *,
    mode: str = "error",
    reading_mode: str = "permissive",
    compression: str = "zstd",
    filters: Sequence[Filter] = (),
    metadata: bool = True,
    **options: Any,
) -> Written:
    """Write records or changes as a folder of Parquet files, a file for each part; options are those of the source.

    `mode` says what becomes of a folder that is there, as in Spark's writers; so the source's option `mode`, what
    becomes of bad records, is `reading_mode` here, and has the same values.
    With `filters`, only rows that fulfil all of them are written; filters on the header are applied before rows are
    decoded. `metadata` tells whether the files have the column `_metadata`.

    Driver and executors must share the folder above `out`. That has all files or, after an error, what it had before:
    tasks write to a folder beside it, from which the files of tasks that succeeded are taken. Raises OptionError when
    the folder exists, unless `mode` is `append` or `overwrite`, which replaces files of lmparse alone; tasks raise
    OptionError LMP-S022 when a disk is full.
    """
    if reading_mode not in _READING_MODES:
        raise OptionError(f"reading_mode has no value {reading_mode!r}", hint="one of " + ", ".join(_READING_MODES))
    if str(compression).lower() not in _COMPRESSIONS:
        raise OptionError(f"compression has no value {compression!r}", hint="one of " + ", ".join(_COMPRESSIONS))
    options = {**options, "path": path_of("path", path), "mode": reading_mode}
    filters = Filter.all_of(filters)
    with hints_shown():
        request = request_of(options)
        logs = [options for _, options in request.files() if isinstance(options, Options)]
        described = [name for options in logs for name in options.files.values()]
        inputs = inputs_of([*request.selected.files, *described, *spec_files(request.options.spec)])
        place = parquet_folder.checked(out, inputs, mode)
        columns = source_columns(request, options)
        if not truth("metadata", metadata):
            columns = columns.remove(columns.get_field_index("_metadata"))
        request, job = read_job(request, options, columns, filters=filters)
        parts = tuple(map(pickle.dumps, request.parts(run=runner(spark))))
        # Without a part one file has the columns, so that the folder can be read.
        parts = parts or (pickle.dumps(None),)
    with naming_output(place.shown):
        place.path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_output(place) as work:
        made = work.folder / "tasks"
        made.mkdir()
        for folder in (work.folder, made):
            folder.chmod(place.path.parent.stat().st_mode & 0o777)  # executors may be of another user
        schema = columns.with_metadata({**(columns.metadata or {}), MARK: Path(request.options.spec).name})
        write = _Job(parts, str(made), place.shown, schema, compression, job)
        tasks = spark.range(0, len(parts), 1, max(len(parts), 1))  # a task for each part
        rows = sorted(tasks.mapInArrow(write, _RESULT).collect(), key=lambda row: int(row["number"]))
        names = tuple(row["name"] for row in rows)
        # Attempts of tasks that Spark did not accept may go on: only the files of those that it accepted are taken.
        if mode == "append" and place.path.is_dir():
            parquet_folder.move(names, made, place.path)
        else:
            parquet_folder.move(names, made, work.made)
            work.finish()
    return Written(names, sum(row["rows"] for row in rows), sum(row["corrupt_rows"] for row in rows))


@dataclass(frozen=True)
class _Job:
    """The function of one task, whose rows are numbers of parts; it returns a row for each file."""

    parts: tuple[bytes, ...]
    folder: str
    shown: str
    """The output, as errors name it."""
    schema: pa.Schema
    compression: str
    job: ReadJob

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield pa.RecordBatch.from_pylist([self._write(number)])

    def _write(self, number: int) -> dict[str, Any]:
        part = pickle.loads(self.parts[number])
        # Each attempt of a task has a file name of its own; the file of the attempt that Spark accepts is moved.
        name = f"part-{number:05}-{uuid.uuid4().hex}.parquet"
        rows = corrupt = 0
        # An input that cannot be read raises DataError, so errors of the system are about the output.
        path, compression = Path(self.folder) / name, self.compression
        with naming_output(self.shown), pq.ParquetWriter(path, self.schema, compression=compression) as writer:
            held: list[pa.RecordBatch] = []
            held_rows = held_bytes = 0
            for batch in self.job.batches(part):
                held.append(batch)
                held_rows += batch.num_rows
                held_bytes += batch.nbytes
                corrupt += batch.num_rows - batch.column(schemas.CORRUPT_FIELDS).null_count
                if held_rows >= _ROW_GROUP or held_bytes >= _GROUP_BYTES:
                    writer.write_table(pa.Table.from_batches(held))
                    rows += held_rows
                    held_rows = held_bytes = 0
                    held.clear()
            if held:
                writer.write_table(pa.Table.from_batches(held))
            rows += held_rows
        return {"number": number, "name": name, "rows": rows, "corrupt_rows": corrupt}
