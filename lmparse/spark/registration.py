"""Registration of the data source in a session that does not find it by itself.

Only this needs Spark 4: what else the package exports runs in 3.5 too, which has no data sources in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from lmparse.errors import OptionError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Register `format("lmparse")` in a session. Raises OptionError LMP-S005 before Spark 4.0."""
    try:
        from lmparse.spark.source import LmparseSource
    except ModuleNotFoundError as error:
        if error.name != "pyspark.sql.datasource":
            raise
        raise OptionError(
            "this Spark has no data sources in Python: they came with 4.0", code="LMP-S005",
            hint="install pyspark 4, or call read_changes, write_parquet or land",
        ) from None  # fmt: skip
    try:
        spark.dataSource.register(LmparseSource)
    except AnalysisException as error:
        # Spark 4.0 refuses a source that it has found by itself.
        if "DATA_SOURCE_ALREADY_EXISTS" not in str(error):
            raise
