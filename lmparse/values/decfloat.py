"""Decimal floating point."""

from __future__ import annotations

from decimal import Decimal

from lmparse.values.invalid_values import wrong_width


def decode(raw: bytes) -> str:
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


ZERO = {8: bytes.fromhex("2238") + bytes(6), 16: bytes.fromhex("2208") + bytes(14)}
"""Zero with exponent zero, by width, most significant byte first."""


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
