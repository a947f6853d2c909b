"""Extract settings: what the other extracts of a log say of one, so that it is read as a stretch of that log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from lmparse.bmc.change_record import Places
from lmparse.bmc.segments import ChangeStarts, Joiner, Segment
from lmparse.bmc.unit_outcomes import StatedOutcomes, UnitOutcomes, W
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import Window
from lmparse.limits import Limits
from lmparse.values.byte_arrays import Flags, Int64s

_NONE: Int64s = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class LentSegment:
    """A segment of another extract whose change ends in this one. Safe to pickle."""

    segment: Segment
    """The number of its record is below zero."""
    path: str
    """The data file that it is in."""
    extent: RecordExtent
    """Its place there, and in `ExtractSettings` its place in the log."""
    start: int
    """Offset of the first record of its change in the extract that it is lent to."""


@dataclass(frozen=True, eq=False)
class ExtractSettings:
    """One extract among those of a log, or a part of one. Safe to pickle."""

    path: str
    control: str
    outcomes: UnitOutcomes = field(default_factory=UnitOutcomes)
    """What became of units that it calls open."""
    elsewhere: Int64s = field(default_factory=lambda: _NONE)
    """Offsets of its records that another extract gives; ascending."""
    numbered: Int64s = field(default_factory=lambda: _NONE)
    """Offsets of records whose number among changes of their position the file does not show; ascending."""
    ordinals: Int64s = field(default_factory=lambda: _NONE)
    """These numbers."""
    lent: tuple[LentSegment, ...] = ()
    """Segments of other extracts whose changes end here."""
    records_before: int = 0
    """Number of records of the log in front of it."""
    bytes_before: int = 0
    """Bytes of the log in front of it."""
    misnumbered: Int64s = field(default_factory=lambda: _NONE)
    """Offsets of segments in `elsewhere` that are not among those of the change that is given; ascending."""
    starts: Int64s = field(default_factory=lambda: _NONE)
    """Offsets of the first records of changes in segments that are others than those in front of them; ascending."""
    is_again: bool = False
    """Whether it is read again for its open units: then its changes in front of the checkpoint were given before."""

    def inside(self, span: Span) -> ExtractSettings:
        """What of it concerns one span."""
        low, high = np.searchsorted(self.elsewhere, (span.start, span.end))
        extents = sorted(extent.offset for extent in span.foreign)
        foreign = np.intersect1d(self.elsewhere, np.array(extents, np.int64))
        first, last = np.searchsorted(self.numbered, (span.start, span.end))
        begin, end = np.searchsorted(self.starts, (span.start, span.end))
        return replace(
            self,
            elsewhere=np.union1d(self.elsewhere[low:high], foreign),
            numbered=self.numbered[first:last],
            ordinals=self.ordinals[first:last],
            lent=tuple(one for one in self.lent if span.start <= one.start < span.end),
            starts=self.starts[begin:end],
        )


class ExtractReading:
    """Reads the records of a file as those of a stretch of a log; without settings they are a log of their own."""

    def __init__(self, known: ExtractSettings | None, places: Places) -> None:
        self.known = known
        self._outcomes = None if known is None else StatedOutcomes(known.outcomes, places)
        self._lent = {} if known is None else {one.segment.extent.index: one for one in known.lent}

    @property
    def is_again(self) -> bool:
        """Whether its changes in front of the checkpoint were given before, so that nothing is left out with them."""
        return self.known is not None and self.known.is_again

    @property
    def unfit(self) -> int:
        """Number of units whose outcome has no room in the header of the file."""
        return 0 if self._outcomes is None else self._outcomes.unfit

    def record(self, raw: bytes) -> bytes:
        """The bytes of a record, with the outcome of its unit."""
        return raw if self._outcomes is None else self._outcomes.record(raw)

    def window(self, window: W) -> W:
        """The same for the records of a window."""
        return window if self._outcomes is None else self._outcomes.window(window)

    def has(self, extent: RecordExtent) -> bool:
        """Whether a record is given here, and not from another extract."""
        return self.known is None or _place(self.known.elsewhere, extent.offset) is None

    def has_number(self, extent: RecordExtent) -> bool:
        """Whether a segment may be one of its change, as far as an extract shows that gives this change."""
        return self.known is None or _place(self.known.misnumbered, extent.offset) is None

    @property
    def gives_all(self) -> bool:
        """Whether no record is given from another extract."""
        return self.known is None or not len(self.known.elsewhere)

    def have(self, window: Window) -> Flags:
        """The same for the records of a window."""
        if self.known is None or self.gives_all:
            return np.ones(len(window), np.bool_)
        return ~np.isin(window.offsets, self.known.elsewhere[_within(self.known.elsewhere, window)])

    def ordinal(self, extent: RecordExtent, shown: int) -> int:
        """The number of a change among those of its position; the file shows `shown`."""
        place = None if self.known is None else _place(self.known.numbered, extent.offset)
        return shown if self.known is None or place is None else int(self.known.ordinals[place])

    def ordinals(self, window: Window, shown: Int64s) -> Int64s:
        """The same for the records of a window."""
        if self.known is None or not len(self.known.numbered):
            return shown
        near = self.known.numbered[_within(self.known.numbered, window)]
        which = np.flatnonzero(np.isin(window.offsets, near))
        found = shown.copy()
        found[which] = self.known.ordinals[np.searchsorted(self.known.numbered, window.offsets[which])]
        return found

    @cached_property
    def starts(self) -> ChangeStarts:
        """Where changes in segments begin, and what other extracts have of them."""
        lent: dict[int, list[Segment]] = {}
        for one in self._lent.values():
            lent.setdefault(one.start, []).append(one.segment)
        return ChangeStarts(lent, frozenset([] if self.known is None else self.known.starts.tolist()))

    def joiner(self, limits: Limits) -> Joiner:
        """Joins the segments of changes, those of other extracts included."""
        return Joiner(limits, self.starts)

    def lent(self, extent: RecordExtent) -> Segment | None:
        """The segment of another extract that an extent is of; None if it is of this file."""
        found = self._lent.get(extent.index)
        return None if found is None else found.segment

    def placed(self, extent: RecordExtent) -> RecordExtent:
        """An extent in the whole log: its extracts are one after another there."""
        if self.known is None:
            return extent
        lent = self._lent.get(extent.index)
        return moved(extent, self.known.records_before, self.known.bytes_before) if lent is None else lent.extent

    def placed_window(self, window: Window) -> tuple[Int64s, Int64s]:
        """Numbers and offsets of the records of a window in the whole log."""
        known = self.known
        records, size = (0, 0) if known is None else (known.records_before, known.bytes_before)
        return np.arange(len(window)) + window.first_index + records, window.offsets + size


def moved(extent: RecordExtent, index: int, offset: int) -> RecordExtent:
    """The same with so much added to the number and to the offsets of its pieces."""
    pieces = tuple((start + offset, length) for start, length in extent.pieces)
    return RecordExtent(extent.index + index, pieces, None)


def numbered(ordinals: dict[int, int]) -> tuple[Int64s, Int64s]:
    """Offsets, ascending, and numbers."""
    offsets = sorted(ordinals)
    return np.array(offsets, np.int64), np.array([ordinals[offset] for offset in offsets], np.int64)


def _within(offsets: Int64s, window: Window) -> slice:
    """Those of some offsets that are in a window of consecutive records: time goes by these, and not by all."""
    if not len(window):
        return slice(0)
    return slice(*np.searchsorted(offsets, (window.offsets[0], window.offsets[-1] + 1)).tolist())


def _place(values: Sequence[int] | Int64s, value: int) -> int | None:
    place = int(np.searchsorted(values, value))
    return place if place < len(values) and values[place] == value else None
