"""Coverage: which part of the specs samples reach.

Collects from dissected records which fields stood in them and had a value, which codes they had, and which
layouts the data chose. What that is of a whole spec is for reports to say.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from lmparse.records.dissection import Branch, Dissection, Dissector, Node
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.spec.layout import Field, Layout, is_reserved

PART_KINDS = frozenset(("struct", "body"))
"""Kinds of fields that are nothing but their parts."""
OPAQUE_KINDS = frozenset(("bytes", "variable", "rest", "raw", "absent"))
"""Kinds of fields, and of columns, whose bytes have no meaning that is known; all others have one."""
_VALUES = {"decimal": "common_packed_decimal"}
"""Specs that describe the values of columns, by the kind of the column."""
_VALUE = "value"
"""Field that is all of a column when it has neither null indicator nor length."""
_EMPTY = "expr: _.size == 0"
"""What the specs check of bytes that no sound record has."""
_ZERO_DIGITS = re.compile(r"0*")


@dataclass(frozen=True)
class Sample:
    """A value of a field as it stood in a file. Offsets in bytes."""

    value: Any
    """As `records` prints it; None for what is null or has parts."""
    raw: bytes
    meaning: str
    """What the spec says of a listed value."""
    file: str
    record_index: int
    record_offset: int
    """Of the record in its file."""
    field_offset: int
    """From the start of the record."""


@dataclass
class FieldCoverage:
    """What was seen of one field. A list counts as one field, whatever its length."""

    layout: str
    """Id of the layout that has it."""
    field: Field
    present: int = 0
    """How often it stood in a record."""
    filled: int = 0
    """How often with a value that is not null, blank, zero, or bytes of zero."""
    sample: Sample | None = None
    """The first filled one, by file and place; while none is filled, the first."""
    codes: Counter[int] = dataclasses.field(default_factory=Counter)
    """The listed values among its values, by `Code.value`."""
    unlisted: Counter[str] = dataclasses.field(default_factory=Counter)
    """The other values of a field with a list, as they are shown."""

    def merge(self, other: FieldCoverage) -> None:
        """Add what was seen elsewhere."""
        self.keep(other.sample, is_filled=bool(other.filled))
        self.present += other.present
        self.filled += other.filled
        self.codes += other.codes
        self.unlisted += other.unlisted

    def keep(self, sample: Sample | None, *, is_filled: bool) -> None:
        """Keep the better sample. Asked before the counts are raised: they say what the kept one is."""
        kept = self.sample
        if sample is None or (kept is not None and self.filled and not is_filled):
            return
        if kept is None or (is_filled and not self.filled) or _place(sample) < _place(kept):
            self.sample = sample


def _place(sample: Sample) -> tuple[str, int, int, int]:
    return sample.file, sample.record_index, sample.record_offset, sample.field_offset


@dataclass
class ByteCount:
    """Bytes by what is known of them."""

    typed: int = 0
    """In fields with a meaning: numbers, text, codes, times, ids."""
    reserved: int = 0
    """In fields that are reserved, unused or padding."""
    opaque: int = 0
    """In fields whose bytes the spec does not take apart."""
    unread: int = 0
    """In no field."""

    @property
    def described(self) -> int:
        """In any field."""
        return self.typed + self.reserved + self.opaque

    def add(self, other: ByteCount) -> None:
        """Add another count."""
        for name in ("typed", "reserved", "opaque", "unread"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def count(self, entry: Field, number: int) -> None:
        """Count bytes of a field."""
        self.count_as(byte_class(entry), number)

    def count_as(self, name: str, number: int) -> None:
        """Count bytes of a class."""
        setattr(self, name, getattr(self, name) + number)


def byte_class(entry: Field) -> str:
    """`typed`, `reserved` or `opaque`: what is known of the bytes of a field without parts."""
    if is_reserved(entry.id):
        return "reserved"
    is_opaque = entry.kind in PART_KINDS or (entry.kind in OPAQUE_KINDS and entry.type is None)
    return "opaque" if is_opaque else "typed"


def is_never_there(entry: Field) -> bool:
    """Whether the spec checks that a field has no bytes; a record with some is no sound one."""
    return entry.checks == _EMPTY


def bytes_of(layout: Layout | Iterable[Layout]) -> ByteCount:
    """Bytes of the fields of fixed width; of a spec with several layouts, each one's own fields once.

    A part that is a layout of its own is counted there; lists, bits and what the data gives a length are
    of no fixed width.
    """
    counted = ByteCount()
    for one in [layout] if isinstance(layout, Layout) else layout:
        for entry in one:
            if entry.kind not in PART_KINDS and entry.width is not None and not is_never_there(entry):
                if one.kind is not None and one.kind not in OPAQUE_KINDS:  # parts of one value
                    counted.typed += entry.width
                else:
                    counted.count(entry, entry.width)
    return counted


def spec_of(layout_id: str) -> str:
    """Id of the spec that a layout is of."""
    return layout_id.partition(".")[0]


class Coverage:
    """What records reached. `add` and `merge` in any order give the same."""

    def __init__(self) -> None:
        self.fields: dict[tuple[str, str], FieldCoverage] = {}
        """By ids of layout and field."""
        self.cases: dict[tuple[str, str], Counter[str]] = {}
        """Of a field with several cases, by ids of layout and field: how many records had which layout there."""
        self.kinds: Counter[str] = Counter()
        """Records by what they say they are (`db2_dms.insert_record`)."""
        self.records: Counter[str] = Counter()
        """Records that have a part of a spec, by its id."""
        self.faults: Counter[str] = Counter()
        """Error codes of records and of values."""
        self.bytes: dict[str, ByteCount] = {}
        """Bytes of the records by the spec that describes them; those in no field by that of the record."""
        self._lists: dict[str, _List | None] = {}
        """What was found of lists whose items are shown as columns."""

    def add(
        self,
        dissection: Dissection,
        *,
        file: str,
        record_index: int,
        record_offset: int,
        layouts: Mapping[str, Layout] | None = None,
    ) -> None:
        """Count one record. `layouts` are those of a spec that is not of the package."""
        known = catalog.load(dissection.spec).layouts if layouts is None else layouts
        record = _Record(dissection.raw, file, record_index, record_offset, known, {dissection.spec})
        if dissection.fault is not None:
            record.faults[id(dissection.fault)] = dissection.fault.code
        self._walk(dissection.nodes, record, None)
        for layout, field_id, case in record.branches:
            record.specs.update((spec_of(layout), spec_of(case)))
            self.cases.setdefault((layout, field_id), Counter())[case] += 1
        self.records.update(record.specs)
        self.faults.update(record.faults.values())
        if dissection.kind:
            self.kinds[dissection.kind] += 1
        self._add_bytes(dissection, record.leaves)

    def merge(self, other: Coverage) -> None:
        """Add what was collected elsewhere."""
        for key, seen in other.fields.items():
            self.fields.setdefault(key, FieldCoverage(seen.layout, seen.field)).merge(seen)
        for key, counts in other.cases.items():
            self.cases.setdefault(key, Counter()).update(counts)
        for spec, counted in other.bytes.items():
            self.bytes.setdefault(spec, ByteCount()).add(counted)
        self.kinds += other.kinds
        self.records += other.records
        self.faults += other.faults

    def _walk(self, nodes: Iterable[Node], record: _Record, column: Node | None) -> None:
        """Count fields with their parts; `column` is the column of a row that they are the parts of."""
        columns: dict[str, list[Node]] = {}
        for node in nodes:
            record.note(node)
            layout = record.layouts.get(node.layout)
            entry = node.field if layout is None else layout.by_id.get(node.field.id)
            if entry is not None:
                self._add_field(node, entry, record, column)
            elif layout is not None:
                columns.setdefault(layout.id, []).append(node)
                self._add_column(node, record)
            if not node.children:
                is_value = column is not None and entry is not None and entry.id == _VALUE
                record.leaves.append((node, byte_class(column.field if column and is_value else node.field)))
            elif node.field.repeated:
                for item in node.children:
                    record.note(item)
                    self._walk(item.children, record, None)
                    if not item.children:
                        record.leaves.append((item, byte_class(node.field)))
            else:
                self._walk(node.children, record, node if entry is None else None)
        for layout_id, named in columns.items():
            self._add_columns(layout_id, named, record)

    def _add_field(self, node: Node, entry: Field, record: _Record, column: Node | None) -> None:
        raw = record.raw[node.start : node.end]
        items = node.children if entry.repeated and entry.kind not in PART_KINDS else (node,)
        is_filled = any(_is_filled(item, record.raw) for item in items)
        shown = node if column is None or entry.id != _VALUE else column
        seen = self._count(node.layout, entry, is_filled, shown, node.start, raw, record)
        if entry.codes:
            for item in items:
                _count_code(seen, item, record.raw)
        if entry.type is not None and entry.kind not in PART_KINDS and not entry.repeated and node.fault is None:
            record.specs.add(spec_of(entry.type))
            self._add_parts(node, entry.type, raw, record)

    def _add_columns(self, layout_id: str, named: list[Node], record: _Record) -> None:
        """The list that columns, each under its own name, are the items of."""
        found = self._list_of(layout_id, record)
        if found is not None:
            raw = record.raw[named[0].start : named[-1].end]
            self._count(found.layout, found.field, any(raw), _Shown(), named[0].start, raw, record)

    def _add_column(self, node: Node, record: _Record) -> None:
        """A column: when it has no parts, it is nothing but its value."""
        found = self._list_of(node.layout, record)
        item = None if found is None else record.layouts.get(found.field.type or "")
        if item is not None and not node.children and _VALUE in item.by_id:
            record.specs.add(spec_of(item.id))
            self._add_field(dataclasses.replace(node, layout=item.id), item[_VALUE], record, node)
        self._add_value(node, record)

    def _list_of(self, layout_id: str, record: _Record) -> _List | None:
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
            return  # the place of a value that stands elsewhere
        record.specs.add(spec)
        for part in _value_dissector(spec, held.end - held.start).dissect(record.raw[held.start : held.end]).nodes:
            moved = dataclasses.replace(part, start=part.start + held.start, end=part.end + held.start)
            self._add_field(moved, part.field, record, None)

    def _add_parts(self, node: Node, type_: str, raw: bytes, record: _Record) -> None:
        """The parts of a value that is a layout of its own: a row id, a log position."""
        for part in record.layouts.get(type_, ()):
            if part.offset is not None and part.end is not None and part.end <= len(raw):
                piece = raw[part.offset : part.end]
                shown = _Shown(piece.hex().upper())
                self._count(type_, part, any(piece), shown, node.start + part.offset, piece, record)

    def _count(
        self, layout: str, entry: Field, is_filled: bool, shown: Node | _Shown, start: int, raw: bytes, record: _Record
    ) -> FieldCoverage:
        key = layout, entry.id
        seen = self.fields.get(key)
        if seen is None:
            seen = self.fields[key] = FieldCoverage(layout, entry)
        kept, here = seen.sample, (record.file, record.index, record.offset, start)
        if kept is None or (is_filled and not seen.filled) or here < _place(kept):
            sample = Sample(shown.value, raw, shown.meaning, record.file, record.index, record.offset, start)
            seen.keep(sample, is_filled=is_filled)
        seen.present += 1
        seen.filled += is_filled
        return seen

    def _add_bytes(self, dissection: Dissection, leaves: list[tuple[Node, str]]) -> None:
        reached = 0
        unread = self.bytes.setdefault(dissection.spec, ByteCount())
        for node, name in sorted(leaves, key=_span):
            first = max(reached, node.start)
            if node.end > first:  # fields of bits share a byte
                unread.unread += first - reached
                self.bytes.setdefault(spec_of(node.layout), ByteCount()).count_as(name, node.end - first)
                reached = node.end
        unread.unread += max(0, len(dissection.raw) - reached)


@dataclass(frozen=True, slots=True)
class _Record:
    """A record, where it stands, and what was met in it."""

    raw: bytes
    file: str
    index: int
    offset: int
    layouts: Mapping[str, Layout]
    specs: set[str]
    branches: set[Branch] = dataclasses.field(default_factory=set)
    faults: dict[int, str] = dataclasses.field(default_factory=dict)
    """Codes by the identity of the error, which may stand at a field and at what it is in."""
    leaves: list[tuple[Node, str]] = dataclasses.field(default_factory=list)
    """Fields without parts, and what their bytes are."""

    def note(self, node: Node) -> None:
        """Take over what a node says besides its value."""
        self.specs.add(spec_of(node.layout))
        self.branches.update(node.branches)
        if node.fault is not None:
            self.faults[id(node.fault)] = node.fault.code


@dataclass(frozen=True, slots=True)
class _List:
    """A list of parts."""

    layout: str
    field: Field


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a sample shows of something that is no node."""

    value: Any = None
    meaning: str = ""


