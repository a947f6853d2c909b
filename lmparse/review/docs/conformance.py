"""Conformance: compares the vendors' tables with the layouts, line by line.

`field-tables.csv`, among the specs, has the lines in the words, types and numbers of the manuals, misprints included; a
cell of an offset or a length is `variable` where the manual says so, and empty where it prints none. `conformance.yaml`
has the types of the manuals, the reasons for differences on purpose and for what is not compared, and the misprints.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any, NamedTuple

from lmparse.spec.documents import read_yaml
from lmparse.spec.layout import Field, Layout

NOTES = "conformance.yaml"
Types = Mapping[str, Mapping[str, Any]]
"""By the name of a type in a manual: `kinds` that fields of it may have, and `size` in bytes if it says one."""
_WORDS = {"same": "the same", "explained": "different for a stated reason", "open": "unexplained"}


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


@dataclass(frozen=True, slots=True)
class ManualTable:
    """A table of a manual beside its layout."""

    layout: str
    source: str
    rows: tuple[Comparison, ...]

    def count(self, verdict: str) -> int:
        """Number of lines, or of fields of the layout alone, with a verdict."""
        return sum(row.verdict == verdict for row in self.rows)

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
    unused: tuple[str, ...]
    """Notes about lines that do not differ, or do not exist."""
    without_table: tuple[Omission, ...]
    """The layouts with fields that no table at hand is compared with."""

    @cached_property
    def rows(self) -> list[Comparison]:
        """The lines of all tables."""
        return [row for table in self.tables for row in table.rows]

    @property
    def line_count(self) -> int:
        """Number of lines of manuals."""
        return sum(row.line is not None for row in self.rows)

    @property
    def unexplained(self) -> int:
        """Number of differences between specs and manuals, and of layouts not compared, without a reason."""
        return self.count("open") + sum(not omission.reason for omission in self.without_table)

    def count(self, verdict: str) -> int:
        """Number of lines with a verdict."""
        return sum(table.count(verdict) for table in self.tables)


def compare(layouts: Mapping[str, Layout]) -> Conformance:
    """The tables of those layouts that have a table."""
    notes = read_yaml(resources.files("lmparse").joinpath("_formats", NOTES).read_bytes()).tree
    reasons = {note["field"]: note["reason"] for note in notes["differences"]}
    types = {str(note["printed"]): note for note in notes["types"]}
    tables = tuple(_tables(layouts, types, reasons))
    misprints = []
    for note in notes["misprints"]:
        spec, record, field_id = note["field"].split(".")
        if spec in layouts:
            place = layout_id(spec, record, layouts)
            misprints.append(Misprint(place, field_id, note["printed"], note["taken"], note["reason"]))
    used = {row.name for table in tables for row in table.rows if row.differences}
    unused = tuple(name for name in reasons if name not in used and name.partition(".")[0] in layouts)
    return Conformance(tables, tuple(misprints), unused, tuple(_without_table(layouts, tables, notes["without_table"])))


def layout_id(spec: str, record: str, layouts: Mapping[str, Layout]) -> str:
    """Id of the layout of a record of the tables: of a type of the spec, or of the spec itself."""
    nested = f"{spec}.{record}"
    return nested if nested in layouts else spec


def _without_table(
    layouts: Mapping[str, Layout], tables: Iterable[ManualTable], reasons: Iterable[Mapping[str, Any]]
) -> Iterator[Omission]:
    """Layouts without a line of a manual; those that only choose another layout have nothing to be compared."""
    compared = {row.layout for table in tables for row in table.rows if row.line is not None}
    why = {name: note["reason"] for note in reasons for name in note["layouts"]}
    for _, layout in sorted(layouts.items()):
        own = [entry for entry in layout if entry.kind not in ("body", "rest")]
        if own and layout.id not in compared:
            yield Omission(layout.id, len(own), why.get(layout.id, ""))


class _Located(NamedTuple):
    """Where the spec has what a line is about."""

    layout: str
    field: Field | None
    offset: int | None
    width: int | None
    place: tuple[int, ...]
    """Position among the fields of the record, for the order of lines."""


def _locate(line: ManualLine, layout: Layout, layouts: Mapping[str, Layout]) -> _Located | None:
    if line.id == TOTAL:
        return _Located(layout.id, None, None, _fixed_bytes(layout, layouts), (len(layout.fields),))
    first, _, last = line.id.partition(":")
    if last:
        begin, end = layout.by_id[first], layout.by_id[last]
        begins, after = _offset(layout, begin), _offset(layout, end)
        width = None if begins is None or after is None or end.width is None else after + end.width - begins
        return _Located(layout.id, None, begins, width, (layout.fields.index(begin),))
    entry = layout.by_id.get(first.partition(".")[0])
    if entry is None:
        return None
    offset = _offset(layout, entry)
    place: tuple[int, ...] = (layout.fields.index(entry), 0)
    for part in line.id.split(".")[1:]:
        layout = layouts[entry.type or ""]
        entry = layout.by_id.get(part)
        if entry is None:
            return None
        own = _offset(layout, entry)
        offset = None if offset is None or own is None else offset + own
        place += (layout.fields.index(entry), 0)
    return _Located(layout.id, entry, offset, entry.width, place)


def _offset(layout: Layout, entry: Field) -> int | None:
    """Offset of a field in a record that has all conditional fields, as tables print it."""
    widths = [before.width for before in layout.fields[: layout.fields.index(entry)]]
    known = [width for width in widths if width is not None]
    return sum(known) if len(known) == len(widths) else entry.offset


def _fixed_bytes(layout: Layout, layouts: Mapping[str, Layout]) -> int:
    """The bytes of a record whose number does not vary, with all conditional fields: the total that tables print."""
    total = 0
    for entry in layout:
        if entry.width is not None:
            total += entry.width
        elif entry.type in layouts and entry.size is None and not entry.repeated and entry.type is not None:
            total += _fixed_bytes(layouts[entry.type], layouts)
    return total


def _tables(layouts: Mapping[str, Layout], types: Types, reasons: Mapping[str, str]) -> Iterator[ManualTable]:
    printed: dict[tuple[str, str, str], list[ManualLine]] = {}
    for line in lines():
        if line.spec in layouts:
            printed.setdefault((line.spec, line.record, line.source), []).append(line)
    stated: dict[str, set[str]] = {}
    for (spec, record, _), found in printed.items():
        names = {name for line in found for name in line.id.partition(".")[0].split(":")}
        stated.setdefault(layout_id(spec, record, layouts), set()).update(names)
    for (spec, record, source), found in printed.items():
        layout = layouts[layout_id(spec, record, layouts)]
        rows = [*_rows(found, layout, layouts, types, reasons)]
        if layout.id in stated:  # the fields that no table of the layout has stand beside the first of its tables
            rows += _added(layout, f"{spec}.{record}", stated.pop(layout.id), reasons)
        yield ManualTable(layout.id, source, tuple(rows))


def _rows(
    found: list[ManualLine], layout: Layout, layouts: Mapping[str, Layout], types: Types,
    reasons: Mapping[str, str],
) -> Iterator[Comparison]:  # fmt: skip
    located = [_locate(line, layout, layouts) for line in found]
    order = iter(sorted(entry.place for entry in located if entry is not None))
    for line, entry in zip(found, located, strict=True):
        reason = reasons.get(line.name, "")
        if entry is None:
            yield Comparison(line.name, line, layout.id, None, None, None, ("missing",), reason)
            continue
        offset = None if entry.offset is None else entry.offset + line.base
        width = entry.width if line.id != TOTAL or entry.width is None else entry.width + line.base
        differences = tuple(_differences(line, entry.field, offset, width, types))
        if entry.place != next(order):
            differences += ("order",)
        yield Comparison(line.name, line, entry.layout, entry.field, offset, width, differences, reason)


def _added(layout: Layout, prefix: str, stated: set[str], reasons: Mapping[str, str]) -> Iterator[Comparison]:
    for entry in layout:
        if entry.id not in stated:
            name = f"{prefix}.{entry.id}"
            reason = reasons.get(name) or _why_added(entry)
            yield Comparison(name, None, layout.id, entry, entry.offset, entry.width, ("added",), reason)


def _differences(
    line: ManualLine, entry: Field | None, offset: int | None, width: int | None, types: Types
) -> Iterator[str]:
    if entry is not None and entry.orig_id != line.vendor_name:
        yield "name"
    if line.has_offset and offset != line.offset:
        yield "offset"
    if line.has_length and width != line.length:
        yield "length"
    if line.type and entry is not None:
        numbered = _NUMBERED.fullmatch(line.type)
        note = types.get(numbered[1] if numbered else line.type, {})
        size = int(numbered[2]) if numbered else note.get("size")
        if entry.kind not in note.get("kinds", ()) or size not in (None, width):
            yield "kind"


def _why_added(entry: Field) -> str:
    if entry.kind == "body":
        return f"A table of its own: {entry.type}." if entry.type else "The table of the case."
    if entry.kind == "rest":
        return "The bytes behind the known fields; they are kept, or refused where the format allows none."
    return ""


# -- the manuals' tables -------------------------------------------------------------------

TABLES = "field-tables.csv"
TOTAL = "(total)"
"""Instead of the id of a field: the line of a table with the length of the whole."""
UNNAMED = "(unnamed)"
_VARIABLE = "variable"
_NUMBERED = re.compile(r"(\w+)\((\d+)\)")
"""A type with its size: `CHAR(4)`."""


@dataclass(frozen=True, slots=True)
class ManualLine:
    """One line of a vendor's table. Offset and length in bytes; None where they vary or are not printed."""

    spec: str
    record: str
    id: str
    """Id of the field, with those around it inside the record (`old_row.rid`); `a:b` for all from a to b; `TOTAL`."""
    vendor_name: str | None
    """The name in the manual; None if it has none there."""
    type: str
    """The type as printed; empty if none is."""
    offset: int | None
    length: int | None
    base: int
    """Number of bytes that the manual counts in front of the layout: of the log record header, for example."""
    source: str
    """Manual, page and table."""
    has_offset: bool = True
    """Whether the manual prints an offset, be it that it varies."""
    has_length: bool = True

    @property
    def name(self) -> str:
        """Spec, record and field, as in the notes."""
        return f"{self.spec}.{self.record}.{self.id}"


def lines() -> list[ManualLine]:
    """The vendors' tables, in the order of their pages."""
    text = resources.files("lmparse").joinpath("_formats", TABLES).read_text("utf-8")
    return [_line(row) for row in csv.DictReader(text.splitlines())]


def _line(row: Mapping[str, str]) -> ManualLine:
    offset, length = row["offset"], row["length"]
    return ManualLine(
        row["spec"], row["record"], row["id"], None if row["vendor_name"] == UNNAMED else row["vendor_name"],
        row["type"], _number(offset), _number(length), int(row["base"]), row["source"], bool(offset), bool(length),
    )  # fmt: skip


def _number(cell: str) -> int | None:
    return None if cell in ("", _VARIABLE) else int(cell)
