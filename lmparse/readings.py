"""Readings: how DATA and row images of one log are read where the manual is silent.

Found once for a file, from its first records with row images. What those leave open is
decided by the first image that tells the ways apart.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from lmparse import lldf
from lmparse.errors import ControlError, DataError
from lmparse.files import Decided
from lmparse.images import ImageOptions, ImageReading, Row, RowReader, all_image_readings, choose_image_reading
from lmparse.lldf import DataReader
from lmparse.records import Values
from lmparse.tables import Tables, TableVersion

Samples = Callable[[], list[Values]]
"""Gives the headers, with whole DATA, of the first changes with row images."""
Decide = Callable[[str, str, str], None]
"""Makes a decision visible: name, value, evidence."""


class Readings:
    """The readings of one log, and the readers that follow from them."""

    def __init__(
        self, row_images: str, decided: Decided, tables: Tables, options: ImageOptions, samples: Samples, decide: Decide
    ) -> None:
        self._row_images = row_images
        self._decided = decided
        self._tables = tables
        self._options = options
        self._take_samples = samples
        self._decide = decide
        self._row_readers: dict[tuple[int, ImageReading], RowReader] = {}
        self._adopted: ImageReading | None = None

    @cached_property
    def data(self) -> DataReader:
        """The reader of DATA: total, inclusive or exclusive halfwords."""
        if self._decided.reading is not None:
            return DataReader(self._decided.reading)
        if self._row_images != "auto":
            self._decide("row images", self._row_images, "option")
            return DataReader(self._row_images)
        choice = lldf.choose_reading(self._samples, self._fills_columns)
        self._decide("row images", choice.reading, choice.evidence)
        return DataReader(choice.reading)

    @property
    def image(self) -> ImageReading:
        """How columns are read."""
        return self._adopted or self._choice[0]

    @property
    def is_image_proven(self) -> bool:
        """Whether some image has told the ways apart."""
        return self._adopted is not None or self._choice[1]

    def read_image(self, version: TableVersion, image: bytes, wanted: frozenset[str] | None) -> Row:
        """One row. Raises the error of an image that its columns do not fill."""
        try:
            return self.rows(version, self.image).read(image, wanted)
        except DataError:
            other = self._other(version, image)
            if other is None:
                raise
            self._adopted = other
            self._decide("columns", str(other), "the first image that tells the ways apart")
            return self.rows(version, other).read(image, wanted)

    def rows(self, version: TableVersion, reading: ImageReading) -> RowReader:
        """The reader of a table version's rows."""
        key = id(version), reading
        reader = self._row_readers.get(key)
        if reader is None:
            reader = self._row_readers[key] = RowReader(version, reading, self._options)
        return reader

    @cached_property
    def _samples(self) -> list[Values]:
        return self._take_samples()

    @cached_property
    def _choice(self) -> tuple[ImageReading, bool]:
        if self._decided.image_reading is not None:
            return self._decided.image_reading, self._decided.is_image_reading_proven
        images: list[tuple[TableVersion, bytes]] = []
        for values in self._samples:
            try:
                version = self._tables.find(values)
                images.extend(
                    (version, image) for image in self.data.read(values["change_type"], values["data"]).images
                )
            except DataError:
                continue
        reading, evidence, is_proven = choose_image_reading(images, self._options)
        self._decide("columns", str(reading), evidence)
        return reading, is_proven

    def _fills_columns(self, values: Values, reading: str) -> bool:
        """Whether some way of reading columns fills the images that a reading of DATA gives."""
        images = DataReader(reading).read(values["change_type"], values["data"]).images
        try:
            version = self._tables.find(values)
        except ControlError:
            return False
        ways = all_image_readings([(version, b"")])
        return any(all(self.rows(version, way).fits(image) for image in images) for way in ways)

    def _other(self, version: TableVersion, image: bytes) -> ImageReading | None:
        """The one other way that fills this image, while nothing has told them apart yet."""
        if self.is_image_proven:
            return None
        ways = [way for way in all_image_readings([(version, image)]) if way != self.image]
        fitting = [way for way in ways if self.rows(version, way).fits(image)]
        return fitting[0] if len(fitting) == 1 else None
