"""Marks: how an output of lmparse is recognised, because only such a file or folder is replaced.

Each function returns what is not of lmparse there, or None when everything is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

Foreign = Callable[[Path], str | None]
_MOST = 1 << 26
"""Bytes of a file that lists others, at most."""


def begins_with(mark: bytes, what: str) -> Foreign:
    """A file whose first bytes are a mark: further on it may be a quotation. An empty file has nothing to lose."""

    def foreign(path: Path) -> str | None:
        with open(path, "rb") as file:
            head = file.read(len(mark))
        return None if not head or head == mark else f"it is not {what}"

    return foreign


def lists_itself(name: str, listed: Callable[[Any], Iterable[str]]) -> Foreign:
    """A folder whose file `name` lists everything in it: `listed` takes the names from its JSON, or raises.

    An empty folder has nothing to lose.
    """

    def foreign(folder: Path) -> str | None:
        try:
            entries = [path for path in _all_in(folder) if not path.is_dir() or path.is_symlink()]
        except OSError as error:
            return _hidden(folder, error)
        if not entries and not any(folder.iterdir()):
            return None
        try:
            mark = folder / name
            if mark.stat().st_size > _MOST:
                return f"its {name} is not one of lmparse"
            known = {name, *listed(json.loads(mark.read_bytes()))}
        except FileNotFoundError:
            return f"it has no {name}"
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return f"its {name} is not one of lmparse"
        others = sorted(set(map(os.fspath, (path.relative_to(folder) for path in entries))) - known)
        return f"it also has {others[0]}" if others else None

    return foreign


def has_mark(name: str, text: bytes, what: str) -> Foreign:
    """A folder whose file `name` has this text, and without links, which may lead out of it.

    An empty folder has nothing to lose.
    """

    def foreign(folder: Path) -> str | None:
        mark = folder / name
        if any(folder.iterdir()) and not mark.is_file():
            return f"it is not {what}: it has no {name}"
        if mark.is_file() and (mark.stat().st_size != len(text) or mark.read_bytes() != text):
            return f"it is not {what}: its {name} is another"
        try:
            links = sorted(str(path.relative_to(folder)) for path in _all_in(folder) if path.is_symlink())
        except OSError as error:
            return _hidden(folder, error)
        return f"it has a link, {links[0]}" if links else None

    return foreign


def _all_in(folder: Path) -> Iterator[Path]:
    """Everything in a folder, at any depth. Raises OSError: what cannot be looked at may be anyone's."""

    def fail(error: OSError) -> None:
        raise error

    for above, folders, files in os.walk(folder, onerror=fail):
        yield from (Path(above, name) for name in (*folders, *files))


def _hidden(folder: Path, error: OSError) -> str:
    return f"{os.path.relpath(error.filename or folder, folder)} cannot be read"
