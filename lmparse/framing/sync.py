"""Synchroniser: finds the start of a record near an offset without reading from the start of the file.

The bytes of a record may look like records, so a part of a file cannot prove a cut. A cut is a proposal; it is
proven when the range before it, read from a proven start, ends exactly there.
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
"""Bytes before and behind an offset that are searched: twice the longest record of format V. No manual states a limit
for a spanned record or one of Db2 LUW. Nothing is found near a longer record or block."""
CHAIN = 16
"""Number of records, or of blocks if there are blocks, that must follow one another from a cut on."""


class RangeError(Exception):
    """A range did not end where the next one begins: a cut is wrong, or the file is damaged.

    The caller then reads from the start of the file, which reports damage at its place. Ranges behind this one are not
    proven either. It is not an error of the file, so it has no code; `__cause__` is the error that reading raised.
    """

    def __init__(self, part: Span, reached: int | None) -> None:
        super().__init__(part, reached)
        self.part = part
        self.reached = reached
        """Offset of the record that does not fit, if known."""

    def __str__(self) -> str:
        place = "" if self.reached is None else f": no record fits at {self.reached:#x}"
        return f"the range from {self.part.start:#x} does not end at {self.part.end:#x}{place}"


def ranges(places: Iterable[int], end: int) -> list[Span]:
    """The ranges between cuts, from the start of a file to its `end`; their records are not counted."""
    return [Span(start, behind, None) for start, behind in pairwise((0, *places, end)) if start < behind]


def range_windows(framing: Framing, buffer: Buffer, part: Span) -> Iterator[Window]:
    """The windows of a range, as those of `index.windows`, numbered from 0; after the last one the range is proven.

    Raises RangeError if its records do not fill it exactly. A range that is the whole file has no cut, so its errors
    are those of `windows`.
    """
    try:
        yield from windows(framing, buffer, part.start, part.end)
    except DataError as error:
        if (part.start, part.end) == (0, len(buffer)):
            raise
        raise RangeError(part, error.record_offset) from error


def count(framing: Framing, buffer: Buffer, part: Span) -> int:
    """The number of records in a range, which is thereby proven. Raises as `range_windows` does."""
    return sum(map(len, range_windows(framing, buffer, part)))


def cuts(framing: Framing, buffer: Buffer, max_bytes: int, plausible: Plausible, chain: int = CHAIN) -> list[int]:
    """Ascending offsets about every `max_bytes` at which a file may be cut, to be proven by reading.

    If no record is found near an offset, or several are possible, there is no cut. Reads only near the cuts.
    """
    places: list[int] = []
    step = max(max_bytes, 1)
    start, end = framing.range_of(buffer)
    near = start + step
    while near < end:
        place = synchronise(framing, buffer, near, end, plausible, chain)
        if place is not None:
            places.append(place)
        near = (near if place is None else place) + step
    return places


def synchronise(
    framing: Framing, buffer: Buffer, near: int, end: int, plausible: Plausible, chain: int = CHAIN
) -> int | None:
    """The first offset from `near` on at which reading with a framing may begin, in a file that ends at `end`.

    From every place up to `REACH` bytes before `near` at which a record could begin, a path is followed from record to
    record. The true records are one of these paths; paths that start inside a record break off or run into the true
    one. So the place where all paths meet is the start of a record, if no record before `near` is longer than `REACH`
    or refused by `plausible`. From there `chain` plausible records must follow one another, or as many as there are up
    to `end`.

    None if no path is left, if several paths do not meet, or if there is no candidate.
    """
    if near >= end:
        return None
    steps = _Steps(framing, buffer, near, end, plausible)
    paths = {place: steps.entry(place) for place in framing.candidates(buffer, near, REACH)}
    heap = sorted(paths)
    while heap:
        # The path that is furthest behind goes on, so that paths meet before they pass one another.
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
        """The place itself if reading may begin there, else None."""
        is_entry = self.near <= place < self.end and self.framing.may_begin(self.buffer, place, self.end)
        return place if is_entry else None

    def is_chain(self, place: int, count: int) -> bool:
        """Whether `count` steps can be made from a place, or as many as there are up to the end."""
        behind: int | None = place
        while behind is not None and behind < self.end and count > 0:
            behind, count = self.behind(behind), count - 1
        return behind is not None

    def behind(self, place: int) -> int | None:
        """The end of the record or block at a place; None if there is none."""
        try:
            return self.framing.behind(self.buffer, place, min(self.end, place + REACH), self.plausible)
        except FramingError:
            return None
