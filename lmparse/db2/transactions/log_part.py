"""Parts of a log: what each part must know of the rest of the log to be read by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lmparse.changes.checkpoint import Checkpoint
from lmparse.db2.record.links import LoadStarts
from lmparse.db2.record.log_record import Ids
from lmparse.db2.transactions.references import ChangeReference, GapTimes, Transaction, TransactionIndex
from lmparse.framing.extents import Span
from lmparse.storage.joined import Joined

if TYPE_CHECKING:
    from lmparse.db2.record.record_table import Bounds
    from lmparse.db2.transactions.units import Units
    from lmparse.values.byte_arrays import Flags, Int64s, Ints

PART_BYTES = 1 << 26
"""Most bytes of a part of the index of a log."""


@dataclass
class LogBeginning:
    """Where a log begins, and where it lacks records: transactions may have records there that nobody has read.

    A link to the start of a load leads on to the record in front of the load. Files that are read one after another are
    a log that begins where the first reading began. Bytes may be missing between two files, but inside of none: then
    the filter of the API was not used, and the records there are lost. A transaction with a link to a lost record is
    not whole either.
    """

    firsts: dict[int, int] = field(default_factory=dict)
    """Address of the first record of each log stream, if the record states it."""
    lost: dict[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    """By log stream, where records are lost between files: addresses of the first byte and behind the last."""
    loads: LoadStarts = field(default_factory=LoadStarts)
    """The starts of loads."""
    read_before: int = 0
    """Number of the first record that no earlier reading had. Messages on records in front of it are not repeated."""

    @classmethod
    def of(cls, joined: Joined | None, before: Checkpoint | None) -> LogBeginning:
        """The beginning of joined files that are read behind a checkpoint."""
        pieces = () if joined is None else [piece for piece in joined.pieces if piece.size]
        found = cls(read_before=sum(piece.records for piece in pieces if piece.is_known))
        if before is not None:
            found.firsts = {stream: begin for stream, (begin, _) in before.ends.items() if begin}
        if all(piece.is_gapless for piece in pieces):
            for piece in pieces:
                for stream, begin, end in piece.lost:
                    found.lost[stream] = [*found.lost.get(stream, ()), (begin, end)]
        return found

    def are_behind(self, found: Units) -> Flags:
        """Whether the record before the first record of each unit may be in front of the log."""
        previous = self.loads.all_through(found.tid, found.previous)
        is_behind: Flags = previous != 0
        for stream, first in self.firsts.items():
            is_behind &= (found.first_stream != stream) | (previous < np.uint64(first))
        return is_behind

    def lack(self, found: Units) -> Flags:
        """Whether each unit lacks records: records in front of its first one, or lost records."""
        lacking = self.are_behind(found)
        if not self.lost:
            return lacking
        previous = self.loads.all_through(found.tid, found.previous)
        for stream, places in self.lost.items():
            is_lost = np.zeros(len(previous), np.bool_)
            for begin, end in places:
                is_lost |= (previous >= np.uint64(begin)) & (previous < np.uint64(end))
            lacking |= is_lost & (found.first_stream == stream)
        return lacking | found.is_broken


def _none() -> Int64s:
    return np.zeros(0, np.int64)


@dataclass
class PartContext:
    """What a part of a log must know of the rest of the log. Safe to pickle."""

    span: Span
    bounds: Bounds = ()
    """Begin and end of its entries in each array of the record table."""
    unit_numbers: Int64s = field(default_factory=_none)
    """Numbers of the units that have records in the part, ascending."""
    unit_of: Ints = field(default_factory=lambda: np.zeros(0, np.uint32))
    """For each record, the place of its unit in `unit_numbers`."""
    units: Units | None = None
    """The units of `unit_numbers`, if the index of the log is not at hand."""
    authids: tuple[str, ...] = ()
    """Authorization ids of `units`, by number."""
    undone: Int64s = field(default_factory=_none)
    """Rows that are undone. These rows, and the rows below, are numbers of `record_table.row_number`."""
    doubtful: Int64s = field(default_factory=_none)
    """Rows of whose values a piece may be in a record that cannot be read."""
    hidden: Int64s = field(default_factory=_none)
    """Rows that are not shown, because they are parts of an update that moved its row."""
    moved: Int64s = field(default_factory=_none)
    """Rows that are shown as such updates, ascending."""
    moved_from: Int64s = field(default_factory=_none)
    """Number, offset and length of the record with the before image of each of `moved`; (n, 3)."""
    references: dict[int, ChangeReference] = field(default_factory=dict)
    """Rows whose values need more than the pieces in front of them in this part."""
    extras: list[tuple[Transaction, ChangeReference]] = field(default_factory=list)
    """Changes of tables as a whole, in the order of the log."""


@dataclass
class LogContext:
    """What all parts of a log must know. Safe to pickle."""

    rest: TransactionIndex = field(default_factory=TransactionIndex)
    """Changes and descriptions of tables, faults and messages."""
    gaps: dict[Ids, GapTimes] = field(default_factory=dict)
    beginning: LogBeginning = field(default_factory=LogBeginning)
    stored: Path | None = None
    """The folder with the files of the record table, if other processes have one."""
    kinds: list[str] = field(default_factory=list)
    """The kinds of records, by the numbers of their forms."""
    tables: set[int] = field(default_factory=set)
    """Tables with changed rows, as numbers in `ChangedRows.ids`."""


@dataclass(frozen=True)
class LogPart:
    """A part of a log, or several that follow one another. Safe to pickle."""

    whole: LogContext
    contexts: tuple[PartContext, ...]
