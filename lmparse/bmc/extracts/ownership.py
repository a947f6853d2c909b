"""Ownership: which extract of a log gives each record that several extracts have.

The first extract that states the outcome of a unit of recovery gives the records of the unit in its range, from its
lowest position to its highest. Other records are outside of that range, or of a unit without an outcome. The last
extract that has the position in its range, and changes of the table, gives these records. Records are compared for one
purpose only: the extract that gives a record must have all records of the other extracts in that place. Else the
extracts are refused.

For example, the extract of Monday has positions 10 to 90. It calls unit A open, whose first record is at 70. The
extract of Tuesday begins with this record and states that A was committed: it gives all of A. Unit B was committed on
Monday: the extract of Monday gives all of B. The extract of Tuesday may have records of B or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from lmparse.bmc.columns.header_columns import positions
from lmparse.bmc.extracts.heads import (
    FLAG_FIELDS,
    POSITION_FIELDS,
    TABLE_FIELDS,
    UNIT_WIDTH,
    ExtractHeads,
    Keys,
    Range,
    are_in,
    decoded_windows,
    not_one,
    open_extract,
)
from lmparse.bmc.extracts.outcomes import (
    OUTCOME_FIELDS,
    UNIT_FIELDS,
    UnitOutcomes,
    ended_codes,
    is_yes,
    keys,
    shown_unit,
    stated_commits,
    widths,
)
from lmparse.bmc.record.change_record import SPEC
from lmparse.limits import Held
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.storage.processes import Run
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

_IDENTITY = tuple(dict.fromkeys((*POSITION_FIELDS, *UNIT_FIELDS, "rid", "change_type")))
_PLACE = tuple(dict.fromkeys((*POSITION_FIELDS, *UNIT_FIELDS, *TABLE_FIELDS)))
"""A record of the log of Db2 has one position, and is of one unit and one table."""
_SEGMENT = ("total_segs", "seg_num")
_NEEDED = tuple(dict.fromkeys((*POSITION_FIELDS, *UNIT_FIELDS, *OUTCOME_FIELDS, *FLAG_FIELDS)))
"""Fields that the headers of all extracts have, or the headers of none."""
_RAW = tuple(dict.fromkeys((*_IDENTITY, *TABLE_FIELDS, *FLAG_FIELDS, *_SEGMENT, "data")))
_RECORD_BYTES = 180
"""Bytes of memory of a record that several extracts may have; measured."""


@dataclass(frozen=True, eq=False)
class _Task:
    heads: ExtractHeads
    options: Options
    ranges: tuple[Range, ...]
    """The ranges that other extracts share."""
    compensated: Bytes
    """UNIT_FIELDS of the units whose records are wanted wherever they are."""


@dataclass(frozen=True, eq=False)
class _Records:
    """Records of one extract in the ranges that other extracts share, as arrays. Safe to pickle."""

    position: Keys
    unit: Keys
    table: Keys
    place: Keys
    """POSITION_FIELDS, UORID and TABLE_FIELDS."""
    identity: Keys
    content: Keys
    """Digest of identity, table, segment and DATA."""
    offset: Int64s
    is_incomplete: Flags
    """Whether Log Master could not complete the record; then its DATA is not compared."""


def ownership(
    heads: Sequence[ExtractHeads], ends: UnitEnds, ended: Sequence[Keys], options: Options, many: Run
) -> list[Int64s]:
    """Offsets of the records of each extract that another extract gives, ascending.

    `ended` has the units of each extract whose outcome was stated in front of a checkpoint, by an extract that need not
    be here: their records were given, and are not compared. Raises FramingError LMP-F013 for extracts that are not read
    as one log.
    """
    _check_fields(heads)
    sharing = {
        number: ranges
        for number, one in enumerate(heads)
        if (ranges := {shared for other in heads if other is not one for shared in one.shared_with(other)})
    }
    compensated = [_compensated(number, one, ends) for number, one in enumerate(heads)]
    read = [number for number in range(len(heads)) if number in sharing or len(compensated[number])]
    tasks = [_Task(heads[number], options, tuple(sharing.get(number, ())), compensated[number]) for number in read]
    found = dict(zip(read, many(_shared_records, tasks), strict=True))
    result = [np.zeros(0, np.int64) for _ in heads]
    for number, records in found.items():
        owner = _owners(number, records, heads, ends)
        _check_compensated(heads[number], records, owner == number, compensated[number])
        _check_others(number, owner, ended[number], heads, found)
        result[number] = np.sort(records.offset[owner != number])
    return result


def _check_fields(heads: Sequence[ExtractHeads]) -> None:
    """Raise FramingError if the headers of some extracts lack a field of a position or an outcome that others have."""
    layout, having = catalog.load(SPEC).layout, [one for one in heads if one.records]
    for name in _NEEDED:
        lacking = [one.path for one in having if name in one.absent]
        if lacking and len(lacking) < len(having):
            raise not_one(f"its header has no {layout[name].orig_id}, as other extracts have", lacking[0])


def _compensated(number: int, heads: ExtractHeads, ends: UnitEnds) -> Bytes:
    """Units that an extract calls open, but that were committed and took changes back, as another extract states."""
    units = heads.open_units
    rows = ends.units[ends.are_compensated & (ends.extract != number)]
    return units[np.isin(keys(units), rows)]


def _check_compensated(heads: ExtractHeads, records: _Records, is_owner: Flags, compensated: Bytes) -> None:
    """Raise FramingError if it gives a record of such a unit: only LOGRECDISP at its end says which changes stay."""
    fault = is_owner & np.isin(records.unit, keys(compensated))
    if fault.any():
        error = not_one(
            "the unit of recovery of a record took changes back later (UORHASCOMP), and the extract that states its "
            "outcome lacks the record, so that nothing says whether it was taken back", heads.path,
        )  # fmt: skip
        error.record_offset = int(records.offset[fault.argmax()])
        raise error


def _shared_records(task: _Task) -> _Records:
    """The records of one extract that other extracts may have too. Raises FileLimitError LMP-L004."""
    heads, held = task.heads, Held(task.options.bounds)
    log = open_extract(heads.path, heads.control, task.options, heads.settings)
    parts: list[tuple[Any, ...]] = []
    for window, decoded in decoded_windows(log, _RAW):
        raw = {name: rows for name, rows in decoded.raw.items() if name != "data"}
        position, units = keys(positions(log.header, raw)), keys(_side_by_side(raw, UNIT_FIELDS))
        wanted = np.isin(units, keys(task.compensated)) | are_in(task.ranges, position)
        numbers = np.flatnonzero(wanted & ~decoded.irregular)
        if not len(numbers):
            continue
        held.take(_RECORD_BYTES * len(numbers), file=heads.path)
        raw = {name: rows[numbers] for name, rows in raw.items()}
        data: Any = np.ascontiguousarray(window.data)
        starts, lengths = (part[numbers].tolist() for part in decoded.rest["data"])
        heading = map(bytes, _side_by_side(raw, (*_IDENTITY, *TABLE_FIELDS, *_SEGMENT)))
        content = [
            blake2b(known + data[start : start + length].tobytes(), digest_size=16).digest()
            for known, start, length in zip(heading, starts, lengths, strict=True)
        ]
        parts.append((
            position[numbers], units[numbers], keys(_side_by_side(raw, TABLE_FIELDS)), keys(_side_by_side(raw, _PLACE)),
            keys(_side_by_side(raw, _IDENTITY)), np.array(content, "S16"), window.offsets[numbers],
            is_yes(raw["incomplete_trans"]),
        ))  # fmt: skip
    if parts:
        arrays: list[Any] = [np.concatenate(one) for one in zip(*parts, strict=True)]
    else:
        arrays = [*[np.zeros(0, "S1")] * 6, np.zeros(0, np.int64), np.zeros(0, np.bool_)]
    return _Records(*arrays)


def _side_by_side(raw: dict[str, Bytes], names: Sequence[str]) -> Bytes:
    rows: Bytes = np.concatenate([raw[name] for name in names], axis=1)
    return rows


def _owners(number: int, records: _Records, heads: Sequence[ExtractHeads], ends: UnitEnds) -> Int64s:
    """The number of the extract that gives each record of one extract."""
    owner = np.full(len(records.offset), number)
    first = ends.extract_of(records.unit)
    is_first = first == number
    for other, one in enumerate(heads):
        covers = are_in(one.ranges, records.position)
        if other != number and covers.any():
            covers &= np.isin(records.table, keys(one.tables))
        states = covers & (first == other)
        owner = np.where(states, other, np.where(covers & ~is_first & (owner < other), other, owner))
        is_first |= states
    return owner


def _check_others(
    number: int, owner: Int64s, ended: Keys, heads: Sequence[ExtractHeads], found: dict[int, _Records]
) -> None:
    """Raise FramingError if the extract that gives a record lacks it, or has another record in its place.

    No extract gives the records of units in `ended`.
    """
    one, records = heads[number], found[number]
    width = sum(catalog.load(SPEC).layout[name].width or 0 for name in POSITION_FIELDS)
    for other, there in found.items():
        if other == number or not len(there.offset) or not one.shared_with(heads[other]):
            continue
        places, others = (side.place.astype(f"S{width}") for side in (records, there))
        what = "has another unit or table at the position of"
        lacking = np.isin(places, others) & ~np.isin(records.place, there.place)
        if not lacking.any():
            left = (owner == other) & ~np.isin(records.unit, ended)
            what = "has the range, and not the same bytes, of"
            lacking = left & ~_are_in(records, there, left)
        if lacking.any():
            error = not_one(f"{heads[other].path} {what} a record", one.path)
            error.record_offset = int(records.offset[lacking.argmax()])
            raise error


def _are_in(records: _Records, there: _Records, which: Flags) -> Flags:
    """Which records another extract has, as often as this one. The DATA of incomplete records is not compared."""
    result = np.isin(records.identity, there.identity)
    whole = np.flatnonzero(which & ~records.is_incomplete)
    here, numbers, count = np.unique(records.content[whole], return_inverse=True, return_counts=True)
    others, count_there = np.unique(there.content, return_counts=True)
    place = np.minimum(np.searchsorted(others, here), len(others) - 1)
    result[whole] = ((others[place] == here) & (count_there[place] >= count))[numbers]
    return result


_COMMIT = OUTCOME_FIELDS[2:]
"""The fields that state the position of the commit."""
_COMPENSATED, _INCOMPLETE = (-len(FLAG_FIELDS) + number for number in range(len(FLAG_FIELDS)))
"""Columns of rows of `ExtractHeads.units`."""


@dataclass(frozen=True, eq=False)
class UnitEnds:
    """The outcomes of all units that have an outcome."""

    rows: Bytes
    """(n, width) bytes of UNIT_FIELDS and OUTCOME_FIELDS, as the first extract states them; ascending."""
    extract: Int64s
    """The number of this extract. An extract that has the unit complete comes in front of others."""
    are_compensated: Flags
    """Whether a unit was committed, and took changes back: UORHASCOMP."""

    @classmethod
    def of(cls, heads: Sequence[ExtractHeads]) -> UnitEnds:
        """The outcomes of the units of all extracts. Raises FramingError LMP-F013 if two extracts differ in one."""
        every = [one.ended for one in heads]
        rows, extract = np.concatenate(every), np.repeat(np.arange(len(heads)), [len(one) for one in every])
        units = keys(rows[:, :UNIT_WIDTH])
        is_incomplete = rows[:, _INCOMPLETE] == 1
        for number in set(extract[is_incomplete].tolist()):  # an extract has rows of a unit with and without the flag
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
    def units(self) -> Keys:
        """UNIT_FIELDS of the units, ascending."""
        return keys(self.rows[:, :UNIT_WIDTH])

    def extract_of(self, units: Keys) -> Int64s:
        """The number of the extract that states the outcome of each unit first; -1 if none does."""
        if not len(self.rows):
            return np.full(len(units), -1)
        place = np.minimum(np.searchsorted(self.units, units), len(self.rows) - 1)
        return np.where(self.units[place] == units, self.extract[place], -1)

    def of_open_units(self, heads: ExtractHeads) -> UnitOutcomes:
        """The outcomes of the units that an extract calls open."""
        rows = self.rows[np.isin(self.units, keys(heads.open_units))]
        return UnitOutcomes(rows[:, :UNIT_WIDTH], rows[:, UNIT_WIDTH:])

    def commits(self, units: Keys) -> tuple[Int64s, Keys]:
        """The committed ones of some units: their numbers, ascending, and the positions of their commits."""
        which = np.flatnonzero(np.isin(self.units, units))
        commits = keys(stated_commits(self.rows[which]))
        is_committed = commits > b""
        return which[is_committed], commits[is_committed]


def _check_same(heads: Sequence[ExtractHeads], rows: Bytes, extract: Int64s, first: Int64s) -> None:
    """Raise FramingError if extracts differ in the outcome of a unit. Times may be cut, so they are not compared.

    `first` has, for each row, the number of the first row of its unit. A difference inside of one extract is a matter
    of its records.
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
        what = f"states another outcome of unit of recovery {shown_unit(rows[place])}"
        raise not_one(f"{heads[extract[first[place]]].path} {what}", heads[extract[place]].path)
