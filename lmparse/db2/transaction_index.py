"""Transaction index: what one pass over a Db2 LUW log found, without a row in memory.

Transactions with the places of their changes, the descriptions of tables, and what is to be reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lmparse.changes import change
from lmparse.db2.tables import Ids, Table
from lmparse.errors import ControlError, DataError, FramingError
from lmparse.framing.extents import RecordExtent


@dataclass(frozen=True, slots=True)
class LobPiece:
    """A piece of a value that is stored out of its row."""

    extent: RecordExtent
    kind: str
    column: int | None
    """Number of the column as the record has it, None when it has none."""
    address: int
    length: int
    has_data: bool

    @property
    def end(self) -> int:
        """Byte address behind it."""
        return self.address + self.length


@dataclass(slots=True)
class ChangeReference:
    """One change: where its record stands, and what became of it."""

    extent: RecordExtent
    kind: str
    op: str
    ids: Ids | None
    lsn: int
    """Its log sequence number, or its place in the file where no record has one."""
    lfs: int = 0
    stream: int = 0
    address: int | None = None
    previous: int = 0
    rid: Any = None
    number: int = 0
    """Which row of a record with several."""
    is_undone: bool = False
    is_half: bool = False
    """One half of an update that moved its row, by the flag in the record."""
    other: RecordExtent | None = None
    """The record with the row before, when this is both halves of one update."""
    pieces: tuple[LobPiece, ...] = ()
    """Values stored out of the row, as far as they are known to be of it."""
    grows: tuple[ChangeReference, ...] = ()
    """Changes of the same row whose values the pieces go on, the earliest first. All of them stand
    here, and not each in the next, so that a part with many of them can be pickled."""
    appends: frozenset[int | None] = frozenset()
    """Columns whose pieces begin where no value begins: what was appended to one that stood there."""
    rivals: tuple[ChangeReference, ...] = ()
    """Other changes of the transaction that pieces without a column might be of."""
    is_doubtful: bool = False
    """Whether a damaged record stands where pieces of its values may have stood."""
    is_shared: bool = False
    """Whether the pieces are of one of several rows in the same record."""
    gap: str | None = None
    """Why rows of its table may be missing before it."""
    notice: dict[str, Any] | None = None
    """Of a change that is no record's own but says that rows are missing."""


