"""Reports of coverage: which fields, listed codes and branches of the specs samples reach, as text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from lmparse.review.coverage.coverage import Coverage, FieldCount
from lmparse.review.coverage.files import Samples
from lmparse.spec import catalog
from lmparse.spec.layout import Code, Field, Layout, is_reserved, spec_of
from lmparse.values.json_form import to_json

VERSION = 1
"""Version of the JSON form. Within a version keys are added, never changed."""
_SHOWN_BYTES = 32
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


Shares = dict[str, Share]
"""What samples reach of one spec, or of several: `fields`, listed `codes`, `branches`."""


def sum_of(shares: Iterable[Shares]) -> Shares:
    """What samples reach of several specs."""
    found = list(shares)
    return {kind: sum((one[kind] for one in found), Share()) for kind in ("fields", "codes", "branches")}


def _of_shares(shares: Shares) -> dict[str, Any]:
    """Shares as JSON has them."""
    whole = sum(shares.values(), Share())
    return {"percent": whole.percent, **asdict(whole), **{kind: asdict(share) for kind, share in shares.items()}}


def _in_words(shares: Shares) -> str:
    return ", ".join(f"{kind} {share}" for kind, share in shares.items())


@dataclass(frozen=True)
class FieldReach:
    """A field of a spec and what samples have in it."""

    layout: str
    field: Field
    seen: FieldCount
    is_calculated: bool
    """Whether it has no bytes of its own: it is reached wherever it has a value, and its listed values are no goals."""

    @property
    def name(self) -> str:
        """The name of the field behind that of its layout inside the spec: `image.length`."""
        return _inside(self.layout, self.field.id)

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
        return [code for code in self.field.codes if not (self.is_calculated or self.seen.codes[code.value])]

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        entry, seen, sample = self.field, self.seen, self.seen.sample
        return {
            "layout": self.layout, "field": entry.id, "status": entry.status, "kind": entry.kind,
            "is_calculated": self.is_calculated, "is_goal": self.is_goal, "is_reached": self.is_reached,
            "present": seen.present, "records": seen.records, "filled": seen.filled,
            "codes": [
                {"code": _shown_code(code), "value": code.value, "id": code.id, "count": seen.codes[code.value]}
                for code in entry.codes
            ],
            "unlisted": dict(sorted(seen.unlisted.items())),
            "sample": sample and {
                "value": to_json(sample.value), "raw": sample.raw[:_SHOWN_BYTES].hex().upper(), "file": sample.file,
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
            FieldReach(layout.id, entry, self.coverage.of(layout.id, entry.id), entry.id in layout.computed)
            for layout in self.layouts
            for entry in layout.columns
            if entry.kind != "body" and not entry.is_always_empty
        ]

    @cached_property
    def branches(self) -> dict[tuple[str, str], dict[str, int]]:
        """By layout and field: how many records have each case. A case without fields leaves no trace in a record."""
        bare = {layout.id for layout in self.layouts if not layout.fields}
        counts = self.coverage.branches
        return {
            (layout.id, entry.id): {case: counts[layout.id, entry.id, case] for case in entry.cases if case not in bare}
            for layout in self.layouts
            for entry in layout
            if entry.cases
        }

    @cached_property
    def shares(self) -> Shares:
        """How many of the fields, codes and branches samples reach."""
        goals = [entry.is_reached for entry in self.fields if entry.is_goal]
        listed = [entry for entry in self.fields if not entry.is_calculated]
        codes = [bool(entry.seen.codes[code.value]) for entry in listed for code in entry.field.codes]
        branches = [bool(count) for counts in self.branches.values() for count in counts.values()]
        found = {"fields": goals, "codes": codes, "branches": branches}
        return {kind: Share(sum(reached), len(reached)) for kind, reached in found.items()}

    @property
    def share(self) -> Share:
        """Fields, codes and branches together."""
        return sum(self.shares.values(), Share())

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "spec": self.id, "title": self.layouts[0].title,
            "records": self.records, "faulty_records": self.faulty, **_of_shares(self.shares),
            "cases": [
                {"layout": layout, "field": name, "case": case, "records": count}
                for (layout, name), counts in self.branches.items()
                for case, count in counts.items()
            ],
            "all_fields": [entry.to_dict() for entry in self.fields],
        }  # fmt: skip

    def lines(self) -> Iterator[str]:
        """The report on the spec as text."""
        title = self.layouts[0].title
        yield f"{self.id}: {self.share.percent} % ({self.share}), {self.records} records; {title}"
        yield f"  seen: {_in_words(self.shares)}"
        if self.faulty:
            yield f"  not counted, because they have a fault: {self.faulty} records"
        goals = [entry for entry in self.fields if entry.is_goal]
        present = {entry.layout for entry in self.fields if entry.seen.present}
        missed = [entry for entry in goals if entry.layout in present and not entry.is_reached]
        lists = {
            "parts not seen": dict.fromkeys(
                _inside(entry.layout) or entry.layout for entry in goals if entry.layout not in present
            ),
            "fields not seen": [entry.name for entry in missed if not entry.seen.present],
            "fields seen, but blank or zero only": [entry.name for entry in missed if entry.seen.present],
        }
        for entry in self.fields:
            if entry.seen.present:
                unseen = [f"{_shown_code(code)} ({code.id})" for code in entry.codes_unseen]
                lists[f"codes not seen of {entry.name}"] = unseen
        for (layout, name), counts in self.branches.items():
            place, names = _inside(layout, name), {case: _inside(case) or case for case in counts}
            lists[f"branches of {place}"] = [f"{names[case]} {count}" for case, count in counts.items() if count]
            lists[f"branches not seen of {place}"] = [names[case] for case, count in counts.items() if not count]
        yield from (f"  {words}: {', '.join(names)}" for words, names in lists.items() if names)


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
        return sum_of(spec.shares for spec in self.specs)

    @property
    def share(self) -> Share:
        """Fields, codes and branches together."""
        return sum(self.shares.values(), Share())

    def to_dict(self) -> dict[str, Any]:
        """The report as one JSON object."""
        samples = self.samples
        return {
            "report_version": VERSION, **_of_shares(self.shares),
            "records": sum(file.records for file in samples.files),
            "files": [
                {
                    "file": file.path, "spec": file.spec, "framing": file.framing, "provenance": file.provenance,
                    "records": file.records, "faults": file.faults, "error": file.fault and file.fault.to_dict(),
                }
                for file in samples.files
            ],
            "unreadable": [error.to_dict() for error in samples.unreadable],
            "passed_over": samples.passed_over,
            "faults": dict(sorted(samples.coverage.faults.items())),
            "kinds": dict(sorted(samples.coverage.kinds.items())),
            "specs": [spec.to_dict() for spec in self.specs],
            "unreached": list(self.unreached),
        }  # fmt: skip

    def findings(self) -> Iterator[str]:
        """What a reviewer should look at first, the most serious first; see also `SpecReach.lines`."""
        files, faults = self.samples.files, self.samples.coverage.faults
        for file in files:
            if file.fault is not None:
                yield f"{file.path} is read up to record {file.records} only: {file.fault.code}"
        yield from (f"{error.file} cannot be read: {error.code}" for error in self.samples.unreadable)
        yield from (f"{file.path} has faulty records or values: {file.faults}" for file in files if file.faults)
        if faults:
            yield f"faults by code: {_counted(faults)}"
        for spec in self.specs:
            for entry in spec.fields:
                if entry.seen.unlisted:
                    values = _counted(entry.seen.unlisted)
                    yield f"{spec.id}.{entry.name} has values that are not listed: {values}"

    def lines(self) -> Iterator[str]:
        """The report as text: findings first, then the specs, then the files, and the numbers at the end."""
        found, files = list(self.findings()), self.samples.files
        records = sum(file.records for file in files)
        yield f"findings: {len(found) or 'none'} (records: {records}, files: {len(files)})"
        yield from (f"  {line}" for line in found)
        for spec in self.specs:
            yield ""
            yield from spec.lines()
        yield ""
        if self.unreached:
            yield f"not seen in any sample: {', '.join(self.unreached)}"
        for file in files:
            faults = f", {file.faults} faults" if file.faults else ""
            ended = "" if file.fault is None else f", then {file.fault.code}"
            words = f"{file.spec}, framing {file.framing}, {file.provenance}, {file.records} records"
            yield f"{file.path}: {words}{faults}{ended}"
        if self.samples.passed_over:
            yield f"passed over, because they are not logs: {', '.join(self.samples.passed_over)}"
        yield f"coverage {self.share.percent} % ({self.share}): {_in_words(self.shares)}"


def report_of(samples: Samples, *, with_unreached: bool = False) -> CoverageReport:
    """The report on samples, over the specs of which they have a part, or over all specs."""
    layouts: dict[str, Layout] = {}
    for known in [spec.layouts for spec in samples.specs.values()] or [catalog.load(catalog.spec_ids()[0]).layouts]:
        layouts |= known
    parts: dict[str, list[Layout]] = {}
    for name in sorted(layouts, key=lambda name: (spec_of(name), "." in name)):
        parts.setdefault(spec_of(name), []).append(layouts[name])
    found = [SpecReach(spec, tuple(own), samples.coverage) for spec, own in parts.items()]
    found = [spec for spec in found if spec.share.of]  # a spec of code sets alone has nothing to be reached
    unreached = tuple(spec.id for spec in found if not spec.records and not spec.faulty)
    return CoverageReport(
        samples, tuple(spec for spec in found if with_unreached or spec.id not in unreached), unreached
    )


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name or 'blank'} ({count})" for name, count in sorted(counts.items()))


def _inside(layout: str, field: str = "") -> str:
    """The name of a layout, or of a field of a layout, inside its spec."""
    return ".".join(filter(None, (layout.partition(".")[2], field)))


def _shown_code(code: Code) -> str:
    """A listed code as values are shown."""
    return str(code.value) if code.text is None else code.text.strip() or "blank"
