"""Bit fields of many objects at once."""

from __future__ import annotations

import numpy as np

from lmparse.columnar.cursors import Stream
from lmparse.columnar.expressions import Vector
from lmparse.columnar.objects import Numbers
from lmparse.spec.layout import Field
from lmparse.values.byte_arrays import Int64s, UInt64s


def bit_field(stream: Stream, entry: Field) -> Numbers:
    """The values of a bit field. A byte gives its highest bits first, or its lowest bits where `endian` is `le`."""
    width = entry.bits or 0
    begin = stream.take_bits(width, entry.endian)
    start, bits, data = begin.array, begin.bits, stream.data
    found: UInt64s = np.zeros(len(start), np.uint64)
    # A field of 64 bits spans up to nine bytes; each byte adds its part of the number.
    for number in range(-(-(int(np.max(bits)) + width) // 8)):
        byte = data[np.minimum(start + number, len(data) - 1)].astype(np.uint64)
        found |= _shifted(byte, 8 * number - bits if entry.endian == "le" else width + bits - 8 * (number + 1))
    if width < 64:
        found &= np.uint64((1 << width) - 1)
    if entry.kind == "boolean":
        return Numbers(Vector(found != 0), entry, len(start))
    return Numbers(Vector(found if width == 64 else found.view(np.int64)), entry, len(start))


def _shifted(byte: UInt64s, places: int | Int64s) -> UInt64s:
    """The bytes shifted left by `places` bits, or shifted right where `places` is negative."""
    if not isinstance(places, np.ndarray):
        return byte << np.uint64(places) if places >= 0 else byte >> np.uint64(-places)
    up, down = (np.clip(one, 0, 63).astype(np.uint64) for one in (places, -places))
    found: UInt64s = np.where(places < 64, byte << up >> down, 0)
    return found
