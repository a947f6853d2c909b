"""Changes of a part of a log: changed rows in arrays and, one by one, as objects; and changes of tables as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lmparse.db2.record.record_table import NO_TABLE, RecordTable, row_number, table_ids, table_number
from lmparse.db2.tables.table import Table
from lmparse.db2.transactions.descriptions import Descriptions
from lmparse.db2.transactions.lob_pieces import are_documents, piece_of, reference_of, rows_of_pieces
from lmparse.db2.transactions.log_part import LogContext, PartContext
from lmparse.db2.transactions.outside_columns import OutsidePieces
from lmparse.db2.transactions.references import INCOMPLETE, ChangeReference, Transaction
from lmparse.db2.transactions.seq import NOT_COMMITTED, hex_digits, number_bytes
from lmparse.db2.transactions.units import COMMITTED, ROLLED_BACK, STATES, Units
from lmparse.errors import DataError
from lmparse.framing.extents import RecordExtent
from lmparse.options import SEQ_DIGITS
from lmparse.values.byte_arrays import Bytes, Flags, Int64s, Ints, places_by_value

if TYPE_CHECKING:
    from lmparse.db2.record.json_headers import HeaderForm

INCLUDED = (*STATES, INCOMPLETE)
"""Values of `include`, in the order of their numbers."""
Pair = tuple[Transaction, ChangeReference]


@dataclass(frozen=True, eq=False)
class Stretch:
    """Changed rows of one part in a window."""

    part: PartRows
    rows: Int64s
    """Numbers of the rows in the part."""
    numbers: Int64s
    """Place of each row among the changes of the window; ascending."""


@dataclass(frozen=True, eq=False)
class ChangeWindow:
    """Some changes in the order of reading: changed rows, and changes of tables as a whole (`extras`)."""

    stretches: list[Stretch]
    extras: list[Pair]
    extra_numbers: Int64s

    def __len__(self) -> int:
        return sum(len(stretch.rows) for stretch in self.stretches) + len(self.extras)

    def pair(self, number: int) -> Pair:
        """The change with a number in the window."""
        for stretch in self.stretches:
            place = int(np.searchsorted(stretch.numbers, number))
            if place < len(stretch.numbers) and stretch.numbers[place] == number:
                return stretch.part.pair(int(stretch.rows[place]))
        return self.extras[int(np.searchsorted(self.extra_numbers, number))]


class PartRows:
    """The changes of one part of a log."""

    def __init__(
        self, whole: LogContext, context: PartContext, columns: RecordTable, units: Units, authids: Sequence[str]
    ) -> None:
        """`units` are the units of `PartContext.unit_numbers`; `authids` are their authorization ids by number."""
        self._whole, self._context = whole, context
        self.columns, self.authids = columns, authids
        self.ops = columns.operations()
        """The operation of each changed row, one letter."""
        self.units = units
        self.unit_numbers = context.unit_numbers
        self.unit_of: Int64s = context.unit_of.astype(np.int64)
        """The unit of each record."""
        rows = self.columns.rows
        self.row_unit: Int64s = self.unit_of[rows.member]
        keys = self.columns.row_numbers()
        self.is_undone = np.isin(keys, context.undone)
        self.is_incomplete = whole.beginning.lack(self.units)
        """Of each unit, whether it lacks records, see `LogBeginning.lack`."""
        self.rows: Int64s = np.flatnonzero(~np.isin(keys, context.hidden))
        """Numbers of the changed rows that are shown, in the order of the log."""
        self.piece_rows = rows_of_pieces(self.columns, self.unit_of, self.ops)
        """The row of each piece, as `rows_of_pieces` gives it."""
        self._moved = np.searchsorted(keys, context.moved)
        self._by_reference = np.searchsorted(keys, sorted(context.references))
        self.ops[self._moved] = b"U"
        self.is_apart: Flags = rows.is_compressed | rows.is_half | ((rows.before < 0) & (rows.after < 0))
        """Of each row, whether it is read by itself."""
        documents = self.piece_rows[are_documents(self.columns)]
        for some in (self._moved, self._by_reference, documents[documents >= 0]):
            self.is_apart[some] = True
        self.extras: list[Pair] = context.extras
        """Changes of tables as a whole, in the order of the log."""
        self.header_forms: dict[int, HeaderForm | None] = {}
        """How headers of records of a form become JSON, as far as it is known; None if they are made one by one."""
        self._beside: tuple[int, list[ChangeReference]] = -1, []
        """Number and rows of the record of the last call of `pair`."""

    def windows(self, max_records: int, max_bytes: int) -> Iterator[ChangeWindow]:
        """The changes in the order of the log, in windows of limited number and size."""
        extras = self.extras
        sizes = np.cumsum(self.sizes(self.rows))
        keys = self.columns.row_numbers(self.rows)
        before = np.searchsorted(keys, [row_number(one.extent.index, one.number) for _, one in extras])
        extra_places = before + np.arange(len(extras))
        places = np.arange(len(self.rows)) + np.searchsorted(before, np.arange(len(self.rows)), side="right")
        begin, total = 0, len(places) + len(extras)
        while begin < total:
            end = min(begin + max_records, total)
            low, high = np.searchsorted(places, (begin, end)).tolist()
            most = int(np.searchsorted(sizes, (int(sizes[low - 1]) if low else 0) + max_bytes, side="right"))
            if max(most, low + 1) < high:
                high = max(most, low + 1)
                end = int(places[high])
            first, last = np.searchsorted(extra_places, (begin, end)).tolist()
            stretch = Stretch(self, self.rows[low:high], places[low:high] - begin)
            yield ChangeWindow([stretch], extras[first:last], extra_places[first:last] - begin)
            begin = end

    def sizes(self, rows: Int64s) -> Int64s:
        """Bytes of the record and the outside values of each row; a record counts with its first row only."""
        record = self.columns.rows.member[rows]
        sizes = np.where(self.columns.rows.number[rows] == 0, self.columns.members.length[record], 0)
        return sizes + self.outside.row_bytes(rows) if len(self.columns.pieces) else sizes

    @cached_property
    def outside(self) -> OutsidePieces:
        """The values that are stored outside of the rows."""
        return OutsidePieces(self.columns, self.piece_rows, self._is_doubtful)

    # -- one row --------------------------------------------------------------------------------

    def pair(self, row: int) -> Pair:
        """A changed row as an object, for the decoder of single changes."""
        rows, unit = self.columns.rows, int(self.row_unit[row])
        member, number = int(rows.member[row]), int(rows.number[row])
        if self._beside[0] != member:
            first = row - number
            count = int(np.searchsorted(rows.member[first:], member, side="right"))
            self._beside = member, [self._reference(one) for one in range(first, first + count)]
            self._add_pieces(first, self._beside[1])
        is_incomplete = bool(self.is_incomplete[unit])
        transaction = transaction_of(
            self.units, unit, self.authids, number=int(self.unit_numbers[unit]), is_incomplete=is_incomplete
        )
        return transaction, self._beside[1][number]

    def _reference(self, row: int) -> ChangeReference:
        """A changed row, without its pieces."""
        columns, op, is_undone = self.columns, self.ops[row].decode(), bool(self.is_undone[row])
        index = int(columns.members.index[columns.rows.member[row]])
        known = self._context.references.get(row_number(index, int(columns.rows.number[row])))
        reference = reference_of(columns, row, op, is_undone=is_undone) if known is None else known
        reference.op = op
        place = int(np.searchsorted(self._moved, row))
        if place < len(self._moved) and self._moved[place] == row:
            number, offset, length = self._context.moved_from[place].tolist()
            reference.other = RecordExtent(number, ((offset, length),), None)
        if reference.ids is not None:
            reference.gap = self._gap(int(columns.rows.ids[row]), index)
        return reference

    @cached_property
    def _pieces(self) -> tuple[Int64s, Int64s]:
        """Rows of all pieces, sorted, and the numbers of the pieces in this order."""
        rows = self.piece_rows
        order = np.argsort(rows, kind="stable")
        return rows[order], order

    def _add_pieces(self, first: int, references: list[ChangeReference]) -> None:
        """Give the pieces of the row `first` to all rows of its record."""
        rows, order = self._pieces
        low, high = np.searchsorted(rows, first), np.searchsorted(rows, first, side="right")
        pieces = tuple(piece_of(self.columns, piece) for piece in order[low:high].tolist())
        for number, reference in enumerate(references):
            if not reference.pieces:
                reference.is_doubtful = bool(self._is_doubtful[first + number])
                reference.pieces, reference.rivals = pieces, references

    @cached_property
    def _is_doubtful(self) -> Flags:
        """Of each row, whether a record that cannot be read may be a piece of its values."""
        return np.isin(self.columns.row_numbers(), self._context.doubtful)

    # -- many rows --------------------------------------------------------------------------------

    def states(self, rows: Int64s) -> Int64s:
        """The outcome of each row, as a number of `units.STATES`."""
        found: Int64s = np.where(self.is_undone[rows], ROLLED_BACK, self.units.state[self.row_unit[rows]])
        return found

    def included_as(self, rows: Int64s) -> Int64s:
        """The value of `include` that selects each row, as a number of `INCLUDED`."""
        found: Int64s = np.where(self.is_incomplete[self.row_unit[rows]], INCLUDED.index(INCOMPLETE), self.states(rows))
        return found

    def seqs(self, rows: Int64s) -> Bytes:
        """Sort keys as in `Transaction.seq`: (n, digits) characters."""
        found = hex_digits(self._seq_parts(rows))
        found[self.states(rows) != COMMITTED, : len(NOT_COMMITTED)] = ord(NOT_COMMITTED[0])
        return found

    def seq_bytes(self, rows: Int64s) -> Bytes:
        """Sort keys as (n, digits / 2) bytes."""
        found = number_bytes(self._seq_parts(rows))
        found[self.states(rows) != COMMITTED, : len(NOT_COMMITTED) // 2] = 0xFF
        return found

    def _seq_parts(self, rows: Int64s) -> list[tuple[Ints, int]]:
        """The numbers in sort keys, each with its number of digits."""
        columns, units = self.columns, self.units
        members, unit = columns.members, self.row_unit[rows]
        record = columns.rows.member[rows]
        return [
            (units.commit_lfs[unit], 16),
            (units.commit_lsn[unit], 16),
            (members.lfs[record], 16),
            (members.lsn[record], 16),
            (members.stream[record], 4),
            (columns.rows.number[rows], 4),
        ]

    def txn_ids(self, rows: Int64s) -> Bytes:
        """Identifiers of transactions as in `Transaction.txn_id`: (n, digits) characters."""
        unit = self.row_unit[rows]
        return hex_digits([(self.units.tid[unit], 12), (self.units.first_lsn[unit], 16)])

    def versions(self, rows: Int64s, descriptions: Descriptions) -> Iterator[tuple[Table | None, Int64s]]:
        """Descriptions of the tables of some rows, each with the places among `rows` of the rows that have it; or None.

        A description is in force up to the next one. A transaction that describes tables has descriptions of its own.
        """
        columns = self.columns
        ids = columns.rows.ids[rows]
        index = columns.members.index[columns.rows.member[rows]]
        unit = self.row_unit[rows]
        own = np.where(np.isin(unit, self._describing_units), unit, -1)
        for one, places in places_by_value(ids):
            breaks = descriptions.indexes(table_ids(one)) if one != NO_TABLE else []
            if not breaks:
                yield self._description(int(rows[places[0]]), descriptions), places
                continue
            stretch = np.searchsorted(breaks, index[places], side="right")
            _, which = np.unique(np.stack([stretch, own[places]]), axis=1, return_inverse=True)
            for _, some in places_by_value(which.reshape(-1)):
                yield self._description(int(rows[places[some[0]]]), descriptions), places[some]

    def _description(self, row: int, descriptions: Descriptions) -> Table | None:
        try:
            return descriptions.of(*self.pair(row))
        except DataError:
            return None  # it is raised where the row is read by itself

    @cached_property
    def _describing_units(self) -> Int64s:
        """Places of the units whose transactions describe tables."""
        numbers = {record.transaction for records in self._whole.rest.tables.values() for record in records}
        return np.flatnonzero(np.isin(self.unit_numbers, np.fromiter(numbers, np.int64, len(numbers))))

    def gaps(self, rows: Int64s) -> list[str | None] | None:
        """Why rows may be missing before each of some rows; None if that holds for no row."""
        if not self._may_follow_gaps[rows].any():
            return None
        ids = self.columns.rows.ids[rows]
        index = self.columns.members.index[self.columns.rows.member[rows]]
        return [self._gap(one, at) for one, at in zip(ids.tolist(), index.tolist(), strict=True)]

    @cached_property
    def _may_follow_gaps(self) -> Flags:
        """Of each row, whether its table has gaps."""
        return np.isin(self.columns.rows.ids, np.array([table_number(*one) for one in self._whole.gaps], np.int64))

    def _gap(self, ids: int, index: int) -> str | None:
        times = self._whole.gaps.get(table_ids(ids))
        return None if times is None else times.at(index)


def transaction_of(units: Units, unit: int, authids: Sequence[str], *, number: int, is_incomplete: bool) -> Transaction:
    """The transaction of the unit at place `unit`, without its changes; `number` is its number in the log."""
    time, authid = int(units.commit_time[unit]), int(units.authid[unit])
    return Transaction(
        int(units.tid[unit]).to_bytes(6, "big"), int(units.first_lsn[unit]), int(units.first_index[unit]),
        STATES[int(units.state[unit])], bool(units.previous[unit]), bool(is_incomplete), [],
        int(units.commit_lfs[unit]), int(units.commit_lsn[unit]),
        None if time < 0 else time, None if authid < 0 else authids[authid], number,
    )  # fmt: skip


def texts(digits: Bytes) -> Ints:
    """(n, width) characters or bytes as n texts of fixed width, which compare alike."""
    found: Ints = np.ascontiguousarray(digits).view(f"S{digits.shape[1]}")[:, 0]
    return found


def in_commit_order(parts: list[PartRows], max_records: int, max_bytes: int) -> Iterator[ChangeWindow]:
    """The changes of all parts by their sort keys, in windows of limited number and size."""
    form = f"S{SEQ_DIGITS // 2}"
    keys = np.concatenate([np.zeros(0, form), *(texts(part.seq_bytes(part.rows)) for part in parts)])
    rows = np.concatenate([np.zeros(0, np.int64), *(part.rows for part in parts)])
    owner = np.repeat(np.arange(len(parts)), [len(part.rows) for part in parts])
    sizes = np.concatenate([np.zeros(0, np.int64), *(part.sizes(part.rows) for part in parts)])
    extras = [pair for part in parts for pair in part.extras]
    seqs = np.array([bytes.fromhex(transaction.seq(change)) for transaction, change in extras], form)
    order = np.argsort(np.concatenate([keys, seqs]), kind="stable")
    begin = 0
    while begin < len(order):
        window = order[begin : begin + max_records]
        is_row = window < len(rows)
        taken = np.cumsum(np.where(is_row, sizes[np.where(is_row, window, 0)] if len(sizes) else 0, 0))
        window = window[: max(1, int(np.searchsorted(taken, max_bytes, side="right")))]
        is_row = is_row[: len(window)]
        stretches = []
        of_rows = np.flatnonzero(is_row)
        for number, which in places_by_value(owner[window[of_rows]]):
            places = of_rows[which]
            stretches.append(Stretch(parts[number], rows[window[places]], places))
        places = np.flatnonzero(~is_row)
        yield ChangeWindow(stretches, [extras[one - len(rows)] for one in window[places].tolist()], places)
        begin += len(window)
