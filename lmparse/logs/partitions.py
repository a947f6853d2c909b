"""Partitions: a set of files, cut into parts that can be read independently.

A part is a span of one file between two records, with the settings of the whole file. The log itself makes the cuts, so
no cut divides a change. Among several files, a damaged file does not end the reading: it becomes a row, or is left out.
Folders of `k=v` make columns behind those of the rows: `/logs/dt=2026-03-14/a.dat` gives its rows 2026-03-14 in `dt`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pyarrow as pa

from lmparse.changes.log import ChangeLog, expect_columns
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.framing.extents import Span
from lmparse.logs.families import check_changes, family_of, without_descriptions
from lmparse.logs.joining import log_paths
from lmparse.logs.open import open_file, states_read
from lmparse.options import Options
from lmparse.records.files import RecordFile
from lmparse.records.settings import FileSettings
from lmparse.spec import catalog
from lmparse.storage.addresses import local_path
from lmparse.storage.joined import joined_of, names_in
from lmparse.storage.listing import FileList, is_there, list_folders, names_one
from lmparse.storage.partition_folders import PartitionColumn
from lmparse.storage.processes import Run
from lmparse.storage.states import FileState, check_all

DEFAULT_BYTES = 128 * 1024 * 1024
"""Default size of a part in bytes, as in Spark."""
_UNREADABLE = "LMP-F001"
_OF_REQUEST = ("LMP-L004",)
"""Errors of a wrong request or a low limit, not of a damaged file."""

_FOLDER_TYPES = {
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "timestamp": pa.timestamp("us"),
    "date": pa.date32(),
    "string": pa.string(),
    "void": pa.null(),
}


@dataclass(frozen=True)
class FilePart:
    """A span of a file, with everything needed to read it in another process. Safe to pickle."""

    path: str
    options: Options
    settings: FileSettings
    span: Span
    planned: tuple[FileState, ...]
    """States of the file, and of files that describe it, when the parts were made."""
    fingerprint: str
    """Fingerprint of the spec when the parts were made."""
    is_tolerant: bool = False
    """Whether damage becomes a row or is left out, and does not end the reading of all files."""

    def open(self, **named: Any) -> RecordFile:
        """Open the file to read this part.

        Raises ReadError LMP-F012 if the file or the spec has changed since the parts were made.
        """
        self.check()
        catalog.load_planned(self.options.spec, self.fingerprint)
        file = open_file(self.path, self.options, settings=self.settings, **named)
        if isinstance(file, ChangeLog):
            file.is_part = True
        self.check()
        return file

    def check(self) -> None:
        """Raise an error if a file is gone or changed. After the last row, this check proves all rows."""
        check_all(self.planned)


@dataclass(frozen=True)
class UnreadFile:
    """An unreadable file, in place of its parts. Safe to pickle."""

    path: str
    options: Options
    error: DataError
    start: int = 0
    """Offset from which the file is unread, if it is part of a log of several files."""


Part = FilePart | UnreadFile


@dataclass(frozen=True)
class Request:
    """The files to read, and how to read them."""

    paths: tuple[str, ...]
    options: Options
    with_changes: bool = False
    max_bytes: int = DEFAULT_BYTES
    name_filter: str | None = None
    recursive: bool = False

    def __post_init__(self) -> None:
        if self.with_changes:
            check_changes(self.options)

    @cached_property
    def selected(self) -> FileList:
        """The selected files, sorted within each path. Raises FramingError as `list_folders`."""
        return list_folders(self.paths, name_filter=self.name_filter, recursive=self.recursive)

    @cached_property
    def _names_one(self) -> bool:
        """Whether the caller named one file by its own path, not by a folder, a pattern or a list."""
        return len(self.paths) == 1 and names_one(self.paths[0], self.selected.files)

    @property
    def is_tolerant(self) -> bool:
        """Whether an unreadable part of a file does not end the reading of other files."""
        return self.options.mode != "failfast" and not self._names_one

    def files(self, run: Run | None = None) -> list[tuple[str, Options | DataError]]:
        """Each data file with its options, or with the error that makes it unreadable.

        With changes, control files are found, and the files of one log are joined; `run` reads them in other processes.
        Raises the error of a file if reading is not tolerant, or if no file can be read.
        """
        names, faults = self.selected.files, list[DataError]()
        if not self._names_one:
            names = data_files(names, self.options)
        if not names:
            raise FramingError("has no file that could be a log", code="LMP-F001", file=", ".join(self.paths))
        family = family_of(catalog.load(self.options.spec))
        if self.with_changes and family is not None and family.join is not None:
            names = log_paths(names, self.options, run, faults=faults if self.is_tolerant else None)
        control = None if family is None or not (self.with_changes or self.options.control) else family.control
        search = None if control is None else control.search(self.options.bounds).find
        found = [(name, self._options_of(name, search)) for name in names]
        found += [(str(fault.file), self._fault(str(fault.file), fault)) for fault in faults]
        errors = [options for _, options in found if isinstance(options, DataError)]
        if len(errors) == len(found):
            raise errors[0]
        return found

    def _options_of(self, name: str, search: Callable[[str, str | None], str] | None) -> Options | DataError:
        """The options of a log with its control file, or an error; `search` lists each folder once for all logs."""
        if search is None:
            return self.options
        try:
            return replace(self.options, control=search(name, self.options.control))
        except DataError as error:
            fault = self._fault(name, error)
        if not self.is_tolerant:
            raise fault
        return fault

    def _fault(self, name: str, error: DataError) -> DataError:
        """The error of a file without a control file; the file's own error if the file is no log that needs one."""
        if error.code == "LMP-C007":
            try:
                open_file(name, replace(self.options, control=None))
            except DataError as other:
                error = other
        return error.of_log(name)

    def logs(self) -> Iterator[ChangeLog]:
        """Yield the logs, opened one by one; in tolerant reading, logs that cannot be opened are left out."""
        for path, options in self.files():
            try:
                if isinstance(options, DataError):
                    raise options
                log = open_file(path, options)
                assert isinstance(log, ChangeLog)
            except DataError as error:
                self._expect_tolerable(error, path)
                continue
            yield log

    def parts(self, *, run: Run | None = None) -> Iterator[Part]:
        """Yield every part of every file. Reads descriptor words, and headers if records may have segments.

        `run` runs work that a log needs before its parts can be read. Raises OptionError at the end for a column that
        no log has, unless a log is unreadable, because its columns are unknown.
        """
        files = self.files(run)
        joined = {name for path, _ in files for name in names_in(path) if name != path}
        wanted = self.options.columns if self.with_changes and self.options.table is None else ()
        known: set[str] = set()
        for path, options in files:
            try:
                if isinstance(options, DataError):
                    raise options
                planned = states_read(path, options)
                file = open_file(path, options)
                if wanted and isinstance(file, ChangeLog):
                    known |= file.known_columns()
                    wanted = () if file.lacks_descriptions else wanted
                spans = self._spans(file, run, is_one_of_many=len(files) > 1)
                check_all(planned)
                fingerprint = file.spec.fingerprint
                for settings, span in spans:
                    yield FilePart(path, options, settings, span, planned, fingerprint, self.is_tolerant)
            except DataError as error:
                self._expect_tolerable(error, path)
                yield from self._unread(path, error, (error.record_offset or 0) if path in joined else 0)
                wanted = ()
        expect_columns(wanted, known)

    def _spans(self, file: RecordFile, run: Run | None, *, is_one_of_many: bool) -> list[tuple[FileSettings, Span]]:
        """The spans of a file's parts, with their settings; none for a log without the requested table."""
        if not (self.with_changes and isinstance(file, ChangeLog)):
            return file.record_parts(self.max_bytes)
        file.run = run
        if not file.has_table():
            if is_one_of_many and not file.lacks_descriptions:
                return []
            file.read_no_table()
        return file.change_parts(self.max_bytes)

    def _unread(self, path: str, error: DataError, start: int) -> Iterator[UnreadFile]:
        """Yield the files at a path, one file or the joined files of a log, as unread from an offset on."""
        joined = joined_of(path)
        for name, begin in [(path, start)] if joined is None else [(one.path, one.start) for one in joined.pieces]:
            yield UnreadFile(name, self.options, copy(error).of_log(name), begin)

    def _expect_tolerable(self, error: DataError, path: str) -> None:
        if not self.is_tolerant or not is_damage(error, path):
            raise error


