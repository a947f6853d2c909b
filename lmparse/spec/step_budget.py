"""The runtime of generated parsers: Kaitai's runtime, with a budget of steps for each record.

Generated modules import their base classes, `range` and `zlib` from here, not from `kaitaistruct`, `builtins` and
`zlib`, so other parsers in the process stay unaffected. A record has 16 steps for each of its bytes, and `record_steps`
more. A step is an object, a round of a loop, or a byte that is read again or copied to a stream of its own. Plain reads
end with the record's bytes and do not count. Without `begin`, nothing is counted.
"""

from __future__ import annotations

import builtins
import sys
import threading
import zlib as _zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

import kaitaistruct

from lmparse.limits import DEFAULT, Limits

__all__ = ["BytesIO", "KaitaiStream", "KaitaiStruct", "begin", "end", "from_zero", "range", "zlib"]

STEPS_A_BYTE = 16
"""Steps for each byte of a record; sound records need about two."""
DEEPEST = 200
"""Most nested records around an object; Python's stack suffices to read, convert and show so many."""
_ROUNDS = 32
"""Objects between two checks of the budget, and rounds of a loop that are counted at once."""


class RestoreError(Exception):
    """`process` of a spec cannot restore bytes; the text says why."""


class Budget:
    """The counts for one record of `size` bytes."""

    __slots__ = ("_limits", "_most", "objects", "steps", "unpacked")

    def __init__(self, limits: Limits = DEFAULT, size: int = 0) -> None:
        self._limits = limits
        self._most = limits.record_steps + STEPS_A_BYTE * size
        self.objects = self.steps = self.unpacked = 0

    def step(self, steps: int = 1) -> None:
        """Count steps. Raises LimitError LMP-L007."""
        self.steps += steps
        if self.steps + self.objects > self._most:
            raise self._limits.error("record_steps")

    def check(self) -> None:
        """Check the number of objects. Raises LimitError LMP-L007, and RecursionError for too deep nesting."""
        self.step(0)
        try:
            frame: Any = sys._getframe(DEEPEST)  # an object takes one or two calls; most stacks are shallower
        except ValueError:
            return
        depth, frame = 0, sys._getframe(1)
        while frame is not None:
            depth += frame.f_code.co_name == "_read" and frame.f_globals.get("KaitaiStruct") is KaitaiStruct
            frame = frame.f_back
        if depth > DEEPEST:
            raise RecursionError

    def unpack(self, packed: bytes) -> bytes:
        """Unpack bytes with zlib. Raises RestoreError, and LimitError LMP-L008 before memory exceeds the limit."""
        unpacker = _zlib.decompressobj()
        try:
            data = unpacker.decompress(packed, self._limits.record_unpacked_bytes - self.unpacked + 1)
        except _zlib.error as error:
            raise RestoreError(str(error)) from None
        self.unpacked += len(data)
        self._limits.check("record_unpacked_bytes", self.unpacked)
        if not unpacker.eof:
            raise RestoreError("Error -5 while decompressing data: incomplete or truncated stream")
        return data


class _Current(threading.local):
    budget: Budget | None = None


_current = _Current()


def begin(limits: Limits, size: int) -> None:
    """Begin the budget of a record of `size` bytes for this thread."""
    _current.budget = Budget(limits, size)


def end() -> int:
    """End the budget; later reads on first use do not count. Returns the bytes that were unpacked, copied or read
    again."""
    budget, _current.budget = _current.budget, None
    return 0 if budget is None else budget.unpacked + budget.steps


def _step(steps: int = 1) -> None:
    budget = _current.budget
    if budget is not None:
        budget.step(steps)


class KaitaiStruct(kaitaistruct.KaitaiStruct):  # type: ignore[misc]
    """An object of a generated parser."""

    def __init__(self, io: Any) -> None:
        self._io = io
        budget = _current.budget
        if budget is not None:
            budget.objects += 1
            if not budget.objects % _ROUNDS:
                budget.check()


def _counted(name: str) -> Callable[..., Any]:
    """A method of Kaitai's stream that counts as a step."""
    method = getattr(kaitaistruct.KaitaiStream, name)

    def call(*arguments: Any) -> Any:
        _step()
        return method(*arguments)

    return call


class KaitaiStream(kaitaistruct.KaitaiStream):  # type: ignore[misc]
    """A stream of the bytes of a record, or of a part of a record."""

    def __init__(self, io: Any) -> None:
        super().__init__(io)
        self._begun = 0
        """Offset at which reading began after the last seek."""
        _step(self._size)

    def read_bytes(self, n: int) -> bytes:
        """See KaitaiStream, which makes two more calls for the same result."""
        if n < 1:
            _step()
            return super().read_bytes(n)  # type: ignore[no-any-return]
        self.bits_left = self.bits = 0
        data: bytes = self._io.read(n)
        if len(data) < n:
            text = f"requested {n} bytes, but only {len(data)} bytes available"
            raise kaitaistruct.EndOfStreamError(text, n, len(data))
        return data

    read_bytes_full = _counted("read_bytes_full")
    read_bytes_term = _counted("read_bytes_term")
    read_bytes_term_multi = _counted("read_bytes_term_multi")
    is_eof = _counted("is_eof")

    def seek(self, n: int) -> None:
        """See KaitaiStream. Bytes read since the last seek count, because they may be read again."""
        _step(1 + max(self._io.tell() - self._begun, 0))
        super().seek(n)
        self._begun = n

    @staticmethod
    def process_xor_many(data: bytes, key: bytes) -> bytes:
        """The exclusive or with a repeated key. Raises RestoreError if the key is empty."""
        if data and not key:
            raise RestoreError("the key of xor has no bytes")
        return kaitaistruct.KaitaiStream.process_xor_many(data, key)  # type: ignore[no-any-return]

    @staticmethod
    def process_rotate_left(data: bytes, amount: int, group_size: int) -> bytes:
        """The bits of each byte, rotated left by any number."""
        return kaitaistruct.KaitaiStream.process_rotate_left(data, amount % 8, group_size)  # type: ignore[no-any-return]


class zlib:
    """The functions of the module `zlib` that generated parsers call."""

    @staticmethod
    def decompress(packed: bytes) -> bytes:
        """See `Budget.unpack`."""
        return (_current.budget or Budget()).unpack(packed)


def range(count: int) -> Iterator[int]:
    """Yield the numbers of a list's items; each item is a step."""
    for start in builtins.range(0, count, _ROUNDS):
        stop = min(start + _ROUNDS, count)
        _step(stop - start)
        yield from builtins.range(start, stop)


def from_zero(number: Any) -> Any:
    """The number of an item or byte. Raises IndexError below zero, where Python would count from the end."""
    if number < 0:
        raise IndexError(f"there is no item {number}")
    return number
