"""Unit totals: records, bytes and changes of the transactions in one part of a log, by the column."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from lmparse.db2.changed_rows import PartRows
from lmparse.db2.descriptions_in_force import Descriptions
from lmparse.db2.record_columns import NO_TABLE, table_ids
from lmparse.db2.row_images import RowImages
from lmparse.db2.tables import Ids, Table
from lmparse.framing.windows import Gathered
from lmparse.storage.buffers import Buffer
from lmparse.values.byte_arrays import Flags, Int64s

_ROWS = 1 << 16
"""Rows whose headers are read at a time."""
_NEAR = 1 << 13
"""Bytes between two headers that are read."""
UnitCount = tuple[Ids | None, Table | None, str, bool, int]
"""Ids of the table, its description at the changes, their operation, whether they were taken back, and how many they
are."""


class UnitTotals:
    """The totals of each unit of a part."""

    def __init__(self, held: PartRows, buffer: Buffer, images: RowImages, descriptions: Descriptions) -> None:
        self._held, self._buffer, self._images = held, buffer, images
        self._descriptions = descriptions
        units, members, unit_of = held.units, held.columns.members, held.part.unit_of
        count = len(units)
        every = np.arange(len(members))
        self.first: Int64s = np.zeros(count, np.int64)
        """The first member of each unit; of several, the one that is assigned last stays."""
        self.first[unit_of[::-1]] = every[::-1]
        self.last: Int64s = np.zeros(count, np.int64)
        self.last[unit_of] = every
        self.records: Int64s = np.bincount(unit_of, minlength=count)
        # Sums of whole numbers below 2^53 are exact in floating point.
        self.bytes: Int64s = np.bincount(unit_of, members.length, count).astype(np.int64)

    def counts(self, unit: int) -> Iterator[UnitCount]:
        """The changed rows of a unit, by table, operation and outcome."""
        bounds, tables, which, ops, is_undone, numbers = self._counts
        for place in range(int(bounds[unit]), int(bounds[unit + 1])):
            ids, described = tables[which[place]]
            named = None if ids == NO_TABLE else table_ids(ids)
            yield named, described, ops[place].decode(), bool(is_undone[place]), int(numbers[place])

    @cached_property
    def _counts(self) -> tuple[Int64s, list[tuple[int, Table | None]], Int64s, Int64s, Flags, Int64s]:
        """The place of the first count of each unit, and all tables; then what `counts` gives of each.

        Ids that were used again, or a table that was altered, are several tables.
        """
        held = self._held
        rows = held.rows[self._are_rows(held.rows)]
        tables, table = list[tuple[int, Table | None]](), np.zeros(len(rows), np.int64)
        for described, places in held.versions(rows, self._descriptions):
            table[places] = len(tables)
            tables.append((int(held.columns.rows.ids[rows[places[0]]]), described))
        letters, op = np.unique(held.part.ops[rows], return_inverse=True)
        # Below 2^63: a part has less than 2^22 units, tables, and kinds of changes.
        key = (held.row_unit[rows] * max(len(tables), 1) + table) * max(len(letters), 1) + op
        different, numbers = np.unique(2 * key + held.is_undone[rows], return_counts=True)
        key, is_undone = different >> 1, (different & 1).astype(np.bool_)
        key, op = np.divmod(key, max(len(letters), 1))
        unit, table = np.divmod(key, max(len(tables), 1))
        bounds = np.searchsorted(unit, np.arange(len(held.units) + 1))
        return bounds, tables, table, letters[op], is_undone, numbers

    def _are_rows(self, rows: Int64s) -> Flags:
        """Which changes have a row, or are an error, and not internal records only; as `ChangeDecoder.has_row`."""
        parts = [self._have_row(rows[start : start + _ROWS]) for start in range(0, len(rows), _ROWS)]
        return np.concatenate([np.zeros(0, np.bool_), *parts])

    def _have_row(self, rows: Int64s) -> Flags:
        held = self._held.columns.rows
        found = np.zeros(len(rows), np.bool_)
        for starts, lengths in (
            (held.before[rows], held.before_length[rows]),
            (held.after[rows], held.after_length[rows]),
        ):
            has = np.flatnonzero(starts >= 0)
            width = np.minimum(lengths[has], self._images.header_width)
            gathered = Gathered(self._buffer, starts[has], width, _NEAR)
            is_internal, _ = self._images.internal(gathered.data, gathered.places(starts[has]), lengths[has])
            found[has] |= ~is_internal
        return found
