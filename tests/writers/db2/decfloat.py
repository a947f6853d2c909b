"""DECFLOAT values: IEEE 754-2008 decimal64 and decimal128 with densely packed digits (3.5.2 of the standard).

From the most significant bit: sign (1), combination field (5), exponent continuation (8 or 12), coefficient
continuation in declets of 10 bits (5 or 11), each with three digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

INFINITY, NAN = 0b11110, 0b11111


@dataclass(frozen=True)
class Format:
    """Width in bits, digits of the coefficient, bits of the exponent continuation, and bias."""

    bits: int
    digits: int
    exponent_bits: int
    bias: int


DECIMAL64 = Format(64, 16, 8, 398)
DECIMAL128 = Format(128, 34, 12, 6176)
FORMATS = {16: DECIMAL64, 34: DECIMAL128}


def declet(digits: int) -> int:
    """Ten bits for the three decimal digits of a number below 1000 (table 3.4 of the standard).

    The digits are abcd, efgh, ijkm; a, e and i say which of them are 8 or 9, and these need only their last bit.
    """
    high, middle, low = digits // 100, digits // 10 % 10, digits % 10
    d, h, m = high & 1, middle & 1, low & 1
    bc, fg, jk = high >> 1 & 3, middle >> 1 & 3, low >> 1 & 3
    large = (high >> 3, middle >> 3, low >> 3)
    # The three groups of the result (pqr, stu, wxy without their last bits d, h, m) and the bit v between them.
    groups = {
        (0, 0, 0): (bc, fg, 0, jk),
        (0, 0, 1): (bc, fg, 1, 0b00),
        (0, 1, 0): (bc, jk, 1, 0b01),
        (1, 0, 0): (jk, fg, 1, 0b10),
        (1, 1, 0): (jk, 0b00, 1, 0b11),
        (1, 0, 1): (fg, 0b01, 1, 0b11),
        (0, 1, 1): (bc, 0b10, 1, 0b11),
        (1, 1, 1): (0b00, 0b11, 1, 0b11),
    }
    pq, st, v, wx = groups[large]
    return pq << 8 | d << 7 | st << 5 | h << 4 | v << 3 | wx << 1 | m


def _combination(exponent_high: int, first_digit: int) -> int:
    """Two high bits of the biased exponent and the first digit in five bits."""
    if first_digit < 8:
        return exponent_high << 3 | first_digit
    return 0b11000 | exponent_high << 1 | first_digit & 1


def _special(value: Decimal, form: Format) -> int:
    """Infinity, or NaN whose first exponent bit says signaling; without sign."""
    signaling = value.is_snan()
    combination = INFINITY if value.is_infinite() else NAN
    return (combination << 1 | signaling) << form.bits - 7


def _finite(value: Decimal, form: Format) -> int:
    """Combination field, exponent and coefficient of a finite value, without sign."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    biased = exponent + form.bias
    if len(digits) > form.digits or not 0 <= biased < 3 << form.exponent_bits:
        raise ValueError(f"{value} does not fit DECFLOAT({form.digits}) as it stands")
    text = "".join(map(str, digits)).rjust(form.digits, "0")
    out = _combination(biased >> form.exponent_bits, int(text[0]))
    out = out << form.exponent_bits | biased & (1 << form.exponent_bits) - 1
    for start in range(1, form.digits, 3):
        out = out << 10 | declet(int(text[start : start + 3]))
    return out


def encode(value: Decimal, digits: int) -> bytes:
    """DECFLOAT(16) or DECFLOAT(34), most significant byte first; the exponent is kept, not normalised.

    Raises:
        ValueError: the coefficient or the exponent does not fit.
    """
    form = FORMATS[digits]
    bits = _finite(value, form) if value.is_finite() else _special(value, form)
    return (value.is_signed() << form.bits - 1 | bits).to_bytes(form.bits // 8, "big")
