"""Hexadecimal texts of numbers in many rows: sort keys and identifiers of transactions."""

from __future__ import annotations

from binascii import hexlify

import numpy as np

from lmparse.values.byte_arrays import Bytes, Ints


def hex_digits(parts: list[tuple[Ints, int]]) -> Bytes:
    """Numbers one behind the other as upper-case digits, (n, digits); each with its number of digits, which is even."""
    raw = number_bytes(parts)
    # The library's function is faster than a table of digits that NumPy looks up.
    return np.frombuffer(bytearray(hexlify(raw.tobytes()).upper()), np.uint8).reshape(len(raw), 2 * raw.shape[1])


def number_bytes(parts: list[tuple[Ints, int]]) -> Bytes:
    """The same as bytes, (n, digits / 2), which sort as the digits do."""
    count = len(parts[0][0])
    raw = np.zeros((count, sum(digits for _, digits in parts) // 2), np.uint8)
    end = 0
    for values, digits in parts:
        end += digits // 2
        width = min(digits // 2, 8)
        raw[:, end - width : end] = values.astype(">u8").view(np.uint8).reshape(count, 8)[:, 8 - width :]
    return raw
