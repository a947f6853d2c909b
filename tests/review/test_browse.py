"""Many records: the list with its filters, the inspector, and one page with all records.

`tests/review/test_browse_pages.py` drives the front-end in a browser.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from served import BAD, CHANGES, TABLES, TYPES, all_rows, walk

from lmparse.errors import LimitError
from lmparse.framing.extents import RecordExtent
from lmparse.review.browse import record_index, record_list
from lmparse.review.browse.inspector import inspected
from lmparse.review.browse.page import records_page
from lmparse.review.browse.record_index import RecordIndex
from lmparse.review.browse.record_list import RecordFilter, RecordList
from lmparse.review.explain.search import explain, search_in
from lmparse.samples import bmc_log, db2_log
from lmparse.values.codepages import lookup

# -- the list ------------------------------------------------------------------------------------


def test_rows_have_number_place_type_table_and_outcome() -> None:
    first, second, *_ = RecordList(search_in(CHANGES)).rows(0, 10, RecordFilter()).rows
    row = second.to_dict()
    assert (row["record"], row["type"], row["table"], row["outcome"]) == (1, "UB", "PROD.ORDERS", "Committed")
    assert (row["offset"], row["length"]) == (explain(CHANGES, 1).offset, 323)
    node = explain(CHANGES, 0).dissection.at("log_rba")
    assert node is not None
    assert int(first.position, 16) == int(node.value, 16)


def test_rows_of_a_db2_log_have_kind_table_and_outcome(tmp_path: Path) -> None:
    tables, log = db2_log.make(units=12).write(tmp_path)
    rows = [row.to_dict() for row in RecordList(search_in(log, tables=str(tables))).rows(0, 60, RecordFilter()).rows]
    named = {(row["type"], row["table"]) for row in rows}
    assert ("update_record_v97", "HR.EMPLOYEE") in named
    assert {row["outcome"] for row in rows} >= {"committed", "rolled-back"}
    ids = {row.to_dict()["table"] for row in RecordList(search_in(log)).rows(0, 60, RecordFilter()).rows}
    assert any(re.fullmatch(r"\d+\.\d+", name) for name in ids)


def test_filters_by_type_table_and_value(tmp_path: Path) -> None:
    control, data = bmc_log.make(units=20).write(tmp_path)
    records = RecordList(search_in(data, control=str(control)))
    rows = {row.extent.index: row for row in records.rows(0, 200, RecordFilter()).rows}
    assert len(rows) == records.index.count
    updates = all_rows(records, RecordFilter(type="ub"), 3)
    assert updates == [number for number, row in rows.items() if row.heading.type == "UB"] != []
    assert all_rows(records, RecordFilter(type="u")) == []  # too short for a part of a word
    assert set(all_rows(records, RecordFilter(type="insert"))) > set(all_rows(records, RecordFilter(type="I"))) != set()
    named = all_rows(records, RecordFilter(table="employee", type="UB"))
    assert named == [number for number in updates if rows[number].heading.table == "PAYROLL.EMPLOYEE"] != []
    values = all_rows(records, RecordFilter(value="CHANGE TYPE=UB"))
    assert values == all_rows(records, RecordFilter(value="change_type=UB")) == updates
    assert all_rows(records, RecordFilter(value="change_type=ub")) == []
    contained = all_rows(records, RecordFilter(value="payroll"))
    assert contained == [number for number, row in rows.items() if "PAYROLL" in row.heading.table] != []


@pytest.mark.parametrize(
    ("name", "options"),
    [("bmc_row_image/null_indicator", {"control": "ctl"}), ("db2_row/v10_little_slot_behind", {"tables": "tables"})],
)
def test_damaged_records_are_filtered_and_say_why(name: str, options: dict[str, str]) -> None:
    beside = {option: str(BAD / f"{name}.{ending}") for option, ending in options.items()}
    records = RecordList(search_in(BAD / f"{name}.bin", **beside))
    listed = records.rows(0, 50, RecordFilter(is_damaged=True))
    assert [row.extent.index for row in listed.rows] == [1]
    assert [fault.code for fault in listed.rows[0].faults] == [
        fault.code for fault in explain(BAD / f"{name}.bin", 1, **beside).faults
    ]


@pytest.mark.parametrize("name", ["bmc_lldf/cut_inside_record", "db2_log/v10_little_bare_cut_in_body"])
def test_a_list_ends_with_the_damage_of_the_file(name: str) -> None:
    records = RecordList(search_in(BAD / f"{name}.bin"))
    listed = records.rows(0, 50, RecordFilter())
    assert listed.rows
    assert listed.next is None
    assert listed.damage is not None
    assert listed.damage.code == "LMP-F006"
    assert records.index.count == len(listed.rows)


def test_any_record_is_found_by_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_index, "_STRETCH", 1 << 12)
    for sample in (bmc_log, db2_log):
        _, data = sample.make(units=12).write(tmp_path)
        search = search_in(data)
        index = RecordIndex(search.file)
        extents: list[RecordExtent] = list(search.file.extents())
        assert index.count == len(extents)
        for number in (0, 1, 7, len(extents) // 2, len(extents) - 1):
            assert index.extent(number) == extents[number]
            assert list(index.extents(number)) == extents[number:]
        assert index.extent(len(extents)) is None


def test_a_filter_looks_at_a_stated_number_of_records_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_list, "_MOST_DISSECTED", 3)
    monkeypatch.setattr(record_list, "_MOST_READ", 5)
    _, data = bmc_log.make(units=12).write(tmp_path)
    records = RecordList(search_in(data))
    listed = records.rows(0, 50, RecordFilter(value="no such value"))
    assert (listed.rows, listed.next, listed.looked_at) == ([], 3, 3)
    listed = records.rows(2, 50, RecordFilter(type="XX"))
    assert (listed.rows, listed.next, listed.looked_at) == ([], 7, 5)
    assert all_rows(records, RecordFilter(), 4) == list(range(records.index.count))


def test_a_request_looks_at_a_stated_number_of_bytes_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of records of many megabytes, so many records as of small ones would take minutes."""
    monkeypatch.setattr(record_list, "_MOST_BYTES", 400)
    records = RecordList(search_in(CHANGES))
    for wanted in (RecordFilter(), RecordFilter(value="no such value")):
        listed = records.rows(0, 50, wanted)
        assert (listed.next, listed.looked_at) == (2, 2)
    assert all_rows(records, RecordFilter()) == [0, 1, 2]
    assert records.find_bytes(0, b"no such bytes").next == 2


