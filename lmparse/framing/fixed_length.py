"""Records of one length with nothing between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lmparse.framing.base import Framing, Runs
from lmparse.framing.descriptors import cut_short
from lmparse.framing.extents import Handover, RecordExtent
from lmparse.storage.buffers import Buffer


@dataclass(frozen=True)
class Fixed(Framing):
    """The framing `fixed`."""

    record_length: int
    """Bytes of every record."""
    name = "fixed"

    @property
    def longest(self) -> int:
        return self.record_length  # the option states this length, not the file

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        length = self.record_length
        for number, offset in enumerate(range(start, end, length), index):
            if length > end - offset:
                raise cut_short(buffer, offset, end, number, length)
            yield RecordExtent(number, ((offset, length),), offset)

    def runs(self, buffer: Buffer, start: int, end: int, index: int) -> Runs:
        import numpy as np

        from lmparse.framing.windows import MAX_RECORDS, ExtentRun

        length = self.record_length
        while end - start >= length:
            count = min((end - start) // length, MAX_RECORDS)
            offsets = np.arange(count, dtype=np.int64) * length + start
            yield ExtentRun(offsets, np.full(count, length, np.int64), offsets + length)
            start += count * length
            index += count
        return Handover(start, index)
