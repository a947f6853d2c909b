"""Shelves: where specs are looked for by their place, and which of them a spec reaches by its imports."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lmparse.spec.build.specs import FORMATS, Problem, SpecError, SpecFile, parsed

SUFFIX = ".ksy"


class Shelf(Protocol):
    """A tree of specs."""

    def places(self) -> list[str]:
        """All places where a spec is, at any depth; hidden folders are left out."""

    def text(self, place: str) -> tuple[Path, bytes] | None:
        """Path for messages and bytes of one spec; None when there is none."""


@dataclass(frozen=True)
class Disk:
    """A folder of specs."""

    root: Path

    def places(self) -> list[str]:
        """See `Shelf`."""
        names = glob.glob(f"**/*{SUFFIX}", root_dir=self.root, recursive=True)  # none that is hidden
        return sorted(name.removesuffix(SUFFIX) for name in names)

    def text(self, place: str) -> tuple[Path, bytes] | None:
        """See `Shelf`."""
        path = self.root / f"{place}{SUFFIX}"
        return (path, path.read_bytes()) if path.is_file() else None

    def place(self, path: Path) -> str:
        """The place of one of its files."""
        return path.relative_to(self.root).with_suffix("").as_posix()


def on_disk(source: Path) -> tuple[Disk, list[str]]:
    """The shelf of a `.ksy` file or of a folder with such files at any depth, and the places that are meant.

    The folder of a single file is taken for its family: `/family/id` and `../family/id` are what is beside it.
    Raises SpecError when there is none.
    """
    if source.is_file() and source.suffix == SUFFIX:
        path = source.absolute()
        shelf = Disk(path.parent.parent)
        return shelf, [shelf.place(path)]
    shelf = Disk(source)
    places = shelf.places()
    if not places:
        text = f"there is no {SUFFIX} in this folder" if source.is_dir() else f"this is neither a {SUFFIX} nor a folder"
        raise SpecError([Problem(str(source), 1, 1, text)])
    return shelf, places


def spec_at(shelf: Shelf, place: str) -> SpecFile | None:
    """The spec at a place, None when there is none. Raises SpecError."""
    found = None if ".." in place.split("/") else shelf.text(place)
    return None if found is None else parsed(place, *found)


def read_all(shelf: Shelf, places: Iterable[str]) -> tuple[list[SpecFile], list[Problem]]:
    """The specs at some places that can be read, and what is wrong with the others."""
    specs: list[SpecFile] = []
    problems: list[Problem] = []
    for place in places:
        try:
            spec = spec_at(shelf, place)
        except SpecError as error:
            problems += error.problems
        else:
            specs += [] if spec is None else [spec]
    return specs, problems


def with_imports(own: Iterable[SpecFile], shelf: Shelf) -> tuple[dict[str, SpecFile], list[Problem]]:
    """Specs with all that they import, by place, and what is wrong with imported ones that cannot be read.

    They are looked for on the same shelf, then among the project's own.
    """
    known = {spec.place: spec for spec in own}
    problems: list[Problem] = []
    left = [*known.values()]
    while left:
        for place in left.pop().imports:
            for home in (shelf, Disk(FORMATS)):
                if place not in known:
                    found, wrong = read_all(home, [place])
                    known |= {spec.place: spec for spec in found}
                    left += found
                    problems += wrong
    return known, problems
