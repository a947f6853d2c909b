"""Dates and times in Db2's text form. Source: IBM Db2 for z/OS, "Datetime values", ISO formats.

Text keeps 24.00.00; as a number it is midnight of the next day. Arrays of microseconds lack finer digits; `has_finer`
is True where such a digit is nonzero. Arrays of text have shape (n, width) of UTF-8, all zeros at bad rows. All rows of
a field of another width are bad. Arrays are read eight characters at a time. XOR with a template such as `0000-00-`
gives the value of a digit at digits and zero at separators, in EBCDIC and in ASCII.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from lmparse.errors import InvalidValueError
from lmparse.values import codepages, gregorian
from lmparse.values.byte_arrays import Bytes, Flags, Int32s, Int64s, UInt64s, byte_of, none_of
from lmparse.values.integers import decode_unsigned_array
from lmparse.values.invalid_values import invalid_value

# One value


def characters(raw: bytes) -> str:
    """The characters of a date or time, in EBCDIC or ASCII.

    No manual says that dates have the encoding of their table. The first character is a digit, whose byte shows the
    encoding.
    """
    return (_EBCDIC if raw[:1] >= b"\xf0" else _ASCII).decode(raw)


def decode_date(text: str) -> str:
    """A DATE, `2026-03-14`, unchanged. Raises LMP-V006."""
    date_days(text)
    return text


def date_days(text: str) -> int:
    """Days from 1970-01-01 to a DATE. Raises LMP-V006."""
    days = gregorian.days(text) if _DATE(text) else None
    if days is None:
        raise _bad_text("date as yyyy-mm-dd", text)
    return days


def decode_time(text: str) -> str:
    """A TIME, `13.32.00`, as `13:32:00`; 24.00.00 is valid. Raises LMP-V006."""
    if not _TIME(text) or not gregorian.is_time(text.replace(".", "")):
        raise _bad_text("time as hh.mm.ss", text)
    return text.replace(".", ":")


def decode_timestamp(text: str) -> str:
    """A TIMESTAMP, `2026-03-14-10.11.12.000123`, as `2026-03-14T10:11:12.000123`.

    All 0 to 12 digits of the fraction are kept. Raises LMP-V006.
    """
    second, _, fraction = _split_timestamp(text, text)
    return second + fraction


def timestamp_micros(text: str) -> int:
    """Microseconds from 1970-01-01T00:00:00 to a TIMESTAMP, without finer digits. Raises LMP-V006."""
    _, micros, fraction = _split_timestamp(text, text)
    return micros + int(fraction[1:7].ljust(6, "0"))


def iso_micros(text: str) -> int:
    """Microseconds from 1970-01-01T00:00:00 to a time in ISO form, `2026-03-14T10:11:12.000123`."""
    return timestamp_micros(text[:10] + "-" + text[11:26].replace(":", "."))


def decode_timestamp_tz(text: str) -> str:
    """A TIMESTAMP WITH TIME ZONE: as `decode_timestamp`, followed by its offset (-12:59 to +14:00)."""
    zone = text[-6:]
    if not _ZONE(zone) or zone > _LAST_ZONE[zone[0]]:
        raise _bad_text("offset from -12:59 to +14:00 at the end", text)
    second, _, fraction = _split_timestamp(text[:-6], text)
    return second + fraction + zone


def _split_timestamp(text: str, whole: str) -> tuple[str, int, str]:
    """Text up to the second, microseconds up to the second, and the fraction with its point, or empty."""
    second = _second(text[:19])
    fraction = text[19:]
    if second is None or (fraction and not is_fraction(fraction)) or ("T24" in second[0] and fraction.strip(".0")):
        raise _bad_text("timestamp as yyyy-mm-dd-hh.mm.ss.ffffff", whole)
    return second[0], second[1], fraction


@lru_cache(maxsize=8192)
def _second(text: str) -> tuple[str, int] | None:
    """The first 19 characters in ISO form and as microseconds; None if they are no time. Cached for neighbours."""
    day, clock = text[:10], text[11:13] + text[14:16] + text[17:]
    if not is_second(text) or gregorian.days(day) is None or not gregorian.is_time(clock):
        return None
    return f"{day}T{text[11:].replace('.', ':')}", gregorian.micros(day, clock)


def _bad_text(expected: str, text: str) -> InvalidValueError:
    return invalid_value("LMP-V006", expected, repr(text[:64]))


_EBCDIC, _ASCII = codepages.lookup(37), codepages.lookup(819)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII).fullmatch
_TIME = re.compile(r"\d\d\.\d\d\.\d\d", re.ASCII).fullmatch
is_second = re.compile(r"\d{4}-\d\d-\d\d-\d\d\.\d\d\.\d\d", re.ASCII).fullmatch
is_fraction = re.compile(r"\.\d{1,12}", re.ASCII).fullmatch
_ZONE = re.compile(r"[+-]\d\d:[0-5]\d", re.ASCII).fullmatch
_LAST_ZONE = {"+": "+14:00", "-": "-12:59"}


# Arrays


def date_days_array(raw: Bytes) -> tuple[Int32s, Flags]:
    """DATE of 10 characters, `yyyy-mm-dd`: days, and `bad`. As `date_days`."""
    count, width = raw.shape
    if width != 10:
        return np.zeros(count, np.int32), ~none_of(count)
    words, bad = _digits(raw, "0000-00-00", _is_ebcdic(raw))
    first, second = map(_joined, words)
    days, no_day = gregorian.days_array(
        byte_of(first, 0) * 100 + byte_of(first, 2), byte_of(first, 5), byte_of(second, 0)
    )
    bad |= no_day
    days[bad] = 0
    return days.astype(np.int32), bad


def decode_date_array(raw: Bytes) -> tuple[Bytes, Flags]:
    """DATE of 10 characters, `yyyy-mm-dd`: the same text, and `bad`. As `decode_date`."""
    count, width = raw.shape
    _, bad = date_days_array(raw)
    if width != 10:
        return np.zeros((count, 10), np.uint8), bad
    words, _ = _digits(raw, "0000-00-00", _is_ebcdic(raw))
    shown = np.ascontiguousarray(_shown(words, "0000-00-00")[:, :10])
    shown[bad] = 0
    return shown, bad


def decode_time_array(raw: Bytes) -> tuple[Bytes, Flags]:
    """TIME of 8 characters, `hh.mm.ss`: text `hh:mm:ss`, and `bad`. As `decode_time`."""
    count, width = raw.shape
    if width != 8:
        return np.zeros((count, 8), np.uint8), ~none_of(count)
    words, bad = _digits(raw, "00.00.00", _is_ebcdic(raw))
    pairs = _joined(words[0])
    _, no_time = gregorian.seconds_array(byte_of(pairs, 0), byte_of(pairs, 3), byte_of(pairs, 6))
    bad |= no_time
    shown = _shown(words, "00:00:00")
    shown[bad] = 0
    return shown, bad


def timestamp_micros_array(raw: Bytes) -> tuple[Int64s, Flags, Flags]:
    """TIMESTAMP of 19 to 32 characters, `yyyy-mm-dd-hh.mm.ss.ffffff`: microseconds, `bad`, `has_finer`.

    The fraction has 0 to 12 digits, the same number in all rows. As `timestamp_micros`.
    """
    count, width = raw.shape
    shape = _timestamp_shape(width)
    if shape is None:
        return np.zeros(count, np.int64), ~none_of(count), none_of(count)
    words, bad = _digits(raw, shape, _is_ebcdic(raw))
    return _text_micros(words, bad)


def decode_timestamp_array(raw: Bytes) -> tuple[Bytes, Flags]:
    """TIMESTAMP of 19 to 32 characters: text of the same width with all digits, and `bad`. As `decode_timestamp`."""
    count, width = raw.shape
    shape = _timestamp_shape(width)
    if shape is None:
        return np.zeros((count, width), np.uint8), ~none_of(count)
    words, bad = _digits(raw, shape, _is_ebcdic(raw))
    _, bad, _ = _text_micros(words, bad)
    shown = np.ascontiguousarray(_shown(words, _iso_shape(shape))[:, :width])
    shown[bad] = 0
    return shown, bad


def decode_timestamp_tz_array(raw: Bytes) -> tuple[Bytes, Flags]:
    """TIMESTAMP WITH TIME ZONE of 25 to 38 characters: text of the same width, and `bad`.

    As `decode_timestamp_tz`.
    """
    count, width = raw.shape
    shape = _timestamp_shape(width - 6)
    if shape is None:
        return np.zeros((count, width), np.uint8), ~none_of(count)
    is_ebcdic = _is_ebcdic(raw)
    words, bad = _digits(raw[:, :-6], shape, is_ebcdic)
    _, bad, _ = _text_micros(words, bad)
    (zone,), no_zone = _digits(raw[:, -5:], "00:00", is_ebcdic)
    pairs = _joined(zone)
    sign = raw[:, -6]
    is_minus = sign == np.where(is_ebcdic, ord("-".encode("cp037")), ord("-"))
    is_plus = sign == np.where(is_ebcdic, ord("+".encode("cp037")), ord("+"))
    minutes = byte_of(pairs, 0) * 60 + byte_of(pairs, 3)
    bad |= no_zone | ~(is_minus | is_plus)
    bad |= (byte_of(pairs, 3) > 59) | (minutes > np.where(is_minus, 12 * 60 + 59, 14 * 60))
    shown = np.empty((count, width), np.uint8)
    shown[:, :-6] = _shown(words, _iso_shape(shape))[:, : width - 6]
    shown[:, -6] = np.where(is_minus, ord("-"), ord("+"))
    shown[:, -5:] = _shown([zone], "00:00")[:, :5]
    shown[bad] = 0
    return shown, bad


def _timestamp_shape(width: int) -> str | None:
    if width != 19 and not 21 <= width <= 32:
        return None
    return "0000-00-00-00.00.00.000000000000"[:width]


def _iso_shape(shape: str) -> str:
    return shape[:10] + "T" + shape[11:19].replace(".", ":") + shape[19:]


def _text_micros(words: list[UInt64s], bad: Flags) -> tuple[Int64s, Flags, Flags]:
    """Microseconds, `bad` and `has_finer`, from the words of `_digits` for a timestamp."""
    first, second, third = map(_joined, words[:3])
    micros = byte_of(third, 4) * 10_000 + byte_of(third, 6) * 100
    has_finer = none_of(len(bad))
    if len(words) > 3:
        micros += byte_of(_joined(words[3]), 0)
        has_finer = (words[3] >> np.uint64(16)) != 0
    day = (byte_of(first, 0) * 100 + byte_of(first, 2), byte_of(first, 5), byte_of(second, 0))
    value, bad = gregorian.micros_array(
        day, (byte_of(second, 3), byte_of(second, 6), byte_of(third, 1)), micros, has_finer, bad
    )
    has_finer &= ~bad
    return value, bad, has_finer


def _is_ebcdic(raw: Bytes) -> Flags:
    """Whether the first byte is an EBCDIC digit; as in `characters`."""
    return np.greater_equal(raw[:, 0], 0xF0)


def _digits(raw: Bytes, shape: str, is_ebcdic: Flags) -> tuple[list[UInt64s], Flags]:
    """The digits of text with one shape (0 for a digit, other characters for themselves) in words of 8, and `bad`.

    The first character is the least significant byte of its word. Bytes of separators, bytes behind the last character
    and bad rows are 0.
    """
    width = len(shape)
    all_ebcdic, any_ebcdic = bool(is_ebcdic.all()), bool(is_ebcdic.any())
    words: list[UInt64s] = []
    wrong = np.zeros(len(raw), np.uint64)
    for start, part in zip(range(0, width, 8), _parts(shape), strict=True):
        end = min(start + 8, width)
        # Read always 8 bytes, if need be from further in front, because reading fewer bytes is slower.
        begin = max(end - 8, 0)
        word = decode_unsigned_array(raw[:, begin:end], "little") >> np.uint64(8 * (start - begin))
        if all_ebcdic:
            word ^= part.ebcdic
        elif not any_ebcdic:
            word ^= part.ascii
        else:
            word ^= np.where(is_ebcdic, part.ebcdic, part.ascii)
        wrong |= word & part.zeros
        wrong |= word & ((word << np.uint64(1)) | (word << np.uint64(2))) & part.eights
        words.append(word)
    bad = np.not_equal(wrong, 0)
    if bad.any():
        for word in words:
            word[bad] = 0
    return words, bad


class _Part:
    """Up to eight characters of a shape, as masks for a word."""

    def __init__(self, shape: str) -> None:
        self.ascii = _word(shape.encode("ascii"))
        self.ebcdic = _word(shape.encode("cp037"))
        digit_zeros, digit_eights = 0xF0, 0x08
        self.zeros = _word(bytes(digit_zeros if char == "0" else 0xFF for char in shape))
        """Bits that are 0 if the text has the shape."""
        self.eights = _word(bytes(digit_eights if char == "0" else 0 for char in shape))
        """Bits that, with one of the two bits below, mean a digit above 9."""


@lru_cache(maxsize=64)
def _parts(shape: str) -> tuple[_Part, ...]:
    return tuple(_Part(shape[start : start + 8]) for start in range(0, len(shape), 8))


def _word(chars: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(chars, "little"))


def _joined(digits: UInt64s) -> UInt64s:
    """In each byte the number of the two digits that begin there: ten times its digit plus the next digit."""
    return digits * np.uint64(10) + (digits >> np.uint64(8))


def _shown(words: list[UInt64s], shape: str) -> Bytes:
    """The digits as text in the shape, (n, 8 for each word)."""
    shown = np.empty((len(words[0]), len(words)), "<u8")
    for place, (word, part) in enumerate(zip(words, _parts(shape), strict=True)):
        np.bitwise_xor(word, part.ascii, out=shown[:, place])
    return shown.view(np.uint8)
