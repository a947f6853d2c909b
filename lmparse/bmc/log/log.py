"""Logs: a Log Master logical log, control file and data file together, as a log or as one extract of a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from lmparse.bmc.checks import Consistency, ControlChecks
from lmparse.bmc.columns import position_runs
from lmparse.bmc.columns.position_runs import PositionRuns
from lmparse.bmc.control.control_file import ControlFile, read_control
from lmparse.bmc.control.find_control import ControlSearch
from lmparse.bmc.control.table_names import TABLE_FIELDS, TableName, TableSearch
from lmparse.bmc.control.tables import Tables, TableVersion, identity, of_number, read_tables, shown_name
from lmparse.bmc.extracts.outcomes import ExtractReading
from lmparse.bmc.log import order
from lmparse.bmc.log import seq as log_seq
from lmparse.bmc.log.interpretation import Interpretation, LogSettings
from lmparse.bmc.log.order import OPERATIONS
from lmparse.bmc.record import change_record, segments
from lmparse.bmc.record.change_decoder import ChangeDecoder
from lmparse.bmc.record.change_record import has_images
from lmparse.bmc.record.headers import OUTCOME, Header, check_header
from lmparse.bmc.record.row_image import ImageOptions
from lmparse.bmc.record.segments import JoinedChange, SegmentIndex, SegmentReader, join
from lmparse.changes.change import HEADER_FIELDS, Change
from lmparse.changes.claims import Claim
from lmparse.changes.log import OUTSIDE, ChangeLog
from lmparse.errors import DataError, FileLimitError, FramingError, InvalidValueError, OptionError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.index import firsts
from lmparse.framing.windows import MAX_RECORDS, Window
from lmparse.options import Options
from lmparse.records.files import OnError
from lmparse.records.reader import Record, Values, Wanted
from lmparse.records.settings import Decision, FileSettings, FoundFile, find_file
from lmparse.spec import catalog
from lmparse.values import codepages

_FIRST = 8
"""Records that show whether a header is longer than XHDF describes it."""
_COMPUTED = ("system_id", "dbid", "psid", "tbobid", "log_rba", "uor_id")
"""Header fields without which the position of a change or its table is unknown."""


class LogicalLog(ChangeLog):
    """A data file with the control file that describes it.

    Without a control file it has records but no changes.
    """

    table_hint = "DBID.PSID.TBOBID in hex"

    def __init__(
        self,
        path: str | Path,
        options: Options,
        found: FoundFile,
        control: ControlFile | None,
        header: Header,
        *,
        on_error: OnError = None,
    ) -> None:
        super().__init__(path, options, found, on_error=on_error)
        self.control, self.header = control, header
        self._found = found
        self._known = found.own if isinstance(found.own, LogSettings) else LogSettings()
        self.known_table_ids = self._known.table_ids
        self.extract = ExtractReading(self._known.extract, self._places)
        self._search_damage: FramingError | None = None
        """The damage that ended the search for the table of the option `table`, in front of any record of it."""
        self.decide("header", *self.header.decision)
        for text in self.header.notices:
            self.notice(text)
        if self.control is not None and self.control.has_sas_dates:
            self.notice("DLDS says SAS dates; their form is not documented, so dates and times stay text")

    # -- what is known before the first record is read ------------------------------

    @property
    def has_descriptions(self) -> bool:
        return self.control is not None

    def change_parts(self, max_bytes: int) -> list[tuple[FileSettings, Span]]:
        interpretation, extract = self.interpretation, self.extract.known
        own = LogSettings(interpretation.data.reading, interpretation.image_candidates, self.table_ids)
        return [
            (replace(self.settings, own=replace(own, extract=extract and extract.inside(span))), span)
            for span in position_runs.cut(self, self.position_runs, self.segments(), max_bytes)
        ]

    @cached_property
    def tables(self) -> Tables:
        """The table versions of the control file. The rows of this log decide what lengths of columns count."""
        described = self._described_tables
        return described.counting(self.interpretation.image.dec_length) if described.are_open else described

    @cached_property
    def _described_tables(self) -> Tables:
        """The table versions before it is decided what lengths of columns count."""
        if self.control is None:
            return Tables(())
        return read_tables(self.control, self.code_page, self.options.table_version)

    @cached_property
    def image_options(self) -> ImageOptions:
        """Statements of control file and options on row images."""
        return ImageOptions.of(self.control.first("DLDS") if self.control else {}, self.options)

    @cached_property
    def interpretation(self) -> Interpretation:
        """How DATA areas and row images are read."""
        described, options = self._described_tables, self.image_options
        return Interpretation(self.options.row_images, self._known, described, options, self._samples, self.decide)

    @cached_property
    def decoder(self) -> ChangeDecoder:
        """The decoder of changes."""
        columns = frozenset(self.options.columns) or None
        return ChangeDecoder(self.spec.layout, self.tables, self.interpretation, self.code_page, columns, self.notice)

    def _samples(self) -> Iterator[Values]:
        """The headers of the changes with row images, from the first change on; bad changes are skipped."""
        probe = LogicalLog(
            self.path,
            replace(self.options, mode="permissive"),
            replace(self._found, own=None),
            self.control,
            self.header,
            on_error=lambda error: None,
        )
        every = (joined.values for joined in probe.joined_changes())
        with suppress(DataError):  # damaged framing is reported where it is read
            yield from (values for values in every if has_images(values["change_type"]))

    def read_bytes(self, raw: bytes, wanted: Wanted = None) -> Record:
        return self.header.read(self.reader, self.extract.record(raw), wanted)

    def own_record(self, raw: bytes, record: Record) -> Record:
        """A record without the outcome that another extract states."""
        return record if self.extract.record(raw) is raw else self.header.read(self.reader, raw)

    def windows(self, span: Span | None = None, max_records: int = MAX_RECORDS) -> Iterator[Window]:
        return map(self.extract.window, super().windows(span, max_records))

    def column_names(self) -> set[str]:
        return super().column_names() | {field.name for field in self.header.fields if field.known is None}

    def observe(self, values: dict[str, Any]) -> dict[str, str]:
        self._control_checks.observe(values)
        return {
            "change type": values["change_type"],
            "table": shown_name(values),
            "disposition": order.unit_state(values),
        }

    # -- what check tests -------------------------------------------------------------

    def test(self, extent: RecordExtent, raw: bytes, record: Record | None, own: Record | None) -> None:
        if record is None or own is None:
            self._consistency.unreadable(raw)
        else:
            is_given = self.extract.has(extent)
            self._consistency.add(extent, raw, own.values, stated=record.values, is_given=is_given)
            self._control_checks.add(extent, own.values)

    def claims(self) -> list[Claim]:
        return [*self._consistency.claims(), *self._control_checks.claims(), self.header.claim(OUTCOME)]

    @cached_property
    def _consistency(self) -> Consistency:
        is_merged = self.control is not None and self.control.first("DLDS").get("merged") == "Y"
        return Consistency(self.header.absent, runs=self.position_runs(), segments=self.segments(), is_merged=is_merged)

    @cached_property
    def _control_checks(self) -> ControlChecks:
        return ControlChecks(self.control, self.tables, self.code_page)

    def joined_changes(self, span: Span | None = None, *, only_wanted: bool = False) -> Iterator[JoinedChange]:
        """Every change with its whole DATA area, at the place of its last segment; for `only_wanted` see `joiner`."""
        joiner, runs = self.joiner(span, only_wanted=only_wanted), self.position_runs()
        for extent in self.extents(span):
            ordinal = runs.number(extent.read(self.buffer))
            if (joined := self.next_change(joiner, extent, ordinal)) is not None:
                yield joined

    def next_change(self, joiner: SegmentReader, extent: RecordExtent, ordinal: int) -> JoinedChange | None:
        """The change that the next record is or completes; None without one, or if another extract gives it."""
        return joiner.next(extent, ordinal) if self.extract.has(extent) else None

    def segments(self, span: Span | None = None) -> SegmentIndex:
        """The segments of the log or of a part."""
        places = self.header_places(segments.FIELDS)
        return SegmentIndex(self, places, lambda: self.windows(span), self.extract.have)

    def joiner(self, span: Span | None = None, *, only_wanted: bool = False) -> SegmentReader:
        """Joins the segments of the log or of a part, and reports the changes that lack a segment.

        With `only_wanted`, a change that lacks a segment only counts as excluded if the options exclude it as open, or
        by the range: another extract may have its other segments. Behind a `seq`, that holds for every excluded change.
        """

        def is_left_out(known: JoinedChange) -> bool:
            why = self._why_left_out(known) if only_wanted else None
            is_elsewhere = why in ("open", OUTSIDE) or (why is not None and self.options.starting_after is not None)
            return is_elsewhere and not self.is_wanted(known)

        return SegmentReader(self, self.segments(span), self._change_record, is_left_out)

    def position_runs(self) -> PositionRuns:
        """The numbering of the changes with one position, for a part or for the whole log."""
        return PositionRuns(self.header_places(position_runs.FIELDS))

    def _change_record(self, extent: RecordExtent) -> Record | None:
        """A change, or a segment of one; None if the record is bad or lacks a field that makes it a change."""
        record = self.read_extent(extent)
        fault = None if record is None else _missing(record)
        if fault is None:
            return record
        # The fault was reported when the header was read.
        self.tally.dropped += 1
        if self.keeps_bad_records:
            self.bad_records.append((extent, fault))
        return None

    def typed_changes(self, span: Span | None = None) -> Iterator[Change]:
        """The changes that the options select.

        Raises OptionError without a control file, FramingError where the file is damaged.
        """
        self.check_changes()
        in_file = self.options.order == "file"
        for joined in self.joined_changes(span, only_wanted=True) if in_file else self._in_commit_order(span):
            change = self.change_of(joined)
            if change is not None:
                yield change

    def change_of(self, joined: JoinedChange) -> Change | None:
        """A change; None if the options exclude it, or if its record is bad, which is reported."""
        if not self.is_wanted(joined):
            return None
        try:
            change, faults = self.decoder.decode(joined)
        except DataError as error:
            self.quarantine(error, joined.extent)
            return None
        if not self.is_kept(change, faults):
            return None
        change.faults[:0] = joined.faults  # reported when the headers were read
        return change

    def check_changes(self) -> None:
        """Raise OptionError or ControlError if the log has no readable changes, or lacks what the options name.

        ControlError LMP-C006: the described header lacks fields that identify a change.
        """
        if self.control is None:
            raise OptionError("changes need the control file of the log", hint="give control")
        check_header(self.header, self.options)
        self.check_columns()

    def _in_commit_order(self, span: Span | None) -> Iterator[JoinedChange]:
        wanted = filter(self.is_wanted, self.joined_changes(span, only_wanted=True))
        for ordinal, extents in order.in_commit_order(wanted, self.options.bounds, self.path):
            yield self.joined_again(ordinal, extents)

    def joined_again(self, ordinal: int, extents: Sequence[RecordExtent]) -> JoinedChange:
        """A change whose records were read before. Nothing is reported again."""
        return join([(extent, self.read_bytes(extent.read(self.buffer))) for extent in extents], ordinal)

    def is_wanted(self, joined: JoinedChange) -> bool:
        """Whether the options select a change. Excluded changes are counted, except those of other tables."""
        options, values = self.options, joined.values
        if options.operations and OPERATIONS.get(values["change_type"]) not in options.operations:
            return False
        if not self.is_of_table(values):
            return False
        why = self._why_left_out(joined)
        if why is not None and not (why == OUTSIDE and self.extract.is_again):
            self.left_out[why] += 1
        return why is None

    def _why_left_out(self, joined: JoinedChange) -> str | None:
        values, sequence = joined.values, self.options.table_version
        if sequence is not None:
            version = self.tables.maybe(values)
            if version is None or version.sequence != sequence:
                return "of other table versions"
        return self.why_excluded(
            order.unit_state(values), lambda: log_seq.seq(values, joined.ordinal), lambda: log_seq.commit_micros(values)
        )

    @classmethod
    def column_docs(cls) -> dict[str, str]:
        layout = catalog.load(change_record.SPEC).layout
        docs = {name: layout[name].doc for name in HEADER_FIELDS}
        docs |= {"commit_ts": layout["uor_commit_timestamp"].doc, "ts": layout["timestamp"].doc}
        return docs | {"txn_id": "member and RBA of the unit of recovery"}

    def all_versions(self) -> tuple[TableVersion, ...]:
        return self.tables.versions

    def tables_named(self, wanted: str) -> dict[tuple[Any, ...], tuple[str, str]]:
        check_header(self.header, self.options)
        found = self._search.find(self._table_headers_to_damage())
        if found:
            self._search_damage = None
        if not found and not self._search.described and self._search_damage is None:
            shown = (self._search.shown(values) for values in self.table_headers())
            raise self.no_table(f"no change in the log is of a table {wanted!r}", shown)
        return found

    def _table_headers_to_damage(self) -> Iterator[Values]:
        """As `table_headers`, up to damage. Reading the changes reports the damage at its place, as the mode says."""
        self._search_damage = None
        try:
            yield from self.table_headers()
        except FileLimitError:
            raise
        except FramingError as error:
            self._search_damage = error

    @property
    def lacks_descriptions(self) -> bool:
        # A record of the table may be behind the damage.
        return self._search_damage is not None

    @cached_property
    def _search(self) -> TableSearch:
        def name_of(values: Values) -> TableName:
            return self.decoder.name(values, self.tables.maybe(values))

        return TableSearch(self.options.table or "", self.tables, self.code_page, name_of)

    def is_of_table(self, values: Values) -> bool:
        """Whether a record is of the table that the options name."""
        return self.table_ids is None or identity(values) in self.table_ids

    def table_versions(self) -> list[TableVersion]:
        return of_number(self.every_version(), self.options.table_version)

    def every_version(self) -> list[TableVersion]:
        """All versions of the table that the option `table` names, without regard to `table_version`."""
        ids = self.table_ids or frozenset()
        versions = [version for version in self.tables.versions if any(map(version.is_of, ids))]
        versions = versions or list(self._search.described)
        if not versions and self._search_damage is not None:
            why = f"no record in front of the damage is of a table {self.options.table!r}: {self._search_damage}"
            raise self.no_table(why, ())
        return versions

    def table_headers(self) -> Iterator[Values]:
        """One header for each table in the log, from a pass over the headers."""
        for extent in firsts(self.windows(), [*self.header_places(TABLE_FIELDS).values()]):
            try:
                record = self.read_bytes(extent.read(self.buffer))
            except DataError:
                continue
            if _missing(record) is None:
                yield record.values

    def header_places(self, names: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Offset and width of those header fields that the header has."""
        return {name: self._places[name] for name in names if name in self._places}

    @property
    def _places(self) -> change_record.Places:
        fixed = [entry.id for entry in self.spec.layout if entry.width]
        return change_record.table_places(fixed) if self.header.is_table else self.header.places


