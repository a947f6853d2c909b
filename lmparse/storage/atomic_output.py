"""Atomic output: an output appears whole or not at all, and replaces only what lmparse wrote, never an input.

`check_place` decides whether an output may be at a place, `AtomicOutput` makes it beside that place and moves it there.
What a killed process left beside its place is removed by the next one that writes into the same folder.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from lmparse.errors import FramingError, OptionError
from lmparse.spelling import has_half_character
from lmparse.storage.addresses import is_remote, local_path
from lmparse.storage.inputs import NO_INPUTS, Inputs
from lmparse.storage.marks import Foreign
from lmparse.storage.owned_folder import OwnedFolder, remove_left_behind
from lmparse.storage.signals import ended_by_signals, uninterrupted

_REFUSED, _FAILED = "LMP-S021", "LMP-S022"


@dataclass(frozen=True)
class OutputPlace:
    """Where an output may be put."""

    path: Path
    """With links resolved."""
    shown: str
    """As the caller named it, for messages."""
    inputs: Inputs
    is_folder: bool
    overwrite: bool
    foreign: Foreign
    """What is not of lmparse in a file or folder that is there."""

    def check(self) -> None:
        """Raise OptionError LMP-S021 if nothing may be written there."""
        path, shown = self.path, self.shown
        if self.inputs.has(path):
            raise _refused(f"{shown} is an input", "name another place")
        if self.is_folder and self.inputs.below(path):
            raise _refused(f"{shown} holds an input, and would be replaced", "name another folder")
        if not os.path.lexists(path):
            return
        if self.is_folder != path.is_dir() or not (path.is_dir() or path.is_file()):
            wanted = "a folder is to be written" if self.is_folder else "a file is to be written"
            raise _refused(f"{shown} is there and {wanted}", "name another place")
        if not self.overwrite:
            raise _refused(f"{shown} is there already", "give --overwrite to replace it")
        # What is replaced is lost, so anything else than an output of lmparse is taken for a mistake.
        if (why := self.foreign(path)) is not None:
            hint = "name another place, or remove it yourself"
            raise _refused(f"{shown} was not written by lmparse: {why}", hint)


def check_place(
    out: str | Path,
    inputs: Inputs,
    *,
    is_folder: bool,
    overwrite: bool,
    foreign: Foreign,
    makes_parents: bool = False,
) -> OutputPlace:
    """The place of an output. Raises OptionError LMP-S021 if nothing may be written there.

    `inputs` are the files that are read. What is there is replaced only with `overwrite` and if `foreign` finds
    nothing in it that is not of lmparse. The folder above it must exist, unless the caller makes it.
    """
    shown = str(out)
    if is_remote(shown):
        raise _refused(f"{shown}: files are written to local folders only", "copy it from there")
    try:
        local = local_path(shown)
    except FramingError:
        local = "\0"
    if "\0" in local or has_half_character(local) or not shown.strip():
        raise _refused(f"{shown!r} is not the name of a file", "name another place")
    with naming_output(shown):
        path = Path(os.path.realpath(local))
        if not makes_parents and not path.parent.is_dir():
            raise _refused(f"{shown}: there is no folder {path.parent}", "make it first")
        place = OutputPlace(path, shown, inputs, is_folder, overwrite, foreign)
        place.check()
    return place


def _refused(text: str, hint: str) -> OptionError:
    return OptionError(text, code=_REFUSED, hint=hint)


@contextmanager
def naming_output(shown: str) -> Iterator[None]:
    """Give errors of the system the name of the output that they are about: a full disk has none."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        why = error.strerror or str(error)
        raise OptionError(f"{shown}: cannot be written: {why}", code=_FAILED) from error


