"""Landing from a Spark job: executors read the log, and the driver commits what each table lacks.

from lmparse.spark import land, land_stream
land(spark, "/logs/0900.log", "/lake/payroll", current=True, tables="/logs/tables.yaml")
land_stream(spark, "/logs", "/lake/payroll", checkpoint="/lake/payroll.stream", tables="/logs/tables.yaml")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmparse.errors import OptionError
from lmparse.export import land as landing
from lmparse.limits import byte_size
from lmparse.logs.families import read_options
from lmparse.logs.partitions import DEFAULT_BYTES, data_files
from lmparse.spark.read_job import hints_shown, say
from lmparse.spark.tasks import runner
from lmparse.spelling import plain
from lmparse.storage.addresses import path_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_PART_BYTES = "maxPartitionBytes"
_FILES = ("pathGlobFilter", "recursiveFileLookup", "maxFilesPerTrigger")
"""Options of Spark's stream of files."""
_FILE_COLUMNS = "path STRING, modificationTime TIMESTAMP, length LONG, content BINARY"
"""The columns of Spark's source `binaryFile`, which a stream must name. Only `path` is read."""
_ANY_AGE = "36500d"
"""Spark passes over a file, without a word, that says to be so much older than the newest one; by default a week."""


def land(
    spark: SparkSession,
    path: str | Path | Sequence[str | Path],
    to: str | Path,
    *,
    as_: str = "delta",
    current: bool = False,
    **options: Any,
) -> landing.Landed:
    """Append the changes of a log to tables in a folder, each change once, as `lmparse.land` does with these arguments.

    Executors decode parts of `maxPartitionBytes` and keep their changes below the folder, so driver and executors must
    share it, and the log. The driver commits the tables. Works over Spark Connect too. After an error the tables are as
    they were, or the next run makes up for the rest.

    Raises OptionError, FramingError if the log is damaged, and as `open_log`.
    """
    named = {name: value for name, value in options.items() if plain(name) != plain(_PART_BYTES)}
    sizes = [value for name, value in options.items() if plain(name) == plain(_PART_BYTES) and value is not None]
    with hints_shown():
        if len(sizes) > 1:
            raise OptionError(f"{_PART_BYTES} is given twice, in two spellings", hint="leave one of them out")
        asked = landing.asked_for(path, to, as_, current, named)
        part_bytes = byte_size(_PART_BYTES, str(sizes[-1])) if sizes else DEFAULT_BYTES
        return landing.run(replace(asked, run=runner(spark), part_bytes=part_bytes))


def land_stream(
    spark: SparkSession,
    folder: str | Path,
    to: str | Path,
    *,
    checkpoint: str | Path,
    trigger: Mapping[str, Any] | None = None,
    as_: str = "delta",
    current: bool = False,
    **options: Any,
) -> StreamingQuery:
    """Land the files of one log as they arrive in a folder: Spark's stream of files, and `lmparse.land` of each batch.

    `checkpoint` is the folder in which Spark notes which files have been taken, `trigger` what `writeStream.trigger`
    takes: `{"availableNow": True}`, `{"processingTime": "1 minute"}`. Spark's `pathGlobFilter`, `recursiveFileLookup`
    and `maxFilesPerTrigger` say which files are taken; all other options are those of `lmparse.land`.

    Files must be moved into the folder when they are whole. The query ends at an error, and begins with the same files
    again when it is started again: the tables have each change once. What is noticed, and current tables that are
    refused, are said on standard error. Raises OptionError.
    """
    of_files = {name: value for name, value in options.items() if plain(name) in map(plain, _FILES)}
    of_landing = {name: value for name, value in options.items() if name not in of_files}
    with hints_shown():
        landing.asked_for(path_of("folder", folder), to, as_, current, of_landing)
    files = spark.readStream.format("binaryFile").schema(_FILE_COLUMNS).options(maxFileAge=_ANY_AGE, **of_files)
    write = files.load(path_of("folder", folder)).select("path").writeStream
    batch = _Batch(str(to), {"as_": as_, "current": current, **of_landing})
    started = write.option("checkpointLocation", path_of("checkpoint", checkpoint)).foreachBatch(batch)
    return started.trigger(**({"processingTime": "0 seconds"} if trigger is None else trigger)).start()


@dataclass(frozen=True)
class _Batch:
    """The function of a micro-batch: it lands the files that are new."""

    to: str
    options: Mapping[str, Any]

    def __call__(self, files: DataFrame, number: int) -> None:
        # Hadoop writes `file:/a b`, without the escapes of a URL.
        paths = sorted(row["path"].removeprefix("file://").removeprefix("file:") for row in files.collect())
        named = {name: value for name, value in self.options.items() if name not in ("as_", "current")}
        logs = data_files(paths, read_options(named))
        if not logs:
            return  # they describe logs
        landed = landing.land(logs, self.to, **self.options)
        bad = f"{landed.tally.error_count} bad records and values" if landed.tally.error_count else ""
        refused = (table.refusal for table in landed.tables if table.is_refused)
        for text in filter(None, (*landed.tally.notices, bad, *refused)):
            say(f"{', '.join(logs)}: {text}")  # nobody else has the report
