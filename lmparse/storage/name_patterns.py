"""Name patterns: what `pathGlobFilter` means in Spark, which is Hadoop's `GlobFilter`.

`*` is any characters, `?` one, `[ab]`, `[a-c]` one of some, `[^a]` and `[!a]` one that is none of them, `{a,b*}` one of
several patterns, and a backslash makes the next character stand for itself.
"""

from __future__ import annotations

import re
from functools import cache

from lmparse.errors import OptionError

_CLASS = re.compile(r"\[([!^]?)((?:\\.|[^\]\\])+)\]")
_ENDS = {"{": "}", "[": "]"}


@cache
def name_pattern(text: str) -> re.Pattern[str]:
    """The whole name that a filter demands. Raises OptionError LMP-S003 for one that is not closed."""
    parts: list[str] = []
    place = depth = 0
    while place < len(text):
        letter, one = text[place], _CLASS.match(text, place)
        if one is not None:
            parts.append(_one_of(one[1], one[2]))
            place = one.end()
            continue
        if letter == "[" or (letter == "\\" and place + 1 == len(text)):
            raise _not_closed(text, letter)
        if letter == "\\":
            place += 1
            parts.append(re.escape(text[place]))
        elif letter == "}" and depth:
            parts.append(")")
            depth -= 1
        elif letter == "{":
            parts.append("(?:")
            depth += 1
        else:
            parts.append({"*": ".*", "?": ".", ",": "|" if depth else ","}.get(letter) or re.escape(letter))
        place += 1
    if depth:
        raise _not_closed(text, "{")
    return re.compile("".join(parts), re.DOTALL)


def _one_of(negation: str, members: str) -> str:
    """A class of characters; a minus between two makes a range, as everywhere."""
    found = re.sub(r"\\(.)|([\[^&~|])", lambda one: re.escape(one[1] or one[2]), members, flags=re.DOTALL)
    return f"[{'^' if negation else ''}{found}]"


def _not_closed(text: str, letter: str) -> OptionError:
    what = f"{letter} has no {_ENDS[letter]}" if letter in _ENDS else f"{letter} has nothing behind it"
    return OptionError(f"pathGlobFilter: {what} in {text}", code="LMP-S003")


def with_negations(pattern: str) -> str:
    """A pattern of a path with `[^a]` in the form of Python's `glob`, which takes ^ for a character."""
    return re.sub(r"\[\^(?=[^\]])", "[!", pattern)
