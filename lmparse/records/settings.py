"""File settings: facts about a file that are decided, with proof, before the first record is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from lmparse.errors import DataError, FramingError, OptionError
from lmparse.framing.base import Framing
from lmparse.framing.detection import Detection, Trial, detect
from lmparse.framing.framings import framing_of, named_framing
from lmparse.options import Options
from lmparse.records.dissection import Dissector
from lmparse.records.list_rows import find_list
from lmparse.records.reader import RecordReader, default_page
from lmparse.records.record_ends import cutter_by_parser, record_end
from lmparse.spec import catalog
from lmparse.spec.catalog import PARENT, Spec
from lmparse.spelling import camel
from lmparse.storage.buffers import Buffer, open_buffer
from lmparse.values import codepages
from lmparse.values.codepages import CodePage

_LEAST = 8
"""Fewest records that prove the framing of a damaged file if only a parser, which may accept anything, tests them."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A fact about a file, by an option or else by the bytes of the file."""

    name: str
    value: str
    evidence: str

    def __str__(self) -> str:
        return f"{self.name}: {self.value} ({self.evidence})"


class FamilySettings:
    """Facts about a log that only its family knows. Subclasses are small and safe to pickle."""

    __slots__ = ()

    @property
    def path(self) -> str | None:
        """The file of the part's offsets if the log has several files; None if offsets are in the log itself."""
        return None


@dataclass(frozen=True, slots=True)
class FileSettings:
    """The facts that make all parts of a file read alike. Safe to pickle."""

    framing: str
    byte_order: str | None
    code_page: CodePage
    own: FamilySettings | None = None


@dataclass(frozen=True)
class FoundFile:
    """A file and everything needed to read its records."""

    buffer: Buffer
    detection: Detection
    framing: Framing
    reader: RecordReader
    decisions: tuple[Decision, ...]
    own: FamilySettings | None = None

    @property
    def settings(self) -> FileSettings:
        """The facts that readers of parts of the file need."""
        framing = self.framing
        return FileSettings(framing.name, framing.byte_order, self.reader.code_page, self.own)


def find_file(
    path: str | Path,
    options: Options,
    known: FileSettings | None = None,
    detection: Detection | None = None,
    *,
    page: CodePage | None = None,
    may_be_empty: bool = False,
) -> FoundFile:
    """Decide how to read the records of a file; for a part of a file, `known` has the facts about the whole file.

    `page` is the code page that another source than the file names. Without a detection, a framing fits if most records
    parse. `may_be_empty` accepts an empty file whose kind is known otherwise. Raises FramingError and OptionError.
    """
    spec = catalog.load(options.spec)
    buffer = open_buffer(path, options.bounds)
    reader = reader_of(spec, options, page_of(spec, options, known, page))
    detection = detection or _parsing(reader)
    if options.rows is not None:
        return _of_rows(str(path), buffer, reader, options)
    if options.framing == "parsed":
        detection = replace(detection, cutter=cutter_by_parser(reader, options.bounds))
    if known is not None:
        framing = named_framing(known.framing, options, detection.cutter, known.byte_order)
        return FoundFile(buffer, detection, framing, reader, ())
    if options.framing != "auto":
        framing = named_framing(options.framing, options, detection.cutter)
        decision = Decision("framing", options.framing, "option")
    elif not len(buffer) and may_be_empty:
        framing, decision = framing_of("rdw"), Decision("framing", "rdw", "the file is empty")
    else:
        try:
            trial = detect(buffer, detection, options.bounds, options)
        except FramingError as error:
            error.at(file=str(path))
            raise
        framing, decision = trial.framing, proof(trial)
    decisions = (decision, *framing_options(options))
    named = None if options.code_page or page or not len(buffer) else _named_page(buffer, framing, detection.page)
    if named is None:
        return FoundFile(buffer, detection, framing, reader, decisions)
    page_decision = Decision("code page", named.name, "the first record names it")
    return FoundFile(buffer, detection, framing, reader_of(spec, options, named), (*decisions, page_decision))


def _of_rows(path: str, buffer: Buffer, root: RecordReader, options: Options) -> FoundFile:
    """A file with one record, whose list items are the records."""
    name, rows = options.framing, options.rows or ""
    if name not in ("auto", "whole"):
        raise OptionError(f"rows is for a file that is one record, and framing is {name}", hint="leave framing out")
    named_framing("whole", options)  # raises for framing options that `whole` does not use
    item = catalog.load(options.spec, rows)

    page, skipped = page_of(item, options), (options.file_start_offset, options.file_end_offset)
    read = partial(reader_of, item, options, page)
    try:
        found = find_list(buffer, root, item, rows, skipped, read, with_parent=PARENT in options.columns)
    except DataError as error:
        error.at(file=path)
        raise
    framing = Decision("framing", "whole", "option" if name == "whole" else "rows are asked for")
    decisions = framing, Decision("rows", rows, found.evidence), *framing_options(options)
    return FoundFile(buffer, _parsing(found.reader), found.framing, found.reader, decisions)


