"""Rows that are merged by key into the files of a Delta table: only files that have a key are written again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError
from export.delta_tables import rows_of
from samples import db2_scripts as luw
from writers.db2.stream import Stream

import lmparse
from lmparse.errors import OptionError
from lmparse.export import landing_merge
from lmparse.export.current_rows import DELETED, KEPT, NAMES, OWN, UNKNOWN
from lmparse.export.landing_delta import DeltaFolder
from lmparse.options import SEQ_DIGITS

IMAGE = pa.schema([("ID", pa.int32()), ("TEXT", pa.string()), ("AMOUNT", pa.decimal128(9, 2))])
TABLE = pa.schema([*IMAGE, *OWN])
SEQ = "AB" * (SEQ_DIGITS // 2)
Row = dict[str, Any]


def row(number: int, text: str | None, *, unknown: list[str] | None = None) -> Row:
    return {"ID": number, "TEXT": text, "AMOUNT": None, "_seq": "0", UNKNOWN: unknown}


def changed(number: int, text: str | None = None, *, deleted: bool = False, kept: list[str] | None = None) -> Row:
    return {**row(number, text), "_seq": "1", DELETED: deleted, KEPT: kept}


def batch(rows: list[Row]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(rows, pa.schema([*TABLE, (DELETED, pa.bool_()), (KEPT, NAMES)]))


@pytest.fixture
def table(tmp_path: Path) -> DeltaFolder:
    """Three files: keys 0 to 9, 10 to 19, and one that is null."""
    for rows in ([row(n, f"t{n}") for n in range(10)], [row(n, None, unknown=["TEXT"]) for n in range(10, 20)]):
        write_deltalake(str(tmp_path / "t"), pa.Table.from_pylist(rows, TABLE), mode="append")
    none = pa.Table.from_pylist([row(0, "null") | {"ID": None}], TABLE)
    write_deltalake(str(tmp_path / "t"), none, mode="append")
    return DeltaFolder(tmp_path / "t", "T")


def files(path: Path) -> dict[str, Row]:
    actions = pa.table(DeltaTable(str(path)).get_add_actions(flatten=True)).to_pylist()
    return {action["path"]: action for action in actions}


def texts(path: Path) -> dict[int | None, str | None]:
    return {row["ID"]: row["TEXT"] for row in rows_of(path)}


def test_files_without_a_key_of_the_rows_stay(table: DeltaFolder, tmp_path: Path) -> None:
    before, expected = files(tmp_path / "t"), texts(tmp_path / "t")
    table.merge(batch([changed(3, "three"), changed(5, deleted=True), changed(99, "new")]), ["ID"], SEQ)
    after = files(tmp_path / "t")
    assert len(before.keys() & after.keys()) == 2
    (name,) = after.keys() - before.keys()
    assert {text: after[name][text] for text in ("num_records", "min.ID", "max.ID", "null_count.ID")} == {
        "num_records": 10, "min.ID": 0, "max.ID": 99, "null_count.ID": 0,
    }  # fmt: skip
    del expected[5]
    assert texts(tmp_path / "t") == expected | {3: "three", 99: "new"}
    assert table.landed_seq() == SEQ
    # Readers leave out files by what is stated of them.
    found = table.find({"ID": pa.scalar(99, pa.int32())})
    assert found is not None
    assert found["TEXT"] == "new"


def test_a_key_that_is_null(table: DeltaFolder, tmp_path: Path) -> None:
    table.merge(batch([changed(0, "again") | {"ID": None}]), ["ID"], SEQ)
    assert texts(tmp_path / "t")[None] == "again"
    assert len(rows_of(tmp_path / "t")) == 21


def test_values_that_stay(table: DeltaFolder, tmp_path: Path) -> None:
    """What is not known of the row in the table is not known then either, nor where there is no row."""
    table.merge(batch([changed(number, kept=["TEXT"]) for number in (4, 14, 77)]), ["ID"], SEQ)
    found = {row["ID"]: (row["TEXT"], row[UNKNOWN], row["_seq"]) for row in rows_of(tmp_path / "t")}
    assert [found[number] for number in (4, 14, 77)] == [
        ("t4", None, "1"),
        (None, ["TEXT"], "1"),
        (None, ["TEXT"], "1"),
    ]


def test_rows_in_many_files(table: DeltaFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landing_merge, "_FILE_BYTES", 0)
    table.merge(batch([changed(number, "x" * 99) for number in range(5, 25)]), ["ID"], SEQ)
    found = files(tmp_path / "t")
    assert len(found) > 3
    assert sum(action["num_records"] for action in found.values()) == 26
    assert {action.get("max.TEXT") for action in found.values()} == {
        "t4",
        "null",
        "x" * 31 + "y",
    }


def test_an_error_behind_a_commit_leaves_its_files(
    table: DeltaFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package writes a checkpoint or cleans its log behind a commit, which may fail while the commit stands."""
    commit = DeltaTable.create_write_transaction

    def fails(*given: Any, **named: Any) -> None:
        commit(*given, **named)
        raise DeltaError("the disk is full")

    monkeypatch.setattr(DeltaTable, "create_write_transaction", fails)
    expected = texts(tmp_path / "t") | {3: "three"}
    with pytest.raises(OptionError, match="the disk is full"):
        table.merge(batch([changed(3, "three")]), ["ID"], SEQ)
    assert texts(tmp_path / "t") == expected


