"""Budgets: how much a parser may do for one record beyond what its bytes account for.

Most parsers end with the bytes of the record. Where a spec reads bytes again (an instance at a position) or has items
without bytes, what it reads may multiply: the build step then puts calls of `stepping` into its parser. Where a type
contains itself and has a size, its bytes are taken out of those around it at each level, and `copying` counts them. The
reader begins a budget for each record that is read by such a parser.
"""

from __future__ import annotations

import threading
from io import BytesIO

from lmparse.limits import DEFAULT, Limits

_STEPS_A_BYTE = 8
"""Steps that each byte of a record pays for; records without a fault have one or two."""
_COPIED_A_STEP = 2
"""Copied bytes of a step: all of a record may be copied 16 times, and a small one more often."""
_HELD_A_STEP = 64
"""Bytes of memory of an item or a nested record, at least."""


class Budget:
    """What is counted for one record of `size` bytes."""

    def __init__(self, limits: Limits = DEFAULT, size: int = 0) -> None:
        self._limits = limits
        self._most = limits.record_steps + _STEPS_A_BYTE * size
        self._steps = self._unpacked = 0

    def step(self, steps: int) -> None:
        """Count steps. Raises LimitError LMP-L007."""
        self._steps += steps
        if self._steps > self._most:
            raise self._limits.error("record_steps")

    def left_to_unpack(self) -> int:
        """Bytes that may still be unpacked from the record."""
        return self._limits.record_unpacked_bytes - self._unpacked

    def unpack(self, size: int) -> None:
        """Count unpacked bytes. Raises LimitError LMP-L008."""
        self._unpacked += size
        self._limits.check("record_unpacked_bytes", self._unpacked)

    @property
    def held(self) -> int:
        """Bytes of memory of what was read, beyond what the bytes of the record account for; roughly."""
        return self._unpacked + _HELD_A_STEP * self._steps


class _Current(threading.local):
    budget: Budget | None = None


_current = _Current()


def begin(limits: Limits, size: int) -> None:
    """Begin the budget of a record that this thread reads."""
    _current.budget = Budget(limits, size)


def end() -> int:
    """End it: what is read of the record later, on first use, is not counted. Returns `held`."""
    budget, _current.budget = _current.budget, None
    return 0 if budget is None else budget.held


def current() -> Budget | None:
    """The budget of the record that this thread reads; None if a parser is run without the reader."""
    return _current.budget


def stepping(steps: int = 1) -> None:
    """Count a nested record, an item of a list, or bytes that are read again. Raises LimitError LMP-L007."""
    budget = _current.budget
    if budget is not None:
        budget.step(steps)


def copying(raw: bytes) -> BytesIO:
    """The bytes of a nested record of a type that may contain itself. Raises LimitError LMP-L007."""
    stepping(len(raw) // _COPIED_A_STEP)
    return BytesIO(raw)
