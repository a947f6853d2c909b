"""Histories of tables as logs of Log Master, and extracts of them in which units of recovery are open at the end."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from writers.bmc import control, framing, logs
from writers.bmc.rows import Column

from random_logs.landed_columns import Field, kinds_for
from random_logs.landed_history import COUNTS, OPERATIONS, Event, History, Row, Wish

LRSN, RBA = 0x00DE1234670000000000, 0x12345000
_NEVER = 1 << 15
"""Place of the end of a unit that is not in the log."""
_KINDS = {"insert": "I", "update": "UB", "delete": "D"}
_NO_COMMIT = ("uorcommittimestamp", "uorcommitlrsn", "uorcommitpoint")


@dataclass(frozen=True)
class Unit(logs.Unit):
    """A unit of recovery of which the numbers of the changes before its begin and its end are known."""

    begun: int = 0
    ended: int = 0
    place: int = 0
    """Its place among the ends of units."""

    @property
    def rba(self) -> str:
        """UORID: behind the record before its first one."""
        return f"{RBA + 0x100 * self.begun + 0x10 + self.number % 0x80:020X}"

    @property
    def lrsn(self) -> str:
        """UORIDLRSN."""
        return f"{LRSN + (self.begun << 24) + 0x1000 + self.number:020X}"

    @property
    def commit_lrsn(self) -> str:
        """UORCOMMITLRSN: behind the record before it."""
        return f"{LRSN + (self.ended << 24) + 0x800000 + self.place:020X}"

    @property
    def time(self) -> datetime:
        """When it was committed."""
        return datetime(2026, 3, 14, 10, 30) + timedelta(hours=7 * self.place, microseconds=250000)

    @property
    def commit_ts(self) -> str:
        """UORCOMMITTIMESTAMP."""
        return self.time.isoformat()

    def header_fields(self) -> dict[str, Any]:
        """The fields of the header that name this unit."""
        point = f"{RBA + 0x100 * self.ended + 0x90 + self.place % 0x70:020X}" if self.committed else None
        time = (datetime(2026, 3, 14, 10, 11) + timedelta(seconds=self.begun)).isoformat()
        return {**super().header_fields(), "uor_commit_point": point, "uor_timestamp": time}


@dataclass
class LogMasterLog:
    """A log, and the units of its records."""

    history: History
    example: logs.Example
    units: dict[int, Unit]
    owners: list[int]
    """Of each record, the number of its unit."""
    ticks: list[int]
    """Of each record, the number of its change."""
    whole: set[int]
    """Units that took changes back: the extract with their end has all of them."""
    options: dict[str, Any]

    @property
    def commits(self) -> dict[int, datetime]:
        """The time of the commit of each unit."""
        return {number: unit.time for number, unit in self.units.items() if unit.committed}

    def files(self, chance: random.Random, folder: Path) -> list[Path]:
        """The log in one to seven extracts. The next one has the units that are open at an end whole, or their rest.

        They are whole at least if some took changes back: which of them stay is stated at the end.
        """
        size = len(self.owners)
        behind = {tick: place for place, tick in enumerate(self.ticks, 1)}
        cuts, last = [], 0  # a change in segments is never cut: such extracts are refused
        for place, tick in enumerate(self.ticks[:-1], 1):
            last = max(last, behind[tick])
            if last == place:
                cuts.append(place)
        count = min(chance.choice(COUNTS), len(cuts) + 1)
        places = [*sorted(chance.sample(cuts, count - 1)), size]
        found, start = [], 0
        is_open: list[int] = []
        is_whole = bool(self.whole) or chance.random() < 0.7
        for number, end in enumerate(places):
            old = [place for place in range(start) if is_whole and self.owners[place] in is_open]
            chosen = [*old, *range(start, end)]
            is_open = self._open_at(chance, end, is_whole=is_whole)
            found.append(folder / f"{number}.dat")
            found[-1].write_bytes(framing.rdw([self._record(place, is_open) for place in chosen]))
            found[-1].with_suffix(".ctl").write_bytes(framing.rdw(self.example.control_records))
            start = end
        return found

    def _open_at(self, chance: random.Random, end: int, *, is_whole: bool) -> list[int]:
        """Units that have not ended where an extract ends, in front of a record or behind the last one.

        If the next extracts have the rest of them only, it is those that have one.
        """
        if end == len(self.owners):
            return []
        last = max(self.ticks[:end])
        begun = [self.units[number] for number in dict.fromkeys(self.owners[:end])]
        going_on = {*self.owners[end:]}
        first = chance.choice([*(unit.place for unit in begun if unit.ended == last), len(self.units)])
        first = min([first, *(unit.place for unit in begun if unit.number in going_on)])
        is_open = [unit.number for unit in begun if unit.ended > last or unit.place >= first]
        return [number for number in is_open if is_whole or number in going_on]

    def _record(self, place: int, is_open: Sequence[int]) -> bytes:
        record = self.example.data_records[place]
        if self.owners[place] not in is_open:
            return record
        return logs.changed(record, uordisp=b"\x40", **dict.fromkeys(_NO_COMMIT, b""))


def wish(chance: random.Random, is_unicode: bool) -> Wish:
    """What a history may have: drops are not in a log, or not so that they are known (docs/land.md)."""
    begins = chance.choice(("created", "created", "known", "unknown"))
    kinds = tuple(kinds_for("bmc", is_unicode=is_unicode))
    return Wish(kinds, chance.choice((1, 1, 2)), chance.choice((12, 25, 45)), drops=False, begins=begins)


def log_master_log(chance: random.Random, folder: Path) -> LogMasterLog:
    """A random log."""
    is_unicode = chance.random() < 0.5
    history = History(chance, wish(chance, is_unicode))
    tables = [_table(history, number, is_unicode) for number in range(len(history.tables))]
    writing = _Writing(chance, history, tables)
    for place, event in enumerate(history.events):
        if event.kind in OPERATIONS:
            writing.write(place, event)
    return writing.log({"control": str(folder / "{stem}.ctl")})


class _Writing:
    """Events as records."""

    def __init__(self, chance: random.Random, history: History, tables: Sequence[control.Table]) -> None:
        self._chance, self._history, self._tables = chance, history, tables
        self._writer = logs.Writer(tables)
        self._units = _units(history)
        self._taken_back = _taken_back(history.events)
        self._whole = {history.events[place].unit for place in self._taken_back}
        self._owners: list[int] = []
        self._ticks: list[int] = []
        self._held: list[tuple[Any, int, int]] = []
        """The last segment of a change, which is behind the next change, its unit, and the number of its change."""

    def write(self, place: int, event: Event) -> None:
        """Write a change."""
        pieces = [(piece, event.unit, self._writer._tick) for piece in self._pieces(place, event)]
        may_wait = len(pieces) > 1 and _goes_on(self._history.events[place + 1 :])
        last = [pieces.pop()] if may_wait and self._chance.random() < 0.5 else []
        self._put([*pieces, *self._held])
        self._held = last

    def _put(self, pieces: Sequence[tuple[Any, int, int]]) -> None:
        for piece, unit, tick in pieces:
            self._writer.put(*piece)
            self._owners.append(unit)
            self._ticks.append(tick)

    def _pieces(self, place: int, event: Event) -> list[Any]:
        unit, table = self._units[event.unit], self._tables[event.table]
        header: dict[str, Any] = {"uor_has_comp": "Y"} if event.unit in self._whole else {}
        if place in self._taken_back:
            header["log_rec_disp"] = "S"
        if event.kind == "truncate":
            return self._writer.pieces(unit, table, self._chance.choice(("DT", "DM")), **header)
        before, after = (None if row is None else _values(table, row) for row in (event.before, event.after))
        kind = self._chance.choice(("I", "IL")) if event.kind == "insert" else _KINDS[event.kind]
        segments = self._chance.choice((1, 1, 1, 1, 2, 3))
        return self._writer.pieces(unit, table, kind, before, after, segments=segments, **header)

    def log(self, options: dict[str, Any]) -> LogMasterLog:
        """What has been written."""
        self._put(self._held)
        example = self._writer.example(describe_header=False, indexes=False)
        return LogMasterLog(self._history, example, self._units, self._owners, self._ticks, self._whole, options)


def _goes_on(events: Sequence[Event]) -> bool:
    """Whether the next record of the log is of a change, and not of the end of a unit."""
    return next((event.kind in OPERATIONS for event in events if event.kind in (*OPERATIONS, "commit", "abort")), False)


def _values(table: control.Table, row: Row) -> dict[str, Any]:
    return {one.name: row.values[one.name] for one in table.columns}


def _table(history: History, number: int, is_unicode: bool) -> control.Table:
    one = history.tables[number]
    columns = tuple(_column(field_, one.key) for field_ in one.fields)
    return control.Table(
        0x0105, 2 * number + 2, 2 * number + 3, "PROD", one.name, columns,
        encoding_scheme="U" if is_unicode else "E",
    )  # fmt: skip


def _column(one: Field, key: list[str]) -> Column:
    assert one.kind.bmc is not None
    word, length, scale = one.kind.bmc
    subtype = ("B" if one.kind.is_bytes else "S") if word in ("CHAR", "VCHR") else ""
    place = key.index(one.name) + 1 if one.is_key else 0
    return Column(one.name, word, length, scale, "Y" if one.is_nullable else "N", subtype, key_seq=place)


def _units(history: History) -> dict[int, Unit]:
    """The units: where they begin and end among the changes, and how."""
    begun: dict[int, int] = {}
    found: dict[int, Unit] = {}
    tick = 0
    for event in history.events:
        if event.kind in OPERATIONS:
            begun.setdefault(event.unit, tick)
            tick += 1
        elif event.kind in ("commit", "abort") and event.unit in begun:
            found[event.unit] = Unit(
                event.unit, event.kind[0].upper(), begun=begun[event.unit], ended=tick, place=len(found)
            )
    for number in begun:
        found.setdefault(number, Unit(number, "", begun=begun[number], ended=tick + 1, place=_NEVER))
    return found


def _taken_back(events: Sequence[Event]) -> set[int]:
    """Numbers of the events that a rollback to a savepoint takes back."""
    return {place for unit in {event.unit for event in events} for place in _taken_back_in(events, unit)}


def _taken_back_in(events: Sequence[Event], unit: int) -> Iterator[int]:
    own = [(place, event.kind) for place, event in enumerate(events) if event.unit == unit]
    mark = 0
    for number, (_, kind) in enumerate(own):
        if kind == "mark":
            mark = number
        elif kind == "rollback":
            yield from (place for place, event in own[mark:number] if event in OPERATIONS)
