"""Blocks: a BDW in front of records with RDWs, which must fill the block exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from lmparse.errors import FramingError, TruncatedError
from lmparse.framing.base import Framing
from lmparse.framing.descriptors import (
    OWN,
    RULES,
    BlockDescriptor,
    Descriptor,
    WordRule,
    block_descriptor,
    cut_short,
    descriptor,
    excerpt,
)
from lmparse.framing.extents import RecordExtent
from lmparse.framing.rdw import WordFraming
from lmparse.storage.buffers import Buffer


@dataclass
class Cursor:
    """The number of the current record."""

    index: int


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a file. Offsets are absolute; the file may end inside the block."""

    buffer: Buffer
    start: int
    """Offset of the BDW."""
    content: int
    end: int
    file_end: int

    @property
    def limit(self) -> int:
        """Offset behind the last byte of the block in the file."""
        return min(self.end, self.file_end)

    def read(self, word: Descriptor, offset: int, index: int) -> tuple[int, ...]:
        """The values of a descriptor word in the block. Raises FramingError if its record exceeds the block."""
        is_cut = self.end > self.file_end
        try:
            values = word.read(self.buffer, offset, self.limit, index)
        except FramingError as error:
            if is_cut and isinstance(error, TruncatedError):
                raise
            found = " ".join(filter(None, (error.field, error.found)))  # the error of the word, or its wrong value
            raise self._not_filled(offset, index, found) from None
        if values[0] > self.end - offset:
            raise self._not_filled(offset, index, f"a record of {values[0]}")
        if values[0] > self.limit - offset:
            raise cut_short(self.buffer, offset, self.limit, index, values[0], spec=word.spec.id)
        return values

    def _not_filled(self, offset: int, index: int, found: str) -> FramingError:
        # Bytes inside a block that are no descriptor word are damage.
        return FramingError(
            f"the block at {self.start:#x} is not filled exactly by its records", code="LMP-F008",
            record_index=index, record_offset=offset, expected=f"at most {self.end - offset} more bytes",
            found=found, spec="zos_bdw", hex=excerpt(self.buffer, offset, self.limit),
        )  # fmt: skip


def blocks(word: BlockDescriptor, buffer: Buffer, start: int, end: int, cursor: Cursor) -> Iterator[Block]:
    """Yield the blocks from `start` to `end`, both between blocks. Raises FramingError."""
    offset = start
    while offset < end:
        length = word.read(buffer, offset, end, cursor.index)
        # Yield also a block cut by the end of the file, because it may have whole records.
        yield Block(buffer, offset, offset + word.size, offset + length, end)
        if length > end - offset:
            raise cut_short(buffer, offset, end, cursor.index, length, spec=word.spec.id)
        offset += length


IN_BLOCKS = ("zos_rdw", "zos_sdw")
"""Descriptor words that also occur in blocks; a file in blocks may therefore look like records without blocks."""


def is_block(raw: bytes) -> bool:
    """Whether words of one rule, of records or pieces, fill the bytes behind a word; this word is then a BDW. Words of
    empty records prove nothing: zeros are such words by some rule."""
    for rule in RULES:
        word, offset, count, filled = descriptor("zos_sdw", rule), 0, 0, 0
        with suppress(FramingError):
            while offset < len(raw):
                length = word.read(raw, offset, len(raw), 0)[0]
                count, filled, offset = count + 1, filled + (length > word.size), offset + length
            if offset == len(raw) and 2 * filled > count:
                return True
    return False


def in_blocks(framing: Framing, first: Sequence[bytes]) -> bool:
    """Whether most of the first records of a framing without blocks are in fact blocks; damaged blocks do not count."""
    if framing.is_blocked or framing.word_id not in IN_BLOCKS:
        return False
    return 2 * sum(map(is_block, first)) > len(first)


class Blocked(WordFraming):
    """A framing in blocks; reading begins at the start of a block."""

    is_blocked = True
    block_rule: WordRule = OWN
    """How the BDW states the length of a block."""

    @property
    def block_word(self) -> BlockDescriptor:
        return block_descriptor(self.block_rule)


@dataclass(frozen=True)
class Blocks(Blocked):
    """The framing `bdw`."""

    name = "bdw"
    word_id = "zos_rdw"
    rule: WordRule = OWN
    block_rule: WordRule = OWN

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        word = self.word
        cursor = Cursor(index)
        for block in blocks(self.block_word, buffer, start, end, cursor):
            offset = block.content
            while offset < block.limit:
                length = block.read(word, offset, cursor.index)[0]
                resume = block.start if offset == block.content else None
                yield RecordExtent(cursor.index, ((offset + word.size, length - word.size),), resume)
                offset += length
                cursor.index += 1
