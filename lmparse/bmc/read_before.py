"""Read before: the positions of a log that were read up to a checkpoint, and what comes too late for it.

Extracts are stretches of a log by position: one of them has all records from its lowest position to its highest. What
lies between two of them, and in front of the first, was not read; an extract that comes later may have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lmparse.bmc.order import NOT_COMMITTED
from lmparse.bmc.unit_outcomes import UNIT_FIELDS, UnitOutcomes, have_ended, keys, stated_commits, widths
from lmparse.changes.checkpoint import MOST_UNREAD, Checkpoint, Position, too_late
from lmparse.errors import FramingError
from lmparse.values.byte_arrays import Bytes, Flags

Places = tuple[tuple[Position, Position], ...]
TABLE_FIELDS = ("dbid", "tbobid")
"""The header fields that identify a table."""


@dataclass(frozen=True)
class ReadBefore:
    """What a checkpoint says of the extracts so far. Safe to pickle."""

    checkpoint: Checkpoint

    @property
    def commit(self) -> bytes:
        """The position of a commit up to which all changes that were read have been given."""
        digits = len(NOT_COMMITTED)
        return bytes.fromhex(self.checkpoint.seq[:digits].ljust(digits, "0"))

    def in_front(self, positions: Bytes) -> Flags:
        """Which of n positions, (n, width) bytes, are not behind all extracts so far."""
        found: Flags = keys(positions) <= _array_of([self.checkpoint.reached])
        return found

    def have(self, positions: Bytes) -> Flags:
        """Which of n positions, (n, width) bytes, are in the extracts so far. Of the oldest ones that is assumed."""
        at, found = keys(positions), self.in_front(positions)
        places = self.checkpoint.unread
        if places:
            begins, ends = (_array_of([place[side] for place in places]) for side in (0, 1))
            number = np.searchsorted(begins, at) - 1  # the last place that begins in front of it
            found &= (number < 0) | (at >= ends[number])
        return found

    def unread(self, rows: Bytes, positions: Bytes, tables: Bytes) -> Bytes:
        """Of the units of n records, rows that begin with UNIT_FIELDS and OUTCOME_FIELDS, those that may be left out.

        They have not been read, and are open or committed in front of the checkpoint; or they were read and held back,
        and are committed in front of it; or they are, and of a table, rows of TABLE_FIELDS in `tables`, of which no
        extract so far had a record: those had another filter. A byte behind each row is 1 if the record is in front of
        others that have been read.
        """
        commits = keys(stated_commits(rows))
        in_front = commits <= self.commit
        which = ~self.have(positions) & in_front  # the position of what is not committed is zero
        which |= in_front & (commits > b"") & (self._were_held(rows, positions) | self._are_new(tables))
        return np.concatenate([rows[which], self.in_front(positions[which])[:, None].astype(np.uint8)], axis=1)

    def check_in_time(self, path: str, unread: Bytes, outcomes: UnitOutcomes) -> None:
        """Raise FramingError LMP-F014 if an extract has changes that would never be given.

        `unread` is as the method of that name gives it; `outcomes` are what other extracts state of units that are open
        in this one. The commit of another open unit is in front of it if records behind it have been read.
        """
        unit = sum(widths(UNIT_FIELDS))
        elsewhere = np.concatenate([outcomes.units, outcomes.values], axis=1)
        elsewhere = elsewhere[np.isin(keys(outcomes.units), keys(unread[:, :unit]))]
        for rows in (unread, elsewhere):
            commits = stated_commits(rows)
            places = np.flatnonzero((keys(commits) > b"") & (keys(commits) <= self.commit))
            if len(places):
                raise self._late(path, rows[places[0]], f"was committed at {_hex(commits[places[0]])}")
        is_open = ~have_ended(unread[:, unit : unit + 1]) & ~np.isin(keys(unread[:, :unit]), keys(outcomes.units))
        places = np.flatnonzero(is_open & (unread[:, -1] == 1))
        if len(places):
            raise self._late(path, unread[places[0]], "is open in it")

    def _were_held(self, rows: Bytes, positions: Bytes) -> Flags:
        """Which of n records, as in `unread`, may be of changes that were held back."""
        units, ends = self._held
        if not len(units):
            return np.zeros(len(rows), np.bool_)
        of = keys(rows[:, : sum(widths(UNIT_FIELDS))])
        place = np.minimum(np.searchsorted(units, of), len(units) - 1)
        found: Flags = (units[place] == of) & (keys(positions) <= ends[place])
        return found

    def _are_new(self, tables: Bytes) -> Flags:
        """Which of n tables no extract so far had, if that is known."""
        if self.checkpoint.tables is None:
            return np.zeros(len(tables), np.bool_)
        known = np.array([bytes.fromhex(one) for one in self.checkpoint.tables], f"S{sum(widths(TABLE_FIELDS))}")
        return ~np.isin(keys(tables), known)

    @cached_property
    def _held(self) -> tuple[npt.NDArray[np.bytes_], npt.NDArray[np.bytes_]]:
        """`Checkpoint.held`, ascending."""
        found = sorted(self.checkpoint.held.items())
        units = np.array([bytes.fromhex(unit) for unit, _ in found], f"S{sum(widths(UNIT_FIELDS))}")
        return units, _array_of([(0, position) for _, position in found])

    def _late(self, path: str, row: Bytes, what: str) -> FramingError:
        member, name = widths(UNIT_FIELDS)
        return too_late(
            path,
            f"unit of recovery {_hex(row[member : member + name])} {what}, and changes up to "
            f"{self.commit.hex().upper()} have been given without the records that are here",
        )


def unread_behind(before: Checkpoint | None, ranges: Iterable[tuple[bytes, bytes]]) -> Places:
    """The places that were not read, behind extracts with these lowest and highest positions.

    Of very many, the newest ones: `Checkpoint.unread`.
    """
    places: list[tuple[int, int]] = []
    reached = 0
    if before is not None:
        places, reached = [(begin[1], end[1]) for begin, end in before.unread], before.reached[1]
    for first, last in ((int.from_bytes(low), int.from_bytes(high)) for low, high in sorted(ranges)):
        if first > reached:
            places += _without((reached, first), reached, reached)
        else:
            places = [part for place in places for part in _without(place, first, last)]
        reached = max(reached, last)
    return tuple(((0, begin), (0, end)) for begin, end in places[-MOST_UNREAD:])


def _without(place: tuple[int, int], first: int, last: int) -> list[tuple[int, int]]:
    """What is left of a place, its bounds not in it, without the positions from `first` to `last`."""
    begin, end = place
    parts = [place] if last <= begin or first >= end else [(begin, max(first, begin)), (min(last, end), end)]
    return [part for part in parts if part[1] - part[0] > 1]


def _array_of(positions: Sequence[Position]) -> npt.NDArray[np.bytes_]:
    """Positions as `unit_outcomes.keys`."""
    (width,) = widths(("log_lrsn",))
    return np.array([position.to_bytes(width) for _, position in positions], f"S{width}")


def _hex(row: Bytes) -> str:
    return row.tobytes().hex().upper()
