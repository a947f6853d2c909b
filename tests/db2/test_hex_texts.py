"""Hexadecimal texts of many numbers."""

from __future__ import annotations

import random

import numpy as np

from lmparse.db2.hex_texts import hex_digits, number_bytes


def test_digits_are_those_of_python() -> None:
    chance = random.Random(1)
    numbers = [0, 1, (1 << 64) - 1, 1 << 63, *(chance.getrandbits(chance.randrange(1, 65)) for _ in range(200))]
    small = [number & 0xFFFF for number in numbers]
    digits = hex_digits([(np.array(numbers, np.uint64), 20), (np.array(small, np.int64), 4)])
    expected = [f"{number:020X}{part:04X}" for number, part in zip(numbers, small, strict=True)]
    assert [row.tobytes().decode() for row in digits] == expected
    raw = number_bytes([(np.array(numbers, np.uint64), 20), (np.array(small, np.int64), 4)])
    assert [row.tobytes().hex().upper() for row in raw] == expected


def test_no_rows() -> None:
    assert hex_digits([(np.zeros(0, np.uint64), 16)]).shape == (0, 16)
