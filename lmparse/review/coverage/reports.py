"""Reports of coverage: which fields, listed codes and branches of the specs samples reach, as text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lmparse.review.coverage.coverage import BYTE_CLASSES, Coverage, FieldCount
from lmparse.review.coverage.files import SampleFile, Samples
from lmparse.spec import catalog
from lmparse.spec.layout import Code, Field, Layout, is_reserved, spec_of
from lmparse.values.json_form import to_json

VERSION = 1
"""Version of the JSON form. Within a version keys are added, never changed."""
BETWEEN = "not read"
"""Bytes of a file in no record: between records, behind the last one, behind damage or a limit."""
SHOWN_BYTES = 32
"""Number of bytes of a sample that JSON has."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of a number of things were reached."""

    reached: int = 0
    of: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(self.reached + other.reached, self.of + other.of)

    @property
    def percent(self) -> float:
        """Per cent with one digit, cut and not rounded, so that 100 means all; 0 when there is nothing to reach."""
        return math.floor(1000 * self.reached / self.of) / 10 if self.of else 0.0

    def is_below(self, percent: float) -> bool:
        """Whether the share is less than a percentage."""
        return 100 * self.reached < percent * self.of or (not self.of and percent > 0)

    def __str__(self) -> str:
        return f"{self.reached} of {self.of}"


@dataclass(frozen=True, slots=True)
class Shares:
    """What samples reach of one spec, or of several."""

    fields: Share = Share()
    codes: Share = Share()
    """Listed codes."""
    branches: Share = Share()

    def __add__(self, other: Shares) -> Shares:
        return Shares(self.fields + other.fields, self.codes + other.codes, self.branches + other.branches)

    @property
    def all(self) -> Share:
        """Fields, codes and branches together."""
        return self.fields + self.codes + self.branches

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        kinds = {"fields": self.fields, "codes": self.codes, "branches": self.branches}
        parts = {name: {"reached": share.reached, "of": share.of} for name, share in kinds.items()}
        return {"percent": self.all.percent, "reached": self.all.reached, "of": self.all.of, **parts}

    def __str__(self) -> str:
        return f"fields {self.fields}, codes {self.codes}, branches {self.branches}"


@dataclass(frozen=True)
class FieldReach:
    """A field of a spec and what samples have in it."""

    layout: str
    field: Field
    seen: FieldCount

    @property
    def name(self) -> str:
        """The name of the field behind that of its layout inside the spec: `image.length`."""
        return inside(self.layout, self.field.id)

    @property
    def is_goal(self) -> bool:
        """Whether samples should reach it.

        They need not reach fields of status `unknown`, fields that consist of other fields, and fields without bytes.
        """
        return self.field.status != "unknown" and self.field.kind != "body" and not self.field.is_always_empty

    @property
    def is_reached(self) -> bool:
        """Whether a sample has a value in it; for a reserved field, whether a sample has the field."""
        return bool(self.seen.present if is_reserved(self.field.id) else self.seen.filled)

    @property
    def codes_unseen(self) -> list[Code]:
        """Listed codes that no sample has."""
        return [code for code in self.field.codes if not self.seen.codes[code.value]]

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        entry, seen, sample = self.field, self.seen, self.seen.sample
        return {
            "layout": self.layout, "field": entry.id, "status": entry.status, "kind": entry.kind,
            "is_goal": self.is_goal, "is_reached": self.is_reached,
            "present": seen.present, "records": seen.records, "filled": seen.filled,
            "codes": [
                {"code": shown_code(code), "value": code.value, "id": code.id, "count": seen.codes[code.value]}
                for code in entry.codes
            ],
            "unlisted": dict(sorted(seen.unlisted.items())),
            "sample": sample and {
                "value": to_json(sample.value), "raw": sample.raw[:SHOWN_BYTES].hex().upper(), "file": sample.file,
                "meaning": sample.meaning, "record_index": sample.record_index, "offset": sample.offset,
            },
        }  # fmt: skip


