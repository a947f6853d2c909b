"""Log positions and row ids against the published vectors, and against any bytes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors.files import assert_refused, micros, refusal, vectors

from lmparse.errors import InvalidValueError
from lmparse.values import positions


@pytest.mark.parametrize("vector", vectors("lrsn.json"))
def test_lrsn_vectors(vector: dict[str, Any]) -> None:
    raw = bytes.fromhex(vector["hex"])
    if "code" in vector:
        with pytest.raises(InvalidValueError) as caught:
            positions.lrsn_to_timestamp(raw)
        assert_refused(caught.value, vector)
        return
    delta_us = positions.lrsn_delta_us(vector["delta"]) if "delta" in vector else 0
    assert positions.lrsn_to_timestamp(raw, delta_us) == vector["value"]
    assert positions.lrsn_micros(raw, delta_us) == micros(datetime.fromisoformat(vector["value"]))


def test_rba_and_lrsn_in_their_10_byte_form() -> None:
    assert positions.extend_rba(bytes.fromhex("C6A1B2C3D4E5")).hex() == "00000000c6a1b2c3d4e5"
    assert positions.extend_lrsn(bytes.fromhex("CA670FBBF3D3")).hex() == "00ca670fbbf3d3000000"
    ten = bytes.fromhex("01020304050607080910")
    assert positions.extend_rba(ten) == positions.extend_lrsn(ten) == ten


@given(st.binary(max_size=12), st.integers(-(10**18), 10**18))
def test_any_bytes_are_a_log_position_or_refused(raw: bytes, delta_us: int) -> None:
    if len(raw) in (6, 10):
        assert len(positions.extend_rba(raw)) == len(positions.extend_lrsn(raw)) == 10
        refused = refusal(positions.lrsn_to_timestamp, raw, delta_us)
        if refused:
            assert refused.code == "LMP-V005"
            return
        when = datetime.fromisoformat(positions.lrsn_to_timestamp(raw, delta_us))
        assert micros(when) == positions.lrsn_micros(raw, delta_us)
        return
    for decode in (positions.extend_rba, positions.extend_lrsn, positions.lrsn_micros, positions.lrsn_to_timestamp):
        with pytest.raises(InvalidValueError) as caught:
            decode(raw)
        vector = {
            "code": "LMP-V010",
            "expected": "6 or 10 bytes",
            "found": f"{len(raw)} bytes",
            "hex": raw.hex().upper(),
        }
        assert_refused(caught.value, vector)


@pytest.mark.parametrize("text", ["", "53402130", "0000005340213000000G", "0000 0000 0000"])
def test_lrsn_delta_refuses(text: str) -> None:
    with pytest.raises(InvalidValueError, match="LMP-V008"):
        positions.lrsn_delta_us(text)


def test_rid6() -> None:
    """Slot 12 of page 0x340, from servers of either byte order."""
    assert positions.join_rid6(bytes.fromhex("00000340000C"), False).hex() == "00000340000c"
    assert positions.join_rid6(bytes.fromhex("000C03400000"), True).hex() == "00000340000c"
