"""Merged outcomes: what became of units of recovery, from all extracts of the log that say so.

Headers of extracts may have other fields. So the outcome of a unit is put together field by field: a field that one
header lacks is that of another extract, and only what two of them state can contradict each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lmparse.bmc.change_record import SPEC
from lmparse.bmc.extract_heads import COMPENSATED, ExtractHeads, not_one
from lmparse.bmc.unit_outcomes import OUTCOME_FIELDS, UNIT_FIELDS, UnitOutcomes, ended_codes, keys, widths
from lmparse.spec import catalog
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

_DISPOSITION, _TIME, _LRSN, _POINT = OUTCOME_FIELDS
_MEMBER, _UNIT = UNIT_FIELDS
_UNCOMPARED = (_TIME, COMPENSATED)
"""Fields that extracts may state differently: a time may be cut, and compensations follow a record."""


@dataclass(frozen=True, eq=False)
class Found:
    """What other extracts state of the units that one extract calls open."""

    outcomes: UnitOutcomes = field(default_factory=UnitOutcomes)
    undecided: int = 0
    """Units that are committed with compensations, which may have taken back some of their changes."""
    unstated: dict[str, int] = field(default_factory=dict)
    """Number of committed units of which no extract states a field, by its name in the table of the manual."""


class MergedOutcomes:
    """Outcomes of units, for extracts that call them open. Raises FramingError LMP-F013 if those of two differ."""

    def __init__(self, heads: Sequence[ExtractHeads]) -> None:
        unit = sum(widths(UNIT_FIELDS))
        rows, where = _of_several(heads)
        is_first = _is_first(rows[:, :unit])
        groups = np.cumsum(is_first) - 1
        self._units = rows[is_first, :unit]
        self._merged: dict[str, Bytes] = {}
        self._is_stated: dict[str, Flags] = {}
        start = unit
        for name, width in zip((*OUTCOME_FIELDS, COMPENSATED), (*widths(OUTCOME_FIELDS), 1), strict=True):
            has_it = np.array([name not in one.absent for one in heads], np.bool_)[where]
            values = np.where(has_it[:, None], rows[:, start : start + width], np.uint8(0))
            start += width
            merged = self._merged[name] = _greatest(values, groups)
            self._is_stated[name] = np.bincount(groups, has_it, len(self._units)) > 0
            differ = has_it & (values != merged[groups]).any(1)
            if name not in _UNCOMPARED and differ.any():
                raise _contradiction(rows[:, :unit], values, int(differ.argmax()), merged, groups, heads, where)

    def of(self, heads: ExtractHeads) -> Found:
        """The outcomes of the units that an extract calls open.

        A unit that was committed with compensations may have taken back some of its changes. Which of them, only an
        extract with the end of the unit says, in LOGRECDISP of these changes.
        """
        mine = np.isin(keys(self._units), keys(heads.open_units))
        committed = mine & (self._merged[_DISPOSITION][:, 0] == ended_codes()[0])
        undecided = committed & self._merged[COMPENSATED].any(1)
        given = mine & ~undecided
        values = np.concatenate([self._merged[name][given] for name in OUTCOME_FIELDS], axis=1)
        layout = catalog.load(SPEC).layout
        unstated = {
            layout[name].orig_id or name: int((given & committed & ~is_stated).sum())
            for name, is_stated in self._is_stated.items() if name == COMPENSATED or name not in heads.absent
        }  # fmt: skip
        return Found(
            UnitOutcomes(self._units[given], values), int(undecided.sum()),
            {name: count for name, count in unstated.items() if count},
        )  # fmt: skip


def _of_several(heads: Sequence[ExtractHeads]) -> tuple[Bytes, Int64s]:
    """Rows as `ExtractHeads.ended`, by unit, and the number of the extract that each is of.

    They are of units that an extract calls open, or that several extracts end. Of the latter, those with several
    outcomes in one extract are left out: that is a matter of its records. An extract whose header does not name units
    has none; that is an error where its changes are read.
    """
    unit = sum(widths(UNIT_FIELDS))
    ended = [one.ended[: 0 if _UNIT in one.absent else None] for one in heads]
    rows = np.concatenate(ended)
    where = np.repeat(np.arange(len(heads)), [len(one) for one in ended])
    order = np.argsort(keys(rows[:, :unit]), kind="stable")
    rows, where = rows[order], where[order]
    is_first, is_other = _is_first(rows[:, :unit]), _is_first(rows[:, :-1])
    is_of_next = is_first.copy()
    is_of_next[1:] |= where[1:] != where[:-1]
    groups = np.cumsum(is_first) - 1
    extracts, outcomes = np.bincount(groups, is_of_next), np.bincount(groups, is_of_next | is_other)
    are_open = np.isin(keys(rows[:, :unit]), np.concatenate([keys(one.open_units) for one in heads]))
    wanted = are_open | ((extracts > 1) & (extracts == outcomes))[groups]
    return rows[wanted], where[wanted]


def _is_first(rows: Bytes) -> Flags:
    """Which rows are other ones than those in front of them."""
    found = np.ones(len(rows), np.bool_)
    found[1:] = (rows[1:] != rows[:-1]).any(1)
    return found


def _greatest(values: Bytes, groups: Int64s) -> Bytes:
    """The greatest of the values of each group; groups ascend from 0."""
    if not len(values):
        return values
    order = np.lexsort((keys(values), groups))
    found: Bytes = values[order[np.append(np.flatnonzero(np.diff(groups)), len(groups) - 1)]]
    return found


def _contradiction(
    units: Bytes, values: Bytes, place: int, merged: Bytes, groups: Int64s, heads: Sequence[ExtractHeads], where: Int64s
) -> Exception:
    same = (groups == groups[place]) & (values == merged[groups[place]]).all(1)
    one, other = sorted((place, int(same.argmax())))
    unit = units[place, widths((_MEMBER,))[0] :].tobytes().hex().upper()
    return not_one(
        f"{heads[where[one]].path} states another outcome of unit of recovery {unit}", heads[where[other]].path
    )
