"""Checkpoints of Log Master: what reading the extracts of a log so far leaves to the reading of the next ones.

Each run gives the units that are committed behind the last commit that the runs before it have seen. So a checkpoint
has this commit, the ranges of positions that have been read, the units that are still open, and the extracts with
records of these, which are read again with the next ones. What a later extract has of other units in these ranges was
given; a change anywhere else whose unit was committed in front of the last commit comes too late, and is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lmparse.bmc.extracts.heads import TABLE_FIELDS, UNIT_WIDTH, ExtractHeads, Keys, are_in
from lmparse.bmc.extracts.outcomes import (
    UnitOutcomes,
    ended_codes,
    have_ended,
    keys,
    shown_unit,
    stated_commits,
    widths,
)
from lmparse.bmc.extracts.ownership import UnitEnds
from lmparse.bmc.log.seq import NOT_COMMITTED, SEQ_OF_RECORD_DIGITS
from lmparse.changes.checkpoint import Checkpoint, NeededStretch, too_late
from lmparse.errors import FramingError
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.storage.joined import JoinedPiece
from lmparse.values.byte_arrays import Bytes


def checkpoint_of(
    extracts: Sequence[tuple[ExtractHeads, UnitOutcomes]], options: Options, before: Checkpoint | None
) -> Checkpoint:
    """The checkpoint behind all extracts of a log, of which `before` was the one in front.

    Each extract has the outcomes of units that it calls open, as far as others state them.
    Raises FramingError LMP-F013 if a commit has no position: then nothing says whether its changes have been given.
    """
    heads = [one for one, _ in extracts]
    last = max([*map(_last_commit, heads), "" if before is None else before.seq[: len(NOT_COMMITTED)]])
    needed, still_open = [], set[str]()
    for one, outcomes in extracts:
        opened = keys(one.open_units)
        opened = opened[~np.isin(opened, keys(outcomes.units))]
        if before is not None:
            opened = opened[~np.isin(opened, ReadBefore(before).ended_units(one))]
        if len(opened):
            piece = JoinedPiece(one.path, 0, one.size, 0, one.records)
            needed.append(NeededStretch.of(piece, options.bounds))
            still_open |= {unit.ljust(UNIT_WIDTH, b"\0").hex() for unit in opened.tolist()}
    ranges = {*(() if before is None else before.ranges)}
    ranges |= {(int.from_bytes(low), int.from_bytes(high)) for one in heads for low, high in one.ranges}
    tables = {*(() if before is None else before.tables), *(row.tobytes().hex() for one in heads for row in one.tables)}
    return Checkpoint(
        catalog.load(options.spec).id, last.ljust(len(NOT_COMMITTED), "0") + "F" * SEQ_OF_RECORD_DIGITS,
        (0, max((high for _, high in ranges), default=0)), needed=tuple(needed), ranges=tuple(sorted(ranges)),
        open_units=tuple(sorted(still_open)), tables=tuple(sorted(tables)),
    )  # fmt: skip


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


_POSITION_BYTES = widths(("log_lrsn",))[0]


@dataclass(frozen=True)
class ReadBefore:
    """What a checkpoint says of the extracts so far. Safe to pickle."""

    checkpoint: Checkpoint

    @property
    def commit(self) -> bytes:
        """The position of a commit up to which all changes that were read have been given."""
        digits = len(NOT_COMMITTED)
        return bytes.fromhex(self.checkpoint.seq[:digits].ljust(digits, "0"))

    def doubtful(self, units: Bytes, positions: Bytes, tables: Bytes) -> Bytes:
        """The units of those of n records that were not read, and are open or committed in front of the checkpoint.

        `units` are rows that begin with UNIT_FIELDS and OUTCOME_FIELDS. A record of a table of which no extract so far
        has one was not read: these had another filter. One more byte is 1 for a record in front of others that were.
        """
        at = keys(positions)
        was_read = are_in([(_position(low), _position(high)) for low, high in self.checkpoint.ranges], at)
        known = [bytes.fromhex(one) for one in self.checkpoint.tables]
        was_read &= np.isin(keys(tables), np.array(known, f"S{sum(widths(TABLE_FIELDS))}"))
        which = ~was_read & (keys(stated_commits(units)) <= self.commit)  # of one without a commit it is zero
        is_in_front = at <= _position(self.checkpoint.reached[1])
        return np.concatenate([units[which], is_in_front[which][:, None].astype(np.uint8)], axis=1)

    @property
    def _open_units(self) -> Keys:
        return np.array([bytes.fromhex(one) for one in self.checkpoint.open_units], f"S{UNIT_WIDTH}")

    def ended_units(self, heads: ExtractHeads) -> Keys:
        """The units that an extract calls open, and that an extract in front of the checkpoint said the outcome of.

        All records that it has of them were read, and they are not open at the checkpoint: it is read once more.
        """
        opened, doubtful = keys(heads.open_units), keys(heads.doubtful[:, :UNIT_WIDTH])
        return opened[~np.isin(opened, np.concatenate([self._open_units, doubtful]))]

    def check_in_time(self, heads: Sequence[ExtractHeads], ends: UnitEnds) -> None:
        """Raise FramingError LMP-F014 if an extract has changes that would never be given.

        Those are of units that were open at the checkpoint, or are `doubtful`, and that were committed in front of it;
        or are open though records behind them have been read, so that a later commit may have been passed.
        """
        numbers, commits = ends.commits(self._open_units)
        for number, commit in zip(numbers.tolist(), commits.tolist(), strict=True):
            if commit <= self.commit:
                raise self._late(heads[ends.extract[number]].path, ends.rows[number], _committed(commit))
        for one in heads:
            rows = one.doubtful
            units, commits = keys(rows[:, :UNIT_WIDTH]), keys(stated_commits(rows))
            is_open = ~have_ended(rows[:, UNIT_WIDTH : UNIT_WIDTH + 1])
            others, later = ends.commits(units[is_open])
            late = np.isin(units, ends.units[others[later <= self.commit]]) | (commits > b"")
            late |= is_open & (rows[:, -1] == 1) & (ends.extract_of(units) < 0)
            if late.any():
                place = int(late.argmax())
                what = _committed(commits[place]) if commits[place] else "is not behind what was read"
                raise self._late(one.path, rows[place], what)

    def _late(self, path: str, row: Bytes, what: str) -> FramingError:
        return too_late(
            path,
            f"unit of recovery {shown_unit(row)} {what}, and changes up to {self.commit.hex().upper()} have been given "
            "without the records that are here",
        )


def _position(number: int) -> bytes:
    return number.to_bytes(_POSITION_BYTES)


def _committed(commit: bytes) -> str:
    return f"was committed at {commit.ljust(_POSITION_BYTES, bytes(1)).hex().upper()}"
