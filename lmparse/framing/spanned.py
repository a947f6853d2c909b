"""Spanned records: records in consecutive pieces, each behind an SDW, with or without blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lmparse.errors import FramingError
from lmparse.framing.base import Runs
from lmparse.framing.blocks import Blocked, Cursor, blocks
from lmparse.framing.descriptors import OWN, WordRule, cut_short, excerpt, segment_codes
from lmparse.framing.extents import RecordExtent
from lmparse.framing.rdw import WordFraming
from lmparse.storage.buffers import Buffer

Piece = tuple[int, tuple[int, int], int, int | None]
"""Offset of the SDW, offset and length of the piece, segment code, and the offset at which reading may resume (None: at
the SDW; -1: nowhere)."""


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
