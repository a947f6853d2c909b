"""Dates and times by the column: as `vectors`, of the forms that Db2 and Log Master write.

Days count from 1970-01-01, microseconds from its midnight; finer digits are cut off, and `has_finer` says
that one of them was not zero. 24:00:00 counts as midnight of the next day and stays as it is in text. Text
is an array of shape (n, width) of UTF-8, all zeros at bad rows. In a field of another width all rows are bad.

Text is read eight characters at a time: its bytes less those of a template of zeros leave a digit's value
where a digit stands and zero where a separator does, in EBCDIC and ASCII alike. Both kinds of fields end
up as words of bytes of 0 to 99, of which the calendar is shared.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from lmparse.values.vectors import Bytes, Flags, Int32s, Int64s, UInt64s, has_no_digit, pairs_of_digits, unsigned

__all__ = [
    "date_digits", "date_text", "time_digits", "time_text", "timestamp17", "timestamp_digits", "timestamp_text",
    "timestamp_tz_text",
]  # fmt: skip

# Packed digits


def timestamp17(raw: Bytes) -> tuple[Int64s, Flags, Flags, Flags]:
    """BIN(17): microseconds, whether a row is null (all zeros; then 0), `bad`, `has_finer`.

    As `numeric.timestamp17_micros`.
    """
    count, width = raw.shape
    if width != 17:
        return np.zeros(count, np.int64), _no(count), ~_no(count), _no(count)
    second, behind, last = unsigned(raw[:, :8]), unsigned(raw[:, 8:16]), unsigned(raw[:, 16:])
    micros, bad, has_finer = _packed_timestamp(second, behind, last)
    is_null = np.equal(second | behind | last, 0)
    bad ^= is_null  # of year 0, hence bad
    return micros, is_null, bad, has_finer


def timestamp_digits(raw: Bytes, precision: int) -> tuple[Int64s, Flags, Flags]:
    """TIMESTAMP(p) of 7 to 13 bytes, packed yyyymmddhhmmss and p digits: microseconds, `bad`, `has_finer`.

    As `numeric.timestamp_micros` of what `numeric.decode_timestamp_digits` reads: no null, digits behind p do
    not count.
    """
    count, width = raw.shape
    if not (7 <= width <= 13 and 0 <= precision <= 12):
        return np.zeros(count, np.int64), ~_no(count), _no(count)
    # Both words full, as in 16 bytes: the second one's first bytes are the last of the field.
    second = unsigned(raw[:, :8])
    behind = np.zeros(count, np.uint64)
    if width == 7:
        second = second << np.uint64(8)
    elif width > 8:
        behind = unsigned(raw[:, 8:]) << np.uint64(8 * (16 - width))
    no_digit = has_no_digit(second) | has_no_digit(behind)
    unread = 4 * max(2 - precision, 0), 4 * min(18 - precision, 16)
    second = second >> np.uint64(unread[0]) << np.uint64(unread[0])
    behind = behind >> np.uint64(unread[1]) << np.uint64(unread[1]) if unread[1] < 64 else np.zeros_like(behind)
    micros, bad, has_finer = _packed_timestamp(second, behind, np.zeros(count, np.uint64))
    bad |= no_digit
    micros[bad] = 0
    return micros, bad, has_finer & ~bad


def date_digits(raw: Bytes) -> tuple[Int32s, Flags]:
    """DATE of 4 bytes, packed yyyymmdd: days, and `bad`. As `numeric.date_days` of `numeric.decode_date_digits`."""
    count, width = raw.shape
    if width != 4:
        return np.zeros(count, np.int32), ~_no(count)
    digits = unsigned(raw)
    pairs = pairs_of_digits(digits)
    days, bad = _days(_pair(pairs, 3) * 100 + _pair(pairs, 2), _pair(pairs, 1), _pair(pairs, 0))
    bad |= has_no_digit(digits)
    days[bad] = 0
    return days.astype(np.int32), bad


def time_digits(raw: Bytes) -> tuple[Bytes, Flags]:
    """TIME of 3 bytes, packed hhmmss: text `hh:mm:ss`, and `bad`. As `numeric.decode_time_digits`."""
    count, width = raw.shape
    if width != 3:
        return np.zeros((count, 8), np.uint8), ~_no(count)
    digits = unsigned(raw)
    pairs = pairs_of_digits(digits)
    _, bad = _seconds(_pair(pairs, 2), _pair(pairs, 1), _pair(pairs, 0))
    bad |= has_no_digit(digits)
    shown = np.empty((count, 8), np.uint8)
    shown[:, 2::3] = ord(":")
    shown[:, 0::3] = (raw >> 4) + ord("0")
    shown[:, 1::3] = (raw & 0xF) + ord("0")
    shown[bad] = 0
    return shown, bad


def _packed_timestamp(second: UInt64s, behind: UInt64s, last: UInt64s) -> tuple[Int64s, Flags, Flags]:
    """Bytes 0 to 7, 8 to 15 and 16 of a BIN(17) to microseconds, `bad` and `has_finer`."""
    finer = (behind << np.uint64(16)) | last
    no_digit = has_no_digit(second)
    no_digit |= has_no_digit(behind)
    no_digit |= has_no_digit(last)
    pairs = pairs_of_digits(second)
    fraction = pairs_of_digits(behind >> np.uint64(48))
    micros = _pair(pairs, 0) * 10_000 + _pair(fraction, 1) * 100 + _pair(fraction, 0)
    year = _pair(pairs, 7) * 100 + _pair(pairs, 6)
    has_finer = np.not_equal(finer, 0)
    value, bad = _micros(
        (year, _pair(pairs, 5), _pair(pairs, 4)),
        (_pair(pairs, 3), _pair(pairs, 2), _pair(pairs, 1)),
        micros,
        has_finer,
        no_digit,
    )
    has_finer &= ~bad
    return value, bad, has_finer


def _pair(pairs: UInt64s, place: int) -> Int64s:
    """One byte of each word; 0 is the least significant."""
    moved = pairs >> np.uint64(8 * place) if place else pairs
    return (moved & np.uint64(0xFF)).view(np.int64)


# Text


def date_text(raw: Bytes) -> tuple[Int32s, Flags]:
    """DATE of 10 characters, `yyyy-mm-dd`: days, and `bad`. As `numeric.date_days`."""
    count, width = raw.shape
    if width != 10:
        return np.zeros(count, np.int32), ~_no(count)
    words, bad = _digits(raw, "0000-00-00", _is_ebcdic(raw))
    first, second = map(_joined, words)
    days, no_day = _days(_pair(first, 0) * 100 + _pair(first, 2), _pair(first, 5), _pair(second, 0))
    bad |= no_day
    days[bad] = 0
    return days.astype(np.int32), bad


def time_text(raw: Bytes) -> tuple[Bytes, Flags]:
    """TIME of 8 characters, `hh.mm.ss`: text `hh:mm:ss`, and `bad`. As `numeric.decode_time_text`."""
    count, width = raw.shape
    if width != 8:
        return np.zeros((count, 8), np.uint8), ~_no(count)
    words, bad = _digits(raw, "00.00.00", _is_ebcdic(raw))
    pairs = _joined(words[0])
    _, no_time = _seconds(_pair(pairs, 0), _pair(pairs, 3), _pair(pairs, 6))
    bad |= no_time
    shown = _shown(words, "00:00:00")
    shown[bad] = 0
    return shown, bad


def timestamp_text(raw: Bytes) -> tuple[Int64s, Flags, Flags]:
    """TIMESTAMP of 19 to 32 characters, `yyyy-mm-dd-hh.mm.ss.ffffff`: microseconds, `bad`, `has_finer`.

    0 to 12 digits of fraction, as many in all rows. As `numeric.timestamp_micros`.
    """
    count, width = raw.shape
    shape = _timestamp_shape(width)
    if shape is None:
        return np.zeros(count, np.int64), ~_no(count), _no(count)
    words, bad = _digits(raw, shape, _is_ebcdic(raw))
    return _text_micros(words, bad)


def timestamp_tz_text(raw: Bytes) -> tuple[Bytes, Flags]:
    """TIMESTAMP WITH TIME ZONE of 25 to 38 characters: text of the same width, and `bad`.

    As `numeric.decode_timestamp_tz_text`.
    """
    count, width = raw.shape
    shape = _timestamp_shape(width - 6)
    if shape is None:
        return np.zeros((count, width), np.uint8), ~_no(count)
    is_ebcdic = _is_ebcdic(raw)
    words, bad = _digits(raw[:, :-6], shape, is_ebcdic)
    _, bad, _ = _text_micros(words, bad)
    (zone,), no_zone = _digits(raw[:, -5:], "00:00", is_ebcdic)
    pairs = _joined(zone)
    sign = raw[:, -6]
    is_minus = sign == np.where(is_ebcdic, ord("-".encode("cp037")), ord("-"))
    is_plus = sign == np.where(is_ebcdic, ord("+".encode("cp037")), ord("+"))
    minutes = _pair(pairs, 0) * 60 + _pair(pairs, 3)
    bad |= no_zone | ~(is_minus | is_plus)
    bad |= (_pair(pairs, 3) > 59) | (minutes > np.where(is_minus, 12 * 60 + 59, 14 * 60))
    shown = np.empty((count, width), np.uint8)
    shown[:, :-6] = _shown(words, shape[:10] + "T" + shape[11:19].replace(".", ":") + shape[19:])[:, : width - 6]
    shown[:, -6] = np.where(is_minus, ord("-"), ord("+"))
    shown[:, -5:] = _shown([zone], "00:00")[:, :5]
    shown[bad] = 0
    return shown, bad


def _timestamp_shape(width: int) -> str | None:
    if width != 19 and not 21 <= width <= 32:
        return None
    return "0000-00-00-00.00.00.000000000000"[:width]


def _text_micros(words: list[UInt64s], bad: Flags) -> tuple[Int64s, Flags, Flags]:
    """The words of a timestamp's digits to microseconds, `bad` and `has_finer`."""
    first, second, third = map(_joined, words[:3])
    micros = _pair(third, 4) * 10_000 + _pair(third, 6) * 100
    has_finer = _no(len(bad))
    if len(words) > 3:
        micros += _pair(_joined(words[3]), 0)
        has_finer = (words[3] >> np.uint64(16)) != 0
    day = (_pair(first, 0) * 100 + _pair(first, 2), _pair(first, 5), _pair(second, 0))
    value, bad = _micros(day, (_pair(second, 3), _pair(second, 6), _pair(third, 1)), micros, has_finer, bad)
    has_finer &= ~bad
    return value, bad, has_finer


