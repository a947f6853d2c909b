"""Packed decimals against the published and computed vectors, against their own encoder, and against any bytes."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from vectors.files import assert_refused, vectors

from lmparse.errors import InvalidValueError
from lmparse.values import decimals


@pytest.mark.parametrize("vector", vectors("packed.json"))
def test_packed_vectors(vector: dict[str, Any]) -> None:
    raw = bytes.fromhex(vector["hex"])
    if "code" in vector:
        with pytest.raises(InvalidValueError) as caught:
            decimals.decode_packed(raw, vector["scale"])
        assert_refused(caught.value, vector)
        return
    value = decimals.decode_packed(raw, vector["scale"])
    assert decimals.to_text(value) == vector["value"]
    assert value.as_tuple() == Decimal(vector["value"]).as_tuple()


def pack(value: int, width: int, sign: str) -> bytes:
    return bytes.fromhex(str(abs(value)).rjust(width * 2 - 1, "0") + sign)


@given(st.integers(0, 10**63 - 1), st.integers(32, 40), st.sampled_from("CAFEDB"), st.integers(0, 80))
def test_packed_round_trip(digits: int, width: int, sign: str, scale: int) -> None:
    value = decimals.decode_packed(pack(digits, width, sign), scale)
    expected = -digits if sign in "DB" else digits
    assert Fraction(value) == Fraction(expected, 10**scale)
    assert value.as_tuple().exponent == -scale
    assert value.is_signed() == (expected < 0)


def test_packed_is_encoded_with_all_its_digits() -> None:
    value = Decimal("-12345678901234567890123456789012345678.9")
    raw = decimals.encode_packed(value, 20, 1)
    assert decimals.decode_packed(raw, 1) == value
    with pytest.raises(OverflowError, match="more digits than 19 bytes"):
        decimals.encode_packed(value, 19, 1)
    with pytest.raises(OverflowError, match="more than 0 digits behind"):
        decimals.encode_packed(value, 20, 0)


@given(st.binary(max_size=40), st.integers(0, 31))
@example(b"", 0)
def test_any_bytes_are_packed_or_refused(raw: bytes, scale: int) -> None:
    halves = raw.hex().upper()
    if halves[:-1].isdigit() and halves[-1] in "ABCDEF":
        assert isinstance(decimals.decode_packed(raw, scale), Decimal)
        return
    with pytest.raises(InvalidValueError) as caught:
        decimals.decode_packed(raw, scale)
    assert (caught.value.code, caught.value.hex) == ("LMP-V002", halves[:64])


@pytest.mark.parametrize(
    ("raw", "precision", "found"),
    [("12345C", 4, "5 digits"), ("02345C", 4, None), ("00000C", 2, None), ("00100C", 2, "3 digits"), ("9D", 1, None)],
)
def test_no_more_digits_than_the_column_has(raw: str, precision: int, found: str | None) -> None:
    """An even number of digits leaves a half byte over, which must be zero."""
    if found is None:
        assert decimals.decode_packed(bytes.fromhex(raw), 1, precision) == decimals.decode_packed(bytes.fromhex(raw), 1)
        return
    with pytest.raises(InvalidValueError) as caught:
        decimals.decode_packed(bytes.fromhex(raw), 1, precision)
    assert (caught.value.code, caught.value.expected, caught.value.found) == (
        "LMP-V002", f"at most {precision} digits", found,
    )  # fmt: skip
