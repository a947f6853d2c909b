"""Report: what the tasks of jobs read, left out and noticed, after these jobs.

    spark.read.format("lmparse").option("reportPath", "/reports/payroll").load("/logs").write.parquet("/lake/payroll")
    report(spark, "/reports/payroll").show()

With the option `reportPath`, a task writes one small file behind its last row. A task that is tried again replaces its
file, and one that is stopped (by `limit`, or with its job) leaves none: a run is complete if it has as many rows here
as `parts` says.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lmparse.errors import OptionError
from lmparse.storage.addresses import path_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = {
    "run": "string COMMENT 'time in UTC and random digits: of one planning of a DataFrame'",
    "part": "int COMMENT 'number of the part in the run, from 0'",
    "parts": "int COMMENT 'number of all parts of the run'",
    "file": "string",
    "bytes": "bigint COMMENT 'bytes of the file that the part accounts for'",
    "bytes_unread": "bigint COMMENT 'how many of these were not read because of damage before them'",
    "rows": "bigint COMMENT 'rows that Spark got'",
    "bad_rows": "bigint COMMENT 'bad records and rows with bad values, in the DataFrame or in badRecordsPath'",
    "left_out": "map<string,bigint> COMMENT 'number of changes that options exclude, by reason'",
    "notices": "array<string>",
    "errors": "map<string,bigint> COMMENT 'number of errors by code'",
    "damage": "string COMMENT 'the error at which reading the part ended early'",
}
"""The columns of a report."""


def report(spark: SparkSession, path: str | os.PathLike[str]) -> DataFrame:
    """The reports in a folder that the option `reportPath` named, a row for each part; COLUMNS has their columns.

    Spark reads the folder, so executors must see it. Spark raises AnalysisException if no task has written a report.
    Raises TypeError for what is not a path, OptionError for a text that is none.
    """
    place = path_of("path", path)
    if not place.strip() or "\0" in place:
        raise OptionError(f"path has no value {place!r}", hint="the folder that reportPath named")
    columns = ", ".join(f"{name} {type_}" for name, type_ in COLUMNS.items())
    reader = spark.read.schema(columns).option("recursiveFileLookup", True).option("pathGlobFilter", "part-*.json")
    return reader.option("mode", "FAILFAST").json(place)
