"""Spark: the data source and the RDD functions give what the library gives without Spark."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal, localcontext
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from short_runs import SHORT_JAVA
from writers.bmc import framing, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column
from writers.foreign import Form, Rule

from lmparse import open_log
from lmparse.errors import LmparseError, OptionError
from lmparse.logs.open import open_changes, open_file
from lmparse.logs.partitions import Request
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.spelling import camel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[2]
OUTCOME = ("_corrupt_record", "_corrupt_fields")


class Files(NamedTuple):
    """A log on disk."""

    data: Path
    control: Path


def write(folder: Path, example: logs.Example, name: str = "night", records: Sequence[bytes] | None = None) -> Files:
    """Data file and control file of a log, of one stem; `records` stand instead of the log's own."""
    folder.mkdir(parents=True, exist_ok=True)
    files = Files(folder / f"{name}.dat", folder / f"{name}.ctl")
    files.data.write_bytes(framing.rdw(example.data_records if records is None else records))
    files.control.write_bytes(framing.rdw(example.control_records))
    return files


def read(spark: SparkSession, path: object, **options: object) -> DataFrame:
    texts = {name: str(value) for name, value in options.items()}
    return spark.read.format("lmparse").options(**texts).load(str(path))


def shown(value: Any) -> Any:
    """A value from Spark, or from the library, in one form: what `changes` prints, timestamps to microseconds."""
    if isinstance(value, dict):
        return {name: shown(item)[:26] if name == "FINE" else shown(item) for name, item in value.items()}
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, bytes | bytearray):
        return bytes(value).hex().upper()
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    return value.isoformat() if isinstance(value, date) else value


def rows_of(frame: DataFrame) -> list[dict[str, Any]]:
    """All rows in one form, sorted as they stand in the file."""
    rows = [shown(row.asDict(recursive=True)) for row in frame.collect()]
    return sorted(rows, key=lambda row: int(row["_metadata"]["record_index"]))


@pytest.fixture(scope="module")
def example() -> logs.Example:
    return logs.example()


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory, example: logs.Example) -> Files:
    return write(tmp_path_factory.mktemp("night"), example)


def changes_of(example: logs.Example, table: str | None = None) -> list[dict[str, Any]]:
    """The changes that a log must give with `include` all, of one table or of all."""
    return [shown(row) for row in example.changes if table in (None, row["table_name"])]


# -- the source is found --------------------------------------------------------------------


