"""Columns of the source where a schema is given: what files say, what only the schema names, and what nothing says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxFiles
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DateType,
    IntegerType,
    MapType,
    StringType,
    StructField,
    StructType,
)
from spark.conftest import list_rows, source, write
from writers.bmc import framing, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column
from writers.db2.columns import Column as LuwColumn
from writers.db2.stream import Stream
from writers.db2.tables import Table as LuwTable

from lmparse.errors import DataError, OptionError

TEXT, NUMBER = StringType(), IntegerType()


def night(
    folder: Path, number: int, *names: str, table: str = "ITEMS", system: str = "DB2A", sequence: int = 1
) -> None:
    """An extract of one change of a table with columns NO and those of some names, behind those of lower numbers."""
    columns = (Column("NO", "INT", 4), *(Column(name, "CHAR", 9) for name in names))
    ids = (2, 3) if table == "ITEMS" else (6, 7)
    described = Table(0x0105, *ids, "PROD", table, columns, sysid=system, sequence=sequence)
    writer, place = logs.Writer([described]), f"{0x00DE123456780000 + number:020X}"
    after = {"NO": number, **dict.fromkeys(names, f"v{number}")}
    writer.add(logs.Unit(number), described, "I", after=after, log_rba=place, log_lrsn=place)
    write(folder, writer.example(), f"n{number}")


def asked(folder: Path, **more: str) -> dict[str, str]:
    return {"path": str(folder), "table": "PROD.ITEMS", **more}


def of(**types: Any) -> StructType:
    return StructType([StructField(name, type_) for name, type_ in types.items()])


def rows(schema: StructType, options: dict[str, str]) -> list[dict[str, Any]]:
    reader = source(**options).reader(schema)
    return [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]


def outcome(schema: StructType, options: dict[str, str]) -> Any:
    """Values of a column of the table, and codes of what is bad; or the code of the error."""
    try:
        found = rows(schema, options)
    except OptionError as error:
        return error.code
    return [((row.get("after") or {}).get("NEW"), codes(row)) for row in found]


def codes(row: dict[str, Any]) -> list[str]:
    return [fault["code"] for fault in row.get("_corrupt_fields") or ()]


def batches(schema: StructType, options: dict[str, str], most: int | None = None) -> list[list[dict[str, Any]]]:
    """The rows of each micro-batch of a stream from its beginning, as far as files have arrived."""
    reader, found = source(**{"settledSeconds": "0", **options}).streamReader(schema), list[Any]()
    start = reader.initialOffset()
    while (end := reader.latestOffset(start, ReadAllAvailable() if most is None else ReadMaxFiles(most))) != start:
        parts = reader.partitions(start, end)
        found.append([row for part in parts for batch in reader.read(part) for row in batch.to_pylist()])
        start = end
    return found


def new(found: list[list[dict[str, Any]]]) -> list[list[Any]]:
    return [[row["after"].get("NEW") for row in batch] for batch in found]


# -- columns that do not depend on the table ----------------------------------------------------------------------

FAULTS = ArrayType(of(code=TEXT))
REFUSED = {
    "type": of(op=NUMBER, _corrupt_fields=FAULTS),
    "name": of(foo=NUMBER, _corrupt_fields=FAULTS),
    "metadata": of(_metadata=of(bogus=TEXT), _corrupt_fields=FAULTS),
    "faults": of(_corrupt_fields=ArrayType(of(code=NUMBER))),
    "fault": of(_corrupt_fields=ArrayType(of(nope=TEXT))),
    "record": of(_corrupt_record=of(a=NUMBER)),
    "twice": of(op=TEXT, OP=TEXT, _corrupt_fields=FAULTS),
    "table": of(before=of(NO=MapType(TEXT, TEXT)), _corrupt_fields=FAULTS),
    "no image": of(after=TEXT, _corrupt_fields=FAULTS),
}


def spoil(folder: Path, kind: str, name: str = "n1") -> None:
    """Make a file one that says nothing of its table."""
    if kind == "damaged":
        (folder / f"{name}.dat").write_bytes(bytes(50))
    elif kind == "uncontrolled":
        (folder / f"{name}.ctl").unlink()
    elif kind == "gone":
        for path in folder.glob(f"{name}.*"):
            path.unlink()


@pytest.mark.parametrize("schema", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("kind", ["sound", "damaged", "uncontrolled", "gone", "of another table"])
def test_what_no_file_has_to_say_is_refused_whatever_they_say(schema: StructType, kind: str, tmp_path: Path) -> None:
    night(tmp_path, 1, "NEW", table="STOCK" if kind == "of another table" else "ITEMS")
    spoil(tmp_path, kind)
    assert outcome(schema, asked(tmp_path)) == "LMP-S012"
    with pytest.raises(OptionError) as caught:
        source(**asked(tmp_path, settledSeconds="0")).streamReader(schema)
    assert caught.value.code == "LMP-S012"


@pytest.mark.parametrize("kind", ["damaged", "uncontrolled"])
@pytest.mark.parametrize("options", [{}, {"columnNameOfCorruptRecord": "Bad"}, {"envelope": "changefeed"}], ids=str)
def test_a_damaged_file_has_its_row_under_names_in_any_letter_case(
    options: dict[str, str], kind: str, tmp_path: Path
) -> None:
    night(tmp_path, 1, "NEW")
    spoil(tmp_path, kind)
    record = "BAD" if "columnNameOfCorruptRecord" in options else "_CORRUPT_RECORD"
    types = {"_METADATA": of(FILE=TEXT), record: BinaryType(), "_CORRUPT_FIELDS": ArrayType(of(CODE=TEXT))}
    (row,) = rows(of(**types), asked(tmp_path, **options))
    assert row["_METADATA"]["FILE"].endswith("n1.dat")
    assert row[record] == (tmp_path / "n1.dat").read_bytes()
    assert row["_CORRUPT_FIELDS"] == [{"CODE": "LMP-F003" if kind == "damaged" else "LMP-C007"}]
    kept = tmp_path.parent / f"{tmp_path.name}-bad"
    assert rows(of(**types), asked(tmp_path, **options, badRecordsPath=str(kept))) == []
    assert len(list(kept.glob("*/bad_files/*"))) == 1


# -- files without a change of the table --------------------------------------------------------------------------


def test_a_stream_goes_on_over_files_without_a_change_of_the_table(tmp_path: Path) -> None:
    for number, table in ((1, "ITEMS"), (4, "STOCK"), (7, "ITEMS")):
        night(tmp_path, number, "NEW", table=table)
    schema = source(**asked(tmp_path)).schema()
    assert new(batches(schema, asked(tmp_path), 1)) == [["v1"], [], ["v7"]]


@pytest.mark.parametrize("is_one", [False, True])
def test_files_without_a_change_of_the_table_have_no_rows_and_that_is_said(
    is_one: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    night(tmp_path, 1, "NEW")
    schema = source(**asked(tmp_path)).schema()
    spoil(tmp_path, "gone")
    night(tmp_path, 4, "NEW", table="STOCK")
    path = tmp_path / "n4.dat" if is_one else tmp_path
    assert rows(schema, asked(path, columns="NO,NEW")) == []
    capsys.readouterr()
    assert rows(schema, asked(path)) == []
    said = capsys.readouterr().err
    assert "PROD.ITEMS" in said
    assert "tables: PROD.STOCK" in said
    if not is_one:
        assert rows(schema, {}) == []
        assert batches(schema, asked(tmp_path)) == batches(schema, asked(tmp_path, columns="NO,NEW")) == [[]]
    with pytest.raises(OptionError, match=r"PROD\.ITEMS") as caught:
        source(**asked(path)).schema()
    assert caught.value.code == "LMP-C005"


# -- a damaged file beside sound ones -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["damaged", "uncontrolled"])
@pytest.mark.parametrize("other", ["another table", "without the column"])
@pytest.mark.parametrize("given", ["of the table", "of one column"])
def test_a_damaged_file_costs_no_row_of_others(
    kind: str, other: str, given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where none of these has the table, or a column of it that the damaged file may have."""
    folder, has_table = tmp_path / "in", other == "without the column"
    night(folder, 1, "TEXT", table="ITEMS" if has_table else "STOCK")
    night(folder, 4, "TEXT", "NEW")
    whole = source(**asked(folder)).schema()
    schema = whole if given == "of the table" else of(after=of(NEW=TEXT), _corrupt_fields=FAULTS)
    spoil(folder, kind, "n4")
    bad = [(None, ["LMP-F003" if kind == "damaged" else "LMP-C007"])]
    good = [(None, [])] if has_table else []
    for options in (asked(folder), *([{}] if schema is whole else ())):
        capsys.readouterr()
        assert outcome(schema, options) == [*good, *bad]
        assert ("after.NEW: null in all rows" in capsys.readouterr().err) == bool(good)
    for more in ({"mode": "dropmalformed"}, {"ignoreCorruptFiles": "true"}, {"badRecordsPath": str(tmp_path / "bad")}):
        assert outcome(schema, asked(folder, **more)) == good
    with pytest.raises(DataError):
        rows(schema, asked(folder, mode="failfast"))
    if given == "of the table" and good:
        assert [codes(row) for row in list_rows(source(**asked(folder)))] == [[], bad[0][1]]