def _is_ebcdic(raw: Bytes) -> Flags:
    """Whether the first byte is an EBCDIC digit; as `images` tells it."""
    return np.greater_equal(raw[:, 0], 0xF0)


def _digits(raw: Bytes, shape: str, is_ebcdic: Flags) -> tuple[list[UInt64s], Flags]:
    """Text of one shape (0: a digit; all else stands for itself) in words of 8 digits, and `bad`.

    The first character is the least significant byte. Separators and what is behind the last character are 0;
    so are bad rows.
    """
    width = len(shape)
    all_ebcdic, any_ebcdic = bool(is_ebcdic.all()), bool(is_ebcdic.any())
    words: list[UInt64s] = []
    wrong = np.zeros(len(raw), np.uint64)
    for start, part in zip(range(0, width, 8), _parts(shape), strict=True):
        end = min(start + 8, width)
        # The last 8 bytes are read at once, wherever they begin: faster than fewer than 8.
        begin = max(end - 8, 0)
        word = unsigned(raw[:, begin:end], "little") >> np.uint64(8 * (start - begin))
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
        """Bits that are 0 where the text has the shape."""
        self.eights = _word(bytes(digit_eights if char == "0" else 0 for char in shape))
        """Bits that together with one of the two below are a digit above 9."""


@lru_cache(maxsize=64)
def _parts(shape: str) -> tuple[_Part, ...]:
    return tuple(_Part(shape[start : start + 8]) for start in range(0, len(shape), 8))


