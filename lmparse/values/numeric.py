"""Numbers, times and log positions: the bytes (or decoded text) of one field to one Python value.

Big-endian two's complement integers are `int.from_bytes` and have no function here. Every function
is pure and exact, needs no context and raises nothing but InvalidValueError for any input of its
type; `expected`, `found` and `hex` say what was wrong (`hex` stays empty where the input is text, so
that the caller can put the field's bytes there):

    LMP-V002  packed decimal      LMP-V006  date, time or timestamp in Db2's text form
    LMP-V005  BIN(17) timestamp   LMP-V008  number or hexadecimal id in text      LMP-V010  width

Dates follow the proleptic Gregorian calendar, years 0001 to 9999. The time of day 24:00:00 is legal in
Db2 and stays as it is in text; as a number it is midnight of the next day. There are no leap seconds.
"""

from __future__ import annotations

import re
import struct
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from math import ldexp
from typing import Literal

from lmparse.errors import InvalidValueError

__all__ = [
    "date_days", "decimal_text", "decode_date_digits", "decode_date_text", "decode_decfloat", "decode_decimal_text",
    "decode_hex_text", "decode_hfp", "decode_ieee", "decode_integer", "decode_packed", "decode_rid",
    "decode_time_digits", "decode_time_text", "decode_timestamp17", "decode_timestamp_digits", "decode_timestamp_text",
    "decode_timestamp_tz_text", "extend_lrsn", "extend_rba", "extend_timestamp", "lrsn_delta_us", "lrsn_micros",
    "lrsn_to_timestamp", "timestamp17_micros", "timestamp_micros", "to_hex",
]  # fmt: skip

# Bytes as they are


def to_hex(raw: bytes) -> str:
    """Upper-case hexadecimal, two digits a byte."""
    return raw.hex().upper()


def decode_rid(raw: bytes) -> tuple[int, int]:
    """Page and row of a 5-byte row id: 4 bytes of page, 1 of row. Raises LMP-V010."""
    if len(raw) != 5:
        raise _wrong_width(raw, "5 bytes")
    return int.from_bytes(raw[:4], "big"), raw[4]


# Decimal numbers


def decode_packed(raw: bytes, scale: int, precision: int | None = None) -> Decimal:
    """Packed decimal of any length, with `scale` digits behind the point, all of them kept.

    Sign half bytes C, A, F and E are plus, D and B minus; minus zero is zero. Raises LMP-V002, too
    for more than `precision` digits, when it is given: an even number of them leaves one half byte over.
    Source: z/Architecture Principles of Operation, SA22-7832, "Decimal-Number Formats".
    """
    halves = raw.hex()
    digits, sign = halves[:-1], halves[-1:]
    if not digits.isdigit() or sign not in "abcdef":
        raise _bad_packed(raw, halves)
    if precision is not None and len(digits) > precision and digits[:-precision].strip("0"):
        found = f"{len(digits.lstrip('0'))} digits"
        raise _invalid("LMP-V002", f"at most {precision} digits", found, raw)
    if sign in "db":
        value = Decimal(f"-{digits}E-{scale}")
        return value if value else value.copy_abs()
    return Decimal(f"{digits}E-{scale}")


def decimal_text(value: Decimal) -> str:
    """A decimal with all its digits and never an exponent: `-0.01`, `0.00`, `1000`."""
    text = str(value)
    return text if "E" not in text else format(value, "f")


def _bad_packed(raw: bytes, halves: str) -> InvalidValueError:
    if not raw:
        return _invalid("LMP-V002", "packed decimal", "0 bytes", raw)
    found = f"sign 0x{halves[-1].upper()}" if halves[:-1].isdigit() else _bad_digit(halves[:-1])
    return _invalid("LMP-V002", "packed decimal", found, raw, _text_hint(raw))


# Integers


def decode_integer(raw: bytes, width: int, byte_order: Literal["big", "little"]) -> int:
    """Two's complement integer of `width` bytes. Raises LMP-V010."""
    if len(raw) != width:
        raise _wrong_width(raw, f"{width} bytes")
    return int.from_bytes(raw, byte_order, signed=True)


# Floating point


