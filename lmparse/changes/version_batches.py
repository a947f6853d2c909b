"""Version batches: rows of changes that are of one version of a table, and what puts rows of one version together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa

from lmparse.changes.change import Version
from lmparse.columnar.rows import BATCH_ROWS, Row
from lmparse.values.byte_arrays import Int64s

T = TypeVar("T")


@dataclass(frozen=True)
class VersionBatch:
    """Rows that are of one version of a table, or of none."""

    version: Version | None
    batch: pa.RecordBatch
    numbers: Int64s
    """Which changes of the window they come from; ascending."""

    def before(self, number: int) -> VersionBatch:
        """Those of changes before one."""
        count = int(np.searchsorted(self.numbers, number))
        if count == len(self.numbers):
            return self
        return replace(self, batch=self.batch.slice(0, count), numbers=self.numbers[:count])


@dataclass(frozen=True)
class FallbackRow:
    """A row that was read by itself, by the code that reads changes one by one."""

    number: int
    """Which change of the window it comes from."""
    version: Version | None
    row: Row


def joined(batches: list[VersionBatch]) -> VersionBatch:
    """Batches of one schema as one, its rows in the order of their changes."""
    if len(batches) == 1:
        return batches[0]
    numbers = np.concatenate([one.numbers for one in batches])
    order = np.argsort(numbers, kind="stable")
    batch = pa.concat_batches([one.batch for one in batches]).take(pa.array(order))
    return VersionBatch(batches[0].version, batch, numbers[order])


def accumulated(
    parts: Iterable[tuple[Version | None, T]], rows_in: Callable[[T], int]
) -> Iterator[tuple[Version | None, list[T]]]:
    """What is of one version together, as soon as it has BATCH_ROWS rows; what is left at the end, in its order.

    `rows_in` says how many rows a part has.
    """
    held: dict[int, tuple[Version | None, list[T]]] = {}
    counts: dict[int, int] = {}
    for version, part in parts:
        kept = held.setdefault(id(version), (version, []))[1]
        kept.append(part)
        counts[id(version)] = counts.get(id(version), 0) + rows_in(part)
        if counts[id(version)] >= BATCH_ROWS:
            yield version, [*kept]
            kept.clear()
            counts[id(version)] = 0
    yield from ((version, kept) for version, kept in held.values() if kept)
