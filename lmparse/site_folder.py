"""Site folder: a site goes to its place whole or not at all, and never over what is no site."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from lmparse.errors import OptionError


def check_folder(out: str, mark: str, read: Iterable[str], *, overwrite: bool) -> None:
    """Raise OptionError where a site must not go. `mark` is the file that a site is known by.

    An empty folder is taken as it is; a site is replaced with `overwrite`; any other folder that holds
    something was named by mistake, and so was one with something in it that is read.
    """
    place = Path(os.path.realpath(out))
    if not place.parent.is_dir():
        raise OptionError(f"{out}: there is no folder {place.parent}", hint="make it first")
    if any(place in (path, *path.parents) for path in map(Path, map(os.path.realpath, read))):
        raise OptionError(f"{out} holds what is read, and would be replaced", hint="name another folder")
    if not place.exists():
        return
    if not place.is_dir():
        raise OptionError(f"{out} is there and is no folder", hint="name another place")
    if not any(place.iterdir()):
        return
    if not (place / mark).is_file():
        raise OptionError(f"{out} has no {mark}: it was not written by lmparse", hint="name another folder")
    if not overwrite:
        raise OptionError(f"{out} is there already", hint="give --overwrite to replace it")


def write_folder(out: str, files: Mapping[str, str]) -> None:
    """Make a folder of some texts by name; what stood there stays until all of the new one is written.

    Raises OSError.
    """
    place = Path(os.path.realpath(out))
    work = Path(tempfile.mkdtemp(prefix=f".{place.name[:100]}.", suffix=".partial", dir=place.parent))
    try:
        made, before = work / "made", work / "before"
        made.mkdir()
        for name, text in files.items():
            (made / name).write_text(text, encoding="utf-8", newline="\n")
        if not place.exists():
            os.rename(made, place)
            return
        # A folder cannot be replaced in one step: the old one is put aside, and back when that fails.
        os.rename(place, before)
        try:
            os.rename(made, place)
        except OSError:
            os.rename(before, place)
            raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
