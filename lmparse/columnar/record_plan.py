"""Record plans: records of one spec as Arrow columns, many records at a time.

What stands where comes from the layout, so a spec that changes needs nothing here. A plan
says beforehand which way each column goes, and why a spec cannot be read this way. Records
that are not as regular as the plan supposes, or that hold a value that no kernel can vouch
for, are marked, and whoever asked reads them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from lmparse.columnar import arrays, kernels, schemas
from lmparse.columnar.filters import Filter, mask
from lmparse.columnar.kernels import Kernel, KernelResult
from lmparse.framing.windows import Window
from lmparse.records.reader import default_page, page_of_field
from lmparse.spec.catalog import Spec
from lmparse.spec.layout import Field, Layout
from lmparse.values import byte_arrays, integers, texts
from lmparse.values.byte_arrays import Bytes, Flags, Int64s
from lmparse.values.codepages import CodePage
from lmparse.values.integers import ByteOrder

_TEXTS = {"char": "text", "code": "text", "hextext": "hexadecimal text", "decimaltext": "decimal text"}
"""What reads each kind of text, a word."""
END = "_io"
"""What `Field.ends` says of the end of the record."""
Widen = Callable[[Bytes], tuple[Bytes, Flags | None]]
"""From (n, width) bytes to those of another width, and which of them cannot be brought there (None: none)."""


@dataclass(frozen=True)
class Source:
    """Where a described header has the bytes of a field."""

    offset: int
    width: int
    """Bytes from `offset` on."""
    widen: Widen | None = None
    """Brings them to the width of the field; None where they have it."""
    can_fail: bool = False
    """Whether some bytes cannot be brought there."""


@dataclass(frozen=True)
class DescribedHeader:
    """A header that a log describes itself, otherwise than the layout does."""

    width: int
    """Bytes of the header, which each record says itself too; what fills the record up stands behind them."""
    sources: Mapping[str, Source]
    """By id, of every field of fixed width."""
    absent: frozenset[str]
    """Ids of fields that it lacks: they are null, whatever their source gives."""
    extra: tuple[Field, ...]
    """Fields that the layout does not have, at their places."""


@dataclass(frozen=True)
class ColumnPlan:
    """How one column is made."""

    column: str
    """Its name: the field's, or of a part of it."""
    field: Field
    kernel: str
    """What reads it, a word."""
    offset: int
    width: int | None
    """Bytes from `offset` on; None for what reaches to the end of a part."""
    type: pa.DataType
    read: Kernel | None
    can_fail: bool = False
    """Whether some bytes are no value."""
    widen: Widen | None = None
    """What brings its bytes to the width of the field, where a header that is described has another; `read` does."""


@dataclass(frozen=True)
class Decoded:
    """The columns of the records of a window."""

    arrays: list[pa.Array]
    """In the order that was asked for. At irregular records they mean nothing."""
    irregular: Flags
    """Records that are to be read one by one."""
    raw: dict[str, Bytes]
    """Bytes of the columns that were asked for as they are, (n, width)."""
    rest: dict[str, tuple[Int64s, Int64s]]
    """Place in the window's data, and length, of the columns that reach to the end of a part."""


