"""Changes that are landed extract by extract: each is landed once, and current tables are as the source."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from export.delta_tables import rows_of
from export.killed_runs import KilledError, killed_at, killed_everywhere
from samples import db2_scripts as luw
from writers.db2.columns import Column
from writers.db2.stream import Stream, Transaction
from writers.db2.tables import Table
from writers.db2.values import External

import lmparse
from lmparse.errors import FramingError, OptionError
from lmparse.export import landing_current

ITEM, DOC = luw.ITEM, luw.DOC
FREE = Table(3, 6, "FREE", (Column("N", "INTEGER"),))
"""It has no key."""
Rows = list[dict[str, Any]]


class Source:
    """A script of a log, and what the tables of its server have in the end, without any decoder."""

    def __init__(self, seed: int, units: int = 40) -> None:
        self.chance, self.stream = random.Random(seed), Stream("v10", "little", "filter")
        self.item: dict[int, str | None] = {}
        self.doc: dict[int, str] = {}
        self.numbers = iter(range(1, 10_000))
        first = self.stream.begin()
        for table in (ITEM, DOC, FREE):
            first.initialize(table)
        first.commit()
        for _ in range(units):
            self.unit()
        self.stream.begin().insert(ITEM, {"ID": 9999, "NAME": "open"})

    def unit(self) -> None:
        """One transaction, beside one that is rolled back and one that is committed later."""
        unit, other, late = self.stream.begin(), self.stream.begin(), self.stream.begin()
        other.insert(ITEM, {"ID": 7000, "NAME": "no"})
        number = next(self.numbers)
        late.insert(ITEM, {"ID": number, "NAME": "late"})
        for _ in range(self.chance.randrange(1, 5)):
            self.chance.choice((self.insert, self.rename, self.move, self.shift, self.swap, self.delete, self.docs))(
                unit
            )
        unit.insert(FREE, {"N": 1})
        other.abort()
        if is_emptied := self.chance.random() < 0.05:
            late.abort()
            unit.truncate(ITEM)
            self.item.clear()
        unit.commit()
        if not is_emptied:
            late.commit()
            self.item[number] = "late"

    def update(self, unit: Transaction, old: int, new: int, before: str | None, name: str | None) -> None:
        unit.update(ITEM, {"ID": old, "NAME": before}, {"ID": new, "NAME": name})

    def insert(self, unit: Transaction) -> None:
        number = next(self.numbers)
        self.item[number] = self.chance.choice(("same", "same", "other", None))
        unit.insert(ITEM, {"ID": number, "NAME": self.item[number]})

    def rename(self, unit: Transaction) -> None:
        for number in self.some(1):
            self.update(unit, number, number, self.item[number], "renamed")
            self.item[number] = "renamed"

    def move(self, unit: Transaction) -> None:
        """A row gets another key, and then one more."""
        for number in self.some(1):
            name = self.item.pop(number)
            first, second = next(self.numbers), next(self.numbers)
            self.update(unit, number, first, name, name)
            self.update(unit, first, second, name, name)
            self.item[second] = name

    def shift(self, unit: Transaction) -> None:
        """Each row gets the key of the next one."""
        found = self.some(4)
        if found:
            keys = [*found, next(self.numbers)]
            names = [self.item.pop(number) for number in found]
            for old, new, name in zip(found, keys[1:], names, strict=True):
                self.update(unit, old, new, name, name)
                self.item[new] = name

    def swap(self, unit: Transaction) -> None:
        if len(found := self.some(2)) == 2:
            one, two = found
            names = self.item[one], self.item[two]
            self.update(unit, one, two, names[0], names[0])
            self.update(unit, two, one, names[1], names[1])
            self.item[one], self.item[two] = names[1], names[0]

    def delete(self, unit: Transaction) -> None:
        for number in self.some(1):
            unit.delete(ITEM, {"ID": number, "NAME": self.item.pop(number)})

    def docs(self, unit: Transaction) -> None:
        """A row with a LOB; an update of its key without the value, which is not logged then."""
        number = next(self.numbers)
        self.doc[number] = f"body {number}"
        unit.insert(DOC, {"ID": number}, lobs={"BODY": self.doc[number]})
        old = self.chance.choice([*self.doc])
        if self.chance.random() < 0.7:
            new = next(self.numbers) if self.chance.random() < 0.5 else old
            unit.update(DOC, {"ID": old, "BODY": External()}, {"ID": new, "BODY": External()})
            self.doc[new] = self.doc.pop(old)

    def some(self, most: int) -> list[int]:
        """Some rows, by key in ascending order."""
        return sorted(self.chance.sample([*self.item], min(most, len(self.item))))

    def extracts(self, folder: Path, count: int = 4) -> list[Path]:
        """The log in files."""
        folder.mkdir(exist_ok=True)
        data, lead = self.stream.bytes(), self.stream.records[0].offset
        places = sorted(self.chance.sample([record.offset - lead for record in self.stream.records][1:], count - 1))
        found = []
        for number, (start, end) in enumerate(zip([0, *places], [*places, len(data)], strict=True)):
            found.append(folder / f"{number}.log")
            found[-1].write_bytes(data[start:end])
        return found


def tables_file(folder: Path) -> str:
    keyed = [(f"name: {name},", f"name: {name}, key: [ID],") for name in ("ITEM", "DOC")]
    return luw.tables_file(folder, ITEM, DOC, FREE, replaced=keyed)


def current(to: Path, name: str, value: str) -> dict[int, Any]:
    rows = rows_of(to / "current" / f"PROD.{name}")
    assert not [row for row in rows if row["_unknown_columns"]]
    found = {row["ID"]: row[value] for row in rows}
    assert len(found) == len(rows)
    return found


def change_seqs(to: Path, form: str) -> list[tuple[str, str]]:
    """Folder and seq of every change that is landed, sorted."""
    found = []
    for folder in sorted((to / "changes").iterdir()):
        if form == "delta":
            rows = rows_of(folder)
        else:
            rows = [row for path in folder.rglob("*.parquet") for row in pq.ParquetFile(path).read(["seq"]).to_pylist()]
        found += [(folder.name, row["seq"]) for row in rows]
    return sorted(found)


def expected_seqs(extracts: list[Path], options: dict[str, Any]) -> list[tuple[str, str]]:
    rows = lmparse.open_log(extracts, **options).changes()
    return sorted((f"{row['schema_name']}.{row['table_name']}", row["seq"]) for row in rows)


def check(source: Source, to: Path) -> None:
    assert current(to, "ITEM", "NAME") == source.item
    assert current(to, "DOC", "BODY") == source.doc


@pytest.mark.parametrize("seed", [0, 2])
def test_four_extracts_landed_twice(seed: int, tmp_path: Path) -> None:
    source = Source(seed)
    extracts, to = source.extracts(tmp_path / "in"), tmp_path / "to"
    options = {"spec": "db2_log", "tables": tables_file(tmp_path)}
    for path in extracts:
        for again in (False, True):
            landed = lmparse.land(path, to, current=True, **options)
            assert landed.rows == 0 if again else True
    assert change_seqs(to, "delta") == expected_seqs(extracts, options)
    check(source, to)
    assert not (to / "current" / "PROD.FREE").exists()
    assert lmparse.land(extracts, to, current=True, **options).rows == 0
    assert sorted(path.name for path in (to / "_lmparse").iterdir()) == ["checkpoint.json", "land.json", "lock"]


# -- runs that are killed ---------------------------------------------------------------------


@pytest.mark.parametrize(("form", "seed"), [("delta", 5), ("parquet", 6)])
def test_runs_that_are_killed_at_every_commit(form: str, seed: int, tmp_path: Path) -> None:
    source = Source(seed, 16)
    extracts, to = source.extracts(tmp_path / "in", 3), tmp_path / "to"
    options = {"spec": "db2_log", "tables": tables_file(tmp_path)}
    how = {"as_": form, "current": form == "delta", **options}
    points = killed_everywhere(extracts[:1], to, 40, **how)
    assert points.count("write_text") >= 3
    with pytest.MonkeyPatch.context() as patch:
        killed_at(2 + seed % 2, patch, [], is_done=True)
        with pytest.raises(KilledError):
            lmparse.land(extracts[1], to, **how)
    # More of the log is there when that run is made up for.
    killed_everywhere(extracts[1:], to, 40, **how)
    assert change_seqs(to, form) == expected_seqs(extracts, options)
    if form == "delta":
        check(source, to)


def test_files_in_front_of_those_of_a_run_that_was_killed_are_refused(tmp_path: Path) -> None:
    """A table that has the last changes of these would be taken to have the changes in front of them too."""
    first, between, last = Source(2, 12).extracts(tmp_path / "in", 3)
    how = {"spec": "db2_log", "tables": tables_file(tmp_path), "as_": "parquet"}
    lmparse.land(first, tmp_path / "to", **how)
    with pytest.MonkeyPatch.context() as patch:
        killed_at(3, patch, points := list[str](), is_done=True)
        with pytest.raises(KilledError):
            lmparse.land(last, tmp_path / "to", **how)
    assert points[2:] == ["_place", "_place"]
    ahead = change_seqs(tmp_path / "to", "parquet")
    for others in ([between], [between, last], [first]):
        with pytest.raises(OptionError, match="had read other files than this one") as caught:
            lmparse.land(others, tmp_path / "to", **how)
        assert caught.value.code == "LMP-S031"
        assert change_seqs(tmp_path / "to", "parquet") == ahead
    assert lmparse.land(last, tmp_path / "to", **how).rows
    with pytest.raises(FramingError, match="LMP-F014"):
        lmparse.land(between, tmp_path / "to", **how)


@pytest.mark.parametrize("form", ["delta", "parquet"])
def test_other_files_behind_a_run_that_was_killed_in_front_of_the_first_table(form: str, tmp_path: Path) -> None:
    """It has landed nothing, so the files that it read need not be landed together, or at all."""
    extracts, to = Source(2, 12).extracts(tmp_path / "in", 3), tmp_path / "to"
    options = {"spec": "db2_log", "tables": tables_file(tmp_path)}
    how = {**options, "as_": form, "current": form == "delta"}
    for number, extract in enumerate(extracts):
        with pytest.MonkeyPatch.context() as patch:
            killed_at(number % 2, patch, [], is_done=True)
            with pytest.raises(KilledError):
                lmparse.land(extracts[number:], to, **how)
        assert (to / "_lmparse" / "begun.json").exists()
        assert lmparse.land(extract, to, **how).rows
    assert change_seqs(to, form) == expected_seqs(extracts, options)


def test_files_say_which_version_wrote_them(tmp_path: Path) -> None:
    (log,) = Source(3, 4).extracts(tmp_path / "in", 1)
    lmparse.land(log, tmp_path / "to", as_="parquet", spec="db2_log", tables=tables_file(tmp_path))
    paths = list((tmp_path / "to" / "changes").rglob("*.parquet"))
    assert paths
    for path in paths:
        assert pq.read_metadata(path).metadata[b"lmparse.version"].decode() == lmparse.__version__


KILLED = """\
import os, signal, sys
import lmparse
from lmparse.export.landing_delta import DeltaFolder

