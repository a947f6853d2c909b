"""Row images by the column: the images of many rows of one table version as Arrow arrays.

The columns are walked over once for all rows. Up to the first column of varying length they stand at the
same place in every image, and so do those between two such columns, from the end of the first: such a
stretch is gathered at once and sliced. Images that the columns do not fill, and values that no kernel
vouches for, are marked, and whoever asked reads them one by one with `images.RowReader`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lmparse.bmc.row_image import NULL_BYTES, ImageOptions, ImageReading
from lmparse.bmc.tables import Column, TableVersion
from lmparse.columnar import arrays, schemas
from lmparse.columnar.column_types import MOST_DIGITS, column_type
from lmparse.columnar.row_plan import DecodedImages, ImageWay, joined
from lmparse.values import byte_arrays, floats, integers, text_times, texts
from lmparse.values.codepages import CodePage

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Int64s = npt.NDArray[np.int64]
Kernel = Callable[[Bytes], tuple[pa.Array, Flags | None]]
"""From (n, width) bytes to n values, and which of them it cannot vouch for (None: none)."""
RaggedKernel = Callable[[Bytes, Int64s, Int64s], tuple[pa.Array, Flags | None]]
"""From flat data and the places and lengths of n pieces in it to n values; else as `Kernel`."""
Made = tuple[pa.Array, Flags | None] | None
"""What a kernel gives; None when there is nothing to read."""

_MOST_WIDTH = 0x7FFFFFFF
"""Bytes of one column; no image is as long."""
_MOST_BYTES = 1 << 26
"""Bytes of rows that are gathered at a time."""
_NEAR = 64
"""Bytes that are rather gathered for nothing than by another gather."""


class ImagePlan:
    """Which way the columns of the images of a table version go.

    `reason` says why they cannot be read by the column, and is empty when they can.
    """

    def __init__(self, table: TableVersion, reading: ImageReading, options: ImageOptions) -> None:
        self.table = table
        self._parts = [_part(column, reading, options) for column in table.columns]
        self.ways = tuple(ImageWay(part.name, part.kernel, part.type) for part in self._parts)
        """In the order of the columns."""
        self.reason = self.refusal()
        self._stretches = list(_stretches(self._parts, reading, options))
        self._widest = max((max(stretch.width, stretch.last_width) for stretch in self._stretches), default=1)

    def refusal(self, wanted: frozenset[str] | None = None) -> str:
        """Why some columns cannot be read by the column; empty when they can."""
        for part in self._parts:
            if part.reason and (part.is_unbounded or wanted is None or part.name in wanted):
                return f"{part.name}: {part.reason}"
        return ""

    def decode(
        self, data: Bytes, starts: Int64s, lengths: Int64s, wanted: frozenset[str] | None = None
    ) -> DecodedImages:
        """The values of the images that lie in flat `data` at ascending `starts`; with `wanted`, of these columns only.

        The plan must have no `reason`, or no `refusal` of what is wanted.
        """
        step = max(_MOST_BYTES // max(self._widest, 1), 1)
        if len(starts) <= step:
            return self._decode(data, starts, lengths, wanted)
        cuts = [slice(place, place + step) for place in range(0, len(starts), step)]
        return joined([self._decode(data, starts[cut], lengths[cut], wanted) for cut in cuts])

    def _decode(self, data: Bytes, starts: Int64s, lengths: Int64s, wanted: frozenset[str] | None) -> DecodedImages:
        walk = _Walk(data, starts, lengths)
        found = DecodedImages({}, {}, walk.irregular)
        for stretch in self._stretches:
            if not walk.has(stretch.width):
                return self._nothing(len(starts), wanted)
            stretch.read(walk, wanted, found)
        walk.irregular |= walk.places != walk.ends
        return found

    def _nothing(self, count: int, wanted: frozenset[str] | None) -> DecodedImages:
        """When all images are irregular."""
        parts = [part for part in self._parts if wanted is None or part.name in wanted]
        nulls = {part.name: pa.nulls(count, part.type) for part in parts}
        absent = {part.name: np.zeros(count, np.bool_) for part in parts if part.is_absent}
        return DecodedImages(nulls, absent, np.ones(count, np.bool_))


# What a column is


@dataclass(frozen=True)
class _Part:
    """One column in the images."""

    name: str
    kernel: str
    type: pa.DataType
    width: int
    """Bytes of the value, of the longest one when it varies."""
    unit: int
    """Bytes that one unit of the length stands for."""
    is_nullable: bool
    is_varying: bool
    is_absent: bool
    """Its value is kept elsewhere."""
    read: Kernel | None = None
    read_ragged: RaggedKernel | None = None
    reason: str = ""
    """Why no kernel reads it."""

    @property
    def is_unbounded(self) -> bool:
        """Whether it cannot even be walked over."""
        return not 0 <= self.width <= _MOST_WIDTH


def _part(column: Column, reading: ImageReading, options: ImageOptions) -> _Part:
    width = column.width(reading.dec_length, reading.graphic_length)
    reason = _refusal(column, width, reading, options)
    kernel, read, read_ragged = "", None, None
    if not reason and column.is_varying:
        kernel, read_ragged = _ragged_kernel(column)
    elif not reason:
        kernel, read = _kernel(column, width, reading, options)
    return _Part(
        column.name,
        kernel,
        pa.null() if _has_no_digits(column, reading) else column_type(column, reading.dec_length),
        width,
        2 if column.is_graphic and reading.graphic_length == "characters" else 1,
        column.is_nullable,
        column.is_varying,
        column.form == "absent",
        read,
        read_ragged,
        reason,
    )


def _refusal(column: Column, width: int, reading: ImageReading, options: ImageOptions) -> str:
    """Why a column cannot be read by the column."""
    form = column.form
    if not 0 <= width <= _MOST_WIDTH:
        return f"a width of {width} bytes"
    if form == "text" and column.page is not None and not texts.can_decode_array(column.page):
        return f"nothing reads text in {column.page.name} by the column"
    if form == "decimal":
        digits = max(column.precision(reading.dec_length), column.scale)
        if _has_no_digits(column, reading) or width < 1:
            return "a decimal without digits"
        return "" if digits <= MOST_DIGITS else f"{digits} digits are too many for a decimal of 128 bits"
    if form in _TEMPORAL and not options.iso_dates:
        return "the form of SAS dates is not known"
    return ""


def _has_no_digits(column: Column, reading: ImageReading) -> bool:
    """Whether it is a decimal for which Arrow has no type."""
    return column.form == "decimal" and max(column.precision(reading.dec_length), column.scale) < 1


# Where columns stand


@dataclass(frozen=True)
class _Entry:
    """A column in a stretch. Places in bytes from the start of the stretch."""

    part: _Part
    indicator: int
    """Of the null indicator, if it has one."""
    length: int
    """Of the length, if it varies."""
    value: int
    moves: bool
    """Whether the value is not always as long, so that what follows stands elsewhere in each image."""

    def spans(self, is_wanted: bool) -> Iterator[tuple[int, int]]:
        """What is read of it in the stretch: from and to."""
        if self.part.is_nullable:
            yield self.indicator, self.indicator + 1
        if self.part.is_varying:
            yield self.length, self.length + 2
        elif is_wanted and not self.moves and not self.part.is_absent:
            yield self.value, self.value + self.part.width


def _stretches(parts: Sequence[_Part], reading: ImageReading, options: ImageOptions) -> Iterator[_Stretch]:
    keeps_bytes = reading.null_bytes == NULL_BYTES[0]
    entries: list[_Entry] = []
    place = 0
    for part in parts:
        length = place + part.is_nullable
        value = length + 2 * part.is_varying
        moves = not options.is_expanded if part.is_varying else part.is_nullable and not keeps_bytes
        entries.append(_Entry(part, place, length, value, moves))
        place = value if moves else value + part.width
        if moves:
            yield _Stretch(entries, place)
            entries, place = [], 0
    if entries:
        yield _Stretch(entries, place)


class _Walk:
    """How far n images have been read."""

    def __init__(self, data: Bytes, starts: Int64s, lengths: Int64s) -> None:
        self.data = data
        self.irregular: Flags = (starts < 0) | (lengths > len(data) - starts)
        self.places = starts
        """Where the next stretch begins; at an irregular row anywhere in the data."""
        self.ends = starts + lengths
        self._starts = np.clip(starts, 0, len(data))

    def has(self, width: int) -> bool:
        """Mark the images that end before `width` more bytes; whether one is left that does not.

        Those that are marked go on in the place of one that is not, so that no gather leaves the data.
        """
        self.irregular |= self.places + width > self.ends
        if self.irregular.any():
            first = int(self.irregular.argmin())
            if self.irregular[first]:
                return False
            self.places = np.where(self.irregular, self.places[first], self.places)
        return len(self.places) > 0

    def pieces(self, begin: Int64s, sizes: Int64s) -> tuple[Int64s, Int64s]:
        """Pieces without those of irregular rows, in ascending order still."""
        if not self.irregular.any():
            return begin, sizes
        return np.where(self.irregular, self._starts, begin), np.where(self.irregular, 0, sizes)


class _Stretch:
    """Columns that stand at the same distance from its start in all images.

    It ends at the first column whose value is not always as long: its null indicator and its length are the
    last of it, and the value stands behind.
    """

    def __init__(self, entries: Sequence[_Entry], width: int) -> None:
        self.entries = tuple(entries)
        self.width = width
        last = self.entries[-1]
        self.last_width = last.part.width if last.moves and not last.part.is_varying else 0
        """Bytes of the value that stands behind it, unless a length tells them."""

    def read(self, walk: _Walk, wanted: frozenset[str] | None, found: DecodedImages) -> None:
        """Read its columns, mark irregular rows, and go on to its end."""
        are_wanted = [wanted is None or entry.part.name in wanted for entry in self.entries]
        rows = self._rows(walk, are_wanted)
        begin = walk.places
        for entry, is_wanted in zip(self.entries, are_wanted, strict=True):
            part = entry.part
            is_null = _nulls(rows.at(entry.indicator, 1)[:, 0], walk) if part.is_nullable else None
            if part.is_varying:
                made = _varying(entry, rows, walk, begin, is_null, is_wanted)
            elif entry.moves:
                made = _movable(entry, walk, begin, is_null, is_wanted)
            else:
                made = part.read(rows.at(entry.value, part.width)) if is_wanted and part.read is not None else None
            if is_wanted:
                found.arrays[part.name] = _with_nulls(part, made, is_null, walk)
            if is_wanted and part.is_absent:
                found.absent[part.name] = np.ones(len(begin), np.bool_) if is_null is None else ~is_null
        if not self.entries[-1].moves:
            walk.places = begin + self.width

    def _rows(self, walk: _Walk, are_wanted: Sequence[bool]) -> _Rows:
        spans: list[tuple[int, int]] = []
        for entry, is_wanted in zip(self.entries, are_wanted, strict=True):
            for low, high in entry.spans(is_wanted):
                if spans and low - spans[-1][1] <= _NEAR:
                    spans[-1] = spans[-1][0], high
                else:
                    spans.append((low, high))
        return _Rows([(low, byte_arrays.take_rows(walk.data, walk.places + low, high - low)) for low, high in spans])


@dataclass(frozen=True)
class _Rows:
    """Bytes of a stretch of n images, with the places they are from."""

    taken: list[tuple[int, Bytes]]

    def at(self, place: int, width: int) -> Bytes:
        """Some of them, (n, width)."""
        low, rows = next((low, rows) for low, rows in reversed(self.taken) if low <= place)
        return rows[:, place - low : place - low + width]


def _nulls(indicators: Bytes, walk: _Walk) -> Flags | None:
    """Which rows are null; None when none is."""
    if not indicators.any():
        return None
    is_null: Flags = np.equal(indicators, 0xFF)
    walk.irregular |= (indicators != 0) & ~is_null
    return is_null


def _with_nulls(part: _Part, made: Made, is_null: Flags | None, walk: _Walk) -> pa.Array:
    """What a kernel made of a column, with nulls; rows that it does not vouch for are irregular unless null."""
    if made is None:
        return pa.nulls(len(walk.places), part.type)
    array, bad = made
    if bad is not None:
        walk.irregular |= bad if is_null is None else bad & ~is_null
    return array if is_null is None else arrays.without(array, is_null)


def _varying(entry: _Entry, rows: _Rows, walk: _Walk, begin: Int64s, is_null: Flags | None, is_wanted: bool) -> Made:
    """A column with a length in front of its value."""
    part = entry.part
    sizes = integers.decode_unsigned_array(rows.at(entry.length, 2)).view(np.int64)
    walk.irregular |= sizes > part.width // part.unit
    if is_null is not None:
        walk.irregular |= is_null & (sizes != 0)
    if part.unit != 1:
        sizes *= part.unit
    places = begin + entry.value
    if entry.moves:
        walk.places = places + sizes
        walk.irregular |= walk.places > walk.ends
    return part.read_ragged(walk.data, *walk.pieces(places, sizes)) if is_wanted and part.read_ragged else None


def _movable(entry: _Entry, walk: _Walk, begin: Int64s, is_null: Flags | None, is_wanted: bool) -> Made:
    """A column of fixed length that is not there when it is null."""
    part = entry.part
    places = begin + entry.value
    walk.places = places + (part.width if is_null is None else np.where(is_null, 0, part.width))
    walk.irregular |= walk.places > walk.ends
    if not is_wanted or part.read is None:
        return None
    is_missing = walk.irregular if is_null is None else walk.irregular | is_null
    first = int(is_missing.argmin())
    if is_missing[first]:
        return None
    if is_missing.any():
        places = np.where(is_missing, places[first], places)
    return part.read(byte_arrays.take_rows(walk.data, places, part.width))


# Kernels, each with its Arrow array


def _kernel(column: Column, width: int, reading: ImageReading, options: ImageOptions) -> tuple[str, Kernel | None]:
    """What reads a column of fixed length, in a word and as a function."""
    form = column.form
    if form == "absent":
        return "kept elsewhere", None
    type_ = column_type(column, reading.dec_length)
    if form == "text":
        assert column.page is not None
        return "text", partial(_text, column.page, options.trim)
    if form == "int":
        return "signed", partial(_integer, type_)
    if form == "float":
        return ("hfp", _hfp) if options.floats == "hfp" else ("ieee", _ieee)
    if form == "decimal":
        return "packed decimal", partial(arrays.packed_decimal, type_, 2 * width - 1 > type_.precision)
    return _TEMPORAL.get(form, ("bytes", _binary))


def _ragged_kernel(column: Column) -> tuple[str, RaggedKernel]:
    """What reads a varying column."""
    if column.page is None:
        return "varying bytes", _ragged_binary
    return "varying text", partial(_ragged_text, column.page)


def _integer(type_: pa.DataType, raw: Bytes) -> tuple[pa.Array, None]:
    return arrays.numbers(integers.decode_signed_array(raw), type_), None


def _hfp(raw: Bytes) -> tuple[pa.Array, None]:
    return arrays.numbers(floats.decode_hfp_array(raw), pa.float64()), None


def _ieee(raw: Bytes) -> tuple[pa.Array, None]:
    return arrays.numbers(floats.decode_ieee_array(raw), pa.float64()), None


def _date(raw: Bytes) -> tuple[pa.Array, Flags]:
    days, bad = text_times.date_days_array(raw)
    return arrays.numbers(days, pa.int32()).view(pa.date32()), bad


def _timestamp(raw: Bytes) -> tuple[pa.Array, Flags]:
    micros, bad, _ = text_times.timestamp_micros_array(raw)
    return arrays.numbers(micros, schemas.MICROS), bad


def _time(raw: Bytes) -> tuple[pa.Array, Flags]:
    return _shown(*text_times.decode_time_array(raw))


def _timestamp_tz(raw: Bytes) -> tuple[pa.Array, Flags]:
    return _shown(*text_times.decode_timestamp_tz_array(raw))


def _shown(chars: Bytes, bad: Flags) -> tuple[pa.Array, Flags]:
    """(n, width) characters as text."""
    return arrays.strings(chars.reshape(-1), arrays.steps(*chars.shape)), bad


_TEMPORAL: dict[str, tuple[str, Kernel]] = {
    "date": ("date text", _date),
    "time": ("time text", _time),
    "timestamp": ("timestamp text", _timestamp),
    "timestamp_tz": ("timestamp text with zone", _timestamp_tz),
}


def _binary(raw: Bytes) -> tuple[pa.Array, None]:
    return arrays.binary(raw), None


def _ragged_binary(data: Bytes, starts: Int64s, lengths: Int64s) -> tuple[pa.Array, None]:
    return arrays.ragged_binary(data, starts, lengths), None


def _text(page: CodePage, trim: bool, raw: Bytes) -> tuple[pa.Array, Flags | None]:
    if trim and not arrays.is_wide(page):
        return arrays.text(raw, page)
    chars, offsets, bad = texts.decode_array(raw, page, trim)
    return arrays.strings(chars, offsets), bad


def _ragged_text(page: CodePage, data: Bytes, starts: Int64s, lengths: Int64s) -> tuple[pa.Array, Flags | None]:
    """Pieces are put together first, then shown all at once."""
    pieces = arrays.ragged_binary(data, starts, lengths)
    _, offsets, held = pieces.buffers()
    flat = held.to_pybytes() if held is not None else b""
    shown = b"\x80" if arrays.is_wide(page) else arrays.as_ascii(flat, page)
    if shown.isascii():
        return pa.Array.from_buffers(pa.string(), len(starts), [None, offsets, pa.py_buffer(shown)]), None
    bounds = np.frombuffer(offsets, np.int32, len(starts) + 1)
    chars, ends, bad = texts.decode_ragged_array(np.frombuffer(flat, np.uint8), bounds[:-1], np.diff(bounds), page)
    return arrays.strings(chars, ends), bad