@dataclass(frozen=True)
class SpecReach:
    """One spec and what samples reach of it."""

    id: str
    layouts: tuple[Layout, ...]
    """The layout of the spec, then those of its types."""
    coverage: Coverage

    @property
    def title(self) -> str:
        """The title of the spec."""
        return self.layouts[0].title

    @property
    def records(self) -> int:
        """Number of records without a fault that have a part of the spec."""
        return self.coverage.records[self.id]

    @property
    def faulty(self) -> int:
        """Number of records with a fault that have a part of the spec."""
        return self.coverage.faulty[self.id]

    @cached_property
    def fields(self) -> list[FieldReach]:
        """The fields that reports list, in the order of the spec: neither bodies nor those without bytes."""
        return [
            FieldReach(layout.id, entry, self.coverage.of(layout.id, entry.id))
            for layout in self.layouts
            for entry in layout
            if entry.kind != "body" and not entry.is_always_empty
        ]

    @cached_property
    def branches(self) -> dict[tuple[str, str], dict[str, int]]:
        """By layout and field: how many records have each case. A case without fields leaves no trace in a record."""
        bare = {layout.id for layout in self.layouts if not layout.fields}
        return {
            (layout.id, entry.id): {
                case: self.coverage.branches[layout.id, entry.id, case] for case in entry.cases if case not in bare
            }
            for layout in self.layouts
            for entry in layout
            if entry.cases
        }

    @cached_property
    def shares(self) -> Shares:
        """How many of the fields, codes and branches samples reach."""
        goals = [entry for entry in self.fields if entry.is_goal]
        codes = [bool(entry.seen.codes[code.value]) for entry in self.fields for code in entry.field.codes]
        branches = [bool(count) for counts in self.branches.values() for count in counts.values()]
        return Shares(
            Share(sum(entry.is_reached for entry in goals), len(goals)),
            Share(sum(codes), len(codes)),
            Share(sum(branches), len(branches)),
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "spec": self.id,
            "title": self.title,
            "records": self.records,
            "faulty_records": self.faulty,
            **self.shares.to_dict(),
            "cases": [
                {"layout": layout, "field": field, "case": case, "records": count}
                for (layout, field), counts in self.branches.items()
                for case, count in counts.items()
            ],
            "all_fields": [entry.to_dict() for entry in self.fields],
        }

    def findings(self) -> Iterator[str]:
        """What a reviewer should look at first: values that no list has."""
        for entry in self.fields:
            if entry.seen.unlisted:
                counts = sorted(entry.seen.unlisted.items())
                words = ", ".join(f"{value or 'blank'} ({count})" for value, count in counts)
                yield f"{self.id}.{entry.name} has values that are not listed: {words}"

    def lines(self) -> Iterator[str]:
        """The report on the spec as text."""
        yield f"{self.id}: {self.shares.all.percent} % ({self.shares.all}), {self.records} records; {self.title}"
        yield f"  seen: {self.shares}"
        if self.faulty:
            yield f"  not counted, because they have a fault: {self.faulty} records"
        present = {entry.layout for entry in self.fields if entry.seen.present}
        goals = [entry for entry in self.fields if entry.is_goal]
        unseen = dict.fromkeys(entry.layout for entry in goals if entry.layout not in present)
        if unseen:
            yield "  parts not seen: " + ", ".join(inside(layout) or layout for layout in unseen)
        missed = [entry for entry in goals if entry.layout in present and not entry.is_reached]
        for is_present, words in ((False, "not seen"), (True, "seen, but blank or zero only")):
            if names := [entry.name for entry in missed if bool(entry.seen.present) == is_present]:
                yield f"  fields {words}: " + ", ".join(names)
        for entry in self.fields:
            if entry.codes_unseen and entry.seen.present:
                words = ", ".join(f"{shown_code(code)} ({code.id})" for code in entry.codes_unseen)
                yield f"  codes not seen of {entry.name}: {words}"
        for (layout, field), counts in self.branches.items():
            seen = [f"{inside(case) or case} {count}" for case, count in counts.items() if count]
            never = [inside(case) or case for case, count in counts.items() if not count]
            tail = f"; not seen: {', '.join(never)}" if never else ""
            if counts:
                yield f"  branches of {inside(layout, field)}: {', '.join(seen) or 'none'}{tail}"


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


def inside(layout: str, field: str = "") -> str:
    """The name of a layout, or of a field of a layout, inside its spec."""
    return ".".join(filter(None, (layout.partition(".")[2], field)))


def shown_code(code: Code) -> str:
    """A listed code as values are shown."""
    return str(code.value) if code.text is None else code.text.strip() or "blank"
