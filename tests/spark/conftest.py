"""Logs that the tests of Spark read, and rows in one form, from Spark and from the library."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from writers.bmc import framing, logs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

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


BAD_STAMP = b"\xff" * 17


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory, example: logs.Example) -> Files:
    """Record 2 has a timestamp that is none, record 7 a LENGTH that leads behind its end."""
    records = list(example.data_records)
    records[2] = records[2][:60] + BAD_STAMP + records[2][77:]
    records[7] = b"\x7f\xff" + records[7][2:]
    return write(tmp_path_factory.mktemp("damaged"), example, records=records)


def source(**options: str) -> Any:
    """The source as Spark makes it, but here."""
    from lmparse.spark.source import LmparseSource

    return LmparseSource(options)


def rows(**options: Any) -> list[dict[str, Any]]:
    """The rows of the source, read here part by part."""
    made = source(**{name: str(value) for name, value in options.items()})
    reader = made.reader(made.schema())
    return [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> tuple[Files, logs.Example]:
    """A log with two updates in segments that stand apart and out of order, and many inserts behind them."""
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
    for number in range(100, 140):
        writer.add(unit, stock, "I", after={"NO": number, "KIND": "K", "SUM": "1.25"})
    example = writer.example()
    return write(tmp_path_factory.mktemp("apart"), example), example
