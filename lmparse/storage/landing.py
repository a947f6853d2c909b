"""Landing: which files of a folder have arrived whole, while others are still being written."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from lmparse.storage import addresses, file_systems
from lmparse.storage.addresses import local_path

DEFAULT_SECONDS = 10
"""Seconds for which nothing was written to a file that is taken for whole."""
_NAMED = 3
"""Most files that a line names."""


class Waits:
    """Files that are there and are not read yet, by what keeps them from it."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, str]] = {}

    def add(self, reason: str, name: str, detail: str = "") -> None:
        """Add a file; `detail` is what the reason does not say of it alone."""
        self.found.setdefault(reason, {})[name] = detail


class WaitingFiles:
    """Says which files are waited for: each once, for as long as it is waited for."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said: frozenset[tuple[str, str]] = frozenset()

    def are(self, waits: Waits) -> None:
        """Say those that are waited for now and have not been said."""
        for reason, files in waits.found.items():
            new = [name for name in files if (reason, name) not in self._said]
            shown = [f"{name} ({files[name]})" if files[name] else name for name in new[:_NAMED]]
            if new:
                more = f" and {len(new) - _NAMED} more" if len(new) > _NAMED else ""
                self._say(f"not read yet, since {reason}: {', '.join(shown)}{more}")
        self._said = frozenset((reason, name) for reason, files in waits.found.items() for name in files)


@dataclass(frozen=True)
class Arrival:
    """The rule by which a file is taken for whole."""

    marker: str = ""
    """Ending of the name of an empty file beside each one that is whole, as `.done`; empty for no markers."""
    seconds: int = DEFAULT_SECONDS
    """Without markers, the seconds since the last write; with 0 each file is whole."""

    def arrived(self, names: list[str], waits: Waits) -> list[str]:
        """The files among several that are whole, without markers.

        Those that more than the usual time keeps from it are added to `waits`.
        """
        now = time.time()
        if not self.marker:
            return [name for name in names if not self.seconds or self._is_settled(name, now, waits)]
        known, found = frozenset(names), []
        for name in names:
            if addresses.base_name(name).endswith(self.marker):
                continue
            if self._has_marker(name, known):
                found.append(name)
            elif _age(name, now) >= DEFAULT_SECONDS:
                waits.add(f"there is no {self.marker} beside it", name)
        return found

    def _has_marker(self, name: str, known: frozenset[str]) -> bool:
        """Whether the marker of a file is there: among `known` names, or beside the file where a pattern or a filter
        of names leaves markers out.
        """
        if not addresses.is_remote(name):
            return f"{name}{self.marker}" in known or os.path.exists(f"{local_path(name)}{self.marker}")
        marker = addresses.child(addresses.folder_of(name), f"{addresses.base_name(name)}{self.marker}")
        return marker in known or file_systems.look_up(marker) is not None

    def _is_settled(self, name: str, now: float, waits: Waits) -> bool:
        age = _age(name, now)
        if age < -self.seconds:
            waits.add("by the clock of this machine it was last written in the future", name)
        return age >= self.seconds


def _age(name: str, now: float) -> float:
    """Seconds since the last write to a file.

    A time in the future is none of a write here: who sent the file has set it, by another clock. The time of the last
    change of the file is then asked for, which nobody can set.
    """
    if addresses.is_remote(name):
        return float("inf")  # object stores show a file when it is whole
    try:
        status = os.stat(local_path(name))
    except OSError:
        return 0  # it has been moved away
    return now - (status.st_mtime if status.st_mtime <= now else status.st_ctime)
