"""Part reader: makes the record table of one part of a log from its bytes, here or in another process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from lmparse.db2.record.column_reader import RecordColumnReader
from lmparse.db2.record.log_record import Ids, LogReader
from lmparse.db2.record.record_table import RecordTable, joined
from lmparse.db2.transactions.log_part import PART_BYTES, LogBeginning
from lmparse.errors import FramingError
from lmparse.framing import index
from lmparse.framing.base import Framing
from lmparse.framing.extents import Span
from lmparse.limits import Held
from lmparse.options import Options
from lmparse.records.origin import RecordOrigin
from lmparse.storage.buffers import Buffer
from lmparse.values.codepages import CodePage

_WINDOW_BYTES, _WINDOW_RECORDS = 1 << 23, 1 << 15


class IndexedLog(Protocol):
    """What the index needs of a log."""

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

    def windows(self, span: Span) -> Iterator[RecordTable]:
        """The record tables of the windows of a span. Raises FramingError behind the last good record."""
        log = self._log
        windows = index.windows(
            log.framing, log.buffer, span.start, span.end, span.first_index, _WINDOW_RECORDS, self._window_bytes,
            self.columns.lead,
        )  # fmt: skip
        return (self.columns.read(window) for window in windows)

    def named(self, columns: RecordTable) -> RecordTable:
        """A record table with the kinds and authorization ids that its numbers stand for."""
        columns.kinds, columns.authids = [form.kind for form in self.columns.forms], list(self.columns.authids)
        return columns

    def read(self, span: Span) -> RecordTable:
        """Read a part again. Raises FramingError."""
        # The first reading counted the errors of records. This reading does not keep them.
        self.columns.held = Held(self._log.options.bounds)
        try:
            return self.named(joined(self.windows(span)))
        except FramingError as error:
            self._log.origin.place(error)
            raise


def read_first(task: tuple[Callable[[], IndexedLog], Span, bool]) -> tuple[RecordTable, FramingError | None]:
    """Read a part of a log for the first time.

    The task is a function that opens the log, the span of the part, and whether damage in the span is damage of the
    log. Returns the record table, with numbers from the start of the part, and the damage behind its last record.
    Raises FramingError if the part is not the last one and does not end between records.
    """
    open_, span, is_last = task
    reader = PartReader(open_(), PART_BYTES)
    columns: list[RecordTable] = []
    fault: FramingError | None = None
    try:
        columns.extend(reader.windows(span))
    except FramingError as error:
        if not is_last:
            raise
        fault = error
    return reader.named(joined(columns)), fault
