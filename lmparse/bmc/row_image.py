"""Row images: the bytes of one row to typed values, column by column.

The reader uses the generated parser of `bmc_row_image`, with the columns of the table version as parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from lmparse.bmc.tables import DEC_LENGTHS, GRAPHIC_LENGTHS, Column, TableVersion, front_widths, len_unit
from lmparse.changes.row_values import KEPT_APART, RowValues, of_table
from lmparse.errors import DataError, InvalidValueError
from lmparse.records.reader import RecordReader
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
        return f"null bytes {self.null_bytes}, DEC length in {self.dec_length}, graphic length in {self.graphic_length}"


@dataclass(frozen=True)
class ImageOptions:
    """Statements of the control file and the caller on row images."""

    is_expanded: bool = False
    """EXPANDVAR: varying columns are padded to their full length."""
    floats: str = "hfp"
    trim: bool = True


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
        """The values of one row; with `wanted`, of these columns only.

        Raises RecordError or InvalidValueError if the columns do not fill the image exactly. Faulty values are
        collected in the row.
        """
        try:
            parsed = self.parts.parse(image)
        except DataError as error:
            raise of_table(error, self.table.columns, self.table.identity) from None
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
        precision = max(column.precision(dec_length), column.scale)
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

    Returns the interpretations that fill most images, in their order, and the evidence in words. The first is used; the
    others remain candidates until an image excludes them.
    """
    if not samples:
        return tuple(ways), "no row image; the default"
    counts = {reading: _filled(samples, reading, options) for reading in ways}
    best = max(counts.values())
    left = tuple(reading for reading, count in counts.items() if count == best)
    evidence = f"fills {best} of {len(samples)} images exactly"
    if len(left) > 1:
        evidence += f"; nothing in them tells {len(left)} readings apart, the first is taken"
    return left, evidence


def all_image_readings(samples: Iterable[tuple[TableVersion, bytes]]) -> list[ImageReading]:
    """The interpretations that differ for these tables, the most likely first."""
    columns = [column for table in {id(table): table for table, _ in samples}.values() for column in table.columns]
    dec = DEC_LENGTHS if any(c.type == "DEC" and c.dec_length is None for c in columns) else DEC_LENGTHS[:1]
    graphic = GRAPHIC_LENGTHS if any(c.is_graphic for c in columns) else GRAPHIC_LENGTHS[:1]
    nulls = NULL_BYTES if any(c.is_nullable and not c.is_varying for c in columns) else NULL_BYTES[:1]
    return [ImageReading(*choice) for choice in product(nulls, dec, graphic)]


def _filled(samples: Sequence[tuple[TableVersion, bytes]], reading: ImageReading, options: ImageOptions) -> int:
    tables = {id(table): table for table, _ in samples}
    readers = {number: RowReader(table, reading, options) for number, table in tables.items()}
    return sum(readers[id(table)].fits(image) for table, image in samples)
