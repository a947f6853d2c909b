"""Reports of a diff of specs: lines for people, one JSON object, a Markdown table for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from textwrap import shorten, wrap
from typing import Any

from lmparse.review.diff.compare import Diff, SpecChange
from lmparse.review.diff.rules import CLASSES, RULES
from lmparse.spec.layout import spec_of

NOTHING = "nothing differs"
_WIDTH = 118
_LONGEST = 80
"""Number of characters of a text that lines and tables show; JSON has the whole text."""
_MOST_LISTED = 5
"""Number of fields that a cell of a table lists."""
_MARKUP = re.compile(r"([\\`*_{}\[\]<#|~])")


def lines(diff: Diff) -> Iterator[str]:
    """The diff for people: by spec, the class in front, a summary at the end."""
    for spec, changes in groupby(diff.changes, key=lambda change: spec_of(change.layout)):
        yield spec
        for change in changes:
            yield from _lines(change)
        yield ""
    yield summary(diff)


def summary(diff: Diff) -> str:
    """How many changes there are of each class, in one line."""
    if not diff.changes:
        return NOTHING
    counts = ", ".join(f"{count} {cls}" for cls, count in diff.counts().items())
    return f"{len(diff.changes)} change{'s' if len(diff.changes) > 1 else ''}: {counts}"


def to_dict(diff: Diff) -> dict[str, Any]:
    """The diff as one JSON object."""
    return {
        "old": diff.old,
        "new": diff.new,
        "counts": diff.counts(),
        "worst": next((cls for cls, count in diff.counts().items() if count), None),
        "changes": [_to_dict(change) for change in diff.changes],
    }


def markdown(diff: Diff) -> Iterator[str]:
    """The diff as Markdown: a summary, and a table with a row for each change."""
    yield f"Specs from {_code(diff.old)} to {_code(diff.new)}: **{summary(diff)}**"
    if not diff.changes:
        return
    yield ""
    yield "| class | where | change | why |"
    yield "| --- | --- | --- | --- |"
    for change in diff.changes:
        says = _escaped(in_words(change))
        if change.moved:
            says += f"; with {_counted([moved.field for moved in change.moved])}"
        if change.also:
            says += f"; in {_counted(change.also)}"
        yield f"| {change.cls} | {_code(change.path)} | {says} | {RULES[change.rule].reason} |"


def in_words(change: SpecChange) -> str:
    """A change in words: `width changed: 8 bytes -> 4 bytes`."""
    if change.rule == "field-moved":
        return f"field moved: {_places(change.old, change.new)}"
    said = [
        None if text is None else shorten(str(text), _LONGEST, placeholder=" ...") for text in (change.old, change.new)
    ]
    what = RULES[change.rule].says
    if said == [None, None]:
        return what
    return f"{what}: {said[0] or said[1]}" if None in said else f"{what}: {said[0]} -> {said[1]}"


def _lines(change: SpecChange) -> Iterator[str]:
    front = f"  {change.cls:{max(map(len, CLASSES))}}  "
    indent = " " * (len(front) + 2)
    place = change.path.partition(".")[2]
    text = f"{place}: {in_words(change)}" if place else in_words(change)
    yield from wrap(text, _WIDTH, initial_indent=front, subsequent_indent=indent)
    moved = [f"{other.field} {_places(other.old, other.new)}" for other in change.moved]
    below = [f"{word} {', '.join(names)}" for word, names in (("with", moved), ("in", change.also)) if names]
    for text in below:
        yield from wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def _places(old: object, new: object) -> str:
    if old == new:
        return "behind what is variable" if old is None else f"inside byte {old}"
    return " -> ".join("variable" if offset is None else str(offset) for offset in (old, new))


def _to_dict(change: SpecChange) -> dict[str, Any]:
    return {
        "class": change.cls,
        "rule": change.rule,
        "spec": spec_of(change.layout),
        "layout": change.layout,
        "field": change.field or None,
        "old": change.old,
        "new": change.new,
        "moved": [asdict(moved) for moved in change.moved],
        "also": list(change.also),
        "reason": RULES[change.rule].reason,
    }


def _counted(names: Sequence[str]) -> str:
    """The first of some names, and the number of the others."""
    named = ", ".join(map(_code, names[:_MOST_LISTED]))
    return named + (f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else "")


def _code(text: str) -> str:
    """Text as code of Markdown, inside a table too."""
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{text.replace('|', chr(92) + '|')}{ticks}"


def _escaped(text: str) -> str:
    """Text as Markdown shows it."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
