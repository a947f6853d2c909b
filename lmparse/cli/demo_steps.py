"""The demo: small synthetic logs, read in every way there is, step by step."""

from __future__ import annotations

import json
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

from lmparse.errors import OptionError
from lmparse.logs.open import open_changes
from lmparse.logs.sniff import sniff
from lmparse.options import Options
from lmparse.samples import bmc_log, db2_log

_SHOWN = 3
_WIDTH = 150


def run(out: str, *, with_spark: bool = True) -> int:
    """Make the log under `out` and show it; returns an exit code."""
    global _started
    _started = None
    folder = Path(out)
    _step("a synthetic log: control file and data file")
    control, data = bmc_log.make().write(folder / "log")
    for path in (control, data):
        print(f"  {path}  {path.stat().st_size} bytes")

    _step("what they are (lmparse sniff)")
    for path in (control, data):
        found = sniff(path)
        print(f"  {path}: {found.kind}, framing {found.trial.framing.name}, first record at {found.records[0][1]:#x}")

    _step(f"its changes (lmparse changes {data} --control {control})")
    log = open_changes(data, Options(control=str(control)))
    changes = list(log.changes())
    for change in islice(changes, _SHOWN):
        print("  " + _short(change))
    left = ", ".join(f"{count} {state}" for state, count in sorted(log.left_out.items()))
    print(f"  {len(changes)} committed changes; left out: {left}")
    named, luw = _luw(folder)
    if with_spark:
        _with_spark(folder, control, data, named, luw)
    _step("done")
    print(f"  everything lies in {folder}/")
    return 0


def _luw(folder: Path) -> tuple[Path, Path]:
    _step("log records of Db2 for LUW: the log and the file that names its tables")
    named, log = db2_log.make().write(folder / "luw")
    for path in (named, log):
        print(f"  {path}  {path.stat().st_size} bytes")
    found = sniff(log)
    print(f"  {log}: {found.kind}, " + ", ".join(f"{name} {value}" for name, value in found.options.items()))

    _step(f"its changes (lmparse changes {log} --tables {named} --order commit)")
    changes = open_changes(log, Options(spec="db2_log", tables=str(named), order="commit"))
    rows = list(changes.changes())
    for change in islice(rows, _SHOWN):
        print("  " + _short(change))
    left = ", ".join(f"{count} {state}" for state, count in sorted(changes.left_out.items()))
    print(f"  {len(rows)} committed changes; left out: {left}")
    return named, log


def _with_spark(folder: Path, control: Path, data: Path, named: Path, luw: Path) -> None:
    try:
        import pyspark
    except ImportError:
        raise OptionError(
            "pyspark is not installed", code="LMP-S005", hint="pip install 'lmparse[spark]', or --no-spark"
        ) from None
    from lmparse.spark import java

    _step(f"Spark {pyspark.__version__} on this machine")
    java.spark_environment()
    print(f"  Java: {java.ensure_java()}")
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]")
        .appName("lmparse demo")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", str((folder / "warehouse").resolve()))
        .getOrCreate()
    )
    try:
        _as_rdd(spark, data)
        for name in ("PAYROLL.EMPLOYEE", "PAYROLL.ACCOUNT", "ARCHIVE.DOCUMENT"):
            _as_table(spark, folder, data, name, control=control)
        _as_table(spark, folder, luw, "HR.EMPLOYEE", tables=named)
    finally:
        spark.stop()


def _as_rdd(spark: Any, data: Path) -> None:
    from lmparse.spark import parse, read_records

    _step("the RDD way: record bytes, then the generated parser over them")
    records = parse(read_records(spark, str(data)), "bmc_lldf")
    counts = records.map(lambda record: record["change_type"]).countByValue()
    print("  records by change type: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))


def _as_table(spark: Any, folder: Path, data: Path, table: str, **described: Path) -> None:
    _step(f"the DataFrame way: {table}, typed, then Parquet")
    options = {name: str(path) for name, path in described.items()}
    extent = spark.read.format("lmparse").options(**options).option("table", table).load(str(data))
    parquet = folder / "parquet" / table
    extent.write.mode("overwrite").parquet(str(parquet))
    back = spark.read.parquet(str(parquet))
    back.select("op", "commit_ts", "after.*").orderBy("seq").show(_SHOWN, truncate=24)
    print(f"  {back.count()} rows in {parquet}/")


def _step(text: str) -> None:
    global _started
    now = time.monotonic()
    if _started is not None:
        print(f"  ({now - _started:.1f} s)")
    _started = now
    print(f"\n== {text}")
    sys.stdout.flush()


_started: float | None = None


def _short(change: dict[str, Any]) -> str:
    shown = {name: change[name] for name in ("op", "table_name", "commit_ts", "before", "after", "auth_id")}
    text = json.dumps(shown, ensure_ascii=False)
    return text if len(text) <= _WIDTH else text[:_WIDTH] + " ..."