class RecordPlan:
    """Which way the columns of the records of a spec go.

    `reason` says why its records cannot be read by the column, and is empty when they can.
    """

    def __init__(
        self,
        spec: Spec,
        page: CodePage | None = None,
        *,
        end_at: int | None = None,
        reason: str = "",
        described: DescribedHeader | None = None,
    ) -> None:
        self.spec = spec
        self.is_described = described is not None
        self._page = page or default_page(spec)
        self._shape = _Shape(spec.layouts, spec.layout, end_at, described)
        self.reason = reason or self._shape.reason
        if spec.has_kind:
            self.reason = self.reason or "a code in each record decides what it is"
        self.ways: dict[str, ColumnPlan] = {}
        """By the name of the column."""
        for entry in () if self.reason else spec.layout:
            for way in self._ways(entry):
                self._add(way if described is None else _moved(way, described))
        for entry in () if self.reason or described is None else described.extra:
            if entry.id in (*self.ways, *schemas.OUTCOMES):
                self.reason = f"{entry.id}: another column has that name"
            for way in self._ways(entry):
                self._add(way)

    def _add(self, way: ColumnPlan) -> None:
        self.ways[way.column] = way
        if way.kernel == "":
            self.reason = self.reason or f"{way.field.id}: nothing reads {way.field.kind} by the column"

    def refusal(self, schema: pa.Schema) -> str:
        """Why rows of a schema cannot be read by the column; empty when they can."""
        for entry in () if self.reason else schema:
            way = self.ways.get(entry.name)
            if entry.name not in schemas.OUTCOMES and (way is None or not _may_become(way.type, entry.type)):
                return f"{entry.name}: is {way.type} and not {entry.type}" if way else f"{entry.name}: is no column"
        return self.reason

    @property
    def fallible(self) -> list[str]:
        """Columns that may hold what is no value, so that they must be read for a record to be known as good."""
        return [way.column for way in self.ways.values() if way.can_fail]

    def decode(self, window: Window, columns: Sequence[str], raw: Sequence[str] = ()) -> Decoded:
        """Some columns of the records of a window, and bytes of others. The plan must have no `reason`."""
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
        """The filters that can rule out a record before its other columns are read."""
        return [
            entry
            for entry in filters
            if entry.rejects_null and entry.column in self.ways and entry.fits(self.ways[entry.column].type)
        ]

    def decode_matching(
        self, window: Window, columns: Sequence[str], filters: Sequence[Filter]
    ) -> tuple[Int64s, Decoded]:
        """Which records may fulfil filters that are `deciding`, irregular ones among them, and their columns."""
        names = list(dict.fromkeys(entry.column for entry in filters))
        first = self.decode(window, names)
        found = dict(zip(names, first.arrays, strict=True))
        irregular = first.irregular
        numbers = np.flatnonzero(irregular | mask(found, filters))
        if len(numbers) < len(window):
            # However many they are: the others are decoded in no less time than it takes to leave them out here.
            starts, lengths, offsets = window.starts[numbers], window.lengths[numbers], window.offsets[numbers]
            window = replace(window, starts=starts, lengths=lengths, offsets=offsets)
            found = {name: array.take(pa.array(numbers)) for name, array in found.items()}
            irregular = irregular[numbers]
        others = [name for name in columns if name not in found]
        second = self.decode(window, others)
        found |= zip(others, second.arrays, strict=True)
        return numbers, Decoded([found[name] for name in columns], irregular | second.irregular, {}, {})

    def _array(self, way: ColumnPlan, rows: Bytes, low: int, found: _Found, irregular: Flags) -> pa.Array:
        if way.width is None or way.read is None:
            start, length = found.rest(way.field)
            is_absent = length == 0 if way.field.kind == "rest" else None
            return arrays.ragged_binary(found.data, start, length, is_absent)
        array, bad = way.read(_cut(way, rows, low))
        if way.field.optional:
            has = found.has(way.field)
            array = arrays.without(array, ~has)
            bad = None if bad is None else bad & has
        if bad is not None:
            irregular |= bad
        return array

    def _ways(self, entry: Field) -> list[ColumnPlan]:
        type_ = schemas.arrow_type(self.spec.layouts, entry)
        if entry.width is None:
            return [ColumnPlan(entry.id, entry, "bytes to the end", entry.offset or 0, None, type_, None)]
        name, kernel = self._kernel(entry, type_)
        offset = entry.offset or 0
        can_fail = entry.kind in ("timestamp17", "hextext", "decimaltext") or (
            entry.kind in _TEXTS and not texts.is_total(page_of_field(entry, self._page))
        )
        ways = [ColumnPlan(entry.id, entry, name, offset, entry.width, type_, kernel, can_fail)]
        for part in schemas.parts(self.spec.layouts, entry):
            column, number = f"{entry.id}_{part.id}", partial(kernels.integer, pa.int64(), "big", False)
            ways.append(
                ColumnPlan(column, entry, "unsigned", offset + (part.offset or 0), part.width, pa.int64(), number)
            )
        return ways

    def _kernel(self, entry: Field, type_: pa.DataType) -> tuple[str, Kernel | None]:
        kind, order = entry.kind, _byte_order(self.spec.layout)
        if kind in ("uint", "int"):
            return ("unsigned", "signed")[kind == "int"], partial(kernels.integer, type_, order, kind == "int")
        if kind == "float":
            return "ieee", partial(kernels.ieee, order)
        if kind == "timestamp17":
            return "timestamp17", kernels.timestamp17
        if kind in ("lrsn10", "rba10", "bytes"):
            return "bytes", kernels.binary
        page = page_of_field(entry, self._page)
        if kind not in _TEXTS or kernels.text_refusal(page) or (kind == "code" and order == "little"):
            return "", None
        if kind == "hextext":
            return _TEXTS[kind], partial(kernels.hex_text, page)
        if kind == "decimaltext":
            return _TEXTS[kind], partial(kernels.decimal_text, page)
        return _TEXTS[kind], partial(kernels.text, page, True)


