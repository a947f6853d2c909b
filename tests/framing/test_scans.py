"""Scans and distinct rows: what a pass by the array finds is what a pass record by record does."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from writers.bmc import framing

from lmparse.framing import scans
from lmparse.framing.extents import RecordExtent
from lmparse.framing.framings import framing_of
from lmparse.framing.index import windows
from lmparse.values.distinct import Distinct

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
    found = scans.firsts(windows(way, data, max_records=max_records), PLACES)
    assert [extent.index for extent in found] == [extent.index for extent in seen.values()]


def test_firsts_of_nothing() -> None:
    data, way = some_file(1), framing_of("rdw")
    assert [extent.index for extent in scans.firsts(windows(way, data), [])] == [0]
    assert list(scans.firsts(windows(way, b""), PLACES)) == []


def test_above() -> None:
    data, way = some_file(2), framing_of("rdw")
    limit = int.from_bytes(b"ab", "big")
    wanted = [extent.index for extent in way.extents(data) if (raw := extent.read(data))[3:5] > b"ab" and len(raw) >= 5]
    assert [extent.index for extent in scans.above(windows(way, data), (3, 2), limit)] == wanted
    assert wanted


# distinct rows


@examples(25, 50)
@given(st.data())
def test_distinct_rows(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 20))
    found, known = Distinct(width), dict[bytes, int]()
    for _ in range(3):
        rows = data.draw(st.lists(st.binary(min_size=width, max_size=width), max_size=20))
        rows += data.draw(st.lists(st.sampled_from(rows), max_size=20)) if rows else []
        numbers = found.of(np.frombuffer(b"".join(rows), np.uint8).reshape(-1, width))
        assert [found.row(number) for number in numbers.tolist()] == rows
        for row, number in zip(rows, numbers.tolist(), strict=True):
            assert known.setdefault(row, number) == number
    assert len(found) == len(known)
    assert sorted(known.values()) == list(range(len(known)))


def test_rows_that_share_a_key_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Distinct(16)
    monkeypatch.setattr(found, "_factors", np.zeros(2, np.uint64))  # the key of every row is zero
    rows = np.arange(64, dtype=np.uint8).reshape(4, 16)
    for _ in range(2):
        numbers = found.of(rows[[0, 1, 2, 0, 3, 1]])
        assert [found.row(number) for number in numbers] == [rows[place].tobytes() for place in (0, 1, 2, 0, 3, 1)]
        assert numbers[0] == numbers[3]
    assert len(found) == 4
