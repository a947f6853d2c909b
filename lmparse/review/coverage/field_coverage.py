"""Field coverage: what samples have in one field. What is kept is bounded, and is the same in any order of samples."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

from lmparse.records.dissection import Node
from lmparse.review.coverage.provenance import Provenance
from lmparse.spec.layout import Field

MOST_VALUES = 64
"""Number of different values of a field that are counted one by one."""
MOST_SAMPLES = 4
"""Number of samples of a field that are kept, each with another value."""
MOST_SHOWN = 120
"""Number of characters of a sample's value that a page shows."""
_LONGEST = 64
"""Number of characters of a value that is counted by itself."""
_IN_ORDER_AS_TEXT = frozenset(("timestamp17", "lrsn10", "rba10", "lsn"))
"""Kinds whose values in text form have the order of time or of the log."""
_NUMBERS = frozenset((
    "uint", "int", "float", "hfp", "packed", "bcd", "zoned", "zoned-leading", "zoned-separate",
    "zoned-leading-separate", "decimaltext",
))  # fmt: skip
_Ordered: TypeAlias = "int | float | Decimal | str"


@dataclass(frozen=True)
class Sample:
    """A value of a field in a file. Offsets in bytes."""

    value: Any
    """As `records` prints it; None for a null and for a field with parts."""
    raw: bytes
    meaning: str
    """What the spec says about a listed value."""
    file: str
    record_index: int
    record_offset: int
    """Offset of the record in its file."""
    field_offset: int
    """Offset of the field in its record."""
    provenance: Provenance = Provenance.GIVEN
    is_elsewhere: bool = False
    """Whether the file is not in a folder that is named after the spec of the field, as cases of the spec are."""
    is_filled: bool = True
    """Whether the value is not null, blank, zero, or bytes of zero."""

    @property
    def shown(self) -> str:
        """Its value as text or JSON, cut to some length."""
        text = self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)
        return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"

    @property
    def offset(self) -> int:
        """Offset of its first byte in the file."""
        return self.record_offset + self.field_offset

    @property
    def rank(self) -> tuple[bool, int, bool, str, int, int, int]:
        """Sort key: filled values first, then the strongest evidence, cases of the spec itself, files and bytes."""
        place = (self.file, self.record_index, self.record_offset, self.field_offset)
        return (not self.is_filled, self.provenance.strength, self.is_elsewhere, *place)


@dataclass
class ValueCount:
    """How often each value of a field occurs, and the least and the greatest one."""

    counts: Counter[str] = dataclasses.field(default_factory=Counter)
    """By the value as text. Empty when there are more than MOST_VALUES of them, or a long one."""
    is_complete: bool = True
    """Whether `counts` has all values."""
    least: _Ordered | None = None
    greatest: _Ordered | None = None
    """Of numbers, times and positions in the log; None for other kinds."""

    def add(self, kind: str, value: Any) -> None:
        """Count a value of a field of a kind, in the form that `records` prints."""
        self._count(Counter((str(value),)))
        ordered = _in_order(kind, value)
        if ordered is not None:
            self._reach(ordered, ordered)

    def merge(self, other: ValueCount) -> None:
        """Add what was counted elsewhere."""
        if other.is_complete:
            self._count(other.counts)
        else:
            self._give_up()
        if other.least is not None and other.greatest is not None:
            self._reach(other.least, other.greatest)

    def _count(self, found: Counter[str]) -> None:
        if not self.is_complete:
            return
        self.counts.update(found)
        if len(self.counts) > MOST_VALUES or any(len(text) > _LONGEST for text in found):
            self._give_up()

    def _give_up(self) -> None:
        self.is_complete = False
        self.counts.clear()

    def _reach(self, least: Any, greatest: Any) -> None:
        self.least = least if self.least is None else min(self.least, least)
        self.greatest = greatest if self.greatest is None else max(self.greatest, greatest)


@dataclass
class FieldCoverage:
    """What samples have in one field. A list counts as one field, whatever its length.

    A record with a fault proves nothing about its fields, and neither does a field that is not as wide as the spec has
    it, as a header may be described: both are counted in `apart` alone.
    """

    present: int = 0
    """How often it occurs in the records."""
    records: int = 0
    """In how many records it occurs."""
    filled: int = 0
    """How often its value is not null, blank, zero, or bytes of zero."""
    samples: list[Sample] = dataclasses.field(default_factory=list)
    """The best ones by `Sample.rank`, each with other bytes, at most MOST_SAMPLES."""
    values: ValueCount = dataclasses.field(default_factory=ValueCount)
    """Its values; of a list, those of its items. Fields with parts have none of their own."""
    codes: Counter[int] = dataclasses.field(default_factory=Counter)
    """The listed values among its values, by `Code.value`."""
    unlisted: Counter[str] = dataclasses.field(default_factory=Counter)
    """The other values of a field with a list, as text."""
    apart: Counter[str] = dataclasses.field(default_factory=Counter)
    """How often it occurs elsewhere, by the reason: the code of the error of its record, or the width it has there."""
    apart_sample: Sample | None = None
    """The first of these."""

    @property
    def sample(self) -> Sample | None:
        """The first filled value by provenance, file and place; while none is filled, the first value."""
        return self.samples[0] if self.samples else None

    def merge(self, other: FieldCoverage) -> None:
        """Add what was collected elsewhere."""
        for sample in other.samples:
            self.add_sample(sample)
        if other.apart_sample is not None:
            self.set_apart(other.apart_sample)
        self.values.merge(other.values)
        self.apart += other.apart
        self.present += other.present
        self.records += other.records
        self.filled += other.filled
        self.codes += other.codes
        self.unlisted += other.unlisted

    def add_sample(self, sample: Sample) -> None:
        """Keep a sample if it is one of the best; of equal bytes the best alone is kept."""
        kept = self.samples
        if len(kept) == MOST_SAMPLES and sample.rank > kept[-1].rank:
            return
        same = next((one for one in kept if one.raw == sample.raw), None)
        if same is not None:
            if same.rank <= sample.rank:
                return
            kept.remove(same)
        kept.append(sample)
        kept.sort(key=lambda one: one.rank)
        del kept[MOST_SAMPLES:]

    def set_apart(self, sample: Sample) -> None:
        """Keep the first of the values that prove nothing."""
        if self.apart_sample is None or sample.rank < self.apart_sample.rank:
            self.apart_sample = sample

    def count_code(self, entry: Field, node: Node, raw: bytes) -> None:
        """Count the value of a field with a list of codes; `raw` is the whole record."""
        if node.value is None:
            return
        is_number = isinstance(node.value, int)
        number = node.value if is_number else int.from_bytes(raw[node.start : node.end], "big")
        if any(code.value == number for code in entry.codes):
            self.codes[number] += 1
        else:
            self.unlisted[str(node.value)] += 1


def _in_order(kind: str, value: Any) -> _Ordered | None:
    """A value in a form that has the order of its kind; None for other kinds, and for what is not a number."""
    if kind in _IN_ORDER_AS_TEXT:
        return value if isinstance(value, str) else None
    if kind not in _NUMBERS or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    try:
        number = Decimal(value) if isinstance(value, str) else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None
