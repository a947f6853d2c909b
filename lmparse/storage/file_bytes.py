"""The bytes of an open file, read as they are asked for.

A file is read, not mapped: where a mapped file becomes shorter or its disk fails, the system ends the process, and
here it is an error. Memory holds the blocks that were read last, whatever the size of the file.
"""

from __future__ import annotations

import os
import weakref
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from lmparse.errors import ReadError

_LEAST_READ, _MOST_READ = 1 << 16, 1 << 20
"""Bytes read at a time: few at a place out of order, more and more in order."""
_BEFORE = 1 << 8
"""Bytes in front of a slice that are read with it: descriptor words and prefixes are looked up behind records."""


class FileBytes:
    """The bytes that a file had when it was opened. Slices give bytes, `array` gives arrays that stay valid.

    What is added to the file later is not read. Raises ReadError LMP-F012 where the bytes are no longer there.
    """

    def __init__(self, file: BinaryIO | None, name: str, size: int = 0) -> None:
        """`file` is open, and may be closed by the caller; `name` is for messages.

        Without a file, a subclass reads bytes, `size` in number.
        """
        self._name, self._size = name, size
        self._block: tuple[int, bytes] = 0, b""
        self._kept: tuple[int, npt.NDArray[np.uint8]] = 0, np.zeros(0, np.uint8)
        self._reach = _LEAST_READ
        if file is not None:
            self._size = os.fstat(file.fileno()).st_size
            self._handle = os.dup(file.fileno())
            weakref.finalize(self, os.close, self._handle)
            if not self._size:
                self._check_empty()

    def _check_empty(self) -> None:
        """Raise ReadError if the file has bytes, as files of /proc and of some network file systems do."""
        try:
            has_bytes = bool(os.pread(self._handle, 1, 0))
        except OSError as error:
            raise ReadError(f"{self._name}: byte 0 cannot be read: {error.strerror or error}") from None
        if has_bytes:
            raise ReadError(
                f"{self._name}: its file system says that it has no bytes, and it has some",
                hint="copy it, and read the copy",
            )

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, wanted: slice) -> bytes:
        start, end, _ = wanted.indices(self._size)
        begin, block = self._block  # one assignment, so that threads may read
        if begin <= start and end <= begin + len(block):
            return block[start - begin : end - begin]
        if end <= start:
            return b""
        if end - start > _MOST_READ:
            return self._read(start, end - start).tobytes()
        is_next = begin <= start <= begin + len(block) + _MOST_READ
        self._reach = min(2 * self._reach, _MOST_READ) if is_next else _LEAST_READ
        begin = max(start - _BEFORE, 0)
        block = self._read(begin, min(max(self._reach, end - begin), self._size - begin)).tobytes()
        self._block = begin, block
        return block[start - begin : end - begin]

    def array(self, start: int, end: int, *, is_kept: bool = False) -> npt.NDArray[np.uint8]:
        """The bytes from `start` up to `end`, which the file has. `is_kept` keeps them for views of parts of them."""
        begin, block = self._kept
        if not (begin <= start and end <= begin + len(block)):
            begin, block = start, self._read(start, end - start)
            if is_kept:
                self._kept = begin, block
        return block[start - begin : end - begin]

    def _read(self, start: int, size: int) -> npt.NDArray[np.uint8]:
        found = np.empty(size, np.uint8)  # for large arrays NumPy requests large pages, which are faster to fill
        done = 0
        while done < size:
            place = start + done
            try:
                count = os.preadv(self._handle, [found[done:].data], place)
            except OSError as error:
                why = error.strerror or str(error)
                raise ReadError(f"{self._name}: byte {place} cannot be read: {why}") from None
            if not count:
                raise ReadError(
                    f"{self._name}: shrank while it was read: expected {self._size} bytes, found at most {place}",
                    hint="read it again when nothing writes to it",
                )
            done += count
        found.flags.writeable = False
        return found