def _span(leaf: tuple[Node, str]) -> tuple[int, int]:
    return leaf[0].start, leaf[0].end


def _find_list(layouts: Mapping[str, Layout], layout_id: str) -> _List | None:
    """The list that columns stand in for the items of: that of their layout, or the one whose items have it."""
    own = [_List(layout_id, entry) for entry in layouts[layout_id] if entry.repeated and entry.type]
    of = [_List(layout.id, entry) for layout in layouts.values() for entry in layout if entry.repeated]
    found = own or [one for one in of if one.field.type == layout_id]
    return found[0] if len(found) == 1 else None


@cache
def _value_dissector(spec: str, width: int) -> Dissector:
    return Dissector(RecordReader(catalog.load(spec), arguments=(width,)))


def _is_filled(node: Node, raw: bytes) -> bool:
    if node.fault is not None:
        return False
    if node.children or node.field.kind in OPAQUE_KINDS or node.field.kind in PART_KINDS:
        return any(raw[node.start : node.end])
    value = node.value
    if isinstance(value, str):
        if node.field.kind in ("char", "code", "timestamp17"):
            return bool(value.strip(" \0"))
        return not _ZERO_DIGITS.fullmatch(value.strip(" \0"))
    return bool(value)


def _count_code(seen: FieldCoverage, node: Node, raw: bytes) -> None:
    value = node.value
    if value is None:
        return
    number = value if isinstance(value, int) else int.from_bytes(raw[node.start : node.end], "big")
    if any(code.value == number for code in seen.field.codes):
        seen.codes[number] += 1
    else:
        seen.unlisted[str(value)] += 1


def totals(counts: Iterable[ByteCount]) -> ByteCount:
    """The sum of counts."""
    return ByteCount(*map(sum, zip(*map(dataclasses.astuple, counts), strict=True)))