real, left = DeltaFolder._write, [int(sys.argv[1])]
def write(*given, **named):
    real(*given, **named)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
DeltaFolder._write = write
lmparse.land(sys.argv[2], sys.argv[3], current=True, spec="db2_log", tables=sys.argv[4])
"""


def test_a_process_that_is_killed(tmp_path: Path) -> None:
    """Its lock is gone with it, and the next run removes what it left."""
    source, tables = Source(1, 40), tables_file(tmp_path)
    (log,) = source.extracts(tmp_path / "in", 1)
    command = [sys.executable, "-c", KILLED, "4", str(log), str(tmp_path / "to"), tables]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, "")
    assert len(list((tmp_path / "to" / "_lmparse").iterdir())) == 4  # the changes that it kept are there, no checkpoint
    lmparse.land(log, tmp_path / "to", current=True, spec="db2_log", tables=tables)
    check(source, tmp_path / "to")
    assert change_seqs(tmp_path / "to", "delta") == expected_seqs([log], {"spec": "db2_log", "tables": tables})
    assert sorted(path.name for path in (tmp_path / "to" / "_lmparse").iterdir()) == [
        "checkpoint.json",
        "land.json",
        "lock",
    ]


def test_transactions_in_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each chunk is a commit; every transaction but a very long one is in one chunk."""
    monkeypatch.setattr(landing_current, "CHUNK_ROWS", 3)
    monkeypatch.setattr("lmparse.export.spill_files._ROWS", 2)
    monkeypatch.setattr("lmparse.export.landing_merge._FILE_BYTES", 0)
    source = Source(7, 12)
    to, how = tmp_path / "to", {"spec": "db2_log", "tables": tables_file(tmp_path)}
    for path in source.extracts(tmp_path / "in", 2):
        killed_everywhere([path], to, 80, current=True, **how)
    check(source, to)
    table = DeltaTable(str(to / "current" / "PROD.ITEM"))
    seqs = [entry["lmparse.seq"] for entry in table.history() if "lmparse.seq" in entry]
    assert len(seqs) > 5
    assert len({seq[:20] for seq in seqs}) == len(seqs)  # no two chunks have changes of one transaction
    assert table.transaction_version("lmparse") == len(seqs)


