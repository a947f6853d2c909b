"""Stored files: the bytes that a file system holds, read from the beginning, with one error for all failures.

Remote file systems are used through fsspec's methods `info`, `ls` and `open`; those of Arrow are wrapped to have them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any

from lmparse.errors import FramingError, LmparseError, OptionError
from lmparse.storage import addresses

MAGIC_BYTES = 4
"""Number of first bytes that identify the compression of a file."""
_LONGEST_REASON = 300
_CHANGING = ("size", "mtime", "created", "updated", "LastModified", "last_modified", "ETag", "etag", "CRC")
"""Facts of file systems on a file that differ after the file has changed."""
AS_ONE_LOG = "name a file in it; what reads several files as one log reads those of a folder too"
"""What to do about a folder where one file is read."""


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


# -- remote files -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder on a remote file system."""

    path: str
    """Its address."""
    is_folder: bool
    stamp: Hashable
    """A value that differs after the entry has changed."""


def look_up(address: str) -> Entry | None:
    """The entry at an address; None if there is none. Raises FramingError LMP-F001, OptionError."""
    return _look_up(address)[0]


def entries(folder: str) -> list[Entry]:
    """The entries of the folder at an address, sorted by name. Raises FramingError LMP-F001, OptionError."""
    with reading(folder):
        system, path = _resolve(folder)
        found = [(str(info["name"]).rstrip("/"), info) for info in system.ls(path, detail=True)]
    # Object stores have an object for the folder itself.
    inside = [(name.rpartition("/")[2], info) for name, info in found if name.strip("/") != path.strip("/")]
    return [_entry(addresses.child(folder, name), info) for name, info in sorted(inside, key=itemgetter(0))]


def stored_file(address: str) -> StoredFile:
    """The file at an address. Raises FramingError LMP-F001, OptionError."""
    entry, system, path = _look_up(address)
    if entry is None:
        raise unreadable(address)
    if entry.is_folder:
        raise FramingError("is a directory, not a file", code="LMP-F001", file=address, hint=AS_ONE_LOG)
    # The function keeps a reference to the file system, because an archive is closed with its file system.
    name = addresses.base_name(address)
    return StoredFile(address, name, (address, entry.stamp), lambda: system.open(path, "rb"))


def _look_up(address: str) -> tuple[Entry | None, Any, str]:
    """The entry at an address, the file system, and the path there."""
    with reading(address):
        system, path = _resolve(address)
        try:
            return _entry(address, system.info(path)), system, path
        except FileNotFoundError:
            return None, system, path


def _entry(address: str, info: dict[str, Any]) -> Entry:
    stamp = tuple(_same(info.get(name)) for name in _CHANGING)
    return Entry(address, info["type"] == "directory", stamp)


def _same(value: Any) -> str:
    """A value in one form: a listing may give a number where a file gives a time."""
    return str(value.timestamp() if isinstance(value, datetime) else value)


def _resolve(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path there. Raises OptionError."""
    scheme = address.partition("://")[0]
    if addresses.holds_credential(address):
        raise OptionError(
            f"an address of {scheme}:// holds a credential, and would be in every row and message",
            hint="leave it to the environment, or to the configuration of the file system",
        )
    front, path, behind = addresses.split(address)
    try:
        found = _arrow_system(front, behind) if "::" not in address else None
    except ImportError:
        found = None
    if found is not None:
        system, base = found
        return system, (base.rstrip("/") + path).rstrip("/") or base
    try:
        from fsspec.core import url_to_fs

        given, inner = url_to_fs(address)
    except (ImportError, ValueError) as error:
        known = "" if "fsspec" in str(error) else f": {reason(error)}"
        raise OptionError(
            f"{scheme}:// is known neither to the file systems of pyarrow nor to those of fsspec here{known}",
            code="LMP-S005",
            hint="pip install 'lmparse[arrow]' for s3, gs, abfs and hdfs, 'lmparse[remote]' and the package "
            "of the file system for others",
        ) from None
    given.invalidate_cache()  # a folder is listed to see what is new in it
    return given, str(inner)


@lru_cache(maxsize=16)
def _arrow_system(front: str, behind: str) -> tuple[Any, str] | None:
    """Arrow's file system for the beginning of an address, and its base path; None if Arrow has none.

    The path of the file is not passed: in the names of objects, `%` and blanks are plain characters.
    """
    import pyarrow as pa
    from fsspec.implementations.arrow import ArrowFSWrapper
    from pyarrow.fs import FileSystem

    front = re.sub(r"^s3[an]://", "s3://", front)  # Hadoop writes s3a and s3n
    try:
        system, base = FileSystem.from_uri(f"{front}{'/' if front.endswith('://') else ''}{behind}")
    except pa.ArrowNotImplementedError:
        return None  # built without it
    except pa.ArrowInvalid as error:
        if "Unrecognized" in str(error):
            return None
        raise
    wrapped = ArrowFSWrapper(system, skip_instance_cache=True)
    wrapped._open = partial(wrapped._open, seekable=False)  # a stream: in a seekable file each read is a request
    return wrapped, base
