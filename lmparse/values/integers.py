"""Two's complement and unsigned integers in binary."""

from __future__ import annotations

from typing import Literal

import numpy as np

from lmparse.values.byte_arrays import Bytes, Int64s, UInt64s, as_elements, width_of
from lmparse.values.invalid_values import wrong_width

ByteOrder = Literal["big", "little"]


def decode(raw: bytes, width: int, byte_order: ByteOrder) -> int:
    """Two's complement integer of `width` bytes. Raises LMP-V010."""
    if len(raw) != width:
        raise wrong_width(raw, f"{width} bytes")
    return int.from_bytes(raw, byte_order, signed=True)


def decode_unsigned_array(raw: Bytes, byte_order: ByteOrder = "big") -> UInt64s:
    """Unsigned integers of 1 to 8 bytes, as `int.from_bytes(row, byte_order)`; every row is good."""
    width = width_of(raw, 8)
    order = ">" if byte_order == "big" else "<"
    step = 1 << width.bit_length() - 1  # bytes of the widest integer that NumPy can read at once
    first = as_elements(raw[:, :step], f"{order}u{step}").astype(np.uint64)
    if step == width:
        return first
    last = as_elements(raw[:, width - step :], f"{order}u{step}").astype(np.uint64)
    # The two reads may overlap in equal bytes.
    shift = np.uint64(8 * (width - step))
    return (first << shift) | last if byte_order == "big" else first | (last << shift)


def decode_signed_array(raw: Bytes, byte_order: ByteOrder = "big") -> Int64s:
    """Two's complement integers of 1 to 8 bytes, as `int.from_bytes(..., signed=True)`; every row is good."""
    width = width_of(raw, 8)
    if width in (1, 2, 4, 8):
        return as_elements(raw, f"{'>' if byte_order == 'big' else '<'}i{width}").astype(np.int64)
    unused = 64 - 8 * width
    return (decode_unsigned_array(raw, byte_order) << np.uint64(unused)).view(np.int64) >> unused


def join_rid6(raw: bytes, is_little: bool) -> bytes:
    """A Db2 LUW row id of 48 bits, most significant byte first, from its three half-words."""
    return raw[4:] + raw[2:4] + raw[:2] if is_little else raw