def test_a_fresh_interpreter_finds_the_source_by_itself(night: Files, example: logs.Example, tmp_path: Path) -> None:
    """Nothing of lmparse is imported, nothing registered, and the working folder is another one."""
    from lmparse.spark.java import ensure_java

    (tmp_path / "read.py").write_text(
        "import sys\n"
        "from pyspark.sql import SparkSession\n"
        "builder = SparkSession.builder.master('local[1]').config('spark.ui.enabled', False)\n"
        "spark = builder.config('spark.driver.memory', '512m').getOrCreate()\n"
        "frame = spark.read.format('lmparse').option('control', sys.argv[2]).load(sys.argv[1])\n"
        "print(*[row.op for row in frame.collect()])\n"
    )
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "PYSPARK_", "SPARK_"))}
    environment = (
        kept
        | SHORT_JAVA
        | {
            "JAVA_HOME": str(ensure_java()),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(tmp_path),
        }
    )
    command = [sys.executable, "read.py", str(night.data), str(night.control)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [row["op"] for row in example.expected]


def test_register_makes_the_source_known_by_hand(spark: SparkSession, night: Files) -> None:
    from lmparse.spark import register

    register(spark)
    assert read(spark, night.control, spec="bmc_control").count() > 0


# -- ways to name files ---------------------------------------------------------------------


def test_create_table_with_comments_from_the_spec(spark: SparkSession, night: Files, example: logs.Example) -> None:
    """Of a table in the catalog Spark hands over no option when it is read."""
    spark.sql(
        f"CREATE TABLE stored USING lmparse OPTIONS (path '{night.data}', control '{night.control}', "
        "table 'PROD.ITEMS', include 'all')"
    )
    try:
        assert rows_match(spark.table("stored"), changes_of(example, "ITEMS"))
        described = {row.col_name: row.comment for row in spark.sql("DESCRIBE TABLE stored").collect()}
    finally:
        spark.sql("DROP TABLE stored")
    layout = catalog.load("bmc_lldf").layout
    assert layout["auth_id"].doc
    assert described["auth_id"] == " ".join(layout["auth_id"].doc.split())
    assert described["op"].startswith("I insert")
    assert described["_corrupt_record"]


def rows_match(frame: DataFrame, expected: list[dict[str, Any]]) -> bool:
    """Whether a frame of changes has just these; columns without a value may be absent in `expected`."""
    rows = rows_of(frame)
    plain = [{name: row[name] for name in wanted} for row, wanted in zip(rows, expected, strict=True)]
    parsed = [
        {name: json.loads(value) if name == "detail" and value else value for name, value in row.items()}
        for row in plain
    ]
    assert parsed == expected
    assert {row[name] for row in rows for name in OUTCOME} == {None}
    return True


def test_a_temporary_view(spark: SparkSession, night: Files) -> None:
    spark.sql(
        f"CREATE TEMPORARY VIEW headers USING lmparse OPTIONS (path '{night.data}', spec 'bmc_lldf', "
        "columns 'table_name,change_type')"
    )
    try:
        found = spark.sql("SELECT table_name, count(*) AS n FROM headers WHERE change_type = 'I' GROUP BY 1").collect()
    finally:
        spark.catalog.dropTempView("headers")
    expected: dict[str, int] = {}
    for record in open_log(night.data).records():
        if record["change_type"] == "I":
            expected[record["table_name"]] = expected.get(record["table_name"], 0) + 1
    assert {row.table_name: row.n for row in found} == expected


def test_a_list_of_files_and_a_file_address(
    spark: SparkSession, night: Files, example: logs.Example, tmp_path: Path
) -> None:
    """Extracts of one log stand in folders of their own, each with its control file; a unit goes on in the second."""
    records = example.data_records
    other = write(tmp_path / "a folder", example, "evening", logs.opened(records[:5], records[5:]))
    reader = spark.read.format("lmparse").option("columns", "ID")
    both = reader.load([str(night.data), other.data.as_uri()])
    counts = {row["file"]: row["count"] for row in both.groupBy("_metadata.file").count().collect()}
    assert counts == {str(night.data): len(example.expected)}  # it has all records, and what became of their units
    rest = write(tmp_path / "rest", example, "rest", records[5:])
    both = reader.load([str(rest.data), other.data.as_uri()])
    rows = both.select("seq", "_metadata.file").collect()
    assert sorted(row["seq"] for row in rows) == sorted(str(row["seq"]) for row in example.expected)
    assert {row["file"] for row in rows} == {str(rest.data), str(other.data)}


def renamed(example: logs.Example, dsname: str) -> logs.Example:
    """The same log, its control file naming another data set."""
    return logs.example(control_options={"dlds_fields": {"ORIGDATADSNAME": dsname}})


def test_a_folder_of_logs_with_their_control_files_beside_them(
    spark: SparkSession, example: logs.Example, tmp_path: Path
) -> None:
    """One is found by its stem, the other by the data set that DLDS names; what begins with _ or . is no log."""
    write(tmp_path, example, "first", example.data_records[10:])
    by_name = write(tmp_path, renamed(example, "PROD.LOG.D2"), "second", example.data_records[:10])
    by_name.data.rename(tmp_path / "PROD.LOG.D2")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".second.crc").write_bytes(b"crc")
    frame = read(spark, tmp_path)
    counts = {Path(row["file"]).name: row["count"] for row in frame.groupBy("_metadata.file").count().collect()}
    assert set(counts) == {"first.dat", "PROD.LOG.D2"}
    assert sum(counts.values()) == len(example.expected)


def test_several_control_files_are_listed(spark: SparkSession, example: logs.Example, tmp_path: Path) -> None:
    from pyspark.errors import PySparkException

    log = write(tmp_path, renamed(example, "PROD.LOG.D2"))
    data = log.data.rename(tmp_path / "PROD.LOG.D2")
    (tmp_path / "again.ctl").write_bytes(log.control.read_bytes())
    with pytest.raises(PySparkException, match=r"several control files .*found again\.ctl, night\.ctl \[LMP-C007\]"):
        read(spark, data).collect()


# -- changes --------------------------------------------------------------------------------

TYPES = {
    "ID": "int",
    "SMALL": "smallint",
    "BIG": "bigint",
    "AMOUNT": "decimal(9,2)",
    "RATE": "decimal(7,4)",
    "RATIO": "double",
    "WEIGHT": "double",
    "CODE": "string",
    "BITS": "binary",
    "DAY": "date",
    "AT": "string",
    "STAMP": "timestamp_ntz",
    "FINE": "timestamp_ntz",
    "ZONED": "string",
    "ROW_ID": "binary",
    "WIDE": "binary",
    "NOTE": "string",
    "BLOCK": "binary",
    "WIDER": "binary",
    "LONG_NOTE": "string",
    "LONG_WIDE": "binary",
    "PHOTO": "binary",
    "TEXT": "string",
    "WIDE_TEXT": "string",
    "ODD": "binary",
    "LAST": "string",
}
"""The Spark type of each column of the table with every type."""


def test_typed_changes_of_one_table(spark: SparkSession, night: Files, example: logs.Example) -> None:
    frame = read(spark, night.data, control=night.control, table="PROD.ORDERS", include="all")
    for role in ("before", "after"):
        struct: Any = frame.schema[role].dataType
        assert {field.name: field.dataType.simpleString() for field in struct} == TYPES
    assert {name: frame.schema[name].dataType.simpleString() for name in ("op", "ts", "commit_ts", "seq")} == {
        "op": "string",
        "ts": "timestamp_ntz",
        "commit_ts": "timestamp_ntz",
        "seq": "string",
    }
    rows = rows_of(frame)
    expected = changes_of(example, "ORDERS")
    assert [{name: row[name] for name in wanted} for row, wanted in zip(rows, expected, strict=True)] == expected
    options = {"control": str(night.control), "table": "PROD.ORDERS", "include": "all"}
    without = open_changes(night.data, Options.parse(options))
    for row, typed in zip(rows, without.rows(), strict=True):
        absent = {"table_name_short": False, **dict.fromkeys(OUTCOME)}
        assert row == shown(typed) | absent


