"""Comparison of two engines: their rows of the same records, value by value."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pyarrow as pa

from lmparse.columnar import json_texts
from lmparse.errors import EngineDifferenceError


def compared(
    first: Iterator[pa.RecordBatch], second: Iterator[pa.RecordBatch], place: int = 0
) -> Iterator[pa.RecordBatch]:
    """Yield the batches of `first` after comparing them with the rows of `second`; the two may cut batches differently.

    `first` is decoded column-wise, `second` by the parser; `place` is the number of the first row. Raises
    EngineDifferenceError that names the first differing row and its first differing column.
    """
    other = _Rows(second)
    for batch in first:
        done = 0
        while done < batch.num_rows:
            piece = other.take(batch.num_rows - done)
            if piece is None:
                raise _missing(batch.slice(done), place + done, "column-wise only")
            _compare(batch.slice(done, piece.num_rows), piece, place + done)
            done += piece.num_rows
        place += done
        yield batch
    rest = other.take(1)
    if rest is not None:
        raise _missing(rest, place, "by the parser only")


class _Rows:
    """A stream of batches, taken in pieces of any size."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = batches
        self._held: pa.RecordBatch | None = None

    def take(self, count: int) -> pa.RecordBatch | None:
        """The next `count` rows or fewer; None at the end of the stream."""
        while self._held is None or not self._held.num_rows:
            self._held = next(self._batches, None)
            if self._held is None:
                return None
        piece = self._held.slice(0, count)
        self._held = self._held.slice(count)
        return piece


def _compare(one: pa.RecordBatch, other: pa.RecordBatch, place: int) -> None:
    if one.schema != other.schema:
        raise EngineDifferenceError(f"columns differ: {one.schema.names} and {other.schema.names}")
    if one.equals(other):
        return
    found = [(row, number) for number in range(one.num_columns) for row in _differing(one[number], other[number])]
    if found:
        row, number = min(found)
        name = one.schema.names[number]
        sides = one[number][row].as_py(), other[number][row].as_py()
        if name == json_texts.LINE:
            name, *shown = json_texts.difference(*sides)
            sides = shown[0], shown[1]
        values = [_shown(side) for side in sides]
        raise EngineDifferenceError(
            f"{_record(one, row, place)}: {name}: {values[0]} column-wise, {values[1]} by the parser",
            hint="one of them is wrong: report it; engine kaitai, the parser, sets the meaning",
        )


def _differing(one: pa.Array, other: pa.Array) -> Iterator[int]:
    """Yield the first row in which two columns differ, if any. NaN equals NaN, and -0.0 differs from 0.0."""
    if pa.types.is_floating(one.type):
        one, other = (array.cast(pa.float64()).view(pa.int64()) for array in (one, other))
    if not one.equals(other):
        pairs = enumerate(zip(one.to_pylist(), other.to_pylist(), strict=True))
        yield from islice((row for row, (left, right) in pairs if repr(left) != repr(right)), 1)


def _record(batch: pa.RecordBatch, row: int, place: int) -> str:
    if "_metadata" in batch.schema.names:
        where = batch.column("_metadata")[row].as_py()
        if where is not None and where.get("record_index") is not None:
            at = where.get("record_offset")
            return f"record {where['record_index']}" + ("" if at is None else f" at {at:#x}")
    return f"row {place + row}"


def _missing(batch: pa.RecordBatch, place: int, where: str) -> EngineDifferenceError:
    return EngineDifferenceError(f"{_record(batch, 0, place)}: is there {where}")


def _shown(value: Any) -> str:
    return value.hex().upper() or "no bytes" if isinstance(value, bytes) else repr(value)
