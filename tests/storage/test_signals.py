"""Signals that end a program: put off, raised as exceptions, and never lost where Python ignores an exception."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import Any

import pytest
from interrupts import ending_signals_heard, sigint_heard

from lmparse.storage import signals
from lmparse.storage.signals import Ended, ended_by_signals, never_lost, uninterrupted


def test_signals_are_put_off_though_other_threads_take_them() -> None:
    ready = threading.Event()
    waiting = threading.Thread(target=ready.wait)
    waiting.start()
    done: list[str] = []
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted(done)
    finally:
        ready.set()
        waiting.join()
    assert done == ["all of the block"]


def interrupted(done: list[str]) -> None:
    with sigint_heard(), uninterrupted():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        done.append("all of the block")


# -- what Python ignores --------------------------------------------------------------------


class Thing:
    """What can have weak references."""


class Deleted:
    """What calls a function when it goes."""

    def __init__(self, act: Callable[[], None]) -> None:
        self.act = act

    def __del__(self) -> None:
        self.act()


def in_weak_reference(act: Callable[[], None]) -> None:
    thing = Thing()
    kept = weakref.ref(thing, lambda _: act())
    del thing
    assert kept() is None


def in_deletion(act: Callable[[], None]) -> None:
    Deleted(act)


def in_garbage_collection(act: Callable[[], None]) -> None:
    one, other = Deleted(act), Thing()
    one.other, other.one = other, one  # type: ignore[attr-defined]
    del one, other
    gc.collect()


def in_callback_of_the_collector(act: Callable[[], None]) -> None:
    left = [act]

    def call(_: str, __: dict[str, Any]) -> None:
        if left:
            left.pop()()

    gc.callbacks.append(call)
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(call)


def then_busy(ignored: Callable[[Callable[[], None]], None], act: Callable[[], None], seconds: float) -> None:
    ignored(act)
    busy(seconds)


def in_several(act: Callable[[], None]) -> None:
    """The signal that is sent again comes where it is ignored, too."""
    in_deletion(act)
    in_weak_reference(lambda: busy(0.1))
    in_deletion(act)


def busy(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


@pytest.mark.parametrize(
    "ignored", [in_weak_reference, in_deletion, in_garbage_collection, in_callback_of_the_collector, in_several]
)
@pytest.mark.parametrize("seconds", [0, 20], ids=["at its end", "in the block"])
@pytest.mark.parametrize(
    ("number", "block", "raised"),
    [
        (signal.SIGINT, never_lost, KeyboardInterrupt),
        (signal.SIGINT, ended_by_signals, KeyboardInterrupt),
        (signal.SIGTERM, ended_by_signals, Ended),
        (signal.SIGHUP, ended_by_signals, Ended),
    ],
)
def test_a_signal_that_python_ignores_comes_again(
    number: signal.Signals,
    block: Callable[[], AbstractContextManager[None]],
    raised: type[BaseException],
    seconds: float,
    ignored: Callable[[Callable[[], None]], None],
    capfd: pytest.CaptureFixture[str],
) -> None:
    before = sys.unraisablehook
    with pytest.raises(raised) as found, ending_signals_heard(), block():
        then_busy(ignored, lambda: signal.raise_signal(number), seconds)
    assert not isinstance(found.value, Ended) or found.value.code == 128 + number
    assert sys.unraisablehook is before
    assert capfd.readouterr() == ("", "")
    time.sleep(0.03)  # no other one comes


def test_other_errors_that_python_ignores_go_where_they_went(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda ignored: seen.append(ignored.exc_type))

    def fail(error: BaseException) -> None:
        raise error

    with never_lost():
        in_weak_reference(lambda: fail(ValueError()))
        in_weak_reference(lambda: fail(SystemExit(1)))
    assert seen == [ValueError, SystemExit]


def test_other_threads_have_no_part_in_it() -> None:
    hooks: list[Any] = []

    def run() -> None:
        with never_lost(), ended_by_signals(), uninterrupted():
            hooks.append(sys.unraisablehook)

    before, thread = sys.unraisablehook, threading.Thread(target=run)
    thread.start()
    thread.join()
    assert hooks == [before]


def test_the_library_sets_no_handler() -> None:
    code = """
import signal, sys
def state():
    return [signal.getsignal(number) for number in signal.valid_signals()], sys.unraisablehook
before = state()
import lmparse
[getattr(lmparse, name) for name in lmparse.__all__]
import lmparse.cli
sys.exit(state() != before)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("is_raised", [False, True])
def test_every_signal_that_was_put_off_is_raised_and_the_first_one_ends(is_raised: bool) -> None:
    seen: list[int] = []

    def note(number: int, _: object) -> None:
        seen.append(number)
        if is_raised:
            raise LookupError(number)

    numbers = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.signal(number, note) for number in numbers}
    try:
        with pytest.raises(LookupError) if is_raised else nullcontext() as caught, uninterrupted():
            for number in (*numbers, signal.SIGTERM):
                signal.raise_signal(number)
            assert seen == []
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert seen == [*numbers]
    assert caught is None or caught.value.args == (signal.SIGTERM,)


@pytest.mark.parametrize("block", [uninterrupted, ended_by_signals])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_between_any_two_lines_leaves_the_program_its_handlers(
    block: Callable[[], AbstractContextManager[None]], number: signal.Signals
) -> None:
    """Whatever line of an exchange it ends, each later signal goes to the handler of the program."""
    heard: list[int] = []

    def own(number: int, _: object) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    default = signal.SIG_DFL if block is ended_by_signals else own
    theirs = {signal.SIGINT: own, signal.SIGTERM: default, signal.SIGHUP: default}
    before = {one: signal.getsignal(one) for one in numbers}
    raised, line = 0, 0
    try:
        while raised == line:
            line += 1
            for one, handler in theirs.items():
                signal.signal(one, handler)
            try:
                with signalled_at(line, number) as sent, block():
                    pass
            except (KeyboardInterrupt, Ended):
                pass
            raised += sent()
            for one in numbers:
                if theirs[one] == signal.SIG_DFL:
                    assert ends_a_process(signal.getsignal(one), one)
                    continue
                heard.clear()
                with pytest.raises(KeyboardInterrupt):
                    signal.raise_signal(one)
                assert heard == [one]
    finally:
        for one, handler_before in before.items():
            signal.signal(one, handler_before)
    assert raised > 12


@contextmanager
def signalled_at(line: int, number: signal.Signals) -> Iterator[Callable[[], bool]]:
    """Raise a signal in front of one of the lines of the module that are run in a block, unless it ends the process."""
    run, sent, theirs = 0, False, signal.getsignal(number)

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal run, sent
        if frame.f_code.co_filename != signals.__file__ or frame.f_code.co_name.startswith("_raise_all"):
            return None
        if event == "line":
            run += 1
            if run == line:
                sys.settrace(None)
                sent = True
                handler: Any = signal.getsignal(number)
                if handler != signal.SIG_DFL and (theirs != signal.SIG_DFL or handler.is_in_use):
                    signal.raise_signal(number)
        return trace

    sys.settrace(trace)
    try:
        yield lambda: sent
    finally:
        sys.settrace(None)


def ends_a_process(handler: Any, number: signal.Signals) -> bool:
    """Whether a signal with a handler still ends a process, tried in one of its own."""
    if handler == signal.SIG_DFL:
        return True
    child = os.fork()
    if not child:
        code = 0
        try:
            handler(number, None)
        except Ended as ended:
            code = int(str(ended.code))
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (-number, 128 + number)
