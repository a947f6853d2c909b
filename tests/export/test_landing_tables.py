"""What comes of columns that change, of changes that the log has no rows of, of bad records; and the command."""

from __future__ import annotations

import fcntl
import json
import re
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from commands import Run
from deltalake import DeltaTable, write_deltalake
from export.conftest import Files
from export.delta_tables import rows_of
from export.landed_extracts import ID, Change, Extracts, delta, insert, table, void
from samples import db2_scripts as luw
from writers.db2.columns import Column
from writers.db2.stream import Transaction
from writers.db2.tables import Table
from writers.db2.values import External

import lmparse
from lmparse.errors import EngineDifferenceError, OptionError
from lmparse.export import landing
from lmparse.export.change_parts import SpilledChanges

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


# -- what current tables cannot have ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "columns", "reason"),
    [
        ("", (), "no key of it is known"),
        ("key: [ID], ", (Column("_seq", "INTEGER"),), "it has a column _seq, a name that current tables use"),
        ("key: [ID, AT], ", (Column("AT", "TIMESTAMP(9)"),), "AT of its key has more digits of a second than are kept"),
    ],
)
def test_tables_without_a_current_table(key: str, columns: tuple[Column, ...], reason: str, tmp_path: Path) -> None:
    log = Extracts(tmp_path, key=key)
    form = table(*columns)
    row = {column.name: 1 if column.name == "_seq" else "2026-03-14T10:11:12.000000123" for column in columns}
    (landed,) = log.land(insert(form, ID=1, **row), tables=(form,)).tables
    assert (landed.refusal, landed.merged, landed.rows) == (reason, None, 1)
    assert len(delta(log.to / "changes" / "PROD.ITEM")) == 1
    assert not (log.to / "current").exists()


def test_a_key_that_changes_leaves_the_current_table_and_marks_it(tmp_path: Path) -> None:
    log, form = Extracts(tmp_path), table(Column("N", "INTEGER"))
    log.land(insert(form, ID=1, N=1), tables=(form,))
    log.key = "key: [N], "
    (landed,) = log.land(insert(form, ID=2, N=2), tables=(form,)).tables
    assert landed.refusal == "its key is N, and was ID"
    assert [mark["reason"] for mark in landed.marks] == [landed.refusal]
    assert len(delta(log.to / "current" / "PROD.ITEM")) == 1
    assert len(delta(log.to / "changes" / "PROD.ITEM")) == 2


def test_rows_that_the_log_does_not_have(tmp_path: Path) -> None:
    """A mark stays until all rows are gone, or the current table is another one."""
    log, form = Extracts(tmp_path), table()

    def without_logging(unit: Transaction) -> None:
        unit.alter_attribute(form, 1, 0)
        unit.insert(form, {"ID": 2})

    log.land(insert(form, ID=1), tables=(form,))
    for change in (without_logging, insert(form, ID=3)):
        (landed,) = log.land(change, tables=(form,)).tables
        (mark,) = landed.marks
        assert mark["reason"].startswith("rows are missing in the log: ")
    (landed,) = log.land(lambda unit: unit.truncate(form), insert(form, ID=4), tables=(form,)).tables
    assert landed.marks == []
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == [4]


@pytest.mark.parametrize("trim", [True, False])
def test_texts_are_trimmed_always_or_never(*, trim: bool, tmp_path: Path) -> None:
    """A key with blanks at its end would be another one than without."""
    form = Table(3, 5, "ITEM", (Column("ID", "CHAR(4)", nullable=False),))
    log = Extracts(tmp_path, trim=trim)
    log.land(insert(form, ID="A"), tables=(form,))
    log.how["trim"] = not trim
    with pytest.raises(OptionError, match="the blanks at their end") as found:
        log.land(lambda unit: void(unit.delete(form, {"ID": "A"})), tables=(form,))
    assert found.value.code == "LMP-S031"
    log.how["trim"] = trim
    log.land(tables=(form,), files=(1,))
    assert rows_of(log.to / "current" / "PROD.ITEM") == []


