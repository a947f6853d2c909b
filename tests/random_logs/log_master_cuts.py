"""Extracts that write the same changes in other ways give each change once, or are refused; none is lost unsaid.

Each extract has its own header, form of rows (EXPANDVAR), length of segments and number of the first one, and may end
within a change or between changes of one position. Those that end between positions and write alike, or have no change
in common, are read. No change has a RID: segments of several changes of one position and of as many segments each are
bad records, wherever they stand.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.fields import key
from writers.bmc.rows import Column, image

from lmparse.errors import LmparseError
from lmparse.logs.check import account
from lmparse.logs.families import read_options
from lmparse.logs.joining import one_log
from random_logs.log_master_readings import ENGINES, Reading, Row, by_parts, expect_same, printed
from random_logs.log_master_units import wide

LOGS = 6
_WIDTH = 600
_TABLE = Table(0x105, 2, 3, "PROD", "T", (Column("K", "INT", 4), Column("V", "VCHR", _WIDTH)))
_FORMS = (None, wide("SQLRIRBA", "PAGENUMFMT"), wide("LOGLRSN"), wide("RID"))
_LACKING_LRSN = 2
_PART_BYTES = 1500


@dataclass(frozen=True)
class Change:
    """One change of a unit that is committed."""

    number: int
    position: int
    """That of the log, which several changes may have."""
    kind: Literal["row", "statement"]
    text: str

    @property
    def fields(self) -> dict[str, Any]:
        position, begin, end = (f"{0x12345000 + number:020X}" for number in (1 + self.position, 0, 0x1000))
        named = {
            **_TABLE.header_fields, "changetype": "I" if self.kind == "row" else "SC", "logrba": position,
            "loglrsn": position, "memberid": 0, "uorid": begin, "uordisp": "C", "uorcommitpoint": end,
            "uoridlrsn": begin, "uorcommitlrsn": end,
        }  # fmt: skip
        return {key(name): value for name, value in named.items()}

    def data(self, *, is_expanded: bool) -> bytes:
        if self.kind == "statement":
            return self.text.encode("cp037")
        row: dict[str, int | str] = {"K": self.number, "V": self.text}
        return lldf.data_area("I", [image(_TABLE.columns, row, expand_var=is_expanded)])


@dataclass(frozen=True)
class Way:
    """How an extract writes changes."""

    form: int
    is_expanded: bool
    capacity: int
    base: Literal[0, 1]

    def records(self, change: Change) -> list[bytes]:
        data, lines = change.data(is_expanded=self.is_expanded), _FORMS[self.form]
        if len(data) <= self.capacity:
            return [lldf.record(data, lines=lines, **change.fields)]
        return lldf.segmented(change.fields, data, self.capacity, self.base, lines=lines)


@dataclass(frozen=True)
class Extract:
    """A file, and the segments of changes that are in it."""

    path: Path
    way: Way
    numbers: dict[Change, set[int]]
    totals: Mapping[Change, int]
    segments: Mapping[Key, Sequence[tuple[int, bytes]]]
    """Numbers and bytes of the records of changes of several, by what names their change."""

    def are_mixed(self, key: Key) -> bool:
        """Whether the segments with a key are of several changes."""
        return len({*self.segments[key]}) > len({number for number, _ in self.segments[key]})

    def is_whole(self, change: Change) -> bool:
        """Whether it has a change that can be told from others."""
        total = self.totals[change]
        is_there = change in self.numbers and len(self.numbers[change]) == total
        return is_there and (total == 1 or not self.are_mixed(_key(change, total)))


Key = tuple[int, str, int]


def _key(change: Change, total: int) -> Key:
    return change.position, change.kind, total


def check(seed: int, folder: Path) -> Counter[str]:
    chance = random.Random(seed)
    positions = accumulate(int(chance.random() < 0.7) for _ in range(chance.randrange(3, 10)))
    changes = [_some_change(chance, number, position) for number, position in enumerate(positions)]
    extracts = _some_extracts(chance, changes, folder)
    known = [change for change in changes if any(change in one.numbers for one in extracts)]
    whole = [change for change in known if _is_given(change, extracts)]
    paths = [one.path for one in extracts]
    chance.shuffle(paths)
    pattern = str(folder / "{stem}.ctl")
    read = [printed(paths, engine, control=pattern) for engine in ENGINES]
    expect_same("the engines", *read)
    _expect_check(paths, pattern, read[0])
    if read[0].ended:
        assert "LMP-F013" in read[0].ended, read[0].ended
        assert not _are_sure(extracts), read[0].ended
        return Counter(refused=1, extracts=len(extracts))
    errors = _expect(read[0], extracts, whole)
    parts = by_parts(paths, _PART_BYTES, control=pattern)
    assert sorted(_shown(parts.rows)) == sorted(_shown(read[0].rows)), "in parts"
    assert len(parts.errors) == len(read[0].errors), f"in parts: {parts.errors[:2]}, not {read[0].errors[:2]}"
    _expect_damage_told(chance, paths, pattern, read[0])
    return Counter(whole=len(whole), errors=errors, extracts=len(extracts))


def _some_change(chance: random.Random, number: int, position: int) -> Change:
    width = chance.choice((3, 200, 300, 420, _WIDTH - 3))
    text = f"{number}: {''.join(chance.choice('ABCDEFGHIJ') for _ in range(width))}"
    return Change(number, position, chance.choice(("row", "row", "statement")), text)


def _some_extracts(chance: random.Random, changes: Sequence[Change], folder: Path) -> list[Extract]:
    """Stretches of the changes that cover them all, which may overlap and end within a change."""
    common = Way(0, False, chance.randrange(90, 250), chance.choice((0, 1)))
    mixed = {name for name in ("form", "is_expanded", "capacity", "base") if chance.random() < 0.2}
    found: list[Extract] = []
    end, rest = 0, 0
    while end < len(changes):
        way = Way(
            chance.randrange(len(_FORMS)) if "form" in mixed else common.form,
            chance.random() < 0.5 if "is_expanded" in mixed else common.is_expanded,
            chance.randrange(90, 250) if "capacity" in mixed else common.capacity,
            chance.choice((0, 1)) if "base" in mixed else common.base,
        )
        start, skipped = max(end - chance.choice((0, 1, 2, 3)), 0), chance.choice((0, 0, 1, 2))
        if rest and chance.random() < 0.8:  # it goes on within the change that the one before ends in
            start = end - 1
            skipped = max(len(way.records(changes[start])) - rest - chance.randrange(2), 0)
        end = min(max(end, start + 1) + chance.randrange(4), len(changes))
        rest = chance.choice((0, 1, 2)) if len(way.records(changes[end - 1])) > 2 else 0
        found.append(_written(chance, folder / f"e{len(found)}.dat", way, changes[start:end], (skipped, rest)))
    return found


def _written(
    chance: random.Random, path: Path, way: Way, changes: Sequence[Change], cut: tuple[int, int]
) -> Extract:  # fmt: skip
    """A file with the records of some changes, without some at the beginning and at the end."""
    every = [(change, number, record) for change in changes for number, record in enumerate(way.records(change))]
    totals = Counter(change for change, *_ in every)
    made = every[cut[0] : len(every) - cut[1]] or every
    if _is_one_change_of_two(made, totals):  # nothing in the bytes says that it is not one
        made = every
    order, way_of_order = [one.position for one in changes], chance.random()
    if way_of_order < 0.3:
        chance.shuffle(order)
        made.sort(key=lambda one: (order.index(one[0].position), chance.random()))
    elif way_of_order < 0.5 and len({*order}) == len(order):  # else two changes have one seq, as check says
        chance.shuffle(made)
    path.write_bytes(framing.rdw([record for *_, record in made]))
    told = {
        "segmented": "Y" if any(totals[change] > 1 for change, *_ in made) else "N", "ddlobjects": "Y",
        "expandvar": "Y" if way.is_expanded else "N",
    }  # fmt: skip
    described = control.for_tables([_TABLE], dlds_fields=told, header=_FORMS[way.form], describe_header=True)
    path.with_suffix(".ctl").write_bytes(framing.rdw(described))
    numbers: dict[Change, set[int]] = {}
    for change, number, _ in made:
        numbers.setdefault(change, set()).add(number)
    segments: dict[Key, list[tuple[int, bytes]]] = {}
    for change, number, record in made:
        if totals[change] > 1:
            segments.setdefault(_key(change, totals[change]), []).append((number, record))
    return Extract(path, way, numbers, totals, segments)


def _giving(key: Key, extracts: Sequence[Extract]) -> Extract:
    """The extract that gives the segments with a key: it has what the others have, or all are refused."""
    return max((one for one in extracts if key in one.segments), key=lambda one: len(one.segments[key]))


def _is_given(change: Change, extracts: Sequence[Extract]) -> bool:
    having = [one for one in extracts if change in one.numbers]
    if len({one.totals[change] for one in having}) > 1:
        return any(one.is_whole(change) for one in having)  # read only if nothing is in two of them
    total = having[0].totals[change]
    return total == 1 or _giving(_key(change, total), extracts).is_whole(change)


def _is_one_change_of_two(made: Sequence[tuple[Change, int, bytes]], totals: Mapping[Change, int]) -> bool:
    """Whether parts of two changes have all numbers of one change, once each."""
    numbers: dict[Key, list[int]] = {}
    owners: dict[Key, set[Change]] = {}
    for change, number, _ in made:
        numbers.setdefault(_key(change, totals[change]), []).append(number)
        owners.setdefault(_key(change, totals[change]), set()).add(change)
    return any(
        len(owners[key]) > 1 and len(found) == len({*found}) == total
        for key, found in numbers.items()
        if (total := key[2]) > 1
    )


def _are_sure(extracts: Sequence[Extract]) -> bool:
    """Whether extracts end between positions, and those that have a change in common write it alike."""
    known = Counter(change for one in extracts for change in one.numbers)
    is_whole = all(one.is_whole(change) for one in extracts for change in one.numbers)
    at = {position: {one for one in known if one.position == position} for position in {one.position for one in known}}
    is_whole &= all(at[change.position] <= {*one.numbers} for one in extracts for change in one.numbers)
    forms = {one.way.form == _LACKING_LRSN for one in extracts}
    return is_whole and len(forms) == 1 and (max(known.values()) == 1 or len({one.way for one in extracts}) == 1)


def _expect(found: Reading, extracts: Sequence[Extract], whole: Sequence[Change]) -> int:
    """All changes that are whole in an extract, once; of the others errors say what is missing or mixed.

    Returns how many errors say so.
    """
    shown = Counter(_shown(found.rows))
    assert max(shown.values(), default=1) == 1, f"given twice: {shown.most_common(2)}"
    assert {*shown} == {change.text for change in whole}, f"{shown}, not {whole}: {found.errors[:2]}"
    total = Counter[str]()
    for named in {named for one in extracts for named in one.segments}:
        one = _giving(named, extracts)
        count, numbers = len(one.segments[named]), len({number for number, _ in one.segments[named]})
        total["LMP-R004"] += numbers < named[2] and not one.are_mixed(named)
        total["LMP-R005"] += count if one.are_mixed(named) else count - numbers
    total = +total
    assert Counter(found.codes) == total, f"{found.errors[:2]}, not {total}"
    assert len({(error["file"], error["record_offset"]) for error in found.errors}) == total.total()
    return total.total()


def _shown(rows: Sequence[Row]) -> list[str]:
    assert len({row["seq"] for row in rows}) == len(rows), "a seq twice"
    return [row["after"]["V"] if row["after"] else row["detail"]["text"] for row in rows]


def _expect_check(paths: Sequence[Path], pattern: str, reading: Reading) -> None:
    try:
        report = account(*one_log(list(paths), read_options({"spec": "bmc_lldf", "control": pattern})))
        said = [*map(str, report.errors), *report.differences]
    except LmparseError as error:
        said = [str(error)]
    is_bad = bool(reading.errors or reading.ended)
    assert bool(said) == is_bad, f"check: {said[:2]}, reading: {reading.errors[:2]} {reading.ended}"


# -- damage -------------------------------------------------------------------------------------


def _expect_damage_told(chance: random.Random, paths: Sequence[Path], pattern: str, sound: Reading) -> None:
    """A damaged byte of one record changes no other change, and takes none without a word."""
    path = chance.choice(paths)
    whole = path.read_bytes()
    place = _some_place(chance, whole)
    damaged = bytearray(whole)
    damaged[place] ^= chance.choice((1, 2, 4, 8, 0x10, 0xFF))
    path.write_bytes(damaged)
    read = [printed(paths, engine, control=pattern) for engine in ENGINES]
    path.write_bytes(whole)
    what = f"{path.name} with another byte at {place:#x}"
    expect_same(what, *read)
    found = read[0]
    if found.ended:
        return
    shown, known = Counter(_places(found.rows)), Counter(_places(sound.rows))
    lost, more = known - shown, shown - known
    assert more.total() <= 1, f"{what}: more {more}"
    is_said = found.errors != sound.errors or found.left_out != sound.left_out or bool(more)
    assert lost.total() <= 1 or len(found.errors) > len(sound.errors), f"{what}: lost {lost}, {found.errors[:2]}"
    assert not lost or is_said, f"{what}: lost {lost}, and nothing is said"


def _some_place(chance: random.Random, data: bytes) -> int:
    """A byte of a record, more often of its header than of its DATA."""
    starts, offset = [], 0
    while offset < len(data):
        starts.append(offset)
        offset += int.from_bytes(data[offset : offset + 2], "big")
    start = chance.choice(starts)
    length = int.from_bytes(data[start : start + 2], "big")
    return start + 4 + chance.randrange(min(length - 4, chance.choice((280, length))))


def _places(rows: Sequence[Row]) -> list[Any]:
    return [(row["seq"], row["op"], json.dumps([row["before"], row["after"], row["detail"]])) for row in rows]
