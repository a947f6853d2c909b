"""Bad values and bad records: what is kept, named, dropped or ends the reading."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from bmc_logs import Unexpecting, put
from writers.bmc import lldf, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

import lmparse


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
