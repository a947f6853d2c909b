"""Bounds of one input: memory by the peak that the system keeps of the process, time by an alarm."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MEMORY_BYTES, SECONDS = 48 << 20, 10
"""Memory and time that one input may take: its files have some 64 KB at most, and modules are loaded before."""
_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class OverBoundError(Exception):
    """An input took more than it may."""


def bounded(target: Callable[[bytes], None], data: bytes, *, seconds: int = 0) -> None:
    """Give an input to a target. Warnings are errors. Raises what the target raises, and OverBoundError.

    `seconds` of CPU time set an alarm, where the caller has the signal for itself: other programs do not count.
    """
    before = _begin_peak()
    with _alarm(seconds), warnings.catch_warnings():
        warnings.simplefilter("error")
        target(data)
    grown = _kilobytes("VmHWM") - before << 10
    if grown > MEMORY_BYTES:
        raise OverBoundError(f"{grown >> 20} MB for an input of {len(data)} bytes")


def _begin_peak() -> int:
    """Resident kilobytes; the system counts the peak from here on. 0 where it keeps none, and nothing is bounded."""
    if not _CLEAR.exists():
        return 0
    _CLEAR.write_text("5")
    return _kilobytes("VmRSS")


def _kilobytes(name: str) -> int:
    if not _STATUS.exists():
        return 0
    return int(next(line for line in _STATUS.read_text().splitlines() if line.startswith(name)).split()[1])


@contextmanager
def _alarm(seconds: int) -> Iterator[None]:
    if not seconds:
        yield
        return

    def over(*_: Any) -> None:
        raise OverBoundError(f"more than {seconds} s of CPU time")

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
