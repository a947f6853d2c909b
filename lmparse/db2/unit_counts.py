"""Unit counts: the changed rows of the units of a log by table, operation and outcome, counted by the column."""

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


class UnitCounts:
    """The changed rows of each unit."""

    def __init__(self, buffer: Buffer, images: RowImages, descriptions: Descriptions) -> None:
        self._buffer, self._images, self._descriptions = buffer, images, descriptions
        self._tables: list[tuple[int, Table | None]] = []
        self._found: list[Int64s] = []
        """Of each count: unit, number of the table, operation, whether it was taken back, and how many; (5, n)."""

    def add(self, part: PartRows) -> None:
        """Count the rows of the next part. Ids that are used again, or a table that is altered, are several tables."""
        rows = part.rows[self._are_rows(part, part.rows)]
        table = np.zeros(len(rows), np.int64)
        first = len(self._tables)
        for described, places in part.versions(rows, self._descriptions):
            table[places] = len(self._tables) - first
            self._tables.append((int(part.columns.rows.ids[rows[places[0]]]), described))
        op = part.ops[rows].view(np.uint8).astype(np.int64)
        # Below 2^63: a part has less than 2^22 units and tables.
        key = (part.row_unit[rows] << 32 | table) << 8 | op
        different, counts = np.unique(2 * key + part.is_undone[rows], return_counts=True)
        key = different >> 1
        unit, table = part.unit_numbers[key >> 40], (key >> 8 & 0xFFFFFFFF) + first
        self._found.append(np.stack([unit, table, key & 0xFF, different & 1, counts]))

    def of(self, unit: int) -> Iterator[UnitCount]:
        """The changed rows of a unit, by table, operation and outcome."""
        units, found = self._counts
        low, high = np.searchsorted(units, (unit, unit + 1))
        for _, table, op, is_undone, number in found[:, low:high].T.tolist():
            ids, described = self._tables[table]
            yield None if ids == NO_TABLE else table_ids(ids), described, chr(op), bool(is_undone), number

    @cached_property
    def _counts(self) -> tuple[Int64s, Int64s]:
        """The units of all counts, ascending, and the counts."""
        found = np.concatenate([np.zeros((5, 0), np.int64), *self._found], axis=1)
        found = found[:, np.argsort(found[0], kind="stable")]
        return found[0], found

    def _are_rows(self, part: PartRows, rows: Int64s) -> Flags:
        """Which changes have a row, or are an error, and not internal records only; as `ChangeDecoder.has_row`."""
        parts = [self._have_row(part, rows[start : start + _ROWS]) for start in range(0, len(rows), _ROWS)]
        return np.concatenate([np.zeros(0, np.bool_), *parts])

    def _have_row(self, part: PartRows, rows: Int64s) -> Flags:
        held = part.columns.rows
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
