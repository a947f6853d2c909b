"""Late records: those in front of a checkpoint that no reading had, found by their addresses.

In a log of several log streams, the files that were read may adjoin, and lack a file with records of a stream that none
of those behind it has. Its addresses are behind all that were read of the stream, or where later ones have shown that
bytes are missing. Where addresses have gone back, the first shows nothing, and neither does the second for a file that
was read before.
"""

from __future__ import annotations

import numpy as np

from lmparse.changes.checkpoint import Checkpoint
from lmparse.db2.file_ranges import FileHeads
from lmparse.db2.log_beginning import BACK, certainly_missing
from lmparse.db2.order import Position
from lmparse.values.byte_arrays import places_by_value


class LateRecords:
    """Whether records in front of a checkpoint were not read."""

    def __init__(self, known: Checkpoint, *, is_known: bool) -> None:
        """`is_known`: they are of a file with a record that the checkpoint has kept."""
        is_straight = BACK not in known.evidence
        missing = known.missing if is_straight or not is_known else {}
        self._missing = {
            stream: np.array(bounds, np.uint64).ravel() for stream, bounds in certainly_missing(missing).items()
        }
        self._known, self._ends = (
            {position for position, _ in known.known},
            {} if BACK in known.evidence else known.ends,
        )
        self._reached, self._is_missing = known.reached, False
        self._last: dict[int, tuple[int, Position]] = {}
        """Address and position of the last record of each log stream."""

    def add(self, heads: FileHeads) -> None:
        """Add the records of a window that are not behind the checkpoint."""
        places = np.flatnonzero(~heads.is_behind(self._reached))
        for stream, which in places_by_value(heads.stream[places]):
            chosen = places[which]
            chosen = chosen[heads.address[chosen] != 0]
            if len(chosen):
                last = int(chosen[-1])
                self._last[stream] = int(heads.address[last]), heads.position(last)
                # Between a begin and an end if an odd number of bounds is at or in front of it.
                bounds = self._missing.get(stream, heads.address[:0])
                self._is_missing |= bool((np.searchsorted(bounds, heads.address[chosen], side="right") % 2).any())

    @property
    def are_found(self) -> bool:
        """Whether there is one. The last record of a file that was read is none, whatever address it states."""
        return self._is_missing or any(
            address >= self._ends.get(stream, address + 1) and position not in self._known
            for stream, (address, position) in self._last.items()
        )
