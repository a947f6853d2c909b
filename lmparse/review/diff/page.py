"""Diff page: both states of the changed layouts beside each other, what each change means, and advice for consumers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lmparse.review.diff.compare import Diff
from lmparse.review.diff.effects import in_words
from lmparse.review.diff.fields import SpecChange, described
from lmparse.review.diff.reports import said_in_words, summary
from lmparse.review.diff.rules import ADVICE, CLASSES, RULES
from lmparse.review.templating import render_page
from lmparse.spec.layout import Field, Layout


@dataclass(frozen=True, slots=True)
class SideRow:
    """A field in both states, or in one of them."""

    old: Field | None
    new: Field | None
    changes: tuple[tuple[str, str], ...]
    """Class and words of each change of it."""
    is_moved: bool
    """Whether it is at another offset."""

    @property
    def worst(self) -> str:
        """The worst class of its changes; empty if it has not changed."""
        return min((cls for cls, _ in self.changes), key=CLASSES.index, default="")


@dataclass(frozen=True, slots=True)
class SideTable:
    """A layout in both states."""

    id: str
    before: str
    """Its id in the earlier state; empty if it was not there."""
    rows: tuple[SideRow, ...]

    @property
    def unchanged(self) -> int:
        """Number of fields that are as they were."""
        return sum(not row.changes and not row.is_moved for row in self.rows)


def side_tables(diff: Diff) -> list[SideTable]:
    """The layouts that have changes or moved fields, in the order of the changes."""
    moved = {(move.layout, move.field) for change in diff.changes for move in change.moved}
    by_field: dict[tuple[str, str], list[SpecChange]] = {}
    for change in diff.changes:
        by_field.setdefault((change.layout, change.field), []).append(change)
    names = dict.fromkeys([change.layout for change in diff.changes] + sorted(layout for layout, _ in moved))
    tables = (_table(diff, name, by_field, moved) for name in names)
    return [table for table in tables if any(row.changes or row.is_moved for row in table.rows)]


def _table(
    diff: Diff, name: str, changes: Mapping[tuple[str, str], list[SpecChange]], moved: set[tuple[str, str]]
) -> SideTable:
    pair = diff.pairs.layouts.get(name)
    if pair is None:
        steps = list(_alone(diff, name))
        before = name if name in diff.pairs.old.layouts else ""
    else:
        steps = [(None if step.placed else step.old, None if step.left else step.new) for step in pair.steps]
        before = pair.old.id
    rows = []
    for old, new in steps:
        entry = new or old
        found = changes.get((name, entry.id if entry else ""), [])
        words = tuple((change.cls, said_in_words(change)) for change in found)
        has_moved = old is not None and new is not None and old.offset != new.offset
        rows.append(SideRow(old, new, words, has_moved or (entry is not None and (name, entry.id) in moved)))
    return SideTable(name, before, tuple(rows))


def _alone(diff: Diff, name: str) -> Iterator[tuple[Field | None, Field | None]]:
    """The fields of a layout that is in one state only."""
    old: Layout | None = diff.pairs.old.layouts.get(name)
    new: Layout | None = diff.pairs.new.layouts.get(name)
    for entry in old or ():
        yield entry, None
    for entry in new or ():
        yield None, entry


def page(diff: Diff) -> str:
    """The diff as one page that loads nothing else. Raises OptionError (LMP-S005) without Jinja2."""
    return render_page(
        "diff.html", diff=diff, summary=summary(diff), counts=diff.counts(), tables=side_tables(diff), advice=ADVICE,
        said=said_in_words, effect=in_words, rules=RULES, described=described,
    )  # fmt: skip
