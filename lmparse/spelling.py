"""Spelling: one name in Python (`record_length`), in the shell (`--record-length`) and in Spark (`recordLength`).

Messages also quote values by functions of this module.
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
    """A name without underscores, hyphens and case; names with equal results are the same."""
    return name.replace("_", "").replace("-", "").lower()


def quoted(value: object) -> str:
    """A value in quotes; a long value is cut, with its length behind it."""
    return _cut(repr(value), len(str(value)))


def shortened(text: str) -> str:
    """A text with long words cut, as `quoted` cuts long values."""
    return _LONG.sub(lambda found: _cut(found[0], len(found[0])), text)


def _cut(shown: str, length: int) -> str:
    return shown if len(shown) <= _LONGEST_QUOTED else f"{shown[:_LONGEST_QUOTED]}... of {length} characters"


def has_half_character(text: str) -> bool:
    """Whether a text has a surrogate that is neither valid nor an escaped byte of a file name."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return True
    return False
