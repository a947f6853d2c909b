"""Counts operations instead of time: lines of Python that run, which a busy machine does not change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def operations(run: Callable[[], object], *, within: str = "lmparse/") -> int:
    """Number of lines of Python that a call runs in files `within` a folder, each turn of a loop or comprehension.

    Of what runs elsewhere, only the methods that dataclasses make are counted, as one each.
    """
    count = 0

    def trace(frame: Any, event: str, _value: Any) -> Any:
        nonlocal count
        file = frame.f_code.co_filename
        is_within = within in file
        count += is_within or file == "<string>"
        return trace if is_within else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


def growth(costs: Callable[[int], int], size: int) -> float:
    """How much the cost grows from 2 to 4 sizes, in parts of what it grows from 1 to 2: 2 if linear, 4 if quadratic."""
    one, two, four = costs(size), costs(2 * size), costs(4 * size)
    return (four - two) / max(1, two - one)
