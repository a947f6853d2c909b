"""Stored files: bytes as a file system has them, read from the beginning, with one error for all that goes wrong."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lmparse.errors import FramingError, LmparseError

MAGIC_BYTES = 4
"""How many of the first bytes say how a file is compressed."""
_LONGEST_REASON = 300


@dataclass(frozen=True)
class StoredFile:
    """A file whose bytes are not mapped as they lie."""

    name: str
    """As it was given."""
    place: str
    """Its path where it lies; its ending counts."""
    stamp: Hashable
    """What tells it from every other file, and from itself after a change."""
    open: Callable[[], Any]


class StoredBytes(io.RawIOBase):
    """The bytes of a file as they are kept. What goes wrong in reading them is a FramingError."""

    def __init__(self, stored: StoredFile) -> None:
        self._stored = stored
        self.name = stored.name
        self.position = 0
        """How many were read."""
        self.is_at_end = False
        self._file: Any = None
        with reading(self.name):
            self._file = stored.open()
        self.first = self._pending = b""
        while len(self.first) < MAGIC_BYTES and (more := self._take(MAGIC_BYTES - len(self.first))):
            self.first += more
        self._pending = self.first

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        data = self._pending[: len(target)] or self._take(len(target))
        self._pending = self._pending[len(data) :]
        target[: len(data)] = data
        self.position += len(data)
        self.is_at_end = not data
        return len(data)

    def _take(self, size: int) -> bytes:
        with reading(self.name):
            data: bytes = self._file.read(size)
        return data

    def close(self) -> None:
        if not self.closed and self._file is not None:
            with reading(self.name):
                self._file.close()
        super().close()


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn what goes wrong with a file into the error of a file that cannot be read."""
    try:
        yield
    except (LmparseError, MemoryError):
        raise
    except Exception as error:
        # Every file system has errors of its own.
        raise FramingError(f"cannot be read: {reason(error)}", code="LMP-F001", file=name) from None


def reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or ""
    if not text and isinstance(error, FileNotFoundError):
        text = "No such file or directory"
    text = (text or str(error)).strip() or type(error).__name__
    line: str = text.splitlines()[0][:_LONGEST_REASON]
    return re.sub(r"://[^/\s]*@", "://", line)
