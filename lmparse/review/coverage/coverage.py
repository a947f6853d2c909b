"""Coverage: which part of the specs samples reach.

Collects from dissected records which fields they have and which of these have a value, which codes they have, and
which layouts the data chose. `reach` compares this with a whole spec.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from lmparse.records.dissection import Branch, Dissection, Dissector, Node
from lmparse.records.reader import RecordReader
from lmparse.review.coverage.field_coverage import FieldCoverage, Sample, ValueCount
from lmparse.review.coverage.instance_values import instance_values
from lmparse.review.coverage.provenance import Provenance
from lmparse.spec import catalog
from lmparse.spec.layout import NESTED, Field, Layout, spec_of

OPAQUE_KINDS = frozenset(("bytes", "variable", "rest", "raw", "absent"))
"""Kinds of fields, and of columns, whose bytes have no known meaning."""
_VALUES = {"decimal": "common_packed_decimal"}
"""Specs that describe the values of columns, by the kind of the column."""
_VALUE = "value"
"""Id of the field that is a whole column when the column has neither null indicator nor length."""
_ZERO_DIGITS = re.compile(r"0*")

_FieldPlace = tuple[str, Field]
"""Id of a layout, and a field of it."""


class Coverage:
    """What records reached. `add` and `merge` give the same result in any order."""

    def __init__(self) -> None:
        self.fields: defaultdict[tuple[str, str], FieldCoverage] = defaultdict(FieldCoverage)
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
        self.instances: defaultdict[tuple[str, str], ValueCount] = defaultdict(ValueCount)
        """What follows from fields, as text; by ids of layout and instance, and for each object with the layout."""
        self._lists: dict[str, _FieldPlace | None] = {}
        """Lists whose items are shown as columns, by the layout of the columns."""

    def of(self, layout_id: str, field_id: str) -> FieldCoverage:
        """What samples have in a field; empty if they have nothing in it."""
        return self.fields.get((layout_id, field_id)) or FieldCoverage()

    def add(
        self,
        dissection: Dissection,
        *,
        file: str,
        record_index: int,
        record_offset: int,
        layouts: Mapping[str, Layout] | None = None,
        provenance: Provenance = Provenance.GIVEN,
    ) -> None:
        """Count one record. `layouts` are those of a spec that is not in the package."""
        known = catalog.load(dissection.spec).layouts if layouts is None else layouts
        record = _Record(
            dissection.raw, file, record_index, record_offset, known, provenance, _fault_of(dissection),
            {dissection.spec},
        )  # fmt: skip
        if dissection.fault is not None:
            record.faults[id(dissection.fault)] = dissection.fault.code
        self._walk(dissection.nodes, record, None)
        for layout, _, case in record.branches:
            record.specs.update((spec_of(layout), spec_of(case)))
        if record.fault:
            self.faulty.update(record.specs)
        else:
            self.branches.update(record.branches)
            self.records.update(record.specs)
        self.faults.update(record.faults.values())
        if dissection.kind:
            self.kinds[dissection.kind] += 1

    def merge(self, other: Coverage) -> None:
        """Add what was collected elsewhere."""
        for key, seen in other.fields.items():
            self.fields[key].merge(seen)
        for key, values in other.instances.items():
            self.instances[key].merge(values)
        self.branches += other.branches
        self.kinds += other.kinds
        self.records += other.records
        self.faulty += other.faulty
        self.faults += other.faults

    def _walk(self, nodes: Iterable[Node], record: _Record, column: Node | None) -> None:
        """Count fields with their parts; `column` is the column of a row whose parts they are."""
        columns: dict[str, list[Node]] = {}
        nodes = tuple(nodes)
        if not record.fault:
            for layout_id, name, value in instance_values(nodes, record.layouts, record.raw):
                self.instances[layout_id, name].add("", value)
        for node in nodes:
            record.note(node)
            layout = record.layouts.get(node.layout)
            entry = node.field if layout is None else layout.by_id.get(node.field.id)
            if entry is not None:
                self._add_field(node, entry, record, column)
            elif layout is not None:
                columns.setdefault(layout.id, []).append(node)
                self._add_column(node, record)
            if node.field.repeated:
                for item in node.children:
                    record.note(item)
                    self._walk(item.children, record, None)
            else:
                self._walk(node.children, record, node if entry is None else None)
        for layout_id, named in columns.items():
            self._add_columns(layout_id, named, record)

    def _add_field(self, node: Node, entry: Field, record: _Record, column: Node | None) -> None:
        items = node.children if entry.repeated and entry.kind not in NESTED else (node,)
        is_filled = any(_is_filled(item, record.raw) for item in items)
        shown = node if column is None or entry.id != _VALUE else column
        seen = self._count((node.layout, entry), (node.start, node.end), record, is_filled, shown.value, shown.meaning)
        if not record.fault:
            for item in items:
                if entry.codes:
                    seen.count_code(entry, item, record.raw)
                held = item if entry.repeated else shown
                if held.value is not None and not _other_width(entry, node.end - node.start):
                    # Values of columns are of several types, so no order holds for all of them.
                    seen.values.add("" if column else held.field.kind, held.value)
        if entry.type is not None and entry.kind not in NESTED and not entry.repeated and node.fault is None:
            record.specs.add(spec_of(entry.type))
            self._add_parts(node, entry.type, record)

    def _add_columns(self, layout_id: str, named: list[Node], record: _Record) -> None:
        """The list that columns, each under its own name, are the items of."""
        found = self._list_of(layout_id, record)
        if found is not None:
            start, end = named[0].start, named[-1].end
            self._count(found, (start, end), record, any(record.raw[start:end]))

    def _add_column(self, node: Node, record: _Record) -> None:
        """A column; one without parts consists of its value alone."""
        found = self._list_of(node.layout, record)
        item = None if found is None else record.layouts.get(found[1].type or "")
        if item is not None and not node.children and _VALUE in item.by_id:
            record.specs.add(spec_of(item.id))
            self._add_field(dataclasses.replace(node, layout=item.id), item[_VALUE], record, node)
        self._add_value(node, record)

    def _list_of(self, layout_id: str, record: _Record) -> _FieldPlace | None:
        if layout_id not in self._lists:
            self._lists[layout_id] = _find_list(record.layouts, layout_id)
        return self._lists[layout_id]

    def _add_value(self, node: Node, record: _Record) -> None:
        """The value of a column that a spec of its own describes."""
        spec = _VALUES.get(node.field.kind)
        if spec is None or spec not in record.layouts or node.value is None or node.fault is not None:
            return
        held = next((part for part in node.children if part.field.id == _VALUE), node)
        if held is node and node.children:
            return  # the column holds only the place of its value
        record.specs.add(spec)
        for part in _value_dissector(spec, held.end - held.start).dissect(record.raw[held.start : held.end]).nodes:
            moved = dataclasses.replace(part, start=part.start + held.start, end=part.end + held.start)
            self._add_field(moved, part.field, record, None)

    def _add_parts(self, node: Node, type_: str, record: _Record) -> None:
        """The parts of a value that has a layout of its own: a row id, a log position."""
        layout = record.layouts.get(type_)
        if layout is None or layout.width not in (None, node.end - node.start):
            return  # a shorter form, whose bytes are not those of the parts
        for part in layout:
            if part.offset is not None and part.end is not None and part.end <= node.end - node.start:
                start, end = node.start + part.offset, node.start + part.end
                piece = record.raw[start:end]
                seen = self._count((type_, part), (start, end), record, any(piece), piece.hex().upper())
                if not record.fault:
                    seen.values.add("", piece.hex().upper())

    def _count(
        self, field: _FieldPlace, span: tuple[int, int], record: _Record, is_filled: bool,
        value: Any = None, meaning: str = "",
    ) -> FieldCoverage:  # fmt: skip
        """Count one occurrence of a field; `span` are its first byte and the byte behind its last one."""
        seen = self.fields[field[0], field[1].id]
        start, end = span
        is_elsewhere = record.folder != spec_of(field[0])
        place = (record.file, record.index, record.offset, start, record.provenance, is_elsewhere, is_filled)
        sample = Sample(value, record.raw[start:end], meaning, *place)
        if why := record.fault or _other_width(field[1], end - start):
            seen.apart[why] += 1
            seen.set_apart(sample)
            return seen
        seen.add_sample(sample)
        seen.present += 1
        seen.records += (field[0], field[1].id) not in record.counted
        record.counted.add((field[0], field[1].id))
        seen.filled += is_filled
        return seen


@dataclass(frozen=True, slots=True)
class _Record:
    """A record, its place, and what was found in it."""

    raw: bytes
    file: str
    index: int
    offset: int
    layouts: Mapping[str, Layout]
    provenance: Provenance
    fault: str
    """Code of its first error; empty for a record without a fault."""
    specs: set[str]
    branches: set[Branch] = dataclasses.field(default_factory=set)
    faults: dict[int, str] = dataclasses.field(default_factory=dict)
    """Error codes by the identity of the error: a field and the field around it may have the same error."""
    counted: set[tuple[str, str]] = dataclasses.field(default_factory=set)
    """Ids of layout and field of what was counted."""

    @property
    def folder(self) -> str:
        """Name of the folder of its file."""
        return self.file.rpartition("/")[0].rpartition("/")[2]

    def note(self, node: Node) -> None:
        """Collect what a node says besides its value."""
        self.specs.add(spec_of(node.layout))
        self.branches.update(node.branches)
        if node.fault is not None:
            self.faults[id(node.fault)] = node.fault.code


def _fault_of(dissection: Dissection) -> str:
    if dissection.fault is not None:
        return dissection.fault.code
    return next((node.fault.code for node in dissection.walk() if node.fault is not None), "")


def _other_width(entry: Field, width: int) -> str:
    """What a field is that has not the width of the spec; empty if it has."""
    if entry.width in (None, width) or entry.repeated or entry.bits:
        return ""
    return f"{width} of {entry.width} bytes"


def _find_list(layouts: Mapping[str, Layout], layout_id: str) -> _FieldPlace | None:
    """The list whose items are shown as columns: that of the columns' layout, or the one whose items have it."""
    own = [(layout_id, entry) for entry in layouts[layout_id] if entry.repeated and entry.type]
    found = own or [
        (layout.id, entry)
        for layout in layouts.values()
        for entry in layout
        if entry.repeated and entry.type == layout_id
    ]
    return found[0] if len(found) == 1 else None


@cache
def _value_dissector(spec: str, width: int) -> Dissector:
    return Dissector(RecordReader(catalog.load(spec), arguments=(width,)))


def _is_filled(node: Node, raw: bytes) -> bool:
    if node.fault is not None:
        return False
    if node.children or node.field.kind in OPAQUE_KINDS or node.field.kind in NESTED:
        return any(raw[node.start : node.end])
    value = node.value
    if isinstance(value, str):
        if node.field.kind in ("char", "code", "timestamp17"):
            return bool(value.strip(" \0"))
        return not _ZERO_DIGITS.fullmatch(value.strip(" \0"))
    return bool(value)
