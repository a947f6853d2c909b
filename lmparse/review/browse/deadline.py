"""Deadline: what reads records for a request ends after some seconds, whatever a spec of the user's has it do.

Python cannot end a thread from outside. It can have an exception raised in one, before its next instruction: so a loop
of a generated parser ends, though not one call of a library that takes long.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Timer, get_ident

from lmparse.limits import Limits

TOO_LONG = "LMP-L006"


class _TimeIsUp(BaseException):
    """Not an Exception, which a reader of records would take for damage of its record."""


@contextmanager
def deadline(limits: Limits, file: str) -> Iterator[None]:
    """Raise LimitError LMP-L006 if the block takes longer than the limit `request_seconds`."""
    thread, lock = get_ident(), Lock()
    is_running, is_sent, is_caught = True, False, False

    def end() -> None:
        nonlocal is_sent
        with lock:  # not after the block, where it would end something else
            if is_running:
                is_sent = True
                _raise_in(thread, _TimeIsUp)

    timer = Timer(limits.request_seconds, end)
    timer.daemon = True
    try:
        try:
            timer.start()
            yield
        finally:
            with lock:
                is_running = False
            timer.cancel()
    except _TimeIsUp:
        is_caught = True
        raise limits.error("request_seconds", file=file) from None
    finally:
        if is_sent and not is_caught:
            _receive()


def _receive() -> None:
    """Wait for an exception that came between the last instruction of a block and its lock.

    Taking it back would leave a flag set, for which Python looks at each of its instructions from then on.
    """
    with suppress(_TimeIsUp):
        for _ in range(100):
            time.sleep(0.001)


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Have an exception raised in a thread."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))
