"""Parquet straight from the executors: each part of a log becomes a file without passing through the JVM.

    from lmparse.spark import write_parquet
    write_parquet(spark, "/logs/payroll.dat", "/lake/payroll", control="/logs/payroll.ctl", table="PAYROLL.EMPLOYEE")

`df.write.parquet` hands every row to the JVM, which is slower than decoding it. Here a task decodes its
part and writes it with Arrow; only the names of the files come back. Works over Spark Connect too.
"""

from __future__ import annotations

import pickle
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from lmparse.columnar import schemas
from lmparse.columnar.filters import Filter
from lmparse.errors import OptionError
from lmparse.logs import arrow
from lmparse.spark.source import request_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MODES = ("error", "append", "overwrite")
_ROW_GROUP = 1 << 17
"""Rows of a row group, about."""
_PENDING = "_lmparse_"
"""Folders of output that is not whole yet begin so; Spark passes over names with an underscore in front."""


@dataclass(frozen=True)
class Written:
    """What was written."""

    files: tuple[str, ...]
    """Names in the folder, in the order of the parts."""
    rows: int
    corrupt_rows: int
    """Rows with bad values, and those of bad records."""


def write_parquet(
    spark: SparkSession,
    path: str,
    out: str,
    *,
    mode: str = "error",
    compression: str = "zstd",
    filters: Sequence[Filter] = (),
    metadata: bool = True,
    **options: Any,
) -> Written:
    """Write records or changes as a folder of Parquet files, a file for each part; options are those of the source.

    With `filters` only the rows that fulfil all of them; what the header decides is decided before rows are decoded.
    `metadata` says whether they have the column `_metadata`. Records without it need not be counted beforehand.

    The folder must be one that driver and executors share. It has all files or, after an error, what it
    had before: tasks write aside, and only files of tasks that ended well are moved in. Raises OptionError
    for a folder that is there already, unless `mode` is `append` or `overwrite`.
    """
    if mode not in _MODES:
        raise OptionError(f"mode has no value {mode!r}", code="LMP-S003", hint="one of " + ", ".join(_MODES))
    target = Path(out)
    if mode == "error" and target.exists():
        raise OptionError(f"{out} is there already", hint="mode append or overwrite")
    request = request_of({**options, "path": path})
    schema = arrow.request_schema(request)
    if not metadata:
        schema = schema.remove(schema.get_field_index("_metadata"))
    parts = tuple(map(pickle.dumps, request.parts(is_numbered=metadata)))
    pending = target / f"{_PENDING}{uuid.uuid4().hex}"
    job = _Job(parts, str(pending), schema, compression, request.with_changes, tuple(filters))
    pending.mkdir(parents=True)
    try:
        tasks = spark.range(0, len(parts), 1, max(len(parts), 1))  # a task for each part
        told = tasks.mapInArrow(job, "number long, name string, rows long, corrupt_rows long").collect()
        rows = sorted(told, key=lambda row: int(row["number"]))
        kept = set(target.glob("*.parquet")) if mode == "overwrite" else set()
        for row in rows:
            (pending / row["name"]).rename(target / row["name"])
        for old in kept:
            old.unlink()
        (target / "_SUCCESS").touch()
    finally:
        shutil.rmtree(pending, ignore_errors=True)
        if not any(target.iterdir()):
            target.rmdir()
    return Written(
        tuple(row["name"] for row in rows), sum(row["rows"] for row in rows), sum(row["corrupt_rows"] for row in rows)
    )


@dataclass(frozen=True)
class _Job:
    """The function of one task, which is given numbers of parts."""

    parts: tuple[bytes, ...]
    folder: str
    schema: pa.Schema
    compression: str
    with_changes: bool
    filters: tuple[Filter, ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield pa.RecordBatch.from_pylist([self._write(number)], pa.schema(_TOLD))

    def _write(self, number: int) -> Mapping[str, Any]:
        part = pickle.loads(self.parts[number])
        # Of two attempts of a task each has a name of its own; the one that Spark believes is moved in.
        name = f"part-{number:05}-{uuid.uuid4().hex}.parquet"
        rows = corrupt = 0
        with pq.ParquetWriter(Path(self.folder) / name, self.schema, compression=self.compression) as writer:
            held: list[pa.RecordBatch] = []
            for batch in arrow.part_batches(part, self.schema, self.filters, with_changes=self.with_changes):
                held.append(batch)
                rows += batch.num_rows
                corrupt += batch.num_rows - batch.column(schemas.CORRUPT_FIELDS).null_count
                if sum(kept.num_rows for kept in held) >= _ROW_GROUP:
                    writer.write_table(pa.Table.from_batches(held))
                    held.clear()
            if held:
                writer.write_table(pa.Table.from_batches(held))
        return {"number": number, "name": name, "rows": rows, "corrupt_rows": corrupt}


_TOLD = [("number", pa.int64()), ("name", pa.string()), ("rows", pa.int64()), ("corrupt_rows", pa.int64())]
