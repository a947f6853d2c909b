"""What comes of columns that change, of changes that the log has no rows of, of bad records; and the command."""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.dataset as ds
import pytest
from commands import Run
from deltalake import DeltaTable
from export.conftest import Files
from export.delta_tables import rows_of
from export.landed_extracts import ID, Extracts, delta, insert, table
from writers.db2.columns import Column
from writers.db2.tables import Table

import lmparse
from lmparse.errors import OptionError

# -- columns ------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["delta", "parquet"])
def test_columns_that_are_added_and_widened(form: str, tmp_path: Path) -> None:
    log = Extracts(tmp_path, as_=form)
    first, second, third = (
        table(Column("N", "INTEGER")),
        table(Column("N", "INTEGER"), Column("NOTE", "VARCHAR(9)")),
        table(Column("N", "BIGINT"), Column("NOTE", "VARCHAR(90)"), Column("SUM", "DECIMAL(5,2)")),
    )
    log.land(insert(first, ID=1, N=1), tables=(first,))
    log.land(insert(second, ID=2, N=2, NOTE="two"), tables=(second,))
    landed = log.land(insert(third, ID=3, N=1 << 40, NOTE="three", SUM="1.50"), tables=(third,))
    assert landed.tables[0].rows_by_operation == {"I": 1}
    log.land(insert(first, ID=4, N=4), tables=(first,))
    if form == "parquet":
        files = sorted((tmp_path / "to" / "changes" / "PROD.ITEM").rglob("*.parquet"), key=lambda path: path.name)
        types = [str(ds.dataset(path).schema.field("after").type) for path in files]
        assert types[2] == types[3] == "struct<ID: int32, N: int64, NOTE: string, SUM: decimal128(5, 2)>"
        return
    rows = [
        (row["ID"], row["N"], row["NOTE"], row["SUM"] and str(row["SUM"]))
        for row in delta(log.to / "current" / "PROD.ITEM")
    ]
    assert rows == [(1, 1, None, None), (2, 2, "two", None), (3, 1 << 40, "three", "1.50"), (4, 4, None, None)]
    changes = delta(log.to / "changes" / "PROD.ITEM")
    assert [row["after"]["N"] for row in changes] == [1, 2, 1 << 40, 4]
    assert DeltaTable(str(log.to / "changes" / "PROD.ITEM")).metadata().partition_columns == ["commit_date"]


@pytest.mark.parametrize("form", ["delta", "parquet"])
def test_a_column_of_another_type_is_refused_before_anything_is_written(form: str, tmp_path: Path) -> None:
    log = Extracts(tmp_path, as_=form, current=False)
    first, second, other = table(Column("N", "INTEGER")), table(Column("N", "DATE")), Table(3, 4, "AFIRST", (ID,))
    log.land(insert(first, ID=1, N=1), tables=(first,))
    before = (log.to / "_lmparse" / "checkpoint.json").read_bytes()
    with pytest.raises(OptionError, match=r"PROD.ITEM: .*int32 in what is landed, and date32") as found:
        log.land(insert(other, ID=1), insert(second, ID=2, N="2026-03-14"), tables=(second, other))
    assert found.value.code == "LMP-C008"
    assert not (log.to / "changes" / "PROD.AFIRST").exists()
    assert (log.to / "_lmparse" / "checkpoint.json").read_bytes() == before
    assert len([*(log.to / "changes" / "PROD.ITEM").rglob("*.parquet")]) == 1


@pytest.mark.parametrize("form", ["delta", "parquet"])
def test_names_for_which_spark_reads_no_delta_table_are_noted(form: str, tmp_path: Path) -> None:
    names = ["A B", "E;F", "G(H)", "K=L"]
    log, item = Extracts(tmp_path, as_=form), table(*(Column(name, "INTEGER") for name in names), Column("Q#", "DATE"))
    landed = log.land(insert(item, ID=1, **dict.fromkeys(names, 1), **{"Q#": "2026-03-14"}), tables=(item,))
    assert landed.rows == 1
    said = [text for text in landed.tally.notices if "Spark" in text]
    if form == "parquet":
        assert said == []
        return
    (text,) = said
    assert text.startswith(
        f"PROD.ITEM: Spark does not read Delta tables with columns named {', '.join(names)}: they have"
    )
    read = dict.fromkeys(names, 1)
    assert {name: delta(log.to / "current" / "PROD.ITEM")[0][name] for name in names} == read
    polars = pytest.importorskip("polars")
    assert polars.read_delta(str(log.to / "current" / "PROD.ITEM")).select(names).to_dicts() == [read]


