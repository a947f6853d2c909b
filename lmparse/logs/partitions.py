"""Partitions: a set of files, cut into parts that can be read independently.

A part is a span of one file between two records, with the settings of the whole file. The log itself cuts so that no
change is divided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from lmparse.changes.log import ChangeLog
from lmparse.framing.extents import Span
from lmparse.logs.families import check_changes
from lmparse.logs.joining import joined
from lmparse.logs.open import open_file, states_read
from lmparse.options import Options
from lmparse.records.files import RecordFile
from lmparse.records.settings import FileSettings
from lmparse.spec import catalog
from lmparse.storage.listing import list_files
from lmparse.storage.processes import Run
from lmparse.storage.states import FileState, check_all

DEFAULT_BYTES = 128 * 1024 * 1024
"""Size of a part in bytes; Spark's default."""


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

    def open(self, **named: Any) -> RecordFile:
        """Open the file to read this part.

        Raises ReadError LMP-F012 if the file or the spec is not the one that the parts were made with.
        """
        self.check()
        catalog.load_planned(self.options.spec, self.fingerprint)
        file = open_file(self.path, self.options, settings=self.settings, **named)
        self.check()
        return file

    def check(self) -> None:
        """Raise an error if a file is gone or has changed. After the last row, this proves all rows."""
        check_all(self.planned)


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

    def files(self, run: Run | None = None) -> list[tuple[str, Options]]:
        """Each data file with its options; with changes, its control file is found, and files of one log are joined.

        `run` reads what joining takes, if it is given.
        """
        names = list_files(list(self.paths), name_filter=self.name_filter, recursive=self.recursive)
        family = check_changes(self.options) if self.with_changes else None
        control = None if family is None else family.control
        if family is not None and family.join is not None and names:
            names = [joined(names, self.options, run)]
        if control is None:
            return [(name, self.options) for name in names]
        data = names if len(names) == 1 else [name for name in names if not control.is_one(name, self.options.bounds)]
        given, limits = self.options.control, self.options.bounds
        return [(name, replace(self.options, control=control.find(name, given, limits))) for name in data]

    def parts(self, *, is_numbered: bool = True, run: Run | None = None) -> Iterator[FilePart]:
        """Every part of every file. Reads descriptor words, and headers where segments may be.

        If the numbers of records are not needed, `is_numbered` is False, and most files are read only near the cuts:
        `lmparse plan` tells which are not. `run` runs what a log must know before its parts can be read, if anything.
        """
        files = self.files(run)
        for path, options in files:
            planned = states_read(path, options)
            file = open_file(path, options)
            if self.with_changes and isinstance(file, ChangeLog):
                file.run = run
                if len(files) > 1 and not file.has_table():
                    continue
                parts = (file.change_parts if is_numbered else file.cut_change_parts)(self.max_bytes)
            else:
                parts = file.record_parts(self.max_bytes, is_numbered=is_numbered)
            check_all(planned)
            fingerprint = file.spec.fingerprint
            yield from (FilePart(path, options, settings, span, planned, fingerprint) for settings, span in parts)
