"""An explained record as text: a table with columns that wrap, or a line for each field, for any terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap
from typing import Any

from lmparse.review.explain.explanation import (
    ExplainedSection,
    Explanation,
    FieldLine,
    References,
    characters,
    one_line,
    pages_beside,
    printable,
    value_text,
)

NARROWEST = 60
"""Least width of the text, in characters."""
_MOST_BYTES, _SHOWN_BYTES = 64, 48
_MOST_VALUE, _SHOWN_VALUE = 400, 320


def text_lines(found: Explanation, width: int) -> Iterator[str]:
    """The lines of a record, none longer than `width` (and `width` at least NARROWEST)."""
    width = max(width, NARROWEST)
    yield from _head(found, width)
    columns = _Columns.of(found, width)
    for section in found.sections:
        yield ""
        yield from _wrapped(_title(section), width, 2)
        if section.layout.doc_ref:
            yield from _wrapped(one_line(section.layout.doc_ref), width, 2)
        yield columns.heading()
        asked = section.in_section(found.offset_asked)
        references = References(section)
        for line, depth in _with_depths(section.lines):
            yield from _rows(line, section, asked, columns, references, depth)
        for number, reference in references:
            yield from _wrapped(f"[{number}] {reference}", width, 4)
    if found.decisions:
        yield ""
        for decision in found.decisions:
            yield from _wrapped(f"read with {decision}", width, 2)


def brief_lines(found: Explanation, width: int) -> Iterator[str]:
    """One line for each field, cut at `width`, without documentation."""
    width = max(width, NARROWEST)
    yield from _head(found, width)
    columns = _Columns.of(found, width)
    for section in found.sections:
        yield _cut(_title(section), width)
        asked = section.in_section(found.offset_asked)
        for line, depth in _with_depths(section.lines):
            raw = section.bytes_of(line)
            more = "+" if len(raw) > columns.bytes_a_line else " "
            front = f"{columns.place(line, asked)}{columns.bytes_of_line(raw[: columns.bytes_a_line])}{more}"
            words = [_value_words(line, raw), _fault_words(line)]
            yield _cut(f"{front} {'  ' * depth}{' '.join(filter(None, words))}", width)


def _with_depths(lines: Sequence[FieldLine], depth: int = 0) -> Iterator[tuple[FieldLine, int]]:
    for line in lines:
        yield line, depth
        yield from _with_depths(line.children, depth + 1)


def _head(found: Explanation, width: int) -> Iterator[str]:
    what = f"record {found.record} of {found.main.layout.id}, {found.place}"
    if found.record is None:
        what = f"{found.place} that are not a sound record"
    lines = [f"{found.file}: {what}, framing {found.framing}"]
    lines += [f"kind: {found.kind}"] if found.kind else []
    lines += [found.found_by] if found.found_by else []
    lines += [f"note: {note}" for note in found.notes]
    for fault in found.faults:
        lines += [f"fault: {fault}"] + ([f"  hint: {fault.hint}"] if fault.hint else [])
    for line in lines:
        yield from _wrapped(line, width, 2)


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
    """For each byte its character beside the hex."""

    @classmethod
    def of(cls, found: Explanation, width: int) -> _Columns:
        most = max(len(section.dissection.raw) for section in found.sections)
        decimal, hexadecimal = max(len(str(most)), len("byte")), max(len(f"{most:#x}"), 4)
        a_line = 4 if width < 100 else 8 if width < 180 else 16
        letters = characters(pages_beside(found.page)[0])
        left = width - (2 + decimal + 1 + hexadecimal + 1 + decimal + 2) - (4 * a_line - 1) - 4
        return cls(decimal, hexadecimal, a_line, left, letters)

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

    def place(self, line: FieldLine, asked: int | None) -> str:
        """The columns in front of the bytes of a field; a mark in front of the byte that was requested."""
        mark = ">" if asked is not None and line.start <= asked < line.end else " "
        size = line.end - line.start
        return f"{mark} {line.start:{self.decimal}} {line.start:#0{self.hexadecimal}x} {size:{self.decimal}}  "

    def bytes_of_line(self, raw: bytes) -> str:
        """Bytes of one line, and their characters."""
        letters = "".join(self.letters[byte] for byte in raw)
        return f"{raw.hex(' ').upper():{self.hexes}}  {letters:{self.bytes_a_line}}"


def _rows(
    line: FieldLine,
    section: ExplainedSection,
    asked: int | None,
    columns: _Columns,
    references: References,
    depth: int,
) -> Iterator[str]:
    """The lines of the table for one field."""
    raw = section.bytes_of(line)
    left = list(_hex_lines(raw, columns))
    indent = min(2 * depth, columns.text // 3)
    right = [
        " " * indent + row for text in _texts(line, raw, references) for row in _wrapped(text, columns.text - indent, 0)
    ]
    place = columns.place(line, asked)
    for middle, behind in zip_longest(left, right, fillvalue=""):
        yield f"{place}{middle:{columns.hexes + columns.bytes_a_line + 2}}  {behind}".rstrip()
        place = " " * len(place)


def _hex_lines(raw: bytes, columns: _Columns) -> Iterator[str]:
    shown = raw if len(raw) <= _MOST_BYTES else raw[:_SHOWN_BYTES]
    for start in range(0, len(shown), columns.bytes_a_line):
        yield columns.bytes_of_line(shown[start : start + columns.bytes_a_line])
    if len(shown) < len(raw):
        yield from _wrapped(f"({len(raw) - len(shown)} bytes left out)", columns.hexes, 0)


def _texts(line: FieldLine, raw: bytes, references: References) -> Iterator[str]:
    """What to show of a field: name and value, documentation, source, fault."""
    yield _value_words(line, raw)
    node = line.node
    if node is None:
        return
    entry = node.field
    if line.shared:
        yield f"shares {line.shared} of its bytes with the field before it"
    number = None if line.is_item else references.number(entry.doc_ref)
    texts = ["" if line.is_item else one_line(entry.doc), "" if number is None else f"[{number}]"]
    if any(texts):
        yield " ".join(filter(None, texts))
    if entry.source:
        label = "not in the manual" if entry.status == "documented" else "why"
        yield f"{label}: {one_line(entry.source)}"
    if node.fault is not None:
        yield _fault_words(line)


def _value_words(line: FieldLine, raw: bytes) -> str:
    """A field with its names, its status, its value and what that means."""
    node = line.node
    if node is None:
        return "unread: no field holds these bytes"
    entry = node.field
    text = entry.id
    if entry.orig_id and entry.orig_id != entry.id:
        text += f" ({entry.orig_id})"
    if entry.status not in ("documented", ""):
        text += f" [{entry.status}]"
    value = value_text(line, raw, _MOST_VALUE, _SHOWN_VALUE)
    if value is not None:
        text += f" = {value}" + (f" {entry.unit}" if entry.unit and node.value is not None else "")
    return text + (f": {node.meaning}" if node.meaning else "")


def _fault_words(line: FieldLine) -> str:
    fault = None if line.node is None else line.node.fault
    return "" if fault is None else f"! {fault.says()} [{fault.code}]"


def _wrapped(text: str, width: int, indent: int) -> Iterator[str]:
    """A text as lines of a width, all but the first indented. Lines break at blanks, in words only if these are longer
    than a line.
    """
    how: dict[str, Any] = {"subsequent_indent": " " * indent, "break_on_hyphens": False}
    for line in wrap(printable(text), width, break_long_words=False, **how):
        yield from [line] if len(line) <= width else wrap(line, width, **how)


def _cut(text: str, width: int) -> str:
    """A text in one line, which ends in two dots where something is cut off."""
    text = printable(text).rstrip()
    return text if len(text) <= width else text[: width - 2] + ".."
