"""File names for tables: of a few plain characters, and no two of them equal."""

from __future__ import annotations

import hashlib
from itertools import count
from urllib.parse import quote

_MOST = 120
"""Maximum length of a name, in characters, without its hash and ending."""


def safe_name(schema: str, name: str, identity: str, taken: set[str], ending: str = "") -> str:
    """`SCHEMA.NAME` and an ending, with the words as `_escaped` has them.

    If it is long, or `taken` has it without regard to case, it gets a hash of the `identity`. `taken` has it from now
    on.
    """
    words = [_escaped(word) for word in (schema, name) if word] or ["%"]
    if words[0][0] in "-_":  # a name with - in front is an option in the shell, and Spark ignores files with _
        words[0] = f"%{ord(words[0][0]):02X}{words[0][1:]}"
    plain = ".".join(words)
    for number in count():
        text = "\0".join([schema, name, identity, ending, str(number)])
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        found = f"{plain}{ending}" if not number and len(plain) <= _MOST else f"{plain[:_MOST]}~{digest}{ending}"
        if found.casefold() not in taken:
            break
    taken.add(found.casefold())
    return found


def _escaped(word: str) -> str:
    """A word in letters, digits, `_` and `-`; all other bytes of its UTF-8 become `%` with two hex digits."""
    return quote(word, safe="", errors="surrogatepass").replace(".", "%2E").replace("~", "%7E")
