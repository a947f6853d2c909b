"""Interpretation: how DATA areas and row images of one log are read where the manual is silent.

It is found once for a file, from its first records with row images, so that it is the same wherever reading begins. If
these leave several ways, each image is read by the first one under which it is filled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from lmparse.bmc.control.tables import Tables, TableVersion
from lmparse.bmc.extracts.outcomes import ExtractSettings
from lmparse.bmc.record import change_record
from lmparse.bmc.record.change_record import DataReader
from lmparse.bmc.record.row_image import (
    SPEC,
    ImageOptions,
    ImageReading,
    RowReader,
    all_image_readings,
    choose_image_reading,
)
from lmparse.changes.change import RowValues, of_table
from lmparse.errors import ControlError, DataError, RecordError
from lmparse.records.reader import Values
from lmparse.records.settings import FamilySettings

_SAMPLES = 1000
"""Number of records with row images that the interpretation is found from."""


@dataclass(frozen=True, slots=True)
class LogSettings(FamilySettings):
    """Facts about a whole logical log that readers of its parts need."""

    reading: str | None = None
    """Meaning of the halfwords in DATA areas."""
    image_readings: tuple[ImageReading, ...] = ()
    """Candidates for the interpretation of columns, the most likely first."""
    table_ids: frozenset[tuple[Any, ...]] | None = None
    """Ids of the table that the options name, once it has been looked up."""
    extract: ExtractSettings | None = field(default=None, compare=False)
    """What the other extracts say of this one, if it is one of several."""

    @property
    def path(self) -> str | None:
        return None if self.extract is None else self.extract.path


@dataclass(eq=False)
class Interpretation:
    """The interpretation of one log, and the readers that follow from it."""

    row_images: str
    """The option `row_images`."""
    known: LogSettings
    tables: Tables
    options: ImageOptions
    sample: Callable[[], Iterator[Values]]
    """The headers, with whole DATA, of the changes with row images, from the first one on."""
    decide: Callable[[str, str, str], None]
    """Makes a decision visible: name, value, evidence."""
    _row_readers: dict[tuple[int, ImageReading], RowReader] = field(default_factory=dict)

    @cached_property
    def data(self) -> DataReader:
        """The reader of DATA areas."""
        if self.known.reading is not None:
            return DataReader(self.known.reading)
        if self.row_images != "auto":
            self.decide("row images", self.row_images, "option")
            return DataReader(self.row_images)
        reading, evidence = change_record.choose_reading(self._samples, self._fills_columns)
        self.decide("row images", reading, evidence)
        return DataReader(reading)

    @property
    def image(self) -> ImageReading:
        """The interpretation of row images."""
        return self.image_candidates[0]

    @cached_property
    def image_candidates(self) -> tuple[ImageReading, ...]:
        """The interpretations that the images do not exclude that it is found from, the most likely first."""
        return self.known.image_readings or self._found_in_rows()

    @cached_property
    def are_nulls_open(self) -> bool:
        """Whether it is open if null columns of fixed length have bytes: then each image with one tells it, or none."""
        return len({reading.null_bytes for reading in self.image_candidates}) > 1

    @cached_property
    def are_lengths_open(self) -> bool:
        """Whether it is open what lengths of graphic values count, in images that are filled either way, by padding."""
        return self.options.is_expanded and len({reading.graphic_length for reading in self.image_candidates}) > 1

    def read_image(self, version: TableVersion, image: bytes, wanted: frozenset[str] | None) -> RowValues:
        """Read one row by the first interpretation under which its columns fill it.

        So it does not depend on other images. Raises the error of an image that its columns do not fill, RecordError
        LMP-R015 for one that they fill with and without bytes of null columns, whose values are others then, and for
        one whose padding shows that lengths of graphic values count something else.
        """
        rows = self.rows(version, self.image)
        if self.are_lengths_open and not rows.is_sound(image):
            other = next((way for way in self.image_candidates[1:] if self.rows(version, way).is_sound(image)), None)
            if other is not None and other.graphic_length != self.image.graphic_length:
                raise of_table(self._of_other_lengths(other), version.columns, version.identity)
        try:
            parsed = rows.parse(image)
        except DataError:
            other = next((way for way in self.image_candidates[1:] if self.rows(version, way).fits(image)), None)
            if other is None:
                raise
            return self.rows(version, other).read(image, wanted)
        if self.are_nulls_open and rows.has_null_of_fixed_length(parsed):
            filled = {way.null_bytes for way in self.image_candidates if self.rows(version, way).fits(image)}
            if len(filled) < 2:
                return rows.values_of(parsed, wanted)
            text = "the row image is filled by its columns in two ways: null columns of fixed length may have bytes"
            error = RecordError(text, code="LMP-R015", spec=SPEC, hint="set decisions to null_bytes=present, or absent")
            raise of_table(error, version.columns, version.identity)
        return rows.values_of(parsed, wanted)

    def _of_other_lengths(self, other: ImageReading) -> RecordError:
        return RecordError(
            "the padding behind values shows what the lengths of graphic values count, as no image before does",
            code="LMP-R015", spec=SPEC, expected=f"lengths in {self.image.graphic_length}",
            found=f"lengths in {other.graphic_length}", hint=f"set decisions to graphic_length={other.graphic_length}",
        )  # fmt: skip

    def rows(self, version: TableVersion, reading: ImageReading) -> RowReader:
        """The reader of a table version's rows."""
        key = id(version), reading
        if key not in self._row_readers:
            self._row_readers[key] = RowReader(version, reading, self.options)
        return self._row_readers[key]

    @cached_property
    def _samples(self) -> list[Values]:
        return list(islice(self.sample(), _SAMPLES))

    def _found_in_rows(self) -> tuple[ImageReading, ...]:
        images: list[tuple[TableVersion, bytes]] = []
        for values in self._samples:
            with suppress(DataError):
                version, data = self.tables.find(values), self.data.read(values["change_type"], values["data"])
                images += [(version, image) for image in data.images]
        ways = all_image_readings(((version, b"") for version in self.tables.versions), self.options)
        left, evidence = choose_image_reading(images, self.options, ways)
        if len(left) > 1 and images:
            evidence += f"; nothing in them tells {len(left)} readings apart, the first is taken"
        self.decide("columns", str(left[0]), evidence)
        return left

    def _fills_columns(self, values: Values, reading: str) -> bool:
        """Whether some interpretation of columns fills the images that a meaning of the halfwords yields."""
        images = DataReader(reading).read(values["change_type"], values["data"]).images
        try:
            version = self.tables.find(values)
        except ControlError:
            return False
        ways = all_image_readings([(version, b"")], self.options)
        return any(all(self.rows(version, way).fits(image) for image in images) for way in ways)
