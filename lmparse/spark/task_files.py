"""Task files: files that a task writes beside its rows, whole or not at all, and the same when it is tried again.

The name of a file is that of the part that was read, in a folder of the run. So the file of a task that is tried again
takes the place of the first one.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from lmparse.errors import OptionError
from lmparse.logs.partitions import Request
from lmparse.storage.addresses import is_remote, local_path
from lmparse.storage.atomic_output import check_place, naming_output, put_on_disk
from lmparse.storage.inputs import inputs_of
from lmparse.storage.owned_folder import OwnedFolder, remove_left_behind
from lmparse.values.json_form import to_json

_PENDING = "_lmparse_"
"""Start of the names of folders with unfinished files; Spark ignores names that begin with an underscore."""


def new_run() -> str:
    """A name for a run: its time in UTC, and digits that no other run has."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(4)}"


def folder_of(option: str, path: str, request: Request) -> str:
    """The folder that an option names, as a local path.

    Raises OptionError LMP-S021 if it is remote, holds an input, or is one of the folders in which logs are looked for.
    """
    found = check_place(
        path, inputs_of(request.paths), is_folder=True, overwrite=True, foreign=lambda _: None, makes_parents=True
    ).path  # fmt: skip
    for read in request.paths if request.recursive else ():
        if not is_remote(read) and found.is_relative_to(os.path.realpath(local_path(read))):
            raise OptionError(
                f"{option}: {path} is below {read}, where logs are looked for in all folders",
                code="LMP-S021",
                hint="name a folder outside of it",
            )
    return str(found)


def check_apart(whole: str | Path, purpose: str, **folders: str | None) -> None:
    """Raise OptionError LMP-S021 if a folder, by the option that names it, is one that has a purpose, or in it."""
    for option, path in folders.items():
        if path is not None and Path(path).is_relative_to(os.path.realpath(whole)):
            raise OptionError(
                f"{option}: {path} is in {whole}, which is for {purpose}", code="LMP-S021",
                hint="name a folder outside of it",
            )  # fmt: skip


class TaskFile:
    """A file of JSON lines in a folder; nothing is there before `finish`, and no folder if there is no line."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._owned: OwnedFolder | None = None
        self._files: dict[str, TextIO] = {}

    def write(self, name: str, row: Mapping[str, Any]) -> None:
        """Add a line to the file of a name, which may have folders in front."""
        with naming_output(str(self._folder)):
            if self._owned is None:
                self._folder.mkdir(parents=True, exist_ok=True)
                remove_left_behind(self._folder, _PENDING)
                self._owned = OwnedFolder(self._folder, "", _PENDING)
            if name not in self._files:
                path = self._owned.path / str(len(self._files))
                self._files[name] = path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
            self._files[name].write(json.dumps(to_json(dict(row))) + "\n")

    def finish(self) -> None:
        """Move the files to their places. Raises OptionError LMP-S022."""
        with naming_output(str(self._folder)):
            for file in self._files.values():
                file.close()
                put_on_disk(Path(file.name))
            for name, file in self._files.items():
                place = self._folder / name
                place.parent.mkdir(parents=True, exist_ok=True)
                os.replace(file.name, place)
        self.remove()

    def remove(self) -> None:
        """Remove what is not finished."""
        for file in self._files.values():
            file.close()
        if self._owned is not None:
            self._owned.remove()
