"""Floating point: IEEE 754 binary and decimal, and IBM's hexadecimal form."""

from __future__ import annotations

import struct
from decimal import Decimal
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

    The bytes hold a sign, a 7-bit power of 16 with excess 64, and a fraction of 24 or 56 bits, possibly not normalized.
    4 bytes are always exact; 8 bytes have up to 3 bits more than a float. No value overflows or underflows a float. A
    zero fraction keeps its sign. Raises LMP-V010. Source: z/Architecture Principles of Operation, SA22-7832,
    "Hexadecimal-Floating-Point Instructions".
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


_POWERS = {4: np.ldexp(1.0, 4 * np.arange(128) - 280), 8: np.ldexp(1.0, 4 * np.arange(128) - 312)}
"""Factors of the fraction, taken as an integer, by width in bytes and power of 16."""


# Decimal


def decode_decfloat(raw: bytes) -> str:
    """DECFLOAT of 8 or 16 bytes, most significant byte first, as text: `1.20`, `-4E+7`, `NaN`, `-Infinity`.

    Ten bits hold three digits (densely packed decimal); trailing zeros are kept. Raises LMP-V010.
    Source: IEEE 754-2008, 3.5, decimal encoding. It is inferred that Db2 LUW uses this encoding.
    """
    if len(raw) not in _FORMATS:
        raise wrong_width(raw, "8 or 16 bytes")
    exponent_bits, declets, bias = _FORMATS[len(raw)]
    bits = int.from_bytes(raw, "big")
    sign = "-" if raw[0] & 0x80 else ""
    combination = raw[0] >> 2 & 0x1F
    if combination >= 0b11110:
        if combination == 0b11110:
            return f"{sign}Infinity"
        return f"{sign}sNaN" if raw[0] & 0x02 else f"{sign}NaN"
    # The two highest bits of the exponent and the first digit share five bits.
    high, first = (
        (combination >> 1 & 3, 8 + (combination & 1)) if combination >= 0b11000 else (combination >> 3, combination & 7)
    )
    exponent = (high << exponent_bits | bits >> 10 * declets & (1 << exponent_bits) - 1) - bias
    groups = (f"{_DECLETS[bits >> 10 * place & 0x3FF]:03d}" for place in reversed(range(declets)))
    digits = (str(first) + "".join(groups)).lstrip("0") or "0"
    return str(Decimal(f"{sign}{digits}E{exponent}"))


_FORMATS = {8: (8, 5, 398), 16: (12, 11, 6176)}
"""Bits of the exponent's continuation, groups of three digits, and bias, by width in bytes."""


DECFLOAT_ZERO = {8: bytes.fromhex("2238") + bytes(6), 16: bytes.fromhex("2208") + bytes(14)}
"""DECFLOAT zero with exponent zero, by width, most significant byte first."""


def _declet(bits: int) -> int:
    """Three digits from ten bits. Source: IEEE 754-2008, table 3.3."""
    b = [bits >> place & 1 for place in range(10)]
    high, middle, low = bits >> 7, bits >> 4 & 7, bits & 7
    if not b[3]:
        return 100 * high + 10 * middle + low
    large = [8 + b[7], 8 + b[4], 8 + b[0]]
    kind = b[2] << 1 | b[1]
    if kind == 0b00:
        return 100 * high + 10 * middle + large[2]
    if kind == 0b01:
        return 100 * high + 10 * large[1] + (b[6] << 2 | b[5] << 1 | b[0])
    if kind == 0b10:
        return 100 * large[0] + 10 * middle + (b[9] << 2 | b[8] << 1 | b[0])
    rest = b[6] << 1 | b[5]
    if rest == 0b00:
        return 100 * large[0] + 10 * large[1] + (b[9] << 2 | b[8] << 1 | b[0])
    if rest == 0b01:
        return 100 * large[0] + 10 * (b[9] << 2 | b[8] << 1 | b[4]) + large[2]
    if rest == 0b10:
        return 100 * high + 10 * large[1] + large[2]
    return 100 * large[0] + 10 * large[1] + large[2]


_DECLETS = tuple(map(_declet, range(1 << 10)))
