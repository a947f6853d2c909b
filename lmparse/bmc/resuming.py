"""Resuming: what reading the extracts of a log so far leaves to the reading of the next ones, see `changes.checkpoint`.

Needed again are the extracts with records of units of recovery that are open still: a later extract may commit these.
All other changes are behind the last commit that has been seen, or have been given.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lmparse.bmc.extract_heads import ExtractHeads
from lmparse.bmc.stretches import Stretch
from lmparse.bmc.unit_outcomes import OUTCOME_FIELDS, UNIT_FIELDS, ended_codes, keys, widths
from lmparse.changes.change import NOT_COMMITTED, SEQ_OF_RECORD_DIGITS
from lmparse.changes.checkpoint import Checkpoint, NeededStretch
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.storage.joined import JoinedPiece
from lmparse.values.byte_arrays import Bytes

_FIELDS = (*UNIT_FIELDS, *OUTCOME_FIELDS)


def checkpoint_of(stretches: Sequence[Stretch], options: Options, before: Checkpoint | None) -> Checkpoint:
    """The checkpoint behind all extracts of a log, of which `before` was the one in front."""
    commits = [_last_commit(one.heads) for one in stretches]
    last = max([*commits, "" if before is None else before.seq[: len(NOT_COMMITTED)]])
    reached = max([*(int.from_bytes(one.heads.last) for one in stretches), 0 if before is None else before.reached[1]])
    needed = (_whole(one.heads, options) for one in stretches if _may_go_on(one))
    seq = last.ljust(len(NOT_COMMITTED), "0") + "F" * SEQ_OF_RECORD_DIGITS
    return Checkpoint(catalog.load(options.spec).id, seq, (0, reached), {}, tuple(needed))


def _may_go_on(one: Stretch) -> bool:
    """Whether an extract has a unit that is open after all extracts have been read."""
    return bool((~np.isin(keys(one.heads.open_units), keys(one.settings.outcomes.units))).any())


def _whole(heads: ExtractHeads, options: Options) -> NeededStretch:
    return NeededStretch.of(JoinedPiece(heads.path, 0, heads.size, 0, heads.records), options.bounds)


def _last_commit(heads: ExtractHeads) -> str:
    """The last commit position that an extract states, as in `order.commit_position`; empty if it has no commit."""
    committed = heads.ended[_field(heads.ended, "uor_disp")[:, 0] == ended_codes()[0]]
    lrsn, point = (_field(committed, name) for name in ("uor_commit_lrsn", "uor_commit_point"))
    found = np.where(np.asarray(lrsn.any(1))[:, None], lrsn, point)
    return max((row.tobytes().hex().upper() for row in found if row.any()), default="")


def _field(rows: Bytes, name: str) -> Bytes:
    place = _FIELDS.index(name)
    start = sum(widths(_FIELDS[:place]))
    return rows[:, start : start + widths((name,))[0]]
