"""Opening: files with the reader of their spec, and the control file beside a log, if no option names one.

Every file that is taken without an option is reported.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from lmparse.changes.descriptions import TableDescriptions
from lmparse.changes.family import ControlFinder
from lmparse.changes.log import ChangeLog
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.logs.families import check_changes, check_fits, detection_of, family_of, read_options
from lmparse.logs.joining import checkpoint_before, checkpoint_behind, checkpoint_place, one_log
from lmparse.logs.sniff import of_another_kind
from lmparse.options import Options, check_taken
from lmparse.records.files import OnError, RecordFile, ignored
from lmparse.records.settings import Decision, FileSettings, find_file, page_of, reader_of
from lmparse.spec import catalog
from lmparse.storage.addresses import path_of
from lmparse.storage.joined import joined_of, names_in
from lmparse.storage.outputs import Inputs, alone_in, inputs_of, naming_output, write_text
from lmparse.storage.states import FileState, state_of
from lmparse.values.json_form import to_json

CONTROL_FILE = "control file"
"""Name of the decision."""


@dataclass(frozen=True)
class Beside:
    """The result of looking for a control file beside a log."""

    options: Options
    """With the path of the control file, if one was found; also where the options name a folder or a pattern."""
    decision: Decision | None = None
    """The file taken, or why no existing file was taken; None if there is no file, or no search."""
    fault: DataError | None = None
    """Why there is no control file, for readers that need one."""

    @property
    def found(self) -> dict[str, str]:
        """The option that names the file taken; empty if no file was taken."""
        control = self.options.control
        return {"control": control} if control is not None and self.decision is not None else {}


def look_beside(path: str, options: Options, searches: dict[str, ControlFinder] | None = None) -> Beside:
    """Find the control file of a log: in its folder, unless the options name a place or the log needs none.

    `searches`, by family name, serves many logs: each folder is listed once. For joined files, the result is the
    address of their control files. Raises ControlError LMP-C007 if there is none where the options say.
    """
    family = family_of(catalog.load(options.spec))
    if family is None or family.control is None:
        return Beside(options)
    joined, search = joined_of(path), family.control.search(options.bounds)
    if searches is not None:
        search = searches.setdefault(family.name, search)
    if options.control is not None:
        return Beside(replace(options, control=search.find(path, options.control)))
    try:
        if joined is None:
            found = search.beside(path)
            taken, decision = found.path, Decision(CONTROL_FILE, found.path, found.evidence)
        else:
            taken = search.find(path, None)
            each = joined_of(taken)
            assert each is not None
            evidence = "beside each file: it names the file, or has the same stem"
            decision = Decision(CONTROL_FILE, each.shown, evidence)
    except DataError as error:
        is_none = error.found in (None, "none")
        why = None if is_none else Decision(CONTROL_FILE, "none", f"{error.message}: {error.found}")
        return Beside(options, why, error)
    return Beside(replace(options, control=taken), decision)


AnyFile = TypeVar("AnyFile", bound=RecordFile)


def open_file(
    path: str | Path, options: Options, *, settings: FileSettings | None = None, on_error: OnError = None
) -> RecordFile:
    """Open a file with the reader of its spec. Raises OptionError, FramingError."""
    spec = catalog.load(options.spec)
    check_fits(options, spec)
    family = family_of(spec)
    if family is not None:
        try:
            log: ChangeLog = family.open_log(path, options, settings=settings, on_error=on_error)
        except FramingError as error:
            raise of_another_kind(path, options, error) from None
        return log
    return RecordFile(path, options, find_file(path, options, settings, detection_of(spec)), on_error=on_error)


def open_changes(
    path: str | Path, options: Options, *, settings: FileSettings | None = None, on_error: OnError = None
) -> ChangeLog:
    """Open a file whose records are changes. Raises OptionError LMP-S003 for other specs."""
    check_changes(options)
    log = open_file(path, options, settings=settings, on_error=on_error)
    assert isinstance(log, ChangeLog)
    return log


def opened_again(file: AnyFile, settings: FileSettings | None = None) -> AnyFile:
    """The same file, or part with these settings, for the engine `kaitai`; only the first file reports errors."""
    options = replace(file.options, engine="kaitai")
    other = open_file(file.path, options, settings=settings, on_error=ignored)
    other.refuses_unread = file.refuses_unread
    if isinstance(file, ChangeLog) and isinstance(other, ChangeLog):
        other.is_part, other.resumed = file.is_part, file.resumed
    return cast(AnyFile, other)


def open_resumed(
    paths: Sequence[str | Path], options: Options, *, needs_control: bool = True, on_error: OnError = None
) -> ChangeLog:
    """Open the files of one log; reading continues behind the checkpoint of the options, if there is one.

    Without an option, the control file beside the log is taken, and named in decisions and notices. Raises as `one_log`
    and `open_file`, and ControlError LMP-C007 if the log `needs_control` and no control file is found.
    """
    check_changes(options)
    path, options = one_log(paths, options)
    beside = look_beside(path, options)
    log = open_beside(path, beside, needs_control=needs_control, on_error=on_error)
    assert isinstance(log, ChangeLog)
    return log


def open_beside(path: str, beside: Beside, *, needs_control: bool = True, on_error: OnError = None) -> RecordFile:
    """Open a file with the control file beside it; see `open_resumed`."""
    check_fits(beside.options, catalog.load(beside.options.spec))
    if needs_control:
        check_control(path, beside)
    planned = states_read(path, beside.options)
    file = open_file(path, beside.options, on_error=on_error)
    if beside.decision is not None:
        file.decisions.insert(0, beside.decision)
        file.notice(str(beside.decision))
    if isinstance(file, ChangeLog):
        file.resumed, file.planned = checkpoint_before(beside.options), planned
    return file


def check_control(path: str, beside: Beside) -> None:
    """Raise ControlError LMP-C007 for a log that lacks the control file that its changes need."""
    if beside.fault is not None:
        open_file(path, beside.options)  # raises the file's own error if the file is no log that needs a control file
        raise beside.fault


def table_descriptions(log: ChangeLog) -> TableDescriptions:
    """The tables that describe a log. Raises OptionError for a Log Master log without its control file."""
    family = check_changes(log.options)
    if not log.has_descriptions and family.control is not None:
        raise OptionError("the tables are in the control file", hint="give control")
    found: TableDescriptions = family.describe(log)
    return found


def files_read(path: str, options: Options) -> Inputs:
    """All files that are read for a log or folder: itself, files that describe it, and a spec from elsewhere."""
    return inputs_of([path, *options.files.values(), *spec_files(options.spec)])


def states_read(path: str, options: Options) -> tuple[FileState, ...]:
    """The states of a log and of the files that describe it. Raises FramingError LMP-F001."""
    named = [path, *options.files.values()]
    return tuple(state_of(name) for one in named for name in names_in(one))


def spec_files(name: str) -> list[str]:
    """Patterns for the files of a spec given by its path; none for the specs of lmparse."""
    folder = os.path.dirname(name)
    return [f"{glob.escape(folder)}/{pattern}" for pattern in ("*.py", "*.json", "debug/*.py")] if folder else []


def save_checkpoint(file: RecordFile) -> None:
    """Write how far a log has been read to the file of its options; see `Log.save_checkpoint`.

    Raises OptionError LMP-S022 if another run has written the file since this run read it: that run gave the same
    changes, and may have read further.
    """
    if file.options.checkpoint is None or not isinstance(file, ChangeLog):
        raise OptionError("no checkpoint is named", hint="give checkpoint too")
    place = checkpoint_place(file.options, files_read(file.path, file.options))
    reached = checkpoint_behind(file)
    with naming_output(place.shown), alone_in(place.path.parent):
        # Another run over the same files may have written an equal checkpoint; the changes would be given twice.
        if checkpoint_before(file.options) != (file.saved or file.resumed):
            text = f"{place.shown} was written by another run since this one has read it, and is left as it is"
            raise OptionError(text, code="LMP-S022", hint="drop what this run gave, and read again behind it")
        write_text(reached.to_json(), place)
        file.saved = reached


def parse(raw: bytes, spec: str, **options: Any) -> dict[str, Any]:
    """The values of one record's bytes as a dict, as `lmparse records` prints the record.

    Raises RecordError or InvalidValueError, with the field and its offset, LimitError, and OptionError.
    """
    if not isinstance(raw, bytes | bytearray | memoryview):
        raise TypeError(f"raw is the bytes of one record, and {type(raw).__name__} is given")
    named = read_options({**options, "spec": path_of("spec", spec)})
    found = catalog.load(named.spec)
    check_fits(named, found)
    check_taken(options, "parse", "one record")
    named.bounds.check("record_bytes", len(raw), spec=found.id)
    record = reader_of(found, named, page_of(found, named)).read(raw, frozenset(named.columns) or None).raise_fault()
    values: dict[str, Any] = to_json(record.values)
    return values
