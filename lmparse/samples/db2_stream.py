"""Sample: Db2 LUW logs of any size, made from a seed, to measure with. All data are invented.

A block of some thousand records is written once, record by record, as the small sample is. Then it is written to the
file again and again, with the numbers that differ from block to block moved on: positions in the log, transactions,
keys, commit times. So a log takes as long as writing it, and no more memory than a block.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lmparse.db2.tables.table import Table, placed
from lmparse.samples.db2_log import RecordChain, Row, SampleWriter, tables_file
from lmparse.spec import catalog
from lmparse.values.byte_arrays import Int64s
from lmparse.values.sql_types import parse_type

_COLUMNS = (
    ("ORDER_ID", "BIGINT", False), ("CUSTOMER", "CHAR(15)", False), ("NAME", "VARCHAR(60)", False),
    ("STREET", "VARCHAR(90)", True), ("CITY", "CHAR(30)", False), ("COUNTRY", "CHAR(4)", True),
    ("AMOUNT", "DECIMAL(13,2)", False), ("TAX", "DECIMAL(9,3)", True), ("STATUS", "SMALLINT", False),
    ("QUANTITY", "INTEGER", True), ("ORDERED", "DATE", False), ("SHIPPED", "DATE", True),
    ("CHANGED", "TIMESTAMP(6)", False), ("NOTE", "VARCHAR(150)", True),
)  # fmt: skip
_LOB = ("DOCUMENT", "CLOB(1M)", True)
_BLOCK_BYTES = 3 << 20
_WORDS = ("Müller", "Anna", "Søren", "Lucja", "Ortiz", "invoice", "ledger", "März", "année", "copy", "final", "draft")
_START = datetime(2026, 3, 14, 10, 11, 12)
_Bytes = npt.NDArray[np.uint8]
_END = object()


@dataclass(frozen=True)
class Shape:
    """What a log is like."""

    aborted: float = 0.08
    """Share of transactions that are rolled back."""
    savepoints: float = 0.05
    """Share of the others that take back their last changes."""
    open_at_once: int = 8
    """Transactions side by side."""
    lobs: float = 0.0
    """Share of inserts with a LOB value; above zero the table has a column for them."""
    lob_bytes: int = 3000


@dataclass(frozen=True)
class RowChange:
    """A change of one row; `before` is None for an insert, `after` for a delete."""

    before: Row | None
    after: Row | None


@dataclass(frozen=True)
class UnitOfWork:
    """The changes of one transaction."""

    changes: Sequence[RowChange]
    is_aborted: bool = False


@dataclass(frozen=True)
class MadeLog:
    """What was written."""

    records: int
    bytes: int


def table(shape: Shape | None = None) -> Table:
    """The table of these logs, 14 columns, its key first; with LOB values one more."""
    columns = (*_COLUMNS, _LOB) if shape is not None and shape.lobs else _COLUMNS
    return Table(4, 9, placed([(name, parse_type(words), null) for name, words, null in columns]), "SALES", "ORDERS")


def write(
    path: Path,
    size: int,
    *,
    seed: int = 1,
    shape: Shape | None = None,
    units: Sequence[UnitOfWork] = (),
    key_step: int = 0,
) -> MadeLog:
    """Write a log of at most `size` bytes, whole records only; its last transactions may be open.

    `units` are the transactions of a block, instead of invented ones; keys grow by `key_step` from block to block, by
    default by the number of records. The same arguments give the same bytes.
    """
    block = _BlockWriter(random.Random(seed), shape or Shape()).block(units, key_step)
    records, left = 0, size
    with open(path, "wb", buffering=0) as file:
        for data in block.repetitions():
            count = len(block.starts)
            if left < len(data):
                count = int(np.searchsorted(block.starts, left, "right")) - 1
                data = data[: block.starts[count]]
            file.write(data.data)
            records, left = records + count, left - len(data)
            if count < len(block.starts):
                break
    return MadeLog(records, size - left)


def describe(shape: Shape | None = None) -> str:
    """The tables file of these logs."""
    return tables_file([table(shape)])


@dataclass(frozen=True)
class _Counter:
    """Numbers of one width that grow by one step from block to block, at places in the block."""

    form: Literal["<u4", "<u8"]
    places: Int64s
    step: int


@dataclass(frozen=True)
class _Block:
    data: _Bytes
    starts: Int64s
    counters: Sequence[_Counter]

    def repetitions(self) -> Iterator[_Bytes]:
        """The block without end, the same array each time."""
        views = [_unaligned(self.data, counter.form) for counter in self.counters]
        while True:
            yield self.data
            for view, counter in zip(views, self.counters, strict=True):
                view[counter.places] += view.dtype.type(counter.step)


def _unaligned(data: _Bytes, form: str) -> Any:
    """Numbers of a form at every byte of an array, whatever their alignment."""
    width = np.dtype(form).itemsize
    return np.ndarray(shape=(len(data) - width + 1,), dtype=form, buffer=data.data, strides=(1,))


class _BlockWriter(SampleWriter):
    """Writes the records of a block, and notes where numbers are that differ from block to block."""

    def __init__(self, chance: random.Random, shape: Shape) -> None:
        super().__init__(chance)
        self._chance, self._shape, self._table = chance, shape, table(shape)
        self._starts: list[int] = []
        self._keys: list[int] = []
        self._times: list[int] = []
        self._addresses: list[int] = []
        self._chains: list[tuple[int, bool]] = []
        """Of each record where its header goes on behind type and flags, and whether it is a compensation."""
        header = catalog.load("db2_row_header").layout
        self._prefix_width = self._specs["prefix"].layouts["db2_prefix.filter"].width or 0
        self._key = sum(entry.width or 0 for entry in header) + (self._place_of("row", "formatted", "fixed_section"))
        update = self._specs["dms"].layouts["db2_dms.update_v97"]
        part = self._specs["dms"].layouts[update["new_row"].type or ""]
        self._between = (update["new_header"].width or 0) + (part["record"].offset or 0)
        """Bytes between the rows of an update."""

    def _place_of(self, spec: str, part: str, name: str) -> int:
        return self._specs[spec].layouts[f"db2_{spec}.{part}"][name].offset or 0

    def block(self, units: Sequence[UnitOfWork], key_step: int) -> _Block:
        """A block of some transactions, or of invented ones up to some size."""
        first_lsn, first_lso, first_tid, first_address = self._lsn, self._lso, self._tid, self._address
        given = iter(units) if units else self._invented()
        running: list[Iterator[None]] = []
        while True:
            while len(running) < self._shape.open_at_once and (unit := next(given, None)) is not None:
                running.append(self._unit(unit))
            if not running:
                break
            place = self._chance.randrange(len(running))
            if next(running[place], _END) is _END:
                running.pop(place)
        steps = {
            "lsn": self._lsn - first_lsn, "lso": self._lso - first_lso, "tid": self._tid - first_tid,
            "address": self._address - first_address, "key": key_step or len(self._starts),
        }  # fmt: skip
        data = np.frombuffer(self.log, np.uint8)
        return _Block(data, np.array(self._starts, np.int64), list(self._counters(data, steps)))

    def _counters(self, data: _Bytes, steps: dict[str, int]) -> Iterator[_Counter]:
        starts = np.array(self._starts, np.int64)
        heads = np.array(self._chains, np.int64)[:, 0]
        chain = self._specs["log"].layouts["db2_log.chain_v10"]
        lri = self._specs["prefix"].layouts["db2_prefix.filter"]
        parts = {name: lri[name].type or "" for name in ("record_lri_type1", "record_lri_type2")}
        inner = {
            name: (lri[name].offset or 0) + (self._specs["prefix"].layouts[type_]["part2"].offset or 0)
            for name, type_ in parts.items()
        }
        yield _Counter("<u8", starts + inner["record_lri_type1"], steps["lsn"])
        yield _Counter("<u8", starts + inner["record_lri_type2"], steps["lso"])
        yield _Counter("<u8", heads + (chain["lsn"].offset or 0), steps["lsn"])
        yield _Counter("<u4", heads + (chain["transaction_id"].offset or 0), steps["tid"])
        eights = _unaligned(data, "<u8")
        places = heads + (chain["previous_lso"].offset or 0)
        yield _Counter("<u8", places[eights[places] > 0], steps["lso"])
        named = np.array([head for head, is_compensation in self._chains if is_compensation], np.int64)
        # Fields of an extension have no offset of their own in the layout: they follow the fixed part in order.
        yield _Counter("<u8", named + self._compensated_place(), steps["lso"])
        yield _Counter("<u8", np.array(self._keys, np.int64), steps["key"])
        yield _Counter("<u8", np.array(self._times, np.int64), 60)
        yield _Counter("<u8", np.array(self._addresses, np.int64), steps["address"])

    def _compensated_place(self) -> int:
        """Offset of the address of the compensated record: as it is encoded."""
        known = dict.fromkeys(("lsn", "lfs", "previous_lso", "before_compensated_log_stream_id"), 0)
        known |= {"before_compensated_lso": 0, "compensated_lso": (1 << 64) - 1}
        rest = {"transaction_id": bytes(6), "reserved": bytes(6)}
        return self._encoded("log", "chain_v10", {**known, **rest}).index(b"\xff" * 8)

    # -- transactions -------------------------------------------------------------------------

    def _invented(self) -> Iterator[UnitOfWork]:
        chance = self._chance
        while len(self.log) < _BLOCK_BYTES:
            changes = []
            for _ in range(chance.randint(1, 9)):
                kind, row = chance.choice("IIUUD"), self._invented_row()
                before = row if kind != "I" else None
                after = {**row, "STATUS": 7, "AMOUNT": Decimal("12.50")} if kind == "U" else row
                changes.append(RowChange(before, None if kind == "D" else after))
            yield UnitOfWork(changes, chance.random() < self._shape.aborted)

    def _invented_row(self) -> Row:
        chance = self._chance
        moment = _START - timedelta(days=chance.randrange(9000), seconds=chance.randrange(86400))
        words = [" ".join(chance.choices(_WORDS, k=chance.randint(2, 5))) for _ in range(5)]
        optional: Row = {
            "STREET": words[1], "COUNTRY": words[3][:2], "TAX": Decimal(chance.randrange(10**7)).scaleb(-3),
            "QUANTITY": chance.randrange(1 << 30), "SHIPPED": moment.date(), "NOTE": words[4],
        }  # fmt: skip
        return {
            "ORDER_ID": chance.randrange(1 << 40), "CUSTOMER": words[0][:10], "NAME": words[0], "CITY": words[2][:20],
            "AMOUNT": Decimal(chance.randrange(-(10**7), 10**8)).scaleb(-2), "STATUS": chance.randrange(1 << 14),
            "ORDERED": moment.date(), "CHANGED": moment.replace(microsecond=123),
            **{name: None if chance.random() < 0.3 else value for name, value in optional.items()},
        }  # fmt: skip

    def _unit(self, unit: UnitOfWork) -> Iterator[None]:
        """Write one transaction record by record; a savepoint takes back changes that are not in `unit`."""
        chain, chance = self._begin(), self._chance
        for change in unit.changes:
            self._write_change(chain, change)
            yield
        if not unit.is_aborted and chance.random() < self._shape.savepoints:
            mark = len(chain.done)
            for change in unit.changes[:3]:
                row = change.after or change.before
                assert row is not None
                self._write_change(chain, RowChange(None, row))
                yield
            while len(chain.done) > mark:
                self._undo(chain, len(chain.done) - 1)
                yield
        while unit.is_aborted and chain.done:
            self._undo(chain, len(chain.done) - 1)
            yield
        self._end(chain, "normal_abort" if unit.is_aborted else "commit", chance.randrange(60))

    def _write_change(self, chain: RecordChain, change: RowChange) -> None:
        before, after = self._whole(change.before), self._whole(change.after)
        if before is not None and after is not None:
            self._update(chain, self._table, next(self._rid), before, after)
        elif after is not None:
            if self._chance.random() < self._shape.lobs:
                after = {**after, "DOCUMENT": "".join(self._chance.choices("abcdefghij ", k=self._shape.lob_bytes))}
            self._insert(chain, self._table, after)
        elif before is not None:
            self._row(chain, "delete_record_v97", self._table, next(self._rid), before)

    def _whole(self, row: Row | None) -> Row | None:
        return row if row is None or not self._shape.lobs else {**row, "DOCUMENT": None}

    # -- places -------------------------------------------------------------------------------

    def _row(self, chain: RecordChain, word: str, table: Table, rid: int, row: Row) -> None:
        super()._row(chain, word, table, rid, row)
        self._keys.append(len(self.log) - len(chain.done[-1].image) + self._key)

    def _update(self, chain: RecordChain, table: Table, rid: int, old: Row, new: Row) -> None:
        super()._update(chain, table, rid, old, new)
        before = chain.done[-1].image
        place = len(self.log) - len(self._image(table, new))
        self._keys += [place - self._between - len(before) + self._key, place + self._key]

    def _write(self, chain: RecordChain, type_: str, body: bytes, compensated: int | None = None) -> int:
        start = len(self.log)
        lso = super()._write(chain, type_, body, compensated)
        self._starts.append(start)
        head = self._specs["log"].layout
        fixed = sum(head[name].width or 0 for name in ("length", "type", "general_flag"))
        self._chains.append((start + self._prefix_width + fixed, compensated is not None))
        place = len(self.log) - len(body)
        if type_ == "commit":
            self._times.append(place + self._place_of("transaction", "commit_v97", "time_committed"))
        elif type_ == "normal" and body[0] == self._components["lob"]:
            self._addresses.append(place + self._place_of("lob", "lob_data", "byte_address"))
        return lso

    def _undo(self, chain: RecordChain, mark: int) -> None:
        while len(chain.done) > mark:
            done = chain.done[-1]
            super()._undo(chain, len(chain.done) - 1)
            if self.log.endswith(done.image):  # what undoes an insert has no row
                self._keys.append(len(self.log) - len(done.image) + self._key)
