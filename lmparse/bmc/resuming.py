"""Resuming: what reading the extracts of a log so far leaves to the reading of the next ones, see `changes.checkpoint`.

Needed again are the extracts with records of units of recovery that are open still: a later extract may commit these.
All other changes are behind the last commit that has been seen, or have been given.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lmparse.bmc.extract_heads import ExtractHeads
from lmparse.bmc.read_before import unread_behind
from lmparse.bmc.stretches import Stretch
from lmparse.bmc.unit_outcomes import keys, stated_commits
from lmparse.changes.change import NOT_COMMITTED, SEQ_OF_RECORD_DIGITS
from lmparse.changes.checkpoint import Checkpoint, NeededStretch
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.storage.joined import JoinedPiece


def checkpoint_of(stretches: Sequence[Stretch], options: Options, before: Checkpoint | None) -> Checkpoint:
    """The checkpoint behind all extracts of a log, of which `before` was the one in front."""
    commits = [_last_commit(one.heads) for one in stretches]
    last = max([*commits, "" if before is None else before.seq[: len(NOT_COMMITTED)]])
    reached = max([*(int.from_bytes(one.heads.last) for one in stretches), 0 if before is None else before.reached[1]])
    needed = (_whole(one.heads, options) for one in stretches if _may_go_on(one))
    seq = last.ljust(len(NOT_COMMITTED), "0") + "F" * SEQ_OF_RECORD_DIGITS
    unread = unread_behind(before, ((one.heads.first, one.heads.last) for one in stretches if one.heads.first))
    return Checkpoint(catalog.load(options.spec).id, seq, (0, reached), needed=tuple(needed), unread=unread)


def _may_go_on(one: Stretch) -> bool:
    """Whether an extract has a unit that is open after all extracts have been read."""
    return bool((~np.isin(keys(one.heads.open_units), keys(one.settings.outcomes.units))).any())


def _whole(heads: ExtractHeads, options: Options) -> NeededStretch:
    return NeededStretch.of(JoinedPiece(heads.path, 0, heads.size, 0, heads.records), options.bounds)


def _last_commit(heads: ExtractHeads) -> str:
    """The last commit position that an extract states; empty if it has no commit."""
    return max((row.tobytes().hex().upper() for row in stated_commits(heads.ended) if row.any()), default="")
