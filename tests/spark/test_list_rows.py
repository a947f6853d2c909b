"""Spark gives the items of lists, in parts, and keeps those in front of damage."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from spec.build_step import build

import lmparse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
SPECS = Path(__file__).parents[1] / "cases_files" / "specs"


def test_rows_are_the_packets_of_all_files(spark: SparkSession, tmp_path: Path) -> None:
    done = build("generate", "--formats", SPECS, "--out", tmp_path / "built")
    assert done.returncode == 0, done.stderr
    files, spec = tmp_path / "captures", str(tmp_path / "built" / "f_capture")
    files.mkdir()
    head = struct.pack("<IHhIIQ", 0xA1B2C3D4, 2, 0, 1, 65535, 0)
    packets = b"".join(struct.pack("<IIII", n, 0, n % 90, 90) + bytes(n % 90) for n in range(500))
    (files / "a.cap").write_bytes(head + packets)
    (files / "b.cap").write_bytes(head + packets[:-1])
    (files / "c.cap").write_bytes(head)
    (files / "d.cap").write_bytes(head[:9])
    options = {"spec": spec, "rows": "packets", "maxPartitionBytes": "5000"}
    frame = spark.read.format("lmparse").options(**options).load(str(files))
    assert frame.rdd.getNumPartitions() > 10
    rows = [row.asDict(recursive=True) for row in frame.collect()]
    expected = lmparse.read_table(files / "a.cap", spec=spec, rows="packets").drop_columns("_metadata").to_pylist()
    for name, count in (("a.cap", 500), ("b.cap", 499), ("c.cap", 0), ("d.cap", 0)):
        good = [row for row in rows if row["_metadata"]["file"].endswith(name) and row["_corrupt_record"] is None]
        assert sorted(row["_metadata"]["record_index"] for row in good) == [*range(count)]
        good = [{**row, "body": bytes(row["body"])} for row in good]
        for row in good:
            del row["_metadata"]
        assert sorted(good, key=lambda row: row["ts_sec"]) == expected[:count], name
    bad = {row["_metadata"]["file"][-5:]: row["_corrupt_fields"][0]["code"] for row in rows if row["_corrupt_record"]}
    assert bad == {"b.cap": "LMP-F006", "d.cap": "LMP-F006"}
    named = {**options, "columns": "_parent,ts_sec"}
    one = spark.read.format("lmparse").options(**named).load(str(files / "a.cap")).filter("ts_sec = 7").first()
    assert one is not None
    assert (one["_parent"]["version"], one["_parent"]["snaplen"]) == (2, 65535)
