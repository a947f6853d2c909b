"""Progress: how far a long command has got, shown on a terminal."""

from __future__ import annotations

import time
from typing import TextIO

_EVERY = 0.2
"""Seconds between two updates of the line."""


class Progress:
    """A line on a terminal that is rewritten; nothing is written to other streams."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_shown = stream.isatty()
        self._total = 0
        self._started = self._last = time.monotonic()
        self._has_line = False

    def start(self, total: int) -> None:
        """Begin to read `total` bytes."""
        self._total = total
        self._started = self._last = time.monotonic()

    def at(self, done: int, rows: int) -> None:
        """Show that `done` bytes have been read and have produced `rows` rows."""
        now = time.monotonic()
        if self._is_shown and now - self._last >= _EVERY:
            self._last = now
            speed = done / (now - self._started)
            left = int((self._total - done) / speed) if speed else 0
            read = f"{done / 1e6:,.0f} of {self._total / 1e6:,.0f} MB, {rows:,} rows"
            self._stream.write(f"\r{read}, {speed / 1e6:,.1f} MB/s, {left} s left\x1b[K")
            self._stream.flush()
            self._has_line = True

    def clear(self) -> None:
        """Remove the line, so that other text can be printed."""
        if self._has_line:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._has_line = False
