"""Site search: what the search of the site knows, as data for its script."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from lmparse.error_catalogue import CATALOGUE
from lmparse.review.docs.rows import FieldRow, SpecPage
from lmparse.review.docs.words import Text

Entry = tuple[str, str, str, str, list[str]] | tuple[str, str, str, str, list[str], int, int]
"""Kind, name, what is said of it, address, further words; for a field with a place, its first byte and the
byte behind its last one."""

NAME = "LMPARSE_SEARCH"
"""The script finds the entries under this name."""


def script(pages: Iterable[SpecPage]) -> str:
    """The entries as a script that any browser loads from a file too, one line each."""
    lines = (json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in entries(pages))
    # `<` cannot end a script early, and the two separators are no ends of lines in JavaScript.
    text = ",\n".join(lines).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f"window.{NAME} = [\n{text}\n];\n"


def entries(pages: Iterable[SpecPage]) -> Iterator[Entry]:
    """Everything that can be found."""
    for page in pages:
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
    about = "; ".join(filter(None, (place_in_words(row), row.orig_id, plain(row.doc))))
    words = [word for word in (page.id, row.orig_id) if word]
    href = f"{page.href}#{row.anchor}"
    if row.offset is None or row.width == 0:
        yield "field", name, about, href, words
    else:
        yield "field", name, about, href, words, row.offset, row.offset + (row.width or 1)
    for code in row.codes:
        if code.word:
            seen = "" if code.count else "; no sample shows it"
            about = f"{name}: {code.word.replace('_', ' ')}. {code.meaning}{seen}"
            yield "value", code.value or "blank", about, f"{page.href}#{code.anchor}", [code.word, code.raw, row.id]


def place_in_words(row: FieldRow) -> str:
    """Where a field stands."""
    if row.offset is None:
        return "place varies"
    if row.width is None:
        return f"from byte {row.offset}"
    last = row.offset + row.width - 1
    return f"byte {row.offset}" if last <= row.offset else f"bytes {row.offset} to {last}"


def plain(text: Text) -> str:
    """A text without its links."""
    return "".join(piece.text for piece in text)
