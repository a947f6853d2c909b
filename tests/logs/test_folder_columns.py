"""Folders of k=v: the rows of their files, with the columns that they make, in Spark's reader, Arrow and the shell."""

from __future__ import annotations

import shutil
from collections import Counter
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from commands import Run

import lmparse
from lmparse.errors import FramingError, OptionError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.samples import db2_log
from lmparse.spark.source import LmparseSource

DAYS = [date(2026, 3, 14), date(2026, 3, 15)]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A log in two files, one for each day, and its tables file."""
    folder = tmp_path_factory.mktemp("folders")
    tables, log = db2_log.make(24).write(folder)
    opened = open_changes(log, read_options({"tables": str(tables)}))
    places = [extent.offset - opened.framing.lead for extent in opened.extents()]
    cuts = [0, places[len(places) // 2], log.stat().st_size]
    for day, (start, end) in zip(DAYS, pairwise(cuts), strict=True):
        place = folder / "logs" / f"dt={day}" / "part=7"
        place.mkdir(parents=True)
        (place / "a.log").write_bytes(log.read_bytes()[start:end])
    return {"path": str(folder / "logs"), "tables": str(tables), "log": str(log)}


def rows(**options: str) -> list[dict[str, Any]]:
    made = LmparseSource(options)
    reader = made.reader(made.schema())
    return [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]


def test_every_reader_has_the_changes_of_all_days(logs: dict[str, str], run: Any) -> None:
    path, tables = logs["path"], logs["tables"]
    found = rows(path=path, tables=tables)
    whole = lmparse.read_changes(logs["log"], tables=tables)
    assert sorted(row["seq"] for row in found) == sorted(whole.column("seq").to_pylist())
    assert Counter(row["dt"] for row in found).keys() == set(DAYS)
    assert all(f"/dt={row['dt']}/part={row['part']}/" in row["_metadata"]["file"] for row in found)
    schema = LmparseSource({"path": path, "tables": tables}).schema()
    assert [field.simpleString() for field in schema][-2:] == ["dt:date", "part:int"]
    for metadata in (True, False):
        table = lmparse.read_changes(path, tables=tables, metadata=metadata)
        assert ("_metadata" in table.column_names) is metadata
        assert table.schema.field("dt").type == pa.date32()
        assert sorted(table.column("dt").to_pylist()) == sorted(row["dt"] for row in found)
    done: Run = run("changes", path, "--tables", tables)
    assert (done.code, len(done.rows)) == (0, len(found))


def test_some_columns(logs: dict[str, str]) -> None:
    """Also without `_metadata`, which says the file of a row."""
    made = LmparseSource({"path": logs["path"], "tables": logs["tables"], "mode": "dropmalformed"})
    schema = made.schema()
    reader = made.reader(type(schema)([schema["dt"], schema["seq"]]))
    found = [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]
    assert [list(row) for row in found[:1]] == [["dt", "seq"]]
    assert {row["dt"] for row in found} == set(DAYS)


def test_patterns_give_no_columns(logs: dict[str, str]) -> None:
    found = rows(path=f"{logs['path']}/dt=*/*", tables=logs["tables"])
    assert found
    assert "dt" not in found[0]


def test_what_is_refused(logs: dict[str, str], tmp_path: Path) -> None:
    shutil.copytree(Path(logs["path"]) / f"dt={DAYS[0]}", tmp_path / "op=1")
    with pytest.raises(OptionError, match=r"folders op=... make a column, and the rows have one .*LMP-S012"):
        rows(path=str(tmp_path), tables=logs["tables"])
    shutil.copy(logs["log"], tmp_path / "b.log")
    with pytest.raises(FramingError, match="LMP-F015"):
        rows(path=str(tmp_path), tables=logs["tables"])
