"""Repeats: keeps generated parsers from repeating without end what takes no bytes.

The build step puts a call of `advancing` into the loops whose items may be empty; other loops end with their bytes.
"""

from __future__ import annotations

from typing import Any

_LEAST = 1024
"""Items without bytes that any stream may have; records without a fault have none or a few."""


class NotAdvancingError(Exception):
    """A repeated field takes no bytes, more often than its stream has bits."""


def advancing(stream: Any) -> None:
    """Count an item that begins where the last one began. Raises NotAdvancingError."""
    at, state = stream.pos(), vars(stream)
    if state.get("_lmparse_at") != at:
        state["_lmparse_at"] = at
        return
    idle = state["_lmparse_idle"] = state.get("_lmparse_idle", 0) + 1
    if idle > _LEAST and idle > 8 * stream.size():
        raise NotAdvancingError
