"""The thin adapter to Spark: the data source, RDDs of records, Parquet from the executors, landing, a Java for Spark.

    from lmparse.spark import land, land_stream, read_changes, register, spark_environment, write_parquet
    from lmparse.spark import parse, read_records  # RDDs

Begin with `source.LmparseSource`.
"""

from lmparse.errors import not_installed

try:
    from lmparse.spark.java import spark_environment
    from lmparse.spark.land import land, land_stream
    from lmparse.spark.parquet import Written, write_parquet
    from lmparse.spark.rdd import parse, read_records
    from lmparse.spark.registration import register
    from lmparse.spark.tasks import read_changes
except ImportError as error:  # of Spark, Arrow or pandas; LMP-S005 names the extra that has all of them
    raise not_installed(error, "spark") from None

__all__ = [
    "Written",
    "land",
    "land_stream",
    "parse",
    "read_changes",
    "read_records",
    "register",
    "spark_environment",
    "write_parquet",
]
