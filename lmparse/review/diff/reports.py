"""Reports of a diff of specs: lines for people, one JSON object, a Markdown table for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from textwrap import shorten, wrap
from typing import Any

from lmparse.review.diff.compare import Diff
from lmparse.review.diff.effects import in_words
from lmparse.review.diff.fields import SpecChange
from lmparse.review.diff.rules import ADVICE, CLASSES, RULES

NOTHING = "nothing differs"
_WIDTH = 118
_LONGEST = 80
"""Number of characters of a text that lines and tables show; JSON has the whole text."""
_MOST_LISTED = 5
"""Number of fields that a cell of a table lists."""
_MARKUP = re.compile(r"([\\`*_{}\[\]<#|~])")


def lines(diff: Diff) -> Iterator[str]:
    """The diff for people: by spec, the class in front, hints and a summary at the end."""
    for spec, changes in groupby(diff.changes, key=lambda change: change.spec):
        yield spec
        for change in changes:
            yield from _lines(change)
        yield ""
    for hint in diff.hints:
        yield from wrap(f"hint: {hint.text}", _WIDTH, subsequent_indent="  ")
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
        "worst": next((cls for cls in CLASSES if any(change.cls == cls for change in diff.changes)), None),
        "changes": [_to_dict(change) for change in diff.changes],
        "hints": [{**asdict(hint), "text": hint.text} for hint in diff.hints],
        "advice": {cls: ADVICE[cls] for cls, count in diff.counts().items() if count},
    }


def markdown(diff: Diff) -> Iterator[str]:
    """The diff as Markdown: a summary, and a table with a row for each change."""
    yield f"Specs from {_code(diff.old)} to {_code(diff.new)}: **{summary(diff)}**"
    if not diff.changes:
        return
    yield ""
    yield "| class | where | change | Spark | why |"
    yield "| --- | --- | --- | --- | --- |"
    for change in diff.changes:
        says = _escaped(said_in_words(change))
        if change.moved:
            says += f"; moves {_counted([_short(change, moved.layout, moved.field) for moved in change.moved])}"
        if change.also:
            says += f"; in {_counted(change.also)}"
        place = ".".join(filter(None, (change.layout, change.field)))
        reason = RULES[change.rule].reason
        yield f"| {change.cls} | {_code(place)} | {says} | {_escaped(in_words(change.effects))} | {reason} |"
    for hint in diff.hints:
        yield ""
        yield f"Hint: {_escaped(hint.text)}"


def _lines(change: SpecChange) -> Iterator[str]:
    inner = change.layout.partition(".")[2]
    place = ".".join(filter(None, (inner, change.field)))
    front = f"  {change.cls:10}  "
    text = f"{place}: {said_in_words(change)}" if place else said_in_words(change)
    yield from wrap(
        f"{text} [Spark: {in_words(change.effects)}]",
        _WIDTH,
        initial_indent=front,
        subsequent_indent=" " * (len(front) + 2),
    )
    below = []
    if change.moved:
        listed = (
            f"{_short(change, moved.layout, moved.field)} {_moved(moved.old, moved.new)}" for moved in change.moved
        )
        below.append(f"moves {', '.join(listed)}")
    if change.also:
        below.append(f"in {', '.join(change.also)}")
    for text in below:
        indent = " " * (len(front) + 2)
        yield from wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def said_in_words(change: SpecChange) -> str:
    """A change in words: `width changed: 8 bytes -> 4 bytes`."""
    said = [
        None if text is None else shorten(str(text), _LONGEST, placeholder=" ...") for text in (change.old, change.new)
    ]
    what = RULES[change.rule].says
    if said == [None, None]:
        return what
    if None in said:
        return f"{what}: {said[0] or said[1]}"
    return f"{what}: {said[0]} -> {said[1]}"


def _short(change: SpecChange, layout: str, field: str) -> str:
    """A field by its name alone where it is in the layout of the change."""
    return field if layout == change.layout else f"{layout}.{field}"


def _moved(old: int | None, new: int | None) -> str:
    if old is None and new is None:
        return "(behind what is variable)"
    if old == new:
        return f"(inside byte {old})"
    return " -> ".join("variable" if offset is None else str(offset) for offset in (old, new))


def _to_dict(change: SpecChange) -> dict[str, Any]:
    return {
        "class": change.cls,
        "rule": change.rule,
        "spec": change.spec,
        "layout": change.layout,
        "field": change.field or None,
        "old": change.old,
        "new": change.new,
        "effect": in_words(change.effects),
        "columns": sorted(change.columns),
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
