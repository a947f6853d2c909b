"""Expression words: an expression of a spec in words, for readers who do not know the language of specs."""

from __future__ import annotations

import re
from itertools import groupby

_PLACES = (
    (re.compile(r"\b_io\.size\b"), "the length of the part"),
    (re.compile(r"\b_io\.pos\b"), "the place reached"),
    (re.compile(r"\b_io\.eof\b"), "the part is read to its end"),
    (re.compile(r"(?<![\w.])_\.size\b"), "its length"),
    (re.compile(r"(?<![\w.])_\.(\w+)"), r"its `\1`"),
    (re.compile(r"\b_(?:root|parent)\."), ""),
)
_BIT = re.compile(r"([\w.]+) & (0x[0-9a-f]+) != 0")
_MEMBER = re.compile(r"\b(?:\w+::)+(\w+)(?:\.to_i)?")
_NAME = re.compile(r"(?<![\w`0x])([a-z_]\w*(?:\.\w+)+|[a-z]\w*_\w+)(?![\w`])")
_COMPARED = ((" == ", " is "), (" != ", " is not "), (" >= ", " is at least "), (" <= ", " is at most "))
_MORE = ((" > ", " is more than "), (" < ", " is less than "), (" * ", " times "), (" << ", " shifted left by "))
_BITS = ((" | ", " together with "), (" & ", " in the bits of "))


def in_words(text: str) -> str:
    """An expression in words; names of fields stand between backquotes."""
    chosen = _choice(text)
    if chosen is not None:
        condition, then, other = chosen
        return f"{in_words(then)} if {in_words(condition)}, else {in_words(other)}"
    text = _alternatives(text)
    text = _BIT.sub(r"bit \2 of `\1` is set", text)
    for pattern, words in _PLACES:
        text = pattern.sub(words, text)
    text = _MEMBER.sub(lambda member: member[1].replace("_", " "), text)
    for sign, words in (*_COMPARED, *_MORE, *_BITS):
        text = text.replace(sign, words)
    return _NAME.sub(r"`\1`", text).replace("``", "`")


def _choice(text: str) -> tuple[str, str, str] | None:
    """The parts of `condition ? then : else`; None for another expression."""
    condition, mark, rest = text.partition(" ? ")
    if not mark:
        return None
    depth = 0
    for match in re.finditer(r" \? | : ", rest):
        depth += 1 if match[0] == " ? " else -1
        if depth < 0:
            return condition, rest[: match.start()], rest[match.end() :]
    return None


def _alternatives(text: str) -> str:
    """`a == x or a == y` as `a == x, y`."""
    parts = [part.partition(" == ") for part in text.split(" or ")]
    if len(parts) < 2 or any(not sign for _, sign, _ in parts):
        return text
    groups = [(name, [value for _, _, value in group]) for name, group in groupby(parts, lambda part: part[0])]
    return " or ".join(f"{name} == {_listed(values)}" for name, values in groups)


def _listed(values: list[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} or {values[-1]}"
