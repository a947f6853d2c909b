"""Tables and their versions: which one a row is read with, and what is said when there is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from bmc_logs import put, read, same
from writers.bmc import control, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

import lmparse


def test_short_names_are_flagged_when_the_full_ones_are_not_proven(tmp_path: Path) -> None:
    for total in (control.DTBI_TABLED, control.DTBI_TO_EDITPROC):
        log = logs.example(control_options={"dtbi_total": total})
        got = read(tmp_path, log, include="all")
        same(got, log.expected_for("all"))
        flagged = {change["table_name"] for change in got if change.get("table_name_short")}
        assert flagged == {"STOCK_MOVEME000001"}


def test_an_alias_of_the_right_lengths_proves_the_full_name(tmp_path: Path) -> None:
    stock = logs.TABLES[2]
    alias = control.dtob(
        dbid=stock.dbid, psid=stock.psid, obid=stock.tbobid, obj_creator=stock.owner, obj_name=stock.name
    )
    log = logs.example(control_options={"dtbi_total": control.DTBI_TABLED, "extra": [alias]})
    got = read(tmp_path, log, table="0106.0002.0003")
    assert {change["table_name"] for change in got} == {stock.name}
    assert not any("table_name_short" in change for change in got)


def versions() -> list[Table]:
    """A table whose second column was made longer, then renamed."""
    first = Table(0x0105, 2, 3, "PROD", "AGES", (Column("NO", "INT", 4), Column("NAME", "CHAR", 4)))
    second = replace(first, sequence=2, columns=(first.columns[0], Column("NAME", "CHAR", 9)))
    third = replace(first, sequence=3, columns=(first.columns[0], Column("TITLE", "CHAR", 9)))
    edges = ["00000000000000000000", "00000000000000002000", "00000000000000003000", "00" * 10]
    ends = [*edges[1:3], "00" * 10]
    return [
        replace(table, create_rba=start, drop_rba=end)
        for table, start, end in zip([first, second, third], edges[:3], ends, strict=True)
    ]


@pytest.mark.parametrize("member_id", [0, 1])
def test_a_version_is_chosen_by_the_place_in_the_log(member_id: int, tmp_path: Path) -> None:
    tables = versions()
    writer = logs.Writer(tables)
    places = {
        "0000000000000000FFFF": 2,
        "00000000000000001FFF": 0,
        "00000000000000002000": 1,
        "00000000000000003000": 2,
    }
    elsewhere = "00000000000000000001"
    for place, number in places.items():
        table = tables[number]
        row = dict(zip([column.name for column in table.columns], (number, "x"), strict=True))
        # In data sharing the LRSN orders the log, elsewhere the RBA.
        position = {"log_lrsn": place, "log_rba": elsewhere} if member_id else {"log_rba": place, "log_lrsn": elsewhere}
        writer.add(logs.Unit(1, member_id=member_id), table, "I", after=row, **position)
    got = read(tmp_path, writer.example())
    assert [list(change["after"]) for change in got] == [
        [column.name for column in tables[number].columns] for number in places.values()
    ]
    assert [change["after"]["NO"] for change in got] == list(places.values())


@pytest.mark.parametrize("place", ["00000000000000000001", "00000000000000001000", "00000000000000001FFF"])
def test_no_version_in_force_is_said_and_the_bytes_are_kept(place: str, tmp_path: Path) -> None:
    first, second, _ = versions()
    # From 0100 up to, not including, 1000; then from 2000.
    first = replace(first, create_rba="00000000000000000100", drop_rba="00000000000000001000")
    writer = logs.Writer([first, second])
    writer.add(logs.Unit(1, member_id=0), first, "I", after={"NO": 1, "NAME": "x"}, log_rba=place)
    opened = lmparse.open_log(**put(tmp_path, writer.example()))
    change = next(opened.changes())
    assert [error.code for error in opened.tally.errors] == ["LMP-C003"]
    assert change["after"] is None
    assert change["detail"] == {"table_ids": "DB2A.0105.0002.0003", "after_bytes": "00000001A7404040"}


def test_an_unknown_table_is_said_and_the_bytes_are_kept(tmp_path: Path) -> None:
    log = logs.example()
    log = logs.with_tables(log, log.tables[0], log.tables[1])
    opened = lmparse.open_log(**put(tmp_path, log))
    got = [change for change in opened.changes() if change["op"] in "ID" and "STOCK" in change["table_name"]]
    assert [(change["op"], change["before"], change["after"]) for change in got] == [
        ("I", None, None),
        ("D", None, None),
        ("I", None, None),
    ]
    assert [change["detail"].pop("table_ids") for change in got] == ["DB2A.0106.0002.0003"] * 3
    assert [change["detail"] for change in got] == [
        {"after_bytes": "0000000700C14040000001050C"},
        {"before_bytes": "00000008FF000000FF00000000"},
        {"after_bytes": "0000000900C2404000" + "0000001D"},
    ]
    assert [(error.code, error.record_index) for error in opened.tally.errors] == [
        ("LMP-C002", change["_metadata"]["record_index"]) for change in got
    ]
    with pytest.raises(lmparse.ControlError) as caught:
        list(lmparse.open_log(**put(tmp_path, log), mode="failfast").changes())
    assert caught.value.code == "LMP-C002"


def overlapping() -> tuple[list[Table], logs.Example]:
    """Two versions of a table, the first of which DTBI ends behind the beginning of the second, and rows of each."""
    first, second, _ = versions()
    tables = [replace(first, drop_rba="00000000000000002800"), replace(second, drop_rba="00" * 10)]
    writer = logs.Writer(tables)
    for number, (table, place) in enumerate(zip(tables, ("1000", "2400"), strict=True)):
        header = {"log_rba": place.rjust(20, "0"), "log_lrsn": place.rjust(20, "0")}
        writer.add(logs.Unit(1, member_id=0), table, "I", after={"NO": number, "NAME": "x"}, **header)
    return tables, writer.example()


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_two_versions_in_force_at_once_are_refused_and_one_can_be_picked(engine: str, tmp_path: Path) -> None:
    _, example = overlapping()
    paths = put(tmp_path, example)
    log = lmparse.open_log(**paths, engine=engine)
    rows = log.to_table().to_pylist()
    assert [(error.code, error.record_index) for error in log.tally.errors] == [("LMP-C003", 1)]
    assert log.tally.errors[0].hint == "pick one with tableVersion"
    assert [row["after"] is None for row in rows] == [False, True]
    picked = lmparse.open_log(**paths, engine=engine, table="PROD.AGES", table_version=1)
    picked.to_table()
    assert not picked.left_out  # the second row is read by it too, and does not fill its columns
    assert [error.code for error in picked.tally.errors] == ["LMP-R003"]
