"""Run: what every conversion does, by one process or by several, whatever it writes.

What is read in parts, by several processes, comes out as if it was read at once: the same rows in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from lmparse.errors import DataError, LmparseError
from lmparse.export.conversion import Conversion, Summary
from lmparse.export.progress import Progress
from lmparse.framing.extents import Span
from lmparse.framing.sync import RangeError
from lmparse.logs.open import open_file
from lmparse.logs.partitions import DEFAULT_BYTES, FilePart
from lmparse.records.files import RecordFile, Tally
from lmparse.records.settings import FileSettings

_LEAST_BYTES = 1 << 22
"""Bytes of a part, at least: opening a file and a process's first record cost time."""
_PARTS_A_JOB = 4
"""Parts for each process, so that the last ones do not have to wait for one."""
OnError = Callable[[DataError], None]


@dataclass
class PartResult:
    """What one part gave. Safe to pickle."""

    rows: int
    tally: Tally
    errors: list[DataError]
    fault: LmparseError | RangeError | None
    """What ended the reading."""


class Run:
    """One conversion under way."""

    def __init__(self, asked: Conversion, form: str, compression: str, on_error: OnError, progress: Progress) -> None:
        self.asked, self.form, self.compression = asked, form, compression
        self.on_error, self.progress = on_error, progress
        self.summary = Summary()

    def start(self, file: RecordFile) -> None:
        self.summary.bytes_read = len(file.buffer)
        self.progress.start(len(file.buffer))
        if not len(file.buffer):
            next(file.extents(), None)  # which says so

    def parts(self, cut: Callable[[int], list[tuple[FileSettings, Span]]]) -> list[FilePart]:
        """What each process is to read; nothing when there is only one process."""
        asked = self.asked
        if asked.jobs == 1:
            return []
        fair = self.summary.bytes_read // (_PARTS_A_JOB * asked.jobs)
        size = asked.part_bytes or min(max(_LEAST_BYTES, fair), DEFAULT_BYTES)
        return [FilePart(asked.path, asked.options, settings, span) for settings, span in cut(size)]

    def take_over(self, tally: Tally, errors: list[DataError], fault: LmparseError | RangeError | None = None) -> None:
        """Tell of the errors of a part, and count them. Raises what ended its reading."""
        for error in errors:
            self.on_error(error)
        total = self.summary.tally
        total.error_count += tally.error_count
        total.dropped += tally.dropped
        total.notices = sum_of([*total.notices, *tally.notices])
        if fault is not None:
            raise fault

    def reached(self, parts: int, of: int) -> None:
        self.progress.at(self.summary.bytes_read * parts // of, self.summary.rows)


def opened_again(file: RecordFile, settings: FileSettings | None, engine: str) -> RecordFile:
    """The same file once more, for another engine; what is bad in it the first one reports."""
    return open_file(file.path, replace(file.options, engine=engine), settings=settings, on_error=lambda error: None)


def sum_of(notices: Iterable[str]) -> list[str]:
    """What parts of a log have to say, once; those that begin with a number are counts of each part."""
    counts: dict[str, int] = {}
    for notice in notices:
        number, _, rest = notice.partition(" ")
        if number.isdigit():
            counts[rest] = counts.get(rest, 0) + int(number)
        else:
            counts.setdefault(notice, 0)
    return [f"{count} {text}" if count else text for text, count in counts.items()]
