"""A file that is one record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lmparse.framing.base import Framing, Runs
from lmparse.framing.extents import Handover, RecordExtent
from lmparse.storage.buffers import Buffer


@dataclass(frozen=True)
class Whole(Framing):
    """The framing `whole`."""

    name = "whole"

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        if start < end:
            yield RecordExtent(index, ((start, end - start),), start)

    def runs(self, buffer: Buffer, start: int, end: int, index: int) -> Runs:
        yield from ()
        return Handover(start, index)