@pytest.mark.parametrize("form", ["delta", "parquet"])
def test_columns_whose_names_differ_in_case_only(form: str, tmp_path: Path) -> None:
    log = Extracts(tmp_path, as_=form, current=False)
    one, other = table(Column("Name", "INTEGER"), Column("NAME", "INTEGER")), Table(3, 4, "AFIRST", (ID,))
    with pytest.raises(OptionError, match=r"PROD.ITEM: the columns Name, NAME have one name") as found:
        log.land(insert(other, ID=1), insert(one, ID=1, Name=1, NAME=2), tables=(one, other))
    assert found.value.code == "LMP-C008"
    assert not (log.to / "changes").exists()


# -- the command --------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["delta", "parquet"])
def test_bad_records_and_values_are_landed_once(form: str, damaged: Files, run: Callable[..., Run]) -> None:
    to = damaged.to / "t"
    command = ("land", damaged.data, "--control", damaged.control, "--to", to, "--as", form)
    done = run(*command)
    assert done.code == 20
    assert "[LMP-" in done.err
    for _ in range(2):
        assert run(*command).code == 20
        if form == "delta":
            rows = rows_of(to / "changes" / "other")
        else:
            rows = ds.dataset(to / "changes" / "other").to_table().to_pylist()
        assert len([row for row in rows if row["_corrupt_record"]]) == 1
    assert run(*command, "--mode", "failfast").code == 20


def test_what_is_refused(sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path) -> None:
    log, tables = sample
    to = tmp_path / "to"
    words = ("land", log, "--tables", tables, "--to", to)
    assert run(*words, "--as", "parquet", "--current").code == 2
    assert not to.exists()
    for option in ("--table", "--include", "--operations", "--starting-seq", "--checkpoint", "--envelope", "--order"):
        assert run(*words, option, "X").code == 2
    with pytest.raises(OptionError, match="table means nothing for land"):
        lmparse.land(log, to, tables=str(tables), table="HR.EMPLOYEE")
    assert run("land", log, "--tables", tables, "--to", tmp_path / "in").code == 2  # it holds the log
    assert run("land", log, "--tables", tables, "--to", tmp_path / "a%20b").code == 2
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "mine.txt").write_text("mine")
    assert "[LMP-S021]" in run("land", log, "--tables", tables, "--to", foreign).err
    assert run(*words).code == 0
    assert "[LMP-S031]" in run(*words, "--as", "parquet").err
    with open(to / "_lmparse" / "lock", "r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another process is landing there" in run(*words).err
    (to / "_lmparse" / "land.json").write_text('{"land_version": 7}')
    assert "[LMP-S031]" in run(*words).err


def test_a_damaged_log_lands_nothing(sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path) -> None:
    log, tables = sample
    log.write_bytes(log.read_bytes()[:-1])
    done = run("land", log, "--tables", tables, "--to", tmp_path / "to")
    assert done.code == 20
    assert "nothing is landed" in done.err
    assert sorted(path.name for path in (tmp_path / "to").rglob("*") if path.is_file()) == ["lock"]


def test_without_the_package(
    sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "deltalake", None)
    words = ("land", sample[0], "--tables", sample[1], "--to", tmp_path / "to")
    done = run(*words)
    assert done.code == 2
    assert "pip install 'lmparse[delta]'" in done.err
    assert run(*words, "--as", "parquet").code == 0


def test_log_master(log: Files, run: Callable[..., Run]) -> None:
    """It has other operations, among them some that a current table cannot follow."""
    to = log.to / "t"
    command = ("land", log.data, "--control", log.control, "--to", to, "--current")
    expected = sorted(row["seq"] for row in run("changes", log.data, "--control", log.control).rows)
    done = run(*command)
    assert done.code == 24
    assert "an exchange with a clone table, whose rows the log does not have [LMP-S032]" in done.err
    for _ in range(2):
        assert sorted(row["seq"] for folder in (to / "changes").iterdir() for row in delta(folder)) == expected
        assert "0 changes landed" in run(*command).err
