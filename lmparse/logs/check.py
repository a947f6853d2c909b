"""Check: accounts for every byte of a file, or of the files of a log, and compares control files with the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from lmparse.changes.claims import Claim, Statement
from lmparse.changes.log import ChangeLog
from lmparse.errors import DataError, FramingError, LeftoverError
from lmparse.framing.extents import RecordExtent
from lmparse.framing.whole import Items
from lmparse.logs.open import open_file
from lmparse.options import Options
from lmparse.records.dissection import Dissector
from lmparse.records.files import KEPT_ERRORS, RecordFile
from lmparse.records.reader import Record
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
"""Statements for logs of changes; FIELDS applies to other files."""
_SIZES = ("size", "descriptors", "parsed", "skipped", "quarantined")


@dataclass
class CheckReport:
    """The result of `lmparse check`. Sizes are in bytes."""

    file: str
    """The file, or the files of the log, in words."""
    size: int
    """Of all files together."""
    spec: str
    files: list[str] = field(default_factory=list)
    """The files, in the order of the log."""
    descriptors: int = 0
    """Descriptor words of the records that were read, BDWs included."""
    parsed: int = 0
    """Records that were read, with their bytes in no field."""
    unread: int = 0
    """Bytes in no field of the records that were read; not counted for logs of changes."""
    skipped: int = 0
    """Bytes at the start and end of the file that options skip, bytes around a list whose items are rows, and bytes
    that earlier files have too."""
    quarantined: int = 0
    """Bad records, and everything from damaged framing on."""
    records: int = 0
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    unlisted: dict[str, Counter[str]] = field(default_factory=dict)
    """Values of code fields that the manual does not list."""
    decisions: list[Decision] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    """Statements of the file about itself, with test results."""
    differences: list[str] = field(default_factory=list)
    """Differences between control file and data file, and failures of claims."""
    errors: list[DataError] = field(default_factory=list)
    error_count: int = 0
    has_leftover: bool = False
    """Whether bytes that are no record follow whole records."""

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
    """Read a whole file, or the joined files of a log, and account for every byte.

    Raises only if the framing cannot be found. `decision` is a decision of the caller about the options.
    """
    return _Account(path, options).report_with(decision)


class _Account:
    """Accounts for one file or log."""

    def __init__(self, path: str, options: Options) -> None:
        self.report = CheckReport(path, 0, options.spec)
        self._known: set[tuple[str | None, int | None, str, str | None]] = set()
        """Errors of records; reading the changes may find the same errors again."""
        self._reads_records = True
        self._bytes, self._records, self._values = BYTES.claim(), RECORDS.claim(), VALUES.claim()
        self._fields, self._rows = FIELDS.claim(), ROWS.claim()
        self._of_logs: list[Claim] = []
        options = replace(options, mode="permissive", include=("all",), order="file")
        self._file = open_file(path, options, on_error=self.keep)

    def keep(self, error: DataError) -> None:
        """Add an error to the report, unless the report has it already."""
        key = error.file, error.record_offset, (error.field or "").rpartition(".")[2], error.code
        if key in self._known:
            return
        if self._reads_records:
            self._known.add(key)
        report = self.report
        report.error_count += 1
        report.has_leftover |= isinstance(error, LeftoverError)
        if len(report.errors) < KEPT_ERRORS:
            report.errors.append(error)

    def report_with(self, decision: Decision | None) -> CheckReport:
        """Read everything and return the report."""
        file, report = self._file, self.report
        decisions: list[Decision] = [] if decision is None else [decision]
        is_joined = False
        for extract in file.extracts_apart() if isinstance(file, ChangeLog) else [file]:
            is_joined, before = extract is not file, report.records
            self._read_records(extract)
            if isinstance(extract, ChangeLog):
                self._test_log(extract, report.records - before, f"{extract.path}: " if is_joined else "")
            report.files += names_in(extract.path)
            decisions += [found for found in extract.decisions if found not in decisions]
        report.file = Joined(tuple(JoinedPiece(name, 0, 0) for name in report.files)).shown
        report.claims = [self._bytes, self._records, self._values]
        if isinstance(file, ChangeLog):
            self._add(file.claims() if is_joined else [], "")
            report.claims += [*self._of_logs, self._rows]
        else:
            report.claims.append(fields := self._fields)
            if fields.failed:
                where = f"in {fields.failed} of the records; the first at {fields.failures[0]}"
                report.differences.append(f"bytes in no field: {report.unread}, {where}")
        report.decisions, report.notices = decisions, file.tally.notices
        self._bytes.tested = report.size
        if not report.is_accounted:
            self._bytes.failed = abs(report.size - report.accounted)
            report.differences.append("the parts do not add up to the size of the file")
        return report

    # -- records ------------------------------------------------------------------------------

    def _read_records(self, file: RecordFile) -> None:
        """Count bytes and codes of a file in one pass; everything from damaged framing on is quarantined."""
        report, codes = self.report, [entry for entry in file.spec.layout if entry.codes]
        dissector = Dissector(file.reader)
        first, behind = file.framing.range_of(file.buffer)
        size = sum(len(open_buffer(name, file.options.bounds)) for name in names_in(file.path))
        report.size += size
        report.skipped += first + size - behind
        end = first
        try:
            for extent in file.extents():
                report.records += 1
                report.descriptors += extent.end - end - extent.length
                end = extent.end
                record = self._read(file, extent, codes)
                if record is None:
                    continue
                report.parsed += extent.length
                if not isinstance(file, ChangeLog):  # count the bytes of a good record in no field
                    is_open = record.unread or file.spec.with_instances
                    gaps = dissector.dissect(extent.read(file.buffer)).unread() if is_open else []
                    report.unread += sum(stop - start for start, stop in gaps)
                    self._fields.test(f"0x{gaps[0][0]:x} of record {extent.index}" if gaps else None)
                for name, value in file.observe(record.values).items():
                    report.counts.setdefault(name, Counter())[value] += 1
            if isinstance(file.framing, Items):
                report.skipped += behind - end  # bytes of the fields behind the list
        except FramingError as error:
            self.keep(error)
            report.quarantined += behind - end
            self._records.untestable["they are behind damaged framing"] += 1

    def _read(self, file: RecordFile, extent: RecordExtent, codes: list[Field]) -> Record | None:
        """Read one record; None if the record is bad.

        Tests use the record's own bytes: facts from other files of the log would hide bad values.
        """
        log = file if isinstance(file, ChangeLog) else None
        self._records.tested += 1
        raw = extent.read(file.buffer)
        try:
            record = file.read_bytes(raw)
            own = record if log is None else log.own_record(raw, record)
        except DataError as error:
            if log is not None:
                log.test(extent, raw, None, None)
            self.report.quarantined += extent.length
            self._records.failed += 1
            file.report(error, extent)
            return None
        if log is not None:
            log.test(extent, raw, record, own)
        self._values.tested += 1
        self._values.failed += bool(own.faults)
        for fault in own.faults:
            file.report(fault, extent)
        for entry in codes:
            found = own.values.get(entry.id)
            for value in found if isinstance(found, list) else (found,):
                if value is not None and entry.code_of(value) is None:
                    self.report.unlisted.setdefault(entry.id, Counter())[str(value)] += 1
        return record

    # -- changes ------------------------------------------------------------------------------

    def _test_log(self, log: ChangeLog, records: int, name: str) -> None:
        """Test the claims of a log with `records` records, and decode every row, which alone finds bad values in rows.

        `name` is put in front of the failures of claims.
        """
        rows = self._rows
        self._reads_records = False
        self._add(log.claims(), name)
        if log.has_descriptions:
            before = log.tally.dropped
            with suppress(FramingError):  # the error is reported already
                for change in log.typed_changes():
                    rows.tested += 1
                    rows.failed += bool(change.faults)
            dropped = log.tally.dropped - before
            rows.tested, rows.failed = rows.tested + dropped, rows.failed + dropped
        else:
            rows.untestable["nothing describes the columns"] += records
        self._reads_records = True

    def _add(self, claims: Sequence[Claim], name: str) -> None:
        """Add the claims of one file to those of other files."""
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
