"""Log beginning: in front of which records nothing has been read, so that a transaction may begin there.

A link to the start of a load leads on to the record in front of that, if it is there to be read. A log that is read one
file after another begins where the first reading began. Where bytes of the log are missing between two files, and none
inside of one, so that the filter of the API left nothing out, the records there are lost: a transaction with a link to
one of them is not whole either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lmparse.changes.checkpoint import Checkpoint
from lmparse.db2.links import LoadStarts
from lmparse.storage.joined import Joined
from lmparse.values.byte_arrays import Flags

if TYPE_CHECKING:
    from lmparse.db2.units import Units


@dataclass
class LogBeginning:
    """Where a log begins, and which transactions begin in front of it."""

    firsts: dict[int, int] = field(default_factory=dict)
    """Address of the first record of each log stream, if it states it."""
    lost: dict[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    """Where records are lost between files: addresses of the first byte and behind the last, by log stream."""
    loads: LoadStarts = field(default_factory=LoadStarts)
    """The starts of loads."""
    read_before: int = 0
    """Number of the first record that no earlier reading had; what was said of those in front is not said again."""

    @classmethod
    def of(cls, joined: Joined | None, before: Checkpoint | None) -> LogBeginning:
        """That of joined files, behind a checkpoint."""
        pieces = () if joined is None else [piece for piece in joined.pieces if piece.size]
        found = cls(read_before=sum(piece.records for piece in pieces if piece.is_known))
        if before is not None:
            found.firsts = {stream: begin for stream, (begin, _) in before.ends.items() if begin}
        if all(piece.is_gapless for piece in pieces):
            for piece in pieces:
                for stream, begin, end in piece.lost:
                    found.lost[stream] = [*found.lost.get(stream, ()), (begin, end)]
        return found

    def place(self, stream: int, address: int) -> None:
        """Take note of the first record of a log stream; later ones are no news."""
        self.firsts.setdefault(stream, address)

    def are_behind(self, found: Units) -> Flags:
        """Whether the record before the first one of each of some transactions may be in front of the log."""
        previous = self.loads.all_through(found.tid, found.previous)
        is_behind: Flags = previous != 0
        for stream, first in self.firsts.items():
            is_behind &= (found.first_stream != stream) | (previous < np.uint64(first))
        return is_behind

    def lack(self, found: Units) -> Flags:
        """Whether transactions lack records: those in front of their first ones, or any that are lost."""
        lacking = self.are_behind(found)
        if not self.lost:
            return lacking
        previous = self.loads.all_through(found.tid, found.previous)
        for stream, places in self.lost.items():
            is_lost = np.zeros(len(previous), np.bool_)
            for begin, end in places:
                is_lost |= (previous >= np.uint64(begin)) & (previous < np.uint64(end))
            lacking |= is_lost & (found.first_stream == stream)
        return lacking | found.is_broken
