"""Version batches: rows of changes of one table version, and functions that combine them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa

from lmparse.changes.change import Version
from lmparse.columnar.rows import Row, to_batch
from lmparse.values.byte_arrays import Int64s

T = TypeVar("T")
_VERSIONS = 32
"""Table versions of which as many rows are held as make a batch; of more versions fewer."""
_PIECES = 1 << 12
"""Most parts of more versions than that: one of a single row takes some thousand bytes."""


@dataclass(frozen=True)
class VersionBatch:
    """Rows of one table version, or rows without one."""

    version: Version | None
    batch: pa.RecordBatch
    numbers: Int64s
    """Number of the change in the window, for each row; ascending."""

    def before(self, number: int) -> VersionBatch:
        """The rows of changes with lower numbers."""
        count = int(np.searchsorted(self.numbers, number))
        if count == len(self.numbers):
            return self
        return replace(self, batch=self.batch.slice(0, count), numbers=self.numbers[:count])


@dataclass(frozen=True)
class FallbackRow:
    """A row that was read by the code that reads changes one by one."""

    number: int
    """Number of its change in the window."""
    version: Version | None
    row: Row


P = TypeVar("P", VersionBatch, FallbackRow)


def by_schema(parts: Iterable[P], *, has_one: bool = False) -> list[list[P]]:
    """Batches or rows of each table version, in the order of the first ones; all together if they have one schema."""
    found: dict[int, list[P]] = {}
    for part in parts:
        found.setdefault(0 if has_one else id(part.version), []).append(part)
    return list(found.values())


def batch_of(rows: list[FallbackRow], schema: pa.Schema) -> VersionBatch:
    """Rows, of one version as a rule, as a batch of a schema."""
    numbers = np.array([row.number for row in rows], np.int64)
    return VersionBatch(rows[0].version, to_batch([row.row for row in rows], schema), numbers)


def joined(batches: list[VersionBatch]) -> VersionBatch:
    """Batches of one schema as one batch, in the order of their changes."""
    if len(batches) == 1:
        return batches[0]
    numbers = np.concatenate([one.numbers for one in batches])
    order = np.argsort(numbers, kind="stable")
    batch = pa.concat_batches([one.batch for one in batches]).take(pa.array(order))
    return VersionBatch(batches[0].version, batch, numbers[order])


def accumulated(
    parts: Iterable[tuple[Version | None, T]], rows_in: Callable[[T], int], most: int
) -> Iterator[tuple[Version | None, list[T]]]:
    """Collect parts of one table version until they have `most` rows, or all versions together many times as many.

    `rows_in` returns the number of rows of a part.
    """
    held: dict[int, tuple[Version | None, list[T]]] = {}
    counts: dict[int, int] = {}
    rows = pieces = 0
    for version, part in parts:
        kept = held.setdefault(id(version), (version, []))[1]
        kept.append(part)
        count = rows_in(part)
        counts[id(version)] = counts.get(id(version), 0) + count
        rows, pieces = rows + count, pieces + 1
        if counts[id(version)] >= most:
            yield version, [*kept]
            rows, pieces = rows - counts[id(version)], pieces - len(kept)
            kept.clear()
            counts[id(version)] = 0
        if rows >= _VERSIONS * most or (pieces >= _PIECES and len(held) > _VERSIONS):
            yield from ((version, kept) for version, kept in held.values() if kept)
            held, counts, rows, pieces = {}, {}, 0, 0
    yield from ((version, kept) for version, kept in held.values() if kept)
