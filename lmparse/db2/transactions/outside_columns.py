"""Outside columns: LOB values that are stored outside of their rows, for many rows at a time.

The pieces of a value are copied in the order of their addresses, and the values of a column one behind the other.
`lob_values` reads the values that need more: a piece is not logged or missing, the value grew, or rows cannot be told
apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lmparse.db2.record.record_table import RecordTable
from lmparse.db2.tables.table import Column
from lmparse.framing.windows import Gathered
from lmparse.storage.buffers import Buffer
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

_FURTHEST = np.uint64(1 << 62)
"""Address that no piece has. Below it, addresses and lengths add up in 64 bits."""
_COLUMN_BITS = 16
"""Bits of the number of a column in a record."""


@dataclass(frozen=True, eq=False)
class OutsideColumn:
    """The values of one column in some rows, as places in flat data."""

    begins: Int64s
    sizes: Int64s
    is_there: Flags
    is_lacking: Flags
    """Rows whose value is not in the log. Rows that are neither there nor lacking are irregular."""


@dataclass(frozen=True, eq=False)
class OutsideRows:
    """The outside values of some after images. A row is known by the offset at which it begins."""

    data: Bytes
    starts: Int64s
    columns: Mapping[str, OutsideColumn]
    """By the name of the column."""

    def of(self, column: str, starts: Int64s) -> OutsideColumn:
        """The values of a column in rows that begin at some offsets. A before image has none in the log."""
        order = np.argsort(self.starts, kind="stable")
        held = self.columns[column]
        if not len(order):
            nothing = np.zeros(len(starts), np.int64)
            return OutsideColumn(nothing, nothing, nothing > 0, nothing == 0)
        place = order[np.minimum(np.searchsorted(self.starts, starts, sorter=order), len(order) - 1)]
        is_after = self.starts[place] == starts
        return OutsideColumn(
            held.begins[place], held.sizes[place], held.is_there[place] & is_after, held.is_lacking[place] | ~is_after
        )


class OutsidePieces:
    """The pieces of one part of a log, by row and column."""

    def __init__(self, columns: RecordTable, piece_rows: Int64s, irregular: Flags) -> None:
        self._columns = columns
        pieces, rows = columns.pieces, columns.rows
        order = np.lexsort((pieces.address, pieces.column, piece_rows))
        self._order = order[piece_rows[order] >= 0]
        keys = _key(piece_rows[self._order], pieces.column[self._order])
        self._keys, self._first, self._counts = np.unique(keys, return_index=True, return_counts=True)
        """Of each value: row and column as a key, its first piece in `_order`, and its number of pieces."""
        length, address = pieces.length[self._order], pieces.address[self._order]
        fits = pieces.has_data[self._order] & (address < _FURTHEST)
        goes_on = np.append(True, address[1:] == address[:-1] + length[:-1].astype(np.uint64))[: len(address)]
        goes_on[self._first] = True
        ends = np.append(0, np.cumsum(length))
        self._sizes = ends[self._first + self._counts] - ends[self._first]
        bad = np.append(0, np.cumsum(~(fits & goes_on)))
        self._is_whole = bad[self._first + self._counts] == bad[self._first]
        first_row = np.arange(len(rows)) - rows.number
        is_shared = (rows.number > 0) | np.append(rows.member[1:] == rows.member[:-1], False)[: len(rows)]
        self._irregular: Flags = irregular | (is_shared & np.isin(first_row, piece_rows))

    def row_bytes(self, rows: Int64s) -> Int64s:
        """Bytes of the pieces of each row."""
        totals = np.bincount(self._keys >> _COLUMN_BITS, weights=self._sizes, minlength=len(self._columns.rows)).astype(
            np.int64
        )
        found: Int64s = totals[rows]
        return found

    def of(self, buffer: Buffer, rows: Int64s, starts: Int64s, columns: Sequence[Column]) -> OutsideRows:
        """The values of some columns in some rows. The rows begin at `starts` in flat data."""
        from lmparse.columnar import json_texts  # reading rows one by one needs no Arrow

        values = {column.name: self._values(rows, column) for column in columns}
        sizes = [self._sizes[numbers[numbers >= 0]].sum() for numbers in values.values()]
        if sum(sizes) > json_texts.MOST_BYTES:
            none = np.zeros(len(rows), np.bool_)
            nothing = OutsideColumn(np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64), none, none)
            return OutsideRows(np.zeros(0, np.uint8), starts, dict.fromkeys(values, nothing))
        every = np.concatenate([np.zeros(0, np.int64), *(numbers[numbers >= 0] for numbers in values.values())])
        found, ends = {}, np.append(0, np.cumsum(self._sizes[every]))
        reached = 0
        for name, numbers in values.items():
            has = numbers >= 0
            begins, lengths = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
            count = int(np.count_nonzero(has))
            begins[has] = ends[reached : reached + count]
            lengths[has] = self._sizes[numbers[has]]
            found[name] = OutsideColumn(begins, lengths, has, (numbers == _LACKING) & ~self._irregular[rows])
            reached += count
        return OutsideRows(self._data(buffer, every), starts, found)

    def _values(self, rows: Int64s, column: Column) -> Int64s:
        """The number of the value of a column in each row; _LACKING or _IRREGULAR in rows without one."""
        wanted = _key(rows, column.number - 1)
        if not len(self._keys):
            return np.full(len(rows), _LACKING)
        place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        has = self._keys[place] == wanted
        is_regular = has & self._is_whole[place] & ~self._irregular[rows]
        found: Int64s = np.where(is_regular, place, np.where(has, _IRREGULAR, _LACKING))
        return found

    def _data(self, buffer: Buffer, values: Int64s) -> Bytes:
        """The bytes of some values one behind the other."""
        import pyarrow as pa

        from lmparse.columnar import arrays

        counts = self._counts[values]
        ends = np.cumsum(counts)
        places = np.repeat(self._first[values] - ends + counts, counts) + np.arange(int(counts.sum()))
        pieces, members = self._columns.pieces, self._columns.members
        numbers = self._order[places]
        record, lengths = pieces.member[numbers], pieces.length[numbers]
        starts = members.offset[record] + members.length[record] - lengths  # the data end the record
        gathered = Gathered(buffer, starts, lengths)
        order = np.argsort(starts, kind="stable")
        held = arrays.ragged_binary(gathered.data, gathered.places(starts)[order], lengths[order])
        if len(order) and not (np.diff(order) == 1).all():
            held = held.take(pa.array(np.argsort(order)))
        data = held.buffers()[2]
        return np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)


_LACKING, _IRREGULAR = -1, -2


def _key(rows: Int64s, column: Int64s | int) -> Int64s:
    found: Int64s = rows << _COLUMN_BITS | column
    return found
