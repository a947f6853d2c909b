"""What only a session of Spark shows of the data source: the catalog, hints in its errors, files of tasks, reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from lmparse.errors import OptionError
from lmparse.samples import bmc_log
from lmparse.spark import read_changes, read_records, report, write_parquet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two logs, of which the second is cut short."""
    made = tmp_path_factory.mktemp("session") / "logs"
    control, data = (path.read_bytes() for path in bmc_log.make(seed=5, units=20).write(made))
    for path in made.iterdir():
        path.unlink()
    for name, content in {"a": data, "b": data[: len(data) // 2]}.items():
        (made / f"{name}.dat").write_bytes(content)
        (made / f"{name}.ctl").write_bytes(control)
    return made


def test_a_folder_with_a_damaged_file(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    """The source, `read_changes` and `write_parquet` give the same rows; files say what was bad, left out and read."""
    options = {"maxPartitionBytes": "40000"}
    outputs = {"badRecordsPath": str(tmp_path / "bad"), "reportPath": str(tmp_path / "report")}
    with pytest.raises(Exception, match="PATH_NOT_FOUND"):
        report(spark, outputs["reportPath"])
    source = spark.read.format("lmparse").options(**options)
    rows = source.load(str(folder)).orderBy("_metadata").collect()
    assert [row["_corrupt_fields"][0]["code"] for row in rows if row["_corrupt_record"] is not None] == ["LMP-F006"]
    good = source.options(**outputs).load(str(folder)).orderBy("_metadata").collect()
    assert good == [row for row in rows if row["_corrupt_record"] is None]
    found = report(spark, outputs["reportPath"])
    total = found.selectExpr("sum(rows) AS rows", "sum(bytes) AS bytes", "count(*) AS count", "max(parts) AS parts")
    (sums,) = total.collect()
    assert (sums["rows"], sums["bytes"]) == (len(good), sum(path.stat().st_size for path in folder.glob("*.dat")))
    assert sums["count"] == sums["parts"] > 3
    reasons = found.selectExpr("explode(left_out) AS (reason, count)").groupBy("reason").sum("count").collect()
    assert {row["reason"]: row["sum(count)"] for row in reasons}.keys() >= {"rolled-back"}
    assert [row["damage"][-10:] for row in found.where("damage IS NOT NULL").collect()] == ["[LMP-F006]"]
    assert [row["path"] for row in spark.read.json(f"{outputs['badRecordsPath']}/*/bad_files").collect()] == [
        str(folder / "b.dat")
    ]
    changes = read_changes(spark, str(folder), **options, **outputs)
    assert sorted(map(str, changes.collect())) == sorted(map(str, good))
    assert report(spark, outputs["reportPath"]).select("run").distinct().count() == 2
    written = write_parquet(spark, str(folder), tmp_path / "out", **options)
    assert (written.rows, written.corrupt_rows) == (len(rows), 1)
    assert sorted(map(str, spark.read.parquet(str(tmp_path / "out")).collect())) == sorted(map(str, rows))
    with pytest.raises(Exception, match="LMP-F006"):
        write_parquet(spark, str(folder), tmp_path / "none", reading_mode="failfast", **options)
    assert not (tmp_path / "none").exists()
    dropped = write_parquet(spark, str(folder), tmp_path / "dropped", reading_mode="dropmalformed", **options)
    assert (dropped.rows, dropped.corrupt_rows) == (len(good), 0)
    with pytest.raises(OptionError, match="reading_mode has no value 'lenient'"):
        write_parquet(spark, str(folder), tmp_path / "none", reading_mode="lenient")
    for name in outputs:
        with pytest.raises(OptionError, match=f"{name} means nothing for records as bytes"):
            read_records(spark, str(folder), **{name: "x"})
    empty = tmp_path / "empty"
    empty.mkdir()
    assert spark.read.format("lmparse").load(str(empty)).collect() == []
    assert write_parquet(spark, str(empty), tmp_path / "nothing").rows == 0
    assert pq.read_table(tmp_path / "nothing").schema.names == spark.read.format("lmparse").load(str(empty)).columns


def test_a_table_of_the_catalog_and_hints(spark: SparkSession, folder: Path) -> None:
    """Spark adds options of its own; its errors show the hint of ours below the message."""
    log = str(folder / "a.dat")
    spark.catalog.createTable("logged", path=log, source="lmparse", control=str(folder / "a.ctl"))
    try:
        expected = spark.read.format("lmparse").load(log).collect()
        assert sorted(map(str, spark.table("logged").collect())) == sorted(map(str, expected))
    finally:
        spark.sql("DROP TABLE logged")

    def error(**options: Any) -> str:
        with pytest.raises(Exception, match="LMP-") as caught:
            spark.read.format("lmparse").options(**options).load(log).collect()
        return str(caught.value)

    assert "mode has no value 'lenient' [LMP-S003]\n  hint: one of permissive, dropmalformed, failfast" in error(
        mode="lenient"
    )
    narrow = spark.read.format("lmparse").option("spec", "bmc_lldf").schema("Length tinyint, change_type string")
    with pytest.raises(Exception, match=r"record 0 at 0x4: .*LMP-V011\]\n +hint: read the column in its own type"):
        narrow.load(log).collect()
    nearest = error(badRecordPath="x")
    assert "did you mean badRecordsPath?" in nearest
