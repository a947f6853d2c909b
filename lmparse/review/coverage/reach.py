"""Reach: the fields, listed codes and branches of a spec, and which of them samples reach."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from lmparse.review.coverage.coverage import Coverage
from lmparse.review.coverage.field_coverage import FieldCoverage, Sample
from lmparse.review.coverage.files import Samples
from lmparse.review.coverage.provenance import Provenance
from lmparse.spec.layout import Code, Field, Layout, is_reserved
from lmparse.values.json_form import to_json

STATES = ("filled", "reserved", "never filled", "never present")
"""States of a field, as JSON has them."""
"""The same for readers."""
SHOWN_BYTES = 32
"""Number of bytes of a sample that reports show."""


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

    def to_dict(self) -> dict[str, int]:
        """As JSON has it."""
        return {"reached": self.reached, "of": self.of}

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
        parts = {name: share.to_dict() for name, share in kinds.items()}
        return {"percent": self.all.percent, **self.all.to_dict(), **parts}

    def __str__(self) -> str:
        return f"fields {self.fields}, codes {self.codes}, branches {self.branches}"


@dataclass(frozen=True)
class FieldReach:
    """A field of a spec and what samples have in it."""

    layout: str
    field: Field
    seen: FieldCoverage

    @property
    def name(self) -> str:
        """The name of the field behind that of its layout inside the spec: `image.length`."""
        return inside(self.layout, self.field.id)

    @property
    def is_goal(self) -> bool:
        """Whether samples should reach it.

        They need not reach fields of status `unknown`, fields that consist of other fields, and fields without bytes.
        """
        return self.field.status != "unknown" and self.is_listed

    @property
    def is_listed(self) -> bool:
        """Whether reports list it: not a field that consists of other fields, nor one without bytes."""
        return self.field.kind != "body" and not self.field.is_always_empty

    @property
    def is_reached(self) -> bool:
        """Whether a sample has a value in it; for a reserved field, whether a sample has the field."""
        return bool(self.seen.present if is_reserved(self.field.id) else self.seen.filled)

    @property
    def state(self) -> str:
        """One of STATES."""
        if self.is_reached:
            return "reserved" if is_reserved(self.field.id) else "filled"
        return "never filled" if self.seen.present else "never present"

    @property
    def codes_unseen(self) -> list[Code]:
        """Listed codes that no sample has."""
        return [code for code in self.field.codes if not self.seen.codes[code.value]]

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        entry, seen = self.field, self.seen
        return {
            "layout": self.layout,
            "field": entry.id,
            "status": entry.status,
            "kind": entry.kind,
            "state": self.state,
            "is_goal": self.is_goal,
            "present": seen.present,
            "records": seen.records,
            "filled": seen.filled,
            "codes": [
                {"code": shown_code(code), "value": code.value, "id": code.id, "count": seen.codes[code.value]}
                for code in entry.codes
            ],
            "unlisted": dict(sorted(seen.unlisted.items())),
            "sample": None if seen.sample is None else _sample_dict(seen.sample),
            "samples": [_sample_dict(sample) for sample in seen.samples],
            "values": dict(sorted(seen.values.counts.items())) if seen.values.is_complete else None,
            "least": to_json(seen.values.least),
            "greatest": to_json(seen.values.greatest),
            "apart": dict(sorted(seen.apart.items())),
            "apart_sample": None if seen.apart_sample is None else _sample_dict(seen.apart_sample),
        }


@dataclass(frozen=True)
class BranchReach:
    """A field whose layout the data decides, and how many records have each layout."""

    layout: str
    field: str
    counts: dict[str, int]
    """By id of the layout, in the order of the spec."""

    @property
    def name(self) -> str:
        """The name of the field behind that of its layout inside the spec."""
        return inside(self.layout, self.field)

    def cases(self, *, seen: bool) -> list[tuple[str, int]]:
        """Names of the layouts that records have, or have not, with the number of records."""
        return [(inside(case) or case, count) for case, count in self.counts.items() if bool(count) == seen]


@dataclass(frozen=True)
class Evidence:
    """What the samples of one provenance reach."""

    provenance: Provenance
    files: int
    records: int
    shares: Shares

    @property
    def line(self) -> str:
        """As text."""
        return (
            f"{self.provenance.value} samples, {self.provenance.about}: {self.files} files, {self.records} records; "
            f"{self.shares}"
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "provenance": self.provenance.value,
            "files": self.files,
            "records": self.records,
            **self.shares.to_dict(),
        }


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
        """The fields that reports list, in the order of the spec."""
        found = (
            FieldReach(layout.id, entry, self.coverage.of(layout.id, entry.id))
            for layout in self.layouts
            for entry in layout
        )
        return [entry for entry in found if entry.is_listed]

    @cached_property
    def branches(self) -> list[BranchReach]:
        """The fields with several cases. A case without any field leaves no trace in a record and is left out."""
        bare = {layout.id for layout in self.layouts if not layout.fields}
        found = []
        for layout in self.layouts:
            for entry in layout:
                if entry.cases:
                    cases = [case for case in entry.cases if case not in bare]
                    counts = {case: self.coverage.branches[layout.id, entry.id, case] for case in cases}
                    found.append(BranchReach(layout.id, entry.id, counts))
        return found

    @cached_property
    def shares(self) -> Shares:
        """How many of the fields, codes and branches samples reach."""
        goals = [entry for entry in self.fields if entry.is_goal]
        codes = [bool(entry.seen.codes[code.value]) for entry in self.fields for code in entry.field.codes]
        branches = [bool(count) for branch in self.branches for count in branch.counts.values()]
        return Shares(
            Share(sum(entry.is_reached for entry in goals), len(goals)),
            Share(sum(codes), len(codes)),
            Share(sum(branches), len(branches)),
        )

    @property
    def unseen_layouts(self) -> list[str]:
        """Layouts with fields to be reached, of which no sample has any field."""
        of: dict[str, list[FieldReach]] = {}
        for entry in self.fields:
            of.setdefault(entry.layout, []).append(entry)
        return [
            layout
            for layout, entries in of.items()
            if any(entry.is_goal for entry in entries) and not any(entry.seen.present for entry in entries)
        ]

    def never(self, state: str) -> list[FieldReach]:
        """Fields to be reached that are in a state, without those of layouts that no sample has."""
        hidden = self.unseen_layouts
        return [entry for entry in self.fields if entry.is_goal and entry.state == state and entry.layout not in hidden]

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "spec": self.id,
            "title": self.title,
            "records": self.records,
            "faulty_records": self.faulty,
            **self.shares.to_dict(),
            "layouts_never_present": self.unseen_layouts,
            "never_present": [entry.name for entry in self.never("never present")],
            "never_filled": [entry.name for entry in self.never("never filled")],
            "codes_unseen": [
                {"layout": entry.layout, "field": entry.field.id, "code": shown_code(code), "id": code.id}
                for entry in self.fields
                for code in entry.codes_unseen
            ],
            "unlisted": [
                {"layout": entry.layout, "field": entry.field.id, "value": value, "count": count}
                for entry in self.fields
                for value, count in sorted(entry.seen.unlisted.items())
            ],
            "cases": [
                {"layout": branch.layout, "field": branch.field, "case": case, "records": count}
                for branch in self.branches
                for case, count in branch.counts.items()
            ],
            "all_fields": [entry.to_dict() for entry in self.fields],
        }

    def findings(self) -> Iterator[str]:
        """What a reviewer should look at first: unlisted values, and fields that no sound record has."""
        for entry in self.fields:
            if entry.seen.unlisted:
                words = ", ".join(
                    f"{value or 'blank'} ({count})" for value, count in sorted(entry.seen.unlisted.items())
                )
                yield f"{self.id}.{entry.name} has values that are not listed: {words}"
        for entry in self.fields:
            if entry.seen.apart and not entry.seen.present:
                words = ", ".join(f"{why} {count}" for why, count in sorted(entry.seen.apart.items()))
                yield f"{self.id}.{entry.name} is only in faulty records or has another width: {words}"

    def lines(self) -> Iterator[str]:
        """The report on the spec as text."""
        yield f"{self.id}: {self.shares.all.percent} % ({self.shares.all}), {self.records} records; {self.title}"
        yield f"  seen: {self.shares}"
        if self.faulty:
            yield f"  not counted, because they have a fault: {self.faulty} records"
        if self.unseen_layouts:
            yield "  parts not seen: " + ", ".join(inside(layout) or layout for layout in self.unseen_layouts)
        for state, words in (("never present", "not seen"), ("never filled", "seen, but blank or zero only")):
            if found := self.never(state):
                yield f"  fields {words}: " + ", ".join(entry.name for entry in found)
        for entry in self.fields:
            if entry.codes_unseen and entry.seen.present:
                words = ", ".join(f"{shown_code(code)} ({code.id})" for code in entry.codes_unseen)
                yield f"  codes not seen of {entry.name}: {words}"
        for branch in (branch for branch in self.branches if branch.counts):
            seen = ", ".join(f"{name} {count}" for name, count in branch.cases(seen=True)) or "none"
            unseen = ", ".join(name for name, _ in branch.cases(seen=False))
            yield f"  branches of {branch.name}: {seen}" + (f"; not seen: {unseen}" if unseen else "")


def evidence(specs: Iterable[SpecReach], samples: Samples) -> list[Evidence]:
    """What the samples of each provenance reach of some specs, the strongest evidence first."""
    reached = list(specs)
    return [
        Evidence(
            one, len(files), sum(file.records for file in files),
            sum((replace(spec, coverage=samples.apart[one]).shares for spec in reached), Shares()),
        )
        for one, files in samples.evidence
    ]  # fmt: skip


def inside(layout: str, field: str = "") -> str:
    """The name of a layout, or of a field of a layout, inside its spec."""
    return ".".join(filter(None, (layout.partition(".")[2], field)))


def shown_code(code: Code) -> str:
    """A listed code as values are shown."""
    return str(code.value) if code.text is None else code.text.strip() or "blank"


def _sample_dict(sample: Sample) -> dict[str, Any]:
    stated = {"value": to_json(sample.value), "raw": shown_bytes(sample), "provenance": sample.provenance.value}
    left_out = ("is_elsewhere", "is_filled")
    return {name: value for name, value in vars(sample).items() if name not in left_out} | stated


def shown_bytes(sample: Sample) -> str:
    """The first bytes of a sample as upper-case hex."""
    return sample.raw[:SHOWN_BYTES].hex().upper() + ("…" if len(sample.raw) > SHOWN_BYTES else "")
