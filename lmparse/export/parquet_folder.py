"""A folder of Parquet files written by many processes: its place, and how files get into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lmparse.errors import OptionError
from lmparse.export.writers import foreign_binary
from lmparse.storage.outputs import Inputs, OutputPlace, check_place

_MODES = ("error", "append", "overwrite")
_SUCCESS = "_SUCCESS"
"""File by which Spark recognizes a complete folder."""


def checked(out: str | Path, inputs: Inputs, mode: str) -> OutputPlace:
    """The place of the folder; `mode` says what happens to an existing folder, as in Spark's writers.

    Raises OptionError for a wrong path or mode, and LMP-S021 if the folder may not be written.
    """
    if mode not in _MODES:
        raise OptionError(f"mode has no value {mode!r}", hint="one of " + ", ".join(_MODES))
    if not isinstance(out, str | Path):
        raise OptionError(f"out has no value {out!r}", hint="the path of a folder")
    foreign = _foreign if mode == "overwrite" else lambda folder: None
    place = check_place(out, inputs, is_folder=True, overwrite=mode != "error", foreign=foreign, makes_parents=True)
    return replace(place, overwrite=mode == "overwrite")  # a folder that appears meanwhile is not replaced


def _foreign(folder: Path) -> str | None:
    """Says what in a folder is not from lmparse."""
    for path in sorted(folder.iterdir()):
        if path.name != _SUCCESS and (not path.is_file() or foreign_binary(path) is not None):
            return f"it has {path.name}"
    return None


def move(names: Sequence[str], source: Path, target: Path) -> None:
    """Move files to a folder, which is made if missing: all files, or after an error none."""
    target.mkdir(exist_ok=True)
    moved = []
    try:
        for name in names:
            moved.append((source / name).rename(target / name))
        (target / _SUCCESS).touch()
    except BaseException:
        for path in moved:
            path.unlink()
        raise