def test_changes_of_all_tables_hold_images_as_json(spark: SparkSession, night: Files, example: logs.Example) -> None:
    frame = read(spark, night.data, control=night.control, include="all", header="true")
    assert {frame.schema[name].dataType.simpleString() for name in ("before", "after", "detail", "header")} == {
        "string"
    }
    rows = rows_of(frame)
    assert len(rows) == len(example.changes)
    log = open_log(night.data, control=night.control, include="all", header=True)
    for row, change in zip(rows, log.changes(), strict=True):
        parsed = {
            name: json.loads(row[name]) if name in ("before", "after", "detail", "header") and row[name] else row[name]
            for name in change
        }
        assert parsed == change
    assert [row["before"] and json.loads(row["before"]) for row in rows] == [row["before"] for row in example.changes]


def test_columns_choose_those_of_the_table(spark: SparkSession, night: Files) -> None:
    frame = read(spark, night.data, control=night.control, table="PROD.ORDERS", columns="LAST,ID")
    rows = frame.select("after.*").collect()
    assert [tuple(row.asDict()) for row in rows[:1]] == [("ID", "LAST")]
    assert {(row.ID, row.LAST) for row in rows if row.ID} == {(1, "END"), (2, "END"), (3, "END")}


def test_a_schema_of_the_users_own(spark: SparkSession, night: Files, example: logs.Example) -> None:
    """Fewer columns in another order, inside the images too, and wider types."""
    schema = "after STRUCT<LAST: STRING, ID: BIGINT>, plan STRING, op STRING"
    reader = spark.read.format("lmparse").schema(schema).option("control", str(night.control))
    frame = reader.option("table", "PROD.ORDERS").load(str(night.data))
    assert frame.schema.simpleString() == "struct<after:struct<LAST:string,ID:bigint>,plan:string,op:string>"
    expected = [
        (row["after"]["LAST"], row["after"]["ID"], row["plan"], row["op"])
        for row in example.expected
        if row["table_name"] == "ORDERS"
    ]
    rows = [(row.after.LAST, row.after.ID, row.plan, row.op) for row in frame.collect()]
    assert sorted(rows) == sorted(expected)


def test_a_schema_of_changes_of_all_tables(spark: SparkSession, night: Files, example: logs.Example) -> None:
    """Letter case is Spark's own affair; what a type cannot represent is refused before a task begins."""
    reader = spark.read.format("lmparse").option("control", str(night.control))
    rows = reader.schema("OP string, commit_ts timestamp_ntz").load(str(night.data)).collect()
    assert [row.OP for row in rows] == [row["op"] for row in example.expected]
    assert [row.commit_ts for row in rows] == [
        row.commit_ts for row in read(spark, night.data, control=night.control).collect()
    ]
    for schema, text in {
        "commit_ts timestamp": "'commit_ts': expected timestamp_ntz or a type with the same values, found timestamp",
        "oper string": "the source has no column 'oper'",
    }.items():
        with pytest.raises(Exception, match=rf"{re.escape(text)}.* \[LMP-S012\]\n +hint: "):
            reader.schema(schema).load(str(night.data)).collect()


# -- records --------------------------------------------------------------------------------


def test_records_of_a_data_file(spark: SparkSession, night: Files) -> None:
    frame = read(spark, night.data, spec="bmc_lldf")
    layout = catalog.load("bmc_lldf").layout
    names = [name for name in frame.columns if not name.startswith("_")]
    assert [name for name in names if name not in ("rid_page", "rid_row")] == [entry.id for entry in layout]
    types = {field.name: field.dataType.simpleString() for field in frame.schema}
    assert {name: types[name] for name in ("dbid", "log_bytes", "timestamp", "log_rba", "change_type", "data")} == {
        "dbid": "int",
        "log_bytes": "bigint",
        "timestamp": "timestamp_ntz",
        "log_rba": "binary",
        "change_type": "string",
        "data": "binary",
    }
    rows = rows_of(frame)
    expected = list(open_log(night.data).records())
    assert [{name: row[name] for name in record} for row, record in zip(rows, expected, strict=True)] == expected
    assert {(row["rid"], row["rid_page"], row["rid_row"]) for row in rows[:2]} == {
        ("0000010101", 0x101, 1),
        ("0000010201", 0x102, 1),
    }


def test_records_of_a_control_file(spark: SparkSession, night: Files, example: logs.Example) -> None:
    frame = read(spark, night.control, spec="bmc_control", columns="cntl_record_type,column_name,ll_column_pos")
    assert [name for name in frame.columns if not name.startswith("_")] == [
        "cntl_record_type",
        "column_name",
        "ll_column_pos",
    ]
    rows = rows_of(frame)
    assert len(rows) == len(example.control_records)
    names = [row["column_name"] for row in rows if row["cntl_record_type"] == "DLCI"]
    assert names == [column.name for table in example.tables for column in table.columns]
    assert {type(row["ll_column_pos"]) for row in rows if row["cntl_record_type"] == "DLCI"} == {int}


