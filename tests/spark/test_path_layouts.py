"""Spark's own source of files reads what tests/storage/path_layouts.yaml says of it, which lmparse is tested with."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from path_layouts import LAYOUTS, below, put
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
FORMS = {"timestamp": lambda text: str(datetime.fromisoformat(text)), "double": lambda text: str(float(text))}
OWN = ("path", "modificationTime", "length", "content")


def test_layouts_as_spark_reads_them(spark: SparkSession, tmp_path: Path) -> None:
    """All in one session, in one test: a layout takes a job or two."""
    different = {}
    for number, (name, case) in enumerate(LAYOUTS.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        expected = case.get("spark", case.get("read", "refused"))
        found = read(spark, put(case, folder), folder, case)
        if found != (expected, case.get("columns", found[1])):
            different[name] = found, expected
    assert different == {}


def read(spark: SparkSession, paths: list[str], folder: Path, case: dict[str, Any]) -> tuple[Any, dict[str, str]]:
    """The files and the values of their columns, and the types of these."""
    try:
        load: Any = paths if isinstance(case["load"], list) else paths[0]
        frame = spark.read.format("binaryFile").options(**case.get("options", {})).load(load)
        columns = [field for field in frame.schema if field.name not in OWN]
        rows = frame.selectExpr("path", *(f"string(`{field.name}`)" for field in columns)).collect()
    except (PySparkException, Py4JJavaError):
        return "refused", {}
    types = {field.name: field.dataType.simpleString() for field in columns}
    forms = [FORMS.get(type_, str) for type_ in types.values()]
    files = {
        (
            below(path.removeprefix("file:"), folder),
            *(str(text and form(text)) for text, form in zip(texts, forms, strict=True)),
        )
        for path, *texts in rows
    }
    return sorted(map(list, files)), types
