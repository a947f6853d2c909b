"""Changes: every way to write a log gives the changes that were put in, and options choose among them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from bmc_logs import FRAMINGS, READINGS, Unexpecting, plain, put, read, same
from writers.bmc import control, logs

import lmparse

# In every framing the segments stand apart and out of order; what else varies needs one framing only.
ARRANGED = [
    *((name, (1, 2, 0), READINGS[number % 3], number % 2) for number, name in enumerate(FRAMINGS)),
    *(("rdw", order, reading, base) for order in ((0, 1, 2), (2, 1, 0)) for reading in READINGS for base in (0, 1)),
]


@pytest.mark.parametrize(("framing", "segment_order", "reading", "base"), ARRANGED, ids=str)
def test_every_way_to_write_a_log_gives_its_changes(
    framing: str, segment_order: tuple[int, ...], reading: Any, base: Any, tmp_path: Path
) -> None:
    log = logs.example(reading, base, segment_order=segment_order)
    opened = lmparse.open_log(**put(tmp_path, log, framing), include="all")
    same([plain(change) for change in opened.changes()], log.expected_for("all"))
    assert opened.tally.errors == []
    found = {decision.name: decision.value for decision in opened.decisions}
    assert (found["framing"], found["row images"]) == (FRAMINGS[framing][0], reading)


STYLES: dict[str, dict[str, Any]] = {
    "null columns without bytes": {"null_bytes": "absent"},
    "varying columns padded": {"expand_var": True},
    "padded, null columns without bytes": {"expand_var": True, "null_bytes": "absent"},
    "graphic lengths in characters": {"graphic_len": "chars"},
    "no description of the header": {"control_options": {"describe_header": False}},
    "DEC length is the precision": {"control_options": {"dec_length": "precision"}},
    "column positions from another base": {"control_options": {"pos_base": 4}},
    "longer DLCI": {"control_options": {"dlci_total": 230}},
    "dates in EBCDIC in every table": {"datetime_encoding": "cp037"},
    "LOB values kept elsewhere": {"lob": b""},
    "limit keys": {"limit_keys": [b"\x80\x00\x00\x01", b"\x80\x00\x00\xff"]},
    "no index records": {"control_options": {"indexes": False}},
    "records of unknown kinds": {
        "control_options": {"extra": [b"\xe7\xd7\xc1\xe3rest", control.dlob(), control.dxml()]}
    },
    "SAS dates": {"control_options": {"dlds_fields": {"date_format": "SASTIME"}}},
}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("style", [style for style in STYLES if style != "SAS dates"])
def test_every_style_gives_the_same_changes(style: str, reading: Any, tmp_path: Path) -> None:
    log = logs.example(reading, **STYLES[style])
    same(read(tmp_path, log, include="all"), log.expected_for("all"))


def test_a_named_code_page_stands_above_the_one_of_xtyp(tmp_path: Path) -> None:
    writer = Unexpecting()
    writer.add(logs.Unit(1), logs.TABLES[2], "I", after={"NO": 1, "KIND": "[x]".encode("cp500"), "SUM": None})
    log = writer.example()
    assert read(tmp_path, log)[0]["after"]["KIND"] == "[x]".encode("cp500").decode("cp037")
    for named in ("500", "cp500", "CP500"):
        assert read(tmp_path, log, code_page=named)[0]["after"]["KIND"] == "[x]"
    with pytest.raises(lmparse.OptionError):
        read(tmp_path, log, code_page="cp99999")


# what a change carries


def test_seq_sorts_as_commit_order_and_has_one_width(tmp_path: Path) -> None:
    changes = read(tmp_path, logs.example(), include="all")
    assert {len(change["seq"]) for change in changes} == {20 + 20 + 20 + 4 + 8}
    assert all(re.fullmatch("[0-9A-F]+", change["seq"]) for change in changes)
    by_seq = sorted(changes, key=lambda change: change["seq"])
    committed = [change for change in by_seq if change["uor_disp"] == "C"]
    assert by_seq[: len(committed)] == committed
    assert [change["seq"][:20] == "F" * 20 for change in by_seq] == [change["uor_disp"] != "C" for change in by_seq]
    stamps = {logs.Unit(number).commit_ts: logs.Unit(number).commit_lrsn for number in range(1, 10)}
    assert all(change["seq"][:20] == stamps[change["commit_ts"]] for change in committed)


def test_an_lrsn_is_never_turned_into_a_time(tmp_path: Path) -> None:
    for member_id in (0, 1):
        writer = logs.Writer()
        unit = logs.Unit(1, member_id=member_id)
        lrsn = "00CA670FBBF3D3000000"  # as a clock it reads 2012-10-31 20:25:10.690096
        commit = {"uor_commit_timestamp": None, "uor_commit_lrsn": lrsn}
        stock = logs.TABLES[2]
        row = {"NO": 1, "KIND": "A", "SUM": "1.00"}
        writer.add(unit, stock, "I", after=row, timestamp=None, log_lrsn=lrsn, **commit)
        change = read(tmp_path, writer.example(), header=True)[0]
        assert (change["ts"], change["commit_ts"]) == (None, None)
        assert "2012" not in str(change)
        assert change["header"]["log_lrsn"] == lrsn


# include, order, operations


@pytest.mark.parametrize("include", ["committed", "rolled-back", "open", "all"])
def test_include_chooses_by_what_became_of_a_change(include: Any, tmp_path: Path) -> None:
    log = logs.example()
    expected = log.expected_for(include)
    assert len(expected) > 0
    same(read(tmp_path, log, include=include), expected)


@pytest.mark.parametrize(
    ("uor_disp", "log_rec_disp", "sql_type", "group"),
    [
        ("C", "C", "R", "committed"),
        ("C", "", "R", "committed"),
        ("C", "C", "", "committed"),
        ("C", "A", "R", "rolled-back"),
        ("C", "S", "R", "rolled-back"),
        ("C", "O", "R", "rolled-back"),
        ("C", "C", "U", "rolled-back"),
        ("A", "A", "R", "rolled-back"),
        ("A", "C", "R", "rolled-back"),
        ("C", "Q", "R", "unlisted"),
        ("", "", "R", "open"),
        ("", "C", "R", "open"),
    ],
)
def test_dispositions_decide(uor_disp: str, log_rec_disp: str, sql_type: str, group: str, tmp_path: Path) -> None:
    writer = logs.Writer()
    row = {"NO": 1, "KIND": "A", "SUM": "1.00"}
    unit = logs.Unit(1, disposition=uor_disp)
    writer.add(unit, logs.TABLES[2], "I", after=row, log_rec_disp=log_rec_disp, sql_type=sql_type)
    for include in ("committed", "rolled-back", "open"):
        assert len(read(tmp_path, writer.example(), include=include)) == (include == group)


def test_an_unlisted_change_type_is_kept_with_its_bytes(tmp_path: Path) -> None:
    writer = logs.Writer()
    writer.add(logs.Unit(1), logs.TABLES[2], "ZZ", parts=[b"\x00\x01"], detail={"change_type": "ZZ", "payload": "0001"})
    log = writer.example()
    same(read(tmp_path, log), log.expected)
    assert log.expected[0]["op"] is None


# table


TABLE_NAMES = {
    "ITEMS": 1,
    "PROD.ITEMS": 1,
    "0105.0004.0005": 1,
    "PROD.ORDERS": 0,
    "ORDERS": 0,
    "0105.0002.0003": 0,
    "STOCK_MOVEMENTS_OF_ALL_SITES": 2,
    "WAREHOUSE_OWNER.STOCK_MOVEMENTS_OF_ALL_SITES": 2,
    "STOCK_MOVEME000001": 2,
    "0106.0002.0003": 2,
}


@pytest.mark.parametrize("name", TABLE_NAMES)
def test_table_by_any_of_its_names(name: str, tmp_path: Path) -> None:
    log = logs.example()
    table = log.tables[TABLE_NAMES[name]]
    expected = [change for change in log.expected if change["table_name"] == table.name]
    assert 0 < len(expected) < len(log.expected)
    same(read(tmp_path, log, table=name), expected)


# columns, header, trim, floats


def test_trim_leaves_or_cuts_blanks_of_char_only(tmp_path: Path) -> None:
    log = logs.example()
    cut = read(tmp_path, log, table="PROD.ORDERS")[0]["after"]
    kept = read(tmp_path, log, table="PROD.ORDERS", trim=False)[0]["after"]
    assert (cut["CODE"], kept["CODE"]) == ("AB", "AB    ")
    assert cut["NOTE"] == kept["NOTE"] == "two  blanks "
    assert cut["BITS"] == kept["BITS"] == "00FF4001"
    items = read(tmp_path, log, table="PROD.ITEMS", trim=False)[0]["after"]
    assert (items["STATE"], items["WIDE"], items["WIDER"]) == ("N ", "日本 ", "東京 ")
