"""Outside values: values that are stored outside of their row, joined from pieces in records of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lmparse.changes.change import NOT_IN_LOG, OUT_OF_ROW
from lmparse.db2.rows.row_reader import RowReader
from lmparse.db2.tables.lob_columns import whole_row
from lmparse.db2.tables.table import Column
from lmparse.db2.transactions.references import ChangeReference, LobPiece

_AMBIGUOUS = "it begins where the value before ends and where one may begin: nothing tells which it is"
_APPENDED = "only what was appended is logged, and the value that it was appended to is not in the log"
_CUT = "its transaction begins before the log at hand, where earlier pieces of the value may be"
NOT_BEFORE = "the value before is not logged"
Key = tuple[ChangeReference, int, int | None]
"""A change, the number of a column, and the number that LOB records give to the first column."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the pieces of a value show, without their data."""

    beginning: str = ""
    """Why the beginning of the value is not known; empty if it is known."""
    bare: int | None = None
    """Bytes of pieces that are not logged; None if all pieces are."""
    is_cut: bool = False
    gap: str = ""
    """Where pieces are missing between others, or overlap."""
    end: int | None = None
    """Byte address behind the last piece; None without addresses."""

    def then(self, pieces: list[LobPiece]) -> Known:
        """What is known with the pieces of one more change."""
        bare = [piece.length for piece in pieces if not piece.has_data]
        all_bare = (self.bare or 0) + sum(bare) if bare or self.bare is not None else None
        is_cut, gap, end = self.is_cut or any(piece.is_cut for piece in pieces), self.gap, self.end
        for piece in sorted(pieces, key=_address) if pieces[0].kind.startswith("db2_lob") else ():
            if not piece.length:
                continue  # an empty piece has a place, but no byte of the value
            if end not in (None, piece.address) and not gap:
                what = "are missing" if piece.address > (end or 0) else "overlap, or are there twice"
                gap = f"pieces {what}: one ends at {end}, the next begins at {piece.address}"
            end = piece.end
        return Known(self.beginning, all_bare, is_cut, gap, end)

    @property
    def why(self) -> str:
        """Why the value is not available; empty if it is available."""
        bare = "" if self.bare is None else f"not logged: {self.bare} bytes of a NOT LOGGED column"
        return self.beginning or bare or (_CUT if self.is_cut else self.gap)


def _address(piece: LobPiece) -> int:
    return piece.address


@dataclass(frozen=True)
class OutsideValues:
    """The values of one row that are stored outside of it."""

    reference: ChangeReference
    reader: RowReader
    read: Callable[[LobPiece], bytes]
    """Returns the data of a piece."""
    has_rival: Callable[[ChangeReference, Column], bool]
    """Whether the pieces of a change may belong to a value of another row."""
    first_column: int | None
    """The number that LOB records give to the first column; None if no number fits."""
    lacking: dict[Key, Known]
    """What is known of values that are not available. All rows of a log share it."""

    def after(self, column: Column) -> bytes | str:
        """The value of a column after the change, or why it is not available."""
        if why := self._doubt(self.reference, column):
            return why
        if column.sql_type.is_varying and not column.sql_type.is_lob and column.type != "XML":
            return self._out_of_row(column)
        if any(piece.column is None for piece in self.reference.pieces):
            return self._unnamed(column)
        if self.first_column is None and self.reference.pieces:
            return "the columns that LOB records name are not columns that keep values out of the row"
        pieces = self._of(column, self.reference)
        return self._value(column, pieces) if pieces else NOT_IN_LOG

    def _doubt(self, change: ChangeReference, column: Column) -> str:
        """Why the pieces of a change may not belong to its value; empty if they do."""
        if change.is_doubtful:
            return "a damaged record is where a piece of it may have been"
        if not change.pieces or not self.has_rival(change, column):
            return ""
        if change.pieces[0].column is None:
            return "the transaction changed several rows with LOB values, and the record does not name the one it is of"
        return "the record holds several rows, and nothing tells which of them the value is of"

    def _of(self, column: Column, reference: ChangeReference) -> list[LobPiece]:
        first = self.first_column or 0
        return [
            piece
            for piece in reference.pieces
            if piece.column is None or (piece.column != whole_row() and piece.column + 1 - first == column.number)
        ]

    def _value(self, column: Column, pieces: list[LobPiece]) -> bytes | str:
        """The value of some pieces and of the earlier pieces that they continue, or why it is not available."""
        path, known = self._path(column, pieces)
        found = list[tuple[Key, Known]]()
        for change, part in reversed(path):
            known = known.then(part)
            if known.why:
                found.append((self._key(change, column), known))
        if known.why:
            self.lacking.update(found)
            return known.why
        return self._joined([piece for _, part in reversed(path) for piece in part])

    def _path(
        self, column: Column, pieces: list[LobPiece]
    ) -> tuple[list[tuple[ChangeReference, list[LobPiece]]], Known]:
        """The changes that a value grew by, each with its pieces, the latest first; what is known of the value before.

        The path ends at a change whose value is known to be incomplete. So a value that grows again and again is not
        followed to its beginning each time.
        """
        path, start, column_id = [(self.reference, pieces)], min(piece.address for piece in pieces), pieces[0].column
        for before, end in self.reference.grows.get(column_id, ()):
            earlier = self._of(column, before) if end == start else []
            if not earlier:
                break  # no earlier pieces end where these begin
            if column_id not in path[-1][0].appends:
                return path, Known(_AMBIGUOUS)
            if why := self._doubt(before, column):
                return path, Known(why)
            if (known := self.lacking.get(self._key(before, column))) is not None:
                return path, known
            path.append((before, earlier))
            start = min(piece.address for piece in earlier)
        return path, Known(_APPENDED if column_id in path[-1][0].appends else "")

    def _key(self, change: ChangeReference, column: Column) -> Key:
        return change, column.number, self.first_column

    def _unnamed(self, column: Column) -> bytes | str:
        if len(self.reader.table.lob_columns) > 1:
            return "the table has several LOB columns, and the record does not name the one it is of"
        return self._value(column, self._of(column, self.reference))

    def _joined(self, pieces: list[LobPiece]) -> bytes:
        if pieces[0].kind.startswith("db2_lob"):
            pieces = sorted(pieces, key=_address)
        return b"".join(map(self.read, pieces))  # XML text is in order, without byte addresses

    def _out_of_row(self, column: Column) -> bytes | str:
        pieces = [piece for piece in self.reference.pieces if piece.column == whole_row()]
        if not pieces:
            return OUT_OF_ROW
        why = Known().then(pieces).why
        if why:
            return why
        values: dict[int, bytes] = self.reader.out_of_row(self._joined(pieces))
        return values.get(column.number, "the value is stored out of the row, and the record of such values lacks it")
