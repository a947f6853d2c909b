"""The interface of every framing.

Every file loads the modules of framings, so they import NumPy only inside functions that return arrays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from copy import copy
from typing import TYPE_CHECKING, Any, Self

from lmparse.errors import FramingError, TruncatedError
from lmparse.framing.extents import Handover, RecordExtent
from lmparse.limits import DEFAULT, Limits
from lmparse.storage.buffers import Buffer

if TYPE_CHECKING:
    from lmparse.framing.windows import ExtentRun

Runs = Generator["ExtentRun", None, Handover]
"""Yields records as arrays, some thousand at a time; returns the place from which records are read one by one."""


class Framing(ABC):
    """A way to cut a file into records: one by one, or as arrays.

    A framing knows nothing of the content of records.
    """

    name: str
    byte_order: str | None = None
    """`little` or `big`, for records that begin with their own length."""
    word_id: str | None = None
    """Spec of the descriptor word in front of each record or piece."""
    is_blocked = False
    is_spanned = False
    """Whether a record may have several pieces."""
    limits: Limits = DEFAULT
    """`record_bytes` limits the bytes from the first to the last byte of a record."""
    skipped_at_start = 0
    """Bytes at the start of the file outside of records."""
    skipped_at_end = 0

    def within(self, limits: Limits) -> Self:
        """The same framing with other limits."""
        return self._with(limits=limits) if limits != self.limits else self

    def skipping(self, start: int, end: int) -> Self:
        """The same framing for a file whose first `start` and last `end` bytes are outside of records."""
        return self._with(skipped_at_start=start, skipped_at_end=end) if start or end else self

    def _with(self, **facts: Any) -> Self:
        other = copy(self)
        for name, value in facts.items():
            object.__setattr__(other, name, value)  # not by `__init__`: equality ignores these facts
        return other

    def range_of(self, buffer: Buffer, start: int = 0, end: int | None = None) -> tuple[int, int]:
        """The part of a range that may have records; by default of the whole file.

        Raises TruncatedError LMP-F006 if the file is shorter than the bytes skipped at its start and end.
        """
        size = len(buffer)
        stop = size if end is None else end
        if not (self.skipped_at_start or self.skipped_at_end):
            return start, stop
        skipped = self.skipped_at_start + self.skipped_at_end
        if skipped > size:
            raise TruncatedError(
                "the file ends inside the bytes to skip at its start and end", code="LMP-F006", record_index=0,
                record_offset=0, expected=f"at least {skipped} bytes, as fileStartOffset and fileEndOffset say",
                found=str(size),
            )  # fmt: skip
        return max(start, self.skipped_at_start), min(stop, size - self.skipped_at_end)

    @property
    def lead(self) -> int:
        """Bytes of the word in front of each record or piece; a BDW does not count."""
        return 0

    # -- one by one: the reference ----------------------------------------------------

    def extents(
        self, buffer: Buffer, start: int = 0, end: int | None = None, first_index: int = 0
    ) -> Iterator[RecordExtent]:
        """Yield the records from `start` to `end`, both between records, in constant memory.

        Raises TruncatedError (LMP-F006) if the file ends inside a record, LeftoverError (LMP-F007) if other bytes
        follow whole records, FileLimitError (LMP-L002) for a record above the limit, FramingError for other damage.
        """
        most = self.longest
        for extent in self._walk(buffer, *self.range_of(buffer, start, end), first_index):
            if extent.end - extent.offset > most:
                raise self.too_long(extent.index, extent.offset, extent.end)
            yield extent

    @property
    def longest(self) -> int:
        """Most bytes from the first to the last byte of a record, checked before the bytes are collected."""
        return self.limits.record_bytes

    def too_long(self, index: int, offset: int, end: int) -> FramingError:
        """The error of a record whose bytes from `offset` to `end` exceed the limit."""
        error = self.limits.error("record_bytes", end - offset, record_index=index, record_offset=offset)
        assert isinstance(error, FramingError)
        return error

    @abstractmethod
    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]: ...

    # -- as arrays --------------------------------------------------------------------

    def runs(self, buffer: Buffer, start: int, end: int, index: int) -> Runs:
        """The records of `extents` as arrays, up to the first unexpected bytes; by default none."""
        yield from ()
        return Handover(start, index)
