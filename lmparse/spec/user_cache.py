"""The user's cache: what is fetched or made once and can be made again."""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path:
    """The folder of lmparse in it, which need not exist: `$XDG_CACHE_HOME/lmparse`, else `~/.cache/lmparse`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lmparse"
