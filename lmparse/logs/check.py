"""Check: accounts for every byte of a file, and compares the control file with the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from lmparse.changes.log import ChangeLog
from lmparse.errors import DataError, FramingError
from lmparse.logs.open import open_file
from lmparse.options import Options
from lmparse.records.files import KEPT_ERRORS, RecordFile
from lmparse.records.reader import Values
from lmparse.records.settings import Decision
from lmparse.spec.layout import Field

_SIZES = ("size", "descriptors", "parsed", "skipped", "quarantined")


@dataclass
class CheckReport:
    """The result of `lmparse check`. Sizes in bytes."""

    file: str
    size: int
    spec: str
    descriptors: int = 0
    """Descriptor words of the records that were read, BDWs included."""
    parsed: int = 0
    skipped: int = 0
    """Skipped by request of the caller."""
    quarantined: int = 0
    """Bad records, and everything from damaged framing on."""
    records: int = 0
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    unlisted: dict[str, Counter[str]] = field(default_factory=dict)
    """Values of code fields that the manual does not list."""
    decisions: list[Decision] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    """Differences between control file and data file."""
    errors: list[DataError] = field(default_factory=list)
    error_count: int = 0

    @property
    def is_accounted(self) -> bool:
        """Whether the parts add up to the size of the file."""
        return self._accounted == self.size

    @property
    def _accounted(self) -> int:
        return self.descriptors + self.parsed + self.skipped + self.quarantined

    def to_dict(self) -> dict[str, Any]:
        """The report as one JSON object."""
        return {
            "report_version": 1,
            "file": self.file,
            "spec": self.spec,
            "bytes": {name: getattr(self, name) for name in (*_SIZES, "is_accounted")},
            "records": self.records,
            "counts": {name: dict(counter.most_common()) for name, counter in self.counts.items()},
            "unlisted": {name: dict(counter.most_common()) for name, counter in self.unlisted.items()},
            "decisions": [{"name": d.name, "value": d.value, "evidence": d.evidence} for d in self.decisions],
            "notices": self.notices,
            "differences": self.differences,
            "error_count": self.error_count,
            "errors": [error.to_dict() for error in self.errors],
        }

    def lines(self) -> Iterator[str]:
        """The report in words."""
        yield f"{self.file}: {self.records} records of {self.spec}, {self.size} bytes"
        yield (
            f"  bytes: {self.parsed} parsed + {self.descriptors} descriptors + {self.skipped} skipped + "
            f"{self.quarantined} quarantined = {self._accounted}"
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
        for difference in self.differences:
            yield f"  difference: {difference}"
        yield f"  {self.error_count} errors, {len(self.differences)} differences"


def account(path: str, options: Options) -> CheckReport:
    """Read a whole file and account for it. Raises only if its framing cannot be found."""
    report = CheckReport(path, 0, options.spec)

    def keep(error: DataError) -> None:
        report.error_count += 1
        if len(report.errors) < KEPT_ERRORS:
            report.errors.append(error)

    file = open_file(path, replace(options, mode="permissive", include=("all",), order="file"), on_error=keep)
    report.size = len(file.buffer)
    _count(file, report, keep)
    if isinstance(file, ChangeLog):
        if file.has_descriptions:
            with suppress(FramingError):  # it is reported already
                for _ in file.typed_changes():  # bad values are found only by decoding every row
                    pass
        report.differences.extend(file.differences())
    report.decisions, report.notices = file.decisions, file.tally.notices
    if not report.is_accounted:
        report.differences.append("the parts do not add up to the size of the file")
    return report


def _count(file: RecordFile, report: CheckReport, keep: Callable[[DataError], None]) -> None:
    """Count bytes and codes in one pass over the records. Damaged framing quarantines the rest."""
    codes = [entry for entry in file.spec.layout if entry.codes]
    # Decoding the rows reports bad records too.
    reports_here = not isinstance(file, ChangeLog) or not file.has_descriptions
    end = 0
    try:
        for extent in file.extents():
            report.records += 1
            last = extent.pieces[-1]
            report.descriptors += last[0] + last[1] - end - extent.length
            end = last[0] + last[1]
            try:
                record = file.read_bytes(extent.read(file.buffer))
            except DataError as error:
                report.quarantined += extent.length
                if reports_here:
                    file.report(error, extent)
                continue
            report.parsed += extent.length
            _count_codes(record.values, codes, report)
            for name, value in file.observe(record.values).items():
                report.counts.setdefault(name, Counter())[value] += 1
            for fault in record.faults if reports_here else ():
                file.report(fault, extent)
    except FramingError as error:
        keep(error)
        report.quarantined += report.size - end


def _count_codes(values: Values, codes: list[Field], report: CheckReport) -> None:
    for entry in codes:
        value = values.get(entry.id)
        listed = {(code.text or "").rstrip() if entry.kind == "code" else code.value for code in entry.codes}
        if value is not None and value not in listed:
            report.unlisted.setdefault(entry.id, Counter())[str(value)] += 1
