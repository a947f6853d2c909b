"""Part reader: the index of one part of a log from its bytes, here or in another process."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from lmparse.db2.log_beginning import LogBeginning
from lmparse.db2.log_part import PART_BYTES, PartContext
from lmparse.db2.log_record import LogReader
from lmparse.db2.part_index import PartIndex
from lmparse.db2.record_column_reader import RecordColumnReader
from lmparse.db2.record_columns import Members, RecordColumns
from lmparse.db2.tables import Ids
from lmparse.errors import FramingError
from lmparse.framing import index
from lmparse.framing.base import Framing
from lmparse.framing.extents import Span
from lmparse.limits import Held
from lmparse.options import Options
from lmparse.records.origin import RecordOrigin
from lmparse.storage.buffers import Buffer
from lmparse.values.byte_arrays import UInt64s
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


class PartReader:
    """Makes the indexes of parts of one log."""

    def __init__(self, log: IndexedLog, part_bytes: int) -> None:
        self._log = log
        self._window_bytes = min(part_bytes, _WINDOW_BYTES)
        self.columns = RecordColumnReader(log.logs, log.buffer, log.framing.name, log.code_page, log.held)
        self._has_addresses = ("lso" if log.generation == "v10" else "lsn") in self.columns.prefix

    def index(self, columns: RecordColumns, kinds: list[str] | None = None) -> PartIndex:
        """The index of columns that were read; `kinds` are those of their forms, if not read here."""
        if kinds is None:
            kinds = [form.kind for form in self.columns.forms]
        return PartIndex(columns, kinds, self.columns.authids, has_addresses=self._has_addresses)

    def windows(self, span: Span) -> Iterator[RecordColumns]:
        """The columns of a span, window by window. Raises FramingError behind the last good record."""
        log = self._log
        windows = index.windows(
            log.framing, log.buffer, span.start, span.end, span.first_index, _WINDOW_RECORDS, self._window_bytes,
            self.columns.lead,
        )  # fmt: skip
        return (self.columns.read(window) for window in windows)

    def read(self, context: PartContext, kept: bytes | None = None) -> PartIndex:
        """The index of a part, with what is known of the rest of the log; `kept` is what `packed` has made of it."""
        found = self.again(context, kept)
        found.settle(context.heads, heads=True)
        found.settle(context.tails, heads=False)
        found.undo(context.undone)
        return found

    def again(self, context: PartContext, kept: bytes | None = None) -> PartIndex:
        """The index of a part as the first pass has found it; read again if that pass has left it nowhere."""
        if kept is None:
            kept = _left(context)
        if kept is not None:
            found: PartIndex = pickle.loads(kept)
            return found.moved(context.span.first_index)
        # Errors of records were counted by the first pass, and are not kept by this one.
        self.columns.held = Held(self._log.options.bounds)
        try:
            columns = list(self.windows(context.span))
        except FramingError as error:
            self._log.origin.place(error)
            raise
        return self.index(RecordColumns.joined(columns))


@dataclass(frozen=True)
class Extracted:
    """What the index of a log asks of a part for some transactions. Safe to pickle."""

    columns: RecordColumns
    """Records, rows and compensations of transactions that undo what is in other parts."""
    kinds: list[str]
    """The kinds of records by the numbers in `columns`."""
    irregular: Members
    """Records that are to be read one by one."""
    special: Members
    """The same, of transactions that change tables as a whole: as `PartIndex.of_tables`."""

    @classmethod
    def of(cls, part: PartIndex, undoing: UInt64s, irregular: UInt64s, special: UInt64s) -> Extracted:
        """Some of a part, by transaction identifiers."""
        return cls(part.of(undoing), part.kinds, part.of(irregular).members, part.of_tables(special))


@dataclass(frozen=True)
class IndexTask:
    """What a process does to index a part. Safe to pickle."""

    open: Callable[[], IndexedLog]
    context: PartContext
    is_last: bool
    """Whether damage behind the last record is that of the log, and not of a cut that is none."""
    wanted: tuple[UInt64s, UInt64s, UInt64s] | None = None
    """The identifiers for `Extracted.of`; None for a summary."""


def run_task(task: IndexTask) -> Any:
    """The summary of a part, or what is wanted of it. Raises FramingError if it does not end between records."""
    reader = PartReader(task.open(), PART_BYTES)
    if task.wanted is not None:
        return Extracted.of(reader.again(task.context), *task.wanted)
    columns: list[RecordColumns] = []
    fault: FramingError | None = None
    try:
        columns.extend(reader.windows(task.context.span))
    except FramingError as error:
        if not task.is_last:
            raise
        fault = error
    part = reader.index(RecordColumns.joined(columns))
    summary = part.summary(fault)
    if task.context.stored is not None:
        summary.digest = leave(packed(part), task.context.stored)
    return summary


def leave(data: bytes, path: str) -> bytes:
    """Leave a packed index in a file; returns its digest."""
    Path(path).write_bytes(data)
    return hashlib.sha256(data).digest()


def _left(context: PartContext) -> bytes | None:
    """The packed index of a part that `leave` has left; None if there is none, or the file is no longer that one."""
    if context.stored is None:
        return None
    try:
        data = Path(context.stored).read_bytes()
    except OSError:
        return None
    return data if hashlib.sha256(data).digest() == context.digest else None


def packed(part: PartIndex) -> bytes:
    """The index of a part for `PartReader.again`. Its numbers of records count from the start of the part."""
    return pickle.dumps(part, pickle.HIGHEST_PROTOCOL)
