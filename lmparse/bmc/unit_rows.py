"""Unit rows: what many records say of units of recovery, as rows of fixed width that are merged by unit.

Rows with the same key are merged whenever their number has doubled, so that memory goes by the number of units, and
time by that of records.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from lmparse.limits import Held
from lmparse.values.byte_arrays import Int64s, Ints

Rows = npt.NDArray[np.void]
"""A structured array: UNITS or COUNTS."""
KEY_WIDTH, POSITION_WIDTH = 12, 10
"""Bytes of member and RBA of a unit, and of a position."""
_KEY = ("key", f"S{KEY_WIDTH}")
"""Member and RBA of the unit."""
_POSITION = f"S{POSITION_WIDTH}"
UNITS = np.dtype([
    _KEY, ("first_index", "i8"), ("first_offset", "i8"), ("first_length", "i8"), ("first_position", _POSITION),
    ("commit", _POSITION), ("state", "i8"), ("last_index", "i8"), ("last_offset", "i8"), ("last_position", _POSITION),
    ("records", "i8"), ("bytes", "i8"), ("states", "i8"), ("is_broken", "i8"),
])  # fmt: skip
"""What records say of one unit. Up to `state` of its first record in the file, `last_` of its last one; `states` has a
bit for each outcome that records of it state."""
COUNTS = np.dtype([_KEY, ("what", "i8"), ("number", "i8")])
"""Number of changes of one unit; `what` is made of table, operation and outcome."""
_LEAST = 1 << 16
"""Rows that are always held."""
_SORTING = 3
"""Times the bytes of rows that merging them takes."""


def merged_units(rows: Rows) -> Rows:
    """One row for each unit, from rows in any order."""
    rows = rows[np.lexsort((rows["first_index"], rows["key"]))]
    starts = _starts(rows["key"])
    found: Rows = rows[starts]
    if not len(found):
        return found
    last = np.maximum.reduceat(rows["last_index"], starts)
    which = rows[rows["last_index"] == np.repeat(last, np.diff(np.append(starts, len(rows))))]
    for name in ("last_index", "last_offset", "last_position"):
        found[name] = which[name]
    for name in ("records", "bytes"):
        found[name] = np.add.reduceat(rows[name], starts)
    for name in ("states", "is_broken"):
        found[name] = np.bitwise_or.reduceat(rows[name], starts)
    return found


def merged_counts(rows: Rows) -> Rows:
    """One row for each unit and kind of change."""
    rows = rows[np.lexsort((rows["what"], rows["key"]))]
    starts = _starts(rows["key"], rows["what"])
    found: Rows = rows[starts]
    if len(found):
        found["number"] = np.add.reduceat(rows["number"], starts)
    return found


def _starts(*keys: Ints) -> Int64s:
    """Places of the first rows of each key, among sorted ones."""
    count = len(keys[0])
    is_first = np.zeros(count, np.bool_)
    is_first[:1] = True
    for key in keys:
        is_first[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(is_first)


class MergedRows:
    """Rows that are merged whenever their number has doubled."""

    def __init__(self, dtype: np.dtype[np.void], merge: Callable[[Rows], Rows], held: Held) -> None:
        self._merge, self._held = merge, held
        self._merged: Rows = np.zeros(0, dtype)
        self._parts: list[Rows] = []
        self._waiting = 0

    def add(self, rows: Rows) -> None:
        """Add rows; they are merged among themselves first."""
        rows = self._merge(rows)
        self._held.take(_SORTING * rows.nbytes)
        self._parts.append(rows)
        self._waiting += len(rows)
        if self._waiting > max(len(self._merged), _LEAST):
            self.rows()

    def rows(self) -> Rows:
        """All rows merged."""
        before = self._merged.nbytes + sum(part.nbytes for part in self._parts)
        self._merged = self._merge(np.concatenate([self._merged, *self._parts]))
        self._parts, self._waiting = [], 0
        self._held.give(_SORTING * (before - self._merged.nbytes))
        return self._merged
