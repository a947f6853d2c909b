"""Landing from a Spark job: the tables are those of `lmparse land`, each change once, whole or not at all."""

from __future__ import annotations

import os
import random
import shutil
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from export.delta_tables import rows_of
from samples.row_stories import STORIES

import lmparse
from lmparse.errors import FramingError, OptionError
from lmparse.export import change_parts
from lmparse.export.change_parts import keep_part
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.samples import db2_log
from lmparse.spark import land, land_stream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
PARTS = 1_000
_MONTH = 30 * 24 * 3600
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
    def fails(*given: Any, **named: Any) -> Any:
        """The task of a part, which fails when its changes have been written; workers do not have this module."""
        keep_part(*given, **named)
        raise RuntimeError("no such luck")

    paths, options = extracts("db2", 1, tmp_path)
    to = tmp_path / "to"
    with monkeypatch.context() as patch:
        patch.setattr(change_parts, "keep_part", fails)
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


def test_a_stream_lands_files_as_they_arrive(spark: SparkSession, tmp_path: Path) -> None:
    """Each file once, whatever its name and age, with transactions that go on from one file to the next; as one batch
    does. The first one is read when it has just been written, the second one says that it is a month old."""
    tables, log = db2_log.make(24).write(tmp_path)
    opened = open_changes(log, read_options({"tables": str(tables)}))
    places = [extent.offset - opened.framing.lead for extent in opened.extents()]
    cuts = [0, places[len(places) // 2], log.stat().st_size]
    logs = tmp_path / "the logs"
    logs.mkdir()
    shutil.copy(tables, logs / "tables.yaml")  # it is no log
    options = {"tables": str(tables), "as_": "parquet"}
    settings = {"checkpoint": tmp_path / "checkpoint", "trigger": {"availableNow": True}, "maxFilesPerTrigger": 1}
    rows = []
    for name, (start, end) in zip(("a b%20c#.log", "b,{c}.log"), pairwise(cuts), strict=True):
        (logs / name).write_bytes(log.read_bytes()[start:end])
        if rows:
            os.utime(logs / name, times=(time.time() - _MONTH,) * 2)
        land_stream(spark, logs, tmp_path / "stream", **settings, **options).awaitTermination(120)
        rows.append(sum(pq.read_table(path).num_rows for path in (tmp_path / "stream").rglob("*.parquet")))
    assert 0 < rows[0] < rows[1]
    assert lmparse.land(log, tmp_path / "batch", **options).rows == rows[1]
    tables_ = [
        {path.parent.name: sorted(map(str, pq.read_table(path.parent).drop_columns("_metadata").to_pylist()))
         for path in (tmp_path / name).rglob("*.parquet")} for name in ("stream", "batch")
    ]  # fmt: skip
    assert tables_[0] == tables_[1]
    with pytest.raises(OptionError, match="include means nothing for land"):
        land_stream(spark, logs, tmp_path / "stream", include="all", **settings, **options)


def test_what_a_stream_notices_is_said(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is nobody to whom a report could be given."""
    tables, log = db2_log.make(24).write(tmp_path)
    opened = open_changes(log, read_options({"tables": str(tables)}))
    places = [extent.offset - opened.framing.lead for extent in opened.extents()]
    first, last = tmp_path / "logs" / "1.log", tmp_path / "logs" / "2.log"
    first.parent.mkdir()
    first.write_bytes(log.read_bytes()[: places[len(places) // 3]])
    last.write_bytes(log.read_bytes()[places[len(places) * 2 // 3] :])
    options = {"checkpoint": tmp_path / "checkpoint", "tables": str(tables), "as_": "parquet"}
    land_stream(spark, first.parent, tmp_path / "stream", trigger={"availableNow": True}, **options).awaitTermination(
        120
    )
    notices = lmparse.land([first, last], tmp_path / "batch", tables=str(tables), as_="parquet").tally.notices
    assert any("missing" in text for text in notices)
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("lmparse: ")]
    assert said == [f"lmparse: {first}, {last}: {text}" for text in notices]
