"""Decimals and hexadecimal floats by the manuals' rules, one value at a time. Shares nothing with lmparse.

z/Architecture Principles of Operation, "Decimal-Number Formats" and "Hexadecimal-Floating-Point Instructions".
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

KINDS = ("packed", "bcd", "zoned", "zoned-leading", "zoned-separate", "zoned-leading-separate", "decimaltext", "hfp")
_ASCII_SIGNS = {
    **{ord(char): (digit, 1) for digit, char in enumerate("0123456789")},
    **{ord(char): (digit, 1) for digit, char in enumerate("{ABCDEFGHI")},
    **{ord(char): (digit, -1) for digit, char in enumerate("}JKLMNOPQR")},
    **{ord(char): (digit, -1) for digit, char in enumerate("pqrstuvwxy")},
}


class BadNumberError(Exception):
    """Bytes that are not a number of their kind."""


def read(kind: str, raw: bytes, codec: str) -> int | float | None:
    """The number without a scale; None for blanks in text."""
    if kind == "hfp":
        return _hexadecimal(raw)
    if kind == "decimaltext":
        try:
            return _text(raw.decode(codec))
        except UnicodeDecodeError:
            raise BadNumberError from None
    if kind in ("packed", "bcd"):
        halves = [half for byte in raw for half in divmod(byte, 16)]
        sign = _sign(halves.pop()) if kind == "packed" and halves else 1
        return sign * _digits(halves, 38)
    is_ascii = "0".encode(codec) == b"0"
    cut = list(raw) if "leading" not in kind else [*raw[1:], *raw[:1]]
    if not cut:
        raise BadNumberError
    *plain, last = cut
    zone = 3 if is_ascii else 15
    digits = [byte - 16 * zone for byte in plain]
    if kind.endswith("separate"):
        plus, minus = "+-".encode(codec)
        if last not in (plus, minus):
            raise BadNumberError
        return _digits(digits) * (1 if last == plus else -1)
    if is_ascii:
        if last not in _ASCII_SIGNS:
            raise BadNumberError
        digit, sign = _ASCII_SIGNS[last]
    else:
        digit, sign = last % 16, _sign(last // 16)
    return sign * _digits([digit, *digits] if "leading" in kind else [*digits, digit])


def with_scale(value: Any, scale: int) -> Any:
    """A number with digits behind the point as text; a whole one unchanged."""
    if value is None or not scale:
        return value
    with localcontext(prec=80):
        return format(Decimal(value) / Decimal(10) ** scale + Decimal((0, (0,), -scale)), "f")


def _digits(halves: list[int], most: int = 99) -> int:
    total = 0
    if not halves:
        raise BadNumberError
    for half in halves:
        if not 0 <= half <= 9:
            raise BadNumberError
        total = 10 * total + half
    if total >= 10**most:
        raise BadNumberError
    return total


def _sign(half: int) -> int:
    if half < 10:
        raise BadNumberError
    return -1 if half in (11, 13) else 1


def _text(text: str) -> int | None:
    text = text.strip(" ")
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not text:
        return None
    if not digits or any(char not in "0123456789" for char in digits) or len(digits) > 31:
        raise BadNumberError
    return int(text)


def _hexadecimal(raw: bytes) -> float:
    if len(raw) not in (4, 8):
        raise BadNumberError
    fraction = Fraction(int.from_bytes(raw[1:], "big"), 1 << 8 * (len(raw) - 1))
    value = float(fraction * Fraction(16) ** (raw[0] % 128 - 64))
    return -value if raw[0] >= 128 else value
