"""Extracts of a Log Master log whose table changes from night to night, and every value that was written into them.

A version of the table has columns that others lack, has them in other letter case or in other types; a night may have
no change of it, two versions of it, a damaged file, or no control file.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from writers.bmc import control, framing, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

Kind = tuple[Any, ...]
"""A type of values: `int` and bits, `dec` with digits and places, `text`, or `date`."""
Values = dict[str, Any]
_NAMES = ("NO", "NAME", "name", "NEW", "AGE", "DAY")
_USUAL: Mapping[str, Column] = {
    "NO": Column("NO", "INT", 4), "NAME": Column("NAME", "CHAR", 9), "name": Column("name", "CHAR", 9),
    "NEW": Column("NEW", "CHAR", 5), "AGE": Column("AGE", "INT", 2), "DAY": Column("DAY", "DATE"),
}  # fmt: skip
_ORIGIN = 0x00DE123456780000
_BETWEEN = 0x1000
"""Positions from one night to the next."""
SOUND, DAMAGED, UNCONTROLLED, CUT = "sound", "damaged", "without its control file", "damaged at its end"


@dataclass(frozen=True)
class Unit(logs.Unit):
    """A unit whose commit has the position that its number says."""

    @property
    def commit_lrsn(self) -> str:
        return f"{_ORIGIN + self.number:020X}"

    @property
    def commit_ts(self) -> str:
        return "2026-03-14T10:30:00.250000"

    def header_fields(self) -> dict[str, Any]:
        place = f"{_ORIGIN + self.number:020X}"
        stamps = {"uor_timestamp": "2026-03-14T10:10:00", "uor_id": place, "uor_commit_point": place}
        return {**super().header_fields(), **stamps}

    @property
    def rba(self) -> str:
        return f"{_ORIGIN + self.number:020X}"


@dataclass(frozen=True)
class Version:
    """A version of the table."""

    columns: tuple[Column, ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(column.name for column in self.columns)

    def kind(self, name: str) -> Kind:
        return kind_of(next(column for column in self.columns if column.name == name))


@dataclass(frozen=True)
class Change:
    """A change of the table as it was written."""

    seq: str
    op: str
    before: Values | None
    after: Values | None


@dataclass
class Night:
    """One extract: its place among others, what it says of the table, and the changes in it."""

    number: int
    path: Path
    state: str = SOUND
    versions: list[Version] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)

    def spoil(self, state: str) -> None:
        self.state = state
        if state == DAMAGED:
            self.path.write_bytes(bytes(50))
        elif state == CUT:
            self.path.write_bytes(self.path.read_bytes() + bytes(50))
        else:
            self.path.with_suffix(".ctl").unlink()


def kind_of(column: Column) -> Kind:
    if column.type == "INT":
        return "int", 8 * column.length
    if column.type == "DEC":
        return "dec", column.length, column.scale
    return ("date",) if column.type == "DATE" else ("text",)


def some_versions(chance: Random) -> list[Version]:
    """Versions of a table, most of them the one before with a column more, less, or under another name."""
    names = ["NO", *chance.sample(_NAMES[1:], chance.randint(0, 2))]
    found = [_version(chance, names)]
    for _ in range(chance.randint(0, 2)):
        names = [*names]
        free = [name for name in _NAMES if name not in names]
        step = chance.choice(("add", "add", "drop", "rename", "case", "type"))
        if step in ("drop", "rename") and len(names) > 1:
            names.remove(chance.choice(names))
        if step == "case" and ("NAME" in names) != ("name" in names):
            names = [name.swapcase() if name in ("NAME", "name") else name for name in names]
        if step in ("add", "rename") and free:
            names.append(chance.choice(free))
        found.append(_version(chance, names, found[-1]))
    return found


def _version(chance: Random, names: Sequence[str], before: Version | None = None) -> Version:
    known = {} if before is None else {column.name: column for column in before.columns}
    return Version(tuple(_column(chance, known.get(name) or _USUAL[name]) for name in names))


def _column(chance: Random, usual: Column) -> Column:
    """A column, now and then wider than before, or of a type that has no value in common with it."""
    if usual.type == "INT" and chance.random() < 0.1:
        return Column(usual.name, "INT", chance.choice((2, 4, 8)))
    if usual.name == "AGE" and chance.random() < 0.15:
        return Column("AGE", "DEC", *chance.choice(((7, 2), (5, 1))))
    if usual.name == "NEW" and chance.random() < 0.1:
        return chance.choice((Column("NEW", "INT", 4), _USUAL["NEW"]))
    return usual


def some_night(chance: Random, folder: Path, number: int, versions: Sequence[Version], name: str) -> Night:
    """An extract with changes of these versions, one behind the other; none of them: it has another table's alone."""
    first = number * _BETWEEN
    tables = [
        Table(0x0105, 2, 3, "PROD", "ITEMS", version.columns, sequence=place + 1,
              create_rba=_bound(first, place), drop_rba=_bound(first, place + 1) if place + 1 < len(versions) else None)
        for place, version in enumerate(versions)
    ]  # fmt: skip
    other = Table(0x0105, 6, 7, "PROD", "STOCK", (Column("NO", "INT", 4), Column("KIND", "CHAR", 3)))
    is_beside = not versions or chance.random() < 0.3
    writer, night = logs.Writer([*tables, *([other] if is_beside else [])]), Night(number, folder / f"{name}.dat")
    night.versions = list(versions)
    written: list[tuple[str, Values | None, Values | None] | None] = []
    for place, version in enumerate(versions):
        for count in range(chance.randint(1, 3)):
            op = chance.choice(("I", "I", "UB", "D"))
            before = _values(chance, version) if op != "I" else None
            after = _values(chance, version) if op != "D" else None
            _add(writer, first + 0x100 * place + count + 1, tables[place], op, before, after)
            written.append((op[0], before, after))
    if is_beside:
        _add(writer, first + 0xF00, other, "I", None, {"NO": 1, "KIND": "abc"})
        written.append(None)
    example = writer.example(describe_header=False, indexes=False)
    for made, change in zip(written, example.changes, strict=True):
        if made is not None:
            night.changes.append(Change(change["seq"], *made))
    night.path.write_bytes(framing.rdw(example.data_records))
    end = chance.choice((f"{_ORIGIN + first + _BETWEEN - 1:020X}", None))  # what states where the extract ends
    described = [*example.control_records[:-1], control.dlge(ENDRBA=end)]
    night.path.with_suffix(".ctl").write_bytes(framing.rdw(described))
    return night