# -- partitions -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> tuple[Files, logs.Example]:
    """A log with two updates in segments that stand far apart and out of order."""
    orders, _, stock = logs.TABLES
    writer, unit = logs.Writer(), logs.Unit(1)
    divided = [
        writer.pieces(unit, orders, "UB", logs.full_row(number), logs.full_row(number, NOTE="new"), segments=4)
        for number in (1, 2)
    ]
    for step, (first, second) in enumerate(((2, 0), (0, 1), (3, 2), (1, 3))):
        writer.put(*divided[0][first])
        for number in range(4):
            writer.add(unit, stock, "I", after={"NO": 10 * step + number, "KIND": "K", "SUM": "1.25"})
        writer.put(*divided[1][second])
    example = writer.example()
    return write(tmp_path_factory.mktemp("apart"), example), example


def test_a_file_is_split_and_gives_the_same_rows(spark: SparkSession, apart: tuple[Files, logs.Example]) -> None:
    """Segments of one change stand in different parts."""
    from pyspark.testing import assertDataFrameEqual

    files, example = apart
    options = {"control": files.control, "include": "all"}
    whole, split = read(spark, files.data, **options), read(spark, files.data, **options, maxPartitionBytes=1000)
    named = Options(control=str(files.control))
    parts = list(Request((str(files.data),), named, with_changes=True, max_bytes=1000).parts())
    assert sum(bool(part.span.foreign) for part in parts) > 0
    assert (whole.rdd.getNumPartitions(), split.rdd.getNumPartitions()) == (1, len(parts))
    assert len(parts) > 5
    assertDataFrameEqual(split, whole)
    assert [json.loads(row["after"]) for row in rows_of(split)] == [row["after"] for row in example.changes]


def test_records_are_split_too(spark: SparkSession, apart: tuple[Files, logs.Example]) -> None:
    files, _ = apart
    split = read(spark, files.data, spec="bmc_lldf", maxPartitionBytes=1000)
    assert split.rdd.getNumPartitions() > 5
    expected = list(open_log(files.data).records())
    rows = rows_of(split)
    assert [{name: row[name] for name in record} for row, record in zip(rows, expected, strict=True)] == expected
    assert [row["_metadata"]["record_index"] for row in rows] == list(range(len(expected)))


def test_changes_without_numbers_are_cut_without_counting_records(spark: SparkSession, tmp_path: Path) -> None:
    table, writer = logs.TABLES[2], logs.Writer([logs.TABLES[2]])
    for number in range(300):
        at = f"{1 + number // 3:020X}"
        row: logs.Row = {"NO": number, "KIND": "A", "SUM": "1.00"}
        writer.add(logs.Unit(1), table, "I", after=row, log_rba=at, log_lrsn=at)
    log = write(tmp_path, writer.example(dlds_fields={"segmented": "N"}))
    options = {"control": str(log.control), "maxPartitionBytes": "20000"}
    schema = read(spark, log.data, **options).select("seq", "op").schema
    parts = source(**options, path=str(log.data)).reader(schema).partitions()
    assert len(parts) > 3
    assert {part.value.span.first_index for part in parts} == {None}
    frame = spark.read.format("lmparse").schema(schema).options(**options).load(str(log.data))
    assert frame.rdd.getNumPartitions() == len(parts)
    rows = frame.collect()
    assert [row["seq"] for row in rows] == [change["seq"] for change in writer.example().expected]
    assert [int(row["seq"][-8:], 16) for row in rows] == [0, 1, 2] * 100


def test_records_without_numbers_are_cut_without_counting_them(
    spark: SparkSession, example: logs.Example, tmp_path: Path
) -> None:
    """By a schema of the user's own that leaves `_metadata` out, and as an RDD of bytes."""
    from pyspark.testing import assertDataFrameEqual

    from lmparse.spark.rdd import read_records

    log = write(tmp_path, example, records=example.data_records * 20)
    options = {"spec": "bmc_lldf", "maxPartitionBytes": "20000"}
    whole = read(spark, log.data, **options)
    schema = whole.drop("_metadata").schema
    parts = source(**options, path=str(log.data)).reader(schema).partitions()
    assert len(parts) > 5
    assert {part.value.span.first_index for part in parts} == {None}
    texts = {name: str(value) for name, value in options.items()}
    reader = spark.read.format("lmparse").schema(schema).options(**texts)
    split = reader.load(str(log.data))
    assert split.rdd.getNumPartitions() == len(parts)
    assertDataFrameEqual(split, whole.drop("_metadata"))
    raw = read_records(spark, str(log.data), max_partition_bytes=20_000)
    assert raw.getNumPartitions() == len(parts)
    assert raw.collect() == example.data_records * 20
    log.data.write_bytes(log.data.read_bytes()[:-7])
    place = f"record {20 * len(example.data_records) - 1} at"
    for rows in (reader.load(str(log.data)), read_records(spark, str(log.data), max_partition_bytes=20_000)):
        with pytest.raises(Exception, match=rf"night\.dat: {place} .*\[LMP-F006\]"):
            rows.collect()


# -- the RDD way ----------------------------------------------------------------------------


