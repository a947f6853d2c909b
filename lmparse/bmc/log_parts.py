"""Parts of a logical log: where it is cut, so that the changes of a part can be read without any other part.

A cut divides neither a run of records with one position, which the numbers in `seq` count from its start, nor the
segments of a change. So it is moved to the first record from its place on that has another position than the record
before it, which is also not before that place. What is read for this is behind the cut, whatever is in front of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from lmparse.bmc.extracts.outcomes import ExtractReading
from lmparse.bmc.position_runs import Place, PositionRuns
from lmparse.bmc.segments import Segment, share_out
from lmparse.errors import DataError, FramingError, RecordError
from lmparse.framing import scans
from lmparse.framing.extents import RecordExtent, Span
from lmparse.records.files import RecordFile

REACH = 1 << 22
"""Bytes behind the place of a cut in which a run must end; else the file is not cut there."""
_WIDEST = 8
"""Width in bytes of the widest number that a scan reads."""


@dataclass(frozen=True)
class LogParts:
    """Cuts one logical log."""

    file: RecordFile
    runs: Callable[[], PositionRuns]
    """Returns a numbering for the records of a part."""
    total_segs: Place | None
    """Offset and width of the number of segments in the header; None if it has none, so that nothing is a segment."""
    is_said_unsegmented: bool
    """Whether the control file says that no change is in several records."""
    extract: ExtractReading
    """What is known of the extract that the log is."""

    def counted(self, max_bytes: int) -> list[Span]:
        """Spans that know the number of their first record, from passes over all descriptor words and headers.

        All segments of a change belong to the span that contains the first one. Raises FileLimitError LMP-L004.
        """
        spans = self._between_runs(self.file.spans(max_bytes))
        if len(spans) < 2:
            return spans
        given = (segment for segment in self._segments() if self.extract.has(segment.extent))
        return share_out(spans, given, self.file.options.bounds)

    def cut(self, max_bytes: int) -> list[Span]:
        """Spans found from the bytes near the cuts, if the file can be cut so and has no segments, as DLDS says.

        Otherwise those of `counted`. Segments that follow one another are in one span. If any contradict DLDS, the
        span that has only some segments of a change is an error when it is read: see `LogSettings`.
        """
        if self.total_segs is None or self.is_said_unsegmented:
            spans = self.file.cut_spans(max_bytes)
            if spans[0].first_index is None:
                spans = self._between_runs(spans)
                if len(spans) == 1:
                    return [replace(spans[0], first_index=0)]
                return spans
        return self.counted(max_bytes)

    def _between_runs(self, spans: list[Span]) -> list[Span]:
        """The same spans with cuts between runs; a span whose start cannot be moved so is part of the one before."""
        starts = {spans[0].start: spans[0].first_index}
        for span in spans[1:]:
            moved = self._moved(span)
            if moved is not None:
                starts.setdefault(*moved)
        ends = [*list(starts)[1:], spans[-1].end]
        return [Span(start, end, first) for (start, first), end in zip(starts.items(), ends, strict=True)]

    def _moved(self, span: Span) -> tuple[int, int | None] | None:
        """Start and number of the first record of a span that may begin a part; None if there is none in reach."""
        file, runs, before = self.file, self.runs(), None
        try:
            for number, extent in enumerate(file.framing.extents(file.buffer, span.start, None, span.first_index or 0)):
                if extent.offset > span.start + REACH:
                    return None
                position = runs.position(extent.read(file.buffer))
                if number and extent.resume is not None and (position is None or position != before):
                    return extent.resume, None if span.first_index is None else extent.index
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
        if self.total_segs is None:
            return iter(())
        if self.total_segs[1] > _WIDEST:
            return self.file.extents()
        return scans.above(self.file.windows(), self.total_segs, 1)


def cut_through_segments(file: RecordFile, fault: RecordError, records_before: int) -> FramingError:
    """The error of a change that lacks a segment in a log that was cut because DLDS says that it has none.

    `fault` is that of the change alone, in a part with so many records before it.
    """
    return FramingError(
        "a change has segments that are not in its part, although DLDS.SEGMENTED is N; maxPartitionBytes above the "
        f"size of {len(file.buffer)} bytes reads the file in one part", code="LMP-F011", file=file.path,
        record_index=records_before + (fault.record_index or 0), record_offset=fault.record_offset,
    )  # fmt: skip
