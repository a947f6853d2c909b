from lmparse.spark import LmparseSource as DefaultSource
