"""Coverage of files: reads every record of samples, with the descriptor words in front of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from lmparse.errors import ControlError, DataError, FramingError, OptionError, UnknownFormatError
from lmparse.limits import Limits
from lmparse.logs.families import check_fits, dissector_of, family_of, read_options
from lmparse.logs.open import open_file
from lmparse.logs.sniff import sniff
from lmparse.options import Options
from lmparse.review.coverage.cases import (
    BESIDE,
    CASE,
    Provenance,
    case_of,
    case_options,
    stated_provenance,
    unusable,
)
from lmparse.review.coverage.coverage import Coverage
from lmparse.review.descriptor_dissection import words_of
from lmparse.spec import catalog
from lmparse.spec.catalog import Spec
from lmparse.spelling import camel
from lmparse.storage import addresses
from lmparse.storage.addresses import name_of_local
from lmparse.storage.listing import list_files

_NOTHING_KNOWN = ("LMP-F002", "LMP-F003")
"""Error codes of files that are not samples: empty, or of no known format."""


@dataclass
class SampleFile:
    """What was read from one file."""

    path: str
    spec: str
    framing: str
    provenance: Provenance
    size: int
    """Bytes, decompressed."""
    records: int = 0
    faults: int = 0
    """Faulty records and values."""
    fault: DataError | None = None
    """The error that ended reading."""
    bytes: Counter[str] = field(default_factory=Counter)
    """The bytes that were read, by `coverage.BYTE_CLASSES`; all others are between records, or behind the last one."""


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
    taken: set[str] = field(default_factory=lambda: {"limits"})
    """Options of the caller that a file was read with."""

    @property
    def by_provenance(self) -> list[tuple[Provenance, int]]:
        """The number of files by where they come from."""
        counts = Counter(file.provenance for file in self.files)
        return [(one, counts[one]) for one in Provenance if counts[one]]

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
    provenance: Provenance | None = None,
    named_from: bool = False,
) -> Samples:
    """Read samples: files, folders with all files in them, and patterns.

    The format of a file is detected from its bytes, unless `given` (options under their Python names) or a case beside
    the file specifies it. Options that have no meaning for a file are ignored there, see `check_used`. `limit` is the
    number of records to read from each file; `specs` is a folder that build.py made, with specs that cases may have.
    `provenance` is that of all files; without it a file has what its case states, or is `given`. With `named_from`
    files are named by their places below their path. Damaged records and files are kept among the results. Raises
    OptionError.
    """
    Options.parse(given)
    samples = Samples()
    for path in paths:
        try:
            names = list_files([path], recursive=True)
        except FramingError as error:
            samples.unreadable.append(error)
            continue
        root = Path(path) if Path(path).is_dir() else Path(path).parent
        is_named = names == [name_of_local(addresses.local_path(path))]
        for name in names:
            if not is_named and _belongs_to_case(name):
                continue
            shown = Path(name).relative_to(root).as_posix() if named_from and Path(name).is_relative_to(root) else name
            try:
                options, taken = _file_options(name, given, is_named, specs)
                _add_file(samples, name, shown, options, provenance or stated_provenance(name), limit)
                samples.taken |= taken
            except DataError as error:
                error.at(file=name)
                error.file = shown
                if not is_named and error.code in _NOTHING_KNOWN:
                    samples.passed_over.append(shown)
                else:
                    samples.unreadable.append(error)
    return samples


def check_used(given: Mapping[str, Any], samples: Samples) -> None:
    """Raise OptionError LMP-S003 for an option that no file was read with: it would be ignored.

    Where files could not be read, it may be for one of these.
    """
    idle = [camel(name) for name in given if name not in samples.taken]
    if idle and samples.files and not samples.faults:
        found = ", ".join(sorted(samples.specs))
        raise OptionError(
            f"{idle[0]} does not apply to any of the files, which have records of {found}",
            code="LMP-S003", hint="leave it out",
        )  # fmt: skip


def _add_file(
    samples: Samples, path: str, shown: str, options: Options, provenance: Provenance, limit: int | None
) -> None:
    """Read one file with options that specify its format. Raises DataError when nothing of it can be read."""
    try:
        file = open_file(path, options, on_error=lambda error: None)
    except (OptionError, UnknownFormatError) as error:
        if case_of(path) is None:
            raise
        raise unusable(Path(path), error.message) from None
    coverage = samples.coverage
    samples.specs[file.spec.id] = file.spec
    found = SampleFile(shown, file.spec.id, file.framing.name, provenance, len(file.buffer))
    faults, counted = coverage.faults.total(), coverage.bytes.copy()
    dissector = dissector_of(file)
    try:
        for extent in islice(file.extents(), limit):
            for word in words_of(file.framing, file.buffer, extent):
                coverage.add(word.dissection, file=shown, index=extent.index, offset=word.offset)
            record = dissector.dissect(extent)
            coverage.add(record, file=shown, index=extent.index, offset=extent.offset, layouts=file.spec.layouts)
            found.records += 1
    except FramingError as error:
        error.file = shown
        found.fault = error
    found.faults = coverage.faults.total() - faults
    found.bytes = coverage.bytes - counted
    samples.files.append(found)


def _belongs_to_case(path: str) -> bool:
    """Whether a file is not a log, but belongs to a case."""
    place = Path(path)
    return place.suffix in (CASE, BESIDE["tables"]) and case_of(str(place.with_suffix(".bin"))) is not None


def _file_options(path: str, given: Mapping[str, Any], is_named: bool, specs: str | None) -> tuple[Options, set[str]]:
    """The options to read a file with, the given and the detected ones, and the names of the given ones among them.

    Raises DataError for other files; an option of its case that does not fit is a fault of the file.
    """
    try:
        options, taken = _proven(path, given, specs)
    except (OptionError, UnknownFormatError) as error:
        if case_of(path) is None:
            raise
        raise unusable(Path(path), error.message) from None
    family = family_of(catalog.load(options.spec))
    is_whole = is_named or options.control is not None or case_of(path) is not None
    if is_whole or family is None or family.control is None:
        return options, taken
    try:
        return replace(options, control=family.control.find(path, None, options.bounds)), taken
    except ControlError:
        return options, taken  # its records can be read without it


def _proven(path: str, given: Mapping[str, Any], specs: str | None) -> tuple[Options, set[str]]:
    if "spec" in given:
        return read_options(given), {*given}
    stated = case_options(path, specs)
    bounds = Limits.parse(str(given.get("limits") or ""))
    try:
        found = sniff(path, bounds).options if stated is None else {"spec": read_options(stated).spec, **stated}
    except DataError:
        if "framing" in given:  # files of an unusual framing cannot be detected
            return read_options(given), {*given}
        raise
    spec = catalog.load(read_options(found).spec)
    fitting = {name: value for name, value in given.items() if _means_something(name, value, spec)}
    return read_options({**found, **fitting}), {*fitting}


def _means_something(name: str, value: Any, spec: Spec) -> bool:
    try:
        check_fits(Options.parse({name: value}), spec)
    except OptionError:
        return False
    return True
