"""Several extracts have one range: the first one with the outcome of a unit gives it, or they are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bmc.written_extracts import ENGINES, TABLE, TEXT, Extracts, cut, data, fields, whole
from bmc_extracts import by_parts
from random_logs.log_master_readings import printed
from random_logs.log_master_units import Log, Piece, Scale, Statement, Unit, tables_of, wide
from writers.bmc import lldf
from writers.bmc.control import Table
from writers.bmc.fields import key

from lmparse.errors import FramingError
from lmparse.logs.check import account
from lmparse.logs.families import read_options
from lmparse.logs.joining import one_log


def changed(**named: Any) -> list[bytes]:
    """The insert at a position with other fields."""
    return [lldf.record(data("x"), **(fields(1) | {key(name): value for name, value in named.items()}))]


@ENGINES
def test_what_several_extracts_have_is_given_once(extracts: Extracts, engine: str) -> None:
    """Whole changes and segments, also several of one position."""
    shared = [*cut(1, TEXT, 80), *whole(1, "x")]
    extracts.add(*whole(0, "a"), *shared)
    extracts.add(*shared, *whole(2, "b"))
    changes = extracts.changes(engine)
    assert [change["after"]["V"] for change in changes] == ["a", TEXT, "x", "b"]
    for size in (300, 700, 1500):
        rows = by_parts([Path(path) for path in extracts.paths], size=size)
        assert sorted(row["seq"] for row in rows) == sorted(change["seq"] for change in changes)
    assert extracts.check() == 0


@ENGINES
def test_an_extract_repeats_the_units_that_were_open(extracts: Extracts, engine: str) -> None:
    """As ongoing processing does: the second has the whole unit, and not what was committed beside it."""
    unit, end = "00000000000012345777", "00000000000012349999"
    ended = {"uorid": unit, "uorcommitpoint": end, "uorcommitlrsn": end}
    opened = {"uorid": unit, "uordisp": " ", "uorcommitpoint": None, "uorcommitlrsn": None}
    extracts.add(*whole(0, "a"), *changed(**opened), *whole(2, "b"))
    extracts.add(*changed(**ended), *whole(3, "c"))
    changes = extracts.changes(engine)
    assert sorted(change["after"]["V"] for change in changes) == ["a", "b", "c", "x"]
    assert {change["uor_disp"] for change in changes} == {"C"}
    assert [Path(change["_metadata"]["file"]).name for change in changes if change["after"]["V"] == "x"] == ["e1.dat"]


@ENGINES
def test_extracts_of_one_range_may_have_other_tables(extracts: Extracts, engine: str) -> None:
    other = Table(0x105, 4, 5, "PROD", "OTHER", TABLE.columns)
    extracts.add(*whole(0, "a"), *whole(2, "c"))
    extracts.add(*changed(**other.header_fields), tables=[TABLE, other])
    assert sorted(extracts.texts(engine)) == ["a", "c", "x"]


LACKING = wide("LOGLRSN")
BYTES = "has the range, and not the same bytes, of a record"
REFUSED: dict[str, tuple[Callable[[], tuple[list[bytes], list[bytes]]], dict[str, Any], str]] = {
    "a boundary inside of a change": (lambda: (cut(1, TEXT, 80)[:1], cut(1, TEXT, 80)[1:]), {}, BYTES),
    "a boundary between changes of one record": (lambda: (whole(1, "x"), whole(1, "y")), {}, BYTES),
    "one change more at a position": (lambda: (whole(1, "x"), whole(1, "x") * 2), {}, BYTES),
    "other bytes": (lambda: ([*whole(0, "x"), *whole(1, "y")], [*whole(0, "z"), *whole(1, "y")]), {}, BYTES),
    "segments that are cut elsewhere": (lambda: (cut(1, TEXT, 80), cut(1, TEXT, 90)), {}, BYTES),
    "another RID": (lambda: (changed(rid="01" * 5), changed(rid="02" * 5)), {}, BYTES),
    "another filter": (lambda: ([*whole(0, "a"), *whole(2, "c")], [*whole(1, "b"), *whole(3, "d")]), {}, BYTES),
    "another form of rows": (
        lambda: (whole(1, "x"), whole(1, "x", 900)), {"expandvar": "Y"}, BYTES,
    ),
    "another unit": (
        lambda: (whole(1, "x"), changed(uorid="00000000000012345777")), {}, "has another unit or table",
    ),
    "another table": (lambda: (whole(1, "x"), changed(psid=9)), {}, "has another unit or table"),
    "a header without a position": (
        lambda: (whole(0, "x"), whole(1, "y", lines=LACKING)), {"header": LACKING},
        "its header has no LOGLRSN, as other extracts have",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what: str, extracts: Extracts) -> None:
    records, options, why = REFUSED[what]
    first, second = records()
    extracts.add(*first)
    extracts.add(*second, **options)
    for engine in ("columnar", "kaitai"):
        assert extracts.changes(engine) == []
        assert "[LMP-F013]" in extracts.said
        assert why in extracts.said
    assert extracts.check() == 20


def test_headers_that_do_not_name_units(extracts: Extracts) -> None:
    header = wide("UORID")
    for place in (0, 1):
        extracts.add(*whole(place, "x", lines=header), header=header)
    assert extracts.changes("columnar") == []
    assert "found no uor_id" in extracts.said


@pytest.mark.parametrize("shared", [0, 1])
def test_two_outcomes_of_a_unit_contradict_each_other(shared: int, tmp_path: Path) -> None:
    """Also where no extract calls it open."""
    log = Log(Scale(is_sharing=False), 1, [None])
    log.tables = tables_of(log.scale)
    paths = []
    for number, disposition in enumerate("CA"):
        unit, start = Unit(1, 10, 40, disposition, 0), 20 + number * (3 - shared)
        ticks = range(start, start + 3)
        statements = [Statement(tick, unit, log.tables[2], "I", ({"K": tick, "V": "x"},), 1, tick) for tick in ticks]
        paths.append(log.write(tmp_path / f"{number}.dat", [Piece(one, 0) for one in statements], 0, 200))
    pattern = str(tmp_path / "{stem}.ctl")
    for engine in ("columnar", "kaitai"):
        assert "states another outcome of unit of recovery" in printed(paths, engine, control=pattern).ended
    with pytest.raises(FramingError, match="states another outcome"):
        account(*one_log(paths, read_options({"spec": "bmc_lldf", "control": pattern})))
