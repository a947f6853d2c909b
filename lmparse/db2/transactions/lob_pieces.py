"""Pieces of values that are stored outside of their row, and the changed rows that the pieces belong to.

From version 10.1 on a piece names its column and precedes the record of its row. Until version 9.7 a piece names
neither row nor column: it may belong to any row of its transaction. An update may append to a value: its pieces then
begin where the pieces of an earlier change of the row end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lmparse.db2.record import kinds as record_kinds
from lmparse.db2.record.record_table import NO_TABLE, RecordTable, row_number, table_ids
from lmparse.db2.transactions.outcomes import MovedRows, Outcomes
from lmparse.db2.transactions.references import ChangeReference, Earlier, LobPiece
from lmparse.limits import Held
from lmparse.spec import catalog
from lmparse.values.byte_arrays import Flags, Int64s, Ints

_REFERENCE_BYTES = 800
"""Bytes of memory of the reference to a change; measured."""
_PIECE_BYTES = 450
"""Bytes of memory of a piece: its place and address, not its data; measured."""
_GROWN_BYTES = 250
"""Bytes of memory of the earlier changes of the value of a column, for each update of it; measured."""
_Row = tuple[int, int]
"""Table and row id, as numbers."""
_Places = Mapping[int | None, tuple[int, int]]
"""Byte addresses at which the pieces of each column begin and end."""


def rows_of_pieces(columns: RecordTable, unit_of: Ints, ops: Ints) -> Int64s:
    """The number of the row of each piece: the first row of the next insert or update of its table in its unit; -1 if
    there is none, or the piece names no column; -2 if the row was not written after all."""
    pieces, rows, undos = columns.pieces, columns.rows, columns.undos
    if not len(pieces):
        return np.zeros(0, np.int64)
    able = np.flatnonzero((rows.number == 0) & (ops != b"D"))
    is_unwritten = np.array([*(kind == record_kinds.NOT_STORED_OUTSIDE for kind in columns.kinds), False])
    ends = np.flatnonzero(is_unwritten[columns.members.form[undos.member]])
    owner = np.concatenate([able, np.full(len(ends), -2)])
    member = np.concatenate([rows.member[able], undos.member[ends], pieces.member])
    ids = np.concatenate([rows.ids[able], undos.ids[ends], pieces.ids])
    order = np.lexsort((member, ids, unit_of[member]))
    place = np.where(order < len(owner), np.arange(len(order)), len(order))
    following = np.append(np.minimum.accumulate(place[::-1])[::-1], len(order))
    unit, ids = np.append(unit_of[member][order], -1), np.append(ids[order], NO_TABLE)
    here = np.flatnonzero(order >= len(owner))
    behind = following[here]
    fits = (unit[behind] == unit[here]) & (ids[behind] == ids[here])
    found = np.full(len(pieces), -1)
    found[order[here] - len(owner)] = np.where(fits, np.append(owner, -1)[np.append(order, len(owner))[behind]], -1)
    found[pieces.column < 0] = -1
    return found


def piece_of(columns: RecordTable, number: int, *, is_cut: bool = False) -> LobPiece:
    """A piece as an object."""
    pieces = columns.pieces
    member, column = int(pieces.member[number]), int(pieces.column[number])
    return LobPiece(
        columns.extent(member), columns.kind(member), None if column < 0 else column, int(pieces.address[number]),
        int(pieces.length[number]), bool(pieces.has_data[number]), is_cut,
    )  # fmt: skip


def reference_of(columns: RecordTable, row: int, op: str, *, is_undone: bool) -> ChangeReference:
    """A changed row as an object, without its pieces."""
    rows, members = columns.rows, columns.members
    member, ids = int(rows.member[row]), int(rows.ids[row])
    return ChangeReference(
        columns.extent(member), columns.kind(member), op, None if ids == NO_TABLE else table_ids(ids),
        int(members.lsn[member]), int(members.lfs[member]), int(members.stream[member]),
        number=int(rows.number[row]), is_undone=is_undone, is_half=bool(rows.is_half[row]),
    )  # fmt: skip


class PieceOwners:
    """The changed rows of a log whose values need more than the pieces in front of them in their part."""

    def __init__(
        self, columns: RecordTable, outcomes: Outcomes, moved: MovedRows, is_incomplete: Flags, held: Held
    ) -> None:
        """`is_incomplete`: of each unit, whether it lacks records."""
        self._columns, self._outcomes, self._held = columns, outcomes, held
        self._row_of = rows_of_pieces(columns, outcomes.unit_of, outcomes.ops)
        self._as_moved(moved)
        pieces, units = columns.pieces, outcomes.units
        self._unit = unit = outcomes.unit_of[pieces.member]
        """The unit of each piece."""
        is_first = is_incomplete[unit] & (columns.members.index[pieces.member] == units.first_index[unit])
        # A piece at address zero begins its value. Documents have no addresses.
        self._is_cut: Flags = is_first & ((pieces.address > 0) | are_documents(columns))
        self._unread = columns.unread
        self._written: dict[_Row, tuple[ChangeReference, _Places]] = {}
        """By row, the last change with pieces that is not an update: it gave the row values of its own."""
        self._updated: dict[_Row, dict[int | None, tuple[ChangeReference, int]]] = {}
        """By row and column, the last update behind that change with pieces of the column, and their end."""

    def _as_moved(self, moved: MovedRows) -> None:
        """Give the pieces of the update of a pointer to the row to which it points."""
        self._moved = moved.after
        order = np.argsort(moved.pointers)
        pointers = np.append(moved.pointers[order], -1)
        place = np.searchsorted(pointers[:-1], self._row_of)
        self._row_of = np.where(pointers[place] == self._row_of, np.append(moved.after[order], -1)[place], self._row_of)

    @property
    def without_row(self) -> int:
        """Number of pairs of unit and table that have pieces without a row."""
        lost = np.flatnonzero((self._row_of == -1) & (self._columns.pieces.column >= 0))
        values = np.stack([self._unit[lost], self._columns.pieces.ids[lost]])
        return len(np.unique(values, axis=1)[0])

    def references(self, firsts: Int64s) -> dict[int, ChangeReference]:
        """These rows by `record_table.row_number`, with their pieces.

        `firsts` are the numbers of the first records of parts. Other rows have their pieces in their own part.
        """
        columns, outcomes, row_of = self._columns, self._outcomes, self._row_of
        pieces, rows, index = columns.pieces, columns.rows, columns.members.index
        has = np.flatnonzero(row_of >= 0)
        ids, ops = rows.ids[row_of[has]], outcomes.ops[row_of[has]]
        grown = np.unique(ids[ops == b"U"])
        of_piece, of_row = (
            np.searchsorted(firsts, index[member], side="right")
            for member in (pieces.member[has], rows.member[row_of[has]])
        )
        is_wanted = (of_piece != of_row) | self._is_cut[has] | np.isin(ids, grown) | np.isin(row_of[has], self._moved)
        wanted = np.unique(row_of[has[is_wanted]])
        kept = np.flatnonzero(np.isin(row_of, wanted))
        kept = kept[np.argsort(row_of[kept], kind="stable")]
        bounds = np.searchsorted(row_of[kept], wanted), np.searchsorted(row_of[kept], wanted, side="right")
        steps = [
            _Step(self._index_of(row), self._beside(row), kept[low:high])
            for row, low, high in zip(wanted.tolist(), *(bound.tolist() for bound in bounds), strict=True)
        ]
        doubtful = set(outcomes.doubtful().tolist())
        found: dict[int, ChangeReference] = {}
        for step in sorted([*steps, *self._unnamed()], key=lambda step: step.index):
            references = []
            for row in step.rows.tolist():
                op, is_undone = outcomes.ops[row].decode(), bool(outcomes.is_undone[row])
                reference = reference_of(columns, row, op, is_undone=is_undone)
                reference.is_doubtful = step.is_doubtful or row in doubtful
                found[row_number(reference.extent.index, reference.number)] = reference
                references.append(reference)
            self._held.take(_REFERENCE_BYTES * len(references) + _PIECE_BYTES * len(step.pieces))
            self._give(step, references)
        return found

    def _index_of(self, row: int) -> int:
        columns = self._columns
        return int(columns.members.index[columns.rows.member[row]])

    def _beside(self, row: int) -> Int64s:
        """All rows in the record of a row."""
        member = self._columns.rows.member
        return np.arange(*np.searchsorted(member, (member[row], member[row] + 1)))

    def _unnamed(self) -> Iterator[_Step]:
        """The pieces that name no column: all of a unit and table, with all rows of both, at the end of the unit."""
        pieces, rows, outcomes = self._columns.pieces, self._columns.rows, self._outcomes
        unnamed = np.flatnonzero(pieces.column < 0)
        if not len(unnamed):
            return
        able = np.flatnonzero(np.isin(outcomes.row_unit, self._unit[unnamed]) & (outcomes.ops != b"D"))
        able = able[~outcomes.is_undone[able]]
        tables = np.stack([self._unit[unnamed], pieces.ids[unnamed]])
        of_rows = np.stack([outcomes.row_unit[able], rows.ids[able]])
        different, which = np.unique(np.concatenate([tables, of_rows], axis=1), axis=1, return_inverse=True)
        which = which.reshape(-1)
        order = np.argsort(which, kind="stable")
        bounds = np.searchsorted(which[order], np.arange(different.shape[1] + 1))
        for unit, low, high in zip(different[0].tolist(), bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            same = order[low:high]
            numbers, of_table = unnamed[same[same < len(unnamed)]], able[same[same >= len(unnamed)] - len(unnamed)]
            if len(numbers) and len(of_table):
                end = outcomes.end_of(unit)
                place = bisect_left(self._unread, int(outcomes.units.first_index[unit]))
                is_doubtful = place < len(self._unread) and self._unread[place] < end
                yield _Step(end, of_table, numbers, is_doubtful=is_doubtful)

    # -- the pieces of one record -----------------------------------------------------------------

    def _give(self, step: _Step, references: list[ChangeReference]) -> None:
        """Give the pieces of a step to all its rows; each of them may own the pieces."""
        pieces = tuple(
            piece_of(self._columns, number, is_cut=bool(self._is_cut[number])) for number in step.pieces.tolist()
        )
        places, appended = _places(pieces), _appended(pieces)
        for reference, row in zip(references, step.rows.tolist(), strict=True):
            key = int(self._columns.rows.ids[row]), int(self._columns.rows.rid[row])
            reference.pieces, reference.rivals = pieces, references
            if reference.op != "U":
                # Only an update appends; a new row with the same row id has values of its own.
                self._written[key] = reference, places
                self._updated.pop(key, None)
                continue
            reference.appends = appended
            self._update(reference, key, places)

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
        """The change that gave a row its values, and the end of its pieces of a column; None without pieces."""
        if row not in self._written or (place := self._written[row][1].get(column)) is None:
            return None
        return self._written[row][0], place[1]


@dataclass(frozen=True, eq=False)
class _Step:
    """Some pieces, and changed rows; one of these rows owns the pieces."""

    index: int
    """Number of the record at which the rows get the pieces."""
    rows: Int64s
    pieces: Int64s
    is_doubtful: bool = False
    """Whether a record that cannot be read may be one more of the pieces."""


def _grown_by(start: int, column: int | None, last: ChangeReference, end: int) -> Earlier | None:
    """The changes whose value goes on with pieces of a column at `start`; None if there are none.

    `last` is the last change with pieces of the column, and `end` is their end. Changes that end behind `start` are
    left out here, and so from later values too.
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
    """Columns whose pieces begin inside a segment. A value begins with a segment, so these pieces are appended."""
    segment = catalog.load("db2_lob").enum("storage")["segment"]
    starts: dict[int | None, int] = {}
    for piece in pieces:
        if piece.kind != record_kinds.XML:  # XML pieces have no addresses
            starts[piece.column] = min(piece.address, starts.get(piece.column, piece.address))
    return frozenset(column for column, start in starts.items() if start % segment)


def are_documents(columns: RecordTable) -> Flags:
    """Which pieces are of XML documents: these pieces are in order and have no addresses."""
    form = columns.members.form[columns.pieces.member]
    found: Flags = np.array([*(kind == record_kinds.XML for kind in columns.kinds), False])[form]
    return found
