"""Columns of rows: the values of each type, at its edges, and the examples that the vendor prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bmc_logs import one, put, read
from writers.bmc import lldf, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

import lmparse
import lmparse.bmc.control.tables
from lmparse.bmc.record.row_image import ImageReading, RowReader
from lmparse.values import codepages


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
def test_nulls_are_read_however_late_they_come(null_bytes: Any, tmp_path: Path) -> None:
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


# the examples printed behind the vendor's LLDF table


def reader_of(nulls: str) -> RowReader:
    """Reads rows of one varying column of at most five characters."""
    page = codepages.lookup("cp037")
    column = lmparse.bmc.control.tables.Column(
        1, "FIELD", "VCHR", "S", 5, 0, nulls, loglog_bytes=7 + (nulls == "Y"), page=page, ccsid=37
    )
    return RowReader(lmparse.bmc.control.tables.TableVersion("DB2A", 1, 2, 3, 1, (column,)), ImageReading())


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
