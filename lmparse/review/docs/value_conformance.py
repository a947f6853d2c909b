"""Value conformance: compares the values that the manuals print for a field with those that the spec lists.

`value-tables.csv`, among the specs, has the values and their meanings in the words of the manuals.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from lmparse.spec.layout import Code, Layout

TABLES = "value-tables.csv"


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """A value of a manual and the one of the spec for it; one of both may be missing."""

    value: str
    """As records show it; empty for blank."""
    printed: str | None
    """The words of the manual; None if it does not list the value."""
    code: Code | None

    @property
    def verdict(self) -> str:
        """`same`, `missing` in the spec, or `added` by the spec."""
        if self.code is None:
            return "missing"
        return "same" if self.printed is not None else "added"


@dataclass(frozen=True, slots=True)
class ValueTable:
    """The values of one field."""

    layout: str
    field_id: str
    source: str
    rows: tuple[ComparedValue, ...]

    def count(self, verdict: str) -> int:
        """Number of values with a verdict."""
        return sum(row.verdict == verdict for row in self.rows)


def compare_values(layouts: Mapping[str, Layout]) -> tuple[ValueTable, ...]:
    """The values of those fields that have any in the tables, in the order of the tables."""
    printed: dict[tuple[str, str, str], dict[str, str]] = {}
    text = resources.files("lmparse").joinpath("_formats", TABLES).read_text("utf-8")
    for row in csv.DictReader(text.splitlines()):
        printed.setdefault((row["layout"], row["id"], row["source"]), {})[row["value"].strip()] = row["meaning"]
    return tuple(
        ValueTable(layout, field_id, source, _rows(layouts[layout], field_id, values))
        for (layout, field_id, source), values in printed.items()
        if layout in layouts
    )


def _rows(layout: Layout, field_id: str, printed: Mapping[str, str]) -> tuple[ComparedValue, ...]:
    entry = layout.by_id.get(field_id)
    listed = {_shown(code): code for code in (() if entry is None else entry.codes)}
    values = dict.fromkeys((*printed, *listed))
    return tuple(ComparedValue(value, printed.get(value), listed.get(value)) for value in values)


def _shown(code: Code) -> str:
    return str(code.value) if code.text is None else code.text.strip()
