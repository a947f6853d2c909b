"""A change in segments that is in several extracts is given once, however each of them has cut it."""

from __future__ import annotations

from pathlib import Path

import pytest
from bmc.split_extracts import ENGINES, TABLE, TEXT, Extracts, cut, fields, whole
from counted import growth, operations
from writers.bmc import lldf
from writers.bmc.control import Table
from writers.bmc.fields import key

from lmparse.bmc import change_copies
from lmparse.bmc.change_record import table_places
from lmparse.bmc.repeated_changes import SharedSegment
from lmparse.framing.extents import RecordExtent


@ENGINES
def test_headers_of_other_lengths_move_the_cut(extracts: Extracts, engine: str) -> None:
    short = {"size": 277}
    extracts.add(*whole(0, "a"), *cut(1, TEXT, 112), *whole(2, "b"))
    records = [*cut(1, TEXT, 123, **short), *whole(2, "b", **short), *whole(3, "c", **short)]
    extracts.add(*records, header=lldf.described(277))
    assert extracts.texts(engine) == ["a", TEXT, "b", "c"]
    assert extracts.check() == 0


@ENGINES
def test_a_change_in_two_forms_of_rows_is_not_compared(extracts: Extracts, engine: str) -> None:
    extracts.add(*whole(0, "a"), *cut(1, TEXT, 150), *whole(2, "b"))
    extracts.add(*cut(1, TEXT, 150, 900), *whole(2, "b", 900), *whole(3, "c", 900), expandvar="Y")
    assert extracts.texts(engine) == ["a", TEXT, "b", "c"]
    assert extracts.check() == 0


@ENGINES
def test_segments_in_two_forms_of_rows_are_not_put_together(extracts: Extracts, engine: str) -> None:
    """As many segments in both, of which each has other bytes."""
    extracts.add(*whole(0, "a"), cut(1, TEXT, 110)[0])
    extracts.add(cut(1, TEXT, 460, 900)[1], *whole(2, "b", 900), expandvar="Y")
    assert extracts.texts(engine) == ["a", "b"]
    assert extracts.check() == 20


@ENGINES
@pytest.mark.parametrize("is_first_whole", [True, False])
def test_one_record_and_segments_of_one_change_are_compared(
    is_first_whole: bool, extracts: Extracts, engine: str
) -> None:
    one, other = whole(1, TEXT), cut(1, f"{TEXT[:-1]}?", 150)
    first, last = (one, other) if is_first_whole else (other, one)
    extracts.add(*whole(0, "a"), *first)
    extracts.add(*last, *whole(3, "c"))
    assert extracts.texts(engine) == []
    assert "has another change at the position of a record [LMP-F013]" in extracts.said
    assert extracts.check() == 24


@ENGINES
@pytest.mark.parametrize(("one", "other"), [
    ({"capacity": 109}, {"capacity": 115}),  # as many segments, of which the last ones have other lengths
    ({"capacity": 109, "base": 0}, {"capacity": 109, "base": 1}),  # the last segment of one, the first of the other
])  # fmt: skip
def test_segments_of_one_number_need_not_be_the_same(
    one: dict[str, int], other: dict[str, int], extracts: Extracts, engine: str
) -> None:
    """None of both has the first segment of its change, or shows from where it counts."""
    extracts.add(*whole(0, "a"), cut(1, TEXT, **one)[1])
    extracts.add(cut(1, TEXT, **other)[1 - other.get("base", 0)], *whole(2, "b"))
    assert extracts.texts(engine) == ["a", "b"]
    assert extracts.said.count("[LMP-R004]") == 2
    assert extracts.check() == 20


@ENGINES
def test_segments_of_one_number_that_count_from_other_ones_are_not_put_together(
    extracts: Extracts, engine: str
) -> None:
    extracts.add(*whole(0, "a"), *cut(1, TEXT, 75, base=0)[:2], *cut(5, TEXT, 75, base=0))
    extracts.add(*cut(1, TEXT, 75, base=1)[:2], *whole(2, "b"))
    assert sorted(extracts.texts(engine)) == [TEXT, "a", "b"]
    assert extracts.said.count("[LMP-R004]") == 2


@ENGINES
def test_one_record_and_segments_of_one_change_are_given_once(extracts: Extracts, engine: str) -> None:
    extracts.add(*whole(0, "a"), *whole(1, TEXT), segmented="N")
    extracts.add(*cut(1, TEXT, 150), *whole(3, "c"))
    extracts.add(*cut(1, TEXT, 60), *whole(4, "d"))
    assert extracts.texts(engine) == ["a", TEXT, "c", "d"]
    assert extracts.check() == 0


