"""Reach: the fields, listed codes and branches of a spec, and which of them samples reach."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lmparse.review.coverage.coverage import (
    PART_KINDS,
    ByteCount,
    Coverage,
    FieldCoverage,
    Sample,
    bytes_of,
    is_never_there,
)
from lmparse.spec.layout import Code, Field, Layout, is_reserved
from lmparse.values.json_form import to_json

BYTE_CLASSES = ("typed", "reserved", "opaque", "unread")
"""In the order of reports."""
STATES = ("filled", "reserved", "never filled", "never present")
"""What can be said of a field."""
_SHOWN_BYTES = 32
"""Bytes of a sample that reports show."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of a number of things were reached."""

    reached: int = 0
    of: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(self.reached + other.reached, self.of + other.of)

    @property
    def percent(self) -> float:
        """With one digit, cut and not rounded, so that 100 is all of them; 0 of nothing."""
        return math.floor(1000 * self.reached / self.of) / 10 if self.of else 0.0

    def is_below(self, percent: float) -> bool:
        """Whether it is less than a percentage."""
        return 100 * self.reached < percent * self.of or (not self.of and percent > 0)

    def to_dict(self) -> dict[str, int]:
        """As JSON has it."""
        return {"reached": self.reached, "of": self.of}

    def __str__(self) -> str:
        return f"{self.reached} of {self.of}"


@dataclass(frozen=True)
class FieldReach:
    """A field of a spec and what was seen of it."""

    layout: str
    field: Field
    seen: FieldCoverage

    @property
    def name(self) -> str:
        """The field behind the layout inside the spec: `image.length`."""
        return inside(self.layout, self.field.id)

    @property
    def is_goal(self) -> bool:
        """Whether it is to be reached: fields that the spec knows too little of are not."""
        return self.field.status != "unknown"

    @property
    def is_reached(self) -> bool:
        """Whether it was there with a value; a reserved one, whether it was there."""
        return bool(self.seen.present if is_reserved(self.field.id) else self.seen.filled)

    @property
    def state(self) -> str:
        """In a word."""
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
            "filled": seen.filled,
            "codes": [
                {"code": shown_code(code), "value": code.value, "id": code.id, "count": seen.codes[code.value]}
                for code in entry.codes
            ],
            "unlisted": dict(sorted(seen.unlisted.items())),
            "sample": None if seen.sample is None else _sample_dict(seen.sample),
        }


@dataclass(frozen=True)
class BranchReach:
    """A field whose layout the data decides, and how many records chose each."""

    layout: str
    field: str
    counts: dict[str, int]
    """By id of the layout, in the order of the spec."""

    @property
    def name(self) -> str:
        """The field behind the layout inside the spec."""
        return inside(self.layout, self.field)

    @property
    def unseen(self) -> list[str]:
        """Ids of layouts that no record chose."""
        return [case for case, count in self.counts.items() if not count]


