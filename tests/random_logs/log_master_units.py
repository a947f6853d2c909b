"""Random units of recovery of Log Master, the records that extracts have of them, and the rows that they must give."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.fields import key
from writers.bmc.rows import Column, image

from random_logs.log_master_readings import Row

_TICKS = 400
"""Positions of a log."""
_NEW_VERSION = 200
"""Position from which on the first table has one more column."""
_IDS = Column("K", "INT", 4, key_seq=1), Column("V", "VCHR", 600)
_ROLES = {"I": ("after",), "D": ("before",), "UB": ("before", "after")}
_OPERATIONS = {"I": "I", "D": "D", "UB": "U"}
_NO_COMMIT = "F" * 20


def _hex(number: int) -> str:
    return f"{number:020X}"


@dataclass(frozen=True)
class Scale:
    """How positions are written."""

    is_sharing: bool

    def rba(self, tick: int, member: int = 0) -> str:
        return _hex(0x500000 + tick * 0x1000 + member * 7)

    def lrsn(self, tick: int) -> str:
        """That of a clock; where nothing is shared, it is the RBA."""
        if not self.is_sharing:
            return self.rba(tick)
        return _hex(0xDE1234000000 + tick * 0x10 << 24 | 0x123456)


@dataclass(frozen=True)
class Unit:
    """A unit of recovery: where it begins and ends, and what became of it."""

    number: int
    begins: int
    ends: int
    disposition: str
    member: int

    @property
    def commit_ts(self) -> str:
        return f"2026-03-14T10:{self.ends // 60:02d}:{self.ends % 60:02d}.250000"

    def txn_id(self, scale: Scale) -> str:
        return f"{self.member:04X}{self.rba(scale)}"

    def rba(self, scale: Scale) -> str:
        return _hex(int(scale.rba(self.begins), 16) + self.number)

    def commit(self, scale: Scale) -> str:
        """UORCOMMITLRSN."""
        return scale.lrsn(self.ends)

    def header(self, scale: Scale, *, is_open: bool) -> dict[str, Any]:
        """The fields of its records; in an extract that ends before it, its outcome is not there."""
        found = {
            "member_id": self.member, "uor_id": self.rba(scale), "uor_id_lrsn": scale.lrsn(self.begins),
            "uor_disp": " " if is_open else self.disposition, "uor_timestamp": "2026-03-14T10:10:00",
            "uor_commit_timestamp": None, "uor_commit_lrsn": None, "uor_commit_point": None,
        }  # fmt: skip
        if not is_open and self.disposition == "C":
            found |= {"uor_commit_timestamp": self.commit_ts, "uor_commit_lrsn": self.commit(scale),
                      "uor_commit_point": scale.rba(self.ends)}  # fmt: skip
        return found


@dataclass(frozen=True, eq=False)
class Statement:
    """One change, and its records."""

    tick: int
    unit: Unit
    table: Table
    change_type: str
    rows: tuple[Row, ...]
    segments: int
    number: int

    def shown(self, scale: Scale) -> Row:
        """What is known of the change that it must give."""
        is_committed = self.unit.disposition == "C"
        images = dict(zip(_ROLES[self.change_type], self.rows, strict=True))
        commit = self.unit.commit(scale) if is_committed else _NO_COMMIT
        place = scale.lrsn(self.tick) + scale.rba(self.tick, self.unit.member) + f"{self.unit.member:04X}{0:08X}"
        return {
            "op": _OPERATIONS[self.change_type], "seq": commit + place, "txn_id": self.unit.txn_id(scale),
            "commit_ts": self.unit.commit_ts if is_committed else None, "schema_name": self.table.owner,
            "table_name": self.table.name, "before": images.get("before"), "after": images.get("after"),
            "uor_disp": self.unit.disposition,
        }  # fmt: skip


KNOWN = ("op", "seq", "txn_id", "commit_ts", "schema_name", "table_name", "before", "after", "uor_disp")


@dataclass(frozen=True)
class Piece:
    """A record: a statement, or one of its segments."""

    statement: Statement
    segment: int

    @property
    def tick(self) -> int:
        return self.statement.tick

    @property
    def unit(self) -> Unit:
        return self.statement.unit


Lines = tuple[lldf.HeaderField, ...] | None


@dataclass
class Log:
    """A log: its tables, and records in their order."""

    scale: Scale
    base: Any
    forms: list[Lines]
    """How headers are written, of one extract or another."""
    tables: list[Table] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)

    @property
    def statements(self) -> list[Statement]:
        return list(dict.fromkeys(piece.statement for piece in self.pieces))

    def write(self, path: Path, pieces: Sequence[Piece], form: int, until: int) -> Path:
        """An extract that ends at a position, with a control file of the same stem."""
        lines = self.forms[form]
        records = [self._records(piece.statement, lines, until)[piece.segment] for piece in pieces]
        path.write_bytes(framing.rdw(records))
        is_segmented = any(piece.statement.segments > 1 for piece in pieces)
        described = control.for_tables(self.tables, header=lines, describe_header=lines is not None, indexes=False,
                                       dlds_fields={"SEGMENTED": "Y" if is_segmented else "N"})  # fmt: skip
        path.with_suffix(".ctl").write_bytes(framing.rdw(described))
        return path

    def _records(self, statement: Statement, lines: Lines, until: int) -> list[bytes]:
        unit, scale = statement.unit, self.scale
        values = {
            **unit.header(scale, is_open=unit.ends > until), **statement.table.header_fields,
            "change_type": statement.change_type, "log_lrsn": scale.lrsn(statement.tick),
            "log_rba": scale.rba(statement.tick, unit.member), "rid": f"{statement.number:010X}", "sql_type": "R",
            "log_rec_disp": "C" if unit.disposition == "C" else "A", "timestamp": "2026-03-14T10:11:12.000123",
        }  # fmt: skip
        values = {key(name): value for name, value in values.items()}
        images = [image(statement.table.columns, row) for row in statement.rows]
        data = lldf.data_area(statement.change_type, images)
        if statement.segments == 1:
            return [lldf.record(data, lines=lines, **values)]
        return lldf.segmented(values, data, -(-len(data) // statement.segments), self.base, lines=lines)


def some_log(chance: random.Random) -> Log:
    """Units that overlap, with segments of one change among records of others here and there."""
    is_sharing = chance.random() < 0.5
    scale = Scale(is_sharing)
    log = Log(scale, chance.choice((0, 1)), _some_forms(chance, scale))
    log.tables = tables_of(log.scale)
    taken: set[tuple[int, int]] = set()
    for number in range(chance.randrange(2, 9)):
        log.units.append(_some_unit(chance, number, is_sharing=is_sharing))
    places = [(tick, unit) for unit in log.units for tick in _some_ticks(chance, unit, taken)]
    places.sort(key=lambda place: (place[0], place[1].number))
    for number, (tick, unit) in enumerate(places, 1):
        statement = _some_statement(chance, log, tick, unit, number)
        log.pieces += [Piece(statement, segment) for segment in range(statement.segments)]
    if chance.random() < 0.3:
        _mix(chance, log.pieces)
    return log


@cache
def wide(*dropped: str) -> tuple[lldf.HeaderField, ...]:
    """Today's header without some fields."""
    found, position = [], 0
    for line in lldf.described():
        if line.name not in dropped:
            found.append(replace(line, position=position))
            position += line.length
    return tuple(found)


