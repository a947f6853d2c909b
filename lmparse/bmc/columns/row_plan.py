"""The row plan of row images: offsets of the values in many images of one table version.

The columns are walked once for all rows. Up to the first column of varying length, columns have the same offsets in all
images. Between two varying columns, offsets are the same from the end of the first one. Such a stretch is gathered at
once and sliced. Images that the columns do not fill are irregular: `row_image.RowReader` reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from lmparse.bmc.control.columns import Column, front_widths, len_unit
from lmparse.bmc.control.tables import TableVersion
from lmparse.bmc.record.row_image import NULL_BYTES, SPEC, ImageOptions, ImageReading
from lmparse.columnar import kernels
from lmparse.columnar.kernels import Kernel, RaggedKernel
from lmparse.columnar.row_plan import DecodedRows, RowColumn, RowPlan, Rows, Values, Wanted
from lmparse.columnar.schemas import column_type
from lmparse.spec import catalog
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

_MOST_WIDTH = 0x7FFFFFFF
"""Maximum width of a column in bytes; no image is as long."""
_NEAR = 64
"""Most bytes between columns that are gathered with them, since a second gather costs more."""


@dataclass(frozen=True, kw_only=True)
class ImageColumn(RowColumn):
    """One column of the images; the `width` of a varying column is its maximum."""

    unit: int
    """Bytes of one unit of the length."""
    is_nullable: bool
    is_varying: bool


class ImagePlan(RowPlan[ImageColumn]):
    """How the columns of the row images of a table version are decoded."""

    def __init__(
        self, table: TableVersion, reading: ImageReading, options: ImageOptions, others: Sequence[ImageReading] = ()
    ) -> None:
        """`others` are the other interpretations that are left. An image is irregular if its bytes tell the
        interpretations apart and one of the others fills it too."""
        super().__init__([_column(column, reading, options) for column in table.columns])
        self._stretches = list(_stretches(self.columns, reading, options))
        self._others = [ImagePlan(table, other, options) for other in others]
        self._telling = {
            column.name: any(_differ(column, plan.columns[number]) for plan in self._others)
            for number, column in enumerate(self.columns)
        }
        """By column, whether bytes of a value tell the interpretations apart."""
        self._do_nulls_tell = any(other.null_bytes != reading.null_bytes for other in others)

    @property
    def widest(self) -> int:
        return max((max(stretch.width, stretch.last_width) for stretch in self._stretches), default=1)

    def _decode(self, rows: Rows, wanted: Wanted) -> DecodedRows:
        values = self._found(rows, wanted)
        if values is None:
            return self._all_irregular(rows, wanted)
        if self._others and (tell := rows.good & self._tell(values, len(rows))).any():
            for other in self._others:
                also = Rows(rows.data, rows.starts, rows.lengths)
                if other._found(also, frozenset()) is not None:
                    rows.good &= ~(tell & also.good)
        return self._decoded(rows, values, wanted)

    def _found(self, rows: Rows, wanted: Wanted) -> dict[str, Values] | None:
        """The values of the rows. Rows that the columns do not fill become irregular; None if all are too short."""
        walk, values = _Walk(rows), dict[str, Values]()
        for stretch in self._stretches:
            if not walk.has(stretch.width):
                return None
            stretch.find(walk, wanted, values)
        rows.good &= walk.places == walk.ends
        return values

    def _tell(self, values: dict[str, Values], count: int) -> Flags:
        """Which rows have bytes that another interpretation reads otherwise."""
        tell = np.zeros(count, np.bool_)
        for column in self.columns:
            found = values[column.name]
            if self._telling[column.name]:
                tell |= np.bool_(True) if found.sizes is None else found.sizes > 0
            elif self._do_nulls_tell and found.is_null is not None and column.width and not column.is_varying:
                tell |= found.is_null
        return tell


def _differ(column: ImageColumn, other: ImageColumn) -> bool:
    return column.width != other.width or (column.is_varying and column.unit != other.unit)


# What a column is


def _column(column: Column, reading: ImageReading, options: ImageOptions) -> ImageColumn:
    width = column.width(reading.dec_length, reading.graphic_length)
    has_no_digits = column.form == "decimal" and _digits(column, reading) < 1
    # Arrow has no type for a decimal without digits.
    type_ = pa.null() if has_no_digits else column_type(column.counting(reading.dec_length))
    reason = _refusal(column, width, reading)
    kernel, read = "", None
    read_ragged: RaggedKernel | None = None
    if not reason and column.is_varying:
        kernel, read_ragged = "varying bytes", kernels.ragged_binary
        if column.page is not None:
            kernel, read_ragged = "varying text", partial(kernels.ragged_text, column.page)
    elif not reason:
        kernel, read = _kernel(column, type_, options)
    return ImageColumn(
        name=column.name,
        type=type_,
        kernel=kernel,
        read=read,
        read_ragged=read_ragged,
        is_absent=column.form == "absent",
        reason=reason,
        is_blocking=not 0 <= width <= _MOST_WIDTH,
        width=width,
        unit=len_unit(reading.graphic_length if column.is_graphic else "bytes"),
        is_nullable=column.is_nullable,
        is_varying=column.is_varying,
    )


def _refusal(column: Column, width: int, reading: ImageReading) -> str:
    """Why a column cannot be decoded column-wise; empty if it can be."""
    form = column.form
    if not 0 <= width <= _MOST_WIDTH:
        return f"a width of {width} bytes"
    if form == "text" and column.page is not None:
        return kernels.text_refusal(column.page)
    if form == "decimal":
        return kernels.decimal_refusal(_digits(column, reading), width)
    if form == "sas":
        return "the form of SAS dates is not known"
    return ""


def _digits(column: Column, reading: ImageReading) -> int:
    return max(column.counting(reading.dec_length).precision, column.scale)


def _kernel(column: Column, type_: pa.DataType, options: ImageOptions) -> tuple[str, Kernel | None]:
    """Name and kernel of a column of fixed length."""
    form = column.form
    if form == "absent":
        return "kept elsewhere", None
    if form == "text":
        assert column.page is not None
        return "text", partial(kernels.text, column.page, options.trim)
    if form == "int":
        return "signed", partial(kernels.integer, type_, "big", True)
    if form == "float":
        return ("hfp", kernels.hfp) if options.floats == "hfp" else ("ieee", partial(kernels.ieee, "big"))
    if form == "decimal":
        return "packed decimal", partial(kernels.packed_decimal, type_)
    return _TEMPORAL.get(form, ("bytes", kernels.binary))


_TEMPORAL: dict[str, tuple[str, Kernel]] = {
    "date": ("date text", kernels.date_text),
    "time": ("time text", kernels.time_text),
    "timestamp": ("timestamp text", kernels.timestamp_text),
    "timestamp_tz": ("timestamp text with zone", kernels.timestamp_tz_text),
}


# Offsets of columns


@dataclass(frozen=True)
class _Placed:
    """A column and its offsets in bytes from the start of a stretch."""

    column: ImageColumn
    indicator: int
    """Start of the null indicator; equal to `length` without one."""
    length: int
    """Start of the length; equal to `value` without one."""
    value: int
    moves: bool
    """Whether the length of the value differs between images, and with it all places behind the value."""

    def spans(self, is_wanted: bool) -> Iterator[tuple[int, int]]:
        """Start and end of each part of the column that is read."""
        if self.column.is_nullable:
            yield self.indicator, self.length
        if self.column.is_varying:
            yield self.length, self.value
        elif is_wanted and not self.moves and not self.column.is_absent:
            yield self.value, self.value + self.column.width


def _stretches(columns: Sequence[ImageColumn], reading: ImageReading, options: ImageOptions) -> Iterator[_Stretch]:
    keeps_bytes = reading.null_bytes == NULL_BYTES[0]
    indicator_width, length_width = front_widths()
    entries: list[_Placed] = []
    place = 0
    for column in columns:
        length = place + indicator_width * column.is_nullable
        value = length + length_width * column.is_varying
        moves = not options.is_expanded if column.is_varying else column.is_nullable and not keeps_bytes
        entries.append(_Placed(column, place, length, value, moves))
        place = value if moves else value + column.width
        if moves:
            yield _Stretch(entries, place)
            entries, place = [], 0
    if entries:
        yield _Stretch(entries, place)


class _Walk:
    """The place that the walk has reached in each of n images."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.places = rows.starts
        """Offset of the next stretch; any offset in the data for an irregular row."""
        self.ends = rows.starts + rows.lengths

    def has(self, width: int) -> bool:
        """Mark images with less than `width` bytes left as irregular. Returns whether regular images are left."""
        self.rows.good &= self.places + width <= self.ends
        places = byte_arrays.stand_in(self.places, self.rows.good)
        if places is not None:
            self.places = places
        return places is not None

    def go_on(self, places: Int64s) -> None:
        self.places = places
        self.rows.good &= places <= self.ends