@dataclass(frozen=True)
class SpecReach:
    """One spec and what was reached of it."""

    id: str
    layouts: tuple[Layout, ...]
    """Its own and those of its types."""
    coverage: Coverage

    @property
    def title(self) -> str:
        """What the spec is of."""
        return self.layouts[0].title

    @property
    def records(self) -> int:
        """How many records have a part of it."""
        return self.coverage.records[self.id]

    @cached_property
    def fields(self) -> list[FieldReach]:
        """Its fields in the order of the spec, without those that are only parts or can have no bytes."""
        return [
            FieldReach(
                layout.id, entry, self.coverage.fields.get((layout.id, entry.id), FieldCoverage(layout.id, entry))
            )
            for layout in self.layouts
            for entry in layout
            if entry.kind != "body" and not is_never_there(entry)
        ]

    @cached_property
    def branches(self) -> list[BranchReach]:
        """Its fields of several cases. A case without any field leaves no trace and is not among them."""
        bare = {layout.id for layout in self.layouts if not layout.fields}
        found = []
        for layout in self.layouts:
            for entry in layout:
                counts = self.coverage.cases.get((layout.id, entry.id), Counter())
                if entry.cases:
                    cases = {case: counts[case] for case in entry.cases if case not in bare}
                    found.append(BranchReach(layout.id, entry.id, cases))
        return found

    @property
    def field_share(self) -> Share:
        """Fields that were reached."""
        goals = [entry for entry in self.fields if entry.is_goal]
        return Share(sum(entry.is_reached for entry in goals), len(goals))

    @property
    def code_share(self) -> Share:
        """Listed codes that were seen."""
        total = sum(len(entry.field.codes) for entry in self.fields)
        return Share(total - sum(len(entry.codes_unseen) for entry in self.fields), total)

    @property
    def branch_share(self) -> Share:
        """Cases that records chose."""
        total = sum(len(branch.counts) for branch in self.branches)
        return Share(total - sum(len(branch.unseen) for branch in self.branches), total)

    @property
    def share(self) -> Share:
        """All of them together."""
        return self.field_share + self.code_share + self.branch_share

    @property
    def bytes(self) -> ByteCount:
        """Of its fields of fixed width."""
        return bytes_of(self.layouts)

    @property
    def sample_bytes(self) -> ByteCount:
        """Of the samples."""
        return self.coverage.bytes.get(self.id, ByteCount())

    @property
    def has_sample_bytes(self) -> bool:
        """Whether samples have bytes of its own, and not only in values that other specs have."""
        return bool(self.sample_bytes.described + self.sample_bytes.unread)

    @property
    def unseen_layouts(self) -> list[str]:
        """Layouts with something to be reached none of whose fields was ever there."""
        of: dict[str, list[FieldReach]] = {}
        for entry in self.fields:
            of.setdefault(entry.layout, []).append(entry)
        return [
            layout
            for layout, entries in of.items()
            if any(entry.is_goal for entry in entries) and not any(entry.seen.present for entry in entries)
        ]

    def never(self, state: str) -> list[FieldReach]:
        """Fields to be reached that were never present, or never filled, where others of their layout were there."""
        hidden = self.unseen_layouts
        return [entry for entry in self.fields if entry.is_goal and entry.state == state and entry.layout not in hidden]

    @property
    def strips(self) -> Iterator[tuple[str, list[FieldReach]]]:
        """The fields of fixed width of each layout, whose bytes stand in no layout of its own."""
        for layout in self.layouts:
            fields = [
                entry for entry in self.fields
                if entry.layout == layout.id and entry.field.width and entry.field.kind not in PART_KINDS
            ]  # fmt: skip
            if fields:
                yield layout.id, fields

    @property
    def goals(self) -> Iterator[tuple[str, bool]]:
        """Everything that is to be reached, by name, and whether it was."""
        for entry in self.fields:
            if entry.is_goal:
                yield f"{entry.layout}.{entry.field.id}", entry.is_reached
            for code in entry.field.codes:
                yield f"{entry.layout}.{entry.field.id}={code.id}", bool(entry.seen.codes[code.value])
        for branch in self.branches:
            for case, count in branch.counts.items():
                yield f"{branch.layout}.{branch.field}>{case}", bool(count)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "spec": self.id,
            "title": self.title,
            "records": self.records,
            "percent": self.share.percent,
            **self.share.to_dict(),
            "fields": self.field_share.to_dict(),
            "codes": self.code_share.to_dict(),
            "branches": self.branch_share.to_dict(),
            "spec_bytes": bytes_dict(self.bytes),
            "sample_bytes": bytes_dict(self.sample_bytes),
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

    def lines(self) -> Iterator[str]:
        """The same in words."""
        yield f"{self.id}: {self.share.percent} % ({self.share}), {self.records} records; {self.title}"
        yield f"  reached: fields {self.field_share}, codes {self.code_share}, branches {self.branch_share}"
        if self.bytes.described:
            yield f"  bytes of the spec: {bytes_line(self.bytes)}"
        if self.has_sample_bytes:
            yield f"  bytes of the samples: {bytes_line(self.sample_bytes)}"
        if self.unseen_layouts:
            yield "  parts never present: " + ", ".join(inside(layout) or layout for layout in self.unseen_layouts)
        for state in ("never present", "never filled"):
            if found := self.never(state):
                yield f"  fields {state}: " + ", ".join(entry.name for entry in found)
        for entry in self.fields:
            if entry.codes_unseen and entry.seen.present:
                words = ", ".join(f"{shown_code(code)} ({code.id})" for code in entry.codes_unseen)
                yield f"  codes unseen of {entry.name}: {words}"
        for entry in self.fields:
            if entry.seen.unlisted:
                words = ", ".join(f"{value or 'blank'} {count}" for value, count in sorted(entry.seen.unlisted.items()))
                yield f"  unlisted values of {entry.name}: {words}"
        for branch in self.branches:
            seen = [f"{inside(case) or case} {count}" for case, count in branch.counts.items() if count]
            unseen = [inside(case) or case for case in branch.unseen]
            if seen:
                yield f"  branches of {branch.name}: {', '.join(seen)}" + (
                    f"; unseen: {', '.join(unseen)}" if unseen else ""
                )
            elif unseen:
                yield f"  branches of {branch.name}: none; unseen: {', '.join(unseen)}"


def inside(layout: str, field: str = "") -> str:
    """A layout, or a field of one, by its name inside of its spec."""
    return ".".join(filter(None, (layout.partition(".")[2], field)))


def shown_code(code: Code) -> str:
    """A listed code as values are shown."""
    return str(code.value) if code.text is None else code.text.strip() or "blank"


def bytes_dict(counted: ByteCount) -> dict[str, int]:
    return {"described": counted.described, **{name: getattr(counted, name) for name in BYTE_CLASSES}}


def bytes_line(counted: ByteCount) -> str:
    total = counted.described + counted.unread
    words = [
        f"{count} {name} ({percent(count, total)} %)" for name in BYTE_CLASSES if (count := getattr(counted, name))
    ]
    return f"{counted.described} described" + (f": {', '.join(words)}" if words else "")


def percent(count: int, total: int) -> float:
    """A share of bytes with one digit."""
    return round(100 * count / total, 1) if total else 0.0


def _sample_dict(sample: Sample) -> dict[str, Any]:
    return {
        "value": to_json(sample.value),
        "raw": shown_bytes(sample),
        "meaning": sample.meaning,
        "file": sample.file,
        "record_index": sample.record_index,
        "record_offset": sample.record_offset,
        "field_offset": sample.field_offset,
    }


def shown_bytes(sample: Sample) -> str:
    return sample.raw[:_SHOWN_BYTES].hex().upper() + ("…" if len(sample.raw) > _SHOWN_BYTES else "")


def shown_value(sample: Sample) -> str:
    """As a line of text, no longer than its bytes are shown."""
    text = "" if sample.value is None else str(sample.value)
    return text if len(text) <= 2 * _SHOWN_BYTES else text[: 2 * _SHOWN_BYTES] + "…"
