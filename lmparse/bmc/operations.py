"""Operations of Log Master's change types."""

from __future__ import annotations

OPERATIONS = {
    "UB": "U", "I": "I", "IL": "I", "D": "D", "DM": "M", "DT": "T", "DR": "T", "E": "X", "SC": "S", "CM": "C",
    "CO": "O",
}  # fmt: skip
"""The operation of each change type; an unlisted type has none."""
