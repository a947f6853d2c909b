"""Parquet from the executors: the same rows as the data source gives, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lmparse.columnar.filters import Filter
from lmparse.errors import OptionError
from lmparse.export import parquet_folder
from lmparse.samples import bmc_log
from lmparse.spark.parquet import write_parquet
from lmparse.storage.outputs import AtomicOutput

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    control, data = bmc_log.make(seed=5, units=60).write(tmp_path_factory.mktemp("log"))
    return {"path": str(data), "control": str(control)}


def read(spark: SparkSession, **options: str) -> DataFrame:
    path = options.pop("path")
    return spark.read.format("lmparse").options(**options).load(path)


def rows_of(frame: DataFrame) -> list[Any]:
    return sorted(map(str, frame.collect()))


@pytest.mark.parametrize("what", ["records", "one table"])
def test_the_rows_of_the_source(spark: SparkSession, log: dict[str, str], what: str, tmp_path: Path) -> None:
    options = {
        "records": {"path": log["path"], "spec": "bmc_lldf", "framing": "rdw"},
        "one table": log | {"table": "PAYROLL.EMPLOYEE"},
    }[what] | {"maxPartitionBytes": "200000"}
    found = write_parquet(spark, out=str(tmp_path / "out"), **options)
    assert len(found.files) > 1
    written = spark.read.parquet(str(tmp_path / "out"))
    source = read(spark, **options)
    assert written.schema.simpleString() == source.schema.simpleString()
    assert rows_of(written) == rows_of(source)
    assert found.rows == written.count() > 0
    assert [path.name for path in sorted((tmp_path / "out").glob("*.parquet"))] == list(found.files)


def test_output_is_whole_or_not_there(spark: SparkSession, log: dict[str, str], tmp_path: Path) -> None:
    damaged = tmp_path / "x.dat"
    damaged.write_bytes(Path(log["path"]).read_bytes()[:-7])
    out = tmp_path / "out"
    with pytest.raises(Exception, match="LMP-F006"):
        write_parquet(spark, str(damaged), str(out), spec="bmc_lldf", framing="rdw", maxPartitionBytes="200000")
    assert not out.exists()
    write_parquet(spark, log["path"], str(out), spec="bmc_lldf")
    before = sorted(out.iterdir())
    with pytest.raises(Exception, match="LMP-F006"):
        write_parquet(spark, str(damaged), str(out), spec="bmc_lldf", framing="rdw", mode="overwrite")
    assert sorted(out.iterdir()) == before


def test_modes(spark: SparkSession, log: dict[str, str], tmp_path: Path) -> None:
    out, path = str(tmp_path / "out"), log["path"]
    first = write_parquet(spark, path, out, spec="bmc_lldf")
    with pytest.raises(OptionError, match="there already"):
        write_parquet(spark, path, out, spec="bmc_lldf")
    with pytest.raises(OptionError, match="mode has no value"):
        write_parquet(spark, path, out, spec="bmc_lldf", mode="replace")
    with pytest.raises(OptionError, match="compression has no value"):
        write_parquet(spark, path, out, spec="bmc_lldf", compression="best")
    write_parquet(spark, path, out, spec="bmc_lldf", mode="append")
    assert spark.read.parquet(out).count() == 2 * first.rows
    write_parquet(spark, path, out, spec="bmc_lldf", mode="overwrite")
    assert spark.read.parquet(out).count() == first.rows


def test_only_files_of_lmparse_are_replaced_and_no_input(
    spark: SparkSession, log: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, path = tmp_path / "out", log["path"]
    write_parquet(spark, path, str(out), spec="bmc_lldf")
    foreign, finish = out / "theirs.parquet", AtomicOutput.finish

    def comes_meanwhile(work: AtomicOutput) -> None:
        spark.range(3).toPandas().to_parquet(foreign)
        finish(work)

    before = {entry.name: entry.read_bytes() for entry in out.iterdir()}
    monkeypatch.setattr(AtomicOutput, "finish", comes_meanwhile)
    for _ in range(2):  # it comes after the first look at the folder, and is there at the second
        with pytest.raises(OptionError, match=r"not written by lmparse: it has theirs\.parquet"):
            write_parquet(spark, path, str(out), spec="bmc_lldf", mode="overwrite")
    before[foreign.name] = foreign.read_bytes()
    source = tmp_path / "logs"
    source.mkdir()
    (source / "x.parquet").write_bytes(Path(path).read_bytes())
    for mode in ("append", "overwrite"):
        with pytest.raises(OptionError, match="holds an input"):
            write_parquet(spark, str(source), str(source), spec="bmc_lldf", mode=mode)
    with pytest.raises(OptionError, match="LMP-S021"):
        write_parquet(spark, path, "s3://bucket/out", spec="bmc_lldf")
    assert {entry.name: entry.read_bytes() for entry in out.iterdir()} == before
    assert [entry.name for entry in source.iterdir()] == ["x.parquet"]


def test_what_is_appended_comes_whole_or_not_at_all(tmp_path: Path) -> None:
    target, made = tmp_path / "out", tmp_path / "made"
    for path in (target / "old.parquet", made / "a.parquet", made / "b.parquet"):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    with pytest.raises(FileNotFoundError):
        parquet_folder.move(["a.parquet", "b.parquet", "c.parquet"], made, target)
    assert [path.name for path in target.iterdir()] == ["old.parquet"]


def test_filters(spark: SparkSession, log: dict[str, str], tmp_path: Path) -> None:
    options = log | {"table": "PAYROLL.EMPLOYEE", "maxPartitionBytes": "200000"}
    found = write_parquet(spark, out=str(tmp_path / "out"), filters=[Filter("op", "=", "U")], **options)
    wanted = read(spark, **options).where("op = 'U'")
    assert rows_of(spark.read.parquet(str(tmp_path / "out"))) == rows_of(wanted)
    assert found.rows > 0
