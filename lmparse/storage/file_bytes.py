"""The bytes of an open file, read as they are asked for.

A file is read, not mapped: where a mapped file becomes shorter or its disk fails, the system ends the process, and
here it is an error. Memory holds the blocks that were read last, whatever the size of the file.
"""

from __future__ import annotations

import os
from typing import BinaryIO

from lmparse.errors import ReadError

_LEAST_READ, _MOST_READ = 1 << 16, 1 << 20
"""Bytes read at a time: few at a place out of order, more and more in order."""
_BEFORE = 1 << 8
"""Bytes in front of a slice that are read with it: descriptor words and prefixes are looked up behind records."""


class FileBytes:
    """The bytes that a file had when it was opened. Slices give bytes, `view` gives memory that stays valid.

    What is added to the file later is not read. Raises ReadError LMP-F012 where the bytes are no longer there.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        """`file` is open, and may be closed by the caller; `name` is for messages."""
        self._handle, self._name = os.dup(file.fileno()), name
        self._size = os.fstat(file.fileno()).st_size
        self._block: tuple[int, bytes] = 0, b""
        self._kept: tuple[int, bytes] = 0, b""
        self._reach = _LEAST_READ

    def __del__(self) -> None:
        os.close(self._handle)

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
            return self._read(start, end - start)
        is_next = begin <= start <= begin + len(block) + _MOST_READ
        self._reach = min(2 * self._reach, _MOST_READ) if is_next else _LEAST_READ
        begin = max(start - _BEFORE, 0)
        block = self._read(begin, min(max(self._reach, end - begin), self._size - begin))
        self._block = begin, block
        return block[start - begin : end - begin]

    def find(self, wanted: bytes, start: int, end: int) -> int:
        """As bytes.find."""
        while end - start >= len(wanted):
            stop = min(start + _MOST_READ + len(wanted), end)
            found = self[start:stop].find(wanted)
            if found >= 0:
                return start + found
            start = stop - len(wanted) + 1
        return -1

    def view(self, start: int, end: int, *, is_kept: bool = False) -> memoryview:
        """The bytes from `start` up to `end`, which the file has. `is_kept` keeps them for views of parts of them."""
        begin, block = self._kept
        if not (begin <= start and end <= begin + len(block)):
            begin, block = start, self._read(start, end - start)
            if is_kept:
                self._kept = begin, block
        return memoryview(block)[start - begin : end - begin]

    def _read(self, start: int, size: int) -> bytes:
        pieces: list[bytes] = []
        while size > 0:
            try:
                piece = os.pread(self._handle, size, start)
            except OSError as error:
                why = error.strerror or str(error)
                raise ReadError(f"{self._name}: byte {start} cannot be read: {why}") from None
            if not piece:
                raise ReadError(
                    f"{self._name} has become shorter while it was read: it had {self._size} bytes and now ends at or "
                    f"before byte {start}", hint="read it again when it is complete",
                )  # fmt: skip
            pieces.append(piece)
            start, size = start + len(piece), size - len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)
