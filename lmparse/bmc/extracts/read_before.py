"""Read before: what a checkpoint says of the records that were read, and what comes too late for it.

A record that was read is in a range of positions that was read, and of a table that was. What an extract has of such
records was given, unless its unit was open at the checkpoint. A change anywhere else whose unit was committed in front
of the last commit that has been seen would never be given: its extract is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lmparse.bmc.extracts.heads import TABLE_FIELDS, UNIT_WIDTH, ExtractHeads
from lmparse.bmc.extracts.outcomes import UNIT_FIELDS, have_ended, keys, stated_commits, widths
from lmparse.bmc.extracts.unit_ends import UnitEnds
from lmparse.bmc.order import NOT_COMMITTED
from lmparse.changes.checkpoint import Checkpoint, too_late
from lmparse.errors import FramingError
from lmparse.values.byte_arrays import Bytes, Flags

_POSITION_BYTES = widths(("log_lrsn",))[0]
Keys = npt.NDArray[np.bytes_]


@dataclass(frozen=True)
class ReadBefore:
    """What a checkpoint says of the extracts so far. Safe to pickle."""

    checkpoint: Checkpoint

    @property
    def commit(self) -> bytes:
        """The position of a commit up to which all changes that were read have been given."""
        digits = len(NOT_COMMITTED)
        return bytes.fromhex(self.checkpoint.seq[:digits].ljust(digits, "0"))

    def have(self, positions: Keys) -> Flags:
        """Which positions are in the ranges that were read."""
        begins, ends = (_positions(bound[side] for bound in self.checkpoint.ranges) for side in (0, 1))
        if not len(begins):
            return np.zeros(len(positions), np.bool_)
        place = np.searchsorted(begins, positions, side="right") - 1
        found: Flags = (place >= 0) & (positions <= ends[place])
        return found

    def doubtful(self, units: Bytes, positions: Bytes, tables: Bytes) -> Bytes:
        """The units of those of n records that were not read, and are open or committed in front of the checkpoint.

        `units` are rows that begin with UNIT_FIELDS and OUTCOME_FIELDS. A record of a table of which no extract so far
        has one was not read: these had another filter. One more byte is 1 for a record in front of others that were.
        """
        at = keys(positions)
        was_read = self.have(at)
        if self.checkpoint.tables is not None:
            known = [bytes.fromhex(one) for one in self.checkpoint.tables]
            was_read &= np.isin(keys(tables), np.array(known, f"S{sum(widths(TABLE_FIELDS))}"))
        which = ~was_read & (keys(stated_commits(units)) <= self.commit)  # of one without a commit it is zero
        is_in_front = at <= _positions([self.checkpoint.reached[1]])
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


def shown_unit(row: Bytes) -> str:
    """UORID of a row that begins with UNIT_FIELDS, in hexadecimal digits."""
    member, name = widths(UNIT_FIELDS)
    return row[member : member + name].tobytes().hex().upper()


def _positions(numbers: Iterable[int]) -> Keys:
    """Positions as `outcomes.keys`."""
    return np.array([number.to_bytes(_POSITION_BYTES) for number in numbers], f"S{_POSITION_BYTES}")


def _committed(commit: bytes) -> str:
    return f"was committed at {commit.ljust(_POSITION_BYTES, bytes(1)).hex().upper()}"