def _some_forms(chance: random.Random, scale: Scale) -> list[Lines]:
    forms: list[Lines] = [None, tuple(lldf.described())]
    if not scale.is_sharing and chance.random() < 0.3:  # fields that all headers lack
        forms = [wide("LOGLRSN"), wide("LOGLRSN", "UORIDLRSN"), wide("LOGLRSN", "UORIDLRSN", "SQLRIRBA")]
    return chance.sample(forms, min(len(forms), chance.randrange(1, 4)))


def tables_of(scale: Scale) -> list[Table]:
    """A table with two versions, and one with one."""
    bound = scale.lrsn(_NEW_VERSION) if scale.is_sharing else scale.rba(_NEW_VERSION)
    one = Table(0x105, 2, 3, "PROD", "ONE", _IDS, drop_rba=bound)
    again = replace(one, columns=(*_IDS, Column("W", "INT", 2, nulls="Y")), sequence=2, create_rba=bound, drop_rba=None)
    return [one, again, Table(0x105, 4, 5, "PROD", "TWO", _IDS)]


def _some_unit(chance: random.Random, number: int, *, is_sharing: bool) -> Unit:
    begins = chance.randrange(1, 240)
    ends = begins + chance.randrange(8, 150)
    return Unit(number, begins, ends, chance.choice("CCCCA"), chance.choice((1, 2)) if is_sharing else 0)


