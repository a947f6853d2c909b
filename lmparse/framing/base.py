"""What every framing can do.

The modules of the framings are loaded with every file, so NumPy is imported where arrays are asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING

from lmparse.errors import FramingError
from lmparse.framing.extents import Handover, Plausible, RecordExtent, Span
from lmparse.storage.buffers import Buffer

if TYPE_CHECKING:
    from lmparse.framing.windows import ExtentRun

Runs = Generator["ExtentRun", None, Handover]
"""Records as arrays, some thousand at a time, and from where on they are to be read one by one."""


class Framing(ABC):
    """A way to cut records: one by one, as arrays, from any offset, and into parts.

    Nothing here knows what is inside a record.
    """

    name: str
    byte_order: str | None = None
    """`little` or `big`, for records that begin with their own length."""
    word_id: str | None = None
    """Spec of the descriptor word in front of each record, or of each piece of one."""
    is_blocked = False
    is_spanned = False
    """Whether a record may be in several pieces."""
    resumes_anywhere = False
    """Whether reading may begin at every record, and a scan finds it."""

    @property
    def lead(self) -> int:
        """Bytes in front of each record, or of each piece of one, without those of its block."""
        return 0

    # -- one by one: the reference ----------------------------------------------------

    def extents(
        self, buffer: Buffer, start: int = 0, end: int | None = None, first_index: int = 0
    ) -> Iterator[RecordExtent]:
        """The records from `start` to `end`, both between records, in constant memory.

        Raises TruncatedError (LMP-F006) where the file ends inside a record, LeftoverError
        (LMP-F007) where whole records are followed by something else, FramingError otherwise.
        """
        return self._walk(buffer, start, len(buffer) if end is None else end, first_index)

    @abstractmethod
    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]: ...

    # -- as arrays --------------------------------------------------------------------

    @abstractmethod
    def runs(self, buffer: Buffer, start: int, end: int, index: int) -> Runs:
        """The same records as far as a scan goes: up to the first thing that is not as it should be."""

    # -- from any offset: the steps of `sync.synchronise` -----------------------------

    @abstractmethod
    def candidates(self, buffer: Buffer, near: int, reach: int) -> Iterable[int]:
        """Places from `reach` bytes before `near` up to it where a record or a block might begin."""

    def may_begin(self, buffer: Buffer, place: int, end: int) -> bool:
        """Whether reading may begin at a record or block at a place."""
        return True

    def behind(self, buffer: Buffer, place: int, limit: int, plausible: Plausible) -> int | None:
        """Where the record or block at a place ends. None or FramingError when there is none up to `limit`."""
        # Number 1, because bytes that begin no record are no error of the first one.
        extent = next(self.extents(buffer, place, limit, 1))
        return sum(extent.pieces[-1]) if plausible(extent) else None

    # -- into parts -------------------------------------------------------------------

    def spans(self, buffer: Buffer, max_bytes: int) -> list[Span]:
        """Cut the file into parts of about `max_bytes`, reading nothing but descriptor words, record by record.

        Damage ends the last part, which then shows it when it is read.
        """
        spans: list[Span] = []
        start, first = 0, 0
        try:
            for extent in self.extents(buffer):
                if extent.resume is not None and extent.resume - start >= max_bytes:
                    spans.append(Span(start, extent.resume, first))
                    start, first = extent.resume, extent.index
        except FramingError:
            pass
        return [*spans, Span(start, len(buffer), first)]
