"""Extract settings: what the other extracts of a log say of one, so that it is read as a part of that log."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from lmparse.bmc.change_record import Places
from lmparse.bmc.extracts.outcomes import StatedOutcomes, UnitOutcomes, W
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import Window
from lmparse.values.byte_arrays import Flags, Int64s

_NONE: Int64s = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class ExtractSettings:
    """One extract among those of a log, or a part of one. Safe to pickle."""

    path: str
    control: str
    outcomes: UnitOutcomes = field(default_factory=UnitOutcomes)
    """What became of units that it calls open."""
    elsewhere: Int64s = field(default_factory=lambda: _NONE)
    """Offsets of its records that another extract gives; ascending."""
    records_before: int = 0
    """Number of records of the log in front of it."""
    bytes_before: int = 0
    """Bytes of the log in front of it."""
    is_again: bool = False
    """Whether it is read again for its open units: then its changes in front of the checkpoint were given before."""

    def inside(self, span: Span) -> ExtractSettings:
        """What of it concerns one span."""
        low, high = np.searchsorted(self.elsewhere, (span.start, span.end))
        return replace(self, elsewhere=self.elsewhere[low:high])


class ExtractReading:
    """Reads the records of a file as those of one extract; without settings they are a log of their own."""

    def __init__(self, known: ExtractSettings | None, places: Places) -> None:
        self.known = known
        self._outcomes = None if known is None else StatedOutcomes(known.outcomes, places)

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
        if self.known is None:
            return True
        elsewhere = self.known.elsewhere
        place = int(np.searchsorted(elsewhere, extent.offset))
        return place == len(elsewhere) or elsewhere[place] != extent.offset

    def have(self, window: Window) -> Flags:
        """The same for the records of a window."""
        if self.known is None or not len(self.known.elsewhere) or not len(window):
            return np.ones(len(window), np.bool_)
        elsewhere = self.known.elsewhere
        low, high = np.searchsorted(elsewhere, (window.offsets[0], window.offsets[-1] + 1)).tolist()
        return ~np.isin(window.offsets, elsewhere[low:high])

    def placed(self, extent: RecordExtent) -> RecordExtent:
        """An extent in the whole log: its extracts are one after another there."""
        known = self.known
        if known is None:
            return extent
        pieces = tuple((start + known.bytes_before, length) for start, length in extent.pieces)
        return RecordExtent(extent.index + known.records_before, pieces, None)

    def placed_window(self, window: Window) -> tuple[Int64s, Int64s]:
        """Numbers and offsets of the records of a window in the whole log."""
        known = self.known
        records, size = (0, 0) if known is None else (known.records_before, known.bytes_before)
        return np.arange(len(window)) + window.first_index + records, window.offsets + size
