"""Sources: which files a path means, and which control file belongs to each."""

from __future__ import annotations

import fnmatch
import glob
import os
from collections.abc import Hashable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from lmparse import storage
from lmparse.control import first_code, read_control
from lmparse.errors import ControlError, DataError, FramingError
from lmparse.sniffing import sniff
from lmparse.storage import local_path

_CONTROL = "bmc_control"
_PLACES = (0, 4, 8)
"""Where the first record of a file may begin: behind no descriptor word, one, or that of a block and one."""


def list_files(paths: list[str], *, name_filter: str | None = None, recursive: bool = False) -> list[str]:
    """The files behind paths, addresses, folders and patterns, sorted within each.

    Names that start with `_` or `.` are passed over in folders and patterns, as Spark does.
    Raises FramingError LMP-F001 for a path that leads to nothing.
    """
    found: list[str] = []
    for path in map(local_path, paths):
        if storage.is_remote(path):
            found.extend(_remote_files(path, recursive))
        elif os.path.isdir(path):
            pattern = "**/*" if recursive else "*"
            inside = [str(entry) for entry in sorted(Path(path).glob(pattern)) if entry.is_file()]
            found.extend(name for name in inside if _is_data(name, path))
        elif os.path.exists(path):
            found.append(path)
        else:
            matches = [name for name in sorted(glob.glob(path, recursive=recursive)) if os.path.isfile(name)]
            if not matches:
                raise _nothing(path)
            found.extend(name for name in matches if _is_data(name, os.path.dirname(name)))
    if name_filter:
        found = [name for name in found if fnmatch.fnmatch(storage.base_name(name), name_filter)]
    return found


def _is_data(name: str, folder: str) -> bool:
    parts = Path(os.path.relpath(name, folder or ".")).parts
    return not any(part.startswith(("_", ".")) for part in parts)


def _remote_files(address: str, recursive: bool) -> list[str]:
    """The same for one address."""
    entry = storage.look_up(address)
    if entry is not None:
        return [found.path for found in _below(address, recursive)] if entry.is_folder else [address]
    folder, pattern = storage.split_pattern(address)
    at = storage.look_up(folder) if pattern else None
    matches = sorted(set(_matches(folder, pattern, recursive))) if at is not None and at.is_folder else []
    if not matches:
        raise _nothing(address)
    return [name for name in matches if not storage.base_name(name).startswith(("_", "."))]


def _below(folder: str, recursive: bool) -> Iterator[storage.Entry]:
    """The data files in a folder."""
    for entry in storage.entries(folder):
        if storage.base_name(entry.path).startswith(("_", ".")):
            continue
        if not entry.is_folder:
            yield entry
        elif recursive:
            yield from _below(entry.path, recursive)


def _matches(folder: str, pattern: list[str], recursive: bool) -> Iterator[str]:
    """The files below a folder whose names match, as `glob` has it."""
    first, *rest = pattern
    is_any_depth = first == "**" and recursive
    if is_any_depth:
        yield from _matches(folder, rest or ["*"], recursive)
    for entry in storage.entries(folder):
        name = storage.base_name(entry.path)
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


def _nothing(path: str) -> FramingError:
    return FramingError("cannot be read: No such file or directory", code="LMP-F001", file=path)


def is_control(path: str) -> bool:
    """Whether a file is a control file rather than data."""
    try:
        if storage.is_remote(path):
            entry = storage.look_up(path)
            return entry is not None and not entry.is_folder and _claim(path, entry.stamp) is not None
        return _is_control(path) if (stamp := storage.stamp(path)) is None else _claim(path, stamp) is not None
    except DataError:
        return False


def _is_control(path: str) -> bool:
    try:
        return sniff(path).spec == _CONTROL
    except DataError:
        return False


@lru_cache(maxsize=4096)
def _claim(path: str, stamp: Hashable) -> str | None:
    """What `_data_set` gives of a file that has to be copied before it can be read; None for no control file.

    So it is copied only when it begins as control files do, and asked once until it changes.
    Raises FramingError LMP-F001, which is not remembered.
    """
    first, code = storage.head(path, 16), first_code()
    if not any(first.startswith(code, place) for place in _PLACES):
        return None
    _copy = storage.open_buffer(path)  # one for both that read it now
    return _data_set(path) if _is_control(path) else None


def _data_set(control: str) -> str:
    """Name of the data set that a control file is of, in capitals; empty when it names none."""
    try:
        return (read_control(control).first("DLDS").get("orig_data_dsname") or "").upper()
    except DataError:
        return ""


def find_control(path: str, control: str | None) -> str:
    """The control file of a data file.

    `control` is a path, a pattern with `{stem}`, or a folder; without it the folder of
    the data file. In a folder it is the control file whose DLDS names the data set, or the
    one of the same stem. Raises ControlError LMP-C007 when there is none, or are several.
    """
    place = path if storage.is_remote(path) else str(Path(local_path(path)))
    name = storage.unpacked_name(place)
    if control is not None:
        control = local_path(control).replace("{stem}", Path(name).stem)
        if not _is_folder(control):
            return control
    folder = control if control is not None else _folder_of(place)
    candidates = dict(_control_files(folder, place))
    named = [found for found, data_set in candidates.items() if data_set in (name.upper(), Path(name).stem.upper())]
    same = [found for found in candidates if Path(storage.unpacked_name(found)).stem == Path(name).stem]
    for found in (named, same):
        if len(found) == 1:
            return found[0]
    which = "several control files" if named or same else "no control file"
    raise ControlError(
        f"{which} in {folder} for it",
        code="LMP-C007",
        file=path,
        expected="one whose DLDS names the data set, or of the same stem",
        found=", ".join(storage.base_name(found) for found in named or same or candidates) or "none",
        hint="name it with control",
    )


def _is_folder(path: str) -> bool:
    if not storage.is_remote(path):
        return os.path.isdir(path)
    entry = storage.look_up(path)
    return entry is not None and entry.is_folder


def _folder_of(path: str) -> str:
    return storage.folder_of(path) if storage.is_remote(path) else str(Path(path).parent)


def _control_files(folder: str, data: str) -> Iterator[tuple[str, str]]:
    """The control files in the folder of a data file, and the data set that each names."""
    for path, stamp in _files_in(folder):
        if path == data:
            continue
        if stamp is None:
            if _is_control(path):
                yield path, _data_set(path)
            continue
        with suppress(FramingError):  # one that cannot be read may be another log's
            if (claim := _claim(path, stamp)) is not None:
                yield path, claim


def _files_in(folder: str) -> list[tuple[str, Hashable]]:
    """Every file in a folder, with what tells it from what it was before when it has to be copied."""
    if storage.is_remote(folder):
        return [(entry.path, entry.stamp) for entry in storage.entries(folder) if not entry.is_folder]
    files = [str(entry) for entry in sorted(Path(folder).iterdir()) if entry.is_file()]
    return [(path, storage.stamp(path)) for path in files]
