"""States: size and time of the files that a plan is about, so that no part is read from files that changed since."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from lmparse.errors import ReadError
from lmparse.storage import addresses
from lmparse.storage.stored import reason, stored_file, unreadable


@dataclass(frozen=True, slots=True)
class FileState:
    """What a file system says of a file. Safe to pickle."""

    name: str
    size: int | None
    """In bytes, as stored; None for a remote file, whose stamp contains it."""
    stamp: Hashable
    """A value that differs after a change: the time of the last change, or facts of a remote file system."""
    host: str | None
    """The machine whose clock the stamp is of; another one may have a copy with a time of its own."""

    def check(self) -> None:
        """Raise FramingError LMP-F001 if the file is gone, ReadError LMP-F012 if it is another than this."""
        now = state_of(self.name)
        if now.size != self.size:
            assert self.size is not None
            assert now.size is not None
            how = "grew" if now.size > self.size else "shrank"
            raise self._changed(f"{how} after its reading was planned: expected {self.size} bytes, found {now.size}")
        if now.host == self.host and now.stamp != self.stamp:
            raise self._changed("was written to after its reading was planned")

    def _changed(self, how: str) -> ReadError:
        return ReadError(f"{self.name}: {how}", hint="read it again when nothing writes to it")


def state_of(name: str) -> FileState:
    """The state of a file now. Raises FramingError LMP-F001 if there is no such file, and OptionError."""
    if addresses.is_remote(name):
        return FileState(name, None, stored_file(name).stamp, None)
    try:
        status = os.stat(addresses.local_path(name))
    except (OSError, ValueError) as error:
        raise unreadable(name, reason(error)) from None
    return FileState(name, status.st_size, status.st_mtime_ns, os.uname().nodename)


def check_all(states: Iterable[FileState]) -> None:
    """Raise an error for the first of some files that is gone or another, as `FileState.check` does."""
    for state in states:
        state.check()
