"""States: size and time of files, so that no part of a plan is read from a file that changed since planning."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lmparse.errors import ReadError
from lmparse.storage import addresses
from lmparse.storage.stored import reason, stored_file, unreadable

Seen = dict[Path, tuple[int, int, int] | None]
"""Time, size and inode of files; None for a missing file."""


@dataclass(frozen=True, slots=True)
class FileState:
    """Facts of the file system about a file. Safe to pickle."""

    name: str
    size: int | None
    """In bytes, as stored; None for a remote file, whose stamp includes the size."""
    stamp: Hashable
    """A value that differs after a change: time of the last change, or facts of a remote file system."""
    host: str | None
    """The machine whose clock made the stamp; another machine may have a copy with another time."""

    def check(self) -> None:
        """Raise FramingError LMP-F001 if the file is gone, and ReadError LMP-F012 if the file has changed."""
        now, how = state_of(self.name), ""
        if now.size != self.size:
            how = "grew" if (now.size or 0) > (self.size or 0) else "shrank"
            how += f" after its reading was planned: expected {self.size} bytes, found {now.size}"
        elif now.host == self.host and now.stamp != self.stamp:
            how = "was written to after its reading was planned"
        if how:
            raise ReadError(f"{self.name}: {how}", hint="read it again when nothing writes to it")


def state_of(name: str) -> FileState:
    """The present state of a file. Raises FramingError LMP-F001 for a missing file, and OptionError."""
    if addresses.is_remote(name):
        return FileState(name, None, stored_file(name).stamp, None)
    try:
        status = os.stat(addresses.local_path(name))
    except (OSError, ValueError) as error:
        raise unreadable(name, reason(error)) from None
    return FileState(name, status.st_size, status.st_mtime_ns, os.uname().nodename)


def check_all(states: Iterable[FileState]) -> None:
    """Raise an error for the first file that is gone or changed, as `FileState.check` does."""
    for state in states:
        state.check()


def seen_now(paths: Iterable[Path]) -> Seen:
    """The present time, size and inode of some files."""
    seen: Seen = {}
    for path in paths:
        seen[path] = None
        with suppress(OSError, ValueError):  # ValueError: a NUL in the name
            found = os.stat(path)
            seen[path] = found.st_mtime_ns, found.st_size, found.st_ino
    return seen
