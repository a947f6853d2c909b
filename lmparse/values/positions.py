"""Positions in a log (RBA, LRSN) and in a table (RID).

Source: BMC AMI Log Master for Db2, "Logical log data file", footnote 1.
"""

from __future__ import annotations

from lmparse.values.invalid_values import wrong_width


def extend_rba(raw: bytes) -> bytes:
    """An RBA in its 10-byte form; four zero bytes are put in front of the 6-byte form. Raises LMP-V010."""
    return bytes(4) + raw if len(raw) == 6 else _ten_bytes(raw)


def extend_lrsn(raw: bytes) -> bytes:
    """An LRSN in its 10-byte form; the 6-byte form gets a zero byte in front and three behind. Raises LMP-V010."""
    return b"\x00" + raw + bytes(3) if len(raw) == 6 else _ten_bytes(raw)


def _ten_bytes(raw: bytes) -> bytes:
    if len(raw) != 10:
        raise wrong_width(raw, "6 or 10 bytes")
    return raw


def join_rid6(raw: bytes, is_little: bool) -> bytes:
    """A Db2 LUW row id of 48 bits, most significant byte first, from its three halfwords in the server's byte order."""
    return raw[4:] + raw[2:4] + raw[:2] if is_little else raw
