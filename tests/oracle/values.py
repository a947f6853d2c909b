"""Values outside of their rows: the pieces that each row may have its values from, and what follows from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from oracle.records import Change, Piece
from oracle.transactions import Transaction

_SEGMENT = 1024


def give_pieces(one: Transaction) -> None:
    """Give the pieces in front of a row to it; those that name no column to all rows of their table."""
    waiting, unnamed = defaultdict[Any, list[Piece]](list), defaultdict[Any, list[Piece]](list)
    for record in one.records:
        piece = record.piece
        if piece is not None:
            is_rest = one.is_incomplete and record is one.records[0] and (piece.address > 0 or piece.is_document)
            (unnamed if piece.column is None else waiting)[record.table].append(piece._replace(is_rest=is_rest))
        elif record.role == "unwritten":
            waiting.pop(record.table, None)
        elif record.changes and record.changes[0].op in "IU":
            owner = record.changes[0].whole or record.changes[0]  # of a pointer, the row that it points to
            pieces = waiting.pop(record.table, [])
            for change in owner.record.changes:
                change.pieces = change.pieces + pieces
    for change in one.changes:
        if change.op in "IU" and not change.is_undone and change.record.table in unnamed:
            change.pieces = unnamed[change.record.table]


def go_on(transactions: list[Transaction]) -> None:
    """Find for each change of a row the ones before it whose values its pieces may go on from."""
    rows = defaultdict[Any, dict[int | None, Change]](dict)
    found = [
        # Pieces that name no column are known to be all at the end of their transaction.
        ((one.end if _of(change, None) else change.record.index, one.tid, change.record.index, change.number), change)
        for one in transactions for change in one.changes if change.pieces
    ]  # fmt: skip
    for _, change in sorted(found, key=lambda pair: pair[0]):
        latest = rows[change.record.table, change.rid]
        if change.op != "U":
            latest.clear()  # only an update appends
        for column in {piece.column for piece in change.pieces}:
            before = [latest[column], *latest[column].earlier[column]] if column in latest else []
            while before and (before[0].is_undone or not _adjoin(before[0], change, column)):
                before.pop(0)
            change.earlier[column], latest[column] = before, change


def known_value(change: Change, column: int, rivals: Callable[[Change], int], doubtful: set[Change]) -> bytes | None:
    """The value of a column; None if it is not known.

    `rivals` are the rows that need a value from the pieces of a change; of one in `doubtful` pieces may be missing.
    """
    key = None if any(piece.column is None for piece in change.pieces) else column
    path = [change] if _of(change, key) else []
    for before in change.earlier.get(key, []):
        if _adjoin(before, path[-1], key):
            if not _is_appended(path[-1], key):
                return None  # nothing tells whether it begins or goes on here
            path.append(before)
    if not path or _is_appended(path[-1], key) or any(one in doubtful or rivals(one) > 1 for one in path):
        return None
    pieces = [piece for one in reversed(path) for piece in _of(one, key)]
    placed = [piece for piece in pieces if piece.end > piece.address and not piece.is_document]
    if any(one.end != other.address for one, other in pairwise(placed)):
        return None
    if any(piece.data is None or piece.is_rest for piece in pieces):
        return None
    return b"".join(piece.data or b"" for piece in pieces)


def doubtful(one: Transaction, unread: list[int]) -> set[Change]:
    """The changes of which pieces may be in records that cannot be read."""
    first = one.records[0]
    is_anywhere = any(first.index <= bad < one.end for bad in unread)
    found, start = set[Change](), 0 if first.previous else first.index
    for record in one.records:
        is_near = any(start <= bad < record.index for bad in unread)
        found.update(change for change in record.changes if is_near or (is_anywhere and _of(change, None)))
        start = record.index if record.changes else start
    return found


def _of(change: Change, column: int | None) -> list[Piece]:
    """The pieces of a column by their places; documents have none, and are in order."""
    found = [piece for piece in change.pieces if piece.column == column]
    return sorted(found, key=lambda piece: 0 if piece.is_document else piece.address)


def _adjoin(one: Change, other: Change, column: int | None) -> bool:
    return max(piece.end for piece in _of(one, column)) == _of(other, column)[0].address


def _is_appended(change: Change, column: int | None) -> bool:
    """Whether it begins where no value can begin."""
    first = _of(change, column)[0]
    return change.op == "U" and not first.is_document and first.address % _SEGMENT != 0
