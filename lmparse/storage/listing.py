"""Listing: the files that a path, a folder or a pattern names."""

from __future__ import annotations

import errno
import fnmatch
import glob
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from lmparse.errors import FramingError
from lmparse.storage import addresses, file_systems
from lmparse.storage.addresses import local_path, name_of_local
from lmparse.storage.joined import is_joined
from lmparse.storage.name_patterns import name_pattern, with_negations
from lmparse.storage.stored import reason, unreadable

_NO_ENTRY = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""Errors of a link that leads nowhere."""


def list_files(
    paths: list[str],
    *,
    name_filter: str | None = None,
    recursive: bool = False,
    may_be_none: bool = False,
    absent: list[str] | None = None,
) -> list[str]:
    """The files that paths, addresses, folders and patterns name, sorted within each.

    In folders and patterns, names that start with `_` or `.` are left out, as in Spark. A name that would pass for an
    address, such as `file:x`, has `./` in front, so that it names the file in that folder and no other.
    `name_filter` is a filter of Hadoop's; paths are patterns of Python's `glob`, and of shells where they say `[^a]`.
    Raises FramingError LMP-F001 for a path that names no file, with `may_be_none` not for a pattern, for a folder that
    cannot be read, and in a folder or by a pattern for a link that leads nowhere, a pipe or a device: files must not be
    missing in silence. With a list, addresses with nothing at them are added to `absent` and are no error: a folder of
    an object store is there only while it has files.
    """
    found: list[str] = []
    name_pattern(name_filter or "*")  # one that is none is an error even where there is no name yet
    for path in map(local_path, paths):
        if is_joined(path):
            found.append(path)
        elif addresses.is_remote(path):
            found.extend(_remote_files(path, recursive, may_be_none, absent))
        elif os.path.isdir(path):
            files = _local_files(path, recursive, name_filter or "*")
            found.extend(name_of_local(str(file)) for file in sorted(files))
        elif os.path.exists(path):
            found.append(name_of_local(path))
        else:
            _check_folders(path, recursive)
            names = sorted(glob.glob(with_negations(path), recursive=recursive))
            matches = [name for name in names if _is_file(Path(name), name_filter or "*")]
            if not matches and not (may_be_none and glob.has_magic(path)):
                raise unreadable(path)
            found.extend(name_of_local(name) for name in matches if _is_data(name, os.path.dirname(name)))
    if name_filter:
        found = [name for name in found if name_pattern(name_filter).matches(addresses.base_name(name))]
    return found


def names_in(folder: str | Path) -> list[str]:
    """The names in a local folder, sorted. Raises FramingError LMP-F001 if it cannot be read."""
    try:
        os.stat(os.path.join(folder, "."))  # a folder may be listed and its files not looked at
        return sorted(os.listdir(folder))
    except OSError as error:
        raise unreadable(str(folder), reason(error)) from None


def _local_files(top: str, recursive: bool, name_filter: str) -> Iterator[Path]:
    """The data files in a local folder, in no order. Links to folders are not followed."""
    folders = [Path(top)]
    while folders:
        folder = folders.pop()
        for path in (folder / name for name in names_in(folder) if not name.startswith(("_", "."))):
            if _is_file(path, name_filter):
                yield path
            elif recursive and path.is_dir() and not path.is_symlink():
                folders.append(path)


def _is_file(path: Path, name_filter: str) -> bool:
    """Whether a name in a folder is that of a file, and not of a folder. One that is gone by now is not.

    Raises FramingError LMP-F001 for anything else whose name is one of data and passes the filter: a link that leads
    nowhere may be that of a lost file.
    """
    try:
        mode = path.stat().st_mode
    except OSError as error:
        if error.errno not in _NO_ENTRY:
            raise unreadable(str(path), reason(error)) from None
        mode = stat.S_IFLNK if path.is_symlink() else stat.S_IFDIR
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return stat.S_ISREG(mode)
    if path.name.startswith(("_", ".")) or not name_pattern(name_filter).matches(path.name):
        return False
    what = "a link that leads nowhere" if stat.S_ISLNK(mode) else "a pipe, socket or device"
    hint = "a name that begins with _ or . is left out"
    raise FramingError(f"is {what}, not a file", code="LMP-F001", file=name_of_local(str(path)), hint=hint)


def _check_folders(pattern: str, recursive: bool) -> None:
    """Raise FramingError LMP-F001 if a folder cannot be read in which a pattern looks for names; `glob` passes it."""
    parts = Path(with_negations(pattern)).parts
    first = next((place for place, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    for place in range(first, len(parts)):
        above = os.path.join(*parts[:place]) if place else "."
        folders = glob.glob(above, recursive=recursive)
        if recursive and parts[place] == "**":
            folders = glob.glob(os.path.join(above, "**", ""), recursive=True)
        for folder in filter(os.path.isdir, folders):
            names_in(folder)


def _is_data(name: str, folder: str) -> bool:
    parts = Path(os.path.relpath(name, folder or ".")).parts
    return not any(part.startswith(("_", ".")) for part in parts)


def names_one(path: str, names: list[str]) -> bool:
    """Whether the files that a path named are the path itself: it is neither a folder nor a pattern."""
    place = local_path(path)
    return names == [place if addresses.is_remote(place) else name_of_local(place)]


def names_several(path: str) -> bool:
    """Whether a path names a folder, or is a pattern and not the name of a file. Raises as `list_files`."""
    if is_joined(path):
        return False
    place = local_path(path)
    if addresses.is_remote(place):
        pattern = addresses.split_pattern(place)[1]
        entry = file_systems.look_up(place)
        return bool(pattern) if entry is None else entry.is_folder
    return os.path.isdir(place) or (glob.has_magic(place) and not os.path.lexists(place))


def modified(name: str) -> float | None:
    """When a file was last changed, in seconds since 1970; None if its file system does not say it.

    Raises FramingError LMP-F001 if there is no such file.
    """
    if addresses.is_remote(name):
        entry = file_systems.look_up(name)
        if entry is None:
            raise unreadable(name)
        return entry.modified
    try:
        return os.stat(local_path(name)).st_mtime
    except OSError as error:
        raise unreadable(name, reason(error)) from None


def _remote_files(address: str, recursive: bool, may_be_none: bool, absent: list[str] | None) -> list[str]:
    """The files that one address names. Raises, or adds to `absent`, as `list_files`."""
    entry = file_systems.look_up(address)
    if entry is not None:
        return [found.path for found in _below(address, recursive)] if entry.is_folder else [address]
    folder, pattern = addresses.split_pattern(address)
    at = file_systems.look_up(folder) if pattern else None
    matches = sorted(set(_matches(folder, pattern, recursive))) if at is not None and at.is_folder else []
    if not matches and not (may_be_none and pattern):
        if absent is None:
            raise unreadable(address)
        absent.append(address)
    return [name for name in matches if not addresses.base_name(name).startswith(("_", "."))]


def _below(folder: str, recursive: bool) -> Iterator[file_systems.Entry]:
    """The data files in a folder."""
    for entry in file_systems.entries(folder):
        if addresses.base_name(entry.path).startswith(("_", ".")):
            continue
        if not entry.is_folder:
            yield entry
        elif recursive:
            yield from _below(entry.path, recursive)


def _matches(folder: str, pattern: list[str], recursive: bool) -> Iterator[str]:
    """The files below a folder whose names match, by the rules of `glob`."""
    first, *rest = pattern
    is_any_depth = first == "**" and recursive
    if is_any_depth:
        yield from _matches(folder, rest or ["*"], recursive)
    for entry in file_systems.entries(folder):
        name = addresses.base_name(entry.path)
        if name.startswith(".") and not first.startswith("."):
            continue
        if is_any_depth:
            if entry.is_folder:
                yield from _matches(entry.path, pattern, recursive)
        elif fnmatch.fnmatchcase(name, with_negations(first)):
            if entry.is_folder and rest:
                yield from _matches(entry.path, rest, recursive)
            elif not entry.is_folder and not rest:
                yield entry.path
