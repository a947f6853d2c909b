"""Column-wise reading of Db2 LUW changes: the rows of many changes of one table version together.

A change is read by itself if it is more than rows in one record.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from lmparse.changes.change import NOT_IN_LOG, Change
from lmparse.changes.column_reader import TABLE_NAMES, ChangeGroup, ColumnReader, RowExtents
from lmparse.changes.log import OUTSIDE
from lmparse.changes.rows import VersionBatch
from lmparse.columnar import arrays, json_texts, schemas
from lmparse.columnar.row_plan import DecodedRows
from lmparse.columnar.rows import Origin
from lmparse.db2.log import Db2Log
from lmparse.db2.record import json_headers as record_headers
from lmparse.db2.record.record_table import NO_TIME, table_number
from lmparse.db2.rows.change_decoder import DISPOSITIONS, name_of
from lmparse.db2.rows.lob_values import NOT_BEFORE
from lmparse.db2.rows.row_plan import LuwRowPlan
from lmparse.db2.tables.table import Column, Table
from lmparse.db2.transactions.changed_rows import INCLUDED, ChangeWindow, PartRows, Stretch, texts
from lmparse.db2.transactions.units import STATES
from lmparse.framing.extents import Span
from lmparse.framing.windows import MAX_BYTES, Gathered
from lmparse.values.byte_arrays import Bytes, Flags, Int64s, places_by_value


@dataclass(frozen=True, kw_only=True)
class _Group(ChangeGroup):
    """Regular changes of one table version."""

    part: PartRows
    changed: Int64s
    """Numbers of the changed rows in the part."""
    gathered: Gathered
    """Places of the bytes of the file in `data`."""
    outside_bytes: int
    """Bytes of the outside values of the rows."""

    @property
    def size(self) -> int:
        return super().size + self.outside_bytes


class LuwChangeColumns(ColumnReader[Db2Log, ChangeWindow, _Group]):
    """Reads the changes of one log column-wise."""

    def __init__(self, log: Db2Log, schema: pa.Schema | None = None) -> None:
        super().__init__(log, schema)
        self._origin = Origin(log)
        self._plans: dict[int, tuple[Table, LuwRowPlan | None]] = {}
        """By identity of the table version, which the value keeps alive; no plan if its rows are read one by one."""
        self._has_headers = log.options.header and (
            schema is None or not {"header", json_texts.LINE}.isdisjoint(schema.names)
        )

    def read(self, span: Span | None = None) -> Iterator[list[VersionBatch]]:
        self.log.keeps_bad_records = self.log.options.mode == "permissive"
        self.log.begin_changes()
        yield self._fallback_batches(self._fallback_rows(0, None))
        for window in self.log.change_windows(self.log.rows_together, MAX_BYTES):
            yield from self._read_window(window)
        self.log.end_changes()

    def _change(self, window: ChangeWindow, number: int) -> Change | None:
        return self.log.change_of(*window.pair(number))

    # -- which changes ------------------------------------------------------------------------

    def _select(self, window: ChangeWindow) -> tuple[Iterable[_Group], list[int]]:
        log, left_out = self.log, dict[str, list[int]]()
        others: list[int] = []
        for number, (transaction, entry) in zip(window.extra_numbers.tolist(), window.extras, strict=True):
            if log.is_asked_for(entry):
                why = log.why_left_out(transaction, entry)
                (others if why is None else left_out.setdefault(why, [])).append(number)
        self._left_out += left_out.items()
        groups: list[_Group] = []
        for stretch in window.stretches:
            chosen = self._chosen(stretch)
            is_whole = ~stretch.part.is_apart[chosen.rows]
            if self._has_headers:
                is_whole &= self._have_header_forms(chosen.part, chosen.rows)
            others += chosen.numbers[~is_whole].tolist()
            groups += self._groups(chosen.part, chosen.rows[is_whole], chosen.numbers[is_whole], others)
        return groups, others

    def _chosen(self, stretch: Stretch) -> Stretch:
        """The rows that the options select; rows that the options exclude are counted."""
        options, part, rows, numbers = self.log.options, stretch.part, stretch.rows, stretch.numbers
        if options.operations:
            letters = np.array([op.encode() for op in options.operations], "S1")
            is_asked = np.isin(part.ops[rows], letters)
            rows, numbers = rows[is_asked], numbers[is_asked]
        if self.log.table_ids is not None:
            ids = np.array([table_number(*one) for one in self.log.table_ids], np.int64)
            is_asked = np.isin(part.columns.rows.ids[rows], ids)
            rows, numbers = rows[is_asked], numbers[is_asked]
        if "all" not in options.include:
            found = part.included_as(rows)
            for number, word in enumerate(INCLUDED):
                if word not in options.include and (found == number).any():
                    self._left_out.append((word, numbers[found == number]))
            is_kept = np.isin(found, [INCLUDED.index(word) for word in options.include])
            rows, numbers = rows[is_kept], numbers[is_kept]
        is_inside = self._inside(part, rows)
        if is_inside is not None and not is_inside.all():
            self._left_out.append((OUTSIDE, numbers[~is_inside]))
            rows, numbers = rows[is_inside], numbers[is_inside]
        return Stretch(part, rows, numbers)

    def _inside(self, part: PartRows, rows: Int64s) -> Flags | None:
        """Which rows are in the range that the options set; None if they set none."""
        bounds = self.log.range
        if not bounds.bounds:
            return None
        found = np.ones(len(rows), np.bool_)
        if bounds.first_seq or bounds.last_seq:
            seqs = texts(part.seqs(rows))
            found &= (seqs >= (bounds.first_seq or "").encode()) & (seqs <= (bounds.last_seq or "G").encode())
        if bounds.first_time is not None or bounds.last_time is not None:
            times = part.units.commit_time[part.row_unit[rows]]
            micros = times * 1_000_000
            found &= times != NO_TIME
            found &= micros >= (-_NEVER if bounds.first_time is None else bounds.first_time)
            found &= micros <= (_NEVER if bounds.last_time is None else bounds.last_time)
        return found

    def _groups(self, part: PartRows, rows: Int64s, numbers: Int64s, others: list[int]) -> list[_Group]:
        """The rows by table version. Numbers of rows that are read one by one are added to `others`."""
        found: dict[int, tuple[Table, LuwRowPlan, list[Int64s]]] = {}
        for table, places in part.versions(rows, self.log.descriptions):
            plan = None if table is None else self._plan_of(table)
            if table is None or plan is None:
                others += numbers[places].tolist()
            else:
                found.setdefault(id(table), (table, plan, []))[2].append(places)
        every = np.concatenate([np.zeros(0, np.int64), *(places for *_, some in found.values() for places in some)])
        gathered = self._gathered(part, rows[every])
        groups = []
        for table, plan, some in found.values():
            places = some[0] if len(some) == 1 else np.sort(np.concatenate(some))
            groups.append(self._group(table, plan, part, rows[places], numbers[places], gathered))
        return groups

    def _gathered(self, part: PartRows, rows: Int64s) -> Gathered:
        """The bytes of some rows, or of their records if headers are shown."""
        held, members = part.columns.rows, part.columns.members
        if self._has_headers:
            record = held.member[rows]
            return Gathered(self.log.buffer, members.offset[record], members.length[record])
        starts, lengths = (np.concatenate([getattr(held, name)[rows] for name in names]) for names in _IMAGES)
        return Gathered(self.log.buffer, starts[starts >= 0], lengths[starts >= 0])

    def _plan_of(self, table: Table) -> LuwRowPlan | None:
        known = self._plans.get(id(table))
        if known is None:
            known = self._plans[id(table)] = table, self._plan(table)
        return known[1]

    def _plan(self, table: Table) -> LuwRowPlan | None:
        log = self.log
        if log.decoder.first_column_of(table) == 1:
            return None
        plan = LuwRowPlan(table, log.byte_order, log.code_page, trim=log.options.trim)
        plan = plan.in_full() if self._has_texts(table) else plan
        return plan if self._suits(table, plan) else None

    def _group(
        self, table: Table, plan: LuwRowPlan, part: PartRows, rows: Int64s, numbers: Int64s, gathered: Gathered
    ) -> _Group:
        held = part.columns.rows
        images: dict[str, RowExtents] = {}
        for role, starts, lengths in (
            ("before", held.before[rows], held.before_length[rows]),
            ("after", held.after[rows], held.after_length[rows]),
        ):
            places = np.flatnonzero(starts >= 0)
            images[role] = RowExtents(places, gathered.places(starts[places]), lengths[places])
        outside_bytes = 0
        if lobs := self._lobs_outside(table, plan):
            after = images["after"]
            values = part.outside.of(self.log.buffer, rows[after.places], after.starts, lobs)
            plan, outside_bytes = plan.with_outside(values), len(values.data)
        return _Group(
            version=table,
            names=dict(zip(TABLE_NAMES, name_of(table, table.ids), strict=True)),
            plan=plan,
            data=gathered.data,
            numbers=numbers,
            rows=images,
            part=part,
            changed=rows,
            gathered=gathered,
            outside_bytes=outside_bytes,
        )

    def _lobs_outside(self, table: Table, plan: LuwRowPlan) -> list[Column]:
        """The columns of a table version whose outside values are read by the column."""
        if self.log.decoder.first_column_of(table) is None:
            return []
        lobs = [column.column for column in plan.lob_columns(self._wanted_columns)]
        is_placed = all(lob.offset < next_.offset for lob, next_ in pairwise(lobs))  # reasons are in column order
        return lobs if is_placed else []

    # -- headers ------------------------------------------------------------------------------

    def _have_header_forms(self, part: PartRows, rows: Int64s) -> Flags:
        """Which rows are in records whose headers are read by the column. New forms of headers are learned."""
        record = part.columns.rows.member[rows]
        forms = part.columns.members.form[record]
        found = np.ones(len(rows), np.bool_)
        for number, places in places_by_value(forms):
            place = int(places[0])
            if number not in part.header_forms:
                extent, second = part.columns.extent(int(record[place])), int(part.columns.rows.after[rows[place]])
                part.header_forms[number] = record_headers.learned(self.log.logs, self.log.buffer, extent, second)
            if part.header_forms[number] is None:
                found[places] = False
        return found

    def _headers(self, group: _Group) -> pa.Array:
        """The headers of the records as JSON."""
        held, members = group.part.columns.rows, group.part.columns.members
        record = held.member[group.changed]
        starts = group.gathered.places(members.offset[record])
        after = held.after[group.changed]
        seconds = starts + np.where(after < 0, 0, after - members.offset[record])
        forms, texts_, order = members.form[record], [], []
        for number, which in places_by_value(forms):
            form = group.part.header_forms[number]
            assert form is not None
            texts_.append(form.texts(group.data, starts[which], seconds[which]))
            order.append(which)
        if len(texts_) == 1:
            return texts_[0]
        return pa.concat_arrays(texts_).take(pa.array(np.argsort(np.concatenate(order))))

    # -- columns ------------------------------------------------------------------------------

    def _column(self, entry: pa.Field, group: _Group, decoded: Mapping[str, DecodedRows]) -> pa.Array | None:
        part, rows = group.part, group.changed
        units, unit = part.units, part.row_unit[rows]
        match entry.name:
            case "commit_ts":
                times = units.commit_time[unit]
                return arrays.numbers(times * 1_000_000, schemas.MICROS, times == NO_TIME)
            case "_metadata":
                members, record = part.columns.members, part.columns.rows.member[rows]
                places = (members.index[record], members.offset[record], members.length[record])
                return self._origin.metadata(*places)
            case "header":
                return self._headers(group)
            case "op":
                return _texts(part.ops[rows].view(np.uint8).reshape(len(rows), 1))
            case "seq":
                return _texts(part.seqs(rows))
            case "txn_id":
                return _texts(part.txn_ids(rows))
            case "detail":
                return _details(group, decoded)
            case "auth_id":
                return _named(part.authids, units.authid[unit])
            case "uor_disp":
                return _named(_DISPOSITIONS, units.state[unit])
            case "log_rec_disp":
                return _named(_DISPOSITIONS, part.states(rows))
        return None


_IMAGES = (("before", "after"), ("before_length", "after_length"))
_NEVER = 1 << 62
_DISPOSITIONS = [DISPOSITIONS.get(word) for word in STATES]


def _texts(digits: Bytes) -> pa.Array:
    """(n, width) characters as texts."""
    return arrays.strings(np.ascontiguousarray(digits).reshape(-1), arrays.steps(*digits.shape))


def _named(names: Sequence[str | None], numbers: Int64s) -> pa.Array:
    """The name with each number; null for a number below zero. Takes time by the numbers, not by the names."""
    different, which = np.unique(numbers, return_inverse=True)
    known = pa.array([None if number < 0 else names[number] for number in different.tolist()], schemas.TEXT)
    return known.take(pa.array(which))


def _details(group: _Group, decoded: Mapping[str, DecodedRows]) -> pa.Array | None:
    """JSON texts on missing rows, and on values that are not in the log; None if there are neither."""
    gaps = group.part.gaps(group.changed)
    columns = [(role, name, flags) for role, rows in decoded.items() for name, flags in rows.absent.items()]
    absent = np.zeros((len(group.changed), len(columns)), np.bool_)
    for number, (role, _, flags) in enumerate(columns):
        absent[group.rows[role].places, number] = flags
    first, which = np.zeros(1, np.int64), np.zeros(len(absent), np.int64)
    if absent.any():
        _, first, which = np.unique(np.packbits(absent, axis=1), axis=0, return_index=True, return_inverse=True)
        which = which.reshape(-1)
    elif gaps is None:
        return None
    found = [
        {f"{role}.{name}": _REASONS[role] for (role, name, _), is_set in zip(columns, flags, strict=True) if is_set}
        for flags in absent[first].tolist()
    ]
    if gaps is None:
        return pa.array([_detail(None, one) for one in found], schemas.TEXT).take(pa.array(which))
    return pa.array([_detail(gap, found[one]) for gap, one in zip(gaps, which.tolist(), strict=True)], schemas.TEXT)


_REASONS = {"before": NOT_BEFORE, "after": NOT_IN_LOG}


def _detail(gap: str | None, absent: dict[str, str]) -> str | None:
    found = ({} if gap is None else {"gap": gap}) | ({"absent": absent} if absent else {})
    return json.dumps(found, ensure_ascii=False) if found else None
