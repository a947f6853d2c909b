"""Parts of a logical log: where it is cut, so that the changes of a part can be read without any other part.

A cut divides neither a run of records with one position, which the numbers in `seq` count from its start, nor the
segments of a change. So it is moved to the first record from its place on that has another position than the record
before it, which is also not before that place. What is read for this is behind the cut, whatever is in front of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from lmparse.bmc.extracts.outcomes import ExtractReading
from lmparse.bmc.position_runs import Place, PositionRuns, number_in
from lmparse.bmc.segments import Segment, share_out
from lmparse.errors import DataError, FramingError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.index import above
from lmparse.records.files import RecordFile

REACH = 1 << 22
"""Bytes behind the place of a cut in which a run must end; else the file is not cut there."""


@dataclass(frozen=True)
class LogParts:
    """Cuts one logical log."""

    file: RecordFile
    runs: Callable[[], PositionRuns]
    """Returns a numbering for the records of a part."""
    total_segs: Place | None
    """Offset and width of the number of segments in the header; None if it has none, so that nothing is a segment."""
    extract: ExtractReading
    """What is known of the extract that the log is."""

    def cut(self, max_bytes: int) -> list[Span]:
        """Spans of about `max_bytes`, from passes over all descriptor words and headers.

        All segments of a change belong to the span that contains the first one. Raises FileLimitError LMP-L004.
        """
        spans = self._between_runs(self.file.spans(max_bytes))
        if len(spans) < 2:
            return spans
        given = (segment for segment in self._segments() if self.extract.has(segment.extent))
        return share_out(spans, given, self.file.options.bounds)

    def _between_runs(self, spans: list[Span]) -> list[Span]:
        """The same spans with cuts between runs; a span whose start cannot be moved so is part of the one before."""
        starts = {spans[0].start: spans[0].first_index}
        for span in spans[1:]:
            moved = self._moved(span)
            if moved is not None:
                starts.setdefault(*moved)
        ends = [*list(starts)[1:], spans[-1].end]
        return [Span(start, end, first) for (start, first), end in zip(starts.items(), ends, strict=True)]

    def _moved(self, span: Span) -> tuple[int, int] | None:
        """Start and number of the first record of a span that may begin a part; None if there is none in reach."""
        file, runs, before = self.file, self.runs(), None
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

    def _segments(self) -> Iterator[Segment]:
        """Every record that is a segment, from one pass over the headers."""
        with suppress(FramingError):  # reported where it is read, as is what is no record
            for extent in self._segment_extents():
                try:
                    segment = Segment(extent, self.file.read_bytes(extent.read(self.file.buffer)))
                except DataError:
                    continue
                if segment.is_partial:
                    yield segment

    def _segment_extents(self) -> Iterator[RecordExtent]:
        """Extents of every record that may be a segment."""
        return iter(()) if self.total_segs is None else above(self.file.windows(), number_in(self.total_segs), 1)