def _word(chars: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(chars, "little"))


def _joined(digits: UInt64s) -> UInt64s:
    """Each byte ten times its digit and the next one's: the number of two digits that begins there."""
    return digits * np.uint64(10) + (digits >> np.uint64(8))


def _shown(words: list[UInt64s], shape: str) -> Bytes:
    """The digits as text of the shape, (n, 8 for each word)."""
    shown = np.empty((len(words[0]), len(words)), "<u8")
    for place, (word, part) in enumerate(zip(words, _parts(shape), strict=True)):
        np.bitwise_xor(word, part.ascii, out=shown[:, place])
    return shown.view(np.uint8)


# Calendar

Day = tuple[Int64s, Int64s, Int64s]
Clock = tuple[Int64s, Int64s, Int64s]


def _micros(day: Day, clock: Clock, fraction: Int64s, has_finer: Flags, bad: Flags) -> tuple[Int64s, Flags]:
    """Year, month, day; hour, minute, second; microseconds. 0 where it is no time or `bad` already."""
    value, no_day = _days(*day)
    seconds, no_time = _seconds(*clock)
    bad = bad | no_day | no_time
    bad |= (seconds == 86_400) & (has_finer | (fraction != 0))
    value *= 86_400
    value += seconds
    value *= 1_000_000
    value += fraction
    if bad.any():
        value[bad] = 0
    return value, bad


