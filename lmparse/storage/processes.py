"""Processes: a function applied to many tasks in worker processes, with the results in the order of the tasks."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Self, TypeVar

from lmparse.errors import LmparseError
from lmparse.storage.arrow_alone import load_arrow

Task = TypeVar("Task")
Result = TypeVar("Result")
Run = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
"""Applies a module's function to tasks, in this process or in others, and gives the results in their order."""
_SAFE_PATH = "PYTHONSAFEPATH"
_AHEAD = 2
"""Tasks that a worker may be ahead of the results taken so far, so that results do not pile up."""


def in_order(function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int) -> Generator[Result]:
    """The results of a module's function for each task, computed by `jobs` processes of their own: see `Pool`."""
    with Pool(jobs) as pool:
        yield from pool.in_order(function, tasks)


class Pool:
    """Processes that run functions one after another; they start with the first task, and end with the `with`."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def in_order(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Generator[Result]:
        """The results of a module's function for each task.

        An error of the function is raised at its place among the results. Raises LmparseError LMP-S007 if a process
        ends by itself. If the iterator ends early, however that is, the processes end too.
        """
        left = enumerate(tasks)
        pending = next(left, None)
        results: dict[int, tuple[bool, Any]] = {}
        given, is_over = 0, False
        try:
            while pending is not None or results or any(worker.number is not None for worker in self._workers):
                while pending is not None and pending[0] < given + _AHEAD * self._jobs and (worker := self._idle()):
                    worker.give(pending[0], (function, pending[1]))
                    pending = next(left, None)
                if given not in results:
                    busy = {worker.connection: worker for worker in self._workers if worker.number is not None}
                    for ready in wait(list(busy)):
                        number, outcome = busy[ready].take()  # type: ignore[index]
                        results[number] = outcome
                    continue
                is_good, result = results.pop(given)
                if not is_good:
                    raise result
                given += 1
                yield result
            is_over = True
        finally:
            if not is_over:
                self._end()

    def _idle(self) -> _Worker | None:
        """A process without a task, if need be a new one."""
        found = next((worker for worker in self._workers if worker.number is None), None)
        if found is None and len(self._workers) < self._jobs:
            found = _started(_apply)
            self._workers.append(found)
        return found

    def _end(self) -> None:
        for worker in self._workers:
            worker.process.kill()
            worker.process.join()
            worker.connection.close()
        self._workers.clear()


def _apply(task: tuple[Callable[[Any], Any], Any]) -> Any:
    function, argument = task
    return function(argument)


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection[Any, Any]
    number: int | None = None
    """Number of its current task."""

    def give(self, number: int, task: Any) -> None:
        try:
            self.connection.send(task)
        except OSError:
            raise self._lost() from None
        self.number = number

    def take(self) -> tuple[int, tuple[bool, Any]]:
        """The number of its task, and a pair: True and the result, or False and the error."""
        assert self.number is not None
        try:
            number, outcome = self.number, self.connection.recv()
        except (EOFError, OSError):
            raise self._lost() from None
        self.number = None
        return number, outcome

    def _lost(self) -> LmparseError:
        self.process.join(1)
        code = self.process.exitcode
        how = f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"
        return LmparseError(f"a worker process ended {how}", code="LMP-S007", hint="run it again with fewer jobs")


def _started(function: Callable[[Any], Any]) -> _Worker:
    # A forked process would rely on threads of Arrow that it does not have; a spawned one imports anew.
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(function, there), daemon=True)
    # Ctrl-C reaches every process of the terminal, but the first process ends the others. A process inherits
    # blocked signals, so a worker is never interrupted, not even while it starts. The resource tracker, which
    # starts with the first process, unblocks the signal, so it is started before.
    with _without_modules_of_this_folder():
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    there.close()
    return _Worker(process, here)


@contextmanager
def _without_modules_of_this_folder() -> Iterator[None]:
    """Let processes that start import nothing from the current folder, which may be one that others fill with files.

    They are started with `python -c`, and take over the path for modules of this process only once they run.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _work(function: Callable[[Any], Any], connection: Connection[Any, Any]) -> None:
    """The loop of a worker process: it runs tasks until the first process has ended."""
    with suppress(ImportError):
        load_arrow()
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        try:
            outcome: tuple[bool, Any] = (True, function(task))
        except Exception as error:
            outcome = (False, error)
        try:
            connection.send(outcome)
        except OSError:
            return
        except Exception:
            # An error that cannot be pickled.
            connection.send((False, RuntimeError("".join(traceback.format_exception(outcome[1])))))
