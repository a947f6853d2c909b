"""Data change records (LLDF): detection, length of a record, and contents of the DATA area."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from kaitaistruct import KaitaiStruct

from lmparse.changes.change import ROLES
from lmparse.errors import DataError, FramingError
from lmparse.framing.base import Framing
from lmparse.framing.descriptors import TRAILERS, cut_short, excerpt, no_record
from lmparse.framing.detection import Detection
from lmparse.records.reader import RecordReader, Values
from lmparse.spec import catalog
from lmparse.storage.buffers import Buffer
from lmparse.values import codepages

SPEC = "bmc_lldf"
_NAME = re.compile(r"(?:[A-Z$#@][A-Z0-9$#@]*)? *\Z|\0+\Z")
"""Start of the name of a Db2 subsystem or group member; only $#@ differ between code pages."""
_CODE = re.compile(r"[A-Z][A-Z ]*\Z")
"""A CHANGE TYPE, listed or not."""
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
_NEEDED = ("length", "system_id", "change_type", "seg_len", "total_segs")


def table_places(names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Offset and width of header fields in the table of the manual."""
    layout = catalog.load(SPEC).layout
    return {name: (layout[name].offset or 0, layout[name].width or 0) for name in names}


def detection(described: Places | None = None, width: int | None = None) -> Detection:
    """How data change records are recognised.

    `described` and `width` are those of a header that XHDF records describe differently from the manual.
    """
    layout = catalog.load(SPEC).layout
    table = table_places(_NEEDED)
    places = table if described is None else described
    # XHDF may describe the header of another file; then the error comes from the records.
    least = sum(places.get("system_id", (0, 0))) if width else layout["length"].minimum or 0

    def is_one(raw: bytes) -> bool:
        is_long_enough = least <= _number(raw, table["length"]) <= len(raw)
        return is_long_enough and _NAME.match(_system_name(raw, 0, places)) is not None

    def test(records: list[bytes], framing: Framing) -> str | None:
        lengths = Counter(_number(raw, table["length"]) for raw in records if is_one(raw))
        if not lengths:
            return f"no record begins with a header LENGTH from {least} and the name of a Db2 subsystem"
        common, count = lengths.most_common(1)[0]
        if 2 * count <= len(records):
            return f"only {count} of {len(records)} records begin with LENGTH {common}"
        return None

    is_whole = all(name in places for name in _NEEDED)
    return Detection("data change records", test, _Cutter(least, places) if is_whole else None, record=is_one)


def _number(raw: Buffer, place: tuple[int, int], offset: int = 0) -> int:
    start = offset + place[0]
    return int.from_bytes(raw[start : start + place[1]], "big")


def _system_name(raw: Buffer, offset: int, places: Places) -> str:
    start, width = places.get("system_id", (0, 0))
    return codepages.lookup("cp037").decode(raw[offset + start : offset + start + width])


class _Cutter:
    """Finds the end of a record that has no descriptor word.

    Candidates come from the halfwords of the DATA area under each meaning, and from SEGLEN in a segmented record and in
    one without row images, whose payload is not documented. A candidate counts if the file ends there or a header with
    the same LENGTH and the name of a system begins there. Behind a payload of which SEGLEN says nothing, such a
    header is searched: one that is damaged is not found, and its record is then taken for a part of the payload.
    """

    def __init__(self, least: int, places: Places) -> None:
        self._least = least
        self._places = places
        start, width = places["system_id"]
        self._system_end = start + width
        self._word = catalog.load("zos_rdw").layout.width or 0
        self._halfword = catalog.load("bmc_lldf_data").layouts["bmc_lldf_data.image"]["length"].width or 0

    def __call__(self, buffer: Buffer, offset: int, end: int, index: int) -> int:
        length = self._header_length(buffer, offset, end, index)
        inside = self._header_inside(buffer, offset, min(offset + length, end), end)
        if inside is not None:
            raise FramingError(
                "the record ends inside its header", code="LMP-F005", spec=SPEC, field="length", field_offset=0,
                expected=f"a header of {length} bytes", found=f"another header {inside - offset} bytes behind it",
                hex=excerpt(buffer, offset, end),
            )  # fmt: skip
        ends = self._ends(buffer, offset, end, length)
        candidates = list(dict.fromkeys(place for place in ends if place >= offset + length))
        for candidate in candidates:
            if candidate == end or (candidate < end and self._begins(buffer, candidate, end, offset)):
                self._check_payload(buffer, offset, length, candidate, end)
                return candidate - offset
        stated = self._stated_ends(buffer, offset, length)
        for candidate in stated:
            if candidate == end or (candidate < end and self._begins_damaged(buffer, candidate, end, offset)):
                return candidate - offset
        beyond = [candidate for candidate in candidates if end < candidate <= offset + longest()]
        searched = self._next_header(buffer, offset, end, length)
        if searched is not None and (searched < end or not beyond) and searched <= max(stated, default=searched):
            return searched - offset
        if beyond:
            raise cut_short(buffer, offset, end, index, min(beyond) - offset, spec=SPEC)
        raise FramingError(
            "the record's own lengths do not lead to another record", code="LMP-F005", spec=SPEC, field="data",
            field_offset=length, expected="a header of the same LENGTH behind it",
            found=", ".join(f"{candidate - offset} bytes" for candidate in (*candidates, *stated)) or "no length",
            hex=excerpt(buffer, offset, end),
        )  # fmt: skip

    def _header_length(self, buffer: Buffer, offset: int, end: int, index: int) -> int:
        have = end - offset
        width = self._places["length"][1]
        length = int.from_bytes(buffer[offset : min(offset + width, end)].ljust(width, b"\x00"), "big")
        is_trailer = have <= width and buffer[offset:end] in TRAILERS
        is_short = have >= width and length < self._least
        if is_trailer or is_short or length > longest() or not _NAME.match(self._system_name(buffer, offset)):
            raise no_record(
                buffer, offset, end, index, spec=SPEC, field="length", field_offset=0,
                expected=f"a header LENGTH from {self._least}, then the name of a Db2 subsystem",
                found=f"X'{buffer[offset : offset + self._system_end].hex().upper()}'",
            )  # fmt: skip
        if have < max(length, self._least):
            raise cut_short(buffer, offset, end, index, max(length, self._least), spec=SPEC)
        return length

    def _check_payload(self, buffer: Buffer, offset: int, length: int, candidate: int, end: int) -> None:
        """Raise FramingError LMP-F005 if a SEGLEN leads behind another record, as one that is damaged may."""
        if _number(buffer, self._places["change_type"], offset) in image_change_types():
            return  # what is not the end of its images is noticed
        inside = self._header_inside(buffer, offset, candidate, end, of_any_system=True)
        if inside is not None:
            seg_len, (start, _) = _number(buffer, self._places["seg_len"], offset), self._places["seg_len"]
            raise FramingError(
                "SEGLEN leads behind another record", code="LMP-F005", spec=SPEC, field="seg_len", field_offset=start,
                expected=f"at most {inside - offset - length} bytes of DATA", found=str(seg_len),
                hex=excerpt(buffer, offset, end),
            )  # fmt: skip

    def _header_inside(
        self, buffer: Buffer, offset: int, before: int, end: int, *, of_any_system: bool = False
    ) -> int | None:
        """The first place behind `offset` and before another place at which a header of the same LENGTH and system
        begins, with a CHANGE TYPE.

        If it is inside the header, the record was cut short: what is read behind the cut is of the next record. There,
        other names may pass for those of systems, as the number in front of one for a LENGTH.
        """
        same, (place, width) = buffer[offset : offset + self._places["length"][1]], self._places["change_type"]
        if not self._system_name(buffer, offset).strip(" \0"):
            return None  # blanks and zeros are in any record
        found = offset
        while (found := buffer.find(same, found + 1, min(before - 1 + len(same), end))) >= 0:
            is_one = self._is_of(buffer, found, offset) or (of_any_system and self._begins(buffer, found, end, offset))
            if found + self._system_end <= end and is_one:
                code = codepages.lookup("cp037").decode(buffer[found + place : found + place + width])
                if _CODE.match(code):
                    return found
        return None

    def _system_name(self, buffer: Buffer, offset: int) -> str:
        return _system_name(buffer, offset, self._places)

    def _ends(self, buffer: Buffer, offset: int, end: int, length: int) -> Iterable[int]:
        data = offset + length
        segments = _number(buffer, self._places["total_segs"], offset)
        if segments > 1:
            yield from self._ends_by_seg_len(buffer, offset, length)
            return
        change_type = _number(buffer, self._places["change_type"], offset)
        if change_type not in image_change_types():
            yield from self._stated_ends(buffer, offset, length)
            # An empty DATA area is tried before its halfwords: the LENGTH of the next header can pass for a halfword.
            yield data
        elif end - data < self._halfword:
            yield data + self._halfword
            return
        first = _number(buffer, (0, self._halfword), data)
        if first >= self._halfword:
            yield data + first
        images = len(ROLES["U"]) if change_type == change_types()["update"] else 1
        for own in (self._halfword, 0):
            place = data
            for _ in range(images):
                # Behind the end of the file at least the next length is missing.
                is_there = place + self._halfword <= end
                length = _number(buffer, (0, self._halfword), place) if is_there else self._halfword
                place += length + self._halfword - own
            yield place

    def _stated_ends(self, buffer: Buffer, offset: int, length: int) -> list[int]:
        """Where a record without row images ends by the meanings of SEGLEN; none if there is none."""
        if not _number(buffer, self._places["seg_len"], offset) or not self._has_payload(buffer, offset):
            return []
        return [place for place in self._ends_by_seg_len(buffer, offset, length) if place >= offset + length]

    def _ends_by_seg_len(self, buffer: Buffer, offset: int, length: int) -> tuple[int, ...]:
        """Where a record ends if SEGLEN counts it, it and its descriptor word, or DATA."""
        seg_len = _number(buffer, self._places["seg_len"], offset)
        return offset + seg_len, offset + seg_len - self._word, offset + length + seg_len

    def _has_payload(self, buffer: Buffer, offset: int) -> bool:
        """Whether a record has no row images, and is whole."""
        change_type = _number(buffer, self._places["change_type"], offset)
        return change_type not in image_change_types() and _number(buffer, self._places["total_segs"], offset) <= 1

    def _next_header(self, buffer: Buffer, offset: int, end: int, length: int) -> int | None:
        """End of a payload without a length: the next header, or the end of the file."""
        if not self._has_payload(buffer, offset):
            return None
        same = buffer[offset : offset + self._places["length"][1]]
        found = buffer.find(same, offset + length, end)
        while found >= 0 and not self._begins(buffer, found, end, offset):
            found = buffer.find(same, found + 1, end)
        return end if found < 0 else found

    def _begins(self, buffer: Buffer, candidate: int, end: int, like: int) -> bool:
        """Whether a header of the same LENGTH and of some system begins there, as far as there are bytes."""
        if end - candidate < self._system_end:
            # A line end put behind the file is not part of the record either.
            rest = buffer[candidate:end]
            return rest in TRAILERS or rest[:2] == buffer[like : like + len(rest[:2])]
        length = self._places["length"]
        if _number(buffer, length, candidate) != _number(buffer, length, like):
            return False
        name = self._system_name(buffer, candidate)
        return self._is_of(buffer, candidate, like) or bool(name.strip(" \0") and _NAME.match(name))

    def _begins_damaged(self, buffer: Buffer, candidate: int, end: int, like: int) -> bool:
        """Whether a header of the same system but of another LENGTH, which is damage, begins there."""
        return end - candidate >= self._system_end and self._is_of(buffer, candidate, like)

    def _is_of(self, buffer: Buffer, candidate: int, like: int) -> bool:
        """Whether a header is of the same system, as far as there are bytes."""
        place = self._places["system_id"]
        return len(buffer) < candidate + self._system_end or (
            _number(buffer, place, candidate) == _number(buffer, place, like)
        )