class AtomicOutput:
    """A temporary folder beside an output, in which the output is made; it is removed in the end, also after errors.

    Errors of the system become OptionError LMP-S022 with the name of the output.
    """

    def __init__(self, place: OutputPlace) -> None:
        self._place = place
        self._signals = ExitStack()

    def __enter__(self) -> AtomicOutput:
        path = self._place.path
        with naming_output(self._place.shown), ExitStack() as signals:
            signals.enter_context(ended_by_signals())
            with uninterrupted():
                remove_left_behind(path.parent, inputs=self._place.inputs)
                self._owned = OwnedFolder(path.parent, path.name)
            self._signals = signals.pop_all()
        self.folder = self._owned.path
        self.made = self.folder / "made"
        """Path of the file or folder that becomes the output."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with uninterrupted():
            self._owned.remove()
        self._signals.close()
        if isinstance(error, OSError):
            with naming_output(self._place.shown):
                raise error

    def finish(self) -> None:
        """Move the finished output to its place, unless something else has come there in the meantime."""
        if self.made.is_dir():
            put_on_disk(self.made)
        self._place.check()
        with uninterrupted():
            self._put()
        put_on_disk(self._place.path.parent)

    def _put(self) -> None:
        place, before = self._place.path, self.folder / "before"
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


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process is in such a block for a folder; for what reads a file and replaces it then."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def write_text(text: str, place: OutputPlace) -> None:
    """Write a text to its place; an old file stays until all of the new one is written. Raises OptionError."""
    with AtomicOutput(place) as work:
        work.made.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
        put_on_disk(work.made)
        work.finish()


def write_files(
    folder: Path, files: Mapping[str, bytes], *, removed: Iterable[str] = (), inputs: Inputs = NO_INPUTS
) -> None:
    """Write files into a folder, which is made, once all of their bytes are on the disk; some others are removed first.

    They come to their places one after the other, in the order given: a process that is killed then leaves some of them
    as they were. So a file that lists the others is the first; one that makes them count is the last. A folder comes
    with its first file, so that none is left empty. A link in the place of a file is replaced, not followed. After an
    error all files are as they were. Raises OptionError LMP-S022.
    """
    is_new = not os.path.lexists(folder)
    with naming_output(str(folder)), uninterrupted():
        folder.mkdir(parents=True, exist_ok=True)
        remove_left_behind(folder, inputs=inputs)
        owned = OwnedFolder(folder, "")
    try:
        with naming_output(str(folder)), uninterrupted(), ExitStack() as undo:
            for number, data in enumerate(files.values()):
                (owned.path / str(number)).write_bytes(data)
                put_on_disk(owned.path / str(number))
            for number, name in enumerate(removed):
                _keep(folder / name, owned.path / f"removed {number}", undo)
                (folder / name).unlink()
            for number, name in enumerate(files):
                _keep(folder / name, owned.path / f"before {number}", undo)
                _put(owned.path / str(number), folder / name, undo)
            undo.pop_all()
    finally:
        owned.remove()
        if is_new:
            with suppress(OSError):  # files are in it
                folder.rmdir()


def _keep(place: Path, kept: Path, undo: ExitStack) -> None:
    """Copy what is at a place, so that it can be put back; what comes to an empty place is removed."""
    if place.is_file() or place.is_symlink():
        shutil.copy2(place, kept, follow_symlinks=False)
        undo.callback(os.replace, kept, place)
    elif not os.path.lexists(place):
        undo.callback(place.unlink, missing_ok=True)


def _put(made: Path, place: Path, undo: ExitStack) -> None:
    """Move a file to its place, in one step with the folders above it that are missing; they can be removed again."""
    missing = [path for path in place.parents if not path.exists()]
    if not missing:
        os.replace(made, place)
        return
    top = missing[-1]
    carried = made.with_name(f"{made.name} in folders")
    (carried / place.parent.relative_to(top)).mkdir(parents=True)
    os.replace(made, carried / place.relative_to(top))
    os.replace(carried, top)
    for path in reversed(missing):
        undo.callback(path.rmdir)
    undo.callback(place.unlink)


def put_on_disk(path: Path) -> None:
    """Write a folder's entries, or the bytes of a file, through to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
