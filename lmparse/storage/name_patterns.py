"""Name patterns: what names in paths and in `pathGlobFilter` mean in Spark, which is Hadoop's `GlobFilter`.

`*` is any characters, `?` one, `[ab]`, `[a-c]` one of some, `[^a]` and `[!a]` one that is none of them, `{a,b*}` one of
several patterns, and a backslash makes the next character stand for itself. Hadoop takes a backslash and a letter or a
digit for an expression (`\\d` is any digit), and `[*]` for other characters than the one in it: these are refused.

Whoever sends a file chooses its name, so a match takes time by the length of the name times that of the pattern: it
follows all ways through the pattern at once, as a set of places in the name. Bit n of a set is the place before
character n.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from lmparse.errors import OptionError

_CLASS = re.compile(r"\[([!^]?+)((?:\]|\\.|[^\]\\])(?:\\.|[^\]\\])*)\]", re.DOTALL)
_MEMBER = re.compile(r"\\?(.)(?:-\\?(.))?", re.DOTALL)
_MAGIC = re.compile(r"[*?\[{\\]")
_ENDS = {"{": "}", "[": "]"}
_DEEPEST = 50
"""Groups in groups that a pattern may have."""


@dataclass(frozen=True)
class _Any:
    """`*`: any characters, or none."""


@dataclass(frozen=True)
class _One:
    """One character in some ranges, or in none of them."""

    ranges: tuple[tuple[str, str], ...]
    is_negated: bool = False

    @property
    def is_letter(self) -> bool:
        return not self.is_negated and len(self.ranges) == 1 and self.ranges[0][0] == self.ranges[0][1]

    def takes(self, letter: str) -> bool:
        return any(low <= letter <= high for low, high in self.ranges) is not self.is_negated


@dataclass(frozen=True)
class _Choice:
    """`{a,b}`: one of several patterns."""

    choices: tuple[tuple[_Node, ...], ...]


_Node = _Any | _One | _Choice


@dataclass(frozen=True)
class NamePattern:
    """A pattern of names."""

    nodes: tuple[_Node, ...]

    def matches(self, name: str) -> bool:
        """Whether it is a pattern of the whole name."""
        return bool(_ends(self.nodes, name, 1) >> len(name))


def _ends(nodes: Sequence[_Node], name: str, starts: int) -> int:
    """The places at which nodes can end that begin at one of `starts`."""
    all_places = (2 << len(name)) - 1
    for node in nodes:
        if not starts:
            return 0
        if isinstance(node, _Any):
            starts = all_places ^ ((starts & -starts) - 1)
        elif isinstance(node, _One):
            takes = sum(1 << place for place, letter in enumerate(name) if starts >> place & 1 and node.takes(letter))
            starts = takes << 1
        else:
            found = 0
            for choice in node.choices:
                found |= _ends(choice, name, starts)
            starts = found
    return starts


@cache
def name_pattern(text: str) -> NamePattern:
    """The pattern that a filter is. Raises OptionError LMP-S003 for one that is not closed or means something else."""
    open_groups: list[list[list[_Node]]] = [[[]]]
    place = 0
    while place < len(text):
        letter, one = text[place], _CLASS.match(text, place)
        nodes = open_groups[-1][-1]
        place += 1
        if one is not None:
            nodes.append(_one_of(one[1], one[2], text, is_in_group=len(open_groups) > 1))
            place = one.end()
        elif letter == "[" or (letter == "\\" and place == len(text)):
            raise _wrong(f"{letter} has no {_ENDS[letter]}" if letter in _ENDS else "\\ has nothing behind it", text)
        elif letter == "\\":
            nodes.append(_same(_escaped(text[place], text)))
            place += 1
        elif letter == "{":
            if len(open_groups) > _DEEPEST:
                raise _wrong(f"more than {_DEEPEST} groups in groups", text)
            open_groups.append([[]])
        elif letter == "," and len(open_groups) > 1:
            open_groups[-1].append([])
        elif letter == "}" and len(open_groups) > 1:
            choice = _Choice(tuple(map(tuple, open_groups.pop())))
            open_groups[-1][-1].append(choice)
        elif letter == "*":
            nodes.append(_Any())
        else:
            nodes.append(_One((), is_negated=True) if letter == "?" else _same(letter))
    if len(open_groups) > 1:
        raise _wrong("{ has no }", text)
    return NamePattern(tuple(open_groups[0][0]))


def _same(letter: str) -> _One:
    return _One(((letter, letter),))


def _one_of(negation: str, members: str, text: str, *, is_in_group: bool) -> _One:
    """A class of characters; a minus between two makes a range, as everywhere."""
    for escaped, letter in re.findall(r"(\\?)(.)", members, re.DOTALL):
        if escaped:
            _escaped(letter, text)
        elif letter in "[*?{" or (is_in_group and letter in ",}"):
            raise _wrong(f"{letter} in [ ] is something else to Spark, unless a backslash is in front of it,", text)
    ranges = tuple((found[1], found[2] or found[1]) for found in _MEMBER.finditer(members))
    for low, high in ranges:
        if low > high:
            raise _wrong(f"the range {low}-{high} has no character", text)
    return _One(ranges, bool(negation))


def _escaped(letter: str, text: str) -> str:
    """A character behind a backslash."""
    if letter.isascii() and letter.isalnum():
        raise _wrong(f"\\{letter} is an expression to Spark", text)
    return letter


def _wrong(what: str, text: str) -> OptionError:
    shown = text if len(text) <= 100 else f"{text[:100]}..."
    hint = "a backslash in front of [ ] { } * ? and \\ makes it stand for itself"
    return OptionError(f"no pattern of names: {what} in {shown}", code="LMP-S003", hint=hint)


def literal(text: str) -> str | None:
    """The only name that a pattern takes; None if it takes several. Raises as `name_pattern`."""
    if not _MAGIC.search(text):
        return text
    letters = [node.ranges[0] for node in name_pattern(text).nodes if isinstance(node, _One) and node.is_letter]
    is_one = len(letters) == len(name_pattern(text).nodes)
    return "".join(letter for letter, _ in letters) if is_one else None
