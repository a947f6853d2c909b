"""Spark: options under their names, what is refused, and what they say of an empty log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable
from pyspark.sql.types import StringType, StructField, StructType
from spark.conftest import Files, list_rows, read, source, write
from writers.bmc import logs
from writers.bmc.control import Table
from writers.bmc.rows import Column
from writers.foreign import Form, Rule

from lmparse import open_log
from lmparse.errors import LmparseError, OptionError
from lmparse.spelling import camel

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_an_unknown_option_names_the_nearest(spark: SparkSession, night: Files) -> None:
    from pyspark.errors import PySparkException

    with pytest.raises(PySparkException, match=r"no option 'contrl'; did you mean control\? \[LMP-S002\]"):
        read(spark, night.data, contrl=night.control)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("recordLenght", "recordLength"),
        ("maxPartitionByte", "maxPartitionBytes"),
        ("pathGlobFiltre", "pathGlobFilter"),
        ("recursiveLookup", "recursiveFileLookup"),
        ("badRecordPath", "badRecordsPath"),
        ("modifiedAftr", "modifiedAfter"),
        ("reportpth", "reportPath"),
    ],
)
def test_every_option_is_found_by_a_name_near_to_it(wrong: str, right: str) -> None:
    with pytest.raises(OptionError, match=rf"did you mean {right}\?"):
        source(path="x", spec="bmc_lldf", **{wrong: "1"}).schema()


def test_what_only_sounds_alike_is_not_suggested(night: Files, example: logs.Example) -> None:
    """Nor is a table unknown without those that there are."""
    with pytest.raises(OptionError, match="no option 'mergeSchema'; known: ") as caught:
        source(path="x", spec="bmc_lldf", mergeSchema="true").schema()
    assert "badRecordsPath" in str(caught.value.hint)
    with pytest.raises(OptionError, match="no change in the log is of a table 'ORDRES'") as caught:
        source(path=str(night.data), control=str(night.control), table="ORDRES").schema()
    assert "PROD.ITEMS (" in str(caught.value.hint)


@pytest.mark.parametrize(
    "wrong",
    [
        {"paths": "x"}, {"paths": "{}"}, {"paths": "[1]"}, {"paths": "[" * 5000}, {"maxPartitionBytes": "\u00b2"},
        {"maxPartitionBytes": "9" * 5000}, {"maxPartitionBytes": "0"}, {"recordLength": "9" * 5000}, {"limits": "x=1"},
    ],
)  # fmt: skip
def test_an_unusable_value_has_a_code(wrong: dict[str, str]) -> None:
    with pytest.raises(OptionError, match="has no value") as caught:
        source(path="x", spec="bmc_lldf", **wrong).schema()
    assert (caught.value.code, len(str(caught.value)) < 400) == ("LMP-S003", True)


def test_path_and_paths_are_not_both_taken() -> None:
    with pytest.raises(OptionError, match="path and paths both name what to read"):
        source(path="x", paths='["y"]', spec="bmc_lldf").schema()


def test_bad_records_are_not_among_the_reports(night: Files, tmp_path: Path) -> None:
    """All files of the folder of reports are read as reports."""
    for place in (tmp_path, tmp_path / "bad"):
        reader = source(path=str(night.data), badRecordsPath=str(place), reportPath=str(tmp_path))
        with pytest.raises(OptionError, match=r"is in .*, which is for reports") as caught:
            reader.reader(reader.schema())
        assert caught.value.code == "LMP-S021"


def test_the_schema_of_another_frame_brings_its_columns_alone(night: Files, tmp_path: Path) -> None:
    """Neither what that one left out, nor columns that the source does not have under these options."""
    path, control = str(night.data), str(night.control)
    inserts = source(path=path, control=control, operations="I").schema()
    everything = source(path=path, control=control)
    assert everything.reader(inserts).request.options.operations == ()  # type: ignore[attr-defined]
    both = source(paths=json.dumps([path]), control=control)
    assert both.reader(inserts).request.paths == (path,)  # type: ignore[attr-defined]
    items = source(path=path, control=control, table="PROD.ITEMS").schema()
    for other in ({"envelope": "changefeed"}, {"table": "PROD.ORDERS"}, {"columns": "ORDER_NO"}):
        for place in ({"path": path, "control": control}, {}):
            with pytest.raises(OptionError) as caught:
                source(**place, **other).reader(items)
            assert caught.value.code == "LMP-S012", other


def test_columns_are_those_of_the_files_when_they_are_read(tmp_path: Path) -> None:
    """A table of the catalog is made once, for files that come every night; then a column has another name."""
    night_of(tmp_path, 1, NAME)
    options = {"path": str(tmp_path / "n1.dat"), "table": "PROD.ITEMS"}
    columns = source(**options).schema()
    assert source().reader(columns).partitions()
    night_of(tmp_path, 1, Column("SURNAME", "CHAR", 9))
    for given in ({}, options):
        with pytest.raises(OptionError, match=r"after\.NAME|before\.NAME") as caught:
            source(**given).reader(columns)
        assert caught.value.code == "LMP-S012"


def night_of(folder: Path, number: int, column: Column, value: Any = "x") -> None:
    """A log of one change of a table with one more column, behind those of lower numbers."""
    table = Table(0x0105, 2, 3, "PROD", "ITEMS", (Column("NO", "INT", 4), column))
    writer = logs.Writer([table])
    place = f"{0x00DE123456780000 + number:020X}"
    after = {"NO": number, column.name: value}
    writer.add(logs.Unit(number), table, "I", after=after, log_rba=place, log_lrsn=place)
    write(folder, writer.example(), f"n{number}")


NAME = Column("NAME", "CHAR", 9)


@pytest.mark.parametrize("mode", ["permissive", "failfast"])
@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        (NAME, "x", "x"),
        (Column("NAME", "CHAR", 20), "x", "x"),
        (Column("NAME", "INT", 4), 7, "7"),
        (Column("SURNAME", "CHAR", 9), "x", None),
    ],
    ids=str,
)
def test_columns_of_a_stream_are_those_of_the_files_that_arrive(
    column: Column, value: Any, expected: str | None, mode: str, tmp_path: Path
) -> None:
    """A table may be altered while the stream runs: what the stream does not find is an error, and else cast."""
    options = {"path": str(tmp_path), "table": "PROD.ITEMS", "settledSeconds": "0", "mode": mode}
    night_of(tmp_path, 1, NAME)
    stream = source(**options).streamReader(source(**options).schema())

    def taken(start: Any) -> tuple[Any, list[Any]]:
        end = stream.latestOffset(start, ReadAllAvailable())
        batches = [batch for part in stream.partitions(start, end) for batch in stream.read(part)]
        return end, [row["after"]["NAME"] for batch in batches for row in batch.to_pylist()]

    start, first = taken(stream.initialOffset())
    assert first == ["x"]
    night_of(tmp_path, 4, column, value)
    if expected is not None:
        assert taken(start)[1] == [expected]
        return
    with pytest.raises(OptionError, match="NAME") as caught:
        taken(start)
    assert caught.value.code == "LMP-S012"


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("files", ["none", "damaged"])
def test_a_schema_is_enough_where_no_file_says_the_columns(files: str, is_stream: bool, tmp_path: Path) -> None:
    options = {"path": str(tmp_path), "table": "PROD.ITEMS"}
    night_of(tmp_path, 1, NAME)
    columns = source(**options).schema()
    (tmp_path / "n1.dat").write_bytes(bytes(100))
    if files == "none":
        for path in tmp_path.glob("n1.*"):
            path.unlink()
    plain = StructType(
        [StructField("op", StringType()), StructField("_corrupt_fields", columns["_corrupt_fields"].dataType)]
    )
    for schema in (columns, plain):
        for given in ({"settledSeconds": "0", **options} if is_stream else options, {}):
            if not given and schema is plain:
                continue  # nothing says what to read
            if is_stream:
                assert source(**given).streamReader(schema).initialOffset()
            else:
                reader = source(**given).reader(schema)
                rows = [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]
                codes = [fault["code"] for row in rows for fault in row["_corrupt_fields"]]
                assert codes == (["LMP-F003"] if files == "damaged" else [])


@pytest.mark.parametrize("envelope", ["debezium", "changefeed"])
def test_an_envelope_has_the_rows_that_the_shell_prints(
    spark: SparkSession, apart: tuple[Files, logs.Example], envelope: str
) -> None:
    """In parts, with images as structs; a schema of the user's own may leave columns out."""
    files = apart[0]
    options = {"control": str(files.control), "table": "ITEMS", "envelope": envelope}
    frame = read(spark, files.data, **options, maxPartitionBytes=3000)
    assert frame.rdd.getNumPartitions() > 1
    seq = "source.seq" if envelope == "debezium" else "_commit_seq"
    words = ("op", "source", "changed_columns") if envelope == "debezium" else ("_change_type", "_commit_seq", "STATE")
    found = sorted((row.asDict(recursive=True) for row in frame.select(*words, "_metadata").collect()), key=_index)
    expected = list(open_log(files.data, **options).changes())
    assert [[row[name] for name in words] for row in found] == [[row[name] for name in words] for row in expected]
    kind = words[0]
    few = spark.read.format("lmparse").options(**options).schema(f"{kind} string").load(str(files.data))
    assert sorted(row[0] for row in few.collect()) == sorted(row[kind] for row in expected)
    assert frame.select(seq).distinct().count() == len({json.dumps(row.get("source") or row[seq]) for row in expected})


