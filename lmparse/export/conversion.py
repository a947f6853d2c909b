"""Conversion: input and output of a conversion, and the steps that all conversions share.

Several processes that read parts give the same rows, in the same order, as one process that reads everything.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from lmparse.errors import DataError, LmparseError, OptionError
from lmparse.export import writers
from lmparse.framing.extents import Span
from lmparse.logs.open import states_read
from lmparse.logs.partitions import DEFAULT_BYTES, FilePart
from lmparse.options import Options
from lmparse.records.files import RecordFile, Tally
from lmparse.records.settings import FileSettings
from lmparse.spec import catalog
from lmparse.storage import addresses, processes, progress
from lmparse.storage.joined import names_in
from lmparse.storage.states import check_all
from lmparse.version import VERSION

_LEAST_BYTES = 1 << 22
"""Fewest bytes of a part, because opening a file, and the first record of a process, take time."""
_MOST_BYTES = DEFAULT_BYTES // 2
"""Most bytes of a part, because at the end processes wait for the reader of the last part."""
_PARTS_A_JOB = 4
"""Parts for each process, so that no process waits long for the last part of another process."""
OnError = Callable[[DataError], None]


@dataclass(frozen=True)
class Conversion:
    """Input, output and options of a conversion. Texts are checked when the conversion runs."""

    path: str
    out: str
    options: Options
    with_changes: bool = False
    form: str | None = None
    """Form of the files of changes; for records, the ending of `out` decides."""
    compression: str | None = None
    csv_text: str = "quoted"
    """`quoted`, or `raw`: a spreadsheet may then run text as formulas."""
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
    """Counts of what was read and written."""

    rows: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    tally: Tally = field(default_factory=Tally)
    """Counts and notices; the errors themselves are reported elsewhere."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of changes that `include` left out, by the state of their unit of recovery."""


@dataclass
class PartResult:
    """The result of reading one part. Safe to pickle."""

    rows: int = 0
    tally: Tally = field(default_factory=Tally)
    errors: list[DataError] = field(default_factory=list)
    fault: LmparseError | None = None
    """The error that ended the reading."""


Task = TypeVar("Task")
Result = TypeVar("Result", bound=PartResult)


class Run:
    """Reads a log or file for an output; counts and reports."""

    def __init__(self, path: str, options: Options, on_error: OnError) -> None:
        self.path, self.options = path, options
        self.on_error = on_error
        self.summary = Summary()
        self._planned = states_read(path, options)

    def start(self, file: RecordFile) -> None:
        """Begin with a file; an empty file is reported."""
        self.summary.bytes_read = len(file.buffer)
        if not len(file.buffer):
            next(file.extents(), None)  # adds the notice of an empty file

    def parts(self, cut: Iterable[tuple[FileSettings, Span]]) -> list[FilePart]:
        """The parts of the log or file, from their settings and spans."""
        fingerprint = catalog.load(self.options.spec).fingerprint
        return [FilePart(self.path, self.options, settings, span, self._planned, fingerprint) for settings, span in cut]

    def parts_for(self, asked: Conversion, cut: Callable[[int], list[tuple[FileSettings, Span]]]) -> list[FilePart]:
        """The parts for several processes to read; empty if this process reads everything."""
        if asked.jobs == 1:
            return []
        fair = self.summary.bytes_read // (_PARTS_A_JOB * asked.jobs)
        found = self.parts(cut(asked.part_bytes or min(max(_LEAST_BYTES, fair), _MOST_BYTES)))
        return found if len(found) > 1 else []

    def check_files(self) -> None:
        """Raise ReadError LMP-F012 if a file has changed since reading began."""
        check_all(self._planned)

    def count(self, tally: Tally) -> None:
        """Add the counts and notices of a part to those of its log."""
        total = self.summary.tally
        total.add(tally)
        total.noticed = dict.fromkeys(_sum_of([*total.noticed, *tally.noticed]))

    def results(
        self, run: processes.Run, function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Result]:
        """Yield the results of other processes for each part, after reporting and counting their errors.

        Raises the error that ended the reading of a part.
        """
        for number, done in enumerate(run(function, tasks)):
            for error in done.errors:
                self.on_error(error)
            self.summary.rows += done.rows
            self.count(done.tally)
            if done.fault is not None:
                raise done.fault
            yield done
            progress.reached(self.summary.bytes_read * (number + 1) // len(tasks), self.summary.bytes_read)


def _sum_of(notices: Iterable[str]) -> list[str]:
    """The notices of all parts, each once; leading numbers are counts of each part and are summed."""
    counts: dict[str, int] = {}
    for notice in notices:
        number, _, rest = notice.partition(" ")
        if number.isdigit():
            counts[rest] = counts.get(rest, 0) + int(number)
        else:
            counts.setdefault(notice, 0)
    return [f"{count} {text}" if count else text for text, count in counts.items()]
