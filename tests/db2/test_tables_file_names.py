"""The tables file names what a Db2 LUW log describes last of a table, and nothing that was there before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from db2.redefined_tables import ADDED, FIRST, SECOND, insert_described, replaced
from samples import db2_scripts as luw
from samples.db2_scripts import read
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table

from lmparse.logs.open import table_descriptions

_NAMELESS = "in front of a record that drops it or columns of it, or makes another one with its ids, have no names of"


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
    versions = {"nothing": [], "described": [["ID", "Y"]], "added": [["ID", "Y"], ["ID", "Y", "D"]]}[behind]
    assert shown == [["C1", "C2", "C3"], *versions]


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("how", ["columns", "table"])
def test_a_tables_file_that_fits_what_was_dropped_last_names_it(how: str, engine: str, tmp_path: Path) -> None:
    """Nothing in the log describes what is behind, so that the file may be of the time in front."""
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
    assert found.has_note("with its ids, have names of the tables file, which must be as of that time")


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_a_definition_that_was_taken_back_has_no_names(engine: str, tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(FIRST)
    unit.insert(FIRST, {"ID": 1, "N": 2})
    unit.commit()
    unit = stream.begin()
    replaced(unit)
    unit.insert(unit.add_columns(SECOND, ADDED), {"ID": 2, "T": "two"})
    unit.abort()
    options = {"operations": "I", "include": "all", "engine": engine, "tables": luw.tables_file(tmp_path, FIRST)}
    found = read(tmp_path, stream, **options)
    assert [row["after"] for row in found.rows] == [{"ID": 1, "N": 2}, {"C1": 2, "C2": "two", "C3": None}]
    assert found.codes == []


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
    """The tables file may be of it or of the next one: what fits it has its names, and that is said."""
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
    assert found.has_note("with its ids, have names of the tables file, which must be as of that time")
    assert found.has_note(_NAMELESS) is not is_alike


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("is_made_again", [True, False])
def test_a_record_that_drops_a_table_is_one_of_that_table(engine: str, tmp_path: Path, *, is_made_again: bool) -> None:
    """Its name is not that of the table that has its ids now."""
    before = Table(2, 6, "OLD", (Column("K", "INTEGER", nullable=False), Column("S", "SMALLINT", nullable=False)))
    after = Table(2, 6, "A", (Column("ID", "INTEGER", nullable=False), Column("X", "INTEGER", nullable=False)))
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(before)
    unit.insert(before, {"K": 1, "S": 2})
    unit.drop_table(before)
    unit.commit()
    unit = stream.begin()
    if is_made_again:
        unit.initialize(after)
    unit.insert(after, {"ID": 3, "X": 4})
    unit.commit()
    found = read(tmp_path, stream, engine=engine, tables=luw.tables_file(tmp_path, after))
    names = [row["table_name"] for row in found.rows]
    assert names == ["2.6", "2.6", "2.6", *(["A"] if is_made_again else []), "A"]


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("how", ["drop", "initialize", "columns"])
def test_what_may_have_happened_at_the_end_takes_no_names_from_versions_in_front(
    how: str, engine: str, tmp_path: Path
) -> None:
    """The file has the columns of the last version: those in front of it have fewer, and are of the same table."""
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
    assert [row["after"] for row in found.rows] == [{"ID": 1, "X": 10}, {"ID": 2, "X": 20, "D": None}]
    assert {row["table_name"] for row in found.rows} == {"A"}
    assert found.has_note("have names of the tables file, which must be as of that time")
