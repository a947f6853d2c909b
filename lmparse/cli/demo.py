"""`lmparse demo`: makes a small synthetic log of each family and reads it in every way, step by step."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from lmparse.cli.messages import GOOD
from lmparse.errors import OptionError
from lmparse.storage.addresses import local_path

_MARK, _MARK_TEXT = "lmparse-demo.txt", b"lmparse demo replaces what is in this folder\n"
"""The file by which the folder of a demo is recognised."""
_SHOWN = 3
"""Rows that a step prints."""
_SPARK: dict[str, bool | float | int | str | None] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "1g",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "2",
}


def run(parsed: argparse.Namespace) -> int:
    """Make the logs and read them."""
    from lmparse.samples import bmc_log, db2_log
    from lmparse.storage.outputs import begins_with, check_place, inputs_of, write_files

    foreign = begins_with(_MARK_TEXT, "a demo of lmparse", _MARK)
    place = check_place(parsed.out, inputs_of([]), is_folder=True, overwrite=True, foreign=foreign, makes_parents=True)
    write_files(place.path, {_MARK: _MARK_TEXT})
    folder = Path(local_path(parsed.out))
    control, data = map(str, bmc_log.make().write(folder / "log"))
    tables, luw = map(str, db2_log.make().write(folder / "luw"))
    for words in (
        ["sniff", control, data, luw],
        ["tables", data, "--control", control],
        ["changes", data, "--control", control, "--table", "PAYROLL.EMPLOYEE", "--operations", "D"],
        ["changes", luw, "--tables", tables, "--order", "commit", "--operations", "D"],
    ):
        _step(shlex.join(("lmparse", *words)))
        if code := parsed.main(words):
            raise SystemExit(code)
    if not parsed.no_spark:
        names = ("PAYROLL.EMPLOYEE", "PAYROLL.ACCOUNT", "ARCHIVE.DOCUMENT")
        read = [(data, {"control": control, "table": name}) for name in names]
        _with_spark(folder, data, [*read, (luw, {"tables": tables, "table": "HR.EMPLOYEE"})])
    _step("done")
    print(f"  everything lies in {folder}/")
    return GOOD


def _with_spark(folder: Path, data: str, tables: list[tuple[str, dict[str, str]]]) -> None:
    """Read records as an RDD, and the changes of some tables, each a log with options, as DataFrames."""
    try:
        import pyspark
        from pyspark.sql import SparkSession
    except ImportError:
        hint = "pip install 'lmparse[spark]', or --no-spark"
        raise OptionError("pyspark is not installed", code="LMP-S005", hint=hint) from None
    from lmparse.spark import parse, read_records, spark_environment

    _step(f"Spark {pyspark.__version__} on this machine")
    spark_environment()
    settings = {**_SPARK, "spark.sql.warehouse.dir": str((folder / "warehouse").resolve())}
    spark = SparkSession.builder.master("local[2]").appName("lmparse demo").config(map=settings).getOrCreate()
    try:
        _step("the RDD way: record bytes, then the generated parser over them")
        records = parse(read_records(spark, data), "bmc_lldf")
        counts = records.map(lambda record: record["change_type"]).countByValue()
        print("  records by change type: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
        for log, options in tables:
            _step(f"the DataFrame way: {options['table']}, typed, then Parquet")
            parquet = f"{folder}/parquet/{options['table']}"
            spark.read.format("lmparse").options(**options).load(log).write.mode("overwrite").parquet(parquet)
            back = spark.read.parquet(parquet)
            back.select("op", "commit_ts", "after.*").orderBy("seq").show(_SHOWN, truncate=24)
            print(f"  {back.count()} rows in {parquet}/")
    finally:
        spark.stop()


def _step(text: str) -> None:
    """Print the title of the next step."""
    print(f"\n== {text}", flush=True)
