"""Progress: how far the reading of a file has got, in a line of a terminal that tqdm draws.

All bytes of files are read in `buffers`, which says here how far it is. What other processes read of a file is said by
the one that waits for them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock, RLock
from typing import Any

_AFTER, _EVERY = 1.0, 0.2
"""Seconds after which a reading is shown, and between two updates."""
_IN_ORDER = 1 << 18
"""Bytes of a read from which on it says how far the reading is; reads at a place out of order are smaller."""


class Progress:
    """A line with the bytes that are read of all, their rate and the time left; each reading of a file has its own."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._bar: Any = None
        self._is_drawn = False
        self._reached = self._total = 0
        self._since = self._quiet_until = 0.0
        self._lock = Lock()  # some files are read ahead by a thread

    def at(self, done: int, total: int) -> None:
        """Show that `done` bytes of `total` have been read; what falls behind half of that is another reading."""
        now = time.monotonic()
        with self._lock, suppress(OSError):  # of a terminal that has gone
            if done < self._reached / 2 or total != self._total:
                self._end()
                self._reached, self._total, self._since = 0, total, now
            self._reached = max(done, self._reached)
            if now >= max(self._since + _AFTER, self._quiet_until):
                self._bar = self._bar or self._begun()
                self._bar.update(self._reached - self._bar.n)
                self._is_drawn = True

    def clear(self) -> None:
        """Remove the line for as long as a line of text may take, so that it can be printed."""
        with self._lock, suppress(OSError):
            self._quiet_until = time.monotonic() + _EVERY
            if self._is_drawn:
                self._bar.clear()
                self._is_drawn = False

    def end(self) -> None:
        """Remove the line."""
        with self._lock, suppress(OSError):
            self._end()

    def _begun(self) -> Any:
        from tqdm import tqdm

        tqdm.monitor_interval = 0  # else there is a thread for it, and a lock of several processes
        tqdm.set_lock(RLock())
        bar = tqdm(
            desc="reading", total=self._total, unit="B", unit_scale=True, file=self._stream, leave=False,
            mininterval=_EVERY, miniters=1, dynamic_ncols=True,
        )  # fmt: skip
        bar.start_t = bar.last_print_t = bar.start_t - (time.monotonic() - self._since)  # its own clock is another
        return bar

    def _end(self) -> None:
        bar, self._bar, self._is_drawn = self._bar, None, False
        if bar is not None:
            bar.close()


_shown: Progress | None = None


@contextmanager
def shown_on(stream: Any) -> Iterator[Callable[[], None]]:
    """Show what is read inside if a stream is a terminal; gives what removes the line before something is printed."""
    global _shown
    before, _shown = _shown, Progress(stream) if stream is not None and stream.isatty() else None
    own = _shown
    try:
        yield own.clear if own is not None else lambda: None
    finally:
        _shown = before
        if own is not None:
            own.end()


def reached(done: int, total: int, size: int = _IN_ORDER) -> None:
    """Say that a read of `size` bytes has come to `done` of a file of `total` bytes."""
    if _shown is not None and size >= _IN_ORDER:
        _shown.at(done, total)
