"""A change in segments that is in several extracts is given once, however each of them has cut it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from counted import growth, operations
from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.fields import key
from writers.bmc.rows import Column

from lmparse import cli
from lmparse.bmc import change_copies
from lmparse.bmc.change_record import table_places
from lmparse.bmc.repeated_changes import SharedSegment
from lmparse.framing.extents import RecordExtent

TABLE = Table(0x105, 2, 3, "PROD", "WIDE", (Column("K", "INT", 4), Column("V", "VCHR", 900)))
TEXT = "".join(chr(ord("A") + number % 26) for number in range(200))


def fields(place: int, rid: str = "0" * 10) -> dict[str, Any]:
    position, begin, end = (f"{0x12345000 + number:020X}" for number in (1 + place, 0, 0x1000))
    named = {
        **TABLE.header_fields, "changetype": "I", "logrba": position, "loglrsn": position, "memberid": 0, "rid": rid,
        "uorid": begin, "uordisp": "C", "uorcommitpoint": end, "uoridlrsn": begin, "uorcommitlrsn": end,
    }  # fmt: skip
    return {key(name): value for name, value in named.items()}


def data(text: str, width: int = 0) -> bytes:
    """DATA of an insert; with a width, with the text as long as its column, as EXPANDVAR Y has it."""
    image = (1).to_bytes(4, "big") + len(text).to_bytes(2, "big") + text.encode("cp037").ljust(width, b"\x40")
    return lldf.data_area("I", [image])


def whole(place: int, text: str, width: int = 0, **keys: Any) -> list[bytes]:
    return [lldf.record(data(text, width), **keys, **fields(place))]


def cut(place: int, text: str, capacity: int, width: int = 0, **keys: Any) -> list[bytes]:
    return lldf.segmented(fields(place), data(text, width), capacity, **keys)


class Extracts:
    """Extracts in a folder, each with its control file."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.said = ""
        self.paths: list[str] = []

    def add(
        self,
        *records: bytes,
        tables: Sequence[Table] = (TABLE,),
        segmented: str = "Y",
        expandvar: str = "N",
        header: Any = None,
    ) -> None:
        path = self.folder / f"e{len(self.paths)}.dat"
        path.write_bytes(framing.rdw(records))
        told = control.for_tables(tables, dlds_fields={"segmented": segmented, "expandvar": expandvar}, header=header)
        path.with_suffix(".ctl").write_bytes(framing.rdw(told))
        self.paths.append(str(path))

    def texts(self, engine: str = "columnar") -> list[str]:
        self._run("changes", "--engine", engine)
        printed, self.said = self._capsys.readouterr()
        changes = map(json.loads, printed.splitlines())
        return [change["after"]["V"].rstrip() for change in changes if change["op"] == "I"]

    def seqs(self, engine: str) -> list[int]:
        """The ends of `seq`."""
        self._run("changes", "--engine", engine)
        return [int(json.loads(line)["seq"][-8:], 16) for line in self._capsys.readouterr().out.splitlines()]

    def check(self) -> int:
        return self._run("check")

    def _run(self, command: str, *options: str) -> int:
        return cli.main([command, *self.paths, "--control", str(self.folder / "{stem}.ctl"), *options])


@pytest.fixture
def extracts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Extracts:
    return Extracts(tmp_path, capsys)


ENGINES = pytest.mark.parametrize("engine", ["columnar", "kaitai"])


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
    extracts.add(lldf.record(data("a"), **fields(1, "01" * 5)), two[0])
    extracts.add(*two)
    extracts.paths.sort(reverse=order < 0)
    extracts._run("changes", "--engine", engine, "--order", "commit")
    printed, _ = extracts._capsys.readouterr()
    assert [json.loads(line)["after"]["V"] for line in printed.splitlines()] == ["a", TEXT]


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
    extracts._run("changes", "--engine", engine)
    assert [json.loads(line)["op"] for line in extracts._capsys.readouterr().out.splitlines()].count("S") == 1
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
