"""Record list: rows of a list of records, filters over them, and finding.

A filter or a find looks at a number of records that is stated, and says where to go on, so that each request takes a
bounded time in a file of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lmparse.errors import DataError, FramingError, OptionError
from lmparse.framing.extents import RecordExtent
from lmparse.records.dissection import Dissection
from lmparse.records.file_dissection import RecordHeading, faulty
from lmparse.review.browse.record_index import RecordIndex
from lmparse.review.explain.explanation import printable
from lmparse.review.explain.search import RecordSearch
from lmparse.terminal import json_text

MOST_ROWS = 200
"""Most rows of one request."""
_MOST_READ, _MOST_DISSECTED = 5000, 400
"""Most records that one request looks at: by their values, and with the places of all fields."""
_MOST_BYTES = 1 << 26
"""Most bytes that one request looks at, of records that have many; it looks at one record at least."""
_SEARCHED = 1 << 23
"""Size in bytes of the largest file whose records have, unasked, facts that need a pass over the whole file: the pass
over a log of Db2 LUW takes some seconds for so many bytes."""
_LEAST_CONTAINED = 3
"""Least length of a filter that need not be the whole type or table."""


@dataclass(frozen=True, slots=True)
class RecordRow:
    """A record in the list."""

    extent: RecordExtent
    position: str
    """Its position in the log, in hex; empty for records without one."""
    heading: RecordHeading
    faults: tuple[DataError, ...]

    def to_dict(self) -> dict[str, Any]:
        """The row for the front-end."""
        return {
            "record": self.extent.index,
            "offset": self.extent.offset,
            "length": self.extent.length,
            "position": self.position,
            "type": printable(self.heading.type),
            "meaning": printable(self.heading.meaning),
            "table": printable(self.heading.table),
            "outcome": printable(self.heading.outcome),
            "faults": [printable(f"{fault.says()} [{fault.code}]") for fault in self.faults],
        }


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """Which records are listed; an empty text, and false, for all."""

    type: str = ""
    table: str = ""
    value: str = ""
    """`NAME=VALUE` for a value of a field or column, or a text that a value contains."""
    is_damaged: bool = False

    @property
    def is_quick(self) -> bool:
        """Whether the values of a record decide, without the places of its fields."""
        return not (self.value or self.is_damaged)

    def accepts_heading(self, heading: RecordHeading) -> bool:
        """Whether a record with this heading may be listed."""
        return _is_meant(self.type, heading.type, heading.meaning) and _is_meant(self.table, heading.table)

    def accepts(self, found: Dissection) -> bool:
        """Whether a record with these fields is listed."""
        return (not self.is_damaged or bool(faulty(found))) and has_value(found, self.value)


@dataclass(frozen=True, slots=True)
class Listed:
    """The answer to one request."""

    rows: list[RecordRow]
    next: int | None
    """Number of the record with which the list goes on; None at its end."""
    looked_at: int
    """Number of records that were looked at."""
    damage: FramingError | None = None
    """Why the list ends before the end of the file."""


class RecordList:
    """The records of one file."""

    def __init__(self, search: RecordSearch) -> None:
        self.search = search
        self.file = search.file
        self.index = RecordIndex(search.file)
        self.is_searched = len(self.file.buffer) <= _SEARCHED
        """Whether rows have facts that need a pass over the whole file."""

    def rows(self, first: int, count: int, wanted: RecordFilter) -> Listed:
        """At most `count` records from a number on that a filter accepts."""
        most = _MOST_READ if wanted.is_quick else _MOST_DISSECTED

        def row(extent: RecordExtent) -> RecordRow | None:
            heading = self._heading(extent)
            if not wanted.accepts_heading(heading):
                return None
            found = self._dissected(extent)
            return self._row(extent, heading, found) if wanted.accepts(found) else None

        return self._looked(first, min(count, MOST_ROWS), most, row)

    def find_bytes(self, first: int, wanted: bytes) -> Listed:
        """The first record from a number on that has some bytes. Raises OptionError for none."""
        if not wanted:
            raise OptionError("there are no bytes to find", hint="hex digits, or a text")

        def row(extent: RecordExtent) -> RecordRow | None:
            return self.row(extent) if wanted in extent.read(self.file.buffer) else None

        return self._looked(first, 1, 10 * _MOST_READ, row)

    def row(self, extent: RecordExtent, found: Dissection | None = None) -> RecordRow:
        """The row of a record; `found` is its dissection, if that is known."""
        return self._row(extent, self._heading(extent), found or self._dissected(extent))

    def _row(self, extent: RecordExtent, heading: RecordHeading, found: Dissection) -> RecordRow:
        positions = ("", *(f"{number:X}" for _, number in self.search.dissector.positions_of(extent)))
        return RecordRow(extent, positions[-1] if len(positions) < 3 else positions[1], heading, tuple(faulty(found)))

    def _looked(self, first: int, count: int, most: int, row: Callable[[RecordExtent], RecordRow | None]) -> Listed:
        rows: list[RecordRow] = []
        looked_at = seen_bytes = 0
        try:
            for extent in islice(self.index.extents(first), most):
                if len(rows) == count or seen_bytes >= _MOST_BYTES:
                    return Listed(rows, extent.index, looked_at)
                looked_at += 1
                seen_bytes += extent.length
                if (found := row(extent)) is not None:
                    rows.append(found)
        except FramingError as error:
            return Listed(rows, None, looked_at, error)
        is_stopped = looked_at == most
        return Listed(rows, first + looked_at if is_stopped else None, looked_at)

    def _heading(self, extent: RecordExtent) -> RecordHeading:
        try:
            values = self.file.read_bytes(extent.read(self.file.buffer)).values
        except DataError:
            return RecordHeading()
        return self.search.dissector.heading(extent, values, searches=self.is_searched)

    def _dissected(self, extent: RecordExtent) -> Dissection:
        if self.is_searched:
            return self.search.dissector.dissect(extent)
        return self.search.dissector.dissect_bytes(extent.read(self.file.buffer))


def has_value(found: Dissection, wanted: str) -> bool:
    """Whether a record has a value: `NAME=VALUE`, or a text that one of its values contains; true for no text."""
    name, is_named, value = wanted.partition("=")
    if not wanted:
        return True
    if is_named:
        return any(text == value for names, text in _values(found) if name.strip().casefold() in names)
    return any(wanted.casefold() in text.casefold() for _, text in _values(found))


def _values(found: Dissection) -> Iterator[tuple[set[str], str]]:
    """The values as they are shown, each with the names of its field; texts without quotes."""
    for node in found.walk():
        if node.value is not None:
            text = node.value if isinstance(node.value, str) else json_text(node.value)
            names = {node.path, node.field.id, node.field.orig_id or "", node.path.removesuffix(".value")}
            yield {name.casefold() for name in names}, printable(text)


def _is_meant(wanted: str, *texts: str) -> bool:
    """Whether a text is the wanted one, or contains it if it is long enough to be a part of a name."""
    folded = wanted.strip().casefold()
    if not folded:
        return True
    known = [text.casefold() for text in texts]
    return folded in known or (len(folded) >= _LEAST_CONTAINED and any(folded in text for text in known))