@ENGINES
@pytest.mark.parametrize("is_whole_first", [True, False])
def test_the_last_segment_of_another_cut_is_not_compared(is_whole_first: bool, extracts: Extracts, engine: str) -> None:
    """Nothing else shows where its extract cuts changes."""
    first, last = cut(1, TEXT, 112), cut(1, TEXT, 150)
    assert len(first) == len(last) == 2
    if is_whole_first:
        extracts.add(*whole(0, "a"), *first, *whole(2, "b"))
        extracts.add(last[1], *whole(2, "b"), *whole(3, "c"))
    else:
        extracts.add(*whole(0, "a"), last[1])
        extracts.add(*first, *whole(2, "b"), *whole(3, "c"))
    assert extracts.texts(engine) == ["a", TEXT, "b", "c"]
    assert extracts.check() == 0


@ENGINES
def test_segments_that_are_cut_elsewhere_are_not_lent(extracts: Extracts, engine: str) -> None:
    """Both extracts lack one of their three segments, and what they have does not fit together."""
    one, other = cut(1, TEXT, 80), cut(1, TEXT, 95)
    assert len(one) == len(other) == 3
    extracts.add(*whole(0, "a"), *one[:2])
    extracts.add(*other[1:], *whole(3, "c"))
    assert extracts.texts(engine) == ["a", "c"]


@ENGINES
@pytest.mark.parametrize("what", ["whole", "part"])
def test_extracts_number_segments_from_0_and_from_1(what: str, extracts: Extracts, engine: str) -> None:
    first, last = cut(1, TEXT, 80, base=0), cut(1, TEXT, 80, base=1)
    extracts.add(*whole(0, "a"), *(first if what == "whole" else first[:2]))
    extracts.add(*last, *whole(3, "c"))
    assert extracts.texts(engine) == ["a", TEXT, "c"]
    assert extracts.check() == 0


@pytest.mark.parametrize(
    ("kept", "place", "number"),
    [((0, 1), 0, 2), ((0, 1), 0, 3), ((0, 1), 1, 1), ((0, 1), 1, 3), ((1, 2), 0, 1), ((1, 2), 1, 1), ((1, 2), 1, 0),
     ((0,), 0, 2), ((0,), 0, 3), ((2,), 0, 1)],
)  # fmt: skip
def test_a_segment_whose_number_is_damaged_is_not_of_the_change(
    kept: tuple[int, ...], place: int, number: int, extracts: Extracts
) -> None:
    """Another extract has all segments, with this DATA behind another number."""
    every = cut(1, TEXT, 80)
    some = [every[at] for at in kept]
    at, width = table_places(["seg_num"])["seg_num"]
    some[place] = some[place][:at] + number.to_bytes(width, "big") + some[place][at + width :]
    extracts.add(*whole(0, "a"), *some)
    extracts.add(*every, *whole(3, "c"))
    assert extracts.check() in (20, 24)


@ENGINES
def test_a_statement_that_is_put_together_is_said(extracts: Extracts, engine: str) -> None:
    """Nothing in it shows that its segments do not fit, as the lengths in DATA of a row do."""
    statement = f"CREATE TABLE {TEXT}".encode("cp037")
    named = {**fields(2), key("changetype"): "SC"}
    one, other = lldf.segmented(named, statement, 120)
    extracts.add(*whole(0, "a"), one)
    extracts.add(other, *whole(3, TEXT))
    assert extracts.texts(engine) == ["a", TEXT]
    assert "nothing shows whether these cut them at the same places" in extracts.said


@pytest.mark.parametrize("how", ["cut", "lent"])
def test_the_cost_is_that_of_the_segments_and_that_of_the_tables(
    how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not of each segment times all tables: an extract is opened once for all segments that are read from it."""

    def cost(size: int) -> int:
        folder = tmp_path / f"{size}"
        folder.mkdir()
        extracts = Extracts(folder, capsys)
        tables = [TABLE, *(Table(0x105, 2, 10 + number, "PROD", f"T{number}", TABLE.columns) for number in range(size))]
        pieces = [cut(1 + number, TEXT, 150) for number in range(size)]
        other = [cut(1 + number, TEXT, 120) for number in range(size)]
        first, last = (pieces, other) if how == "cut" else ([one[:1] for one in pieces], [one[1:] for one in pieces])
        extracts.add(*whole(0, "a"), *(record for records in first for record in records), tables=tables)
        extracts.add(*(record for records in last for record in records), *whole(999, "c"), tables=tables)
        found: list[str] = []
        counted = operations(lambda: found.extend(extracts.texts()))
        assert found == ["a", *[TEXT] * size, "c"]
        return counted

    assert growth(cost, 10) < 2.4


def test_the_cost_of_one_change_is_that_of_its_segments() -> None:
    def cost(size: int) -> int:
        segments = [
            SharedSegment(b"", size + 1, number, RecordExtent(number, ((number, 1),), number), 0, b"", 1, True, True)
            for number in range(size)
        ]
        return operations(lambda: list(change_copies.changes_of(0, segments, {})))

    assert growth(cost, 200) < 2.2
