"""Coverage of files: reads every record of samples, with the descriptor words in front of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import filterfalse, islice
from pathlib import Path
from typing import Any

from lmparse.errors import ControlError, DataError, FramingError, OptionError, UnknownFormatError
from lmparse.limits import Limits
from lmparse.logs.families import check_fits, dissector_of, family_of, read_options
from lmparse.logs.open import open_file, options_for
from lmparse.logs.sniff import sniff
from lmparse.options import FILE_OPTIONS, Options
from lmparse.review.coverage.coverage import Coverage
from lmparse.review.coverage.provenance import DEMO_MARK, Provenance, of_words
from lmparse.review.descriptor_dissection import words_of
from lmparse.spec import catalog
from lmparse.spec.catalog import Spec
from lmparse.spec.documents import DocumentError, file_bytes, read_yaml
from lmparse.spelling import camel, plain
from lmparse.storage import addresses
from lmparse.storage.addresses import name_of_local
from lmparse.storage.listing import list_files

_LOG, _CASE = ".bin", ".yaml"
"""Endings of the files of a case: the log, and the description of how it is read."""
_BESIDE = {"control": ".ctl", "tables": ".tables"}
"""Endings of the other files of a case, by the option that names them."""
_OF_CALLER = tuple(map(plain, ("spec", "limits", *FILE_OPTIONS)))
"""Options that a case does not set as it likes, in one spelling."""
_NOTHING_KNOWN = ("LMP-F002", "LMP-F003")
"""Error codes of files that are not samples: empty, or of no known format."""


@dataclass
class FileCoverage:
    """What was read from one file."""

    path: str
    spec: str
    framing: str
    records: int = 0
    faults: int = 0
    """Faulty records and values."""
    fault: DataError | None = None
    """The error that ended reading."""
    provenance: Provenance = Provenance.GIVEN


@dataclass
class Samples:
    """What was read from a set of files."""

    coverage: Coverage = field(default_factory=Coverage)
    """Of all files together."""
    apart: defaultdict[Provenance, Coverage] = field(default_factory=lambda: defaultdict(Coverage))
    """The same by the provenance of the files."""
    files: list[FileCoverage] = field(default_factory=list)
    unreadable: list[DataError] = field(default_factory=list)
    """Errors of files of which nothing was read."""
    passed_over: list[str] = field(default_factory=list)
    """Files of folders that are not samples: empty, or of no known format."""
    specs: dict[str, Spec] = field(default_factory=dict)
    """The specs of the records, by id."""
    taken: set[str] = field(default_factory=lambda: {"limits"})
    """Options of the caller that a file was read with."""

    def add(self, more: Samples) -> None:
        """Add what was read from other files."""
        self.coverage.merge(more.coverage)
        for provenance, coverage in more.apart.items():
            self.apart[provenance].merge(coverage)
        self.files += more.files
        self.unreadable += more.unreadable
        self.passed_over += more.passed_over
        self.specs |= more.specs
        self.taken |= more.taken

    @property
    def evidence(self) -> list[tuple[Provenance, list[FileCoverage]]]:
        """The files by provenance, the strongest first; without provenances that no file has."""
        named = ((one, [file for file in self.files if file.provenance is one]) for one in Provenance)
        return [(one, files) for one, files in named if files]

    @property
    def paths(self) -> list[str]:
        """All files that were read, with those that describe them."""
        logs = [*(file.path for file in self.files), *(error.file for error in self.unreadable if error.file)]
        ends = (_CASE, *_BESIDE.values())
        beside = (str(Path(log).with_suffix(end)) for log in logs for end in ends if Path(log).name)
        return [*logs, *map(name_of_local, beside)]

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
) -> Samples:
    """Read samples: files, folders with all files in them, and patterns.

    The format of a file is detected from its bytes, unless `given` (options under their Python names) or a case beside
    the file specifies it. Options that have no meaning for a file are ignored there, see `check_used`. `limit` is the
    number of records to read from each file; `specs` is a folder that build.py made, with specs that cases may have.
    `provenance` is that of all files; without it a file has what its case states, or is `given`. Damaged records and
    files are kept among the results. Raises OptionError.
    """
    Options.parse(given)
    samples = Samples()
    for path in paths:
        try:
            names = list_files([path], recursive=True)
        except FramingError as error:
            samples.unreadable.append(error)
            continue
        is_named = names == [name_of_local(addresses.local_path(path))]
        for name in names if is_named else filterfalse(_belongs_to_case, names):
            try:
                found = provenance or stated_provenance(name)
                _add(samples, name, given, found, is_named=is_named, specs=specs, limit=limit)
            except DataError as error:
                error.at(file=name)
                if not is_named and error.code in _NOTHING_KNOWN:
                    samples.passed_over.append(name)
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


def _add(
    samples: Samples, name: str, given: Mapping[str, Any], provenance: Provenance, *,
    is_named: bool, specs: str | None, limit: int | None,
) -> None:  # fmt: skip
    """Read one file. An option of its case that does not fit is a fault of the file, not of the caller."""
    try:
        options, taken = _options(name, given, is_named, specs)
        add_file(samples, name, options, provenance, limit=limit)
        samples.taken |= taken
    except (OptionError, UnknownFormatError) as error:
        if _case(name) is None:
            raise
        raise _unusable(Path(name), error.message) from None


def add_file(
    samples: Samples, path: str, options: Options, provenance: Provenance, *, limit: int | None = None
) -> None:
    """Read one file with options that specify its format. Raises DataError when nothing of it can be read."""
    file = open_file(path, options, on_error=lambda error: None)
    samples.specs[file.spec.id] = file.spec
    here = Coverage()
    found = FileCoverage(path, file.spec.id, file.framing.name, provenance=provenance)
    dissector = dissector_of(file)
    try:
        for extent in islice(file.extents(), limit):
            for word in words_of(file.framing, file.buffer, extent):
                here.add(
                    word.dissection, file=path, record_index=extent.index, record_offset=word.offset,
                    provenance=provenance,
                )  # fmt: skip
            here.add(
                dissector.dissect(extent), file=path, record_index=extent.index, record_offset=extent.offset,
                layouts=file.spec.layouts, provenance=provenance,
            )  # fmt: skip
            found.records += 1
    except FramingError as error:
        found.fault = error
    found.faults = here.faults.total()
    samples.files.append(found)
    samples.coverage.merge(here)
    samples.apart[provenance].merge(here)


def case_options(path: str, specs: str | None = None) -> dict[str, Any] | None:
    """Options that the YAML file of a case gives for its log; None for a log that is not of a case.

    A tables file or a control file beside the log is used as well. The spec of records is named by the folder of the
    case; it is taken from the folder `specs` if that has it. Raises ControlError LMP-C012 for options that a case
    cannot give: it comes with the log, so it names no code to run, no file elsewhere, and no limits.
    """
    said = _case(path)
    if said is None:
        return None
    log, given = Path(path), {str(name): value for name, value in said["options"].items()}
    places = {option: log.with_suffix(end) for option, end in _BESIDE.items()}
    found = {option: name_of_local(str(place)) for option, place in places.items() if place.is_file()}
    name = str(given.pop("spec", log.parent.name if said["command"] == "records" else ""))
    if name:
        found["spec"] = _spec_of_case(log, name, specs)
    for option in _BESIDE:
        if option in given:
            found[option] = _beside(log, option, given.pop(option))
    refused = [name for name in given if plain(name) in _OF_CALLER]
    if refused:
        raise _unusable(log, f"it gives {refused[0]}, which only the caller gives")
    return found | given


def _case(path: str) -> dict[str, Any] | None:
    """What the YAML file beside a log says, if it is that of a case."""
    log = Path(path)
    text = log.with_suffix(_CASE)
    if addresses.is_remote(path) or log.suffix != _LOG or not text.is_file():
        return None
    try:
        said = read_yaml(file_bytes(text)).tree
    except (DocumentError, OSError):
        return None
    is_case = isinstance(said, dict) and isinstance(said.get("options"), dict) and "command" in said
    return said if is_case else None


def stated_provenance(path: str) -> Provenance:
    """What is known of the bytes of a file: the case of a log says it, also for the control file of the case, and
    what `lmparse demo` makes is synthetic."""
    if not addresses.is_remote(path) and (Path(path).absolute().parent.parent / DEMO_MARK).is_file():
        return Provenance.SYNTHETIC
    return of_words((_case(str(Path(path).with_suffix(_LOG))) or {}).get("provenance"))


def _spec_of_case(log: Path, name: str, specs: str | None) -> str:
    """The argument of `catalog.load` for the spec that a case names: of lmparse, or in the folder of the caller."""
    if not name.isidentifier():
        raise _unusable(log, f"its spec is {name[:60]!r}, which is not the id of a spec")
    is_own = specs is not None and Path(specs, f"{name}.py").is_file()
    return str(Path(specs or "", name).absolute()) if is_own else name


def _beside(log: Path, option: str, name: Any) -> str:
    """A file in the folder of a case, or that folder."""
    is_text = isinstance(name, str) and "\0" not in name
    if not is_text or (name != "." and (name == ".." or Path(name).name != name)):
        raise _unusable(log, f"its {option} is {str(name)[:60]!r}, which is not a file beside it")
    return name_of_local(str(log.parent / name))


def _unusable(log: Path, why: str) -> ControlError:
    return ControlError(f"its case cannot be used: {why}", code="LMP-C012", file=str(log))


def _belongs_to_case(path: str) -> bool:
    """Whether a file is not a log, but belongs to a case."""
    place = Path(path)
    return place.suffix in (_CASE, _BESIDE["tables"]) and _case(str(place.with_suffix(_LOG))) is not None


def _options(path: str, given: Mapping[str, Any], is_named: bool, specs: str | None) -> tuple[Options, set[str]]:
    """The options to read a file with, the given and the detected ones, and the names of the given ones among them.

    Raises DataError for other files.
    """
    options, taken = _proven(path, given, specs)
    family = family_of(catalog.load(options.spec))
    is_whole = is_named or options.control is not None or _case(path) is not None
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
            return options_for(path, given)[0], {*given}
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