def decode_hfp(raw: bytes) -> float:
    """Hexadecimal floating point of 4 or 8 bytes as the nearest float, half to even.

    Sign, 7-bit power of 16 with excess 64, fraction of 24 or 56 bits, which need not be normalised. A
    short one is always exact, a long one has up to 3 bits more than a float; neither can overflow or
    underflow one. A zero fraction keeps its sign. Raises LMP-V010.
    Source: z/Architecture Principles of Operation, SA22-7832, "Hexadecimal-Floating-Point Instructions".
    """
    bits = int.from_bytes(raw, "big")
    if len(raw) == 8:
        value = ldexp(bits & 0xFFFFFFFFFFFFFF, (bits >> 54 & 0x1FC) - 312)
    elif len(raw) == 4:
        value = ldexp(bits & 0xFFFFFF, (bits >> 22 & 0x1FC) - 280)
    else:
        raise _wrong_width(raw, "4 or 8 bytes")
    return -value if raw[0] & 0x80 else value


def decode_ieee(raw: bytes, byte_order: Literal["big", "little"] = "big") -> float:
    """IEEE 754 binary floating point of 4 or 8 bytes. Raises LMP-V010."""
    layout = _IEEE[byte_order].get(len(raw))
    if layout is None:
        raise _wrong_width(raw, "4 or 8 bytes")
    value: float = layout.unpack(raw)[0]
    return value


_IEEE = {
    "big": {4: struct.Struct(">f"), 8: struct.Struct(">d")},
    "little": {4: struct.Struct("<f"), 8: struct.Struct("<d")},
}

# Timestamps of 17 bytes


def decode_timestamp17(raw: bytes) -> str | None:
    """BIN(17) as `2026-03-14T10:11:12.000123`; None when all bytes are zero.

    34 packed digits without a sign: 8 of date, 6 of time, 20 of fraction. Six digits of the fraction are
    always shown, more up to the last that is not zero. Raises LMP-V005.
    Source: BMC AMI Log Master for Db2, "Logical log data file", footnote 1.
    """
    parts = _split_timestamp17(raw)
    if parts is None:
        return None
    second, _, fraction = parts
    return f"{second}.{fraction[:6]}" if fraction.endswith("00000000000000") else f"{second}.{fraction.rstrip('0')}"


def timestamp17_micros(raw: bytes) -> int | None:
    """BIN(17) as microseconds since 1970-01-01T00:00:00, finer digits cut off; as `decode_timestamp17`."""
    parts = _split_timestamp17(raw)
    return None if parts is None else parts[1] + int(parts[2][:6])


def extend_timestamp(raw: bytes) -> bytes:
    """A header timestamp in today's 17-byte form, from 17 bytes, 10 (packed) or 26 (EBCDIC text).

    The 10-byte form is the 17-byte one cut behind the microseconds; blank text becomes zeros. Digits
    are not checked, the form of the text is: raises LMP-V006, and LMP-V010 for another width.
    Source: IBM, "Values for timestamps" (10 bytes); BMC, XHDF type DTTM (26).
    """
    if len(raw) == 17:
        return raw
    if len(raw) == 10:
        return raw + bytes(7)
    if len(raw) != 26:
        raise _wrong_width(raw, "10, 17 or 26 bytes")
    if not raw.strip(b"\x40") or not any(raw):
        return bytes(17)
    text = raw.decode("cp037")
    if not (_SECOND(text[:19]) and _FRACTION(text[19:])):
        raise _invalid("LMP-V006", "timestamp as yyyy-mm-dd-hh.mm.ss.ffffff", repr(text), raw)
    return bytes.fromhex(text.replace("-", "").replace(".", "")) + bytes(7)


def _split_timestamp17(raw: bytes) -> tuple[str, int, str] | None:
    """Text to the second, microseconds to the second, 20 digits of fraction; None when all bytes are zero."""
    second = _second17(raw[:7])
    fraction = raw[7:].hex()
    if second is None or len(raw) != 17 or not fraction.isdigit() or ("T24" in second[0] and fraction.strip("0")):
        if raw == _NO_TIMESTAMP17:
            return None
        raise _bad_timestamp17(raw)
    return second[0], second[1], fraction


