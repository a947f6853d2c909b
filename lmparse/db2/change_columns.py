"""Column-wise reading of Db2 LUW changes: the rows of many changes of one table version together.

A change that is more than rows in one record is read one by one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.change import ROLES, Change
from lmparse.changes.column_reader import TABLE_NAMES, ChangeGroup, ColumnReader, RowExtents
from lmparse.changes.version_batches import VersionBatch
from lmparse.columnar import schemas
from lmparse.columnar.row_plan import DecodedRows
from lmparse.columnar.rows import Origin
from lmparse.db2.decoder import detail_of, name_of, outcome_of
from lmparse.db2.log import Db2Log
from lmparse.db2.row_plan import LuwRowPlan
from lmparse.db2.tables import Table
from lmparse.db2.transaction_index import ChangeReference, Transaction
from lmparse.errors import DataError
from lmparse.framing.extents import Span
from lmparse.framing.file_arrays import Gathered
from lmparse.framing.windows import MAX_BYTES, MAX_RECORDS
from lmparse.records.reader import Values
from lmparse.spec import catalog
from lmparse.spec.catalog import number_struct
from lmparse.spec.layout import Layout

_Pairs = Sequence[tuple[Transaction, ChangeReference]]


@dataclass(frozen=True)
class _Known:
    """The facts that all changes of one table version have in common."""

    table: Table
    names: dict[str, Any]
    """The values of TABLE_NAMES."""
    plan: LuwRowPlan | None
    """None if its rows are to be read one by one."""


@dataclass(frozen=True, slots=True)
class _Regular:
    """A change whose rows can be decoded column-wise."""

    number: int
    """Number of the change in its window."""
    transaction: Transaction
    entry: ChangeReference
    images: Sequence[tuple[int, int]]
    """Offset in the file and length of the row before, the row after, or both in this order."""


@dataclass(frozen=True, kw_only=True)
class _Group(ChangeGroup):
    """Regular changes of one table version."""

    changes: Sequence[_Regular]
    outcomes: Sequence[Values]
    """Outcome of each change."""


class LuwChangeColumns(ColumnReader[Db2Log, _Pairs, _Group]):
    """Reads the changes of one log column-wise."""

    def __init__(self, log: Db2Log, schema: pa.Schema | None = None) -> None:
        super().__init__(log, schema)
        self._origin = Origin(log)
        self._places = RowPlaces(log)
        self._known: dict[int, _Known] = {}
        """By identity of the table version, which the value keeps alive."""
        self._details: dict[tuple[bool, str | None], str | None] = {}

    def read(self, span: Span | None = None) -> Iterator[list[VersionBatch]]:
        self.log.keeps_bad_records = self.log.options.mode == "permissive"
        self.log.begin_changes()
        yield self._fallback_batches(self._fallback_rows(0, None))
        for pairs in _windows(self.log.in_order()):
            yield from self._read_window(pairs)
        self.log.end_changes()

    def _change(self, window: _Pairs, number: int) -> Change | None:
        return self.log.change_of(*window[number])

    # -- which changes ------------------------------------------------------------------------

    def _select(self, window: _Pairs) -> tuple[Iterable[_Group], list[int]]:
        log = self.log
        left_out: dict[str, list[int]] = {}
        others: list[int] = []
        found: dict[int, tuple[_Known, list[_Regular]]] = {}
        for number, (transaction, entry) in enumerate(window):
            if not log.is_asked_for(entry):
                continue
            why = log.why_left_out(transaction, entry)
            if why is not None:
                left_out.setdefault(why, []).append(number)
                continue
            known = self._known_of(transaction, entry)
            images = self._places.of(entry) if known is not None else ()
            if known is None or not images:
                others.append(number)
            else:
                changes = found.setdefault(id(known.table), (known, []))[1]
                changes.append(_Regular(number, transaction, entry, images))
        self._left_out += left_out.items()
        images = [image for _, changes in found.values() for change in changes for image in change.images]
        starts, lengths = np.array(images, np.int64).reshape(-1, 2).T
        rows = Gathered(log.buffer, starts, lengths)
        return (self._group(*group, rows) for group in found.values()), others

    def _known_of(self, transaction: Transaction, entry: ChangeReference) -> _Known | None:
        """The facts about the table of a change; None if the change is to be read one by one."""
        if entry.op not in ROLES or entry.notice is not None or entry.other is not None:
            return None
        try:
            table = self.log.descriptions.of(transaction, entry)
        except DataError:
            return None
        if table is None:
            return None
        known = self._known.get(id(table))
        if known is None:
            names = dict(zip(TABLE_NAMES, name_of(table, entry), strict=True))
            known = self._known[id(table)] = _Known(table, names, self._plan(table))
        return known if known.plan is not None else None

    def _plan(self, table: Table) -> LuwRowPlan | None:
        log = self.log
        if log.decoder.first_column_of(table) == 1:
            return None  # the decoder adds a notice when it reads the first row
        plan = LuwRowPlan(table, log.byte_order, log.code_page, trim=log.options.trim)
        plan = plan.in_full() if self._has_texts(table) else plan
        return plan if self._suits(table, plan) else None

    def _group(self, known: _Known, changes: Sequence[_Regular], gathered: Gathered) -> _Group:
        assert known.plan is not None
        rows: dict[str, RowExtents] = {}
        for role in ("before", "after"):
            held = [
                (place, *change.images[roles.index(role)])
                for place, change in enumerate(changes)
                if role in (roles := ROLES[change.entry.op])
            ]
            places, starts, lengths = np.array(held, np.int64).reshape(-1, 3).T
            rows[role] = RowExtents(places, gathered.places(starts), lengths)
        return _Group(
            version=known.table,
            names=known.names,
            plan=known.plan,
            data=gathered.data,
            numbers=np.array([change.number for change in changes], np.int64),
            rows=rows,
            changes=changes,
            outcomes=[outcome_of(change.transaction, change.entry) for change in changes],
        )

    # -- columns ------------------------------------------------------------------------------

    def _column(self, entry: pa.Field, group: _Group, decoded: Mapping[str, DecodedRows]) -> pa.Array | None:
        changes, texts = group.changes, list[str | None]()
        match entry.name:
            case "commit_ts":
                seconds = pa.array([change.transaction.commit_time for change in changes], pa.int64())
                return pc.multiply(seconds, 1_000_000).cast(schemas.MICROS)
            case "_metadata":
                places = ((one.index, one.offset, one.length) for one in (change.entry.extent for change in changes))
                return self._origin.metadata(*zip(*places, strict=True))
            case "op":
                texts = [change.entry.op for change in changes]
            case "seq":
                texts = [change.transaction.seq(change.entry) for change in changes]
            case "txn_id":
                texts = [change.transaction.txn_id for change in changes]
            case "detail":
                texts = [self._detail(change.entry) for change in changes]
            case name if name in group.outcomes[0]:
                texts = [outcome[name] for outcome in group.outcomes]
        return pa.array(texts, schemas.TEXT) if texts else None

    def _detail(self, entry: ChangeReference) -> str | None:
        key = entry.is_half, entry.gap
        if key not in self._details:
            detail = detail_of(entry)
            self._details[key] = json.dumps(detail, ensure_ascii=False) if detail else None
        return self._details[key]


def _windows(
    pairs: Iterator[tuple[Transaction, ChangeReference]],
) -> Iterator[list[tuple[Transaction, ChangeReference]]]:
    """Changes in windows of limited number and size."""
    held: list[tuple[Transaction, ChangeReference]] = []
    size, last = 0, -1
    for transaction, entry in pairs:
        # Rows of one record count once.
        size += entry.extent.length if entry.extent.index != last else 0
        last = entry.extent.index
        held.append((transaction, entry))
        if len(held) == MAX_RECORDS or size >= MAX_BYTES:
            yield held
            held, size = [], 0
    if held:
        yield held


@dataclass(frozen=True)
class _Shape:
    """Offsets of the rows in records of one kind, in bytes from the start of the record."""

    first: int
    gap: int | None
    """Number of bytes between two rows; None if the only row extends to the end of the record."""


class RowPlaces:
    """Finds the rows in the records of changes, which have been read once and are sound.

    The offsets in records of a kind come from the first record of it.
    """

    def __init__(self, log: Db2Log) -> None:
        self._log = log
        head = log.reader.spec.layout
        self._type = slice(head["type"].offset, head["general_flag"].end)
        header = catalog.load("db2_row_header").layout
        self._length = number_struct(header["record_length"], log.byte_order)
        self._length_place = header["record_length"].offset or 0
        prefix = catalog.load("db2_prefix").layouts[f"db2_prefix.{log.framing.name}"]
        sqlcode = prefix.by_id.get("sqlcode")
        self._sqlcode = None if sqlcode is None else ((sqlcode.offset or 0), sqlcode.end or 0)
        self._shapes: dict[tuple[str, bytes], _Shape | None] = {}
        self._last: tuple[int, list[tuple[int, int]]] = -1, []

    def of(self, reference: ChangeReference) -> Sequence[tuple[int, int]]:
        """Offset in the file and length of each row of a change; empty if it must be read one by one."""
        extent, buffer = reference.extent, self._log.buffer
        offset = extent.offset
        if len(extent.pieces) != 1 or self._is_compressed(offset):
            return ()
        key = reference.kind, buffer[offset + self._type.start : offset + self._type.stop]
        if key not in self._shapes:
            self._shapes[key] = self._shape(reference)
        shape = self._shapes[key]
        if shape is None:
            return ()
        start, end = offset + shape.first, offset + extent.length
        if shape.gap is None:
            return ((start, end - start),)
        if self._last[0] != offset:
            self._last = offset, self._walked(start, end, shape.gap)
        rows = self._last[1]
        return rows if reference.op == "U" else rows[reference.number : reference.number + 1]

    def _is_compressed(self, offset: int) -> bool:
        """As `LogRecord.is_compressed`."""
        if self._sqlcode is None:
            return False
        start = offset - self._log.framing.lead
        return any(self._log.buffer[start + self._sqlcode[0] : start + self._sqlcode[1]])

    def _shape(self, reference: ChangeReference) -> _Shape | None:
        body = self._log.logs.read(self._log.buffer, reference.extent).body
        spec = self._log.reader.spec
        layout = spec.layout_of(body)
        base = reference.extent.length - body._io.size()
        if "record" in layout.by_id:
            return _Shape(base + _offset(layout, "record"), None)
        if "old_row" in layout.by_id:
            parts = [_offset(spec.layouts[layout[name].type or ""], "record") for name in ("old_row", "new_row")]
            return _Shape(base + _offset(layout, "old_row") + parts[0], (layout["new_header"].width or 0) + parts[1])
        if "records" in layout.by_id:
            front = _offset(spec.layouts[layout["records"].type or ""], "record")
            return _Shape(base + _offset(layout, "records") + front, front)
        return None

    def _walked(self, start: int, end: int, gap: int) -> list[tuple[int, int]]:
        """Consecutive rows, each with the length in its own header; none if they do not fit into the record."""
        found = []
        while start < end:
            place = start + self._length_place
            length = self._length.unpack(self._log.buffer[place : place + self._length.size])[0]
            found.append((start, length))
            start += length + gap
        return found if start - gap <= end else []


def _offset(layout: Layout, name: str) -> int:
    return layout[name].offset or 0
