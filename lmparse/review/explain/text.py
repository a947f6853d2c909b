"""An explained record as text: a table with columns that wrap, or a line for each field, for any terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from lmparse.review.explain.characters import characters, pages_beside
from lmparse.review.explain.explanation import (
    ExplainedSection,
    Explanation,
    FieldLine,
    References,
    printable,
    value_text,
)

NARROWEST = 60
"""Least width of the text, in characters."""
_STYLES = {
    "name": "1", "value": "36", "soft": "2", "heading": "1;4", "fault": "31", "inferred": "33", "unknown": "35",
    "unread": "33",
}  # fmt: skip
"""Styles and their SGR codes for terminals."""
_MOST_BYTES, _SHOWN_BYTES = 64, 48
_MOST_VALUE, _SHOWN_VALUE = 400, 320
_CHARACTERS_A_BYTE = 8
"""Most characters of a value as JSON for each of its bytes: `\\u001b` with a sign of escape."""

Span = tuple[str, str]
"""A text and its style; empty for no style."""


def text_lines(found: Explanation, width: int, *, colour: bool) -> Iterator[str]:
    """The lines of a record, none longer than `width` (and `width` at least NARROWEST)."""
    width = max(width, NARROWEST)
    for spans, indent in _head(found):
        yield from _wrapped(spans, width, colour, indent)
    columns = _Columns.of(found, width)
    heading = columns.heading()
    for section in found.sections:
        if section.chosen == ():
            continue
        yield ""
        yield from _wrapped([(_title(section), "heading")], width, colour, 2)
        if section.layout.doc_ref and section.chosen is None:
            yield from _wrapped([(" ".join(section.layout.doc_ref.split()), "soft")], width, colour, 2)
        yield _styled([(letter, "soft") for letter in heading], colour)
        asked = section.in_section(found.offset_asked)
        references = References(section)
        for line in section.lines:
            yield from _rows(line, section, asked, columns, colour, references)
        for number, reference in references:
            yield from _wrapped([(f"[{number}] {reference}", "soft")], width, colour, 4)
    if found.main.chosen is not None:
        return
    if found.decisions:
        yield ""
    for decision in found.decisions:
        yield from _wrapped([(f"read with {decision}", "soft")], width, colour, 2)


def brief_lines(found: Explanation, width: int, *, colour: bool) -> Iterator[str]:
    """One line for each field, cut at `width`, without documentation."""
    width = max(width, NARROWEST)
    for spans, indent in _head(found):
        yield from _wrapped(spans, width, colour, indent)
    columns = _Columns.of(found, width)
    for section in found.sections:
        if section.chosen != ():
            yield _cut([(_title(section), "heading")], width, colour)
        asked = section.in_section(found.offset_asked)
        for line in section.lines:
            for spans in _brief_rows(line, section, asked, columns):
                yield _cut(spans, width, colour)


def _brief_rows(
    line: FieldLine, section: ExplainedSection, asked: int | None, columns: _Columns, depth: int = 0
) -> Iterator[list[Span]]:
    raw = section.bytes_of(line)
    first, more = columns.piece(raw[: columns.bytes_a_line]), "+" if len(raw) > columns.bytes_a_line else " "
    spans, *_ = _texts(line, raw, References(section), columns)
    if line.node is not None and line.node.fault is not None:
        spans = [*spans, (f" ! {line.node.fault.says()} [{line.node.fault.code}]", "fault")]
    yield [(f"{columns.place(line, asked)}{first}{more} {'  ' * depth}", ""), *spans]
    for child in line.children:
        yield from _brief_rows(child, section, asked, columns, depth + 1)


def _head(found: Explanation) -> Iterator[tuple[list[Span], int]]:
    spec = found.main.layout.id
    if found.record is None:
        what = f"{found.place} that are not a sound record"
    else:
        what = f"record {found.record} of {spec}, {found.place}"
    yield [(f"{found.file}: ", "name"), (f"{what}, framing {found.framing}", "")], 2
    if found.kind:
        yield [("kind: ", "soft"), (found.kind, "")], 2
    if found.found_by:
        yield [(found.found_by, "")], 2
    for note in found.notes:
        yield [("note: ", "soft"), (note, "")], 2
    for fault in found.faults:
        yield [("fault: ", "fault"), (str(fault), "fault")], 2
        if fault.hint:
            yield [(f"  hint: {fault.hint}", "soft")], 2


def _title(section: ExplainedSection) -> str:
    title = f"{section.layout.id}: {section.layout.title or 'record'}, {section.place}"
    if len(section.places) > 1:
        title += " and " + ", ".join(f"{offset:#x}" for offset, _ in section.places[1:])
    return title


@dataclass(frozen=True, slots=True)
class _Columns:
    """Widths of the columns of the table, in characters."""

    decimal: int
    """Width of a byte number or a length in decimal digits."""
    hexadecimal: int
    bytes_a_line: int
    text: int
    letters: Sequence[str]
    """For each byte its character beside the hex, of the width of one column."""
    is_whole: bool
    """Whether long fields are shown as a whole, since they were requested by name."""

    @classmethod
    def of(cls, found: Explanation, width: int) -> _Columns:
        most = max(len(section.dissection.raw) for section in found.sections)
        decimal, hexadecimal = max(len(str(most)), len("byte")), max(len(f"{most:#x}"), 4)
        a_line = 4 if width < 100 else 8 if width < 180 else 16
        # Beside a wide character, or one that joins the one before it, columns would not be where they should.
        shown = characters(pages_beside(found.page)[0])
        letters = [letter if _width(letter) == 1 else "." for letter in shown]
        left = width - (2 + decimal + 1 + hexadecimal + 1 + decimal + 2) - (4 * a_line - 1) - 4
        return cls(decimal, hexadecimal, a_line, left, letters, found.main.chosen is not None)

    def heading(self) -> str:
        """The line above the columns."""
        places = f"  {'byte':>{self.decimal}} {'hex':>{self.hexadecimal}} {'len':>{self.decimal}}"
        words = "field = value: meaning"
        titles = f"{'bytes':{self.hexes}}  {'text':{self.bytes_a_line}}  "
        return f"{places}  {titles}{words if len(words) <= self.text else 'field'}"

    @property
    def hexes(self) -> int:
        """Width of the bytes."""
        return 3 * self.bytes_a_line - 1

    @property
    def beside(self) -> int:
        """Width of the bytes and of the characters beside them."""
        return self.hexes + self.bytes_a_line + 2

    def place(self, line: FieldLine, asked: int | None) -> str:
        """The columns in front of the bytes of a field; a mark in front of the byte that was requested."""
        mark = ">" if asked is not None and line.start <= asked < line.end else " "
        size = line.end - line.start
        return f"{mark} {line.start:{self.decimal}} {line.start:#0{self.hexadecimal}x} {size:{self.decimal}}  "

    def piece(self, raw: bytes) -> str:
        """Bytes of one line, and their characters."""
        letters = "".join(self.letters[byte] for byte in raw)
        return f"{raw.hex(' ').upper():{self.hexes}}  {letters:{self.bytes_a_line}}"


def _rows(
    line: FieldLine,
    section: ExplainedSection,
    asked: int | None,
    columns: _Columns,
    colour: bool,
    references: References,
    depth: int = 0,
) -> Iterator[str]:
    """The lines of the table for one field and its parts."""
    raw = section.bytes_of(line)
    left = list(_hex_lines(raw, columns))
    indent = min(2 * depth, columns.text // 3)
    right = [
        " " * indent + row
        for spans in _texts(line, raw, references, columns)
        for row in _wrapped(spans, columns.text - indent, colour, 0)
    ]
    place = columns.place(line, asked)
    for middle, behind in zip_longest(left, right, fillvalue=""):
        yield f"{place}{middle:{columns.beside}}  {behind}".rstrip()
        place = " " * len(place)
    for child in line.children:
        yield from _rows(child, section, asked, columns, colour, references, depth + 1)


def _hex_lines(raw: bytes, columns: _Columns) -> Iterator[str]:
    shown = raw if columns.is_whole or len(raw) <= _MOST_BYTES else raw[:_SHOWN_BYTES]
    for start in range(0, len(shown), columns.bytes_a_line):
        yield columns.piece(shown[start : start + columns.bytes_a_line])
    if len(shown) < len(raw):
        yield from _wrapped([(f"({len(raw) - len(shown)} bytes left out)", "")], columns.hexes, False, 0)


def _texts(line: FieldLine, raw: bytes, references: References, columns: _Columns) -> Iterator[list[Span]]:
    """What to show of a field: name and value, documentation, source, fault."""
    node = line.node
    if node is None:
        yield [("unread: no field holds these bytes", "unread")]
        return
    entry = node.field
    spans: list[Span] = [(entry.id, "name")]
    if entry.orig_id and entry.orig_id != entry.id:
        spans.append((f" ({entry.orig_id})", "soft"))
    if entry.status not in ("documented", ""):
        spans.append((f" [{entry.status}]", entry.status))
    most = len(raw) * _CHARACTERS_A_BYTE if columns.is_whole else 0
    value = value_text(line, raw, max(most, _MOST_VALUE), max(most, _SHOWN_VALUE))
    if value is not None:
        spans += [(" = ", ""), (value, "value")]
        if entry.unit and node.value is not None:
            spans.append((f" {entry.unit}", ""))
    if node.meaning:
        spans.append((f": {node.meaning}", ""))
    yield spans
    if line.shared:
        yield [(f"shares {line.shared} of its bytes with the field before it", "soft")]
    number = None if line.is_item else references.number(entry.doc_ref)
    said = ["" if line.is_item else " ".join(entry.doc.split()), "" if number is None else f"[{number}]"]
    if any(said):
        yield [(" ".join(filter(None, said)), "soft")]
    if entry.source:
        label = "not in the manual" if entry.status == "documented" else "why"
        yield [(f"{label}: {' '.join(entry.source.split())}", "soft")]
    if node.fault is not None:
        yield [(f"! {node.fault.says()} [{node.fault.code}]", "fault")]


# -- wrapping -------------------------------------------------------------------------------


def _wrapped(spans: Iterable[Span], width: int, colour: bool, indent: int) -> Iterator[str]:
    """Texts as lines of a width, all but the first indented. Lines break at blanks, or anywhere if there are none."""
    cells = [(letter, style) for text, style in spans for letter in printable(text)]
    room, front = width, ""
    while True:
        size, end, gap = 0, 0, 0
        while end < len(cells) and size + _width(cells[end][0]) <= room:
            size += _width(cells[end][0])
            end += 1
            if end < len(cells) and cells[end][0] == " ":
                gap = end
        if end == len(cells):
            yield front + _styled(cells, colour)
            return
        cut = gap or max(end, 1)
        yield front + _styled(cells[:cut], colour)
        cells = cells[cut + 1 :] if cells[cut][0] == " " else cells[cut:]
        room, front = width - indent, " " * indent


def _cut(spans: Iterable[Span], width: int, colour: bool) -> str:
    """Texts in one line, which ends in two dots where something is cut off."""
    cells = [(letter, style) for text, style in spans for letter in printable(text)]
    while cells and cells[-1][0] == " ":
        cells.pop()
    if sum(_width(letter) for letter, _ in cells) > width:
        while sum(_width(letter) for letter, _ in cells) > width - 2:
            cells.pop()
        cells += [(".", "soft")] * 2
    return _styled(cells, colour)


def _width(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _styled(cells: Sequence[Span], colour: bool) -> str:
    if not colour:
        return "".join(letter for letter, _ in cells)
    text, current = "", ""
    for letter, style in cells:
        if style != current:
            text += ("\x1b[0m" if current else "") + (f"\x1b[{_STYLES[style]}m" if style else "")
            current = style
        text += letter
    return text + ("\x1b[0m" if current else "")
