"""Spark: options under their names, what is refused, and what they say of an empty log."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException
from spark.conftest import Files, read, source, write
from writers.bmc import logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

from lmparse import open_log
from lmparse.errors import OptionError
from lmparse.limits import Limits, byte_size
from lmparse.spark.requests import request_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_what_only_sounds_alike_is_not_suggested(night: Files, example: logs.Example) -> None:
    """Nor is a table unknown without those that there are."""
    with pytest.raises(OptionError, match="no option 'mergeSchema'; known: ") as caught:
        source(path="x", spec="bmc_lldf", mergeSchema="true").schema()
    assert "maxPartitionBytes" in str(caught.value.hint)
    with pytest.raises(OptionError, match="no change in the log is of a table 'ORDRES'") as caught:
        source(path=str(night.data), control=str(night.control), table="ORDRES").schema()
    assert "PROD.ITEMS (" in str(caught.value.hint)


@pytest.mark.parametrize(
    "wrong",
    [
        {"paths": "x"}, {"paths": "{}"}, {"paths": "[1]"}, {"paths": "[" * 5000}, {"maxPartitionBytes": "\u00b2"},
        {"maxPartitionBytes": "9" * 5000}, {"maxPartitionBytes": "0"},
        {"maxPartitionBytes": "128 MiB"}, {"maxPartitionBytes": "-1m"}, {"maxPartitionBytes": ""},
        {"pathGlobFilter": ""}, {"recursiveFileLookup": "perhaps"}, {"recordLength": "9" * 5000}, {"limits": "x=1"},
    ],
)  # fmt: skip
def test_an_unusable_value_has_a_code(wrong: dict[str, str]) -> None:
    with pytest.raises(OptionError, match="has no value") as caught:
        source(path="x", spec="bmc_lldf", **wrong).schema()
    assert (caught.value.code, len(str(caught.value)) < 400) == ("LMP-S003", True)


def test_path_and_paths_are_not_both_taken() -> None:
    with pytest.raises(OptionError, match="path and paths both name what to read"):
        source(path="x", paths='["y"]', spec="bmc_lldf").schema()


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
    options = {"path": str(tmp_path / "night.dat"), "table": "PROD.ITEMS"}
    for name in ("NAME", "SURNAME"):
        table = Table(0x0105, 2, 3, "PROD", "ITEMS", (Column("NO", "INT", 4), Column(name, "CHAR", 9)))
        writer = logs.Writer([table])
        writer.add(logs.Unit(1), table, "I", after={"NO": 1, name: "x"})
        write(tmp_path, writer.example())
        if name == "NAME":
            columns = source(**options).schema()
            assert source().reader(columns).partitions()
    for given in ({}, options):
        with pytest.raises(OptionError, match="column 'before': expected struct<NO:int,SURNAME:string>") as caught:
            source(**given).reader(columns)
        assert caught.value.code == "LMP-S012"


SIZES = ("134217728", "134217728b", "32m", "512k", "128MB", "1Gb", " 1k ", "2T", "1p", "-1", "1.5m", "m", "")


def test_sizes_are_those_that_spark_reads(spark: SparkSession) -> None:
    """As `spark.sql.files.maxPartitionBytes`: what Spark's own function gives, or refuses, of each text."""
    of_spark = spark._jvm.org.apache.spark.network.util.JavaUtils.byteStringAsBytes  # type: ignore[union-attr]
    for size in SIZES:
        found = _none_if_refused(partial(of_spark, size))
        assert _none_if_refused(partial(byte_size, "maxPartitionBytes", size)) == found, size
        if found is not None:
            request = request_of({"path": "x", "spec": "bmc_lldf", "maxPartitionBytes": size})
            assert (request.max_bytes, Limits.parse(f"recordBytes={size}").record_bytes) == (found, found)


def _none_if_refused(read: Callable[[], int]) -> int | None:
    try:
        return int(read())
    except (PySparkException, OptionError):
        return None


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
    words = ("op", "source", "absent_columns") if envelope == "debezium" else ("_change_type", "_commit_seq", "STATE")
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


def test_records_that_are_no_changes_are_refused(night: Files) -> None:
    with pytest.raises(OptionError, match="bmc_control are not changes"):
        source(path=str(night.data), spec="bmc_control", control=str(night.control)).schema()


def test_options_match_without_case(night: Files) -> None:
    made = source(PATH=str(night.data), CONTROL=str(night.control), ROWIMAGES="Total", MAXPARTITIONBYTES="1000")
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
