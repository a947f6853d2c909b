"""Every decoder against the published and computed vectors, against its own encoder, and against any bytes."""

from __future__ import annotations

import decimal
import json
import math
import pickle
import struct
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lmparse.errors import InvalidValueError
from lmparse.values import numeric

VECTORS = Path(__file__).parents[1].joinpath("vectors")
EPOCH = datetime(1970, 1, 1)
TEXT_DECODERS = {
    "date": numeric.decode_date_text,
    "time": numeric.decode_time_text,
    "timestamp": numeric.decode_timestamp_text,
    "timestamp_tz": numeric.decode_timestamp_tz_text,
    "decimal": numeric.decode_decimal_text,
    "hex": numeric.decode_hex_text,
}
TEXT_NUMBERS = {"date": numeric.date_days, "timestamp": numeric.timestamp_micros}


def vectors(name: str) -> list[Any]:
    """The vectors of one file, each a test of its own; a file without any is a mistake."""
    found = json.loads((VECTORS / name).read_text(encoding="utf-8"))
    assert found, f"{name} is empty"
    return [
        pytest.param(vector, id=f"{vector.get('kind', '')}{vector.get('hex', vector.get('text'))!a}")
        for vector in found
    ]


def assert_refused(error: InvalidValueError, vector: dict[str, Any]) -> None:
    assert (error.code, error.expected, error.found) == (vector["code"], vector["expected"], vector["found"])
    assert error.hint == vector.get("hint")
    assert error.hex == (vector["hex"][:64] if "hex" in vector else None)
    assert str(error) == f"expected {error.expected}, found {error.found} [{error.code}]"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def refusal(decode: Callable[..., Any], *arguments: Any) -> InvalidValueError | None:
    """The error of a call, or None when it gives a value; any other error fails the test."""
    try:
        decode(*arguments)
    except InvalidValueError as error:
        return error
    return None


# Packed decimal


@pytest.mark.parametrize("vector", vectors("packed.json"))
def test_packed_vectors(vector: dict[str, Any]) -> None:
    raw = bytes.fromhex(vector["hex"])
    if "code" in vector:
        with pytest.raises(InvalidValueError) as caught:
            numeric.decode_packed(raw, vector["scale"])
        assert_refused(caught.value, vector)
        return
    value = numeric.decode_packed(raw, vector["scale"])
    assert numeric.decimal_text(value) == vector["value"]
    assert value.as_tuple() == Decimal(vector["value"]).as_tuple()


def pack(value: int, width: int, sign: str) -> bytes:
    return bytes.fromhex(str(abs(value)).rjust(width * 2 - 1, "0") + sign)


@given(st.integers(0, 10**63 - 1), st.integers(32, 40), st.sampled_from("CAFEDB"), st.integers(0, 80))
def test_packed_round_trip(digits: int, width: int, sign: str, scale: int) -> None:
    value = numeric.decode_packed(pack(digits, width, sign), scale)
    expected = -digits if sign in "DB" else digits
    assert Fraction(value) == Fraction(expected, 10**scale)
    assert value.as_tuple().exponent == -scale
    assert value.is_signed() == (expected < 0)


def test_packed_does_not_depend_on_the_context() -> None:
    traps: list[Any] = [decimal.Inexact, decimal.Rounded, decimal.Subnormal, decimal.Clamped, decimal.FloatOperation]
    with decimal.localcontext(decimal.Context(prec=1, Emax=1, Emin=-1, traps=traps)):
        value = numeric.decode_packed(bytes.fromhex("1234567890123456789012345678901D"), 9)
        zero = numeric.decode_packed(bytes.fromhex("000D"), 2)
        texts = numeric.decimal_text(value), numeric.decimal_text(zero), numeric.decimal_text(Decimal("1E+3"))
    assert texts == ("-1234567890123456789012.345678901", "0.00", "1000")


def test_packed_beyond_the_limit_of_int() -> None:
    value = numeric.decode_packed(bytes.fromhex("9" * 9999 + "C"), 0)
    assert len(numeric.decimal_text(value)) == 9999


