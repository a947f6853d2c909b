"""Extracts that begin and end anywhere among several changes of one position give each change once, with a `seq` of its
own.

Changes of a position are in one record or in segments. Where extracts begin and end between positions, they are read;
else they are read, or refused if one lacks what another one has. A damaged byte in one extract makes no change of its
own.
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
_WIDTH = 900
_TABLE = Table(0x105, 2, 3, "PROD", "T", (Column("K", "INT", 4), Column("V", "VCHR", _WIDTH)))
_PART_BYTES = 700
_POSITION = 100
"""Numbers of the changes of one position."""
_PARTS = (0, 0.3, 0.5, 0.8)
_CAPACITIES = (1000, 150, 290)
_REFUSALS = ("LMP-F013", "LMP-R004")
"""Of extracts that have other changes in one place, and of segments without the others."""


@dataclass(frozen=True)
class _Change:
    """One insert."""

    number: int
    position: int
    rid: int
    text: bytes

    def records(self, capacity: int, *, is_expanded: bool) -> list[bytes]:
        text = self.text.ljust(_WIDTH, b"\x40") if is_expanded else self.text
        data = lldf.data_area("I", [self.number.to_bytes(4, "big") + len(self.text).to_bytes(2, "big") + text])
        header = _header(self.position, self.rid)
        return lldf.segmented(header, data, capacity) if len(data) > capacity else [lldf.record(data, **header)]


@dataclass(frozen=True)
class _Manner:
    """How an extract is written."""

    capacity: int
    """Bytes of DATA in a record."""
    is_expanded: bool
    """Whether EXPANDVAR is Y."""
    order: int
    """0 if the segments of a change are in their order, else a number for another one: the file states none."""

    def in_order(self, records: Sequence[bytes]) -> list[bytes]:
        return Random(self.order).sample(records, len(records)) if self.order else [*records]


def check(seed: int, folder: Path) -> Counter[str]:
    chance = Random(seed)
    has_rids = chance.random() < 0.4
    changes = [change for place in range(chance.randrange(1, 5)) for change in _some_changes(chance, place, has_rids)]
    is_one_manner = chance.random() < 0.6
    manners = [_some_manner(chance)] * 3 if is_one_manner else [_some_manner(chance) for _ in range(3)]
    is_between = chance.random() < 0.5
    is_sure = is_between and is_one_manner
    places = [place + part for place in range(len(changes)) for part in _PARTS]
    if is_between:
        places = [float(place) for place, change in enumerate(changes) if not change.number % _POSITION]
    extracts = _some_extracts(chance, changes, manners, [*places, len(changes)])
    is_damaged = chance.random() < 0.3
    if is_damaged:
        _damage(chance, [records for records, _ in extracts if records])
        is_sure = False
    paths = [_write(folder / f"{number}.dat", *one) for number, one in enumerate(extracts)]
    wanted = [change.number for change in changes]
    options = {"control": str(folder / "{stem}.ctl")}
    counts = Counter(changes=len(changes), extracts=len(paths), damaged=is_damaged)
    for _ in range(2):
        files = chance.sample(paths, len(paths))
        one, other = (printed(files, engine, **options) for engine in ENGINES)
        _expect(f"engines, {files}", _outcome(one), _outcome(other))
        counts[_judged(one, wanted, is_sure=is_sure)] += 1
    counts[_judged(by_parts(paths, _PART_BYTES, **options), wanted, is_sure=is_sure)] += 1
    return counts


def _some_changes(chance: Random, position: int, has_rids: bool) -> list[_Change]:
    made = []
    for place in range(chance.choice((1, 1, 2, 3, 5))):
        number = _POSITION * position + place
        text = f"{number}".encode("cp037") + chance.choice((b"", b"\xe7" * 300, b"\xe7" * 500, b"\xe7" * 800))
        made.append(_Change(number, position, place if has_rids else 0, text))
    return made


def _header(position: int, rid: int) -> dict[str, Any]:
    place, begin, end = (f"{0x12345000 + number:020X}" for number in (1 + position, 0, 0x1000))
    fields = {
        **_TABLE.header_fields, "change_type": "I", "log_rba": place, "log_lrsn": place, "member_id": 0,
        "uor_id": begin, "uor_disp": "C", "uor_commit_point": end, "uor_id_lrsn": begin, "uor_commit_lrsn": end,
        "rid": f"{rid:010X}",
    }  # fmt: skip
    return {key(name): value for name, value in fields.items()}


def _some_manner(chance: Random) -> _Manner:
    return _Manner(chance.choice(_CAPACITIES), chance.random() < 0.3, chance.choice((0, 0, 0, 1, 2, 3)))


def _some_extracts(
    chance: Random, changes: Sequence[_Change], manners: Sequence[_Manner], places: Sequence[float]
) -> list[tuple[list[bytes], _Manner]]:
    """Two or three stretches of the changes, which overlap and together have all, with ends at some places."""
    found: list[tuple[list[bytes], _Manner]] = []
    begin = end = 0.0
    for number in reversed(range(chance.choice((2, 3)))):
        end = chance.choice([place for place in places if place >= end]) if number else places[-1]
        found.append((_stretch(changes, begin, end, manners[number]), manners[number]))
        begin = chance.choice([place for place in places if place <= end])
    return found


def _stretch(changes: Sequence[_Change], begin: float, end: float, manner: _Manner) -> list[bytes]:
    """The records from one place up to another: the number of a change, and how much of it is in front."""
    records: list[bytes] = []
    for number, change in enumerate(changes):
        own = change.records(manner.capacity, is_expanded=manner.is_expanded)
        first, behind = (min(max(round((place - number) * len(own)), 0), len(own)) for place in (begin, end))
        records += manner.in_order(own[first:behind])
    return records


def _damage(chance: Random, extracts: Sequence[list[bytes]]) -> None:
    """Change the last byte of a record, which is one of a text."""
    records = chance.choice(extracts)
    place = chance.randrange(len(records))
    records[place] = records[place][:-1] + bytes([records[place][-1] ^ 1])


def _write(path: Path, records: Sequence[bytes], manner: _Manner) -> Path:
    dlds = {"segmented": "Y", "expandvar": "Y" if manner.is_expanded else "N"}
    path.write_bytes(framing.rdw(records))
    path.with_suffix(".ctl").write_bytes(framing.rdw(control.for_tables([_TABLE], dlds_fields=dlds)))
    return path


def _judged(reading: Reading, wanted: Sequence[int], *, is_sure: bool) -> str:
    """What came of a reading. Raises AssertionError for a change that is lost or given twice, if that is not said."""
    codes = [code for code in _REFUSALS if code in reading.codes or code in reading.ended]
    if not is_sure and (codes or reading.unread):
        return "refused"
    assert (reading.ended, reading.errors) == ("", []), f"{reading.ended} {reading.errors[:2]}"
    assert len({row["seq"] for row in reading.rows}) == len(reading.rows), [row["seq"] for row in reading.rows]
    _expect("changes", sorted(wanted), sorted(row["after"]["K"] for row in reading.rows))
    return "right"


def _outcome(reading: Reading) -> tuple[list[str], list[str], bool]:
    return [row["seq"] for row in reading.rows], sorted(reading.codes), bool(reading.ended)


def _expect(what: str, wanted: Any, found: Any) -> None:
    assert wanted == found, f"{what}: {wanted}, not {found}"
