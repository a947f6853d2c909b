"""Extents of records in a file, and spans of a file. Offsets are bytes from the start of the file."""

from __future__ import annotations

from dataclasses import dataclass

from lmparse.storage.buffers import Buffer


@dataclass(frozen=True, slots=True)
class RecordExtent:
    """The place of one record."""

    index: int
    """Number of the record in its file, from 0."""
    pieces: tuple[tuple[int, int], ...]
    """Offset and length of each piece; a spanned record has several pieces."""
    resume: int | None
    """Offset from which reading gives this record first; None if there is none."""

    @property
    def offset(self) -> int:
        """Offset of the first byte, behind the descriptor word."""
        return self.pieces[0][0]

    @property
    def end(self) -> int:
        """Offset behind the last byte."""
        offset, length = self.pieces[-1]
        return offset + length

    @property
    def length(self) -> int:
        """Number of bytes, without descriptor words."""
        return sum(length for _, length in self.pieces)

    def read(self, buffer: Buffer) -> bytes:
        """The bytes of the record."""
        if len(self.pieces) == 1:
            offset, length = self.pieces[0]
            return buffer[offset : offset + length]
        return b"".join(buffer[offset : offset + length] for offset, length in self.pieces)


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a file that starts and ends between records."""

    start: int
    end: int
    first_index: int
    """Number in the file of the first record of the span."""


@dataclass(frozen=True, slots=True)
class Handover:
    """The place where a scan ends and reading one by one begins."""

    offset: int
    index: int
    """Number of the record at the place."""
    given: int = 0
    """How many records from this place on the scan has returned already."""
