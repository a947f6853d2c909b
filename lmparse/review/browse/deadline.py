"""Deadline: what reads records for a request ends after some seconds, whatever a spec of the user's has it do.

Python cannot end a thread from outside. It can have an exception raised in one, before its next instruction: so a loop
of a generated parser ends, though not one call of a library that takes long.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from threading import Lock, Timer, get_ident
from typing import TYPE_CHECKING

from lmparse.limits import Limits

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

TOO_LONG = "LMP-L006"


class _TimeIsUp(BaseException):
    """Not an Exception, which a reader of records would take for damage of its record."""


@contextmanager
def deadline(limits: Limits, file: str) -> Iterator[None]:
    """Raise LimitError LMP-L006 if the block takes longer than the limit `request_seconds`."""
    _send_what_is_ignored_again()
    block, is_caught = _Block(get_ident()), False
    timer = block.ended_in(limits.request_seconds)
    try:
        try:
            _blocks[block.thread] = block
            timer.start()
            yield
        finally:
            with block.lock:
                block.is_running = False
            timer.cancel()
    except _TimeIsUp:
        is_caught = True
        raise limits.error("request_seconds", file=file) from None
    finally:
        _blocks.pop(block.thread, None)
        if block.is_sent and not is_caught:
            _receive()


class _Block:
    """What a thread does before its deadline."""

    def __init__(self, thread: int) -> None:
        self.thread, self.lock = thread, Lock()
        self.is_running, self.is_sent = True, False

    def ended_in(self, seconds: float) -> Timer:
        timer = Timer(seconds, self._end)
        timer.daemon = True
        return timer

    def _end(self) -> None:
        with self.lock:  # not after the block, where it would end something else
            if self.is_running:
                self.is_sent = True
                _raise_in(self.thread, _TimeIsUp)


_blocks: dict[int, _Block] = {}
"""By thread."""
_PAUSE_SECONDS = 0.01
"""After so long a callback has ended that an exception has interrupted."""


@cache
def _send_what_is_ignored_again() -> None:
    """Python ignores exceptions in callbacks of the garbage collector and of weak references, and goes on."""
    before = sys.unraisablehook

    def hook(ignored: UnraisableHookArgs) -> None:
        block = _blocks.get(get_ident())
        if block is None or not isinstance(ignored.exc_value, _TimeIsUp):
            before(ignored)
        else:
            block.ended_in(_PAUSE_SECONDS).start()

    sys.unraisablehook = hook


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
