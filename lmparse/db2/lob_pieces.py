"""Pieces of values that are stored out of their row, and the changes that they may be of.

From version 10.1 on a piece names its column and stands before the record of its row. Until version 9.7
nothing names row or column, so that every row of the transaction is a rival.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from lmparse.db2.log_record import LogRecord
from lmparse.db2.record_kinds import LOBS_UNNAMED
from lmparse.db2.tables import Ids
from lmparse.db2.transaction_index import Entry, Piece, TransactionIndex, Unit
from lmparse.errors import DataError, RecordError
from lmparse.spec import catalog

_Row = tuple[Ids, object]
"""Table and row id."""


class Pieces:
    """What has been read of values and not been given to a change yet."""

    def __init__(self, ledger: TransactionIndex) -> None:
        self._ledger = ledger
        self._named: dict[tuple[bytes, Ids], list[Piece]] = {}
        self._unnamed: dict[bytes, dict[Ids, list[Piece]]] = defaultdict(dict)
        self._values: dict[_Row, Entry] = {}
        """The last change of a row that had pieces."""
        self._damaged: list[int] = []
        """Numbers of records that could not be read."""

    def damage(self, first: int, end: int) -> None:
        """Note records that could not be read, from a number up to another: any may have been a piece."""
        self._damaged += range(first, end)

    def add(self, record: LogRecord, ids: Ids) -> None:
        """Take a piece into account."""
        body = record.body
        column = getattr(body, "column_id", None)
        try:
            address, form = byte_address(body)
        except DataError as error:
            self._ledger.bad.append((record.extent, error))
            self._damaged.append(record.extent.index)
            return
        if form:
            self._ledger.address_forms[form] += 1
        piece = Piece(record.extent, record.kind, column, address, body.data_length, hasattr(body, "data"))
        if column is not None:
            self._ledger.column_ids.setdefault(ids, set()).add(column)
        if record.kind in LOBS_UNNAMED:
            self._unnamed[record.transaction_id].setdefault(ids, []).append(piece)
        else:
            self._named.setdefault((record.transaction_id, ids), []).append(piece)

    def give(self, unit: Unit, entries: list[Entry]) -> None:
        """Values stand before the record of their row; those of several rows in one record cannot be told apart."""
        ids = entries[0].ids
        assert ids is not None
        pieces = tuple(self._named.pop((unit.transaction_id, ids), ()))
        start = 0 if unit.begins_before else unit.first_index
        if unit.entries:
            start = unit.entries[-1].extent.index
        is_doubtful = self._is_damaged(start, entries[0].extent.index)
        for entry in entries:
            entry.is_doubtful, entry.is_shared = is_doubtful, len(entries) > 1
            self._take(entry, pieces)

    def give_unnamed(self, unit: Unit, last: int) -> None:
        """Give the pieces that name nothing to every row of a unit that ends with a record of some number."""
        for ids, found in self._unnamed.pop(unit.transaction_id, {}).items():
            rows = [entry for entry in unit.entries if entry.op in ("I", "U") and not entry.is_undone]
            is_doubtful = self._is_damaged(unit.first_index, last + 1)
            for row in rows:
                if row.ids == ids:
                    row.is_doubtful = is_doubtful
                    row.rivals = tuple(other for other in rows if other is not row)
                    self._take(row, tuple(found))

    def take_back(self, transaction_id: bytes, ids: Ids) -> None:
        """Pieces of a row that was not written after all."""
        self._named.pop((transaction_id, ids), None)

    def end(self, transaction_id: bytes) -> None:
        """Nothing more comes of a transaction; what is left of it has no row."""
        for key in [key for key in self._named if key[0] == transaction_id]:
            if self._named.pop(key):
                self._ledger.counts["LOB values without a row"] += 1

    def _take(self, entry: Entry, pieces: tuple[Piece, ...]) -> None:
        if not pieces or entry.ids is None:
            return
        entry.pieces = pieces
        if entry.op == "U":
            # Only an update appends; a new row in the place of another has a value of its own.
            last = self._values.get((entry.ids, entry.rid))
            entry.grows = _grown_by(pieces, last)
            entry.appends = frozenset(
                column for column in {piece.column for piece in pieces} if not _begins(pieces, column)
            )
        self._values[entry.ids, entry.rid] = entry

    def _is_damaged(self, start: int, end: int) -> bool:
        """Whether a record between two numbers could not be read; which transaction it was of is not known."""
        return any(start <= index < end for index in reversed(self._damaged))


def _begins(pieces: tuple[Piece, ...], column: int | None) -> bool:
    """Whether pieces begin where a value can: the space of a LOB object is given out in segments."""
    own = [piece for piece in pieces if piece.column == column]
    first = min(piece.address for piece in own)
    has_places = own[0].kind.startswith("db2_lob")
    return not has_places or first % catalog.load("db2_lob").enum("storage")["segment"] == 0


def _grown_by(pieces: tuple[Piece, ...], last: Entry | None) -> tuple[Entry, ...]:
    """The changes whose values some pieces go on: they begin where the value of the same row ended."""
    chain = () if last is None else (*last.grows, last)
    while chain:
        ends = {} if chain[-1].is_undone else {piece.column: piece.end for piece in chain[-1].pieces}
        if any(ends.get(piece.column) == piece.address for piece in pieces):
            return chain
        chain = chain[:-1]
    return ()


def byte_address(body: Any) -> tuple[int, str]:
    """Where a piece stands in its object; until version 9.7 an IEEE number or an integer, as the bytes show.

    Gives the form too where it is not stated. A piece without an address (XML) has zero. Raises
    RecordError LMP-R002 for bytes that are neither. No bytes are both: an IEEE number of one or more
    is 2 to the power of 61 and above when read as an integer.
    """
    stated = getattr(body, "byte_address", 0)
    if isinstance(stated, int):
        return stated, ""
    as_integer = int(body.byte_address_integer)
    if as_integer < _LARGEST_OBJECT:
        return as_integer, "integer" if as_integer else ""
    if 1 <= stated < _LARGEST_OBJECT and stated == int(stated):
        return int(stated), "IEEE number"
    raise RecordError(
        "the byte address is neither an IEEE number nor an integer", code="LMP-R002", spec="db2_lob",
        field="byte_address", expected=f"less than {_LARGEST_OBJECT}", found=f"X'{as_integer:016X}'",
    )  # fmt: skip


_LARGEST_OBJECT = 1 << 48
"""No LOB object is as large, in bytes."""
