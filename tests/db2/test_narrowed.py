"""Arrays of records that travel between processes or through a file, in fewer bytes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from lmparse.db2.record_columns import Ends, narrowed, widened


@given(arrays.arrays(st.sampled_from(["u8", "i8", "i2", "?"]), st.integers(0, 9)))
def test_numbers_are_the_same_behind_narrowing(values: np.ndarray) -> None:
    found = widened(*narrowed(values))
    assert found.dtype == values.dtype
    assert found.tolist() == values.tolist()


@pytest.mark.parametrize(
    ("values", "width"),
    [([7, 7, 7], 0), ([-5, 250], 1), ([1 << 40, (1 << 40) + 256], 2), ([-(1 << 63), (1 << 63) - 1], 8)],
)
def test_differences_take_the_bytes_that_they_need(values: list[int], width: int) -> None:
    differences = narrowed(np.array(values))[2]
    assert (0 if isinstance(differences, int) else differences.itemsize) == width


def test_pickled_arrays_are_smaller() -> None:
    count = 10_000
    ends = Ends(np.arange(count), np.full(count, 1_773_482_000) + np.arange(count) // 9, np.zeros(count, np.int64))
    data = pickle.dumps(ends)
    assert len(data) < 5 * count
    found = pickle.loads(data)
    assert all((getattr(found, name) == getattr(ends, name)).all() for name in ("member", "time", "authid"))
    found.member[0] = 9  # what comes out may be changed