def page_of(
    spec: Spec, options: Options, known: FileSettings | None = None, otherwise: CodePage | None = None
) -> CodePage:
    """The code page of a file: of `known`, else of the options, else `otherwise`, else the default of the spec."""
    if known is not None:
        return known.code_page
    return codepages.lookup(options.code_page) if options.code_page else otherwise or default_page(spec)


def reader_of(
    spec: Spec, options: Options, page: CodePage, arguments: tuple[Any, ...] | None = None, around: tuple[Any, ...] = ()
) -> RecordReader:
    """The reader of records for some options; `arguments` replace the arguments that the options name."""
    arguments = arguments_of(spec, options) if arguments is None else arguments
    return RecordReader(spec, code_page=page, arguments=arguments, limits=options.bounds, around=around,
                        labels=options.enums == "labels")  # fmt: skip


def arguments_of(spec: Spec, options: Options) -> tuple[Any, ...]:
    """The values of a spec's parameters (`generation`, `byte_order`) by the options; empty if an option is missing."""
    found = []
    for name in spec.layout.params:
        word = str(getattr(options, name, "")).replace(".", "_")
        value = next((code.value for code in spec.layout.param_codes.get(name, ()) if code.id == word), None)
        if value is None:
            return ()
        found.append(value)
    return tuple(found)


def proof(trial: Trial) -> Decision:
    """The decision for the framing of a trial, with its evidence."""
    count = len(trial.extents)
    if trial.framing.name == "whole":
        return Decision("framing", "whole", "no other framing fits, and the spec reads the file to its end")
    evidence = f"the first {count} records tile the file" if trial.is_proven else ""
    return Decision("framing", trial.framing.name, evidence or f"the file begins with {count} sound records")


def framing_options(options: Options) -> Iterator[Decision]:
    """Yield a decision for each framing option that the user gives."""
    for name, value in options.of_framing.items():
        yield Decision(camel(name), str(value).lower() if isinstance(value, bool) else str(value), "option")
    for name, place in (("file_start_offset", "start"), ("file_end_offset", "end")):
        if size := getattr(options, name):
            yield Decision(camel(name), str(size), f"option: bytes at the {place} of the file that are not records")


def framing_for(buffer: Buffer, options: Options, detection: Detection | None) -> tuple[Detection, Trial]:
    """Find the framing of a file with records of a spec, as `auto` does; the framing `parsed` is tried last.

    `detection` is that of the spec, or None. Raises as `detect`.
    """
    spec, last = catalog.load(options.spec), None
    if detection is None:
        reader = reader_of(spec, options, page_of(spec, options))
        detection = _parsing(reader)
        last = named_framing("parsed", options, cutter_by_parser(reader, options.bounds))
    return detection, detect(buffer, detection, options.bounds, options, last=last)


def _named_page(buffer: Buffer, framing: Framing, page: Callable[[bytes], CodePage] | None) -> CodePage | None:
    """The code page that the first record names, or None. A bad first record is reported by the reader."""
    if page is not None:
        with suppress(DataError):
            for extent in framing.extents(buffer):
                return page(extent.read(buffer))
    return None


def _parsing(reader: RecordReader) -> Detection:
    """The detection of records of a spec without own tests: most records parse."""

    def test(records: list[bytes], framing: Framing) -> str | None:
        good = sum(map(reader.accepts, records))
        return None if 2 * good > len(records) else f"{good} of {len(records)} records are {reader.spec.id}"

    def not_whole(raw: bytes) -> str | None:
        try:
            end = record_end(reader, raw)
        except DataError as error:
            return str(error.at(record_index=0, record_offset=0))
        if end < len(raw) and reader.spec.with_instances:
            end = max((node.end for node in Dissector(reader).dissect(raw).leaves()), default=end)
        return None if end == len(raw) else f"{reader.spec.id} ends at {end:#x}"

    is_of_user = Path(reader.spec.name).name != reader.spec.name
    name = f"{reader.spec.id} records"
    return Detection(name, test, least=_LEAST, not_whole=not_whole if is_of_user else None)
