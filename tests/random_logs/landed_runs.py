"""Runs of `land` over the files of a log: some are killed and repeated, and files are given again."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

import lmparse
from lmparse.export.land_delta import DeltaFolder
from random_logs.landed_history import History


class KilledError(BaseException):
    """The end of a process that is killed, which nothing catches."""


class Log(Protocol):
    """A log that is landed."""

    history: History
    options: dict[str, Any]

    def files(self, chance: random.Random, folder: Path) -> list[Path]:
        """The log in files, in its order."""


@dataclass
class Landing:
    """A target, and what is landed in it."""

    to: Path
    options: Mapping[str, Any]
    counts: Counter[str] = field(default_factory=Counter)
    last: lmparse.Landed | None = None
    refused: dict[str | None, str] = field(default_factory=dict)
    """Why the current tables are refused that the last runs did not change, by the name of the table."""
    rows: int = 0
    """Changes that were landed by runs that have ended."""

    def run(self, files: Sequence[Path]) -> lmparse.Landed:
        """One run, of which no record may be bad."""
        landed = lmparse.land(files, self.to, **self.options)
        assert not landed.tally.error_count, landed.tally.errors
        self.last, self.rows = landed, self.rows + landed.rows
        self.refused |= {one.table: one.refusal for one in landed.tables if one.is_refused}
        for one in landed.tables:
            if not one.is_refused:
                self.refused.pop(one.table, None)
        self.counts["runs"] += 1
        return landed

    def is_killed(self, files: Sequence[Path], place: int) -> bool:
        """Whether a run was killed at an operation on files before it could end."""
        try:
            with killed_at(place):
                self.run(files)
        except KilledError:
            self.counts["killed runs"] += 1
            return True
        return False


def land_all(chance: random.Random, files: Sequence[Path], landing: Landing, has_kills: bool) -> None:
    """Land the files, one after the other or some together; at last all of them once more, which lands nothing."""
    done = 0
    while done < len(files):
        count = chance.choice((1, 1, 1, 2))
        for _ in range(chance.choice((0, 1, 1, 2)) if has_kills else 0):
            if landing.is_killed(_given(chance, files, done, count), chance.randrange(40)):
                count += chance.random() < 0.3
        landing.run(_given(chance, files, done, count))
        done += count
        if chance.random() < 0.3:
            again = landing.run(chance.sample(files[:done], min(chance.randint(1, 3), len(files[:done]))))
            assert not again.rows, f"{again.rows} changes of files that were landed before"
    again = landing.run(chance.sample(files, len(files)))
    assert not again.rows, f"{again.rows} changes of all files once more"


def _given(chance: random.Random, files: Sequence[Path], done: int, count: int) -> list[Path]:
    """Files to be landed, in any order, and perhaps with some that have been."""
    before = [file for file in files[:done] if chance.random() < 0.15]
    found = [*before, *files[done : done + count]]
    return chance.sample(found, len(found))


@contextmanager
def killed_at(place: int) -> Iterator[None]:
    """Let a run end at one of its operations on files, or in front of or behind a commit to a Delta table.

    From then on no operation is done, as none is when a process is killed.
    """
    left = place

    def reached() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise KilledError

    def counted(real: Callable[..., Any], *, is_behind: bool) -> Callable[..., Any]:
        def operation(*given: Any, **named: Any) -> Any:
            reached()
            found = real(*given, **named)
            if is_behind:
                reached()
            return found

        return operation

    with pytest.MonkeyPatch.context() as patch:
        for name in ("rename", "replace", "link", "unlink", "fsync"):
            patch.setattr(os, name, counted(getattr(os, name), is_behind=False))
        for name in ("write", "merge", "widen"):
            patch.setattr(DeltaFolder, name, counted(getattr(DeltaFolder, name), is_behind=True))
        yield
