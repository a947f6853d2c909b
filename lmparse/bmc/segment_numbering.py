"""Segment numbers: whether an extract numbers the segments of a change from 0 or from 1, as far as they show it."""

from __future__ import annotations

from dataclasses import dataclass

from lmparse.values.byte_arrays import Int64s


@dataclass(frozen=True, slots=True)
class SegmentNumbering:
    """The numbers of the segments of one extract."""

    has_first: bool = False
    """Whether one has number 0,"""
    has_last: bool = False
    """and one that of its TOTALSEGS."""

    def with_those(self, totals: Int64s, numbers: Int64s) -> SegmentNumbering:
        """The same of more records."""
        is_segment = totals > 1
        has_first = bool((is_segment & (numbers == 0)).any())
        has_last = bool((is_segment & (numbers == totals)).any())
        return SegmentNumbering(self.has_first or has_first, self.has_last or has_last)

    @property
    def base(self) -> int | None:
        """Number of the first segment of a change; None if no segment shows it."""
        return None if self.has_first == self.has_last else int(self.has_last)

    def may_be_last(self, total: int, number: int) -> bool:
        """Whether the segment with a number is the last one of `total`, or may be."""
        return number >= total - 1 + (self.base or 0)
