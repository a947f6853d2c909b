"""Conformance: compares the vendors' tables with the layouts, line by line.

`field-tables.csv`, among the specs, has the tables as the manuals print them; `conformance.yaml` has the reasons for
differences on purpose, and the misprints of the manuals.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any

from lmparse.review.docs.value_conformance import ValueTable, compare_values
from lmparse.spec.documents import read_yaml
from lmparse.spec.layout import Field, Layout

TABLES = "field-tables.csv"
NOTES = "conformance.yaml"
_UNNAMED = "(unnamed)"
_WHOLE = {"float64": ("float", 8)}
"""Kinds of the tables that specify a width as well."""
_PRINTED = {
    "CHAR": frozenset(("char", "code", "decimaltext", "hextext")),
    "BIN": frozenset(("rba10", "lrsn10", "timestamp17", "uint", "bytes")),
    "reserved": frozenset(("bytes",)),
}
"""Kinds that bytes of a printed type may have, for lines that have the manual's own type."""


@dataclass(frozen=True, slots=True)
class ManualLine:
    """One line of a vendor's table. Offset and length in bytes; None where the table has none."""

    spec: str
    record: str
    id: str
    vendor_name: str | None
    offset: int | None
    length: int | None
    kind: str
    source: str
    """Manual, page and table."""

    @property
    def name(self) -> str:
        """Spec, record and field, as in the notes."""
        return f"{self.spec}.{self.record}.{self.id}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A line of a table and the field of the layout for it; one of both may be missing."""

    name: str
    line: ManualLine | None
    field: Field | None
    differences: tuple[str, ...]
    """What differs: `name`, `offset`, `length`, `kind`, `order`; `missing` in the layout, `added` by the layout."""
    reason: str
    """Why they differ; empty if they do not differ, or for no known reason."""

    @property
    def field_id(self) -> str:
        """Id of the field."""
        return self.name.rpartition(".")[2]

    @property
    def verdict(self) -> str:
        """`same`, `explained`, `open`, or `added` for a field that only the layout has, for a reason."""
        if not self.differences:
            return "same"
        if not self.reason:
            return "open"
        return "explained" if self.line else "added"


@dataclass(frozen=True, slots=True)
class Misprint:
    """A place where a manual is wrong or contradicts itself."""

    layout: str
    field_id: str
    printed: str
    taken: str
    reason: str


@dataclass(frozen=True, slots=True)
class ManualTable:
    """A table of a manual beside its layout."""

    layout: str
    source: str
    rows: tuple[Comparison, ...]


@dataclass(frozen=True)
class Conformance:
    """All tables for some layouts."""

    tables: tuple[ManualTable, ...]
    misprints: tuple[Misprint, ...]
    unused: tuple[str, ...]
    """Notes about lines that do not differ, or do not exist."""
    values: tuple[ValueTable, ...]
    """The values of fields."""
    without_table: tuple[str, ...]
    """Ids of the layouts with fields that no table at hand is compared with."""
    listed: int
    """Number of values that the fields of the layouts list."""

    @cached_property
    def rows(self) -> list[Comparison]:
        """The lines of all tables."""
        return [row for table in self.tables for row in table.rows]

    def count_values(self, verdict: str) -> int:
        """Number of values with a verdict."""
        return sum(table.count(verdict) for table in self.values)

    @property
    def unexplained(self) -> int:
        """Number of lines and values of manuals that a spec differs from for no stated reason."""
        return self.count("open") + self.count_values("missing")

    @property
    def extent(self) -> str:
        """How much was compared, and how much was not."""
        lines = sum(row.line is not None for row in self.rows)
        values = self.count_values("same")
        layouts = {table.layout for table in self.tables}
        return (
            f"compared: {lines} lines of tables with {len(layouts)} layouts, and {values} of {self.listed} listed "
            f"values; not compared: {len(self.without_table)} layouts, {self.listed - values} listed values"
        )

    def count(self, verdict: str) -> int:
        """Number of lines with a verdict."""
        return sum(row.verdict == verdict for row in self.rows)