def test_a_commit_that_fails_leaves_no_file(table: DeltaFolder, tmp_path: Path) -> None:
    before = sorted((tmp_path / "t").iterdir())
    DeltaFolder(tmp_path / "t", "T").append(
        [batch([]).select(TABLE.names)], TABLE, "0" * SEQ_DIGITS
    )  # another process lands
    with pytest.raises(OptionError, match="another process has changed the table"):
        table.merge(batch([changed(3, "three")]), ["ID"], SEQ)
    assert sorted((tmp_path / "t").iterdir()) == before
    assert texts(tmp_path / "t")[3] == "t3"


class PanicException(BaseException):
    """As the package has it."""


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (
            'failed to create UnixStream: Os { code: 24, kind: Uncategorized, message: "Too many open files" }',
            "LMP-S022",
        ),
        ('Failed to create a tokio runtime.: Os { code: 11, kind: WouldBlock, message: "..." }', "LMP-S022"),
        ("called `Option::unwrap()` on a `None` value", "LMP-S031"),
        ('no file: Os { code: 2, kind: NotFound, message: "No such file or directory" }', "LMP-S031"),
    ],
)
def test_what_the_system_lacks_is_not_said_of_the_table(
    said: str, code: str, table: DeltaFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise PanicException(said)

    monkeypatch.setattr("lmparse.export.landing_delta.DeltaTable", fails)
    with pytest.raises(OptionError) as found:
        DeltaFolder(tmp_path / "t", "T")
    assert found.value.code == code


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"partition_by": ["NAME"]}, "it is partitioned, by NAME"),
        ({"configuration": {"delta.enableChangeDataFeed": "true"}}, "it has a change data feed"),
    ],
)
def test_tables_that_are_not_merged_into(how: dict[str, Any], why: str, tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.insert(luw.ITEM, luw.item(1, "one"))
    unit.commit()
    (tmp_path / "x.log").write_bytes(stream.bytes())
    tables = luw.tables_file(tmp_path, luw.ITEM, replaced=[("name: ITEM,", "name: ITEM, key: [ID],")])
    seed = pa.table({"ID": pa.array([1], pa.int32()), "NAME": ["old"]})
    write_deltalake(str(tmp_path / "to" / "current" / "PROD.ITEM"), seed, **how)
    with pytest.raises(OptionError, match=why) as found:
        lmparse.land(tmp_path / "x.log", tmp_path / "to", current=True, spec="db2_log", tables=tables)
    assert found.value.code == "LMP-S031"
    assert not (tmp_path / "to" / "changes").exists()