@lru_cache(maxsize=8192)
def _second17(packed: bytes) -> tuple[str, int] | None:
    """The first 7 bytes as text and as microseconds, None when they are no time; neighbours in a log share them."""
    digits = packed.hex()
    day = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"
    if len(digits) != 14 or not digits.isdigit() or _days(day) is None or not _is_time(digits[8:]):
        return None
    return f"{day}T{digits[8:10]}:{digits[10:12]}:{digits[12:]}", _micros(day, digits[8:])


def _bad_timestamp17(raw: bytes) -> InvalidValueError:
    digits = raw.hex()
    if len(raw) != 17:
        return _wrong_width(raw, "17 bytes")
    if not digits.isdigit():
        return _invalid("LMP-V005", "34 packed digits", _bad_digit(digits), raw, _text_hint(raw))
    day = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"
    if _days(day) is None:
        return _invalid("LMP-V005", "a date", day, raw)
    clock = f"{digits[8:10]}:{digits[10:12]}:{digits[12:14]}.{digits[14:].rstrip('0') or '0'}"
    return _invalid("LMP-V005", "a time of day", clock, raw)


_NO_TIMESTAMP17 = bytes(17)

# Dates and times in Db2's text form. Source: IBM Db2 for z/OS, "Datetime values", ISO formats


def decode_date_text(text: str) -> str:
    """A DATE, `2026-03-14`, as it is. Raises LMP-V006."""
    date_days(text)
    return text


def date_days(text: str) -> int:
    """Days from 1970-01-01 to a DATE. Raises LMP-V006."""
    days = _days(text) if _DATE(text) else None
    if days is None:
        raise _bad_text("date as yyyy-mm-dd", text)
    return days


def decode_time_text(text: str) -> str:
    """A TIME, `13.32.00`, as `13:32:00`; 24.00.00 is one. Raises LMP-V006."""
    if not _TIME(text) or not _is_time(text.replace(".", "")):
        raise _bad_text("time as hh.mm.ss", text)
    return text.replace(".", ":")


def decode_timestamp_text(text: str) -> str:
    """A TIMESTAMP, `2026-03-14-10.11.12.000123`, as `2026-03-14T10:11:12.000123`.

    0 to 12 digits of fraction, all kept as given. Raises LMP-V006.
    """
    second, _, fraction = _split_timestamp(text, text)
    return second + fraction


def timestamp_micros(text: str) -> int:
    """Microseconds from 1970-01-01T00:00:00 to a TIMESTAMP, finer digits cut off. Raises LMP-V006."""
    _, micros, fraction = _split_timestamp(text, text)
    return micros + int(fraction[1:7].ljust(6, "0"))


def iso_micros(text: str) -> int:
    """The same to a time as changes have it, `2026-03-14T10:11:12.000123`."""
    return timestamp_micros(text[:10] + "-" + text[11:26].replace(":", "."))


def decode_timestamp_tz_text(text: str) -> str:
    """A TIMESTAMP WITH TIME ZONE: as `decode_timestamp_text`, its offset (-12:59 to +14:00) kept behind it."""
    zone = text[-6:]
    if not _ZONE(zone) or zone > _LAST_ZONE[zone[0]]:
        raise _bad_text("offset from -12:59 to +14:00 at the end", text)
    second, _, fraction = _split_timestamp(text[:-6], text)
    return second + fraction + zone


def _split_timestamp(text: str, whole: str) -> tuple[str, int, str]:
    """Text to the second, microseconds to the second, fraction with its point or nothing."""
    second = _second(text[:19])
    fraction = text[19:]
    if second is None or (fraction and not _FRACTION(fraction)) or ("T24" in second[0] and fraction.strip(".0")):
        raise _bad_text("timestamp as yyyy-mm-dd-hh.mm.ss.ffffff", whole)
    return second[0], second[1], fraction


@lru_cache(maxsize=8192)
def _second(text: str) -> tuple[str, int] | None:
    """As `_second17`, of the first 19 characters."""
    day, clock = text[:10], text[11:13] + text[14:16] + text[17:]
    if not _SECOND(text) or _days(day) is None or not _is_time(clock):
        return None
    return f"{day}T{text[11:].replace('.', ':')}", _micros(day, clock)


def _bad_text(expected: str, text: str) -> InvalidValueError:
    return _invalid("LMP-V006", expected, repr(text[:64]))


