"""Reports of a diff of specs: lines for people, one JSON object, a Markdown table for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from textwrap import shorten, wrap
from typing import Any

from lmparse.review.diff.compare import Diff, SpecChange
from lmparse.review.diff.rules import CLASSES, RULES
from lmparse.spec.layout import spec_of

_WIDTH = 118
_LONGEST = 80
"""Number of characters of a text that lines and tables show; JSON has the whole text."""
_MOST_LISTED = 5
"""Number of members that a cell of a table lists."""
_MARKUP = re.compile(r"([\\`*_{}\[\]<#|~])")


def lines(diff: Diff) -> Iterator[str]:
    """The diff for people: by spec, the class in front, a summary at the end."""
    for spec, changes in groupby(diff.changes, key=lambda change: spec_of(change.layout)):
        yield spec
        for change in changes:
            front = f"  {change.cls:{max(map(len, CLASSES))}}  "
            indent = " " * (len(front) + 2)
            text = ": ".join(filter(None, (change.path.partition(".")[2], in_words(change))))
            yield from wrap(text, _WIDTH, initial_indent=front, subsequent_indent=indent)
            also = f"in {', '.join(change.also)}" if change.also else ""
            yield from wrap(also, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
        yield ""
    yield summary(diff)


def summary(diff: Diff) -> str:
    """How many changes there are of each class, in one line."""
    if not diff.changes:
        return "nothing differs"
    counts = ", ".join(f"{count} {cls}" for cls, count in diff.counts().items())
    return f"{len(diff.changes)} change{'s' if len(diff.changes) > 1 else ''}: {counts}"


def to_dict(diff: Diff) -> dict[str, Any]:
    """The diff as one JSON object."""
    return {
        "old": diff.old, "new": diff.new, "counts": diff.counts(),
        "worst": next((cls for cls, count in diff.counts().items() if count), None),
        "changes": [
            {
                "class": change.cls, "rule": change.rule, "what": change.what, "spec": spec_of(change.layout),
                "layout": change.layout, "field": change.field or None, "old": change.old, "new": change.new,
                "also": list(change.also), "reason": RULES[change.rule].reason,
            }
            for change in diff.changes
        ],
    }  # fmt: skip


def markdown(diff: Diff) -> Iterator[str]:
    """The diff as Markdown: a summary, and a table with a row for each change."""
    yield f"Specs from {_code(diff.old)} to {_code(diff.new)}: **{summary(diff)}**"
    if not diff.changes:
        return
    yield ""
    yield "| class | where | change | why |"
    yield "| --- | --- | --- | --- |"
    for change in diff.changes:
        text = _MARKUP.sub(r"\\\1", " ".join(in_words(change).split()))
        if change.also:
            more = len(change.also) - _MOST_LISTED
            text += f"; in {', '.join(map(_code, change.also[:_MOST_LISTED]))}" + f" and {more} more" * (more > 0)
        yield f"| {change.cls} | {_code(change.path)} | {text} | {RULES[change.rule].reason} |"


def in_words(change: SpecChange) -> str:
    """A change in words: `width changed: 8 bytes -> 4 bytes`."""
    what = f"{change.what} {RULES[change.rule].says}"
    if change.rule == "moved":
        shown = ["variable" if place is None else str(place) for place in (change.old, change.new)]
        return f"{what}: {' -> '.join(dict.fromkeys(shown))}"
    said = [shorten(str(one), _LONGEST, placeholder=" ...") for one in (change.old, change.new) if one is not None]
    return ": ".join(filter(None, (what, " -> ".join(said))))


def _code(text: str) -> str:
    """Text as code of Markdown, inside a table too."""
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{text.replace('|', chr(92) + '|')}{ticks}"
