"""Changes of one position, RID and type are told apart by their bytes, in whatever extracts and segments they are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest
from bmc.split_extracts import ENGINES, TEXT, Extracts, cut, data, fields, whole
from bmc_extracts import by_parts
from writers.bmc import framing, lldf
from writers.bmc.fields import key

from lmparse.bmc.change_record import table_places


@ENGINES
@pytest.mark.parametrize("sizes", [(150, 150), (150, 100), (900, 100), (100, 900)])
def test_changes_of_one_position_are_each_given_once(sizes: Sequence[int], extracts: Extracts, engine: str) -> None:
    """Also where one extract has more of them."""
    first, second = cut(1, TEXT, sizes[0]), cut(1, TEXT[::-1], sizes[1])
    extracts.add(*whole(0, "a"), *first, *second)
    extracts.add(*first, *second, *whole(2, "b"))
    assert extracts.texts(engine) == ["a", TEXT, TEXT[::-1], "b"]
    assert extracts.check() == 0


@ENGINES
@pytest.mark.parametrize("number", [0, 1])
def test_one_of_two_changes_of_a_position(number: int, extracts: Extracts, engine: str) -> None:
    both = [cut(1, TEXT, 150), cut(1, TEXT[::-1], 100)]
    extracts.add(*whole(0, "a"), *both[number])
    extracts.add(*both[0], *both[1], *whole(2, "b"))
    assert sorted(extracts.texts(engine)) == sorted(["a", TEXT, TEXT[::-1], "b"])
    assert extracts.check() == 0


@ENGINES
@pytest.mark.parametrize("lacking", [0, 1, 2])
@pytest.mark.parametrize("order", [1, -1])
def test_changes_of_one_position_have_numbers_of_their_own(
    order: int, lacking: int, extracts: Extracts, engine: str
) -> None:
    """Of three rows at one position; the second one is in two segments, which each extract may lack."""
    one, three = (lldf.record(data(text), **fields(1, rid)) for text, rid in (("a", "01" * 5), ("c", "03" * 5)))
    two = lldf.segmented(fields(1, "02" * 5), data(TEXT), 150)
    extracts.add(one, *two[: 2 - (lacking > 0)])
    extracts.add(*two[lacking == 2 :], three)
    extracts.paths.sort(reverse=order < 0)
    assert sorted(extracts.seqs(engine)) == [0, 1, 2]
    assert extracts.check() == 0


@ENGINES
@pytest.mark.parametrize("order", [1, -1])
def test_the_order_that_one_extract_shows_is_kept(order: int, extracts: Extracts, engine: str) -> None:
    """The second one is whole in another extract, which may come first."""
    two = lldf.segmented(fields(1, "02" * 5), data(TEXT), 150)
    for records in ([lldf.record(data("a"), **fields(1, "01" * 5)), two[0]], two)[::order]:
        extracts.add(*records)
    changes = extracts.changes(engine, "--order", "commit")
    assert [change["after"]["V"] for change in changes] == ["a", TEXT]


@ENGINES
@pytest.mark.parametrize("part", [0, 1])
def test_a_part_of_one_of_several_changes_is_left_to_those_that_have_it_whole(
    part: int, extracts: Extracts, engine: str
) -> None:
    both = [cut(1, TEXT, 150), cut(1, TEXT[::-1], 100)]
    extracts.add(*whole(0, "a"), *both[0][part : part + 1])
    extracts.add(*whole(0, "a"), *both[0], *both[1])
    extracts.add(*both[0], *both[1], *whole(2, "b"))
    assert sorted(extracts.texts(engine)) == sorted(["a", TEXT, TEXT[::-1], "b"])
    assert "LMP" not in extracts.said
    assert extracts.check() == 0


@ENGINES
def test_changes_of_one_position_may_be_cut_otherwise(extracts: Extracts, engine: str) -> None:
    second = cut(1, TEXT[::-1], 100)
    extracts.add(*whole(0, "a"), *cut(1, TEXT, 150), *second)
    extracts.add(*whole(1, TEXT), *second, *whole(2, "b"))
    assert extracts.texts(engine) == ["a", TEXT, TEXT[::-1], "b"]
    assert "positions with several changes" not in extracts.said


A, B, C = TEXT, TEXT[::-1], TEXT[7:] + TEXT[:7]
EVERY = slice(None)
Cut = tuple[str, int, slice]
"""A text, the capacity of a record, and which of its segments."""


@ENGINES
@pytest.mark.parametrize("cuts", [
    [[(A, 150, EVERY)], [(B, 150, slice(1))], [(B, 150, slice(1, 2))]],
    [[(A, 900, EVERY)], [(B, 150, slice(1))], [(B, 150, slice(1, 2))]],
    [[(A, 900, EVERY), (C, 900, EVERY)], [(A, 150, EVERY), (C, 150, EVERY), (B, 150, slice(1))], [(B, 150, EVERY)]],
    [[(A, 900, EVERY), (B, 900, EVERY)], [(B, 900, EVERY), (C, 900, EVERY)]],
    [[(A, 150, slice(1))], [(A, 150, slice(1, 2)), (B, 150, slice(1))], [(B, 150, slice(1, 2))]],
    [[(A, 150, EVERY)], [(A, 150, slice(1, 2)), (B, 150, slice(1))], [(B, 150, slice(1, 2))]],
    [[(A, 150, slice(1))], [(A, 150, slice(1, 2))], [(B, 40, EVERY)]],
    [[(A, 112, EVERY)], [(A, 150, slice(1, 2)), (B, 150, EVERY)]],
])  # fmt: skip
def test_changes_that_only_data_tells_apart_may_be_cut_anywhere(
    cuts: list[list[Cut]], extracts: Extracts, engine: str
) -> None:
    for number, own in enumerate(cuts):
        pieces = [record for text, capacity, which in own for record in _records(text, capacity)[which]]
        segmented = "Y" if any(capacity < len(text) for text, capacity, _ in own) else "N"
        records = *(whole(0, "first") if not number else ()), *pieces, *(whole(2, "last") if number else ())
        extracts.add(*records, segmented=segmented)
    wanted = {text for own in cuts for text, _, _ in own}
    assert sorted(extracts.texts(engine)) == sorted([*wanted, "first", "last"])
    assert "LMP" not in extracts.said
    assert extracts.check() == 0


@ENGINES
@pytest.mark.parametrize("capacities", [(80, 80), (80, 150), (150, 60), (900, 80), (80, 900)])
def test_segments_in_any_order_are_those_of_one_change(
    capacities: tuple[int, int], extracts: Extracts, engine: str
) -> None:
    first, last = (_records(A, capacity)[::-1] for capacity in capacities)
    extracts.add(*whole(0, "a"), *first)
    extracts.add(*last, *whole(2, "b"))
    assert extracts.texts(engine) == ["a", A, "b"]
    assert "LMP" not in extracts.said


@ENGINES
@pytest.mark.parametrize("orders", [(-1, -1), (1, -1), (-1, 1)])
@pytest.mark.parametrize("capacity", [80, 150])
def test_changes_whose_segments_have_the_same_bytes(
    capacity: int, orders: tuple[int, int], extracts: Extracts, engine: str
) -> None:
    texts = [f"{number}" + "z" * 199 for number in range(3)]
    for order in orders:
        records = [record for text in texts for record in _records(text, capacity)[::order]]
        extracts.add(*records, *whole(2 + len(extracts.paths), "last"))
    assert sorted(extracts.texts(engine)) == [*texts, "last", "last"]
    assert "LMP" not in extracts.said


@ENGINES
@pytest.mark.parametrize("is_part_first", [True, False])
@pytest.mark.parametrize("capacities", [(80, 80), (80, 150), (150, 60)])
def test_a_part_of_segments_in_any_order(
    capacities: tuple[int, int], is_part_first: bool, extracts: Extracts, engine: str
) -> None:
    every, some = _records(A, capacities[0])[::-1], _records(A, capacities[1])[1:]
    for records in (some, every) if is_part_first else (every, some):
        extracts.add(*records, *whole(2 + len(extracts.paths), "a"))
    assert sorted(extracts.texts(engine)) == [A, "a", "a"]
    assert "LMP" not in extracts.said


@ENGINES
def test_a_part_of_another_change_is_not_taken_for_one_that_is_whole(extracts: Extracts, engine: str) -> None:
    """Its other segment is nowhere."""
    extracts.add(*whole(0, "a"), *_records(A, 150))
    extracts.add(_records(B, 120)[1], *whole(2, "b"))
    assert extracts.texts(engine) == ["a", A, "b"]
    assert extracts.said.count("[LMP-R004]") == 1
    assert extracts.check() == 20


@ENGINES
@pytest.mark.parametrize("damaged", [0, 1])
def test_a_part_that_has_a_byte_of_its_own_is_not_a_change(damaged: int, extracts: Extracts, engine: str) -> None:
    """Though the other segments are there, which are those of the whole change: it is damaged, or another change."""
    pieces = cut(1, A, 80)
    pieces[damaged] = pieces[damaged][:-1] + b"?"
    extracts.add(*whole(0, "a"), *cut(1, A, 80))
    extracts.add(*pieces[:2])
    extracts.add(pieces[2], *whole(2, "b"))
    assert extracts.texts(engine) == ["a", A, "b"]
    assert extracts.said.count("[LMP-R004]") == 1
    assert extracts.check() == 20


@ENGINES
def test_different_changes_beside_one_that_is_the_same_are_refused(extracts: Extracts, engine: str) -> None:
    extracts.add(*whole(1, A), *whole(1, B))
    extracts.add(*whole(1, A), *whole(1, C))
    assert extracts.texts(engine) == []
    assert "has another change at the position of a record [LMP-F013]" in extracts.said
    assert extracts.check() == 24


@ENGINES
def test_changes_that_nothing_tells_apart_are_said(extracts: Extracts, engine: str) -> None:
    """DATA is not compared where rows have two forms: the first one is the first one of the other extract."""
    extracts.add(*whole(0, "first"), *whole(1, "a"), *whole(1, "b"))
    extracts.add(*whole(1, "a", 900), *whole(1, "b", 900), *whole(2, "last", 900), expandvar="Y")
    assert extracts.texts(engine) == ["first", "a", "b", "last"]
    assert "positions with several changes of one RID and type: 1;" in extracts.said


def _records(text: str, capacity: int) -> list[bytes]:
    return cut(1, text, capacity) if len(data(text)) > capacity else whole(1, text)


@ENGINES
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("capacity", [150, 80])
@pytest.mark.parametrize("damaged", [[1], [0, 2], [1, 2, 3]])
def test_a_damaged_byte_in_one_of_several_extracts_is_said(
    damaged: list[int], capacity: int, order: int, extracts: Extracts, engine: str
) -> None:
    """Not a change of its own, however many extracts have it, and in whatever order of segments."""
    sound, other = (_records(text, capacity)[::order] for text in (A, A[:-1] + "?"))
    for number in range(4):
        extracts.add(*(other if number in damaged else sound), *whole(2 + number, f"{number}"))
    assert extracts.texts(engine) == []
    assert "has another change at the position of a record [LMP-F013]" in extracts.said
    assert extracts.check() == 24


@ENGINES
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_segment_that_its_total_calls_whole_is_a_segment(
    number: int, is_first: bool, extracts: Extracts, engine: str
) -> None:
    """A statement has no length in it by which a piece of it would be known."""
    named = {**fields(1, "07" * 5), key("changetype"): "SC"}
    every = lldf.segmented(named, TEXT.encode("cp037"), 80)
    at, width = table_places(["total_segs"])["total_segs"]
    some = [*every]
    some[number] = some[number][:at] + (1).to_bytes(width, "big") + some[number][at + width :]
    for records in (some, every) if is_first else (every, some):
        extracts.add(*records, *whole(2 + len(extracts.paths), "a"))
    assert [change["op"] for change in extracts.changes(engine)].count("S") == 1
    assert extracts.check() == 24


@ENGINES
@pytest.mark.parametrize("second", [(900, 900), (150, 150)])
def test_a_record_in_several_pieces_is_compared(second: tuple[int, int], extracts: Extracts, engine: str) -> None:
    for records in ([*_records(A, 900), _records(B, 150)[0]], [_records(B, 150)[1], *whole(2, "last")]):
        extracts.add(*records)
    first = Path(extracts.paths[0])
    first.write_bytes(framing.vbs([*_records(A, 900), _records(B, 150)[0]], 200))
    assert extracts.texts(engine) == [A, B, "last"]
    assert "LMP" not in extracts.said


@ENGINES
def test_which_change_could_not_be_completed_is_said(extracts: Extracts, engine: str) -> None:
    incomplete = [lldf.record(data(text), **{**fields(1), key("incompletetrans"): "Y"}) for text in ("a", "b")]
    extracts.add(*incomplete)
    extracts.add(*whole(1, "b"), *whole(1, "c"), *whole(2, "last"))
    extracts.texts(engine)
    assert "positions with several changes of one RID and type: 1;" in extracts.said


@ENGINES
def test_segments_of_a_change_beside_one_that_could_not_be_completed(extracts: Extracts, engine: str) -> None:
    incomplete = lldf.record(data(A), **{**fields(1), key("incompletetrans"): "Y"})
    extracts.add(incomplete, _records(B, 150)[0])
    extracts.add(_records(B, 150)[1], *whole(2, "last"))
    assert extracts.texts(engine) == [A, B, "last"]


@ENGINES
def test_segments_of_what_may_be_a_change_that_could_not_be_completed(extracts: Extracts, engine: str) -> None:
    """They may be those of another one."""
    extracts.add(lldf.record(data("a"), **{**fields(1), key("incompletetrans"): "Y"}))
    extracts.add(_records(B, 150)[0])
    extracts.add(_records(B, 150)[1], *whole(2, "last"))
    extracts.texts(engine)
    assert "positions with several changes of one RID and type: 1;" in extracts.said


X, Y, Z = "X" * 100, "Y" * 100, "Z" * 50
ONE, TWO = X[:90] + Y + X + X + Z, X[:90] + X + Y + X + Z
"""Texts with a piece of the same bytes at different places."""


@ENGINES
@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_segment_is_of_the_change_that_has_its_bytes_at_its_place(
    is_first: bool, count: int, extracts: Extracts, engine: str
) -> None:
    """Segments of two changes are never given as one that nobody made."""
    one, two = cut(1, ONE, 100), cut(1, TWO, 100)
    both = [*whole(0, "a"), *one, *two, *whole(2, "b")]
    for records in (both, [*one[2:], *two[:count]]) if is_first else ([*one[2:], *two[:count]], both):
        extracts.add(*records)
    assert extracts.texts(engine) == ["a", ONE, TWO, "b"]
    assert "positions with several" not in extracts.said


@ENGINES
def test_a_segment_that_is_at_no_place_of_its_bytes_is_said(extracts: Extracts, engine: str) -> None:
    """It may be of a change that no extract has whole, or have another SEGNUM by damage."""
    extracts.add(*whole(0, "a"), *cut(1, ONE, 100), *whole(2, "b"))
    extracts.add(cut(1, TWO, 100)[1], *cut(3, TEXT, 100))
    assert extracts.texts(engine) == ["a", ONE, "b", TEXT]
    assert "positions with several changes of one RID and type: 1;" in extracts.said


def _statement(text: str, capacity: int) -> list[bytes]:
    named, found = {**fields(1), key("changetype"): "SC"}, text.encode("cp037")
    return lldf.segmented(named, found, capacity) if len(found) > capacity else [lldf.record(found, **named)]


@ENGINES
def test_a_record_with_the_bytes_of_a_segment_is_a_change_if_two_extracts_have_it(
    extracts: Extracts, engine: str
) -> None:
    extracts.add(*_statement("GRANT ALL TO PUBLIC", 10))
    for last in (2, 3):
        extracts.add(*_statement("TO PUBLIC", 10), *whole(last, "last"))
    assert extracts.texts(engine) == []
    assert "has another change at the position of a record [LMP-F013]" in extracts.said


@ENGINES
def test_a_record_with_the_bytes_of_a_segment_that_one_extract_has_is_said(extracts: Extracts, engine: str) -> None:
    """It is a segment whose TOTALSEGS is damaged, or a change."""
    extracts.add(*_statement("GRANT ALL TO PUBLIC", 10))
    extracts.add(*_statement("TO PUBLIC", 10), *whole(2, "last"))
    assert len(extracts.changes(engine)) == 2
    assert "positions with several changes of one RID and type: 1;" in extracts.said
    assert extracts.check() == 24


@ENGINES
def test_records_with_the_bytes_of_a_segment_that_an_extract_has_are_changes(extracts: Extracts, engine: str) -> None:
    first, second = _statement("GRANT ALL TO PUBLIC", 10), _statement("TO PUBLIC", 10)
    extracts.add(*first, *second)
    extracts.add(*second, *second, *whole(2, "last"))
    statements = [change["detail"]["text"] for change in extracts.changes(engine) if change["op"] == "S"]
    assert sorted(statements) == ["GRANT ALL TO PUBLIC", "TO PUBLIC", "TO PUBLIC"]


@ENGINES
@pytest.mark.parametrize("is_cut_known", [True, False])
def test_a_last_segment_is_of_another_change_where_the_others_are_longer(
    is_cut_known: bool, extracts: Extracts, engine: str
) -> None:
    """A change with the same letters may end with its bytes if others of its extract were shorter."""
    first, last = _statement("Q" * 41, 30)
    more = cut(3, TEXT, 30) if is_cut_known else []
    extracts.add(*whole(0, "a"), first)
    extracts.add(last, *more)
    extracts.add(*_statement("Q" * 31, 30), *whole(2, "b"), *more, *whole(4, "c"))
    changes = extracts.changes(engine)
    assert [len(change["detail"]["text"]) for change in changes if change["op"] == "S"] == [31]
    assert ("[LMP-R004]" if is_cut_known else "positions with several changes of one RID and type: 1;") in extracts.said


@ENGINES
def test_what_is_given_does_not_depend_on_the_order_of_the_paths(extracts: Extracts, engine: str) -> None:
    """Extracts that begin and end at one position are in the order of their names."""
    one, two = cut(1, TEXT, 50), cut(1, TEXT[::-1], 50)
    for records in (one[:2], [*one[2:], *two[:-1]], two[-1:]):
        extracts.add(*records)
    for rid in ("11" * 5, "22" * 5):
        extracts.add(lldf.record(data(rid), **fields(1, rid)))
    paths, found = extracts.paths, []
    for order in permutations(range(len(paths))):
        extracts.paths = [paths[number] for number in order]
        found.append([(change["seq"], change["after"]["V"]) for change in extracts.changes(engine)])
    assert [text for _, text in found[0]] == [TEXT, TEXT[::-1], "11" * 5, "22" * 5]
    assert all(one == found[0] for one in found)


@ENGINES
def test_a_change_that_two_extracts_have_behind_a_part_of_another_one(extracts: Extracts, engine: str) -> None:
    """The last segments of all changes have the same bytes, and each extract begins or ends within a change."""
    texts = [f"{number}{'X' * 150}" for number in range(4)]
    first, second, third, fourth = (cut(1, text, 100) for text in texts)
    extracts.add(first[0])
    extracts.add(first[1], *second, *third)
    extracts.add(second[1], *third, *fourth)
    assert extracts.texts(engine) == texts
    assert "LMP" not in extracts.said


@ENGINES
def test_an_rid_tells_which_change_a_last_segment_is_of(extracts: Extracts, engine: str) -> None:
    named = fields(1, "07" * 5)
    extracts.add(lldf.segmented(named, data(TEXT), 120)[1])
    extracts.add(*lldf.segmented(named, data(TEXT), 150), *whole(2, "b"))
    assert extracts.texts(engine) == [TEXT, "b"]
    assert "positions with several" not in extracts.said


@pytest.mark.parametrize("size", [300, 700, 1500])
def test_a_change_that_parts_of_an_extract_divide_has_the_number_of_the_whole(size: int, extracts: Extracts) -> None:
    """Records of another position are between changes of one, all in segments."""
    one, two, three = (cut(1, text, 80) for text in (TEXT, TEXT[::-1], TEXT.lower()))
    extracts.add(*whole(0, "a"), *one)
    extracts.add(*one, *whole(2, "b"), *two, *whole(3, "c"), *three, *whole(4, "d"))
    expected = {change["seq"]: change["after"]["V"] for change in extracts.changes("columnar")}
    assert len(expected) == 7
    rows = by_parts([Path(path) for path in extracts.paths], size=size)
    assert {row["seq"]: row["after"]["V"] for row in rows} == expected
    assert len(rows) == 7


W, V = "W" * 200, "V" * 200


@ENGINES
@pytest.mark.parametrize("lacking", [1, 2])
@pytest.mark.parametrize("is_tied", [True, False])
def test_a_segment_of_another_extract_is_of_its_change_only(
    is_tied: bool, lacking: int, extracts: Extracts, engine: str
) -> None:
    """Another change of the position is in front of those that it has, whole."""
    first, second = cut(1, W, 80), cut(1, V, 80)
    front, behind = ([], []) if is_tied else (whole(0, "a"), whole(2, "b"))
    extracts.add(*front, *second[lacking:])
    extracts.add(*first, *second[:lacking], *behind)
    assert extracts.texts(engine) == ([W, V] if is_tied else ["a", W, V, "b"])
    assert "LMP" not in extracts.said


@pytest.mark.parametrize("size", [300, 700, 1500])
def test_a_segment_of_another_extract_is_in_one_part(size: int, extracts: Extracts) -> None:
    """That of its change: not in one with another change of the position, nor in one with a copy of its segment."""
    first, second = cut(1, W, 80), cut(1, V, 80)
    extracts.add(*whole(0, "a"), *second[:1])
    extracts.add(*second[1:], *whole(3, "b" * 100), *first, *whole(4, "c" * 100), second[-1])
    expected = [change["after"]["V"] for change in extracts.changes("columnar")]
    assert sorted(expected) == sorted(["a", V, "b" * 100, W, "c" * 100])
    assert "[LMP-R004]" in extracts.said
    rows = by_parts([Path(path) for path in extracts.paths], size=size)
    assert sorted(row["after"]["V"] for row in rows) == sorted(expected)


@ENGINES
@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_copied_segment_does_not_cost_its_change(number: int, extracts: Extracts, engine: str) -> None:
    segments = cut(1, TEXT, 80)
    extracts.add(*whole(0, "a"), *segments[:number], segments[number], *segments[number:])
    extracts.add(segments[-1], *whole(2, "b"))
    assert extracts.texts(engine) == ["a", TEXT, "b"]
    assert extracts.check() in (20, 24)


@ENGINES
@pytest.mark.parametrize("is_inside", [True, False])
def test_two_extracts_with_different_changes_of_a_position_are_said(
    is_inside: bool, extracts: Extracts, engine: str
) -> None:
    """A byte of an RID may be damaged; at the end of an extract, the other one may go on with the next change."""
    front, behind = whole(0, "a"), whole(2, "b")
    one, other = ([lldf.record(data("x"), **fields(1, rid))] for rid in ("07" * 5, "08" * 5))
    extracts.add(*front, *one, *(behind if is_inside else []))
    extracts.add(*(front if is_inside else []), *other, *behind)
    assert sorted(extracts.texts(engine)) == ["a", "b", "x", "x"]
    assert ("positions inside of two extracts that have different changes there: 1;" in extracts.said) is is_inside


@ENGINES
@pytest.mark.parametrize("copied", [[0, 0, 1, 2], [0, 1, 0, 2], [0, 1, 1, 2], [2, 0, 2, 1]])
@pytest.mark.parametrize("other", [[0], [0, 1], [2], None])
def test_a_copied_segment_of_a_change_with_an_rid(
    other: list[int] | None, copied: list[int], extracts: Extracts, engine: str
) -> None:
    """The change is whole, and the copy an error, as where its extract is read alone; whatever another one has."""
    segments = lldf.segmented(fields(1, "07" * 5), data(TEXT), 80)
    beside = [lldf.record(data("x"), **fields(1, "08" * 5))]
    extracts.add(*([segments[number] for number in other] if other is not None else beside))
    extracts.add(*beside, *(segments[number] for number in copied), *whole(2, "b"))
    changes = extracts.changes(engine)
    assert [change["after"]["V"] for change in changes] == ["x", TEXT, "b"]
    assert [int(change["seq"][-8:], 16) for change in changes] == [0, 1, 0]
    assert extracts.said.count("[LMP-R005]") == 1
    assert "[LMP-R004]" not in extracts.said
