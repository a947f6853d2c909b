"""Framings with a length in front of each record: an RDW, the prefix of z/OSMF, or the length of a Db2 LUW record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lmparse.framing.base import Framing, Runs
from lmparse.framing.descriptors import (
    OWN,
    BlockDescriptor,
    Descriptor,
    WordForm,
    WordRule,
    cut_short,
    descriptor,
    own_length,
)
from lmparse.framing.extents import RecordExtent
from lmparse.storage.buffers import Buffer


class WordFraming(Framing):
    """A framing with a word in front of each record or piece; the word contains a length."""

    rule: WordRule = OWN
    """How the word states the length."""

    @property
    def word(self) -> Descriptor:
        """The word in front of each record or piece."""
        return descriptor(self.word_id or "", self.rule)

    @property
    def form(self) -> WordForm:
        """The word in the form for scans."""
        return self.word.form()

    @property
    def lead(self) -> int:
        return self.form.skip

    @property
    def bounded_form(self) -> WordForm:
        """The form with the longest record of the limits; scans leave longer records to `extents`, which refuses them.

        The limit therefore costs scans nothing.
        """
        form = self.form
        return replace(form, most=min(form.most, self.longest + form.skip - form.uncounted))

    @property
    def block_word(self) -> BlockDescriptor | None:
        """The word in front of each block; None without blocks."""
        return None

    @property
    def word_options(self) -> dict[str, str]:
        """The options for words that differ from those of z/OS, by Python name."""
        of_block = () if self.block_word is None else self.block_word.rule.options("bdw")
        return dict([*self.rule.options("rdw"), *of_block])

    def runs(self, buffer: Buffer, start: int, end: int, index: int) -> Runs:
        from lmparse.framing.word_scan import runs_of_records

        return runs_of_records(self.bounded_form, buffer, start, end, index, self.block_word)


@dataclass(frozen=True)
class Rdw(WordFraming):
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
    """The framings `bare`, `lsn6`, `lsn8`, `filter`, `filter97` and `lris` of Db2 LUW, named for a record's prefix."""

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