def test_record_bytes_and_the_parser_over_them(spark: SparkSession, apart: tuple[Files, logs.Example]) -> None:
    from lmparse.spark.rdd import parse, read_records

    files, example = apart
    raw = read_records(spark, str(files.data), max_partition_bytes=1000)
    assert raw.getNumPartitions() > 5
    assert raw.collect() == example.data_records
    assert parse(raw, "bmc_lldf").collect() == list(open_log(files.data).records())
    chosen = parse(raw, "bmc_lldf", columns="seg_num,total_segs").collect()
    assert chosen == list(open_log(files.data, columns="seg_num,total_segs").records())


def test_the_parser_over_binary_records(spark: SparkSession, tmp_path: Path, example: logs.Example) -> None:
    from lmparse.spark.rdd import parse

    path = tmp_path / "fixed.dat"
    length = max(map(len, example.data_records))
    path.write_bytes(framing.fixed(example.data_records, length))
    options = Options(framing="fixed", record_length=length)
    expected = list(open_file(path, options).records())
    assert len(expected) == len(example.data_records)
    assert parse(spark.sparkContext.binaryRecords(str(path), length), "bmc_lldf").collect() == expected


def test_objects_are_those_of_the_generated_parser(spark: SparkSession, night: Files, example: logs.Example) -> None:
    from lmparse.spark.rdd import parse, read_records

    objects = parse(read_records(spark, str(night.data), "rdw"), "bmc_lldf", objects=True)
    assert objects.map(attrgetter("__class__.__name__")).distinct().collect() == ["BmcLldf"]
    lengths = objects.map(attrgetter("length", "dbid", "data")).collect()
    assert lengths == [(288, int.from_bytes(record[6:8], "big"), record[288:]) for record in example.data_records]


BAD_STAMP = b"\xff" * 17


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory, example: logs.Example) -> Files:
    """Record 2 has a timestamp that is none, record 7 a LENGTH that leads behind its end."""
    records = list(example.data_records)
    records[2] = records[2][:60] + BAD_STAMP + records[2][77:]
    records[7] = b"\x7f\xff" + records[7][2:]
    return write(tmp_path_factory.mktemp("damaged"), example, records=records)


def test_modes_of_the_parser(spark: SparkSession, damaged: Files, example: logs.Example) -> None:
    from lmparse.spark.rdd import parse, read_records

    raw = read_records(spark, str(damaged.data))
    permissive = parse(raw, "bmc_lldf").collect()
    assert len(permissive) == len(example.data_records)
    assert permissive[2]["timestamp"] is None
    assert [fault["path"] for fault in permissive[2]["_corrupt_fields"]] == ["timestamp"]
    assert set(permissive[7]) == {"_corrupt_record", "_error"}
    assert bytes.fromhex(permissive[7]["_corrupt_record"]) == b"\x7f\xff" + example.data_records[7][2:]
    assert permissive[7]["_error"]["field"] == "length"
    dropped = parse(raw, "bmc_lldf", mode="dropmalformed").collect()
    assert dropped == [row for index, row in enumerate(permissive) if index not in (2, 7)]
    with pytest.raises(Exception, match="LMP-V005"):
        parse(raw, "bmc_lldf", mode="failfast").collect()


def test_the_parser_refuses_what_is_no_option(spark: SparkSession) -> None:
    from lmparse.spark.rdd import parse, read_records

    rdd = spark.sparkContext.parallelize([b""], 1)
    with pytest.raises(LmparseError, match="'bmc_ldlf'") as caught:
        parse(rdd, "bmc_ldlf")
    assert "bmc_lldf" in str(caught.value.hint)
    with pytest.raises(OptionError, match="did you mean columns"):
        parse(rdd, "bmc_lldf", colums="length")
    with pytest.raises(OptionError, match="no_such_field"):
        parse(rdd, "bmc_lldf", columns="no_such_field")
    for name in ("framing", "control", "table", "engine"):
        with pytest.raises(OptionError, match=f"{name} means nothing for records that are given as bytes"):
            parse(rdd, "bmc_lldf", **{name: "check" if name == "engine" else "vbs"})
    for name in ("table", "columns", "engine", "mode"):
        with pytest.raises(OptionError, match=f"{name} means nothing for records as bytes"):
            read_records(spark, "any.dat", **{name: {"engine": "check", "mode": "failfast"}.get(name, "x")})


# -- a spec of one's own --------------------------------------------------------------------