def test_a_column_that_no_file_has_is_refused_where_all_can_be_read(tmp_path: Path) -> None:
    """Also one that is there in another envelope, and one that the option leaves out."""
    night(tmp_path, 1, "TEXT")
    schema = of(op=TEXT, after=of(NO=NUMBER, TEXT=TEXT, NEW=TEXT), _corrupt_fields=FAULTS)
    assert outcome(schema, asked(tmp_path)) == "LMP-S012"
    night(tmp_path, 4, table="STOCK")
    assert outcome(schema, asked(tmp_path)) == "LMP-S012"
    spoil(tmp_path, "damaged", "n4")
    assert outcome(schema, asked(tmp_path)) == [(None, []), (None, ["LMP-F003"])]
    assert outcome(schema, asked(tmp_path, columns="NO")) == "LMP-S012"
    assert outcome(schema, asked(tmp_path, columns="NO,TEXT")) == "LMP-S012"
    assert outcome(of(NEW=TEXT, NO=NUMBER, _corrupt_fields=FAULTS), asked(tmp_path)) == "LMP-S012"
    feed = rows(of(NEW=TEXT, NO=NUMBER, _corrupt_fields=FAULTS), asked(tmp_path, envelope="changefeed"))
    assert [(row["NO"], row["NEW"], codes(row)) for row in feed] == [(1, None, []), (None, None, ["LMP-F003"])]