@dataclass(frozen=True)
class _Found:
    """Where the records of a window and their parts stand."""

    data: Bytes
    own_starts: Int64s
    starts: Int64s
    """The same, with those of a regular record in place of those that are not."""
    ends: dict[str, Int64s]
    """Where parts end, from the start of the record."""
    is_regular: Flags

    def has(self, field: Field) -> Flags:
        """Which records have an optional field."""
        has: Flags = self.ends[field.ends or END] > (field.offset or 0)
        return has

    def rest(self, field: Field) -> tuple[Int64s, Int64s]:
        """Place and length of a field that reaches to the end of a part."""
        end = self.ends[field.ends or END]
        # A shorter part ends before the fields that may be missing from it.
        begin: Int64s = np.minimum(end, field.offset or 0)
        if field.kind == "variable":
            # Behind the part that has an end of its own.
            begin = next((place for name, place in self.ends.items() if name != END), begin)
        # Nothing where a record is not regular, so that pieces keep their order.
        return self.own_starts + np.where(self.is_regular, begin, 0), np.where(self.is_regular, end - begin, 0)


class _Shape:
    """Which records are laid out as the layout says at fixed places, and where their parts end."""

    def __init__(
        self, layouts: Mapping[str, Layout], layout: Layout, end_at: int | None, described: DescribedHeader | None
    ) -> None:
        self._layout = layout
        self._end_at = end_at
        self._least = layout.least_width
        self._high = max((entry.end or 0 for entry in layout), default=0)
        self._optional = [entry for entry in layout if entry.optional and entry.width is not None]
        self._ends = list(dict.fromkeys(entry.ends for entry in layout if entry.ends not in (None, END)))
        self._limited = [entry for entry in layout if entry.kind in ("uint", "int") and _is_limited(entry)]
        self.reason = self._refusal(layouts)
        if described is not None:
            self._describe(described)

    def _describe(self, described: DescribedHeader) -> None:
        """Only the field that says where the header ends stands where the layout has it; it must say the width."""
        limited = [entry.id for entry in self._limited if entry.id not in self._ends]
        if limited or not self._ends:
            why = f"{limited[0]}: only the parser can check it" if limited else "no field says where the header ends"
            self.reason = self.reason or f"{why} in a described header"
        self._end_at = described.width
        self._least = self._high = max(described.width, *(self._layout[name or ""].end or 0 for name in self._ends), 0)
        self._optional, self._limited = [], []

    def _refusal(self, layouts: Mapping[str, Layout]) -> str:
        layout = self._layout
        if layout.params and layout.endian is None:
            return f"needs {', '.join(layout.params)}"
        for entry in layout:
            if entry.offset is None or entry.conditional or entry.repeated or entry.kind in ("struct", "body"):
                return f"{entry.id}: the data decides where it stands"
            if entry.width is None and entry.ends is None:
                return f"{entry.id}: the data decides how long it is"
            if entry.checks and not (entry.id in self._ends and entry.checks == f"max: {END}.size"):
                return f"{entry.id}: only the parser can check {entry.checks}"
            if entry.type is not None and any(part.checks or _is_limited(part) for part in layouts[entry.type]):
                return f"{entry.id}: only the parser can check its parts"
        if len(self._ends) > 1:
            return f"{' and '.join(map(str, self._ends))}: several fields say where a part ends"
        tail = [entry for entry in layout if entry.width is None]
        if len(tail) > 1 and [(entry.kind, entry.ends == END) for entry in tail] != [
            ("rest", False),
            ("variable", True),
        ]:
            return f"{tail[1].id}: the data decides where it stands"
        if tail and layout.fields[-len(tail) :] != tuple(tail):
            return f"{tail[0].id}: the data decides how long it is"
        return ""

    def of(self, window: Window) -> _Found:
        """What is known of the records of a window before their values are read."""
        size = len(window.data)
        is_regular: Flags = (window.lengths >= self._least) & (window.starts + self._high <= size)
        starts = byte_arrays.stand_in(window.starts, is_regular)
        if starts is None:
            return _Found(window.data, window.starts, window.starts, {}, is_regular)
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
            # One that is cut short is no field, and what stands there goes elsewhere.
            end = ends[entry.ends or END]
            is_regular &= (end <= (entry.offset or 0)) | (end >= (entry.end or 0))
        safe = byte_arrays.stand_in(starts, is_regular)
        return _Found(window.data, window.starts, starts if safe is None else safe, ends, is_regular)

    def _number(self, data: Bytes, starts: Int64s, entry: Field) -> Int64s:
        raw = byte_arrays.take_rows(data, starts + (entry.offset or 0), entry.width or 0)
        read = integers.decode_signed_array if entry.kind == "int" else integers.decode_unsigned_array
        return read(raw, _byte_order(self._layout)).astype(np.int64)


