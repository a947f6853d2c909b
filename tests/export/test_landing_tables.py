"""What comes of columns that change, of changes that the log has no rows of, of bad records; and the command."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
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
from deltalake.schema import Schema
from export.conftest import Files
from export.delta_tables import rows_of
from export.killed_runs import KilledError, killed_everywhere
from samples import db2_scripts as luw
from writers.db2.columns import Column
from writers.db2.stream import Stream, Transaction
from writers.db2.tables import Table
from writers.db2.values import External

import lmparse
from lmparse.errors import EngineDifferenceError, OptionError
from lmparse.export import landing
from lmparse.export.change_parts import SpilledChanges
from lmparse.export.landing_delta import DeltaFolder
from lmparse.samples import db2_log

ID = Column("ID", "INTEGER", nullable=False)
Change = Callable[[Transaction], None]


def delta(path: Path) -> list[dict[str, Any]]:
    """The rows of a Delta table, by key or `seq`."""
    return sorted(rows_of(path), key=lambda row: str(row["ID"] if "ID" in row else row["seq"]))


class Extracts:
    """A log that is landed transaction by transaction."""

    def __init__(self, folder: Path, *, key: str = "key: [ID], ", **how: Any) -> None:
        self.folder, self.to, self.key = folder, folder / "to", key
        self.how: dict[str, Any] = {"current": how.get("as_", "delta") == "delta", "spec": "db2_log", **how}
        self.stream, self.place, self.count = Stream("v10", "little", "filter"), 0, 0

    def land(self, *changes: Change, tables: tuple[Table, ...] = (), files: tuple[int, ...] = ()) -> lmparse.Landed:
        """Write a transaction for each change, and land them; or land files again."""
        for change in changes:
            unit = self.stream.begin()
            change(unit)
            unit.commit()
        path = self.folder / f"{self.count}.log"
        if not files:
            path.write_bytes(self.stream.bytes()[self.place :])
            self.place, self.count = len(self.stream.bytes()), self.count + 1
        keyed = [(f"name: {table.name},", f"name: {table.name}, {self.key}") for table in tables if self.key]
        options = {"tables": luw.tables_file(self.folder, *tables, replaced=keyed)} if tables else {}
        paths = [self.folder / f"{number}.log" for number in files] or [path]
        return lmparse.land(paths, self.to, **self.how, **options)


def table(*columns: Column) -> Table:
    return Table(3, 5, "ITEM", (ID, *columns))


def insert(form: Table, **row: Any) -> Change:
    return lambda unit: void(unit.insert(form, row))


def void(_: object) -> None:
    return None


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


def created(form: Table, *, is_described: bool = True) -> Change:
    def change(unit: Transaction) -> None:
        unit.create_table(form)
        if is_described:
            unit.initialize(form)

    return change


def dropped(unit: Transaction) -> None:
    unit.drop_table(PLAIN)


PLAIN = table()
NEXT_DAY = (created(PLAIN), insert(PLAIN, ID=3))


@pytest.mark.parametrize("is_together", [True, False])
@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((dropped,), [1, 2]),  # what it had is kept until another table has its ids
        ((dropped, *NEXT_DAY), [3]),
        (NEXT_DAY, [3]),  # the drop is not in the log
        ((dropped, created(PLAIN)), []),
        ((dropped, created(PLAIN, is_described=False), insert(PLAIN, ID=3)), [3]),
        ((dropped, lambda unit: unit.initialize(PLAIN), insert(PLAIN, ID=1)), [1]),
        ((dropped, *NEXT_DAY, dropped, created(PLAIN), insert(PLAIN, ID=5)), [5]),
        ((created(PLAIN, is_described=False), insert(PLAIN, ID=3)), [1, 2, 3]),  # of a LOB object, say
    ],
)
def test_rows_of_a_table_that_was_dropped_are_not_those_of_the_next_one(
    steps: tuple[Change, ...], expected: list[int], tmp_path: Path, *, is_together: bool
) -> None:
    """Db2 gives ids again."""
    log = Extracts(tmp_path)
    first = (created(PLAIN), insert(PLAIN, ID=1), insert(PLAIN, ID=2))
    for some in [(*first, *steps)] if is_together else [first, *((step,) for step in steps)]:
        assert [one.marks for one in log.land(*some, tables=(PLAIN,)).tables] == [[]]
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == expected


def test_a_drop_or_creation_that_is_taken_back(tmp_path: Path) -> None:
    def taken_back(unit: Transaction) -> None:
        unit.insert(PLAIN, {"ID": 2})
        mark = unit.mark()
        unit.drop_table(PLAIN)
        unit.create_table(PLAIN)
        unit.initialize(PLAIN)
        unit.insert(PLAIN, {"ID": 3})
        unit.rollback_to(mark)

    log = Extracts(tmp_path)
    log.land(created(PLAIN), insert(PLAIN, ID=1), tables=(PLAIN,))
    (landed,) = log.land(taken_back, insert(PLAIN, ID=4), tables=(PLAIN,)).tables
    assert landed.marks == []
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == [1, 2, 4]


@pytest.mark.parametrize("is_together", [True, False])
def test_rows_behind_a_drop_whose_next_creation_is_not_in_the_log(tmp_path: Path, *, is_together: bool) -> None:
    """Whether they are of the same table is not known; a truncate, or another creation, ends that."""
    log = Extracts(tmp_path)
    log.land(insert(PLAIN, ID=1), tables=(PLAIN,))
    steps: list[Change] = [dropped, insert(PLAIN, ID=2)]
    for some in [steps] if is_together else [[step] for step in steps]:
        (landed,) = log.land(*some, tables=(PLAIN,)).tables
    (mark,) = landed.marks
    last = delta(log.to / "changes" / "PROD.ITEM")[-1]
    assert mark == {
        "seq": last["seq"],
        "reason": "the table was dropped, and the creation of the one that has its ids now is not in the log",
    }
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == [1, 2]
    (landed,) = log.land(created(PLAIN), insert(PLAIN, ID=3), tables=(PLAIN,)).tables
    assert landed.marks == []
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == [3]


def test_a_run_that_is_killed_when_a_drop_is_noted(tmp_path: Path) -> None:
    """The next one merges what is in front of the drop: that is of the table that was dropped."""
    log = Extracts(tmp_path)
    log.land(created(PLAIN), insert(PLAIN, ID=1), tables=(PLAIN,))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DeltaFolder, "merge", Mock(side_effect=KilledError))
        with pytest.raises(KilledError):
            log.land(insert(PLAIN, ID=2), dropped, tables=(PLAIN,))
    (landed,) = log.land(tables=(PLAIN,), files=(1,)).tables
    assert landed.marks == []
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == [1, 2]
    log.land(*NEXT_DAY, tables=(PLAIN,))
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == [3]


CREATED = created(PLAIN, is_described=False)


@pytest.mark.parametrize(
    "runs",
    [
        ([dropped], [CREATED, insert(PLAIN, ID=2), dropped], [CREATED, insert(PLAIN, ID=3)]),
        ([dropped], [CREATED, insert(PLAIN, ID=2)], [insert(PLAIN, ID=3)]),
        ([dropped], [CREATED, insert(PLAIN, ID=2), dropped, CREATED, insert(PLAIN, ID=4)], [insert(PLAIN, ID=3)]),
        ([dropped], [insert(PLAIN, ID=2)], [insert(PLAIN, ID=3), dropped], [CREATED, insert(PLAIN, ID=4)]),
    ],
)
def test_runs_that_are_killed_around_a_drop(runs: tuple[list[Change], ...], tmp_path: Path) -> None:
    """At each of their commits; each run leaves what it leaves when it is not killed."""
    log, again = Extracts(tmp_path), tmp_path / "again"
    for number, changes in enumerate(([created(PLAIN), insert(PLAIN, ID=1)], *runs)):
        landed = log.land(*changes, tables=(PLAIN,))
        tables = {"tables": tmp_path / "t.yaml"}
        killed_everywhere([tmp_path / f"{number}.log"], again, 60, **log.how, **tables)
        (state, other) = (json.loads((to / "_lmparse" / "land.json").read_text()) for to in (log.to, again))
        assert [row["ID"] for row in delta(again / "current" / "PROD.ITEM")] == [
            row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")
        ]
        assert other["tables"][0]["marks"] == list(landed.tables[0].marks)
        assert other["tables"][0]["dropped"] == state["tables"][0]["dropped"]


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


# -- the command --------------------------------------------------------------------------------------


@pytest.fixture
def sample(tmp_path: Path) -> tuple[Path, Path]:
    """A log and its tables file."""
    tables, log = db2_log.make(8).write(tmp_path / "in")
    return log, tables


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


def killed_in_front_of_the_checkpoint(to: Path) -> None:
    """As the first run leaves the target then: there is something to land again."""
    (to / "_lmparse" / "checkpoint.json").rename(to / "_lmparse" / "begun.json")


STATES = ("_lmparse/land.json", "_lmparse/checkpoint.json")


@pytest.mark.parametrize(
    ("form", "gone"),
    [
        *(("parquet", name) for name in STATES),
        *(("delta", name) for name in (*STATES, "changes/HR.EMPLOYEE", "current/HR.EMPLOYEE")),
    ],
)
def test_what_is_gone_from_a_target_is_missed_by_the_next_run(
    gone: str, form: str, sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path
) -> None:
    """Also by one without changes: a table that is gone would be made anew, and what was open or marked forgotten."""
    log, tables = sample
    to = tmp_path / "to"
    words = ("land", log, "--tables", tables, "--to", to, "--as", form, *(["--current"] if form == "delta" else []))
    assert run(*words).code == 0
    kept = to.rename(tmp_path / "kept")
    shutil.copytree(kept, to)
    (shutil.rmtree if (to / gone).is_dir() else os.remove)(to / gone)
    left = sorted(to.rglob("*"))
    done = run(*words)
    assert (done.code, "[LMP-S031]" in done.err, Path(gone).name in done.err) == (2, True, True)
    assert sorted(to.rglob("*")) == left
    (to / "_lmparse" / "land.json").unlink(missing_ok=True)
    (to / "_lmparse" / "checkpoint.json").unlink(missing_ok=True)
    assert "[LMP-S031]" in run(*words).err


@pytest.mark.parametrize(("kind", "why"), [("changes", "another table"), ("current", "no column ID, which is of its")])
def test_tables_that_were_put_in_the_place_of_others(kind: str, why: str, tmp_path: Path) -> None:
    """Changes would be added to those of another table; rows would get a key that those before do not have."""
    log, form = Extracts(tmp_path), table()
    log.land(insert(form, ID=1), tables=(form,))
    place = log.to / kind / "PROD.ITEM"
    schema = DeltaTable(str(place)).schema()
    shutil.rmtree(place)
    DeltaTable.create(str(place), Schema([entry for entry in schema.fields if entry.name != "ID"]))
    with pytest.raises(OptionError, match=why) as caught:
        log.land(insert(form, ID=2), tables=(form,))
    assert caught.value.code == "LMP-S031"


WRONG = [None, 0, 1 << 70, "", "/tmp/x", "../../x", "..", "other", "a/b", "\0", "\ud800", [], ["x"], {}, {"x": 1}, True]

SOUND: dict[str, list[Any]] = {
    "ids": [text for text in WRONG if isinstance(text, str) and text != "other"],
    "key": [None, [], ["x"]],
    "current_id": [None, *(text for text in WRONG if isinstance(text, str))],
    "marks": [[]],
}
SOUND["changes_id"] = SOUND["current_id"]
SOUND["changes_commits"] = SOUND["current_commits"] = [None, 0]


@pytest.mark.parametrize(
    "name",
    [
        *("ids", "folder", "schema_name", "table_name", "key", "current_id", "changes_id", "marks"),
        *("changes_commits", "current_commits"),
    ],
)
def test_a_state_that_was_changed(
    name: str, sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path
) -> None:
    """What it says of a table names folders and columns: anything else than what land writes is an error."""
    log, tables = sample
    to = tmp_path / "deep" / "to"
    to.parent.mkdir()
    words = ("land", log, "--tables", tables, "--to", to, "--as", "parquet")
    assert run(*words).code == 0
    before = sorted(tmp_path.rglob("*"))
    state = to / "_lmparse" / "land.json"
    sound = json.loads(state.read_text())
    for value in WRONG:
        first = {**sound["tables"][0], name: value}
        state.write_text(json.dumps({**sound, "tables": [first, *sound["tables"][1:]]}, indent=2))
        done = run(*words)
        is_sound = value in SOUND.get(name, [sound["tables"][0][name]])
        assert done.code == 0 if is_sound else "[LMP-S031]" in done.err, value
        assert sorted(tmp_path.rglob("*")) == before
    for value in ([sound["tables"][0]] * 2, 0, None, [7]):
        state.write_text(json.dumps({**sound, "tables": value}, indent=2))
        assert "[LMP-S031]" in run(*words).err


@pytest.mark.parametrize(
    "damage", ["text", "empty", "cut", "pipe", "folder", "other seq", "no seq", "no date", "no bad record"]
)
def test_files_that_land_has_not_written(
    damage: str, sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path
) -> None:
    """What the names of files say is landed must be in them, else changes would be left out unsaid."""
    log, tables = sample
    to = tmp_path / "to"
    words = ("land", log, "--tables", tables, "--to", to, "--as", "parquet")
    assert run(*words).code == 0
    killed_in_front_of_the_checkpoint(to)
    path = max(to.glob("changes/SALES.ORDERS/*/seq-*.parquet"))
    data = path.read_bytes()
    path.unlink()
    match damage:
        case "text":
            path.write_text("not Parquet")
        case "empty":
            path.touch()
        case "cut":
            path.write_bytes(data[: len(data) // 2])
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "other seq":
            path.with_name(f"seq-{'F' * 72}.parquet").write_bytes(data)
        case "no seq":
            path.with_name("seq-zz.parquet").write_bytes(data)
        case "no date":
            (path.parents[1] / "commit_date=now").mkdir()
            (path.parents[1] / "commit_date=now" / path.name).write_bytes(data)
        case _:
            folder = path.parents[1] / "commit_date=__HIVE_DEFAULT_PARTITION__"
            folder.mkdir()
            (folder / f"bad-{'0' * 32}.parquet").write_bytes(data[:99])
    before = {one: one.read_bytes() for one in to.rglob("*") if one.is_file()}
    done = run(*words)
    assert (done.code, "[LMP-S031]" in done.err) == (2, True)
    assert {one: one.read_bytes() for one in to.rglob("*") if one.is_file()} == before


@pytest.mark.parametrize("form", ["parquet", "delta"])
def test_a_name_that_no_table_can_have(
    form: str, sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path
) -> None:
    log, tables = sample
    text = tables.read_text()
    assert "name: NAME" in text
    tables.write_text(text.replace("name: NAME", r'name: "a\0b"'))
    done = run("land", log, "--tables", tables, "--to", tmp_path / "to", "--as", form)
    assert (done.code, "[LMP-C009]" in done.err) == (20, True)
    assert not (tmp_path / "to" / "changes").exists()


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        (r'"lmparse.seq":"[0-9A-F]+"', '"lmparse.seq":"zz"'),
        (r'"lmparse.seq":"[0-9A-F]+"', f'"lmparse.seq":"{"F" * 73}"'),
        (r'"version":1\b', f'"version":{(1 << 63) - 1}'),
        (r'"version":1\b', '"version":-7'),
        (r'\\"name\\":\\"seq\\"', r'\\"name\\":\\"seq2\\"'),
    ],
)
def test_a_history_that_land_has_not_written(
    written: str, instead: str, sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path
) -> None:
    log, tables = sample
    to = tmp_path / "to"
    words = ("land", log, "--tables", tables, "--to", to)
    assert run(*words).code == 0
    killed_in_front_of_the_checkpoint(to)
    history = next(to.glob("changes/SALES.ORDERS/_delta_log/*.json"))
    text, count = re.subn(written, instead.replace("\\", "\\\\"), history.read_text())
    assert count
    if "version" in written:  # which is looked at where there is something to append
        text = re.sub(r'"lmparse.seq":"[0-9A-F]+"', f'"lmparse.seq":"{"0" * 72}"', text)
    history.write_text(text)
    done = run(*words)
    assert done.code == 2
    assert "[LMP-S031]" in done.err or "[LMP-S022]" in done.err


@pytest.mark.parametrize("place", ["_lmparse", "changes", "changes/SALES.ORDERS", "changes/SALES.ORDERS/{date}"])
@pytest.mark.parametrize("form", ["parquet", "delta"])
def test_links_out_of_a_target(
    form: str, place: str, sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path
) -> None:
    log, tables = sample
    to, other = tmp_path / "to", tmp_path / "other"
    words = ("land", log, "--tables", tables, "--to", to, "--as", form)
    assert run(*words).code == 0
    (date,) = (path.name for path in (to / "changes" / "SALES.ORDERS").glob("commit_date=*"))
    killed_in_front_of_the_checkpoint(to)
    path = to / place.format(date=date)
    path.rename(other)
    path.symlink_to(other)
    before = {one: one.read_bytes() for one in other.rglob("*") if one.is_file()}
    done = run(*words)
    assert (done.code, "is a link" in done.err) == (2, True)
    assert {one: one.read_bytes() for one in other.rglob("*") if one.is_file()} == before


def test_a_lock_that_leads_out_of_a_target(sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path) -> None:
    log, tables = sample
    to, other = tmp_path / "to", tmp_path / "other"
    (to / "_lmparse").mkdir(parents=True)
    (to / "_lmparse" / "lock").symlink_to(other)
    done = run("land", log, "--tables", tables, "--to", to, "--as", "parquet")
    assert (done.code, "lock" in done.err, "is a link" in done.err) == (2, True, True)
    assert not other.exists()


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
