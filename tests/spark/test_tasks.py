"""Changes that executors read after a stage of their own has found the transactions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lmparse.errors import OptionError
from lmparse.samples import db2_log
from lmparse.spark import read_changes
from lmparse.spark.tasks import runner
from lmparse.values.codepages import lookup

pytestmark = pytest.mark.spark


def rows(frame: Any) -> list[str]:
    return sorted(str(row.asDict(recursive=True)) for row in frame.collect())


def test_changes_are_those_of_the_data_source(spark: Any, tmp_path: Path) -> None:
    tables, log = map(str, db2_log.make(30).write(tmp_path))
    given: dict[str, Any] = {"tables": tables, "table": "HR.EMPLOYEE", "include": "all", "maxPartitionBytes": 80_000}
    found = read_changes(spark, log, **given)
    expected = spark.read.format("lmparse").options(**given).load(log)
    assert found.rdd.getNumPartitions() > 2
    assert found.schema.simpleString() == expected.schema.simpleString()
    assert rows(found) == rows(expected)
    assert found.count() > 30


def test_an_error_of_a_task_is_raised_at_its_place(spark: Any) -> None:
    found = iter(runner(spark)(lookup, ["cp037", "utf-8", "no page", "cp037"]))
    assert [next(found).name for _ in range(2)] == ["cp037", "utf-8"]
    with pytest.raises(OptionError, match="no page"):
        next(found)
    assert list(runner(spark)(lookup, [])) == []
