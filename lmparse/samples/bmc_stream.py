"""Sample: Log Master logs of any size and of any tables, made from a seed. All data are invented.

A block of units of recovery is made once, record by record, as the small sample is. Then it is written to the file
again and again, with the numbers that differ from block to block moved on: positions in the log, times, row ids, keys.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np

from lmparse.db2.tables.table import Column, Table
from lmparse.errors import InvalidValueError, OptionError
from lmparse.samples.blocks import Moved, RecordBlock, counter
from lmparse.samples.bmc_log import (
    GRAPHIC_PAGE,
    LogMaker,
    SampleColumn,
    SampleTable,
    counted,
    framed,
    segment_bytes,
)
from lmparse.samples.keys import FamilyForm, packed, time_digits
from lmparse.samples.rows import (
    START,
    Inventor,
    OpenUnit,
    RowChange,
    Shape,
    Story,
    UnitOfWork,
    kind_of,
    zone_digits,
)
from lmparse.spec import catalog
from lmparse.values import codepages, packed_times, text_times
from lmparse.values.byte_arrays import Bytes, Int64s
from lmparse.values.codepages import CodePage

_UNIT = 0x4000
"""Positions that a unit of recovery takes at most."""
_LONGEST = timedelta(seconds=15)
"""How long it takes: more than its changes may, each of which takes less than a second."""
_VENDOR = {
    "SMALLINT": "INT", "INTEGER": "INT", "BIGINT": "INT", "REAL": "FLOT", "DOUBLE": "FLOT", "DECIMAL": "DEC",
    "CHAR": "CHAR", "VARCHAR": "VCHR", "BINARY": "CHAR", "VARBINARY": "VCHR", "GRAPHIC": "GRPH",
    "VARGRAPHIC": "VGRF", "DATE": "DATE", "TIME": "TIME", "TIMESTAMP": "DTTM", "ROWID": "ROWI", "CLOB": "CLOB",
    "BLOB": "BLOB", "DBCLOB": "DBCL",
}  # fmt: skip
"""LLCOLUMNTYPE by SQL type; a timestamp with time zone is DTTZ."""
_LENGTHS = {"DATE": len("2026-03-14"), "TIME": len("10.11.12"), "ROWI": 17, "BLOB": 0, "CLOB": 0, "DBCL": 0}


def vendor_table(table: Table, page: CodePage) -> SampleTable:
    """A table as Log Master describes it; one with graphic columns is in Unicode.

    Raises OptionError for a type that it has no word for, and for a name that is not in the code page.
    """
    columns = tuple(_vendor_column(table, column) for column in table.columns)
    for name in (table.schema, table.name, *(column.name for column in table.columns)):
        try:
            page.encode(name)
        except InvalidValueError as error:
            raise OptionError(f"the name {name!r} is not in code page {page.name}: {error.message}") from None
    is_unicode = any(column.sql_type.is_graphic for column in table.columns)
    name, owner = table.name or f"T{table.table_id}", table.schema or "SAMPLE"
    ids = table.tablespace_id, table.table_id
    return SampleTable(ids[0], ids[1], ids[1], owner, name, columns, "U" if is_unicode else "E")


def _vendor_column(table: Table, column: Column) -> SampleColumn:
    zoned = kind_of(column) == "zoned"
    type_ = "DTTZ" if zoned else _VENDOR.get(column.type.upper())
    if type_ is None:
        raise OptionError(
            f"column {column.name} of {table.full_name}: Log Master has no word for {column.sql_words}",
            hint="leave the column out",
        )
    length, stored = _LENGTHS.get(type_, column.length), None
    if type_ in ("DTTM", "DTTZ"):
        digits = zone_digits(column) if zoned else column.precision
        length = len("2026-03-14-10.11.12") + (digits + 1 if digits else 0) + len("+01:00") * zoned
    if type_ == "DEC":
        length, stored = column.precision, column.length
    key = table.key.index(column.name) + 1 if column.name in table.key else 0
    subtype = "B" if column.form == "bytes" and type_ in ("CHAR", "VCHR") else ""
    return SampleColumn(column.name, type_, length, column.scale, column.is_nullable, subtype, key, stored)


class StreamMaker(LogMaker):
    """Makes the records of a block, and notes where numbers are that differ from block to block."""

    def __init__(
        self, chance: random.Random, shape: Shape, tables: Sequence[Table], page: CodePage, framing: str = "rdw"
    ) -> None:
        """Raises OptionError as `vendor_table`."""
        super().__init__(chance, [vendor_table(table, page) for table in tables], page)
        graphic = codepages.lookup(GRAPHIC_PAGE)
        shape = replace(shape, lobs=0, lob_bytes=0)  # the log has no values of LOB columns: they are null
        inventors = [
            Inventor(table, FamilyForm("big", one.page(page), graphic, has_packed_times=False), shape, chance)
            for table, one in zip(tables, self.tables, strict=True)
        ]
        self.story, self.framing = Story(inventors, shape, chance), framing
        self._begin_block()

    def _begin_block(self) -> None:
        self.made: list[bytes] = []
        self.story.forget()
        self._keys: list[tuple[int, int, list[tuple[int, int]]]] = []
        """Of each key its table, its number, and for each byte the record and the offset in it."""

    @property
    def _numbers(self) -> dict[str, int]:
        """The numbers that go on from record to record."""
        return {"rba": self.rba, "micros": (self.clock - START) // timedelta(microseconds=1), **self.story.numbers}

    # -- units of recovery ----------------------------------------------------------------------

    def unit(self, unit: UnitOfWork) -> None:
        """Make the records of one unit of recovery."""
        chance = self.chance
        begun, commit = self.tick(), self.rba + _UNIT
        header = self.header({"commit": "C", "abort": "A", "open": " "}[unit.end], begun, commit)
        header |= {
            "auth_id": f"USER{chance.randrange(300)}",
            "plan": chance.choice(("DISTSERV", "DSNTEP2", "PAYPLAN", "ORDPLN01", "")),
            "correlation_id": f"{chance.choice(('PAYJOB', 'ORDERS', 'db2jcc_'))}{chance.randrange(4000):04d}",
            "connection_type": chance.choice(("BT", "TS", "CI", "RU")),
            "connect_id": chance.choice(("BATCH", "TSO", "SERVER", "CICSPRD1")),
            "sql_type": chance.choice(("R", "R", " ")),
        }
        ended = self.clock + _LONGEST
        if unit.end == "commit":
            header["uor_commit_timestamp"] = ended.isoformat(timespec="microseconds")
        for change in unit.changes:
            self._change(change, header | ({"log_rec_disp": "S"} if change.is_taken_back else {}))
        self.rba, self.clock = commit + 0x100, ended
        if isinstance(unit, OpenUnit):
            self.story.end(unit)

    def _change(self, change: RowChange, header: dict[str, Any]) -> None:
        table, kind = self.tables[change.table], self.story.inventors[change.table].key
        rows = [row for row in (change.before, change.after) if row is not None]
        images, keys, place = [], [], 2 * len(counted(b""))
        for row in rows:
            values = [self.value(table, column, row.get(column.name)) for column in table.columns]
            if kind is not None:
                number = kind.column.number
                behind = sum(map(len, values[:number]))
                key = row[kind.column.name]
                keys.append((place + behind - len(key), key))
            images.append(b"".join(values))
            place += len(images[-1]) + len(counted(b""))
        header["change_type"] = "UB" if len(rows) == 2 else "I" if change.before is None else "D"
        data = counted(b"".join(map(counted, images)), itself=True)
        first, capacity = len(self.made), segment_bytes()
        self.made += self.records(table, header, data, change.rid)
        front = len(self.made[first]) - min(len(data), capacity)
        for start, key in keys:
            places = [divmod(at, capacity) for at in range(start, start + len(key))]
            spots = [(first + piece, front + at) for piece, at in places]
            self._keys.append((change.table, key.number, spots))

    # -- blocks -----------------------------------------------------------------------------------

    def skip(self, blocks: int) -> None:
        """Move on as so many repetitions of the block before do."""
        self.rba += blocks * self._steps["rba"]
        self.clock += timedelta(microseconds=blocks * self._steps["micros"])
        self.story.skip({name: blocks * step for name, step in self._steps.items()})

    def block(self, rows: int, *, is_last: bool = False) -> RecordBlock:
        """A block of invented units with so many changes that last; the last one with a unit that stays open."""
        before = self._numbers
        self._begin_block()
        for unit in self.story.units(rows, is_last=is_last):
            self.unit(unit)
        self._steps = {name: number - before[name] for name, number in self._numbers.items()}
        joined, starts = framed(self.made, self.framing)
        data = np.frombuffer(bytearray(joined), np.uint8)
        return RecordBlock(data, starts, list(self._moved(data, starts + (catalog.load("zos_rdw").layout.width or 0))))

    def _moved(self, data: Bytes, starts: Int64s) -> Iterator[Moved]:
        """What is moved on in records at some offsets."""
        for entry in catalog.load("bmc_lldf").layout:
            places, width = starts + (entry.offset or 0), entry.width or 0
            if entry.kind in ("lrsn10", "rba10"):
                yield counter(data, places + width - 8, self._steps["rba"], ">u8")
            elif entry.kind == "timestamp17":
                yield clock(data, places[data[places[:, None] + np.arange(width)].any(axis=1)], self._steps["micros"])
            elif entry.id == "rid":
                yield counter(data, places, self._steps["rid"], ">u4")
        for number, inventor in enumerate(self.story.inventors):
            found = [key for key in self._keys if key[0] == number]
            if inventor.key is not None and found:
                spots = np.array([spots for _, _, spots in found], np.int64)
                numbers = np.array([key for _, key, _ in found], np.int64)
                moved = inventor.key.moved(numbers, self._steps[f"key {number}"])
                yield Moved(starts[spots[..., 0]] + spots[..., 1], moved)


def clock(data: Bytes, places: Int64s, step: int) -> Moved:
    """Timestamps of 17 bytes that grow by some microseconds from block to block."""
    raws = (data[place : place + _TIMESTAMP].tobytes() for place in places.tolist())
    base = np.array([text_times.iso_micros(packed_times.decode_timestamp17(raw) or "") for raw in raws], np.int64)
    return Moved(places[:, None] + np.arange(10), lambda number: packed(time_digits(base + number * step)))


_TIMESTAMP = 17
