"""Reports of coverage: what the samples reach, as text, as JSON and as a page. All three forms say the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lmparse.review.coverage.coverage import (
    spec_of,
)
from lmparse.review.coverage.files import FileCoverage, Samples
from lmparse.review.coverage.reach import (
    BYTE_CLASSES,
    STATES,
    Share,
    SpecReach,
    bytes_dict,
    bytes_line,
    inside,
    percent,
    shown_bytes,
    shown_code,
    shown_value,
)
from lmparse.review.templating import render
from lmparse.spec import catalog
from lmparse.spec.layout import Layout

VERSION = 1
"""Of the JSON form: keys are added, never changed, under one number."""


@dataclass(frozen=True)
class CoverageReport:
    """What samples reach of a set of specs."""

    samples: Samples
    specs: tuple[SpecReach, ...]
    """Those that are counted, by id."""
    unreached: tuple[str, ...]
    """Ids of the specs of which no sample has a part."""

    @property
    def field_share(self) -> Share:
        """Fields that were reached."""
        return sum((spec.field_share for spec in self.specs), Share())

    @property
    def code_share(self) -> Share:
        """Listed codes that were seen."""
        return sum((spec.code_share for spec in self.specs), Share())

    @property
    def branch_share(self) -> Share:
        """Cases that records chose."""
        return sum((spec.branch_share for spec in self.specs), Share())

    @property
    def share(self) -> Share:
        """All of them together."""
        return self.field_share + self.code_share + self.branch_share

    @property
    def records(self) -> int:
        """Records that were read."""
        return sum(file.records for file in self.samples.files)

    def to_dict(self) -> dict[str, Any]:
        """The report as one JSON object."""
        samples = self.samples
        return {
            "report_version": VERSION,
            "percent": self.share.percent,
            **self.share.to_dict(),
            "fields": self.field_share.to_dict(),
            "codes": self.code_share.to_dict(),
            "branches": self.branch_share.to_dict(),
            "records": self.records,
            "files": [_file_dict(file) for file in samples.files],
            "unreadable": [error.to_dict() for error in samples.unreadable],
            "passed_over": samples.passed_over,
            "faults": dict(sorted(samples.coverage.faults.items())),
            "kinds": dict(sorted(samples.coverage.kinds.items())),
            "specs": [spec.to_dict() for spec in self.specs],
            "unreached": list(self.unreached),
        }

    def lines(self) -> Iterator[str]:
        """The report in words."""
        samples = self.samples
        for file in samples.files:
            yield (
                f"{file.path}: {file.spec}, framing {file.framing}, {file.records} records"
                + (f", {file.faults} faults" if file.faults else "")
                + (f", then {file.fault.code}" if file.fault is not None else "")
            )
            yield f"  {bytes_line(file.bytes)}"
        if samples.passed_over:
            yield f"passed over, as no samples: {', '.join(samples.passed_over)}"
        if samples.coverage.faults:
            yield "faults: " + ", ".join(f"{code} {count}" for code, count in sorted(samples.coverage.faults.items()))
        for spec in self.specs:
            yield ""
            yield from spec.lines()
        yield ""
        if self.unreached:
            yield f"no sample has a part of: {', '.join(self.unreached)}"
        yield (
            f"coverage {self.share.percent} % ({self.share}): fields {self.field_share}, codes {self.code_share}, "
            f"branches {self.branch_share}"
        )

    def page(self) -> str:
        """The report as one page that needs nothing else. Raises OptionError (LMP-S005) without Jinja2."""
        return render(
            "coverage.html", report=self, byte_classes=BYTE_CLASSES, states=STATES, inside=inside, percent=percent,
            shown_code=shown_code, shown_value=shown_value, shown_bytes=shown_bytes, bytes_line=bytes_line,
        )  # fmt: skip


def report_of(samples: Samples, *, with_unreached: bool = False) -> CoverageReport:
    """The report on samples, over the specs that they have parts of, or over all."""
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
    found = [spec for spec in found if spec.share.of]  # a spec of nothing but code sets has nothing to be reached
    reached = [spec for spec in found if spec.records]
    unreached = [spec.id for spec in found if not spec.records]
    return CoverageReport(samples, tuple(found if with_unreached else reached), tuple(unreached))


def _file_dict(file: FileCoverage) -> dict[str, Any]:
    return {
        "file": file.path,
        "spec": file.spec,
        "framing": file.framing,
        "records": file.records,
        "faults": file.faults,
        "bytes": bytes_dict(file.bytes),
        "error": None if file.fault is None else file.fault.to_dict(),
    }
