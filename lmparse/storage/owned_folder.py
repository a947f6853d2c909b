"""Owned folder: a temporary folder that is removed with its process, or by the next one if that was killed.

Anyone can put a folder of such a name into an archive. So a folder is taken for one that a killed process left only if
its owner file has the number that the file system gave to that very file, which a copy of it does not keep, and the
name in the folder's own. It is removed only if all in it is of names and kinds that lmparse makes there, and no input.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path

from lmparse.storage.inputs import NO_INPUTS, Inputs

_OWNER = "lmparse.owner"
"""File in a temporary folder that shows whose it is; its text is its own inode number and the name of the output."""
_MOST = 2048
"""Bytes of that text, at most: names have 255 characters."""
_SUFFIX = ".partial"
_NAME_BYTES = 100
"""Bytes of the output's name in that of the folder, so that this is short enough for every file system."""
_CHOSEN = "[a-z0-9_]{8}"
"""What `mkdtemp` puts into a name."""
_SECONDS_TO_BEGIN = 60
"""After so long an empty temporary folder is not one that a process is just making."""
_NESTED = rf"[0-9]+/\.\.{_CHOSEN}\{_SUFFIX}"
"""The folder of `write_files` in one of live specs."""
_FILES = re.compile(
    rf"""
      made | part-[0-9]+ | (?:made|before|removed)/[^/]+\.(?:parquet|arrow|csv|jsonl|json|html|js)  # outputs
    | (?:spilled/)?(?:[0-9a-f]+-(?:rows|kaitai|columnar|lines)|index)-[0-9]+                        # spilled changes
    | [0-9a-f]{{32}}(?:/[^/]+/[^/]+\.parquet)? | part-[0-9]{{5}}-[0-9a-f]{{32}}\.parquet        # Parquet folders
    | [0-9]+/(?:debug/)?\w+\.(?:pyi?|json)                                                          # live specs
    | (?:{_NESTED}/)?(?:
          {re.escape(_OWNER)} | [0-9]+ | (?:before|removed)\ [0-9]+                                 # `write_files`
        | [0-9]+\ in\ folders/(?:[^/]+/){{0,8}}[^/]+\.(?:pyi?|json|ksy|yaml|bin)
      )
    """,
    re.VERBOSE | re.ASCII,
)
"""Places in an owned folder at which lmparse makes files."""
_FOLDERS = re.compile(
    rf"""
      made | before | removed | spilled | [0-9a-f]{{32}}(?:/[^/]+)?
    | [0-9]+(?:/debug)? | {_NESTED}
    | (?:{_NESTED}/)?[0-9]+\ in\ folders(?:/[^/]+){{0,8}}
    """,
    re.VERBOSE | re.ASCII,
)
_LINKS = re.compile(rf"(?:{_NESTED}/)?(?:before|removed) [0-9]+", re.ASCII)
"""Places at which `write_files` keeps what is replaced, which may be a link."""


class OwnedFolder:
    """A temporary folder in another one that the next run recognises as ours and as left behind.

    A lock on it lasts as long as this process, however that ends.
    """

    def __init__(self, parent: Path, name: str, prefix: str = ".") -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_beginning(prefix, name), suffix=_SUFFIX, dir=parent))
        handle = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        # A signal that arrives before the caller can remove it ends the program, and this removes it then.
        self.remove = weakref.finalize(self, _remove, self.path, handle, os.getpid())
        """Remove it with all that is in it."""
        with suppress(OSError):  # a file system without locks: the folder is left to its owner
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with open(self.path / _OWNER, "xb") as file:
                file.write(b"%d %b" % (os.fstat(file.fileno()).st_ino, os.fsencode(name)))


def _beginning(prefix: str, name: str) -> str:
    """How the name of a folder for an output begins: with whole characters of the output's."""
    return f"{prefix}{os.fsencode(name)[:_NAME_BYTES].decode(errors='ignore')}."


