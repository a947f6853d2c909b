"""Values in the form that JSON output has."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from lmparse.values import decimals


def to_json(value: Any) -> Any:
    """Bytes as upper-case hex, decimals as text, times in ISO form, NaN and infinities as their names; recursive."""
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, dict):
        return {name: item if type(item) in _PLAIN else to_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, float) and value - value != 0:
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Decimal):
        return decimals.to_text(value)
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    return value.isoformat() if isinstance(value, date) else value


_PLAIN = frozenset((int, str, bool, type(None)))
"""Types whose values JSON output does not change."""
