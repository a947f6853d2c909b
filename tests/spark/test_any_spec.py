"""Spark gives what the library gives for the specs of the matrix whose values are lists, structs, choices and text."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from constructs import construct_page
from constructs.construct_page import MATRIX

import lmparse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
NAMES = (
    "repeat_u8", "repeat_float", "str_repeated", "repeat_type", "switch_types", "switch_sized", "switch_repeated",
    "switch_wide_numbers", "recursive", "recursive_list", "empty_types", "instance_io", "process_zlib", "bits_wide",
    "endian_of_type_of_data",
)  # fmt: skip


def test_rows_are_those_of_the_library(spark: SparkSession, tmp_path: Path) -> None:
    out = construct_page.build(tmp_path, NAMES)
    for name in NAMES:
        entry = MATRIX[name]
        records = [bytes.fromhex(raw) for raw in (*entry["good"], *entry.get("bad", {}))]
        path = tmp_path / f"{name}.dat"
        path.write_bytes(b"".join(struct.pack(">HH", len(raw) + 4, 0) + raw for raw in records))
        options = {"spec": str(out / f"m_{name}"), "framing": "rdw"}
        frame = spark.read.format("lmparse").options(**options).load(str(path))
        rows = [row.asDict(recursive=True) for row in frame.collect()]
        expected = lmparse.read_table(path, **options).to_pylist()
        assert [_plain(row) for row in rows] == expected, name


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: bytes(value) if isinstance(value, bytearray) else _inside(value) for name, value in row.items()}


def _inside(value: Any) -> Any:
    if isinstance(value, dict):
        return _plain(value)
    if isinstance(value, list):
        return [_inside(item) for item in value]
    return bytes(value) if isinstance(value, bytearray) else value
