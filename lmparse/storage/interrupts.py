"""Interrupts: signals that end a command, raised as exceptions, so that `finally` removes unfinished files."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)  # the exit code of shells


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Make SIGTERM and SIGHUP end the program by an exception, as Ctrl-C does, unless other code handles them.

    Call it in the main thread.
    """
    handled = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) == signal.SIG_DFL]
    for number in handled:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def left_to_system() -> Iterator[None]:
    """After the block, Ctrl-C ends the program at once: Python, which then ends its threads, would print more."""
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
