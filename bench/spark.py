"""Spark over one log: what its sinks take, with the records decoded as they are read and decoded beforehand.

python -m bench.spark --size 64M --cores 1
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from bench import data, harness, header
from lmparse.columnar import schemas
from lmparse.logs import arrow
from lmparse.logs.partitions import FilePart, Request
from lmparse.options import Options
from lmparse.spark.java import spark_environment
from lmparse.spark.parquet import write_parquet


class Replay(DataSource):
    """Batches that were decoded beforehand, each part an Arrow file in the folder `path`."""

    @classmethod
    def name(cls) -> str:
        return "replay"

    def schema(self) -> StructType:
        first = next(iter(sorted(Path(self.options["path"]).glob("*.arrow"))))
        with pa.memory_map(str(first)) as file:
            return from_arrow_schema(pa.ipc.open_file(file).schema, prefer_timestamp_ntz=True)

    def reader(self, schema: StructType) -> DataSourceReader:
        return _ReplayReader(self.options["path"])


class _ReplayReader(DataSourceReader):
    def __init__(self, folder: str) -> None:
        self.folder = folder

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(str(path)) for path in sorted(Path(self.folder).glob("*.arrow"))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        with pa.memory_map(partition.value) as mapped:
            file = pa.ipc.open_file(mapped)
            for number in range(file.num_record_batches):
                yield file.get_batch(number)


def main(arguments: list[str] | None = None) -> int:
    """Make the file, check that all ways give the same rows, measure, print and write the result."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        truth = data.make("lldf", options.cache or folder, size=options.size, seed=7)
        spark = _session(options.cores, folder)
        try:
            seconds = _measure(spark, truth, folder, options)
        finally:
            spark.stop()
    rate = {name: truth.records / statistics.median(all_) for name, all_ in seconds.items()}
    ratios = {
        "noop, against replay": _ratio(seconds["replay to noop"], seconds["source to noop"]),
        "Parquet from the executors, against df.write.parquet": _ratio(
            seconds["df.write.parquet"], seconds["write_parquet"]
        ),
    }
    content = {
        "machine": header.machine(),
        "spark": spark.version,
        "cores": options.cores,
        "data": {"records": truth.records, "bytes": truth.bytes, "sha256": truth.sha256},
        "wall_seconds": seconds,
        "records_per_second": rate,
        "ratios": ratios,
    }
    path = harness.write(f"spark-{options.cores}", content)
    for name, value in rate.items():
        print(f"{name:22} {value:10,.0f} records/s")
    for name, value in ratios.items():
        print(f"{name}: {value:.2f}")
    print(f"written to {path.relative_to(data.ROOT)}")
    return 0


def _measure(spark: SparkSession, truth: Any, folder: Path, options: argparse.Namespace) -> dict[str, list[float]]:
    size = -(-truth.bytes // options.cores)
    asked: dict[str, Any] = {"spec": "bmc_lldf", "framing": "rdw", "maxPartitionBytes": str(size)}
    _decode(truth.path, folder / "replay", size)
    spark.dataSource.register(Replay)
    source = spark.read.format("lmparse").options(**asked).load(truth.path)
    replay = spark.read.format("replay").load(str(folder / "replay"))
    assert _sums(source) == _sums(replay)
    out = folder / "out"
    ways: dict[str, Callable[[], object]] = {
        "source to noop": lambda: source.write.format("noop").mode("overwrite").save(),
        "replay to noop": lambda: replay.write.format("noop").mode("overwrite").save(),
        "df.write.parquet": lambda: source.write.mode("overwrite").option("compression", "zstd").parquet(str(out)),
        "write_parquet": lambda: write_parquet(spark, truth.path, str(out), **asked),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(options.rounds + 1):
        for name, way in ways.items():
            shutil.rmtree(out, ignore_errors=True)
            start = time.perf_counter()
            way()
            if number:  # the first round warms up
                seconds[name].append(time.perf_counter() - start)
            if out.exists() and number == 0:
                assert _sums(spark.read.parquet(str(out))) == _sums(source)
    return seconds


def _decode(path: str, folder: Path, size: int) -> None:
    """The batches of each part as an Arrow file."""
    folder.mkdir()
    request = Request((path,), Options.parse({"spec": "bmc_lldf", "framing": "rdw"}), max_bytes=size)
    schema = schemas.records_schema("bmc_lldf")
    for number, part in enumerate(request.parts()):
        assert isinstance(part, FilePart)
        with pa.OSFile(str(folder / f"{number:05}.arrow"), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
            for batch in arrow.part_rows(part, schema, with_changes=False):
                writer.write_batch(batch)


def _sums(frame: DataFrame) -> Any:
    """A few figures that differ when rows do."""
    return frame.selectExpr(
        "count(*)", "sum(dbid)", "sum(hash(timestamp, log_rba, plan, data))", "sum(hash(correlation_id, rid, sql_type))"
    ).collect()


def _ratio(first: list[float], second: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(first, second, strict=True))


def _session(cores: int, folder: Path) -> SparkSession:
    spark_environment()
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
    }
    builder = SparkSession.builder.master(f"local[{cores}]").appName("lmparse bench")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Spark over one log.", allow_abbrev=False)
    parser.add_argument("--size", type=data.parse_size, default="64M", help="of the file: 64M, 1G; powers of ten")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cache", type=Path, help="folder that keeps the file; a temporary one when left out")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
