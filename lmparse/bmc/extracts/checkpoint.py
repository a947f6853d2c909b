"""Checkpoints of Log Master: what a reading of the extracts of a log leaves to the reading of the next ones.

Each reading gives the units that are committed behind the last commit of earlier readings. So a checkpoint has this
commit, the ranges of positions that were read, the units that are still open, and the extracts with records of open
units; these extracts are read again with the next ones. Records of other units in these ranges were given. A change
anywhere else comes too late if its unit was committed in front of the last commit. It is refused.
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
    """The checkpoint behind all extracts of a log; `before` is the checkpoint in front of them.

    `extracts` has the heads of each extract, and the outcomes of its open units that other extracts state. Raises
    FramingError LMP-F013 if a commit has no position: then nothing shows whether its changes have been given.
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
    """The last commit position that an extract states; empty without a commit. Raises FramingError LMP-F013."""
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
    """What a checkpoint knows of the extracts so far. Safe to pickle."""

    checkpoint: Checkpoint

    @property
    def commit(self) -> bytes:
        """Position of the last commit: all changes up to it that were read have been given."""
        digits = len(NOT_COMMITTED)
        return bytes.fromhex(self.checkpoint.seq[:digits].ljust(digits, "0"))

    def doubtful(self, units: Bytes, positions: Bytes, tables: Bytes) -> Bytes:
        """The units of n records that were not read, and are open or committed in front of the checkpoint.

        `units` are rows that begin with UNIT_FIELDS and OUTCOME_FIELDS. A record was not read if no extract so far has
        its table: they had another filter. One more byte is 1 for a record in front of others that were read.
        """
        at = keys(positions)
        was_read = are_in([(_position(low), _position(high)) for low, high in self.checkpoint.ranges], at)
        known = [bytes.fromhex(table) for table in self.checkpoint.tables]
        was_read &= np.isin(keys(tables), np.array(known, f"S{sum(widths(TABLE_FIELDS))}"))
        which = ~was_read & (keys(stated_commits(units)) <= self.commit)  # zero without a commit
        is_in_front = at <= _position(self.checkpoint.reached[1])
        return np.concatenate([units[which], is_in_front[which][:, None].astype(np.uint8)], axis=1)

    @property
    def _open_units(self) -> Keys:
        return np.array([bytes.fromhex(unit) for unit in self.checkpoint.open_units], f"S{UNIT_WIDTH}")

    def ended_units(self, heads: ExtractHeads) -> Keys:
        """The units that an extract calls open, and whose outcome an extract in front of the checkpoint stated.

        They are not open at the checkpoint, so all their records in the extract were read: it is read once more.
        """
        opened, doubtful = keys(heads.open_units), keys(heads.doubtful[:, :UNIT_WIDTH])
        return opened[~np.isin(opened, np.concatenate([self._open_units, doubtful]))]

    def check_in_time(self, heads: Sequence[ExtractHeads], ends: UnitEnds) -> None:
        """Raise FramingError LMP-F014 if an extract has changes that would never be given.

        Their units were open at the checkpoint, or are `doubtful`, and were committed in front of it. Or these units
        are open, though records behind theirs were read: a commit may have been passed.
        """
        numbers, commits = ends.commits(self._open_units)
        for number, commit in zip(numbers.tolist(), commits.tolist(), strict=True):
            if commit <= self.commit:
                raise self._late(heads[ends.extract[number]].path, ends.rows[number], _committed(commit))
        for head in heads:
            rows = head.doubtful
            units, commits = keys(rows[:, :UNIT_WIDTH]), keys(stated_commits(rows))
            is_open = ~have_ended(rows[:, UNIT_WIDTH : UNIT_WIDTH + 1])
            others, later = ends.commits(units[is_open])
            late = np.isin(units, ends.units[others[later <= self.commit]]) | (commits > b"")
            late |= is_open & (rows[:, -1] == 1) & (ends.extract_of(units) < 0)
            if late.any():
                place = int(late.argmax())
                what = _committed(commits[place]) if commits[place] else "is not behind what was read"
                raise self._late(head.path, rows[place], what)

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
