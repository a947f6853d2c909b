"""Pieces of values that are stored outside of their row, and the changes that they may belong to.

From version 10.1 on a piece names its column and precedes the record of its row. Until version 9.7 it names neither
row nor column, so that every row of the transaction is a rival.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from lmparse.db2.log_record import LogRecord
from lmparse.db2.record_kinds import LOBS_UNNAMED
from lmparse.db2.tables import Ids
from lmparse.db2.transaction_index import ChangeReference, Earlier, LobPiece, Transaction, TransactionIndex
from lmparse.errors import DataError, RecordError
from lmparse.limits import Held
from lmparse.spec import catalog

_PIECE_BYTES = 450
"""Bytes of memory of a piece: its place and address, not its data; measured."""
_GROWN_BYTES = 250
"""Bytes of memory of the changes that the value of a column grew by, for each update of it; measured."""
_Row = tuple[Ids, object]
"""Table ids and row id."""
_Places = Mapping[int | None, tuple[int, int]]
"""Where the pieces of each column begin and end."""


class LobPieces:
    """Pieces that are not assigned to a change yet."""

    def __init__(self, transaction_index: TransactionIndex, held: Held, unread: Sequence[int]) -> None:
        """`unread` are the numbers of the records that cannot be read, ascending: any may be a piece."""
        self._index, self._held = transaction_index, held
        self._named: dict[bytes, dict[Ids, list[LobPiece]]] = defaultdict(dict)
        """By transaction and table, those whose row has not come."""
        self._unnamed: dict[bytes, dict[Ids, list[LobPiece]]] = defaultdict(dict)
        self._written: dict[_Row, tuple[ChangeReference, _Places | None]] = {}
        """The last change of a row that had pieces and gave it values of its own: one that is not an update. With their
        places if other changes have the same pieces, or once they were asked for."""
        self._updated: dict[_Row, dict[int | None, tuple[ChangeReference, int]]] = {}
        """By column, the last update of a row behind that change with pieces of it, and where they end."""
        self.damaged = list(unread)
        """Numbers of the records that may have been pieces, ascending."""
        self._columns: dict[Ids, set[tuple[int, int, int]]] = {}
        """Columns of pieces behind the last description of each table; of their transactions, the identifiers and the
        numbers of the first records."""

    def describe(self, ids: Ids) -> None:
        """A record describes a table, or takes that back: pieces behind it may be of other columns."""
        self._columns.pop(ids, None)

    def add(self, record: LogRecord, ids: Ids, begin: int, *, is_first: bool) -> None:
        """Add a piece of the transaction of which record `begin` is the first one here.

        `is_first`: it begins before the log, and the piece is its first record there.
        """
        body = record.body
        column = getattr(body, "column_id", None)
        try:
            address, form = byte_address(body)
        except DataError as error:
            self._index.bad.append((record.extent, error))
            insort(self.damaged, record.extent.index)
            return
        if form:
            self._index.address_forms[form] += 1
        self._held.take(_PIECE_BYTES)
        # A value begins at the first byte of its object, if at any.
        is_cut = is_first and (address > 0 or not record.kind.startswith("db2_lob"))
        piece = LobPiece(record.extent, record.kind, column, address, body.data_length, hasattr(body, "data"), is_cut)
        if column is not None:
            seen, tid = self._columns.setdefault(ids, set()), int.from_bytes(record.transaction_id)
            if (column, tid, begin) not in seen:
                seen.add((column, tid, begin))
                self._index.column_ids.setdefault(ids, set()).add((record.extent.index, column, tid))
        if record.kind in LOBS_UNNAMED:
            self._unnamed[record.transaction_id].setdefault(ids, []).append(piece)
        else:
            self._named[record.transaction_id].setdefault(ids, []).append(piece)

    def give(self, transaction: Transaction, references: list[ChangeReference]) -> None:
        """Assign pieces to the record behind them; if it has several rows, which row they belong to is unknown."""
        ids = references[0].ids
        assert ids is not None
        pieces = tuple(self._named.get(transaction.transaction_id, {}).pop(ids, ()))
        start = 0 if transaction.begins_before else transaction.first_index
        if transaction.changes:
            start = transaction.changes[-1].extent.index
        is_doubtful = self._is_damaged(start, references[0].extent.index)
        for reference in references:
            reference.is_doubtful, reference.is_shared = is_doubtful, len(references) > 1
        if pieces:
            self._take(references, pieces)

    def give_unnamed(self, transaction: Transaction) -> None:
        """Assign unnamed pieces to every row of a transaction that has ended."""
        unnamed = self._unnamed.pop(transaction.transaction_id, None)
        if unnamed is None:
            return
        rows = [
            reference for reference in transaction.changes if reference.op in ("I", "U") and not reference.is_undone
        ]
        is_open = transaction.state == "open"
        # Of one without an end, a record behind its last one may be a piece.
        end = (transaction.reused_at if transaction.is_reused else sys.maxsize) if is_open else transaction.last_index
        is_doubtful = self._is_damaged(transaction.first_index, end)
        of_table: dict[Ids | None, list[ChangeReference]] = defaultdict(list)
        for row in rows:
            if row.ids in unnamed:
                row.is_doubtful, row.rivals = is_doubtful, rows
                of_table[row.ids].append(row)
        for ids, found in unnamed.items():
            self._take(of_table[ids], tuple(found))

    def take_back(self, transaction_id: bytes, ids: Ids) -> None:
        """Drop the pieces of a row that was not written after all."""
        self._named.get(transaction_id, {}).pop(ids, None)

    def end(self, transaction_id: bytes) -> None:
        """End a transaction; its remaining pieces have no row."""
        left = self._named.pop(transaction_id, {})
        if left:
            self._index.counts["LOB values without a row"] += len(left)

    def _take(self, references: list[ChangeReference], pieces: tuple[LobPiece, ...]) -> None:
        """Give the same pieces to some changes of a table, of which nothing tells which they belong to."""
        places, appended = _places(pieces), _appended(pieces)
        for reference in references:
            assert reference.ids is not None
            reference.pieces = pieces
            row = reference.ids, reference.rid
            if reference.op != "U":
                # Only an update appends; a new row with the same row id has values of its own.
                self._written[row] = reference, places if len(references) > 1 else None
                self._updated.pop(row, None)
                continue
            reference.appends = appended
            self._update(reference, row, places)

    def _update(self, reference: ChangeReference, row: _Row, places: _Places) -> None:
        self._held.take(_GROWN_BYTES * len(places))
        updated = self._updated.setdefault(row, {})
        grows = dict[int | None, Earlier]()
        for column, (start, end) in places.items():
            last = updated.get(column) or self._written_value(row, column)
            if last is not None and (earlier := _grown_by(start, column, *last)) is not None:
                grows[column] = earlier
            updated[column] = reference, end
        if grows:
            reference.grows = grows

    def _written_value(self, row: _Row, column: int | None) -> tuple[ChangeReference, int] | None:
        """The change that a row got its values from, and where that of a column ends, if it had pieces of it."""
        if row not in self._written:
            return None
        change, places = self._written[row]
        if places is None:
            places = _places(change.pieces)
            self._written[row] = change, places
        place = places.get(column)
        return None if place is None else (change, place[1])

    def _is_damaged(self, start: int, end: int) -> bool:
        """Whether a record in a range could not be read; its transaction is not known."""
        first = bisect_left(self.damaged, start)
        return first < len(self.damaged) and self.damaged[first] < end


def _grown_by(start: int, column: int | None, last: ChangeReference, end: int) -> Earlier | None:
    """The changes whose value pieces of a column continue that begin at `start`, if there are any.

    `last` is the last one with pieces of the column, and `end` their end. What is passed here is not passed again: the
    change that begins at `start` comes behind the rest.
    """
    before = last.grows.get(column)
    if end == start and not last.is_undone:
        return (Earlier() if before is None else before).then(last, end)
    return None if before is None else before.up_to(start)


def _places(pieces: Sequence[LobPiece]) -> _Places:
    places = dict[int | None, tuple[int, int]]()
    for piece in pieces:
        start, end = places.get(piece.column, (piece.address, piece.end))
        places[piece.column] = min(start, piece.address), max(end, piece.end)
    return places


def _appended(pieces: Sequence[LobPiece]) -> frozenset[int | None]:
    """Columns whose pieces begin where no value can begin: the space of a LOB object is allocated in segments."""
    segment = catalog.load("db2_lob").enum("storage")["segment"]
    starts: dict[int | None, int] = {}
    for piece in pieces:
        if piece.kind.startswith("db2_lob"):  # others have no places
            starts[piece.column] = min(piece.address, starts.get(piece.column, piece.address))
    return frozenset(column for column, start in starts.items() if start % segment)


def byte_address(body: Any) -> tuple[int, str]:
    """Offset of a piece in its object; until version 9.7 an IEEE number or an integer, as the bytes show.

    Returns the form too if it is not stated. A piece without an address (XML) has zero. Raises RecordError LMP-R002 for
    bytes that are neither. No bytes are both: an IEEE number from 1 on, read as an integer, is at least 2 to the power
    of 61.
    """
    stated = getattr(body, "byte_address", 0)
    if isinstance(stated, int):
        return stated, ""
    as_integer, limit = int(body.byte_address_integer), catalog.load("db2_lob").enum("storage")["object_limit"]
    if as_integer < limit:
        return as_integer, "integer" if as_integer else ""
    if 1 <= stated < limit and stated == int(stated):
        return int(stated), "IEEE number"
    raise RecordError(
        "the byte address is neither an IEEE number nor an integer", code="LMP-R002", spec="db2_lob",
        field="byte_address", expected=f"less than {limit}", found=f"X'{as_integer:016X}'",
    )  # fmt: skip
