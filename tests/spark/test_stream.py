"""Structured Streaming: extracts that arrive in a folder, through queries that end and go on."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from bmc_extracts import Cut
from writers.bmc.logs import field, opened

import lmparse
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.samples import bmc_log, db2_log

pytestmark = pytest.mark.spark


def query(spark: Any, folder: Path, **options: Any) -> Any:
    """What a query that takes all that is there has written."""
    source = spark.readStream.format("lmparse").options(**options).load(str(folder / "landing"))
    writer = source.writeStream.format("parquet").option("checkpointLocation", str(folder / "state"))
    return writer.trigger(availableNow=True).start(str(folder / "out"))


def test_extracts_through_queries_that_end(spark: Any, tmp_path: Path) -> None:
    tables, log = map(str, db2_log.make(20).write(tmp_path))
    options = {"spec": "db2_log", "tables": tables}
    whole = sorted(row["seq"] for row in lmparse.open_log(log, **options).changes())
    opened = open_changes(log, read_options(options))
    places = [extent.offset - opened.framing.lead for extent in opened.extents()]
    data, landing = Path(log).read_bytes(), tmp_path / "landing"
    landing.mkdir()
    cuts = [0, places[25], places[50], places[51], len(data)]
    given = {**options, "settledSeconds": 0, "maxFilesPerTrigger": 2}
    query(spark, tmp_path, **given).awaitTermination(60)  # of an empty folder
    for taken, number in ((3, 1), (4, 4)):
        for start, end in zip(cuts[number - 1 :][: 3 if number == 1 else 1], cuts[number:], strict=False):
            (landing / f"{start:06}.log").write_bytes(data[start:end])
        ended = query(spark, tmp_path, **given)
        assert ended.awaitTermination(60)
        assert ended.exception() is None
        assert len(list(landing.iterdir())) == taken
    killed(tmp_path)
    assert query(spark, tmp_path, **given).awaitTermination(60)
    found = spark.read.parquet(str(tmp_path / "out"))
    assert sorted(row["seq"] for row in found.select("seq").collect()) == whole
    assert ended.lastProgress["sources"][0]["endOffset"]


def test_extracts_of_log_master_through_queries_that_end(spark: Any, tmp_path: Path) -> None:
    """Each with its control file; changes whose segments are in two of them, and a query that is killed."""
    made = bmc_log.make(units=5, seed=2)
    cut = Cut(tmp_path, made.data, [one for one in made.control if one[:4] != "XHDF".encode("cp037")])
    landing, size = tmp_path / "landing", len(cut.data)
    landing.mkdir()
    committed = lmparse.open_log(tmp_path / "whole" / "whole.dat", control=str(tmp_path / "whole" / "whole.ctl"))
    whole = sorted(row["seq"] for row in committed.changes())
    segment = next(number for number, one in enumerate(cut.data) if field(one, "totalsegs") != b"\0\1") + 1
    cuts = [0, segment, segment + 3, size - 7, size]
    given = {"control": str(landing / "{stem}.ctl"), "settledSeconds": 0, "maxFilesPerTrigger": 1}
    query(spark, tmp_path, **given).awaitTermination(60)  # of an empty folder
    for number, (start, end) in enumerate(pairwise(cuts)):
        path = cut.write(landing / f"{start:04}", opened(cut.data[start:end], cut.data[end:]))
        control = path.with_suffix(".ctl")
        if number == 2:
            control.rename(tmp_path / "late.ctl")  # the extract has not arrived without it
        if number != 1:  # two extracts for one query
            ended = query(spark, tmp_path, **given)
            assert ended.awaitTermination(60)
            assert ended.exception() is None
        if number == 2:
            (tmp_path / "late.ctl").rename(control)
    killed(tmp_path)
    assert query(spark, tmp_path, **given).awaitTermination(60)
    found = [row["seq"] for row in spark.read.parquet(str(tmp_path / "out")).select("seq").collect()]
    assert sorted(found) == whole


def killed(folder: Path) -> None:
    """Leave the state as if the query had been killed behind its last batch, before it said so."""
    last = max((folder / "state" / "commits").glob("[0-9]*"), key=lambda path: int(path.name))
    last.with_name(f".{last.name}.crc").unlink()
    last.unlink()


def test_options_of_streams(spark: Any, tmp_path: Path) -> None:
    tables, log = map(str, db2_log.make(1).write(tmp_path))
    with pytest.raises(Exception, match="maxFilesPerTrigger is for readStream"):
        spark.read.format("lmparse").options(tables=tables, maxFilesPerTrigger=1).load(log).collect()
    (tmp_path / "landing").mkdir()
    failed = query(spark, tmp_path, tables=tables, include="all")
    with pytest.raises(Exception, match="checkpoint is for committed changes"):
        failed.awaitTermination(60)
