"""Interpretation: how DATA areas and row images of one log are read where the manual is silent.

It is found once for a file, from its first records with row images, wherever reading begins. If several interpretations
are left, each image is read by the one under which columns fill it. Different values then are an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
"""Number of records with row images from which the interpretation is found."""


@dataclass(frozen=True, slots=True)
class LogSettings(FamilySettings):
    """Facts about a whole logical log that readers of its parts need."""

    reading: str | None = None
    """Meaning of the halfwords in DATA areas."""
    image_readings: tuple[ImageReading, ...] = ()
    """Candidates for the interpretation of columns, the most likely first."""
    table_ids: frozenset[tuple[Any, ...]] | None = None
    """Ids of the table that the options name, once the table is looked up."""
    extract: ExtractSettings | None = field(default=None, compare=False)
    """Settings that follow from the other extracts; None if the log is no extract."""

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
    """The headers, with whole DATA, of the changes with row images, from the first change on."""
    decide: Callable[[str, str, str], None]
    """Reports a decision: name, value, evidence."""
    _row_readers: dict[tuple[int, ImageReading], RowReader] = field(default_factory=dict)
    _ways: dict[int, list[ImageReading]] = field(default_factory=dict)
    """The interpretations of each table version, by its identity."""

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
        """The interpretation of row images: the most likely one that is left."""
        return self.image_candidates[0]

    @cached_property
    def image_candidates(self) -> tuple[ImageReading, ...]:
        """The interpretations that the sampled images do not exclude, the most likely first."""
        return self.known.image_readings or self._found_in_rows()

    @cached_property
    def is_padding_evidence(self) -> bool:
        """Whether values are padded, so that the end of a graphic value does not show what its length counts.

        Then lengths count what LOGLOGBYTES of the columns shows, unless the padding behind a value contradicts that.
        """
        columns = (column for version in self.tables.versions for column in version.columns)
        are_several = len({way.graphic_length for way in self.image_candidates}) > 1
        return self.options.is_expanded and are_several and any(column.graphic_length for column in columns)

    def read_image(self, version: TableVersion, image: bytes, wanted: frozenset[str] | None) -> RowValues:
        """Read one row by the interpretation under which its columns fill the image.

        The result does not depend on other images. Raises the error of an image that the columns do not fill. Raises
        RecordError LMP-R015 if they fill it in several ways with different values, or if the padding shows that lengths
        of graphic values count something else.
        """
        way = self.image if len(self.image_candidates) == 1 else self._way_of(version, image)
        return self.rows(version, way).read(image, wanted)

    def _way_of(self, version: TableVersion, image: bytes) -> ImageReading:
        """The interpretation of one image. Of several with the same values, the one with the fewest faults."""
        ways: Sequence[ImageReading] = self.image_candidates
        if self.is_padding_evidence:
            sound = [way for way in ways if self.rows(version, way).is_sound(image)]
            ways = [way for way in ways if way.graphic_length == self.image.graphic_length]
            if sound and not set(sound) & set(ways):
                raise of_table(self._of_other_lengths(sound[0]), version.columns, version.identity)
        read = {way: rows.read(image) for way in ways if (rows := self.rows(version, way)).fits(image)}
        if len({repr(row.values) for row in read.values()}) > 1:
            raise of_table(_of_several_ways([*read]), version.columns, version.identity)
        return min(read, key=lambda way: len(read[way].faults), default=self.image)

    def _of_other_lengths(self, other: ImageReading) -> RecordError:
        return RecordError(
            "the padding behind values shows what the lengths of graphic values count, as no image before does",
            code="LMP-R015", spec=SPEC, expected=f"lengths in {self.image.graphic_length}",
            found=f"lengths in {other.graphic_length}", hint=f"set decisions to graphic_length={other.graphic_length}",
        )  # fmt: skip

    def rows(self, version: TableVersion, reading: ImageReading) -> RowReader:
        """The reader of the rows of a table version."""
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
        ways = all_image_readings(self.tables.versions, self.options)
        left, evidence = choose_image_reading(images, self.options, ways)
        if len(left) > 1 and images:
            evidence += f"; nothing in them tells {len(left)} readings apart, the first is taken"
        self.decide("columns", str(left[0]), evidence)
        return left

    def _fills_columns(self, values: Values, reading: str) -> bool:
        """Whether columns, under some interpretation, fill the images that a meaning of the halfwords yields."""
        images = DataReader(reading).read(values["change_type"], values["data"]).images
        try:
            version = self.tables.find(values)
        except ControlError:
            return False
        ways = self._ways.get(id(version)) or self._ways.setdefault(
            id(version), all_image_readings([version], self.options)
        )
        return any(all(self.rows(version, way).fits(image) for image in images) for way in ways)


def _of_several_ways(ways: Sequence[ImageReading]) -> RecordError:
    """The error LMP-R015 of an image that columns fill in several ways with different values."""
    names = ("null_bytes", "dec_length", "graphic_length")
    values = {name: sorted({getattr(way, name) for way in ways}) for name in names}
    choices = [f"{name}={' or '.join(found)}" for name, found in values.items() if len(found) > 1]
    return RecordError(
        "the columns fill the row image in several ways, whose values differ", code="LMP-R015", spec=SPEC,
        hint=f"set decisions: {', '.join(choices)}",
    )  # fmt: skip
