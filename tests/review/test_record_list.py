"""The list of records with its filters; `tests/review/test_serve_pages.py` drives the front-end in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from served import BAD, CHANGES, all_rows

from lmparse.review.explain.search import explain, search_in
from lmparse.review.serve import record_list
from lmparse.review.serve.record_list import RecordFilter, RecordList
from lmparse.samples import bmc_log

# -- the list ------------------------------------------------------------------------------------


def test_rows_have_number_place_type_table_and_outcome() -> None:
    first, second, *_ = RecordList(search_in(CHANGES)).rows(0, RecordFilter()).rows
    heading = second.heading
    assert (heading.type, heading.table, heading.outcome) == ("UB", "PROD.ORDERS", "Committed")
    assert (second.extent.index, second.extent.offset, second.extent.length) == (1, explain(CHANGES, 1).offset, 323)
    node = explain(CHANGES, 0).dissection.at("log_rba")
    assert node is not None
    assert int(first.position, 16) == int(node.value, 16)


def test_filters_by_type_table_and_value(tmp_path: Path) -> None:
    control, data = bmc_log.make(units=20).write(tmp_path)
    records = RecordList(search_in(data, control=str(control)))
    rows = {row.extent.index: row for row in records.rows(0, RecordFilter()).rows}
    assert len(rows) == records.count
    updates = all_rows(records, RecordFilter(type="ub"))
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
    listed = records.rows(0, RecordFilter(is_damaged=True))
    assert [row.extent.index for row in listed.rows] == [1]
    assert [fault.code for fault in listed.rows[0].faults] == [
        fault.code for fault in explain(BAD / f"{name}.bin", 1, **beside).faults
    ]


@pytest.mark.parametrize("name", ["bmc_lldf/cut_inside_record", "db2_log/v10_little_bare_cut_in_body"])
def test_a_list_ends_with_the_damage_of_the_file(name: str) -> None:
    records = RecordList(search_in(BAD / f"{name}.bin"))
    listed = records.rows(0, RecordFilter())
    assert listed.rows
    assert listed.next is None
    assert listed.damage is not None
    assert listed.damage.code == "LMP-F006"
    assert records.count == len(listed.rows)


def test_a_request_looks_at_records_for_some_time_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of records of many megabytes, or of a spec whose parser does much, all of a file would take minutes."""
    monkeypatch.setattr(record_list, "_MOST_SECONDS", -1)
    records = RecordList(search_in(CHANGES))
    for wanted in (RecordFilter(), RecordFilter(value="no such value")):
        listed = records.rows(0, wanted)
        assert (listed.next, listed.looked_at) == (1, 1)
    assert all_rows(records, RecordFilter()) == [0, 1, 2]