# -- the inspector -------------------------------------------------------------------------------


def read_as(raw: bytes) -> dict[str, str]:
    return {entry.name: entry.value or f"! {entry.reason}" for entry in inspected(raw, lookup("cp037"))}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("FF", {"u1": "255", "s1": "-1", "bits": "11111111"}),
        ("01FE", {"u2, big-endian": "510", "u2, little-endian": "65025", "s2, little-endian": "-511"}),
        ("00000781349 44C", {"packed decimal": '"781349 44"'}),
        ("80000000000000FF", {"u8, big-endian": str((1 << 63) + 255), "s8, big-endian": str(255 - (1 << 63))}),
        ("41100000", {"hexadecimal float, 4 bytes": "1.0", "IEEE float, 4 bytes, big-endian": "9.0"}),
        ("2026031410111216969928", {"timestamp, packed digits": "2026-03-14T10:11:12.16969928"}),
        ("20260314", {"date, packed yyyymmdd": "2026-03-14"}),
        ("101112", {"time, packed hhmmss": "10:11:12"}),
        ("C4C2F2D7", {"text, cp037": "DB2P"}),
        ("41424344", {"text, us-ascii": "ABCD"}),
        ("F1F2F3", {"zoned decimal, cp037": '"123"'}),
    ],
)
def test_the_inspector_reads_bytes_in_every_way_that_fits(raw: str, expected: dict[str, str]) -> None:
    found = read_as(bytes.fromhex(raw.replace(" ", "")))
    for name, value in expected.items():
        assert found[name] == value.replace(" ", "") if name != "bits" else found[name] == value


