"""Reach: the fields, listed codes and branches of a spec, and which of them samples reach."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lmparse.review.coverage.coverage import Coverage, FieldCount
from lmparse.spec.layout import Code, Field, Layout, is_reserved
from lmparse.values.json_form import to_json

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


def inside(layout: str, field: str = "") -> str:
    """The name of a layout, or of a field of a layout, inside its spec."""
    return ".".join(filter(None, (layout.partition(".")[2], field)))


def shown_code(code: Code) -> str:
    """A listed code as values are shown."""
    return str(code.value) if code.text is None else code.text.strip() or "blank"
