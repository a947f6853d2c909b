"""Framings by descriptor words: a length in front of each record, of each piece of one, or of a block of them.

A word is an RDW, an SDW, the prefix of z/OSMF, or the length in Db2 LUW records behind the prefix of an API. A block
has a BDW in front of records with RDWs or pieces with SDWs, which must fill it exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lmparse.errors import FramingError, TruncatedError
from lmparse.framing.base import Framing, Runs
from lmparse.framing.descriptors import (
    OWN,
    BlockDescriptor,
    Descriptor,
    WordForm,
    WordRule,
    block_descriptor,
    cut_short,
    descriptor,
    excerpt,
    own_length,
    segment_codes,
)
from lmparse.framing.extents import RecordExtent
from lmparse.storage.buffers import Buffer

Piece = tuple[int, tuple[int, int], int, int | None]
"""Offset of the SDW, offset and length of the bytes, segment code, and the offset at which reading may resume:
None for that of the SDW, -1 if there is none."""


class WordFraming(Framing):
    """A framing with a word in front of each record, or of each piece of one, that contains a length."""

    rule: WordRule = OWN
    """How the word says the length."""

    @property
    def word(self) -> Descriptor:
        """The word in front of each record or piece."""
        return descriptor(self.word_id or "", self.rule)

    @property
    def form(self) -> WordForm:
        """The word in the form that scans read."""
        return self.word.form()

    @property
    def lead(self) -> int:
        return self.form.skip

    @property
    def bounded_form(self) -> WordForm:
        """The form whose longest record is that of the limits: longer ones are left to `extents`, which refuses them.

        So the limit costs scans nothing.
        """
        form = self.form
        return replace(form, most=min(form.most, self.longest + form.skip - form.uncounted))

    @property
    def block_word(self) -> BlockDescriptor | None:
        """The word in front of each block; None without blocks."""
        return None

    def runs(self, buffer: Buffer, start: int, end: int, index: int) -> Runs:
        from lmparse.framing.word_scan import runs_of_records

        return runs_of_records(self.bounded_form, buffer, start, end, index, self.block_word)


@dataclass(frozen=True)
class Counted(WordFraming):
    """The framings `rdw` and `zosmf`: descriptor words."""

    name: str
    word_id: str = "zos_rdw"
    rule: WordRule = OWN

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        word = self.word
        offset = start
        while offset < end:
            length = word.read(buffer, offset, end, index)[0]
            if length > end - offset:
                raise cut_short(buffer, offset, end, index, length, spec=word.spec.id)
            yield RecordExtent(index, ((offset + word.size, length - word.size),), offset)
            offset += length
            index += 1


@dataclass(frozen=True)
class Prefixed(WordFraming):
    """The framings `bare`, `lsn6`, `lsn8`, `filter` and `filter97` of Db2 LUW, named for the prefix of a record."""

    name: str
    byte_order: str

    @property
    def form(self) -> WordForm:
        return own_length(self.name, self.byte_order).form

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        word = own_length(self.name, self.byte_order)
        offset = start
        while offset < end:
            length = word.read(buffer, offset, end, index)
            place = offset + word.prefix
            if length > end - place:
                raise cut_short(buffer, place, end, index, length, spec=word.spec.id)
            yield RecordExtent(index, ((place, length),), offset)
            offset = place + length
            index += 1


# -- blocks ---------------------------------------------------------------------------------


@dataclass
class Cursor:
    """The number of the current record."""

    index: int


@dataclass(frozen=True, slots=True)
class Block:
    """One block. Offsets are absolute; the file may end inside it."""

    buffer: Buffer
    start: int
    """Offset of its BDW."""
    content: int
    end: int
    file_end: int

    @property
    def limit(self) -> int:
        """Offset behind its last byte in the file."""
        return min(self.end, self.file_end)

    def read(self, word: Descriptor, offset: int, index: int) -> tuple[int, ...]:
        """The values of a descriptor word in the block; its record must end inside the block."""
        is_cut = self.end > self.file_end
        try:
            values = word.read(self.buffer, offset, self.limit, index)
        except FramingError as error:
            if is_cut and isinstance(error, TruncatedError):
                raise
            found = " ".join(filter(None, (error.field, error.found)))  # in place of a descriptor word
            raise self._not_filled(offset, index, found) from None
        if values[0] > self.end - offset:
            raise self._not_filled(offset, index, f"a record of {values[0]}")
        if values[0] > self.limit - offset:
            raise cut_short(self.buffer, offset, self.limit, index, values[0], spec=word.spec.id)
        return values

    def _not_filled(self, offset: int, index: int, found: str) -> FramingError:
        # Nothing may be left over inside a block: bytes that are not a descriptor word are damage.
        return FramingError(
            f"the block at {self.start:#x} is not filled exactly by its records", code="LMP-F008",
            record_index=index, record_offset=offset, expected=f"at most {self.end - offset} more bytes",
            found=found, spec="zos_bdw", hex=excerpt(self.buffer, offset, self.limit),
        )  # fmt: skip


def blocks(word: BlockDescriptor, buffer: Buffer, start: int, end: int, cursor: Cursor) -> Iterator[Block]:
    """The blocks from `start` to `end`, both between blocks."""
    offset = start
    while offset < end:
        length = word.read(buffer, offset, end, cursor.index)
        # A block in which the file ends still yields its whole records.
        yield Block(buffer, offset, offset + word.size, offset + length, end)
        if length > end - offset:
            raise cut_short(buffer, offset, end, cursor.index, length, spec=word.spec.id)
        offset += length


class Blocked(WordFraming):
    """A framing in blocks: reading begins at a block."""

    is_blocked = True
    block_rule: WordRule = OWN
    """How the BDW says the length of a block."""

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


# -- in pieces ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spanned(WordFraming):
    """The framing `vbs`."""

    name = "vbs"
    word_id = "zos_sdw"
    rule: WordRule = OWN
    is_spanned = True

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        cursor = Cursor(index)
        opens, closes = segment_codes()
        longest, most = self.longest, self.limits.record_pieces
        pieces: list[tuple[int, int]] = []
        resume: int | None = None
        for offset, piece, code, may_resume in self._pieces(buffer, start, end, cursor):
            if (code in opens) != (not pieces):
                expected = "the rest of the record" if pieces else "the first piece of a record"
                raise FramingError(
                    code="LMP-F009", record_index=cursor.index, record_offset=offset, spec=self.word_id,
                    field="segment_code", expected=expected, found=str(code), hex=excerpt(buffer, offset, end),
                )  # fmt: skip
            if not pieces:
                resume = offset if may_resume is None else may_resume
            pieces.append(piece)
            if sum(piece) - pieces[0][0] > longest:
                raise self.too_long(cursor.index, pieces[0][0], sum(piece))
            if len(pieces) > most:
                place = {"record_index": cursor.index, "record_offset": pieces[0][0]}
                raise self.limits.error("record_pieces", len(pieces), **place)
            if code in closes:
                yield RecordExtent(cursor.index, tuple(pieces), resume if resume is not None and resume >= 0 else None)
                pieces = []
                cursor.index += 1
        if pieces:
            first = pieces[0][0]
            hint = "its last piece is missing"
            raise cut_short(buffer, first, end, cursor.index, end - first + 1, spec=self.word_id, hint=hint)

    def _pieces(self, buffer: Buffer, start: int, end: int, cursor: Cursor) -> Iterator[Piece]:
        word = self.word
        offset = start
        while offset < end:
            length, code, _ = word.read(buffer, offset, end, cursor.index)
            if length > end - offset:
                raise cut_short(buffer, offset, end, cursor.index, length, spec=word.spec.id)
            yield offset, (offset + word.size, length - word.size), code, None
            offset += length

    def runs(self, buffer: Buffer, start: int, end: int, index: int) -> Runs:
        from lmparse.framing.word_scan import runs_of_pieces

        bounds = self.longest, self.limits.record_pieces
        return runs_of_pieces(self.bounded_form, buffer, start, end, index, bounds, self.block_word)


@dataclass(frozen=True)
class SpannedBlocks(Blocked, Spanned):
    """The framing `bdw-vbs`."""

    name = "bdw-vbs"
    block_rule: WordRule = OWN

    def _pieces(self, buffer: Buffer, start: int, end: int, cursor: Cursor) -> Iterator[Piece]:
        word = self.word
        for block in blocks(self.block_word, buffer, start, end, cursor):
            offset = block.content
            while offset < block.limit:
                length, code, _ = block.read(word, offset, cursor.index)
                resume = block.start if offset == block.content else -1
                yield offset, (offset + word.size, length - word.size), code, resume
                offset += length
