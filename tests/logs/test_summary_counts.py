"""Counts in memory that does not grow: distributions, bins of time, names."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from lmparse.logs import summary_counts
from lmparse.logs.summary_counts import MOST_BINS, STEPS, Distribution, NamedCounts, TimeBins, over_time


def ranked(numbers: list[int], percent: int) -> int:
    """The quantile by its definition: the least number that so many per cent are not above."""
    return next(n for n in sorted(numbers) if 100 * sum(m <= n for m in numbers) >= percent * len(numbers))


@pytest.mark.parametrize("greatest", [1, 50, 9_999, 10**15])
def test_quantiles_are_those_of_the_definition(greatest: int) -> None:
    chosen = random.Random(greatest)
    numbers = [int(chosen.random() ** 6 * greatest) for _ in range(301)]
    found = Distribution()
    for number in numbers:
        found.add(number)
    assert (found.count, found.least, found.greatest) == (301, min(numbers), max(numbers))
    for percent in (1, 50, 95, 100):
        exact, got = ranked(numbers, percent), found.quantile(percent)
        assert got is not None
        assert got == exact if exact < 10_000 else 0.999 * exact < got <= exact
    for low, high, count in found.bins():
        assert count == sum(low <= number <= high for number in numbers)
    assert sum(count for _, _, count in found.bins()) == 301


def test_ranges_are_one_two_five_and_adjoin() -> None:
    found = Distribution()
    for number in (0, 999, 12_345_678):
        found.add(number)
    ranges = list(found.bins())
    assert [low for low, _, _ in ranges][:9] == [0, 1, 2, 5, 10, 20, 50, 100, 200]
    assert all(one[1] + 1 == other[0] for one, other in pairwise(ranges))
    assert [low for low, _, count in ranges if count] == [0, 500, 10_000_000]


def test_nothing_is_counted() -> None:
    assert Distribution().to_dict() == {
        "count": 0, "least": None, "median": None, "p95": None, "greatest": None, "ranges": [],
    }  # fmt: skip
    assert over_time([TimeBins(), TimeBins()], 10)[2] == [[], []]


@pytest.mark.parametrize("span", [1, 59, 3_000, 86_400 * 3, 86_400 * 365 * 9_000])
def test_bins_are_as_narrow_as_their_number_allows(span: int) -> None:
    chosen = random.Random(span)
    seconds = np.array([chosen.randrange(-span // 2, span // 2 + 1) for _ in range(MOST_BINS + 2000)])
    bins = TimeBins()
    for start in range(0, len(seconds), 500):
        bins.add(seconds[start : start + 500])
        assert len(bins._counts) <= MOST_BINS
    single = TimeBins()
    for second in seconds.tolist():
        single.add_one(second)
    assert over_time([single], 60) == over_time([bins], 60)
    step, first, (counts,) = over_time([bins], 60)
    edges = first + step * np.arange(len(counts) + 1)
    assert counts == [int(((low <= seconds) & (seconds < low + step)).sum()) for low in edges[:-1]]
    assert sum(counts) == len(seconds)
    narrower = [one for one in STEPS if one < step]
    assert not narrower or (max(seconds) // narrower[-1] - min(seconds) // narrower[-1] >= 60 or step == bins.step)


def test_kinds_have_the_same_bins() -> None:
    one, other = TimeBins(), TimeBins()
    one.add(np.array([5, 5, 65]))
    other.add(np.array([185]))
    assert over_time([one, other], 4) == (60, 0, [[2, 1, 0, 0], [0, 0, 0, 1]])
    assert over_time([one, other], 19) == (10, 0, [[2, *[0] * 5, 1, *[0] * 12], [*[0] * 18, 1]])


def test_names_beyond_the_most_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary_counts, "MOST_NAMES", 2)
    found = NamedCounts("units", "bytes")
    for name, size in (("a", 5), ("b", 7), ("c", 1), ("a", 5), ("d", 2)):
        found.add(name, 1, size)
    assert found.ordered("bytes") == [("a", {"units": 2, "bytes": 10}), ("b", {"units": 1, "bytes": 7})]
    assert found.others == {"units": 2, "bytes": 3}
    assert found.total("bytes") == 20
