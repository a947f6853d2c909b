"""What only a session of Spark shows of the data source: the catalog, hints in its errors, other ways to read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lmparse.errors import OptionError
from lmparse.samples import bmc_log
from lmparse.spark import read_changes, read_records, write_parquet

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
    """The source, `read_changes` and `write_parquet` give the same rows."""
    options = {"maxPartitionBytes": "120000"}
    rows = spark.read.format("lmparse").options(**options).load(str(folder)).orderBy("_metadata").collect()
    assert [row["_corrupt_fields"][0]["code"] for row in rows if row["_corrupt_record"] is not None] == ["LMP-F006"]
    good = [row for row in rows if row["_corrupt_record"] is None]
    assert sorted(map(str, read_changes(spark, str(folder), **options).collect())) == sorted(map(str, rows))
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
    with pytest.raises(OptionError, match="columnNameOfCorruptRecord means nothing for records as bytes"):
        read_records(spark, str(folder), columnNameOfCorruptRecord="x")


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
    assert "did you mean pathGlobFilter?" in error(pathGlobFiler="x")
