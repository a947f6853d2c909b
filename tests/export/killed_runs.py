"""Runs of `land` that end at one of their commits, as if the process were killed there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lmparse
from lmparse.export import land, land_target
from lmparse.export.land_delta import DeltaFolder
from lmparse.export.land_parquet import ParquetChanges


class KilledError(BaseException):
    """The end of a process that is killed, which nothing catches."""


def killed_at(place: int, patch: pytest.MonkeyPatch, points: list[str], *, is_done: bool) -> None:
    """Let the run end at one of its commits: in front of it, or behind it."""

    def ended(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def commit(*given: Any, **named: Any) -> Any:
            points.append(name)
            if len(points) != place + 1:
                return real(*given, **named)
            if is_done:
                real(*given, **named)
            raise KilledError(name)

        return commit

    for name in ("write", "merge"):
        patch.setattr(DeltaFolder, name, ended(name, getattr(DeltaFolder, name)))
    for module in (land, land_target):
        patch.setattr(module, "write_text", ended("write_text", module.write_text))
    patch.setattr(ParquetChanges, "_place", ended("_place", ParquetChanges._place))


def killed_everywhere(path: list[Path], to: Path, most: int, **how: Any) -> list[str]:
    """Land, and end the run at its first commit, then at the second one of the next run, and so on."""
    points: list[str] = []
    for place in range(most):
        points = []
        with pytest.MonkeyPatch.context() as patch:
            killed_at(place, patch, points, is_done=bool(place % 2))
            try:
                lmparse.land(path, to, **how)
            except KilledError:
                continue
            return points
    raise AssertionError(f"more than {most} commits")
