"""Landing from a Spark job: the tables are those of `lmparse land`, each change once, whole or not at all."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from export.delta_tables import rows_of
from samples.row_stories import STORIES

import lmparse
from lmparse.errors import FramingError, OptionError
from lmparse.export import land as landing
from lmparse.export.change_parts import ChangeTask, keep_part
from lmparse.spark import land

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
PARTS = 1_000
FAMILIES = [("bmc", 2), ("db2", 1)]


def tables_of(to: Path) -> dict[str, list[str]]:
    """The rows of all tables as text, sorted."""
    found = [path.parent for path in to.rglob("_delta_log")]
    return {str(path.relative_to(to)): sorted(map(str, rows_of(path))) for path in found}


def extracts(family: str, seed: int, folder: Path) -> tuple[list[Path], dict[str, Any]]:
    """A log in two files, and its options."""
    story = STORIES[family](seed, folder)
    paths = story.extracts(folder / "in", random.Random(seed), 2)
    return paths, {**story.options, **({} if story.control is None else {"control": str(folder / "in" / "{stem}.ctl")})}


@pytest.mark.parametrize(("family", "seed"), FAMILIES)
def test_the_tables_of_the_command(spark: SparkSession, family: str, seed: int, tmp_path: Path) -> None:
    paths, options = extracts(family, seed, tmp_path)
    rows = 0
    for path in paths:
        one = lmparse.land(path, tmp_path / "one", current=True, **options)
        other = land(spark, path, tmp_path / "other", current=True, maxPartitionBytes=PARTS, **options)
        assert other.to_dict() == one.to_dict() | {"to": str(tmp_path / "other")}
        rows += other.rows
    assert rows > 0
    assert tables_of(tmp_path / "other") == tables_of(tmp_path / "one")
    checkpoints = [(tmp_path / name / "_lmparse" / "checkpoint.json").read_bytes() for name in ("one", "other")]
    assert checkpoints[0] == checkpoints[1]
    again = land(spark, paths, tmp_path / "other", current=True, max_partition_bytes=PARTS, **options)
    assert again.rows == 0
    assert tables_of(tmp_path / "other") == tables_of(tmp_path / "one")


def test_a_failed_task_leaves_nothing_half(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(task: ChangeTask) -> Any:
        """The task of a part, which fails when its changes have been written; workers do not have this module."""
        keep_part(task)
        raise RuntimeError("no such luck")

    paths, options = extracts("db2", 1, tmp_path)
    to = tmp_path / "to"
    with monkeypatch.context() as patch:
        patch.setattr(landing, "keep_part", fails)
        with pytest.raises(Exception, match="no such luck"):
            land(spark, paths, to, as_="parquet", **options)
    assert [found.name for found in to.rglob("*") if found.is_file()] == ["lock"]
    assert land(spark, paths, to, as_="parquet", **options).rows > 0


def test_damage_lands_nothing(spark: SparkSession, tmp_path: Path) -> None:
    (path, *_), options = extracts("bmc", 2, tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FramingError):
        land(spark, path, tmp_path / "to", maxPartitionBytes=PARTS, **options)
    assert [found.name for found in (tmp_path / "to").rglob("*") if found.is_file()] == ["lock"]


def test_what_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    (path, *_), options = extracts("db2", 1, tmp_path)
    for given in ({"table": "X"}, {"maxPartitionBytes": "much"}, {"tabels": "x"}, {"as_": "iceberg"}):
        with pytest.raises(OptionError):
            land(spark, path, tmp_path / "to", **{**options, **given})
    assert not (tmp_path / "to").exists()
