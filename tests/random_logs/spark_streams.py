"""A stream gives each change of its files once, in the micro-batch of its commit, wherever it stops and begins anew.

Files come one after another, wait for their control file, come too late, or are moved away; a path is a folder, a
pattern or a list, with names beside it that are not data. Offsets are asked for again, also by a new reader. Where all
files are there, a batch gives the same rows.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql.types import ArrayType, IntegerType, StringType, StructField, StructType
from writers.bmc.rows import Column
from writers.db2.columns import Column as LuwColumn
from writers.db2.stream import Stream, Transaction
from writers.db2.tables import Table as LuwTable

from random_logs.spark_nights import Change, Night, Version, some_night
from random_logs.spark_reading import Given, Options, batch, limit_of, listened, rows_of, stream, stream_reader

LOGS = 4
_FAULTS = StructField("_corrupt_fields", ArrayType(StructType([StructField("code", StringType())])))
Row = tuple[Any, ...]
Offset = dict[str, Any]


def check(seed: int, folder: Path) -> Counter[str]:
    chance = random.Random(seed)
    (folder / "log").mkdir()
    (folder / "luw").mkdir()
    return _check_arrivals(chance, folder / "log") + _check_transactions(chance, folder / "luw")


# -- files that come and go ------------------------------------------------------------------------------

_VERSION = Version((Column("NO", "INT", 4), Column("NAME", "CHAR", 9)))
_SCHEMA = StructType([
    StructField("seq", StringType()), StructField("op", StringType()),
    *(StructField(image, StructType([StructField("NO", IntegerType()), StructField("NAME", StringType())]))
      for image in ("before", "after")), _FAULTS,
])  # fmt: skip
_PATTERNS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("", lambda name: True), ("*", lambda name: True), ("*.dat", lambda name: True),
    ("?.dat", lambda name: len(name) == 5), ("??.dat", lambda name: len(name) == 6),
    ("[a-d]*.dat", lambda name: name[0] in "abcd"), ("[!a-d]*", lambda name: name[0] not in "abcd"),
    ("[^a-d]*.dat", lambda name: name[0] not in "abcd"), ("[af]?.dat", lambda name: len(name) == 6 and name[0] in "af"),
)  # fmt: skip
"""Patterns, empty for the folder, and which names of data files they match."""


@dataclass
class _Walk:
    """A stream as it goes on: what it gave, and what it must give."""

    options: Options
    schema: StructType
    reader: Any = None
    offset: Offset | None = None
    taken: list[Night] = field(default_factory=list)
    said: str = ""

    def step(self, chance: random.Random, most: int | None) -> tuple[Given, bool]:
        """One micro-batch, asked for once or twice; and whether there was one."""
        found = Given()
        with listened(found):
            if self.reader is None or chance.random() < 0.4:
                self.reader = stream_reader(self.schema, self.options)
            start = self.offset = self.reader.initialOffset() if self.offset is None else self.offset
            end = self.reader.latestOffset(start, limit_of(most))
            if chance.random() < 0.3:
                assert end == self.reader.latestOffset(start, limit_of(most)), "another offset when it is asked again"
            if end == start:
                return found, False
            end = json.loads(json.dumps(end))  # as Spark keeps it
            found.batches.append(rows_of(self.reader, self.reader.partitions(start, end)))
            if chance.random() < 0.4:
                again = stream_reader(self.schema, self.options)
                assert found.batches[0] == rows_of(again, again.partitions(start, end)), "other rows after a restart"
            self.offset = end
            return found, True
        return found, False


def _check_arrivals(chance: random.Random, folder: Path) -> Counter[str]:
    pattern, matches = chance.choice(_PATTERNS)
    options = {"path": f"{folder}/{pattern}", "control": f"{folder}/{{stem}}.ctl", "table": "PROD.ITEMS",
               "framing": "rdw", "controlFraming": "rdw", "engine": chance.choice(("columnar", "kaitai"))}  # fmt: skip
    if not pattern and chance.random() < 0.3:
        options["pathGlobFilter"], matches = chance.choice((("[a-d]*", _PATTERNS[5][1]), ("?.dat", _PATTERNS[3][1])))
    walk, nights, hidden = _Walk(options, _SCHEMA), list[Night](), dict[Path, bytes]()
    names = iter(chance.sample([first + last for first in "abcdefgh" for last in ("", "x")], 12))
    _clutter(chance, folder)
    counts = Counter[str]()
    for number in range(1, chance.randint(3, 7)):
        event = chance.random()
        night = some_night(chance, folder, 2 * number, [_VERSION] if chance.random() < 0.85 else [], next(names))
        nights.append(night)
        if event < 0.2:  # its control file comes later
            control = night.path.with_suffix(".ctl")
            hidden[control] = control.read_bytes()
            control.unlink()
        elif event < 0.35 and hidden:
            path, data = hidden.popitem()
            path.write_bytes(data)
        elif event < 0.45:
            (folder / f"{next(names)}.dat").touch()
        elif event < 0.55 and len(walk.taken) > 1:
            _move_away(chance.choice(walk.taken[:-1]))
        if chance.random() < 0.7:
            ended = _go_on(chance, walk, nights, matches, counts)
            if ended:
                return counts
    for path, data in hidden.items():
        path.write_bytes(data)
    if _go_on(chance, walk, nights, matches, counts):
        return counts
    return counts + _check_whole(chance, walk, nights, folder, matches)


def _clutter(chance: random.Random, folder: Path) -> None:
    """Names that no reading takes for data."""
    for name in ("_SUCCESS", ".hidden.dat", "_part.dat"):
        if chance.random() < 0.5:
            (folder / name).write_bytes(b"x")
    if chance.random() < 0.3:
        (folder / "_gone.dat").symlink_to(folder / "nothing")
    (folder / "inner").mkdir()
    some_night(chance, folder / "inner", 90, [_VERSION], "a")


def _move_away(night: Night) -> None:
    night.path.unlink(missing_ok=True)
    night.path.with_suffix(".ctl").unlink(missing_ok=True)


def _ready(nights: Sequence[Night], matches: Callable[[str], bool]) -> list[Night]:
    there = [night for night in nights if night.path.exists() and night.path.with_suffix(".ctl").exists()]
    return sorted((night for night in there if matches(night.path.name)), key=lambda night: night.number)


def _go_on(
    chance: random.Random,
    walk: _Walk,
    nights: Sequence[Night],
    matches: Callable[[str], bool],
    counts: Counter[str],
) -> bool:
    """Take what is there; return whether the stream has ended, as it must where a file is too late."""
    for _ in range(len(nights) + 1):
        ready = [night for night in _ready(nights, matches) if night not in walk.taken]
        last = max((night.number for night in walk.taken), default=0)
        most = chance.choice((None, 1, 2))
        found, is_new = walk.step(chance, most)
        walk.said += found.said
        if any(night.number < last for night in ready):
            assert found.code == "LMP-F014", f"a late file is not refused: {found}"
            counts["late"] += 1
            return True
        assert not found.code, f"{found}"
        chosen = ready[:most]
        assert is_new == bool(chosen), f"wanted {[night.path.name for night in chosen]}: {found}"
        if not is_new:
            for night in nights:
                is_waiting = night.path.exists() and not night.path.with_suffix(".ctl").exists()
                is_said = night.path.name in walk.said
                assert is_said or not is_waiting or not matches(night.path.name), f"{night.path.name} is not said"
            return False
        wanted = [_shown(change) for night in chosen for change in night.changes]
        assert _rows(found.rows) == wanted, f"wanted {wanted}, found {_rows(found.rows)}"
        walk.taken += chosen
        counts += Counter(batches=1, rows=len(wanted))
    return False


def _shown(change: Change) -> Row:
    return change.seq, change.op, change.before, change.after


def _rows(rows: Sequence[dict[str, Any]]) -> list[Row]:
    """Rows in the order of their positions, each as `_shown`."""
    return sorted(((row["seq"], row["op"], row["before"], row["after"]) for row in rows), key=lambda row: str(row[0]))


def _check_whole(
    chance: random.Random, walk: _Walk, nights: Sequence[Night], folder: Path, matches: Callable[[str], bool]
) -> Counter[str]:
    """A batch has what is there, and so has a stream that begins anew; both find what is not a file."""
    there = _ready(nights, matches)
    wanted = [_shown(change) for night in there for change in night.changes]
    found = batch(walk.schema, walk.options)
    assert (found.code, _rows(row for row in found.rows if row["seq"])) == ("", wanted), f"batch: {found}"
    found = stream(walk.schema, walk.options, chance.choice((None, 1)))
    assert (found.code, _rows(found.rows)) == ("", wanted), f"a stream anew: {found}"
    name = chance.choice(("az.dat", "hz.dat"))
    (folder / name).symlink_to(folder / "nothing")
    is_found = matches(name)
    for given in (batch(walk.schema, walk.options), stream(walk.schema, walk.options)):
        assert (given.code == "LMP-F001") == is_found, f"a link that leads nowhere: {given}"
    return Counter(whole=1)


# -- transactions that go on from file to file ------------------------------------------------------------


@dataclass
class _Log:
    """A Db2 LUW log in files, and the changes that are committed in each."""

    files: list[bytes]
    committed: list[list[Row]]
    """Of the table that is asked for, without the column that is added, in any order."""


def _some_log(chance: random.Random, table: LuwTable, other: LuwTable) -> _Log:
    log = Stream(chance.choice(("v10", "v9.7")), chance.choice(("big", "little")), "filter")
    first = log.begin("D")
    for one in (table, other):
        first.create_table(one)
        first.initialize(one)
    first.commit()
    open_: dict[str, tuple[Transaction, list[Row]]] = {}
    rows = dict[int, str]()
    ends, committed, number, wide = list[int](), list[list[Row]](), 0, table
    for place in range(chance.randint(2, 5)):
        committed.append([])
        if place == 2 and chance.random() < 0.5:
            unit = log.begin("X")
            wide = unit.add_columns(table, LuwColumn("MORE", "INTEGER"))
            unit.commit()
        for _ in range(chance.randint(1, 8)):
            name = chance.choice("ABC")
            if name not in open_:
                open_[name] = log.begin(name), []
            unit, done = open_[name]
            step = chance.random()
            if step < 0.5:
                number += 1
                unit.insert(wide, _row(wide, number, f"v{number}"))
                done.append(("I", None, (number, f"v{number}")))
            elif step < 0.6:
                unit.insert(other, {"ID": 1, "V": "other"})
            elif step < 0.7 and rows and wide is table:
                old = chance.choice(sorted(rows))
                value = rows.pop(old)
                unit.delete(table, _row(table, old, value))
                done.append(("D", (old, value), None))
            elif step < 0.9:
                unit.commit()
                committed[-1] += done
                rows |= {row[2][0]: row[2][1] for row in done if row[2]}
                del open_[name]
            else:
                unit.abort()
                del open_[name]
        ends.append(len(log.bytes()))
    data = log.bytes()
    return _Log([data[begin:end] for begin, end in zip((0, *ends), ends, strict=False)], committed)


def _row(table: LuwTable, number: int, value: str) -> dict[str, Any]:
    return {"ID": number, "V": value, **({"MORE": number} if len(table.columns) > 2 else {})}


def _check_transactions(chance: random.Random, folder: Path) -> Counter[str]:
    columns = (LuwColumn("ID", "INTEGER", nullable=False), LuwColumn("V", "VARCHAR(9)"))
    table, other = LuwTable(2, 4, "T", columns), LuwTable(2, 5, "U", columns)
    log = _some_log(chance, table, other)
    fields = [StructField("C1", IntegerType()), StructField("C2", StringType())]
    is_wide = chance.random() < 0.5  # the column that a later file may have
    if is_wide:
        fields.append(StructField("C3", IntegerType()))
    images = [StructField(image, StructType(fields)) for image in ("before", "after")]
    schema = StructType([StructField("seq", StringType()), StructField("op", StringType()), *images, _FAULTS])
    # Of a file of few bytes, several framings may fit the first ones (LMP-F004).
    options = {"path": str(folder), "spec": "db2_log", "framing": "filter", "table": "2.4", "operations": "I,D",
               "engine": chance.choice(("columnar", "kaitai"))}  # fmt: skip
    if chance.random() < 0.4:
        options["columns"] = ",".join(entry.name for entry in fields)
    walk, counts, wanted, given = _Walk(options, schema), Counter[str](), list[Row](), list[Row]()
    for place, data in enumerate(log.files):
        (folder / f"{'zyxwv'[place]}.log").write_bytes(data)
        wanted += log.committed[place]
        if data and chance.random() < 0.7:
            given += _luw_steps(chance, walk, counts)
            assert sorted(given, key=str) == sorted(wanted, key=str), f"file {place}: {given}, wanted {wanted}"
    given += _luw_steps(chance, walk, counts)
    assert sorted(given, key=str) == sorted(wanted, key=str), f"all files: {given}, wanted {wanted}"
    if not is_wide or b"" in log.files:
        return counts
    found = batch(schema, options)
    if not found.code:
        whole = sorted(_luw_rows(found), key=str)
        assert whole == sorted(wanted, key=str), f"batch: {whole}, wanted {wanted}"
    return counts


def _luw_steps(chance: random.Random, walk: _Walk, counts: Counter[str]) -> Iterator[Row]:
    while True:
        found, is_new = walk.step(chance, chance.choice((None, 1, 2)))
        assert not found.code, f"{found}"
        if not is_new:
            return
        counts += Counter(luw_batches=1, luw_rows=len(found.rows))
        yield from _luw_rows(found)


def _luw_rows(found: Given) -> list[Row]:
    rows = []
    for row in found.rows:
        assert not row["_corrupt_fields"], f"{row}"
        before, after = (
            None if row[image] is None else (row[image]["C1"], row[image]["C2"]) for image in ("before", "after")
        )
        if after and row["after"].get("C3") is not None:
            assert row["after"]["C3"] == after[0], f"{row}"
        rows.append((row["op"], before, after))
    return rows
