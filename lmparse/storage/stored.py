"""Stored files: the bytes on a file system, read from the beginning, with one error for all failures.

Remote file systems are those of Arrow.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from lmparse.errors import FramingError, LmparseError, OptionError, not_installed
from lmparse.storage import addresses

MAGIC_BYTES = 4
"""Number of first bytes that identify the compression of a file."""
_LONGEST_REASON = 300
AS_ONE_LOG = "name a file in it; what reads several files as one log reads those of a folder too"
"""Hint for a folder where one file is expected."""


@dataclass(frozen=True)
class StoredFile:
    """A file that is copied before it is read."""

    name: str
    """The path or address as the caller gave it."""
    place: str
    """Local path or remote name; the ending tells whether the file is compressed."""
    stamp: Hashable
    """A value that differs from the stamps of all other files, and after a change of the file."""
    open: Callable[[], Any]


class StoredBytes(io.RawIOBase):
    """The bytes of a file as stored. Every failure to read them is a FramingError."""

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

    @property
    def size(self) -> int:
        """Number of bytes that a local file has; 0 for a remote one, which is a stream."""
        return os.fstat(self._file.fileno()).st_size if isinstance(self._file, io.BufferedReader) else 0

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
        if data is None:  # from a non-blocking pipe or device
            raise unreadable(self.name, "it has no bytes yet")
        return data

    def close(self) -> None:
        if not self.closed and self._file is not None:
            with reading(self.name):
                self._file.close()
        super().close()


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Convert every error of a file to FramingError LMP-F001."""
    try:
        yield
    except (LmparseError, MemoryError):
        raise
    except Exception as error:
        # File systems raise error classes of their own.
        raise unreadable(name, reason(error)) from None


def unreadable(name: str, why: str = "No such file or directory") -> FramingError:
    """The error for an unreadable file."""
    return FramingError(f"cannot be read: {why}", code="LMP-F001", file=name)


def reason(error: Exception) -> str:
    """The first line of an error's text, without passwords in addresses."""
    text = getattr(error, "strerror", None) or ""
    if not text and isinstance(error, FileNotFoundError):
        text = "No such file or directory"
    text = (text or str(error)).strip() or type(error).__name__
    line: str = text.splitlines()[0][:_LONGEST_REASON]
    return re.sub(r"://[^/\s]*@", "://", line)


# -- remote files -------------------------------------------------------------------------


class Entry(NamedTuple):
    """A file or folder."""

    path: str
    """Path or address."""
    is_folder: bool
    fault: str = ""
    """A description of an entry that is neither file nor folder."""
    stamp: Hashable = None
    """A value that differs after a change of the entry; None for a local entry."""

    @property
    def name(self) -> str:
        """The last part of its path."""
        return addresses.base_name(self.path)


def look_up(address: str) -> Entry | None:
    """The entry at an address; None if there is none. Raises FramingError LMP-F001, OptionError."""
    with reading(address):
        system, path = _resolve(address)
        info = system.get_file_info(path)
        return _entry(address, info) if info.type else None


def entries(folder: str) -> list[Entry]:
    """The entries of the folder at an address, sorted by name. Raises FramingError LMP-F001, OptionError."""
    with reading(folder):
        from pyarrow.fs import FileSelector

        system, path = _resolve(folder)

        found = sorted(system.get_file_info(FileSelector(path)), key=attrgetter("base_name"))
    return [_entry(addresses.child(folder, info.base_name), info) for info in found]


def stored_file(address: str) -> StoredFile:
    """The file at an address. Raises FramingError LMP-F001, OptionError."""
    entry, (system, path) = look_up(address), _resolve(address)
    if entry is None:
        raise unreadable(address)
    if entry.is_folder:
        raise FramingError("is a directory, not a file", code="LMP-F001", file=address, hint=AS_ONE_LOG)
    name = addresses.base_name(address)
    return StoredFile(address, name, (address, entry.stamp), lambda: system.open_input_stream(path, compression=None))


def _entry(address: str, info: Any) -> Entry:
    return Entry(address, not info.is_file, stamp=(info.size, info.mtime_ns))


def _resolve(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it. Raises OptionError."""
    scheme = address.partition("://")[0]
    if addresses.holds_credential(address):
        text = f"an address of {scheme}:// holds a credential, and would be in every row and message"
        raise OptionError(text, hint="leave it to the environment, or to the configuration of the file system")
    front, path, behind = addresses.split(address)
    found = None if "::" in address else _system(front, behind)  # `::` leads through several file systems
    if found is None:
        hint = "s3://, gs://, abfs:// and hdfs:// are; copy the file from any other place"
        raise OptionError(f"{scheme}:// is not known to the file systems of pyarrow here", hint=hint)
    system, base = found
    return system, (base.rstrip("/") + path).rstrip("/") or base


@lru_cache(maxsize=16)
def _system(front: str, behind: str) -> tuple[Any, str] | None:
    """Arrow's file system for the beginning of an address, and its base path; None if Arrow has none.

    Arrow does not get the path of the file: in names of objects, `%` and blanks are plain characters.
    """
    try:
        import pyarrow as pa
        from pyarrow.fs import FileSystem
    except ImportError as error:
        raise not_installed(error) from None
    front = re.sub(r"^s3[an]://", "s3://", front)  # Hadoop writes s3a and s3n
    try:
        found: tuple[Any, str] = FileSystem.from_uri(f"{front}{'/' if front.endswith('://') else ''}{behind}")
    except pa.ArrowNotImplementedError:
        return None  # Arrow is built without it
    except pa.ArrowInvalid as error:
        if "Unrecognized" in str(error):
            return None
        raise
    return found
