"""Scans: what a pass by the array finds is what a pass record by record does."""

from __future__ import annotations

import random
from typing import Any

import pytest
from writers.bmc import framing

from lmparse.framing.extents import RecordExtent
from lmparse.framing.framings import framing_of
from lmparse.framing.index import above, firsts, windows

PLACES = [(1, 2), (5, 1)]


def some_file(seed: int) -> bytes:
    chance = random.Random(seed)
    return framing.rdw([bytes(chance.choices(b"ab", k=chance.choice((0, 3, 5, 6, 9)))) for _ in range(300)])


@pytest.mark.parametrize("max_records", [1, 7, 8192])
@pytest.mark.parametrize("seed", range(4))
def test_firsts(seed: int, max_records: int) -> None:
    data, way = some_file(seed), framing_of("rdw")
    seen: dict[Any, RecordExtent] = {}
    for extent in way.extents(data):
        raw = extent.read(data)
        key = tuple(raw[start : start + width] for start, width in PLACES) if len(raw) >= 6 else extent.index
        seen.setdefault(key, extent)
    found = firsts(windows(way, data, max_records=max_records), PLACES)
    assert [extent.index for extent in found] == [extent.index for extent in seen.values()]


def test_above() -> None:
    data, way = some_file(2), framing_of("rdw")
    limit = int.from_bytes(b"ab", "big")
    wanted = [extent.index for extent in way.extents(data) if (raw := extent.read(data))[3:5] > b"ab" and len(raw) >= 5]
    assert [extent.index for extent in above(windows(way, data), (3, 2), limit)] == wanted
    assert wanted
