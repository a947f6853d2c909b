"""Owned folders as processes leave them that are killed."""

from __future__ import annotations

import os
from pathlib import Path

from lmparse.storage.owned_folder import OwnedFolder


def left_behind(parent: Path, name: str, prefix: str = ".") -> Path:
    """The folder of a process that was killed when it had made it, for an output of a name."""
    owned = OwnedFolder(parent, name, prefix)
    found = owned.remove.detach()
    assert found is not None
    _, handle, _ = found[2]
    os.close(handle)
    return owned.path
