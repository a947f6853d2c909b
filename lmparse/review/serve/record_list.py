"""Record list: the records of a file by number, rows of a list of them, and filters.

A filter looks at records for some seconds, and says where to go on, so that each request ends soon in a file of any
size.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any

from lmparse.errors import DataError, FramingError, OptionError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.records.dissection import Dissection
from lmparse.records.file_dissection import RecordHeading, faulty
from lmparse.review.explain.explanation import printable
from lmparse.review.explain.search import Explained, RecordSearch, search_in
from lmparse.storage.addresses import is_remote, local_path
from lmparse.storage.joined import names_in
from lmparse.storage.states import Seen, seen_now
from lmparse.terminal import json_text

MOST_ROWS = 100
"""Most rows of one request."""
_MOST_SECONDS = 10
"""Seconds after which a request looks at no further record; it looks at one at least."""
_STEP = 1 << 20
"""Bytes of the file between two places that are kept: at most so many are read to find a record by its number."""
_SEARCHED = 1 << 23
"""Bytes of the largest file of which facts on a record are found in a pass over all of it: over a log of Db2 LUW that
takes some seconds."""
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


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """Which records are listed; an empty text, and false, for all."""

    type: str = ""
    table: str = ""
    value: str = ""
    """`NAME=VALUE` for a value of a field or column, or a text that a value contains."""
    is_damaged: bool = False

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
        search.reads_whole_file = len(self.file.buffer) <= _SEARCHED

    def rows(self, first: int, wanted: RecordFilter) -> Listed:
        """At most MOST_ROWS records from number `first` on that a filter accepts."""
        rows: list[RecordRow] = []
        looked_at, end = 0, time.monotonic() + _MOST_SECONDS
        try:
            for extent in self.extents(first):
                if len(rows) == MOST_ROWS or (looked_at and time.monotonic() > end):
                    return Listed(rows, extent.index, looked_at)
                looked_at += 1
                heading = self._heading(extent)
                if not wanted.accepts_heading(heading):
                    continue
                found = self.search.dissect(extent)
                if wanted.accepts(found):
                    named = [f"{number:X}" for _, number in self.search.dissector.positions_of(extent)]
                    rows.append(RecordRow(extent, named[0] if named else "", heading, tuple(faulty(found))))
        except FramingError as error:
            return Listed(rows, None, looked_at, error)
        return Listed(rows, None, looked_at)

    def about(self) -> tuple[list[str], list[str]]:
        """What is known about the file as a whole: facts, and notes."""
        file = self.file
        notes = [*map(str, file.decisions), *file.tally.notices]
        if not self.search.reads_whole_file:
            notes.append(
                "so large a file is not read as a whole: outcomes, and facts on a record from other ones, are left "
                "out; lmparse explain has these"
            )
        facts = [f"{len(file.buffer):,} bytes", f"{self.count:,} records", f"spec {file.spec.id}"]
        return [*facts, f"framing {file.framing.name}"], notes

    def record(self, number: int) -> Explained:
        """A record by its number. Raises OptionError, and FramingError for damage in front of it."""
        extent = next(self.extents(number), None)
        if extent is None:
            raise OptionError(f"there is no record {number}: the file has {self.count}")
        return self.search.at(extent)

    # -- by number ------------------------------------------------------------------------------

    def extents(self, first: int = 0) -> Iterator[RecordExtent]:
        """The records from a number on. Raises FramingError where the file is damaged."""
        if first == 0:
            yield from self.file.extents()
            return
        place = max(bisect_right(self._spans, first, key=lambda span: span.first_index) - 1, 0)
        for span in self._spans[place:]:
            for extent in self.file.extents(span):
                if extent.index >= first:
                    yield extent

    @cached_property
    def count(self) -> int:
        """Number of the records up to the end of the file, or to its damage."""
        count = self._spans[-1].first_index
        with suppress(FramingError):
            for extent in self.file.extents(self._spans[-1]):
                count = extent.index + 1
        return count

    @cached_property
    def _spans(self) -> list[Span]:
        return self.file.spans(_STEP)

    # -- of one record --------------------------------------------------------------------------

    def _heading(self, extent: RecordExtent) -> RecordHeading:
        try:
            values = self.file.read_bytes(extent.read(self.file.buffer)).values
        except DataError:
            return RecordHeading()
        return self.search.dissector.heading(extent, values, searches=self.search.reads_whole_file)


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


class ServedFile:
    """One file, opened at the first request, and again when it was written to."""

    lock = RLock()
    """Held while something of a file is answered: what reads one remembers where it is."""

    def __init__(self, path: str, options: Mapping[str, Any] | None) -> None:
        """Without options it is not opened before `reopen` gives some."""
        self.path, self._options = path, options
        self._records: RecordList | None = None
        self._seen: Seen = {}

    @property
    def name(self) -> str:
        """Its name, printable."""
        return printable(self.path)

    def reopen(self, options: Mapping[str, Any] | None = None) -> None:
        """Open the file anew at the next request, with other options if some are given."""
        with self.lock:
            self._records = None
            if options is not None:
                self._options = options

    def has_changed(self) -> bool:
        """Whether the file, or one that describes it, is not as it was when it was opened."""
        with self.lock:
            return self._records is not None and seen_now(self._seen) != self._seen

    def records(self) -> RecordList:
        """Its records, as they are now. Raises as `search_in`, and OptionError without options."""
        if self._options is None:
            raise OptionError("there are no built specs yet to read the file with")
        if self._records is None or self.has_changed():
            self._records = None
            self._seen = _states([self.path, *(self._options.get(name) for name in ("control", "tables"))])
            search = search_in(self.path, **self._options)
            # The control file beside the log is known now; what was seen before it was read stays.
            self._seen = _states(search.file.options.files.values()) | self._seen
            self._records = RecordList(search)
        return self._records


def _states(paths: Iterable[str | None]) -> Seen:
    """The states of the local files that are read under some paths."""
    names = (name for path in paths if path for name in names_in(path))
    return seen_now(Path(local_path(name)) for name in names if not is_remote(name))
