"""Interpretation: how DATA areas and row images of one log are read where the manual is silent.

It is found once for a file, from its first records with row images, so that it is the same wherever reading begins. If
these leave several ways, each image is read by the first one under which it is filled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from lmparse.bmc import change_record
from lmparse.bmc.change_record import DataReader
from lmparse.bmc.extracts.reading import ExtractSettings
from lmparse.bmc.row_image import (
    SPEC,
    ImageOptions,
    ImageReading,
    RowReader,
    all_image_readings,
    choose_image_reading,
)
from lmparse.bmc.tables import Tables, TableVersion
from lmparse.changes.row_values import RowValues, of_table
from lmparse.errors import ControlError, DataError, RecordError
from lmparse.records.reader import Values
from lmparse.records.settings import FamilySettings

_SAMPLES = 1000
"""Number of records with row images that the interpretation is found from."""
_SAMPLES_IF_TIED = 5000
"""The same if the first ones fit several ways, as before the first null of fixed length."""
_ENOUGH = 20
"""Number of images that tell these apart behind which no more are looked at."""


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


@dataclass
class Told:
    """What the rows of a log tell of how they are read, with the evidence in words. Several readers may share it."""

    data: tuple[str, str] | None = None
    """Meaning of the halfwords in DATA areas."""
    images: tuple[tuple[ImageReading, ...], str] | None = None
    """Candidates for the interpretation of columns."""
    dec_length_of_others: Callable[[], str | None] = lambda: None
    """What lengths of DEC columns count in the other extracts of the log; None if their rows do not show it."""


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
    told: Told = field(default_factory=Told)
    _row_readers: dict[tuple[int, ImageReading], RowReader] = field(default_factory=dict)

    @cached_property
    def data(self) -> DataReader:
        """The reader of DATA areas."""
        if self.known.reading is not None:
            return DataReader(self.known.reading)
        if self.row_images != "auto":
            self.decide("row images", self.row_images, "option")
            return DataReader(self.row_images)
        if self.told.data is None:
            self.told.data = change_record.choose_reading(self._samples, self._fills_columns)
        reading, evidence = self.told.data
        self.decide("row images", reading, evidence)
        return DataReader(reading)

    @property
    def image(self) -> ImageReading:
        """The interpretation of row images."""
        return self.image_candidates[0]

    @cached_property
    def image_candidates(self) -> tuple[ImageReading, ...]:
        """The interpretations that the images do not exclude that it is found from, the most likely first."""
        return self.known.image_readings or self._chosen()

    @property
    def shown_dec_length(self) -> str | None:
        """What the rows of this log show lengths of DEC columns to count; None if they do not, or need not."""
        if not self.tables.are_open:
            return None
        found = {reading.dec_length for reading in self._told_by_rows()[0]}
        return found.pop() if len(found) == 1 else None

    @cached_property
    def are_nulls_open(self) -> bool:
        """Whether it is open if null columns of fixed length have bytes: then each image with one tells it, or none."""
        return len({reading.null_bytes for reading in self.image_candidates}) > 1

    def read_image(self, version: TableVersion, image: bytes, wanted: frozenset[str] | None) -> RowValues:
        """Read one row by the first interpretation under which its columns fill it.

        So it does not depend on other images. Raises the error of an image that its columns do not fill, RecordError
        LMP-R015 for one that they fill with and without bytes of null columns, whose values are others then.
        """
        rows = self.rows(version, self.image)
        try:
            parsed = rows.parse(image)
        except DataError:
            other = next((way for way in self.image_candidates[1:] if self.rows(version, way).fits(image)), None)
            if other is None:
                raise
            return self.rows(version, other).read(image, wanted)
        if self.are_nulls_open and rows.has_null_of_fixed_length(parsed) and len(self._null_bytes(version, image)) > 1:
            text = "the row image is filled by its columns in two ways: null columns of fixed length may have bytes"
            error = RecordError(text, code="LMP-R015", spec=SPEC, hint="set nullBytes to present or absent")
            raise of_table(error, version.columns, version.identity)
        return rows.values_of(parsed, wanted)

    def _null_bytes(self, version: TableVersion, image: bytes) -> set[str]:
        """What the interpretations say of null columns under which an image is filled."""
        return {way.null_bytes for way in self.image_candidates if self.rows(version, way).fits(image)}

    def rows(self, version: TableVersion, reading: ImageReading) -> RowReader:
        """The reader of a table version's rows."""
        key = id(version), reading
        if key not in self._row_readers:
            self._row_readers[key] = RowReader(version, reading, self.options)
        return self._row_readers[key]

    @cached_property
    def _samples(self) -> list[Values]:
        return list(islice(self.sample(), _SAMPLES))

    def _chosen(self) -> tuple[ImageReading, ...]:
        left, evidence = self._told_by_rows()
        if self.tables.are_open and len({reading.dec_length for reading in left}) > 1:
            others = self.told.dec_length_of_others()
            of_others = tuple(reading for reading in left if reading.dec_length == others)
            if of_others:
                # The others follow: this extract may count otherwise, which a later row shows.
                left = (*of_others, *(reading for reading in left if reading not in of_others))
                evidence += "; DEC length first as rows of the other extracts show it"
        self.decide("columns", str(left[0]), evidence)
        return left

    def _told_by_rows(self) -> tuple[tuple[ImageReading, ...], str]:
        """The interpretations that the rows of this log leave, and the evidence in words."""
        if self.told.images is None:
            self.told.images = self._found_in_rows()
        return self.told.images

    def _found_in_rows(self) -> tuple[tuple[ImageReading, ...], str]:
        images = list(self._images(self._samples))
        ways = all_image_readings(((version, b"") for version in self.tables.versions), self.options)
        left, evidence = choose_image_reading(images, self.options, ways)
        if len(left) > 1 and len(self._samples) == _SAMPLES:
            left, more = self._told_later(left)
            evidence += more
        if len(left) > 1 and images:
            evidence += f"; nothing in them tells {len(left)} readings apart, the first is taken"
        return left, evidence

    def _told_later(self, ways: tuple[ImageReading, ...]) -> tuple[tuple[ImageReading, ...], str]:
        """Those of some interpretations that fill most of the images that tell them apart, as the first ones do not."""
        filled, told = Counter[ImageReading](), 0
        left = ways
        for version, image in self._images(islice(self.sample(), _SAMPLES, _SAMPLES_IF_TIED)):
            fitting = [way for way in ways if self.rows(version, way).fits(image)]
            if not 0 < len(fitting) < len(ways):
                continue
            told += 1
            filled.update(fitting)
            left = tuple(way for way in ways if filled[way] == max(filled.values()))
            if told >= _ENOUGH and len(left) == 1:
                break
        return left, f"; fills {filled[left[0]]} of {told} later ones that tell {len(ways)} readings apart" * bool(told)

    def _images(self, samples: Iterable[Values]) -> Iterator[tuple[TableVersion, bytes]]:
        """The row images of some headers with whole DATA, each with its table version; bad ones are left out."""
        for values in samples:
            try:
                version = self.tables.find(values)
                images = self.data.read(values["change_type"], values["data"]).images
            except DataError:
                continue
            yield from ((version, image) for image in images)

    def _fills_columns(self, values: Values, reading: str) -> bool:
        """Whether some interpretation of columns fills the images that a meaning of the halfwords yields."""
        images = DataReader(reading).read(values["change_type"], values["data"]).images
        try:
            version = self.tables.find(values)
        except ControlError:
            return False
        ways = all_image_readings([(version, b"")], self.options)
        return any(all(self.rows(version, way).fits(image) for image in images) for way in ways)
