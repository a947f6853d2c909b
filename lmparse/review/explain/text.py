"""An explained record as text: a table with columns that wrap, or a line for each field, for any terminal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, zip_longest
from textwrap import wrap

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


def text_lines(found: Explanation, width: int, *, brief: bool) -> Iterator[str]:
    """The lines of a record, none longer than `width` (and `width` at least NARROWEST).

    `brief` gives one line for each field, cut at `width`, without documentation.
    """
    table = _Table(found, max(width, NARROWEST))
    for words in _head(found):
        yield from _wrapped(words, table.width, 2)
    for section in found.sections:
        references = References(section)
        if brief:
            yield _cut(_title(section), table.width)
        else:
            yield ""
            yield from _wrapped(_title(section), table.width, 2)
            yield from _wrapped(one_line(section.layout.doc_ref), table.width, 2)
            yield table.heading
        asked = section.in_section(found.offset_asked)
        for line, depth in chain.from_iterable(top.walk() for top in section.lines):
            place, raw = table.place(line, asked), section.bytes_of(line)
            if brief:
                yield table.brief(line, raw, place, depth)
            else:
                yield from table.rows(line, raw, place, depth, references)
        for line in section.calculated:
            yield from table.calculated(line, references, brief=brief)
        if not brief:
            for number, reference in references:
                yield from _wrapped(f"[{number}] {reference}", table.width, 4)
    if found.decisions and not brief:
        yield ""
        for decision in found.decisions:
            yield from _wrapped(f"read with {decision}", table.width, 2)


def _head(found: Explanation) -> Iterator[str]:
    what = f"record {found.record} of {found.main.layout.id}, {found.place}"
    if found.record is None:
        what = f"{found.place} that are not a sound record"
    yield f"{found.file}: {what}, framing {found.framing}"
    yield from ([f"kind: {found.kind}"] if found.kind else [])
    yield from ([found.found_by] if found.found_by else [])
    yield from (f"note: {note}" for note in found.notes)
    for fault in found.faults:
        yield f"fault: {fault}"
        yield from ([f"  hint: {fault.hint}"] if fault.hint else [])


def _title(section: ExplainedSection) -> str:
    title = f"{section.layout.id}: {section.layout.title or 'record'}, {section.place}"
    if len(section.places) > 1:
        title += " and " + ", ".join(f"{offset:#x}" for offset, _ in section.places[1:])
    return title


class _Table:
    """The columns of the table: place and length of a field, its bytes, their characters, and what it says."""

    def __init__(self, found: Explanation, width: int) -> None:
        self.width = width
        most = max(len(section.dissection.raw) for section in found.sections)
        self._decimal, self._hexadecimal = max(len(str(most)), len("byte")), max(len(f"{most:#x}"), 4)
        self._a_line = 4 if width < 100 else 8 if width < 180 else 16
        """Bytes in a line."""
        self._letters = characters(pages_beside(found.page)[0])
        places = f"  {'byte':>{self._decimal}} {'hex':>{self._hexadecimal}} {'len':>{self._decimal}}  "
        titles = f"{'bytes':{3 * self._a_line - 1}}  {'text':{self._a_line}}  "
        self._text = width - len(places) - len(titles)
        """Width of the last column."""
        words = "field = value: meaning"
        self.heading = f"{places}{titles}{words if len(words) <= self._text else 'field'}"

    def place(self, line: FieldLine, asked: int | None) -> str:
        """The columns in front of the bytes of a field; a mark in front of the byte that was requested."""
        mark = ">" if asked is not None and line.start <= asked < line.end else " "
        size = line.end - line.start
        return f"{mark} {line.start:{self._decimal}} {line.start:#0{self._hexadecimal}x} {size:{self._decimal}}  "

    def brief(self, line: FieldLine, raw: bytes, place: str, depth: int) -> str:
        """One line for a field; a plus where it has more bytes."""
        more = "+" if len(raw) > self._a_line else " "
        words = " ".join(filter(None, (_value_words(line, raw), _fault_words(line))))
        return _cut(f"{place}{self._bytes(raw[: self._a_line])}{more} {'  ' * depth}{words}", self.width)

    def rows(self, line: FieldLine, raw: bytes, place: str, depth: int, references: References) -> Iterator[str]:
        """The lines of the table for one field."""
        shown = raw if len(raw) <= _MOST_BYTES else raw[:_SHOWN_BYTES]
        left = [self._bytes(shown[start : start + self._a_line]) for start in range(0, len(shown), self._a_line)]
        if len(shown) < len(raw):
            left += _wrapped(f"({len(raw) - len(shown)} bytes left out)", 3 * self._a_line - 1, 0)
        indent = min(2 * depth, self._text // 3)
        texts = [row for text in _texts(line, raw, references) for row in _wrapped(text, self._text - indent, 0)]
        for middle, behind in zip_longest(left, texts, fillvalue=""):
            yield f"{place}{middle:{4 * self._a_line + 1}}  {' ' * indent}{behind}".rstrip()
            place = " " * len(place)

    def calculated(self, line: FieldLine, references: References, *, brief: bool) -> Iterator[str]:
        """The lines for a calculated value, which has no bytes."""
        lead = f"{'  calculated':{self.width - self._text}}"
        texts = list(_texts(line, b"", references))[: 1 if brief else None]
        for text in texts:
            yield from [_cut(lead + text, self.width)] if brief else _wrapped(lead + text, self.width, len(lead))
            lead = " " * len(lead)

    def _bytes(self, raw: bytes) -> str:
        """Bytes of one line, and their characters."""
        letters = "".join(self._letters[byte] for byte in raw)
        return f"{raw.hex(' ').upper():{3 * self._a_line - 1}}  {letters:{self._a_line}}"


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
    ends = " " * indent
    for line in wrap(printable(text), width, subsequent_indent=ends, break_on_hyphens=False, break_long_words=False):
        yield from [line] if len(line) <= width else wrap(line, width, subsequent_indent=ends, break_on_hyphens=False)


def _cut(text: str, width: int) -> str:
    """A text in one line, which ends in two dots where something is cut off."""
    text = printable(text).rstrip()
    return text if len(text) <= width else text[: width - 2] + ".."
