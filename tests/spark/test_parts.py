"""Spark: a file that is read in parts gives the rows that it gives at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from spark.conftest import Files, read, rows_of, source, write
from writers.bmc import logs

from lmparse.logs.partitions import Request
from lmparse.options import Options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_a_file_is_split_and_gives_the_same_rows(spark: SparkSession, apart: tuple[Files, logs.Example]) -> None:
    """The segments of a change stand in one part, which is longer."""
    from pyspark.testing import assertDataFrameEqual

    files, example = apart
    options = {"control": files.control, "include": "all"}
    whole, split = read(spark, files.data, **options), read(spark, files.data, **options, maxPartitionBytes=3000)
    named = Options(control=str(files.control))
    parts = list(Request((str(files.data),), named, with_changes=True, max_bytes=3000).parts())
    assert (whole.rdd.getNumPartitions(), split.rdd.getNumPartitions()) == (1, len(parts))
    assert len(parts) > 3
    assert parts[0].span.end > 2 * max(part.span.end - part.span.start for part in parts[1:])
    assertDataFrameEqual(split, whole)
    assert [json.loads(row["after"]) for row in rows_of(split)] == [row["after"] for row in example.changes]


def test_records_are_split_too(spark: SparkSession, example: logs.Example, tmp_path: Path) -> None:
    """By a schema of the user's own that leaves `_metadata` out, and as an RDD of bytes."""
    from pyspark.testing import assertDataFrameEqual

    from lmparse.spark.rdd import read_records

    log = write(tmp_path, example, records=example.data_records * 8)
    options = {"spec": "bmc_lldf", "maxPartitionBytes": "20000"}
    whole = read(spark, log.data, **options)
    schema = whole.drop("_metadata").schema
    parts = source(**options, path=str(log.data)).reader(schema).partitions()
    assert len(parts) > 3
    texts = {name: str(value) for name, value in options.items()}
    reader = spark.read.format("lmparse").schema(schema).options(**texts)
    split = reader.load(str(log.data))
    assert split.rdd.getNumPartitions() == len(parts)
    assertDataFrameEqual(split, whole.drop("_metadata"))
    raw = read_records(spark, str(log.data), max_partition_bytes=20_000)
    assert raw.getNumPartitions() == len(parts)
    assert raw.collect() == example.data_records * 8
    log.data.write_bytes(log.data.read_bytes()[:-7])
    place = f"record {8 * len(example.data_records) - 1} at"
    for rows in (reader.load(str(log.data)), read_records(spark, str(log.data), max_partition_bytes=20_000)):
        with pytest.raises(Exception, match=rf"night\.dat: {place} .*\[LMP-F006\]"):
            rows.collect()
