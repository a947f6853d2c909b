"""Repeats: keeps generated parsers from repeating without end what takes no bytes, and from nesting too deeply.

The build step puts a call of `advancing` at the head of the loops whose items may be empty; other loops end with their
bytes. It puts a call of `descending` into the parsers of specs with types that contain themselves.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from lmparse.spec.budgets import stepping

_LEAST = 1024
"""Items without bytes that any stream may have; records without a fault have none or a few."""


_LEVELS_A_STEP = 8
"""Levels that are counted in the time of a step of a parser."""
DEEPEST = 200
"""Nested records that may be around one; Python can call what reads, converts and shows them as often."""


class NotAdvancingError(Exception):
    """A repeated field takes no bytes, more often than its stream has bits."""


def advancing(stream: Any) -> None:
    """Count an item that begins where the last one began. Raises NotAdvancingError, and LimitError LMP-L007."""
    stepping()
    at, state = stream.pos(), vars(stream)
    if state.get("_lmparse_at") != at:
        state["_lmparse_at"] = at
        return
    idle = state["_lmparse_idle"] = state.get("_lmparse_idle", 0) + 1
    if idle > _LEAST and idle > 8 * stream.size():
        raise NotAdvancingError


class TooDeepError(Exception):
    """A nested record has more than DEEPEST records around it."""


def descending() -> None:
    """Count the records around the one that is about to be read. Raises TooDeepError, and LimitError LMP-L007.

    The calls are counted, since objects of imported types do not know what they are in. That takes time, which counts
    as steps of the record.
    """
    depth = 0
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        depth += frame.f_code.co_name == "_read" and frame.f_globals.get("descending") is descending
        frame = frame.f_back
    if depth > DEEPEST:
        raise TooDeepError
    stepping(depth // _LEVELS_A_STEP)
