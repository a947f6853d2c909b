"""Log range: what one file has of a log, so that a ledger of many files can say whether some of it is missing.

Positions are texts of one width in each log, which sort as the positions do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StreamRange:
    """What one file has of one stream of a log. Addresses count bytes of the log."""

    log: str
    """Which log, as far as records show it: files of different ones have no order."""
    stream: str
    first: str
    """Lowest position of a record."""
    last: str
    records: int
    """Number of records that state a position."""
    begin: int | None = None
    """Address of the first record; None if records do not state theirs."""
    end: int | None = None
    """Address behind the last one."""
    adjoining: int = 0
    """Number of records that begin where the one before ends, as addresses prove."""
    gaps: int = 0
    """Number of places between two records where bytes of the log are missing."""


@dataclass(frozen=True)
class LogRange:
    """What one file has of a log. A file without a record has no streams."""

    path: str
    size: int
    """Number of bytes, unpacked."""
    records: int
    reading: Mapping[str, str]
    """The options with which it is read, under their Python names; what the bytes decided is among them."""
    streams: tuple[StreamRange, ...] = ()
    outcomes: Mapping[str, int] | None = None
    """Number of records by the outcome of their change; None if it takes more than one pass to know it."""
    stated_end: str | None = None
    """Position up to which the log was read when the file was written, if a file beside it states that."""


@dataclass(frozen=True, slots=True)
class OverlappingRecords:
    """Where a file has the records with which another one begins."""

    count: int
    """Number of records that both have; their bytes are the same."""
    record: int
    """Number, in the first file, of the first of them."""
    offset: int
    """Offset there of the first of them, with its prefix."""


def position_text(numbers: Iterable[int]) -> str:
    """A position of several numbers of at most 64 bits, the most significant one first."""
    return ".".join(f"{number:016X}" for number in numbers)


def position_of_text(text: str) -> tuple[int, ...]:
    """The numbers of a position. Raises ValueError."""
    return tuple(int(part, 16) for part in text.split("."))