def _moved(way: ColumnPlan, described: DescribedHeader) -> ColumnPlan:
    """A way as a described header has the field."""
    entry = replace(way.field, optional=False)
    if entry.kind == "rest":
        # What stands between the known fields and the end of the header is described too.
        return replace(way, field=entry, kernel="absent", offset=0, width=0, read=partial(kernels.nulls, way.type))
    if way.read is None or way.width is None:
        return replace(way, field=entry, offset=described.width)
    source, start = described.sources[entry.id], way.offset - (entry.offset or 0)
    moved = replace(way, field=entry, offset=source.offset, width=source.width, widen=source.widen)
    if entry.id in described.absent:
        return replace(moved, kernel="absent", read=partial(kernels.nulls, way.type), can_fail=False)
    if source.widen is None:
        return replace(moved, offset=source.offset + start, width=way.width)
    read = partial(_widened, source.widen, slice(start, start + way.width), way.read)
    return replace(moved, read=read, can_fail=way.can_fail or source.can_fail)


def _cut(way: ColumnPlan, rows: Bytes, low: int) -> Bytes:
    """The bytes of a way, out of rows that begin `low` bytes behind the start of their records."""
    start = way.offset - low if way.width else 0
    return rows[:, start : start + (way.width or 0)]


def _bytes_of(way: ColumnPlan, raw: Bytes) -> Bytes:
    return raw if way.widen is None else way.widen(raw)[0]


def _may_become(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether Arrow makes of one type what the row reader would."""
    return bool(found == wanted or (pa.types.is_integer(found) and pa.types.is_integer(wanted)))


def _byte_order(layout: Layout) -> ByteOrder:
    return "little" if layout.endian == "le" else "big"


def _is_limited(entry: Field) -> bool:
    return entry.minimum is not None or entry.maximum is not None


def _widened(widen: Widen, part: slice, read: Kernel, raw: Bytes) -> KernelResult:
    whole, bad = widen(raw)
    array, none = read(whole[:, part])
    return array, none if bad is None else bad if none is None else bad | none
