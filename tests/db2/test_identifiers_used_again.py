"""What is known of a transaction is not taken for true of another one that uses its identifier behind it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from random_logs.db2_reading import ENGINES, Reading, read
from writers.db2 import utility
from writers.db2.columns import Column
from writers.db2.stream import Framing, Stream, Transaction
from writers.db2.tables import Table

TABLE = Table(2, 4, "T", (Column("ID", "INTEGER", nullable=False),))
PART_BYTES = [None, 1, 100, 200, 400]


class Files:
    """A log in files."""

    def __init__(self, folder: Path, framing: Framing = "filter") -> None:
        self._folder, self.stream = folder, Stream("v10", "little", framing)
        self._options = {"framing": framing, "generation": "v10", "byte_order": "little"}
        self._begin = self._count = 0
        self.state = folder / "state.json"
        unit = self.stream.begin()
        unit.initialize(TABLE)
        unit.commit()

    def again(self, unit: Transaction | None, *, singular: bool = False) -> Transaction:
        """Another transaction with the identifier of one."""
        found = self.stream.begin(singular=singular)
        found.tid = found.tid if unit is None else unit.tid
        return found

    def cut(self) -> Path:
        """A file of the records behind the last one."""
        self._count += 1
        path = self._folder / f"{self._count}.log"
        path.write_bytes(b"".join(self.stream.pieces()[self._begin :]))
        self._begin = len(self.stream.records)
        return path

    def leave_out(self) -> None:
        """The records behind the last file are in none."""
        self._begin = len(self.stream.records)

    def read(self, *files: Path, engine: str, part_bytes: int | None) -> Reading:
        return read(files, self._options, engine, None, part_bytes)

    def read_on(self, *files: Path, engine: str, part_bytes: int | None) -> Reading:
        """Read behind the checkpoint."""
        return read(files, self._options, engine, self.state, part_bytes)


def inserted(unit: Transaction, *numbers: int) -> None:
    for number in numbers:
        unit.insert(TABLE, {"ID": number})


def numbers(reading: Reading) -> list[int]:
    return [row["after"]["C1"] for row in reading.rows if row["op"] == "I"]


@pytest.fixture(params=PART_BYTES)
def part_bytes(request: Any) -> Any:
    return request.param


@pytest.fixture(params=ENGINES)
def engine(request: Any) -> Any:
    return request.param


@pytest.mark.parametrize("end", ["commit", "abort", "none"])
def test_behind_one_that_lacks_a_record(end: str, engine: str, part_bytes: int | None, tmp_path: Path) -> None:
    """Joined, and behind a checkpoint in front of its end."""
    log = Files(tmp_path)
    first = log.again(None)
    inserted(first, 0)
    files = [log.cut()]
    inserted(first, 1)
    log.leave_out()
    inserted(first, 2, 3)
    if end != "none":
        first.commit() if end == "commit" else first.abort()
    second, other = log.again(first), log.again(None)
    inserted(second, 100)
    files.append(log.cut())
    inserted(second, 101)
    second.commit()
    inserted(other, 200)
    other.commit()
    files.append(log.cut())
    found = log.read(*files, engine=engine, part_bytes=part_bytes)
    assert numbers(found) == [100, 101, 200]
    assert found.left_out == {"incomplete": 3}
    assert numbers(log.read_on(*files[:2], engine=engine, part_bytes=part_bytes)) == []
    assert numbers(log.read_on(files[2], engine=engine, part_bytes=part_bytes)) == [100, 101, 200]


def test_one_that_ends_with_its_record_leaves_nothing_to_be_read_again(
    engine: str, part_bytes: int | None, tmp_path: Path
) -> None:
    log = Files(tmp_path)
    log.leave_out()
    first = log.again(None)
    inserted(first, 1)
    inserted(log.again(first, singular=True), 2)
    found = log.read_on(log.cut(), engine=engine, part_bytes=part_bytes)
    assert found.left_out == {"open": 1}
    assert not json.loads(log.state.read_text())["needed"]


@pytest.mark.parametrize("end", ["lost", "none"])
def test_one_that_begins_with_the_start_of_a_load(
    end: str, engine: str, part_bytes: int | None, tmp_path: Path
) -> None:
    """Its next record has a link, but that leads to no other transaction."""
    log = Files(tmp_path)
    first = log.again(None)
    inserted(first, 1)
    files = [log.cut()]
    if end == "lost":
        first.abort()
        log.leave_out()
    second = log.again(first)
    started_load(second)
    files.append(log.cut())
    inserted(second, 2)
    files.append(log.cut())
    inserted(second, 3)
    second.commit()
    files.append(log.cut())
    found = log.read(*files, engine=engine, part_bytes=part_bytes)
    assert numbers(found) == [2, 3]
    assert found.left_out == {"open": 1}
    assert sum("identifier is used again" in text for text in found.notes) == 1
    walk = [log.read_on(file, engine=engine, part_bytes=part_bytes) for file in files]
    assert [number for reading in walk for number in numbers(reading)] == [2, 3]


@pytest.mark.parametrize("end", ["lost", "none"])
def test_the_start_of_a_load_alone_behind_one_that_lacks_a_record(
    end: str, engine: str, part_bytes: int | None, tmp_path: Path
) -> None:
    """It is in front of the checkpoint, and what it begins behind that."""
    log = Files(tmp_path)
    first = log.again(None)
    inserted(first, 0)
    files = [log.cut()]
    inserted(first, 1)
    log.leave_out()
    inserted(first, 2)
    files.append(log.cut())
    if end == "lost":
        first.commit()
        log.leave_out()
    second = log.again(first)
    started_load(second)
    files.append(log.cut())
    inserted(second, 100)
    second.commit()
    files.append(log.cut())
    for number in (2, 3):
        log.state.unlink(missing_ok=True)
        given = [
            log.read_on(*some, engine=engine, part_bytes=part_bytes)
            for some in (files[:number], files[number:3])
            if some
        ]
        given.append(log.read_on(files[3], engine=engine, part_bytes=part_bytes))
        assert [one for reading in given for one in numbers(reading)] == [100]


def started_load(unit: Transaction) -> None:
    unit.record("load_start", "load_start", utility.load_start(unit.stream.server, 1, 3, 9))
