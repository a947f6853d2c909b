"""Joining: the path under which several files of one log are read as one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lmparse.errors import OptionError
from lmparse.logs.families import family_of
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.storage.listing import list_files
from lmparse.storage.processes import Run


def one_log(paths: Sequence[str | Path], options: Options) -> str:
    """The path under which files, folders and patterns are read as one log: that of joined files if they are several.

    Raises FramingError LMP-F001 for a path that names no file, LMP-F013 if the files are not of one log, and
    OptionError for a log that is read from one file.
    """
    if len(paths) == 1:
        return str(paths[0])
    return joined(list_files(list(map(str, paths))), options)


def joined(paths: Sequence[str], options: Options, run: Run | None = None) -> str:
    """The same for paths of files; `run` reads files in other processes."""
    if len(paths) == 1:
        return paths[0]
    family = family_of(catalog.load(options.spec))
    if not paths or family is None or family.join is None:
        raise OptionError(f"{len(paths)} files: {options.spec} is read from one file at a time")
    found = family.join(paths, options, run)
    return found.pieces[0].path if len(found.pieces) == 1 else found.address
