"""The thin adapter to Spark: the data source, RDDs of records, Parquet from the executors, landing, a Java for Spark.

    from lmparse.spark import land, read_changes, register, report, spark_environment, write_parquet
    from lmparse.spark import parse, read_records  # RDDs

Begin with `source.LmparseSource`.
"""

from lmparse.errors import not_installed

try:
    from lmparse.spark.java import spark_environment
    from lmparse.spark.landing import land
    from lmparse.spark.parquet import Written, write_parquet
    from lmparse.spark.rdd import parse, read_records
    from lmparse.spark.registration import register
    from lmparse.spark.report import report
    from lmparse.spark.stages import read_changes
except ImportError as error:  # of Spark, Arrow or pandas; LMP-S005 names the extra that has all of them
    raise not_installed(error, "spark") from None

__all__ = [
    "Written",
    "land",
    "parse",
    "read_changes",
    "read_records",
    "register",
    "report",
    "spark_environment",
    "write_parquet",
]
