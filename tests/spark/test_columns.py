"""Spark: the columns of changes and records have the values that the library gives without Spark."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import localcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from spark.conftest import OUTCOME, Files, changes_of, read, rows_of, shown, write
from writers.bmc import logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

from lmparse import open_log
from lmparse.logs.open import open_changes
from lmparse.options import Options
from lmparse.spec import catalog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


# -- changes --------------------------------------------------------------------------------

TYPES = {
    "ID": "int", "SMALL": "smallint", "BIG": "bigint", "AMOUNT": "decimal(9,2)", "RATE": "decimal(7,4)",
    "RATIO": "double", "WEIGHT": "double", "CODE": "string", "BITS": "binary", "DAY": "date", "AT": "string",
    "STAMP": "timestamp_ntz", "FINE": "timestamp_ntz", "ZONED": "string", "ROW_ID": "binary", "WIDE": "binary",
    "NOTE": "string", "BLOCK": "binary", "WIDER": "binary", "LONG_NOTE": "string", "LONG_WIDE": "binary",
    "PHOTO": "binary", "TEXT": "string", "WIDE_TEXT": "string", "ODD": "binary", "LAST": "string",
}  # fmt: skip
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


def test_a_schema_of_the_users_own(spark: SparkSession, night: Files, example: logs.Example) -> None:
    """Some columns of the source, in another order, in their own types."""
    reader = spark.read.format("lmparse").option("control", str(night.control))
    frame = reader.schema("plan STRING, commit_ts TIMESTAMP_NTZ, op STRING").load(str(night.data))
    rows = [(row.plan, row.op) for row in frame.collect()]
    assert sorted(rows) == sorted((row["plan"], row["op"]) for row in example.expected)
    with pytest.raises(Exception, match=r"'commit_ts': expected timestamp_ntz, .* \[LMP-S012\]\n +hint: .*cast them"):
        reader.schema("commit_ts timestamp").load(str(night.data)).collect()


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
