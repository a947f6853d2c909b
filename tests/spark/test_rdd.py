"""Spark: RDDs of records as bytes, and the generated parser over them."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from spark.conftest import Files
from writers.bmc import framing, logs

from lmparse import open_log
from lmparse.errors import LmparseError, OptionError
from lmparse.logs.open import open_file
from lmparse.options import Options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_record_bytes_and_the_parser_over_them(spark: SparkSession, apart: tuple[Files, logs.Example]) -> None:
    from lmparse.spark.rdd import parse, read_records

    files, example = apart
    raw = read_records(spark, str(files.data), max_partition_bytes=5000)
    assert raw.getNumPartitions() > 3
    assert raw.collect() == example.data_records
    assert parse(raw, "bmc_lldf").collect() == list(open_log(files.data).records())
    chosen = parse(raw, "bmc_lldf", columns="seg_num,total_segs").collect()
    assert chosen == list(open_log(files.data, columns="seg_num,total_segs").records())


def test_the_parser_over_binary_records(spark: SparkSession, tmp_path: Path, example: logs.Example) -> None:
    from lmparse.spark.rdd import parse

    path = tmp_path / "fixed.dat"
    length = max(map(len, example.data_records))
    path.write_bytes(framing.fixed(example.data_records, length))
    options = Options(framing="fixed", record_length=length)
    expected = list(open_file(path, options).records())
    assert len(expected) == len(example.data_records)
    assert parse(spark.sparkContext.binaryRecords(str(path), length), "bmc_lldf").collect() == expected


def test_objects_are_those_of_the_generated_parser(spark: SparkSession, night: Files, example: logs.Example) -> None:
    from lmparse.spark.rdd import parse, read_records

    objects = parse(read_records(spark, str(night.data), "rdw"), "bmc_lldf", objects=True)
    assert objects.map(attrgetter("__class__.__name__")).distinct().collect() == ["BmcLldf"]
    lengths = objects.map(attrgetter("length", "dbid", "data")).collect()
    assert lengths == [(288, int.from_bytes(record[6:8], "big"), record[288:]) for record in example.data_records]


def test_modes_of_the_parser(spark: SparkSession, damaged: Files, example: logs.Example) -> None:
    from lmparse.spark.rdd import parse, read_records

    raw = read_records(spark, str(damaged.data))
    permissive = parse(raw, "bmc_lldf").collect()
    assert len(permissive) == len(example.data_records)
    assert permissive[2]["timestamp"] is None
    assert [fault["path"] for fault in permissive[2]["_corrupt_fields"]] == ["timestamp"]
    assert set(permissive[7]) == {"_corrupt_record", "_error"}
    assert bytes.fromhex(permissive[7]["_corrupt_record"]) == b"\x7f\xff" + example.data_records[7][2:]
    assert permissive[7]["_error"]["field"] == "length"
    dropped = parse(raw, "bmc_lldf", mode="dropmalformed").collect()
    assert dropped == [row for index, row in enumerate(permissive) if index not in (2, 7)]
    with pytest.raises(Exception, match="LMP-V005"):
        parse(raw, "bmc_lldf", mode="failfast").collect()


def test_the_parser_refuses_what_is_no_option(spark: SparkSession) -> None:
    from lmparse.spark.rdd import parse, read_records

    rdd = spark.sparkContext.parallelize([b""], 1)
    with pytest.raises(LmparseError, match="'bmc_ldlf'") as caught:
        parse(rdd, "bmc_ldlf")
    assert "bmc_lldf" in str(caught.value.hint)
    with pytest.raises(OptionError, match="did you mean columns"):
        parse(rdd, "bmc_lldf", colums="length")
    with pytest.raises(OptionError, match="no_such_field"):
        parse(rdd, "bmc_lldf", columns="no_such_field")
    for name in ("framing", "control", "table", "engine"):
        with pytest.raises(OptionError, match=f"{name} means nothing for records that are given as bytes"):
            parse(rdd, "bmc_lldf", **{name: "check" if name == "engine" else "vbs"})
    for name in ("table", "columns", "engine", "mode"):
        with pytest.raises(OptionError, match=f"{name} means nothing for records as bytes"):
            read_records(spark, "any.dat", **{name: {"engine": "check", "mode": "failfast"}.get(name, "x")})
