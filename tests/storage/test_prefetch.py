"""Prefetch: the same items and the same error, and no thread that stays."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from lmparse.storage.prefetch import prefetched


def threads() -> int:
    return sum(thread.name == "lmparse prefetch" for thread in threading.enumerate())


@pytest.mark.parametrize("count", [0, 1, 2, 3, 100])
def test_items_in_order(count: int) -> None:
    assert list(prefetched(iter(range(count)))) == list(range(count))
    assert not threads()


def test_none_is_an_item() -> None:
    assert list(prefetched(iter([None, 0, None]))) == [None, 0, None]


def test_an_error_comes_behind_what_was_good() -> None:
    def items() -> Iterator[int]:
        yield from range(5)
        raise ValueError("broken")

    found = []
    with pytest.raises(ValueError, match="broken"):
        found.extend(iter_into(prefetched(items()), found))
    assert found == list(range(5))
    assert not threads()


def iter_into(items: Iterator[int], found: list[int]) -> Iterator[int]:
    for item in items:
        found.append(item)
    return iter(())


def test_no_more_is_made_than_asked_for_and_a_few() -> None:
    made = []

    def items() -> Iterator[int]:
        for number in range(1000):
            made.append(number)
            yield number

    some = prefetched(items(), 2)
    assert next(some) == 0
    time.sleep(0.05)
    assert len(made) <= 5
    some.close()  # type: ignore[attr-defined]
    assert not threads()
