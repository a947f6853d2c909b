"""Checkpoints of Log Master: what reading the extracts of a log so far leaves to the reading of the next ones.

Each run gives the units that are committed behind the last commit that the runs before it have seen. So a checkpoint
has this commit, the ranges of positions that have been read, the units that are still open, and the extracts with
records of these, which are read again with the next ones. What a later extract has of other units in these ranges was
given; a change anywhere else whose unit was committed in front of the last commit comes too late, and is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lmparse.bmc.extracts.heads import UNIT_WIDTH, ExtractHeads
from lmparse.bmc.extracts.joined_extracts import JoinedExtract
from lmparse.bmc.extracts.outcomes import ended_codes, keys, stated_commits
from lmparse.bmc.extracts.read_before import ReadBefore, shown_unit
from lmparse.bmc.order import NOT_COMMITTED, SEQ_OF_RECORD_DIGITS
from lmparse.changes.checkpoint import MOST_RANGES, Checkpoint, NeededStretch
from lmparse.errors import FramingError
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.storage.joined import JoinedPiece

_MOST_TABLES = 10_000
"""Most tables that a checkpoint names."""


def checkpoint_of(extracts: Sequence[JoinedExtract], options: Options, before: Checkpoint | None) -> Checkpoint:
    """The checkpoint behind all extracts of a log, of which `before` was the one in front.

    Raises FramingError LMP-F013 if a commit has no position: then nothing says whether its changes have been given.
    """
    heads = [one.heads for one in extracts]
    last = max([*map(_last_commit, heads), "" if before is None else before.seq[: len(NOT_COMMITTED)]])
    needed, still_open = [], set[str]()
    for one in extracts:
        opened = keys(one.heads.open_units)
        opened = opened[~np.isin(opened, keys(one.settings.outcomes.units))]
        if before is not None:
            opened = opened[~np.isin(opened, ReadBefore(before).ended_units(one.heads))]
        if len(opened):
            piece = JoinedPiece(one.path, 0, one.heads.size, 0, one.heads.records)
            needed.append(NeededStretch.of(piece, options.bounds))
            still_open |= {unit.ljust(UNIT_WIDTH, b"\0").hex() for unit in opened.tolist()}
    ranges = _ranges(before, heads)
    return Checkpoint(
        catalog.load(options.spec).id, last.ljust(len(NOT_COMMITTED), "0") + "F" * SEQ_OF_RECORD_DIGITS,
        (0, ranges[-1][1] if ranges else 0), needed=tuple(needed), ranges=ranges,
        open_units=tuple(sorted(still_open)), tables=_tables(heads, before),
    )  # fmt: skip


def _ranges(before: Checkpoint | None, heads: Sequence[ExtractHeads]) -> tuple[tuple[int, int], ...]:
    """The ranges of positions that have been read, ascending; of very many the oldest ones are one with their gaps."""
    every = [(int.from_bytes(one.first), int.from_bytes(one.last)) for one in heads if one.first]
    ranges: list[tuple[int, int]] = []
    for low, high in sorted([*every, *(() if before is None else before.ranges)]):
        if ranges and low <= ranges[-1][1]:
            ranges[-1] = ranges[-1][0], max(ranges[-1][1], high)
        else:
            ranges.append((low, high))
    more = len(ranges) - MOST_RANGES
    return tuple(ranges if more <= 0 else [(ranges[0][0], ranges[more][1]), *ranges[more + 1 :]])


def _tables(heads: Sequence[ExtractHeads], before: Checkpoint | None) -> tuple[str, ...] | None:
    """The tables that extracts have a record of; None if they are very many, or were."""
    known: tuple[str, ...] | None = () if before is None else before.tables
    if known is None:
        return None
    every = {*known, *(row.tobytes().hex() for one in heads for row in one.tables)}
    return tuple(sorted(every)) if len(every) <= _MOST_TABLES else None


def _last_commit(heads: ExtractHeads) -> str:
    """The last commit position that an extract states; empty if it has no commit."""
    rows = heads.ended[heads.ended[:, UNIT_WIDTH] == ended_codes()[0]]
    commits = stated_commits(rows)
    unplaced = rows[~commits.any(1)]
    if len(unplaced):
        raise FramingError(
            f"unit of recovery {shown_unit(unplaced[0])} was committed, and neither UORCOMMITLRSN nor UORCOMMITPOINT "
            "says where", code="LMP-F013", file=heads.path,
            hint="extracts without positions of commits are read together, without a checkpoint",
        )  # fmt: skip
    return max((row.tobytes().hex().upper() for row in commits), default="")
