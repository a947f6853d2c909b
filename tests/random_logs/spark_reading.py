"""What the data source of Spark gives, read in this process: a batch, and a stream in micro-batches."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader
from pyspark.sql.types import StructType

from lmparse.errors import LmparseError
from lmparse.spark.source import LmparseSource

Row = dict[str, Any]
Options = Mapping[str, str]


@dataclass
class Given:
    """What a reading gave."""

    batches: list[list[Row]] = field(default_factory=list)
    """The rows, of a stream those of each micro-batch."""
    error: LmparseError | None = None
    """What ended it."""
    said: str = ""
    """Standard error."""

    @property
    def code(self) -> str:
        return "" if self.error is None else self.error.code

    @property
    def rows(self) -> list[Row]:
        return [row for batch in self.batches for row in batch]

    def __str__(self) -> str:
        shown = "" if self.error is None else f"{self.error} [{self.code}] {self.error.hint}"
        return f"{self.batches} {shown} {self.said!r}"


@contextlib.contextmanager
def _listening(given: Given) -> Iterator[None]:
    """Keep the error that ends a reading, and what it says."""
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            yield
        except LmparseError as error:
            given.error = error
    given.said += said.getvalue()


def schema_of(options: Options) -> tuple[StructType | None, Given]:
    """The columns of the source; None if there are none."""
    given = Given()
    with _listening(given):
        return LmparseSource(options).schema(), given
    return None, given


def batch(schema: StructType, options: Options) -> Given:
    """The rows of a DataFrame."""
    given = Given([[]])
    with _listening(given):
        reader = LmparseSource(options).reader(schema)
        given.batches[0] += rows_of(reader, reader.partitions())
    return given


def stream_reader(schema: StructType, options: Options) -> DataSourceStreamReader:
    """A reader of a stream, for which a file is whole at once."""
    return LmparseSource({"settledSeconds": "0", **options}).streamReader(schema)


def rows_of(reader: DataSourceReader | DataSourceStreamReader, parts: Any) -> list[Row]:
    """The rows of some parts."""
    return [row for part in parts for rows in reader.read(part) for row in rows.to_pylist()]


def limit_of(most: int | None) -> Any:
    """The limit for so many files a micro-batch."""
    from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxFiles

    return ReadAllAvailable() if most is None else ReadMaxFiles(most)


def stream(schema: StructType, options: Options, most: int | None = None) -> Given:
    """The rows of a stream until nothing new is there."""
    given = Given()
    with _listening(given):
        reader = stream_reader(schema, options)
        start = reader.initialOffset()
        while (end := reader.latestOffset(start, limit_of(most))) != start:
            given.batches.append(rows_of(reader, reader.partitions(start, end)))
            start = end
    return given


def listened(given: Given) -> contextlib.AbstractContextManager[None]:
    """The block of a reading whose error and words `given` keeps."""
    return _listening(given)
