"""Spec rows: what stands on the page of a spec, as plain data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from lmparse.review.docs.manuals import Reference
from lmparse.review.docs.words import Text
from lmparse.spec.layout import Layout

STATUSES = ("documented", "inferred", "unknown")


@dataclass(frozen=True, slots=True)
class Link:
    """A part of the site by its name."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class CodeRow:
    """One listed value of a field, or an unlisted one that a sample shows."""

    anchor: str
    value: str
    """As records show it; empty for blank."""
    raw: str
    """Its bytes, or the number, in upper-case hex."""
    word: str
    """The word the spec uses for it; empty for an unlisted value."""
    meaning: str
    count: int
    """How often samples show it."""


@dataclass(frozen=True, slots=True)
class SampleRow:
    """A value of a field in a sample."""

    value: str | None
    """None for what has parts or is null."""
    raw: str
    """Its first bytes in upper-case hex, by twos."""
    left_out: int
    """Bytes behind them."""
    meaning: str
    file: str
    record: int
    offset: int
    """Of the field in its file, in bytes."""


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One layout that a part of a record may have."""

    link: Link
    when: tuple[str, ...]
    """The values that choose it; empty where the spec's text is not at hand."""
    count: int
    """How many records of the samples have it."""


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field as a row of a table. Offsets and lengths in bytes."""

    anchor: str
    id: str
    orig_id: str | None
    offset: int | None
    width: int | None
    bytes: tuple[str, ...]
    """Anchors of the bytes that it takes."""
    kind: str
    unit: str | None
    type: Link | None
    """The layout of a nested record, or of a value with parts."""
    switch: str
    """What decides between the cases."""
    cases: tuple[CaseRow, ...]
    codes: tuple[CodeRow, ...]
    is_open: bool
    """Whether values that are not listed are data all the same."""
    facts: tuple[Text, ...]
    """Bounds, checks, and when the field is there, a sentence each."""
    doc: Text
    reference: Reference | None
    status: str
    source: str | None
    is_part: bool
    """Whether it is nothing but the fields of another layout, which have their own samples."""
    is_never_there: bool
    """Whether a sound record has no bytes of it."""
    present: int
    """How many records of the samples have it."""
    is_goal: bool
    """Whether samples should show it: what the spec knows too little of is no goal."""
    is_shown: bool
    """Whether a sample has a value in it that is not blank or zero; of a reserved field, whether one has it."""
    sample: SampleRow | None

    @property
    def listed(self) -> int:
        """Number of listed values."""
        return sum(1 for code in self.codes if code.word)

    @property
    def unseen(self) -> tuple[CodeRow, ...]:
        """Listed values that no sample shows."""
        return tuple(code for code in self.codes if code.word and not code.count)


@dataclass(frozen=True, slots=True)
class CodeSet:
    """Listed values that belong to no field of their own: kinds of records, parameters, single bits."""

    anchor: str
    name: str
    codes: tuple[CodeRow, ...]


@dataclass(frozen=True, slots=True)
class LayoutSection:
    """A layout: the spec itself, or a type inside it."""

    anchor: str
    layout: Layout
    name: str
    doc: Text
    reference: Reference | None
    rows: tuple[FieldRow, ...]
    used_by: tuple[Link, ...]

    @property
    def size(self) -> str:
        """How long it is, in words."""
        if self.layout.width is not None:
            return f"{self.layout.width} bytes." if self.layout.width != 1 else "1 byte."
        least = self.layout.least_width
        return f"Its length varies; at least {least} bytes." if least else "Its length varies."


@dataclass(frozen=True, slots=True)
class SpecPage:
    """Everything on the page of a spec."""

    id: str
    href: str
    title: str
    sentence: str
    family: str
    layout: Layout
    params: tuple[tuple[str, CodeSet | None], ...]
    sections: tuple[LayoutSection, ...]
    """The spec itself first, then its types by name."""
    code_sets: tuple[CodeSet, ...]
    records: int
    """Records of the samples that have a part of the spec."""

    @property
    def byte_order(self) -> str:
        """Its byte order in words."""
        if self.layout.endian is None:
            return "the parameter byte_order says it" if "byte_order" in self.layout.params else "none of its own"
        return {"be": "big-endian", "le": "little-endian"}[self.layout.endian]

    @property
    def statuses(self) -> list[tuple[str, int]]:
        """How many fields have each status, without those that none has."""
        counts = Counter(row.status for row in self.rows)
        return [(status, counts[status]) for status in STATUSES if counts[status]]

    @property
    def root(self) -> LayoutSection:
        """The section of the spec itself."""
        return self.sections[0]

    @property
    def rows(self) -> list[FieldRow]:
        """The fields of all sections."""
        return [row for section in self.sections for row in section.rows]

    @property
    def fields(self) -> list[FieldRow]:
        """The fields that samples should show, as `lmparse coverage` counts them."""
        return [row for row in self.rows if row.is_goal and not row.is_part and not row.is_never_there]

    @property
    def without_sample(self) -> list[FieldRow]:
        """Those of them that no sample shows."""
        return [row for row in self.fields if not row.is_shown]

    @property
    def with_unseen(self) -> list[FieldRow]:
        """Fields with listed values that no sample shows."""
        return [row for row in self.rows if row.unseen]

    @property
    def field_count(self) -> int:
        """How many fields samples should show."""
        return len(self.fields)

    @property
    def shown_fields(self) -> int:
        """How many of them a sample shows."""
        return self.field_count - len(self.without_sample)

    @property
    def listed_count(self) -> int:
        """Listed values of all fields."""
        return sum(1 for row in self.rows for code in row.codes if code.word)

    @property
    def seen_count(self) -> int:
        """Those of them that a sample shows."""
        return sum(1 for row in self.rows for code in row.codes if code.word and code.count)