OWN_SPEC = """\
meta:
  id: acme_reading
  title: Reading of a meter
  license: CC0-1.0
  ks-version: '0.11'
  imports:
    - /common/common_timestamp17
  endian: be
doc: One reading of one meter.
doc-ref: 'Meters, "Reading"'
seq:
  - id: meter_no
    -orig-id: METERNO
    type: u4
    doc: Number of the meter
  - id: place
    -codec: ebcdic
    size: 6
    doc: Where it hangs
  - id: level
    type: s2
    doc: What it shows
  - id: taken
    type: common_timestamp17
    doc: When it was taken
"""
OWN_STAMP = bytes.fromhex("2026031410111200012300000000000000")
OWN_RECORDS = [
    number.to_bytes(4, "big") + place.encode("cp037") + level.to_bytes(2, "big", signed=True) + OWN_STAMP
    for number, place, level in ((1, "HALL  ", -5), (4_000_000_000, "CELLAR", 7))
]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The name of a spec built outside of the project, and a file of its records."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "formats" / "acme").mkdir(parents=True)
    (folder / "formats" / "acme" / "acme_reading.ksy").write_text(OWN_SPEC)
    command = [sys.executable, ROOT / "build.py", "generate", "--formats", "formats", "--out", "built"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    data = folder / "readings.bin"
    data.write_bytes(framing.fixed(OWN_RECORDS, len(OWN_RECORDS[0])))
    return str(folder / "built" / "acme_reading"), data


def test_a_spec_of_ones_own_is_read_every_way(spark: SparkSession, own: tuple[str, Path]) -> None:
    from lmparse.spark.rdd import parse, read_records

    spec, data = own
    options = {"spec": spec, "framing": "fixed", "record_length": str(len(OWN_RECORDS[0]))}
    shell = ["--spec", spec, "--framing", "fixed", "--record-length", options["record_length"]]
    command = [sys.executable, "-m", "lmparse", "records", str(data), *shell]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["meter_no"], row["place"], row["level"]) for row in printed] == [
        (1, "HALL", -5),
        (4_000_000_000, "CELLAR", 7),
    ]

    raw = read_records(spark, str(data), **options)
    assert raw.collect() == OWN_RECORDS
    assert parse(raw, spec).collect() == printed

    frame = read(spark, data, spec=spec, framing="fixed", recordLength=options["record_length"])
    assert [(field.name, field.dataType.simpleString()) for field in frame.schema][:4] == [
        ("meter_no", "bigint"),
        ("place", "string"),
        ("level", "smallint"),
        ("taken", "timestamp_ntz"),
    ]
    assert frame.schema["place"].metadata == {"comment": "Where it hangs"}
    rows = [{name: row[name] for name in printed[0]} for row in rows_of(frame)]
    assert rows == printed


# -- bad records and bad values -------------------------------------------------------------


@pytest.mark.parametrize("mode", ["permissive", "dropmalformed"])
def test_bad_records_of_a_file_in_a_frame(
    spark: SparkSession, damaged: Files, example: logs.Example, mode: str
) -> None:
    rows = rows_of(read(spark, damaged.data, spec="bmc_lldf", mode=mode, columns="timestamp,dbid"))
    indexes = [row["_metadata"]["record_index"] for row in rows]
    everything = range(len(example.data_records))
    if mode == "dropmalformed":
        assert indexes == [index for index in everything if index not in (2, 7)]
        assert {row[name] for row in rows for name in OUTCOME} == {None}
        return
    assert indexes == list(everything)
    value, record = rows[2], rows[7]
    assert (value["timestamp"], value["dbid"], value["_corrupt_record"]) == (None, 0x105, None)
    (fault,) = value["_corrupt_fields"]
    assert (fault["path"], fault["offset"], fault["raw"], fault["code"]) == (
        "timestamp",
        60,
        BAD_STAMP.hex().upper(),
        "LMP-V005",
    )
    assert fault["message"]
    assert (record["timestamp"], record["dbid"]) == (None, None)
    assert bytes.fromhex(record["_corrupt_record"]) == b"\x7f\xff" + example.data_records[7][2:]
    assert [fault["path"] for fault in record["_corrupt_fields"]] == ["length"]
    clean = [row for row in rows if row["_metadata"]["record_index"] not in (2, 7)]
    assert {row[name] for row in clean for name in OUTCOME} == {None}


def test_failfast_names_place_and_code(spark: SparkSession, damaged: Files) -> None:
    from pyspark.errors import PySparkException

    with pytest.raises(PySparkException, match=r"damaged.*: record 2 at 0x\w+: bmc_lldf\.timestamp: .*\[LMP-V005\]"):
        read(spark, damaged.data, spec="bmc_lldf", mode="failfast").collect()


