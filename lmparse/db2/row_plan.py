"""Rows of Db2 LUW by the column: the rows of one table version as Arrow arrays.

In a formatted row the fixed-length portions of all columns stand at the same place, so they are gathered
at once and sliced; with VALUE COMPRESSION an array of offsets does. A row that holds more than plain values
(a LOB that stands elsewhere, bytes of no column, damage) is marked, to be read one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.columnar import arrays, schemas
from lmparse.columnar.column_types import MOST_DIGITS, column_type
from lmparse.columnar.row_plan import DecodedImages, ImageWay, joined
from lmparse.db2 import row_reader
from lmparse.db2.tables import Column, Table
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.spec.layout import Field
from lmparse.values import byte_arrays, codepages, decfloat, floats, integers, packed_times, texts
from lmparse.values.codepages import CodePage

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Int64s = npt.NDArray[np.int64]
ByteOrder = Literal["big", "little"]
Made = tuple[pa.Array, Flags | None]
"""n values, and which of them nothing vouches for (None: none)."""
Kernel = Callable[[Bytes], Made]
"""From (n, width) bytes to n values."""
RaggedKernel = Callable[[Bytes, Int64s, Int64s], Made]
"""From flat data and the places and lengths of n pieces in it to n values."""

_MOST_BYTES = 1 << 26
"""Bytes of rows that are gathered at a time."""
_INT_WIDTHS = (2, 4, 8)
_FLOAT_WIDTHS = (4, 8)


# -- what a column is -------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """One column in the rows."""

    column: Column
    type: pa.DataType
    kernel: str = ""
    """What reads it, a word; empty when nothing does."""
    read: Kernel | None = None
    read_ragged: RaggedKernel | None = None
    reason: str = ""
    """Why no kernel reads it."""

    @property
    def name(self) -> str:
        return self.column.name


def _part(column: Column, byte_order: ByteOrder, page: CodePage, trim: bool) -> _Part:
    form = column.form
    reason = _refusal(column, page)
    if reason:
        return _Part(column, pa.null(), reason=reason)
    type_ = column_type(column, "")
    if form == "absent" or column.type == "XML":
        return _Part(column, type_, "kept elsewhere")
    if form == "text":
        text = _text_page(column, page)
        if column.sql_type.is_varying:
            return _Part(column, type_, "varying text", read_ragged=partial(_ragged_text, text))
        return _Part(column, type_, "text", partial(_text, text, trim))
    if column.sql_type.is_varying:
        return _Part(column, type_, "varying bytes", read_ragged=_ragged_binary)
    if form == "int":
        return _Part(column, type_, "signed", partial(_integer, type_, byte_order))
    if form == "float":
        return _Part(column, type_, "ieee", partial(_ieee, byte_order))
    if form == "decimal":
        has_spare = 2 * column.width - 1 > type_.precision
        return _Part(column, type_, "packed decimal", partial(arrays.packed_decimal, type_, has_spare))
    if form == "decfloat":
        return _Part(column, type_, "decimal floating point", partial(_decfloat, byte_order))
    if form == "timestamp":
        return _Part(column, type_, "timestamp digits", partial(_timestamp, column.sql_type.precision))
    kernel, read = _KERNELS.get(form, ("bytes", _binary))
    return _Part(column, type_, kernel, read)


def _text_page(column: Column, page: CodePage) -> CodePage:
    # Double-byte columns hold UTF-16, most significant byte first on every server.
    return codepages.lookup(row_reader.GRAPHIC_PAGE) if column.sql_type.is_graphic else page


def _refusal(column: Column, page: CodePage) -> str:
    """Why a column cannot be read by the column."""
    form, width = column.form, column.width
    if form == "text" and not texts.can_decode_array(_text_page(column, page)):
        return f"nothing reads text in {page.name} by the column"
    if form == "int" and width not in _INT_WIDTHS:
        return f"an integer of {width} bytes"
    if form == "float" and width not in _FLOAT_WIDTHS:
        return f"a floating point number of {width} bytes"
    if form == "decfloat" and width not in decfloat.ZERO:
        return f"a decimal floating point number of {width} bytes"
    if form == "decimal":
        digits = max(column.precision(), column.scale)
        if digits < 1 or width < 1:
            return "a decimal without digits"
        return "" if digits <= MOST_DIGITS else f"{digits} digits are too many for a decimal of 128 bits"
    return ""


# -- rows to columns ---------------------------------------------------------------------------


class LuwImagePlan:
    """Which way the columns of the rows of a table version go.

    `reason` says why they cannot be read by the column, and is empty when they can.
    """

    def __init__(self, table: Table, byte_order: str, page: CodePage, *, trim: bool = True) -> None:
        self.table = table
        self._order: ByteOrder = "big" if byte_order == "big" else "little"
        self._parts = [_part(column, self._order, page, trim) for column in table.columns]
        self._placed = sorted(self._parts, key=lambda part: part.column.offset)
        self.ways = tuple(ImageWay(part.name, part.kernel, part.type) for part in self._parts)
        """In the order of the columns."""
        self.reason = self.refusal()
        layouts = catalog.load("db2_row").layouts
        self._header = catalog.load("db2_row_header").layout
        self._form_codes = catalog.load("db2_row_header").enum("form")
        self._formatted, self._compressed = layouts["db2_row.formatted"], layouts["db2_row.compressed"]
        self._slot, self._lob = layouts["db2_row.column"], layouts["db2_row.lob_value"]
        self._data = layouts["db2_row"]["user_data"].offset or 0
        """Where in a row the headers end."""
        codes = {name: catalog.load("db2_row").enum(name) for name in ("null_byte", "attribute_byte", "lob_header")}
        self._null_bytes, self._attributes, self._lob_headers = codes.values()
        self._special = catalog.load("db2_row").enum("value_offset_flag")["special"]
        self._fixed_width = self._data + (self._formatted["fixed_section"].offset or 0) + table.fixed_length
        """Bytes of a formatted row up to its variable-length section."""
        # The flag is the highest bit of an offset.
        self._array_width = self._special.bit_length() // 8 * (len(self._parts) + 1)
        """Bytes of the offsets of a row with VALUE COMPRESSION."""
        self._array_end = self._data + (self._compressed["value_offsets"].offset or 0) + self._array_width
        self._step = max(_MOST_BYTES // max(self._fixed_width, self._array_end), 1)

    def refusal(self, wanted: frozenset[str] | None = None) -> str:
        """Why some columns cannot be read by the column; empty when they can."""
        for part, before in zip(self._placed, (None, *self._placed), strict=False):
            if part.column.offset != (0 if before is None else before.column.end):
                return f"{part.name}: the columns are not packed"
        if len({part.name for part in self._parts}) < len(self._parts):
            return "two columns have one name"  # as where a tables file names some of them only
        for part in self._parts:
            if part.reason and (wanted is None or part.name in wanted):
                return f"{part.name}: {part.reason}"
        return ""

    def decode(
        self, data: Bytes, starts: Int64s, lengths: Int64s, wanted: frozenset[str] | None = None
    ) -> DecodedImages:
        """The values of the n rows that lie in flat `data`; with `wanted`, of these columns only.

        The plan must have no `reason`, or no `refusal` of what is wanted.
        """
        if len(starts) <= self._step:
            return self._decode(data, starts, lengths, wanted)
        cuts = [slice(place, place + self._step) for place in range(0, len(starts), self._step)]
        return joined([self._decode(data, starts[cut], lengths[cut], wanted) for cut in cuts])

    def _decode(self, data: Bytes, starts: Int64s, lengths: Int64s, wanted: frozenset[str] | None) -> DecodedImages:
        rows = _Rows(data, starts, lengths, self._order)
        head = rows.take(self._data)
        if head is None:
            return self._nothing(rows, wanted)
        rows.good &= rows.numbers(head, self._header["record_length"]) == lengths
        forms, codes = self._forms(head), self._form_codes
        readers = {codes["formatted"]: self._read_formatted, codes["compressed"]: self._read_compressed}
        found = [(forms == form, read) for form, read in readers.items() if (rows.good & (forms == form)).any()]
        made: DecodedImages | None = None
        for is_it, read in found:
            one = read(rows.part(is_it), wanted)
            made = one if made is None else _either(is_it, one, made)
        return self._nothing(rows, wanted) if made is None else made

    def _forms(self, head: Bytes) -> Int64s:
        """The form of each row, of n headers."""
        outer, inner = (head[:, self._header[name].offset or 0] for name in ("record_type", "inner_record_type"))
        both = outer.astype(np.int64) << 8 | inner
        kinds = both[:1] if (both == both[0]).all() else np.unique(both)
        forms = np.array([_form(kind >> 8, kind & 0xFF, self._order) for kind in kinds.tolist()], np.int64)
        return forms[np.searchsorted(kinds, both)]

    def _nothing(self, rows: _Rows, wanted: frozenset[str] | None) -> DecodedImages:
        """When all rows are irregular."""
        parts = [part for part in self._parts if wanted is None or part.name in wanted]
        nulls = {part.name: pa.nulls(len(rows), part.type) for part in parts}
        return DecodedImages(nulls, {}, np.ones(len(rows), np.bool_))

    # -- formatted rows --------------------------------------------------------------------------

    def _read_formatted(self, rows: _Rows, wanted: frozenset[str] | None) -> DecodedImages:
        head = rows.take(self._fixed_width)
        if head is None:
            return self._nothing(rows, wanted)
        fixed_length = self.table.fixed_length
        rows.good &= rows.numbers(head, self._formatted["fixed_length"], self._data) == fixed_length
        section = rows.lengths - self._fixed_width
        first = self._fixed_width - fixed_length
        values: dict[str, _Value] = {}
        covered = _Covered(section)
        for part in self._placed:
            column, place = part.column, first + part.column.offset
            is_null = None
            if column.is_nullable:
                is_null = self._null_flags(rows, head[:, place + column.width])
            if not column.sql_type.is_varying:
                values[part.name] = _Value(is_null, head[:, place : place + column.width])
                continue
            offsets, sizes = self._slots(rows, head, place)
            begins = offsets - fixed_length
            fits = (offsets & self._special == 0) & (begins >= 0) & (begins + sizes <= section)
            rows.good &= fits if is_null is None else fits | is_null
            covered.add(begins, sizes, is_null)
            values[part.name] = _Value(is_null, None, rows.starts + self._fixed_width + begins, sizes)
        rows.good &= covered.whole(rows.good)
        return self._made(rows, values, wanted)

    def _null_flags(self, rows: _Rows, null_bytes: Bytes) -> Flags | None:
        """Which rows are null; None when none is. A byte that says neither makes its row irregular."""
        is_present = null_bytes == self._null_bytes["present"]
        if is_present.all():
            return None
        is_null: Flags = np.equal(null_bytes, self._null_bytes["absent"])
        rows.good &= is_null | is_present
        return is_null

    def _slots(self, rows: _Rows, head: Bytes, place: int) -> tuple[Int64s, Int64s]:
        """Places and lengths of varying values, as they stand in the fixed-length section."""
        width = self._slot["value_offset"].width or 0
        offsets = rows.numbers(head, self._slot["value_offset"], place)
        return offsets, rows.numbers(head, self._slot["value_length"], place + width)

    # -- rows with VALUE COMPRESSION -----------------------------------------------------------------

    def _read_compressed(self, rows: _Rows, wanted: frozenset[str] | None) -> DecodedImages:
        head = rows.take(self._array_end)
        if head is None:
            return self._nothing(rows, wanted)
        rows.good &= rows.numbers(head, self._compressed["num_columns"], self._data) == len(self._parts)
        dtype = f"{'>' if self._order == 'big' else '<'}u{self._array_width // (len(self._parts) + 1)}"
        raw = arrays.together(head[:, self._array_end - self._array_width :])
        stated = raw.view(dtype).astype(np.int64)
        places = stated & ~self._special
        sizes = np.diff(places, axis=1)
        rows.good &= (places[:, 0] == 0) | (places[:, 0] == self._array_width)
        rows.good &= places[:, -1] - places[:, 0] == rows.lengths - self._array_end
        rows.good &= (sizes >= 0).all(1)
        begins = (rows.starts + self._array_end - places[:, 0])[:, None] + places
        values: dict[str, _Value] = {}
        for number, part in enumerate(self._parts):
            column = part.column
            is_attribute = stated[:, number] & self._special != 0
            is_null = None
            if is_attribute.any():
                rows.good &= ~is_attribute | (sizes[:, number] == 1)
                bytes_ = rows.bytes_at(begins[:, number], is_attribute)
                # What stands for the default of its type is left to whoever reads rows one by one.
                rows.good &= ~is_attribute | (bytes_ == self._attributes["is_null"])
                is_null = is_attribute
            if not column.sql_type.is_varying:
                fits = sizes[:, number] == column.width
                rows.good &= fits if is_null is None else fits | is_null
            values[part.name] = _Value(is_null, None, begins[:, number], sizes[:, number])
        return self._made(rows, values, wanted)

    # -- values --------------------------------------------------------------------------------------

    def _made(self, rows: _Rows, values: dict[str, _Value], wanted: frozenset[str] | None) -> DecodedImages:
        found = {
            part.name: self._value(part, values[part.name], rows)
            for part in self._parts
            if wanted is None or part.name in wanted
        }
        return DecodedImages(found, {}, ~rows.good)

    def _value(self, part: _Part, value: _Value, rows: _Rows) -> pa.Array:
        """One column of n rows; a row whose value is not plain is irregular unless null."""
        made = self._kernel(part, value, rows)
        if made is None:
            if part.read is None and part.read_ragged is None:
                rows.good &= np.bool_(False) if value.is_null is None else value.is_null
            return pa.nulls(len(rows), part.type)
        array, bad = made
        if bad is not None:
            rows.good &= ~bad if value.is_null is None else ~bad | value.is_null
        return array if value.is_null is None else arrays.without(array, value.is_null)

    def _kernel(self, part: _Part, value: _Value, rows: _Rows) -> Made | None:
        if part.read_ragged is not None:
            begins, sizes = rows.pieces(value)
            if part.column.sql_type.is_lob:
                begins, sizes = self._inline(rows, begins, sizes)
            return part.read_ragged(rows.data, begins, sizes)
        if part.read is None:
            return None
        raw = value.raw
        if raw is None:
            raw = rows.fixed(value, part.column.width)
        return None if raw is None else part.read(raw)

    def _inline(self, rows: _Rows, begins: Int64s, sizes: Int64s) -> tuple[Int64s, Int64s]:
        """Places and lengths of LOB values behind the header that says that they stand in the row."""
        has_header = sizes > 0
        headers = rows.bytes_at(begins, has_header)
        is_inline = has_header & (headers == self._lob_headers["inline"])
        rows.good &= ~has_header | is_inline | (headers == self._lob_headers["zero_length"])
        skipped = np.where(is_inline, np.minimum(self._lob["value"].offset or 0, sizes), 0)
        return begins + skipped, np.where(is_inline, sizes - skipped, 0)


def _either(is_it: Flags, one: DecodedImages, other: DecodedImages) -> DecodedImages:
    """Rows of one where `is_it`, else of the other."""
    which = pa.array(is_it)
    return DecodedImages(
        {name: pc.if_else(which, array, other.arrays[name]) for name, array in one.arrays.items()},
        {},
        np.where(is_it, one.irregular, other.irregular),
    )


@cache
def _form(record_type: int, inner_record_type: int, byte_order: str) -> int:
    """What stands behind the headers of a row, as the spec tells it from two of their bytes."""
    spec = catalog.load("db2_row_header")
    width = spec.layout.least_width
    known = {"record_type": record_type, "inner_record_type": inner_record_type, "record_length": width}
    order: ByteOrder = "big" if byte_order == "big" else "little"
    raw = b"".join(known.get(entry.id, 0).to_bytes(entry.width or 0, order) for entry in spec.layout)
    code = catalog.load("db2_server").enum("byte_order")[byte_order]
    parsed: Any = RecordReader(spec, arguments=(code,)).parse(raw)
    return int(parsed.form)


@dataclass(frozen=True)
class _Value:
    """Where the values of a column stand in n rows: as (n, width) bytes, or as pieces of the data."""

    is_null: Flags | None
    raw: Bytes | None
    begins: Int64s | None = None
    sizes: Int64s | None = None


class _Rows:
    """n rows in flat data, and which of them are good so far."""

    def __init__(
        self, data: Bytes, starts: Int64s, lengths: Int64s, byte_order: ByteOrder, good: Flags | None = None
    ) -> None:
        self.data, self.starts, self.lengths = data, starts, lengths
        self._order = byte_order
        self.good: Flags = (starts >= 0) & (lengths >= 0) & (lengths <= len(data) - starts) if good is None else good

    def __len__(self) -> int:
        return len(self.starts)

    def part(self, which: Flags) -> _Rows:
        """All rows, of which only these can be good."""
        return _Rows(self.data, self.starts, self.lengths, self._order, self.good & which)

    def take(self, width: int) -> Bytes | None:
        """The first bytes of each row; those that end before are good no more. None when no row is left.

        In the place of a row that is not good stands one that is, so that no gather leaves the data.
        """
        self.good &= self.lengths >= width
        starts = self._stand_in(self.starts, self.good)
        return None if starts is None else byte_arrays.take_rows(self.data, starts, width)

    @staticmethod
    def _stand_in(places: Int64s, good: Flags) -> Int64s | None:
        if good.all():
            return places if len(places) else None
        first = int(good.argmax())
        return np.where(good, places, places[first]) if good[first] else None

    def numbers(self, head: Bytes, field: Field, base: int = 0) -> Int64s:
        """An unsigned number in each of n heads; a field without a place of its own stands at `base`."""
        place = base + (field.offset or 0)
        return integers.decode_unsigned_array(head[:, place : place + (field.width or 0)], self._order).view(np.int64)

    def bytes_at(self, places: Int64s, which: Flags) -> Bytes:
        """The byte at each place of good rows; 0 for other rows."""
        found = np.zeros(len(places), np.uint8)
        which = which & self.good
        found[which] = self.data[places[which]]
        return found

    def pieces(self, value: _Value) -> tuple[Int64s, Int64s]:
        """The pieces of a varying column; of no bytes where a row is null or not good."""
        assert value.begins is not None
        assert value.sizes is not None
        is_there = self.good if value.is_null is None else self.good & ~value.is_null
        if is_there.all():
            return value.begins, value.sizes
        begins = np.where(is_there, value.begins, np.clip(self.starts, 0, len(self.data)))
        return begins, np.where(is_there, value.sizes, 0)

    def fixed(self, value: _Value, width: int) -> Bytes | None:
        """The bytes of a column of fixed width that stands anywhere; None when no row has a value."""
        assert value.begins is not None
        is_there = self.good if value.is_null is None else self.good & ~value.is_null
        begins = self._stand_in(value.begins, is_there)
        return None if begins is None else byte_arrays.take_rows(self.data, begins, width)


class _Covered:
    """Whether the varying values of n rows leave no byte of their sections over."""

    def __init__(self, section: Int64s) -> None:
        self._section = section
        self._reached = np.zeros(len(section), np.int64)
        self._is_in_order = np.ones(len(section), np.bool_)
        self._spans: list[tuple[Int64s, Int64s]] = []

    def add(self, begins: Int64s, sizes: Int64s, is_null: Flags | None) -> None:
        """The values of one column. Places in bytes from the start of the section."""
        if is_null is not None:
            begins, sizes = np.where(is_null, self._reached, begins), np.where(is_null, 0, sizes)
        self._is_in_order &= begins == self._reached
        self._reached = self._reached + sizes
        self._spans.append((begins, begins + sizes))

    def whole(self, good: Flags) -> Flags:
        """Of the rows that are good so far, those whose values cover their section."""
        is_whole: Flags = self._is_in_order & (self._reached == self._section)
        left = np.flatnonzero(good & ~is_whole)
        if len(left) and self._spans:
            is_whole[left] = self._sorted(left)
        return is_whole

    def _sorted(self, rows: Int64s) -> Flags:
        """The same of rows whose values stand in another order than the columns."""
        begins, ends = (np.stack([span[end][rows] for span in self._spans], axis=1) for end in (0, 1))
        order = np.argsort(begins, axis=1)
        begins, ends = np.take_along_axis(begins, order, 1), np.take_along_axis(ends, order, 1)
        reached = np.maximum.accumulate(ends, axis=1)
        has_gap = (begins[:, 0] > 0) | (begins[:, 1:] > reached[:, :-1]).any(1)
        flags: Flags = ~has_gap & (reached[:, -1] == self._section[rows])
        return flags


# -- kernels, each with its Arrow array ------------------------------------------------------------


def _integer(type_: pa.DataType, byte_order: ByteOrder, raw: Bytes) -> Made:
    return arrays.numbers(integers.decode_signed_array(raw, byte_order), type_), None


def _ieee(byte_order: ByteOrder, raw: Bytes) -> Made:
    return arrays.numbers(floats.decode_ieee_array(raw, byte_order), pa.float64()), None


def _decfloat(byte_order: ByteOrder, raw: Bytes) -> Made:
    """As text; decoded one by one, since Arrow has no type for it and its digits are as many as they are."""
    ordered = raw if byte_order == "big" else raw[:, ::-1]
    flat, width = ordered.tobytes(), raw.shape[1]
    decode = cache(decfloat.decode)
    return pa.array([decode(flat[at : at + width]) for at in range(0, len(flat), width)], schemas.TEXT), None


def _boolean(raw: Bytes) -> Made:
    if raw.shape[1] != 1:
        return pa.nulls(len(raw), pa.bool_()), np.ones(len(raw), np.bool_)
    return pa.array(raw[:, 0] == 1), raw[:, 0] > 1


def _date(raw: Bytes) -> Made:
    days, bad = packed_times.date_days_array(raw)
    return arrays.numbers(days, pa.int32()).view(pa.date32()), bad


def _time(raw: Bytes) -> Made:
    chars, bad = packed_times.decode_time_array(raw)
    return arrays.strings(chars.reshape(-1), arrays.steps(*chars.shape)), bad


def _timestamp(digits: int, raw: Bytes) -> Made:
    micros, bad, _ = packed_times.timestamp_micros_array(raw, digits)
    return arrays.numbers(micros, schemas.MICROS), bad


def _binary(raw: Bytes) -> Made:
    return arrays.binary(raw), None


_KERNELS: dict[str, tuple[str, Kernel]] = {
    "boolean": ("boolean", _boolean),
    "date": ("date digits", _date),
    "time": ("time digits", _time),
}


def _text(page: CodePage, trim: bool, raw: Bytes) -> Made:
    if trim and not (page.kind == "utf" and page.codec != "utf_8"):
        return arrays.text(raw, page)  # which reads bytes as characters
    chars, offsets, bad = texts.decode_array(raw, page, trim)
    return arrays.strings(chars, offsets), bad


def _ragged_binary(data: Bytes, starts: Int64s, lengths: Int64s) -> Made:
    return arrays.ragged_binary(data, starts, lengths), None


def _ragged_text(page: CodePage, data: Bytes, starts: Int64s, lengths: Int64s) -> Made:
    if page.codec == "utf_8":
        pieces = arrays.ragged_binary(data, starts, lengths)
        try:
            return pieces.cast(pa.string()), None
        except pa.ArrowInvalid:
            pass  # one of them is no text
    chars, offsets, bad = texts.decode_ragged_array(data, starts, lengths, page)
    return arrays.strings(chars, offsets), bad
