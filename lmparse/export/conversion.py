"""Conversion: what is converted into what, and what every conversion does, whatever it writes.

What several processes read in parts gives the same rows in the same order as what one process reads at once.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lmparse.errors import DataError, LmparseError, OptionError
from lmparse.export import writers
from lmparse.export.progress import Progress
from lmparse.framing.extents import Span
from lmparse.logs.open import states_read
from lmparse.logs.partitions import DEFAULT_BYTES, FilePart
from lmparse.options import Options
from lmparse.records.files import RecordFile, Tally
from lmparse.records.settings import FileSettings
from lmparse.spec import catalog
from lmparse.storage import addresses
from lmparse.storage.joined import names_in
from lmparse.storage.states import FileState, check_all
from lmparse.version import VERSION

_LEAST_BYTES = 1 << 22
"""Bytes of a part, at least: opening a file and a process's first record cost time."""
_MOST_BYTES = DEFAULT_BYTES // 2
"""Bytes of a part, at most: at the end, processes wait for the one that reads the last part."""
_PARTS_A_JOB = 4
"""Parts for each process, so that no process waits long for the last part of another."""
OnError = Callable[[DataError], None]


@dataclass(frozen=True)
class Conversion:
    """What is to be converted, and into what. Texts are checked when it runs."""

    path: str
    out: str
    options: Options
    with_changes: bool = False
    form: str | None = None
    """Form of the files of changes; for records the ending of `out` gives it."""
    compression: str | None = None
    csv_text: str = "quoted"
    """`quoted`, or `raw` for CSV in which a spreadsheet may run text as formulas."""
    jobs: int = 1
    overwrite: bool = False
    part_bytes: int | None = None
    """Bytes of a part for each process; by default the size of the file decides."""

    def form_of_output(self) -> str:
        """The form of the files. Raises OptionError."""
        if self.with_changes:
            if self.options.order == "commit" and self.jobs > 1:
                raise OptionError("order commit needs the whole log at once", hint="leave jobs out")
            return self.form or "parquet"
        if self.form is not None:
            raise OptionError("format is for changes only; for records the ending of the output decides the form")
        return writers.form_of(Path(self.out))

    def set_options(self) -> dict[str, Any]:
        """The options that differ from their defaults; paths as base names."""
        found: dict[str, Any] = {}
        for entry in dataclasses.fields(self.options):
            value = getattr(self.options, entry.name)
            if entry.name != "spec" and value != entry.default:
                found[entry.name] = addresses.base_name(value) if entry.metadata["is_file"] else value
        return found

    def metadata(self, file: RecordFile) -> dict[str, str]:
        """The metadata in the schema of a Parquet or Arrow file."""
        return {
            "lmparse.version": VERSION,
            writers.MARK: file.spec.id,
            "lmparse.spec_sha256": file.spec.layout.sha256,
            "lmparse.source": ", ".join(addresses.in_utf8(addresses.base_name(name)) for name in names_in(self.path)),
            "lmparse.options": json.dumps(self.set_options()),
        }


@dataclass
class Summary:
    """What was read and written."""

    rows: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    tally: Tally = field(default_factory=Tally)
    """Counts and notices; the errors themselves have been reported."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of changes that `include` left out, by the state of their unit of recovery."""


@dataclass
class PartResult:
    """What reading one part produced. Safe to pickle."""

    rows: int = 0
    tally: Tally = field(default_factory=Tally)
    errors: list[DataError] = field(default_factory=list)
    fault: LmparseError | None = None
    """What ended the reading."""


class Run:
    """One conversion under way."""

    def __init__(self, asked: Conversion, form: str, compression: str, on_error: OnError, progress: Progress) -> None:
        self.asked, self.form, self.compression = asked, form, compression
        self.on_error, self.progress = on_error, progress
        self.summary = Summary()
        self.planned = states_read(asked.path, asked.options)

    def start(self, file: RecordFile) -> None:
        """Begin with a file; one that is empty is reported."""
        self.summary.bytes_read = len(file.buffer)
        self.progress.start(len(file.buffer))
        if not len(file.buffer):
            next(file.extents(), None)  # reports it

    def parts(self, cut: Callable[[int], list[tuple[FileSettings, Span]]]) -> list[FilePart]:
        """What each process is to read; nothing when there is only one process."""
        asked = self.asked
        if asked.jobs == 1:
            return []
        fair = self.summary.bytes_read // (_PARTS_A_JOB * asked.jobs)
        size = asked.part_bytes or min(max(_LEAST_BYTES, fair), _MOST_BYTES)
        return parts_of(asked.path, asked.options, self.planned, cut(size))

    def check_files(self) -> None:
        """Raise ReadError LMP-F012 if a file that was read has changed since the conversion began."""
        check_all(self.planned)

    def take_over(self, tally: Tally, errors: Iterable[DataError] = (), fault: Exception | None = None) -> None:
        """Report the errors of a part and count them. Raises what ended its reading."""
        for error in errors:
            self.on_error(error)
        add_tally(self.summary.tally, tally)
        if fault is not None:
            raise fault

    def reached(self, parts: int, of: int) -> None:
        """Show how many parts have been read."""
        self.progress.at(self.summary.bytes_read * parts // of, self.summary.rows)


def parts_of(
    path: str, options: Options, planned: tuple[FileState, ...], cut: Iterable[tuple[FileSettings, Span]]
) -> list[FilePart]:
    """The parts that a log or file has been cut into; `planned` are the states of its files before that."""
    fingerprint = catalog.load(options.spec).fingerprint
    return [FilePart(path, options, settings, span, planned, fingerprint) for settings, span in cut]


def add_tally(total: Tally, tally: Tally) -> None:
    """Add the counts and notices of a part to those of its log."""
    total.error_count += tally.error_count
    total.dropped += tally.dropped
    total.kept += tally.kept
    total.notices = _sum_of([*total.notices, *tally.notices])


def _sum_of(notices: Iterable[str]) -> list[str]:
    """The notices of all parts of a log, each once; those that begin with a number are counts of each part."""
    counts: dict[str, int] = {}
    for notice in notices:
        number, _, rest = notice.partition(" ")
        if number.isdigit():
            counts[rest] = counts.get(rest, 0) + int(number)
        else:
            counts.setdefault(notice, 0)
    return [f"{count} {text}" if count else text for text, count in counts.items()]
