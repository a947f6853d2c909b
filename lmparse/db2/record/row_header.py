"""Headers of rows: facts from the types in the two headers of a record in a data page.

The outer header says whether the record is a row in its own place. The inner header says how the columns are stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.values.integers import ByteOrder


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """Facts from the headers of a record in a data page."""

    form: int
    """How the columns are stored; see the enumeration `form` of the spec."""
    is_row: bool
    is_pointer: bool
    """Whether the record is no row, but points to a row in another place."""
    is_moved_here: bool
    """Whether the record is a row that was moved here because it did not fit in its old place."""


def record_header(record: bytes, byte_order: str) -> RecordHeader:
    """The facts from the headers of a record. Raises RecordError for a record that is too short."""
    parsed: Any = _header_reader(byte_order).parse(record)
    is_row = parsed.form != parsed.Form.internal_control
    return RecordHeader(int(parsed.form), is_row, parsed.is_pointer and not is_row, parsed.is_moved_here and is_row)


@cache
def header_by_types(record_type: int, inner_record_type: int, byte_order: str) -> RecordHeader:
    """The facts from headers with these two types; nothing else in the headers decides them."""
    layout = catalog.load("db2_row_header").layout
    known = {"record_type": record_type, "inner_record_type": inner_record_type, "record_length": layout.least_width}
    order: ByteOrder = "big" if byte_order == "big" else "little"
    raw = b"".join(known.get(entry.id, 0).to_bytes(entry.width or 0, order) for entry in layout)
    return record_header(raw, byte_order)


@cache
def _header_reader(byte_order: str) -> RecordReader:
    order = catalog.load("db2_server").enum("byte_order")[byte_order]
    return RecordReader(catalog.load("db2_row_header"), arguments=(order,))
