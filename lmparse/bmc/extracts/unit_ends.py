"""Unit ends: the first extract that states what became of a unit of recovery, and what it states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lmparse.bmc.extracts.heads import FLAG_FIELDS, UNIT_WIDTH, ExtractHeads, not_one
from lmparse.bmc.extracts.outcomes import (
    OUTCOME_FIELDS,
    UNIT_FIELDS,
    UnitOutcomes,
    ended_codes,
    keys,
    stated_commits,
    widths,
)
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

_COMMIT = OUTCOME_FIELDS[2:]
"""The fields that say where the commit is."""
_COMPENSATED, _INCOMPLETE = (-len(FLAG_FIELDS) + number for number in range(len(FLAG_FIELDS)))
"""Columns of rows of `ExtractHeads.units`."""


@dataclass(frozen=True, eq=False)
class UnitEnds:
    """The outcomes of all units that have one."""

    rows: Bytes
    """(n, width) bytes of UNIT_FIELDS and OUTCOME_FIELDS, as the first extract states them; ascending."""
    extract: Int64s
    """The number of this extract. One that has the unit complete comes in front of others."""
    are_compensated: Flags
    """Whether a unit was committed, and took changes back: UORHASCOMP."""

    @classmethod
    def of(cls, heads: Sequence[ExtractHeads]) -> UnitEnds:
        """Those of the units of all extracts. Raises FramingError LMP-F013 if two state different outcomes."""
        every = [one.ended for one in heads]
        rows, extract = np.concatenate(every), np.repeat(np.arange(len(heads)), [len(one) for one in every])
        units = keys(rows[:, :UNIT_WIDTH])
        is_incomplete = rows[:, _INCOMPLETE] == 1
        for number in set(extract[is_incomplete].tolist()):  # in one extract, a unit has rows with and without it
            here = extract == number
            is_incomplete[here] = np.isin(units[here], units[here & is_incomplete])
        order = np.lexsort((extract, is_incomplete, units))
        rows, extract = rows[order], extract[order]
        is_first = np.ones(len(rows), np.bool_)
        is_first[1:] = (rows[1:, :UNIT_WIDTH] != rows[:-1, :UNIT_WIDTH]).any(1)
        groups = np.cumsum(is_first) - 1
        _check_same(heads, rows, extract, np.flatnonzero(is_first)[groups] if len(rows) else groups)
        compensated = np.bincount(groups, rows[:, _COMPENSATED], int(is_first.sum())) > 0
        rows = rows[is_first, : -len(FLAG_FIELDS)]
        is_committed = rows[:, UNIT_WIDTH] == ended_codes()[0]
        return cls(rows, extract[is_first], compensated & is_committed)

    @property
    def units(self) -> npt.NDArray[np.bytes_]:
        """UNIT_FIELDS, ascending."""
        return keys(self.rows[:, :UNIT_WIDTH])

    def extract_of(self, units: npt.NDArray[np.bytes_]) -> Int64s:
        """The extract that states the outcome of each of some units first; -1 if none does."""
        if not len(self.rows):
            return np.full(len(units), -1)
        place = np.minimum(np.searchsorted(self.units, units), len(self.rows) - 1)
        return np.where(self.units[place] == units, self.extract[place], -1)

    def of_open_units(self, heads: ExtractHeads) -> UnitOutcomes:
        """The outcomes of the units that an extract calls open."""
        rows = self.rows[np.isin(self.units, keys(heads.open_units))]
        return UnitOutcomes(rows[:, :UNIT_WIDTH], rows[:, UNIT_WIDTH:])

    def commits(self, units: npt.NDArray[np.bytes_]) -> tuple[Int64s, npt.NDArray[np.bytes_]]:
        """Those of some units, ascending, that are committed: their numbers, and the positions of their commits."""
        which = np.flatnonzero(np.isin(self.units, units))
        commits = keys(stated_commits(self.rows[which]))
        is_committed = commits > b""
        return which[is_committed], commits[is_committed]


def _check_same(heads: Sequence[ExtractHeads], rows: Bytes, extract: Int64s, first: Int64s) -> None:
    """Raise FramingError for a unit with two outcomes, one of another extract; a time may be cut, and is not compared.

    `first` has the number of the first row of the unit of each row. Of one extract alone, that is a matter of its
    records.
    """
    disposition, time, *_ = widths(OUTCOME_FIELDS)
    behind = UNIT_WIDTH + disposition + time
    compared = [*range(UNIT_WIDTH, UNIT_WIDTH + disposition), *range(behind, behind + sum(widths(_COMMIT)))]
    differ = (rows[:, compared] != rows[first][:, compared]).any(1)
    if not differ.any():
        return
    are_open = np.isin(keys(rows[:, :UNIT_WIDTH]), np.concatenate([keys(one.open_units) for one in heads]))
    starts = np.flatnonzero(first == np.arange(len(first)))
    is_of_several = np.minimum.reduceat(extract, starts) != np.maximum.reduceat(extract, starts)
    differ &= are_open | np.repeat(is_of_several, np.diff(starts, append=len(rows)))
    if differ.any():
        place = int(differ.argmax())
        member, name = widths(UNIT_FIELDS)
        shown = rows[place, member : member + name].tobytes().hex().upper()
        raise not_one(
            f"{heads[extract[first[place]]].path} states another outcome of unit of recovery {shown}",
            heads[extract[place]].path,
        )
