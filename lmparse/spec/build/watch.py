"""Watch: builds again whenever a spec changes, until it is interrupted.

The times of the files are compared some times a second, so that it does not matter how an editor writes them. The
compiler stays loaded, and only specs that changed, or import one that did, are compiled.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from lmparse.spec.build.products import Builder
from lmparse.spec.build.selection import paths_of

_PAUSE = 0.2
"""Seconds between two looks at the files."""
_SETTLE = 0.05
"""Seconds in which a file that is being written changes again."""
_State = dict[Path, tuple[int, int, int] | None]


def watch(builder: Builder, source: Path, build: Callable[[], None]) -> None:
    """Call `build`, which builds a source, at once and after each change. Returns when it is interrupted."""
    try:
        now = _state(builder, source)
        while True:
            before = now
            build()
            read = set(builder.selection.known_paths) if builder.selection else set()
            # What the build read for the first time is as it was read; a new file that it has not read is a change.
            built = {
                path: before.get(path, seen if path in read or seen is None else None)
                for path, seen in _state(builder, source).items()
            }
            while (now := _state(builder, source)) == built:
                time.sleep(_PAUSE)
            while (later := _settled(builder, source)) != now:
                now = later
    except KeyboardInterrupt:
        return


def _settled(builder: Builder, source: Path) -> _State:
    time.sleep(_SETTLE)
    return _state(builder, source)


def _state(builder: Builder, source: Path) -> _State:
    """Time, size and identity of the files that decide what a build gives; None where there is none."""
    return {path: _seen(path) for path in paths_of(source, builder.selection)}


def _seen(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
