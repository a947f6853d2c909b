"""Summary counts: what a summary counts of a log of any size, in memory that does not grow with it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from lmparse.values.byte_arrays import Int64s

EXACT_DIGITS = 4
"""Numbers of so many digits are counted as they are; of larger ones the first so many digits are kept."""
STEPS = (1, 10, 60, 600, 3600, 21_600, 86_400, 864_000, 8_640_000, 86_400_000)
"""Widths of time bins, in seconds, from a second to 1,000 days; each is a multiple of the one before."""
MOST_BINS = 4096
"""Bins that are held; the years 1 to 9999 have fewer bins of the widest kind."""
MOST_NAMES = 10_000
"""Names that are counted apart; those that come later are counted together."""


class Distribution:
    """Whole numbers from zero: how many there are, the least, the greatest, and quantiles.

    Numbers of 10,000 and more are counted by their first four digits: a quantile among them may be up to 0.1 % too low.
    """

    def __init__(self) -> None:
        self.count = 0
        self.least: int | None = None
        self.greatest: int | None = None
        self._counts: dict[int, int] = {}

    def add(self, number: int) -> None:
        """Count a number."""
        unit = 10 ** max(len(str(number)) - EXACT_DIGITS, 0)
        place = number // unit * unit
        self._counts[place] = self._counts.get(place, 0) + 1
        self.count += 1
        self.least = number if self.least is None else min(self.least, number)
        self.greatest = number if self.greatest is None else max(self.greatest, number)

    def quantile(self, percent: int) -> int | None:
        """The least number such that so many per cent of all are not above it; None if there is none."""
        rank, passed = -(-percent * self.count // 100), 0
        for place, count in sorted(self._counts.items()):
            passed += count
            if passed >= rank:
                return max(place, self.least or 0)
        return None

    def bins(self) -> Iterator[tuple[int, int, int]]:
        """How many numbers are in each of the ranges 0, 1, 2 to 4, 5 to 9, 10 to 19, 20 to 49 and so on: the first and
        the last number of a range, and the count. Ranges below the least and above the greatest number are left out."""
        counts: dict[int, int] = {}
        for place, count in self._counts.items():
            low = _range_start(place)
            counts[low] = counts.get(low, 0) + count
        low, last = min(counts, default=0), max(counts, default=-1)
        while low <= last:
            end = _range_end(low)
            yield low, end - 1, counts.get(low, 0)
            low = end

    def to_dict(self) -> dict[str, Any]:
        """The distribution as JSON."""
        return {
            "count": self.count, "least": self.least, "median": self.quantile(50), "p95": self.quantile(95),
            "greatest": self.greatest, "ranges": [list(one) for one in self.bins()],
        }  # fmt: skip


def _range_start(number: int) -> int:
    """The first number of the range that a number is in."""
    power: int = 10 ** (len(str(number)) - 1)
    return power * max(first for first in (0, 1, 2, 5) if first * power <= number)


def _range_end(start: int) -> int:
    """The first number behind a range."""
    first = str(start)[0]
    return start + 1 if not start else start * 5 // 2 if first == "2" else start * 2


class TimeBins:
    """How many things happened when. Times are seconds since 1970; bins become wider when they are too many."""

    def __init__(self) -> None:
        self.step = STEPS[0]
        """Seconds of a bin."""
        self._counts: dict[int, int] = {}
        """By number of the bin: the second that it begins with, divided by its width."""

    def add(self, seconds: Int64s) -> None:
        """Count times."""
        places, counts = np.unique(seconds // self.step, return_counts=True)
        for place, count in zip(places.tolist(), counts.tolist(), strict=True):
            self._counts[place] = self._counts.get(place, 0) + count
        self._widen()

    def add_one(self, second: int) -> None:
        """Count one time."""
        place = second // self.step
        self._counts[place] = self._counts.get(place, 0) + 1
        self._widen()

    def _widen(self) -> None:
        while len(self._counts) > MOST_BINS:
            self._counts, self.step = self._wider(STEPS[STEPS.index(self.step) + 1])

    def _wider(self, step: int) -> tuple[dict[int, int], int]:
        counts: dict[int, int] = {}
        for place, count in self._counts.items():
            wide = place * self.step // step
            counts[wide] = counts.get(wide, 0) + count
        return counts, step

    def span(self, step: int) -> tuple[int, int] | None:
        """The first and the last bin of a width; None without times."""
        counts = self._wider(step)[0]
        return (min(counts), max(counts)) if counts else None

    def counts(self, step: int, first: int, last: int) -> list[int]:
        """The counts of all bins of a width, from the first to the last."""
        counts = self._wider(step)[0]
        return [counts.get(place, 0) for place in range(first, last + 1)]


def over_time(kinds: list[TimeBins], most: int) -> tuple[int, int, list[list[int]]]:
    """Counts of several kinds in the same bins: at most `most`, as narrow as possible, unless the widest are too many.

    Returns the seconds of a bin, the second that the first one begins with, and the counts of each kind; without
    times there is no bin.
    """
    steps = [step for step in STEPS if step >= max(one.step for one in kinds)]
    for step in steps:
        spans = [span for one in kinds if (span := one.span(step)) is not None]
        if not spans:
            break
        first, last = min(low for low, _ in spans), max(high for _, high in spans)
        if last - first < most or step == steps[-1]:
            return step, first * step, [one.counts(step, first, last) for one in kinds]
    return steps[0], 0, [[] for _ in kinds]


class NamedCounts:
    """Counts by name. Names beyond the first MOST_NAMES are counted together."""

    def __init__(self, *columns: str) -> None:
        self.columns = columns
        self._found: dict[Hashable, list[int]] = {}
        self._others = [0] * len(columns)
        self.has_others = False

    def add(self, name: Hashable, *numbers: int) -> None:
        """Add a number to each column of a name."""
        counts = self._found.get(name)
        if counts is None and len(self._found) < MOST_NAMES:
            counts = self._found[name] = [0] * len(self.columns)
        if counts is None:
            counts, self.has_others = self._others, True
        for place, number in enumerate(numbers):
            counts[place] += number

    def __len__(self) -> int:
        return len(self._found)

    def ordered(self, by: str) -> list[tuple[Any, dict[str, int]]]:
        """Names with their counts, by the greatest of one column; equal ones by name."""
        place = self.columns.index(by)
        found = sorted(self._found.items(), key=lambda one: (-one[1][place], str(one[0] or "")))
        return [(name, dict(zip(self.columns, counts, strict=True))) for name, counts in found]

    @property
    def others(self) -> dict[str, int] | None:
        """The counts of the names that are not counted apart; None if there are none."""
        return dict(zip(self.columns, self._others, strict=True)) if self.has_others else None

    def total(self, column: str) -> int:
        """The sum of a column over all names."""
        place = self.columns.index(column)
        return sum(counts[place] for counts in self._found.values()) + self._others[place]
