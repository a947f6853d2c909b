"""Fields of many log records: numbers at one place in each, by the layouts of the specs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lmparse.spec.layout import Field, Layout
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Bytes, Ints, UInt64s
from lmparse.values.integers import ByteOrder

Place = tuple[int, Field]
"""An offset in bytes, and the field that is there."""


@dataclass(frozen=True, eq=False)
class Fields:
    """Reads fields in the byte order of a server."""

    layouts: Mapping[str, Layout]
    byte_order: ByteOrder

    def numbers(self, rows: Bytes, place: Place) -> UInt64s:
        """The unsigned number at a place of n rows of bytes; of several parts, the first is the most significant."""
        offset, field = place
        if field.type is None:
            raw = rows[:, offset : offset + (field.width or 0)]
            return integers.decode_unsigned_array(raw, self.byte_order)
        found = np.zeros(len(rows), np.uint64)
        for part in self.layouts[field.type]:
            shift = np.uint64(8 * (part.width or 0))
            found = found << shift | self.numbers(rows, (offset + (part.offset or 0), part))
        return found

    def numbers_at(self, data: Bytes, starts: Ints, field: Field) -> UInt64s:
        """The number at each of some places of flat `data`, all of which have its bytes."""
        return self.numbers(byte_arrays.take_rows(data, starts, field.width or 0), (0, field))


def places(layout: Layout, width: int, start: int = 0) -> dict[str, Place]:
    """The fields of a part of a record whose conditional fields are there as far as its `width` goes."""
    found: dict[str, Place] = {}
    end = 0
    for field in layout:
        if end + (field.width or 0) > width or field.width is None:
            break
        found[field.id] = start + end, field
        end += field.width
    return found
