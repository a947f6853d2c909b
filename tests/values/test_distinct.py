"""Distinct rows: equal rows get one number, others another."""

from __future__ import annotations

import numpy as np
import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st

from lmparse.values.distinct import Distinct


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
