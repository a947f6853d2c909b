"""The layouts of folders in tests/storage/path_layouts.yaml, put on a disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

LAYOUTS: dict[str, dict[str, Any]] = {
    case["name"]: case for case in yaml.safe_load((Path(__file__).parent / "storage" / "path_layouts.yaml").read_text())
}


def put(case: dict[str, Any], folder: Path) -> list[str]:
    """Make the files of a layout, and return the paths to load."""
    for name in case["files"]:
        file, _, target = name.partition("->")
        path = folder / file.removesuffix("!empty")
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if target:
            path.symlink_to(folder / target)
        elif not name.endswith("/"):
            path.write_bytes(b"" if name.endswith("!empty") else b"x")
    load = case["load"] if isinstance(case["load"], list) else [case["load"]]
    return [f"{folder}/{path}".rstrip("/") if path else str(folder) for path in load]


def below(path: str, folder: Path) -> str:
    """The path of a file below the folder of its layout."""
    return os.path.normpath(path).removeprefix(f"{folder}/")
