"""Indexing: keeps generated parsers from counting from the end of a list, as Python does and specs do not."""

from __future__ import annotations

from typing import Any


def from_zero(number: Any) -> Any:
    """The number of an item or byte as it is. Raises IndexError if it is below zero."""
    if number < 0:
        raise IndexError(f"there is no item {number}")
    return number
