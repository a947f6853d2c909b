"""The index of a log by the column: parts that are indexed by tasks, memory, and transactions across parts."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from samples.db2_random import written
from samples.db2_scripts import ITEM, item
from writers.db2.stream import FIRST_LSO, Stream

from lmparse.db2.log import Db2Log
from lmparse.errors import LmparseError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes


def elsewhere(function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
    """Runs tasks as another process does, with pickled arguments and results."""
    for task in tasks:
        function_, task_ = pickle.loads(pickle.dumps((function, task)))
        yield pickle.loads(pickle.dumps(function_(task_)))


def opened(path: Path, **options: Any) -> Db2Log:
    log = open_changes(path, read_options({"spec": "db2_log", "include": "all", **options}), on_error=lambda _: None)
    assert isinstance(log, Db2Log)
    return log


def changes(path: Path, options: dict[str, Any], part_bytes: int, run: Any = None) -> dict[str, Any]:
    """Everything that the parts of a log give."""
    errors: list[LmparseError] = []
    read = read_options({"include": "all", **options})
    log = open_changes(path, read, on_error=errors.append)
    assert isinstance(log, Db2Log)
    log.run = run
    found: list[str] = []
    parts = log.change_parts(part_bytes)
    for settings, span in parts:
        part = open_changes(path, read, settings=pickle.loads(pickle.dumps(settings)), on_error=errors.append)
        try:
            found += map(str, part.changes(span))
        except LmparseError as error:
            errors.append(error)
    return {
        "changes": Counter(found),
        "errors": sorted(map(str, errors)),
        "notices": log.tally.notices,
        "parts": len(parts),
    }


@pytest.mark.parametrize("seed", range(200, amount(202, 212)))
def test_tasks_index_parts_as_this_process_does(seed: int, tmp_path: Path) -> None:
    path, options, _ = written(tmp_path, seed, 40)
    part_bytes = max(2000, path.stat().st_size // 7)
    runs: list[int] = []

    def run(function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        runs.append(len(tasks))
        return elsewhere(function, tasks)

    here, apart = changes(path, options, part_bytes), changes(path, options, part_bytes, run)
    assert len(runs) == 1
    assert runs[0] > 3
    assert min(here.pop("parts"), apart.pop("parts")) > 3
    assert here == apart


def long_transactions(tmp_path: Path, *, is_undone: bool) -> Path:
    """One transaction over the whole log, side by side with short ones."""
    stream = Stream("v10", "little", "filter")
    long = stream.begin("LONG")
    for number in range(120):
        long.insert(ITEM, item(number))
        short = stream.begin()
        short.insert(ITEM, item(1000 + number))
        short.commit()
    if is_undone:
        long.rollback_to(60)
    long.commit()
    path = tmp_path / "x.log"
    path.write_bytes(stream.bytes())
    return path


@pytest.mark.parametrize("is_apart", [True, False])
def test_other_processes_take_their_parts_from_files(is_apart: bool, tmp_path: Path) -> None:
    path = long_transactions(tmp_path, is_undone=True)
    expected = list(opened(path).changes())
    log = opened(path, limits="indexBytes=1")
    log._part_bytes, log.scratch, log.run = 3000, tmp_path / "scratch", elsewhere if is_apart else None
    log.scratch.mkdir()
    parts = log.change_parts(3000)
    assert len(parts) > 5
    found = Counter[str]()
    for settings, span in parts:
        found.update(map(str, open_changes(path, log.options, settings=settings).changes(span)))
    assert found == Counter(map(str, expected))
    next(file for file in log.scratch.iterdir() if "rows-ids" in file.name).unlink()
    with pytest.raises(FileNotFoundError):
        list(open_changes(path, log.options, settings=parts[0][0]).changes(parts[0][1]))


def test_a_log_that_is_cut_behind_a_part_is_damaged_there_only(tmp_path: Path) -> None:
    path = long_transactions(tmp_path, is_undone=False)
    path.write_bytes(path.read_bytes()[:-30])
    here = changes(path, {"spec": "db2_log"}, 3000)
    apart = changes(path, {"spec": "db2_log"}, 3000, elsewhere)
    assert here["errors"] == apart["errors"]
    assert "LMP-F006" in here["errors"][0]
    assert here["changes"] == apart["changes"]
    assert sum(here["changes"].values()) == 240


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_a_first_record_that_states_no_address_may_follow_one_in_front_of_the_log(engine: str, tmp_path: Path) -> None:
    """Where records state addresses, but this one has zero: those of later records do not place it."""
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit._last = FIRST_LSO + 10_000
    for number in range(2):
        unit.insert(ITEM, item(number))
    unit.commit()
    data = stream.bytes()
    address = FIRST_LSO.to_bytes(8, "little")
    assert data.index(address) < stream.records[0].offset
    path = tmp_path / "x.log"
    for part_bytes in (1 << 26, 100):
        path.write_bytes(data)
        assert left_out(path, engine, part_bytes) == {}
        path.write_bytes(data.replace(address, bytes(8), 1))
        assert left_out(path, engine, part_bytes) == {"incomplete": 2}


def left_out(path: Path, engine: str, part_bytes: int) -> dict[str, int]:
    log = opened(path, engine=engine, include="committed")
    log._part_bytes = part_bytes
    assert list(log.changes()) is not None
    return dict(log.left_out)
