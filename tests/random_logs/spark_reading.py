"""What the data source of Spark gives, read in this process."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.types import StructType

from lmparse.errors import LmparseError
from lmparse.spark.source import LmparseSource

Row = dict[str, Any]
Options = Mapping[str, str]


@dataclass
class Given:
    """What a reading gave."""

    batches: list[list[Row]] = field(default_factory=list)
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
        given.batches[0] += [
            row for part in reader.partitions() for rows in reader.read(part) for row in rows.to_pylist()
        ]
    return given
