"""An explained record as a page: bytes on the left, fields on the right; each highlights the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from lmparse.review.docs.words import code_marked
from lmparse.review.explain.explanation import (
    Explanation,
    FieldLine,
    References,
    characters,
    one_line,
    pages_beside,
    value_text,
)
from lmparse.review.templating import render_page
from lmparse.values.codepages import CodePage

_ROW, _HALF = 16, 8
_MOST_BYTES = 1 << 15
"""Most bytes of one piece of a record that the page shows; the number of those left out is said."""
_MOST_VALUE, _SHOWN_VALUE = 2000, 1200
_URL = re.compile(r"(https?://[^\s,;'\"]+)")


Run = tuple[int, str, str]
"""Bytes of one field in one half of a row: number of the field's row in the table, style classes, each behind a blank,
and the bytes as text."""
Half = tuple[str, list[Run], list[list[Run]]]
"""Up to eight bytes: their offset, the bytes in hex, and as characters of each code page."""
HexRow = tuple[Half, ...] | str
"""A row of bytes, or a note about bytes that are left out."""


@dataclass(frozen=True, slots=True, eq=False)
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

    @property
    def marks(self) -> str:
        """Style classes of its bytes, each behind a blank; every other field is shaded, so that its ends are seen."""
        marks = " odd" if self.number % 2 else ""
        if self.line.node is None:
            return marks + " unread"
        return marks + (" faulty" if self.line.node.fault is not None else "")


def page(found: Explanation) -> str:
    """The page, which loads nothing. Raises OptionError LMP-S005 when Jinja2 is not installed."""
    rows = _rows(found)
    pages = pages_beside(found.page)
    title = "Bytes that are not a sound record"
    if found.record is not None:
        title = f"Record {found.record} of {found.main.layout.id}"
    sections = []
    for number, section in enumerate(found.sections):
        layout, references = section.layout, References(section)
        own = [row for row in rows if row.section == number]
        sections.append({
            "title": layout.title or layout.id, "id": layout.id, "words": section.place,
            "doc_ref": _linked(layout.doc_ref),
            "rows": [(row, _said(row.line, section.bytes_of(row.line), references)) for row in own],
            "calculated": [_said(line, b"", references) for line in section.calculated],
            "references": [(number, _linked(text)) for number, text in references],
        })  # fmt: skip
    return render_page(
        "explain.html",
        title=title,
        file=one_line(found.file),
        file_name=one_line(found.file.rpartition("/")[2]),
        place=[found.place, f"framing {found.framing}", *filter(None, [one_line(found.kind)])],
        found_by=one_line(found.found_by),
        faults=[(one_line(str(fault)), one_line(fault.hint or "")) for fault in found.faults],
        notes=list(map(one_line, found.notes)),
        decisions=[one_line(str(decision)) for decision in found.decisions],
        pages=[page.name for page in pages],
        pieces=list(_pieces(found, rows, pages)),
        sections=sections,
    )


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


def _said(line: FieldLine, raw: bytes, references: References) -> dict[str, Any]:
    """The texts in a row of the table; none for bytes that are in no field."""
    node = line.node
    if node is None:
        return {}
    entry = node.field
    return {
        "id": one_line(entry.id),
        "orig_id": one_line(entry.orig_id or "") if entry.orig_id != entry.id else "",
        "status": entry.status,
        "doc": code_marked("" if line.is_item else one_line(entry.doc)),
        "source": code_marked(one_line(entry.source or "")),
        "reference": None if line.is_item else references.number(entry.doc_ref),
        "value": value_text(line, raw, _MOST_VALUE, _SHOWN_VALUE),
        "unit": entry.unit if node.value is not None else "",
        "meaning": one_line(node.meaning),
        "fault": "" if node.fault is None else f"{one_line(node.fault.says())} [{node.fault.code}]",
    }


def _linked(text: str) -> list[tuple[str, str | None]]:
    """A text in pieces; the addresses in it with themselves as links."""
    pieces = _URL.split(text)
    return [(piece, piece if number % 2 else None) for number, piece in enumerate(pieces) if piece]


# -- bytes ------------------------------------------------------------------------------------


def _pieces(found: Explanation, rows: list[Row], pages: list[CodePage]) -> Iterator[tuple[str, list[HexRow]]]:
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
    """The bytes between two places in rows, up to a number of bytes."""
    stop = min(end, start + _MOST_BYTES)
    owners: dict[int, Row] = {}
    for row in leaves:
        first, last = max(row.line.start + row.line.shared, start), min(row.line.end, stop)
        owners |= dict.fromkeys(range(first, last), row)

    def half(first: int, last: int) -> Half:
        runs = [(row, bytes(raw[byte] for byte in held)) for row, held in groupby(range(first, last), owners.get)]
        shown = [(row.number, row.marks, part) for row, part in runs if row is not None]
        hexes = [(number, marks, part.hex(" ").upper()) for number, marks, part in shown]
        texts = [
            [(number, marks, "".join(table[byte] for byte in part)) for number, marks, part in shown]
            for table in tables
        ]
        return f"{first:04x}", hexes, texts

    for offset in range(start, stop, _ROW):
        last = min(offset + _ROW, stop)
        yield tuple(half(first, min(first + _HALF, last)) for first in range(offset, last, _HALF))
    if stop < end:
        yield f"{end - stop} bytes left out"
