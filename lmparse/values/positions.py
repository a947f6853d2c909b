"""Positions in a log (RBA, LRSN) and in a table (RID).

Source: BMC AMI Log Master for Db2, "Logical log data file", footnote 1.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from lmparse.values import texts
from lmparse.values.invalid_values import invalid_value, wrong_width


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
        raise invalid_value("LMP-V005", "an LRSN of the years 0001 to 9999", f"X'{raw.hex().upper()}'", raw) from None


def lrsn_delta_us(text: str) -> int:
    """STCK TO LRSN DELTA of the log map (DSNJU004), 12 or 20 hexadecimal digits, in microseconds. Raises LMP-V008."""
    digits = texts.decode_hex(text)
    if digits is None or len(digits) not in (12, 20):
        raise invalid_value("LMP-V008", "12 or 20 hexadecimal digits", repr(text[:64]))
    return int.from_bytes(extend_lrsn(bytes.fromhex(digits)), "big") >> 20


def _ten_bytes(raw: bytes) -> bytes:
    if len(raw) != 10:
        raise wrong_width(raw, "6 or 10 bytes")
    return raw


_EPOCH = datetime(1970, 1, 1)


_CLOCK_EPOCH_US = 2_208_988_800_000_000
"""Microseconds from 1900-01-01, where the clock starts, to 1970-01-01."""


def join_rid6(raw: bytes, is_little: bool) -> bytes:
    """A Db2 LUW row id of 48 bits, most significant byte first, from its half-words in the order they are in."""
    return raw[4:] + raw[2:4] + raw[:2] if is_little else raw
