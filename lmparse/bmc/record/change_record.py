"""Data change records (LLDF): detection, length of a record, and contents of the DATA area."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from lmparse.errors import DataError, FramingError
from lmparse.framing.base import Framing
from lmparse.framing.descriptors import TRAILERS, cut_short, excerpt, no_record
from lmparse.framing.detection import Detection
from lmparse.records.reader import RecordReader, Values
from lmparse.spec import catalog
from lmparse.spec.layout import Code
from lmparse.storage.buffers import Buffer, occurrences
from lmparse.values import codepages

SPEC = "bmc_lldf"
READINGS = ("total", "inclusive", "exclusive")
"""Meanings of the halfwords in the DATA area; the best documented meaning is first."""


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

        Raises RecordError or InvalidValueError if the parts do not fill the area exactly. Limit keys that do not fill
        it are kept as payload, since their form is not documented.
        """
        try:
            body = self.reader(change_type).parse(data).body
        except DataError:
            if _word(change_type) != "mass_delete":
                raise
            return DataArea(payload=data)
        if hasattr(body, "images"):
            return DataArea(images=tuple(image.row for image in body.images))
        if hasattr(body, "clone_name"):
            return DataArea(clone=(body.clone_owner, body.clone_name))
        if hasattr(body, "limit_keys"):
            return DataArea(limit_keys=tuple(key.row for key in body.limit_keys))
        return DataArea(payload=body.payload)

    def fits(self, values: Values) -> bool:
        """Whether the parts fill the DATA area of a change exactly."""
        change_type = values["change_type"]
        return _word(change_type) == "mass_delete" or self.reader(change_type).accepts(values["data"])

    def reader(self, change_type: str) -> RecordReader:
        """The reader of DATA areas of a change type."""
        if change_type not in self._readers:
            number = _codes()[change_type].value if change_type in _codes() else 0
            self._readers[change_type] = RecordReader(self._spec, arguments=(number, self._reading))
        return self._readers[change_type]


@cache
def _codes() -> dict[str, Code]:
    """The listed values of CHANGE TYPE by their texts."""
    return {code.text or "": code for code in catalog.load(SPEC).layout["change_type"].codes}


def _word(change_type: str) -> str:
    """The word of the spec for a change type; empty for an unlisted change type."""
    return _codes()[change_type].id if change_type in _codes() else ""


def has_images(change_type: str) -> bool:
    """Whether the DATA area of a change type contains row images, so that the meaning of its halfwords matters."""
    return _word(change_type) in ("update", "insert", "load_insert", "delete")


def choose_reading(samples: Sequence[Values], fills_columns: Callable[[Values, str], bool]) -> tuple[str, str]:
    """Find the meaning of the halfwords in DATA areas from whole records with row images; returns it and the evidence.

    The images must fill the columns of most records, as `fills_columns(values, reading)` tests. Of equal meanings, the
    one that fills most DATA areas exactly is taken, then the first of READINGS. In a sound log one meaning does both
    for every record.
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
    """Bytes of the longest record of a data set of format VB. In format VBS it fills one piece."""
    word = catalog.load("zos_sdw").layout
    return (word["length"].maximum or 0) - (word.width or 0)


Places = Mapping[str, tuple[int, int]]
"""Offset and width of header fields by id."""


def table_places(names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Offset and width of header fields in the table of the manual."""
    layout = catalog.load(SPEC).layout
    return {name: (layout[name].offset or 0, layout[name].width or 0) for name in names}


_NAME = re.compile(r"(?:[A-Z$#@][A-Z0-9$#@]*)? *\Z|\0+\Z")
"""Start of the name of a Db2 subsystem or group member; only $#@ differ between code pages."""
_NEEDED = ("length", "system_id", "seg_len")
_NEEDS_WORDS = "transfer the file with its record descriptor words (RDW)"


def detection(described: Places | None = None, width: int | None = None) -> Detection:
    """How data change records are recognised.

    `described` has the places of the fields and `width` the bytes of a header that XHDF describes unlike the manual.
    """
    layout = catalog.load(SPEC).layout
    table = table_places(_NEEDED)
    places = table if described is None else described
    # XHDF may describe the header of another file; then the error comes from the records.
    least = sum(places.get("system_id", (0, 0))) if width else layout["length"].minimum or 0

    def is_one(raw: bytes) -> bool:
        is_long_enough = least <= number_at(raw, table["length"]) <= len(raw)
        return is_long_enough and _NAME.match(_system_name(raw, 0, places)) is not None

    def test(records: list[bytes], framing: Framing) -> str | None:
        lengths = Counter(number_at(raw, table["length"]) for raw in records if is_one(raw))
        if not lengths:
            return f"no record begins with a header LENGTH from {least} and the name of a Db2 subsystem"
        common, count = lengths.most_common(1)[0]
        if 2 * count <= len(records):
            return f"only {count} of {len(records)} records begin with LENGTH {common}"
        return None

    is_whole = all(name in places for name in _NEEDED)
    return Detection("data change records", test, _SegLenCutter(least, places) if is_whole else None, record=is_one)