@dataclass(slots=True)
class Transaction:
    """One transaction."""

    transaction_id: bytes
    first_lsn: int
    first_index: int = 0
    """Number of its first record in the file."""
    state: str = "open"
    """committed, rolled-back, or open."""
    begins_before: bool = False
    """Whether its first record is not in the log at hand."""
    changes: list[ChangeReference] = field(default_factory=list)
    commit_lsn: int = 0
    commit_stream: int = 0
    commit_time: int | None = None
    """Seconds since 1970-01-01, as far as the record that ended it has a time."""
    authid: str | None = None
    number: int = 0
    """Which of the transactions, in the order in which they ended."""

    @property
    def txn_id(self) -> str:
        """Transaction identifier and first log sequence number, 28 hex digits."""
        return f"{self.transaction_id.hex().upper()}{self.first_lsn:016X}"

    @property
    def commit_micros(self) -> int | None:
        """When it was committed, in microseconds since 1970."""
        return None if self.commit_time is None else self.commit_time * 1_000_000

    def outcome(self, reference: ChangeReference) -> str:
        """What became of one of its changes: committed, rolled-back, or open."""
        return "rolled-back" if reference.is_undone else self.state

    def seq(self, reference: ChangeReference) -> str:
        """The sort key of one of its changes: position of the commit, then of the record, log stream, row number.

        The commit position is log sequence number and log stream of the commit record; that of the record is log
        flush sequence and log sequence number.
        """
        commit = change.NOT_COMMITTED
        if self.outcome(reference) == "committed":
            commit = f"{self.commit_lsn:016X}{self.commit_stream:04X}"
        ordinal = 2 * reference.number + (reference.notice is not None)
        return change.seq(commit, f"{reference.lfs:020X}{reference.lsn:020X}", reference.stream, ordinal)

    @property
    def bytes(self) -> int:
        """Size of its changes, with the values stored out of their rows."""
        return sum(
            reference.extent.length + sum(piece.length for piece in reference.pieces) for reference in self.changes
        )


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A description of a table in the log."""

    table: Table
    index: int
    """Number of the record it stands in."""
    transaction: int
    """Number of the transaction that made it."""
    is_committed: bool
    is_undone: bool
    before: Table | None = None
    """What the same record says of the table as it was."""


@dataclass(slots=True)
class TransactionIndex:
    """What one pass over a log found."""

    transactions: list[Transaction] = field(default_factory=list)
    tables: dict[Ids, list[TableRecord]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    """What is to be said besides, by its words."""
    address_forms: Counter[str] = field(default_factory=Counter)
    """How byte addresses of LOB records are read where the manual is silent."""
    gaps: list[str] = field(default_factory=list)
    """Where rows begin to be missing, in words."""
    bad: list[tuple[RecordExtent, DataError]] = field(default_factory=list)
    """Records that could not be read."""
    fault: FramingError | None = None
    """Where records can be cut out of the file no more."""
    named: dict[Ids, Table] = field(default_factory=dict)
    """The tables of the tables file."""
    column_ids: dict[Ids, set[int]] = field(default_factory=dict)
    """Columns that records of values stored out of the row name, by table."""

    def description(self, transaction: Transaction, reference: ChangeReference) -> Table | None:
        """The description of the table of a change that was in force at its record.

        Of other transactions committed ones only; one that was taken back holds for what was taken back with it.
        """
        found = None
        for record in self.tables.get(reference.ids or (0, 0), ()):
            is_own = record.transaction == transaction.number and (not record.is_undone or reference.is_undone)
            if record.index <= reference.extent.index:
                found = record.table if record.is_committed or is_own else found
            elif found is None and record.before is not None:
                return record.before
        return found

    def parts(self, max_bytes: int) -> Iterator[TransactionIndex]:
        """The same in parts of whole transactions, of about so many bytes; what went wrong is in the last."""
        size, transactions = 0, list[Transaction]()
        for transaction in self.transactions:
            if size and size + transaction.bytes > max_bytes:
                yield replace(self, transactions=transactions, bad=[], fault=None)
                size, transactions = 0, []
            transactions.append(transaction)
            size += transaction.bytes
        yield replace(self, transactions=transactions)


class Descriptions:
    """What is known of the tables of one log."""

    def __init__(self, index: TransactionIndex, tables_file: str | None) -> None:
        self._index = index
        self._tables_file = tables_file
        self._named: dict[tuple[Ids, int], Table] = {}
        """Descriptions under the names of the tables file, by table and identity of the description in the log."""

    def of(self, transaction: Transaction, reference: ChangeReference) -> Table | None:
        """The description of a change's table: from the log where it has one, under the names of the tables file.

        Raises ControlError LMP-C010 when the two contradict each other.
        """
        if reference.ids is None:
            return None
        named = self._index.named.get(reference.ids)
        logged = self._index.description(transaction, reference)
        if logged is None or named is None:
            return logged or named
        # The same object for all changes of a version, which is what tells versions apart; the index keeps the key.
        known = self._named.get((reference.ids, id(logged)))
        if known is not None:
            return known
        difference = logged.differs_from(named)
        if difference is not None:
            raise ControlError(
                "the tables file is not of this log", code="LMP-C010", file=self._tables_file, found=difference,
                hint="print it again from the catalog of the database that wrote the log",
            )  # fmt: skip
        return self._named.setdefault((reference.ids, id(logged)), logged.named_by(named))

    def all(self, *, is_committed: bool) -> Iterator[Table]:
        """Every description, under the names of the tables file; of the log's own those of committed changes only."""
        for ids, records in self._index.tables.items():
            named = self._index.named.get(ids)
            for record in records:
                if record.is_committed or not is_committed:
                    for table in (record.before, record.table):
                        if table is not None:
                            yield table.named_by(named) if named is not None else table
        yield from self._index.named.values()
