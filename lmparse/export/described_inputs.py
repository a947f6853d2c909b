"""Described inputs: what a manifest says of the files that were read, with the hash of each.

To hash a file takes about as long as to index it, and can be done while other processes read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any, Self

from lmparse.limits import Limits
from lmparse.storage import addresses, buffers
from lmparse.storage.joined import is_joined, names_in

_HASHED = 1 << 20
"""Bytes that are hashed at a time."""


class DescribedInputs:
    """The descriptions of some files, by the name of the option that names each."""

    def __init__(self, paths: Mapping[str, str], limits: Limits) -> None:
        self._paths, self._limits = paths, limits
        self._begun: Future[dict[str, dict[str, Any]]] | None = None
        self._is_over = Event()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._stack.close()

    def begin(self) -> None:
        """Make them in a thread from now on."""
        self._begun = self._stack.enter_context(ThreadPoolExecutor(1)).submit(self._made)

    def found(self) -> dict[str, dict[str, Any]]:
        """The descriptions. Raises OSError, or LmparseError for a remote file that cannot be read."""
        return self._made() if self._begun is None else self._begun.result()

    def _made(self) -> dict[str, dict[str, Any]]:
        return {name: self._described(path) for name, path in self._paths.items()}

    def _described(self, path: str) -> dict[str, Any]:
        """Base name, size and hash of a file: of its stored bytes when local, of its unpacked bytes when remote.

        For joined files size and names of all, and each by itself under `files`.
        """
        if is_joined(path):
            files = [self._described(name) for name in names_in(path)]
            return {"name": None, "size": sum(file["size"] for file in files), "sha256": None, "files": files}
        name = {"name": addresses.base_name(path)}
        if addresses.is_remote(path):
            buffer = buffers.open_buffer(path, self._limits)
            pieces = (buffer[start : start + _HASHED] for start in range(0, len(buffer), _HASHED))
            return name | {"size": len(buffer), "sha256": self._hash(pieces)}
        place = Path(addresses.local_path(path))
        return name | {"size": place.stat().st_size, "sha256": self._hash(_pieces(place))}

    def _hash(self, pieces: Iterator[bytes]) -> str:
        digest = hashlib.sha256()
        for piece in pieces:
            if self._is_over.is_set():
                break  # nobody waits for it
            digest.update(piece)
        return digest.hexdigest()


def _pieces(place: Path) -> Iterator[bytes]:
    with open(place, "rb") as file:
        while piece := file.read(_HASHED):
            yield piece


def sha256_of(path: Path) -> str:
    """The hash of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
