"""Files ahead: the files of table versions, written while later parts of the log are still read.

Parts come in the order of the log. While the rows of a version do too, they are appended to its file at once; a version
whose rows do not is left to be sorted and written at the end. The spilled rows are kept until then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from lmparse.export.spill_files import Group, GroupKey, last_behind, stored
from lmparse.export.writers import BatchOutput
from lmparse.records.origin import RecordOrigin

_MOST = 16
"""Most files that are open; each holds the rows of a row group."""


@dataclass
class FileAhead:
    """The file of one table version, as far as it is written."""

    path: Path
    output: BatchOutput
    close: ExitStack
    operations: Counter[str] = field(default_factory=Counter)
    """Number of rows by operation."""
    last: int = -1
    """Number of the record of the last row."""


class FilesAhead:
    """Writes the groups of one part after another. The files are whole behind its `with` statement."""

    def __init__(
        self,
        folder: Path,
        open_: Callable[[Path, Group], AbstractContextManager[BatchOutput]],
        operations: Callable[[pa.RecordBatch], Counter[str]],
        origin: RecordOrigin,
    ) -> None:
        """`open_` opens the file of a group's version, `operations` counts the rows of a batch of the log's origin."""
        self._folder, self._open, self._operations, self._origin = folder, open_, operations, origin
        self.files: dict[GroupKey, FileAhead] = {}
        """The files of versions whose rows came in the order of the log."""
        self._left: set[GroupKey] = set()

    def add(self, groups: Sequence[Group]) -> None:
        """Append the rows of the next part."""
        for group in groups:
            if group.key in self._left:
                continue
            if group.key not in self.files and len(self.files) == _MOST:
                self._left.add(group.key)
                continue
            file = self.files.get(group.key) or self._opened(group)
            if not self._append(file, group):
                self._leave(group.key)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        for file in self.files.values():
            file.close.__exit__(*error)

    def _opened(self, group: Group) -> FileAhead:
        path = self._folder / f"ahead-{len(self.files) + len(self._left)}"
        close = ExitStack()
        file = self.files[group.key] = FileAhead(path, close.enter_context(self._open(path, group)), close)
        return file

    def _append(self, file: FileAhead, group: Group) -> bool:
        """Whether the rows of a group are behind those before; rows in front of one that is not are written."""
        for batch in stored(group.path, group.schema, group.size):
            last = last_behind(batch, file.last, self._origin)
            if last is None:
                return False
            file.last = last
            file.operations += self._operations(batch)
            file.output.write(batch)
        return True

    def _leave(self, key: GroupKey) -> None:
        """Give up the file of a version."""
        file = self.files.pop(key)
        file.close.close()
        file.path.unlink()
        self._left.add(key)
