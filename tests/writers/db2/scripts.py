"""A log record by record, in any order and with any address: what a script of a sound server cannot say.

`stream` writes logs whose changes are known. Here nothing is known of the meaning: records may point nowhere, streams
run side by side, and bytes are damaged. Only the lengths of records are right, unless a record is torn.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from . import dms
from .framing import Framed, Framing, prefix
from .header import PROPAGATABLE, Header, record, record_type
from .rows import Row, compressed, formatted
from .stream import FIRST_LFS, FIRST_LSN, FIRST_LSO, FIRST_TID
from .tables import Table
from .wire import ByteOrder, Generation, Rid, Server

ID_AT = 8
"""Offset of the first column, an INTEGER, in a formatted row image."""
VARIANTS = 6
"""Different images of each table; each gets numbers of its own."""


@dataclass(frozen=True)
class Form:
    """The bytes that a script is written in."""

    generation: Generation
    byte_order: ByteOrder
    framing: Framing


@dataclass
class Done:
    """A record that may be undone: where it is, the one before it in its transaction, and what undoes it."""

    position: int
    previous: int
    undo: bytes


@dataclass
class Unit:
    """A transaction, or what goes on under its identifier."""

    tid: bytes
    stream: int = 0
    last: int = 0
    left: int = 0
    """Steps up to its end."""
    done: list[Done] = field(default_factory=list)
    place: dms.Place | None = None
    """Of the row that it changed last."""


class Script:
    """A log under construction.

    Attributes:
        data: the log.
        events: how often each kind of event occurred.
    """

    def __init__(self, form: Form, chance: random.Random, *, streams: int = 1, damage: float = 0.0) -> None:
        """Start an empty log; `damage` is the share of records whose bytes are damaged."""
        self.form, self.chance, self.damage = form, chance, damage
        self.server = Server(form.generation, form.byte_order)
        self.data = bytearray()
        self.events: Counter[str] = Counter()
        self.records = self.number = 0
        self.streams = streams if form.generation == "v10" else 1
        self.first = FIRST_LSO if form.generation == "v10" else FIRST_LSN[form.generation]
        """Address of the first record of every stream."""
        self._lsn = FIRST_LSN[form.generation]
        self._lsos = [self.first] * self.streams
        self._lfs = FIRST_LFS
        self._next_tid = FIRST_TID
        self._images: dict[tuple[Table, int], bytes] = {}

    @property
    def is_v10(self) -> bool:
        """10.1 and later."""
        return self.form.generation == "v10"

    def new_tid(self) -> bytes:
        """A transaction identifier that was not used before."""
        self._next_tid += 1
        return self._next_tid.to_bytes(6, self.form.byte_order)

    # Records

    def put(
        self,
        unit: Unit,
        type_name: str,
        body: bytes,
        *,
        flags: int = PROPAGATABLE,
        prior: int = 0,
        compensated: int = 0,
        sqlcode: int = 0,
        type_number: int | None = None,
    ) -> int:
        """Append a record of a transaction; returns its address, which other records refer to."""
        self.events[f"record {type_name}"] += 1
        number = record_type(type_name, self.form.generation) if type_number is None else type_number
        header = Header(
            number, unit.tid, flags, self._lsn, self._lfs, unit.last, unit.stream, prior, compensated
        )  # fmt: skip
        data = record(self.server, header, body)
        lso = self._lsos[unit.stream]
        if self.damage and self.chance.random() < self.damage:
            data = self._damaged(data, len(data) - len(body))
        self._append(Framed(data, self._lsn, lso, self._lfs, unit.stream, sqlcode))
        position = lso if self.is_v10 else self._lsn
        self._lsn += 1 if self.is_v10 else len(data)
        self._lsos[unit.stream] += len(data)
        unit.last = position
        return position

    def _append(self, framed: Framed) -> None:
        if framed.sqlcode:
            framed = replace(framed, real_length=len(framed.data) + 40)
        self.data += prefix(self.form.framing, self.form.byte_order, framed)
        self.data += framed.data
        self.records += 1

    def flush(self) -> None:
        """The log buffer goes to disk: the next records have the next log flush sequence number."""
        self._lfs += 1

    def step(self, unit: Unit, type_name: str, body: bytes, undo: bytes | None = None) -> int:
        """Append a record, which the body `undo` undoes if there is one."""
        previous = unit.last
        position = self.put(unit, type_name, body)
        if undo is not None:
            unit.done.append(Done(position, previous, undo))
        return position

    # Rows

    def image(self, table: Table, *, variant: int | None = None, **row: object) -> bytes:
        """A row image of a table with a number that no other one has; a variant is made once."""
        self.number += 1
        if table.value_compression:
            return compressed(self.server, table.columns, self._row(table, self.number, row))
        chosen = self.chance.randrange(VARIANTS) if variant is None else variant
        if row:
            return formatted(self.server, table.columns, self._row(table, chosen, row))
        known = self._images.get((table, chosen))
        if known is None:
            known = formatted(self.server, table.columns, self._row(table, chosen, {}))
            self._images[table, chosen] = known
        return known[:ID_AT] + self.server.i32(self.number) + known[ID_AT + 4 :]

    def _row(self, table: Table, number: int, given: Row) -> Row:
        makers: dict[str, Callable[[int], object]] = {
            "INTEGER": lambda n: n,
            "BIGINT": lambda n: -n << 40,
            "VARCHAR": lambda n: "åb" * (n % 7),
            "DECIMAL": lambda n: n - 3,
            "DATE": lambda n: f"2026-03-{n % 28 + 1:02}",
            "TIMESTAMP": lambda n: f"2026-03-14T10:11:{n % 60:02}.000123",
            "CHAR": lambda n: f"{n % 1000:03}",
            "DOUBLE": lambda n: n / 7,
        }
        row: dict[str, object] = {}
        for place, column in enumerate(table.columns):
            made = makers.get(column.word)
            is_null = made is None or (column.nullable and (number + place) % 3 == 0)
            row[column.name] = None if is_null or made is None else made(number)
        return {**row, **given}  # type: ignore[dict-item]

    def place(self, unit: Unit, *, same: bool = False) -> dms.Place:
        """A place of a row: often that of the last change, and seldom far away."""
        chance = self.chance
        if unit.place is None or not (same or chance.random() < 0.4):
            page = 0x340 if chance.random() < 0.9 else chance.choice((1, 0xFFFF, 0x12345))
            slot = chance.randrange(12)
            unit.place = dms.Place(Rid(page, slot), 100 + 20 * slot, 50)
        return unit.place

    # Damage

    def _damaged(self, data: bytes, header: int) -> bytes:
        """A record with other bytes, whose length is right."""
        raw, chance, size = bytearray(data), self.chance, len(data)
        kind = chance.choice(("header", "body", "body", "inner length", "shorter", "longer"))
        if kind == "header":
            raw[chance.randrange(4, header)] ^= 1 << chance.randrange(8)
        elif kind == "body" and size > header:
            for _ in range(chance.choice((1, 1, 3))):
                raw[chance.randrange(header, size)] = chance.randrange(256)
        elif kind == "inner length" and size > header + 30:
            # Of the row in the body, of the row in its own header, of the fixed part or the number of columns.
            inner = (12, 20, 24) if self.server.is_v7 else (8, 22, 26)
            place = header + chance.choice(inner)
            raw[place : place + 2] = self.server.u16(chance.choice((0, 1, 7, 255, 0x7FFF, 0xFFFF)))
        elif kind == "shorter" and size > header + 1:
            del raw[chance.randrange(header, size) :]
        else:
            kind = "longer"
            raw += chance.randbytes(chance.choice((1, 4, 30)))
        raw[:4] = self.server.u32(len(raw))
        self.events[f"damage {kind}"] += 1
        return bytes(raw)

    def tear(self, how: str) -> None:
        """The log ends in the middle of a record (`cut`), or with zeros that are none."""
        if how == "cut":
            self.data = self.data[: -self.chance.randrange(1, min(40, len(self.data)))]
            self.events["torn at the end"] += 1
        else:
            self.data += bytes(self.chance.randrange(1, 80))
            self.events["zeros at the end"] += 1
