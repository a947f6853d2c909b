"""Spark: what becomes of bad records, bad values and damage in each mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from spark.conftest import BAD_STAMP, OUTCOME, Files, read, rows_of
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
