"""Partitions: a set of files, cut into parts that can be read independently.

A part is a span of one file between two records, with the settings of the whole file. The log itself cuts so that no
change is divided. What becomes of a file that is damaged is decided here: see `Damage`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from lmparse.changes.log import ChangeLog, expect_columns
from lmparse.errors import DataError, FramingError
from lmparse.framing.extents import Span
from lmparse.logs.beside import CONTROL_FILE
from lmparse.logs.families import check_changes, family_of, without_descriptions
from lmparse.logs.joining import log_paths
from lmparse.logs.open import open_file, states_read
from lmparse.options import Options
from lmparse.records.files import RecordFile
from lmparse.records.settings import FileSettings
from lmparse.spec import catalog
from lmparse.storage import addresses
from lmparse.storage.addresses import local_path
from lmparse.storage.joined import joined_of, names_in
from lmparse.storage.listing import FileList, is_there, list_folders, names_one
from lmparse.storage.processes import Run
from lmparse.storage.states import FileState, check_all

DEFAULT_BYTES = 128 * 1024 * 1024
"""Size of a part in bytes; Spark's default."""
_UNREADABLE = "LMP-F001"
_OF_REQUEST = ("LMP-L004",)
"""Errors that say that a file is read in the wrong way, or that too little may be held, and not that it is damaged."""


class Damage(Enum):
    """What becomes of a file from the place on at which it cannot be read. Sound records before it are always rows."""

    RAISED = "raised"
    """It ends the reading of all files."""
    ROW = "row"
    """A row with the error and the first bytes of what is not read."""
    LEFT_OUT = "left out"
    """Nothing but a message."""


@dataclass(frozen=True)
class FilePart:
    """A span of a file and everything that is needed to read it in another process. Safe to pickle."""

    path: str
    options: Options
    settings: FileSettings
    span: Span
    planned: tuple[FileState, ...]
    """The file, and those that describe it, when the parts were made."""
    fingerprint: str
    """That of the spec when the parts were made."""
    damage: Damage = Damage.RAISED
    notices: tuple[str, ...] = ()
    """What planning has to say of the file; the first part of the file has it."""

    @property
    def shown(self) -> str:
        """The file that it is of, or the files of the log that it is of."""
        own = self.settings.own
        if own is not None and own.path is not None:
            return own.path
        joined = joined_of(self.path)
        return self.path if joined is None else joined.shown

    def open(self, **named: Any) -> RecordFile:
        """Open the file to read this part.

        Raises ReadError LMP-F012 if the file or the spec is not the one that the parts were made with.
        """
        self.check()
        catalog.load_planned(self.options.spec, self.fingerprint)
        file = open_file(self.path, self.options, settings=self.settings, **named)
        if isinstance(file, ChangeLog):
            file.is_part = True
        self.check()
        return file

    def check(self) -> None:
        """Raise an error if a file is gone or has changed. After the last row, this proves all rows."""
        check_all(self.planned)


@dataclass(frozen=True)
class UnreadFile:
    """A file of which nothing can be read, in the place of its parts. Safe to pickle."""

    path: str
    options: Options
    error: DataError
    damage: Damage
    size: int
    """Bytes that are not read, as stored; 0 if it is gone or remote."""
    start: int = 0
    """Offset up to which it is read as a part of a log of several files."""


