"""Transactions that are read record by record, because arrays do not show all that happens in them.

Two kinds: all records of transactions with something rare (rows that moved, compensations that contradict what they
name, values that grow), and of transactions that change tables as a whole only these changes, their first record and
their end; the rows of these are found by the column.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lmparse.db2.log_record import LogReader, LogRecord
from lmparse.db2.record_forms import Role, role_of
from lmparse.db2.tables import Ids
from lmparse.db2.transaction_index import ChangeReference, GapTimes, Transaction, TransactionIndex
from lmparse.db2.transactions import TransactionReader
from lmparse.errors import FramingError
from lmparse.framing.extents import RecordExtent
from lmparse.storage.buffers import Buffer


@dataclass
class Irregular:
    """The result of reading them."""

    index: TransactionIndex
    gaps: dict[Ids, GapTimes] = field(default_factory=dict)
    numbers: dict[tuple[bytes, int], int] = field(default_factory=dict)
    """Numbers of transactions by identifier and number of the first record."""
    damaged: list[int] = field(default_factory=list)
    """Numbers of the records that may have been pieces of values outside of their row, ascending."""

    def changes(self) -> Iterator[tuple[Transaction, ChangeReference]]:
        """All changes, in the order of the log."""
        pairs = [(one, change) for one in self.index.transactions for change in one.changes]
        pairs.sort(key=lambda pair: (pair[1].extent.index, pair[1].number))
        return iter(pairs)

    def open_tids(self) -> frozenset[int]:
        """Identifiers of those that have not ended, and are not used again by others."""
        every = (*self.index.transactions, *self.index.unchanged)
        return frozenset(
            int.from_bytes(one.transaction_id) for one in every if one.state == "open" and not one.is_reused
        )


def read_irregular(
    reader: TransactionReader,
    logs: LogReader,
    buffer: Buffer,
    extents: Iterable[tuple[RecordExtent, bool]],
    unread: list[int],
    inherited: Mapping[Ids, str],
) -> Irregular:
    """Read records in the order of the log; `True` for those of which only changes of tables count.

    `unread` are the numbers of the records of the log that cannot be read, ascending. `inherited` are the tables of
    which rows may be missing in front of the first record, with reasons.
    """
    reader.inherit_gaps(inherited)
    gaps = {ids: GapTimes([-1], [reason]) for ids, reason in inherited.items()}
    done = 0
    last: RecordExtent | None = None
    try:
        for extent, is_tables_only in extents:
            last = extent
            behind = bisect_right(unread, extent.index)
            for number in unread[done:behind]:
                reader.skip(number, number + 1)
            done = behind
            record = logs.read(buffer, extent)
            if is_tables_only and not _counts(record):
                reader.touch(record)
                # What it ends has ended before its row is changed.
                _note(gaps, reader, record, extent.index - 1)
            else:
                reader.add(record)
                _note(gaps, reader, record, extent.index)
    except FramingError as error:
        if last is not None:
            error.at(record_index=last.index, record_offset=last.offset)
        reader.index.fault = error
    for number in unread[done:]:
        reader.skip(number, number + 1)
    index = reader.finished()
    numbers = {(one.transaction_id, one.first_index): one.number for one in index.transactions}
    return Irregular(index, gaps, numbers, reader.damaged)


def _counts(record: LogRecord) -> bool:
    return role_of(record) in (Role.OBJECT, Role.COMMIT, Role.ABORT)


def _note(gaps: dict[Ids, GapTimes], reader: TransactionReader, record: LogRecord, index: int) -> None:
    """Note the gaps of the tables that a record may have opened, closed or taken back, behind record `index`."""
    own = {record.table} if record.table in gaps else set()
    for ids in own | reader.changed_gaps():
        if ids is None:
            continue
        times = gaps.setdefault(ids, GapTimes())
        reason = reader.gap(ids)
        if reason != (times.reasons[-1] if times.reasons else None):
            times.indexes.append(index)
            times.reasons.append(reason)
