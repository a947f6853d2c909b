"""Coverage of files: reads every record of samples, with the descriptor words in front of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from lmparse.changes.family import ControlFinder
from lmparse.errors import DataError, FramingError, OptionError, UnknownFormatError
from lmparse.logs.families import dissector_of
from lmparse.options import Options
from lmparse.records.files import RecordFile
from lmparse.review.coverage.cases import GIVEN, PROVENANCES, LogCase, case_of, is_only_described
from lmparse.review.coverage.coverage import Coverage
from lmparse.review.descriptor_dissection import words_of
from lmparse.review.explain.search import open_unknown
from lmparse.spec.catalog import Spec
from lmparse.storage.listing import list_files

_NO_SAMPLE = ("LMP-F002", "LMP-F003")
"""Error codes of files that are passed over in a folder: empty, or of no known format."""


@dataclass
class SampleFile:
    """What was read from one file."""

    path: str
    spec: str
    framing: str
    provenance: str
    records: int = 0
    faults: int = 0
    """Faulty records and values."""
    fault: DataError | None = None
    """The error that ended reading."""


@dataclass
class Samples:
    """What was read from a set of files."""

    coverage: Coverage = field(default_factory=Coverage)
    files: list[SampleFile] = field(default_factory=list)
    unreadable: list[DataError] = field(default_factory=list)
    """Errors of files of which nothing was read."""
    passed_over: list[str] = field(default_factory=list)
    """Files of folders that are not samples: empty, or of no known format."""
    specs: dict[str, Spec] = field(default_factory=dict)
    """The specs of the records, by id."""

    @property
    def by_provenance(self) -> list[tuple[str, int]]:
        """The number of files by where they come from."""
        counts = Counter(file.provenance for file in self.files)
        return [(one, counts[one]) for one in PROVENANCES if counts[one]]

    @property
    def faults(self) -> list[DataError]:
        """Errors of files that could not be read, or not to their end."""
        return [*self.unreadable, *(file.fault for file in self.files if file.fault is not None)]


def collect(
    paths: Iterable[str],
    given: Mapping[str, Any],
    *,
    limit: int | None = None,
    specs: str | None = None,
    provenance: str | None = None,
    named_from: bool = False,
) -> Samples:
    """Read samples: files, folders with all files in them, and patterns.

    The format of a file is found from its bytes, unless `given` (options under their Python names, which hold for
    every file) or a case beside the file states it. `limit` is the number of records to read from each file; `specs`
    is a folder that build.py made, with specs that cases may have. `provenance` is that of all files; without it a
    file has what its case states, or is `given`. With `named_from` files are named by their places below their path.
    Damaged records and files are kept among the results. Raises OptionError.
    """
    Options.parse(given)
    samples, searches = Samples(), dict[str, ControlFinder]()
    for path in paths:
        try:
            names = list_files([path], recursive=True)
        except FramingError as error:
            samples.unreadable.append(error)
            continue
        is_folder = Path(path).is_dir()
        root = Path(path) if is_folder else Path(path).parent
        for name in names:
            if is_folder and is_only_described(name):
                continue
            shown = Path(name).relative_to(root).as_posix() if named_from and Path(name).is_relative_to(root) else name
            case = case_of(name)
            try:
                file = _opened(name, given, case, specs, searches)
            except DataError as error:
                error.at(file=name)
                error.file = shown
                if is_folder and error.code in _NO_SAMPLE:
                    samples.passed_over.append(shown)
                else:
                    samples.unreadable.append(error)
                continue
            origin = provenance or (GIVEN if case is None else case.provenance)
            found = SampleFile(shown, file.spec.id, file.framing.name, origin)
            _add_file(samples, file, found, limit)
    return samples


def _opened(
    path: str, given: Mapping[str, Any], case: LogCase | None, specs: str | None, searches: dict[str, ControlFinder]
) -> RecordFile:
    """A file with the reader of its spec; what does not fit in its case is a fault of the file.

    Values of enumerations are numbers, whose lists are counted.
    """
    if case is None or case.log != Path(path) or "spec" in given:
        return open_unknown(path, {**given, "enums": "numbers"}, searches)
    try:
        return open_unknown(path, {**case.options_of_log(specs), **given, "enums": "numbers"}, searches)
    except (OptionError, UnknownFormatError) as error:
        raise case.unusable(error.message) from None


def _add_file(samples: Samples, file: RecordFile, found: SampleFile, limit: int | None) -> None:
    coverage, dissector = samples.coverage, dissector_of(file)
    samples.specs[file.spec.id] = file.spec
    faults = coverage.faults.total()
    try:
        for extent in islice(file.extents(), limit):
            for word in words_of(file.framing, file.buffer, extent):
                coverage.add(word.dissection, file=found.path, index=extent.index, offset=word.offset)
            record = dissector.dissect(extent)
            coverage.add(record, file=found.path, index=extent.index, offset=extent.offset, layouts=file.spec.layouts)
            found.records += 1
    except FramingError as error:
        error.file = found.path
        found.fault = error
    found.faults = coverage.faults.total() - faults
    samples.files.append(found)
