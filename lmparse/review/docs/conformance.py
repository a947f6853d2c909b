"""Conformance: compares the vendors' tables with the layouts, line by line.

`field-tables.csv`, among the specs, has the lines in the words, types and numbers of the manuals, misprints included; a
cell of an offset or a length is `variable` where the manual says so, and empty where it prints none. `conformance.yaml`
has the types of the manuals, the reasons for differences on purpose and for what is not compared, and the misprints.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any, NamedTuple

from lmparse.spec.documents import read_yaml
from lmparse.spec.layout import Field, Layout

TABLES, NOTES = "field-tables.csv", "conformance.yaml"
TOTAL = "(total)"
"""Instead of the id of a field: the line of a table with the length of the whole."""
UNNAMED = "(unnamed)"
VARIABLE = "variable"
_NUMBERED = re.compile(r"(\w+)\((\d+)\)")
"""A type with its size: `CHAR(4)`."""
_WORDS = {"same": "the same", "explained": "different for a stated reason", "open": "unexplained"}


class ManualLine(NamedTuple):
    """One line of a vendor's table, with the texts of its cells. Offset and length are in bytes."""

    spec: str
    record: str
    id: str
    """Id of the field, with those around it inside the record (`old_row.rid`); `a:b` for all from a to b; TOTAL."""
    vendor_name: str
    """The name in the manual, or UNNAMED."""
    type: str
    """The type as printed; empty if none is."""
    offset: str
    """Digits, VARIABLE, or empty if none is printed."""
    length: str
    base: str
    """Number of bytes that the manual counts in front of the layout: of the log record header, for example."""
    source: str
    """Manual, page and table."""

    @property
    def name(self) -> str:
        """Spec, record and field, as in the notes."""
        return f"{self.spec}.{self.record}.{self.id}"


def lines() -> list[ManualLine]:
    """The vendors' tables, in the order of their pages."""
    return [ManualLine(**row) for row in csv.DictReader(_formats(TABLES).decode().splitlines())]


