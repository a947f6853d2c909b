"""Pieces: the rows of changes that are of one version of a table, as batches; what reads by the column shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lmparse.changes.change import Change, Version
from lmparse.changes.log import ChangeLog
from lmparse.changes.rows import change_row
from lmparse.changes.schemas import version_schema
from lmparse.columnar.row_plan import DecodedImages
from lmparse.columnar.rows import Row, bad_rows, to_batch

Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Piece:
    """Rows that are of one version of a table, or of none."""

    version: Version | None
    batch: pa.RecordBatch
    numbers: Int64s
    """Which records of the window they come from; ascending."""

    def before(self, number: int) -> Piece:
        """Those of records before one."""
        count = int(np.searchsorted(self.numbers, number))
        return (
            self
            if count == len(self.numbers)
            else replace(self, batch=self.batch.slice(0, count), numbers=self.numbers[:count])
        )


@dataclass(frozen=True)
class Slow:
    """One row that was read by itself."""

    number: int
    version: Version | None
    row: Row


class Versions:
    """Makes pieces for the changes of one log: with a schema all rows have it, else each version its own."""

    def __init__(self, log: ChangeLog, schema: pa.Schema | None = None) -> None:
        self._log, self.wanted = log, schema
        self._schemas: dict[int, pa.Schema] = {}

    def schema(self, version: Version | None) -> pa.Schema:
        """The columns of the rows of a version."""
        if self.wanted is not None:
            return self.wanted
        if id(version) not in self._schemas:
            self._schemas[id(version)] = version_schema(self._log, version)
        return self._schemas[id(version)]

    def slow(self, number: int, change: Change | None) -> list[Slow]:
        """The rows that reading one change by itself gave: those of bad records, and its own."""
        found = [Slow(number, None, row) for row in bad_rows(self._log)]
        if change is not None:
            is_struct = self.wanted is not None or change.table is not None
            found.append(Slow(number, change.table, change_row(self._log, change, is_struct)))
        return found

    def slow_pieces(self, slow: Iterable[Slow]) -> list[Piece]:
        """Rows that were read by themselves, one piece for each schema."""
        by_version: dict[int, list[Slow]] = {}
        for entry in slow:
            by_version.setdefault(self._key(entry.version), []).append(entry)
        return [
            Piece(
                found[0].version,
                to_batch([entry.row for entry in found], self.schema(found[0].version)),
                np.array([entry.number for entry in found], np.int64),
            )
            for found in by_version.values()
        ]

    def joined(self, pieces: Iterable[Piece]) -> list[Piece]:
        """One piece for each schema, its rows in the order of their records."""
        by_version: dict[int, list[Piece]] = {}
        for piece in pieces:
            by_version.setdefault(self._key(piece.version), []).append(piece)
        return [_joined(found) for found in by_version.values()]

    def _key(self, version: Version | None) -> int:
        return 0 if self.wanted is not None else id(version)


def _joined(pieces: Sequence[Piece]) -> Piece:
    """Pieces of one schema as one, in the order of their records."""
    if len(pieces) == 1:
        return pieces[0]
    numbers = np.concatenate([piece.numbers for piece in pieces])
    order = np.argsort(numbers, kind="stable")
    batch = pa.concat_batches([piece.batch for piece in pieces]).take(pa.array(order))
    return Piece(pieces[0].version, batch, numbers[order])


def struct(decoded: DecodedImages, type_: pa.StructType, places: Int64s, count: int) -> pa.Array:
    """Images as structs at their places among `count` rows, null elsewhere."""
    parts = []
    for entry in type_:
        found = decoded.arrays.get(entry.name)
        if found is None:
            found = pa.nulls(len(places), entry.type)
        parts.append(found if found.type == entry.type else found.cast(entry.type))
    if not parts:
        return pa.array([{}] * len(places), type_).take(_rows(places, count))
    whole = pa.StructArray.from_arrays(parts, fields=list(type_))
    return whole if len(places) == count else whole.take(_rows(places, count))


def _rows(places: Int64s, count: int) -> pa.Array:
    """Which of the values stands in each row; null where there is none."""
    rows = np.zeros(count, np.int64)
    rows[places] = np.arange(len(places))
    is_empty = np.ones(count, np.bool_)
    is_empty[places] = False
    return pa.array(rows, mask=is_empty)
