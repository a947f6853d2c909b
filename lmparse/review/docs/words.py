"""Spec words: what a spec says about a field, and its expressions, in words for readers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lmparse.spec.kind_words import KIND_WORDS
from lmparse.spec.layout import Field

if TYPE_CHECKING:
    from markupsafe import Markup

_SHORT = {
    "char": "text",
    "boolean": "true or false",
    "any": "a value whose type the data decide",
    "str": "text",
    "switch": "one of several kinds of value",
    "body": "part with fields of its own",
    "rest": "bytes behind the fields that are known",
}
"""Kinds in fewer words than a list of kinds has for them, and those that specs do not name."""
CODECS = {"ebcdic": "EBCDIC", "database": "in the code page of the database"}
_LINK = re.compile(r"</?a\b[^>]*>")
_SENTENCE = re.compile(r"(?:`[^`]*`|[^`])*?[.:;](?=\s|$)")
"""Up to the end of a sentence, or a colon or semicolon, that is not in code."""
_CLOSED = ("in-enum", "any-of")
_CHOICES = re.compile(r"(?:^|(?<=\())(\w+) == (\w+(?: or \1 == \w+)+)(?=$|\))")
"""What is one of several words, alone or in brackets."""
_PLACES = (  # what the language has a word of its own for
    (re.compile(r"\b_io\.size\b"), "the length of the part"),
    (re.compile(r"\b_io\.pos\b"), "the place reached"),
    (re.compile(r"\b_io\.eof\b"), "the part is read to its end"),
    (re.compile(r"(?<![\w.])_\.size\b"), "its length"),
    (re.compile(r"(?<![\w.])_\.(\w+)"), r"its `\1`"),
    (re.compile(r"\b_(?:root|parent)\.|\b\w+::"), ""),
)


def code_marked(text: str) -> Markup:
    """A text as HTML, in which code stands between backquotes."""
    from markupsafe import Markup

    code = Markup("<code>{}</code>")
    pieces = re.split(r"`([^`]+)`", text)
    return Markup("").join(code.format(piece) if number % 2 else piece for number, piece in enumerate(pieces))


def unlinked(html: Markup) -> Markup:
    """HTML without its links; what they show stays."""
    return type(html)(_LINK.sub("", html))


def split_sentence(text: str) -> tuple[str, str]:
    """The first sentence of a text, or what comes before a semicolon in it, and the rest."""
    found = _SENTENCE.match(text)
    return (found[0].rstrip(":;"), text[found.end() :].lstrip()) if found else (text, "")


def kind_in_words(entry: Field) -> str:
    """The kind of value of a field, in words."""
    words = _SHORT.get(entry.kind) or re.split(r";| \(", KIND_WORDS.get(entry.kind, entry.kind))[0]
    if entry.kind in ("uint", "int") and entry.bits:
        words += f" of {entry.bits} bit{'s' * (entry.bits != 1)}"
    if entry.codec:
        words += f", {CODECS.get(entry.codec, f'code page {entry.codec}')}"
    if entry.scale:
        words += f", {entry.scale} decimal places"
    return f"list: {words}" if entry.repeated else words


def facts(entry: Field, condition: str = "") -> Iterable[str]:
    """The bounds and checks of a field and when it is present, a sentence each; `condition` is in words."""
    if entry.minimum is not None and entry.minimum == entry.maximum:
        yield f"Always {entry.minimum}."
    elif entry.minimum is not None and entry.maximum is not None:
        yield f"From {entry.minimum} to {entry.maximum}."
    elif entry.minimum is not None:
        yield f"At least {entry.minimum}."
    elif entry.maximum is not None:
        yield f"At most {entry.maximum}."
    if entry.is_always_empty:
        yield "Has no bytes in a record without a fault."
    elif entry.checks == "eq: _io.size":
        yield "Always the length of the whole record."
    elif entry.checks == "max: _io.size":
        yield "At most the length of the record."
    elif entry.checks and is_open(entry):
        yield f"Checked: {in_words(entry.checks.removeprefix('expr: ').replace('max: ', 'at most '))}."
    is_whole = entry.ends in (None, "_io")
    if entry.optional:
        part = "the record" if is_whole else f"the part whose length `{entry.ends}` gives"
        yield f"May be missing: {part} may end before it."
    elif entry.ends is not None and entry.width is None:
        yield f"Ends where {'the record ends' if is_whole else f'the offset in `{entry.ends}` points to'}."
    if entry.conditional:
        yield f"Present if {condition}." if condition else "Present in some records only: other fields decide."


def is_open(entry: Field) -> bool:
    """Whether values that a field does not list are data, not errors."""
    return not any(word in entry.checks for word in _CLOSED)


def in_words(text: str) -> str:
    """An expression of a spec, with words in place of the names that the language has for streams and items."""
    for pattern, words in _PLACES:
        text = pattern.sub(words, text)
    return _CHOICES.sub(lambda found: f"{found[1]} is one of {found[2].replace(f' or {found[1]} == ', ', ')}", text)
