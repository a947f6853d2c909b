"""The process from which Spark forks its Python workers, which has imported what they import.

The imports take a worker more time than most tests do, and after a task that failed there is a new one. It is the
daemon of pyspark otherwise; tests that start Spark in a process of its own have that one.
"""

from importlib import import_module

from pyspark import daemon

IMPORTED = (
    "pandas", "pyarrow.parquet", "pyspark.worker", "lmparse.spark.source", "lmparse.spark.parquet", "lmparse.spark.rdd",
    "lmparse.logs.arrow", "lmparse.bmc.family", "lmparse.db2.family",
)  # fmt: skip

if __name__ == "__main__":
    for name in IMPORTED:
        import_module(name)
    daemon.manager()
