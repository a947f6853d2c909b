"""Data change records (LLDF): detection, length of a record, and contents of the DATA area."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from kaitaistruct import KaitaiStruct

from lmparse.errors import DataError
from lmparse.records.reader import RecordReader, Values
from lmparse.spec import catalog

SPEC = "bmc_lldf"
READINGS = ("total", "inclusive", "exclusive")
"""Meanings of the halfwords in the DATA area, the best documented first."""


@dataclass(frozen=True)
class DataArea:
    """The parts of the DATA area of one change."""

    images: tuple[bytes, ...] = ()
    """Row images: before and after for an update, else one."""
    clone: tuple[bytes, bytes] | None = None
    """Owner and name of the clone table of an exchange."""
    limit_keys: tuple[bytes, ...] | None = None
    """Limit keys of a mass delete; None for other change types."""
    payload: bytes | None = None
    """Bytes that no manual describes."""


class DataReader:
    """Reads DATA areas under one meaning of their halfwords."""

    def __init__(self, reading: str) -> None:
        self.reading = reading
        self._spec = catalog.load("bmc_lldf_data")
        self._reading = self._spec.enum("reading")[reading]
        self._readers: dict[str, RecordReader] = {}

    def read(self, change_type: str, data: bytes) -> DataArea:
        """Split the DATA area of one change.

        Raises RecordError or InvalidValueError if the parts do not fill it exactly. Limit keys that do not fill it are
        kept as payload, since their form is not documented.
        """
        try:
            body = self.reader(change_type).parse(data).body
        except DataError:
            if _codes().get(change_type) != change_types()["mass_delete"]:
                raise
            return DataArea(payload=data)
        return _area(body)

    def fits(self, values: Values) -> bool:
        """Whether the parts fill the DATA area of a change exactly."""
        change_type = values["change_type"]
        is_mass_delete = _codes().get(change_type) == change_types()["mass_delete"]
        return is_mass_delete or self.reader(change_type).accepts(values["data"])

    def reader(self, change_type: str) -> RecordReader:
        """The reader for DATA areas of a change type."""
        if change_type not in self._readers:
            arguments = _codes().get(change_type, 0), self._reading
            self._readers[change_type] = RecordReader(self._spec, arguments=arguments)
        return self._readers[change_type]


def _area(body: KaitaiStruct) -> DataArea:
    if hasattr(body, "images"):
        return DataArea(images=tuple(image.row for image in body.images))
    if hasattr(body, "clone_name"):
        return DataArea(clone=(body.clone_owner, body.clone_name))
    if hasattr(body, "limit_keys"):
        return DataArea(limit_keys=tuple(key.row for key in body.limit_keys))
    return DataArea(payload=body.payload)


@cache
def change_types() -> dict[str, int]:
    """The listed values of CHANGE TYPE by their words in the spec."""
    return catalog.load(SPEC).enum("change_type")


@cache
def _codes() -> dict[str, int]:
    """The same by the text that is shown for them."""
    return {code.text or "": code.value for code in catalog.load(SPEC).layout["change_type"].codes}


def has_images(change_type: str) -> bool:
    """Whether the DATA area of a change type contains row images, so that the meaning of its halfwords matters."""
    return _codes().get(change_type) in image_change_types()


@cache
def image_change_types() -> frozenset[int]:
    """The change types whose DATA area contains row images, as numbers."""
    types = change_types()
    return frozenset(types[word] for word in ("update", "insert", "load_insert", "delete"))


def choose_reading(samples: Sequence[Values], fills_columns: Callable[[Values, str], bool]) -> tuple[str, str]:
    """Find the meaning of the halfwords in DATA areas from whole records with row images; returns it and the evidence.

    It is the one whose images fill the columns of most records, as `fills_columns(values, reading)` tests; then the one
    that fills most DATA areas exactly; then the first of READINGS. In a sound log one does both for every record.
    """
    if not samples:
        return READINGS[0], "no record with a row image; the default"
    counts = {reading: sum(map(DataReader(reading).fits, samples)) for reading in READINGS}
    filled = {
        reading: sum(DataReader(reading).fits(values) and fills_columns(values, reading) for values in samples)
        for reading in READINGS
    }
    # One image behind a total can pass for one longer image without a total, so columns are better evidence.
    best = max((filled[reading], counts[reading]) for reading in READINGS)
    if best == (0, 0):
        return READINGS[0], f"no reading fills any of {len(samples)} records; the default"
    left = [reading for reading in READINGS if (filled[reading], counts[reading]) == best]
    evidence = f"fills {best[1]} of {len(samples)} records exactly, and the columns of {best[0]}"
    if len(left) > 1:
        evidence += f", as does {' and '.join(left[1:])}; the first is taken"
    return left[0], evidence


@cache
def longest() -> int:
    """Length in bytes of the longest record of format VB."""
    word = catalog.load("zos_rdw").layout
    return (word["length"].maximum or 0) - (word.width or 0)


Places = Mapping[str, tuple[int, int]]
"""Offset and width of header fields by id."""


def table_places(names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Offset and width of header fields in the table of the manual."""
    layout = catalog.load(SPEC).layout
    return {name: (layout[name].offset or 0, layout[name].width or 0) for name in names}