_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII).fullmatch
_TIME = re.compile(r"\d\d\.\d\d\.\d\d", re.ASCII).fullmatch
_SECOND = re.compile(r"\d{4}-\d\d-\d\d-\d\d\.\d\d\.\d\d", re.ASCII).fullmatch
_FRACTION = re.compile(r"\.\d{1,12}", re.ASCII).fullmatch
_ZONE = re.compile(r"[+-]\d\d:[0-5]\d", re.ASCII).fullmatch
_LAST_ZONE = {"+": "+14:00", "-": "-12:59"}

# Log positions. Source: BMC AMI Log Master for Db2, "Logical log data file", footnote 1


def extend_rba(raw: bytes) -> bytes:
    """An RBA in its 10-byte form; the 6-byte one gets four zero bytes in front. Raises LMP-V010."""
    return bytes(4) + raw if len(raw) == 6 else _ten_bytes(raw)


def extend_lrsn(raw: bytes) -> bytes:
    """An LRSN in its 10-byte form; the 6-byte one gets a zero byte in front and three behind. Raises LMP-V010."""
    return b"\x00" + raw + bytes(3) if len(raw) == 6 else _ten_bytes(raw)


def lrsn_micros(raw: bytes, delta_us: int = 0) -> int:
    """Microseconds from 1970-01-01T00:00:00 to the time of an LRSN of 6 or 10 bytes, finer digits cut off.

    An LRSN is the time-of-day clock plus the group's delta: bit 59 of its 80 counts microseconds since
    1900-01-01. Only in data sharing, where the member id is not 0; elsewhere the LRSN is an RBA, and no
    arithmetic can tell. The clock's leap seconds, if the machine has any, are left in. Raises LMP-V010.
    """
    return (int.from_bytes(extend_lrsn(raw), "big") >> 20) - _CLOCK_EPOCH_US - delta_us


def lrsn_to_timestamp(raw: bytes, delta_us: int = 0) -> str:
    """As `lrsn_micros`, as `2012-10-31T20:25:10.690096`. Raises LMP-V005 outside years 0001 to 9999."""
    micros = lrsn_micros(raw, delta_us)
    try:
        return (_EPOCH + timedelta(microseconds=micros)).isoformat(timespec="microseconds")
    except OverflowError:
        raise _invalid("LMP-V005", "an LRSN of the years 0001 to 9999", f"X'{to_hex(raw)}'", raw) from None


def lrsn_delta_us(text: str) -> int:
    """STCK TO LRSN DELTA of the log map (DSNJU004), 12 or 20 hexadecimal digits, in microseconds. Raises LMP-V008."""
    digits = decode_hex_text(text)
    if digits is None or len(digits) not in (12, 20):
        raise _invalid("LMP-V008", "12 or 20 hexadecimal digits", repr(text[:64]))
    return int.from_bytes(extend_lrsn(bytes.fromhex(digits)), "big") >> 20


def _ten_bytes(raw: bytes) -> bytes:
    if len(raw) != 10:
        raise _wrong_width(raw, "6 or 10 bytes")
    return raw


_EPOCH = datetime(1970, 1, 1)
_CLOCK_EPOCH_US = 2_208_988_800_000_000
"""Microseconds from 1900-01-01, where the clock starts, to 1970-01-01."""

# Text of control records


def decode_decimal_text(text: str) -> int | None:
    """An integer in a CHAR field: digits, a sign in front if any, blanks around. None when blank. Raises LMP-V008."""
    body = text.strip(" ")
    if not body:
        return None
    digits = body[1:] if body[0] in "+-" else body
    if not (digits.isdigit() and digits.isascii() and len(digits) <= 31):
        raise _invalid("LMP-V008", "up to 31 digits", repr(text[:64]))
    return int(body)


def decode_hex_text(text: str) -> str | None:
    """Hexadecimal digits in a CHAR field, in upper case, without blanks around. None when blank. Raises LMP-V008."""
    body = text.strip(" ")
    if not body:
        return None
    if not _HEX(body):
        raise _invalid("LMP-V008", "hexadecimal digits", repr(text[:64]))
    return body.upper()


_HEX = re.compile(r"[0-9A-Fa-f]+").fullmatch

# Calendar, shared by all forms: a day as `2026-03-14`, a time of day as six digits


