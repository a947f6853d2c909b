"""Coverage: what dissected records have of the specs: fields, listed values, layouts that the data chose.

A record with a fault proves nothing: only its error codes and its specs are counted.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from lmparse.records.dissection import CLOSING, Branch, Dissection, Dissector, Node
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.spec.layout import NESTED, Field, Layout, spec_of

OPAQUE_KINDS = frozenset(("bytes", "variable", "rest", "raw", "absent"))
"""Kinds of fields, and of columns, whose bytes have no known meaning."""
MOST_SHOWN = 120
"""Number of characters of a value that reports show."""
_DESCRIBED = {"decimal": "common_packed_decimal"}
"""Specs that describe the values of columns, by the kind of the column."""
_VALUE = "value"
"""Id of the field that is a whole column when the column has neither null indicator nor length."""


@dataclass(frozen=True)
class Sample:
    """A value of a field in a file."""

    value: Any
    """As `records` prints it; None for a null and for a field with parts."""
    raw: bytes
    meaning: str
    """What the spec says about a listed value."""
    file: str
    record_index: int
    offset: int
    """Offset of its first byte in the file."""

    @property
    def shown(self) -> str:
        """Its value as text or JSON, cut to some length."""
        text = self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)
        return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"


@dataclass
class FieldCount:
    """What sound records have in one field. A list counts as one field, whatever its length."""

    present: int = 0
    """How often it occurs in the records."""
    records: int = 0
    """In how many records it occurs."""
    filled: int = 0
    """How often its value is not null, blank, zero, or bytes of zero."""
    sample: Sample | None = None
    """The first filled value; while none is filled, the first value."""
    codes: Counter[int] = field(default_factory=Counter)
    """The listed values among its values, by `Code.value`."""
    unlisted: Counter[str] = field(default_factory=Counter)
    """The other values of a field with a list, as text."""

    def count_code(self, entry: Field, value: Any) -> None:
        """Count a value, and the items of a list, of a field with a list of codes."""
        for one in value if isinstance(value, list) else [] if value is None else [value]:
            if (code := entry.code_of(one)) is not None:
                self.codes[code.value] += 1
            else:
                self.unlisted[str(one)] += 1


@dataclass(frozen=True, slots=True)
class _Record:
    """A record and its place."""

    raw: bytes
    file: str
    index: int
    offset: int
    layouts: Mapping[str, Layout]
    specs: set[str]
    """The specs that it has a part of."""
    counted: set[tuple[str, str]] = field(default_factory=set)
    """Layout and field of what was counted."""


class Coverage:
    """What records have of the specs."""

    def __init__(self) -> None:
        self.fields: defaultdict[tuple[str, str], FieldCount] = defaultdict(FieldCount)
        """By ids of layout and field."""
        self.branches: Counter[Branch] = Counter()
        """How many records have which layout in a field with several cases."""
        self.kinds: Counter[str] = Counter()
        """Records by what they say they are (`db2_dms.insert_record`)."""
        self.records: Counter[str] = Counter()
        """Records without a fault that have a part of a spec, by its id."""
        self.faulty: Counter[str] = Counter()
        """Records with a fault, in the same way."""
        self.faults: Counter[str] = Counter()
        """Error codes of records and of values."""
        self._lists: dict[str, tuple[str, Field] | None] = {}

    def of(self, layout_id: str, field_id: str) -> FieldCount:
        """What records have in a field; empty if they have nothing in it."""
        return self.fields.get((layout_id, field_id)) or FieldCount()

    def add(
        self, dissection: Dissection, *, file: str, index: int, offset: int,
        layouts: Mapping[str, Layout] | None = None,
    ) -> None:  # fmt: skip
        """Count one record, which begins at an offset of its file. `layouts` are those of a spec of the caller."""
        known = catalog.load(dissection.spec).layouts if layouts is None else layouts
        nodes = list(dissection.walk())
        # A field and the field around it may have the same error.
        found = (dissection.fault, *(one.fault for one in (*nodes, *dissection.calculated)))
        faults = {id(fault): fault.code for fault in found if fault}
        branches = {branch for node in nodes for branch in node.branches}
        specs = {dissection.spec, *(spec_of(node.layout) for node in nodes)}
        specs |= {spec_of(layout) for branch in branches for layout in (branch[0], branch[2])}
        record = _Record(dissection.raw, file, index, offset, known, specs)
        self.faults.update(faults.values())
        self.kinds.update([dissection.kind] if dissection.kind else [])
        if faults:
            self.faulty.update(specs)
            return
        self._walk(dissection.nodes, record, None)
        for node in dissection.calculated:
            if node.value is not None:
                seen = self._count(node.layout, node.field, (0, 0), record, bool(node.value), node.value, node.meaning)
                if node.field.codes:
                    seen.count_code(node.field, node.value)
        self.branches.update(branches)
        self.records.update(specs)

    def _walk(self, nodes: Iterable[Node], record: _Record, column: Node | None) -> None:
        """Count fields with their parts; `column` is the column of a row whose parts they are."""
        for node in nodes:
            layout = record.layouts.get(node.layout)
            entry = node.field if layout is None else layout.by_id.get(node.field.id)
            if entry is not None:
                self._add_field(node, entry, record, column)
            elif node.field.kind != CLOSING:
                self._add_column(node, record)
            if node.field.repeated:
                for item in node.children:
                    self._walk(item.children, record, None)
            else:
                self._walk(node.children, record, node if entry is None else None)

    def _add_field(self, node: Node, entry: Field, record: _Record, column: Node | None) -> None:
        width = node.end - node.start
        if entry.width not in (None, width) and not entry.repeated and not entry.bits:
            return  # described with another width than the spec has: it proves nothing about the spec
        items = node.children if entry.repeated and entry.kind not in NESTED else (node,)
        shown = node if column is None or entry.id != _VALUE else column
        is_filled = any(_is_filled(item, record.raw) for item in items)
        seen = self._count(node.layout, entry, (node.start, node.end), record, is_filled, shown.value, shown.meaning)
        for item in items if entry.codes else ():
            seen.count_code(entry, item.value)
        layout = record.layouts.get(entry.type or "")
        if layout is not None and entry.kind not in NESTED and not entry.repeated and layout.width in (None, width):
            record.specs.add(spec_of(layout.id))
            for part in layout:  # of a value that has a layout of its own: a row id, a log position
                if part.offset is not None and part.end is not None and part.end <= width:
                    start, end = node.start + part.offset, node.start + part.end
                    held = record.raw[start:end]
                    self._count(layout.id, part, (start, end), record, any(held), held.hex().upper())

    def _add_column(self, node: Node, record: _Record) -> None:
        """A column, which has a name of its own: an item of the one list of its layout, without parts its value."""
        self._add_described(node, record)
        if node.layout not in self._lists:
            self._lists[node.layout] = _find_list(record.layouts, node.layout)
        found = self._lists[node.layout]
        if found is None:
            return
        holder, entry = found
        if (holder, entry.id) not in record.counted:
            self._count(holder, entry, (node.start, node.end), record, any(record.raw[node.start : node.end]))
        item = record.layouts.get(entry.type or "")
        if item is not None and not node.children and _VALUE in item.by_id:
            record.specs.add(spec_of(item.id))
            span, is_filled = (node.start, node.end), _is_filled(node, record.raw)
            self._count(item.id, item[_VALUE], span, record, is_filled, node.value, node.meaning)

    def _add_described(self, node: Node, record: _Record) -> None:
        """The value of a column that a spec of its own describes; not of one that holds only the place of its value."""
        spec = _DESCRIBED.get(node.field.kind)
        held = next((part for part in node.children if part.field.id == _VALUE), None if node.children else node)
        if spec is None or spec not in record.layouts or node.value is None or held is None:
            return
        record.specs.add(spec)
        raw = record.raw[held.start : held.end]
        for part in _dissector(spec, len(raw)).dissect(raw).nodes:
            moved = replace(part, start=part.start + held.start, end=part.end + held.start)
            self._add_field(moved, part.field, record, None)

    def _count(
        self, layout: str, entry: Field, span: tuple[int, int], record: _Record, is_filled: bool,
        value: Any = None, meaning: str = "",
    ) -> FieldCount:  # fmt: skip
        """Count one occurrence of a field; `span` are its first byte and the byte behind its last one."""
        key = layout, entry.id
        seen = self.fields[key]
        if seen.sample is None or (is_filled and not seen.filled):
            held = record.raw[slice(*span)]
            word = entry.code_of(value) if entry.is_labelled else None
            seen.sample = Sample(
                word.id if word else value, held, meaning, record.file, record.index, record.offset + span[0]
            )
        seen.present += 1
        seen.records += key not in record.counted
        seen.filled += is_filled
        record.counted.add(key)
        return seen


@cache
def _dissector(spec: str, width: int) -> Dissector:
    return Dissector(RecordReader(catalog.load(spec), arguments=(width,)))


def _find_list(layouts: Mapping[str, Layout], layout_id: str) -> tuple[str, Field] | None:
    """The list whose items are shown as columns: that of the columns' layout, or the one whose items have it."""
    own = [(layout_id, entry) for entry in layouts.get(layout_id, ()) if entry.repeated and entry.type]
    found = own or [
        (layout.id, entry)
        for layout in layouts.values()
        for entry in layout
        if entry.repeated and entry.type == layout_id
    ]
    return found[0] if len(found) == 1 else None


def _is_filled(node: Node, raw: bytes) -> bool:
    """Whether a value is not null, blank, zero, or bytes of zero."""
    if node.children or node.field.kind in OPAQUE_KINDS or node.field.kind in NESTED:
        return any(raw[node.start : node.end])
    if isinstance(node.value, str):
        text = node.value.strip(" \0")
        return bool(text if node.field.kind in ("char", "code", "timestamp17") else text.strip("0"))
    return bool(node.value)
