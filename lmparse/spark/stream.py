"""Structured Streaming: the files of one log as they arrive in a folder.

    changes = (spark.readStream.format("lmparse")
        .option("tables", "tables.yaml").option("maxFilesPerTrigger", 10)
        .load("landing/"))

A micro-batch has the changes of the transactions that are committed in its files; those that are open wait in the
offset as places in files, until a later file ends them. It needs Spark 4.2, whose sources are told where to go on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from lmparse.errors import OptionError
from lmparse.logs.arrow import TableColumns
from lmparse.logs.partitions import Request
from lmparse.logs.stream import LogStream, StreamOffset
from lmparse.options import positive
from lmparse.spark.read_job import ReadJob, hints_shown
from lmparse.spark.requests import JOB_OPTIONS, STREAM_OPTIONS, by_plain_name, text_of
from lmparse.spelling import plain
from lmparse.storage.landing import DEFAULT_SECONDS, Arrival
from lmparse.storage.prefetch import prefetched
from lmparse.terminal import harmless, one_line

try:
    from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxFiles, SupportsTriggerAvailableNow
except ImportError:  # before Spark 4.2
    _HAS_LIMITS = False
    ReadLimit = SupportsTriggerAvailableNow = object  # type: ignore[assignment, misc]
else:
    _HAS_LIMITS = True

_BATCH_KEYS = tuple(name for name in JOB_OPTIONS if name != "columnNameOfCorruptRecord")
JobOf = Callable[[TableColumns], ReadJob]
"""The job for what the files of a micro-batch say of the columns of the table."""


def check_stream(options: Mapping[str, Any]) -> None:
    """Raise OptionError for an option that has no meaning in streams."""
    keys = by_plain_name(options)
    for name in _BATCH_KEYS:
        if plain(name) in keys:
            raise OptionError(f"{name} means nothing in a stream, which a damaged file ends", hint="leave it out")


class LogStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads a log that arrives in files."""

    def __init__(self, request: Request, options: Mapping[str, Any], job_of: JobOf) -> None:
        """`job_of` gives the job of a micro-batch. Raises OptionError, also for a Spark before 4.2."""
        if not _HAS_LIMITS:
            raise OptionError("readStream needs Spark 4.2 or later", hint="read in batches, with `lmparse changes`")
        keys = by_plain_name(options)
        most, marker, seconds = (text_of(keys, name) for name in STREAM_OPTIONS)
        self._most = None if most is None else positive("maxFilesPerTrigger", most)
        if marker is not None and seconds is not None:
            raise OptionError("completionMarker and settledSeconds contradict each other", hint="give one of them")
        waits = DEFAULT_SECONDS if seconds is None else 0 if seconds == "0" else positive("settledSeconds", seconds)
        self._stream = LogStream(request, Arrival(marker or "", waits), _said)
        self._job_of = job_of

    def initialOffset(self) -> dict[str, Any]:
        """The offset in front of the first file."""
        return StreamOffset().to_dict()

    def getDefaultReadLimit(self) -> ReadLimit:
        """The option maxFilesPerTrigger."""
        return ReadAllAvailable() if self._most is None else ReadMaxFiles(self._most)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """The offset behind the files that have arrived, as far as the limit allows; `start` if there are none."""
        most = limit.max_files if isinstance(limit, ReadMaxFiles) else None
        with hints_shown():
            return self._stream.latest(StreamOffset.of(start), most).to_dict()

    def prepareForTriggerAvailableNow(self) -> None:
        """Take no files but those that have arrived by now."""
        with hints_shown():
            self._stream.hold()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """The parts of the log between two offsets, each for one task.

        Their files say which columns the log has there: a table may have been altered since the stream began. Raises
        OptionError LMP-S012 as `StreamColumns` does.
        """
        between = StreamOffset.of(start), StreamOffset.of(end)
        with hints_shown():
            said = self._stream.columns(*between)
            parts = list(self._stream.parts(*between))
            job = self._job_of(said) if parts else None
        return [InputPartition((job, part)) for part in parts]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one part."""
        job, part = partition.value
        return prefetched(job.batches(part, 0, 1))

    def __getstate__(self) -> dict[str, Any]:
        return {}  # executors read parts, and need not know the stream


def _said(text: str) -> None:
    """Say on the standard error of the driver what a stream waits for."""
    print(harmless(one_line(f"lmparse: {text}")), file=sys.stderr, flush=True)