@given(st.binary(max_size=40), st.integers(0, 31))
@example(b"", 0)
def test_any_bytes_are_packed_or_refused(raw: bytes, scale: int) -> None:
    halves = raw.hex().upper()
    if halves[:-1].isdigit() and halves[-1] in "ABCDEF":
        assert isinstance(numeric.decode_packed(raw, scale), Decimal)
        return
    with pytest.raises(InvalidValueError) as caught:
        numeric.decode_packed(raw, scale)
    assert (caught.value.code, caught.value.hex) == ("LMP-V002", halves[:64])


# Floating point


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
    value = numeric.decode_hfp(raw)
    assert struct.pack(">d", value) == struct.pack(">d", float.fromhex(vector["value"]))
    assert_nearest(value, exact_hfp(raw))


@given(st.one_of(st.binary(min_size=4, max_size=4), st.binary(min_size=8, max_size=8)))
def test_hfp_is_the_nearest_float_with_its_sign(raw: bytes) -> None:
    value = numeric.decode_hfp(raw)
    assert_nearest(value, exact_hfp(raw))
    assert math.copysign(1, value) == (-1 if raw[0] & 0x80 else 1)


@given(st.binary(min_size=5, max_size=7))
def test_short_and_long_hfp_agree(raw: bytes) -> None:
    assert numeric.decode_hfp(raw[:4]) == numeric.decode_hfp(raw[:4] + bytes(4))


@given(st.floats(allow_nan=False), st.floats(allow_nan=False, width=32), st.sampled_from(["big", "little"]))
def test_ieee_round_trip(value: float, short: float, order: Any) -> None:
    mark = ">" if order == "big" else "<"
    decoded = numeric.decode_ieee(struct.pack(mark + "d", value), order)
    assert struct.pack(">d", decoded) == struct.pack(">d", value)
    assert numeric.decode_ieee(struct.pack(mark + "f", short), order) == short


def test_ieee_keeps_nan_and_infinity() -> None:
    assert math.isnan(numeric.decode_ieee(bytes.fromhex("7FF8000000000000")))
    assert numeric.decode_ieee(bytes.fromhex("FF800000")) == -math.inf
    assert numeric.decode_ieee(bytes.fromhex("0000C03F"), "little") == 1.5


@pytest.mark.parametrize("decode", [numeric.decode_hfp, numeric.decode_ieee])
@pytest.mark.parametrize("width", [0, 1, 3, 5, 7, 9, 16])
def test_floats_of_another_width_are_refused(decode: Any, width: int) -> None:
    with pytest.raises(InvalidValueError) as caught:
        decode(b"\x41" * width)
    expected = {"code": "LMP-V010", "expected": "4 or 8 bytes", "found": f"{width} bytes", "hex": "41" * width}
    assert_refused(caught.value, expected)


# Timestamps of 17 bytes


@pytest.mark.parametrize("vector", vectors("timestamp17.json"))
def test_timestamp17_vectors(vector: dict[str, Any]) -> None:
    raw = bytes.fromhex(vector["hex"])
    if "code" not in vector:
        assert numeric.decode_timestamp17(raw) == vector["value"]
        assert numeric.timestamp17_micros(raw) == vector["micros"]
        return
    for decode in (numeric.decode_timestamp17, numeric.timestamp17_micros):
        with pytest.raises(InvalidValueError) as caught:
            decode(raw)
        assert_refused(caught.value, vector)


@given(st.datetimes(), st.text("0123456789", min_size=14, max_size=14))
def test_timestamp17_round_trip(when: datetime, finer: str) -> None:
    raw = bytes.fromhex(f"{when.year:04}{when:%m%d%H%M%S%f}{finer}")
    text = numeric.decode_timestamp17(raw)
    assert text == when.isoformat(timespec="microseconds") + finer.rstrip("0")
    assert numeric.timestamp17_micros(raw) == micros(when)


def micros(when: datetime) -> int:
    passed = when - EPOCH
    return (passed.days * 86400 + passed.seconds) * 1_000_000 + passed.microseconds


