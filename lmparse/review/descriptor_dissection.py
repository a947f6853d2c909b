"""Dissection of the descriptor words in front of records, and of the prefix that an API puts in front of them.

They are not part of a record, but of the file: without them some of its bytes would be in no section.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from lmparse.errors import FramingError
from lmparse.framing.base import Framing
from lmparse.framing.blocks import Blocked
from lmparse.framing.descriptors import OWN, BlockDescriptor, Descriptor, block_descriptor
from lmparse.framing.extents import RecordExtent
from lmparse.framing.rdw import WordFraming
from lmparse.records.dissection import Dissection, Dissector, Node
from lmparse.records.reader import RecordReader
from lmparse.review.explain.explanation import ExplainedSection
from lmparse.spec import catalog
from lmparse.storage.buffers import Buffer


def words_of(framing: Framing, buffer: Buffer, extent: RecordExtent) -> tuple[ExplainedSection, ...]:
    """All descriptor words of a record and of its pieces, in the order of the file."""
    found: list[ExplainedSection] = []
    length = 0
    begin = extent.offset - framing.lead if extent.resume is None else extent.resume
    for offset, size in extent.pieces:
        found += _between(framing, buffer, begin, offset, length)
        begin = offset + size
        length += size
    return tuple(found)


def _between(framing: Framing, buffer: Buffer, begin: int, end: int, before: int) -> Iterator[ExplainedSection]:
    """The words between two offsets: the word of the record, behind that of its block if there is room for it."""
    if begin >= end:
        return
    cuts: Sequence[int] = (begin, end)
    if framing.is_blocked and end - begin > framing.lead:
        cuts = (begin, min(end, begin + block_descriptor().size), end)
    for number, (start, stop) in enumerate(pairwise(cuts)):
        is_block = len(cuts) > 2 and number == 0
        if start < stop:
            word: Descriptor | BlockDescriptor | None = None
            if isinstance(framing, WordFraming) and framing.word_id is not None:
                word = framing.block_word if is_block and isinstance(framing, Blocked) else framing.word
            raw = buffer[start:stop]
            if word is None or word.rule == OWN:
                found = _dissector(framing, is_block).dissect(raw)
            else:
                found = _by_rule(word, raw)
            layout = catalog.load(found.spec).layout
            yield ExplainedSection(layout, found, ((start, stop - start),), before)


def _by_rule(word: Descriptor | BlockDescriptor, raw: bytes) -> Dissection:
    """A word whose bytes or limits are not those of its spec."""
    fault: FramingError | None = None
    try:
        word.read(raw, 0, len(raw), 0)
    except FramingError as error:
        fault = error
    nodes = []
    for entry, (start, end), value in word.fields(raw):
        meaning = next((code.id for code in entry.codes if code.value == value), "")
        if entry.id.startswith("length"):
            entry = replace(entry, doc="Length, as the options for the word say")
        nodes.append(Node(entry.id, entry, word.spec.id, start, end, value, meaning))
    return Dissection(word.spec.id, raw, tuple(sorted(nodes, key=lambda node: node.start)), fault=fault)


@cache
def _dissector(framing: Framing, is_block: bool) -> Dissector:
    if is_block:
        return Dissector(RecordReader(block_descriptor().spec))
    if framing.word_id is not None:
        return Dissector(RecordReader(catalog.load(framing.word_id)))
    prefix = catalog.load("db2_prefix")
    order = catalog.load("db2_server").enum("byte_order")[framing.byte_order or ""]
    return Dissector(RecordReader(prefix, arguments=(prefix.enum("framing")[framing.name], order)))
