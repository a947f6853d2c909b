"""Delta tables as tests read them: by the file system of Arrow, since one in Python may end the process at its exit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deltalake import DeltaTable
from pyarrow import fs


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a table."""
    files = fs.SubTreeFileSystem(str(path), fs.LocalFileSystem())
    rows: list[dict[str, Any]] = DeltaTable(str(path)).to_pyarrow_table(filesystem=files).to_pylist()
    return rows
