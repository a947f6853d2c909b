"""Partitions: a set of files cut into parts that can be read apart from each other.

A part is a span of one file between two records, with what was decided about the whole
file. Segments of one change that stand in several spans belong to the span of the one
that stands first; it brings the places of the others along.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from lmparse.errors import TableNotFoundError
from lmparse.files import Decided, RecordFile
from lmparse.framing import Frame, Span
from lmparse.logs import LogicalLog
from lmparse.opening import check_changes, open_file
from lmparse.options import Options
from lmparse.sources import find_control, is_control, list_files

DEFAULT_BYTES = 128 * 1024 * 1024
"""Bytes of a part, Spark's own default."""


@dataclass(frozen=True)
class Part:
    """A span of a file and all that is needed to read it elsewhere. Safe to pickle."""

    path: str
    options: Options
    decided: Decided
    span: Span

    def open(self, **named: Any) -> RecordFile:
        """Open the file for reading this part."""
        return open_file(self.path, self.options, decided=self.decided, **named)


@dataclass(frozen=True)
class Request:
    """Which files to read, and how."""

    paths: tuple[str, ...]
    options: Options
    with_changes: bool = False
    max_bytes: int = DEFAULT_BYTES
    name_filter: str | None = None
    recursive: bool = False

    def __post_init__(self) -> None:
        if self.with_changes:
            check_changes(self.options)

    def files(self) -> list[tuple[str, Options]]:
        """Each data file with its options, its control file found."""
        names = list_files(list(self.paths), name_filter=self.name_filter, recursive=self.recursive)
        if not self.with_changes:
            return [(name, self.options) for name in names]
        data = names if len(names) == 1 else [name for name in names if not is_control(name)]
        return [(name, replace(self.options, control=find_control(name, self.options.control))) for name in data]

    def parts(self) -> Iterator[Part]:
        """Every part of every file. Reads descriptor words, and headers where segments may be."""
        files = self.files()
        for path, options in files:
            file = open_file(path, options)
            if len(files) > 1 and isinstance(file, LogicalLog) and self.with_changes and not _has_table(file):
                continue
            spans = file.framing.spans(file.buffer, self.max_bytes) if len(file.buffer) else [Span(0, 0, 0)]
            decided = file.decided() if self.with_changes else Decided(file.framing.name)
            if self.with_changes and len(spans) > 1 and isinstance(file, LogicalLog):
                spans = _with_segments(file, spans)
            yield from (Part(path, options, decided, span) for span in spans)


def _has_table(log: LogicalLog) -> bool:
    """Whether a log among many has the table that is asked for."""
    try:
        return log.table_ids is None or bool(log.table_ids)
    except TableNotFoundError:
        return False


def _with_segments(log: LogicalLog, spans: list[Span]) -> list[Span]:
    """Give each group of segments to one span."""
    groups: dict[Any, list[Frame]] = {}
    for key, frame in log.pieces():
        groups.setdefault(key, []).append(frame)
    skip: dict[int, set[int]] = {}
    foreign: dict[int, list[Frame]] = {}
    for frames in groups.values():
        owner = _span_of(spans, frames[0])
        for frame in frames[1:]:
            place = _span_of(spans, frame)
            if place != owner:
                skip.setdefault(place, set()).add(frame.index)
                foreign.setdefault(owner, []).append(frame)
    return [
        replace(span, skip=frozenset(skip.get(number, ())), foreign=tuple(foreign.get(number, ())))
        for number, span in enumerate(spans)
    ]


def _span_of(spans: list[Span], frame: Frame) -> int:
    return next(number for number, span in enumerate(spans) if span.start <= frame.offset < span.end)
