"""Widths: how many changes are held at a time. A row may be a few bytes in a log and wide in memory and as text.

A table may have thousands of columns, which short rows lack, and names of any length, which JSON repeats in each row.
"""

from __future__ import annotations

from collections.abc import Iterable

from lmparse.changes.change import Version
from lmparse.framing.windows import MAX_RECORDS

MOST_VALUES = 1 << 20
"""Most values that are held at a time: those of MAX_RECORDS rows of 128 columns."""
_NAME_LENGTH = 32
"""Characters of a name that count as one more value."""


def width(version: Version) -> int:
    """How many values a row of a table counts as."""
    return sum(1 + len(column.name) // _NAME_LENGTH for column in version.columns)


def rows_together(versions: Iterable[Version]) -> int:
    """Most rows that are held at a time, of whichever of some tables."""
    return max(1, min(MAX_RECORDS, MOST_VALUES // max(1, max(map(width, versions), default=1))))
