"""Transaction index: the results of one pass over a Db2 LUW log, without rows in memory.

It has the transactions with the extents of their changes, the descriptions of tables, and messages.
"""

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
    """Column number in the record; None if the record has none."""
    address: int
    length: int
    has_data: bool
    is_cut: bool = False
    """Whether its transaction begins before the log at hand, and it is the first record of it there: it may be the rest
    of a value."""

    @property
    def end(self) -> int:
        """Byte address behind it."""
        return self.address + self.length


@dataclass(frozen=True, slots=True, eq=False)
class Earlier:
    """The changes that the value of one column grew by, the latest first: the pieces of each end where those of the
    next one begin. They share one list with others that begin alike: a value may be changed again and again, and each
    change may go on from any of those before it.
    """

    entries: list[tuple[ChangeReference, int, int]] = field(default_factory=list)
    """Changes, each with the end of its pieces and the place of the one before it; -1 for the first."""
    last: int = -1
    """Place of the latest one; -1 if there is none."""

    def __iter__(self) -> Iterator[tuple[ChangeReference, int]]:
        """Changes and the ends of their pieces."""
        place = self.last
        while place >= 0:
            change, end, place = self.entries[place]
            yield change, end

    def then(self, change: ChangeReference, end: int) -> Earlier:
        """These changes and one more."""
        self.entries.append((change, end, self.last))
        return Earlier(self.entries, len(self.entries) - 1)

    def up_to(self, start: int) -> Earlier | None:
        """These changes without those behind the latest one that ends at `start` and is not undone; None if no one
        does.
        """
        place = self.last
        while place >= 0:
            change, end, before = self.entries[place]
            if end == start and not change.is_undone:
                return Earlier(self.entries, place)
            place = before
        return None


_NO_COLUMN: Mapping[int | None, Earlier] = {}
"""One for all changes without pieces, which nearly all are."""


@dataclass(slots=True, eq=False)
class ChangeReference:
    """One change: the extent of its record, and its outcome. Two are equal only if they are one object."""

    extent: RecordExtent
    kind: str
    op: str
    ids: Ids | None
    lsn: int
    """Its log sequence number; its offset in the file if no record has one."""
    lfs: int = 0
    stream: int = 0
    number: int = 0
    """Number of the row in a record with several rows."""
    is_undone: bool = False
    is_half: bool = False
    """Whether the flag in the record says that it is one half of an update that moved its row."""
    other: RecordExtent | None = None
    """Extent of the record with the row before, if this is both halves of one update."""
    pieces: tuple[LobPiece, ...] = ()
    """Values stored outside of the row, as far as they are known to belong to it."""
    grows: Mapping[int | None, Earlier] = field(default_factory=lambda: _NO_COLUMN)
    """By column, changes of the same row whose value the pieces continue. They are in flat lists, so that a part with
    many of them can be pickled.
    """
    appends: frozenset[int | None] = frozenset()
    """Columns whose pieces begin where no value begins: they are appended to an earlier value."""
    rivals: Sequence[ChangeReference] = ()
    """The changes that its pieces may belong to, this one included. All of them have the same list."""
    is_doubtful: bool = False
    """Whether a damaged record may have been a piece of its values."""
    gap: str | None = None
    """Why rows of its table may be missing before it."""
    notice: dict[str, Any] | None = None
    """Text of a change that has no record of its own but reports missing rows."""


@dataclass(slots=True, eq=False)
class Transaction:
    """One transaction. Two are equal only if they are one object."""

    transaction_id: bytes
    first_lsn: int
    first_index: int = 0
    """Number of its first record in the file."""
    state: str = "open"
    """committed, rolled-back, or open."""
    begins_before: bool = False
    """Whether a record of it precedes the first one that is here."""
    is_incomplete: bool = False
    """Whether that record may be in front of the log, and was not left out of it."""
    changes: list[ChangeReference] = field(default_factory=list)
    commit_lfs: int = 0
    commit_lsn: int = 0
    commit_time: int | None = None
    """Seconds since 1970-01-01, if the record that ended it has a time."""
    authid: str | None = None
    number: int = -1
    """The number of its unit, see `units`; -1 for what is a transaction of its own, as the start of a load."""
    last_index: int = -1
    """Number of its last record."""
    reused_at: int = -1
    """Number of the record with which another transaction begins with its identifier, while it has no end; -1 if none
    does."""

    @property
    def txn_id(self) -> str:
        """Transaction identifier and first log sequence number, 28 hex digits."""
        return f"{self.transaction_id.hex().upper()}{self.first_lsn:016X}"

    @property
    def is_reused(self) -> bool:
        """Whether it has no end, and another transaction begins with its identifier."""
        return self.reused_at >= 0

    @property
    def commit_position(self) -> Position:
        """Position of its commit record; of zeros if it is not committed."""
        return self.commit_lfs, self.commit_lsn

    @property
    def commit_micros(self) -> int | None:
        """Time of its commit, in microseconds since 1970."""
        return None if self.commit_time is None else self.commit_time * 1_000_000

    @property
    def commit_ts(self) -> str | None:
        """The same as text."""
        if self.commit_time is None:
            return None
        return (_EPOCH + timedelta(seconds=self.commit_time)).isoformat(timespec="microseconds")

    def outcome(self, reference: ChangeReference) -> str:
        """Outcome of one of its changes: committed, rolled-back, or open."""
        return "rolled-back" if reference.is_undone else self.state

    def included_as(self, reference: ChangeReference) -> str:
        """The value of `include` that asks for one of its changes: its outcome, or incomplete."""
        return INCOMPLETE if self.is_incomplete else self.outcome(reference)

    def seq(self, reference: ChangeReference) -> str:
        """The sort key of one of its changes, see `order`."""
        commit = self.commit_position if self.outcome(reference) == "committed" else None
        ordinal = reference.number + (reference.notice is not None)  # a record with a notice has one change beside it
        return seq(commit, (reference.lfs, reference.lsn), reference.stream, ordinal)


@dataclass(slots=True)
class TransactionIndex:
    """The results of one pass over a log."""

    transactions: list[Transaction] = field(default_factory=list)
    """Those that change tables as a whole, with these changes only."""
    tables: dict[Ids, list[TableRecord]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    """Number of occurrences of each notice, by text."""
    address_forms: Counter[str] = field(default_factory=Counter)
    """Number of byte addresses in LOB records by form, where the manual does not state the form."""
    gaps: list[tuple[RecordExtent, str, str, Position]] = field(default_factory=list)
    """Records from which on rows are missing, with words in front of the place of each and behind it, and the
    position of the commit."""
    bad: list[tuple[RecordExtent, DataError]] = field(default_factory=list)
    """Records that could not be read."""
    fault: FramingError | None = None
    """The damage after which no record can be read."""
    named: dict[Ids, Table] = field(default_factory=dict)
    """The tables of the tables file."""
    links: Links = field(default_factory=Links)
    column_ids: dict[Ids, Places] = field(default_factory=dict)
    """Columns in records of values stored outside of the row, by table."""
    lob_columns_from: int | None = None
    """The number that LOB records give to the first column of a table, where that is proven; see `lob_columns`."""


@dataclass
class GapTimes:
    """Why rows of a table may be missing, as it changes along the log."""

    indexes: list[int] = field(default_factory=list)
    """Numbers of the records behind which it changes."""
    reasons: list[str | None] = field(default_factory=list)

    def at(self, index: int) -> str | None:
        """The reason at a record."""
        place = bisect_left(self.indexes, index)
        return self.reasons[place - 1] if place else None
