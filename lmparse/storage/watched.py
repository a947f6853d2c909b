"""Watched: waits for changes of files, however these are written.

The files are looked at some times a second, so that it does not matter whether a program writes into a file or puts
another one in its place, and on which system.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

_PAUSE = 0.2
"""Seconds between two looks at the files."""
_SETTLE = 0.05
"""Seconds in which a file that is being written changes again."""
State = dict[Path, tuple[int, int, int] | None]
"""Time, size and identity of files; None where there is none."""


def state_of(paths: Iterable[Path]) -> State:
    """The state of some files now."""
    return {path: _seen(path) for path in paths}


def _seen(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def changed(before: State, paths: Callable[[], Iterable[Path]]) -> State:
    """The state of some files once it is another one than before, and no longer changes."""
    while (now := state_of(paths())) == before:
        time.sleep(_PAUSE)
    time.sleep(_SETTLE)
    while (later := state_of(paths())) != now:
        now = later
        time.sleep(_SETTLE)
    return now
