"""Log positions and row ids, and any bytes in their place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors.files import assert_refused

from lmparse.errors import InvalidValueError
from lmparse.values import positions


def test_rba_and_lrsn_in_their_10_byte_form() -> None:
    assert positions.extend_rba(bytes.fromhex("C6A1B2C3D4E5")).hex() == "00000000c6a1b2c3d4e5"
    assert positions.extend_lrsn(bytes.fromhex("CA670FBBF3D3")).hex() == "00ca670fbbf3d3000000"
    ten = bytes.fromhex("01020304050607080910")
    assert positions.extend_rba(ten) == positions.extend_lrsn(ten) == ten


@given(st.binary(max_size=12))
def test_any_bytes_are_a_log_position_or_refused(raw: bytes) -> None:
    if len(raw) in (6, 10):
        assert len(positions.extend_rba(raw)) == len(positions.extend_lrsn(raw)) == 10
        return
    for extend in (positions.extend_rba, positions.extend_lrsn):
        with pytest.raises(InvalidValueError) as caught:
            extend(raw)
        vector = {
            "code": "LMP-V010",
            "expected": "6 or 10 bytes",
            "found": f"{len(raw)} bytes",
            "hex": raw.hex().upper(),
        }
        assert_refused(caught.value, vector)


def test_rid6() -> None:
    """Slot 12 of page 0x340, from servers of either byte order."""
    assert positions.join_rid6(bytes.fromhex("00000340000C"), False).hex() == "00000340000c"
    assert positions.join_rid6(bytes.fromhex("000C03400000"), True).hex() == "00000340000c"
