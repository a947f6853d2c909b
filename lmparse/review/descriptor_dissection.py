"""Dissection of what is in front of a record: the descriptor words of a record, or what an API put there, taken apart.

They are no part of the record, but of the file: without them its bytes would have holes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from lmparse.framing.base import Framing
from lmparse.framing.descriptors import block_descriptor
from lmparse.framing.extents import RecordExtent
from lmparse.records.dissection import Dissection, Dissector
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.storage.buffers import Buffer


@dataclass(frozen=True, slots=True)
class Word:
    """What stands in front of a record, or between two pieces of one."""

    dissection: Dissection
    offset: int
    """Of its first byte in the file."""
    before: int
    """The byte of the record that it stands in front of; 0 unless the record is spanned."""

    @property
    def end(self) -> int:
        """Offset in the file of the byte behind it."""
        return self.offset + len(self.dissection.raw)

    @property
    def title(self) -> str:
        """What it is, in words."""
        return catalog.load(self.dissection.spec).layout.title


def begin_of(framing: Framing, extent: RecordExtent) -> int:
    """Offset in the file of the first byte in front of a record that belongs to it."""
    return extent.offset - framing.lead if extent.resume is None else extent.resume


def words_of(framing: Framing, buffer: Buffer, extent: RecordExtent) -> tuple[Word, ...]:
    """All words of a record, in the order of the file."""
    found: list[Word] = []
    length = 0
    ends = [begin_of(framing, extent), *(offset + size for offset, size in extent.pieces)]
    for (offset, size), begin in zip(extent.pieces, ends, strict=False):
        found += _between(framing, buffer, begin, offset, length)
        length += size
    return tuple(found)


def words_at(framing: Framing, buffer: Buffer, offset: int, *, in_block: bool) -> tuple[Word, ...]:
    """The words that should stand at an offset where no sound record begins, as far as the file goes.

    `in_block` says that other records of the same block stand before it.
    """
    block = block_descriptor().size if framing.is_blocked and not in_block else 0
    return tuple(_between(framing, buffer, offset, min(len(buffer), offset + block + framing.lead), 0))


def _between(framing: Framing, buffer: Buffer, begin: int, end: int, before: int) -> Iterator[Word]:
    """The words from one offset to another: the one of the record, and that of its block if there is room for it."""
    if begin >= end:
        return
    cuts: Sequence[int] = (begin, end)
    if framing.is_blocked and end - begin > framing.lead:
        cuts = (begin, min(end, begin + block_descriptor().size), end)
    for number, (start, stop) in enumerate(pairwise(cuts)):
        is_block = len(cuts) > 2 and number == 0
        if start < stop:
            raw = buffer[start:stop]
            yield Word(_dissector(framing, is_block).dissect(raw), start, before)


@cache
def _dissector(framing: Framing, is_block: bool) -> Dissector:
    if is_block:
        return Dissector(RecordReader(block_descriptor().spec))
    if framing.word_id is not None:
        return Dissector(RecordReader(catalog.load(framing.word_id)))
    prefix = catalog.load("db2_prefix")
    order = catalog.load("db2_server").enum("byte_order")[framing.byte_order or ""]
    return Dissector(RecordReader(prefix, arguments=(prefix.enum("framing")[framing.name], order)))
