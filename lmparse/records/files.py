"""Files of records: framing, reading and the policy for bad records, for any spec."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmparse.errors import DataError, FramingError, OptionError
from lmparse.framing import index, sync
from lmparse.framing.extents import Plausible, RecordExtent, Span
from lmparse.options import Options
from lmparse.records.reader import Record, Wanted
from lmparse.records.settings import Decision, FileSettings, FoundFile
from lmparse.spec.catalog import Spec
from lmparse.storage import addresses, buffers
from lmparse.values.json_form import to_json

if TYPE_CHECKING:
    from lmparse.framing.windows import Window

KEPT_ERRORS = 1000
"""How many errors a log keeps; all are counted."""


OnError = Callable[[DataError], None] | None
"""What is called with each bad record and bad value; None: they are kept in the tally of the file."""


def ignored(error: DataError) -> None:
    """As `on_error`: nobody hears of errors, since rows tell of them. So nobody counts for their sake either."""


@dataclass
class Tally:
    """What happened while reading."""

    errors: list[DataError] = field(default_factory=list)
    """The first of them, at most KEPT_ERRORS."""
    error_count: int = 0
    dropped: int = 0
    """Records that gave no row."""
    notices: list[str] = field(default_factory=list)


class RecordFile:
    """A file whose records are all of one spec.

    `on_error` is told of each bad record and bad value; without it they are kept in
    `tally`. In mode failfast the first is raised instead. Damaged framing is always raised.
    """

    def __init__(self, path: str | Path, options: Options, found: FoundFile, *, on_error: OnError = None) -> None:
        self.path = str(path)
        self.options = options
        self.buffer, self.framing, self.reader = found.buffer, found.framing, found.reader
        self.spec: Spec = found.reader.spec
        self.code_page = found.reader.code_page
        self.settings = found.settings
        """What to hand to readers of parts of this file."""
        self.decisions = list(found.decisions)
        self.tally = Tally()
        self.keeps_bad_records = False
        self.bad_records: list[tuple[RecordExtent, DataError]] = []
        """Records that gave no row, while `keeps_bad_records` is set."""
        self._detection = found.detection
        self._on_error = on_error
        self._records_before: Callable[[], int] = _none
        """How many records stand before the one that frames and windows begin to count at."""

    # -- what is known before the first record is read ------------------------------

    def record_parts(self, max_bytes: int, *, is_numbered: bool = True) -> list[tuple[FileSettings, Span]]:
        """The file in parts of about so many bytes, whose records can be read apart from each other.

        Numbered ones know the number of their first record, which takes a pass over all descriptor words.
        """
        return [(self.settings, span) for span in (self.spans if is_numbered else self.cut_spans)(max_bytes)]

    def spans(self, max_bytes: int) -> list[Span]:
        """The file as places between records; an empty file has one."""
        if len(self.buffer) <= max_bytes:
            return [Span(0, len(self.buffer), 0)]
        return index.spans(self.framing, self.buffer, max_bytes)

    def cut_spans(self, max_bytes: int) -> list[Span]:
        """The same from looks at the bytes near the cuts only, so that nobody knows a number: see `Span`.

        By a pass over all of it where that is how it can be cut: records without anything between them,
        bytes that were copied to be here at all, and a file that shows no record at most of the places.
        """
        if len(self.buffer) <= max_bytes or not self._is_mapped_as_it_lies:
            return self.spans(max_bytes)
        places = sync.cuts(self.framing, self.buffer, max_bytes, self.plausible())
        if not places or 2 * (len(places) + 1) * max_bytes < len(self.buffer):
            return self.spans(max_bytes)
        return sync.ranges(places, len(self.buffer))

    def plausible(self) -> Plausible:
        """What tells whether a record of the file may stand at a place, whatever its codes."""
        test = self._detection.record or self.reader.accepts
        return lambda extent: test(extent.read(self.buffer))

    @property
    def _is_mapped_as_it_lies(self) -> bool:
        return not addresses.is_remote(self.path) and buffers.stamp(addresses.local_path(self.path)) is None

    def decide(self, name: str, value: str, evidence: str) -> None:
        """Make a decision visible."""
        self.decisions.append(Decision(name, value, evidence))

    def notice(self, text: str) -> None:
        """Say something once that is no error."""
        if text not in self.tally.notices:
            self.tally.notices.append(text)

    # -- reading ----------------------------------------------------------------------

    def extents(self, span: Span | None = None) -> Iterator[RecordExtent]:
        """Where the records stand. Raises FramingError with the file's name.

        Those of a span that nobody has counted are numbered from 0; errors of records have the number in the
        file. Such a span is proven first: FramingError LMP-F011 says that its ends are no places between records.
        """
        span = span or Span(0, len(self.buffer), 0)
        if not len(self.buffer):
            self.notice("the file is empty: a log without records")
        try:
            for extent in self.framing.extents(self.buffer, span.start, span.end, self._begin(span)):
                if extent.index not in span.skip:
                    yield extent
            yield from span.foreign
        except FramingError as error:
            error.at(file=self.path)
            raise

    def windows(self, span: Span | None = None) -> Iterator[Window]:
        """The same records as `extents`, many at a time, and the same errors; of a span without foreign records."""
        whole = span or Span(0, len(self.buffer), 0)
        try:
            yield from index.windows(self.framing, self.buffer, whole.start, whole.end, self._begin(whole))
        except FramingError as error:
            error.at(file=self.path)
            raise

    def count(self, span: Span) -> int:
        """How many records a span holds. Raises RangeError where they do not fill it."""
        return sync.count(self.framing, self.buffer, span)

    def counted(self, span: Span) -> Span:
        """The same span with the number of its first record; one that nobody has counted is proven by that."""
        if span.first_index is not None:
            return span
        self._count(span)
        return replace(span, first_index=self._count(Span(0, span.start, 0)))

    def _begin(self, span: Span) -> int:
        """The number that records of a span count from, in the file or in itself."""
        if span.first_index is not None:
            self._records_before = _none
            return span.first_index
        # Before the first row: who takes some of them only must not be given any of a false record.
        self._count(span)
        self._records_before = cache(partial(self._count, Span(0, span.start, 0)))
        return 0

    def _count(self, span: Span) -> int:
        """As `count`; raises FramingError for what does not fill a span: damage before its end, or else its ends."""
        try:
            return self.count(span)
        except sync.RangeError as error:
            # From the start of the file damage shows where it is.
            for window in self.windows():
                if window.offsets[-1] >= span.end:
                    break
            size = len(self.buffer)
            places = " and ".join(f"{place:#x}" for place in (span.start, span.end) if 0 < place < size)
            raise FramingError(
                f"cannot be cut at {places}, where bytes of records look like records; maxPartitionBytes above "
                f"its size of {size} bytes reads it in one part", code="LMP-F011", file=self.path,
            ) from error  # fmt: skip

    def read(self, span: Span | None = None, wanted: Wanted = None) -> Iterator[tuple[RecordExtent, Record]]:
        """Every good record with its place, or some fields of each; bad ones go where errors go."""
        for extent in self.extents(span):
            record = self.read_extent(extent, wanted)
            if record is not None:
                yield extent, record

    def read_extent(self, extent: RecordExtent, wanted: Wanted = None) -> Record | None:
        """One record, or None when it is bad or, in mode dropmalformed, has a bad value."""
        try:
            record = self.read_bytes(extent.read(self.buffer), wanted)
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
        """Report a record that gives no row, or `count` of them; `bad_records` shows them who asks."""
        self.report(error, extent)
        self.tally.dropped += count
        if self.keeps_bad_records:
            self.bad_records.append((extent, error))

    def read_bytes(self, raw: bytes, wanted: Wanted = None) -> Record:
        """One record's values from its bytes."""
        return self.reader.read(raw, wanted)

    def records(self, span: Span | None = None) -> Iterator[dict[str, Any]]:
        """The records as `lmparse records` prints them."""
        wanted = self.options.columns
        check_columns(self.spec, wanted, self.column_names())
        for _, record in self.read(span, frozenset(wanted) or None):
            values = to_json(record.values)
            if wanted:
                values = {name: values.get(name) for name in wanted}
            if record.faults:
                values["_corrupt_fields"] = [corrupt_field(fault) for fault in record.faults]
            yield values

    def column_names(self) -> set[str]:
        """Names that `columns` may have for records."""
        return self.spec.field_ids()

    def observe(self, values: dict[str, Any]) -> dict[str, str]:
        """Under what a record is counted, by the name of the count."""
        if self.spec.layout.fields[0].kind == "body":
            return {"record type": str(next(iter(values.values())))}
        return {}

    def report(self, error: DataError, extent: RecordExtent | None = None) -> None:
        """Pass an error on, with the file and the record it is about; raise it in mode failfast."""
        error.at(file=self.path)
        is_heard = self.options.mode == "failfast" or self._on_error is not ignored
        if extent is not None and is_heard:
            error.at(record_index=self._records_before() + extent.index, record_offset=extent.offset)
        if self.options.mode == "failfast":
            raise error
        self.tally.error_count += 1
        if self._on_error is not None:
            self._on_error(error)
        elif len(self.tally.errors) < KEPT_ERRORS:
            self.tally.errors.append(error)


def _none() -> int:
    return 0


def check_columns(spec: Spec, wanted: tuple[str, ...], known: set[str]) -> None:
    """Raise OptionError for a column that is not known of the records of a spec."""
    for name in wanted:
        if name not in known:
            raise OptionError(f"columns: there is no field {name!r} in {spec.id}", code="LMP-S003")


def corrupt_field(fault: DataError) -> dict[str, Any]:
    """A bad value as rows carry it: path, offset, raw, code, message."""
    return {
        "path": fault.field,
        "offset": fault.field_offset,
        "raw": fault.hex,
        "code": fault.code,
        "message": fault.says(),
    }
