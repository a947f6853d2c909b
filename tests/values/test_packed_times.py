"""Times in packed digits against the computed vectors, against the standard library, and against any bytes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors.files import assert_refused, micros, refusal, timestamp17_micros, vectors

from lmparse.errors import InvalidValueError
from lmparse.values import packed_times


@pytest.mark.parametrize("vector", vectors("timestamp17.json"))
def test_timestamp17_vectors(vector: dict[str, Any]) -> None:
    raw = bytes.fromhex(vector["hex"])
    if "code" not in vector:
        assert packed_times.decode_timestamp17(raw) == vector["value"]
        assert timestamp17_micros(raw) == vector["micros"]
        return
    with pytest.raises(InvalidValueError) as caught:
        packed_times.decode_timestamp17(raw)
    assert_refused(caught.value, vector)


@given(st.datetimes(), st.text("0123456789", min_size=14, max_size=14))
def test_timestamp17_round_trip(when: datetime, finer: str) -> None:
    raw = bytes.fromhex(f"{when.year:04}{when:%m%d%H%M%S%f}{finer}")
    text = packed_times.decode_timestamp17(raw)
    assert text == when.isoformat(timespec="microseconds") + finer.rstrip("0")
    assert timestamp17_micros(raw) == micros(when)


@given(st.one_of(st.binary(max_size=20), st.text("0123456789abcdef", min_size=34, max_size=34).map(bytes.fromhex)))
def test_any_bytes_are_a_timestamp17_or_refused(raw: bytes) -> None:
    error = refusal(packed_times.decode_timestamp17, raw)
    if error:
        assert error.code == ("LMP-V005" if len(raw) == 17 else "LMP-V010")
        assert error.hex == raw.hex().upper()
        assert None not in (error.expected, error.found)
        return
    assert (packed_times.decode_timestamp17(raw) is None) == (raw == bytes(17))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (bytes.fromhex("2026031410111200012300000000000000"), "2026031410111200012300000000000000"),
        (bytes.fromhex("20260314101112000123"), "2026031410111200012300000000000000"),
        ("2026-03-14-10.11.12.000123".encode("cp037"), "2026031410111200012300000000000000"),
        (bytes(10), "00" * 17),
        (bytes(26), "00" * 17),
        (b"\x40" * 26, "00" * 17),
        (b"\xff" * 17, "FF" * 17),
    ],
)
def test_extend_timestamp(raw: bytes, expected: str) -> None:
    assert packed_times.extend_timestamp(raw) == bytes.fromhex(expected)


@pytest.mark.parametrize(
    ("raw", "code", "expected", "found"),
    [
        (bytes(7), "LMP-V010", "10, 17 or 26 bytes", "7 bytes"),
        (b"", "LMP-V010", "10, 17 or 26 bytes", "0 bytes"),
        (
            "2026-03-14 10.11.12.000123".encode("cp037"),
            "LMP-V006",
            "timestamp as yyyy-mm-dd-hh.mm.ss.ffffff",
            "'2026-03-14 10.11.12.000123'",
        ),
    ],
)
def test_extend_timestamp_refuses(raw: bytes, code: str, expected: str, found: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        packed_times.extend_timestamp(raw)
    vector = {"code": code, "expected": expected, "found": found, "hex": raw.hex().upper()}
    assert_refused(caught.value, vector)
