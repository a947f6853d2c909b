"""Vectors of values: those of a file of `vectors/`, and what a decoder that refuses one must say."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lmparse.errors import InvalidValueError
from lmparse.values import packed_times, text_times

VECTORS = Path(__file__).parent


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


def micros(when: datetime) -> int:
    passed = when - datetime(1970, 1, 1)
    return (passed.days * 86400 + passed.seconds) * 1_000_000 + passed.microseconds


def timestamp17_micros(raw: bytes) -> int | None:
    """The microseconds of a BIN(17) timestamp, from its text; finer digits are cut off."""
    text = packed_times.decode_timestamp17(raw)
    return None if text is None else text_times.iso_micros(text)
