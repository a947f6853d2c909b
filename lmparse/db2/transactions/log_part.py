"""Parts of a log: what each must know of the rest of the log, so that it can be read on its own."""

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
    """In front of which records nothing has been read, so that a transaction may begin there.

    A link to the start of a load leads on to the record in front of that, if it is there to be read. A log that is read
    one file after another begins where the first reading began. Where bytes of the log are missing between two files,
    and none inside of one, so that the filter of the API left nothing out, the records there are lost: a transaction
    with a link to one of them is not whole either.
    """

    firsts: dict[int, int] = field(default_factory=dict)
    """Address of the first record of each log stream, if it states it."""
    lost: dict[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    """Where records are lost between files: addresses of the first byte and behind the last, by log stream."""
    loads: LoadStarts = field(default_factory=LoadStarts)
    """The starts of loads."""
    read_before: int = 0
    """Number of the first record that no earlier reading had; what was said of those in front is not said again."""

    @classmethod
    def of(cls, joined: Joined | None, before: Checkpoint | None) -> LogBeginning:
        """That of joined files, behind a checkpoint."""
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
        """Whether the record before the first one of each of some transactions may be in front of the log."""
        previous = self.loads.all_through(found.tid, found.previous)
        is_behind: Flags = previous != 0
        for stream, first in self.firsts.items():
            is_behind &= (found.first_stream != stream) | (previous < np.uint64(first))
        return is_behind

    def lack(self, found: Units) -> Flags:
        """Whether transactions lack records: those in front of their first ones, or any that are lost."""
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
    """What a part of a log must know of the rest. Safe to pickle."""

    span: Span
    bounds: Bounds = ()
    """Where its records are in the record table."""
    unit_numbers: Int64s = field(default_factory=_none)
    """Numbers of the units of which it has records, ascending."""
    unit_of: Ints = field(default_factory=lambda: np.zeros(0, np.uint32))
    """For each record the place of its unit among these."""
    units: Units | None = None
    """These units, where the index of the log is not at hand."""
    authids: tuple[str, ...] = ()
    """Authorization ids of these, by their numbers."""
    undone: Int64s = field(default_factory=_none)
    """Its rows that are undone, by `record_columns.row_number`, as those below."""
    doubtful: Int64s = field(default_factory=_none)
    """Its rows of whose values a piece may be in a record that cannot be read."""
    hidden: Int64s = field(default_factory=_none)
    """Its rows that are not shown, since they are the row before of an update that moved its row."""
    moved: Int64s = field(default_factory=_none)
    """Its rows that are such updates, ascending."""
    moved_from: Int64s = field(default_factory=_none)
    """Number, offset and length of the record with the row before of each of these; (n, 3)."""
    references: dict[int, ChangeReference] = field(default_factory=dict)
    """Its rows whose values need pieces of other parts, or more than their pieces."""
    extras: list[tuple[Transaction, ChangeReference]] = field(default_factory=list)
    """Changes of tables as a whole, in the order of the log."""


@dataclass
class LogContext:
    """What all parts must know. Safe to pickle."""

    rest: TransactionIndex = field(default_factory=TransactionIndex)
    """Changes and descriptions of tables, faults and messages."""
    gaps: dict[Ids, GapTimes] = field(default_factory=dict)
    beginning: LogBeginning = field(default_factory=LogBeginning)
    stored: Path | None = None
    """The folder with the files of the record table, where other processes have it."""
    kinds: list[str] = field(default_factory=list)
    """The kinds of records, by the numbers of their forms in it."""
    tables: set[int] = field(default_factory=set)
    """Tables with changed rows, as in `ChangedRows.ids`."""


@dataclass(frozen=True)
class LogPart:
    """A part of a log, or several that follow one another. Safe to pickle."""

    whole: LogContext
    contexts: tuple[PartContext, ...]
