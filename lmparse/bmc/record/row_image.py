"""Row images: turns the bytes of one row into typed values, column by column.

The reader uses the generated parser of `bmc_row_image`, with the columns of the table version as parameters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from lmparse.bmc.control.columns import DEC_LENGTHS, GRAPHIC_LENGTHS, Column, front_widths, len_unit
from lmparse.bmc.control.tables import TableVersion
from lmparse.changes.change import KEPT_APART, RowValues, of_table
from lmparse.errors import DataError, InvalidValueError
from lmparse.options import Options
from lmparse.records.reader import RecordReader, Values
from lmparse.spec import catalog
from lmparse.values import decimals, floats, text_times, texts

SPEC = "bmc_row_image"
NULL_BYTES = ("present", "absent")
"""Whether a null column of fixed length keeps its value bytes."""


@dataclass(frozen=True, slots=True)
class ImageReading:
    """Interpretation of row images where the manual is silent; found once for a file."""

    null_bytes: str = NULL_BYTES[0]
    dec_length: str = DEC_LENGTHS[0]
    graphic_length: str = GRAPHIC_LENGTHS[0]

    def __str__(self) -> str:
        """The interpretation in the form of the option `decisions`."""
        return f"null_bytes={self.null_bytes},dec_length={self.dec_length},graphic_length={self.graphic_length}"


@dataclass(frozen=True)
class ImageOptions:
    """Statements of the control file and the caller on row images."""

    is_expanded: bool = False
    """EXPANDVAR: varying columns are padded to their full length."""
    floats: str = "hfp"
    trim: bool = True
    null_bytes: str = "auto"
    """With the next two fields: the choice of the caller for an `ImageReading`, or `auto`."""
    dec_length: str = "auto"
    graphic_length: str = "auto"

    @classmethod
    def of(cls, described: Values, options: Options) -> ImageOptions:
        """The statements on a log, from its DLDS record and the options."""
        decided = {name: options.decision(name) for name in ("null_bytes", "dec_length", "graphic_length")}
        return cls(described.get("expand_var") == "Y", floats=options.floats, trim=options.trim, **decided)


class RowReader:
    """Reads the row images of one table version."""

    def __init__(self, table: TableVersion, reading: ImageReading, options: ImageOptions | None = None) -> None:
        self.table = table
        options = options or ImageOptions()
        spec = catalog.load(SPEC)
        storage = spec.enum("storage")
        columns = table.columns
        self._widths = [column.width(reading.dec_length, reading.graphic_length) for column in columns]
        self.parts = RecordReader(
            spec,
            arguments=(
                [storage["varying" if column.is_varying else "fixed"] for column in columns],
                self._widths,
                [int(column.is_nullable) for column in columns],
                [len_unit(reading.graphic_length if column.is_graphic else "bytes") for column in columns],
                reading.null_bytes == "present",
                options.is_expanded,
            ),
        )
        """Splits an image into the parts of its columns."""
        self._fronts = [column.front_bytes for column in columns]
        self.decoders = [_decoder(column, options, reading.dec_length) for column in columns]
        """Decoder of each column; None for values that are kept elsewhere."""

    def read(self, image: bytes, wanted: frozenset[str] | None = None) -> RowValues:
        """The values of one row; with `wanted`, of these columns only. Raises as `parse`."""
        return self.values_of(self.parse(image), wanted)

    def parse(self, image: bytes) -> Any:
        """The parts of an image. Raises RecordError or InvalidValueError if the columns do not fill it exactly."""
        try:
            return self.parts.parse(image)
        except DataError as error:
            raise of_table(error, self.table.columns, self.table.identity) from None

    def values_of(self, parsed: Any, wanted: frozenset[str] | None = None) -> RowValues:
        """The values of one row; with `wanted`, of these columns only. Errors of values are collected in the row."""
        row = RowValues({})
        offset = 0
        parts = zip(self.table.columns, self._fronts, parsed.columns, self.decoders, strict=True)
        for column, front, part, decode in parts:
            start = offset + front
            offset = start + len(part.value) + len(getattr(part, "padding", b""))
            if wanted is not None and column.name not in wanted:
                continue
            row.values[column.name] = None
            if part.is_null:
                if column.is_varying and part.len_value:
                    row.faults.append(_null_with_length(column, part.len_value, part.value, start))
            elif decode is None:
                row.absent[column.name] = KEPT_APART
            else:
                try:
                    row.values[column.name] = decode(part.value)
                except InvalidValueError as error:
                    error.at(spec=SPEC, field=column.name, field_offset=start, hex=part.value[:32].hex().upper())
                    row.faults.append(error)
        return row

    def fits(self, image: bytes) -> bool:
        """Whether the columns fill the image exactly."""
        return self.parts.accepts(image)

    def is_sound(self, image: bytes) -> bool:
        """Whether the columns fill the image, all values are good, and padding is of one character."""
        try:
            parsed = self.parts.parse(image)
        except DataError:
            return False
        parts = zip(self.table.columns, parsed.columns, strict=True)
        paddings = ((column, bytes(getattr(part, "padding", b""))) for column, part in parts)
        return all(_is_of_one_character(column, padding) for column, padding in paddings) and not (
            self.values_of(parsed).faults
        )


def _is_of_one_character(column: Column, padding: bytes) -> bool:
    unit = len_unit(GRAPHIC_LENGTHS[1]) if column.is_graphic else 1
    return padding == padding[:unit] * (len(padding) // unit)


def _null_with_length(column: Column, length: int, value: bytes, start: int) -> InvalidValueError:
    return InvalidValueError(
        "a null column has a length", code="LMP-V001", spec=SPEC, field=column.name,
        field_offset=start - front_widths()[1], expected="0", found=str(length), hex=value[:32].hex().upper(),
    )  # fmt: skip


def _decoder(column: Column, options: ImageOptions, dec_length: str) -> Callable[[bytes], Any] | None:
    """The decoder of a column; None if its values are kept elsewhere."""
    form = column.form
    if form == "absent":
        return None
    if form == "text":
        assert column.page is not None
        return texts.decoder(column.page, options.trim and not column.is_varying)
    if form == "int":
        return lambda raw: int.from_bytes(raw, "big", signed=True)
    if form == "float":
        return floats.decode_hfp if options.floats == "hfp" else floats.decode_ieee
    if form == "decimal":
        precision = max(column.counting(dec_length).precision, column.scale)
        return lambda raw: decimals.decode_packed(raw, column.scale, precision)
    if form in _TEMPORAL:
        parse = _TEMPORAL[form]
        return lambda raw: parse(text_times.characters(raw))
    return bytes


_TEMPORAL: dict[str, Callable[[str], str]] = {
    "date": text_times.decode_date,
    "time": text_times.decode_time,
    "timestamp": text_times.decode_timestamp,
    "timestamp_tz": text_times.decode_timestamp_tz,
    "sas": str.rstrip,
}


def choose_image_reading(
    samples: Sequence[tuple[TableVersion, bytes]], options: ImageOptions, ways: Sequence[ImageReading]
) -> tuple[tuple[ImageReading, ...], str]:
    """Find the interpretation of images from rows with their table versions.

    Returns the interpretations that fill most images, in their order, and the evidence in words. Of these, only the
    lengths of columns are left with which most images have sound values and padding.
    """
    if not samples:
        return tuple(ways), "no row image; the default"
    left, best = _most(ways, lambda reading: _count(samples, reading, options, RowReader.fits))
    evidence = f"fills {best} of {len(samples)} images exactly"
    alike = [reading for reading in left if reading.null_bytes == left[0].null_bytes]
    if len(alike) > 1:  # sound values are no evidence of null bytes
        best_alike, best = _most(alike, lambda reading: _count(samples, reading, options, RowReader.is_sound))
        if len(best_alike) < len(alike):
            evidence += f", {best} of them with sound values and padding, which {len(alike)} readings differ in"
            lengths = {(reading.dec_length, reading.graphic_length) for reading in best_alike}
            left = tuple(way for way in left if (way.dec_length, way.graphic_length) in lengths)
    return left, evidence


def all_image_readings(tables: Iterable[TableVersion], options: ImageOptions) -> list[ImageReading]:
    """The interpretations that differ for these tables and that the caller allows, the most likely first."""
    columns = [column for table in tables for column in table.columns]
    nulls = _ways(NULL_BYTES, options.null_bytes, any(c.is_nullable and not c.is_varying for c in columns))
    dec = _ways(DEC_LENGTHS, options.dec_length, any(c.is_open for c in columns))
    # Lengths in front of values most likely count the same unit as lengths of columns.
    likely = Counter(column.graphic_length for column in columns if column.graphic_length)
    lengths = tuple(sorted(GRAPHIC_LENGTHS, key=lambda unit: -likely[unit]))
    graphic = _ways(lengths, options.graphic_length, any(c.is_graphic for c in columns))
    return [ImageReading(*choice) for choice in product(nulls, dec, graphic)]


def _ways(all_ways: tuple[str, ...], asked: str, do_differ: bool) -> tuple[str, ...]:
    if asked != "auto":
        return (asked,)
    return all_ways if do_differ else all_ways[:1]


def _most(ways: Sequence[ImageReading], count: Callable[[ImageReading], int]) -> tuple[tuple[ImageReading, ...], int]:
    """The interpretations with the highest count, and this count."""
    counts = {reading: count(reading) for reading in ways}
    best = max(counts.values())
    return tuple(reading for reading, number in counts.items() if number == best), best


def _count(
    samples: Sequence[tuple[TableVersion, bytes]],
    reading: ImageReading,
    options: ImageOptions,
    is_good: Callable[[RowReader, bytes], bool],
) -> int:
    """Number of images that the readers of their tables find good."""
    tables = {id(table): table for table, _ in samples}
    readers = {number: RowReader(table, reading, options) for number, table in tables.items()}
    return sum(is_good(readers[id(table)], image) for table, image in samples)
