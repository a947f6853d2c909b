"""Files of records: framing, reading and the policy for bad records, for any spec."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lmparse.errors import DataError, FramingError, OptionError, RecordError
from lmparse.framing import index
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import MAX_RECORDS, Window
from lmparse.options import Options
from lmparse.records.origin import RecordOrigin
from lmparse.records.reader import Record, Wanted
from lmparse.records.settings import Decision, FileSettings, FoundFile
from lmparse.spec.catalog import Spec
from lmparse.values.json_form import to_json

RAW = "common_raw"
"""Spec of records with unknown content; such records are shown with their places."""
KEPT_ERRORS = 1000
"""Most errors that a file collects; all errors are counted."""
OnError = Callable[[DataError], None] | None
"""Called with each bad record and bad value; if None, the tally of the file collects the errors."""


def ignored(error: DataError) -> None:
    """An `on_error` that ignores errors, because rows report them."""


@dataclass
class Tally:
    """Counts and messages of reading a file."""

    errors: list[DataError] = field(default_factory=list)
    """The first errors, at most KEPT_ERRORS."""
    error_count: int = 0
    dropped: int = 0
    """Bad records, and records dropped for a bad value."""
    kept: int = 0
    """How many dropped records have a row all the same, with the bytes of the record and no values."""
    unread: int = 0
    """Bytes of good records that no field has; `with_unread` counts these records."""
    with_unread: int = 0
    first_unread: tuple[int, str] | None = None
    """Number and place, in words, of the first record with such bytes."""
    noticed: dict[str, None] = field(default_factory=dict)
    """Other notices, in order."""

    @property
    def notices(self) -> list[str]:
        """Facts about the file that are not errors."""
        if self.first_unread is None:
            return [*self.noticed]
        records = f"{self.with_unread} record{'s' * (self.with_unread > 1)}, the first one {self.first_unread[1]}"
        return [*self.noticed, f"{self.unread} bytes are in no field, in {records} [LMP-R003]"]

    def to_dict(self) -> dict[str, Any]:
        """Counts and notices as JSON."""
        return {name: getattr(self, name) for name in ("error_count", "dropped", "kept", "notices")}

    def add(self, other: Tally) -> None:
        """Add the counts of another part of the same file."""
        for name in ("error_count", "dropped", "kept", "unread", "with_unread"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.first_unread = min(filter(None, (self.first_unread, other.first_unread)), default=None)

    def begin(self) -> None:
        """Reset the counts of an earlier reading. Notices remain, because they are facts about the file."""
        self.errors.clear()
        self.error_count = self.dropped = self.kept = self.unread = self.with_unread = 0
        self.first_unread = None


class RecordFile:
    """A file whose records all have one spec.

    `on_error` is called with the error of each bad record and bad value; without `on_error`, `tally` collects the
    errors. In mode failfast the first error is raised instead. Damaged framing is always raised.
    """

    def __init__(self, path: str | Path, options: Options, found: FoundFile, *, on_error: OnError = None) -> None:
        self.path = str(path)
        self.options = options
        self.buffer, self.framing, self.reader = found.buffer, found.framing, found.reader
        self.spec: Spec = found.reader.spec
        self.code_page = found.reader.code_page
        self.settings = found.settings
        """Settings for readers of parts of this file."""
        self.decisions = list(found.decisions)
        self.origin = RecordOrigin(self.path, self.spec)
        self.tally = Tally()
        self.keeps_bad_records = False
        self.bad_records: list[tuple[RecordExtent, DataError]] = []
        """Records that produced no row, while `keeps_bad_records` is set."""
        self.refuses_unread = options.mode == "failfast"
        """Whether bytes of a record in no field are an error."""
        self._on_error = on_error

    # -- what is known before the first record is read ------------------------------

    def record_parts(self, max_bytes: int) -> list[tuple[FileSettings, Span]]:
        """The file in parts of about `max_bytes`, whose records can be read independently."""
        return [(self.settings, span) for span in self.spans(max_bytes)]

    def spans(self, max_bytes: int) -> list[Span]:
        """The file in spans of about `max_bytes`, found by a pass over descriptor words; an empty file is one span."""
        if len(self.buffer) <= max_bytes:
            return [Span(0, len(self.buffer), 0)]
        return index.spans(self.framing, self.buffer, max_bytes)

    def decide(self, name: str, value: str, evidence: str) -> None:
        """Record a decision for `check` to show."""
        self.decisions.append(Decision(name, value, evidence))

    def notice(self, text: str) -> None:
        """Add a notice, unless the file has it already."""
        self.tally.noticed.setdefault(text)

    # -- reading ----------------------------------------------------------------------

    def extents(self, span: Span | None = None) -> Iterator[RecordExtent]:
        """Yield the extents of the records. Raises FramingError with the file's name."""
        start, end, first = self._range_of(span)
        try:
            yield from self.framing.extents(self.buffer, start, end, first)
        except FramingError as error:
            self.origin.place(error)
            raise

    def _range_of(self, span: Span | None) -> tuple[int, int, int]:
        """Start, end and number of the first record of a span; of the whole file if None."""
        if not len(self.buffer):
            self.notice("the file is empty: a log without records")
        return (0, len(self.buffer), 0) if span is None else (span.start, span.end, span.first_index)

    def windows(self, span: Span | None = None, max_records: int = MAX_RECORDS) -> Iterator[Window]:
        """Yield the records of `extents`, many at a time, with the same errors."""
        start, end, first = self._range_of(span)
        try:
            yield from index.windows(self.framing, self.buffer, start, end, first, max_records=max_records)
        except FramingError as error:
            self.origin.place(error)
            raise

    def count_unread(self, extent: RecordExtent, count: int, records: int = 1) -> None:
        """Count bytes in no field, of `records` records of which `extent` is the first.

        Raises RecordError LMP-R003 if such bytes are refused.
        """
        if self.refuses_unread:
            raise RecordError(f"{count} bytes are in no field", code="LMP-R003", spec=self.spec.id)
        tally = self.tally
        if tally.first_unread is None or extent.index < tally.first_unread[0]:
            tally.first_unread = extent.index, self.origin.said(extent)
        tally.unread, tally.with_unread = tally.unread + count, tally.with_unread + records

    def read(self, span: Span | None = None, wanted: Wanted = None) -> Iterator[tuple[RecordExtent, Record]]:
        """Yield every good record with its extent and the fields `wanted`; errors of bad records are reported."""
        for extent in self.extents(span):
            record = self.read_extent(extent, wanted)
            if record is not None:
                yield extent, record

    def read_extent(self, extent: RecordExtent, wanted: Wanted = None) -> Record | None:
        """Read one record; None if the record is bad or, in mode dropmalformed, has a bad value."""
        try:
            record = self.read_bytes(extent.read(self.buffer), wanted)
            if record.unread:
                self.count_unread(extent, record.unread)
        except DataError as error:
            self.quarantine(error, extent)
            return None
        if record.faults:
            for fault in record.faults:
                self.report(fault, extent)
            if self.options.mode == "dropmalformed":
                self.tally.dropped += 1
                return None
        return record

    def quarantine(self, error: DataError, extent: RecordExtent, count: int = 1) -> None:
        """Report a record, or `count` records, without a row; collect it if `keeps_bad_records` is set."""
        self.report(error, extent)
        self.tally.dropped += count
        if self.keeps_bad_records:
            self.bad_records.append((extent, error))

    def read_bytes(self, raw: bytes, wanted: Wanted = None) -> Record:
        """One record's values from its bytes."""
        return self.reader.read(raw, wanted)

    def records(self, span: Span | None = None) -> Iterator[dict[str, Any]]:
        """Yield the records as `lmparse records` prints them."""
        check_columns(self.spec, self.options.columns, self.column_names())
        yield from (row for row in map(self.row, self.extents(span)) if row is not None)

    def row(self, extent: RecordExtent) -> dict[str, Any] | None:
        """One record as `lmparse records` prints it; None if `read_extent` returns None."""
        wanted = self.options.columns
        record = self.read_extent(extent, frozenset(wanted) or None)
        if record is None:
            return None
        values: dict[str, Any] = to_json(record.values)
        if wanted:
            values = {name: values.get(name) for name in wanted}
        if self.spec.id == RAW:
            names = ("record_index", "record_offset", "record_length")
            values["_metadata"] = dict(zip(names, (extent.index, extent.offset, extent.length), strict=True))
        if record.faults:
            values["_corrupt_fields"] = [corrupt_field(fault) for fault in record.faults]
        return values

    def column_names(self) -> set[str]:
        """Names that the option `columns` may have for records."""
        return self.spec.field_ids()

    def observe(self, values: dict[str, Any]) -> dict[str, str]:
        """The words under which a record is counted in summaries, by the name of the count."""
        if any(entry.kind == "body" for entry in self.spec.layout.fields[:1]):
            return {"record type": str(next(iter(values.values())))}
        return {}

    def report(self, error: DataError, extent: RecordExtent | None = None) -> None:
        """Report an error with its file and record; raise it in mode failfast."""
        if extent is not None:
            error.at(record_index=extent.index, record_offset=extent.offset)
        self.origin.place(error)
        if self.options.mode == "failfast":
            raise error
        error.forget_frames()
        self.tally.error_count += 1
        if self._on_error is not None:
            self._on_error(error)
        elif len(self.tally.errors) < KEPT_ERRORS:
            self.tally.errors.append(error)


def check_columns(spec: Spec, wanted: tuple[str, ...], known: set[str]) -> None:
    """Raise OptionError LMP-S003 for a wanted column that is not `known`."""
    for name in wanted:
        if name not in known:
            raise OptionError(f"columns: there is no field {name!r} in {spec.id}", code="LMP-S003")


def corrupt_field(fault: DataError) -> dict[str, Any]:
    """A bad value as an item of `_corrupt_fields`: path, offset, raw, code, message."""
    return {
        "path": fault.field,
        "offset": fault.field_offset,
        "raw": fault.hex,
        "code": fault.code,
        "message": fault.says(),
    }
