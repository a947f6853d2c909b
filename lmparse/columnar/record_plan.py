"""Record plans: records of one spec as Arrow columns, many records at a time.

Places and kinds of fields come from the layout, so a changed spec needs no change here. A plan states beforehand how
each column is decoded, or why the records of a spec cannot be decoded column-wise. Records that are not as regular as
the plan requires, or that have a value that a kernel marks as bad, are marked, and the caller reads them by the parser.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from lmparse.columnar import arrays, kernels, schemas
from lmparse.columnar.column_plans import ColumnPlan, Widen, column_plans, in_full, widened
from lmparse.columnar.field_reasons import END, is_limited, reasons
from lmparse.columnar.filters import Filter, mask
from lmparse.framing.windows import Window
from lmparse.records.reader import default_page
from lmparse.spec.catalog import Spec
from lmparse.spec.layout import Field, Layout
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Bytes, Flags, Int64s
from lmparse.values.codepages import CodePage

_MOST_BYTES = 1 << 60
"""Bytes of a record from which on a place is not a number of 64 bits."""


@dataclass(frozen=True)
class Source:
    """The place of a field in a described header."""

    offset: int
    width: int
    """Bytes from `offset` on."""
    widen: Widen | None = None
    """Converts them to the width of the field; None if they have that width."""
    can_fail: bool = False
    """Whether some bytes cannot be converted."""


@dataclass(frozen=True)
class DescribedHeader:
    """A header that the log itself describes, and that differs from the layout."""

    width: int
    """Bytes of the header, which each record must state too; the rest of the record is behind them."""
    sources: Mapping[str, Source]
    """Sources of all fields of fixed width, by field id."""
    absent: frozenset[str]
    """Ids of fields that it lacks; they are null, whatever their source."""
    extra: tuple[Field, ...]
    """Additional fields, which the layout does not have, with their offsets."""


@dataclass(frozen=True)
class Decoded:
    """The columns of the records of a window."""

    arrays: list[pa.Array]
    """In the requested order. Values of irregular records are undefined."""
    irregular: Flags
    """Records that must be read by the parser."""
    raw: dict[str, Bytes]
    """Undecoded bytes of the columns that were requested so, (n, width)."""
    rest: dict[str, tuple[Int64s, Int64s]]
    """Offset in the window's data, and length, of requested columns that extend to the end of a part."""


