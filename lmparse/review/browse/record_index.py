"""Record index: finds any record of a file by its number, without an object for each record."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from lmparse.errors import FramingError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.records.files import RecordFile

_STRETCH = 1 << 20
"""Bytes of the file between two places that are kept: at most so many are read to find a record by its number."""


class RecordIndex:
    """The records of a file by number."""

    def __init__(self, file: RecordFile) -> None:
        self._file = file

    def extents(self, first: int = 0) -> Iterator[RecordExtent]:
        """The records from a number on. Raises FramingError where the file is damaged."""
        if first == 0:
            yield from self._file.extents()
            return
        place = max(bisect_right(self._firsts, first) - 1, 0)
        for span in self._spans[place:]:
            for extent in self._file.extents(span):
                if extent.index >= first:
                    yield extent

    def extent(self, number: int) -> RecordExtent | None:
        """One record; None if there is none with this number. Raises FramingError for damage in front of it."""
        return next(self.extents(number), None)

    @cached_property
    def count(self) -> int:
        """Number of the records up to the end of the file, or to its damage."""
        count = self._firsts[-1]
        try:
            for extent in self._file.extents(self._spans[-1]):
                count = extent.index + 1
        except FramingError:
            pass
        return count

    @cached_property
    def _spans(self) -> list[Span]:
        return self._file.spans(_STRETCH)

    @cached_property
    def _firsts(self) -> list[int]:
        return [span.first_index or 0 for span in self._spans]
