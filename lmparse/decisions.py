"""Decisions: what is decided from the bytes of a file where the manuals are silent, and what the caller says instead.

The option `decisions` is a text: `null_bytes=absent,dec_length=precision`. Names and values are those that
`lmparse check` shows for what was decided.
"""

from __future__ import annotations

import difflib
from functools import cache

from lmparse.errors import OptionError
from lmparse.spelling import plain, quoted

DECISIONS: dict[str, tuple[str, ...]] = {
    "null_bytes": ("present", "absent"),
    "dec_length": ("bytes", "precision"),
    "graphic_length": ("bytes", "characters"),
    "lob_columns_from": ("0", "1"),
}
"""The values of each decision: whether null columns of fixed length have bytes in a row image of Log Master; what
LLCOLUMNLEN of a DEC column counts, where LOGLOGBYTES does not say it; what the lengths of varying graphic columns
count; the number that LOB records of Db2 LUW give to the first column."""
_LIKE = 0.6


@cache
def decided(text: str) -> dict[str, str]:
    """The decisions that a text names. Raises OptionError LMP-S003."""
    found: dict[str, str] = {}
    for part in filter(str.strip, text.split(",")):
        name, is_said, value = part.partition("=")
        if not is_said:
            raise OptionError(
                f"decisions has no value {quoted(part.strip())}", hint=f"NAME=VALUE; names: {', '.join(DECISIONS)}"
            )
        name = _one_of("decisions: there is no decision", name, tuple(DECISIONS))
        if name in found:
            raise OptionError(f"decisions: {name} is given twice", hint="leave one of them out")
        found[name] = _one_of(f"decisions: {name} has no value", value, DECISIONS[name])
    return found


def _one_of(message: str, text: str, known: tuple[str, ...]) -> str:
    """The one of some words that a text is, in any spelling. Raises OptionError, which names the nearest."""
    match = next((word for word in known if plain(word) == plain(text.strip())), None)
    if match is None:
        near = difflib.get_close_matches(plain(text.strip()), map(plain, known), n=1, cutoff=_LIKE)
        nearest = next((word for word in known if near and plain(word) == near[0]), None)
        hint = f"did you mean {nearest}?" if nearest else "one of " + ", ".join(known)
        raise OptionError(f"{message} {quoted(text.strip())}", hint=hint)
    return match
