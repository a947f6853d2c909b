"""Processes and threads: what they do ahead comes in order, errors too, and none of them stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lmparse.errors import LmparseError
from lmparse.storage import processes


def twice(number: int) -> int:
    """What workers of these tests do."""
    if number == 13:
        raise LmparseError("unlucky", code="LMP-S003", hint="another one")
    if number == 14:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 15:
        raise ValueError(lambda: "cannot be pickled")
    return 2 * number


def results_of(function: Any, tasks: Iterable[int], jobs: int) -> Iterator[int]:
    with processes.Pool(jobs) as pool:
        yield from pool.in_order(function, tasks)


def test_results_come_in_the_order_of_their_tasks() -> None:
    assert list(results_of(twice, range(12), 3)) == list(range(0, 24, 2))
    assert list(results_of(twice, [], 3)) == []


def test_an_error_is_raised_in_its_turn() -> None:
    results = results_of(twice, [1, 13, 2], 2)
    assert next(results) == 2
    with pytest.raises(LmparseError, match="unlucky") as caught:
        next(results)
    assert caught.value.hint == "another one"


def test_an_error_that_cannot_be_pickled_is_told_of() -> None:
    with pytest.raises(Exception, match="pickle") as caught:
        list(results_of(twice, [15], 1))
    assert "ValueError" in str(caught.value.__cause__)


def test_a_dead_worker_is_an_error() -> None:
    with pytest.raises(LmparseError, match="ended by itself") as caught:
        list(results_of(twice, [1, 14, 2, 3], 2))
    assert caught.value.code == "LMP-S007"


SLEEPER = """
import sys, os, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from storage.test_processes import asleep
from lmparse.storage import processes
if __name__ == "__main__":
    with processes.Pool(1) as pool:
        next(pool.in_order(asleep, [sys.argv[1]]))
"""


def asleep(place: str) -> None:
    """Say who this process is, and stay."""
    Path(place).with_suffix(".new").write_text(str(os.getpid()))
    Path(place).with_suffix(".new").rename(place)
    time.sleep(60)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_the_first_process(number: signal.Signals, tmp_path: Path) -> None:
    program, place = tmp_path / "program.py", tmp_path / "pid"
    program.write_text(SLEEPER)
    first = subprocess.Popen(
        [sys.executable, program, place, Path(__file__).parents[1]], stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    while not place.exists():
        time.sleep(0.02)
    first.send_signal(number)
    first.wait(10)
    worker = Path("/proc", place.read_text())
    for _ in range(100):
        if not worker.exists() or "zombie" in (worker / "status").read_text():
            return
        time.sleep(0.05)
    raise AssertionError("the worker goes on")


# -- a thread -----------------------------------------------------------------------------


def threads() -> int:
    return sum(thread.name.startswith("lmparse prefetch") for thread in threading.enumerate())


def test_an_error_comes_behind_what_was_good() -> None:
    def items() -> Iterator[int]:
        yield from range(5)
        raise ValueError("broken")

    found = []
    with pytest.raises(ValueError, match="broken"):
        found.extend(iter_into(processes.prefetched(items()), found))
    assert found == list(range(5))
    assert not threads()


def iter_into(items: Iterator[int], found: list[int]) -> Iterator[int]:
    for item in items:
        found.append(item)
    return iter(())


def test_no_more_is_made_than_asked_for_and_a_few() -> None:
    made = []

    def items() -> Iterator[int]:
        for number in range(1000):
            made.append(number)
            yield number

    some = processes.prefetched(items(), 2)
    assert next(some) == 0
    time.sleep(0.05)
    assert len(made) <= 5
    some.close()  # type: ignore[attr-defined]
    assert not threads()
