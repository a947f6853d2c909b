"""Spark: what becomes of bad records, bad values and damage in each mode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from spark.conftest import BAD_STAMP, OUTCOME, Files, read, rows_of, write
from writers.bmc import logs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("mode", ["permissive", "dropmalformed"])
def test_bad_records_of_a_file_in_a_frame(
    spark: SparkSession, damaged: Files, example: logs.Example, mode: str
) -> None:
    rows = rows_of(read(spark, damaged.data, spec="bmc_lldf", mode=mode, columns="timestamp,dbid"))
    indexes = [row["_metadata"]["record_index"] for row in rows]
    everything = range(len(example.data_records))
    if mode == "dropmalformed":
        assert indexes == [index for index in everything if index not in (2, 7)]
        assert {row[name] for row in rows for name in OUTCOME} == {None}
        return
    assert indexes == list(everything)
    value, record = rows[2], rows[7]
    assert (value["timestamp"], value["dbid"], value["_corrupt_record"]) == (None, 0x105, None)
    (fault,) = value["_corrupt_fields"]
    assert (fault["path"], fault["offset"], fault["raw"], fault["code"]) == (
        "timestamp",
        60,
        BAD_STAMP.hex().upper(),
        "LMP-V005",
    )
    assert fault["message"]
    assert (record["timestamp"], record["dbid"]) == (None, None)
    assert bytes.fromhex(record["_corrupt_record"]) == b"\x7f\xff" + example.data_records[7][2:]
    assert [fault["path"] for fault in record["_corrupt_fields"]] == ["length"]
    clean = [row for row in rows if row["_metadata"]["record_index"] not in (2, 7)]
    assert {row[name] for row in clean for name in OUTCOME} == {None}


def test_failfast_names_place_and_code(spark: SparkSession, damaged: Files) -> None:
    from pyspark.errors import PySparkException

    with pytest.raises(PySparkException, match=r"damaged.*: record 2 at 0x\w+: bmc_lldf\.timestamp: .*\[LMP-V005\]"):
        read(spark, damaged.data, spec="bmc_lldf", mode="failfast").collect()


@pytest.fixture(scope="module")
def bad_row(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The second of three inserts has letters where a decimal should be."""
    stock = logs.TABLES[2]
    writer, unit = logs.Writer(), logs.Unit(1)
    for number in range(3):
        amount: Any = b"ABCD" if number == 1 else "1.25"
        writer.add(unit, stock, "I", after={"NO": number, "KIND": "K", "SUM": "1.25"})
        if number == 1:
            good = writer.row_image(stock, {"NO": number, "KIND": "K", "SUM": "1.25"})
            bad = writer.row_image(stock, {"NO": number, "KIND": "K", "SUM": amount})
            writer.records[-1] = writer.records[-1].replace(good, bad)
    return write(tmp_path_factory.mktemp("bad_row"), writer.example())


@pytest.mark.parametrize("table", ["STOCK_MOVEMENTS_OF_ALL_SITES", None])
def test_a_bad_value_of_a_row_is_null_and_listed(spark: SparkSession, bad_row: Files, table: str | None) -> None:
    options = {"table": table} if table else {}
    rows = rows_of(read(spark, bad_row.data, **options))
    images = [row["after"] if table else json.loads(row["after"]) for row in rows]
    assert [image["SUM"] for image in images] == ["1.25", None, "1.25"]
    assert [image["NO"] for image in images] == [0, 1, 2]
    assert [row["_corrupt_fields"] is None for row in rows] == [True, False, True]
    (fault,) = rows[1]["_corrupt_fields"]
    assert (fault["path"], fault["raw"], fault["code"]) == ("after.SUM", "41424344", "LMP-V002")


@pytest.mark.parametrize("mode", ["permissive", "dropmalformed", "failfast"])
def test_damaged_framing_fails_in_every_mode(
    spark: SparkSession, example: logs.Example, tmp_path: Path, mode: str
) -> None:
    from pyspark.errors import PySparkException

    log = write(tmp_path, example)
    log.data.write_bytes(log.data.read_bytes()[:-7])
    with pytest.raises(PySparkException, match=r"night\.dat: record 25 at .*\[LMP-F006\]"):
        read(spark, log.data, mode=mode).collect()
