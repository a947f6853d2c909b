"""The cost of finding which copies of extracts are of one change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from counted import growth, operations

from lmparse.bmc.change_copies import ChangeCopy, Copies, part_of
from lmparse.bmc.change_pairs import by_data
from lmparse.bmc.repeated_changes import SharedSegment
from lmparse.framing.extents import RecordExtent


def segment(offset: int, number: int, total: int, data: int) -> SharedSegment:
    """`data` stands for its bytes."""
    extent = RecordExtent(offset, ((offset, 1),), None)
    return SharedSegment(b"", total, number, extent, 0, data.to_bytes(16, "big"), 1, True, True)


def whole(rank: int, place: int, data: int) -> ChangeCopy:
    return part_of(rank, [segment(place + number, number, 2, data) for number in (1, 2)], data.to_bytes(16, "big"))


def half(rank: int, place: int, number: int, data: int) -> ChangeCopy:
    return part_of(rank, [segment(place, number, 2, data)])


def turned(rank: int, place: int, data: int = 0) -> ChangeCopy:
    """The last segment of a change and the first one of the next, which look like a whole one."""
    return part_of(rank, [segment(place, 2, 2, 0), segment(place + 1, 1, 2, data)], b"turned %d" % data)


def copies(shape: str, size: int) -> Copies:
    """What two extracts have of one identity."""
    places, last = range(0, 2 * size, 2), 2 * size
    changes, same = [whole(0, place, place) for place in places], [whole(0, place, 0) for place in places]
    return {
        "whole changes": [changes, [whole(1, place, place) for place in places]],
        "the same change": [same, [whole(1, place, 0) for place in places]],
        "incomplete changes": [changes, [replace(copy, rank=1, digest=b"") for copy in changes]],
        "parts of whole ones": [changes, [half(1, place, 1, place) for place in places]],
        "parts of the same one": [same, [half(1, place, 1, 0) for place in places]],
        "parts of no change": [changes, [half(1, place, 1, last + place) for place in places]],
        "parts alone": [[half(0, place, 1, place) for place in places], [half(1, place, 2, place) for place in places]],
        "one with many segments": [
            [part_of(0, [segment(number, number, size, number) for number in range(1, size)])],
            [part_of(1, [segment(number, number, size, number) for number in range(2, size + 1)])],
        ],
        "parts of other totals": [
            [part_of(0, [segment(number, 1, 2 + number, number) for number in range(size)])],
            [part_of(1, [segment(number, 2, 2 + number, number) for number in range(size)])],
        ],
        "parts with the bytes of a segment": [
            [part_of(0, [segment(number, number, size, number) for number in range(1, size + 1)], b"all")],
            [part_of(1, [segment(number, 1, size + number, number) for number in range(1, size + 1)])],
        ],
        "records with the bytes of a segment": [
            [part_of(0, [segment(number, number, size, number) for number in range(1, size + 1)], b"all")],
            [replace(whole(1, place, place // 2 + 1), segments=()) for place in places],
        ],
        "runs of the same bytes": [[turned(rank, place) for place in places] for rank in (0, 1)],
        "runs of other bytes": [[turned(rank, place, place + rank) for place in places] for rank in (0, 1)],
    }[shape]  # fmt: skip


@pytest.mark.parametrize("shape", [
    "whole changes", "the same change", "incomplete changes", "parts of whole ones", "parts of the same one",
    "parts of no change", "parts alone", "one with many segments", "parts of other totals",
    "parts with the bytes of a segment", "records with the bytes of a segment", "runs of the same bytes",
    "runs of other bytes",
])  # fmt: skip
def test_the_cost_is_that_of_the_copies(shape: str) -> None:
    def cost(size: int) -> int:
        found = copies(shape, size)
        return operations(lambda: by_data(found, lambda *_: False, [1, 1, 1]))

    assert growth(cost, 200) < 2.3


def test_each_copy_is_of_one_change() -> None:
    for shape in ("whole changes", "incomplete changes", "parts of whole ones", "parts of no change", "parts alone"):
        given = [offset for own in copies(shape, 5) for copy in own for offset in copy.offsets]
        pairs = by_data(copies(shape, 5), lambda *_: False, [1, 1, 1])
        assert sorted(offset for change in pairs.changes for copy in change for offset in copy.offsets) == sorted(given)
