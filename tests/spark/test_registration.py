"""What the package gives where Spark has no data sources in Python, as in 3.5."""

from __future__ import annotations

import sys

import pytest

from lmparse.errors import OptionError
from lmparse.spark import land, read_changes, register, write_parquet


def test_a_spark_without_data_sources_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    needing = [name for name in sys.modules if name.startswith("lmparse.spark")]
    for name in (*needing, "pyspark.sql.datasource"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "pyspark.sql.datasource", None)
    import lmparse.spark as spark

    names = [one.__name__ for one in (land, read_changes, write_parquet)]
    assert all(callable(getattr(spark, name)) for name in names)
    with pytest.raises(OptionError, match="no data sources in Python") as found:
        spark.register(None)  # type: ignore[arg-type]
    assert found.value.code == "LMP-S005"
    assert register.__module__ == spark.register.__module__
