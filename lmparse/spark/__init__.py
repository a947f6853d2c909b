"""The thin adapter to Spark: the data source, RDDs of records, Parquet from the executors, a Java for Spark.

    from lmparse.spark import parse, read_changes, read_records, register, report, spark_environment, write_parquet

Begin with `source.LmparseSource`.
"""

from lmparse.spark.java import spark_environment
from lmparse.spark.parquet import Written, write_parquet
from lmparse.spark.rdd import parse, read_records
from lmparse.spark.report import report
from lmparse.spark.source import register
from lmparse.spark.stages import read_changes

__all__ = [
    "Written",
    "parse",
    "read_changes",
    "read_records",
    "register",
    "report",
    "spark_environment",
    "write_parquet",
]
