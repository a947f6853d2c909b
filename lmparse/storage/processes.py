"""Work ahead: tasks in worker processes, or items made by a thread; results come in the order of the tasks."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import get_context, parent_process, resource_tracker
from threading import Thread
from typing import Any, Self, TypeVar

from lmparse.errors import LmparseError
from lmparse.storage.arrow_alone import load_arrow

Task = TypeVar("Task")
Result = TypeVar("Result")
Run = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
"""Applies a function of a module to tasks, here or in other processes; returns the results in order."""
_SAFE_PATH = "PYTHONSAFEPATH"
_AHEAD = 2
"""Tasks that a worker may be ahead of the results taken; more results would pile up."""
_END: Any = object()


class Pool:
    """Processes that run functions one after another; they start with the first task, and end with the `with` block."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def in_order(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Generator[Result]:
        """Yield the results of a module's function for each task, in order.

        An error of the function is raised in place of its result. Raises LmparseError LMP-S007 if a process ends by
        itself. If the iterator ends early for any reason, the processes end too.
        """
        left = iter(tasks)
        ahead: deque[Future[Result]] = deque()
        is_over = False
        try:
            while True:
                for task in islice(left, _AHEAD * self._jobs - len(ahead)):
                    ahead.append(self._submit(function, task))
                if not ahead:
                    break
                yield ahead.popleft().result()
            is_over = True
        except BrokenProcessPool:
            text = "a worker process ended by itself"
            raise LmparseError(text, code="LMP-S007", hint="run it again with fewer jobs") from None
        finally:
            if not is_over:
                self._end()

    def _submit(self, function: Callable[[Task], Result], task: Task) -> Future[Result]:
        """Pass a task to the processes, and start another process if needed.

        Ctrl-C reaches every process of the terminal, but the first process must end the others. Processes inherit
        blocked signals, so SIGINT is blocked, and workers are never interrupted, not even while starting. The resource
        tracker, which starts with the first process, would unblock the signal, so it is started before.
        """
        with _without_modules_of_this_folder():
            resource_tracker.ensure_running()
            if self._executor is None:
                # A forked process would need Arrow's threads, which fork does not copy; a spawned process imports anew.
                self._executor = ProcessPoolExecutor(self._jobs, get_context("spawn"), _begin)
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                return self._executor.submit(function, task)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _end(self) -> None:
        if self._executor is None:
            return
        for process in [*(self._executor._processes or {}).values()]:
            process.kill()
        self._executor.shutdown(cancel_futures=True)
        self._executor = None


def _begin() -> None:
    """Begin a worker process; it ends when the first process ends for any reason."""
    Thread(target=_end_with_first, daemon=True).start()
    with suppress(ImportError):
        load_arrow()


def _end_with_first() -> None:
    first = parent_process()
    assert first is not None
    first.join()
    os._exit(1)


@contextmanager
def _without_modules_of_this_folder() -> Iterator[None]:
    """Keep starting processes from importing modules of the current folder, where others may put files.

    Processes start with `python -c`, and take over this process's module path only once they run.
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


def prefetched(items: Iterator[Result], count: int = 2) -> Iterator[Result]:
    """Yield the same items in order; a thread makes up to `count` items in advance.

    An error is raised in place of its item. If the caller stops, the thread ends after its current item.
    """
    thread = ThreadPoolExecutor(1, "lmparse prefetch")
    try:
        ahead = deque(thread.submit(next, items, _END) for _ in range(count))
        while (item := ahead.popleft().result()) is not _END:
            ahead.append(thread.submit(next, items, _END))
            yield item
    finally:
        thread.shutdown(cancel_futures=True)
