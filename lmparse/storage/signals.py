"""Signals that end a program: raised as exceptions, so that nothing half is left behind, put off, and never lost."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_Handler = Callable[[int, FrameType | None], object] | int | None
"""What `signal.getsignal` gives."""
_PAUSE_SECONDS = 0.01
"""After so long a callback has ended that a signal has interrupted."""


class Ended(SystemExit):
    """The end of the program by a signal, with the exit code of shells."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the program as errors do (SystemExit), so that no partial output is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int) -> None:
        raise Ended(number)

    theirs = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    ours = _InTheirPlace({number: handler for number, handler in theirs.items() if handler == signal.SIG_DFL}, end)
    try:
        ours.take()
        with never_lost():
            yield
    finally:
        ours.is_in_use = False
        ours.give_back()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put off signals that would end the program until the end of the block.

    Handlers are exchanged, since a mask of this thread leaves the signals to the threads of libraries.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    known = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    theirs = {number: handler for number, handler in known.items() if handler not in (None, signal.SIG_IGN)}
    ours = _InTheirPlace(theirs, held.append)
    try:
        ours.take()
        yield
    finally:
        ours.is_in_use = False
        try:
            ours.give_back()
        finally:
            _raise_all(held)


class _InTheirPlace:
    """A handler in the place of those of the program, until it is no longer in use: then it is as if each was back.

    A signal may come between any two lines in which handlers are exchanged, and its exception end the exchange.
    """

    def __init__(self, theirs: Mapping[signal.Signals, _Handler], act: Callable[[int], object]) -> None:
        self.is_in_use = True
        self._theirs, self._act = theirs, act

    def __call__(self, number: int, frame: FrameType | None) -> None:
        theirs = self._theirs[signal.Signals(number)]
        if self.is_in_use:
            self._act(number)
        elif callable(theirs):
            theirs(number, frame)
        else:  # what the system does
            signal.signal(number, theirs)
            signal.raise_signal(number)

    def take(self) -> None:
        for number in self._theirs:
            signal.signal(number, self)

    def give_back(self) -> None:
        with ExitStack() as each:  # though one of them raises
            for number, handler in self._theirs.items():
                each.callback(signal.signal, number, handler)


def _raise_all(numbers: list[int]) -> None:
    """Raise each of some signals once, whatever the handlers of others raise; then what the first one raised."""
    raised: list[BaseException] = []
    for number in dict.fromkeys(numbers):
        try:
            signal.raise_signal(number)
        except BaseException as error:
            raised.append(error)
    if raised:
        raise raised[0]


@contextmanager
def never_lost() -> Iterator[None]:
    """Send a signal again whose exception Python has ignored, until it ends the block.

    Python ignores exceptions in callbacks of the garbage collector, of weak references and of import locks, prints
    them, and goes on; a signal comes at any time.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = sys.unraisablehook
    lost = _LostSignal(before)
    sys.unraisablehook = lost.hook
    try:
        yield
        lost.join()
    except (KeyboardInterrupt, Ended):
        lost.number = None
        raise
    finally:
        sys.unraisablehook = before


class _LostSignal:
    """The hook for exceptions that Python ignores, and the signal that it sends to the main thread again."""

    def __init__(self, before: Callable[[UnraisableHookArgs], object]) -> None:
        self.number: int | None = None
        """Of the signal, until it is sent."""
        self._before, self._main = before, threading.get_ident()
        self._is_in_hook = False
        self._sender: threading.Thread | None = None

    def hook(self, ignored: UnraisableHookArgs) -> None:
        error = ignored.exc_value
        if not isinstance(error, KeyboardInterrupt | Ended):
            self._before(ignored)
            return
        self._is_in_hook = is_open = True
        while is_open:
            with suppress(KeyboardInterrupt, Ended):  # of one more signal
                if self.number is None:
                    self._sender = threading.Thread(target=self._send, daemon=True)
                    self._sender.start()
                    self.number = error.number if isinstance(error, Ended) else signal.SIGINT
                is_open = False
        self._is_in_hook = False

    def _send(self) -> None:
        # Within the hook and the callback that has called it the exception would be ignored once more.
        while self._is_in_hook:
            time.sleep(_PAUSE_SECONDS)
        time.sleep(_PAUSE_SECONDS)
        number, self.number = self.number, None
        if number is not None:
            signal.pthread_kill(self._main, number)

    def join(self) -> None:
        """Wait until a signal that was lost is sent, which ends the waiting."""
        if self._sender is not None:
            self._sender.join()


@contextmanager
def left_to_system() -> Iterator[None]:
    """Behind the block, Ctrl-C ends the program at once: Python only ends its threads then, and would print where."""
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
