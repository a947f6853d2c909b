"""An explained record as a page: bytes on the left, fields on the right; each highlights the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from lmparse.review.docs.words import parts
from lmparse.review.explain.characters import characters, pages_beside
from lmparse.review.explain.explanation import (
    ExplainedSection,
    Explanation,
    FieldLine,
    References,
    printable,
    value_text,
)
from lmparse.review.templating import render, render_page
from lmparse.values.codepages import CodePage

ROOT = ".lmparse-explained"
"""Selector in front of all styles of a record, so that they apply to nothing else in a notebook."""
_ROW, _HALF = 16, 8
_MOST_BYTES, _SHOWN_BYTES = 8192, 4096
"""Of a field with more bytes than the first number, the second number of bytes is shown."""
_MOST_VALUE, _SHOWN_VALUE = 2000, 1200
_URL = re.compile(r"(https?://[^\s,;'\"]+)")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}]*)([{}])")


@dataclass(frozen=True, slots=True)
class ByteRun:
    """Bytes of one field in one half of a row."""

    number: int
    """Number of the field's row in the table."""
    text: str
    marks: str = ""
    """Style classes, each behind a blank."""


@dataclass(frozen=True, slots=True)
class Half:
    """Up to eight bytes."""

    offset: str
    hex: tuple[ByteRun, ...]
    texts: tuple[tuple[ByteRun, ...], ...]
    """The same bytes as characters of each code page."""


HexRow = tuple[Half, ...] | str
"""A row of bytes, or a note about bytes that are left out."""


@dataclass(frozen=True, slots=True)
class Row:
    """A field in the table, or bytes that are in no field."""

    number: int
    up: int | None
    """Number of the row of the field around it."""
    depth: int
    section: int
    line: FieldLine
    is_asked: bool
    beside: int | None = None
    """Number of the row with the rest of the column: the slot of a value that is elsewhere in the record."""


def page(found: Explanation) -> str:
    """The page, which loads nothing. Raises OptionError LMP-S005 when Jinja2 is not installed."""
    return render_page("explain.html", **_view(found), top=1, styles="")


def fragment(found: Explanation) -> str:
    """The same for a notebook: one element with its styles, which apply to nothing outside it."""
    return render("explained.html", **_view(found), top=3, styles=scoped(render("base.css")) + render("explain.css"))


def scoped(css: str) -> str:
    """A style sheet whose rules apply inside ROOT only; rules for the whole page apply to ROOT itself."""
    found = []
    for prelude, brace in _RULE.findall(_COMMENT.sub("", css)):
        selectors = prelude.rpartition(";")[2].strip()
        if brace == "{" and selectors and not selectors.startswith("@"):
            prelude = ", ".join(map(_under, selectors.split(",")))
        found.append(prelude.strip() + brace)
    return "\n".join(found) + "\n"


def _under(selector: str) -> str:
    selector = selector.strip()
    return ROOT if selector in (":root", "body") else f"{ROOT} {selector}"


def _view(found: Explanation) -> dict[str, Any]:
    rows = _rows(found)
    pages = pages_beside(found.page)
    is_record = found.record is not None
    title = f"Record {found.record} of {found.main.layout.id}" if is_record else "Bytes that are not a sound record"
    sections = []
    for number, section in enumerate(found.sections):
        references = References(section)
        shown = [(row, _details(row, section, references)) for row in rows if row.section == number]
        sections.append(
            {
                "title": section.layout.title or section.layout.id,
                "id": section.layout.id,
                "words": section.place,
                "doc_ref": _linked(section.layout.doc_ref),
                "rows": shown,
                "references": [(number, _linked(text)) for number, text in references],
            }
        )
    return {
        "title": title,
        "file": _plain(found.file),
        "file_name": _plain(found.file.rpartition("/")[2]),
        "place": [found.place, f"framing {found.framing}", *filter(None, [_plain(found.kind)])],
        "found_by": _plain(found.found_by),
        "faults": [(_plain(str(fault)), _plain(fault.hint or "")) for fault in found.faults],
        "notes": list(map(_plain, found.notes)),
        "decisions": [_plain(str(decision)) for decision in found.decisions],
        "pages": [page.name for page in pages],
        "stretches": list(_stretches(found, rows, pages)),
        "sections": sections,
    }


# -- fields -----------------------------------------------------------------------------------


def _rows(found: Explanation) -> list[Row]:
    rows: list[Row] = []

    def add(line: FieldLine, section: int, up: int | None, depth: int, asked: int | None) -> None:
        is_asked = asked is not None and not line.children and line.start <= asked < line.end
        number = len(rows)
        rows.append(Row(number, up, depth, section, line, is_asked))
        for child in line.children:
            add(child, section, number, depth + 1, asked)

    for number, section in enumerate(found.sections):
        for line in section.lines:
            add(line, number, None, 0, section.in_section(found.offset_asked))
    by_path = {(row.section, row.line.node.path): row.number for row in rows if row.line.node is not None}
    return [replace(row, beside=_beside(row, by_path)) for row in rows]