def data_files(names: Sequence[str], options: Options) -> list[str]:
    """The files among several that do not describe others."""
    family = family_of(catalog.load(options.spec))
    if family is None:
        return list(names)
    found = without_descriptions(names, options)
    return [name for name in found if family.control is None or not family.control.is_one(name, options.bounds)]


def is_damage(error: DataError, path: str) -> bool:
    """Whether an error means a damaged file, which need not affect other files.

    A missing file is not damaged, nor is a file that an option names.
    """
    if error.code == _UNREADABLE:
        return error.file in (None, path, local_path(path)) and is_there(path)
    return error.code not in _OF_REQUEST


# -- columns of folders ---------------------------------------------------------------------


def with_folder_columns(schema: pa.Schema, columns: Sequence[PartitionColumn]) -> pa.Schema:
    """A schema with the columns of folders at the end. Raises OptionError LMP-S012 for a name that the schema has."""
    known = {name.lower() for name in schema.names}
    for column in columns:
        if column.name.lower() in known:
            text = f"folders {column.name}=... make a column, and the rows have one of this name"
            raise OptionError(text, code="LMP-S012", hint="recursiveFileLookup reads the files without it")
        comment = {"comment": f"of the folders {column.name}=..."}
        schema = schema.append(pa.field(column.name, _type(column), metadata=comment))
    return schema


def folder_array(column: PartitionColumn, batch: pa.RecordBatch) -> pa.Array:
    """The values of a folder column for the rows of a batch, by the file in `_metadata` of each row: files of several
    folders may form one log."""
    files = batch.column("_metadata").field("file").dictionary_encode()
    values = pa.array([column.value(path) for path in files.dictionary.to_pylist()], _type(column))
    return values.take(files.indices)


def with_folder_values(batch: pa.RecordBatch, schema: pa.Schema, columns: Sequence[PartitionColumn]) -> pa.RecordBatch:
    """A batch with the columns of a schema: the columns of folders, and columns of its own."""
    folders = {column.name: column for column in columns}
    arrays = [folder_array(folders[name], batch) if name in folders else batch.column(name) for name in schema.names]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _type(column: PartitionColumn) -> pa.DataType:
    if column.type in _FOLDER_TYPES:
        return _FOLDER_TYPES[column.type]
    return pa.decimal128(int(column.type.removeprefix("decimal(").partition(",")[0]), 0)
