"""An explained record: its place, the descriptor words in front of it, its fields, and what the specs say about them.

Text, JSON and pages show this data. Offsets of fields count from the start of the record, all other offsets from the
start of the file.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from lmparse.errors import DataError, FramingError
from lmparse.records.dissection import Dissection, Node
from lmparse.records.file_dissection import faulty
from lmparse.records.settings import Decision
from lmparse.spec.layout import Layout
from lmparse.values.codepages import UNDEFINED, CodePage, lookup

_LONG_HEX = 16
"""A value of more bytes than this that is their hex is not shown beside the bytes."""


@dataclass(frozen=True, slots=True)
class FieldLine:
    """A field as it is shown, or bytes that are in no field."""

    node: Node | None
    """None for bytes that are in no field."""
    start: int
    end: int
    """The byte behind the last one."""
    shared: int = 0
    """How many of its first bytes are also in a field before it, as with fields of bits."""
    children: tuple[FieldLine, ...] = ()
    is_item: bool = False
    """Whether it is an item of a list, which has the same documentation."""

    def walk(self, depth: int = 0) -> Iterator[tuple[FieldLine, int]]:
        """Itself and its parts, in the order of their bytes, each with how deep it is."""
        yield self, depth
        for child in self.children:
            yield from child.walk(depth + 1)


@dataclass(frozen=True)
class ExplainedSection:
    """Bytes that one spec describes: the record, or a descriptor word in front of it or of a piece of it."""

    layout: Layout
    dissection: Dissection
    places: tuple[tuple[int, int], ...]
    """Offset and number of its bytes in the file, piece by piece."""
    before: int | None = None
    """For a word, the byte of the record behind it: 0 unless the record has several pieces. None for the record."""

    @property
    def offset(self) -> int:
        """Offset of its first byte in the file."""
        return self.places[0][0]

    @property
    def place(self) -> str:
        """Its length and place in words."""
        text = f"{len(self.dissection.raw)} bytes at {self.offset:#x}"
        return f"{text}, in front of byte {self.before} of the record" if self.before else text

    @cached_property
    def lines(self) -> tuple[FieldLine, ...]:
        """Its fields, and the bytes that are in no field, in the order of the bytes."""
        return lines_of(self.dissection)

    @property
    def calculated(self) -> tuple[FieldLine, ...]:
        """Its calculated values, which have no bytes; each is named by its path."""
        nodes = (replace(node, field=replace(node.field, id=node.path)) for node in self.dissection.calculated)
        return tuple(FieldLine(_said_once(node), 0, 0) for node in nodes)

    def bytes_of(self, line: FieldLine) -> bytes:
        """The bytes of a line; none for a field with parts, which have them."""
        return b"" if line.children else self.dissection.raw[line.start : line.end]

    def in_file(self, start: int) -> int:
        """The offset in the file of one of its bytes, or of the byte behind the last one."""
        for offset, length in self.places[:-1]:
            if start < length:
                return offset + start
            start -= length
        return self.places[-1][0] + start

    def in_section(self, offset: int | None) -> int | None:
        """The number of the byte that is at an offset in the file; None if the byte is not in the section."""
        passed = 0
        for place, length in self.places:
            if offset is not None and place <= offset < place + length:
                return passed + offset - place
            passed += length
        return None


@dataclass(frozen=True)
class Explanation:
    """One record with its bytes beside its fields, or bytes of the file that are not a record."""

    file: str
    size: int
    """Bytes of the whole file."""
    record: int | None
    """Number of the record, from 0; None for bytes that are not a record."""
    framing: str
    main: ExplainedSection
    words: tuple[ExplainedSection, ...] = ()
    """The descriptor words in front of the record and of its pieces, in the order of the file."""
    page: CodePage | None = None
    """Code page of the text in the record."""
    kind: str = ""
    notes: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()
    """What was detected about the file."""
    offset_asked: int | None = None
    """Offset of the byte of the file that was requested."""
    found_by: str = ""
    """How the record was found, if not by its number."""
    fault: FramingError | None = field(default=None)
    """Why the bytes are not a record."""

    @property
    def dissection(self) -> Dissection:
        """The record taken apart."""
        return self.main.dissection

    @property
    def offset(self) -> int:
        """Offset of the first byte of the record in the file, behind its descriptor words."""
        return self.main.offset

    @property
    def length(self) -> int:
        """Number of bytes of the record."""
        return len(self.dissection.raw)

    @property
    def place(self) -> str:
        """Length and place of the record in words."""
        pieces = f" in {len(self.main.places)} pieces" if len(self.main.places) > 1 else ""
        return f"{self.length} bytes at {self.offset:#x} ({self.offset}){pieces}"

    @property
    def sections(self) -> tuple[ExplainedSection, ...]:
        """The words, then the record."""
        return (*self.words, self.main)

    @property
    def faults(self) -> list[DataError]:
        """All faults, each once."""
        found = [fault for section in self.sections for fault in faulty(section.dissection)]
        found += [self.fault] if self.fault is not None else []
        return list({id(fault): fault for fault in found}.values())

    def to_dict(self) -> dict[str, Any]:
        """The explanation as one JSON object. Fields without parts have their bytes, in upper-case hex."""
        layout = self.main.layout
        return {
            "file": self.file, "size": self.size, "record": self.record, "offset": self.offset, "length": self.length,
            "pieces": [{"offset": offset, "length": length} for offset, length in self.main.places],
            "framing": self.framing, "spec": layout.id, "title": layout.title, "doc_ref": layout.doc_ref,
            "kind": self.kind or None, "code_page": None if self.page is None else self.page.name,
            "offset_asked": self.offset_asked, "found_by": self.found_by or None, "notes": list(self.notes),
            "decisions": [{"name": d.name, "value": d.value, "evidence": d.evidence} for d in self.decisions],
            "faults": [fault.to_dict() for fault in self.faults],
            "in_front": [
                {
                    "spec": word.layout.id, "title": word.layout.title, "doc_ref": word.layout.doc_ref,
                    "offset": word.offset, "length": len(word.dissection.raw), "before": word.before,
                    "fields": [_line(line, word) for line in word.lines],
                }
                for word in self.words
            ],
            "fields": [_line(line, self.main) for line in self.main.lines],
            "calculated": [_facts(node) for node in self.main.dissection.calculated],
        }  # fmt: skip


def lines_of(found: Dissection) -> tuple[FieldLine, ...]:
    """The fields of a record in the order of their bytes, and between them the bytes that are in no field.

    The lines without parts, without the bytes that they share with lines before, have each byte of the record once.
    """
    shared: dict[int, int] = {}
    reached = 0
    for leaf in sorted(found.leaves(), key=lambda node: (node.start, node.end)):
        shared[id(leaf)] = max(0, min(reached, leaf.end) - leaf.start)
        reached = max(reached, leaf.end)
    return _lines(found.nodes, found.unread(), shared)


def _lines(nodes: Sequence[Node], unread: list[tuple[int, int]], shared: dict[int, int]) -> tuple[FieldLine, ...]:
    lines = []
    for node in nodes:
        if node.start == node.end and node.fault is None and node.field.is_always_empty:
            continue
        inside = [gap for gap in unread if node.children and node.start <= gap[0] and gap[1] <= node.end]
        unread = [gap for gap in unread if gap not in inside]
        parts = _lines(node.children, inside, shared)
        if node.field.repeated:
            parts = tuple(replace(part, is_item=part.node is not None) for part in parts)
        lines.append(FieldLine(_said_once(node), node.start, node.end, shared.get(id(node), 0), parts))
    lines += [FieldLine(None, start, end) for start, end in unread]
    return tuple(sorted(lines, key=lambda line: (line.start, line.node is None)))


def _said_once(node: Node) -> Node:
    """A field without its meaning, where that only repeats a word of an enumeration that is its value."""
    return replace(node, meaning="") if node.meaning == str(node.value).replace("_", " ") else node


class References:
    """The references to manuals in one section, by number: their texts are long, and many fields have the same one."""

    def __init__(self, section: ExplainedSection) -> None:
        self._main = one_line(section.layout.doc_ref)
        self._numbers: dict[str, int] = {}

    def number(self, reference: str) -> int | None:
        """The number of a reference, from 1; None for an empty one, and for one that the section itself has."""
        text = one_line(reference)
        return None if text in self._main else self._numbers.setdefault(text, len(self._numbers) + 1)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return iter([(number, text) for text, number in self._numbers.items()])


def value_text(line: FieldLine, raw: bytes, most: int, kept: int) -> str | None:
    """A value as JSON, in printable characters; None for a line without a value.

    A text of more than `most` characters is cut to `kept` characters, with a note.
    """
    node = line.node
    if node is None or (node.value is None and (line.children or node.meaning or node.fault is not None)):
        return None
    if isinstance(node.value, str) and len(raw) > _LONG_HEX and node.value == raw.hex().upper():
        return "the bytes, as hex"
    text = printable(json.dumps(node.value, ensure_ascii=False))
    return text if len(text) <= most else f"{text[:kept]} ({len(text) - kept} characters left out)"


def printable(text: str) -> str:
    """A text with escapes for all other characters: names and values come from files, and could control a terminal."""
    if text.isprintable():  # as nearly all are, also those of many megabytes
        return text
    return "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)


def one_line(text: str) -> str:
    """A text of a spec on one line, in printable characters."""
    return printable(" ".join(text.split()))


def pages_beside(page: CodePage | None) -> list[CodePage]:
    """The code pages in which bytes are shown: that of the record first, and ASCII beside an EBCDIC page."""
    ascii_page = lookup("us-ascii")
    if page is None:
        return [ascii_page, lookup("cp037")]
    return [page, ascii_page] if page.is_ebcdic else [page]


def characters(page: CodePage) -> list[str]:
    """A character for each byte; a dot for bytes without a printable character, or with one that joins another."""
    table = page.table
    if table is None:
        table = "".join(chr(byte) if byte < 0x80 else UNDEFINED for byte in range(256))
    is_shown = [one.isprintable() and one != UNDEFINED and not unicodedata.combining(one) for one in table]
    return [letter if shown else "." for letter, shown in zip(table, is_shown, strict=True)]


def _line(line: FieldLine, section: ExplainedSection) -> dict[str, Any]:
    place = {"offset": line.start, "file_offset": section.in_file(line.start), "length": line.end - line.start}
    held: dict[str, Any] = {"fields": [_line(child, section) for child in line.children]}
    if not line.children:
        held = {"bytes": section.bytes_of(line).hex().upper()}
        if line.shared:
            held["shared"] = line.shared
    return {"path": None, **place, **held} if line.node is None else {**_facts(line.node), **place, **held}


def _facts(node: Node) -> dict[str, Any]:
    """What is known of a field but its place."""
    entry = node.field
    return {
        "path": node.path, "id": entry.id, "orig_id": entry.orig_id, "kind": entry.kind, "value": node.value,
        "meaning": node.meaning or None, "unit": entry.unit, "scale": entry.scale, "doc": entry.doc,
        "doc_ref": entry.doc_ref, "status": entry.status, "source": entry.source, "spec": node.layout,
        "fault": None if node.fault is None else node.fault.to_dict(),
    }  # fmt: skip