@given(st.one_of(st.binary(max_size=20), st.text("0123456789abcdef", min_size=34, max_size=34).map(bytes.fromhex)))
def test_any_bytes_are_a_timestamp17_or_refused(raw: bytes) -> None:
    error = refusal(numeric.decode_timestamp17, raw)
    assert str(error) == str(refusal(numeric.timestamp17_micros, raw))
    if error:
        assert error.code == ("LMP-V005" if len(raw) == 17 else "LMP-V010")
        assert error.hex == raw.hex().upper()
        assert None not in (error.expected, error.found)
        return
    assert (numeric.decode_timestamp17(raw) is None) == (raw == bytes(17))
    assert (numeric.timestamp17_micros(raw) is None) == (raw == bytes(17))


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
    assert numeric.to_hex(numeric.extend_timestamp(raw)) == expected


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
        numeric.extend_timestamp(raw)
    vector = {"code": code, "expected": expected, "found": found, "hex": raw.hex().upper()}
    assert_refused(caught.value, vector)


@given(st.binary(max_size=30))
def test_extend_timestamp_gives_17_bytes_or_refuses(raw: bytes) -> None:
    error = refusal(numeric.extend_timestamp, raw)
    if error:
        assert error.code == ("LMP-V006" if len(raw) == 26 else "LMP-V010")
        return
    assert len(numeric.extend_timestamp(raw)) == 17


# Text: dates and times of columns, numbers and ids of control records


@pytest.mark.parametrize("vector", vectors("db2_text.json"))
def test_text_vectors(vector: dict[str, Any]) -> None:
    kind, text = vector["kind"], vector["text"]
    if "code" not in vector:
        assert TEXT_DECODERS[kind](text) == vector["value"]
        if kind in TEXT_NUMBERS:
            assert TEXT_NUMBERS[kind](text) == vector["number"]
        return
    for decode in filter(None, (TEXT_DECODERS[kind], TEXT_NUMBERS.get(kind))):
        with pytest.raises(InvalidValueError) as caught:
            decode(text)
        assert_refused(caught.value, vector)


@given(st.dates())
def test_date_round_trip(day: date) -> None:
    assert numeric.decode_date_text(day.isoformat()) == day.isoformat()
    assert numeric.date_days(day.isoformat()) == (day - EPOCH.date()).days


@given(st.datetimes(), st.integers(0, 12), st.integers(0, 10**12 - 1), st.integers(-12 * 60 - 59, 14 * 60))
def test_timestamp_text_round_trip(when: datetime, precision: int, fraction: int, offset: int) -> None:
    when = when.replace(microsecond=0)
    digits = f"{fraction:012}"[:precision]
    tail = f".{digits}" if digits else ""
    text = f"{when.date()}-{when:%H.%M.%S}{tail}"
    expected = when.isoformat() + tail
    assert numeric.decode_timestamp_text(text) == expected
    assert numeric.timestamp_micros(text) == micros(when) + int(f"{digits:0<6}"[:6])
    zone = f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02}:{abs(offset) % 60:02}"
    assert numeric.decode_timestamp_tz_text(text + zone) == expected + zone


@given(st.sampled_from(sorted(TEXT_DECODERS)), st.one_of(st.text(), st.text("0123456789-.:+ aF", max_size=40)))
def test_any_text_is_a_value_or_refused(kind: str, text: str) -> None:
    for decode in filter(None, (TEXT_DECODERS[kind], TEXT_NUMBERS.get(kind))):
        error = refusal(decode, text)
        if error:
            assert error.code == ("LMP-V008" if kind in ("decimal", "hex") else "LMP-V006")
            assert None not in (error.expected, error.found)
            assert error.hex is None


