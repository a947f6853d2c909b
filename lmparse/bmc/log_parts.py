"""Parts of a logical log: where it is cut, so that the changes of a part can be read without any other part.

A cut divides neither a run of records with one position, which the numbers in `seq` count from its start, nor the
segments of a change. So it is moved to the first record from its place on that has another position than the record
before it, which is also not before that place; one between the segments of a change is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lmparse.bmc.position_runs import PositionRuns
from lmparse.bmc.segments import SegmentIndex
from lmparse.errors import DataError
from lmparse.framing.extents import Span
from lmparse.records.files import RecordFile

REACH = 1 << 22
"""Bytes behind the place of a cut in which a run must end; else the file is not cut there."""


def cut(file: RecordFile, runs: Callable[[], PositionRuns], segments: SegmentIndex, max_bytes: int) -> list[Span]:
    """Spans of about `max_bytes` of a log, from passes over all descriptor words and headers.

    One is longer where the segments of a change are apart. `runs` returns a numbering for the records of a part,
    `segments` are those of the whole log. Raises FileLimitError LMP-L004.
    """
    spans = _between_runs(file, runs, file.spans(max_bytes))
    if len(spans) < 2:
        return spans
    starts = np.array([span.start for span in spans])
    divides = np.zeros(len(spans) + 1, np.int64)
    for change in segments.changes:
        low, high = np.searchsorted(starts, (change.begin, change.end), side="right")
        divides[low] += 1
        divides[high] -= 1
    kept = [span for span, count in zip(spans, np.cumsum(divides).tolist(), strict=False) if not count]
    ends = [*(span.start for span in kept[1:]), spans[-1].end]
    return [replace(span, end=end) for span, end in zip(kept, ends, strict=True)]


def _between_runs(file: RecordFile, runs: Callable[[], PositionRuns], spans: list[Span]) -> list[Span]:
    """The same spans with cuts between runs; a span whose start cannot be moved so is part of the one before."""
    starts = {spans[0].start: spans[0].first_index}
    for span in spans[1:]:
        moved = _moved(file, runs(), span)
        if moved is not None:
            starts.setdefault(*moved)
    ends = [*list(starts)[1:], spans[-1].end]
    return [Span(start, end, first) for (start, first), end in zip(starts.items(), ends, strict=True)]


def _moved(file: RecordFile, runs: PositionRuns, span: Span) -> tuple[int, int] | None:
    """Start and number of the first record of a span that may begin a part; None if there is none in reach."""
    before = None
    try:
        for number, extent in enumerate(file.framing.extents(file.buffer, span.start, None, span.first_index)):
            if extent.offset > span.start + REACH:
                return None
            position = runs.position(extent.read(file.buffer))
            if number and extent.resume is not None and (position is None or position != before):
                return extent.resume, extent.index
            before = position
    except DataError:
        pass  # reported where it is read
    return None
