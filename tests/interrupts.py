"""Interruptions in tests, whatever started them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ending_signals_heard() -> Iterator[None]:
    """SIGINT interrupts this process, SIGTERM and SIGHUP end it: who starts tests with `nohup` ignores the last one."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        with sigint_heard():
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def sigint_heard() -> Iterator[None]:
    """SIGINT interrupts this process and those that it starts: a shell that runs tests in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
