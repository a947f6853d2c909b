"""A driver: a process with a session of Spark that does what it is asked, one order after the other.

Orders are JSON lines on standard input, answers JSON lines on the file descriptor that is the first argument. A process
of its own, since a process has one session, and so that executors can be killed while a query runs.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions

from lmparse.spark import read_changes, spark_environment, write_parquet

_COLUMNS = ("log_rba", "table_name", "uor_timestamp", "data")
_MASK = (1 << 32) - 1
Answer = dict[str, Any]


def read(spark: SparkSession, path: str, options: dict[str, str]) -> DataFrame:
    return spark.read.format("lmparse").options(**options).load(path)


def sums(spark: SparkSession, path: str, options: dict[str, str] | None) -> Answer:
    """Sums over all rows of a log, or of Parquet files without options: alike only for the same rows.

    A hash of each row, and sums of some columns, which show what differs.
    """
    frame = spark.read.parquet(path) if options is None else read(spark, path, options)
    every = [functions.col(f"`{name}`") for name in sorted(frame.columns)]
    counted = [
        functions.count(functions.lit(1)).alias("rows"),
        _sum(*every).alias("rows as a whole"),
        *(_sum(functions.col(name)).alias(name) for name in _COLUMNS),
        functions.sum("_metadata.record_offset").alias("offsets"),
    ]
    return frame.agg(*counted).collect()[0].asDict()


def sums_of_changes(spark: SparkSession, path: str, options: dict[str, str] | None) -> Answer:
    """The same over the changes of a log, and the number of tasks of each stage, in their order."""
    context = spark.sparkContext
    group = f"changes of {path}"
    context.setJobGroup(group, group)
    frame = spark.read.parquet(path) if options is None else read_changes(spark, path, **options)
    every = [functions.col(f"`{name}`") for name in sorted(frame.columns)]
    counted = [
        functions.count(functions.lit(1)).alias("rows"),
        _sum(*every).alias("rows as a whole"),
        *(_sum(functions.col(name)).alias(name) for name in ("op", "seq", "txn_id", "commit_ts", "before", "after")),
        functions.sum("_metadata.record_offset").alias("offsets"),
    ]
    found = frame.agg(*counted).collect()[0].asDict()
    status = context.statusTracker()
    jobs = [status.getJobInfo(job) for job in sorted(status.getJobIdsForGroup(group))]
    stages = [status.getStageInfo(stage) for job in jobs if job for stage in sorted(job.stageIds)]
    return {"sums": found, "tasks": [stage.numTasks for stage in stages if stage and stage.numCompletedTasks]}


def _sum(*columns: Any) -> Any:
    # Of 32 bits of each hash, so that no sum is too large for 64.
    return functions.sum(functions.xxhash64(*columns).bitwiseAND(functions.lit(_MASK)))


def write(spark: SparkSession, path: str, options: dict[str, str], out: str, way: str) -> Answer:
    """Write the rows of a log as Parquet: through Spark, or from the executors."""
    if way == "spark":
        read(spark, path, options).write.parquet(out)
        return {}
    found = write_parquet(spark, path, out, **options)
    return {"files": found.files, "rows": found.rows}


_ORDERS: dict[str, Callable[..., Answer]] = {"sums": sums, "sums_of_changes": sums_of_changes, "write": write}


def main() -> None:
    """Make the session, then follow orders until there are no more."""
    answers = os.fdopen(int(sys.argv[1]), "w")
    settings = json.loads(sys.argv[2])
    spark_environment()
    # The setting is for spark-submit only; a data source that Spark finds by itself runs in the second.
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = settings.pop("spark.pyspark.python")
    builder = SparkSession.builder.appName("lmparse cluster tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for line in sys.stdin:
        order = json.loads(line)
        start = time.monotonic()
        try:
            answer = {"answer": _ORDERS[order.pop("do")](spark, **order)}
        except Exception as error:
            answer = {"error": str(error)}
        print(json.dumps(answer | {"seconds": time.monotonic() - start}), file=answers, flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
