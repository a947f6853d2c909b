"""Decimal numbers: packed, and as digits in text.

Every function of one value is exact and independent of the decimal context.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Any

import numpy as np

from lmparse.values import texts
from lmparse.values.byte_arrays import Bytes, Flags, Int64s, UInt64s, width_of
from lmparse.values.codepages import CodePage
from lmparse.values.integers import decode_unsigned_array
from lmparse.values.invalid_values import bad_digit, invalid_value, text_hint

# Packed


def decode_packed(raw: bytes, scale: int, precision: int | None = None) -> Decimal:
    """Packed decimal of any length, with `scale` digits behind the point, all kept.

    The sign half bytes C, A, F and E mean plus, D and B minus; minus zero is zero. Raises LMP-V002, also above
    `precision` digits: the bytes of an even precision have room for one digit more. Source: z/Architecture Principles
    of Operation, SA22-7832, "Decimal-Number Formats".
    """
    halves = raw.hex()
    digits, sign = halves[:-1], halves[-1:]
    if not digits.isdigit() or sign not in "abcdef":
        found = "0 bytes" if not raw else f"sign 0x{sign.upper()}" if digits.isdigit() else bad_digit(digits)
        raise invalid_value("LMP-V002", "packed decimal", found, raw, text_hint(raw))
    if precision is not None and len(digits) > precision and digits[:-precision].strip("0"):
        found = f"{len(digits.lstrip('0'))} digits"
        raise invalid_value("LMP-V002", f"at most {precision} digits", found, raw)
    if sign in "db":
        value = Decimal(f"-{digits}E-{scale}")
        return value if value else value.copy_abs()
    return Decimal(f"{digits}E-{scale}")


def decode_packed_array(raw: Bytes) -> tuple[Int64s, Flags]:
    """Packed decimal of 1 to 10 bytes as unscaled integers, and `bad`. As `decode_packed(row, 0)`.

    A value of more than 18 digits is bad.
    """
    width = width_of(raw, 10)
    last = decode_unsigned_array(raw[:, -8:])
    bad, is_negative = _signs(last)
    value = _from_packed(last >> np.uint64(4))
    if width > 8:
        first = decode_unsigned_array(raw[:, :-8])
        bad |= has_no_digit(first)
        if width == 10:
            bad |= first > np.uint64(0xFFF)
        value += _from_packed(first) * np.uint64(10**15)
    number = value.view(np.int64)
    np.negative(number, out=number, where=is_negative)
    number[bad] = 0
    return number, bad


def decode_packed_array128(raw: Bytes) -> tuple[UInt64s, Flags]:
    """Packed decimal of 1 to 20 bytes as unscaled integers of 128 bits, and `bad`.

    The values are of shape (n, 2), least significant word first, two's complement: in memory the data of an
    Arrow decimal128. As `decode_packed(row, 0)`. A value of more than 38 digits is bad.
    """
    width = width_of(raw, 20)
    last = decode_unsigned_array(raw[:, -8:])
    bad, is_negative = _signs(last)
    low = _from_packed(last >> np.uint64(4))
    high = np.zeros_like(low)
    if width > 8:
        middle = decode_unsigned_array(raw[:, -16:-8])
        bad |= has_no_digit(middle)
        low, high = _add(low, high, *_multiply(_from_packed(middle), 10**15))
    if width > 16:
        first = decode_unsigned_array(raw[:, :-16])
        bad |= has_no_digit(first)
        if width == 20:
            bad |= first > np.uint64(0xFFFFFFF)
        low, high = _add(low, high, *_multiply(_from_packed(first), 10**31))
    sign = -is_negative.astype(np.int64)
    mask = sign.view(np.uint64)
    words = np.empty((len(raw), 2), "<u8")
    # Negated where the mask is all ones: the complement, plus one, whose carry reaches the high word from 0 only.
    words[:, 0] = (low ^ mask) - mask
    words[:, 1] = (high ^ mask) + (is_negative & (low == 0))
    words[bad] = 0
    return words, bad


def encode_packed(value: Decimal, width: int, scale: int) -> bytes:
    """A number as packed decimal of `width` bytes with `scale` digits behind the point.

    Raises OverflowError for too many digits, in front of the point or behind it.
    """
    whole = unscaled(value, scale)
    digits = str(abs(whole)).rjust(2 * width - 1, "0")
    if len(digits) > 2 * width - 1:
        raise OverflowError(f"{value} has more digits than {width} bytes")
    return bytes.fromhex(digits + ("d" if whole < 0 else "c"))


def decode_bcd(raw: bytes) -> Decimal:
    """Packed digits without a sign, none of them behind the point. Raises LMP-V002."""
    halves = raw.hex()
    if not halves.isdigit():
        found = bad_digit(halves) if raw else "0 bytes"
        raise invalid_value("LMP-V002", "packed digits without a sign", found, raw, text_hint(raw))
    return Decimal(halves)


def bcd_to_packed_array(raw: Bytes) -> Bytes:
    """Packed digits without a sign as packed decimals: half bytes move by one, and a sign follows."""
    count, width = raw.shape
    packed = np.empty((count, width + 1), np.uint8)
    packed[:, :-1] = raw >> 4
    packed[:, -1] = 0xC
    packed[:, 1:] |= raw << 4
    return packed


def encode_bcd(value: int, width: int) -> bytes:
    """A whole number without a sign as packed digits. Raises OverflowError if the number does not fit."""
    digits = str(value).rjust(2 * width, "0")
    if value < 0 or len(digits) > 2 * width:
        raise OverflowError(f"{value} does not fit in {2 * width} digits")
    return bytes.fromhex(digits)


# Scale


def scaled(value: Decimal | int, scale: int) -> Decimal:
    """A whole number as a decimal with its last `scale` digits behind the point."""
    return Decimal(f"{value}E-{scale}")


def unscaled(value: Any, scale: int) -> int:
    """A number (or its text) times 10 to the power of `scale`. Raises OverflowError if the product is not whole."""
    digits = to_text(Decimal(str(value)))
    found = Decimal(f"{digits}E{scale}")
    whole = int(found)
    if whole != found:
        raise OverflowError(f"{value} has more than {scale} digits behind the point")
    return whole


def has_no_digit(packed_digits: UInt64s) -> Flags:
    """Whether any of the 16 half bytes is above 9."""
    # A half byte is above 9 if it has the bits 8 and 4, or 8 and 2.
    above = (packed_digits << np.uint64(1)) | (packed_digits << np.uint64(2))
    above &= packed_digits
    above &= np.uint64(0x8888888888888888)
    flags: Flags = above != 0
    return flags


def pairs_of_digits(packed_digits: UInt64s) -> UInt64s:
    """16 packed digits as 8 bytes of 0 to 99."""
    tens = packed_digits >> np.uint64(4)
    tens &= np.uint64(0x0F0F0F0F0F0F0F0F)
    tens *= np.uint64(6)
    return packed_digits - tens


def _from_packed(digits: UInt64s) -> UInt64s:
    """16 packed digits as an integer: adjacent pairs are joined three times, in all places at once."""
    value = pairs_of_digits(digits)
    value = (value & np.uint64(0x00FF00FF00FF00FF)) + ((value >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)) * (
        np.uint64(100)
    )
    value = (value & np.uint64(0x0000FFFF0000FFFF)) + ((value >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)) * (
        np.uint64(10_000)
    )
    return (value & np.uint64(0xFFFFFFFF)) + (value >> np.uint64(32)) * np.uint64(100_000_000)


def _signs(last: UInt64s) -> tuple[Flags, Flags]:
    """Flags of rows with a wrong sign or digit in their half bytes, and flags of negative rows."""
    sign = last & np.uint64(0xF)
    bad = has_no_digit(last >> np.uint64(4))
    bad |= sign < 10
    return bad, (sign == 0xB) | (sign == 0xD)


def _multiply(value: UInt64s, factor: int) -> tuple[UInt64s, UInt64s]:
    """Low and high word of the product with a number of up to 128 bits, computed 32 bits at a time."""
    half, ones = np.uint64(32), np.uint64(0xFFFFFFFF)
    low_factor, high_factor = factor & 0xFFFFFFFFFFFFFFFF, factor >> 64
    f0, f1 = np.uint64(low_factor & 0xFFFFFFFF), np.uint64(low_factor >> 32)
    v0, v1 = value & ones, value >> half
    cross = (v0 * f0 >> half) + (v1 * f0 & ones)
    cross += v0 * f1 & ones
    high = (cross >> half) + (v1 * f0 >> half) + (v0 * f1 >> half) + v1 * f1
    if high_factor:
        high += value * np.uint64(high_factor)
    return value * np.uint64(low_factor), high


def _add(low: UInt64s, high: UInt64s, low2: UInt64s, high2: UInt64s) -> tuple[UInt64s, UInt64s]:
    total = low + low2
    return total, high + high2 + (total < low)


# Text


def to_text(value: Decimal) -> str:
    """A decimal with all its digits and never an exponent: `-0.01`, `0.00`, `1000`."""
    text = str(value)
    return text if "E" not in text else format(value, "f")


def decode_text(text: str) -> int | None:
    """An integer in a CHAR field: an optional sign, digits, and blanks around them. None if blank. Raises LMP-V008."""
    body = text.strip(" ")
    if not body:
        return None
    digits = body[1:] if body[0] in "+-" else body
    if not (digits.isdigit() and digits.isascii() and len(digits) <= 31):
        raise invalid_value("LMP-V008", "up to 31 digits", repr(text[:64]))
    return int(body)


def decode_text_array(raw: Bytes, page: CodePage) -> tuple[Int64s, Flags, Flags]:
    """Integers in text, whether a row is blank (its value is then 0), and `bad`. As `decode_text`.

    A value of more than 18 digits (leading zeros do not count) is bad, and so is every row in UTF-16.
    """
    count, width = raw.shape
    if page.kind == "utf" and page.codec != "utf_8":
        return np.zeros(count, np.int64), np.zeros(count, np.bool_), np.ones(count, np.bool_)
    classes = _classes(page)
    state = np.zeros(count, np.uint8)
    value = np.zeros(count, np.int64)
    is_negative = np.zeros(count, np.bool_)
    bad = np.zeros(count, np.bool_)
    digits = np.zeros(count, np.int64)
    for place in range(width):
        found = classes.take(raw[:, place])
        is_digit = found < 10
        bad |= is_digit & (value >= 10**17)
        value = np.where(is_digit, value * 10 + found, value)
        state = _STEPS.take(state * np.uint8(16) + found)
        is_negative |= found == _MINUS
        digits += is_digit
    bad |= (state == _SIGN_READ) | (state == _NOT_A_NUMBER)
    bad |= digits > 31
    np.negative(value, out=value, where=is_negative)
    value[bad] = 0
    return value, state == 0, bad


def encode_text(value: int | None, width: int, page: CodePage) -> bytes:
    """An integer in text with leading zeros; blanks for None. Raises OverflowError for too many digits."""
    text = "" if value is None else f"{value:0{width}d}"
    if len(text) > width:
        raise OverflowError(f"{value} has more digits than {width} bytes")
    return texts.encode(text, width, page)


_BLANK, _PLUS, _MINUS, _OTHER = 10, 11, 12, 13
"""Classes of characters besides the ten digits."""
_BEFORE, _SIGN_READ, _IN_DIGITS, _BEHIND, _NOT_A_NUMBER = range(5)


def _steps() -> Bytes:
    """The next state, at index 16 times the state plus the class of the next character."""
    steps = np.full((5, 16), _NOT_A_NUMBER, np.uint8)
    steps[[_BEFORE, _SIGN_READ, _IN_DIGITS], :10] = _IN_DIGITS
    steps[_BEFORE, [_PLUS, _MINUS]] = _SIGN_READ
    steps[_BEFORE, _BLANK] = _BEFORE
    steps[[_IN_DIGITS, _BEHIND], _BLANK] = _BEHIND
    return steps.reshape(-1)


_STEPS = _steps()


@lru_cache(maxsize=64)
def _classes(page: CodePage) -> Bytes:
    classes = np.full(256, _OTHER, np.uint8)
    for byte, char in enumerate(texts.to_ascii(page)):
        place = b"0123456789 +-".find(char)
        if place >= 0:
            classes[byte] = place
    return classes
