"""Listing: the files that a path, a folder or a pattern names."""

from __future__ import annotations

import fnmatch
import glob
import os
from collections.abc import Iterator
from pathlib import Path

from lmparse.storage import addresses, file_systems
from lmparse.storage.addresses import local_path, name_of_local
from lmparse.storage.stored import unreadable


def list_files(paths: list[str], *, name_filter: str | None = None, recursive: bool = False) -> list[str]:
    """The files that paths, addresses, folders and patterns name, sorted within each.

    In folders and patterns, names that start with `_` or `.` are left out, as in Spark. A name that would pass for an
    address, such as `file:x`, has `./` in front, so that it names the file in that folder and no other.
    Raises FramingError LMP-F001 for a path that names no file.
    """
    found: list[str] = []
    for path in map(local_path, paths):
        if addresses.is_remote(path):
            found.extend(_remote_files(path, recursive))
        elif os.path.isdir(path):
            pattern = "**/*" if recursive else "*"
            inside = [str(entry) for entry in sorted(Path(path).glob(pattern)) if entry.is_file()]
            found.extend(name_of_local(name) for name in inside if _is_data(name, path))
        elif os.path.exists(path):
            found.append(name_of_local(path))
        else:
            matches = [name for name in sorted(glob.glob(path, recursive=recursive)) if os.path.isfile(name)]
            if not matches:
                raise unreadable(path)
            found.extend(name_of_local(name) for name in matches if _is_data(name, os.path.dirname(name)))
    if name_filter:
        found = [name for name in found if fnmatch.fnmatch(addresses.base_name(name), name_filter)]
    return found


def _is_data(name: str, folder: str) -> bool:
    parts = Path(os.path.relpath(name, folder or ".")).parts
    return not any(part.startswith(("_", ".")) for part in parts)


def _remote_files(address: str, recursive: bool) -> list[str]:
    """The files that one address names."""
    entry = file_systems.look_up(address)
    if entry is not None:
        return [found.path for found in _below(address, recursive)] if entry.is_folder else [address]
    folder, pattern = addresses.split_pattern(address)
    at = file_systems.look_up(folder) if pattern else None
    matches = sorted(set(_matches(folder, pattern, recursive))) if at is not None and at.is_folder else []
    if not matches:
        raise unreadable(address)
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
        elif fnmatch.fnmatchcase(name, first):
            if entry.is_folder and rest:
                yield from _matches(entry.path, rest, recursive)
            elif not entry.is_folder and not rest:
                yield entry.path
