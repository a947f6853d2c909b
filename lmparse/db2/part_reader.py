"""Part reader: the columns of one part of a log from its bytes, here or in another process.

A log is read twice. The first reading leaves the columns of a part in a file, if there is a place for it, so that the
second one takes them from there.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

from lmparse.db2.log_part import PART_BYTES, LogBeginning, PartContext
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
from lmparse.values.codepages import CodePage

T = TypeVar("T", bound=RecordTable)
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

    def named(self, columns: T) -> T:
        """Columns that were read, with what their numbers stand for."""
        columns.kinds, columns.authids = [form.kind for form in self.columns.forms], list(self.columns.authids)
        return columns

    def read(self, context: PartContext, kept: bytes | None) -> RecordColumns:
        """A part once more: from what `packed` has made of it, from its file, or from its bytes."""
        data = _left(context) if kept is None else kept
        if data is not None:
            found: RecordColumns = pickle.loads(data)
            return found.moved(context.span.first_index)
        # Errors of records were counted by the first pass, and are not kept by this one.
        self.columns.held = Held(self._log.options.bounds)
        try:
            columns = list(self.windows(context.span))
        except FramingError as error:
            self._log.origin.place(error)
            raise
        return self.named(RecordColumns.joined(columns))


def read_first(
    task: tuple[Callable[[], IndexedLog], PartContext, bool],
) -> tuple[RecordTable, FramingError | None, bytes]:
    """Read a part of the log that a function opens for the first time.

    The last argument is whether damage behind the last record is that of the log, and not of a cut that is none.
    Returns its records, numbered from its start, the damage behind them, and the digest as in `PartContext`. Raises
    FramingError if the part does not end between records.
    """
    open_, context, is_last = task
    reader = PartReader(open_(), PART_BYTES)
    columns: list[RecordColumns] = []
    fault: FramingError | None = None
    try:
        columns.extend(reader.windows(context.span))
    except FramingError as error:
        if not is_last:
            raise
        fault = error
    part = reader.named(RecordColumns.joined(columns))
    digest = b"" if context.stored is None else leave(packed(part, 0), context.stored)
    return part.without_places(), fault, digest


def packed(part: RecordColumns, first: int) -> bytes:
    """A part, which begins with record `first`, as it is kept for the second reading."""
    return pickle.dumps(part.moved(-first), pickle.HIGHEST_PROTOCOL)


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
