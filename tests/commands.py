"""Commands run in this process, and what they did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple


class Run(NamedTuple):
    """What one command did."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Standard output as JSON lines; fails when a line is none."""
        return [json.loads(line) for line in self.out.splitlines()]

    def without(self, *paths: Path) -> tuple[int, str, str]:
        """What was printed, paths left out."""
        out, err = self.out, self.err
        for path in sorted(map(str, paths), key=len, reverse=True):
            out, err = out.replace(path, "FILE"), err.replace(path, "FILE")
        return self.code, out, err
