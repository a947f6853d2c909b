"""Synchroniser: where a record begins near an offset, found without reading from the start of the file.

A record's bytes may look like records, so no look at a part of a file can prove a cut. A cut is a
proposal; the proof is that the range before it, read from a proven start, ends exactly there.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from lmparse.errors import DataError, FramingError
from lmparse.framing.base import Framing
from lmparse.framing.extents import Plausible, Span
from lmparse.framing.index import windows
from lmparse.framing.windows import Window
from lmparse.storage.buffers import Buffer

REACH = 1 << 16
"""Bytes before and behind an offset that are searched. Twice the longest record of format V: no limit
is stated for a record in pieces or of Db2 LUW. Where a longer record or block stands nothing is found."""
CHAIN = 16
"""Records that must follow one another from a cut on, or blocks where there are blocks."""


class RangeError(Exception):
    """A range did not end where the next one begins: a cut is wrong, or the file is damaged.

    It tells a caller to read by index from the start, which shows damage where it is. Ranges behind
    are not proven either. No error of the file, so it has no code; `__cause__` is what was met.
    """

    def __init__(self, part: Span, reached: int | None) -> None:
        super().__init__(part, reached)
        self.part = part
        self.reached = reached
        """Offset of the record that does not fit, when it is known."""

    def __str__(self) -> str:
        place = "" if self.reached is None else f": no record fits at {self.reached:#x}"
        return f"the range from {self.part.start:#x} does not end at {self.part.end:#x}{place}"


def ranges(places: Iterable[int], end: int) -> list[Span]:
    """The ranges between cuts, from the start of a file to its `end`; nobody has counted their records."""
    return [Span(start, behind, None) for start, behind in pairwise((0, *places, end)) if start < behind]


def range_windows(framing: Framing, buffer: Buffer, part: Span) -> Iterator[Window]:
    """The windows of a range, as `index.windows` gives them, numbered from 0; proven when the last one was given.

    Raises RangeError when its records do not fill it exactly. A range that is the whole file has no
    cut, so that it raises what `windows` raises.
    """
    try:
        yield from windows(framing, buffer, part.start, part.end)
    except DataError as error:
        if (part.start, part.end) == (0, len(buffer)):
            raise
        raise RangeError(part, error.record_offset) from error


def count(framing: Framing, buffer: Buffer, part: Span) -> int:
    """How many records a range holds, which is proven by that. Raises as `range_windows` does."""
    return sum(map(len, range_windows(framing, buffer, part)))


def cuts(framing: Framing, buffer: Buffer, max_bytes: int, plausible: Plausible, chain: int = CHAIN) -> list[int]:
    """Offsets about every `max_bytes` at which a file may be cut, ascending, to be proven by reading.

    Where no record is found, or not one alone, the parts are joined. Reads near the cuts only.
    """
    places: list[int] = []
    near = step = max(max_bytes, 1)
    while near < len(buffer):
        place = synchronise(framing, buffer, near, len(buffer), plausible, chain)
        if place is not None:
            places.append(place)
        near = (near if place is None else place) + step
    return places


def synchronise(
    framing: Framing, buffer: Buffer, near: int, end: int, plausible: Plausible, chain: int = CHAIN
) -> int | None:
    """The first offset from `near` on at which reading with a framing may begin, in a file that ends at `end`.

    Every place up to `REACH` bytes before `near` where a record could begin is followed from record to
    record. The true records are among these paths; those that start in a record's bytes break off or
    run into the true ones. So what all paths have in common is a record, when none before `near` is
    longer than `REACH` or refused by `plausible`. From there `chain` plausible records must follow one
    another, or as many as there are up to `end`.

    None when no path is left, when several are that do not meet, and where no place is a candidate.
    """
    if near >= end:
        return None
    steps = _Steps(framing, buffer, near, end, plausible)
    paths = {place: steps.entry(place) for place in framing.candidates(buffer, near, REACH)}
    heap = sorted(paths)
    while heap:
        # Always the hindmost path goes on, so that paths meet before they pass one another.
        place = heapq.heappop(heap)
        entry = paths.pop(place)
        if not heap and entry is not None:
            return entry if steps.is_chain(entry, chain) else None
        if place == end or place > near + 2 * REACH:
            return None
        behind = steps.behind(place)
        if behind is None:
            continue
        if behind not in paths:
            paths[behind] = steps.entry(behind) if entry is None else entry
            heapq.heappush(heap, behind)
        elif paths[behind] != entry:
            paths[behind] = steps.entry(behind)
    return None


@dataclass(frozen=True, slots=True)
class _Steps:
    """Steps from record to record, or from block to block, of a framing."""

    framing: Framing
    buffer: Buffer
    near: int
    end: int
    plausible: Plausible

    def entry(self, place: int) -> int | None:
        """The place itself, when reading may begin there."""
        is_entry = self.near <= place < self.end and self.framing.may_begin(self.buffer, place, self.end)
        return place if is_entry else None

    def is_chain(self, place: int, count: int) -> bool:
        """Whether this many steps can be made from a place, or as many as there are to the end."""
        behind: int | None = place
        while behind is not None and behind < self.end and count > 0:
            behind, count = self.behind(behind), count - 1
        return behind is not None

    def behind(self, place: int) -> int | None:
        """Where the record or block at a place ends; None when there is none."""
        try:
            return self.framing.behind(self.buffer, place, min(self.end, place + REACH), self.plausible)
        except FramingError:
            return None
