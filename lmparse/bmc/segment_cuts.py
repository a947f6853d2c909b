"""Segment cuts: where an extract cuts changes into segments, as far as its segments show it.

All segments of an extract but the last of each change have as many bytes of DATA; their numbers begin at 0 or 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lmparse.values.byte_arrays import Int64s


@dataclass(frozen=True, slots=True)
class SegmentCut:
    """How one extract cuts changes."""

    base: int | None = None
    """Number of the first segment; None if no segment shows it."""
    capacity: int | None = None
    """Bytes of DATA in most segments that are not the last of their change; None if there is none."""

    def may_be_last(self, total: int, number: int) -> bool:
        """Whether the segment with a number is the last one of `total`, or may be."""
        return number >= total - 1 + (self.base or 0)


@dataclass(eq=False)
class SegmentCuts:
    """What the segments of one extract show so far."""

    _has_first: bool = False
    """Whether one has number 0,"""
    _has_last: bool = False
    """and one that of its TOTALSEGS."""
    _lengths: tuple[dict[int, int], dict[int, int]] = field(default_factory=lambda: ({}, {}))
    """Numbers of segments by bytes of DATA: of those that are not the last, and that are not if numbers begin at 1."""

    def add(self, totals: Int64s, numbers: Int64s, lengths: Int64s) -> None:
        """Add some records."""
        is_segment = totals > 1
        totals, numbers, lengths = totals[is_segment], numbers[is_segment], lengths[is_segment]
        self._has_first |= bool((numbers == 0).any())
        self._has_last |= bool((numbers == totals).any())
        for counts, those in zip(self._lengths, (numbers < totals - 1, numbers == totals - 1), strict=True):
            for length, count in zip(*np.unique(lengths[those], return_counts=True), strict=True):
                counts[int(length)] = counts.get(int(length), 0) + int(count)

    def shown(self) -> SegmentCut:
        """How the extract cuts changes."""
        base = None if self._has_first == self._has_last else int(self._has_last)
        counts = dict(self._lengths[0])
        if base == 1:
            for length, count in self._lengths[1].items():
                counts[length] = counts.get(length, 0) + count
        return SegmentCut(base, max(counts, key=counts.__getitem__, default=None))