def lines() -> list[ManualLine]:
    """The vendors' tables, in the order of their pages."""
    with _packaged(TABLES).open(encoding="utf-8", newline="") as text:
        return [
            ManualLine(
                row["spec"], row["record"], row["id"], None if row["vendor_name"] == _UNNAMED else row["vendor_name"],
                int(row["offset"]) if row["offset"] else None, int(row["length"]) if row["length"] else None,
                row["kind"], row["source"],
            )
            for row in csv.DictReader(text)
        ]  # fmt: skip


def compare(layouts: Mapping[str, Layout]) -> Conformance:
    """The tables of those layouts that have a table."""
    notes = read_yaml(_packaged(NOTES).read_bytes()).tree
    reasons = {note["field"]: note["reason"] for note in notes["differences"]}
    tables = tuple(_tables(layouts, lines(), reasons))
    misprints = tuple(
        Misprint(layout_id(spec, record, layouts), field_id, note["printed"], note["taken"], note["reason"])
        for note in notes["misprints"]
        for spec, record, field_id in [note["field"].split(".")]
        if spec in layouts
    )
    used = {row.name for table in tables for row in table.rows if row.differences}
    unused = tuple(name for name in reasons if name not in used and name.partition(".")[0] in layouts)
    compared = {table.layout for table in tables}
    without = tuple(sorted(layout.id for layout in layouts.values() if layout.fields and layout.id not in compared))
    listed = sum(len(entry.codes) for layout in layouts.values() for entry in layout)
    return Conformance(tables, misprints, unused, compare_values(layouts), without, listed)


def _packaged(name: str) -> Any:
    return resources.files("lmparse").joinpath("_formats", name)


def layout_id(spec: str, record: str, layouts: Mapping[str, Layout]) -> str:
    """Id of the layout of a record of the tables: of a type of the spec, or of the spec itself."""
    nested = f"{spec}.{record}"
    return nested if nested in layouts else spec


def _tables(
    layouts: Mapping[str, Layout], read: Iterable[ManualLine], reasons: Mapping[str, str]
) -> Iterator[ManualTable]:
    records: dict[tuple[str, str], list[ManualLine]] = {}
    for line in read:
        records.setdefault((line.spec, line.record), []).append(line)
    for (spec, record), found in records.items():
        if spec in layouts:
            layout = layouts[layout_id(spec, record, layouts)]
            rows = tuple(_rows(layout, f"{spec}.{record}", found, reasons))
            yield ManualTable(layout.id, " and ".join(dict.fromkeys(line.source for line in found)), rows)


def _rows(layout: Layout, prefix: str, found: list[ManualLine], reasons: Mapping[str, str]) -> Iterator[Comparison]:
    """The lines of a table, then the fields that only the layout has."""
    stated = [line.id for line in found]
    order = [entry.id for entry in layout if entry.id in stated]
    for line in found:
        entry = layout.by_id.get(line.id)
        differences = tuple(_differences(line, entry))
        if entry is not None and order.index(line.id) != stated.index(line.id):
            differences += ("order",)
        yield Comparison(line.name, line, entry, differences, reasons.get(line.name, ""))
    for entry in layout:
        if entry.id not in stated:
            name = f"{prefix}.{entry.id}"
            reason = reasons.get(name) or _why_added(entry)
            yield Comparison(name, None, entry, ("added",), reason)


def _differences(line: ManualLine, entry: Field | None) -> Iterator[str]:
    if entry is None:
        yield "missing"
        return
    if entry.orig_id != line.vendor_name:
        yield "name"
    if entry.offset != line.offset:
        yield "offset"
    if entry.width != line.length:
        yield "length"
    if line.kind in _PRINTED:
        if entry.kind not in _PRINTED[line.kind]:
            yield "kind"
    elif (entry.kind, entry.width) != _WHOLE.get(line.kind, (line.kind, entry.width)):
        yield "kind"


def _why_added(entry: Field) -> str:
    if entry.kind == "body":
        return f"A table of its own: {entry.type}." if entry.type else "The table of the case."
    if entry.kind == "rest":
        return "The bytes behind the known fields; they are kept, or refused where the format allows none."
    return ""
