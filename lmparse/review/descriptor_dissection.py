"""Words in front: the descriptor words of a record, or what an API put there, taken apart.

They are no part of the record, but of the file: without them its bytes would have holes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from lmparse.framing.descriptors import block_descriptor, descriptor
from lmparse.framing.framings import PREFIXED, Framing, RecordExtent
from lmparse.records.dissection import Dissection, Dissector
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.storage.buffers import Buffer

_BLOCK = "zos_bdw"
_OWN = {"rdw": "zos_rdw", "zosmf": "zos_zosmf", "bdw": "zos_rdw", "vbs": "zos_sdw", "bdw-vbs": "zos_sdw"}
"""The word in front of each record, or of each piece of one."""
_BLOCKED = ("bdw", "bdw-vbs")


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
    if extent.resume is not None:
        return extent.resume
    return extent.offset - (descriptor(_OWN[framing.name]).size if framing.name in _OWN else framing.prefix)


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
    own = descriptor(_OWN[framing.name]).size if framing.name in _OWN else framing.prefix
    block = block_descriptor().size if framing.name in _BLOCKED and not in_block else 0
    return tuple(_between(framing, buffer, offset, min(len(buffer), offset + block + own), 0))


def _between(framing: Framing, buffer: Buffer, begin: int, end: int, before: int) -> Iterator[Word]:
    """The words from one offset to another: the one of the record, and that of its block if there is room for it."""
    if begin >= end:
        return
    cuts: Sequence[int] = (begin, end)
    if framing.name in _BLOCKED and end - begin > descriptor(_OWN[framing.name]).size:
        cuts = (begin, min(end, begin + block_descriptor().size), end)
    for number, (start, stop) in enumerate(pairwise(cuts)):
        is_block = len(cuts) > 2 and number == 0
        if start < stop:
            raw = buffer[start:stop]
            yield Word(_dissector(framing.name, framing.byte_order, is_block).dissect(raw), start, before)


@cache
def _dissector(name: str, byte_order: str | None, is_block: bool) -> Dissector:
    if name in PREFIXED:
        prefix = catalog.load("db2_prefix")
        order = catalog.load("db2_server").enum("byte_order")[byte_order or ""]
        return Dissector(RecordReader(prefix, arguments=(prefix.enum("framing")[name], order)))
    return Dissector(RecordReader(catalog.load(_BLOCK if is_block else _OWN[name])))
