"""Floating point against the published vectors, against exact fractions and against the standard library."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors.files import assert_refused, vectors

from lmparse.errors import InvalidValueError
from lmparse.values import floats


def exact_hfp(raw: bytes) -> Fraction:
    bits, width = int.from_bytes(raw, "big"), len(raw) * 8
    fraction = Fraction(bits & (1 << width - 8) - 1, 1 << width - 8)
    return fraction * Fraction(16) ** ((bits >> width - 8 & 0x7F) - 64) * (-1 if bits >> width - 1 else 1)


def assert_nearest(value: float, exact: Fraction) -> None:
    """`value` is the float nearest to `exact`; of two, the one with the even last bit."""
    distance = abs(Fraction(value) - exact)
    for neighbour in (math.nextafter(value, math.inf), math.nextafter(value, -math.inf)):
        other = abs(Fraction(neighbour) - exact)
        even = struct.unpack(">q", struct.pack(">d", value))[0] % 2 == 0
        assert distance < other or (distance == other and even)


@pytest.mark.parametrize("vector", vectors("hfp.json"))
def test_hfp_vectors(vector: dict[str, Any]) -> None:
    raw = bytes.fromhex(vector["hex"])
    value = floats.decode_hfp(raw)
    assert struct.pack(">d", value) == struct.pack(">d", float.fromhex(vector["value"]))
    assert_nearest(value, exact_hfp(raw))


@given(st.one_of(st.binary(min_size=4, max_size=4), st.binary(min_size=8, max_size=8)))
def test_hfp_is_the_nearest_float_with_its_sign(raw: bytes) -> None:
    value = floats.decode_hfp(raw)
    assert_nearest(value, exact_hfp(raw))
    assert math.copysign(1, value) == (-1 if raw[0] & 0x80 else 1)


@given(st.floats(allow_nan=False), st.floats(allow_nan=False, width=32), st.sampled_from(["big", "little"]))
def test_ieee_round_trip(value: float, short: float, order: Any) -> None:
    mark = ">" if order == "big" else "<"
    decoded = floats.decode_ieee(struct.pack(mark + "d", value), order)
    assert struct.pack(">d", decoded) == struct.pack(">d", value)
    assert floats.decode_ieee(struct.pack(mark + "f", short), order) == short


def test_ieee_keeps_nan_and_infinity() -> None:
    assert math.isnan(floats.decode_ieee(bytes.fromhex("7FF8000000000000")))
    assert floats.decode_ieee(bytes.fromhex("FF800000")) == -math.inf
    assert floats.decode_ieee(bytes.fromhex("0000C03F"), "little") == 1.5


@pytest.mark.parametrize("decode", [floats.decode_hfp, floats.decode_ieee])
@pytest.mark.parametrize("width", [0, 1, 3, 5, 7, 9, 16])
def test_floats_of_another_width_are_refused(decode: Any, width: int) -> None:
    with pytest.raises(InvalidValueError) as caught:
        decode(b"\x41" * width)
    expected = {"code": "LMP-V010", "expected": "4 or 8 bytes", "found": f"{width} bytes", "hex": "41" * width}
    assert_refused(caught.value, expected)
