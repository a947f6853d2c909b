"""Reports of coverage: what the samples reach, with the same content as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lmparse.review.coverage.coverage import BYTE_CLASSES
from lmparse.review.coverage.files import SampleFile, Samples
from lmparse.review.coverage.reach import Share, Shares, SpecReach
from lmparse.spec import catalog
from lmparse.spec.layout import Layout, spec_of

VERSION = 1
"""Version of the JSON form. Within a version keys are added, never changed."""
BETWEEN = "not read"
"""Bytes of a file in no record: between records, behind the last one, behind damage or a limit."""


@dataclass(frozen=True)
class CoverageReport:
    """What samples reach of a set of specs."""

    samples: Samples
    specs: tuple[SpecReach, ...]
    """The counted specs, by id."""
    unreached: tuple[str, ...]
    """Ids of the specs of which no sample has a part."""

    @cached_property
    def shares(self) -> Shares:
        """How many of the fields, codes and branches of the specs samples reach."""
        return sum((spec.shares for spec in self.specs), Shares())

    @property
    def share(self) -> Share:
        """Fields, codes and branches together."""
        return self.shares.all

    @property
    def records(self) -> int:
        """Number of records read."""
        return sum(file.records for file in self.samples.files)

    @property
    def bytes(self) -> dict[str, int]:
        """All bytes of the files by what they are."""
        counts = self.samples.coverage.bytes
        size = sum(file.size for file in self.samples.files)
        return {name: counts[name] for name in BYTE_CLASSES} | {BETWEEN: size - counts.total()}

    def to_dict(self) -> dict[str, Any]:
        """The report as one JSON object."""
        samples = self.samples
        return {
            "report_version": VERSION,
            **self.shares.to_dict(),
            "records": self.records,
            "bytes": {name.replace(" ", "_"): count for name, count in self.bytes.items()},
            "files": [_file_dict(file) for file in samples.files],
            "unreadable": [error.to_dict() for error in samples.unreadable],
            "passed_over": samples.passed_over,
            "faults": dict(sorted(samples.coverage.faults.items())),
            "kinds": dict(sorted(samples.coverage.kinds.items())),
            "specs": [spec.to_dict() for spec in self.specs],
            "unreached": list(self.unreached),
        }

    def findings(self) -> Iterator[str]:
        """What a reviewer should look at first, the most serious first; see also `SpecReach.lines`."""
        samples = self.samples
        for file in samples.files:
            if file.fault is not None:
                yield f"{file.path} is read up to record {file.records} only: {file.fault.code}"
        for error in samples.unreadable:
            yield f"{error.file} cannot be read: {error.code}"
        for file in samples.files:
            if file.faults:
                yield f"{file.path} has faulty records or values: {file.faults}"
        if samples.coverage.faults:
            counts = sorted(samples.coverage.faults.items())
            yield "faults by code: " + ", ".join(f"{code} ({count})" for code, count in counts)
        for spec in self.specs:
            yield from spec.findings()

    def lines(self) -> Iterator[str]:
        """The report as text: findings first, then the specs, then the files, and the numbers at the end."""
        found = list(self.findings())
        yield f"findings: {len(found) or 'none'} (records: {self.records}, files: {len(self.samples.files)})"
        yield from (f"  {line}" for line in found)
        for spec in self.specs:
            yield ""
            yield from spec.lines()
        yield ""
        if self.unreached:
            yield f"not seen in any sample: {', '.join(self.unreached)}"
        for file in self.samples.files:
            yield (
                f"{file.path}: {file.spec}, framing {file.framing}, {file.provenance.value}, {file.records} records"
                + (f", {file.faults} faults" if file.faults else "")
                + (f", then {file.fault.code}" if file.fault is not None else "")
            )
        if self.samples.passed_over:
            yield f"passed over, because they are not logs: {', '.join(self.samples.passed_over)}"
        yield "bytes: " + ", ".join(f"{count} {name}" for name, count in self.bytes.items())
        yield f"coverage {self.share.percent} % ({self.share}): {self.shares}"


def report_of(samples: Samples, *, with_unreached: bool = False) -> CoverageReport:
    """The report on samples, over the specs of which they have a part, or over all specs."""
    layouts: dict[str, Layout] = {}
    for known in [spec.layouts for spec in samples.specs.values()] or [catalog.load(catalog.spec_ids()[0]).layouts]:
        layouts |= known
    of: dict[str, list[Layout]] = {}
    for layout in layouts.values():
        of.setdefault(spec_of(layout.id), []).append(layout)
    found = [
        SpecReach(spec, tuple(sorted(parts, key=lambda part: part.id != spec)), samples.coverage)
        for spec, parts in sorted(of.items())
    ]
    found = [spec for spec in found if spec.shares.all.of]  # a spec of code sets alone has nothing to be reached
    reached = [spec for spec in found if spec.records or spec.faulty]
    unreached = [spec.id for spec in found if not spec.records and not spec.faulty]
    return CoverageReport(samples, tuple(found if with_unreached else reached), tuple(unreached))


def _file_dict(file: SampleFile) -> dict[str, Any]:
    return {
        "file": file.path,
        "spec": file.spec,
        "framing": file.framing,
        "provenance": file.provenance.value,
        "records": file.records,
        "faults": file.faults,
        "error": None if file.fault is None else file.fault.to_dict(),
    }
