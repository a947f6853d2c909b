"""What a record that ends inside an optional field is: one that ends in front of the field, whose bytes `rest` has.

The plain parser refuses such a record. Here it reads it again, from a stream that ends where the field began; what asks
for the size of the stream is given that of the whole.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from kaitaistruct import EndOfStreamError, KaitaiStream

from constructs.bare import BareReader, Rests, Tree

_LONGEST = 24
"""Bytes of the longest field that a record may end in."""
_FAR = 1 << 40


@dataclass(frozen=True)
class _End:
    """Where a stream ends: the number of the stream in the order in which they were made, and the place."""

    stream: int
    at: int
    place_at_end: int
    """The place that the stream says it is at when it is at its end."""


class _Watch:
    """The streams of one reading: where the first error was, and where one of them ends early."""

    def __init__(self, end: _End | None = None) -> None:
        self.end = end
        self.made = 0
        self.failed: tuple[int, int, int] | None = None
        """The stream of the first error, the place in it and its size."""


class _Stream(KaitaiStream):
    """A stream that may end early, and says where it could not be read."""

    watch: _Watch

    def __init__(self, source: BytesIO) -> None:
        super().__init__(source)
        self.number, self.end = self.watch.made, None
        self.watch.made += 1
        if self.watch.end is not None and self.watch.end.stream == self.number:
            self.end = self.watch.end

    def is_eof(self) -> bool:
        if self.end is None or self.bits_left:
            return bool(super().is_eof())
        return bool(self._io.tell() >= self.end.at)

    def pos(self) -> int:
        place = int(super().pos())
        return self.end.place_at_end if self.end is not None and place >= self.end.at else place

    def _read_bytes_not_aligned(self, count: int) -> bytes:
        at = self._io.tell()
        try:
            # Behind the end, only instances with a position of their own are read.
            if self.end is not None and count > 0 and at <= self.end.at < at + count:
                raise EndOfStreamError("it ends early", count, self.end.at - at)
            return bytes(super()._read_bytes_not_aligned(count))
        except EndOfStreamError:
            self.watch.failed = self.watch.failed or (self.number, at, self.size())
            raise

    def read_bytes_full(self) -> bytes:
        if self.end is None:
            return bytes(super().read_bytes_full())
        return self.read_bytes(max(self.end.at - self._io.tell(), 0))


def shortened(bare: BareReader, raw: bytes) -> Iterator[Tree]:
    """All values that a record which ends inside an optional field may have."""
    watch = _Watch()
    if _read(bare, raw, watch) is not None or watch.failed is None:
        return
    stream, at, size = watch.failed
    for begin in range(at, max(at - _LONGEST, -1), -1):
        for place in (size, _FAR):
            yield from _with_rest(bare, raw, _End(stream, begin, place), raw[len(raw) - (size - begin) :])


def _with_rest(bare: BareReader, raw: bytes, end: _End, left: bytes) -> Iterator[Tree]:
    """The values where a stream ends early, with what is left in each `rest` that is empty."""
    rests = number = 0
    while number <= rests:
        bare.rests = Rests(left, number)
        found = _read(bare, raw, _Watch(end))
        rests, number = bare.rests.empty - 1, number + 1
        bare.rests = Rests()
        if found is not None:
            yield found


def _read(bare: BareReader, raw: bytes, watch: _Watch) -> Tree | None:
    stream = type("Bound", (_Stream,), {"watch": watch})
    with _streams(bare, stream):
        try:
            return bare.read_from(stream(BytesIO(raw)))
        except Exception:
            return None


@contextmanager
def _streams(bare: BareReader, stream: type[KaitaiStream]) -> Iterator[None]:
    """Parsers of the reader make streams of a type."""
    modules: list[Any] = [module for name, module in sys.modules.items() if name.startswith(f"{bare.package}.")]
    for module in modules:
        module.KaitaiStream = stream
    try:
        yield
    finally:
        for module in modules:
            module.KaitaiStream = KaitaiStream


def without_empty(value: Any) -> Any:
    """A value with null for empty bytes, texts and lists in it."""
    if isinstance(value, dict):
        return {name: without_empty(item) for name, item in value.items()}
    return None if value in (b"", "", []) else value
