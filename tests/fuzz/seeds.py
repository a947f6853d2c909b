"""Seeds: the cases, good and bad, as the parts that edits change."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from cases.files import FOUND, FOUND_BAD, load

from lmparse.errors import LmparseError
from lmparse.framing.extents import RecordExtent
from lmparse.logs.families import read_options
from lmparse.logs.open import open_file
from lmparse.records.files import RecordFile, ignored


@cache
def folder() -> Path:
    """A folder of this process for the files of the current input."""
    made = tempfile.TemporaryDirectory(prefix="lmparse-fuzz-")
    _KEPT.append(made)
    return Path(made.name)


_KEPT: list[Any] = []


def put(name: str, data: bytes) -> Path:
    """A file of the current input."""
    path = folder() / name
    path.write_bytes(data)
    return path


@dataclass(frozen=True)
class Seed:
    """One case."""

    path: Path

    @property
    def spec(self) -> str:
        return self.path.parent.name

    @property
    def command(self) -> str:
        return str(load(self.path)["command"])

    @cached_property
    def options(self) -> Mapping[str, Any]:
        """The options of its command that are not files, and the spec of its records."""
        stated = {
            name: value for name, value in load(self.path)["options"].items() if name not in ("control", "tables")
        }
        return ({"spec": self.spec} if self.command == "records" else {}) | stated

    @cached_property
    def data(self) -> bytes:
        return self.path.with_suffix(".bin").read_bytes()

    def beside(self, suffix: str) -> bytes | None:
        """The control or tables file beside it."""
        path = self.path.with_suffix(suffix)
        return path.read_bytes() if path.exists() else None

    @cached_property
    def file(self) -> RecordFile | None:
        """Its data as a file of records; None where its framing cannot be found."""
        beside = {"control": self.path.with_suffix(".ctl"), "tables": self.path.with_suffix(".tables")}
        files = {name: str(path) for name, path in beside.items() if path.exists()}
        with suppress(LmparseError):
            return open_file(self.path.with_suffix(".bin"), read_options({**files, **self.options}), on_error=ignored)
        return None

    @cached_property
    def extents(self) -> tuple[RecordExtent, ...]:
        """Its records, as far as its framing is sound."""
        found: list[RecordExtent] = []
        with suppress(LmparseError):
            found.extend(self.file.extents() if self.file is not None else ())
        return tuple(found)

    @cached_property
    def records(self) -> tuple[bytes, ...]:
        """The bytes of its records; all of its data where there are none."""
        return tuple(extent.read(self.data) for extent in self.extents) or (self.data,)

    @cached_property
    def stretches(self) -> tuple[bytes, ...]:
        """Its data cut behind each record: descriptor words are with the record behind them."""
        ends = [0, *(sum(extent.pieces[-1]) for extent in self.extents), len(self.data)]
        return tuple(self.data[start:end] for start, end in pairwise(ends) if end > start) or (b"",)


def seeds(fits: Callable[[Seed], bool]) -> list[Seed]:
    """The cases that fit, good ones first."""
    return [seed for path in (*FOUND, *FOUND_BAD) if fits(seed := Seed(path))]
