"""Repeats: keeps generated parsers from repeating without end what takes no bytes, and from nesting too deeply.

The build step puts a call of `advancing` into the loops whose items may be empty; other loops end with their bytes. It
puts a call of `descending` into the parsers of specs with types that contain themselves.
"""

from __future__ import annotations

from typing import Any

_LEAST = 1024
"""Items without bytes that any stream may have; records without a fault have none or a few."""


DEEPEST = 200
"""Nested records that may be around one; Python can call what reads, converts and shows them as often."""


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


class TooDeepError(Exception):
    """A nested record has more than DEEPEST records around it."""


def descending(parsed: Any) -> None:
    """Count the records around one that is about to be read. Raises TooDeepError."""
    depth, above = 0, parsed._parent
    while above is not None:
        depth, above = depth + 1, above._parent
    if depth > DEEPEST:
        raise TooDeepError