Part = FilePart | UnreadFile


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

    def selected(self) -> FileList:
        """The files that are asked for, sorted within each path. Raises FramingError as `list_folders`."""
        return list_folders(self.paths, name_filter=self.name_filter, recursive=self.recursive)

    def is_one(self, names: list[str]) -> bool:
        """Whether the files are one that the caller named itself, and not what a folder, a pattern or a list gave."""
        return len(self.paths) == 1 and names_one(self.paths[0], names)

    def damage(self, names: list[str]) -> Damage:
        """What becomes of damaged files among some. In mode permissive a file that is named itself is an error."""
        if self.options.mode == "failfast" or self.is_one(names):
            return Damage.RAISED
        return Damage.LEFT_OUT if self.options.mode == "dropmalformed" else Damage.ROW

    def files(self, run: Run | None = None) -> list[tuple[str, Options]]:
        """Each data file with its options; with changes, its control file is found, and files of one log are joined.

        `run` reads what joining takes, if it is given. Files that cannot be joined, or have no control file, are left
        out where they do not end the reading.
        """
        return [(path, found) for path, found in self._logs(run)[0] if isinstance(found, Options)]

    def logs(self) -> Iterator[ChangeLog]:
        """The logs, opened one by one; those that cannot be opened are left out where they do not end the reading."""
        found, damage = self._logs()
        for path, options in found:
            try:
                if isinstance(options, DataError):
                    raise options
                log = open_file(path, options)
                assert isinstance(log, ChangeLog)
            except DataError as error:
                if not may_be_left(error, path, damage):
                    raise
                continue
            yield log

    def _logs(self, run: Run | None = None) -> tuple[list[tuple[str, Options | DataError]], Damage]:
        """Each data file with its options, or with the error that keeps it from being read; and what that means."""
        names = self.selected().files
        damage = self.damage(names)
        names, faults = names if self.is_one(names) else data_files(names, self.options), list[DataError]()
        if not names:
            raise FramingError("has no file that could be a log", code="LMP-F001", file=", ".join(self.paths))
        if self.with_changes and check_changes(self.options).join is not None:
            names = log_paths(names, self.options, run, faults=None if damage is Damage.RAISED else faults)
        control = check_changes(self.options).control if self.with_changes else None
        search = None if control is None else control.search(self.options.bounds)
        logs = [(name, self._options_of(name, damage, search)) for name in names]
        logs += [(str(fault.file), self._of_file(str(fault.file), fault)) for fault in faults]
        errors = [found for _, found in logs if isinstance(found, DataError)]
        if len(errors) == len(logs):
            raise errors[0]  # nothing can be read
        return logs, damage

    def _options_of(
        self, name: str, damage: Damage, search: Callable[[str, str | None], str] | None
    ) -> Options | DataError:
        """The options of a log, with its control file; `search` looks through a folder once for all logs."""
        if search is None:
            return self.options
        try:
            return replace(self.options, control=search(name, self.options.control))
        except DataError as error:
            found = self._of_file(name, error)
            if damage is Damage.RAISED:
                raise found from None
            return found

    def _of_file(self, name: str, error: DataError) -> DataError:
        """The error of a file without a control file; one that is not such a log needs none, and says what it is."""
        if error.code == "LMP-C007":
            try:
                open_file(name, replace(self.options, control=None))
            except DataError as other:
                error = other
        return error.of_log(name)

    def parts(self, *, run: Run | None = None) -> Iterator[Part]:
        """Every part of every file. Reads descriptor words, and headers where segments may be.

        `run` runs what a log must know before its parts can be read, if anything.
        """
        logs, damage = self._logs(run)
        joined_files = {name for path, _ in logs for name in names_in(path) if name != path}
        if self.with_changes and self.options.columns and self.options.table is None:
            self._check_columns(logs)  # those of one table are known by now, from all files
        for path, found in logs:
            try:
                if isinstance(found, DataError):
                    raise found
                yield from self._parts_of(path, found, damage, run, is_one_of_many=len(logs) > 1)
            except DataError as error:
                if not may_be_left(error, path, damage):
                    raise
                start = (error.record_offset or 0) if path in joined_files else 0
                yield from self._unread(path, error, damage, start)

    def _check_columns(self, logs: Sequence[tuple[str, Options | DataError]]) -> None:
        """Raise OptionError for a column that no log has. Where one cannot be read, nobody knows what it has."""
        known: set[str] = set()
        for path, options in logs:
            try:
                if isinstance(options, DataError):
                    return
                log = open_file(path, options)
                assert isinstance(log, ChangeLog)
                known |= log.known_columns()
            except DataError:
                return  # it is told of in its place
            if log.lacks_descriptions:
                return
        if logs:
            expect_columns(self.options.columns, known)

    def _unread(self, path: str, error: DataError, damage: Damage, start: int) -> Iterator[UnreadFile]:
        """A file, or those of one log, of which nothing is read, or nothing from an offset on."""
        joined = joined_of(path)
        if joined is None:
            yield UnreadFile(path, self.options, error.of_log(path), damage, max(_size(path) - start, 0), start)
            return
        for piece in joined.pieces:
            fault = copy(error).of_log(piece.path)
            yield UnreadFile(piece.path, self.options, fault, damage, piece.size, piece.start)

    def sound_parts(self) -> Iterator[FilePart]:
        """The same parts where damage ends the reading in every mode."""
        for path, options in self.files():
            yield from self._parts_of(path, options, Damage.RAISED, None, is_one_of_many=True)

    def _parts_of(
        self, path: str, options: Options, damage: Damage, run: Run | None, *, is_one_of_many: bool
    ) -> list[FilePart]:
        planned = states_read(path, options)
        file = open_file(path, options)
        if options.control is not None and options.control != self.options.control:
            controls = joined_of(options.control)
            file.notice(f"{CONTROL_FILE}: {options.control if controls is None else controls.shown}")
        if self.with_changes and isinstance(file, ChangeLog):
            file.run = run
            if not file.has_table():
                if is_one_of_many and not file.lacks_descriptions:
                    return []
                file.read_no_table()
            parts = file.change_parts(self.max_bytes)
        else:
            parts = file.record_parts(self.max_bytes)
        check_all(planned)
        notices, fingerprint = tuple(file.tally.notices), file.spec.fingerprint
        return [
            FilePart(path, options, settings, span, planned, fingerprint, damage, () if number else notices)
            for number, (settings, span) in enumerate(parts)
        ]


def data_files(names: Sequence[str], options: Options) -> list[str]:
    """The files among several that are not descriptions of others."""
    family = family_of(catalog.load(options.spec))
    if family is None:
        return list(names)
    found = without_descriptions(names, options)
    return [name for name in found if family.control is None or not family.control.is_one(name, options.bounds)]


def may_be_left(error: DataError, path: str, damage: Damage) -> bool:
    """Whether an error of a file does not end the reading of all files.

    A file that is gone is not damaged: it ends the reading. So does a file that an option names.
    """
    if damage is Damage.RAISED or error.code in _OF_REQUEST:
        return False
    return error.code != _UNREADABLE or (_is_of(error, path) and is_there(path))


def _is_of(error: DataError, path: str) -> bool:
    return error.code == _UNREADABLE and error.file in (None, path, local_path(path))


def _size(path: str) -> int:
    try:
        return 0 if addresses.is_remote(path) else os.stat(local_path(path)).st_size
    except OSError:
        return 0