def test_nulls_in_the_key(tmp_path: Path) -> None:
    form = Table(3, 5, "ITEM", (Column("ID", "INTEGER"), Column("N", "INTEGER")))
    log = Extracts(tmp_path)
    log.land(insert(form, ID=None, N=1), insert(form, ID=2, N=2), tables=(form,))
    log.land(lambda unit: void(unit.update(form, {"ID": None, "N": 1}, {"ID": None, "N": 5})), tables=(form,))
    assert [(row["ID"], row["N"]) for row in delta(log.to / "current" / "PROD.ITEM")] == [(2, 2), (None, 5)]


@pytest.mark.parametrize("word", ["REAL", "DOUBLE"])
@pytest.mark.parametrize("is_together", [True, False])
def test_a_zero_with_a_sign_is_the_same_key(word: str, *, is_together: bool, tmp_path: Path) -> None:
    form = Table(3, 5, "ITEM", (Column("ID", word, nullable=False), Column("N", "INTEGER")))
    steps: list[Change] = [
        insert(form, ID=0.0, N=1),
        lambda unit: void(unit.update(form, {"ID": 0.0, "N": 1}, {"ID": -0.0, "N": 2})),
        insert(form, ID=1.0, N=3),
        lambda unit: void(unit.update(form, {"ID": 1.0, "N": 3}, {"ID": 0.5, "N": 4})),
    ]
    log = Extracts(tmp_path)
    for some in [steps] if is_together else [[step] for step in steps]:
        log.land(*some, tables=(form,))
    found = rows_of(log.to / "current" / "PROD.ITEM")
    assert sorted((row["ID"], row["N"]) for row in found) == [(0.0, 2), (0.5, 4)]


@pytest.mark.parametrize("is_together", [True, False])
@pytest.mark.parametrize(
    ("keys", "texts", "left"),
    [
        ([1, 2, None], {2: "value"}, []),
        ([1, 2, 3], {2: "value"}, [(3, "value")]),
        ([1, 2, 3], {2: "value", 3: "other"}, [(3, "other")]),
        ([1, 2, 3, 4, None], {1: "first", 3: "value"}, []),
        ([1, 2, 3, 2, 5], {1: "first", 3: "value"}, [(5, "value")]),
    ],
)
def test_a_row_with_a_lob_value_that_gets_other_keys(
    keys: list[int | None], texts: dict[int, str], left: list[tuple[int, str]], *, is_together: bool, tmp_path: Path
) -> None:
    """In one transaction: the value before a change is not in the log, and does not show another row."""
    form, log, outside = Table(3, 5, "ITEM", (ID, Column("L", "CLOB(1M)"))), Extracts(tmp_path), External()

    def lobs(key: int) -> dict[str, Any]:
        return {"lobs": {"L": texts[key]}} if key in texts else {}

    def begun(unit: Transaction) -> None:
        unit.insert(form, {"ID": keys[0]}, **lobs(1))

    def moved(unit: Transaction) -> None:
        has_value = 1 in texts
        for old, new in pairwise(keys):
            before = {"ID": old, **({"L": outside} if has_value else {})}
            if new is None:
                unit.delete(form, before)
            else:
                has_value = has_value or new in texts
                same = {"L": outside} if has_value and new not in texts else {}
                unit.update(form, before, {"ID": new, **same}, **lobs(new))

    def both(unit: Transaction) -> None:
        begun(unit)
        moved(unit)

    for change in [both] if is_together else [begun, moved]:
        log.land(change, tables=(form,))
    assert sorted((row["ID"], row["L"]) for row in rows_of(log.to / "current" / "PROD.ITEM")) == left


