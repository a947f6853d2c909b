"""Rows of spec pages: what the tables of a page on a spec are made of, as plain data in words for readers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from lmparse.review.coverage.field_coverage import Sample, ValueCount
from lmparse.review.coverage.provenance import Provenance
from lmparse.review.coverage.reach import SHOWN_BYTES, FieldReach
from lmparse.review.docs.manuals import Reference
from lmparse.review.docs.words import Text, is_open, kind_in_words
from lmparse.spec.layout import Layout

NOT_STATED = "not stated"
_SHOWN_TEXT = 120
"""Number of characters of a sample's value that a page shows."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a part of the site."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Switch:
    """What decides which layout a part of a record has."""

    on: str
    """The expression, in words."""
    when: Mapping[str, tuple[str, ...]]
    """The values that choose a layout, by the id of the layout."""


Counts = tuple[tuple[Provenance, int], ...]
"""How often samples have something, by their provenance; without provenances that do not have it."""


@dataclass(frozen=True, slots=True)
class CodeRow:
    """A listed value of a field, or an unlisted value that a sample has."""

    anchor: str
    value: str
    """As records show it; empty for blank."""
    raw: str
    """Its bytes, or the number, in upper-case hex."""
    word: str
    """The spec's name for it; empty for an unlisted value."""
    meaning: str
    counts: Counts
    """How many values of samples it is."""
    status: str = ""
    """Where it is not that of the field."""


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One of the layouts that a part of a record may have."""

    link: Link
    when: tuple[str, ...]
    """The values that choose it; empty where the text of the spec is not available."""
    counts: Counts
    """Number of records of the samples that have it."""


@dataclass(frozen=True)
class FieldRow(FieldReach):
    """A field as a row of a table, with what samples have in it."""

    anchor: str
    bytes: tuple[str, ...]
    """Anchors of its bytes."""
    type: Link | None
    """The layout of a nested record, or of a value with parts."""
    switch: Text
    """The expression, in words, that decides between the cases."""
    cases: tuple[CaseRow, ...]
    codes: tuple[CodeRow, ...]
    facts: tuple[Text, ...]
    """Bounds, checks, and when the field is present, a sentence each."""
    doc: Text
    reference: Reference | None
    records: Counts
    """How many records of the samples have it."""
    values: tuple[tuple[Provenance, ValueCount], ...]
    """The values that samples have in it, by their provenance."""

    @property
    def kind(self) -> str:
        """The kind of its value, in words."""
        return kind_in_words(self.field)

    @property
    def status(self) -> str:
        """Its status, or that the spec does not state one."""
        return self.field.status or NOT_STATED

    @property
    def is_open(self) -> bool:
        """Whether values that are not listed are data, not errors."""
        return is_open(self.field)

    @property
    def unseen(self) -> list[CodeRow]:
        """Listed values that no sample has."""
        return [code for code in self.codes if code.word and not code.counts]

    @property
    def unlisted(self) -> list[CodeRow]:
        """Values of samples that the list does not have."""
        return [code for code in self.codes if not code.word]

    @property
    def samples(self) -> list[SampleRow]:
        """Samples with different values, the best one first."""
        return [SampleRow(sample) for sample in self.seen.samples]

    @property
    def glance(self) -> str:
        """What samples have: `9 of 11 values`, `0 to 65535`, `4 values`; empty where their one value says it."""
        if self.field.codes:
            listed = [code for code in self.codes if code.word]
            more = f", {len(self.unlisted)} not listed" if self.unlisted else ""
            return f"{len(listed) - len(self.unseen)} of {len(listed)} values{more}"
        values = self.seen.values
        if not isinstance(values.least, str | None) and values.least != values.greatest:
            return f"{_cut(values.least)} to {_cut(values.greatest)}"
        count = len(values.counts)
        return "" if count == 1 or not (count or self.seen.samples) else f"{count} values" if count else "many values"

    @property
    def apart(self) -> str:
        """What proves nothing about the field, and why; empty if there is none."""
        sample, counts = self.seen.apart_sample, sorted(self.seen.apart.items())
        if sample is None:
            return ""
        words = ", ".join(
            f"{count} with {why}" if why.startswith("LMP") else f"{count} in {why}" for why, count in counts
        )
        raw = sample.raw[:8].hex(" ").upper() + (" …" if len(sample.raw) > 8 else "")
        return f"{words}; the first is {raw} in {sample.file}, record {sample.record_index}"


def _cut(value: object, most: int = 26) -> str:
    text = str(value)
    return text if len(text) <= most else text[:most] + "…"


@dataclass(frozen=True, slots=True)
class SampleRow:
    """A sample as a page shows it."""

    sample: Sample

    @property
    def value(self) -> str | None:
        """Its value as text or JSON, cut to some length; None for a null and for a field with parts."""
        value = self.sample.value
        if value is None:
            return None
        return _cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), _SHOWN_TEXT)

    @property
    def bytes(self) -> tuple[str, int]:
        """Its first bytes in upper-case hex, and the number of bytes left out."""
        raw = self.sample.raw
        return raw[:SHOWN_BYTES].hex(" ").upper(), max(0, len(raw) - SHOWN_BYTES)

    @property
    def offset(self) -> int:
        """Offset of its first byte in the file."""
        return self.sample.record_offset + self.sample.field_offset


@dataclass(frozen=True, slots=True)
class Instance:
    """What the spec says about a record beside its fields: a flag in a bit, a class of records, a value ahead."""

    name: str
    doc: str
    words: str
    """Where it comes from, in words; empty where the doc says it."""
    status: str = ""
    """documented, inferred or unknown; empty where the spec does not state it."""
    doc_ref: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    """What its values are called, by the value as text."""
    source: str = ""
    """What of it is not in the manual, or why it is so."""


@dataclass(frozen=True, slots=True)
class InstanceRow:
    """An instance as a row of a table."""

    anchor: str
    name: str
    doc: Text
    words: Text
    status: str
    source: str
    """What of it is not in the manual, or why it is so; empty where the spec does not say."""
    reference: Reference | None
    counts: tuple[tuple[str, Counts], ...]
    """Its values in words, and how often samples have them."""
    unshown: int
    """Number of its other values."""


@dataclass(frozen=True, slots=True)
class CodeSet:
    """Listed values that no field has: kinds of records, parameters, single bits."""

    anchor: str
    name: str
    codes: tuple[CodeRow, ...]


@dataclass(frozen=True, slots=True)
class LayoutSection:
    """A layout: the spec itself, or a type inside it."""

    anchor: str
    layout: Layout
    name: str
    depth: int
    """How deep it is in the tree of the spec; 0 for the spec itself."""
    doc: Text
    reference: Reference | None
    rows: tuple[FieldRow, ...]
    used_by: tuple[Link, ...]
    """Fields that have this layout."""
    instances: tuple[InstanceRow, ...]
    """What is calculated from the fields, or looked at ahead of them."""

    @property
    def size(self) -> str:
        """Its length, in words."""
        if self.layout.width is not None:
            return f"{self.layout.width} bytes." if self.layout.width != 1 else "1 byte."
        least = self.layout.least_width
        return f"Its length varies; at least {least} bytes." if least else "Its length varies."
