"""Spelling: one name in Python (`record_length`), in the shell (`--record-length`) and in Spark (`recordLength`).

And how a message quotes what was given.
"""

from __future__ import annotations

import re

_LONGEST_QUOTED = 200
_LONG = re.compile(rf"\S{{{_LONGEST_QUOTED + 1},}}")


def camel(name: str) -> str:
    """The name of an option in Spark: `recordLength` for `record_length`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def plain(name: str) -> str:
    """A name without underscores, hyphens and case: names with the same are one."""
    return name.replace("_", "").replace("-", "").lower()


def quoted(value: object) -> str:
    """A value in quotes; a long one is cut, with its length behind it."""
    return _cut(repr(value), len(str(value)))


def shortened(text: str) -> str:
    """A text whose long words are cut, as those that it quotes are."""
    return _LONG.sub(lambda found: _cut(found[0], len(found[0])), text)


def _cut(shown: str, length: int) -> str:
    return shown if len(shown) <= _LONGEST_QUOTED else f"{shown[:_LONGEST_QUOTED]}... of {length} characters"


def has_half_character(text: str) -> bool:
    """Whether a text has a surrogate that neither UTF-8 nor, as a byte that is not UTF-8, the name of a file has."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return True
    return False