def test_bytes_that_are_not_a_value_say_why() -> None:
    assert read_as(b"\xaa\xbb")["packed decimal"].startswith("! expected packed decimal, found ")
    assert "[LMP-V007]" in read_as(b"\xff")["text, us-ascii"]
    assert "packed decimal" not in read_as(bytes(30))


# -- one page with all records -------------------------------------------------------------------


def inlined(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)["inlined"]


@pytest.mark.parametrize("path", [CHANGES, TYPES])
def test_a_page_has_all_records_of_a_file(path: str) -> None:
    held = inlined(records_page(path))
    count = RecordIndex(search_in(path).file).count
    assert [row["record"] for row in held["rows"]] == [view["record"] for view in held["views"]] == list(range(count))
    for number, view in enumerate(held["views"]):
        found = explain(path, number)
        assert bytes.fromhex(view["sections"][-1]["hex"]) == found.dissection.raw
        paths = {line["p"] for line in walk(view["sections"][-1]["lines"]) if "p" in line}
        assert paths == {line.node.path for top in found.main.lines for line in top.walk() if line.node}


def test_an_update_has_its_columns_before_and_after_with_what_changed() -> None:
    (pairs,) = [view["pairs"] for view in inlined(records_page(CHANGES))["views"] if view["record"] == 1]
    found = explain(CHANGES, 1)
    for pair in pairs:
        before, after = (found.dissection.at(pair[f"{role}_path"]) for role in ("before", "after"))
        assert before is not None
        assert after is not None
        assert pair["differs"] == ((before.value, before.meaning) != (after.value, after.meaning))
    assert {pair["differs"] for pair in pairs} == {True, False}
    (pairs,) = [view["pairs"] for view in inlined(records_page(TYPES, tables=TABLES))["views"] if view["record"] == 5]
    assert len(pairs) > 20


def test_a_damaged_file_has_its_damage_on_the_page() -> None:
    held = inlined(records_page(str(BAD / "bmc_lldf" / "cut_inside_record.bin")))
    assert "[LMP-F006]" in held["damage"]["text"]
    assert held["views"][-1]["record"] is None


def test_texts_of_a_file_do_not_end_the_script_they_are_in(tmp_path: Path, run: Any) -> None:
    raw = Path(CHANGES).read_bytes()
    hostile = tmp_path / "<script>alert(1)<!--.bin"
    hostile.write_bytes(raw.replace("ORDERS".encode("cp037"), "</SCRI".encode("cp037")))
    assert hostile.read_bytes() != raw
    out = tmp_path / "all.html"
    code, _, err = run("explain", hostile, "--html", out, "--all")
    assert (code, err) == (0, "")
    page = out.read_text("utf-8")
    assert page.count("<script") == 2
    assert "</SCRI" in json.dumps(inlined(page))
    assert "alert(1)<" not in page


def test_more_records_than_the_limit_are_refused_with_the_way_out(tmp_path: Path, run: Any) -> None:
    out = tmp_path / "all.html"
    code, _, err = run("explain", CHANGES, "--html", out, "--all", "--limits", "pageRecords=2")
    assert code == 20
    assert "pageRecords" in err
    assert "[LMP-L005]" in err
    assert not out.exists()
    with pytest.raises(LimitError):
        records_page(CHANGES, limits="pageRecords=2")
    assert run("explain", CHANGES, "--html", out, "--all", "--limits", "pageRecords=3")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--all"], "--all is for a page"),
        (["--all", "--html", "x.html", "--record", "1"], "--all is for all records, and --record for one"),
        (["--all", "--html", "x.html", "--json"], "and --json for one"),
        (["--all", "--html", "x.html", "--field", "length"], "and --field for one"),
    ],
)
def test_all_does_not_go_with_options_for_one_record(run: Any, words: list[str], said: str) -> None:
    code, out, err = run("explain", CHANGES, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert not Path("x.html").exists()
