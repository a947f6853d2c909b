"""Change numbers: the number of each change among those of its position, over all extracts that have some of them.

A file shows the number of a change by its order; where another extract has other changes of the position, that one is
another number. Changes in one record and changes in segments are numbered together, in the order in which the extracts
have them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np

from lmparse.bmc.extract_heads import ExtractHeads, not_one
from lmparse.bmc.extract_settings import LentSegment
from lmparse.bmc.repeated_changes import Given, SharedRows
from lmparse.bmc.unit_outcomes import UNIT_FIELDS, keys, widths
from lmparse.values.byte_arrays import Flags

_UNIT = widths(UNIT_FIELDS[1:])[0]
Clock = Callable[[bytes], bytes]
"""The position in the log that an identity states: LRSN, or RBA outside data sharing."""


@dataclass(frozen=True, slots=True)
class PlacedChange:
    """What one extract has of a change that `change_pairs` has told apart."""

    rank: int
    """Number of the extract."""
    identity: bytes
    offsets: tuple[int, ...]
    """Where its records are, the first one first."""
    ordinal: int
    """The number that the file shows."""
    change: int
    """Number of the change: the same in all extracts that have it."""
    is_given: bool
    """Whether this extract gives the change."""
    lent: tuple[int, ...] = ()
    """Which of the segments that are lent to the extract are of the change."""


def number_changes(
    rows: SharedRows, placed: Sequence[PlacedChange], given: Sequence[Given], lent: Sequence[list[LentSegment]],
    heads: Sequence[ExtractHeads], position: int, *, clock: Clock, is_of_one: bool,
) -> int:  # fmt: skip
    """Set the numbers of changes in `given`, and in segments that are lent.

    `rows` and `placed` are all records of the extracts, changes in one record and in segments. `position` is the width
    of the position in an identity; `is_of_one` says whether two members of a data sharing group cannot have the same.

    Returns at how many positions two extracts have different changes though both go on in front of and behind these.
    Raises FramingError LMP-F013 for changes of several units at one position.
    """
    contradicting = 0
    by_place: dict[bytes, list[PlacedChange]] = {}
    for entry in _entries(rows, placed, position):
        by_place.setdefault(entry.identity[:position], []).append(entry)
    for members in by_place.values():
        if len({one.rank for one in members}) < 2 or len({one.change for one in members}) < 2:
            continue
        members.sort(key=lambda one: (one.rank, one.offsets[0]))
        if is_of_one:
            _check_units(members, heads, position)
        contradicting += _is_contradicting(members, heads, clock(members[0].identity))
        numbers = {change: number for number, change in enumerate(_in_order(members))}
        for one in members:
            if one.is_given:
                _set(one, numbers[one.change], given[one.rank], lent[one.rank])
    return contradicting


def _is_contradicting(members: Sequence[PlacedChange], heads: Sequence[ExtractHeads], at: bytes) -> bool:
    """Whether two extracts that have all changes of a position have different ones.

    Of the first and the last position that an extract has, it may have some changes only.
    """
    found: dict[int, set[int]] = {}
    for one in members:
        if heads[one.rank].first < at < heads[one.rank].last:
            found.setdefault(one.rank, set()).add(one.change)
    return any(one - other and other - one for one, other in pairwise(found.values()))


def _in_order(members: Sequence[PlacedChange]) -> list[int]:
    """The changes of one position in the order that all extracts show, as far as they do; else as they are met first.

    `members` are sorted by extract and place.
    """
    behind: dict[int, set[int]] = {one.change: set() for one in members}
    waiting = dict.fromkeys(behind, 0)
    for one, other in pairwise(members):
        if one.rank == other.rank and one.change != other.change and other.change not in behind[one.change]:
            behind[one.change].add(other.change)
            waiting[other.change] += 1
    met = {change: number for number, change in enumerate(behind)}
    changes = list(behind)
    free = [met[change] for change, count in waiting.items() if not count]
    heapify(free)
    found = []
    while free:
        found.append(changes[heappop(free)])
        for change in behind[found[-1]]:
            waiting[change] -= 1
            if not waiting[change]:
                heappush(free, met[change])
    return found if len(found) == len(changes) else changes  # extracts contradict each other


def _entries(rows: SharedRows, placed: Sequence[PlacedChange], position: int) -> Iterator[PlacedChange]:
    """The changes of the positions at which there are several, in one form."""
    known = {(one.rank, one.offsets[0]) for one in placed}
    for number in np.flatnonzero(_are_wanted(rows, placed, position)).tolist():
        rank, offset = int(rows.rank[number]), int(rows.offset[number])
        if (rank, offset) not in known:
            # Numbers below zero are not those of changes that were told apart.
            yield PlacedChange(
                rank, rows.identity[number].tobytes(), (offset,), int(rows.ordinal[number]), ~int(rows.change[number]),
                bool(rows.is_given[number]),
            )  # fmt: skip
    yield from placed


def _are_wanted(rows: SharedRows, placed: Sequence[PlacedChange], position: int) -> Flags:
    """The records at positions with several changes, or with one that was told apart."""
    if not len(rows.rank):
        return np.zeros(0, np.bool_)
    at = keys(rows.identity[:, :position])
    order = np.argsort(at, kind="stable")
    begins = np.flatnonzero(np.append(True, at[order][1:] != at[order][:-1]))
    group = np.zeros(len(order), np.int64)
    group[order] = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(order))))
    changes = rows.change[order]
    several: Flags = np.maximum.reduceat(changes, begins) != np.minimum.reduceat(changes, begins)
    if not placed:
        return several[group]
    split = np.frombuffer(b"".join(one.identity[:position] for one in placed), np.uint8).reshape(len(placed), -1)
    return several[group] | np.isin(at, keys(split))


def _set(one: PlacedChange, number: int, given: Given, lent: list[LentSegment]) -> None:
    if number != one.ordinal:
        given.ordinals |= dict.fromkeys(one.offsets, number)
    for place in one.lent:
        lent[place] = replace(lent[place], segment=replace(lent[place].segment, ordinal=number))


def _check_units(members: Sequence[PlacedChange], heads: Sequence[ExtractHeads], position: int) -> None:
    """Raise FramingError if a change that one extract has is of another unit than those of others at its position."""

    def unit(one: PlacedChange) -> bytes:
        return one.identity[position : position + _UNIT]

    sizes = Counter(one.change for one in members)
    units, own_units = Counter(map(unit, members)), Counter((one.rank, unit(one)) for one in members)
    for one in members:
        if sizes[one.change] == 1 and units[unit(one)] == own_units[one.rank, unit(one)]:
            other = next(other for other in members if other.rank != one.rank)
            error = not_one(f"{heads[other.rank].path} has another change at the position of a record",
                            heads[one.rank].path)  # fmt: skip
            error.record_offset = one.offsets[0]
            raise error
