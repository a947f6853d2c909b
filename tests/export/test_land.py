"""Changes that are landed extract by extract: each is landed once, and current tables are as the source."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from export.delta_tables import rows_of
from export.killed_runs import KilledError, killed_at, killed_everywhere
from samples import db2_scripts as luw
from writers.db2.columns import Column
from writers.db2.stream import Stream, Transaction
from writers.db2.tables import Table

import lmparse
from lmparse.errors import FramingError

ITEM = luw.ITEM
FREE = Table(3, 6, "FREE", (Column("N", "INTEGER"),))
"""It has no key."""


class Source:
    """A script of a log, and what the table ITEM of its server has in the end, without any decoder."""

    def __init__(self, seed: int, units: int = 40) -> None:
        self.chance, self.stream = random.Random(seed), Stream("v10", "little", "filter")
        self.item: dict[int, str | None] = {}
        self.numbers = iter(range(1, 10_000))
        first = self.stream.begin()
        for table in (ITEM, FREE):
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
            self.chance.choice((self.insert, self.rename, self.delete, self.replace))(unit)
        if self.chance.random() < 0.4:
            self.shift(unit)  # a row that leaves a key that it has got in the same transaction is refused
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

    def shift(self, unit: Transaction) -> None:
        """Each row gets a new key, or the key that the next one had: the last row moves first."""
        found = self.some(4)
        keys = [*found[1:], next(self.numbers)]
        for old, new in reversed([*zip(found, keys, strict=False)]):
            self.item[new] = name = self.item.pop(old)
            self.update(unit, old, new, name, name)

    def delete(self, unit: Transaction) -> None:
        for number in self.some(1):
            unit.delete(ITEM, {"ID": number, "NAME": self.item.pop(number)})

    def replace(self, unit: Transaction) -> None:
        for number in self.some(1):
            unit.delete(ITEM, {"ID": number, "NAME": self.item[number]})
            self.item[number] = "replaced"
            unit.insert(ITEM, {"ID": number, "NAME": "replaced"})

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
    return luw.tables_file(folder, ITEM, FREE, replaced=[("name: ITEM,", "name: ITEM, key: [ID],")])


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
    rows = rows_of(to / "current" / "PROD.ITEM")
    found = {row["ID"]: row["NAME"] for row in rows}
    assert (found, len(rows)) == (source.item, len(found))


SETTLED = ["checkpoint.json", "land.json", "lock"]


def test_four_extracts_landed_twice(tmp_path: Path) -> None:
    source = Source(2)
    extracts, to = source.extracts(tmp_path / "in"), tmp_path / "to"
    options = {"spec": "db2_log", "tables": tables_file(tmp_path)}
    for path in extracts:
        for again in (False, True):
            landed = lmparse.land(path, to, current=True, **options)
            assert not any(table.is_refused for table in landed.tables)
            assert landed.rows == 0 if again else True
    assert change_seqs(to, "delta") == expected_seqs(extracts, options)
    check(source, to)
    assert not (to / "current" / "PROD.FREE").exists()
    assert lmparse.land(extracts, to, current=True, **options).rows == 0
    assert sorted(path.name for path in (to / "_lmparse").iterdir()) == SETTLED


def test_a_current_table_that_is_made_later_has_all_changes(tmp_path: Path) -> None:
    """It is made of the change table, from its beginning."""
    source = Source(3)
    first, *others = source.extracts(tmp_path / "in")
    how = {"spec": "db2_log", "tables": tables_file(tmp_path)}
    lmparse.land(first, tmp_path / "to", **how)
    lmparse.land(others, tmp_path / "to", current=True, **how)
    check(source, tmp_path / "to")


# -- runs that are killed ---------------------------------------------------------------------


@pytest.mark.parametrize(("form", "seed"), [("delta", 5), ("parquet", 6)])
def test_runs_that_are_killed_at_every_commit(form: str, seed: int, tmp_path: Path) -> None:
    source = Source(seed, 16)
    extracts, to = source.extracts(tmp_path / "in", 3), tmp_path / "to"
    options = {"spec": "db2_log", "tables": tables_file(tmp_path)}
    how = {"as_": form, "current": form == "delta", **options}
    points = killed_everywhere(extracts[:1], to, 40, **how)
    assert points[-1] == "write_text"
    with pytest.MonkeyPatch.context() as patch:
        killed_at(1 + seed % 2, patch, [], is_done=True)
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
    how = {"spec": "db2_log", "tables": tables_file(tmp_path)}
    lmparse.land(first, tmp_path / "to", **how)
    with pytest.MonkeyPatch.context() as patch:
        killed_at(2, patch, points := list[str](), is_done=True)
        with pytest.raises(KilledError):
            lmparse.land(last, tmp_path / "to", **how)
    assert points == ["write_text", "write", "write"]
    ahead = change_seqs(tmp_path / "to", "delta")
    for others in ([between], [between, last]):
        with pytest.raises(FramingError, match="it comes too late: PROD") as caught:
            lmparse.land(others, tmp_path / "to", **how)
        assert caught.value.code == "LMP-F014"
        assert change_seqs(tmp_path / "to", "delta") == ahead
    assert not lmparse.land(last, tmp_path / "to", **how).rows
    with pytest.raises(FramingError, match="LMP-F014"):
        lmparse.land(between, tmp_path / "to", **how)


KILLED = """\
import os, signal, sys
import lmparse
from lmparse.export.land_delta import DeltaFolder

real, left = DeltaFolder.write, [int(sys.argv[1])]
def write(*given, **named):
    real(*given, **named)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
DeltaFolder.write = write
lmparse.land(sys.argv[2], sys.argv[3], current=True, spec="db2_log", tables=sys.argv[4])
"""


def test_a_process_that_is_killed(tmp_path: Path) -> None:
    """Its lock is gone with it, and the next run makes up for it."""
    source, tables = Source(1, 40), tables_file(tmp_path)
    (log,) = source.extracts(tmp_path / "in", 1)
    command = [sys.executable, "-c", KILLED, "2", str(log), str(tmp_path / "to"), tables]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, "")
    assert not (tmp_path / "to" / "_lmparse" / "checkpoint.json").exists()
    lmparse.land(log, tmp_path / "to", current=True, spec="db2_log", tables=tables)
    check(source, tmp_path / "to")
    assert change_seqs(tmp_path / "to", "delta") == expected_seqs([log], {"spec": "db2_log", "tables": tables})
    there = sorted(path.name for path in (tmp_path / "to" / "_lmparse").iterdir())
    left = [name for name in there if name.endswith(".partial")]  # which nobody removes
    assert len(left) == 1
    assert [name for name in there if name not in left] == SETTLED


def test_files_say_which_version_wrote_them(tmp_path: Path) -> None:
    (log,) = Source(3, 4).extracts(tmp_path / "in", 1)
    lmparse.land(log, tmp_path / "to", as_="parquet", spec="db2_log", tables=tables_file(tmp_path))
    paths = list((tmp_path / "to" / "changes").rglob("*.parquet"))
    assert paths
    for path in paths:
        assert pq.read_metadata(path).metadata[b"lmparse.version"].decode() == lmparse.__version__
