"""Values that are stored outside of their row: joined from pieces in records of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from lmparse.db2.row_reader import RowReader
from lmparse.db2.tables import Column, Table
from lmparse.db2.transaction_index import ChangeReference, LobPiece
from lmparse.spec import catalog


@cache
def _whole_row() -> int:
    """Column number of pieces that contain the varying values of a whole row."""
    return catalog.load("db2_lob").enum("column")["whole_row"]


@dataclass(frozen=True)
class OutsideValues:
    """The values of one row that are stored outside of it."""

    reference: ChangeReference
    reader: RowReader
    read: Callable[[LobPiece], bytes]
    """Returns the data of a piece."""
    has_rival: Callable[[], bool]
    first_column: int | None
    """The number that LOB records give to the first column; None if no number fits."""

    def after(self, column: Column) -> bytes | str:
        """The value of a column, or why it is not available."""
        if self.reference.is_shared and self.reference.pieces:
            return "the record holds several rows, and nothing tells which of them the value is of"
        if self.reference.is_doubtful:
            return "a damaged record is where a piece of it may have been"
        if column.sql_type.is_varying and not column.sql_type.is_lob and column.type != "XML":
            return self._out_of_row(column)
        if any(piece.column is None for piece in self.reference.pieces):
            return self._unnamed(column)
        if self.first_column is None and self.reference.pieces:
            return "the columns that LOB records name are not columns that keep values out of the row"
        pieces = self._of(column, self.reference)
        return self._joined(self._grown(column, pieces)) if pieces else "the value is not in the log"

    @staticmethod
    def before(column: Column) -> str:
        """Why the value of a column before a change is not available."""
        return "the value before is not logged"

    def _of(self, column: Column, reference: ChangeReference) -> list[LobPiece]:
        first = self.first_column or 0
        return [
            piece
            for piece in reference.pieces
            if piece.column is None or (piece.column != _whole_row() and piece.column + 1 - first == column.number)
        ]

    def _grown(self, column: Column, pieces: list[LobPiece]) -> list[LobPiece] | str:
        """The pieces with those before them: earlier pieces of the same value that end where these begin."""
        reference, start = self.reference, min(piece.address for piece in pieces)
        parts, column_id = [pieces], pieces[0].column
        for before in reference.grows:
            earlier = (
                [] if before.is_undone or (column_id is None and len(before.rivals) > 1) else self._of(column, before)
            )
            if not earlier or max(piece.end for piece in earlier) != start:
                continue
            if column_id not in reference.appends:
                return "it begins where the value before ends and where one may begin: nothing tells which it is"
            parts.append(earlier)
            column_id, reference, start = earlier[0].column, before, min(piece.address for piece in earlier)
        if column_id in reference.appends:
            return "only what was appended is logged, and the value that it was appended to is not in the log"
        return [piece for part in reversed(parts) for piece in part]

    def _unnamed(self, column: Column) -> bytes | str:
        if len(self.reader.table.lob_columns) > 1:
            return "the table has several LOB columns, and the record does not name the one it is of"
        if self.has_rival():
            return "the transaction changed several rows with LOB values, and the record does not name the one it is of"
        return self._joined(self._grown(column, self._of(column, self.reference)))

    def _joined(self, pieces: list[LobPiece] | str) -> bytes | str:
        if isinstance(pieces, str):
            return pieces
        bare = [piece for piece in pieces if not piece.has_data]
        if bare:
            return f"not logged: {sum(piece.length for piece in bare)} bytes of a NOT LOGGED column"
        if any(piece.is_cut for piece in pieces):
            return "its transaction begins before the log at hand, where earlier pieces of the value may be"
        if not pieces[0].kind.startswith("db2_lob"):
            return b"".join(map(self.read, pieces))  # XML text, in order, without byte addresses
        ordered = sorted(pieces, key=lambda piece: piece.address)
        for first, second in pairwise(ordered):
            if first.end != second.address:
                return f"pieces are missing: one ends at {first.end}, the next begins at {second.address}"
        return b"".join(map(self.read, ordered))

    def _out_of_row(self, column: Column) -> bytes | str:
        pieces = list[LobPiece]()
        if not self.reference.rivals:  # pieces that may be of several rows do not name a column
            pieces = [piece for piece in self.reference.pieces if piece.column == _whole_row()]
        if not pieces:
            return "the value is stored out of the row and not in the log"
        payload = self._joined(pieces)
        if isinstance(payload, str):
            return payload
        values: dict[int, bytes] = self.reader.out_of_row(payload)
        return values.get(column.number, "the value is stored out of the row, and the record of such values lacks it")


def first_column(ids: Iterable[int], table: Table) -> int | None:
    """The number of the first column in LOB records of a table: 0 as in the catalog, or 1.

    No manual states it. It is 0 unless some LOB record of the table would then name a column without values outside of
    the row. None if neither fits.
    """
    able = {column.number for column in table.columns if column.sql_type.is_lob or column.type == "XML"}
    named = {number for number in ids if number != _whole_row()}
    return next((first for first in (0, 1) if {number + 1 - first for number in named} <= able), None)
