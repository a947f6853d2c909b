"""A file that is one record, and the items of a list inside the record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from lmparse.errors import LeftoverError, TruncatedError
from lmparse.framing.base import Framing, Runs
from lmparse.framing.descriptors import excerpt
from lmparse.framing.extents import Handover, RecordExtent
from lmparse.storage.buffers import Buffer


@dataclass(frozen=True)
class Whole(Framing):
    """The framing `whole`."""

    name = "whole"

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        if start < end:
            yield RecordExtent(index, ((start, end - start),), start)


@dataclass(frozen=True)
class Items(Framing):
    """The framing `whole` for the items of a list; bytes in front of the list and behind it are no records."""

    inner: Framing
    """Cuts the list into items."""
    count: int | None
    """The number of items; None if items fill the bytes."""
    behind: str
    """Names of the fields behind the list; empty if there are none."""
    name = "whole"

    @property
    def longest(self) -> int:
        return self.inner.longest

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        extents = self.inner._walk(buffer, start, end, index)
        if self.count is None:
            yield from extents
            return
        for extent in islice(extents, max(self.count - index, 0)):
            yield extent
            start, index = extent.end, extent.index + 1
        if end < self.range_of(buffer)[1]:
            return  # only a part of the list
        hex_ = excerpt(buffer, start, end)
        if index < self.count:
            raise TruncatedError(
                "the list ends too early", code="LMP-F006", record_index=index, record_offset=start,
                expected=f"{self.count} items, as the file says", found=str(index), hex=hex_,
            )  # fmt: skip
        if start < end and not self.behind:
            message = f"{end - start} bytes behind the last of {self.count} items are in no field"
            raise LeftoverError(message, code="LMP-F007", record_index=index, record_offset=start, hex=hex_)

    def runs(self, buffer: Buffer, start: int, end: int, index: int) -> Runs:
        runs = self.inner.runs(buffer, start, end, index)
        most = 1 << 62 if self.count is None else self.count
        while index < most:
            try:
                run = next(runs)
            except StopIteration as stop:
                handover: Handover = stop.value
                return handover
            run = run.part(0, min(len(run.offsets), most - index))
            yield run
            index, start = index + len(run.offsets), int(run.ends[-1])
        return Handover(start, index)