def _some_ticks(chance: random.Random, unit: Unit, taken: set[tuple[int, int]]) -> list[int]:
    free = [tick for tick in range(unit.begins + 1, unit.ends) if (tick, unit.member) not in taken]
    found = sorted(chance.sample(free, min(len(free), chance.randrange(1, 6))))
    taken.update((tick, unit.member) for tick in found)
    return found


def _some_statement(chance: random.Random, log: Log, tick: int, unit: Unit, number: int) -> Statement:
    first, second, other = log.tables
    table = chance.choice((first if tick < _NEW_VERSION else second, other))
    change_type = chance.choice([*_ROLES])
    rows = tuple(_some_row(chance, table, number) for _ in _ROLES[change_type])
    return Statement(tick, unit, table, change_type, rows, chance.choice((1, 1, 1, 2, 3)), number)


def _some_row(chance: random.Random, table: Table, number: int) -> Row:
    row: Row = {"K": number, "V": "x" * chance.randrange(300) if chance.random() < 0.5 else f"{number}"}
    return row if len(table.columns) == len(_IDS) else {**row, "W": chance.choice((None, number))}


def _mix(chance: random.Random, pieces: list[Piece]) -> None:
    """Exchange neighbours of different positions: the file has no order."""
    for _ in range(6 if len(pieces) > 1 else 0):
        place = chance.randrange(len(pieces) - 1)
        if pieces[place].tick != pieces[place + 1].tick:
            pieces[place], pieces[place + 1] = pieces[place + 1], pieces[place]


# -- extracts -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Extract:
    """A file with a part of a log, up to a position."""

    path: Path
    pieces: tuple[Piece, ...]
    until: int


def some_extracts(chance: random.Random, log: Log, folder: Path) -> list[Extract]:
    """The log in parts: stretches of it, or as ongoing scans have it, which read units that went on again."""
    is_ongoing = chance.random() < 0.5
    places = sorted({piece.tick for piece in log.pieces})
    cuts = sorted(chance.sample(places[:-1], min(len(places) - 1, chance.randrange(5))))
    found: list[Extract] = []
    before, going_on = 0, set[int]()
    for number, until in enumerate([*cuts, 2 * _TICKS]):
        start = before - chance.randrange(60) if chance.random() < 0.3 else before
        chosen = [
            piece for piece in log.pieces
            if piece.tick <= until and (piece.tick > start or (is_ongoing and piece.unit.number in going_on))
        ]  # fmt: skip
        before = until
        going_on = {unit.number for unit in log.units if unit.begins <= until < unit.ends}
        if chosen:
            if chance.random() < 0.3:
                chance.shuffle(chosen)
            path = log.write(folder / f"e{number}.dat", chosen, chance.randrange(len(log.forms)), until)
            found.append(Extract(path, tuple(chosen), until))
    return found


def stated(log: Log, extracts: Sequence[Extract], without: Sequence[Extract] = ()) -> list[Row]:
    """The rows of the units whose end is in one of some extracts: those that are given; none of what others have."""
    ended = {piece.unit.number for one in extracts for piece in one.pieces if piece.unit.ends <= one.until}
    there, elsewhere = ({id(piece.statement) for one in some for piece in one.pieces} for some in (extracts, without))
    return [
        statement.shown(log.scale) for statement in log.statements
        if statement.unit.disposition == "C" and statement.unit.number in ended and id(statement) in there - elsewhere
    ]  # fmt: skip
