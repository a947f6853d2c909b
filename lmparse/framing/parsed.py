"""Records that end where their spec ends, with nothing between records; only a parser knows the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lmparse.errors import DataError, FramingError
from lmparse.framing.descriptors import cut_short, excerpt
from lmparse.framing.length_field import Cutter, Glued
from lmparse.limits import Limits
from lmparse.storage.buffers import Buffer

EndOf = Callable[[bytes], int]
"""Length of the record at the start of some bytes. Raises DataError if the bytes begin with no record."""
_FIRST, _FACTOR = 1 << 12, 8
"""Bytes passed to the parser at first, and the factor of growth if they are too few."""


@dataclass(frozen=True)
class Parsed(Glued):
    """The framing `parsed`: the cutter parses each record."""

    name = "parsed"


def parsed_cutter(end_of: EndOf, limits: Limits, *, takes_rest: bool) -> Cutter:
    """The cutter by a parser.

    `takes_rest`: whether the end of a record may depend on the number of bytes behind it; the parser then gets all
    bytes at once. Raises TruncatedError LMP-F006, FramingError LMP-F016, and FileLimitError LMP-L002 for a record above
    the limit.
    """

    def length(buffer: Buffer, offset: int, end: int, index: int) -> int:
        most = min(end - offset, limits.record_bytes)
        size = most if takes_rest else min(_FIRST, most)
        while True:
            fault, found = None, size
            try:
                found = end_of(buffer[offset : offset + size])
            except DataError as error:
                fault = error
            if found < size or size == most:
                break
            size = min(_FACTOR * size, most)
        if found == size < end - offset and (fault is None or fault.code == "LMP-R001"):
            raise limits.error("record_bytes", size + 1, record_index=index, record_offset=offset)
        if fault is not None:
            raise unreadable(fault, buffer, offset, end, index)
        if not found:
            raise FramingError(
                "the record has no bytes, and so would all behind it", code="LMP-F016", record_index=index,
                record_offset=offset, hex=excerpt(buffer, offset, end),
            )  # fmt: skip
        return found

    return length


def unreadable(fault: DataError, buffer: Buffer, offset: int, end: int, index: int) -> FramingError:
    """The error of an unreadable record, whose end and successor are therefore unknown."""
    names = ("spec", "field", "field_offset", "doc_ref")
    known: dict[str, Any] = {name: getattr(fault, name) for name in names}
    if fault.code == "LMP-R001":
        return cut_short(buffer, offset, end, index, f"more than {end - offset}", **known)
    return FramingError(
        f"{fault.says()}; so nothing says where the next record begins", code="LMP-F016", record_index=index,
        record_offset=offset, hex=excerpt(buffer, offset, end), hint=fault.hint, **known,
    )  # fmt: skip
