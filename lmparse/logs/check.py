"""Check: accounts for every byte of a file, or of the files of one log, and compares control files with the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from lmparse.changes.claims import Claim, Statement
from lmparse.changes.log import ChangeLog
from lmparse.errors import DataError, FramingError, LeftoverError
from lmparse.framing.extents import RecordExtent
from lmparse.logs.open import open_file
from lmparse.options import Options
from lmparse.records.dissection import Dissector
from lmparse.records.files import KEPT_ERRORS, RecordFile
from lmparse.records.reader import Record, Values
from lmparse.records.settings import Decision
from lmparse.spec.layout import Field
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import Joined, JoinedPiece, names_in

BYTES = Statement("every byte is accounted for", "bytes")
RECORDS = Statement("every record can be read", "records")
VALUES = Statement("the values of every record can be read", "records")
FIELDS = Statement("every byte of a record is in a field", "records")
ROWS = Statement("every row can be read", "changes")
STATEMENTS = (BYTES, RECORDS, VALUES, ROWS)
"""Of logs of changes; FIELDS is of other files."""
_SIZES = ("size", "descriptors", "parsed", "skipped", "quarantined")


@dataclass
class CheckReport:
    """The result of `lmparse check`. Sizes in bytes."""

    file: str
    """The file, or those of the log, in words."""
    size: int
    """Of all files together."""
    spec: str
    files: list[str] = field(default_factory=list)
    """The files, in the order of the log."""
    descriptors: int = 0
    """Descriptor words of the records that were read, BDWs included."""
    parsed: int = 0
    """Records that were read, with the bytes of them that are in no field."""
    unread: int = 0
    """Bytes of the records that were read which are in no field; not counted for logs of changes."""
    skipped: int = 0
    """Bytes at the start and end of the file that options leave out, and those that files before it have too."""
    quarantined: int = 0
    """Bad records, and everything from damaged framing on."""
    records: int = 0
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    unlisted: dict[str, Counter[str]] = field(default_factory=dict)
    """Values of code fields that the manual does not list."""
    decisions: list[Decision] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    """What the file says of itself, and whether it holds."""
    differences: list[str] = field(default_factory=list)
    """Differences between control file and data file, and failures of claims."""
    errors: list[DataError] = field(default_factory=list)
    error_count: int = 0
    has_leftover: bool = False
    """Whether whole records are followed by bytes that are not a record."""

    @property
    def is_accounted(self) -> bool:
        """Whether the parts add up to the size of the file."""
        return self.accounted == self.size

    @property
    def accounted(self) -> int:
        return self.descriptors + self.parsed + self.skipped + self.quarantined

    def to_dict(self) -> dict[str, Any]:
        """The report as one JSON object."""
        return {
            "report_version": 1,
            "file": self.file,
            "files": self.files,
            "spec": self.spec,
            "bytes": {name: getattr(self, name) for name in (*_SIZES, "unread", "is_accounted")},
            "records": self.records,
            "counts": {name: dict(counter.most_common()) for name, counter in self.counts.items()},
            "unlisted": {name: dict(counter.most_common()) for name, counter in self.unlisted.items()},
            "decisions": [{"name": d.name, "value": d.value, "evidence": d.evidence} for d in self.decisions],
            "notices": self.notices,
            "claims": [claim.to_dict() for claim in self.claims],
            "differences": self.differences,
            "error_count": self.error_count,
            "errors": [error.to_dict() for error in self.errors],
        }

    def lines(self) -> Iterator[str]:
        """The report in words."""
        yield f"{self.file}: {self.records} records of {self.spec}, {self.size} bytes"
        yield (
            f"  bytes: {self.parsed} parsed + {self.descriptors} descriptors + {self.skipped} skipped + "
            f"{self.quarantined} quarantined = {self.accounted}"
            + (f", of the parsed ones {self.unread} in no field" if self.unread else "")
            + ("" if self.is_accounted else f", but the file has {self.size}")
        )
        for decision in self.decisions:
            yield f"  {decision}"
        for word, counters in (("by", self.counts), ("unlisted", self.unlisted)):
            for name, counter in counters.items():
                counts = ", ".join(f"{value or 'blank'} {count}" for value, count in counter.most_common())
                yield f"  {word} {name}: {counts}"
        for notice in self.notices:
            yield f"  note: {notice}"
        for claim in self.claims:
            yield f"  {claim}"
        for difference in self.differences:
            yield f"  difference: {difference}"
        yield f"  {self.error_count} errors, {len(self.differences)} differences"


def account(path: str, options: Options, decision: Decision | None = None) -> CheckReport:
    """Read a whole file, or the files of one log that are joined under a path, and account for it.

    Raises only if its framing cannot be found. `decision` is what the caller has decided about its options.
    """
    return _Account(path, options).report_with(decision)


class _Account:
    """Accounts for one file or log."""

    def __init__(self, path: str, options: Options) -> None:
        self.report = CheckReport(path, 0, options.spec)
        self._known: set[tuple[str | None, int | None, str, str | None]] = set()
        """Bad values that were found in records; reading the changes may find them again."""
        self._is_first_pass = True
        self._bytes, self._records, self._values = BYTES.claim(), RECORDS.claim(), VALUES.claim()
        self._of_logs: list[Claim] = []
        self._rows = ROWS.claim()
        options = replace(options, mode="permissive", include=("all",), order="file")
        self._file = open_file(path, options, on_error=self.keep)

    def keep(self, error: DataError) -> None:
        """Add an error to the report, unless it is there."""
        key = error.file, error.record_offset, (error.field or "").rpartition(".")[2], error.code
        if key in self._known:
            return
        if self._is_first_pass:
            self._known.add(key)
        report = self.report
        report.error_count += 1
        report.has_leftover |= isinstance(error, LeftoverError)
        if len(report.errors) < KEPT_ERRORS:
            report.errors.append(error)

    def report_with(self, decision: Decision | None) -> CheckReport:
        """Read everything; returns the report."""
        file, report = self._file, self.report
        extracts = file.extracts_apart() if isinstance(file, ChangeLog) else iter(())
        decisions: list[Decision] = [] if decision is None else [decision]
        for one in extracts:
            report.files.append(one.path)
            self._read(one, f"{one.path}: ")
            decisions += [found for found in one.decisions if found not in decisions]
        if report.files:
            assert isinstance(file, ChangeLog)
            self._add(file.claims(), "")
        else:
            report.files = names_in(file.path)
            self._read(file, "")
            decisions += file.decisions
        report.file = Joined(tuple(JoinedPiece(name, 0, 0) for name in report.files)).shown
        report.claims[:0] = [self._bytes, self._records, self._values]
        report.claims += [*self._of_logs, self._rows] if isinstance(file, ChangeLog) else []
        report.decisions, report.notices = decisions, file.tally.notices
        self._bytes.tested = report.size
        if not report.is_accounted:
            self._bytes.failed = abs(report.size - report.accounted)
            report.differences.append("the parts do not add up to the size of the file")
        return report

    def _read(self, file: RecordFile, name: str) -> None:
        """Read one file. `name` is in front of what is said of its claims."""
        report = self.report
        count = _Count(file, report, self.keep, self._records, self._values, FIELDS.claim())
        count.run()
        if isinstance(file, ChangeLog):
            self._is_first_pass = False
            self._add(file.claims(), name)
            self._test_rows(file, count.records_read)
            self._is_first_pass = True
            report.differences += [name + text for text in file.differences()]
        else:
            report.claims.append(count.fields)
            report.differences += count.unread_bytes()

    def _test_rows(self, file: ChangeLog, records: int) -> None:
        """Decode every row, which is the only way to find its bad values."""
        rows = self._rows
        if not file.has_descriptions:
            rows.untestable["nothing describes the columns"] += records
            return
        before = file.tally.dropped
        with suppress(FramingError):  # it is reported already
            for change in file.typed_changes():
                rows.tested += 1
                rows.failed += bool(change.faults)
        rows.tested, rows.failed = rows.tested + file.tally.dropped - before, rows.failed + file.tally.dropped - before

    def _add(self, claims: Sequence[Claim], name: str) -> None:
        """Add claims of one file to those of the others."""
        for claim in claims:
            claim.failures = [name + failure for failure in claim.failures]
            self.report.differences += claim.failures
            if claim.failed > len(claim.failures):
                more = claim.failed - len(claim.failures)
                self.report.differences.append(f"{name}and {more} more: {claim.says}")
            known = next((one for one in self._of_logs if one.says == claim.says), None)
            if known is None:
                self._of_logs.append(claim)
            else:
                known.add(claim)


@dataclass
class _Count:
    """Counts bytes and codes in one pass over the records. Damaged framing quarantines the rest."""

    file: RecordFile
    report: CheckReport
    keep: Callable[[DataError], None]
    records: Claim
    values: Claim
    fields: Claim
    records_read: int = 0
    """Number of records of the file."""

    @cached_property
    def log(self) -> ChangeLog | None:
        """The file, if its records are changes."""
        return self.file if isinstance(self.file, ChangeLog) else None

    def run(self) -> None:
        file, report = self.file, self.report
        first, behind = file.framing.range_of(file.buffer)
        size = sum(len(open_buffer(name, file.options.bounds)) for name in names_in(file.path))
        report.size += size
        report.skipped += first + size - behind
        end = first
        try:
            for extent in file.extents():
                report.records += 1
                self.records_read += 1
                last = extent.pieces[-1]
                report.descriptors += last[0] + last[1] - end - extent.length
                end = last[0] + last[1]
                record = self._read(extent)
                if record is None:
                    continue
                report.parsed += extent.length
                if self.log is None:
                    self._test_fields(extent)
                for name, value in file.observe(record.values).items():
                    report.counts.setdefault(name, Counter())[value] += 1
        except FramingError as error:
            self.keep(error)
            report.quarantined += behind - end
            self.records.untestable["they are behind damaged framing"] += 1

    @cached_property
    def _codes(self) -> list[Field]:
        """The fields whose values a manual lists."""
        return [entry for entry in self.file.spec.layout if entry.codes]

    @cached_property
    def _dissector(self) -> Dissector:
        return Dissector(self.file.reader)

    def _test_fields(self, extent: RecordExtent) -> None:
        """Count the bytes of a good record that are in no field."""
        raw = extent.read(self.file.buffer)
        gaps = [] if self.file.reader.leaves_none(raw) else self._dissector.dissect(raw).unread()
        self.report.unread += sum(end - start for start, end in gaps)
        self.fields.test(f"0x{gaps[0][0]:x} of record {extent.index}" if gaps else None)

    def unread_bytes(self) -> Iterator[str]:
        """The difference between records and their fields in words, if there is one."""
        if self.fields.failed:
            records = f"{self.fields.failed} of the records"
            yield f"bytes in no field: {self.report.unread}, in {records}; the first at {self.fields.failures[0]}"

    def _read(self, extent: RecordExtent) -> Record | None:
        """One record; its errors are reported here unless reading the changes reports them.

        It is tested as its own bytes say it: what other files of the log state would hide what is bad in them.
        """
        file, log = self.file, self.log
        has_rows = log is not None and log.has_descriptions
        self.records.tested += 1
        raw = extent.read(file.buffer)
        is_covered = log is not None and has_rows and log.rows_cover(extent, raw)
        try:
            record = file.read_bytes(raw)
            own = record if log is None else log.own_record(raw, record)
        except DataError as error:
            if log is not None:
                log.test(extent, raw, None, None)
            self.report.quarantined += extent.length
            self.records.failed += 1
            if not has_rows:
                file.report(error, extent)
            return None
        if log is not None:
            log.test(extent, raw, record, own)
        self.values.tested += 1
        self.values.failed += bool(own.faults)
        for fault in () if is_covered else own.faults:
            file.report(fault, extent)
        _count_codes(own.values, self._codes, self.report)
        return record


def _count_codes(values: Values, codes: list[Field], report: CheckReport) -> None:
    for entry in codes:
        found = values.get(entry.id)
        for value in found if isinstance(found, list) else (found,):
            if value is not None and entry.code_of(value) is None:
                report.unlisted.setdefault(entry.id, Counter())[str(value)] += 1
