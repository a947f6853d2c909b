"""Outputs: an output appears whole or not at all, and replaces only files that lmparse wrote, never an input.

`inputs_of` returns the files that a command reads; `check_place` decides whether an output may be at a place.
`atomic_output` makes the output in a folder `.NAME.RANDOM.partial` beside the place, flushes it to the disk, and
renames it. If the process is killed meanwhile, this folder remains; its entry `before` is the folder being replaced.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lmparse.errors import FramingError, OptionError
from lmparse.spelling import has_half_character
from lmparse.storage.addresses import is_remote, local_path
from lmparse.storage.joined import names_in
from lmparse.storage.listing import matches

Foreign = Callable[[Path], str | None]
"""Says what in an existing file or folder is not from lmparse; None if nothing."""
_REFUSED, _FAILED = "LMP-S021", "LMP-S022"
_NAME_BYTES = 100
"""Bytes of an output's name that the name of its temporary folder repeats; the result fits every file system."""


# -- inputs -------------------------------------------------------------------------------


Identity = tuple[int, int]
"""Device and inode; equal for all names of a file."""


@dataclass(frozen=True)
class Inputs:
    """The local files that a command reads."""

    files: frozenset[Identity]
    folders: frozenset[Identity]
    """The folders around the files at any depth, by name and with links resolved."""

    def has(self, place: Path) -> bool:
        """Whether a file is one of the inputs."""
        return _identity(place) in self.files

    def below(self, folder: Path) -> bool:
        """Whether a folder contains an input."""
        return _identity(folder) in self.folders


def _identity(path: Path) -> Identity | None:
    try:
        status = os.stat(path)
    except OSError:  # the file is missing, or a link is unreadable; the reader of the file reports this
        return None
    return status.st_dev, status.st_ino


def inputs_of(names: Iterable[str | Path | None], *, at_any_depth: bool = True) -> Inputs:
    """The files that paths, `file:` URLs, folders and patterns name; for a folder, all files at any depth.

    Without `at_any_depth`, the files are those of `list_files` without `recursive`, because other folders inside may be
    outputs. Remote files are left out, because outputs are local.
    """
    found = [path for name in names for one in names_in(str(name or "")) for path in _paths(one, at_any_depth)]
    named = {Path(resolved(path)) for path in found for resolved in (os.path.abspath, os.path.realpath)}
    folders = {folder for path in named for folder in path.parents}
    return Inputs(*(frozenset(filter(None, map(_identity, paths))) for paths in (found, folders)))


def _paths(name: str, at_any_depth: bool) -> Iterator[Path]:
    if not name or "\0" in name or is_remote(name):
        return
    path = local_path(name)
    for match in ([] if os.path.lexists(path) else matches(path)) or [path]:
        yield Path(match)
        for folder, below, files in os.walk(match):
            yield from (Path(folder, file) for file in files)
            if not at_any_depth:
                below[:] = [name for name in below if "=" in name]


# -- what is of lmparse -------------------------------------------------------------------


def begins_with(mark: bytes, what: str, inside: str = "") -> Foreign:
    """A test that a file begins with `mark`, or that a folder has such a file `inside`.

    An empty file or folder passes, because nothing can be lost. The mark elsewhere in a file may be a quotation.
    """

    def foreign(path: Path) -> str | None:
        if inside and not any(path.iterdir()):
            return None
        try:
            with open(path / inside, "rb") as file:
                head = file.read(len(mark))
        except (FileNotFoundError, IsADirectoryError):
            return f"it is not {what}: it has no {inside}"
        return None if head == mark or not (head or inside) else f"it is not {what}"

    return foreign


def lists_itself(name: str, listed: Callable[[Any], Iterable[str]]) -> Foreign:
    """A test that a folder's file `name` lists all its entries; `listed` takes the names from the JSON, or raises.

    An empty folder passes, because nothing can be lost.
    """

    def fail(error: OSError) -> None:
        raise error  # an unreadable folder may be anyone's

    def foreign(folder: Path) -> str | None:
        try:
            walked = [*os.walk(folder, onerror=fail)]
        except OSError as error:
            return f"{os.path.relpath(error.filename or folder, folder)} cannot be read"
        paths = [Path(above, one) for above, _, files in walked for one in files]
        paths += [path for above, names, _ in walked for one in names if (path := Path(above, one)).is_symlink()]
        if len(walked) == 1 and not paths:
            return None
        if folder / name not in paths:
            return f"it has no {name}"
        try:
            ours = {folder / one for one in (name, *listed(json.loads((folder / name).read_bytes())))}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return f"its {name} is not one of lmparse"
        others = sorted(str(path.relative_to(folder)) for path in paths if path not in ours)
        return f"it also has {others[0]}" if others else None

    return foreign


