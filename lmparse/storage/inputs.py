"""Inputs: the identities of the files that a command reads, so that no output replaces one of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lmparse.storage import addresses
from lmparse.storage.joined import names_in
from lmparse.storage.listing import matches


@dataclass(frozen=True)
class Inputs:
    """The local files that a command reads."""

    places: frozenset[Path]
    """Their paths: with all links resolved, and as they are named in their folder, since a link may be an input."""
    identities: frozenset[tuple[int, int]]
    """Device and inode of each: the same for every hard link."""

    def has(self, place: Path) -> bool:
        """Whether a file is one of them."""
        if place in self.places:
            return True
        try:
            status = os.stat(place)
        except OSError:
            return False
        return (status.st_dev, status.st_ino) in self.identities

    def below(self, folder: Path) -> bool:
        """Whether a folder, with its links resolved, is or holds one of them."""
        return any(place.is_relative_to(folder) for place in self.places)


def inputs_of(names: Iterable[str | Path | None], *, at_any_depth: bool = True) -> Inputs:
    """The files that paths, `file:` URLs, folders and patterns name; of a folder all files at any depth.

    Without `at_any_depth` they are those that `list_files` gives without `recursive`: other folders in a folder may be
    outputs. Remote files are left out, since outputs are local.
    """
    places: set[Path] = set()
    identities: set[tuple[int, int]] = set()
    for name in (one for whole in names for one in names_in(str(whole or ""))):
        for path in _paths(name, at_any_depth):
            places |= {_resolved(path), _resolved(path.parent) / path.name}
            try:
                status = os.stat(path)
            except OSError:
                continue
            identities.add((status.st_dev, status.st_ino))
    return Inputs(frozenset(places), frozenset(identities))


def _resolved(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except OSError:  # a link that this user may not read; whoever reads the file says so
        return Path(os.path.abspath(path))


def _paths(name: str, at_any_depth: bool) -> Iterator[Path]:
    name = addresses.outermost(name)  # a copy or a part of a local file is read from that file
    if not name or "\0" in name or addresses.is_remote(name):
        return
    path = addresses.local_path(name)
    for match in ([] if os.path.lexists(path) else matches(path)) or [path]:
        yield Path(match)
        for folder, below, files in os.walk(match):
            yield from (Path(folder, file) for file in files)
            if not at_any_depth:
                below[:] = [name for name in below if "=" in name]
