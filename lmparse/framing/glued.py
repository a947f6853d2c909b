"""Records that say their own length, without anything between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lmparse.errors import DataError
from lmparse.framing.base import Framing, Runs
from lmparse.framing.descriptors import cut_short
from lmparse.framing.extents import Handover, RecordExtent
from lmparse.storage.buffers import Buffer

Cutter = Callable[[Buffer, int, int, int], int]
"""Length in bytes of the record that starts at an offset of a buffer that ends at another; the
last argument is the number of the record."""


@dataclass(frozen=True)
class Glued(Framing):
    """The framing `glued`."""

    cutter: Cutter
    name = "glued"

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        offset = start
        while offset < end:
            try:
                length = self.cutter(buffer, offset, end, index)
            except DataError as error:
                error.at(record_index=index, record_offset=offset)
                raise
            if length > end - offset:
                raise cut_short(buffer, offset, end, index, length)
            yield RecordExtent(index, ((offset, length),), offset)
            offset += length
            index += 1

    def runs(self, buffer: Buffer, start: int, end: int, index: int) -> Runs:
        yield from ()
        return Handover(start, index)

    def candidates(self, buffer: Buffer, near: int, reach: int) -> Iterable[int]:
        """None: a range proves nothing, because the end of the last record is taken from the end of the range."""
        return ()
