"""Changes of Db2 LUW by the column: the rows of many changes of one table version together.

A change that is more than rows in one record, and a row that is marked, is read by the code that reads
changes one by one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.change import ROLES
from lmparse.changes.version_batches import Piece, Slow, Versions, struct
from lmparse.columnar import schemas
from lmparse.columnar.rows import bad_rows
from lmparse.db2 import order
from lmparse.db2.decoder import detail_of, name_of, outcome_of
from lmparse.db2.log import Db2Log
from lmparse.db2.row_places import RowPlaces
from lmparse.db2.row_plan import LuwImagePlan
from lmparse.db2.tables import Table
from lmparse.db2.transaction_index import ChangeReference, Transaction
from lmparse.errors import DataError, LmparseError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import MAX_BYTES, MAX_RECORDS

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Int64s = npt.NDArray[np.int64]


def refusal(log: Db2Log, schema: pa.Schema | None = None) -> str:
    """Why the changes of a log cannot be read by the column, in a schema; empty when they can."""
    if log.options.header:
        return "the header as JSON text is made row by row"
    images = [] if schema is None else [entry for entry in schema if entry.name in ("before", "after")]
    if not all(pa.types.is_struct(entry.type) for entry in images):
        return "images as JSON text are made row by row"
    return ""


@dataclass(frozen=True)
class _Known:
    """What is the same for all changes of one version of a table."""

    table: Table
    schema: str
    name: str
    is_short: bool
    plan: LuwImagePlan | None
    """None when its rows are to be read one by one."""


@dataclass(frozen=True, slots=True)
class _Regular:
    """A change whose rows can be read by the column."""

    number: int
    """Of the change in its window."""
    transaction: Transaction
    entry: ChangeReference
    images: Sequence[tuple[int, int]]
    """Offset in the file and bytes of the row before, the row after, or both in this order."""


class LuwChangeColumns:
    """Reads the changes of one log by the column.

    With a schema, all rows have its columns; else those of each table version have its own.
    """

    def __init__(self, log: Db2Log, schema: pa.Schema | None = None) -> None:
        self.log = log
        self._versions = Versions(log, schema)
        self._wanted_columns = frozenset(log.options.columns) or None
        self._places = RowPlaces(log)
        self._data: Bytes = np.frombuffer(log.buffer, np.uint8)
        self._known: dict[int, _Known] = {}
        """By identity of the table version, which is kept in it."""
        self._details: dict[tuple[bool, str | None], str | None] = {}

    def windows(self, span: Span | None = None) -> Iterator[list[Piece]]:
        """The changes, some thousand at a time. Raises as `Db2Log.typed_changes` does."""
        log = self.log
        log.keeps_bad_records = log.options.mode == "permissive"
        log.begin_changes()
        yield self._versions.slow_pieces([Slow(0, None, row) for row in bad_rows(log)])
        for pairs in _windows(log.in_order()):
            yield from self._window(pairs)
        log.end_changes()

    def _window(self, pairs: Sequence[tuple[Transaction, ChangeReference]]) -> Iterator[list[Piece]]:
        left_out, slow_numbers, found = self._select(pairs)
        pieces: list[Piece] = []
        for known, regular in found:
            piece, irregular = self._piece(known, regular)
            pieces.append(piece)
            slow_numbers += irregular
        slow: list[Slow] = []
        reached, fault = len(pairs), None
        for number in sorted(slow_numbers):
            try:
                slow += self._one_by_one(number, *pairs[number])
            except LmparseError as error:
                # What stands before it counts still.
                reached, fault = number, error
                break
        self.log.left_out.update(why for number, why in left_out if number < reached)
        pieces = [piece.before(reached) for piece in pieces]
        yield self._versions.joined(
            [*(piece for piece in pieces if len(piece.numbers)), *self._versions.slow_pieces(slow)]
        )
        if fault is not None:
            raise fault

    def _select(
        self, pairs: Sequence[tuple[Transaction, ChangeReference]]
    ) -> tuple[list[tuple[int, str]], list[int], list[tuple[_Known, list[_Regular]]]]:
        """Changes that are left out, with the reason; those to be read one by one; the others by table."""
        log = self.log
        left_out: list[tuple[int, str]] = []
        slow: list[int] = []
        found: dict[int, tuple[_Known, list[_Regular]]] = {}
        for number, (transaction, entry) in enumerate(pairs):
            if not log.is_asked_for(entry):
                continue
            why = log.why_left_out(transaction, entry)
            if why is not None:
                left_out.append((number, why))
                continue
            known = self._known_of(transaction, entry)
            images = self._places.of(entry) if known is not None else ()
            if known is None or not images:
                slow.append(number)
            else:
                rows = found.setdefault(id(known.table), (known, []))[1]
                rows.append(_Regular(number, transaction, entry, images))
        return left_out, slow, [*found.values()]

    def _known_of(self, transaction: Transaction, entry: ChangeReference) -> _Known | None:
        """What is known of the table of a change; None when the change is to be read by itself."""
        if entry.op not in ROLES or entry.notice is not None or entry.other is not None:
            return None
        try:
            table = self.log.descriptions.of(transaction, entry)
        except DataError:
            return None
        if table is None:
            return None
        known = self._known.get(id(table))
        if known is None:
            name = name_of(table, entry)
            known = self._known[id(table)] = _Known(table, *name, self._plan(table))
        return known if known.plan is not None else None

    def _plan(self, table: Table) -> LuwImagePlan | None:
        log = self.log
        if log.decoder.first_column_of(table) == 1:
            return None  # which is to be said where its first row is read
        plan = LuwImagePlan(table, log.byte_order, log.code_page, trim=log.options.trim)
        if plan.refusal(self._wanted_columns) or not self._fits(plan):
            return None
        return plan

    def _fits(self, plan: LuwImagePlan) -> bool:
        """Whether the columns of a table fit in those that are asked for, without a change of their values."""
        schema = self._versions.schema(plan.table)
        types = {way.column: way.type for way in plan.ways}
        return all(
            schemas.widened(types.get(entry.name, entry.type), entry.type) == entry.type
            for role in ("before", "after")
            if role in schema.names
            for entry in schema.field(role).type
        )

    # -- one by one -------------------------------------------------------------------------

    def _one_by_one(self, number: int, transaction: Transaction, entry: ChangeReference) -> list[Slow]:
        return self._versions.slow(number, self.log.change_of(transaction, entry))

    # -- many at a time -----------------------------------------------------------------------

    def _piece(self, known: _Known, found: Sequence[_Regular]) -> tuple[Piece, list[int]]:
        """Changes of one table version, and the numbers of those that are to be read one by one after all."""
        assert known.plan is not None
        schema = self._versions.schema(known.table)
        numbers = np.array([row.number for row in found], np.int64)
        is_bad = np.zeros(len(found), np.bool_)
        made = self._about(known, found)
        for role in ("before", "after"):
            held = [
                (place, row.images[roles.index(role)])
                for place, row in enumerate(found)
                if role in (roles := ROLES[row.entry.op])
            ]
            places = np.array([place for place, _ in held], np.int64)
            starts, lengths = np.array([image for _, image in held], np.int64).reshape(-1, 2).T
            decoded = known.plan.decode(self._data, starts, lengths, self._wanted_columns)
            is_bad[places] |= decoded.irregular
            if role in schema.names:
                made[role] = struct(decoded, schema.field(role).type, places, len(found))
        columns = [made[entry.name] if entry.name in made else pa.nulls(len(found), entry.type) for entry in schema]
        batch = pa.RecordBatch.from_arrays(
            [array if array.type == entry.type else array.cast(entry.type)
             for array, entry in zip(columns, schema, strict=True)], schema=schema,
        )  # fmt: skip
        if is_bad.any():
            batch = batch.take(pa.array(np.flatnonzero(~is_bad)))
        return Piece(known.table, batch, numbers[~is_bad]), numbers[is_bad].tolist()

    def _about(self, known: _Known, found: Sequence[_Regular]) -> dict[str, pa.Array]:
        """The columns beside the rows, by name; those that are not in it are null."""
        count = len(found)
        outcomes = [outcome_of(row.transaction, row.entry) for row in found]
        texts = {
            "op": [row.entry.op for row in found],
            "seq": [order.seq(row.transaction, row.entry) for row in found],
            "txn_id": [row.transaction.txn_id for row in found],
            **{name: [outcome[name] for outcome in outcomes] for name in outcomes[0]},
            "detail": [self._detail(row.entry) for row in found],
        }
        made = {name: pa.array(values, schemas.TEXT) for name, values in texts.items()}
        seconds = pa.array([row.transaction.commit_time for row in found], pa.int64())
        made["commit_ts"] = pc.multiply(seconds, 1_000_000).cast(schemas.MICROS)
        for name, value in (("schema_name", known.schema), ("table_name", known.name)):
            made[name] = pa.repeat(pa.scalar(value, schemas.TEXT), count)
        made["table_name_short"] = pa.repeat(pa.scalar(known.is_short), count)
        made["_metadata"] = self._metadata([row.entry.extent for row in found])
        return made

    def _detail(self, entry: ChangeReference) -> str | None:
        key = entry.is_half, entry.gap
        if key not in self._details:
            detail = detail_of(entry)
            self._details[key] = json.dumps(detail, ensure_ascii=False) if detail else None
        return self._details[key]

    def _metadata(self, extents: Sequence[RecordExtent]) -> pa.Array:
        origin = self.log.origin
        file, spec, sha256 = (
            pa.repeat(pa.scalar(origin[name], schemas.TEXT), len(extents)) for name in ("file", "spec", "spec_hash")
        )
        places = (pa.array(values, pa.int64()) for values in zip(*map(_place, extents), strict=True))
        return pa.StructArray.from_arrays([file, *places, spec, sha256], fields=list(schemas.METADATA))


def _place(extent: RecordExtent) -> tuple[int, int, int]:
    return extent.index, extent.offset, extent.length


def _windows(
    pairs: Iterator[tuple[Transaction, ChangeReference]],
) -> Iterator[list[tuple[Transaction, ChangeReference]]]:
    """Changes in parts of some thousand, and of some bytes."""
    held: list[tuple[Transaction, ChangeReference]] = []
    size, last = 0, -1
    for transaction, entry in pairs:
        # Rows of one record count once.
        size += entry.extent.length if entry.extent.index != last else 0
        last = entry.extent.index
        held.append((transaction, entry))
        if len(held) == MAX_RECORDS or size >= MAX_BYTES:
            yield held
            held, size = [], 0
    if held:
        yield held
