"""The tables file names what a Db2 LUW log describes last of a table, and nothing that was there before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from db2.redefined_tables import ADDED, FIRST, SECOND, insert_described
from samples import db2_scripts as luw
from samples.db2_scripts import read
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table

from lmparse import cli
from lmparse.logs.open import table_descriptions

_IN_FRONT = "in front of a record that makes or drops it, or drops or alters columns of it,"
_NAMELESS = f"{_IN_FRONT} have no names of"
_SAME = f"{_IN_FRONT} have names of the tables file, which is as of the end of the log and has the very same columns"


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("behind", ["described", "added", "nothing"])
@pytest.mark.parametrize("how", ["columns", "table"])
def test_the_tables_file_names_nothing_of_what_was_there_before(
    how: str, behind: str, engine: str, tmp_path: Path
) -> None:
    """It is of the time behind; types that fit are no proof. Other ones are no error of the file."""
    numbers = [Column(name, "INTEGER", nullable=False) for name in ("ID", "X", "Y")]
    before = Table(2, 6, "A", tuple(numbers), schema="PROD")
    after = replace(before, columns=(numbers[0], numbers[2]), name="A" if how == "columns" else "B")
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(before)
    unit.insert(before, {"ID": 1, "X": 10, "Y": 20})
    unit.commit()
    unit = stream.begin()
    if how == "columns":
        unit.drop_columns(before, "X")
    else:
        unit.drop_table(before)
        unit.create_table(after)
    if behind == "described":
        unit.initialize(after)
    elif behind == "added":
        after = unit.add_columns(after, ADDED)
    unit.insert(after, {"ID": 2, "Y": 21})
    unit.commit()
    found = read(tmp_path, stream, operations="I", engine=engine, tables=luw.tables_file(tmp_path, after))
    assert found.codes == []
    named = {"ID": 2, "Y": 21, **({"D": None} if behind == "added" else {})}
    assert [row["after"] for row in found.rows] == [{"C1": 1, "C2": 10, "C3": 20}, named]
    is_named = how == "columns" and behind != "described"  # initialize table begins another one
    assert [row["table_name"] for row in found.rows] == ["A" if is_named else "2.6", after.name]
    assert found.has_note(f"rows of table 2.6 {_NAMELESS}")
    shown = [[column.name for column in one.version.columns] for one in table_descriptions(found.log).found]
    versions = {"nothing": [["ID", "Y"]], "described": [["ID", "Y"]], "added": [["ID", "Y"], ["ID", "Y", "D"]]}[behind]
    assert shown == [["C1", "C2", "C3"], *versions]


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("how", ["columns", "table"])
def test_a_tables_file_that_fits_what_was_dropped_last_names_it(how: str, engine: str, tmp_path: Path) -> None:
    """It has the very same columns, as the file may be of the time in front."""
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(FIRST)
    unit.insert(FIRST, {"ID": 1, "N": 2})
    unit.commit()
    unit = stream.begin()
    if how == "columns":
        unit.drop_columns(FIRST, "N")
    else:
        unit.drop_table(FIRST)
    unit.commit()
    found = read(tmp_path, stream, operations="I", engine=engine, tables=luw.tables_file(tmp_path, FIRST))
    assert [row["after"] for row in found.rows] == [{"ID": 1, "N": 2}]
    assert found.has_note(_SAME)


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("ends", ["open", "abort"])
def test_the_only_table_with_its_ids_has_the_names_of_the_file(ends: str, engine: str, tmp_path: Path) -> None:
    """Also where the transaction that makes it has no end yet, or is taken back."""
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.create_table(FIRST)
    unit.initialize(FIRST)
    unit.insert(FIRST, {"ID": 1, "N": 2})
    if ends == "abort":
        unit.abort()
    options = {"operations": "I", "include": "all", "engine": engine, "tables": luw.tables_file(tmp_path, FIRST)}
    found = read(tmp_path, stream, **options)
    assert [row["after"] for row in found.rows] == [{"ID": 1, "N": 2}]
    assert not any("tables file" in note for note in found.notes)


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("is_alike", [True, False])
def test_a_table_that_may_be_dropped_by_a_transaction_without_an_end(
    is_alike: bool, engine: str, tmp_path: Path
) -> None:
    """The tables file may be of it or of the next one: the very same columns have its names, and that is said."""
    stream = Stream("v10", "little", "filter")
    before = replace(FIRST, name="OLD", columns=FIRST.columns if is_alike else SECOND.columns)
    insert_described(stream, before)
    unit = stream.begin()
    unit.drop_table(before)
    unit.create_table(FIRST)
    unit.initialize(FIRST)
    unit.insert(FIRST, {"ID": 2, "N": 3})
    options = {"operations": "I", "include": "all", "engine": engine, "tables": luw.tables_file(tmp_path, FIRST)}
    found = read(tmp_path, stream, **options)
    first = {"ID": 1, "N": 0x42434445} if is_alike else {"C1": 1, "C2": "BCDE"}
    assert [row["after"] for row in found.rows] == [first, {"ID": 2, "N": 3}]
    assert found.codes == []
    assert found.has_note(_SAME) is is_alike
    assert found.has_note(_NAMELESS) is not is_alike


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("how", ["drop", "initialize", "columns"])
def test_what_may_have_happened_at_the_end_leaves_names_to_the_very_same_columns(
    how: str, engine: str, tmp_path: Path
) -> None:
    """The file has the columns of the last version; those in front of it have fewer."""
    table = Table(2, 6, "A", (Column("ID", "INTEGER", nullable=False), Column("X", "INTEGER")))
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(table)
    unit.insert(table, {"ID": 1, "X": 10})
    unit.commit()
    unit = stream.begin()
    wide = unit.add_columns(table, ADDED)
    unit.insert(wide, {"ID": 2, "X": 20, "D": None})
    unit.commit()
    unit = stream.begin()  # without an end
    if how == "drop":
        unit.drop_table(wide)
    elif how == "initialize":
        unit.initialize(wide)
    else:
        unit.drop_columns(wide, "X")
    found = read(tmp_path, stream, engine=engine, operations="I", tables=luw.tables_file(tmp_path, wide))
    assert [row["after"] for row in found.rows] == [{"C1": 1, "C2": 10}, {"ID": 2, "X": 20, "D": None}]
    assert [row["table_name"] for row in found.rows] == ["A" if how == "columns" else "2.6", "A"]
    assert found.has_note(_SAME)
    assert found.has_note(_NAMELESS)


_PLAIN = Table(2, 6, "A", (Column("ID", "INTEGER", nullable=False),), schema="PROD")


def _added_twice(stream: Stream, first: Column, second: Column, how: str) -> tuple[Table, Table]:
    """A row, one with a column that is taken back, and one with that which comes instead; returns the last two
    versions."""
    unit = stream.begin()
    unit.initialize(_PLAIN)
    unit.insert(_PLAIN, {"ID": 1})
    unit.commit()
    unit = stream.begin()
    mark = unit.mark()
    taken_back = unit.add_columns(_PLAIN, first)
    unit.insert(taken_back, {"ID": 2, first.name: 20})
    if how == "abort":
        unit.abort()
        unit = stream.begin()
    else:
        unit.rollback_to(mark)
    wide = unit.add_columns(_PLAIN, second)
    unit.insert(wide, {"ID": 3, second.name: 30})
    unit.commit()
    return taken_back, wide


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("end", ["nothing", "open drop"])
@pytest.mark.parametrize("how", ["abort", "savepoint"])
def test_columns_that_were_taken_back_are_no_error_of_the_tables_file(
    how: str, end: str, engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has those that came instead; the others have no names."""
    stream = Stream("v10", "little", "filter")
    _, wide = _added_twice(stream, Column("X", "INTEGER"), Column("X", "BIGINT"), how)
    if end == "open drop":
        stream.begin().drop_table(wide)
    # The key has a column behind those that both have.
    tables = luw.tables_file(tmp_path, wide, replaced=[("]}", "], key: [X]}")])
    found = read(tmp_path, stream, engine=engine, operations="I", include="all", tables=tables)
    assert found.codes == []
    first = {"ID": 1} if end == "nothing" else {"C1": 1}
    assert [row["after"] for row in found.rows] == [first, {"C1": 2, "C2": 20}, {"ID": 3, "X": 30}]
    assert [row["table_name"] for row in found.rows] == ["A" if end == "nothing" else "2.6", "2.6", "A"]
    note = "rows of table 2.6 described by a record that was taken back, or has no commit in the log, have no names of"
    assert found.has_note(note) is (end == "nothing")
    assert cli.main(["check", str(tmp_path / "x.log"), "--spec", "db2_log", "--tables", tables]) == 0
    capsys.readouterr()


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("is_described", [True, False])
@pytest.mark.parametrize("type_", ["DOUBLE", "INTEGER"])
def test_a_tables_file_of_another_log_is_an_error_of_rows_that_hold(
    type_: str, engine: str, tmp_path: Path, *, is_described: bool
) -> None:
    """Also where it has the columns that were taken back, and where nothing but these describes the table."""
    stream = Stream("v10", "little", "filter")
    _, wide = _added_twice(stream, Column("X", "INTEGER"), Column("X", "BIGINT"), "abort")
    named = replace(wide, columns=(*_PLAIN.columns, Column("X", type_)))
    data = stream.bytes() if is_described else b"".join(stream.pieces()[3:])
    options = {"engine": engine, "operations": "I", "include": "all"}
    found = read(tmp_path, data, **options, tables=luw.tables_file(tmp_path, named))
    assert found.codes == ["LMP-C010"]
    taken_back = {"ID": 2, "X": 20} if type_ == "INTEGER" else {"C1": 2, "C2": 20}
    assert [row["after"] for row in found.rows] == [*([{"ID": 1}] if is_described else []), taken_back]
    # What the columns were before they were added holds, whatever becomes of these.
    other = luw.tables_file(tmp_path, named, replaced=[("false", "true")])
    found = read(tmp_path, data, **options, tables=other)
    assert found.codes == ["LMP-C010"] * (2 if is_described else 1)
