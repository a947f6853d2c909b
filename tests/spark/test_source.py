"""Spark: the source is found, and files are named, in every way that Spark has; specs of others are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from spark.conftest import OUTCOME, Files, changes_of, read, rows_of, write
from spec.build_step import build
from writers.bmc import framing, logs

from lmparse import open_log
from lmparse.spec import catalog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


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
        changes = changes_of(example, "ITEMS")
        assert rows_match(spark.table("stored"), changes)
        for reader in (spark.read.option("operations", "I"), spark.read.option("OPERATIONS", "I")):
            inserts = [row for row in rows_of(reader.table("stored")) if row["op"] == "I"]
            assert 0 < len(inserts) == reader.table("stored").count() < len(changes)
        committed = {"operations": "I", "include": "committed"}
        assert 0 < spark.read.options(**committed).table("stored").count() < len(inserts)
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


def test_a_list_of_files_and_a_file_address(
    spark: SparkSession, night: Files, example: logs.Example, tmp_path: Path
) -> None:
    """Extracts of one log stand in folders of their own, each with its control file; a unit goes on in the second."""
    records = example.data_records
    other = write(tmp_path / "a folder", example, "evening", logs.opened(records[:3], records[3:]))
    reader = spark.read.format("lmparse").option("columns", "ID")
    both = reader.load([str(night.data), other.data.as_uri()])
    counts = {row["file"]: row["count"] for row in both.groupBy("_metadata.file").count().collect()}
    assert counts == {str(night.data): len(example.expected)}  # it has all records, and what became of their units
    rest = write(tmp_path / "rest", example, "rest", records[3:])
    both = reader.load([str(rest.data), other.data.as_uri()])
    rows = both.select("seq", "_metadata.file").collect()
    assert sorted(row["seq"] for row in rows) == sorted(str(row["seq"]) for row in example.expected)
    assert {row["file"] for row in rows} == {str(rest.data), str(other.data)}


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
    done = build("generate", "--formats", "formats", "--out", "built", cwd=folder)
    assert done.returncode == 0, done.stderr
    data = folder / "readings.bin"
    data.write_bytes(framing.fixed(OWN_RECORDS, len(OWN_RECORDS[0])))
    return str(folder / "built" / "acme_reading"), data


def test_a_spec_of_ones_own_is_read_every_way(spark: SparkSession, own: tuple[str, Path]) -> None:
    from lmparse.spark.rdd import parse, read_records

    spec, data = own
    options = {"spec": spec, "framing": "fixed", "record_length": str(len(OWN_RECORDS[0]))}
    printed = list(open_log(data, **options).records())
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