def number_at(raw: Buffer, place: tuple[int, int], offset: int = 0) -> int:
    """The number in a field of the record at an offset."""
    start = offset + place[0]
    return int.from_bytes(raw[start : start + place[1]], "big")


def _system_name(raw: Buffer, offset: int, places: Places) -> str:
    start, width = places.get("system_id", (0, 0))
    return codepages.lookup("cp037").decode(raw[offset + start : offset + start + width])


class _SegLenCutter:
    """Finds the end of a record without a descriptor word by its SEGLEN, which is the length of the record.

    SEGLEN must lead to the end of the file, or to a header with the same LENGTH or of the same system.
    """

    def __init__(self, least: int, places: Places) -> None:
        self._least, self._places = least, places
        self._system_end = sum(places["system_id"])
        self._header_end = max(map(sum, places.values()))

    def __call__(self, buffer: Buffer, offset: int, end: int, index: int) -> int:
        length = self._header_length(buffer, offset, end, index)
        seg_len, (start, _) = self._seg_len(buffer, offset), self._places["seg_len"]
        behind = offset + seg_len
        is_last = end < behind <= offset + longest() and not any(self._headers_behind(buffer, offset, end))
        if is_last:
            error = cut_short(buffer, offset, end, index, seg_len, spec=SPEC)
            error.hint = _NEEDS_WORDS
            raise error
        if not self._leads(buffer, offset, behind, end) or self._passes_over_another(buffer, offset, behind):
            raise FramingError(
                "SEGLEN does not lead to another record", code="LMP-F005", spec=SPEC, field="seg_len",
                field_offset=start, expected=f"the length of the record, with a header of LENGTH {length} behind it",
                found=str(seg_len), hex=excerpt(buffer, offset, end), hint=_NEEDS_WORDS,
            )  # fmt: skip
        return seg_len

    def _seg_len(self, buffer: Buffer, offset: int) -> int:
        return number_at(buffer, self._places["seg_len"], offset)

    def _headers_behind(self, buffer: Buffer, offset: int, end: int) -> Iterator[int]:
        """Places behind the name of the system at which a header with the same LENGTH and system may begin."""
        (start, width), (system, size) = self._places["length"], self._places["system_id"]
        same = buffer[offset + start : offset + start + width]
        name = buffer[offset + system : offset + system + size]
        behind = offset + self._system_end
        for place in occurrences(buffer, same, behind, min(end, offset + longest())):
            if buffer[place - start + system : place - start + system + size] == name:
                yield place - start

    def _passes_over_another(self, buffer: Buffer, offset: int, behind: int) -> bool:
        """Whether a record inside of another one leads to the same end, as behind a damaged SEGLEN."""
        for place in self._headers_behind(buffer, offset, behind):
            inside: int | None = place
            while inside is not None and inside < behind and behind - inside >= self._header_end:
                following = inside + self._seg_len(buffer, inside)
                inside = following if self._leads(buffer, inside, following, behind) else None
            if inside == behind:
                return True
        return False

    def _leads(self, buffer: Buffer, offset: int, behind: int, end: int) -> bool:
        """Whether a record can end at `behind`: its header is in front, the file ends there, or a header begins."""
        header = max(number_at(buffer, self._places["length"], offset), self._system_end)
        return offset + header <= behind <= end and (behind == end or self._begins(buffer, behind, end, offset))

    def _begins(self, buffer: Buffer, place: int, end: int, like: int) -> bool:
        """Whether a header of the same LENGTH or system begins at `place`, as far as there are bytes."""
        if end - place < self._system_end:
            # A line end behind the file is not part of the record either.
            rest = buffer[place:end]
            return rest in TRAILERS or rest[:2] == buffer[like : like + len(rest[:2])]
        fields = self._places["length"], self._places["system_id"]
        return any(number_at(buffer, field, place) == number_at(buffer, field, like) for field in fields)

    def _header_length(self, buffer: Buffer, offset: int, end: int, index: int) -> int:
        have = end - offset
        width = self._places["length"][1]
        length = int.from_bytes(buffer[offset : min(offset + width, end)].ljust(width, b"\x00"), "big")
        is_trailer = have <= width and buffer[offset:end] in TRAILERS
        is_short = have >= width and length < self._least
        if is_trailer or is_short or length > longest() or not _NAME.match(_system_name(buffer, offset, self._places)):
            raise no_record(
                buffer, offset, end, index, spec=SPEC, field="length", field_offset=0,
                expected=f"a header LENGTH from {self._least}, then the name of a Db2 subsystem",
                found=f"X'{buffer[offset : offset + self._system_end].hex().upper()}'",
            )  # fmt: skip
        if have < max(length, self._least):
            raise cut_short(buffer, offset, end, index, max(length, self._least), spec=SPEC)
        return length