class RecordPlan:
    """How the columns of the records of a spec are decoded.

    `reason` states why its records cannot be decoded column-wise; it is empty if they can.
    """

    def __init__(
        self,
        spec: Spec,
        page: CodePage | None = None,
        *,
        end_at: int | None = None,
        reason: str = "",
        described: DescribedHeader | None = None,
        labels: bool = False,
    ) -> None:
        self.spec = spec
        self.is_described = described is not None
        self._page = page or default_page(spec)
        self._shape = _Shape(spec.layouts, spec.layout, end_at, described)
        self.reason = reason or self._shape.reason
        self.reasons = self._shape.reasons
        if spec.has_kind:
            self.reason = self.reason or "a code in each record decides what it is"
        self.ways: dict[str, ColumnPlan] = {}
        """Column plans by the name of the column."""
        for entry in () if self.reason else spec.layout:
            for way in column_plans(self.spec.layouts, self.spec.layout, entry, self._page, labels=labels):
                self._add(way if described is None else _moved(way, described))
        for entry in () if self.reason or described is None else described.extra:
            if entry.id in self.ways or entry.id in schemas.OUTCOMES:
                self.reason = f"{entry.id}: another column has that name"
            for way in column_plans(self.spec.layouts, self.spec.layout, entry, self._page):
                self._add(way)

    def _add(self, way: ColumnPlan) -> None:
        self.ways[way.column] = way
        if way.kernel == "":
            self.reason = self.reason or f"{way.field.id}: there is no kernel for {way.field.kind}"

    def in_full(self) -> RecordPlan:
        """The same plan for values as JSON has them: times as text with all digits, whole numbers as integers."""
        found = copy(self)
        found.ways = {name: in_full(way) for name, way in self.ways.items()}
        return found

    def refusal(self, schema: pa.Schema) -> str:
        """Why rows of a schema cannot be decoded column-wise; empty if they can."""
        for entry in () if self.reason else schema:
            way = self.ways.get(entry.name)
            if entry.name not in schemas.OUTCOMES and (way is None or not _may_become(way.type, entry.type)):
                why = "is calculated" if entry.name in self.spec.layout.computed else "is not a column"
                return f"{entry.name}: is {way.type} and not {entry.type}" if way else f"{entry.name}: {why}"
        return self.reason

    @property
    def fallible(self) -> list[str]:
        """Columns whose bytes may not be a value: a record is known to be good only after these have been decoded."""
        return [way.column for way in self.ways.values() if way.can_fail]

    def decode(self, window: Window, columns: Sequence[str], raw: Sequence[str] = ()) -> Decoded:
        """Some columns of the records of a window, and the bytes of others. The plan must have no `reason`."""
        ways = [self.ways[name] for name in columns]
        found = self._shape.of(window)
        irregular = ~found.is_regular
        kept = [self.ways[name] for name in raw]
        fixed = [way for way in (*ways, *kept) if way.width]
        if not found.is_regular.any():
            nothing = [pa.nulls(len(irregular), way.type) for way in ways]
            zeros = {way.column: np.zeros((len(irregular), way.field.width or 0), np.uint8) for way in kept}
            return Decoded(nothing, irregular, zeros, dict.fromkeys(raw, (found.starts, 0 * found.starts)))
        rest = {way.column: found.rest(way.field) for way in kept if way.width is None}
        low = min((way.offset for way in fixed), default=0)
        high = max((way.offset + (way.width or 0) for way in fixed), default=0)
        rows = byte_arrays.take_rows(window.data, found.starts + low, high - low)
        made = [self._array(way, rows, low, found, irregular) for way in ways]
        bytes_ = {way.column: _bytes_of(way, _cut(way, rows, low)) for way in kept if way.width is not None}
        return Decoded(made, irregular, bytes_, rest)

    def deciding(self, filters: Sequence[Filter]) -> list[Filter]:
        """The filters that can exclude a record before its other columns are decoded."""
        return [
            entry
            for entry in filters
            if entry.rejects_null and entry.column in self.ways and entry.fits(self.ways[entry.column].type)
        ]

    def decode_matching(
        self, window: Window, columns: Sequence[str], filters: Sequence[Filter]
    ) -> tuple[Int64s, Decoded]:
        """The numbers of records that may fulfil `deciding` filters, or are irregular, and their columns."""
        names = list(dict.fromkeys(entry.column for entry in filters))
        first = self.decode(window, names)
        found = dict(zip(names, first.arrays, strict=True))
        irregular = first.irregular
        numbers = np.flatnonzero(irregular | mask(found, filters))
        if len(numbers) < len(window):
            # Always, because leaving records out here never takes longer than decoding them.
            window = some_of(window, numbers)
            found = {name: array.take(pa.array(numbers)) for name, array in found.items()}
            irregular = irregular[numbers]
        others = [name for name in columns if name not in found]
        second = self.decode(window, others)
        found |= zip(others, second.arrays, strict=True)
        return numbers, Decoded([found[name] for name in columns], irregular | second.irregular, {}, {})

    def _array(self, way: ColumnPlan, rows: Bytes, low: int, found: _Found, irregular: Flags) -> pa.Array:
        if way.width is None or way.read is None:
            start, length = found.rest(way.field)
            is_absent = length == 0 if way.field.kind == "rest" or way.field.optional else None
            return arrays.ragged_binary(found.data, start, length, is_absent)
        array, bad = way.read(_cut(way, rows, low))
        if way.field.optional:
            has = found.has(way.field)
            array = arrays.without(array, ~has)
            bad = None if bad is None else bad & has
        if bad is not None:
            irregular |= bad
        return array


