from lmparse.spark.source import LmparseSource as DefaultSource
