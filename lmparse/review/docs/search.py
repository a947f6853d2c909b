"""Site search: the entries of the search of the site, as data for its script."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from lmparse.error_catalogue import CATALOGUE
from lmparse.review.docs.pages import SpecPage
from lmparse.review.docs.rows import FieldRow
from lmparse.review.docs.words import Text
from lmparse.spec.layout import Field
from lmparse.terminal import harmless

Entry = tuple[str, str, str, str, list[str]] | tuple[str, str, str, str, list[str], int, int]
"""Kind, name, description, address and further words; for a field with a place, its first byte and the byte
behind its last one as well."""

_TABLE = re.compile(r'\btable (\d+|"[^"]+")', re.IGNORECASE)
NAME = "LMPARSE_SEARCH"
"""The script finds the entries under this name."""


def script(pages: Iterable[SpecPage]) -> str:
    """The entries as a script, one line each, which a browser can also load from a file."""
    lines = (json.dumps(_harmless(entry), ensure_ascii=False, separators=(",", ":")) for entry in entries(pages))
    # So `<` cannot end a script early, and the two separators cannot end a line of JavaScript.
    text = ",\n".join(lines).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f"window.{NAME} = [\n{text}\n];\n"


def _harmless(value: Any) -> Any:
    """An entry without control characters: a browser would read escapes of them as the characters."""
    if isinstance(value, str):
        return harmless(value)
    return [_harmless(part) for part in value] if isinstance(value, list | tuple) else value


def entries(pages: Iterable[SpecPage]) -> Iterator[Entry]:
    """One entry for each spec, type, field, listed value, table of a manual and error code."""
    for page in pages:
        yield from _of_manuals(page)
        yield "spec", page.id, page.title, page.href, [page.family]
        for section in page.sections[1:]:
            yield "type", section.layout.id, plain(section.doc), f"{page.href}#{section.anchor}", []
        for row in page.rows:
            yield from _of_field(page, row)
        for codes in (*page.code_sets, *(codes for _, codes in page.params if codes)):
            for code in codes.codes:
                words = [code.word, code.raw]
                about = f"{page.id}, {codes.name}: {code.word} {code.meaning}".rstrip()
                yield "value", code.value, about, f"{page.href}#{code.anchor}", words
    for code_name, cause in CATALOGUE.items():
        yield "error", code_name, f"{cause.title}. {cause.cause}", f"errors.html#{code_name}", []


def _of_field(page: SpecPage, row: FieldRow) -> Iterator[Entry]:
    name = f"{page.id}.{row.anchor}"
    field = row.field
    about = "; ".join(filter(None, (field.orig_id, _place_in_words(field), plain(row.doc))))
    words = [word for word in (page.id, field.orig_id) if word]
    href = f"{page.href}#{row.anchor}"
    if field.offset is None or field.width == 0:
        yield "field", name, about, href, words
    else:
        yield "field", name, about, href, words, field.offset, field.offset + (field.width or 1)
    for code in row.codes:
        if code.word:
            seen = "" if code.counts else "; not seen"
            about = f"{name}: {code.word.replace('_', ' ')}. {code.meaning}{seen}"
            yield "value", code.value or "blank", about, f"{page.href}#{code.anchor}", [code.word, code.raw, field.id]


def _of_manuals(page: SpecPage) -> Iterator[Entry]:
    """The tables of manuals that a page refers to, each with the first place that does."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for section in page.sections:
        places = [(section.anchor, section.reference), *((row.anchor, row.reference) for row in section.rows)]
        for anchor, reference in places:
            for match in _TABLE.finditer(reference.text if reference else ""):
                name = match[1].strip('"')
                found.setdefault((page.id, name), (anchor, reference.text if reference else ""))
    for (_, name), (anchor, text) in found.items():
        words = [page.id, f"table:{name.lower()}", *name.split()]
        yield "table", f"Table {name}", f"{text}: {page.id}", f"{page.href}#{anchor}", words


def _place_in_words(field: Field) -> str:
    if field.offset is None:
        return "place varies"
    if field.width is None:
        return f"from byte {field.offset}"
    last = field.offset + field.width - 1
    return f"byte {field.offset}" if last <= field.offset else f"bytes {field.offset} to {last}"


def plain(text: Text) -> str:
    """A text without its links."""
    return "".join(piece.text for piece in text)