@dataclass(frozen=True)
class _Found:
    """The places of the records of a window and of their parts."""

    data: Bytes
    own_starts: Int64s
    starts: Int64s
    """The starts, with that of a regular record in place of those of irregular records."""
    ends: dict[str, Int64s]
    """Ends of parts, from the start of the record."""
    tails: dict[str, Int64s | int]
    """Starts of the fields that extend to the end of a part, from the start of the record, by their ids."""
    is_regular: Flags

    def has(self, field: Field) -> Flags:
        """Which records have an optional field."""
        has: Flags = self.ends[field.ends or END] > (field.offset or 0)
        return has

    def rest(self, field: Field) -> tuple[Int64s, Int64s]:
        """Offset and length of a field that extends to the end of a part."""
        end = self.ends[field.ends or END]
        begin = self.tails[field.id]
        # Irregular records get an empty piece at their start, so that pieces stay in order.
        return self.own_starts + np.where(self.is_regular, begin, 0), np.where(self.is_regular, end - begin, 0)


class _Shape:
    """Decides which records have their fields at the places of the layout, and where their parts end."""

    def __init__(
        self, layouts: Mapping[str, Layout], layout: Layout, end_at: int | None, described: DescribedHeader | None
    ) -> None:
        self._layout = layout
        self._end_at = end_at
        self._least = layout.least_width
        self._high = max((entry.end or 0 for entry in layout), default=0)
        self._optional = [entry for entry in layout if entry.optional and entry.width is not None]
        self._behind = _behind_optional(layout)
        self._placed = [entry for entry in layout if entry.width is not None]
        self._tail = [entry for entry in layout if entry.width is None]
        self._ends = list(dict.fromkeys(entry.ends for entry in layout if entry.ends not in (None, END)))
        self._limited = [entry for entry in layout if entry.kind in ("uint", "int") and is_limited(entry)]
        self.reasons = reasons(layouts, layout)
        """Why fields cannot be decoded column-wise, by their ids."""
        self.reason = self._refusal()
        if described is not None:
            self._describe(described)

    def _describe(self, described: DescribedHeader) -> None:
        """Use a described header: only the field with the end of the header is where the layout has it.

        That field must contain the width of the header.
        """
        limited = [entry.id for entry in self._limited if entry.id not in self._ends]
        if limited or not self._ends:
            why = f"{limited[0]}: only the parser can check it" if limited else "no field says where the header ends"
            self.reason = self.reason or f"{why} in a described header"
        self._end_at = described.width
        self._least = self._high = max(described.width, *(self._layout[name or ""].end or 0 for name in self._ends), 0)
        self._optional, self._limited, self._behind, self._placed = [], [], [], []

    def _refusal(self) -> str:
        layout = self._layout
        if layout.params and layout.endian is None:
            return f"needs {', '.join(layout.params)}"
        if layout.little is not None:
            return "the data decide its byte order"
        for field_id, why in self.reasons.items():
            return f"{field_id}: {why}"
        if self._high > _MOST_BYTES:
            return "records are not as long as its fields"
        if len(self._ends) > 1:
            return f"{' and '.join(map(str, self._ends))}: several fields say where a part ends"
        tail = self._tail
        if len(tail) > 1 and [(entry.kind, entry.ends == END) for entry in tail] != [
            ("rest", False),
            ("variable", True),
        ]:
            return f"{tail[1].id}: its place depends on the data"
        if tail and layout.fields[-len(tail) :] != tuple(tail):
            return f"{tail[0].id}: its length depends on the data"
        return ""

    def of(self, window: Window) -> _Found:
        """The places of the records of a window."""
        size = len(window.data)
        is_regular: Flags = (window.lengths >= self._least) & (window.starts + self._high <= size)
        starts = byte_arrays.stand_in(window.starts, is_regular)
        if starts is None:
            return _Found(window.data, window.starts, window.starts, {}, {}, is_regular)
        numbers = {entry.id: self._number(window.data, starts, entry) for entry in self._limited}
        for entry in self._limited:
            found = numbers[entry.id]
            if entry.minimum is not None:
                is_regular &= found >= entry.minimum
            if entry.maximum is not None:
                is_regular &= found <= entry.maximum
        ends = {END: window.lengths}
        for name in self._ends:
            entry = self._layout[name or ""]
            end = numbers[entry.id] if entry.id in numbers else self._number(window.data, starts, entry)
            is_regular &= (end >= self._least) & (end <= window.lengths)
            if self._end_at is not None:
                is_regular &= end == self._end_at
            ends[entry.id] = end
        for entry in self._optional:
            # The bytes of a field that is cut short belong to another field.
            end = ends[entry.ends or END]
            is_regular &= (end <= (entry.offset or 0)) | (end >= (entry.end or 0))
        for missing, entry in self._behind:
            # Without the field in front it is not at its place in the layout, so it must be absent too.
            is_there = ends[missing.ends or END] > (missing.offset or 0)
            if entry.optional:
                is_regular &= is_there | (ends[entry.ends or END] <= (missing.offset or 0))
            else:
                is_regular &= is_there & (window.lengths >= (entry.end or 0))
        tails: dict[str, Int64s | int] = {}
        begin = self._begin_of_tail(ends) if self._tail else 0
        for entry in self._tail:
            tails[entry.id] = begin
            if entry.ends != END:
                begin = ends[entry.ends or END]
                is_regular &= begin >= tails[entry.id]
        safe = byte_arrays.stand_in(starts, is_regular)
        return _Found(window.data, window.starts, starts if safe is None else safe, ends, tails, is_regular)

    def _begin_of_tail(self, ends: dict[str, Int64s]) -> Int64s | int:
        """Where the last field of fixed width ends that is there."""
        begin: Int64s | int = self._least
        for entry in self._placed:
            if not entry.optional:
                begin = entry.end or 0
            else:
                begin = np.where(ends[entry.ends or END] > (entry.offset or 0), entry.end or 0, begin)
        return begin

    def _number(self, data: Bytes, starts: Int64s, entry: Field) -> Int64s:
        raw = byte_arrays.take_rows(data, starts + (entry.offset or 0), entry.width or 0)
        read = integers.decode_signed_array if entry.kind == "int" else integers.decode_unsigned_array
        return read(raw, self._layout.byte_order(entry)).astype(np.int64)


