"""How Java and Spark run where they end after seconds."""

from __future__ import annotations

import sys
from pathlib import Path

ARCHIVE = Path(sys.prefix) / "spark-classes.jsa"
"""Classes of Spark that Java need not load one by one; spark_classes.py makes it, and there may be none."""
COMPILER = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""What runs for a minute gains nothing from the second compiler, which takes half of the time."""
QUIET = "-Xlog:disable"
"""Or Java would say of each process that does not start Spark that the archive is not for it."""
_IS_THERE = ARCHIVE.exists() and " " not in str(ARCHIVE)  # options are divided at blanks
JAVA_OPTIONS = f"{COMPILER} -XX:SharedArchiveFile={ARCHIVE} {QUIET}" if _IS_THERE else COMPILER
SHORT_SPARK = {
    "spark.sql.adaptive.enabled": False,
    "spark.sql.shuffle.partitions": 2,
    "spark.ui.enabled": False,
    "spark.ui.showConsoleProgress": False,
}
"""Settings for some rows, which need neither many tasks nor a plan that is made anew while it runs."""
SHORT_JAVA = {
    "JDK_JAVA_OPTIONS": JAVA_OPTIONS,
    "PYSPARK_SUBMIT_ARGS": " ".join(f"--conf {name}={value}" for name, value in SHORT_SPARK.items()) + " pyspark-shell",
}
"""The same as the environment of a process that starts Spark."""
