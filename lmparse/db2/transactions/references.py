"""Transaction index: the results of one pass over a Db2 LUW log, without rows in memory. It has the transactions, the
extents of their changes, the descriptions of tables, and messages."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from lmparse.db2.record.links import Links
from lmparse.db2.record.log_record import Ids
from lmparse.db2.tables.history import TableRecord
from lmparse.db2.tables.lob_columns import Places
from lmparse.db2.tables.table import Table
from lmparse.db2.transactions.seq import Position, seq
from lmparse.errors import DataError, FramingError
from lmparse.framing.extents import RecordExtent

_EPOCH = datetime(1970, 1, 1)
INCOMPLETE = "incomplete"
"""The value of `include` for changes of transactions whose first record was not read."""


@dataclass(frozen=True, slots=True)
class LobPiece:
    """A piece of a value that is stored outside of its row."""

    extent: RecordExtent
    kind: str
    column: int | None
    """Number of the column in the record; None if the record names no column."""
    address: int
    length: int
    has_data: bool
    is_cut: bool = False
    """Whether it may be the rest of a value: it is the first record at hand of a transaction that begins before the
    log."""

    @property
    def end(self) -> int:
        """Byte address behind the piece."""
        return self.address + self.length


@dataclass(frozen=True, slots=True, eq=False)
class Earlier:
    """The changes that the value of one column grew by, the latest first. The pieces of a change begin where the pieces
    of the change before it end. Values that begin alike share one list: a change may go on from any earlier one."""

    entries: list[tuple[ChangeReference, int, int]] = field(default_factory=list)
    """Changes, each with the end of its pieces and the place of the change before it; -1 for the first change."""
    last: int = -1
    """Place of the latest change; -1 if there is none."""

    def __iter__(self) -> Iterator[tuple[ChangeReference, int]]:
        """Changes and the ends of their pieces."""
        place = self.last
        while place >= 0:
            change, end, place = self.entries[place]
            yield change, end

    def then(self, change: ChangeReference, end: int) -> Earlier:
        """These changes and a later one."""
        self.entries.append((change, end, self.last))
        return Earlier(self.entries, len(self.entries) - 1)

    def up_to(self, start: int) -> Earlier | None:
        """These changes up to the latest one that ends at `start` and is not undone; None without such a change."""
        place = self.last
        while place >= 0:
            change, end, before = self.entries[place]
            if end == start and not change.is_undone:
                return Earlier(self.entries, place)
            place = before
        return None


_NO_COLUMN: Mapping[int | None, Earlier] = {}
"""The mapping of all changes without pieces, which are nearly all changes."""


@dataclass(slots=True, eq=False)
class ChangeReference:
    """One change: the extent of its record, and its outcome. Two references are equal only if they are one object."""

    extent: RecordExtent
    kind: str
    op: str
    ids: Ids | None
    lsn: int
    """Log sequence number; the offset in the file if no record has an LSN."""
    lfs: int = 0
    stream: int = 0
    number: int = 0
    """Number of the row in a record with several rows."""
    is_undone: bool = False
    is_half: bool = False
    """Whether a flag in the record says that the change is one half of an update that moved its row."""
    other: RecordExtent | None = None
    """Extent of the record with the before image, if this change is both halves of one update."""
    pieces: tuple[LobPiece, ...] = ()
    """Pieces of values outside of the row, as far as they are known to belong to it."""
    grows: Mapping[int | None, Earlier] = field(default_factory=lambda: _NO_COLUMN)
    """By column, earlier changes of the row whose value the pieces continue. Flat lists let a part with many be
    pickled."""
    appends: frozenset[int | None] = frozenset()
    """Columns whose pieces begin where no value begins: the pieces are appended to an earlier value."""
    rivals: Sequence[ChangeReference] = ()
    """The changes that may own the pieces, including this change. All of them share one list."""
    is_doubtful: bool = False
    """Whether a damaged record may have been a piece of its values."""
    gap: str | None = None
    """Why rows of its table may be missing before it."""
    notice: dict[str, Any] | None = None
    """The column `detail` of a change that only reports missing rows."""


@dataclass(slots=True, eq=False)
class Transaction:
    """One transaction. Two transactions are equal only if they are one object."""

    transaction_id: bytes
    first_lsn: int
    first_index: int = 0
    """Number of its first record in the file."""
    state: str = "open"
    """committed, rolled-back, or open."""
    begins_before: bool = False
    """Whether a record of the transaction precedes the first one at hand."""
    is_incomplete: bool = False
    """Whether the transaction lacks records: they are in front of the log, or lost."""
    changes: list[ChangeReference] = field(default_factory=list)
    commit_lfs: int = 0
    commit_lsn: int = 0
    commit_time: int | None = None
    """Seconds since 1970-01-01, if the record that ended it has a time."""
    authid: str | None = None
    number: int = -1
    """Number of the unit; -1 for a change that is a transaction of its own, as the start of a load."""
    last_index: int = -1
    """Number of its last record."""
    reused_at: int = -1
    """Number of the record at which another transaction uses its identifier, while it has no end; -1 without one."""

    @property
    def txn_id(self) -> str:
        """Transaction identifier and first log sequence number, 28 hex digits."""
        return f"{self.transaction_id.hex().upper()}{self.first_lsn:016X}"

    @property
    def is_reused(self) -> bool:
        """Whether the transaction has no end, and another one uses its identifier."""
        return self.reused_at >= 0

    @property
    def commit_position(self) -> Position:
        """Position of the commit record; zeros if the transaction is not committed."""
        return self.commit_lfs, self.commit_lsn

    @property
    def commit_micros(self) -> int | None:
        """Time of the commit in microseconds since 1970; None if it is not known."""
        return None if self.commit_time is None else self.commit_time * 1_000_000

    @property
    def commit_ts(self) -> str | None:
        """Time of the commit in ISO form, UTC; None if it is not known."""
        if self.commit_time is None:
            return None
        return (_EPOCH + timedelta(seconds=self.commit_time)).isoformat(timespec="microseconds")

    def outcome(self, reference: ChangeReference) -> str:
        """Outcome of one of its changes: committed, rolled-back, or open."""
        return "rolled-back" if reference.is_undone else self.state

    def included_as(self, reference: ChangeReference) -> str:
        """The value of `include` that selects one of its changes: the outcome, or incomplete."""
        return INCOMPLETE if self.is_incomplete else self.outcome(reference)

    def seq(self, reference: ChangeReference) -> str:
        """The sort key of one of its changes, see `seq`."""
        commit = self.commit_position if self.outcome(reference) == "committed" else None
        ordinal = reference.number + (reference.notice is not None)  # behind the change of the same record
        return seq(commit, (reference.lfs, reference.lsn), reference.stream, ordinal)


@dataclass(slots=True)
class TransactionIndex:
    """The results of one pass over a log."""

    transactions: list[Transaction] = field(default_factory=list)
    """The transactions that change tables as a whole, with these changes only."""
    tables: dict[Ids, list[TableRecord]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    """Number of occurrences of each notice, by text."""
    address_forms: Counter[str] = field(default_factory=Counter)
    """Number of byte addresses in LOB records by form, where the manual does not state the form."""
    gaps: list[tuple[RecordExtent, str, str, Position]] = field(default_factory=list)
    """Records from which on rows are missing: extent, words in front of the place of the record and behind it, and
    position of the commit."""
    bad: list[tuple[RecordExtent, DataError]] = field(default_factory=list)
    """Records that could not be read."""
    fault: FramingError | None = None
    """The damage after which no record can be read."""
    named: dict[Ids, Table] = field(default_factory=dict)
    """The tables of the tables file."""
    links: Links = field(default_factory=Links)
    column_ids: dict[Ids, Places] = field(default_factory=dict)
    """By table, the columns that records of outside values name."""
    lob_columns_from: int | None = None
    """The number that LOB records give to the first column of a table, if it is proven; see `lob_columns`."""


@dataclass
class GapTimes:
    """Why rows of a table may be missing, along the log."""

    indexes: list[int] = field(default_factory=list)
    """Numbers of the records behind which the reason changes."""
    reasons: list[str | None] = field(default_factory=list)

    def at(self, index: int) -> str | None:
        """The reason at a record; None without one."""
        place = bisect_left(self.indexes, index)
        return self.reasons[place - 1] if place else None
