"""Atomic output: an output appears whole or not at all, and never replaces the files it is made from."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from lmparse.errors import OptionError


def check_place(
    out: str | Path, sources: Iterable[str], *, is_folder: bool, overwrite: bool, mark: str | None = None
) -> Path:
    """The path of an output with links resolved. Raises OptionError if nothing may be written there.

    `sources` are the files that are read. A folder with the file `mark` in it is known to be an output.
    """
    place = Path(os.path.realpath(out))
    read = [Path(os.path.realpath(source)) for source in sources]
    if not place.parent.is_dir():
        raise OptionError(f"{out}: there is no folder {place.parent}", hint="make it first")
    if place in read or (place.exists() and any(path.exists() and place.samefile(path) for path in read)):
        raise OptionError(f"{out} is an input", hint="name another place")
    if is_folder and any(place in path.parents for path in read):
        raise OptionError(f"{out} holds an input, and would be replaced", hint="name another folder")
    if not place.exists():
        return place
    if is_folder != place.is_dir() or not (place.is_dir() or place.is_file()):
        wanted = "a folder is to be written" if is_folder else "a file is to be written"
        raise OptionError(f"{out} is there and {wanted}", hint="name another place")
    if not overwrite:
        raise OptionError(f"{out} is there already", hint="give --overwrite to replace it")
    if is_folder and mark is not None and not (place / mark).is_file() and any(place.iterdir()):
        # What is replaced is lost, so a folder that holds something else is taken for a mistake.
        raise OptionError(f"{out} has no {mark}: it was not written by lmparse", hint="name another folder")
    return place


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the program as errors do (SystemExit), so that no partial output is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _: Any) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler == signal.SIG_DFL:
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put off signals that would end the program until the end of the block."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class AtomicOutput:
    """A temporary folder beside an output, in which the output is made; it is removed in the end, also after errors."""

    def __init__(self, place: Path, *, overwrite: bool) -> None:
        self._place, self._overwrite = place, overwrite

    def __enter__(self) -> AtomicOutput:
        with uninterrupted():
            name = tempfile.mkdtemp(prefix=f".{self._place.name[:100]}.", suffix=".partial", dir=self._place.parent)
            self.folder = Path(name)
        self.made = self.folder / "made"
        """Path of the file or folder that becomes the output."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with uninterrupted():
            shutil.rmtree(self.folder, ignore_errors=True)

    def finish(self) -> None:
        """Move the finished output to its place."""
        if self.made.is_dir():
            put_on_disk(self.made)
        with uninterrupted():
            self._put()
        put_on_disk(self._place.parent)

    def _put(self) -> None:
        place, before = self._place, self.folder / "before"
        if os.path.lexists(place) and not self._overwrite:
            raise OptionError(f"{place} was created in the meantime", hint="give --overwrite to replace it")
        if not place.is_dir():
            os.replace(self.made, place)
            return
        # A folder cannot be replaced in one step: the old one is moved away, and back if the second step fails.
        os.rename(place, before)
        try:
            os.rename(self.made, place)
        except OSError:
            os.rename(before, place)
            raise


def write_text(text: str, place: Path, *, overwrite: bool) -> None:
    """Write a text to its place; an old file stays until all of the new one is written. Raises OSError."""
    with AtomicOutput(place, overwrite=overwrite) as work:
        work.made.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
        put_on_disk(work.made)
        work.finish()


def put_on_disk(path: Path) -> None:
    """Write a folder's entries, or the bytes of a file, through to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
