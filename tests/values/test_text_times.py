"""Texts of dates, times and numbers against the vectors, against the standard library, and against any text."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors.files import assert_refused, micros, refusal, vectors

from lmparse.errors import InvalidValueError
from lmparse.values import decimals, text_times, texts

EPOCH = datetime(1970, 1, 1)


TEXT_DECODERS = {
    "date": text_times.decode_date,
    "time": text_times.decode_time,
    "timestamp": text_times.decode_timestamp,
    "timestamp_tz": text_times.decode_timestamp_tz,
    "decimal": decimals.decode_text,
    "hex": texts.decode_hex,
}


TEXT_NUMBERS = {"date": text_times.date_days, "timestamp": text_times.timestamp_micros}


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
    assert text_times.decode_date(day.isoformat()) == day.isoformat()
    assert text_times.date_days(day.isoformat()) == (day - EPOCH.date()).days


@given(st.datetimes(), st.integers(0, 12), st.integers(0, 10**12 - 1), st.integers(-12 * 60 - 59, 14 * 60))
def test_timestamp_text_round_trip(when: datetime, precision: int, fraction: int, offset: int) -> None:
    when = when.replace(microsecond=0)
    digits = f"{fraction:012}"[:precision]
    tail = f".{digits}" if digits else ""
    text = f"{when.date()}-{when:%H.%M.%S}{tail}"
    expected = when.isoformat() + tail
    assert text_times.decode_timestamp(text) == expected
    assert text_times.timestamp_micros(text) == micros(when) + int(f"{digits:0<6}"[:6])
    zone = f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02}:{abs(offset) % 60:02}"
    assert text_times.decode_timestamp_tz(text + zone) == expected + zone


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