def _formats(name: str) -> bytes:
    return resources.files("lmparse").joinpath("_formats", name).read_bytes()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A line of a table and the field of the layout for it; one of both may be missing."""

    name: str
    line: ManualLine | None
    layout: str
    """Id of the layout that the field is in."""
    field: Field | None
    """None if it is missing, and for a line on several fields or on the whole record."""
    offset: int | None
    """Offset in the spec, counted as the manual counts."""
    width: int | None
    differences: tuple[str, ...]
    """What differs: `name`, `offset`, `length`, `kind`, `order`; `missing` in the layout, `added` by the layout."""
    reason: str
    """Why they differ; empty if they do not differ, or for no known reason."""

    @property
    def label(self) -> str:
        """Id of the field inside the record."""
        return self.name.split(".", 2)[2]

    @property
    def verdict(self) -> str:
        """`same`, `explained`, `open`, or `added` for a field that only the layout has, for a reason."""
        if not self.differences:
            return "same"
        if not self.reason:
            return "open"
        return "explained" if self.line else "added"


class Misprint(NamedTuple):
    """A place where a manual is wrong or contradicts itself."""

    layout: str
    field_id: str
    printed: str
    taken: str
    reason: str


class ManualTable(NamedTuple):
    """A table of a manual beside its layout."""

    layout: str
    source: str
    rows: tuple[Comparison, ...]

    @property
    def state(self) -> str:
        """How the comparison went: `8 lines: 6 the same, 2 unexplained; 1 only in the spec`."""
        counts = Counter(row.verdict for row in self.rows)
        added = counts.pop("added", 0)
        words = ", ".join(f"{counts[verdict]} {words}" for verdict, words in _WORDS.items() if counts[verdict])
        lines = counts.total()
        return f"{lines} line{'s' * (lines != 1)}: {words}" + (f"; {added} only in the spec" if added else "")


class Omission(NamedTuple):
    """A layout that is not compared, with the number of its fields and why; empty if nothing states it."""

    layout: str
    fields: int
    reason: str


@dataclass(frozen=True)
class Conformance:
    """All tables for some layouts."""

    tables: tuple[ManualTable, ...]
    misprints: tuple[Misprint, ...]
    without_table: tuple[Omission, ...]
    """The layouts with fields that no table at hand is compared with."""

    @cached_property
    def rows(self) -> list[Comparison]:
        """The lines of all tables."""
        return [row for table in self.tables for row in table.rows]

    @cached_property
    def counts(self) -> Counter[str]:
        """Number of lines of manuals, and of fields that only a layout has, by verdict."""
        return Counter(row.verdict for row in self.rows)

    @property
    def unexplained(self) -> int:
        """Number of differences between specs and manuals, and of layouts not compared, without a reason."""
        return self.counts["open"] + sum(not omission.reason for omission in self.without_table)


def compare(layouts: Mapping[str, Layout]) -> Conformance:
    """The tables of those layouts that have a table."""
    notes = read_yaml(_formats(NOTES)).tree
    reasons = {note["field"]: note["reason"] for note in notes["differences"]}
    tables = tuple(_Tables(layouts, {str(note["printed"]): note for note in notes["types"]}, reasons).all())
    misprints = []
    for note in notes["misprints"]:
        spec, record, field_id = note["field"].split(".")
        if spec in layouts:
            place = layout_id(spec, record, layouts)
            misprints.append(Misprint(place, field_id, note["printed"], note["taken"], note["reason"]))
    compared = {row.layout for table in tables for row in table.rows if row.line is not None}
    why = {name: note["reason"] for note in notes["without_table"] for name in note["layouts"]}
    without_table = []
    for name, layout in sorted(layouts.items()):
        own = [entry for entry in layout if entry.kind not in ("body", "rest")]  # others only choose another layout
        if own and name not in compared:
            without_table.append(Omission(name, len(own), why.get(name, "")))
    return Conformance(tables, tuple(misprints), tuple(without_table))


def layout_id(spec: str, record: str, layouts: Mapping[str, Layout]) -> str:
    """Id of the layout of a record of the tables: of a type of the spec, or of the spec itself."""
    nested = f"{spec}.{record}"
    return nested if nested in layouts else spec


class _Located(NamedTuple):
    """Where the spec has what a line is about."""

    layout: str
    field: Field | None
    offset: int | None
    width: int | None
    place: tuple[int, ...]
    """Position among the fields of the record, for the order of lines."""


class _Tables:
    """Compares the tables that layouts have.

    `types` are by the name of a type in a manual: `kinds` that fields of it may have, and `size` in bytes if it says
    one.
    """

    def __init__(
        self, layouts: Mapping[str, Layout], types: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, str]
    ) -> None:
        self._layouts, self._types, self._reasons = layouts, types, reasons

    def all(self) -> Iterator[ManualTable]:
        """The tables in the order of their pages."""
        printed: dict[tuple[str, str, str], list[ManualLine]] = {}
        stated: dict[str, set[str]] = {}
        for line in lines():
            if line.spec in self._layouts:
                printed.setdefault((line.spec, line.record, line.source), []).append(line)
                names = stated.setdefault(layout_id(line.spec, line.record, self._layouts), set())
                names.update(line.id.partition(".")[0].split(":"))
        for (spec, record, source), found in printed.items():
            layout = self._layouts[layout_id(spec, record, self._layouts)]
            rows = [*self._rows(found, layout)]
            if layout.id in stated:  # the fields that no table of the layout has stand beside the first of its tables
                others = stated.pop(layout.id)
                for entry in (entry for entry in layout if entry.id not in others):
                    name = f"{spec}.{record}.{entry.id}"
                    reason = self._reasons.get(name) or _why_added(entry)
                    at = entry.offset, entry.width
                    rows.append(Comparison(name, None, layout.id, entry, *at, ("added",), reason))
            yield ManualTable(layout.id, source, tuple(rows))

    def _rows(self, found: Sequence[ManualLine], layout: Layout) -> Iterator[Comparison]:
        located = [self._locate(line.id, layout) for line in found]
        order = iter(sorted(entry.place for entry in located if entry is not None))
        for line, entry in zip(found, located, strict=True):
            reason, base = self._reasons.get(line.name, ""), int(line.base)
            if entry is None:
                yield Comparison(line.name, line, layout.id, None, None, None, ("missing",), reason)
                continue
            offset = None if entry.offset is None else entry.offset + base
            width = entry.width if line.id != TOTAL or entry.width is None else entry.width + base
            differences = tuple(self._differences(line, entry.field, offset, width))
            if entry.place != next(order):
                differences += ("order",)
            yield Comparison(line.name, line, entry.layout, entry.field, offset, width, differences, reason)

    def _differences(
        self, line: ManualLine, entry: Field | None, offset: int | None, width: int | None
    ) -> Iterator[str]:
        if entry is not None and (entry.orig_id or UNNAMED) != line.vendor_name:
            yield "name"
        for what, printed, number in (("offset", line.offset, offset), ("length", line.length, width)):
            if printed and printed != (VARIABLE if number is None else str(number)):
                yield what
        if line.type and entry is not None:
            numbered = _NUMBERED.fullmatch(line.type)
            note = self._types.get(numbered[1] if numbered else line.type, {})
            size = int(numbered[2]) if numbered else note.get("size")
            if entry.kind not in note.get("kinds", ()) or size not in (None, width):
                yield "kind"

    def _locate(self, line_id: str, layout: Layout) -> _Located | None:
        if line_id == TOTAL:
            return _Located(layout.id, None, None, self._fixed_bytes(layout), (len(layout.fields),))
        first, _, last = line_id.partition(":")
        if last:
            begin, end = layout.by_id[first], layout.by_id[last]
            begins, after = _offset(layout, begin), _offset(layout, end)
            width = None if begins is None or after is None or end.width is None else after + end.width - begins
            return _Located(layout.id, None, begins, width, (layout.fields.index(begin),))
        offset: int | None = 0
        place: tuple[int, ...] = ()
        entry: Field | None = None
        for part in first.split("."):
            layout = layout if entry is None else self._layouts[entry.type or ""]
            entry = layout.by_id.get(part)
            if entry is None:
                return None
            own = _offset(layout, entry)
            offset = None if offset is None or own is None else offset + own
            place += (layout.fields.index(entry), 0)
        return None if entry is None else _Located(layout.id, entry, offset, entry.width, place)

    def _fixed_bytes(self, layout: Layout) -> int:
        """The bytes of a record whose number does not vary, with all conditional fields: the total of tables."""
        total = 0
        for entry in layout:
            if entry.width is not None:
                total += entry.width
            elif entry.type in self._layouts and entry.size is None and not entry.repeated and entry.type is not None:
                total += self._fixed_bytes(self._layouts[entry.type])
        return total


def _offset(layout: Layout, entry: Field) -> int | None:
    """Offset of a field in a record that has all conditional fields, as tables print it."""
    widths = [before.width for before in layout.fields[: layout.fields.index(entry)]]
    known = [width for width in widths if width is not None]
    return sum(known) if len(known) == len(widths) else entry.offset


def _why_added(entry: Field) -> str:
    if entry.kind == "body":
        return f"A table of its own: {entry.type}." if entry.type else "The table of the case."
    if entry.kind == "rest":
        return "The bytes behind the known fields; they are kept, or refused where the format allows none."
    return ""