def _bound(first: int, place: int) -> str | None:
    return f"{_ORIGIN + first + 0x100 * place:020X}" if place else None


def _add(writer: logs.Writer, number: int, table: Table, op: str, before: Any, after: Any) -> None:
    place = f"{_ORIGIN + number:020X}"
    rows = {"before": _written(before), "after": _written(after)}
    writer.add(Unit(number), table, op, **rows, log_rba=place, log_lrsn=place)


def _written(values: Values | None) -> Any:
    if values is None:
        return None
    return {name: value.isoformat() if isinstance(value, datetime.date) else value for name, value in values.items()}


def _values(chance: Random, version: Version) -> Values:
    return {column.name: _value(chance, column) for column in version.columns}


def _value(chance: Random, column: Column) -> Any:
    kind, *size = kind_of(column)
    if kind == "int":
        most = (1 << (size[0] - 1)) - 1
        return chance.choice((chance.randint(-99, 99), chance.randint(-most, most)))
    if kind == "dec":
        whole = chance.randint(-(10 ** size[0]) + 1, 10 ** size[0] - 1)
        return Decimal(whole if chance.random() < 0.5 else whole // 10 ** size[1] * 10 ** size[1]).scaleb(-size[1])
    if kind == "date":
        return datetime.date(2026, chance.randint(1, 12), chance.randint(1, 28))
    return "".join(chance.choice("abcdef") for _ in range(chance.randint(1, 5)))
