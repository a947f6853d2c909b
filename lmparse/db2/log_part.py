"""Parts of a log: what each must know of the rest of the log, so that it can be read on its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lmparse.db2.log_beginning import LogBeginning
from lmparse.db2.tables import Ids
from lmparse.db2.transaction_index import ChangeReference, GapTimes, Transaction, TransactionIndex
from lmparse.framing.extents import Span

if TYPE_CHECKING:
    from lmparse.db2.units import Units
    from lmparse.values.byte_arrays import Int64s, Ints, UInt64s

PART_BYTES = 1 << 26
"""Most bytes of a part of the index of a log."""
ERROR_BYTES = 2600
"""Bytes of memory of the error of a record; measured."""


@dataclass
class PartContext:
    """What a part of a log must know of the rest. Safe to pickle."""

    span: Span
    stored: str | None = None
    """Path of the file with its columns as the first reading has left it, or leaves it."""
    digest: bytes = b""
    """SHA-256 of that file. Others may be able to exchange it, and what is unpickled is run."""
    is_parsed: bool = False
    """Whether all its changes are `extras`, so that nothing is read by the column."""
    unit_numbers: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))
    """Numbers of the units of which it has records, ascending."""
    unit_of: Ints = field(default_factory=lambda: np.zeros(0, np.uint32))
    """For each record the place of its unit among these."""
    units: Units | None = None
    """These units, where the index of the log is not at hand."""
    authids: tuple[str, ...] = ()
    """Authorization ids of these, by their numbers."""
    irregular: UInt64s = field(default_factory=lambda: np.zeros(0, np.uint64))
    """Identifiers whose changes are `extras`."""
    undone: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))
    """Its rows that are undone, by `record_columns.row_number`."""
    doubtful: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))
    """Its rows of whose values a piece may be in a record that cannot be read."""
    extras: list[tuple[Transaction, ChangeReference]] = field(default_factory=list)
    """Changes that were found record by record, in the order of the log."""


@dataclass
class LogContext:
    """What all parts must know. Safe to pickle."""

    rest: TransactionIndex = field(default_factory=TransactionIndex)
    """Descriptions of tables, faults and messages; of the transactions only those that are read record by record."""
    gaps: dict[Ids, GapTimes] = field(default_factory=dict)
    unread: list[int] = field(default_factory=list)
    """Numbers of the records whose transaction or place in it cannot be read, ascending."""
    beginning: LogBeginning = field(default_factory=LogBeginning)
    tables: set[int] = field(default_factory=set)
    """Tables with changed rows, as in `ChangedRows.ids`."""


@dataclass(frozen=True)
class LogPart:
    """A part of a log, or several that follow one another. Safe to pickle."""

    whole: LogContext
    contexts: tuple[PartContext, ...]
