"""Files of table versions that are written while later parts of the log are still read."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lmparse.columnar.schemas import METADATA
from lmparse.export import files_ahead, writers
from lmparse.export.files_ahead import FilesAhead
from lmparse.export.spill_files import Group
from lmparse.records.origin import RecordOrigin
from lmparse.samples import db2_stream
from lmparse.spec import catalog

SCHEMA = pa.schema([("op", pa.string()), ("_metadata", METADATA)])


def group(folder: Path, identity: str, part: int, indexes: list[int]) -> Group:
    """A group on the disk with a row for each record number."""
    path = str(folder / f"{part}-{identity}")
    place = dict.fromkeys((entry.name for entry in METADATA), None)
    rows = [{"op": "I", "_metadata": {**place, "record_index": index}} for index in indexes]
    with open(path, "ab") as file, pa.ipc.new_stream(file, SCHEMA) as writer:
        writer.write_batch(pa.RecordBatch.from_pylist(rows, SCHEMA))
    return Group(identity, 1, SCHEMA, path, os.path.getsize(path))


def ahead_in(folder: Path) -> FilesAhead:
    return FilesAhead(
        folder,
        lambda path, found: writers.opened(path, "parquet", found.schema, "zstd"),
        lambda batch: Counter(batch.column("op").to_pylist()),
        RecordOrigin("a.log", catalog.load("db2_log")),
    )


def indexes_in(path: Path) -> list[int]:
    found: list[int] = [row["record_index"] for row in pq.read_table(path).column("_metadata").to_pylist()]
    return found


def test_rows_in_the_order_of_the_log_are_appended(tmp_path: Path) -> None:
    with ahead_in(tmp_path) as ahead:
        ahead.add([group(tmp_path, "a", 0, [1, 2, 2]), group(tmp_path, "b", 0, [3])])
        ahead.add([group(tmp_path, "a", 1, [2, 9]), group(tmp_path, "b", 1, [])])
    (first, second) = ahead.files.values()
    assert (indexes_in(first.path), first.operations) == ([1, 2, 2, 2, 9], {"I": 5})
    assert (indexes_in(second.path), second.operations) == ([3], {"I": 1})


@pytest.mark.parametrize("later", [[4], [6, 5]])
def test_a_version_that_is_out_of_order_is_left(later: list[int], tmp_path: Path) -> None:
    with ahead_in(tmp_path) as ahead:
        ahead.add([group(tmp_path, "a", 0, [1, 5]), group(tmp_path, "b", 0, [2])])
        ahead.add([group(tmp_path, "a", 1, later), group(tmp_path, "b", 1, [7])])
        ahead.add([group(tmp_path, "a", 2, [8])])
    (kept,) = ahead.files.values()
    assert indexes_in(kept.path) == [2, 7]
    assert [path.name for path in tmp_path.glob("ahead-*")] == [kept.path.name]


def test_few_files_are_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_ahead, "_MOST", 2)
    with ahead_in(tmp_path) as ahead:
        for part in range(2):
            ahead.add([group(tmp_path, name, part, [part]) for name in "abcd"])
    assert [key[0] for key in ahead.files] == ["a", "b"]
    assert [indexes_in(file.path) for file in ahead.files.values()] == [[0, 1], [0, 1]]


def test_an_error_abandons_the_files(tmp_path: Path) -> None:
    ahead = ahead_in(tmp_path)

    def interrupted() -> None:
        with ahead:
            ahead.add([group(tmp_path, "a", 0, [1])])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    (file,) = ahead.files.values()
    assert file.output.file.closed


def test_one_process_writes_ahead_and_the_files_are_the_same(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.yaml").write_text(db2_stream.describe(shape := db2_stream.Shape()))
    db2_stream.write(tmp_path / "a.log", 20_000_000, shape=shape)
    added: list[int] = []
    add = FilesAhead.add

    def spied(ahead: FilesAhead, groups: Any) -> None:
        added.append(len(groups))
        add(ahead, groups)

    monkeypatch.setattr(FilesAhead, "add", spied)
    asked = (tmp_path / "a.log", "--tables", tmp_path / "a.yaml")
    assert run("convert", asked[0], tmp_path / "at-once", *asked[1:]).code == 0
    assert added == []
    assert run("convert", asked[0], tmp_path / "ahead", *asked[1:], "--part-bytes", 2_000_000).code == 0
    assert len(added) > 3
    names = sorted(path.name for path in (tmp_path / "at-once").glob("*.parquet"))
    assert names == sorted(path.name for path in (tmp_path / "ahead").glob("*.parquet"))
    for name in names:
        assert (tmp_path / "ahead" / name).read_bytes() == (tmp_path / "at-once" / name).read_bytes()