@lru_cache(maxsize=4096)
def _days(day: str) -> int | None:
    """Days from 1970-01-01, or None when the calendar has no such day; one log holds few different ones."""
    try:
        return date(int(day[:4]), int(day[5:7]), int(day[8:])).toordinal() - 719_163
    except ValueError:
        return None


def _is_time(clock: str) -> bool:
    """Of 24:00:00 the fraction is left to check."""
    return clock[2] < "6" and clock[4] < "6" if clock < "24" else clock == "240000"


def _micros(day: str, clock: str) -> int:
    seconds = int(clock[:2]) * 3600 + int(clock[2:4]) * 60 + int(clock[4:])
    return ((_days(day) or 0) * 86400 + seconds) * 1_000_000


# Errors


def _invalid(
    code: str, expected: str, found: str, raw: bytes | None = None, hint: str | None = None
) -> InvalidValueError:
    shown = None if raw is None else to_hex(raw[:32])
    return InvalidValueError(code=code, expected=expected, found=found, hex=shown, hint=hint)


def _wrong_width(raw: bytes, expected: str) -> InvalidValueError:
    return _invalid("LMP-V010", expected, f"{len(raw)} bytes", raw)


def _bad_digit(halves: str) -> str:
    place = next(index for index, half in enumerate(halves) if half not in "0123456789")
    return f"digit {place + 1} is 0x{halves[place].upper()}"


def _text_hint(raw: bytes) -> str | None:
    """Says so when the bytes look like text: a field of another type, or one that starts elsewhere."""
    texts = {"EBCDIC": raw[:32].decode("cp037"), "ASCII": raw[:32].decode("latin-1")}
    return next((f"the bytes read as {name} text {text!r}" for name, text in texts.items() if _PLAIN(text)), None)


_PLAIN = re.compile(r"[A-Za-z0-9 +\-.,:/]+").fullmatch

# Packed digits without a sign: dates and times of Db2 LUW rows


def decode_date_digits(raw: bytes) -> str:
    """DATE of 4 bytes, packed yyyymmdd: x'19960403' is `1996-04-03`. Raises LMP-V006.

    Source: IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Field Lengths; as are the next two.
    """
    digits = _digits(raw, "DATE as packed yyyymmdd")
    return decode_date_text(f"{digits[:4]}-{digits[4:6]}-{digits[6:]}")


def decode_time_digits(raw: bytes) -> str:
    """TIME of 3 bytes, packed hhmmss: x'133200' is `13:32:00`. Raises LMP-V006."""
    digits = _digits(raw, "TIME as packed hhmmss")
    return decode_time_text(f"{digits[:2]}.{digits[2:4]}.{digits[4:]}")


def decode_timestamp_digits(raw: bytes, precision: int) -> str:
    """TIMESTAMP(p) of 7 to 13 bytes, packed yyyymmddhhmmss and p digits of a second. Raises LMP-V006."""
    digits = _digits(raw, "TIMESTAMP as packed yyyymmddhhmmss and digits of a second")
    date_, time_ = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}", f"{digits[8:10]}.{digits[10:12]}.{digits[12:14]}"
    fraction = digits[14 : 14 + precision]
    return decode_timestamp_text(f"{date_}-{time_}" + (f".{fraction}" if fraction else ""))


def _digits(raw: bytes, expected: str) -> str:
    digits = raw.hex()
    if not digits.isdigit():
        raise _invalid("LMP-V006", expected, f"X'{digits.upper()}'", raw)
    return digits


# Decimal floating point


def decode_decfloat(raw: bytes) -> str:
    """DECFLOAT of 8 or 16 bytes, most significant byte first, as text: `1.20`, `-4E+7`, `NaN`, `-Infinity`.

    Digits densely packed ten bits for three; trailing zeros are kept. Raises LMP-V010.
    Source: IEEE 754-2008, 3.5, decimal encoding. That Db2 LUW stores it so is inferred.
    """
    if len(raw) not in _DECFLOATS:
        raise _wrong_width(raw, "8 or 16 bytes")
    exponent_bits, declets, bias = _DECFLOATS[len(raw)]
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


_DECFLOATS = {8: (8, 5, 398), 16: (12, 11, 6176)}
"""Bits of the exponent's continuation, groups of three digits, and bias."""
DECFLOAT_ZERO = {8: bytes.fromhex("2238") + bytes(6), 16: bytes.fromhex("2208") + bytes(14)}
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
