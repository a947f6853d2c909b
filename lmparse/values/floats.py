"""Floating point: IEEE 754 binary, and IBM's hexadecimal form."""

from __future__ import annotations

import struct
from fractions import Fraction
from math import ldexp

import numpy as np

from lmparse.values.byte_arrays import Bytes, Float64s, as_elements
from lmparse.values.integers import ByteOrder, decode_unsigned_array
from lmparse.values.invalid_values import wrong_width

# IEEE 754


def decode_ieee(raw: bytes, byte_order: ByteOrder = "big") -> float:
    """IEEE 754 binary floating point of 4 or 8 bytes. Raises LMP-V010."""
    layout = _IEEE[byte_order].get(len(raw))
    if layout is None:
        raise wrong_width(raw, "4 or 8 bytes")
    value: float = layout.unpack(raw)[0]
    return value


_IEEE = {
    "big": {4: struct.Struct(">f"), 8: struct.Struct(">d")},
    "little": {4: struct.Struct("<f"), 8: struct.Struct("<d")},
}


def encode_ieee(value: float, width: int, byte_order: ByteOrder = "big") -> bytes:
    """A number as IEEE 754 binary floating point of 4 or 8 bytes."""
    return _IEEE[byte_order][width].pack(value)


def decode_ieee_array(raw: Bytes, byte_order: ByteOrder = "big") -> Float64s:
    """IEEE 754 numbers of 4 or 8 bytes; every row is good. As `decode_ieee`."""
    if raw.shape[1] not in (4, 8):
        raise ValueError(f"a width of {raw.shape[1]}: expected 4 or 8 bytes")
    with np.errstate(invalid="ignore"):  # a signalling NaN of 4 bytes
        return as_elements(raw, f"{'>' if byte_order == 'big' else '<'}f{raw.shape[1]}").astype(np.float64)


# Hexadecimal


def decode_hfp(raw: bytes) -> float:
    """Hexadecimal floating point of 4 or 8 bytes as the nearest float, half to even.

    The bytes hold a sign, a 7-bit power of 16 with excess 64, and a fraction of 24 or 56 bits, which need not be
    normalised. The value of 4 bytes is always exact; 8 bytes have up to 3 bits more than a float. No value overflows
    or underflows a float. A zero fraction keeps its sign. Raises LMP-V010.
    Source: z/Architecture Principles of Operation, SA22-7832, "Hexadecimal-Floating-Point Instructions".
    """
    bits = int.from_bytes(raw, "big")
    if len(raw) == 8:
        value = ldexp(bits & 0xFFFFFFFFFFFFFF, (bits >> 54 & 0x1FC) - 312)
    elif len(raw) == 4:
        value = ldexp(bits & 0xFFFFFF, (bits >> 22 & 0x1FC) - 280)
    else:
        raise wrong_width(raw, "4 or 8 bytes")
    return -value if raw[0] & 0x80 else value


def decode_hfp_array(raw: Bytes) -> Float64s:
    """Hexadecimal floating point of 4 or 8 bytes, equal to `decode_hfp` in every bit; every row is good."""
    width = raw.shape[1]
    if width not in _POWERS:
        raise ValueError(f"a width of {width}: expected 4 or 8 bytes")
    bits = decode_unsigned_array(raw)
    places = np.uint64(8 * width - 8)
    fraction = bits & ((np.uint64(1) << places) - np.uint64(1))
    power = (bits >> places) & np.uint64(0x7F)
    # The conversion rounds, half to even; the product with a power of two is exact.
    value = fraction.view(np.int64).astype(np.float64)
    value *= _POWERS[width].take(power.view(np.int64))
    sign = (bits >> np.uint64(8 * width - 1)) << np.uint64(63)
    return (value.view(np.uint64) | sign).view(np.float64)


def encode_hfp(value: float, width: int = 8) -> bytes:
    """A number as hexadecimal floating point, truncated to `width` bytes."""
    if value == 0:
        return bytes(width)
    fraction, exponent = abs(Fraction(value)), 64
    while fraction >= 1:
        fraction, exponent = fraction / 16, exponent + 1
    while fraction < Fraction(1, 16):
        fraction, exponent = fraction * 16, exponent - 1
    bits = int(fraction * (1 << 8 * (width - 1)))
    return bytes([exponent | (0x80 if value < 0 else 0)]) + bits.to_bytes(width - 1, "big")


_POWERS = {
    4: np.ldexp(1.0, 4 * np.arange(128) - 280),
    8: np.ldexp(1.0, 4 * np.arange(128) - 312),
}
"""Factors of the fraction, taken as an integer, by width in bytes and power of 16."""
