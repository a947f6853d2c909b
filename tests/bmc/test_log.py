"""Changes: every way to write a log gives the changes that were put in, and options choose among them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import control, lldf, logs
from writers.bmc import framing as enc
from writers.bmc.control import Table
from writers.bmc.rows import Column

import lmparse
import lmparse.bmc.tables
from lmparse.bmc.order import OPERATIONS
from lmparse.bmc.row_image import ImageReading, RowReader
from lmparse.values import codepages

Row = dict[str, Any]
FRAMINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "rdw": ("rdw", {}),
    "bdw": ("bdw", {"block_size": 3000}),
    "extended bdw": ("bdw", {}),
    "vbs": ("vbs", {}),
    "bdw-vbs": ("bdw-vbs", {"block_size": 600}),
    "zosmf": ("zosmf", {}),
    "glued": ("glued", {}),
}
READINGS = ("total", "inclusive", "exclusive")
SEGMENT_ORDERS = [(0, 1, 2), (2, 1, 0), (1, 2, 0)]


def framed(name: str, records: Sequence[bytes]) -> bytes:
    kind, options = FRAMINGS[name]
    return enc.framed("bdw-extended" if name == "extended bdw" else kind, records, **options).data


def put(folder: Path, log: logs.Example, framing: str = "rdw", control_framing: str = "rdw") -> dict[str, Path]:
    data, ctl = folder / "a.dat", folder / "a.ctl"
    data.write_bytes(framed(framing, log.data_records))
    ctl.write_bytes(framed(control_framing, log.control_records))
    return {"path": data, "control": ctl}


def read(folder: Path, log: logs.Example, **options: Any) -> list[Row]:
    """The changes without `_metadata`. A bad record or value is raised."""
    opened = lmparse.open_log(**put(folder, log), **{"mode": "failfast", **options})
    return [plain(change) for change in opened.changes()]


def plain(change: Mapping[str, Any]) -> Row:
    return {name: value for name, value in change.items() if name != "_metadata"}


def same(got: Sequence[Row], expected: Sequence[Row]) -> None:
    """Equal key by key; keys that the expectation leaves open are not compared."""
    assert [change["seq"] for change in got] == [change["seq"] for change in expected]
    for change, wanted in zip(got, expected, strict=True):
        assert {name: change.get(name, "is missing") for name in wanted} == wanted
        assert change.keys() - wanted.keys() <= {"detail"}


# the matrix


# In every framing the segments stand apart and out of order; the other orders need one framing only.
ARRANGED = [(name, (1, 2, 0)) for name in FRAMINGS] + [("rdw", (0, 1, 2)), ("rdw", (2, 1, 0))]


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(("framing", "segment_order"), ARRANGED, ids=str)
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
    "SEGLEN of DATA": {"seg_len": "data"},
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


@pytest.mark.parametrize("page", [37, 500, 1047, 1140, 273])
def test_header_and_rows_are_read_with_the_page_that_xtyp_names(page: int, tmp_path: Path) -> None:
    log = logs.example(control_options={"xtyp_fields": {"ebcdic_single_ccsid": page}})
    same(read(tmp_path, log), log.expected)


def test_a_named_code_page_stands_above_the_one_of_xtyp(tmp_path: Path) -> None:
    writer = Unexpecting()
    writer.add(logs.Unit(1), logs.TABLES[2], "I", after={"NO": 1, "KIND": "[x]".encode("cp500"), "SUM": None})
    log = writer.example()
    assert read(tmp_path, log)[0]["after"]["KIND"] == "[x]".encode("cp500").decode("cp037")
    for named in ("500", "cp500", "CP500"):
        assert read(tmp_path, log, code_page=named)[0]["after"]["KIND"] == "[x]"
    with pytest.raises(lmparse.OptionError):
        read(tmp_path, log, code_page="cp99999")


@pytest.mark.parametrize("reading", READINGS)
def test_a_named_reading_is_taken(reading: Any, tmp_path: Path) -> None:
    log = logs.example(reading)
    same(read(tmp_path, log, row_images=reading), log.expected)
    others = [other for other in READINGS if other != reading]
    for other in others:
        opened = lmparse.open_log(**put(tmp_path, log), row_images=other)
        assert list(opened.changes()) != log.expected
        assert opened.tally.error_count > 0


# what a change carries


def test_metadata_says_where_a_change_came_from(tmp_path: Path) -> None:
    log = logs.example()
    paths = put(tmp_path, log)
    file = enc.framed("rdw", log.data_records)
    changes = list(lmparse.open_log(**paths, include="all").changes())
    assert [change["_metadata"]["record_index"] for change in changes] == log.last_records
    for change in changes:
        where = change["_metadata"]
        assert list(where) == ["file", "record_index", "record_offset", "record_length", "spec", "spec_hash"]
        assert (where["file"], where["spec"]) == (str(paths["path"]), "bmc_lldf")
        assert where["record_offset"] == file.offsets[where["record_index"]]
        assert re.fullmatch("[0-9a-f]{64}", where["spec_hash"])
    lengths = {change["_metadata"]["record_index"]: change["_metadata"]["record_length"] for change in changes}
    # The divided update stands where its last segment stands, with the bytes of all three.
    assert lengths[5 + 2] == len(log.data_records[3]) + len(log.data_records[5]) + len(log.data_records[7])
    assert lengths[0] == len(log.data_records[0])


def test_keys_stand_in_the_promised_order(tmp_path: Path) -> None:
    change = next(lmparse.open_log(**put(tmp_path, logs.example())).changes())
    assert list(change) == [
        *("op", "seq", "txn_id", "commit_ts", "ts", "schema_name", "table_name", "before", "after", "sql_type"),
        *("sql_src_type", "log_rec_disp", "uor_disp", "auth_id", "plan", "correlation_id", "detail", "_metadata"),
    ]


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


def test_include_takes_several(tmp_path: Path) -> None:
    log = logs.example()
    seqs = [c["seq"] for c, group in zip(log.changes, log.groups, strict=True) if group in ("open", "rolled-back")]
    assert [change["seq"] for change in read(tmp_path, log, include="open, rolled-back")] == seqs
    assert [change["seq"] for change in read(tmp_path, log, include=["open", "rolled-back"])] == seqs


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    log = logs.example()
    opened = lmparse.open_log(**put(tmp_path, log))
    list(opened.changes())
    assert dict(opened.left_out) == {"rolled-back": log.groups.count("rolled-back"), "open": log.groups.count("open")}
    first = dict(opened.left_out)
    list(opened.changes())
    assert dict(opened.left_out) == first, "each reading counts anew"
    everything = lmparse.open_log(**put(tmp_path, log), include="all")
    list(everything.changes())
    assert not everything.left_out


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


@pytest.mark.parametrize("include", ["committed", "all"])
@pytest.mark.parametrize("segment_order", SEGMENT_ORDERS, ids=str)
def test_order_commit(include: Any, segment_order: tuple[int, ...], tmp_path: Path) -> None:
    log = logs.example(segment_order=segment_order)
    got = read(tmp_path, log, order="commit", include=include)
    same(got, log.expected_for(include, "commit"))
    assert [change["seq"] for change in got] != [change["seq"] for change in log.expected_for(include)]


def test_order_commit_counts_what_is_left_out_once(tmp_path: Path) -> None:
    log = logs.example()
    opened = lmparse.open_log(**put(tmp_path, log), order="commit")
    list(opened.changes())
    assert dict(opened.left_out) == {"rolled-back": log.groups.count("rolled-back"), "open": log.groups.count("open")}


def test_units_with_one_commit_position_do_not_mix(tmp_path: Path) -> None:
    stock = logs.TABLES[2]
    writer = logs.Writer([stock])
    units = [logs.Unit(1, member_id=1), logs.Unit(2, member_id=2)]
    for number in range(6):
        row = {"NO": number, "KIND": "A", "SUM": "1.00"}
        writer.add(units[number % 2], stock, "I", after=row, uor_commit_lrsn="00DE0000000000000000")
    got = read(tmp_path, writer.example(), order="commit")
    assert [change["after"]["NO"] for change in got] == [0, 2, 4, 1, 3, 5]


@pytest.mark.parametrize("operations", ["I", "U", "D", "M", "T", "X", "S", "C", "O", "I,D", "u , d"])
def test_operations_choose(operations: str, tmp_path: Path) -> None:
    log = logs.example()
    wanted = operations.upper().replace(" ", "").split(",")
    expected = [change for change in log.expected if change["op"] in wanted]
    assert expected
    same(read(tmp_path, log, operations=operations), expected)


def test_every_listed_change_type_has_an_operation() -> None:
    assert logs.OPERATIONS == OPERATIONS


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


def test_ids_in_hex_may_be_in_lower_case(tmp_path: Path) -> None:
    writer = logs.Writer([Table(0x01AB, 0x00CD, 0x00EF, "PROD", "KINDS", logs.PLAIN)])
    writer.add(logs.Unit(1), writer.tables[0], "I", after={"NO": 1, "KIND": "A", "SUM": None})
    for name in ("01AB.00CD.00EF", "01ab.00cd.00ef"):
        assert len(read(tmp_path, writer.example(), table=name)) == 1


@pytest.mark.parametrize("name", ["NONE", "OTHER.ITEMS", "0105.0004.0006"])
def test_an_unknown_table_is_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(lmparse.OptionError) as caught:
        read(tmp_path, logs.example(), table=name)
    assert caught.value.code == "LMP-C005"
    assert name in str(caught.value)


def test_an_ambiguous_table_is_an_error_that_lists_the_tables(tmp_path: Path) -> None:
    first = Table(0x0105, 0x0002, 0x0003, "PROD", "ITEMS", logs.PLAIN)
    second = Table(0x0107, 0x0002, 0x0003, "TEST", "ITEMS", logs.PLAIN)
    writer = logs.Writer([first, second])
    for table in writer.tables:
        writer.add(logs.Unit(1), table, "I", after={"NO": 1, "KIND": table.owner[:1], "SUM": None})
    log = writer.example()
    with pytest.raises(lmparse.OptionError) as caught:
        read(tmp_path, log, table="ITEMS")
    assert caught.value.code == "LMP-C005"
    for text in ("PROD.ITEMS", "TEST.ITEMS", "0105.0002.0003", "0107.0002.0003"):
        assert text in str(caught.value)
    for name, kind in (("PROD.ITEMS", "P"), ("0107.0002.0003", "T")):
        assert [change["after"]["KIND"] for change in read(tmp_path, log, table=name)] == [kind]


def test_two_tables_of_one_name_in_two_systems_are_two_tables(tmp_path: Path) -> None:
    first = Table(0x0105, 0x0002, 0x0003, "PROD", "ITEMS", logs.PLAIN)
    other = replace(first, sysid="DB2B", columns=(Column("OTHER", "CHAR", 4),))
    writer = logs.Writer([first, other])
    writer.add(logs.Unit(1), first, "I", after={"NO": 1, "KIND": "A", "SUM": None})
    writer.add(logs.Unit(1), other, "I", after={"OTHER": "here"})
    got = read(tmp_path, writer.example())
    assert [change["after"] for change in got] == [{"NO": 1, "KIND": "A", "SUM": None}, {"OTHER": "here"}]


# columns, header, trim, floats


def test_columns_choose_in_the_table_s_order(tmp_path: Path) -> None:
    got = read(tmp_path, logs.example(), table="PROD.ITEMS", columns="STATE, ORDER_NO", operations="I,U,D")
    rows = [row for change in got for row in (change["before"], change["after"]) if row is not None]
    assert rows
    assert all(list(row) == ["ORDER_NO", "STATE"] for row in rows)


@pytest.mark.parametrize("table", [None, "PROD.ITEMS"])
def test_a_column_that_no_table_has_is_an_error(table: str | None, tmp_path: Path) -> None:
    with pytest.raises(lmparse.OptionError, match="ORDER_NR") as caught:
        read(tmp_path, logs.example(), table=table, columns="ORDER_NR,STATE")
    assert caught.value.code == "LMP-S003"


def test_columns_of_one_table_may_be_absent_from_others(tmp_path: Path) -> None:
    got = read(tmp_path, logs.example(), columns="KIND")
    by_table = {change["table_name"]: change["after"] for change in got if change["op"] == "I"}
    assert by_table == {"ORDERS": {}, "ITEMS": {}, "STOCK_MOVEMENTS_OF_ALL_SITES": {"KIND": "B"}}


def test_columns_keep_bad_values_of_other_columns_out(tmp_path: Path) -> None:
    writer = Unexpecting([logs.TABLES[2]])
    writer.add(logs.Unit(1), logs.TABLES[2], "I", after={"NO": 1, "KIND": "A", "SUM": b"ABCD"})
    log = writer.example()
    assert read(tmp_path, log, columns="NO")[0]["after"] == {"NO": 1}
    with pytest.raises(lmparse.InvalidValueError):
        read(tmp_path, log)


def test_header_gives_every_field(tmp_path: Path) -> None:
    log = logs.example()
    changes = read(tmp_path, log, header=True, include="all")
    records = list(lmparse.open_log(tmp_path / "a.dat", framing="rdw").records())
    by_rba = {record["log_rba"]: record for record in records if record["seg_num"] == 1}
    for change in changes:
        header = change["header"]
        expected = {name: value for name, value in by_rba[header["log_rba"]].items() if name != "data"}
        assert header == expected
    assert len(changes[0]["header"]) == len(lldf.HEADER)
    assert "header" not in read(tmp_path, log)[0]


def test_trim_leaves_or_cuts_blanks_of_char_only(tmp_path: Path) -> None:
    log = logs.example()
    cut = read(tmp_path, log, table="PROD.ORDERS")[0]["after"]
    kept = read(tmp_path, log, table="PROD.ORDERS", trim=False)[0]["after"]
    assert (cut["CODE"], kept["CODE"]) == ("AB", "AB    ")
    assert cut["NOTE"] == kept["NOTE"] == "two  blanks "
    assert cut["BITS"] == kept["BITS"] == "00FF4001"
    items = read(tmp_path, log, table="PROD.ITEMS", trim=False)[0]["after"]
    assert (items["STATE"], items["WIDE"], items["WIDER"]) == ("N ", "日本 ", "東京 ")


def test_floats_are_read_in_either_form(tmp_path: Path) -> None:
    log = logs.example(floats="ieee")
    same(read(tmp_path, log, floats="ieee"), log.expected)
    assert read(tmp_path, log)[0]["after"]["RATIO"] != -118.625


# column types


class Unexpecting(logs.Writer):
    """Writes values that no row could show; the changes it expects have no rows."""

    @staticmethod
    def _shown_row(table: Table, row: Any) -> None:
        return None


def one(tmp_path: Path, column: Column, value: Any, scheme: str = "E", **options: Any) -> Any:
    """The value of a column next to another that shows whether the row is read in step."""
    columns = (column, Column("LAST", "CHAR", 2))
    table = Table(0x0105, 2, 3, "PROD", "ONE", columns, encoding_scheme=scheme)
    style = {name: options.pop(name) for name in ("floats", "null_bytes", "graphic_len") if name in options}
    control_options = options.pop("control_options", {})
    writer = Unexpecting([table], logs.Options(**style))
    writer.add(logs.Unit(1), table, "I", after={column.name: value, "LAST": "ZZ"})
    change = read(tmp_path, writer.example(**control_options), **options)[0]
    assert change["after"]["LAST"] == "ZZ"
    return change["after"][column.name]


@pytest.mark.parametrize("dec_length", ["bytes", "precision"])
@pytest.mark.parametrize("precision", [1, 2, 3, 4, 9, 15, 30, 31])
def test_a_decimal_of_any_precision(precision: int, dec_length: Any, tmp_path: Path) -> None:
    digits = ("1234567890" * 4)[:precision]
    column = Column("D", "DEC", precision, 1)
    packed = bytes.fromhex(("" if precision % 2 else "0") + digits + "D")
    shown = f"-{digits[:-1] or '0'}.{digits[-1]}"
    assert one(tmp_path, column, packed, control_options={"dec_length": dec_length}) == shown


@pytest.mark.parametrize("dec_length", ["bytes", "precision"])
def test_the_length_of_a_decimal_is_found_without_loglog_bytes(dec_length: Any, tmp_path: Path) -> None:
    column = Column("D", "DEC", 9, 2, dlci={"loglog_bytes": "     "})
    assert one(tmp_path, column, "1234567.89", control_options={"dec_length": dec_length}) == "1234567.89"


@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [
        (Column("C", "INT", 2), -32768, -32768),
        (Column("C", "INT", 4), 2**31 - 1, 2**31 - 1),
        (Column("C", "INT", 8), -(2**63), -(2**63)),
        (Column("C", "FLOT", 8), 0.1, 0.1),
        (Column("C", "FLOT", 4), -0.5, -0.5),
        (Column("C", "CHAR", 5), "  x", "  x"),
        (Column("C", "CHAR", 3, subtype="B"), b"\x40\x40\x40", "404040"),
        (Column("C", "VCHR", 5), "", ""),
        (Column("C", "VCHR", 5, subtype="B"), b"\xff\x00", "FF00"),
        (Column("C", "LVCH", 3000), "x" * 3000, "x" * 3000),
        (Column("C", "DATE"), "0001-01-01", "0001-01-01"),
        (Column("C", "DATE"), "9999-12-31", "9999-12-31"),
        (Column("C", "TIME"), "24:00:00", "24:00:00"),
        (Column("C", "DTTM", 19), "2026-03-14T10:11:12", "2026-03-14T10:11:12"),
        (Column("C", "DTTM", 26), "9999-12-31T24:00:00.000000", "9999-12-31T24:00:00.000000"),
        (Column("C", "DTTM", 32), "2026-03-14T10:11:12.123456789012", "2026-03-14T10:11:12.123456789012"),
        (Column("C", "DTTZ", 25), "2026-03-14T10:11:12-12:59", "2026-03-14T10:11:12-12:59"),
        (Column("C", "DTTZ", 38), "2026-03-14T10:11:12.123456789012+14:00", "2026-03-14T10:11:12.123456789012+14:00"),
        (Column("C", "ROWI", 17), bytes(range(17)), bytes(range(17)).hex().upper()),
        (Column("C", "XYZ", 5), b"\x01\x02\x03\x04\x05", "0102030405"),
        (Column("C", "DECF", 16), b"\x22" * 16, "22" * 16),
    ],
    ids=lambda value: f"{value.type} {value.size}" if isinstance(value, Column) else "",
)
def test_values_at_the_edges_of_their_types(column: Column, value: Any, shown: Any, tmp_path: Path) -> None:
    assert one(tmp_path, column, value) == shown
    for null_bytes in ("present", "absent"):
        nullable = replace(column, nulls="Y")
        assert one(tmp_path, nullable, value, null_bytes=null_bytes) == shown
        assert one(tmp_path, nullable, None, null_bytes=null_bytes) is None


@pytest.mark.parametrize("scheme", ["E", "A", "U"])
def test_text_is_read_in_the_encoding_of_its_table(scheme: str, tmp_path: Path) -> None:
    assert one(tmp_path, Column("C", "VCHR", 40, subtype="M"), "Grüße [x]", scheme) == "Grüße [x]"
    assert one(tmp_path, Column("C", "CHAR", 20), "Grüße [x]", scheme) == "Grüße [x]"


@pytest.mark.parametrize("null_bytes", ["present", "absent"])
def test_the_first_null_decides_however_late_it_comes(null_bytes: Any, tmp_path: Path) -> None:
    stock = logs.TABLES[2]
    writer = logs.Writer([stock], logs.Options(null_bytes=null_bytes))
    nulls = {"NO": 0, "KIND": None, "SUM": None}
    full = writer.row_image(stock, {"NO": 1, "KIND": "A", "SUM": "1.00"})
    null = writer.row_image(stock, nulls)
    record = lldf.change("I", [full], **stock.header_fields)
    records = [record] * 1010 + [lldf.change("I", [image], **stock.header_fields) for image in (null, full, null)]
    log = replace(writer.example(describe_header=False), data_records=records)
    opened = lmparse.open_log(**put(tmp_path, log), mode="failfast")
    rows = [change["after"] for change in opened.changes()]
    assert len(rows) == len(records)
    assert rows[-3:] == [nulls, {"NO": 1, "KIND": "A", "SUM": "1.00"}, nulls]
    said = [decision.value for decision in opened.decisions if decision.name == "columns"]
    assert f"null bytes {null_bytes}" in said[-1]


@pytest.mark.parametrize("graphic_len", ["bytes", "chars"])
@pytest.mark.parametrize("type_", ["VGRF", "LVGR"])
def test_graphic_lengths_count_bytes_or_characters(type_: str, graphic_len: Any, tmp_path: Path) -> None:
    assert one(tmp_path, Column("G", type_, 6), "東京日本", "U", graphic_len=graphic_len) == "東京日本"
    hexes = "42C142C2"
    assert one(tmp_path, Column("G", type_, 6), bytes.fromhex(hexes), graphic_len=graphic_len) == hexes


@pytest.mark.parametrize("type_", ["BLOB", "CLOB", "DBCL"])
def test_a_lob_value_is_absent_with_its_reason(type_: str, tmp_path: Path) -> None:
    column = Column("L", type_, 1048576, nulls="L")
    table = Table(0x0105, 2, 3, "PROD", "ONE", (column, Column("LAST", "CHAR", 2)))
    writer = logs.Writer([table])
    writer.add(logs.Unit(1), table, "I", after={"L": b"", "LAST": "ZZ"})
    writer.add(logs.Unit(1), table, "I", after={"L": None, "LAST": "ZZ"})
    kept, null = read(tmp_path, writer.example())
    assert kept["after"] == null["after"] == {"L": None, "LAST": "ZZ"}
    assert kept["detail"]["absent"].keys() == {"after.L"}
    assert "LOB values are kept in data sets of their own" in kept["detail"]["absent"]["after.L"]
    assert null["detail"] is None


def test_sas_dates_stay_text(tmp_path: Path) -> None:
    log = logs.example(control_options={"dlds_fields": {"date_format": "SASTIME"}})
    opened = lmparse.open_log(**put(tmp_path, log))
    after = next(opened.changes())["after"]
    assert (after["DAY"], after["AT"], after["STAMP"]) == ("2026-03-14", "13.32.00", "2026-03-14-10.11.12.000123")
    assert any("SAS" in notice for notice in opened.tally.notices)


# tables and their versions


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


def test_columns_without_a_table_record_are_enough(tmp_path: Path) -> None:
    log = logs.example()
    dtbi = "DTBI".encode("cp037")
    records = [record for record in log.control_records if not record.startswith(dtbi)]
    assert len(records) == len(log.control_records) - len(log.tables)
    got = read(tmp_path, replace(log, control_records=records), table="PROD.ORDERS", operations="I")
    expected = [change for change in log.expected if change["table_name"] == "ORDERS" and change["op"] == "I"]
    assert [change["after"] for change in got] == [change["after"] for change in expected]


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
    assert change["detail"] == {"after_bytes": "00000001A7404040"}


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


def test_two_columns_of_one_number_are_an_error(tmp_path: Path) -> None:
    log = logs.example()
    twice = control.column_records(log.tables[2])[0]
    with pytest.raises(lmparse.ControlError) as caught:
        read(tmp_path, replace(log, control_records=[*log.control_records, twice]))
    assert caught.value.code == "LMP-C004"


def test_changes_need_a_control_file(tmp_path: Path) -> None:
    paths = put(tmp_path, logs.example())
    Path(paths["control"]).unlink()  # else it is found
    with pytest.raises(lmparse.ControlError, match="no control file") as found:
        list(lmparse.open_log(paths["path"]).changes())
    assert found.value.code == "LMP-C007"


# bad values and records


def bad_log() -> logs.Example:
    """Three rows; the second has letters in its decimal."""
    stock = logs.TABLES[2]
    writer = Unexpecting([stock])
    for number, amount in enumerate(["1.00", "ABCD".encode("cp037"), "3.00"]):
        writer.add(logs.Unit(1), stock, "I", after={"NO": number, "KIND": "A", "SUM": amount})
    return writer.example()


def test_a_bad_value_is_null_and_named_and_its_row_is_kept(tmp_path: Path) -> None:
    opened = lmparse.open_log(**put(tmp_path, bad_log()))
    got = list(opened.changes())
    assert [change["after"]["SUM"] for change in got] == ["1.00", None, "3.00"]
    assert got[1]["after"]["NO"] == 1
    assert ["_corrupt_fields" in change for change in got] == [False, True, False]
    (fault,) = got[1]["_corrupt_fields"]
    assert list(fault) == ["path", "offset", "raw", "code", "message"]
    assert (fault["path"], fault["raw"], fault["code"]) == ("after.SUM", "C1C2C3C4", "LMP-V002")
    assert fault["offset"] == 4 + 1 + 3 + 1
    (error,) = opened.tally.errors
    assert (error.code, error.field, error.record_index, error.file) == (
        *("LMP-V002", "after.SUM", 1),
        str(tmp_path / "a.dat"),
    )
    assert error.record_offset == got[1]["_metadata"]["record_offset"]
    assert (opened.tally.error_count, opened.tally.dropped) == (1, 0)


def test_dropmalformed_drops_the_row_and_counts_it(tmp_path: Path) -> None:
    opened = lmparse.open_log(**put(tmp_path, bad_log()), mode="dropmalformed")
    assert [change["after"]["SUM"] for change in opened.changes()] == ["1.00", "3.00"]
    assert (opened.tally.error_count, opened.tally.dropped) == (1, 1)


def test_failfast_stops_at_the_first(tmp_path: Path) -> None:
    changes = lmparse.open_log(**put(tmp_path, bad_log()), mode="failfast").changes()
    assert next(changes)["after"]["SUM"] == "1.00"
    with pytest.raises(lmparse.InvalidValueError) as caught:
        next(changes)
    assert (caught.value.code, caught.value.field, caught.value.record_index) == ("LMP-V002", "after.SUM", 1)


@pytest.mark.parametrize("role", ["before", "after"])
def test_a_bad_value_of_an_update_says_in_which_image(role: str, tmp_path: Path) -> None:
    stock = logs.TABLES[2]
    good = {"NO": 1, "KIND": "A", "SUM": "1.00"}
    images = {"before": good, "after": good} | {role: {**good, "SUM": b"\x12\x3a\x4c\x0c"}}
    writer = Unexpecting([stock])
    writer.add(logs.Unit(1), stock, "UB", images["before"], images["after"])
    change = next(lmparse.open_log(**put(tmp_path, writer.example())).changes())
    assert [fault["path"] for fault in change["_corrupt_fields"]] == [f"{role}.SUM"]
    assert change[role]["SUM"] is None
    other = "after" if role == "before" else "before"
    assert change[other]["SUM"] == "1.00"


@pytest.mark.parametrize(
    ("column", "raw", "code"),
    [
        (Column("C", "DEC", 3), b"\x12\x34", "LMP-V002"),
        (Column("C", "DEC", 3), b"\xf1\x2c", "LMP-V002"),
        (Column("C", "DEC", 3), b"\x40\x40", "LMP-V002"),
        (Column("C", "DATE"), "2026-02-30".encode("cp037"), "LMP-V006"),
        (Column("C", "DATE"), b"\x40" * 10, "LMP-V006"),
        (Column("C", "TIME"), "25.00.00".encode("cp037"), "LMP-V006"),
        (Column("C", "DTTM", 26), "2026-03-14-10.11.12.00012x".encode("cp037"), "LMP-V006"),
        (Column("C", "DTTZ", 25), "2026-03-14-10.11.12+15:00".encode("cp037"), "LMP-V006"),
    ],
)
def test_bytes_that_are_no_value_of_their_type(column: Column, raw: bytes, code: str, tmp_path: Path) -> None:
    table = Table(0x0105, 2, 3, "PROD", "ONE", (column, Column("LAST", "CHAR", 2)))
    writer = Unexpecting([table])
    writer.add(logs.Unit(1), table, "I", after={"C": raw, "LAST": "ZZ"})
    change = next(lmparse.open_log(**put(tmp_path, writer.example())).changes())
    assert change["after"] == {"C": None, "LAST": "ZZ"}
    (fault,) = change["_corrupt_fields"]
    assert (fault["path"], fault["raw"], fault["code"]) == ("after.C", raw.hex().upper(), code)


def test_text_that_its_page_does_not_have_is_named(tmp_path: Path) -> None:
    table = Table(0x0105, 2, 3, "PROD", "ONE", (Column("C", "VCHR", 9, subtype="M"),), encoding_scheme="U")
    writer = Unexpecting([table])
    writer.add(logs.Unit(1), table, "I", after={"C": b"a\xffb"})
    change = next(lmparse.open_log(**put(tmp_path, writer.example())).changes())
    assert change["after"] == {"C": None}
    assert [(fault["raw"], fault["code"]) for fault in change["_corrupt_fields"]] == [("61FF62", "LMP-V007")]


def test_a_row_that_its_columns_do_not_fill_is_a_bad_record(tmp_path: Path) -> None:
    log = bad_log()
    (stock,) = log.tables
    good = [logs.image(stock.columns, [number, "A", "1.00"]) for number in range(5)]
    records = [lldf.change("I", [image], **stock.header_fields) for image in good]
    records[2] = lldf.change("I", [good[2] + b"\x00"], **stock.header_fields)
    records[3] = lldf.change("I", [good[3][:-1]], **stock.header_fields)
    opened = lmparse.open_log(**put(tmp_path, replace(log, data_records=records)))
    assert [change["after"]["NO"] for change in opened.changes()] == [0, 1, 4]
    assert [(error.code, error.record_index) for error in opened.tally.errors] == [("LMP-R003", 2), ("LMP-R001", 3)]
    assert opened.tally.dropped == 2


def test_data_that_no_image_fills_is_a_bad_record(tmp_path: Path) -> None:
    log = logs.example()
    records = [*log.data_records]
    records[0] = records[0][:-3]
    opened = lmparse.open_log(**put(tmp_path, replace(log, data_records=records)))
    got = [plain(change) for change in opened.changes()]
    same(got, log.expected[1:])
    (error,) = opened.tally.errors
    assert (error.record_index, error.code, error.spec) == (0, "LMP-V009", "bmc_lldf")
    assert (error.field or "").startswith("data")
    assert opened.tally.dropped == 1


def test_a_bad_timestamp_in_the_header_is_null_and_named(tmp_path: Path) -> None:
    writer = logs.Writer()
    row = {"NO": 1, "KIND": "A", "SUM": "1.00"}
    raw = b"\x20\x26\x13" + bytes(14)
    writer.add(logs.Unit(1), logs.TABLES[2], "I", after=row, timestamp=raw)
    opened = lmparse.open_log(**put(tmp_path, writer.example()))
    change = next(opened.changes())
    assert change["ts"] is None
    assert change["after"]["NO"] == 1
    assert [(error.code, error.field, error.field_offset) for error in opened.tally.errors] == [
        ("LMP-V005", "timestamp", 60)
    ]
    assert [fault["path"] for fault in change["_corrupt_fields"]] == ["timestamp"]


# the examples printed behind the vendor's LLDF table


def reader_of(nulls: str) -> RowReader:
    """Reads rows of one varying column of at most five characters."""
    page = codepages.lookup("cp037")
    column = lmparse.bmc.tables.Column(
        1, "FIELD", "VCHR", "S", 5, 0, nulls, loglog_bytes=7 + (nulls == "Y"), position=0, page=page, ccsid=37
    )
    return RowReader(lmparse.bmc.tables.TableVersion("DB2A", 1, 2, 3, 1, (column,)), ImageReading())


@pytest.mark.parametrize(
    ("nulls", "image", "value"),
    [
        ("N", bytes.fromhex("0005") + "ABCDE".encode("cp037"), "ABCDE"),
        ("Y", bytes.fromhex("00 0005") + "ABCDE".encode("cp037"), "ABCDE"),
        ("Y", bytes.fromhex("FF 0000"), None),
    ],
)
def test_the_printed_examples_of_a_five_character_field(nulls: str, image: bytes, value: str | None) -> None:
    row = reader_of(nulls).read(image)
    assert (row.values, row.faults, row.absent) == ({"FIELD": value}, [], {})


@pytest.mark.parametrize("image", ["0006 00 C1C2C3C4C5", "0001 FF"])
def test_the_printed_examples_of_the_db2_log_are_no_rows_here(image: str) -> None:
    assert not reader_of("Y").fits(bytes.fromhex(image))
    with pytest.raises(lmparse.DataError):
        reader_of("Y").read(bytes.fromhex(image))


def test_a_null_with_a_length_is_a_bad_value() -> None:
    row = reader_of("Y").read(bytes.fromhex("FF 0001 C1"))
    assert row.values == {"FIELD": None}
    assert [fault.field for fault in row.faults] == ["FIELD"]
