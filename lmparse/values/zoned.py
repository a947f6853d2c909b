"""Zoned decimals: one digit in each byte, and the sign in the zone of the first or last digit, or in a separate byte.

In EBCDIC a digit is X'F0' to X'F9', and the byte with the sign has a sign half byte in place of the zone F, as in
packed decimals. In ASCII a digit is X'30' to X'39'. The ASCII byte with the sign is a digit (plus), one of `{ABCDEFGHI`
(plus) or `}JKLMNOPQR` (minus), which are the characters of EBCDIC's bytes, or one of `pqrstuvwxy` (minus), as ASCII
compilers write. Separate signs are `+` and `-`. Source: z/Architecture Principles of Operation, SA22-7832,
"Decimal-Number Formats"; Enterprise COBOL for z/OS Programming Guide, "Examples: numeric data and internal
representation".
"""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lmparse.errors import InvalidValueError
from lmparse.values.byte_arrays import Bytes
from lmparse.values.codepages import CodePage
from lmparse.values.invalid_values import invalid_value, text_hint

_PLUS, _MINUS, _UNSIGNED = 0xC, 0xD, 0xF
"""Sign half bytes."""
_NO_DIGIT = 0xF


class Style(NamedTuple):
    """The place of the sign."""

    is_leading: bool
    """In the first byte, not in the last byte."""
    is_separate: bool
    """In a separate byte."""


STYLES = {
    "zoned": Style(is_leading=False, is_separate=False),
    "zoned-leading": Style(is_leading=True, is_separate=False),
    "zoned-separate": Style(is_leading=False, is_separate=True),
    "zoned-leading-separate": Style(is_leading=True, is_separate=True),
}
"""Styles by kind word."""


class Zones:
    """The meaning of each byte in a group of code pages."""

    def __init__(self, zero: int, signed: dict[int, int], signs: dict[int, int]) -> None:
        self.digits = bytes(byte - zero if zero <= byte < zero + 10 else _NO_DIGIT for byte in range(256))
        """The digit of each byte; X'0F' for a byte that is no digit."""
        self.signed = bytes(signed.get(byte, 0) for byte in range(256))
        """Digit and sign half byte of each byte that may have a sign in its zone; 0 for other bytes."""
        self.signs = bytes(signs.get(byte, 0) for byte in range(256))
        """Sign half byte of each byte that is a sign; 0 for other bytes."""

    @cached_property
    def to_text(self) -> bytes:
        """For `bytes.translate`: ASCII digits, and `?` for other bytes."""
        return bytes(b"0123456789"[digit] if digit < 10 else ord("?") for digit in self.digits)


_EBCDIC = Zones(
    0xF0,
    {zone << 4 | digit: digit << 4 | zone for zone in range(0xA, 0x10) for digit in range(10)},
    {0x4E: _PLUS, 0x60: _MINUS},
)
_ASCII = Zones(
    0x30,
    {
        byte: digit << 4 | sign
        for chars, sign in (
            (b"0123456789", _UNSIGNED),
            (b"{ABCDEFGHI", _PLUS),
            (b"}JKLMNOPQR", _MINUS),
            (b"pqrstuvwxy", _MINUS),
        )
        for digit, byte in enumerate(chars)
    },
    {ord("+"): _PLUS, ord("-"): _MINUS},
)
_FAMILIES = {b"\xf0\xf9\x4e\x60": _EBCDIC, b"09+-": _ASCII}
"""Zones by the bytes of `09+-`."""


def maybe_zones(page: CodePage) -> Zones | None:
    """The zones of a code page; None if the page has digits of several bytes (UTF-16)."""
    return _FAMILIES.get(page.encode("09+-"))


def decode(raw: bytes, style: Style, zones: Zones) -> Decimal:
    """Zoned decimal of any length, without digits behind the point. Minus zero is zero. Raises LMP-V008."""
    sign_byte, body = (raw[:1], raw[1:]) if style.is_leading else (raw[-1:], raw[:-1])
    sign = sign_byte.translate(zones.signs if style.is_separate else zones.signed)
    digits = body.translate(zones.to_text).decode("ascii")
    if not style.is_separate:
        own = str(sign[0] >> 4) if sign else ""
        digits = own + digits if style.is_leading else digits + own
    if not digits.isdigit() or not sign[0]:
        raise _bad(raw, style, zones)
    value = Decimal(digits)
    return value.copy_negate() if sign[0] & 0xF in (0xB, _MINUS) and value else value


def _bad(raw: bytes, style: Style, zones: Zones) -> InvalidValueError:
    if len(raw) <= style.is_separate:
        return invalid_value("LMP-V008", "zoned decimal", f"{len(raw)} bytes", raw)
    at = 0 if style.is_leading else len(raw) - 1
    signs, word = (zones.signs, "sign") if style.is_separate else (zones.signed, "digit with sign")
    is_good = (signs[byte] if place == at else zones.digits[byte] < 10 for place, byte in enumerate(raw))
    place = next(place for place, good in enumerate(is_good) if not good)
    found = f"byte {place + 1} is 0x{raw[place]:02X}, not a {word if place == at else 'digit'}"
    return invalid_value("LMP-V008", "zoned decimal", found, raw, text_hint(raw))


def to_packed_array(raw: Bytes, style: Style, zones: Zones) -> Bytes:
    """Zoned decimals as packed decimals; wrong digits and signs become half bytes that are wrong, too."""
    width = raw.shape[1]
    digits = np.frombuffer(zones.digits, np.uint8).take(raw)
    at = 0 if style.is_leading else width - 1
    signed = np.frombuffer(zones.signs if style.is_separate else zones.signed, np.uint8).take(raw[:, at])
    if style.is_separate:
        digits = digits[:, 1:] if style.is_leading else digits[:, :-1]
    else:
        # A byte without a sign is 0 here, so its sign half byte is wrong.
        digits[:, at] = signed >> 4
    return packed_of(digits, signed & np.uint8(0xF))


def packed_of(digits: Bytes, signs: Bytes) -> Bytes:
    """Packed decimals from one half byte for each digit (n, digits), and n sign half bytes."""
    count, most = digits.shape
    halves = np.zeros((count, most // 2 * 2 + 2), np.uint8)
    halves[:, -most - 1 : -1] = digits
    halves[:, -1] = signs
    return (halves[:, 0::2] << np.uint8(4)) | halves[:, 1::2]


def encode(value: int, width: int, style: Style, zones: Zones) -> bytes:
    """A whole number as zoned decimal of `width` bytes. Raises OverflowError for too many digits."""
    digits = str(abs(value)).rjust(width - style.is_separate, "0")
    if len(digits) > width - style.is_separate:
        raise OverflowError(f"{value} has more digits than {width} bytes")
    sign = _MINUS if value < 0 else _PLUS
    plain = bytes(zones.digits.index(int(digit)) for digit in digits)
    if style.is_separate:
        own = bytes([zones.signs.index(sign)])
        return own + plain if style.is_leading else plain + own
    if style.is_leading:
        return bytes([zones.signed.index(int(digits[0]) << 4 | sign)]) + plain[1:]
    return plain[:-1] + bytes([zones.signed.index(int(digits[-1]) << 4 | sign)])