def _missing(record: Record) -> InvalidValueError | None:
    """The fault in a field without which a record is not a change; None without a fault."""
    return next((fault for fault in record.faults if fault.field in _COMPUTED), None)


def open_logical_log(
    path: str | Path, options: Options, *, settings: FileSettings | None = None, on_error: OnError = None,
) -> LogicalLog:  # fmt: skip
    """Open a data file with its control file. If `settings` are of an extract, they name both files."""
    own = None if settings is None else settings.own
    if isinstance(own, LogSettings) and own.extract is not None:
        path, options = own.extract.path, replace(options, control=own.extract.control)
    control = None
    if options.control is not None:
        page = codepages.lookup(options.code_page) if options.code_page else None
        place = ControlSearch(options.bounds).find(str(path), options.control)
        control = read_control(place, framing=options.control_framing, code_page=page, limits=options.bounds)
    header = Header.of(catalog.load(options.spec), control)
    places = () if header.is_table else (header.places, header.width)
    named = control.code_page if control is not None and options.code_page is None else None
    found = find_file(
        path, options, settings, change_record.detection(*places), page=named, may_be_empty=control is not None
    )
    if header.is_described:
        header = header.as_stated(_first_records(found), found.reader)
    evidence = "XTYP names it" if named else "option" if options.code_page else "nothing names one; the default"
    said = Decision("code page", found.reader.code_page.name, evidence)
    padding = 0 if control is None else control.padding
    padded = Decision("control file", f"{padding} bytes behind its last record are no record", "they are zero")
    found = replace(found, decisions=(said, *[padded] * bool(padding), *found.decisions), own=own)
    return LogicalLog(path, options, found, control, header, on_error=on_error)


def _first_records(found: FoundFile) -> list[bytes]:
    """The first records of a file, up to damage."""
    records: list[bytes] = []
    with suppress(FramingError):
        records += (extent.read(found.buffer) for extent in islice(found.framing.extents(found.buffer), _FIRST))
    return records