def _index(row: dict[str, Any]) -> int:
    return int(row["_metadata"]["record_index"])


def test_commit_order_is_refused_with_advice(spark: SparkSession, night: Files) -> None:
    from pyspark.errors import PySparkException

    with pytest.raises(PySparkException, match="order commit has no meaning"):
        read(spark, night.data, control=night.control, order="commit")
    with pytest.raises(OptionError) as caught:
        source(path="x", control="y", order="commit").schema()
    assert caught.value.hint == 'use orderBy("seq")'


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "no path"),
        ({"path": "x", "maxPartitionBytes": "0"}, "maxPartitionBytes"),
        ({"path": "x", "maxPartitionBytes": "128m"}, "maxPartitionBytes"),
        ({"path": "x", "mode": "lenient"}, "mode has no value"),
        ({"path": "x", "spec": "bmc_lldf", "columns": "no_such_field"}, "no_such_field"),
        ({"path": "x", "spec": "no_such_spec"}, "no_such_spec"),
    ],
)
def test_what_an_option_cannot_be(options: dict[str, str], said: str) -> None:
    with pytest.raises(LmparseError, match=said):
        source(**options).schema()


def test_records_that_are_no_changes_are_refused(night: Files) -> None:
    with pytest.raises(OptionError, match="bmc_control are not changes"):
        source(path=str(night.data), spec="bmc_control", control=str(night.control)).schema()