@pytest.mark.parametrize("end", ["moved", "deleted", "truncated", "inserted"])
def test_a_transaction_that_is_divided(end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a part of it knows of keys that rows took is not known to the next one: then rows are marked."""
    monkeypatch.setattr(landing_current, "CHUNK_ROWS", 1)
    monkeypatch.setattr(landing_current, "MOST_CHUNKS", 1)
    monkeypatch.setattr("lmparse.export.spill_files._ROWS", 2)

    def change(unit: Transaction) -> None:
        shifted(unit, "a", "b")
        if end == "moved":
            unit.update(ITEM, {"ID": 3, "NAME": "c"}, {"ID": 4, "NAME": "c"})
        elif end == "deleted":
            unit.delete(ITEM, {"ID": 3, "NAME": "c"})
        elif end == "truncated":
            unit.update(ITEM, {"ID": 3, "NAME": "c"}, {"ID": 4, "NAME": "c"})
            unit.truncate(ITEM)
        else:
            unit.insert(ITEM, {"ID": 4, "NAME": "d"})

    to = two_extracts(tmp_path, lambda unit: items(unit, "a", "b", "c"), change)
    known = json.loads((to / "_lmparse" / "land.json").read_text())["tables"]
    marks = [mark for table in known for mark in table["marks"]]
    is_marked = end in ("moved", "deleted")
    assert [mark["reason"] for mark in marks] == [landing_current._DIVIDED] * is_marked
    if not is_marked:
        expected = {} if end == "truncated" else {2: "a", 3: "b", 4: "d"}
        assert current(to, "ITEM", "NAME") == expected


# -- keys that a row takes from another one -------------------------------------------------------


def two_extracts(folder: Path, first: Callable[[Transaction], None], second: Callable[[Transaction], None]) -> Path:
    """What two transactions leave, each landed by itself; returns the target."""
    stream = Stream("v10", "little", "filter")
    begun = stream.begin()
    begun.initialize(ITEM)
    begun.initialize(DOC)
    begun.commit()
    place = 0
    for number, change in enumerate((first, second)):
        unit = stream.begin()
        change(unit)
        unit.commit()
        (folder / f"{number}.log").write_bytes(stream.bytes()[place:])
        place = len(stream.bytes())
        lmparse.land(folder / f"{number}.log", folder / "to", current=True, spec="db2_log", tables=tables_file(folder))
    return folder / "to"


def items(unit: Transaction, *names: str) -> None:
    for number, name in enumerate(names, 1):
        unit.insert(ITEM, {"ID": number, "NAME": name})


def shifted(unit: Transaction, *names: str) -> None:
    for number, name in enumerate(names, 1):
        unit.update(ITEM, {"ID": number, "NAME": name}, {"ID": number + 1, "NAME": name})


@pytest.mark.parametrize("names", [("a", "a", "a"), ("a", "b", "c")])
def test_rows_that_move_to_the_next_key(names: tuple[str, ...], tmp_path: Path) -> None:
    to = two_extracts(tmp_path, lambda unit: items(unit, *names), lambda unit: shifted(unit, *names))
    assert current(to, "ITEM", "NAME") == dict(enumerate(names, 2))


def test_rows_that_were_there_before_the_log(tmp_path: Path) -> None:
    """Nothing tells the target of them, so their values must."""
    to = two_extracts(tmp_path, lambda unit: items(unit), lambda unit: shifted(unit, "a", "b", "c"))
    assert current(to, "ITEM", "NAME") == {2: "a", 3: "b", 4: "c"}


def test_a_row_that_moves_twice(tmp_path: Path) -> None:
    def moved(unit: Transaction) -> None:
        for old, new in ((1, 5), (5, 6)):
            unit.update(ITEM, {"ID": old, "NAME": "a"}, {"ID": new, "NAME": "a"})

    assert current(two_extracts(tmp_path, lambda unit: items(unit, "a"), moved), "ITEM", "NAME") == {6: "a"}


REAL = Table(3, 7, "REAL", (Column("ID", "INTEGER", nullable=False), Column("N", "DOUBLE")))


def test_a_value_that_is_not_equal_to_itself_is_that_of_the_same_row(tmp_path: Path) -> None:
    stream, nan = Stream("v10", "little", "filter"), float("nan")
    unit = stream.begin()
    unit.initialize(REAL)
    unit.insert(REAL, {"ID": 0, "N": nan})
    unit.update(REAL, {"ID": 0, "N": nan}, {"ID": 2, "N": nan})
    unit.delete(REAL, {"ID": 2, "N": nan})
    unit.commit()
    (tmp_path / "x.log").write_bytes(stream.bytes())
    tables = luw.tables_file(tmp_path, REAL, replaced=[("name: REAL,", "name: REAL, key: [ID],")])
    lmparse.land(tmp_path / "x.log", tmp_path / "to", current=True, spec="db2_log", tables=tables)
    assert rows_of(tmp_path / "to" / "current" / "PROD.REAL") == []


# -- values that are not in the log -----------------------------------------------------------------


def test_a_lob_value_that_is_not_in_the_log(tmp_path: Path) -> None:
    """It is that of the row before, of another chunk or of this one; what nothing says is named."""

    def first(unit: Transaction) -> None:
        for number in (1, 2):
            unit.insert(DOC, {"ID": number}, lobs={"BODY": f"body {number}"})

    def second(unit: Transaction) -> None:
        for old, new in ((1, 1), (2, 3), (3, 4), (8, 8)):
            unit.update(DOC, {"ID": old, "BODY": External()}, {"ID": new, "BODY": External()})

    rows = rows_of(two_extracts(tmp_path, first, second) / "current" / "PROD.DOC")
    found = {row["ID"]: (row["BODY"], row["_unknown_columns"]) for row in rows}
    assert found == {1: ("body 1", None), 4: ("body 2", None), 8: (None, ["BODY"])}
