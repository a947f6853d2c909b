"""Record forms: what log records with one combination of type, flags, component and function have in common.

The generated parser reads one record of each combination. Its layout gives the places of the fields in all records of
the form. A rule of arithmetic proves that a record fits the form. Without a rule, records are parsed one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from lmparse.db2.record import kinds as record_kinds
from lmparse.db2.record.log_record import TABLE_NAMES, LogRecord
from lmparse.spec.catalog import Spec
from lmparse.spec.layout import Field, Layout
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Bytes, Ints, UInt64s
from lmparse.values.integers import ByteOrder


class Role(IntEnum):
    """What a record does in its transaction."""

    MEMBER = 0
    """The record changes nothing, but may begin a transaction. Without a transaction identifier it is of none."""
    CHANGE = 1
    """The record inserts, deletes or updates rows."""
    UNDO = 2
    """The record compensates a change of rows."""
    PIECE = 3
    """A piece of a value that is stored outside of its row."""
    COMMIT = 4
    ABORT = 5
    OBJECT = 6
    """A change of a table as a whole."""
    APART = 7
    """The record is of no transaction, and takes effect at once: the start of a load."""
    UNDO_OBJECT = 8
    """The record compensates a change of a table as a whole."""
    SINGULAR = 9
    """The record is a change and also commits its transaction."""


_PARSED_ROLES = (Role.OBJECT, Role.APART, Role.UNDO_OBJECT)
_PARSED_KINDS = (
    *record_kinds.LOBS_UNNAMED, record_kinds.XML, record_kinds.NOT_STORED_OUTSIDE, record_kinds.UNDO_MULTIPLE,
)  # fmt: skip
"""Kinds of records that are parsed one by one: such a record has no column, or several row ids."""
_LENGTHS = {"record": "record_length", "data": "data_length"}
"""By the id of a field, the id of the field that states its length."""


def role_of(record: LogRecord) -> Role:
    """The role of a record."""
    kind = record.kind
    if not record.is_captured:
        return Role.MEMBER
    if kind in record_kinds.COMMITS:
        return Role.COMMIT
    if kind in record_kinds.ABORTS:
        return Role.ABORT
    if kind == record_kinds.LOAD:
        return Role.APART
    if record.parsed.is_singular and kind in record_kinds.OPERATIONS:
        return Role.SINGULAR
    if record.is_compensating:
        undone = record_kinds.UNDOES.get(kind)
        if kind == record_kinds.NOT_STORED_OUTSIDE:
            return Role.UNDO
        if undone is None:
            return Role.MEMBER
        return Role.UNDO if record_kinds.ROWS.issuperset(undone) else Role.UNDO_OBJECT
    if kind in record_kinds.OPERATIONS:
        return Role.CHANGE if kind in record_kinds.ROWS else Role.OBJECT
    if kind in record_kinds.PIECES:
        return Role.PIECE if record.table is not None else Role.MEMBER
    return Role.MEMBER


@dataclass(frozen=True, eq=False)
class RecordForm:
    """Layout and role of the records of one combination."""

    kind: str
    role: Role
    base: int
    """Bytes of a record in front of its innermost part."""
    layout: Layout
    """Layout of the innermost part."""
    spec: Spec
    notes: tuple[str, ...]
    """As `LogRecord.notes`."""

    @classmethod
    def of(cls, record: LogRecord, spec: Spec) -> RecordForm:
        """The form of a parsed record."""
        base = record.extent.length - record.body._io.size()
        layout = spec.layout_of(record.body)
        return cls(record.kind, role_of(record), base, layout, spec, record.notes)

    @property
    def has_rows(self) -> bool:
        """Whether records of the form change rows."""
        return self.kind in record_kinds.ROWS and self.role in (Role.CHANGE, Role.SINGULAR)

    @cached_property
    def tail(self) -> tuple[str, ...]:
        """Ids of the fields behind the fixed part of the layout."""
        least = self.layout.least_width
        return tuple(
            entry.id for entry in self.layout if entry.offset is None or entry.width is None or entry.offset >= least
        )

    @cached_property
    def fit(self) -> str:
        """The name of the rule of arithmetic that proves that a record fits; empty if there is none.

        `exact`: the innermost part has the bytes of the layout. `least`: it has at least these. `counted`: its last
        field has the length that another field states. `optional`: as `counted`, or nothing is behind the fixed fields.
        `pair`, `many`: rows, each with its length inside.
        """
        tail = self.tail
        if self.kind == record_kinds.DIFFERENCE:
            return "least"
        is_of_table = self.role in _PARSED_ROLES or (self.role == Role.SINGULAR and not self.has_rows)
        if is_of_table or self.kind in _PARSED_KINDS:
            return ""
        if tail in ((), ("surplus",)):
            return "exact" if not tail or self.layout["surplus"].is_always_empty else ""
        if len(tail) == 1:
            field = self.layout[tail[0]]
            return "least" if field.ends == "_io" and field.width is None and not field.optional else ""
        if not self.layout[tail[-1]].is_always_empty:
            return ""
        if len(tail) == 2 and self.counting is not None:
            return "counted"
        if tail == ("authid_len", "authid", "surplus") and self.layout["authid_len"].optional:
            return "optional"
        if tail[:1] == ("old_row",) and self.kind in record_kinds.UPDATES:
            return "pair"
        return "many" if tail == ("records", "surplus") and self.kind == record_kinds.MULTIPLE else ""

    @cached_property
    def counting(self) -> Field | None:
        """The field that states the length of the first field of the tail; None without such a field."""
        name = _LENGTHS.get(self.tail[0], "") if len(self.tail) > 1 else ""
        return self.layout.by_id.get(name)

    @cached_property
    def table(self) -> tuple[Place, Place] | None:
        """Places of table space id and table id in the innermost part, as `LogRecord.table`; None without a table."""
        header = self.layout.by_id.get("header")
        if header is None or header.type is None:
            return None
        inside = self.spec.layouts[header.type]
        for names in TABLE_NAMES:
            if names[0] in inside.by_id:
                pool, object_ = (inside[name] for name in names)
                start = header.offset or 0
                return (start + (pool.offset or 0), pool), (start + (object_.offset or 0), object_)
        return None

    def inside(self, name: str) -> Layout:
        """The layout of a nested field."""
        found: Any = self.layout[name].type
        return self.spec.layouts[found]


# -- fields of many records -------------------------------------------------------------------


Place = tuple[int, Field]
"""An offset in bytes, and the field that is there."""


@dataclass(frozen=True, eq=False)
class Fields:
    """Reads numbers of many records in the byte order of a server."""

    layouts: Mapping[str, Layout]
    byte_order: ByteOrder

    def numbers(self, rows: Bytes, place: Place) -> UInt64s:
        """The unsigned number at a place of n rows of bytes. The first of several parts is the most significant."""
        offset, field = place
        if field.type is None:
            raw = rows[:, offset : offset + (field.width or 0)]
            return integers.decode_unsigned_array(raw, self.byte_order)
        found = np.zeros(len(rows), np.uint64)
        for part in self.layouts[field.type]:
            shift = np.uint64(8 * (part.width or 0))
            found = found << shift | self.numbers(rows, (offset + (part.offset or 0), part))
        return found

    def numbers_at(self, data: Bytes, starts: Ints, field: Field) -> UInt64s:
        """The unsigned number of a field at each of n offsets in flat `data`."""
        return self.numbers(byte_arrays.take_rows(data, starts, field.width or 0), (0, field))


def places(layout: Layout, width: int, start: int = 0) -> dict[str, Place]:
    """By id, the places of the fields in the first `width` bytes of a layout that begins at `start`."""
    found: dict[str, Place] = {}
    end = 0
    for field in layout:
        if end + (field.width or 0) > width or field.width is None:
            break
        found[field.id] = start + end, field
        end += field.width
    return found
