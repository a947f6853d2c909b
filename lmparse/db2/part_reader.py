"""Part reader: the columns of one part of a log from its bytes, here or in another process.

A log is read twice. The first reading leaves the columns of a part in a file, if there is a place for it, so that the
second one takes them from there.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from lmparse.db2 import record_kinds
from lmparse.db2.log_beginning import LogBeginning
from lmparse.db2.log_part import PART_BYTES, PartContext
from lmparse.db2.log_record import LogReader
from lmparse.db2.record_column_reader import RecordColumnReader
from lmparse.db2.record_columns import RecordColumns, RecordTable
from lmparse.db2.tables import Ids
from lmparse.errors import FramingError
from lmparse.framing import index
from lmparse.framing.base import Framing
from lmparse.framing.extents import Span
from lmparse.limits import Held
from lmparse.options import Options
from lmparse.records.origin import RecordOrigin
from lmparse.storage.buffers import Buffer
from lmparse.values.byte_arrays import Ints
from lmparse.values.codepages import CodePage

_WINDOW_BYTES, _WINDOW_RECORDS = 1 << 23, 1 << 15


class IndexedLog(Protocol):
    """What the index asks of a log."""

    origin: RecordOrigin
    options: Options
    buffer: Buffer
    framing: Framing
    logs: LogReader
    code_page: CodePage
    generation: str
    byte_order: str
    held: Held
    scratch: Path | None

    @property
    def gaps_before(self) -> Mapping[Ids, str]: ...
    @property
    def beginning(self) -> LogBeginning: ...


@dataclass(frozen=True)
class PartColumns:
    """The records of a part. Safe to pickle."""

    columns: RecordColumns
    kinds: list[str]
    """The kind of each form, by its number."""
    authids: list[str]
    """The authorization ids by their numbers."""

    def ops(self) -> Ints:
        """The operation of each changed row, one letter."""
        return operations(self.columns, self.kinds)

    def packed(self) -> bytes:
        """The same for `unpacked`."""
        return pickle.dumps(self, pickle.HIGHEST_PROTOCOL)

    @classmethod
    def unpacked(cls, data: bytes, first: int) -> PartColumns:
        """What was packed, with the numbers of records from the start of the log."""
        found: PartColumns = pickle.loads(data)
        return replace(found, columns=found.columns.moved(first))


def operations(columns: RecordTable, kinds: list[str]) -> Ints:
    """The operation of each changed row, one letter."""
    letters = np.array([*(record_kinds.OPERATIONS.get(kind, " ").encode() for kind in kinds), b" "], "S1")
    found: Ints = letters[columns.members.form[columns.rows.member]]
    return found


class PartReader:
    """Reads parts of one log."""

    def __init__(self, log: IndexedLog, part_bytes: int) -> None:
        self._log = log
        self._window_bytes = min(part_bytes, _WINDOW_BYTES)
        self.columns = RecordColumnReader(
            log.logs, log.buffer, log.framing.name, log.code_page, log.held, is_parsed=log.options.engine == "kaitai"
        )

    @property
    def has_addresses(self) -> bool:
        """Whether records state their addresses."""
        return ("lso" if self._log.generation == "v10" else "lsn") in self.columns.prefix

    def windows(self, span: Span) -> Iterator[RecordColumns]:
        """The columns of a span, window by window. Raises FramingError behind the last good record."""
        log = self._log
        windows = index.windows(
            log.framing, log.buffer, span.start, span.end, span.first_index, _WINDOW_RECORDS, self._window_bytes,
            self.columns.lead,
        )  # fmt: skip
        return (self.columns.read(window) for window in windows)

    def part(self, columns: RecordColumns) -> PartColumns:
        """Columns that were read, with what their numbers stand for."""
        return PartColumns(columns, [form.kind for form in self.columns.forms], list(self.columns.authids))

    def read(self, context: PartContext, kept: bytes | None) -> PartColumns:
        """A part once more: from what `PartColumns.packed` has made of it, from its file, or from its bytes."""
        packed = _left(context) if kept is None else kept
        if packed is not None:
            return PartColumns.unpacked(packed, context.span.first_index)
        # Errors of records were counted by the first pass, and are not kept by this one.
        self.columns.held = Held(self._log.options.bounds)
        try:
            columns = list(self.windows(context.span))
        except FramingError as error:
            self._log.origin.place(error)
            raise
        return self.part(RecordColumns.joined(columns))


@dataclass(frozen=True)
class ReadTask:
    """What a process does to read a part for the first time. Safe to pickle."""

    open: Callable[[], IndexedLog]
    context: PartContext
    is_last: bool
    """Whether damage behind the last record is that of the log, and not of a cut that is none."""


@dataclass(frozen=True)
class FirstReading:
    """What the index of a log takes from the first reading of a part. Safe to pickle."""

    columns: RecordTable
    """Numbers of records count from the start of the part."""
    kinds: list[str]
    authids: list[str]
    """As in `PartColumns`."""
    fault: FramingError | None
    """The damage behind its last record."""
    digest: bytes
    """As in `PartContext`."""


def read_first(task: ReadTask) -> FirstReading:
    """Read a part for the first time. Raises FramingError if it does not end between records."""
    reader = PartReader(task.open(), PART_BYTES)
    columns: list[RecordColumns] = []
    fault: FramingError | None = None
    try:
        columns.extend(reader.windows(task.context.span))
    except FramingError as error:
        if not task.is_last:
            raise
        fault = error
    part, digest = reader.part(RecordColumns.joined(columns)), b""
    if task.context.stored is not None:
        digest = leave(replace(part, columns=part.columns.moved(0)).packed(), task.context.stored)
    return FirstReading(part.columns.without_places(), part.kinds, part.authids, fault, digest)


def leave(data: bytes, path: str) -> bytes:
    """Leave a packed part in a file; returns its digest."""
    Path(path).write_bytes(data)
    return hashlib.sha256(data).digest()


def _left(context: PartContext) -> bytes | None:
    """The part that `leave` has left; None if there is none, or the file is no longer that one."""
    if context.stored is None:
        return None
    try:
        data = Path(context.stored).read_bytes()
    except OSError:
        return None
    return data if hashlib.sha256(data).digest() == context.digest else None
