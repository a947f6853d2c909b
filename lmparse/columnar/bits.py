"""Bits: fields of some bits of many objects at once."""

from __future__ import annotations

import numpy as np

from lmparse.columnar.cursors import Stream
from lmparse.columnar.expressions import Vector
from lmparse.columnar.objects import Numbers
from lmparse.spec.layout import Field
from lmparse.values.byte_arrays import Int64s, UInt64s


def bit_field(stream: Stream, entry: Field) -> Numbers:
    """A number of some bits: the first ones of a byte are its highest, or its lowest where `endian` is `le`."""
    width = entry.bits or 0
    begin = stream.take_bits(width, entry.endian)
    start, bits, data = begin.array, begin.bits, stream.data
    found: UInt64s = np.zeros(len(start), np.uint64)
    # Up to nine bytes: each gives those of its bits that are in the number.
    for number in range(-(-(int(np.max(bits)) + width) // 8)):
        byte = data[np.minimum(start + number, len(data) - 1)].astype(np.uint64)
        found |= _moved(byte, 8 * number - bits if entry.endian == "le" else width + bits - 8 * (number + 1))
    if width < 64:
        found &= np.uint64((1 << width) - 1)
    if entry.kind == "boolean":
        return Numbers(Vector(found != 0), entry, len(start))
    return Numbers(Vector(found if width == 64 else found.view(np.int64)), entry, len(start))


def _moved(byte: UInt64s, places: int | Int64s) -> UInt64s:
    """Bytes moved to higher places, or to lower ones where `places` is below zero."""
    if not isinstance(places, np.ndarray):
        return byte << np.uint64(places) if places >= 0 else byte >> np.uint64(-places)
    up, down = (np.clip(one, 0, 63).astype(np.uint64) for one in (places, -places))
    found: UInt64s = np.where(places < 64, byte << up >> down, 0)
    return found
