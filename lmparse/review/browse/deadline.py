"""Deadline: what reads records for a request ends after some seconds, whatever a spec of the user's has it do.

Python cannot end a thread from outside. It can have an exception raised in one, before its next instruction: so a loop
of a generated parser ends, though not one call of a library that takes long.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer, get_ident

from lmparse.limits import Limits

TOO_LONG = "LMP-L006"


class _TimeIsUp(BaseException):
    """Not an Exception, which a reader of records would take for damage of its record."""


@contextmanager
def deadline(limits: Limits, file: str) -> Iterator[None]:
    """Raise LimitError LMP-L006 if the block takes longer than the limit `request_seconds`."""
    thread, lock = get_ident(), Lock()
    is_running = True

    def end() -> None:
        with lock:  # not after the block, where it would end something else
            if is_running:
                _raise_in(thread, _TimeIsUp)

    timer = Timer(limits.request_seconds, end)
    timer.daemon = True
    timer.start()
    try:
        try:
            yield
        finally:
            with lock:
                is_running = False
            timer.cancel()
    except _TimeIsUp:
        raise limits.error("request_seconds", file=file) from None
    finally:
        _raise_in(thread, None)  # one that came between the last instruction of the block and the lock


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Have an exception raised in a thread, or take back one that was not raised yet."""
    what = ctypes.c_void_p() if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)
