"""Findings: inputs under which a target raised, each kind of failure once, with the command that repeats it.

Inputs name cases by number: a command holds until cases are added or removed.
"""

from __future__ import annotations

import hashlib
import re
import traceback
from dataclasses import dataclass
from pathlib import Path

from fuzz import TARGETS

MOST_KEPT = 100
"""Kinds of failure that are kept for one target."""
_VARYING = re.compile(r"[0-9a-fA-F]*[0-9][0-9a-fA-F]*|'[^']*'")


@dataclass(frozen=True)
class Findings:
    """The findings of one target."""

    folder: Path
    target: str

    def __post_init__(self) -> None:
        assert self.target in TARGETS, f"no target {self.target}; there are {', '.join(TARGETS)}"

    @property
    def all(self) -> list[Path]:
        """The inputs that are kept, each with a `.txt` beside it."""
        return sorted((self.folder / self.target).glob("*.bin"))

    def keep(self, data: bytes, error: BaseException) -> None:
        """Keep an input with the traceback of what it raised, unless one of its kind is there and not longer."""
        frames = traceback.extract_tb(error.__traceback__)
        inside = [frame for frame in frames if "lmparse/" in frame.filename] or frames
        places = [f"{Path(frame.filename).name}:{frame.name}" for frame in inside[-2:]]
        kind = f"{type(error).__name__} {' '.join(places)} {_VARYING.sub('', str(error))[:80]}"
        self._write(kind, data, "".join(traceback.format_exception(error)))

    def keep_end(self, data: bytes, reason: str) -> None:
        """Keep an input during which the process ended, or had to be ended."""
        self._write(reason, data, reason)

    def _write(self, kind: str, data: bytes, text: str) -> None:
        folder = self.folder / self.target
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{hashlib.sha256(kind.encode(errors='replace')).hexdigest()[:12]}.bin"
        kept = self.all
        if (path in kept and path.stat().st_size <= len(data)) or (path not in kept and len(kept) >= MOST_KEPT):
            return
        path.write_bytes(data)
        command = f"PYTHONPATH=.:tests python -m fuzz.run --target {self.target} --input {data.hex()}"
        path.with_suffix(".txt").write_text(f"{command}\n\n{text}\n", encoding="utf-8", errors="backslashreplace")