def _beside(row: Row, by_path: dict[tuple[int, str], int]) -> int | None:
    """The row of the column that a value belongs to, if the value is elsewhere in the record."""
    path = "" if row.line.node is None else row.line.node.path
    other = by_path.get((row.section, path.removesuffix(".value"))) if path.endswith(".value") else None
    return None if other == row.up else other


def _details(row: Row, section: ExplainedSection, references: References) -> dict[str, Any]:
    """The texts in a row of the table; none for bytes that are in no field."""
    line, node = row.line, row.line.node
    if node is None:
        return {}
    entry = node.field
    return {
        "id": _plain(entry.id),
        "orig_id": _plain(entry.orig_id or "") if entry.orig_id != entry.id else "",
        "status": entry.status,
        "doc": parts("" if line.is_item else _plain(entry.doc)),
        "source": parts(_plain(entry.source or "")),
        "reference": None if line.is_item else references.number(entry.doc_ref),
        "value": value_text(line, section.bytes_of(line), _MOST_VALUE, _SHOWN_VALUE),
        "unit": entry.unit if node.value is not None else "",
        "meaning": _plain(node.meaning),
        "fault": "" if node.fault is None else f"{_plain(node.fault.says())} [{node.fault.code}]",
    }


def _plain(text: str) -> str:
    """A text on one line, without characters that a page must not have."""
    return printable(" ".join(text.split()))


def _linked(text: str) -> list[tuple[str, str | None]]:
    """A text in pieces; the addresses in it with themselves as links."""
    pieces = _URL.split(text)
    return [(piece, piece if number % 2 else None) for number, piece in enumerate(pieces) if piece]


# -- bytes ------------------------------------------------------------------------------------


def _stretches(found: Explanation, rows: list[Row], pages: list[CodePage]) -> Iterator[tuple[str, list[HexRow]]]:
    """The bytes in the order of the file, each piece with a title: descriptor words and pieces of the record."""
    tables = [characters(page) for page in pages]
    pieces: list[tuple[int, int, int, int, str]] = []
    for number, section in enumerate(found.sections):
        passed = 0
        for piece, (offset, length) in enumerate(section.places, 1):
            title = section.layout.title
            if section is found.main:
                title = "Record" if found.record is not None else "Not a sound record"
            if len(section.places) > 1:
                title = f"Record, piece {piece} of {len(section.places)}"
            pieces.append((offset, number, passed, passed + length, title))
            passed += length
    for offset, number, start, end, title in sorted(pieces):
        leaves = [row for row in rows if row.section == number and not row.line.children]
        shown = _hex_rows(found.sections[number].dissection.raw, start, end, leaves, tables)
        yield f"{title}: {end - start} bytes at {offset:#x}", list(shown)


def _hex_rows(raw: bytes, start: int, end: int, leaves: list[Row], tables: list[list[str]]) -> Iterator[HexRow]:
    """The bytes between two places, in rows; of long fields the first bytes only."""
    tiles = [(row.line.start + row.line.shared, row.line.end, row) for row in leaves]
    tiles = [(max(first, start), min(last, end), row) for first, last, row in tiles]
    tiles = sorted((tile for tile in tiles if tile[0] < tile[1]), key=lambda tile: tile[0])
    owners = {byte: row for first, last, row in tiles for byte in range(first, min(last, first + _MOST_BYTES))}
    cuts: list[tuple[int, int, str]] = []
    for first, last, row in tiles:
        if last - first > _MOST_BYTES:
            name = "bytes that no field holds" if row.line.node is None else _plain(row.line.node.field.id)
            cut = first + _SHOWN_BYTES
            cuts.append((cut, last, f"{last - cut} bytes of {name} left out"))
    place = start
    for cut, resume, text in [*cuts, (end, end, "")]:
        for offset in range(place, cut, _ROW):
            stop = min(offset + _ROW, cut)
            yield tuple(
                _half(raw, half, min(half + _HALF, stop), owners, tables) for half in range(offset, stop, _HALF)
            )
        if text:
            yield text
        place = resume


def _half(raw: bytes, start: int, end: int, owners: dict[int, Row], tables: list[list[str]]) -> Half:
    spans: list[tuple[int, int, Row]] = []
    for byte in range(start, end):
        if spans and owners[byte] is spans[-1][2]:
            spans[-1] = (spans[-1][0], byte + 1, owners[byte])
        else:
            spans.append((byte, byte + 1, owners[byte]))
    hexes = tuple(ByteRun(row.number, raw[first:last].hex(" ").upper(), _marks(row)) for first, last, row in spans)
    texts = tuple(
        tuple(
            ByteRun(row.number, "".join(table[byte] for byte in raw[first:last]), _marks(row))
            for first, last, row in spans
        )
        for table in tables
    )
    return Half(f"{start:04x}", hexes, texts)


def _marks(row: Row) -> str:
    """Style classes of a run; every other field is shaded, so that its ends are visible."""
    marks = " odd" if row.number % 2 else ""
    if row.line.node is None:
        return marks + " unread"
    return marks + (" faulty" if row.line.node.fault is not None else "")
