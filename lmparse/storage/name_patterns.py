"""Name patterns: what names in paths and in `pathGlobFilter` mean in Spark, which is Hadoop's `GlobFilter`.

`*` is any characters, `?` one, `[ab]`, `[a-c]` one of some, `[^a]` and `[!a]` one that is none of them, `{a,b*}` one of
several patterns, and a backslash makes the next character stand for itself. Hadoop takes a backslash and a letter or a
digit for an expression (`\\d` is any digit), and `[*]` for other characters than the one in it: these are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from lmparse.errors import OptionError

_TOKEN = re.compile(r"\[[!^]?+(?:\]|\\.|[^\]\\])(?:\\.|[^\]\\])*\]|\\.|.", re.DOTALL)
"""A class of characters, a character behind a backslash, or one that is not."""
_MEMBER = re.compile(r"\\?(.)(?:-\\?(.))?", re.DOTALL)
_ENDS = {"{": "{ has no }", "[": "[ has no ]", "\\": "\\ has nothing behind it"}
_MOST = 1000
"""Patterns without groups that one with groups may stand for."""
_DEEPEST = 50
"""Groups in groups that a pattern may have."""


@cache
def name_pattern(text: str) -> re.Pattern[str]:
    """The expression whose `fullmatch` takes the names that a pattern does.

    Whoever sends a file chooses its name, so the time of a match must not depend on it: behind a `*`, what follows is
    taken where it comes first. Raises OptionError LMP-S003 for a pattern that is not closed or means something else.
    """
    return re.compile("|".join(map(_expression, alternatives(text))), re.DOTALL)


def alternatives(text: str) -> list[str]:
    """The patterns without groups that a pattern stands for: `a/c` and `b/c/c` for `{a,b/c}/c`. Raises OptionError."""
    return _alternatives(iter(_TOKEN.findall(text)), 0, text)


def _alternatives(tokens: Iterator[str], depth: int, text: str) -> list[str]:
    """Those of the tokens up to the end of a group that stands in `depth - 1` others, or up to the end of all."""
    if depth > _DEEPEST:
        raise _wrong(f"more than {_DEEPEST} groups in groups", text)
    choices, found = list[str](), [""]
    for token in tokens:
        if token in ("[", "\\"):
            raise _wrong(_ENDS[token], text)
        if token == "{":
            inner = _alternatives(tokens, depth + 1, text)
            found = [front + behind for front in found[:_MOST] for behind in inner]
        elif depth and token == ",":
            choices, found = choices + found, [""]
        elif depth and token == "}":
            return choices + found
        else:
            _check(token, "[*?{,}" if depth else "[*?{", text)
            found = [front + token for front in found]
        if len(choices) + len(found) > _MOST:
            raise _wrong(f"groups that stand for more than {_MOST} patterns", text)
    if depth:
        raise _wrong(_ENDS["{"], text)
    return found


def _check(token: str, special: str, text: str) -> None:
    """Raise OptionError for a character or class that is something else to Spark."""
    is_class = len(token) > 1 and token[0] == "["
    for escaped, letter in re.findall(r"(\\?)(.)", token[1:-1] if is_class else token, re.DOTALL):
        if escaped and letter.isascii() and letter.isalnum():
            raise _wrong(f"\\{letter} is an expression to Spark", text)
        if is_class and not escaped and letter in special:
            raise _wrong(f"{letter} in [ ] is something else to Spark, unless a backslash is in front of it,", text)
    for low, high in _ranges(token)[1] if is_class else ():
        if low > high:
            raise _wrong(f"the range {low}-{high} has no character", text)


def _ranges(token: str) -> tuple[bool, list[tuple[str, str]]]:
    """Whether a class is of all other characters, and its ranges; a minus between two characters makes one."""
    is_negated = token[1] in "!^"
    return is_negated, [(low, high or low) for low, high in _MEMBER.findall(token[1 + is_negated : -1])]


def _expression(pattern: str) -> str:
    """The regular expression of a pattern without groups."""
    parts = [""]
    for token in _TOKEN.findall(pattern):
        if token == "*":
            parts.append("")
        elif token == "?":
            parts[-1] += "."
        elif len(token) > 1 and token[0] == "[":
            is_negated, ranges = _ranges(token)
            members = "".join(f"{re.escape(low)}-{re.escape(high)}" for low, high in ranges)
            parts[-1] += f"[{'^' * is_negated}{members}]"
        else:
            parts[-1] += re.escape(token[-1])
    first, *middle = parts
    last = f".*{middle.pop()}" if middle else ""
    return first + "".join(f"(?>.*?{part})" for part in middle) + last


def _wrong(what: str, text: str) -> OptionError:
    shown = text if len(text) <= 100 else f"{text[:100]}..."
    hint = "a backslash in front of [ ] { } * ? and \\ makes it stand for itself"
    return OptionError(f"no pattern of names: {what} in {shown}", code="LMP-S003", hint=hint)


def literal(pattern: str) -> str | None:
    """The only name that a pattern without groups takes; None if it takes several."""
    tokens = _TOKEN.findall(pattern)
    is_one = all(token not in "*?" and (len(token) == 1 or token[0] == "\\") for token in tokens)
    return "".join(token[-1] for token in tokens) if is_one else None