# -- outputs ------------------------------------------------------------------------------


@dataclass(frozen=True)
class OutputPlace:
    """The place of an output."""

    path: Path
    """With links resolved."""
    shown: str
    """As the caller named the place, for messages."""
    inputs: Inputs
    is_folder: bool
    overwrite: bool
    foreign: Foreign
    """Says what in an existing file or folder is not from lmparse."""

    def check(self) -> None:
        """Raise OptionError LMP-S021 if an output may not be written here."""
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
        # Replaced files are lost, so replacing anything but an output of lmparse counts as a mistake.
        if (why := self.foreign(path)) is not None:
            hint = "name another place, or remove it yourself"
            raise _refused(f"{shown} was not written by lmparse: {why}", hint)


def check_place(
    out: str | Path, inputs: Inputs, *, is_folder: bool, overwrite: bool, foreign: Foreign, makes_parents: bool = False
) -> OutputPlace:
    """The place of an output. Raises OptionError LMP-S021 if an output may not be written there.

    `inputs` are the files that are read. An existing file or folder is replaced only with `overwrite`, and only if
    `foreign` finds nothing from elsewhere. The folder above must exist, unless the caller makes it.
    """
    shown, local = str(out), "\0"
    if is_remote(shown):
        raise _refused(f"{shown}: files are written to local folders only", "copy it from there")
    with suppress(FramingError):
        local = local_path(shown)
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
    """Add the name of the output to system errors; a full disk, for one, names no file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        why = error.strerror or str(error)
        raise OptionError(f"{shown}: cannot be written: {why}", code=_FAILED) from error


@contextmanager
def partial_folder(parent: Path, name: str) -> Iterator[Path]:
    """A new folder `NAME.RANDOM.partial` in `parent`, removed at the end with its contents."""
    shortened = os.fsencode(name)[:_NAME_BYTES].decode(errors="ignore")
    folder = Path(tempfile.mkdtemp(prefix=f"{shortened}.", suffix=".partial", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class AtomicOutput:
    """An output that is made in a temporary folder beside its place."""

    def __init__(self, place: OutputPlace, folder: Path) -> None:
        self._place, self.folder = place, folder
        self.made = folder / "made"
        """Path of the file or folder that becomes the output."""

    def finish(self) -> None:
        """Move the finished output to its place, after checking the place again."""
        place, before = self._place.path, self.folder / "before"
        if self.made.is_dir():
            put_on_disk(self.made)
        self._place.check()
        if place.is_dir():
            # Replacing a folder takes two steps: the old folder is moved away, and moved back if the second step fails.
            os.rename(place, before)
            try:
                os.rename(self.made, place)
            finally:
                if not os.path.lexists(place):
                    os.rename(before, place)
        else:
            os.replace(self.made, place)
        put_on_disk(place.parent)


@contextmanager
def atomic_output(place: OutputPlace) -> Iterator[AtomicOutput]:
    """An output that is made in the block. Its temporary folder is removed at the end, also after errors.

    System errors become OptionError LMP-S022 with the name of the output.
    """
    with naming_output(place.shown), partial_folder(place.path.parent, f".{place.path.name}") as folder:
        yield AtomicOutput(place, folder)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process is in such a block for a folder; for code that reads a file and then replaces it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # some file systems have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def write_text(text: str, place: OutputPlace) -> None:
    """Write a text to its place; an old file stays until the new file is complete. Raises OptionError."""
    with atomic_output(place) as work:
        work.made.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
        put_on_disk(work.made)
        work.finish()


def write_files(folder: Path, files: Mapping[str, bytes], *, removed: Iterable[str] = ()) -> None:
    """Write files into a folder, made if missing, after the bytes of all files are on the disk; then remove `removed`.

    The files are renamed one by one in the given order. If the process is killed, some files are therefore still old.
    So a file that lists others comes first, and a file that activates others comes last. A link at a file's place is
    replaced, not followed. Raises OptionError LMP-S022.
    """
    is_new = not os.path.lexists(folder)
    with naming_output(str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with partial_folder(folder, ".files") as partial:
                for number, data in enumerate(files.values()):
                    (partial / str(number)).write_bytes(data)
                    put_on_disk(partial / str(number))
                for number, name in enumerate(files):
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    os.replace(partial / str(number), folder / name)
            for name in removed:
                (folder / name).unlink()
        finally:
            if is_new:
                with suppress(OSError):  # if files are inside
                    folder.rmdir()


def put_on_disk(path: Path) -> None:
    """Flush a folder's entries, or the bytes of a file, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
