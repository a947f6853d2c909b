"""Keys: how numbers are written in the column of a table by which its rows differ, many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lmparse.db2.tables.table import Column, Table
from lmparse.values.byte_arrays import Bytes, Int64s
from lmparse.values.codepages import CodePage
from lmparse.values.integers import ByteOrder

_MOST_DIGITS = 12
_FIRST_DAY = np.datetime64("1900-01-01", "D")
_DAYS = 2_900_000
"""Days from then on that have a year of four digits."""
_CHARACTERS = (0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, *range(20, 26))
"""Places of the digits in `2026-03-14T10:11:12.123456`."""
Write = Callable[[Int64s], Bytes]
"""Writes n numbers as (n, width) bytes."""


class KeyValue(bytes):
    """The value of a key column as it stands in a row, with its number."""

    number: int


@dataclass(frozen=True)
class FamilyForm:
    """What one family writes otherwise than the other."""

    byte_order: ByteOrder
    page: CodePage
    """Of text."""
    graphic: CodePage
    has_packed_times: bool
    """Whether dates and times are packed digits; otherwise they are text, as Db2 writes it."""


@dataclass(frozen=True)
class KeyColumn:
    """The column by which the rows of a table differ."""

    column: Column
    capacity: int
    """Numbers below it have a value."""
    write: Write

    def value(self, number: int) -> KeyValue:
        """The value for a number."""
        value = KeyValue(self.write(np.array([number % self.capacity]))[0].tobytes())
        value.number = number
        return value

    def moved(self, numbers: Int64s, step: int) -> Callable[[int], Bytes]:
        """For the number of a repetition, the values of numbers that grow by a step each time."""
        return lambda number: self.write((numbers + number * step) % self.capacity)


def key_of(table: Table, style: FamilyForm) -> KeyColumn | None:
    """Of the columns of the key, of a table without one of all that are never null, the one with most values.

    None if no such column can have numbers.
    """
    columns = [one for one in table.columns if (one.name in table.key if table.key else not one.is_nullable)]
    found = [KeyColumn(one, *form) for one in columns if (form := _form(one, style)) is not None]
    return max(found, key=lambda one: one.capacity, default=None)


def _form(column: Column, style: FamilyForm) -> tuple[int, Write] | None:
    type_, length = column.sql_type, column.length
    if column.form == "int":
        order = "<" if style.byte_order == "little" else ">"
        return 1 << min(8 * length - 1, 62), lambda numbers: _bytes(numbers, f"{order}i{length}")
    if column.form == "decimal":
        count = min(column.precision, 18)
        return 10**count, lambda numbers: _packed(digits(numbers, count), length)
    if column.form == "bytes" and not type_.is_lob:
        width = min(length, 7)
        kept = length if not type_.is_varying else width
        return 1 << 8 * width, lambda numbers: _padded(_bytes(numbers, ">i8")[:, 8 - width :], kept, b"\0")
    if column.form == "text" and not type_.is_lob and type_.name != "XML":
        page = style.graphic if type_.is_graphic else style.page
        unit = len(page.encode("0"))
        count = min(length // unit, _MOST_DIGITS)
        kept = length if not type_.is_varying else count * unit
        return 10**count, lambda numbers: _padded(_text(digits(numbers, count), page), kept, page.encode(" "))
    if column.form in ("date", "timestamp"):
        days = column.form == "date"
        return _DAYS * (1 if days else 86_400), lambda numbers: _times(numbers, days, column, style)
    return None


def digits(numbers: Int64s, count: int) -> Int64s:
    """The last `count` decimal digits of numbers, (n, count)."""
    return numbers[:, None] // 10 ** np.arange(count - 1, -1, -1) % 10


def time_digits(micros: Int64s) -> Int64s:
    """Year to second and six digits of the fraction of times since 1970, (n, 20)."""
    texts = np.datetime_as_string(micros.astype("M8[us]"), unit="us").astype("S26")
    return (texts.view(np.uint8).reshape(-1, 26)[:, _CHARACTERS] - ord("0")).astype(np.int64)


def packed(digits_: Int64s) -> Bytes:
    """Two digits a byte; an even number of them."""
    return (digits_[:, ::2] << 4 | digits_[:, 1::2]).astype(np.uint8)


def _packed(digits_: Int64s, width: int) -> Bytes:
    rows = np.zeros((len(digits_), 2 * width), np.int64)
    rows[:, 2 * width - 1 - digits_.shape[1] : -1] = digits_
    rows[:, -1] = 0xC
    return packed(rows)


def _bytes(numbers: Int64s, form: str) -> Bytes:
    return numbers.astype(form).view(np.uint8).reshape(len(numbers), -1)


def _text(digits_: Int64s, page: CodePage) -> Bytes:
    characters = np.array([[*page.encode(digit)] for digit in "0123456789"], np.uint8)
    return characters[digits_].reshape(len(digits_), -1)


def _padded(rows: Bytes, width: int, blank: bytes) -> Bytes:
    padding = np.frombuffer(blank * ((width - rows.shape[1]) // len(blank)), np.uint8)
    return np.hstack([rows, np.broadcast_to(padding, (len(rows), len(padding)))])


def _times(numbers: Int64s, is_date: bool, column: Column, style: FamilyForm) -> Bytes:
    micros = _FIRST_DAY.astype("M8[us]").astype(np.int64) + numbers * (86_400 if is_date else 1) * 1_000_000
    found = time_digits(micros)[:, : 8 if is_date else 14]
    if style.has_packed_times:
        return _padded(packed(found), column.length, b"\0")
    shape: Sequence[Any] = (*range(4), "-", 4, 5, "-", 6, 7)
    if not is_date:
        zeros = column.precision
        shape = (*shape, "-", 8, 9, ".", 10, 11, ".", 12, 13, *("." * bool(zeros)), *("0" * zeros))
    text = _text(found, style.page).reshape(len(found), found.shape[1], -1)
    marks = {mark: np.frombuffer(style.page.encode(mark), np.uint8) for mark in ("-", ".", "0")}
    parts = [np.broadcast_to(marks[one], text[:, 0].shape) if isinstance(one, str) else text[:, one] for one in shape]
    return np.hstack(parts)