@pytest.fixture(scope="module")
def bad_row(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The second of three inserts has letters where a decimal should be."""
    stock = logs.TABLES[2]
    writer, unit = logs.Writer(), logs.Unit(1)
    for number in range(3):
        amount: Any = b"ABCD" if number == 1 else "1.25"
        writer.add(unit, stock, "I", after={"NO": number, "KIND": "K", "SUM": "1.25"})
        if number == 1:
            good = writer.row_image(stock, {"NO": number, "KIND": "K", "SUM": "1.25"})
            bad = writer.row_image(stock, {"NO": number, "KIND": "K", "SUM": amount})
            writer.records[-1] = writer.records[-1].replace(good, bad)
    return write(tmp_path_factory.mktemp("bad_row"), writer.example())


@pytest.mark.parametrize("table", ["STOCK_MOVEMENTS_OF_ALL_SITES", None])
def test_a_bad_value_of_a_row_is_null_and_listed(spark: SparkSession, bad_row: Files, table: str | None) -> None:
    options = {"table": table} if table else {}
    rows = rows_of(read(spark, bad_row.data, **options))
    images = [row["after"] if table else json.loads(row["after"]) for row in rows]
    assert [image["SUM"] for image in images] == ["1.25", None, "1.25"]
    assert [image["NO"] for image in images] == [0, 1, 2]
    assert [row["_corrupt_fields"] is None for row in rows] == [True, False, True]
    (fault,) = rows[1]["_corrupt_fields"]
    assert (fault["path"], fault["raw"], fault["code"]) == ("after.SUM", "41424344", "LMP-V002")


@pytest.mark.parametrize("mode", ["permissive", "dropmalformed", "failfast"])
def test_damaged_framing_fails_in_every_mode(
    spark: SparkSession, example: logs.Example, tmp_path: Path, mode: str
) -> None:
    from pyspark.errors import PySparkException

    log = write(tmp_path, example)
    log.data.write_bytes(log.data.read_bytes()[:-7])
    with pytest.raises(PySparkException, match=r"night\.dat: record 25 at .*\[LMP-F006\]"):
        read(spark, log.data, mode=mode).collect()


# -- options --------------------------------------------------------------------------------


def source(**options: str) -> Any:
    """The source as Spark makes it, but here."""
    from lmparse.spark.source import LmparseSource

    return LmparseSource(options)


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


def test_the_last_rows_of_keys_are_refused_with_advice(night: Files) -> None:
    with pytest.raises(OptionError, match="envelope apply compares all rows") as caught:
        source(path=str(night.data), control=str(night.control), table="ITEMS", envelope="apply").schema()
    assert caught.value.hint is not None
    assert "take changefeed" in caught.value.hint


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


def list_rows(made: Any) -> list[dict[str, Any]]:
    """The rows of a source, read here part by part."""
    reader = made.reader(made.schema())
    return [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]


# -- several versions of one table ----------------------------------------------------------

CHANGED_AT = f"{0x00DE1234670000000000 + (3 << 24):020X}"
"""LRSN of the third record."""
FIRST = (Column("NO", "INT", 2), Column("NAME", "CHAR", 6), Column("SUM", "DEC", 5, 2))
SECOND = (Column("NO", "INT", 8), Column("NAME", "VCHR", 20), Column("SUM", "DEC", 9, 4), Column("EXTRA", "DATE"))


def versions(folder: Path, second: tuple[Column, ...], row: dict[str, Any]) -> Files:
    """A log with two inserts into the first version of a table and one into the second."""
    one = Table(owner="PROD", name="GROWN", columns=FIRST, sequence=1, drop_rba=CHANGED_AT)
    two = Table(owner="PROD", name="GROWN", columns=second, sequence=2, create_rba=CHANGED_AT)
    writer, unit = logs.Writer((one, two)), logs.Unit(1)
    for number in (1, 2):
        writer.add(unit, one, "I", after={"NO": number, "NAME": "old", "SUM": "1.25"})
    writer.add(unit, two, "I", after=row)
    return write(folder, writer.example())


def test_versions_of_a_table_in_one_frame(spark: SparkSession, tmp_path: Path) -> None:
    row = {"NO": 2**40, "NAME": "newer name", "SUM": "12345.6789", "EXTRA": "2026-03-14"}
    files = versions(tmp_path, SECOND, row)
    frame = read(spark, files.data, control=files.control, table="PROD.GROWN")
    assert frame.select("after.*").schema.simpleString() == (
        "struct<NO:bigint,NAME:string,SUM:decimal(9,4),EXTRA:date>"
    )
    old = [{"NO": number, "NAME": "old", "SUM": "1.2500", "EXTRA": None} for number in (1, 2)]
    assert [row["after"] for row in rows_of(frame)] == [*old, row]


def test_a_version_of_a_table_is_picked(tmp_path: Path) -> None:
    """Its columns, and the changes that were made while it was in force."""
    second = (Column("NO", "CHAR", 8), *FIRST[1:])
    files = versions(tmp_path, second, {"NO": "A-1", "NAME": "new", "SUM": "9.75"})
    options = {"path": str(files.data), "control": str(files.control), "table": "PROD.GROWN"}
    first = list_rows(source(**options, tableVersion="1"))
    assert [row["after"] for row in first] == [
        {"NO": number, "NAME": "old", "SUM": Decimal("1.25")} for number in (1, 2)
    ]
    (new,) = list_rows(source(**options, tableVersion="2"))
    assert new["after"] == {"NO": "A-1", "NAME": "new", "SUM": Decimal("9.75")}


def test_versions_that_do_not_go_together(spark: SparkSession, tmp_path: Path) -> None:
    from pyspark.errors import PySparkException

    second = (Column("NO", "CHAR", 8), *FIRST[1:])
    files = versions(tmp_path, second, {"NO": "A-1", "NAME": "new", "SUM": "9.75"})
    said = r"column NO is int16 in .* version 001 and string in .* version 002 \[LMP-C008\]"
    with pytest.raises(PySparkException, match=said):
        read(spark, files.data, control=files.control, table="PROD.GROWN").collect()
    with pytest.raises(OptionError) as caught:
        source(path=str(files.data), control=str(files.control), table="PROD.GROWN", tableVersion="3").schema()
    assert caught.value.hint == "versions: 1, 2"


def test_a_log_without_changes_of_the_table_adds_no_row(example: logs.Example, tmp_path: Path) -> None:
    """A folder of logs; the table occurs in one of them only, both control files describe it."""
    write(tmp_path, example, "first")
    stock_only = logs.Writer()
    place = {"log_rba": "00000000000099999999", "log_lrsn": "00DE1234990000000000"}  # behind the first log
    stock_only.add(logs.Unit(20), logs.TABLES[2], "I", after={"NO": 1, "KIND": None, "SUM": None}, **place)
    write(tmp_path, stock_only.example(), "second")
    rows = list_rows(source(path=str(tmp_path), table="PROD.ITEMS"))
    assert len(rows) == sum(row["table_name"] == "ITEMS" for row in example.expected)


# -- edges of values ------------------------------------------------------------------------


def test_values_at_the_edges(spark: SparkSession, tmp_path: Path) -> None:
    """The end of time is the last microsecond of the year 9999, as Python has no year 10000."""
    columns = (
        Column("NO", "INT", 4),
        Column("AT", "TIME"),
        Column("STAMP", "DTTM", 26),
        Column("DAY", "DATE"),
        Column("LARGE", "DEC", 41, 2),
        Column("LARGEST", "DEC", 37, 2),
    )
    table = Table(owner="PROD", name="EDGES", columns=columns)
    writer, unit = logs.Writer((table,)), logs.Unit(1)
    digits = "9" * 39 + ".99"
    values = [
        {"NO": 1, "AT": "24:00:00", "STAMP": "2026-03-14T24:00:00.000000", "DAY": "0001-01-01"},
        {"NO": 2, "AT": "00:00:00", "STAMP": "9999-12-31T24:00:00.000000", "DAY": "9999-12-31"},
        {"NO": 3, "AT": "23:59:59", "STAMP": "0001-01-01T00:00:00.000000", "DAY": "1582-10-10"},
    ]
    for row in values:
        with localcontext(prec=60):
            writer.add(unit, table, "I", after=row | {"LARGE": "-" + digits, "LARGEST": digits[4:]})
    files = write(tmp_path, writer.example())
    frame = read(spark, files.data, control=files.control, table="PROD.EDGES")
    assert frame.select("after.*").schema.simpleString() == (
        "struct<NO:int,AT:string,STAMP:timestamp_ntz,DAY:date,LARGE:string,LARGEST:decimal(37,2)>"
    )
    texts = frame.selectExpr(
        "after.NO", "after.AT", "string(after.STAMP)", "string(after.DAY)", "after.LARGE", "string(after.LARGEST)"
    )
    large = ("-" + digits, digits[4:])
    assert sorted(tuple(row) for row in texts.collect()) == [
        (1, "24:00:00", "2026-03-15 00:00:00", "0001-01-01", *large),
        (2, "00:00:00", "9999-12-31 23:59:59.999999", "9999-12-31", *large),
        (3, "23:59:59", "0001-01-01 00:00:00", "1582-10-10", *large),
    ]
    stamps = [row.STAMP for row in frame.select("after.STAMP").collect()]
    assert sorted(stamps) == [datetime(1, 1, 1), datetime(2026, 3, 15), datetime.max]
    assert frame.where("_corrupt_fields IS NOT NULL").count() == 0


# -- the modules at the edge ----------------------------------------------------------------


def words(path: Path) -> Iterator[str]:
    """Every word of a source text in lower case; parts of an identifier are words too."""
    letters = "".join(letter if letter.isalnum() else " " for letter in path.read_text(encoding="utf-8"))
    yield from letters.lower().split()


@pytest.mark.parametrize("package", ["spark", "cli"])
def test_no_format_is_named_at_the_edges(package: str) -> None:
    """But for the demo, which makes a log of each family."""
    plain = {
        "common",
        "control",
        "data",
        "decimal",
        "field",
        "header",
        "image",
        "lob",
        "log",
        "long",
        "lsn",
        "packed",
        "raw",
        "row",
        "transaction",
        "unlisted",
    }
    names = {word for spec_id in catalog.spec_ids() for word in spec_id.split("_")} - plain
    assert {"bmc", "lldf", "xtyp", "rdw"} <= names
    found = names | {"db2", "luw", "ebcdic", "totalsegs", "segmented"}
    modules = [path for path in (ROOT / "lmparse" / package).glob("*.py") if not path.stem.startswith("demo")]
    assert len(modules) > 3
    assert {path.name: named for path in modules if (named := found & set(words(path)))} == {}


def test_the_adapter_is_thin_and_uses_classic_spark_for_rdds_only() -> None:
    texts = {
        name: (ROOT / "lmparse" / "spark" / f"{name}.py").read_text() for name in ("source", "rdd", "parquet", "stages")
    }
    assert max(len(text.splitlines()) for text in texts.values()) < 165
    assert not [name for name, text in texts.items() if "_jvm" in text]
    lines = [(name, line.strip()) for name, text in texts.items() for line in text.splitlines()]
    users = [(name, line) for name, line in lines if "sparkContext" in line]
    assert [name for name, _ in users] == ["rdd"]
    assert users[0][1].startswith("return spark.sparkContext.parallelize(parts")


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
