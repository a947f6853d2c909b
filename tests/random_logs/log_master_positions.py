"""Extracts that overlap among several changes of one position give each change once, with a `seq` of its own.

Changes of a position are in one record or in segments, and differ in RID or do not. Where they do not, the first one of
an extract is the first one of the others (docs/log-master.md): no extract begins behind it, or ends within a change, of
which nothing would tell the segments from those of the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.fields import key
from writers.bmc.rows import Column

from random_logs.log_master_readings import ENGINES, Reading, by_parts, printed

LOGS = 8
_TABLE = Table(0x105, 2, 3, "PROD", "T", (Column("K", "INT", 4), Column("V", "VCHR", 900)))
_PART_BYTES = 700


@dataclass(frozen=True)
class _Change:
    """One insert."""

    number: int
    records: tuple[bytes, ...]
    has_rid: bool
    """Whether it has an RID of its own at its position."""
    is_first: bool
    """Whether it is the first one of its position."""


def check(seed: int, folder: Path) -> Counter[str]:
    chance = Random(seed)
    changes = [change for position in range(chance.randrange(1, 5)) for change in _some_changes(chance, position)]
    paths = [
        _write(folder / f"{number}.dat", records) for number, records in enumerate(_some_extracts(chance, changes))
    ]
    wanted = [change.number for change in changes]
    options = {"control": str(folder / "{stem}.ctl")}
    for _ in range(2):
        files = chance.sample(paths, len(paths))
        one, other = (printed(files, engine, **options) for engine in ENGINES)
        _expect(f"engines, {files}", [row["seq"] for row in one.rows], [row["seq"] for row in other.rows])
        _expect_all(one, wanted)
    _expect_all(by_parts(paths, _PART_BYTES, **options), wanted)
    return Counter(changes=len(changes), extracts=len(paths))


def _some_changes(chance: Random, position: int) -> list[_Change]:
    has_rids, made = chance.random() < 0.5, []
    for place in range(chance.choice((1, 1, 2, 3, 5))):
        number = 100 * position + place
        text = f"{number}".encode("cp037") + chance.choice((b"", b"\xe7" * 300, b"\xe7" * 800))
        data = lldf.data_area("I", [number.to_bytes(4, "big") + len(text).to_bytes(2, "big") + text])
        header = _header(position, place if has_rids else 0)
        capacity = chance.choice((1000, 150, 290))
        records = lldf.segmented(header, data, capacity) if len(data) > capacity else [lldf.record(data, **header)]
        made.append(_Change(number, tuple(records), has_rids, place == 0))
    return made


def _header(position: int, rid: int) -> dict[str, Any]:
    place, begin, end = (f"{0x12345000 + number:020X}" for number in (1 + position, 0, 0x1000))
    fields = {
        **_TABLE.header_fields, "change_type": "I", "log_rba": place, "log_lrsn": place, "member_id": 0,
        "uor_id": begin, "uor_disp": "C", "uor_commit_point": end, "uor_id_lrsn": begin, "uor_commit_lrsn": end,
        "rid": f"{rid:010X}",
    }  # fmt: skip
    return {key(name): value for name, value in fields.items()}


def _some_extracts(chance: Random, changes: Sequence[_Change]) -> list[list[bytes]]:
    """Two or three stretches of the records, which overlap and together have all."""
    records, begins, ends = list[bytes](), [0], [0]
    for change in changes:
        first, behind = len(records), len(records) + len(change.records)
        records += change.records
        ends += [*(range(first + 1, behind) if change.has_rid else ()), behind]
        if change.has_rid or change.is_first:
            begins += range(first, behind if change.has_rid else first + 1)
    found, begin, end = [], 0, 0
    for _ in range(chance.choice((1, 2))):
        end = chance.choice([place for place in ends if place >= end])
        found.append(records[begin:end])
        begin = chance.choice([place for place in begins if place <= end])
    return [*found, records[begin:]]


def _write(path: Path, records: Sequence[bytes]) -> Path:
    path.write_bytes(framing.rdw(records))
    path.with_suffix(".ctl").write_bytes(framing.rdw(control.for_tables([_TABLE], dlds_fields={"segmented": "Y"})))
    return path


def _expect_all(reading: Reading, wanted: Sequence[int]) -> None:
    """Raise AssertionError unless each change is given once, and has a number of its own."""
    assert (reading.ended, reading.errors) == ("", []), f"{reading.ended} {reading.errors[:2]}"
    _expect("changes", sorted(wanted), sorted(row["after"]["K"] for row in reading.rows))
    assert len({row["seq"] for row in reading.rows}) == len(reading.rows), [row["seq"] for row in reading.rows]


def _expect(what: str, wanted: Sequence[Any], found: Sequence[Any]) -> None:
    assert wanted == found, f"{what}: {wanted}, not {found}"