def test_options_match_without_case(night: Files) -> None:
    made = source(PATH=str(night.data), CONTROL=str(night.control), ROWIMAGES="Total", MAXPARTITIONBYTES="1000")
    from lmparse.spark.source import request_of

    request = request_of(made.options)
    assert request.paths == (str(night.data),)
    assert (request.options.row_images, request.max_bytes, request.with_changes) == ("total", 1000, True)


def test_an_empty_log_is_a_frame_with_the_full_schema(
    spark: SparkSession, night: Files, example: logs.Example, tmp_path: Path
) -> None:
    empty = write(tmp_path, example, records=[])
    assert empty.data.stat().st_size == 0
    full = read(spark, night.data, control=night.control)
    frame = read(spark, empty.data, control=empty.control)
    assert frame.schema.simpleString() == full.schema.simpleString()
    assert frame.collect() == []


@pytest.mark.parametrize("table", ["PROD.ORDERS", "ORDERS", "0105.0002.0003"])
def test_an_empty_log_has_the_schema_of_its_tables(
    night: Files, example: logs.Example, tmp_path: Path, table: str
) -> None:
    empty = write(tmp_path, example, records=[])
    full = source(path=str(night.data), control=str(night.control), table=table)
    made = source(path=str(empty.data), control=str(empty.control), table=table)
    assert made.schema().simpleString() == full.schema().simpleString()
    assert list_rows(made) == []


def test_descriptor_words_of_others(spark: SparkSession, tmp_path: Path) -> None:
    """Spark reads with the options for framings, also by Cobrix's names, in several parts."""
    records = [bytes([65 + number % 20]) * (20 + number % 9) for number in range(200)]
    form = Form("bdw", Rule(True, False, -2), Rule(True, False), b"HEADER", b"END", 300)
    path = tmp_path / "a.dat"
    path.write_bytes(form.file(records)[0])
    own = {camel(name): value for name, value in form.options.items()}
    frame = read(spark, path, spec="common_raw", maxPartitionBytes=1000, **own)
    assert frame.rdd.getNumPartitions() > 3
    rows = frame.orderBy("_metadata.record_index").collect()
    assert [bytes(row["data"]) for row in rows] == records
    cobrix = {"record_format": "VB", "is_rdw_big_endian": False, "is_rdw_part_of_record_length": False}
    cobrix |= {"is_bdw_big_endian": False, "bdwIncludesHeader": False, "rdw_adjustment": -2}
    cobrix |= {"file_start_offset": 6, "file_end_offset": 3}
    assert read(spark, path, spec="common_raw", **cobrix).count() == 200
