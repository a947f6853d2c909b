"""Extents of records in a file, and the parts that a file is cut into. Offsets are bytes from the start of the file."""

from __future__ import annotations

from dataclasses import dataclass

from lmparse.storage.buffers import Buffer


@dataclass(frozen=True, slots=True)
class RecordExtent:
    """The place of one record."""

    index: int
    """Number of the record in its file, from 0."""
    pieces: tuple[tuple[int, int], ...]
    """Offset and length of its bytes; several pairs if the record is spanned."""
    resume: int | None
    """Offset at which reading may begin so that this record is the first one; None if there is none."""

    @property
    def offset(self) -> int:
        """Offset of its first byte, behind the descriptor word."""
        return self.pieces[0][0]

    @property
    def end(self) -> int:
        """Offset behind its last byte."""
        offset, length = self.pieces[-1]
        return offset + length

    @property
    def length(self) -> int:
        """Number of its bytes, without descriptor words."""
        return sum(length for _, length in self.pieces)

    def read(self, buffer: Buffer) -> bytes:
        """The record's bytes."""
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
    """Number of its first record in the file."""


@dataclass(frozen=True, slots=True)
class Handover:
    """The place at which a scan ended and reading one by one goes on."""

    offset: int
    index: int
    """Number of the record there."""
    given: int = 0
    """How many of the records from there on the scan has already returned."""