class _Stretch:
    """Columns whose offsets from the start of the stretch are the same in all images.

    A stretch ends with the first column whose value differs in length. Its last bytes are the null indicator and the
    length of that column; the value follows.
    """

    def __init__(self, entries: Sequence[_Placed], width: int) -> None:
        self.entries = tuple(entries)
        self.width = width
        last = self.entries[-1]
        self.last_width = last.column.width if last.moves and not last.column.is_varying else 0
        """Width in bytes of the value behind the stretch; zero if a length states it."""

    def find(self, walk: _Walk, wanted: Wanted, values: dict[str, Values]) -> None:
        """Find the values of the columns, mark irregular rows, and move to the next stretch."""
        are_wanted = [wanted is None or entry.column.name in wanted for entry in self.entries]
        part = self._gathered(walk, are_wanted)
        begin, codes = walk.places, catalog.load(SPEC).enum("null_indicator")
        for entry, is_wanted in zip(self.entries, are_wanted, strict=True):
            column = entry.column
            is_null = None
            if column.is_nullable:
                is_null = walk.rows.null_flags(part(entry.indicator, 1)[:, 0], codes)
            found = Values(is_null)
            if column.is_varying:
                found = Values(is_null, None, begin + entry.value, _sizes(entry, part, walk.rows, is_null))
            elif entry.moves:
                found = Values(is_null, None, begin + entry.value)
            elif is_wanted and not column.is_absent:
                found = Values(is_null, part(entry.value, column.width))
            values[column.name] = found
        if not entry.moves:
            walk.places = begin + self.width
        elif found.sizes is not None:
            walk.go_on(begin + entry.value + found.sizes)
        else:
            walk.go_on(begin + entry.value + (column.width if is_null is None else np.where(is_null, 0, column.width)))

    def _gathered(self, walk: _Walk, are_wanted: Sequence[bool]) -> Callable[[int, int], Bytes]:
        """Gather the bytes of the stretch in all images. The result gives (n, width) bytes of a place and width."""
        spans: list[tuple[int, int]] = []
        for entry, is_wanted in zip(self.entries, are_wanted, strict=True):
            for low, high in entry.spans(is_wanted):
                if spans and low - spans[-1][1] <= _NEAR:
                    spans[-1] = spans[-1][0], high
                else:
                    spans.append((low, high))
        taken = [(low, byte_arrays.take_rows(walk.rows.data, walk.places + low, high - low)) for low, high in spans]

        def part(place: int, width: int) -> Bytes:
            low, rows = next((low, rows) for low, rows in reversed(taken) if low <= place)
            return rows[:, place - low : place - low + width]

        return part


def _sizes(entry: _Placed, part: Callable[[int, int], Bytes], rows: Rows, is_null: Flags | None) -> Int64s:
    """The lengths in front of the values of a column, in bytes."""
    column = entry.column
    sizes = integers.decode_unsigned_array(part(entry.length, entry.value - entry.length)).view(np.int64)
    rows.good &= sizes <= column.width // column.unit
    if is_null is not None:
        rows.good &= ~is_null | (sizes == 0)
    return sizes * column.unit
