"""Late records: those in front of a checkpoint that no reading had, found by their addresses.

In a log of several log streams, the files that were read may adjoin, and lack a file with records of a stream that
rests in those beside it. Then no file that was read has the stream; or its addresses are in front of all that were read
of the stream, behind them, or where later ones have shown that bytes are missing. Where addresses of a stream have gone
back, they show nothing, but for the last of these and a file that was not read before.
"""

from __future__ import annotations

import numpy as np

from lmparse.changes.checkpoint import Checkpoint
from lmparse.db2.file_ranges import FileHeads
from lmparse.db2.log_beginning import Stretches, certainly_missing, has_gone_back
from lmparse.db2.order import Position
from lmparse.values.byte_arrays import places_by_value


class LateRecords:
    """Whether records in front of a checkpoint were not read."""

    def __init__(self, known: Checkpoint, *, is_known: bool) -> None:
        """`is_known`: they are of a file with a record that the checkpoint has kept."""
        self._before, self._is_known = known, is_known
        self._missing = {
            stream: np.array(self._not_read(stream, stretches), np.uint64).ravel()
            for stream, stretches in certainly_missing(known.missing).items()
            if not is_known or not has_gone_back(known.evidence, stream)
        }
        self._known = {position for position, _ in known.known}
        self._reached, self._is_missing = known.reached, False
        self._last: dict[int, tuple[int, Position]] = {}
        """Address and position of the last record of each log stream."""

    def _not_read(self, stream: int, stretches: Stretches) -> Stretches:
        """Those without the first address that was read of a log stream: addresses have gone back to one in front of
        it, perhaps of one damaged record, if it is in what seems to be missing."""
        first = self._before.begins.get(stream)
        return tuple((begin, end) for begin, end in stretches if first is None or not begin <= first < end)

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
            position not in self._known and self._is_elsewhere(stream, address)
            for stream, (address, position) in self._last.items()
        )

    def _is_elsewhere(self, stream: int, address: int) -> bool:
        """Whether an address is not among those that were read of its log stream."""
        before = self._before
        if stream not in before.ends:
            return True
        if has_gone_back(before.evidence, stream):
            return False
        # Of a file that was read, the first record may be one that could not be.
        is_in_front = address < before.begins.get(stream, 0) and not self._is_known
        return is_in_front or address >= before.ends[stream]
