"""Plan progress: how far the planning of a job has got, on the standard error of the driver.

Planning reads the descriptor words of large files, and may take minutes before the first task starts.
"""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType

from lmparse.terminal import harmless, one_line

_FIRST, _LONGEST = 5.0, 300.0
"""Seconds to the first line, and between two lines at most; in between the time doubles, so that lines are few."""


class PlanProgress:
    """Writes a line now and then while its block runs; nothing if that takes a few seconds only."""

    def __init__(self, first: float = _FIRST) -> None:
        self._first = first
        self._state = "finds the files"
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lmparse plan progress", daemon=True)

    def at(self, path: str, number: int, count: int) -> None:
        """Say that a file is planned now, with its number from 0 and the number of files."""
        self._state = f"plans file {number + 1} of {count}, {path}"

    def __enter__(self) -> PlanProgress:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        started, wait = time.monotonic(), self._first
        while not self._is_over.wait(wait):
            seconds = time.monotonic() - started
            print(harmless(one_line(f"lmparse: {self._state}, since {seconds:.0f} s")), file=sys.stderr, flush=True)
            wait = min(2 * wait, _LONGEST)
