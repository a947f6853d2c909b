"""Processes: tasks run elsewhere, and their results and errors come in order."""

from __future__ import annotations

import os
import signal

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


def test_results_come_in_the_order_of_their_tasks() -> None:
    assert list(processes.in_order(twice, range(12), 3)) == list(range(0, 24, 2))
    assert list(processes.in_order(twice, [], 3)) == []


def test_an_error_is_raised_in_its_turn() -> None:
    results = processes.in_order(twice, [1, 13, 2], 2)
    assert next(results) == 2
    with pytest.raises(LmparseError, match="unlucky") as caught:
        next(results)
    assert caught.value.hint == "another one"


def test_an_error_that_cannot_be_pickled_is_told_of() -> None:
    with pytest.raises(RuntimeError, match="ValueError"):
        list(processes.in_order(twice, [15], 1))


def test_a_dead_worker_is_an_error() -> None:
    with pytest.raises(LmparseError, match="signal 9") as caught:
        list(processes.in_order(twice, [1, 14, 2, 3], 2))
    assert caught.value.code == "LMP-S007"