@pytest.mark.parametrize("kind", sorted(TEXT_DECODERS))
def test_long_text_is_refused_and_shown_in_part(kind: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        TEXT_DECODERS[kind]("9" * 100_000 + "x")
    assert len(str(caught.value)) < 200


# Log positions and row ids


@pytest.mark.parametrize("vector", vectors("lrsn.json"))
def test_lrsn_vectors(vector: dict[str, Any]) -> None:
    raw = bytes.fromhex(vector["hex"])
    if "code" in vector:
        with pytest.raises(InvalidValueError) as caught:
            numeric.lrsn_to_timestamp(raw)
        assert_refused(caught.value, vector)
        return
    delta_us = numeric.lrsn_delta_us(vector["delta"]) if "delta" in vector else 0
    assert numeric.lrsn_to_timestamp(raw, delta_us) == vector["value"]
    assert numeric.lrsn_micros(raw, delta_us) == micros(datetime.fromisoformat(vector["value"]))


def test_rba_and_lrsn_in_their_10_byte_form() -> None:
    assert numeric.to_hex(numeric.extend_rba(bytes.fromhex("C6A1B2C3D4E5"))) == "00000000C6A1B2C3D4E5"
    assert numeric.to_hex(numeric.extend_lrsn(bytes.fromhex("CA670FBBF3D3"))) == "00CA670FBBF3D3000000"
    ten = bytes.fromhex("01020304050607080910")
    assert numeric.extend_rba(ten) == numeric.extend_lrsn(ten) == ten


@given(st.binary(max_size=12), st.integers(-(10**18), 10**18))
def test_any_bytes_are_a_log_position_or_refused(raw: bytes, delta_us: int) -> None:
    if len(raw) in (6, 10):
        assert len(numeric.extend_rba(raw)) == len(numeric.extend_lrsn(raw)) == 10
        refused = refusal(numeric.lrsn_to_timestamp, raw, delta_us)
        if refused:
            assert refused.code == "LMP-V005"
            return
        when = datetime.fromisoformat(numeric.lrsn_to_timestamp(raw, delta_us))
        assert micros(when) == numeric.lrsn_micros(raw, delta_us)
        return
    for decode in (numeric.extend_rba, numeric.extend_lrsn, numeric.lrsn_micros, numeric.lrsn_to_timestamp):
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
        numeric.lrsn_delta_us(text)


def test_rid() -> None:
    assert numeric.decode_rid(bytes.fromhex("0000020105")) == (0x201, 5)
    assert numeric.decode_rid(b"\xff" * 5) == (2**32 - 1, 255)
    with pytest.raises(InvalidValueError) as caught:
        numeric.decode_rid(b"\x01\x02\x03\x04")
    assert_refused(caught.value, {"code": "LMP-V010", "expected": "5 bytes", "found": "4 bytes", "hex": "01020304"})


def test_every_public_name_exists() -> None:
    assert all(callable(getattr(numeric, name)) for name in numeric.__all__)


@pytest.mark.parametrize(
    ("raw", "precision", "found"),
    [("12345C", 4, "5 digits"), ("02345C", 4, None), ("00000C", 2, None), ("00100C", 2, "3 digits"), ("9D", 1, None)],
)
def test_no_more_digits_than_the_column_has(raw: str, precision: int, found: str | None) -> None:
    """An even number of digits leaves a half byte over, which must be zero."""
    if found is None:
        assert numeric.decode_packed(bytes.fromhex(raw), 1, precision) == numeric.decode_packed(bytes.fromhex(raw), 1)
        return
    with pytest.raises(InvalidValueError) as caught:
        numeric.decode_packed(bytes.fromhex(raw), 1, precision)
    assert (caught.value.code, caught.value.expected, caught.value.found) == (
        "LMP-V002", f"at most {precision} digits", found,
    )  # fmt: skip


@pytest.mark.parametrize("byte_order", ["big", "little"])
def test_integers_have_their_width(byte_order: Any) -> None:
    for width in (2, 4, 8):
        for value in (0, 1, -1, -(1 << 8 * width - 1), (1 << 8 * width - 1) - 1):
            raw = value.to_bytes(width, byte_order, signed=True)
            assert numeric.decode_integer(raw, width, byte_order) == value
            with pytest.raises(InvalidValueError, match="LMP-V010"):
                numeric.decode_integer(raw + b"\0", width, byte_order)
