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
    """The values of one field in one list of a manual."""

    layout: str
    field_id: str
    source: str
    rows: tuple[ComparedValue, ...]

    def count(self, verdict: str) -> int:
        """Number of values with a verdict."""
        return sum(row.verdict == verdict for row in self.rows)

    @property
    def state(self) -> str:
        """How the comparison went: `3 values: 2 listed by both, 1 only in the spec`."""
        words = {"same": "listed by both", "missing": "only in the manual", "added": "only in the spec"}
        counts = [f"{self.count(verdict)} {text}" for verdict, text in words.items() if self.count(verdict)]
        return f"{len(self.rows)} value{'s' * (len(self.rows) != 1)}: {', '.join(counts)}"

    @staticmethod
    def shown(code: Code) -> str:
        """A listed value as in the tables: as records show it, without blanks around it."""
        return str(code.value) if code.text is None else code.text.strip()


def compare_values(layouts: Mapping[str, Layout]) -> tuple[ValueTable, ...]:
    """The values of those fields that have any in the tables, in the order of the tables.

    What only the spec lists stands in the first table of a field, unless another one has it.
    """
    printed: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    text = resources.files("lmparse").joinpath("_formats", TABLES).read_text("utf-8")
    for row in csv.DictReader(text.splitlines()):
        if row["layout"] in layouts:
            lists = printed.setdefault((row["layout"], row["id"]), {})
            lists.setdefault(row["source"], {})[row["value"].strip()] = row["meaning"]
    return tuple(
        ValueTable(layout, field_id, source, rows)
        for (layout, field_id), lists in printed.items()
        for source, rows in _rows(layouts[layout], field_id, lists)
    )


def _rows(
    layout: Layout, field_id: str, lists: Mapping[str, Mapping[str, str]]
) -> list[tuple[str, tuple[ComparedValue, ...]]]:
    entry = layout.by_id.get(field_id)
    listed = {ValueTable.shown(code): code for code in (() if entry is None else entry.codes)}
    anywhere = {value for values in lists.values() for value in values}
    added = [value for value in listed if value not in anywhere]
    found = []
    for source, values in lists.items():
        shown = dict.fromkeys((*values, *added))
        found.append((source, tuple(ComparedValue(value, values.get(value), listed.get(value)) for value in shown)))
        added = []
    return found
