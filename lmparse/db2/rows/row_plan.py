"""The row plan of Db2 LUW: offsets of the values in many rows of one table version.

In formatted rows the fixed-length portions of all columns have the same offsets, so they are gathered at once and
sliced. In rows with VALUE COMPRESSION an array of offsets locates each value. Outside LOB values may be given. Rows
with anything else (bytes of no column, damage) are irregular.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.columnar import arrays, kernels
from lmparse.columnar.kernels import Kernel
from lmparse.columnar.row_plan import DecodedRows, RowColumn, RowPlan, Rows, Values, Wanted
from lmparse.columnar.schemas import column_type
from lmparse.db2.record.row_header import header_by_types
from lmparse.db2.rows import row_reader
from lmparse.db2.tables.table import Column, Table
from lmparse.db2.transactions.outside_columns import OutsideColumn, OutsideRows
from lmparse.spec import catalog
from lmparse.spec.layout import Field
from lmparse.values import byte_arrays, codepages, floats, integers
from lmparse.values.byte_arrays import Bytes, Flags, Int64s
from lmparse.values.codepages import CodePage
from lmparse.values.integers import ByteOrder

_WIDTHS = {
    "int": ("an integer", (2, 4, 8)),
    "float": ("a floating point number", (4, 8)),
    "decfloat": ("a decimal floating point number", tuple(floats.DECFLOAT_ZERO)),
}
"""For forms of numbers with few widths: a name for messages, and the widths in bytes."""


# -- what a column is -------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class LuwRowColumn(RowColumn):
    """One column of the rows."""

    column: Column


def _column(column: Column, byte_order: ByteOrder, page: CodePage, trim: bool) -> LuwRowColumn:
    # Double-byte columns hold UTF-16, most significant byte first on every server.
    text = codepages.lookup(row_reader.GRAPHIC_PAGE) if column.sql_type.is_graphic else page
    reason = _refusal(column, text)
    if reason:
        return LuwRowColumn(name=column.name, width=column.width, column=column, type=pa.null(), reason=reason)
    type_ = column_type(column)
    found = LuwRowColumn(name=column.name, width=column.width, column=column, type=type_)
    if column.form == "absent" or column.type == "XML":
        return replace(found, kernel="kept elsewhere")
    if not column.sql_type.is_varying:
        kernel, read = _kernel(column, type_, byte_order, text, trim)
        return replace(found, kernel=kernel, read=read)
    if column.form == "text":
        return replace(found, kernel="varying text", read_ragged=partial(kernels.ragged_text, text))
    return replace(found, kernel="varying bytes", read_ragged=kernels.ragged_binary)


def _kernel(
    column: Column, type_: pa.DataType, byte_order: ByteOrder, page: CodePage, trim: bool
) -> tuple[str, Kernel]:
    """Name and kernel of a column of fixed length."""
    form = column.form
    if form == "text":
        return "text", partial(kernels.text, page, trim)
    if form == "int":
        return "signed", partial(kernels.integer, type_, byte_order, True)
    if form == "float":
        return "ieee", partial(kernels.ieee, byte_order)
    if form == "decimal":
        return "packed decimal", partial(kernels.packed_decimal, type_)
    if form == "decfloat":
        return "decimal floating point", partial(kernels.decimal_float, byte_order)
    if form == "timestamp":
        return "timestamp digits", partial(kernels.timestamp_digits, column.sql_type.precision)
    return _KERNELS.get(form, ("bytes", kernels.binary))


_KERNELS: dict[str, tuple[str, Kernel]] = {
    "boolean": ("boolean", kernels.boolean),
    "date": ("date digits", kernels.date_digits),
    "time": ("time digits", kernels.time_digits),
}


def _refusal(column: Column, page: CodePage) -> str:
    """Why a column cannot be decoded column-wise; empty if it can be."""
    form, width = column.form, column.width
    if form == "text":
        return kernels.text_refusal(page)
    if form == "decimal":
        return kernels.decimal_refusal(max(column.precision, column.scale), width)
    number, widths = _WIDTHS.get(form, ("", (width,)))
    return "" if width in widths else f"{number} of {width} bytes"


# -- rows to columns ---------------------------------------------------------------------------


class LuwRowPlan(RowPlan[LuwRowColumn]):
    """How the columns of the rows of a table version are decoded."""

    def __init__(self, table: Table, byte_order: str, page: CodePage, *, trim: bool = True) -> None:
        self.table = table
        self._order: ByteOrder = "big" if byte_order == "big" else "little"
        self._placed = sorted(table.columns, key=lambda column: column.offset)
        super().__init__([_column(column, self._order, page, trim) for column in table.columns])
        layouts = catalog.load("db2_row").layouts
        self._header = catalog.load("db2_row_header").layout
        self._form_codes = catalog.load("db2_row_header").enum("form")
        self._formatted, self._compressed = layouts["db2_row.formatted"], layouts["db2_row.compressed"]
        self._slot, self._lob = layouts["db2_row.column"], layouts["db2_row.lob_value"]
        self._data = layouts["db2_row"]["user_data"].offset or 0
        """Offset behind the headers of a row."""
        codes = {name: catalog.load("db2_row").enum(name) for name in ("null_byte", "attribute_byte", "lob_header")}
        self._null_bytes, self._attributes, self._lob_headers = codes.values()
        self._special = catalog.load("db2_row").enum("value_offset_flag")["special"]
        self._fixed_width = self._data + (self._formatted["fixed_section"].offset or 0) + table.fixed_length
        """Bytes of a formatted row in front of its variable-length section."""
        # The flag is the highest bit of an offset.
        self._array_width = self._special.bit_length() // 8 * (len(self.columns) + 1)
        """Width in bytes of the offsets of a row with VALUE COMPRESSION."""
        self._array_end = self._data + (self._compressed["value_offsets"].offset or 0) + self._array_width
        self._outside: OutsideRows | None = None
        """Outside LOB values of the rows. Without them, rows that need an outside value are irregular."""

    def with_outside(self, values: OutsideRows) -> Self:
        """This plan for rows with these outside values. If a row needs another outside value, its value is `absent`."""
        found = copy(self)
        found._outside = values
        return found

    def lob_columns(self, wanted: Wanted) -> list[LuwRowColumn]:
        """The requested columns whose values may be outside of the row."""
        return [column for column in self._wanted(wanted) if column.column.sql_type.is_lob and column.read_ragged]

    @property
    def widest(self) -> int:
        return max(self._fixed_width, self._array_end)

    def refusal(self, wanted: Wanted = None) -> str:
        end = 0
        for column in self._placed:
            if column.offset != end:
                return f"{column.name}: the columns are not packed"
            end = column.end
        if len({column.name for column in self.columns}) < len(self.columns):
            return "two columns have one name"  # a tables file may name only some of them
        return super().refusal(wanted)

    def _decode(self, rows: Rows, wanted: Wanted) -> DecodedRows:
        head = _head(rows, self._data)
        if head is None:
            return self._all_irregular(rows, wanted)
        rows.good &= self._numbers(head, self._header["record_length"]) == rows.lengths
        forms, codes = self._forms(head), self._form_codes
        readers = {codes["formatted"]: self._read_formatted, codes["compressed"]: self._read_compressed}
        found = [(forms == form, read) for form, read in readers.items() if (rows.good & (forms == form)).any()]
        made: DecodedRows | None = None
        for is_it, read in found:
            one = read(Rows(rows.data, rows.starts, rows.lengths, rows.good & is_it), wanted)
            made = one if made is None else _either(is_it, one, made)
        made = self._all_irregular(rows, wanted) if made is None else made
        if self._outside is None:
            return made
        none = np.zeros(len(rows), np.bool_)
        return replace(made, absent={column.name: none for column in self.lob_columns(wanted)} | made.absent)

    def _forms(self, head: Bytes) -> Int64s:
        """The form of each row, from n headers."""
        outer, inner = (head[:, self._header[name].offset or 0] for name in ("record_type", "inner_record_type"))
        both = outer.astype(np.int64) << 8 | inner
        kinds = both[:1] if (both == both[0]).all() else np.unique(both)
        forms = np.array(
            [header_by_types(kind >> 8, kind & 0xFF, self._order).form for kind in kinds.tolist()], np.int64
        )
        return forms[np.searchsorted(kinds, both)]

    # -- formatted rows --------------------------------------------------------------------------

    def _read_formatted(self, rows: Rows, wanted: Wanted) -> DecodedRows:
        head = _head(rows, self._fixed_width)
        if head is None:
            return self._all_irregular(rows, wanted)
        fixed_length = self.table.fixed_length
        rows.good &= self._numbers(head, self._formatted["fixed_length"], self._data) == fixed_length
        section = rows.lengths - self._fixed_width
        first = self._fixed_width - fixed_length
        values: dict[str, Values] = {}
        covered = _Covered(section)
        for column in self._placed:
            place = first + column.offset
            is_null = None
            if column.is_nullable:
                is_null = rows.null_flags(head[:, place + column.width], self._null_bytes)
            if not column.sql_type.is_varying:
                values[column.name] = Values(is_null, head[:, place : place + column.width])
                continue
            offsets = self._numbers(head, self._slot["value_offset"], place)
            sizes = self._numbers(head, self._slot["value_length"], place + (self._slot["value_offset"].width or 0))
            begins = offsets - fixed_length
            fits = (offsets & self._special == 0) & (begins >= 0) & (begins + sizes <= section)
            rows.good &= fits if is_null is None else fits | is_null
            covered.add(begins, sizes, is_null)
            values[column.name] = Values(is_null, None, rows.starts + self._fixed_width + begins, sizes)
        rows.good &= covered.whole(rows.good)
        return self._decoded(rows, values, wanted)

    # -- rows with VALUE COMPRESSION -----------------------------------------------------------------

    def _read_compressed(self, rows: Rows, wanted: Wanted) -> DecodedRows:
        head = _head(rows, self._array_end)
        if head is None:
            return self._all_irregular(rows, wanted)
        rows.good &= self._numbers(head, self._compressed["num_columns"], self._data) == len(self.columns)
        dtype = f"{'>' if self._order == 'big' else '<'}u{self._array_width // (len(self.columns) + 1)}"
        raw = arrays.together(head[:, self._array_end - self._array_width :])
        stated = raw.view(dtype).astype(np.int64)
        places = stated & ~self._special
        sizes = np.diff(places, axis=1)
        rows.good &= (places[:, 0] == 0) | (places[:, 0] == self._array_width)
        rows.good &= places[:, -1] - places[:, 0] == rows.lengths - self._array_end
        rows.good &= (sizes >= 0).all(1)
        begins = (rows.starts + self._array_end - places[:, 0])[:, None] + places
        values: dict[str, Values] = {}
        for number, column in enumerate(self.table.columns):
            is_attribute = stated[:, number] & self._special != 0
            is_null = None
            if is_attribute.any():
                rows.good &= ~is_attribute | (sizes[:, number] == 1)
                bytes_ = _bytes_at(rows, begins[:, number], is_attribute)
                # Rows with the default of a type are read one by one.
                rows.good &= ~is_attribute | (bytes_ == self._attributes["is_null"])
                is_null = is_attribute
            if not column.sql_type.is_varying:
                fits = sizes[:, number] == column.width
                rows.good &= fits if is_null is None else fits | is_null
            values[column.name] = Values(is_null, None, begins[:, number], sizes[:, number])
        return self._decoded(rows, values, wanted)

    # -- values --------------------------------------------------------------------------------------

    def _decoded(self, rows: Rows, values: Mapping[str, Values], wanted: Wanted) -> DecodedRows:
        lobs = self.lob_columns(wanted)
        inside = {column.name: self._inline(rows, values[column.name]) for column in lobs}
        if self._outside is None:
            for _, is_outside in inside.values():
                rows.good &= ~is_outside
            return super()._decoded(rows, {**values, **{name: one for name, (one, _) in inside.items()}}, wanted)
        needed: dict[str, OutsideColumn] = {}
        for name, (one, is_outside) in inside.items():
            needed[name] = found = self._outside.of(name, rows.starts)
            rows.good &= ~is_outside | found.is_there | found.is_lacking
            is_lacking = is_outside & found.is_lacking
            needed[name] = replace(found, is_there=is_outside & found.is_there, is_lacking=is_lacking)
            is_null = is_lacking if one.is_null is None else one.is_null | is_lacking
            values = {**values, name: replace(one, is_null=is_null)}
        decoded = super()._decoded(rows, values, wanted)
        arrays_ = {column.name: self._put(rows, column, decoded, needed[column.name]) for column in lobs}
        absent = {name: found.is_lacking for name, found in needed.items()}
        return DecodedRows({**decoded.arrays, **arrays_}, {**decoded.absent, **absent}, ~rows.good)

    def _put(self, rows: Rows, column: LuwRowColumn, decoded: DecodedRows, values: OutsideColumn) -> pa.Array:
        """A column with the outside values in their rows."""
        array, which = decoded.arrays[column.name], np.flatnonzero(values.is_there & rows.good)
        if not len(which):
            return array
        assert self._outside is not None
        assert column.read_ragged is not None
        found, bad = column.read_ragged(self._outside.data, values.begins[which], values.sizes[which])
        if bad is not None:
            rows.good[which[bad]] = False
        order = np.arange(len(array))
        order[which] = len(array) + np.arange(len(which))
        return pa.concat_arrays([array, found]).take(pa.array(order))

    def _inline(self, rows: Rows, values: Values) -> tuple[Values, Flags]:
        """LOB values without the header that marks them as inside of the row; and which rows have theirs outside."""
        begins, sizes = values.begins, values.sizes
        assert begins is not None
        assert sizes is not None
        has_header = sizes > 0 if values.is_null is None else (sizes > 0) & ~values.is_null
        headers = _bytes_at(rows, begins, has_header)
        is_inline = has_header & (headers == self._lob_headers["inline"])
        is_outside = has_header & ~is_inline & (headers != self._lob_headers["zero_length"])
        skipped = np.where(is_inline, np.minimum(self._lob["value"].offset or 0, sizes), 0)
        return replace(values, begins=begins + skipped, sizes=np.where(is_inline, sizes - skipped, 0)), is_outside

    def _numbers(self, head: Bytes, field: Field, base: int = 0) -> Int64s:
        """The unsigned number of a field in each of n heads; the offset of the field counts from `base`."""
        place = base + (field.offset or 0)
        return integers.decode_unsigned_array(head[:, place : place + (field.width or 0)], self._order).view(np.int64)


def _head(rows: Rows, width: int) -> Bytes | None:
    """The first bytes of each row; shorter rows become irregular. None if no row is left."""
    rows.good &= rows.lengths >= width
    starts = byte_arrays.stand_in(rows.starts, rows.good)
    return None if starts is None else byte_arrays.take_rows(rows.data, starts, width)


def _bytes_at(rows: Rows, places: Int64s, which: Flags) -> Bytes:
    """The byte at each place of regular rows; 0 for other rows."""
    found = np.zeros(len(places), np.uint8)
    which = which & rows.good
    found[which] = rows.data[places[which]]
    return found


def _either(is_it: Flags, one: DecodedRows, other: DecodedRows) -> DecodedRows:
    """Rows of `one` where `is_it`, else rows of `other`."""
    which = pa.array(is_it)
    return DecodedRows(
        {name: pc.if_else(which, array, other.arrays[name]) for name, array in one.arrays.items()},
        {
            name: np.where(is_it, one.absent[name], other.absent[name])
            for name in one.absent.keys() & other.absent.keys()
        },
        np.where(is_it, one.irregular, other.irregular),
    )


class _Covered:
    """Checks that the varying values of n rows leave no byte of their sections uncovered."""

    def __init__(self, section: Int64s) -> None:
        self._section = section
        self._reached = np.zeros(len(section), np.int64)
        self._is_in_order = np.ones(len(section), np.bool_)
        self._spans: list[tuple[Int64s, Int64s]] = []

    def add(self, begins: Int64s, sizes: Int64s, is_null: Flags | None) -> None:
        """Add the values of one column. Offsets in bytes from the start of the section."""
        if is_null is not None:
            begins, sizes = np.where(is_null, self._reached, begins), np.where(is_null, 0, sizes)
        self._is_in_order &= begins == self._reached
        self._reached = self._reached + sizes
        self._spans.append((begins, begins + sizes))

    def whole(self, good: Flags) -> Flags:
        """Which of the good rows have values that cover their whole section."""
        is_whole: Flags = self._is_in_order & (self._reached == self._section)
        left = np.flatnonzero(good & ~is_whole)
        if len(left) and self._spans:
            is_whole[left] = self._sorted(left)
        return is_whole

    def _sorted(self, rows: Int64s) -> Flags:
        """As `whole`, for rows whose values are not in the order of the columns."""
        begins, ends = (np.stack([span[end][rows] for span in self._spans], axis=1) for end in (0, 1))
        order = np.argsort(begins, axis=1)
        begins, ends = np.take_along_axis(begins, order, 1), np.take_along_axis(ends, order, 1)
        reached = np.maximum.accumulate(ends, axis=1)
        has_gap = (begins[:, 0] > 0) | (begins[:, 1:] > reached[:, :-1]).any(1)
        flags: Flags = ~has_gap & (reached[:, -1] == self._section[rows])
        return flags
