"""Unique names: whatever the names in a log are, no two columns have one name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmparse.changes.descriptions import unique_names

NAMES = st.one_of(st.text(max_size=4), st.text("A#12", max_size=8))
"""Names of any characters, and names that look like those that are made."""


@given(st.lists(st.tuples(NAMES, st.integers(0, 30)), max_size=12), st.sets(NAMES, max_size=3))
def test_no_name_occurs_twice(named: list[tuple[str, int]], taken: set[str]) -> None:
    names = unique_names(named, taken)
    assert len({*names}) == len(names) == len(named)
    assert not taken.intersection(names)
    for place, ((name, _), unique) in enumerate(zip(named, names, strict=True)):
        is_first = name not in taken and name not in [before for before, _ in named[:place]]
        assert unique == name if is_first else unique.startswith(f"{name}#")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["A", "B"], ["A", "B"]),
        (["A", "A", "A"], ["A", "A#2", "A#3"]),
        (["A#3", "A", "A"], ["A#3", "A", "A#3#3"]),
        (["A", "A", "A#2"], ["A", "A#2#2", "A#2"]),
        (["", ""], ["", "#2"]),
    ],
)
def test_the_first_keeps_its_name(names: list[str], expected: list[str]) -> None:
    assert unique_names((name, number) for number, name in enumerate(names, 1)) == expected


def test_many_columns_of_one_name_take_a_step_each() -> None:
    assert len({*unique_names(("A", number) for number in range(20_000))}) == 20_000
