"""Dates and times in packed digits without a sign: BIN(17) timestamps, and times in rows of Db2 LUW.

Arrays of microseconds lack finer digits; `has_finer` is True where such a digit is nonzero. Text keeps 24:00:00; in
microseconds it is midnight of the next day. All rows of a field of another width are bad.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from lmparse.errors import InvalidValueError
from lmparse.values import byte_arrays, gregorian, text_times
from lmparse.values.byte_arrays import Bytes, Flags, Int32s, Int64s, UInt64s, byte_of, none_of
from lmparse.values.decimals import has_no_digit, pairs_of_digits
from lmparse.values.integers import decode_unsigned_array
from lmparse.values.invalid_values import bad_digit, invalid_value, text_hint, wrong_width

# BIN(17)


def decode_timestamp17(raw: bytes) -> str | None:
    """BIN(17) as `2026-03-14T10:11:12.000123`; None if all bytes are zero.

    34 packed digits without a sign: 8 of date, 6 of time, 20 of fraction. The text has six digits of the fraction, and
    further digits up to the last nonzero digit. Raises LMP-V005. Source: BMC AMI Log Master for Db2, "Logical log data
    file", footnote 1.
    """
    second = _second17(raw[:7])
    fraction = raw[7:].hex()
    if second is None or len(raw) != 17 or not fraction.isdigit() or ("T24" in second and fraction.strip("0")):
        if raw == bytes(17):
            return None
        raise _bad_timestamp17(raw)
    return f"{second}.{fraction[:6]}" if fraction.endswith("00000000000000") else f"{second}.{fraction.rstrip('0')}"


def encode_timestamp17(text: str | None, width: int = 17) -> bytes:
    """An ISO timestamp as packed digits, padded with zeros; all zeros for None."""
    digits = re.sub(r"\D", "", text or "")
    return bytes.fromhex(digits.ljust(2 * width, "0"))


def extend_timestamp(raw: bytes) -> bytes:
    """A header timestamp in the current 17-byte form, from 17 bytes, 10 (packed) or 26 (EBCDIC text).

    The 10-byte form is the first 10 bytes of the 17-byte form, down to microseconds; blank text becomes zeros. Packed
    digits are not checked, but the form of the text is: raises LMP-V006, and LMP-V010 for another width. Source: IBM,
    "Values for timestamps" (10 bytes); BMC, XHDF type DTTM (26).
    """
    if len(raw) == 17:
        return raw
    if len(raw) == 10:
        return raw + bytes(7)
    if len(raw) != 26:
        raise wrong_width(raw, "10, 17 or 26 bytes")
    if not raw.strip(b"\x40") or not any(raw):
        return bytes(17)
    text = raw.decode("cp037")
    if not (text_times.is_second(text[:19]) and text_times.is_fraction(text[19:])):
        raise invalid_value("LMP-V006", "timestamp as yyyy-mm-dd-hh.mm.ss.ffffff", repr(text), raw)
    return bytes.fromhex(text.replace("-", "").replace(".", "")) + bytes(7)


@lru_cache(maxsize=8192)
def _second17(packed: bytes) -> str | None:
    """The first 7 bytes as text; None if they are no time. Cached, because neighbours in a log often share them."""
    digits = packed.hex()
    day = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"
    if len(digits) != 14 or not digits.isdigit() or gregorian.days(day) is None or not gregorian.is_time(digits[8:]):
        return None
    return f"{day}T{digits[8:10]}:{digits[10:12]}:{digits[12:]}"


def _bad_timestamp17(raw: bytes) -> InvalidValueError:
    digits = raw.hex()
    if len(raw) != 17:
        return wrong_width(raw, "17 bytes")
    if not digits.isdigit():
        return invalid_value("LMP-V005", "34 packed digits", bad_digit(digits), raw, text_hint(raw))
    day = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"
    if gregorian.days(day) is None:
        return invalid_value("LMP-V005", "a date", day, raw)
    clock = f"{digits[8:10]}:{digits[10:12]}:{digits[12:14]}.{digits[14:].rstrip('0') or '0'}"
    return invalid_value("LMP-V005", "a time of day", clock, raw)


# Digits of Db2 LUW rows


def decode_date(raw: bytes) -> str:
    """DATE of 4 bytes, packed yyyymmdd: x'19960403' is `1996-04-03`. Raises LMP-V006.

    Source (also TIME, TIMESTAMP): IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Field Lengths.
    """
    digits = _digits(raw, "DATE as packed yyyymmdd")
    return text_times.decode_date(f"{digits[:4]}-{digits[4:6]}-{digits[6:]}")


def decode_time(raw: bytes) -> str:
    """TIME of 3 bytes, packed hhmmss: x'133200' is `13:32:00`. Raises LMP-V006."""
    digits = _digits(raw, "TIME as packed hhmmss")
    return text_times.decode_time(f"{digits[:2]}.{digits[2:4]}.{digits[4:]}")


def decode_timestamp(raw: bytes, precision: int) -> str:
    """TIMESTAMP(p) of 7 to 13 bytes, packed yyyymmddhhmmss and p digits of the fraction.

    Raises LMP-V006, also for a nonzero digit in the unused half byte of an odd p.
    """
    digits = _digits(raw, "TIMESTAMP as packed yyyymmddhhmmss and digits of a second")
    date_, time_ = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}", f"{digits[8:10]}.{digits[10:12]}.{digits[12:14]}"
    fraction, rest = digits[14 : 14 + precision], digits[14 + precision :]
    if rest.strip("0"):
        raise invalid_value("LMP-V006", f"{precision} digits of a second", f"{len(fraction + rest)} digits", raw)
    return text_times.decode_timestamp(f"{date_}-{time_}" + (f".{fraction}" if fraction else ""))


def _digits(raw: bytes, expected: str) -> str:
    digits = raw.hex()
    if not digits.isdigit():
        raise invalid_value("LMP-V006", expected, f"X'{digits.upper()}'", raw)
    return digits


# Arrays


def timestamp17_micros_array(raw: Bytes) -> tuple[Int64s, Flags, Flags, Flags]:
    """BIN(17): microseconds, flags of null rows (all zeros; value 0), `bad`, `has_finer`.

    Equal to `text_times.iso_micros` of the text that `decode_timestamp17` returns.
    """
    count, width = raw.shape
    if width != 17:
        return np.zeros(count, np.int64), none_of(count), ~none_of(count), none_of(count)
    second, behind, last = map(decode_unsigned_array, (raw[:, :8], raw[:, 8:16], raw[:, 16:]))
    micros, bad, has_finer = _packed_timestamp(second, behind, last)
    is_null = np.equal(second | behind | last, 0)
    bad ^= is_null  # a null row has year 0 and so counted as bad
    return micros, is_null, bad, has_finer


def decode_timestamp17_array(raw: Bytes) -> tuple[Bytes, Int32s, Flags, Flags]:
    """BIN(17): text in Arrow's form, flags of null rows (all zeros; empty text), and `bad`.

    As `decode_timestamp17`: six digits of the fraction, and further digits up to the last nonzero digit.
    """
    _, is_null, bad, has_finer = timestamp17_micros_array(raw)
    if raw.shape[1] != 17:
        return np.zeros(0, np.uint8), byte_arrays.offsets_of(np.zeros(len(raw), np.int64)), is_null, bad
    shown = _timestamp_chars(_digit_chars(raw), 20 if has_finer.any() else 6)
    lengths = np.full(len(raw), 26, np.int64)
    if has_finer.any():
        behind = shown[:, 26:] != ord("0")
        lengths[has_finer] += 14 - behind[has_finer, ::-1].argmax(1)
    lengths[is_null | bad] = 0
    starts = np.arange(len(raw)) * shown.shape[1]
    if (lengths == shown.shape[1]).all():
        return shown.reshape(-1), byte_arrays.offsets_of(lengths), is_null, bad
    return *byte_arrays.ragged_bytes(shown.reshape(-1), starts, lengths), is_null, bad


def timestamp_micros_array(raw: Bytes, precision: int) -> tuple[Int64s, Flags, Flags]:
    """TIMESTAMP(p) of 7 to 13 bytes, packed yyyymmddhhmmss and p digits: microseconds, `bad`, `has_finer`.

    As `text_times.timestamp_micros` of the digits that `decode_timestamp` reads; no row is null.
    """
    count, width = raw.shape
    if not (7 <= width <= 13 and 0 <= precision <= 12):
        return np.zeros(count, np.int64), ~none_of(count), none_of(count)
    # Use two words of 8 bytes: the second word begins with the last bytes of the field, padded with zeros.
    second = decode_unsigned_array(raw[:, :8])
    behind = np.zeros(count, np.uint64)
    if width == 7:
        second = second << np.uint64(8)
    elif width > 8:
        behind = decode_unsigned_array(raw[:, 8:]) << np.uint64(8 * (16 - width))
    no_digit = has_no_digit(second) | has_no_digit(behind)
    unread = 4 * max(2 - precision, 0), 4 * min(18 - precision, 16)
    kept = second >> np.uint64(unread[0]) << np.uint64(unread[0])
    kept_behind = behind >> np.uint64(unread[1]) << np.uint64(unread[1]) if unread[1] < 64 else np.zeros_like(behind)
    micros, bad, has_finer = _packed_timestamp(kept, kept_behind, np.zeros(count, np.uint64))
    bad |= no_digit | (kept != second) | (kept_behind != behind)
    micros[bad] = 0
    return micros, bad, has_finer & ~bad


def decode_timestamp_array(raw: Bytes, precision: int) -> tuple[Bytes, Flags]:
    """TIMESTAMP(p) of 7 to 13 bytes: text of one width with p digits of the fraction, and `bad`.

    As `decode_timestamp`.
    """
    _, bad, _ = timestamp_micros_array(raw, precision)
    if not 7 <= raw.shape[1] <= 13:
        return np.zeros((len(raw), 19), np.uint8), bad
    shown = _timestamp_chars(_digit_chars(raw), max(0, min(precision, 2 * raw.shape[1] - 14)))
    shown[bad] = 0
    return shown, bad


def decode_date_array(raw: Bytes) -> tuple[Bytes, Flags]:
    """DATE of 4 bytes, packed yyyymmdd: text `yyyy-mm-dd`, and `bad`. As `decode_date`."""
    _, bad = date_days_array(raw)
    shown = np.zeros((len(raw), 10), np.uint8)
    if raw.shape[1] == 4:
        shown[:] = np.frombuffer(b"0000-00-00", np.uint8)
        shown[:, _DATE_PLACES] = _digit_chars(raw)
    shown[bad] = 0
    return shown, bad


def date_days_array(raw: Bytes) -> tuple[Int32s, Flags]:
    """DATE of 4 bytes, packed yyyymmdd: days, and `bad`. As `text_times.date_days` of `decode_date`."""
    count, width = raw.shape
    if width != 4:
        return np.zeros(count, np.int32), ~none_of(count)
    digits = decode_unsigned_array(raw)
    pairs = pairs_of_digits(digits)
    days, bad = gregorian.days_array(byte_of(pairs, 3) * 100 + byte_of(pairs, 2), byte_of(pairs, 1), byte_of(pairs, 0))
    bad |= has_no_digit(digits)
    days[bad] = 0
    return days.astype(np.int32), bad


def decode_time_array(raw: Bytes) -> tuple[Bytes, Flags]:
    """TIME of 3 bytes, packed hhmmss: text `hh:mm:ss`, and `bad`. As `decode_time`."""
    count, width = raw.shape
    if width != 3:
        return np.zeros((count, 8), np.uint8), ~none_of(count)
    digits = decode_unsigned_array(raw)
    pairs = pairs_of_digits(digits)
    _, bad = gregorian.seconds_array(byte_of(pairs, 2), byte_of(pairs, 1), byte_of(pairs, 0))
    bad |= has_no_digit(digits)
    shown = np.empty((count, 8), np.uint8)
    shown[:, 2::3] = ord(":")
    shown[:, 0::3] = (raw >> 4) + ord("0")
    shown[:, 1::3] = (raw & 0xF) + ord("0")
    shown[bad] = 0
    return shown, bad


_DATE_PLACES = [0, 1, 2, 3, 5, 6, 8, 9]
_CLOCK_PLACES = [11, 12, 14, 15, 17, 18]
"""Places of the digits in ISO form."""


def _digit_chars(raw: Bytes) -> Bytes:
    """The characters of (n, width) packed digits, (n, 2 * width)."""
    shown = np.empty((len(raw), 2 * raw.shape[1]), np.uint8)
    np.right_shift(raw, 4, out=shown[:, 0::2])
    np.bitwise_and(raw, 0xF, out=shown[:, 1::2])
    shown |= ord("0")
    return shown


def _timestamp_chars(digits: Bytes, precision: int) -> Bytes:
    """Digits of a timestamp in ISO form, with `precision` digits of the fraction."""
    shape = b"0000-00-00T00:00:00" + (b"." + b"0" * precision if precision else b"")
    shown = np.empty((len(digits), len(shape)), np.uint8)
    shown[:] = np.frombuffer(shape, np.uint8)
    shown[:, _DATE_PLACES] = digits[:, :8]
    shown[:, _CLOCK_PLACES] = digits[:, 8:14]
    shown[:, 20:] = digits[:, 14 : 14 + precision]
    return shown


def _packed_timestamp(second: UInt64s, behind: UInt64s, last: UInt64s) -> tuple[Int64s, Flags, Flags]:
    """Bytes 0 to 7, 8 to 15 and 16 of a BIN(17) to microseconds, `bad` and `has_finer`."""
    finer = (behind << np.uint64(16)) | last
    no_digit = has_no_digit(second)
    no_digit |= has_no_digit(behind)
    no_digit |= has_no_digit(last)
    pairs = pairs_of_digits(second)
    fraction = pairs_of_digits(behind >> np.uint64(48))
    micros = byte_of(pairs, 0) * 10_000 + byte_of(fraction, 1) * 100 + byte_of(fraction, 0)
    year = byte_of(pairs, 7) * 100 + byte_of(pairs, 6)
    has_finer = np.not_equal(finer, 0)
    value, bad = gregorian.micros_array(
        (year, byte_of(pairs, 5), byte_of(pairs, 4)),
        (byte_of(pairs, 3), byte_of(pairs, 2), byte_of(pairs, 1)),
        micros,
        has_finer,
        no_digit,
    )
    has_finer &= ~bad
    return value, bad, has_finer