@pytest.mark.parametrize("is_logged", [True, False])
@pytest.mark.parametrize("before", [None, "in the row", External()])
@pytest.mark.parametrize("is_moved", [True, False])
def test_a_lob_value_that_an_update_puts_in_the_place_of_another(
    before: Any, tmp_path: Path, *, is_logged: bool, is_moved: bool
) -> None:
    """If it is not in the log, neither is the value before it what the row has."""
    form, log = Table(3, 5, "ITEM", (ID, Column("L", "CLOB(1M)", logged=is_logged))), Extracts(tmp_path)
    outside = {"lobs": {"L": "first"}} if isinstance(before, External) else {}
    row = {"ID": 1} if outside else {"ID": 1, "L": before}
    log.land(lambda unit: void(unit.insert(form, row, **outside)), tables=(form,))
    new = {"ID": 1 + is_moved}
    log.land(lambda unit: void(unit.update(form, {"ID": 1, "L": before}, new, lobs={"L": "new"})), tables=(form,))
    left = [(row["L"], row["_unknown_columns"]) for row in rows_of(log.to / "current" / "PROD.ITEM")]
    assert left == [("new", None) if is_logged else (None, ["L"])]


def test_keys_of_many_types(tmp_path: Path) -> None:
    """Rows move to the keys of others that are in the table, which it is asked for."""
    names = ("EMPNO", "SALARY", "HIRED", "LOGIN", "AT", "RATE", "KEY", "N")
    log = Extracts(tmp_path, key=f"key: [{', '.join(names)}], ")
    rows = [luw.emp(number, "same") for number in range(1, 5)]
    log.land(*(insert(luw.EMP, **row) for row in rows[:3]), tables=(luw.EMP,))

    def shifted(unit: Transaction) -> None:
        for old, new in pairwise(rows):
            unit.update(luw.EMP, old, new)

    log.land(shifted, tables=(luw.EMP,))
    found = rows_of(log.to / "current" / "PROD.EMP")
    assert sorted(row["EMPNO"] for row in found) == ["000002", "000003", "000004"]
    assert sorted(row["SALARY"] for row in found) == sorted(row["SALARY"] for row in rows[1:])


def test_rows_from_before_the_log(tmp_path: Path) -> None:
    """A current table may be filled before the first run."""
    log, form = Extracts(tmp_path), table(Column("N", "INTEGER"))
    seed = pa.table({"ID": pa.array([1, 2, 3], pa.int32()), "N": pa.array([1, 2, 3], pa.int32())})
    write_deltalake(str(log.to / "current" / "PROD.ITEM"), seed)
    log.land(
        lambda unit: void(unit.update(form, {"ID": 1, "N": 1}, {"ID": 1, "N": 10})),
        lambda unit: void(unit.delete(form, {"ID": 2, "N": 2})), tables=(form,),
    )  # fmt: skip
    rows = [(row["ID"], row["N"], row["_seq"] is None) for row in delta(log.to / "current" / "PROD.ITEM")]
    assert rows == [(1, 10, False), (3, 3, True)]


def test_a_table_whose_first_run_has_no_rows_of_it(tmp_path: Path) -> None:
    """What a change says of all rows is true of those that were there before, and of those that come later."""
    form, seed = table(), pa.table({"ID": pa.array([1, 2, 3], pa.int32())})

    def left(first: Change, name: str, *, key: str = "key: [ID], ") -> tuple[list[int], list[str]]:
        (tmp_path / name).mkdir()
        log = Extracts(tmp_path / name, key=key)
        if key:
            write_deltalake(str(log.to / "current" / "PROD.ITEM"), seed)
        log.land(first, tables=(form,))
        (landed,) = log.land(insert(form, ID=4), tables=(form,)).tables
        rows = delta(log.to / "current" / "PROD.ITEM") if key else []
        return [row["ID"] for row in rows], [mark["reason"].partition(":")[0] for mark in landed.marks]

    assert left(lambda unit: unit.truncate(form), "truncated") == ([4], [])
    assert left(lambda unit: unit.alter_attribute(form, 1, 0), "gap") == ([1, 2, 3, 4], ["rows are missing in the log"])
    rows, (mark,) = left(lambda unit: unit.drop_table(form), "dropped")
    assert rows == [1, 2, 3, 4]
    assert mark.startswith("the table was dropped")
    assert left(lambda unit: unit.alter_attribute(form, 1, 0), "without a key", key="") == ([], [])


