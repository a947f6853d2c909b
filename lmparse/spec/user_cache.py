"""The user's cache, for files that are fetched or made once and can be made again."""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path:
    """The folder of lmparse in the cache: `$XDG_CACHE_HOME/lmparse`, else `~/.cache/lmparse`; it need not exist."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lmparse"