def _days(year: Int64s, month: Int64s, day: Int64s) -> tuple[Int64s, Flags]:
    """Days from 1970-01-01, and whether the calendar has no such day."""
    years = _YEARS.take(year, mode="clip")  # half bytes that are no digits give more than 9999
    place = (years & 1) << 14
    place |= month << 7
    place |= day
    days = _DAYS.take(place, mode="clip")
    no_day = np.less(days, 0)
    no_day |= years < 0
    years >>= 1
    years += days
    years -= _EPOCH
    return years, no_day


def _seconds(hour: Int64s, minute: Int64s, second: Int64s) -> tuple[Int64s, Flags]:
    """Seconds of the day, and whether a day has no such time; 24:00:00 is one."""
    seconds = hour * 3600
    seconds += minute * 60
    seconds += second
    no_time = np.greater(minute, 59)
    no_time |= second > 59
    no_time |= seconds > 86_400
    return seconds, no_time


def _year_table() -> Int64s:
    """Days from 0001-01-01 to a year, twice, and 1 more in a leap year; -1 for year 0."""
    years = np.arange(-1969, 8031).astype("M8[Y]").astype("M8[D]").astype(np.int64) + _EPOCH
    table = np.full(10_000, -1, np.int64)
    table[1:] = years[:-1] << 1 | (np.diff(years) == 366)
    return table


def _day_table() -> Int64s:
    """Days from the start of the year, by `leap << 14 | month << 7 | day`; -1 where there is no such day."""
    table = np.full((2, 128, 128), -1, np.int64)
    for is_leap in (0, 1):
        start = 0
        for month, length in enumerate((31, 28 + is_leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), 1):
            table[is_leap, month, 1 : length + 1] = np.arange(start, start + length)
            start += length
    return table.reshape(-1)


_EPOCH = 719_162
"""Days from 0001-01-01 to 1970-01-01."""
_YEARS = _year_table()
_DAYS = _day_table()


def _no(count: int) -> Flags:
    return np.zeros(count, np.bool_)