def _remove(folder: Path, handle: int, owner: int) -> None:
    if os.getpid() == owner:  # not a process forked from the owner, which ends earlier
        _remove_all(folder)
        os.close(handle)


def _remove_all(folder: Path) -> None:
    """Remove a temporary folder, the file that names its owner last, so that the rest of one is known as ours.

    An old output in it is no longer one from the beginning: no half of it is ever put back.
    """
    with suppress(OSError):
        os.rename(folder / "before", folder / "removed")
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif entry.name != _OWNER:
                os.unlink(entry.path)
    shutil.rmtree(folder, ignore_errors=True)


def remove_left_behind(parent: Path, prefix: str = ".", inputs: Inputs = NO_INPUTS) -> None:
    """Remove the temporary folders of processes that were killed: those that are ours and that no process owns.

    An old output that a killed process had just moved away is put back. A folder with an input, or with anything that
    lmparse does not make, stays as it is.
    """
    try:
        found = [Path(entry) for entry in os.scandir(parent) if _may_be_ours(entry, prefix)]
    except OSError:
        return
    for folder in found:
        with suppress(OSError):
            if not inputs.below(Path(os.path.realpath(folder))):
                _remove_unowned(folder, prefix)


def _may_be_ours(entry: os.DirEntry[str], prefix: str) -> bool:
    is_named = entry.name.startswith(prefix) and re.search(rf"\.{_CHOSEN}{re.escape(_SUFFIX)}\Z", entry.name)
    return bool(is_named) and entry.is_dir(follow_symlinks=False)


def _remove_unowned(folder: Path, prefix: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        status, is_begun = os.fstat(handle), os.path.lexists(folder / _OWNER)
        if status.st_uid != os.getuid():
            return
        if not is_begun:
            if time.time() - status.st_mtime > _SECONDS_TO_BEGIN:
                folder.rmdir()  # which only an empty folder allows: its process was killed before it wrote anything
            return
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises while a process owns it
        name = _output_of(handle, folder.name, prefix)
        if name is None:
            return
        place, before = folder.parent / name, folder / "before"
        if name and not os.path.lexists(place) and before.is_dir() and not before.is_symlink():
            os.rename(before, place)
        if _is_all_ours(folder):
            _remove_all(folder)
    finally:
        os.close(handle)


def _output_of(handle: int, folder: str, prefix: str) -> str | None:
    """The name of the output for which a folder was made; None if its owner file does not prove that lmparse made it.

    Empty if there is only an owner file without a text: its process was killed before it wrote anything else.
    """
    # Not blocking: what is named so may be a pipe.
    owner = os.open(_OWNER, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handle)
    try:
        status = os.fstat(owner)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST:
            return None
        text = os.read(owner, _MOST)
    finally:
        os.close(owner)
    if not text and os.listdir(handle) == [_OWNER]:
        return ""
    number, _, said = text.partition(b" ")
    name = os.fsdecode(said)
    is_whole = number == b"%d" % status.st_ino and name == os.path.basename(name) and "\0" not in name
    shape = rf"{re.escape(_beginning(prefix, name))}{_CHOSEN}{re.escape(_SUFFIX)}"
    return name if is_whole and re.fullmatch(shape, folder) else None


def _is_all_ours(folder: Path) -> bool:
    """Whether everything in a folder is of a name and kind that lmparse makes there."""
    folders = [folder]
    for above in folders:  # which grows
        with os.scandir(above) as entries:
            for entry in entries:
                path = Path(entry)
                if not _is_ours(path.relative_to(folder).as_posix(), entry):
                    return False
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
    return True


def _is_ours(place: str, entry: os.DirEntry[str]) -> bool:
    """Whether lmparse makes something of this kind at a place in an owned folder."""
    if entry.is_symlink():
        names = _LINKS
    elif entry.is_dir():
        names = _FOLDERS
    elif entry.is_file():
        names = _FILES
    else:
        return False
    return names.fullmatch(place) is not None