def test_a_column_that_must_not_be_null_is_refused_also_where_no_file_says_it(tmp_path: Path) -> None:
    night(tmp_path, 1, "TEXT")
    spoil(tmp_path, "damaged")
    image = StructType([StructField("NEW", TEXT, nullable=False)])
    assert outcome(of(after=image, _corrupt_fields=FAULTS), asked(tmp_path)) == "LMP-S012"


# -- versions of the table in a stream ----------------------------------------------------------------------------


def test_a_stream_reads_files_from_before_a_column_was_added(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    night(tmp_path, 1, "TEXT")
    night(tmp_path, 4, "TEXT", "NEW")
    schema = source(**asked(tmp_path)).schema()
    for given in (schema, of(op=TEXT, after=of(NEW=TEXT), _corrupt_fields=FAULTS)):
        assert new(batches(given, asked(tmp_path))) == [[None, "v4"]]
        capsys.readouterr()
        assert new(batches(given, asked(tmp_path), 1)) == [[None], ["v4"]]
        assert "after.NEW: null in all rows" in capsys.readouterr().err
    assert new(batches(schema, {}, 1)) == [[None], ["v4"]]
    spoil(tmp_path, "gone", "n4")
    assert new(batches(schema, asked(tmp_path))) == [[None]]


def test_a_stream_ends_where_a_column_may_have_another_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At each start, with whatever files: its values would be lost."""
    night(tmp_path, 1, "NEW")
    schema = source(**asked(tmp_path)).schema()
    night(tmp_path, 4, "NEWER")
    for given in (schema, of(op=TEXT, after=of(NEW=TEXT), _corrupt_fields=FAULTS)):
        for most in (1, 1, 2):
            with pytest.raises(OptionError, match=r"no column 'NEW'.* under another name.*NEWER") as caught:
                batches(given, asked(tmp_path), most)
            assert caught.value.code == "LMP-S012"
        capsys.readouterr()
        assert [row["after"]["NEW"] for row in rows(given, asked(tmp_path))] == ["v1", None]
        assert "no column 'NEW'" in capsys.readouterr().err
    everything = source(**asked(tmp_path)).schema()
    found = batches(everything, asked(tmp_path), 1)
    assert [[(row["after"]["NEW"], row["after"]["NEWER"]) for row in batch] for batch in found] == [
        [("v1", None)], [(None, "v4")],
    ]  # fmt: skip
    capsys.readouterr()
    assert len(rows(everything, asked(tmp_path))) == 2
    assert capsys.readouterr().err == ""


def test_a_file_that_has_not_arrived_whole_does_not_keep_a_stream_from_beginning(tmp_path: Path) -> None:
    """In no mode: its control file comes behind it."""
    night(tmp_path, 1, "NEW")
    schema = source(**asked(tmp_path)).schema()
    night(tmp_path, 4, "NEW")
    spoil(tmp_path, "uncontrolled", "n4")
    for mode in ("permissive", "failfast"):
        assert new(batches(schema, asked(tmp_path, mode=mode))) == [["v1"]]


@pytest.mark.parametrize("engine", ["columnar", "kaitai", "check"])
@pytest.mark.parametrize("columns", ["NO,NEW", "NEW"])
def test_the_option_columns_takes_a_column_that_only_later_files_have(
    columns: str, engine: str, tmp_path: Path
) -> None:
    night(tmp_path, 1, "TEXT")
    night(tmp_path, 4, "TEXT", "NEW")
    options = asked(tmp_path, columns=columns, engine=engine)
    schema = source(**options).schema()
    assert schema["after"].dataType.names == columns.split(",")
    given = of(op=TEXT, after=of(NEW=TEXT), _corrupt_fields=FAULTS)
    for wanted in (schema, given):
        assert outcome(wanted, options) == [(None, []), ("v4", [])]
        assert new(batches(wanted, options)) == [[None, "v4"]]
        assert new(batches(wanted, options, 1)) == [[None], ["v4"]]
    feed = {**options, "envelope": "changefeed"}
    wanted = source(**feed).schema()
    assert [row["NEW"] for row in rows(wanted, feed)] == [None, "v4"]
    assert [[row["NEW"] for row in batch] for batch in batches(wanted, feed, 1)] == [[None], ["v4"]]


def test_a_stream_takes_a_column_of_the_option_that_no_file_has_yet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    night(tmp_path, 1)
    options, schema = asked(tmp_path, columns="NO,NEW"), of(after=of(NO=NUMBER, NEW=TEXT), _corrupt_fields=FAULTS)
    assert new(batches(schema, options)) == [[None]]
    assert "after.NEW: null in all rows" in capsys.readouterr().err
    assert outcome(schema, options) == "LMP-S003"
    night(tmp_path, 4)
    spoil(tmp_path, "damaged", "n4")
    assert outcome(schema, options) == [(None, []), (None, ["LMP-F003"])]


def test_a_column_of_the_option_that_no_file_has_is_refused_with_those_of_all_files(tmp_path: Path) -> None:
    night(tmp_path, 1, "TEXT")
    night(tmp_path, 4, "NEW")
    for more in ({}, {"table": "PROD.ITEMS"}):
        options = {"path": str(tmp_path), "columns": "NO,NONE", "control": f"{tmp_path}/{{stem}}.ctl", **more}
        with pytest.raises(OptionError, match="no column 'NONE'") as caught:
            list_rows(source(**options))
        assert caught.value.code == "LMP-S003"
        assert all(name in str(caught.value.hint) for name in ("NO", "TEXT", "NEW"))


def test_the_option_columns_without_a_table_takes_a_column_that_some_file_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    night(tmp_path, 1, "TEXT")
    night(tmp_path, 4, "NEW")
    options = {"path": str(tmp_path), "columns": "NEW,NO", "control": f"{tmp_path}/{{stem}}.ctl"}
    schema = source(**options).schema()
    wanted = [{"NO": 1}, {"NO": 4, "NEW": "v4"}]
    assert [json.loads(row["after"]) for row in rows(schema, options)] == wanted
    capsys.readouterr()
    found = batches(schema, options, 1)
    assert [[json.loads(row["after"]) for row in batch] for batch in found] == [[wanted[0]], [wanted[1]]]
    assert "no file of this micro-batch has NEW" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["damaged", "uncontrolled"])
def test_a_column_of_the_option_may_be_one_of_a_file_that_cannot_be_read(kind: str, tmp_path: Path) -> None:
    night(tmp_path, 1, "NAME")
    night(tmp_path, 2, "NAME", "NEW")
    spoil(tmp_path, kind, "n2")
    options = {"path": str(tmp_path), "columns": "NO,NEW"}
    found = rows(of(op=TEXT, after=TEXT, _corrupt_fields=FAULTS), options)
    assert [(row["after"] and json.loads(row["after"])) for row in found] == [{"NO": 1}, None]
    assert codes(found[1])


def test_columns_of_the_option_are_those_of_all_systems(tmp_path: Path) -> None:
    night(tmp_path, 1, "NAME")
    night(tmp_path, 2, "NEW", system="DB2B")
    found = rows(of(op=TEXT, after=TEXT), {"path": str(tmp_path), "columns": "NO,NEW"})
    assert [json.loads(row["after"]) for row in found] == [{"NO": 1}, {"NO": 2, "NEW": "v2"}]


@pytest.mark.parametrize("version", [1, 2])
def test_a_stream_passes_files_without_the_version_that_is_picked(
    version: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    night(tmp_path, 1, "NAME")
    night(tmp_path, 4, "NAME", "NEW", sequence=2)
    schema = of(op=TEXT, after=of(NO=NUMBER))
    found = batches(schema, asked(tmp_path, tableVersion=str(version)), 1)
    assert after(found) == [[{"NO": 1}] if version == 1 else [], [{"NO": 4}] if version == 2 else []]
    assert f"tableVersion has no value {version}" in capsys.readouterr().err
    assert after(batches(schema, asked(tmp_path, tableVersion=str(version)))) == [[{"NO": 1 if version == 1 else 4}]]


def test_a_version_without_a_column_that_was_beside_its_own_is_read(tmp_path: Path) -> None:
    """Each in another version: what was there together is not one column under two names."""
    night(tmp_path, 1, "NEW", "LEFT")
    night(tmp_path, 4, "NEW", "RIGHT")
    night(tmp_path, 7, "LEFT", "RIGHT")
    assert new(batches(of(op=TEXT, after=of(NEW=TEXT, NO=NUMBER), _corrupt_fields=FAULTS), asked(tmp_path), 1)) == [
        ["v1"], ["v4"], [None],
    ]  # fmt: skip


# -- names in other letter case -----------------------------------------------------------------------------------


def after(found: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    return [[row["after"] for row in batch] for batch in found]


def test_columns_that_differ_in_letter_case_keep_their_values_in_a_stream(tmp_path: Path) -> None:
    """Db2 has them in one table; a micro-batch may have one of them alone."""
    night(tmp_path, 1, "new")
    night(tmp_path, 4, "NEW")
    schema = source(**asked(tmp_path)).schema()
    assert set(schema["after"].dataType.names) == {"NO", "new", "NEW"}
    wanted = [{"NO": 1, "new": "v1", "NEW": None}, {"NO": 4, "new": None, "NEW": "v4"}]
    assert after([rows(schema, asked(tmp_path))]) == after(batches(schema, asked(tmp_path))) == [wanted]
    assert after(batches(schema, asked(tmp_path), 1)) == [wanted[:1], wanted[1:]]


@pytest.mark.parametrize("name", ["NEW", "New"])
def test_a_stream_gives_no_value_of_another_column_in_other_letter_case(name: str, tmp_path: Path) -> None:
    night(tmp_path, 1, "new")
    night(tmp_path, 4, "NEW")
    schema = of(op=TEXT, after=of(NO=NUMBER, **{name: TEXT}), _corrupt_fields=FAULTS)
    for most in (1, 2):
        with pytest.raises(OptionError, match="may be any of NEW, new") as caught:
            batches(schema, asked(tmp_path), most)
        assert caught.value.code == "LMP-S012"


def test_a_stream_ends_where_a_name_of_the_schema_would_mean_another_column_than_before(tmp_path: Path) -> None:
    night(tmp_path, 1, "new")
    schema = of(op=TEXT, after=of(NO=NUMBER, NEW=TEXT), _corrupt_fields=FAULTS)
    reader = source(**asked(tmp_path, settledSeconds="0")).streamReader(schema)
    start = reader.initialOffset()
    end = reader.latestOffset(start, ReadAllAvailable())
    parts = reader.partitions(start, end)
    assert [row["after"]["NEW"] for part in parts for one in reader.read(part) for row in one.to_pylist()] == ["v1"]
    night(tmp_path, 4, "new", "NEW")
    last = reader.latestOffset(end, ReadAllAvailable())
    with pytest.raises(OptionError, match="'NEW' of the schema may be any of NEW, new") as caught:
        reader.partitions(end, last)
    assert caught.value.code == "LMP-S012"
    with pytest.raises(OptionError, match="may be any of NEW, new"):  # one that begins anew behind the first file
        source(**asked(tmp_path, settledSeconds="0")).streamReader(schema).partitions(end, last)


def test_a_table_may_have_names_that_differ_in_letter_case_all_the_time(tmp_path: Path) -> None:
    night(tmp_path, 1, "new", "NEW")
    night(tmp_path, 4, "new", "NEW")
    schema = of(op=TEXT, after=of(NO=NUMBER, NEW=TEXT))
    assert new(batches(schema, asked(tmp_path), 1)) == [["v1"], ["v4"]]


# -- a damaged file that can be opened ----------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["ITEMS", "STOCK"])
@pytest.mark.parametrize("kept", [0, 200])
def test_a_file_that_is_damaged_in_front_of_its_table_costs_no_row_of_others(
    kept: int, table: str, tmp_path: Path
) -> None:
    """With the framing as an option it opens, and damage shows where the table is looked for."""
    folder = tmp_path / "in"
    night(folder, 1, "NEW")
    night(folder, 4, "NEW", table=table)
    path = folder / "n4.dat"
    path.write_bytes(path.read_bytes()[:kept] + bytes(50 if not kept else 0))
    options = asked(folder, framing="rdw")
    schema = source(**options).schema()
    code = "LMP-F006" if kept else "LMP-F005"
    assert sorted(outcome(schema, options), key=str) == [("v1", []), (None, [code])]
    for more in ({"mode": "dropmalformed"}, {"ignoreCorruptFiles": "true"}, {"badRecordsPath": str(tmp_path / "bad")}):
        assert outcome(schema, {**options, **more}) == [("v1", [])]
    assert codes(rows(schema, {**options, "table": "PROD.NONE"})[-1]) == [code]
    with pytest.raises(DataError, match=code):
        rows(schema, {**options, "mode": "failfast"})
    with pytest.raises(DataError, match=code):
        rows(schema, {**options, "path": str(path)})


# -- logs that describe their tables themselves -------------------------------------------------------------------


@pytest.fixture
def described() -> tuple[bytes, list[int]]:
    """A log of Db2 LUW that describes its table and then adds a column, and where its three parts end."""
    stream, ends = Stream("v10", "big", "filter"), list[int]()
    table = LuwTable(2, 9, "ITEM", [LuwColumn("ID", "INTEGER", nullable=False)])
    wide = table
    for number in (1, 2, 3):
        unit = stream.begin("A")
        if number == 1:
            unit.create_table(table)
            unit.initialize(table)
        if number == 2:
            wide = unit.add_columns(table, LuwColumn("NOTE", "VARCHAR(10)"))
        unit.insert(wide, {"ID": number} if number == 1 else {"ID": number, "NOTE": f"v{number}"})
        unit.commit()
        ends.append(len(stream.bytes()))
    return stream.bytes(), ends


def test_a_log_that_cannot_be_read_up_to_its_descriptions_has_its_row(
    described: tuple[bytes, list[int]], tmp_path: Path
) -> None:
    data, ends = described
    options = {"path": str(tmp_path), "spec": "db2_log", "table": "2.9"}
    path = tmp_path / "a.log"
    path.write_bytes(data)
    schema = source(**options).schema()
    whole = len(rows(schema, options))
    for end in (ends[0] // 2, ends[0] + 20, ends[1] + 20):
        path.write_bytes(data[:end])
        found = rows(schema, options)
        assert codes(found[-1]) == ["LMP-F006"], end
        assert 0 < len(found) < whole + 1
        alike = [(row["op"], codes(row)) for row in list_rows(source(**options))]
        assert [(row["op"], codes(row)) for row in found] == alike


def test_a_stream_of_a_log_that_describes_its_table_passes_the_files_before_a_column_was_added(
    described: tuple[bytes, list[int]], tmp_path: Path
) -> None:
    data, ends = described
    for number, (begin, end) in enumerate(zip((0, *ends), ends, strict=False)):
        (tmp_path / f"{number}.log").write_bytes(data[begin:end])
    options = {"path": str(tmp_path), "spec": "db2_log", "table": "2.9"}
    schema = source(**options).schema()
    found = [row for batch in batches(schema, options, 1) for row in batch if row["op"] == "I"]
    names = [name for name in schema["after"].dataType.names if name not in ("C1", "ID")]
    assert [row["after"][names[0]] for row in found] == [None, "v2", "v3"]


def test_a_log_of_db2_luw_without_the_table_has_no_rows(described: tuple[bytes, list[int]], tmp_path: Path) -> None:
    data, ends = described
    for number, (begin, end) in enumerate(zip((0, *ends), ends, strict=False)):
        (tmp_path / f"{number}.log").write_bytes(data[begin:end])
    options = {"path": str(tmp_path), "spec": "db2_log", "table": "2.8"}
    for more in ({}, {"columns": "ID,NOTE"}, {"engine": "kaitai"}, {"engine": "kaitai", "columns": "ID"}):
        schema = of(op=TEXT, after=of(ID=NUMBER), _corrupt_fields=FAULTS)
        assert rows(schema, {**options, **more}) == []
        assert batches(schema, {**options, **more}, 1) == [[], [], []]


def test_a_type_of_the_schema_does_not_matter_where_no_value_is(tmp_path: Path) -> None:
    night(tmp_path, 1, "NEW")
    spoil(tmp_path, "damaged")
    assert outcome(of(after=of(NEW=DateType(), NO=TEXT), _corrupt_fields=FAULTS), asked(tmp_path)) == [
        (None, ["LMP-F003"])
    ]


def test_a_log_without_the_table_has_rows_for_bad_records(tmp_path: Path) -> None:
    night(tmp_path, 1, "NEW")
    schema = source(**asked(tmp_path)).schema()
    spoil(tmp_path, "gone")
    night(tmp_path, 4, "NEW", table="STOCK")
    path = tmp_path / "n4.dat"
    path.write_bytes(path.read_bytes() + framing.rdw([b"\xff" * 300]))
    (row,) = rows(schema, asked(tmp_path, framing="rdw"))
    assert (row["op"], bool(row["_corrupt_record"]), codes(row)) == (None, True, ["LMP-C006"])