def _behind_optional(layout: Layout) -> list[tuple[Field, Field]]:
    """Pairs of an optional field and one behind it, unless both are missing where the same part ends."""
    placed = [entry for entry in layout if entry.width is not None]
    return [
        (missing, entry)
        for number, missing in enumerate(placed)
        if missing.optional
        for entry in placed[number + 1 :]
        if not entry.optional or entry.ends != missing.ends
    ]


def some_of(window: Window, numbers: Int64s) -> Window:
    """Some records of a window, by their numbers in it; its `first_index` no longer applies."""
    if len(numbers) == len(window):
        return window
    starts, lengths, offsets = window.starts[numbers], window.lengths[numbers], window.offsets[numbers]
    return replace(window, starts=starts, lengths=lengths, offsets=offsets)


def _moved(way: ColumnPlan, described: DescribedHeader) -> ColumnPlan:
    """A column plan for the place of the field in a described header."""
    entry = replace(way.field, optional=False)
    if entry.kind == "rest":
        # The bytes between the known fields and the end of the header are described too.
        return replace(way, field=entry, kernel="absent", offset=0, width=0, read=partial(kernels.nulls, way.type))
    if way.read is None or way.width is None:
        return replace(way, field=entry, offset=described.width)
    source, start = described.sources[entry.id], way.offset - (entry.offset or 0)
    moved = replace(way, field=entry, offset=source.offset, width=source.width, widen=source.widen)
    if entry.id in described.absent:
        return replace(moved, kernel="absent", read=partial(kernels.nulls, way.type), can_fail=False)
    if source.widen is None:
        return replace(moved, offset=source.offset + start, width=way.width)
    read = partial(widened, source.widen, slice(start, start + way.width), way.read)
    return replace(moved, read=read, can_fail=way.can_fail or source.can_fail)


def _cut(way: ColumnPlan, rows: Bytes, low: int) -> Bytes:
    """The bytes of a column, from rows that begin `low` bytes behind the start of their records."""
    start = way.offset - low if way.width else 0
    return rows[:, start : start + (way.width or 0)]


def _bytes_of(way: ColumnPlan, raw: Bytes) -> Bytes:
    return raw if way.widen is None else way.widen(raw)[0]


def _may_become(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether Arrow casts one type to another with the result of the row reader."""
    return bool(found == wanted or (pa.types.is_integer(found) and pa.types.is_integer(wanted)))
