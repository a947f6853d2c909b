"""Spark on Db2 for LUW logs: the same rows as without it, transactions whole in every split."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table

from lmparse import open_log
from lmparse.samples import db2_log

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

KEYS = ("op", "seq", "txn_id", "schema_name", "table_name", "auth_id", "uor_disp", "log_rec_disp")
ITEM = Table(2, 9, "ITEM", [Column("ID", "INTEGER", nullable=False), Column("PRICE", "DECIMAL(7,2)")])


def read(spark: SparkSession, path: object, **options: object) -> DataFrame:
    texts = {name: str(value) for name, value in options.items()}
    return spark.read.format("lmparse").options(**texts).load(str(path))


def comparable(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in KEYS} | {role: row[role] for role in ("before", "after", "detail")}


def from_spark(frame: DataFrame) -> list[dict[str, Any]]:
    rows = sorted((row.asDict(recursive=True) for row in frame.collect()), key=lambda row: str(row["seq"]))
    texts = ("before", "after", "detail")
    return [comparable(row | {name: json.loads(row[name]) if row[name] else None for name in texts}) for row in rows]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Tables file and log of the sample."""
    return db2_log.make(units=24).write(tmp_path_factory.mktemp("luw"))


@pytest.mark.parametrize(("max_bytes", "include"), [(1 << 27, "committed"), (30_000, "all")])
def test_changes_are_those_of_the_library_however_the_log_is_split(
    spark: SparkSession, files: tuple[Path, Path], max_bytes: int, include: str
) -> None:
    named, log = files
    frame = read(spark, log, tables=named, include=include, maxPartitionBytes=max_bytes)
    expected = [comparable(row) for row in open_log(str(log), tables=str(named), include=include).changes()]
    assert from_spark(frame) == sorted(expected, key=lambda row: str(row["seq"]))
    assert expected
    assert (frame.rdd.getNumPartitions() > 1) == (max_bytes < 1 << 20)


def test_one_table_has_real_types_and_lob_values(spark: SparkSession, files: tuple[Path, Path]) -> None:
    named, log = files
    frame = read(spark, log, tables=named, table="HR.EMPLOYEE", maxPartitionBytes=60_000)
    types = {field.name: field.dataType.simpleString() for field in frame.schema["after"].dataType}
    assert types == {
        "EMPNO": "string", "NAME": "string", "SALARY": "decimal(9,2)", "HIRED": "date", "CHANGED": "timestamp_ntz",
        "RESUME": "string",
    }  # fmt: skip
    expected = [row["after"]["RESUME"] for row in open_log(str(log), tables=str(named), table="HR.EMPLOYEE").changes()
                if row["after"] and row["after"]["RESUME"]]  # fmt: skip
    found = [row[0] for row in frame.select("after.RESUME").where("after.RESUME IS NOT NULL").collect()]
    assert sorted(found) == sorted(expected)
    assert {len(text) for text in found} == {70_000}


def test_records_and_a_bad_one(spark: SparkSession, files: tuple[Path, Path], tmp_path: Path) -> None:
    _, log = files
    frame = read(spark, log, spec="db2_log", maxPartitionBytes=50_000)
    expected = [row["kind"] for row in open_log(str(log), spec="db2_log").records()]
    kinds = [row[0] for row in frame.orderBy("_metadata.record_index").select("kind").collect()]
    assert kinds == expected
    assert frame.rdd.getNumPartitions() > 1
    assert "lsn" in frame.columns
    stream = Stream("v9.7", "little", "lsn8")
    unit = stream.begin("BOB")
    unit.initialize(ITEM)
    for number in range(4):
        unit.insert(ITEM, {"ID": number, "PRICE": None})
    unit.commit()
    data = bytearray(stream.bytes())
    place = stream.records[2].offset
    data[place + 24 + 8] ^= 1  # the record length of the second row
    path = tmp_path / "bad.log"
    path.write_bytes(data)
    for options in ({"include": "committed"}, {}):
        frame = read(spark, path, spec="db2_log", maxPartitionBytes=100, **options)
        bad = frame.where("_corrupt_record IS NOT NULL").collect()
        assert [row["_metadata"]["record_index"] for row in bad] == [2]
        assert bytes(bad[0]["_corrupt_record"]) == bytes(data[place : place + stream.records[2].length])
        assert bad[0]["_corrupt_fields"][0]["code"].startswith("LMP-R")
