"""`lmparse demo`: makes a small synthetic log of each family and reads it in every way, step by step."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lmparse.cli.arguments import Commands, add_command
from lmparse.cli.messages import GOOD
from lmparse.errors import OptionError
from lmparse.storage.addresses import local_path

_SHOWN = 3
"""Rows that a step prints."""
_SPARK: dict[str, bool | float | int | str | None] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "1g",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "2",
}


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "demo", run, "make a small synthetic log and read it every way")
    command.add_argument("--out", default="demo", metavar="DIR", help="folder for everything made (default: demo)")
    command.add_argument("--no-spark", action="store_true", help="leave Spark out")


def run(parsed: argparse.Namespace) -> int:
    """Make the logs and read them."""
    from lmparse.samples import bmc_log, db2_log

    folder = _folder(parsed.out)
    control, data = bmc_log.make().write(folder / "log")
    tables, luw = db2_log.make().write(folder / "luw")
    for words in (
        ("sniff", control, data, luw),
        ("tables", data, "--control", control),
        ("changes", data, "--control", control, "--table", "PAYROLL.EMPLOYEE", "--operations", "D"),
        ("changes", luw, "--tables", tables, "--order", "commit", "--operations", "D"),
    ):
        _command(parsed.main, *map(str, words))
    if not parsed.no_spark:
        _with_spark(folder, control, data, tables, luw)
    _step("done")
    print(f"  everything lies in {folder}/")
    return GOOD


def _command(main: Callable[[list[str]], int], *words: str) -> None:
    """Run a command of this program."""
    _step(shlex.join(("lmparse", *words)))
    if code := main(list(words)):
        raise SystemExit(code)


def _folder(out: str) -> Path:
    """The folder for everything made: a new or empty one, or that of an earlier demo. Raises OptionError."""
    from lmparse.review.coverage.cases import DEMO_MARK, DEMO_TEXT
    from lmparse.storage.outputs import begins_with, check_place, inputs_of, write_files

    place = check_place(
        out,
        inputs_of([]),
        is_folder=True,
        overwrite=True,
        foreign=begins_with(DEMO_TEXT, "a demo of lmparse", DEMO_MARK),
        makes_parents=True,
    )
    write_files(place.path, {DEMO_MARK: DEMO_TEXT})
    return Path(local_path(out))


def _with_spark(folder: Path, control: Path, data: Path, tables: Path, luw: Path) -> None:
    try:
        import pyspark
        from pyspark.sql import SparkSession
    except ImportError:
        raise OptionError(
            "pyspark is not installed", code="LMP-S005", hint="pip install 'lmparse[spark]', or --no-spark"
        ) from None
    from lmparse.spark import spark_environment

    _step(f"Spark {pyspark.__version__} on this machine")
    spark_environment()
    print(f"  Java: {os.environ['JAVA_HOME']}")
    settings = {**_SPARK, "spark.sql.warehouse.dir": str((folder / "warehouse").resolve())}
    spark = SparkSession.builder.master("local[2]").appName("lmparse demo").config(map=settings).getOrCreate()
    try:
        _as_rdd(spark, data)
        for name in ("PAYROLL.EMPLOYEE", "PAYROLL.ACCOUNT", "ARCHIVE.DOCUMENT"):
            _as_table(spark, folder, data, name, control=control)
        _as_table(spark, folder, luw, "HR.EMPLOYEE", tables=tables)
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
    rows = spark.read.format("lmparse").options(**options).option("table", table).load(str(data))
    parquet = folder / "parquet" / table
    rows.write.mode("overwrite").parquet(str(parquet))
    back = spark.read.parquet(str(parquet))
    back.select("op", "commit_ts", "after.*").orderBy("seq").show(_SHOWN, truncate=24)
    print(f"  {back.count()} rows in {parquet}/")


def _step(text: str) -> None:
    """Print the title of the next step."""
    print(f"\n== {text}", flush=True)
