"""Integers of a stated width."""

from __future__ import annotations

from typing import Any

import pytest

from lmparse.errors import InvalidValueError
from lmparse.values import integers


@pytest.mark.parametrize("byte_order", ["big", "little"])
def test_integers_have_their_width(byte_order: Any) -> None:
    for width in (2, 4, 8):
        for value in (0, 1, -1, -(1 << 8 * width - 1), (1 << 8 * width - 1) - 1):
            raw = value.to_bytes(width, byte_order, signed=True)
            assert integers.decode(raw, width, byte_order) == value
            with pytest.raises(InvalidValueError, match="LMP-V010"):
                integers.decode(raw + b"\0", width, byte_order)


def test_rid6() -> None:
    """Slot 12 of page 0x340, from servers of either byte order."""
    assert integers.join_rid6(bytes.fromhex("00000340000C"), False).hex() == "00000340000c"
    assert integers.join_rid6(bytes.fromhex("000C03400000"), True).hex() == "00000340000c"