def test_a_first_run_without_rows_makes_no_current_table(tmp_path: Path) -> None:
    log, form = Extracts(tmp_path), table()
    (landed,) = log.land(lambda unit: unit.truncate(form), tables=(form,)).tables
    assert (landed.rows, landed.merged, landed.marks) == (1, 0, [])
    assert not (log.to / "current").exists()


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


def test_bad_records_mark_the_current_tables(
    sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path
) -> None:
    """A wrong tables file makes bad records: the rows that they change are wrong from then on, in later runs too."""
    log, tables = sample
    data, middle = log.read_bytes(), _middle(log, tables)
    first, second = tmp_path / "1.log", tmp_path / "2.log"
    first.write_bytes(data[:middle])
    second.write_bytes(data[middle:])
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(tables.read_text().replace("DECIMAL(9,2)", "DECIMAL(7,2)"))
    to = tmp_path / "to"
    assert run("land", first, "--tables", tables, "--to", to, "--current").code == 0
    assert run("land", second, "--tables", wrong, "--to", to, "--current", "--mode", "failfast").code == 20
    assert run("land", first, "--tables", tables, "--to", to, "--current").code == 0
    assert run("land", second, "--tables", wrong, "--to", to, "--current").code == 20
    again = run("land", second, "--tables", tables, "--to", to, "--current")
    assert again.code == 24
    assert re.search(r"^HR.EMPLOYEE: rows .* are not proven from seq [0-9A-F]{72} on: bad records", again.err, re.M)


@pytest.mark.parametrize("mode", ["permissive", "dropmalformed"])
def test_bad_records_mark_tables_that_get_their_first_rows_later(mode: str, tmp_path: Path) -> None:
    """A bad record may be a change of any table, and is not read again."""
    log, other = Extracts(tmp_path, mode=mode), Table(3, 6, "OTHER", (ID,))
    written, described = table(Column("N", "DECIMAL(9,2)")), table(Column("N", "DECIMAL(7,2)"))
    first = log.land(insert(written, ID=1, N="1.50"), tables=(described, other))
    assert [(one.table, one.rows, one.marks) for one in first.tables] == [(None, 1, [])][: mode == "permissive"]
    where = "are in changes/other" if mode == "permissive" else "were left out"
    mark = {"seq": "0" * 72, "reason": f"bad records {where}, and may be changes of this table"}
    for row in (1, 2):
        again = log.land(insert(other, ID=row), tables=(written, other))
        assert [(one.table, one.rows, one.marks) for one in again.tables] == [("PROD.OTHER", 1, [mark])]
    log.land(lambda unit: unit.truncate(other), tables=(written, other))
    assert not log.land(insert(other, ID=3), tables=(written, other)).tables[0].marks


@pytest.mark.parametrize("nights", ["truncate bad", "truncate, bad", "bad, drop", "bad truncate, drop"])
def test_bad_records_mark_a_table_whose_key_is_not_known_yet(nights: str, tmp_path: Path) -> None:
    """Rows were put there before the first run, and a change of the whole table does not need the key."""
    log, form = Extracts(tmp_path), table()
    written, described = (Table(3, 6, "OTHER", (ID, Column("N", f"DECIMAL({size},2)"))) for size in (9, 7))
    write_deltalake(str(log.to / "current" / "PROD.ITEM"), pa.table({"ID": pa.array([7], pa.int32())}))
    changes: dict[str, Change] = {
        "bad": insert(written, ID=1, N="1.50"),
        "truncate": lambda unit: unit.truncate(form),
        "drop": lambda unit: unit.drop_table(form),
    }
    for night in nights.split(", "):
        found = log.land(*(changes[word] for word in night.split()), tables=(form, described))
    again = log.land(files=(0,), tables=(form, described))
    for landed in (found, again):
        marks = {one.table: [mark["reason"].partition(",")[0] for mark in one.marks] for one in landed.tables}
        assert marks["PROD.ITEM"] == ["bad records are in changes/other"]


