"""Opening: files with the reader of their spec."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from lmparse.changes.descriptions import TableDescriptions
from lmparse.changes.log import ChangeLog
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.framing.framings import named_framing
from lmparse.logs.beside import Beside, Say, look_beside, unusable
from lmparse.logs.families import check_changes, check_fits, detection_of, family_of, read_options
from lmparse.logs.joining import checkpoint_before, checkpoint_behind, checkpoint_place, one_log
from lmparse.logs.sniff import of_another_kind, sniff
from lmparse.options import FRAMING_OPTIONS, Options, check_taken
from lmparse.records.files import RAW, OnError, RecordFile
from lmparse.records.reader import RecordReader, arguments_of
from lmparse.records.settings import FileSettings, find_file
from lmparse.spec import catalog
from lmparse.spelling import plain
from lmparse.storage.addresses import path_of
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import is_joined, names_in
from lmparse.storage.outputs import Inputs, alone_in, inputs_of, naming_output, write_text
from lmparse.storage.states import FileState, state_of
from lmparse.values import codepages
from lmparse.values.json_form import to_json

_SAMPLE = 64
"""Number of records that show whether they are of a spec."""


def open_file(
    path: str | Path, options: Options, *, settings: FileSettings | None = None, on_error: OnError = None
) -> RecordFile:
    """Open a file with the reader of its spec."""
    spec = catalog.load(options.spec)
    check_fits(options, spec)
    _check_pairs(path, options)
    family = family_of(spec)
    if family is not None:
        try:
            log: ChangeLog = family.open_log(path, options, settings=settings, on_error=on_error)
        except FramingError as error:
            raise of_another_kind(path, options, error) or error from None
        return log
    return RecordFile(path, options, find_file(path, options, settings, detection_of(spec)), on_error=on_error)


def open_named(path: str | Path, given: Mapping[str, Any], *, on_error: OnError = None) -> RecordFile:
    """Open a file of records with the options that are given; see `options_for`."""
    options, said = options_for(path, given)
    file = open_file(path, options, on_error=on_error)
    if said:
        file.notice(said)
    return file


def options_for(path: str | Path, given: Mapping[str, Any]) -> tuple[Options, str]:
    """The options to read the records of a file, and what to tell the user about their spec, if anything.

    Options that name a framing but no spec are for any records. These are records of `Options.spec` if one of the
    first of them is, else `common_raw`.
    """
    options = read_options(given)
    is_named = any(plain(name) == "spec" and value is not None for name, value in given.items())
    if is_named or not _are_raw(path, options):
        return options, ""
    said = f"no spec is named, and the first records are not of {options.spec}: they are read as {RAW}"
    return replace(options, spec=RAW), said


def _are_raw(path: str | Path, options: Options) -> bool:
    """Whether the first records that a named framing gives are not of the spec that options have by default.

    A file that is recognised is not one of any records: then the framing is wrong, which its reader reports.
    """
    is_any = options.framing in FRAMING_OPTIONS and options.record_length_field is None and not options.files
    if not is_any or options.framing == "glued":
        return False
    detection = detection_of(catalog.load(options.spec))
    if detection is None or detection.record is None:
        return False
    buffer, framing = open_buffer(path, options.bounds), named_framing(options.framing, options)
    is_record = False
    with suppress(FramingError):
        for extent in islice(framing.extents(buffer), _SAMPLE):  # one in memory at a time: each may be a large one
            is_record = True
            if detection.record(extent.read(buffer)):
                return False
    return is_record and not _is_recognised(path, options)


def _is_recognised(path: str | Path, options: Options) -> bool:
    try:
        sniff(path, options.bounds)
    except FramingError as error:
        return error.code != "LMP-F003"
    return True


def _check_pairs(path: str | Path, options: Options) -> None:
    """Raise OptionError for an option that is ignored because another one is missing.

    Files that are one log have control files beside them, for which each is looked for.
    """
    if options.control_framing != "auto" and options.control is None and not is_joined(str(path)):
        raise OptionError("controlFraming is for a control file", hint="give control too")


def open_changes(
    path: str | Path, options: Options, *, settings: FileSettings | None = None, on_error: OnError = None
) -> ChangeLog:
    """Open a file whose records are changes. Raises OptionError LMP-S003 for a spec whose records are not."""
    check_changes(options)
    log = open_file(path, options, settings=settings, on_error=on_error)
    assert isinstance(log, ChangeLog)
    return log


def open_resumed(
    paths: Sequence[str | Path],
    options: Options,
    *,
    needs_control: bool = True,
    on_error: OnError = None,
    say: Say | None = None,
) -> ChangeLog:
    """Open the files of one log, to go on behind the checkpoint that the options name, if they do.

    Raises as `one_log` and `open_described` do.
    """
    check_changes(options)
    path, options = one_log(paths, options)
    log = open_described(path, options, needs_control=needs_control, on_error=on_error, say=say)
    log.resumed = checkpoint_before(options)
    return log


def open_described(
    path: str | Path, options: Options, *, needs_control: bool = True, on_error: OnError = None, say: Say | None = None
) -> ChangeLog:
    """As `open_changes`, with the control file beside the log if the options name none.

    It is among the decisions; `say` tells the user at once, by default a notice does. Raises ControlError LMP-C007, or
    the error of a damaged one, if `needs_control`, otherwise the log is opened without it.
    """
    beside = described(path, options) if needs_control else look_beside(str(path), options)
    try:
        log = open_changes(path, beside.options, on_error=on_error)
    except DataError as error:
        without = None if needs_control else unusable(beside, error, options)
        if without is None:
            raise
        beside, log = without, open_changes(path, options, on_error=on_error)
    if beside.decision is not None:
        log.decisions.insert(0, beside.decision)
        (say or log.notice)(str(beside.decision))
    return log


def described(path: str | Path, options: Options) -> Beside:
    """The control file beside a log that has no changes without one. Raises as `open_described`."""
    beside = look_beside(str(path), options)
    if beside.fault is not None:
        open_changes(path, options)  # what is not such a log needs none: its error says what it is
        raise beside.fault
    return beside


def table_descriptions(log: ChangeLog) -> TableDescriptions:
    """The tables that describe a log. Raises OptionError for a Log Master log without its control file."""
    family = check_changes(log.options)
    if not log.has_descriptions and family.control is not None:
        raise OptionError("the tables are in the control file", hint="give control")
    found: TableDescriptions = family.describe(log)
    return found


def files_beside(path: str, options: Options) -> dict[str, str]:
    """The files that describe a log, by option. Raises ControlError LMP-C007 when a folder has no control file for it.

    Options may name a folder or a pattern for the control file: here it is the file itself.
    """
    found = options.files
    family = family_of(catalog.load(options.spec))
    if ("control" in found or is_joined(path)) and family is not None and family.control is not None:
        found["control"] = family.control.find(path, options.control, options.bounds)
    return found


def files_read(path: str, options: Options) -> Inputs:
    """All files that are read for a log or a folder: itself, those that describe it, and a spec built elsewhere."""
    return inputs_of([path, *files_beside(path, options).values(), *spec_files(options.spec)])


def states_read(path: str, options: Options) -> tuple[FileState, ...]:
    """The states of a log and of the files that describe it. Raises FramingError LMP-F001, and as `files_beside`."""
    named = [path, *files_beside(path, options).values()]
    return tuple(state_of(name) for one in named for name in names_in(one))


def spec_files(name: str) -> list[str]:
    """Patterns for the files of a spec that is named by its path; none for the specs of lmparse."""
    folder = os.path.dirname(name)
    return [f"{glob.escape(folder)}/{pattern}" for pattern in ("*.py", "*.json", "debug/*.py")] if folder else []


def save_checkpoint(file: RecordFile) -> None:
    """Write how far a log has been read into the file that its options name; see `Log.save_checkpoint`.

    Raises OptionError LMP-S022 if another run has written it since it was read: that has given the same changes, and
    may have read further.
    """
    if file.options.checkpoint is None or not isinstance(file, ChangeLog):
        raise OptionError("no checkpoint is named", hint="give checkpoint too")
    place = checkpoint_place(file.options, files_read(file.path, file.options))
    reached = checkpoint_behind(file)
    with naming_output(place.shown), alone_in(place.path.parent):
        # One that is equal to `reached` may be of another run, over the same files: its changes are given twice then.
        if checkpoint_before(file.options) != (file.saved or file.resumed):
            raise OptionError(
                f"{place.shown} was written by another run since this one has read it, and is left as it is",
                code="LMP-S022", hint="drop what this run gave, and read again behind it",
            )  # fmt: skip
        write_text(reached.to_json(), place)
        file.saved = reached


def parse(raw: bytes, spec: str, **options: Any) -> dict[str, Any]:
    """One record's bytes as a dict, as `lmparse records` prints it.

    Raises RecordError or InvalidValueError, with the field and its offset, LimitError, and OptionError.
    """
    if not isinstance(raw, bytes | bytearray | memoryview):
        raise TypeError(f"raw is the bytes of one record, and {type(raw).__name__} is given")
    named = read_options({**options, "spec": path_of("spec", spec)})
    page = codepages.lookup(named.code_page) if named.code_page else None
    found = catalog.load(named.spec)
    check_fits(named, found)
    check_taken(options, "parse", "one record")
    named.bounds.check("record_bytes", len(raw), spec=found.id)
    reader = RecordReader(found, code_page=page, arguments=arguments_of(found, named), limits=named.bounds,
                          labels=named.enums == "labels")  # fmt: skip
    record = reader.read(raw, frozenset(named.columns) or None).raise_fault()
    values: dict[str, Any] = to_json(record.values)
    return values
