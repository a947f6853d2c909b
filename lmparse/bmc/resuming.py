"""Resuming: what reading the extracts of a log so far leaves to the reading of the next ones, see `changes.checkpoint`.

Needed again are the extracts with records of units of recovery that are open still: a later extract may commit these.
All other changes are behind the last commit that has been seen, or have been given.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lmparse.bmc.extract_heads import ExtractHeads
from lmparse.bmc.order import NOT_COMMITTED, SEQ_OF_RECORD_DIGITS
from lmparse.bmc.read_before import unread_behind
from lmparse.bmc.stretches import Stretch
from lmparse.bmc.unit_outcomes import UNIT_FIELDS, ended_codes, keys, stated_commits, widths
from lmparse.changes.checkpoint import Checkpoint, NeededStretch
from lmparse.errors import FramingError
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.storage.joined import JoinedPiece
from lmparse.values.byte_arrays import Bytes

_MOST_TABLES = 10_000
"""Most tables that a checkpoint names."""


def checkpoint_of(stretches: Sequence[Stretch], options: Options, before: Checkpoint | None) -> Checkpoint:
    """The checkpoint behind all extracts of a log, of which `before` was the one in front.

    Raises FramingError LMP-F013 if a commit has no position: then nothing says whether its changes have been given.
    """
    for one in stretches:
        _check_commits(one.heads)
    commits = [_last_commit(one.heads) for one in stretches]
    last = max([*commits, "" if before is None else before.seq[: len(NOT_COMMITTED)]])
    reached = max([*(int.from_bytes(one.heads.last) for one in stretches), 0 if before is None else before.reached[1]])
    needed = (_whole(one.heads, options) for one in stretches if _may_go_on(one))
    seq = last.ljust(len(NOT_COMMITTED), "0") + "F" * SEQ_OF_RECORD_DIGITS
    unread = unread_behind(before, ((one.heads.first, one.heads.last) for one in stretches if one.heads.first))
    return Checkpoint(
        catalog.load(options.spec).id, seq, (0, reached), needed=tuple(needed), unread=unread,
        held=_held(stretches, before), tables=_tables(stretches, before),
    )  # fmt: skip


def _tables(stretches: Sequence[Stretch], before: Checkpoint | None) -> tuple[str, ...] | None:
    """The tables that extracts have a record of; None if they are very many, or were, or the checkpoint has none."""
    known: tuple[str, ...] | None = () if before is None else before.tables
    if known is None:
        return None
    found = {*known, *(row.tobytes().hex() for one in stretches for row in one.heads.tables)}
    return tuple(sorted(found)) if len(found) <= _MOST_TABLES else None


def _held(stretches: Sequence[Stretch], before: Checkpoint | None) -> dict[str, int]:
    """The units of which extracts hold changes back, as `Checkpoint.held` has them.

    An extract that is read again holds back what it did before, and not what others have given since. Of a unit that
    has ended elsewhere, with compensations, that is what is in front of the extracts that state its end.
    """
    unit = sum(widths(UNIT_FIELDS))
    every = np.concatenate([keys(_still_open(one)) for one in stretches])
    ended: dict[bytes, int] = {}
    for one in stretches:
        first = int.from_bytes(one.heads.first)
        names = keys(one.heads.ended[:, :unit])
        ended |= {name: min(first, ended.get(name, first)) for name in names[np.isin(names, every)].tolist()}
    found: dict[str, int] = {}
    for one in stretches:
        first, last = (int.from_bytes(position) for position in (one.heads.first, one.heads.last))
        fresh = set(keys(one.heads.unread_units[:, :unit]).tolist())
        opened = _still_open(one)
        for name, key in zip((row.tobytes().hex() for row in opened), keys(opened).tolist(), strict=True):
            end = last if before is None or key in fresh else min(before.held.get(name, -1), last)
            end = min(end, ended.get(key, end + 1) - 1)
            if end >= first:
                found[name] = max(end, found.get(name, 0))
    return found


def _check_commits(heads: ExtractHeads) -> None:
    is_committed = heads.ended[:, sum(widths(UNIT_FIELDS))] == ended_codes()[0]
    unplaced = heads.ended[is_committed & ~stated_commits(heads.ended).any(1)]
    if len(unplaced):
        member, name = widths(UNIT_FIELDS)
        found = unplaced[0, member : member + name].tobytes().hex().upper()
        raise FramingError(
            f"unit of recovery {found} was committed, and neither UORCOMMITLRSN nor UORCOMMITPOINT says where",
            code="LMP-F013", file=heads.path,
            hint="extracts without positions of commits are read together, without a checkpoint",
        )  # fmt: skip


def _may_go_on(one: Stretch) -> bool:
    """Whether an extract has a unit that is open after all extracts have been read."""
    return len(_still_open(one)) > 0


def _still_open(one: Stretch) -> Bytes:
    """The units that are open in an extract after all extracts have been read, as `ExtractHeads.open_units`."""
    opened: Bytes = one.heads.open_units
    return opened[~np.isin(keys(opened), keys(one.settings.outcomes.units))]


def _whole(heads: ExtractHeads, options: Options) -> NeededStretch:
    return NeededStretch.of(JoinedPiece(heads.path, 0, heads.size, 0, heads.records), options.bounds)


def _last_commit(heads: ExtractHeads) -> str:
    """The last commit position that an extract states; empty if it has no commit."""
    return max((row.tobytes().hex().upper() for row in stated_commits(heads.ended) if row.any()), default="")
