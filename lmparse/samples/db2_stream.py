"""Sample: Db2 LUW logs of any size and of any tables, made from a seed. All data are invented.

A block of transactions is written once, record by record, as the small sample is. Then it is written to the file again
and again, with the numbers that differ from block to block moved on: positions in the log, transactions, keys, commit
times. Row ids stay as they are.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np

from lmparse.db2.rows.row_reader import GRAPHIC_PAGE
from lmparse.db2.tables.table import Table, slot_width
from lmparse.errors import OptionError
from lmparse.samples.blocks import Moved, RecordBlock, counter
from lmparse.samples.db2_log import RecordChain, SampleWriter
from lmparse.samples.keys import FamilyForm
from lmparse.samples.rows import Inventor, OpenUnit, Row, RowChange, Shape, Story, UnitOfWork, kind_of
from lmparse.spec import catalog
from lmparse.values import codepages
from lmparse.values.byte_arrays import Bytes
from lmparse.values.codepages import CodePage

_PIECE = 1 << 15
"""Bytes of an XML document in one record."""
_END = object()


class StreamWriter(SampleWriter):
    """Writes the records of a block, and notes where numbers are that differ from block to block."""

    def __init__(
        self, chance: random.Random, shape: Shape, tables: Sequence[Table], page: CodePage = SampleWriter.page
    ) -> None:
        """Raises OptionError for a column of a type that no row of Db2 LUW has."""
        super().__init__(chance)
        for one in tables:
            for column in one.columns:
                if kind_of(column) in ("rowid", "zoned"):
                    raise OptionError(
                        f"column {column.name} of {one.full_name} is {column.type}, which is no type of Db2 LUW"
                    )
        self.page, self._chance, self._shape, self._tables = page, chance, shape, tables
        style = FamilyForm("little", page, codepages.lookup(GRAPHIC_PAGE), has_packed_times=True)
        self.story = Story([Inventor(one, style, shape, chance) for one in tables], shape, chance)
        self._ended = 0
        header = catalog.load("db2_row_header").layout
        self._prefix_width = self._specs["prefix"].layouts["db2_prefix.filter"].width or 0
        self._row_start = sum(entry.width or 0 for entry in header) + self._place_of(
            "row", "formatted", "fixed_section"
        )
        self._begin_block()

    def _begin_block(self) -> None:
        self.log = bytearray()
        self.story.forget()
        self._starts: list[int] = []
        self._keys: list[tuple[int, int, int]] = []
        """Of each key its table, its place and its number."""
        self._noted: dict[int, tuple[int, Row]] = {}
        """Table and row of each change that may be undone, by its address."""
        self._times: list[int] = []
        self._addresses: list[int] = []
        self._chains: list[tuple[int, bool]] = []
        """Of each record where its header goes on behind type and flags, and whether it is a compensation."""

    def _place_of(self, spec: str, part: str, name: str) -> int:
        return self._specs[spec].layouts[f"db2_{spec}.{part}"][name].offset or 0

    @property
    def _numbers(self) -> dict[str, int]:
        """The numbers that go on from record to record."""
        return {
            "lsn": self._lsn, "lso": self._lso, "tid": self._tid, "address": self._address, "time": self._ended,
            **self.story.numbers,
        }  # fmt: skip

    def skip(self, blocks: int) -> None:
        """Move on as so many repetitions of the block before do."""
        steps = {name: blocks * step for name, step in self._steps.items()}
        self._lsn, self._lso, self._tid = self._lsn + steps["lsn"], self._lso + steps["lso"], self._tid + steps["tid"]
        self._address, self._ended = self._address + steps["address"], self._ended + steps["time"]
        self.story.skip(steps)

    def block(self, rows: int, *, is_last: bool = False) -> RecordBlock:
        """A block of invented transactions with so many changes that last; the last one with one that stays open."""
        before = self._numbers
        self._begin_block()
        following = self.story.units(rows, is_last=is_last)
        running: list[Iterator[None]] = []
        while True:
            while len(running) < self._shape.open_at_once and (unit := next(following, None)) is not None:
                running.append(self._unit(unit))
            if not running:
                break
            place = self._chance.randrange(len(running))
            if next(running[place], _END) is _END:
                running.pop(place)
        self._steps = {name: number - before[name] for name, number in self._numbers.items()}
        data = np.frombuffer(self.log, np.uint8)
        return RecordBlock(data, np.array(self._starts, np.int64), list(self._moved(data, self._steps)))

    def _moved(self, data: Bytes, steps: dict[str, int]) -> Iterator[Moved]:
        starts = np.array(self._starts, np.int64)
        heads = np.array([head for head, _ in self._chains], np.int64)
        chain = self._specs["log"].layouts["db2_log.chain_v10"]
        lri = self._specs["prefix"].layouts["db2_prefix.filter"]
        parts = {name: lri[name].type or "" for name in ("record_lri_type1", "record_lri_type2")}
        inner = {
            name: (lri[name].offset or 0) + (self._specs["prefix"].layouts[type_]["part2"].offset or 0)
            for name, type_ in parts.items()
        }
        yield counter(data, starts + inner["record_lri_type1"], steps["lsn"], "<u8")
        yield counter(data, starts + inner["record_lri_type2"], steps["lso"], "<u8")
        yield counter(data, heads + (chain["lsn"].offset or 0), steps["lsn"], "<u8")
        yield counter(data, heads + (chain["transaction_id"].offset or 0), steps["tid"], "<u4")
        yield counter(data, heads + (chain["previous_lso"].offset or 0), steps["lso"], "<u8")
        named = np.array([head for head, is_compensation in self._chains if is_compensation], np.int64)
        # Fields of an extension have no offset of their own in the layout: they follow the fixed part in order.
        yield counter(data, named + self._compensated_place(), steps["lso"], "<u8")
        yield counter(data, np.array(self._times, np.int64), steps["time"], "<u8")
        yield counter(data, np.array(self._addresses, np.int64), steps["address"], "<u8")
        for number, inventor in enumerate(self.story.inventors):
            keys = np.array([key[1:] for key in self._keys if key[0] == number], np.int64).reshape(-1, 2)
            if inventor.key is not None and len(keys):
                places = keys[:, :1] + np.arange(len(inventor.key.value(0)))
                yield Moved(places, inventor.key.moved(keys[:, 1], steps[f"key {number}"]))

    def _compensated_place(self) -> int:
        """Offset of the address of the compensated record: as it is encoded."""
        known = dict.fromkeys(("lsn", "lfs", "previous_lso", "before_compensated_log_stream_id"), 0)
        known |= {"before_compensated_lso": 0, "compensated_lso": (1 << 64) - 1}
        rest = {"transaction_id": bytes(6), "reserved": bytes(6)}
        return self._encoded("log", "chain_v10", {**known, **rest}).index(b"\xff" * 8)

    # -- transactions -------------------------------------------------------------------------

    def _unit(self, unit: UnitOfWork) -> Iterator[None]:
        """Write one transaction record by record."""
        chain = self._begin()
        mark = 0
        for change, following in zip(unit.changes, [*unit.changes[1:], None], strict=True):
            mark = mark if change.is_taken_back else len(chain.done) + 1
            self._write_change(chain, change)
            yield
            is_last_of_savepoint = following is None or not following.is_taken_back
            while change.is_taken_back and is_last_of_savepoint and len(chain.done) > mark:
                self._take_back(chain)
                yield
        while unit.end == "abort" and chain.done:
            self._take_back(chain)
            yield
        if unit.end != "open":
            self._ended += 1
            self._end(chain, "commit" if unit.end == "commit" else "normal_abort", self._ended / 60)
        if isinstance(unit, OpenUnit):
            self.story.end(unit)

    def _write_change(self, chain: RecordChain, change: RowChange) -> None:
        table, rid = self._tables[change.table], next(self._rid) if change.rid is None else change.rid
        before, after = change.before, change.after
        if before is not None and after is not None:
            self._update(chain, table, rid, before, after)
            first = self.log.index(chain.done[-1].image, self._starts[-1])
            places = [(first, before), (len(self.log) - len(self._image(table, after)), after)]
        else:
            row = before or after
            assert row is not None
            if after is not None:
                self._outside(chain, table, row)
            self._row(chain, "delete_record_v97" if after is None else "insert_record_v97", table, rid, row)
            places = [(len(self.log) - len(chain.done[-1].image), row)]
        self._noted[chain.done[-1].lso] = change.table, places[0][1]
        for place, row in places:
            self._note_key(place, change.table, row)

    def _outside(self, chain: RecordChain, table: Table, row: Row) -> None:
        super()._outside(chain, table, row)
        ids = {"pool_id": table.tablespace_id, "object_id": table.table_id}
        ids |= {"parent_pool_id": table.tablespace_id, "parent_object_id": table.table_id}
        for column in table.columns:
            data = (row[column.name] or "").encode() if column.type == "XML" else b""
            for start in range(0, len(data), _PIECE):
                piece = data[start : start + _PIECE]
                operation = self._specs["xml"].enum("operation")["xml_data"]
                known = {
                    "component": self._components["csl"], "operation_id": operation, "object_type": 6,
                    "data_length": len(piece), "column_id": column.number - 1, "data": piece, **ids,
                }  # fmt: skip
                self._write(chain, "information_only", self._encoded("xml", "xml_data", known))

    # -- places -------------------------------------------------------------------------------

    def _note_key(self, place: int, number: int, row: Row) -> None:
        """Note the key of a row that begins at a place, of the last record."""
        key = self.story.inventors[number].key
        if key is None:
            return
        start = place + self._row_start
        at = start + key.column.offset
        if key.column.sql_type.is_varying:
            at = start + int.from_bytes(self.log[at : at + slot_width() // 2], "little")
        self._keys.append((number, at, row[key.column.name].number))

    def _take_back(self, chain: RecordChain) -> None:
        """Write the compensation of the last change of a transaction."""
        done = chain.done[-1]
        self._undo(chain, len(chain.done) - 1)
        if self.log.endswith(done.image):  # what undoes an insert has no row
            self._note_key(len(self.log) - len(done.image), *self._noted[done.lso])

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
