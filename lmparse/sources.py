"""Sources: which files a path means, and which control file belongs to each."""

from __future__ import annotations

import fnmatch
import glob
import os
from pathlib import Path
from urllib.parse import unquote, urlparse

from lmparse.control import read_control
from lmparse.errors import ControlError, DataError, FramingError
from lmparse.sniffing import sniff

_CONTROL = "bmc_control"


def list_files(paths: list[str], *, name_filter: str | None = None, recursive: bool = False) -> list[str]:
    """The files behind paths, folders and patterns, sorted within each.

    Names that start with `_` or `.` are passed over in folders and patterns, as Spark does.
    Raises FramingError LMP-F001 for a path that leads to nothing.
    """
    found: list[str] = []
    for path in map(local_path, paths):
        if os.path.isdir(path):
            pattern = "**/*" if recursive else "*"
            inside = [str(entry) for entry in sorted(Path(path).glob(pattern)) if entry.is_file()]
            found.extend(name for name in inside if _is_data(name, path))
        elif os.path.exists(path):
            found.append(path)
        else:
            matches = [name for name in sorted(glob.glob(path, recursive=recursive)) if os.path.isfile(name)]
            if not matches:
                raise FramingError("cannot be read: No such file or directory", code="LMP-F001", file=path)
            found.extend(name for name in matches if _is_data(name, os.path.dirname(name)))
    if name_filter:
        found = [name for name in found if fnmatch.fnmatch(os.path.basename(name), name_filter)]
    return found


def local_path(path: str) -> str:
    """A path as the operating system wants it; `file:` addresses are taken apart."""
    if path.startswith("file:"):
        return unquote(urlparse(path).path)
    return path


def _is_data(name: str, folder: str) -> bool:
    parts = Path(os.path.relpath(name, folder or ".")).parts
    return not any(part.startswith(("_", ".")) for part in parts)


def is_control(path: str) -> bool:
    """Whether a file is a control file rather than data."""
    try:
        return sniff(path).spec == _CONTROL
    except DataError:
        return False


def find_control(path: str, control: str | None) -> str:
    """The control file of a data file.

    `control` is a path, a pattern with `{stem}`, or a folder; without it the folder of
    the data file. In a folder it is the control file whose DLDS names the data set, or the
    one of the same stem. Raises ControlError LMP-C007 when there is none, or are several.
    """
    place = Path(path)
    if control is not None:
        control = local_path(control).replace("{stem}", place.stem)
        if not os.path.isdir(control):
            return control
    folder = Path(control) if control is not None else place.parent
    candidates = [
        str(entry)
        for entry in sorted(folder.iterdir())
        if entry.is_file() and entry != place and is_control(str(entry))
    ]
    named = [name for name in candidates if _names(name, place.name)]
    same = [name for name in candidates if Path(name).stem == place.stem]
    for found in (named, same):
        if len(found) == 1:
            return found[0]
    which = "several control files" if named or same else "no control file"
    raise ControlError(
        f"{which} in {folder} for it",
        code="LMP-C007",
        file=path,
        expected="one whose DLDS names the data set, or of the same stem",
        found=", ".join(os.path.basename(name) for name in named or same or candidates) or "none",
        hint="name it with control",
    )


def _names(control: str, name: str) -> bool:
    try:
        stated: str = read_control(control).first("DLDS").get("orig_data_dsname") or ""
    except DataError:
        return False
    return stated.upper() in (name.upper(), Path(name).stem.upper())
