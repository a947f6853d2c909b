"""Bytes of a file as arrays."""

from __future__ import annotations

import numpy as np

from lmparse.storage.buffers import Buffer
from lmparse.values.byte_arrays import Bytes, Int64s

_NEAR = 1 << 16
"""Bytes between two pieces that are read rather than left out, if nothing else is said."""


def array_of(buffer: Buffer, start: int, end: int, *, is_kept: bool = False) -> Bytes:
    """The bytes from `start` up to `end`, which the buffer has, as an array that is read only and stays valid.

    `is_kept` keeps the bytes in the buffer, so that arrays of parts of them are not read again.
    """
    if isinstance(buffer, bytes):
        return np.frombuffer(buffer, np.uint8)[start:end]
    return buffer.array(start, max(start, end), is_kept=is_kept)


class Gathered:
    """Pieces of a file that are read together, in any order and overlapping or not."""

    def __init__(self, buffer: Buffer, starts: Int64s, lengths: Int64s, near: int | None = None) -> None:
        """`starts` and `lengths` have one entry for each piece, in bytes; a negative length is one of no bytes.

        Up to `near` bytes between two pieces are read rather than left out.
        """
        near = _NEAR if near is None else near
        order = np.argsort(starts, kind="stable")
        begins, ends = starts[order], np.maximum.accumulate((starts + np.maximum(lengths, 0))[order])
        is_first = np.append(True, begins[1:] > ends[:-1] + near)[: len(begins)]
        self._begins, self._ends = begins[is_first], ends[np.append(is_first[1:], True)[: len(begins)]]
        sizes = self._ends - self._begins
        self._bases = np.cumsum(sizes) - sizes
        places = zip(self._begins.tolist(), self._ends.tolist(), strict=True)
        parts = [array_of(buffer, begin, end) for begin, end in places]
        self.data: Bytes = parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.uint8), *parts])
        """The bytes of all pieces."""

    def places(self, starts: Int64s) -> Int64s:
        """Where the pieces that begin at these offsets of the file begin in `data`."""
        number = np.searchsorted(self._begins, starts, side="right") - 1
        found: Int64s = starts - self._begins[number] + self._bases[number]
        return found
