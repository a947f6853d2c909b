"""Landing bounds: what a table states of a file that is written, for readers that leave out files (Delta's statistics).

Readers with deltalake take a column without bounds, in a file that states those of others, for one without rows. So a
file states bounds of all columns of which tables have them, or only its number of rows.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_CHARACTERS = 32
"""Of a longer text only so many are stated."""
_SURROGATES = range(0xD800, 0xE000)


class FileBounds:
    """The number of rows of a file, and of each column that of nulls, the least and the greatest value."""

    def __init__(self, schema: pa.Schema) -> None:
        names = [entry.name for entry in schema if _has_bounds(entry.type)]
        self._rows, self._nulls = 0, dict.fromkeys(names, 0)
        self._least, self._greatest = dict[str, Any](), dict[str, Any]()
        self._is_known = True

    def add(self, batch: pa.RecordBatch) -> None:
        """Take note of rows that are written."""
        self._rows += batch.num_rows
        for name in self._nulls:
            array = batch.column(name)
            self._nulls[name] += array.null_count
            if self._is_known and array.null_count < len(array):
                self._is_known = self._add(name, array)

    def _add(self, name: str, array: pa.Array) -> bool:
        """Whether the bounds of a column are known with some values."""
        if pa.types.is_floating(array.type) and not pc.all(pc.is_finite(array)).as_py():
            return False
        try:
            low, high = (value.as_py() for value in pc.min_max(array).values())
        except (ValueError, OverflowError):  # a date that Python does not have
            return False
        if isinstance(high, str):
            low, high = low[:_CHARACTERS], _above(high)
        if high is None:
            return False
        self._least[name] = min(self._least.get(name, low), low)
        self._greatest[name] = max(self._greatest.get(name, high), high)
        return True

    def text(self) -> str:
        """What is stated."""
        rows = {"numRecords": str(self._rows)}
        if not self._is_known:
            return _object(rows)
        least, greatest = (
            _object({name: _text(value) for name, value in values.items()}) for values in (self._least, self._greatest)
        )
        nulls = json.dumps(self._nulls, ensure_ascii=False)
        return _object({**rows, "minValues": least, "maxValues": greatest, "nullCount": nulls})


def _has_bounds(type_: pa.DataType) -> bool:
    """Whether deltalake states and reads bounds of a type."""
    return bool(
        pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_)
        or pa.types.is_date32(type_) or pa.types.is_timestamp(type_) or pa.types.is_string(type_)
        or pa.types.is_boolean(type_)
    )  # fmt: skip


def _above(text: str) -> str | None:
    """A text that is not less than another one, and not much longer than what is stated; None if there is none."""
    if len(text) <= _CHARACTERS:
        return text
    begin = text[:_CHARACTERS].rstrip(chr(0x10FFFF))
    if not begin:
        return None
    number = ord(begin[-1]) + 1
    return begin[:-1] + chr(_SURROGATES.stop if number in _SURROGATES else number)


def _object(members: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{json.dumps(name, ensure_ascii=False)}: {text}" for name, text in members.items()) + "}"


def _text(value: Any) -> str:
    """A value as JSON; characters stand for themselves, since the package misreads U+20000 as two escapes."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(value)
    return json.dumps(value.isoformat() if isinstance(value, date) else value, ensure_ascii=False)
