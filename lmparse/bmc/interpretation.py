"""Interpretation: how DATA areas and row images of one log are read where the manual is silent.

It is found once for a file, from its first records with row images. Candidates that these do not exclude remain until
an image excludes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lmparse.bmc import change_record
from lmparse.bmc.change_record import DataReader
from lmparse.bmc.extract_settings import ExtractSettings
from lmparse.bmc.row_image import (
    SPEC,
    ImageOptions,
    ImageReading,
    RowReader,
    all_image_readings,
    choose_image_reading,
    leaves_nulls_open,
)
from lmparse.bmc.tables import Tables, TableVersion
from lmparse.changes.row_values import RowValues, of_table
from lmparse.errors import ControlError, DataError, RecordError
from lmparse.records.reader import Values
from lmparse.records.settings import FamilySettings


@dataclass(frozen=True, slots=True)
class LogSettings(FamilySettings):
    """Facts about a whole logical log that readers of its parts need."""

    reading: str | None = None
    """Meaning of the halfwords in DATA areas."""
    image_readings: tuple[ImageReading, ...] = ()
    """Candidates for the interpretation of columns, the most likely first."""
    table_ids: frozenset[tuple[Any, ...]] | None = None
    """Ids of the table that the options name, once it has been looked up."""
    is_said_unsegmented: bool = False
    """Whether the log was cut without a search for segments, because DLDS says that there are none. Then the other
    segments of a change may be in another part, so a change that lacks one is an error of the whole part."""
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
    take_samples: Callable[[], list[Values]]
    """Returns the headers, with whole DATA, of the first changes with row images."""
    decide: Callable[[str, str, str], None]
    """Makes a decision visible: name, value, evidence."""
    _row_readers: dict[tuple[int, ImageReading], RowReader] = field(default_factory=dict)
    _narrowed: tuple[ImageReading, ...] = ()

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

    @property
    def image_candidates(self) -> tuple[ImageReading, ...]:
        """The interpretations that no image has excluded, the most likely first."""
        return self._narrowed or self._choice

    def read_image(self, version: TableVersion, image: bytes, wanted: frozenset[str] | None) -> RowValues:
        """Read one row.

        Raises the error of an image that its columns do not fill, RecordError LMP-R015 for one that they fill in two
        ways, as long as no image that is read has told these apart.
        """
        rows = self.rows(version, self.image)
        try:
            parsed = rows.parse(image)
        except DataError:
            if not self._narrow(version, image):
                raise
        else:
            if not self.are_nulls_open or not rows.has_null_of_fixed_length(parsed):
                return rows.values_of(parsed, wanted)
            self._narrow(version, image)
            if self.are_nulls_open:
                text = "the row image is filled by its columns in two ways: null columns of fixed length may have bytes"
                error = RecordError(text, code="LMP-R015", spec=SPEC, hint="set nullBytes to present or absent")
                raise of_table(error, version.columns, version.identity)
        return self.rows(version, self.image).read(image, wanted)

    @property
    def are_nulls_open(self) -> bool:
        """Whether images with a null column of fixed length are read in two ways as yet."""
        return leaves_nulls_open(self.image_candidates)

    def _narrow(self, version: TableVersion, image: bytes) -> bool:
        """Leave those interpretations of which an image is filled; returns whether there are any."""
        left = tuple(way for way in self.image_candidates if self.rows(version, way).fits(image))
        if left and left != self.image_candidates:
            self._narrowed = left
            self.decide("columns", str(self.image), "the first image that tells the ways apart")
        return bool(left)

    def rows(self, version: TableVersion, reading: ImageReading) -> RowReader:
        """The reader of a table version's rows."""
        key = id(version), reading
        if key not in self._row_readers:
            self._row_readers[key] = RowReader(version, reading, self.options)
        return self._row_readers[key]

    @cached_property
    def _samples(self) -> list[Values]:
        return self.take_samples()

    @cached_property
    def _choice(self) -> tuple[ImageReading, ...]:
        if self.known.image_readings:
            return self.known.image_readings
        images: list[tuple[TableVersion, bytes]] = []
        for values in self._samples:
            try:
                version = self.tables.find(values)
                images.extend(
                    (version, image) for image in self.data.read(values["change_type"], values["data"]).images
                )
            except DataError:
                continue
        ways = all_image_readings(((version, b"") for version in self.tables.versions), self.options)
        left, evidence = choose_image_reading(images, self.options, ways)
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
