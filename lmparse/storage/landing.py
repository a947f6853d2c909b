"""Landing: which files of a folder have arrived whole, while others are still being written."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from lmparse.storage import addresses
from lmparse.storage.addresses import local_path

DEFAULT_SECONDS = 10
"""Seconds for which nothing was written to a file that is taken for whole."""


@dataclass(frozen=True)
class Arrival:
    """The rule by which a file is taken for whole."""

    marker: str = ""
    """Ending of the name of an empty file beside each one that is whole, as `.done`; empty for no markers."""
    seconds: int = DEFAULT_SECONDS
    """Without markers, the seconds since the last write."""

    def arrived(self, names: list[str]) -> list[str]:
        """The files of a folder that are whole, without markers."""
        if self.marker:
            known = frozenset(names)
            return [name for name in names if not name.endswith(self.marker) and f"{name}{self.marker}" in known]
        now = time.time()
        return [name for name in names if self._is_settled(name, now)]

    def _is_settled(self, name: str, now: float) -> bool:
        if addresses.is_remote(name):
            return True  # object stores show a file when it is whole
        try:
            return now - os.stat(local_path(name)).st_mtime >= self.seconds
        except OSError:
            return False  # it has been moved away
