"""Stored files: the bytes that a file system holds, read from the beginning, with one error for all failures."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lmparse.errors import FramingError, LmparseError

MAGIC_BYTES = 4
"""Number of first bytes that identify the compression of a file."""
_LONGEST_REASON = 300


@dataclass(frozen=True)
class StoredFile:
    """A file that is copied before it is read."""

    name: str
    """The path or address as the caller gave it."""
    place: str
    """Local path or remote name; its ending says whether the file is compressed."""
    stamp: Hashable
    """A value that differs from that of every other file, and of the same file after a change."""
    open: Callable[[], Any]


class StoredBytes(io.RawIOBase):
    """The bytes of a file as they are stored. Every failure to read them is a FramingError."""

    def __init__(self, stored: StoredFile) -> None:
        self._stored = stored
        self.name = stored.name
        self.position = 0
        """Number of bytes read so far."""
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
            data: bytes | None = self._file.read(size)
        if data is None:  # of a pipe or device that is not waited for
            raise unreadable(self.name, "it has no bytes yet")
        return data

    def close(self) -> None:
        if not self.closed and self._file is not None:
            with reading(self.name):
                self._file.close()
        super().close()


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn every error of a file into a FramingError LMP-F001."""
    try:
        yield
    except (LmparseError, MemoryError):
        raise
    except Exception as error:
        # File systems raise classes of their own.
        raise unreadable(name, reason(error)) from None


def unreadable(name: str, why: str = "No such file or directory") -> FramingError:
    """The error for a file that cannot be read."""
    return FramingError(f"cannot be read: {why}", code="LMP-F001", file=name)


def reason(error: Exception) -> str:
    """The first line of an error's text, without passwords in addresses."""
    text = getattr(error, "strerror", None) or ""
    if not text and isinstance(error, FileNotFoundError):
        text = "No such file or directory"
    text = (text or str(error)).strip() or type(error).__name__
    line: str = text.splitlines()[0][:_LONGEST_REASON]
    return re.sub(r"://[^/\s]*@", "://", line)
