"""File selection: which files a request reads, and the columns of their folders.

FileSelection(("/logs",), name_filter="*.dat").names()
"""

from __future__ import annotations

from dataclasses import dataclass

from lmparse.storage.listing import FileList, list_folders, names_one


@dataclass(frozen=True)
class FileSelection:
    """Paths, and conditions on the files that they name."""

    paths: tuple[str, ...]
    name_filter: str | None = None
    """Pattern of the names of files."""
    recursive: bool = False

    def files(self) -> FileList:
        """The files, sorted within each path. Raises FramingError as `list_folders`."""
        return list_folders(self.paths, name_filter=self.name_filter, recursive=self.recursive)

    def names(self) -> list[str]:
        """The files alone."""
        return self.files().files

    def is_one(self, names: list[str]) -> bool:
        """Whether the files are one that the caller named itself, and not what a folder, a pattern or a list gave."""
        return len(self.paths) == 1 and names_one(self.paths[0], names)
