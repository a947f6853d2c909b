"""Each change is read by the version of its table that was in force at its position; none and two are errors.

Four versions of a table, with columns of other types, whose bounds meet, leave a gap, or overlap by mistake; changes
are at the bounds and beside them, by RBA or, in data sharing, by LRSN.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.fields import key
from writers.bmc.rows import Column

from random_logs.log_master_readings import ENGINES, Reading, Row, expect_same, printed

LOGS = 8
_KINDS = (("INT", 4), ("INT", 2), ("CHAR", 4), ("INT", 8))
"""Type and length of the first column, by version."""
_LAST = 45
_ORIGIN = 0x10000000000


@dataclass(frozen=True)
class _Bounds:
    """Where versions begin and end; 0 is no bound."""

    spans: tuple[tuple[int, int], ...]
    is_earlier: bool = False
    """Whether records at which two versions are in force are of the one that was created first."""

    @classmethod
    def some(cls, chance: random.Random) -> _Bounds:
        cuts = [*sorted(chance.sample(range(1, 40, 2), 3)), 0]
        fault = chance.choice(("", "", "", "gap", "overlap"))
        begins = [0, *cuts[:3]]
        begins[2] += {"gap": 1, "overlap": -1, "": 0}[fault]
        return cls(tuple(zip(begins, cuts, strict=True)), chance.random() < 0.5)

    def holding(self, position: int) -> list[int]:
        """Numbers of the versions in force at a position, the one created last at the end."""
        return [n for n, (begin, end) in enumerate(self.spans) if begin <= position and (not end or position < end)]

    def version(self, position: int) -> int | None:
        """The version that a record is of; None if none is in force."""
        holding = self.holding(position)
        return holding[0 if self.is_earlier else -1] if holding else None

    @property
    def overlap(self) -> bool:
        return any(len(self.holding(position)) > 1 for position in range(_LAST))


@dataclass(frozen=True)
class _Change:
    position: int
    version: int | None
    row: Row


def check(seed: int, folder: Path) -> Counter[str]:
    chance = random.Random(seed)
    bounds, is_sharing = _Bounds.some(chance), chance.random() < 0.5
    tables = _tables(bounds)
    records: list[bytes] = []
    changes: list[_Change] = []
    for number in range(60):
        position = chance.randrange(_LAST)
        version = bounds.version(position)
        written = chance.randrange(len(tables)) if version is None else version
        raw, value = _some_value(chance, written)
        records.append(_record(chance, tables[written], raw, position, number, is_sharing=is_sharing))
        changes.append(_Change(position, version, {"A": value, f"V{written}": "zz"}))
    options = _write(chance, folder, tables, records)
    one, other = (printed([folder / "a.dat"], engine, **options) for engine in ENGINES)
    expect_same("engines", one, other)
    _expect(one, changes, bounds)
    picked = chance.randrange(len(tables))
    named = {**options, "table": "PROD.T", "table_version": picked + 1}
    one, other = (printed([folder / "a.dat"], engine, **named) for engine in ENGINES)
    expect_same(f"engines with version {picked}", one, other)
    _expect_picked(one, changes, bounds, picked)
    return Counter(rows=len(changes), overlaps=bounds.overlap)


def _tables(bounds: _Bounds) -> list[Table]:
    return [
        Table(0x105, 2, 3, "PROD", "T", (Column("A", *_KINDS[number]), Column(f"V{number}", "CHAR", 2)),
              sequence=number + 1, create_rba=_hex(begin), drop_rba=_hex(end))
        for number, (begin, end) in enumerate(bounds.spans)
    ]  # fmt: skip


def _hex(position: int) -> str:
    return f"{_ORIGIN + position if position else 0:020X}"


def _some_value(chance: random.Random, version: int) -> tuple[bytes, Any]:
    kind, size = _KINDS[version]
    if kind == "CHAR":
        return "wxyz".encode("cp037"), "wxyz"
    raw = chance.randbytes(size)
    return raw, int.from_bytes(raw, "big", signed=True)


def _record(chance: random.Random, table: Table, raw: bytes, position: int, number: int, *, is_sharing: bool) -> bytes:
    """A record whose position is its LRSN in data sharing, else its RBA; the other one says nothing."""
    place = f"{_ORIGIN + position:020X}"
    ids: dict[str, Any] = {"log_rba": place, "log_lrsn": f"{0x99:020X}", "member_id": 0}
    if is_sharing:
        ids = {"log_rba": f"{0x77000000 + chance.randrange(9999):020X}", "log_lrsn": place,
               "member_id": chance.choice((1, 2))}  # fmt: skip
    values = {**table.header_fields, **ids, "change_type": "I", "rid": f"{number:010X}", "uor_id": f"{0x60000000:020X}"}
    return lldf.record(
        lldf.data_area("I", [raw + "zz".encode("cp037")]), **{key(name): value for name, value in values.items()}
    )


def _write(chance: random.Random, folder: Path, tables: Sequence[Table], records: list[bytes]) -> dict[str, Any]:
    (folder / "a.dat").write_bytes(framing.rdw(records))
    described = control.for_tables(chance.sample(tables, len(tables)), describe_header=chance.random() < 0.5)
    (folder / "a.ctl").write_bytes(framing.rdw(described))
    return {"control": str(folder / "a.ctl"), "row_images": "total"}


def _expect(reading: Reading, changes: Sequence[_Change], bounds: _Bounds) -> None:
    found = {row["_metadata"]["record_index"]: row["after"] for row in reading.rows}
    errors = {error["record_index"]: error["code"] for error in reading.errors}
    for number, change in enumerate(changes):
        if len(bounds.holding(change.position)) != 1:
            said = found.get(number) is None and errors.get(number) == "LMP-C003"
        else:
            said = found.get(number) == change.row
        assert said, f"{number}: {change}, read {found.get(number)} {errors.get(number)}"


def _expect_picked(reading: Reading, changes: Sequence[_Change], bounds: _Bounds, picked: int) -> None:
    """Raise AssertionError unless all changes at which the picked version is in force are read by it."""
    rows = {row["_metadata"]["record_index"]: row["after"] for row in reading.rows}
    wanted = {number: change for number, change in enumerate(changes) if picked in bounds.holding(change.position)}
    assert {*rows} <= {*wanted}, f"version {picked}: {[number for number in rows if number not in wanted][:3]}"
    for number, change in wanted.items():
        row = change.row if change.version == picked else None
        assert rows.get(number) == row, f"version {picked}, {number}: {change}, read {rows.get(number)}"
