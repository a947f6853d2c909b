"""Db2 LUW logs to measure with: of one table, of any size, made from a seed, of given transactions too."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lmparse.db2.tables.table import Table
from lmparse.samples import blocks
from lmparse.samples.db2_log import tables_file
from lmparse.samples.db2_stream import StreamWriter
from lmparse.samples.rows import OpenUnit, Row, Shape, Story, UnitOfWork, described

COLUMNS = (
    ("ORDER_ID", "BIGINT", False), ("CUSTOMER", "CHAR(15)", False), ("NAME", "VARCHAR(60)", False),
    ("STREET", "VARCHAR(90)", True), ("CITY", "CHAR(30)", False), ("COUNTRY", "CHAR(4)", True),
    ("AMOUNT", "DECIMAL(13,2)", False), ("TAX", "DECIMAL(9,3)", True), ("STATUS", "SMALLINT", False),
    ("QUANTITY", "INTEGER", True), ("ORDERED", "DATE", False), ("SHIPPED", "DATE", True),
    ("CHANGED", "TIMESTAMP(6)", False), ("NOTE", "VARCHAR(150)", True),
)  # fmt: skip
_LOB = ("DOCUMENT", "CLOB(1M)", True)


@dataclass(frozen=True)
class MadeLog:
    """What was written."""

    records: int
    bytes: int


def table(shape: Shape | None = None) -> Table:
    """The table, 14 columns, its key first; with LOB values one more."""
    columns = (*COLUMNS, _LOB) if shape is not None and shape.lobs else COLUMNS
    return Table(4, 9, described(columns), "SALES", "ORDERS", key=("ORDER_ID",))


def describe(shape: Shape | None = None) -> str:
    """The tables file of these logs."""
    return tables_file([table(shape)])


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

    `units` are the transactions of a block, instead of invented ones; their keys grow by `key_step` from block to
    block. The same arguments give the same bytes.
    """
    shape = shape or Shape()
    writer = StreamWriter(random.Random(seed), shape, [table(shape)])
    if units:
        writer.story = _Given(writer.story, units, key_step)
    with open(path, "wb", buffering=0) as file:
        return MadeLog(*writer.block(blocks.BLOCK_ROWS).write(file, size))


class _Given(Story):
    """Given transactions on the one table."""

    def __init__(self, story: Story, units: Sequence[UnitOfWork], key_step: int) -> None:
        super().__init__(story.inventors, story.shape, story.chance)
        self._units, self._key_step = units, key_step

    def units(self, rows: int, *, is_last: bool = False) -> Iterator[OpenUnit]:
        for unit in self._units:
            changes = [
                replace(one, before=self._keyed(one.before), after=self._keyed(one.after)) for one in unit.changes
            ]
            yield OpenUnit(changes, unit.end)
        self.inventors[0].inserted += self._key_step

    def _keyed(self, row: Row | None) -> Row | None:
        key = self.inventors[0].key
        assert key is not None
        return row and {**row, key.column.name: key.value(row[key.column.name])}