def _middle(log: Path, tables: Path) -> int:
    """Where the record of a change in the middle of a log begins, with its prefix of 56 bytes."""
    changes = list(lmparse.open_log(log, tables=tables).changes())
    offset: int = changes[len(changes) // 2]["_metadata"]["record_offset"]
    return offset - 56


def test_the_report(sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path) -> None:
    log, tables = sample
    command = ("land", log, "--tables", tables, "--to", tmp_path / "to", "--current")
    done = run(*command, "--json")
    (report,) = done.rows
    assert done.code == 0
    by_table = {entry["table"]: entry for entry in report["tables"]}
    assert by_table["HR.EMPLOYEE"]["rows"] == sum(by_table["HR.EMPLOYEE"]["rows_by_operation"].values())
    assert by_table["HR.EMPLOYEE"]["merged"] == by_table["HR.EMPLOYEE"]["rows"]
    assert f"left out: {report['left_out']['rolled-back']} rolled-back" in done.err
    changes = run("changes", log, "--tables", tables)
    assert report["rows"] == len(changes.rows)
    assert f"{report['rows']} changes landed" in done.err
    again = run(*command)
    assert (again.code, again.out) == (0, "")
    assert ": 0 changes landed" in again.err


@pytest.mark.parametrize(("form", "extra"), [("delta", "delta"), ("parquet", "arrow")])
def test_what_to_install(
    form: str, extra: str, sample: tuple[Path, Path], run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra with all that the form needs, not with the first package that is missing."""
    log, tables = sample
    missing = ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")
    monkeypatch.setattr("lmparse.cli.land.load_arrow", Mock(side_effect=missing))
    done = run("land", log, "--tables", tables, "--to", log.parent / "to", "--as", form)
    assert done.code == 2
    assert f"hint: pip install 'lmparse[{extra}]'" in done.err


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
    for other in (("--as", "parquet"), ("--current",)):
        assert "[LMP-S031]" in run(*words, *other).err
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


def test_engine_check(sample: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, tables = sample
    assert lmparse.land(log, tmp_path / "a", as_="parquet", tables=str(tables), engine="check").rows
    real = landing.spill_log

    def one_table_less(*given: Any, **named: Any) -> SpilledChanges:
        kept = real(*given, **named)
        del kept.seconds[-1]
        return kept

    monkeypatch.setattr(landing, "spill_log", one_table_less)
    with pytest.raises(EngineDifferenceError):
        lmparse.land(log, tmp_path / "b", as_="parquet", tables=str(tables), engine="check")


def test_log_master(log: Files, run: Callable[..., Run]) -> None:
    """It has other operations, among them some that a current table cannot follow."""
    to = log.to / "t"
    command = ("land", log.data, "--control", log.control, "--to", to, "--current")
    done = run(*command)
    assert done.code == 24  # a table was exchanged with its clone
    assert "are not proven from seq" in done.err
    first = json.loads((to / "_lmparse" / "land.json").read_text())
    assert (to / "_lmparse" / "checkpoint.json").exists()
    seqs = [row["seq"] for folder in (to / "changes").iterdir() for row in delta(folder)]
    expected = [row["seq"] for row in run("changes", log.data, "--control", log.control).rows]
    assert sorted(seqs) == sorted(expected)
    assert run(*command).code == 24
    assert json.loads((to / "_lmparse" / "land.json").read_text()) == first
    assert sorted(row["seq"] for folder in (to / "changes").iterdir() for row in delta(folder)) == sorted(expected)
