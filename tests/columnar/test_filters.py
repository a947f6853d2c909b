"""Filters: what they leave is what SQL would leave of all rows, however early they are applied."""

from __future__ import annotations

import operator
import os
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from amounts import amount
from samples.bmc_random import some_record
from writers.bmc import framing, logs

from lmparse.bmc.columns import change_columns
from lmparse.bmc.columns.row_plan import ImagePlan
from lmparse.changes.schemas import changes_schema
from lmparse.columnar import schemas
from lmparse.columnar.filters import Filter, mask
from lmparse.errors import DataError, OptionError
from lmparse.logs import arrow
from lmparse.logs.open import open_changes, open_file
from lmparse.logs.partitions import Request
from lmparse.options import Options

NAN = float("nan")
ORDERS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def rank(value: Any) -> Any:
    """A value as it is compared: NaN is itself and above all."""
    return (value != value, 0 if value != value else value) if isinstance(value, float) else value


def is_fulfilled(value: Any, entry: Filter) -> bool:
    """What SQL says of one value; null is not true."""
    if entry.comparison in ("is null", "is not null"):
        return (value is None) == (entry.comparison == "is null")
    if value is None:
        return False
    if entry.comparison == "in":
        return rank(value) in [rank(one) for one in entry.value]
    if entry.comparison == "starts with":
        return bool(value.startswith(entry.value))
    other = float(entry.value) if isinstance(value, float) else entry.value
    return bool(ORDERS[entry.comparison](rank(value), rank(other)))


def left(table: pa.Table, filters: Sequence[Filter]) -> pa.Table:
    """The rows of a table that fulfil filters, each told by itself."""
    judged = []
    for entry in filters:
        column = table.column(entry.column)
        if pa.types.is_timestamp(column.type):
            # Python knows no time behind the last day of the year 9999.
            value = entry.value and pa.scalar(entry.value, column.type).value
            column, entry = column.cast(pa.int64()), replace(entry, value=value)
        judged.append([is_fulfilled(value, entry) for value in column.to_pylist()])
    return table.take(
        pa.array([number for number, told in enumerate(zip(*judged, strict=True)) if all(told)], pa.int64())
    )


# -- masks ----------------------------------------------------------------------------------


VALUES: list[tuple[pa.DataType, list[Any]]] = [
    (pa.string(), ["", "a", "ab", "abc", "b", "ä", "\U0001f600", "\uffff", None]),
    (pa.binary(), [b"", b"\x00", b"\x00\x01", b"\x7f", b"\x80", b"\xff", None]),
    (pa.int16(), [-32768, -1, 0, 1, 32767, None]),
    (pa.int64(), [-(2**63) + 1, -1, 0, 1, 2**63 - 1, None]),
    (pa.decimal128(20, 0), [Decimal(0), Decimal(7), Decimal(2**64 - 1), None]),
    (pa.decimal128(9, 2), [Decimal("-0.01"), Decimal("0.00"), Decimal("12.50"), None]),
    (pa.float64(), [-1.5, -0.0, 0.0, 2.0, float("inf"), float("-inf"), NAN, None]),
    (pa.bool_(), [True, False, None]),
    (pa.date32(), [date(1, 1, 1), date(2026, 3, 14), date(9999, 12, 31), None]),
    (pa.timestamp("us"), [datetime(1, 1, 1), datetime(2026, 3, 14, 10, 11, 12, 123), None]),
]


@pytest.mark.parametrize(("type_", "values"), VALUES, ids=lambda found: str(found) if type(found) is not list else "")
def test_a_mask_is_what_each_value_says(type_: pa.DataType, values: list[Any]) -> None:
    arrays = {"c": pa.array([*values, *reversed(values)], type_)}
    others = [value for value in values if value is not None]
    asked = [Filter("c", comparison, value) for comparison in ORDERS for value in others]
    asked += [
        Filter("c", "is null"),
        Filter("c", "is not null"),
        Filter("c", "in", ()),
        Filter("c", "in", (others[0],)),
    ]
    asked += [Filter("c", "in", tuple(others[::2]))]
    if pa.types.is_string(type_):
        asked += [Filter("c", "starts with", value) for value in others]
    for entry in asked:
        found = mask(arrays, [entry])
        assert found.dtype == np.bool_
        assert found.tolist() == [is_fulfilled(value, entry) for value in arrays["c"].to_pylist()], entry


def test_values_that_a_narrow_column_cannot_hold() -> None:
    arrays = {"c": pa.array([-5, 7, None], pa.int16())}
    assert mask(arrays, [Filter("c", "<", 100_000)]).tolist() == [True, True, False]
    assert mask(arrays, [Filter("c", "=", 100_000)]).tolist() == [False] * 3
    assert mask(arrays, [Filter("c", "in", (100_000, 7))]).tolist() == [False, True, False]
    tenths = {"c": pa.array([Decimal(1), Decimal(2)], pa.decimal128(20, 0))}
    assert mask(tenths, [Filter("c", ">", Decimal("1.5"))]).tolist() == [False, True]
    assert mask(tenths, [Filter("c", "in", (Decimal("1.5"), Decimal(2)))]).tolist() == [False, True]


def test_all_filters_must_hold_and_none_leaves_all() -> None:
    arrays = {"a": pa.array([1, 2, None]), "b": pa.array(["x", "y", "x"])}
    assert mask(arrays, []).tolist() == [True] * 3
    assert mask(arrays, [Filter("a", ">", 0), Filter("b", "=", "x")]).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (pa.string(), 1),
        (pa.string(), b"a"),
        (pa.string(), None),
        (pa.int16(), "1"),
        (pa.int16(), True),
        (pa.int16(), 1.5),
        (pa.int64(), 2**63),
        (pa.decimal128(20, 0), 1.5),
        (pa.decimal128(20, 0), Decimal("NaN")),
        (pa.decimal128(20, 0), Decimal("1e-30")),
        (pa.bool_(), 1),
        (pa.string(), "\ud800"),
        (pa.string(), os.fsdecode(b"\xff")),
        (pa.timestamp("us"), date(2026, 3, 14)),
        (pa.timestamp("us"), datetime.fromisoformat("2026-03-14T10:11:12+01:00")),
        (pa.timestamp("us", "UTC"), datetime(2026, 3, 14)),
        (pa.date32(), datetime(2026, 3, 14)),
        (pa.struct([("a", pa.int64())]), 1),
    ],
)
def test_what_an_engine_would_first_bring_into_another_type_does_not_fit(type_: pa.DataType, value: Any) -> None:
    for entry in (Filter("c", "=", value), Filter("c", "in", (value,)), Filter("c", "starts with", value)):
        assert not entry.fits(type_)
        with pytest.raises(OptionError, match="filters: c is"):
            mask({"c": pa.nulls(1, type_)}, [entry])


def test_a_filter_of_no_column_and_of_no_comparison() -> None:
    with pytest.raises(OptionError, match="no column 'd'"):
        mask({"c": pa.array([1])}, [Filter("d", "=", 1)])
    with pytest.raises(OptionError, match="no comparison '<>'"):
        Filter("c", "<>", 1)


# -- records --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random records, some with values that are none, some too short, over more than one window."""
    chance = random.Random(12)
    found = []
    for number in range(9000):
        record = some_record(chance, dbid=number % 50)
        if number % 97 == 0:
            record = record[:60] + b"\xff" * 17 + record[77:]
        if number % 89 == 0:
            record = b"\x7f\xff" + record[2:]
        found.append(record[:100] if number % 401 == 0 else record)
    path = tmp_path_factory.mktemp("records") / "x.dat"
    path.write_bytes(framing.rdw(found))
    return path


def records_of(
    path: Path, filters: Sequence[Filter], columns: tuple[str, ...] = (), **options: Any
) -> tuple[pa.Table, str]:
    """The records that fulfil filters, and the error that ended the reading."""
    file = open_file(
        path, Options.parse({"spec": "bmc_lldf", "framing": "rdw", **options}), on_error=lambda error: None
    )
    schema = schemas.records_schema("bmc_lldf", columns)
    batches = []
    try:
        for batch in arrow.record_batches(file, schema, None, filters):
            batch.validate(full=True)
            assert batch.num_rows
            batches.append(batch)
    except DataError as error:
        return pa.Table.from_batches(batches, schema), str(error)
    return pa.Table.from_batches(batches, schema), ""


all_records = cache(records_of)
"""With no filters: read once for all tests of one file."""

RECORD_FILTERS = [
    [Filter("dbid", "=", 7)],
    [Filter("dbid", "!=", 7)],
    [Filter("dbid", "<", 1)],
    [Filter("dbid", ">=", 0)],
    [Filter("dbid", "in", (3, 4, 100_000))],
    [Filter("dbid", "is null")],
    [Filter("dbid", "is not null")],
    [Filter("dbid", "=", -1)],
    [Filter("timestamp", "is null")],
    [Filter("timestamp", "<", datetime(2026, 3, 14))],
    [Filter("timestamp", "is not null"), Filter("dbid", "<=", 20)],
    [Filter("plan", "starts with", "A")],
    [Filter("plan", "=", "")],
    [Filter("log_rba", ">", b"\x80")],
    [Filter("rid_page", "=", 0), Filter("plan", "!=", "X")],
    [Filter("data", "=", b"")],
    [Filter("header_rest", "is null"), Filter("dbid", "=", 3)],
    [Filter("sql_ri_rba", "=", bytes(10))],
]


@pytest.mark.parametrize("filters", RECORD_FILTERS, ids=str)
@pytest.mark.parametrize("mode", ["permissive", "dropmalformed"])
def test_records(records: Path, filters: list[Filter], mode: str) -> None:
    whole, _ = all_records(records, (), mode=mode)
    found, _ = records_of(records, filters, mode=mode)
    assert found.equals(left(whole, filters))


def test_records_of_the_parser(records: Path) -> None:
    filters = [Filter("dbid", "<", 5)]
    assert records_of(records, filters, engine="kaitai")[0].equals(records_of(records, filters)[0])


@pytest.mark.parametrize("mode", ["failfast", "permissive"])
def test_records_in_mode_failfast_end_where_they_end_without_filters(tmp_path: Path, mode: str) -> None:
    """The bad record has a value that no filter asks about, and is none that is asked for."""
    chance = random.Random(5)
    found = [some_record(chance, dbid=number) for number in range(9)]
    found[4] = found[4][:60] + b"\xff" * 17 + found[4][77:]
    path = tmp_path / "x.dat"
    path.write_bytes(framing.rdw(found))
    whole, fault = records_of(path, (), mode=mode)
    filters = [Filter("dbid", "!=", 4)]
    filtered, same = records_of(path, filters, mode=mode)
    assert fault == same
    assert bool(fault) == (mode == "failfast")
    assert filtered.equals(left(whole, filters))


def test_records_that_are_not_regular_are_judged_by_what_is_read_of_them(tmp_path: Path) -> None:
    """All of a file are short: no column can be read of any."""
    path = tmp_path / "x.dat"
    path.write_bytes(framing.rdw([b"short"] * 3))
    assert records_of(path, [Filter("dbid", "=", 7)])[0].num_rows == 0
    assert records_of(path, [Filter("dbid", "is null")])[0].num_rows == 3


# -- changes --------------------------------------------------------------------------------


class Log:
    """A log on disk, with the options it is read with."""

    def __init__(self, folder: Path, records: Sequence[bytes], control: Sequence[bytes], **options: Any) -> None:
        self.path, self.options = folder / "night.dat", {"control": str(folder / "night.ctl"), **options}
        self.path.write_bytes(framing.rdw(records))
        (folder / "night.ctl").write_bytes(framing.rdw(control))

    def changes(self, filters: Sequence[Filter], **options: Any) -> tuple[pa.Table, dict[str, int], str]:
        """The changes that fulfil filters, what `include` left out, and the error that ended the reading."""
        log = open_changes(self.path, Options.parse({**self.options, **options}), on_error=lambda error: None)
        # All tables in one schema, those of each image that they have in common.
        image = pa.struct([("NO", pa.int64()), ("KIND", pa.string())])
        schema = changes_schema(log.table_versions() if log.options.table else None)
        if not log.options.table:
            schema = pa.schema(
                [entry.with_type(image) if entry.name in ("before", "after") else entry for entry in schema]
            )
        assert not change_columns.refusal(log, schema)  # type: ignore[arg-type]
        batches = []
        try:
            for batch in arrow.change_batches(log, schema, None, filters):
                batch.validate(full=True)
                batches.append(batch)
        except DataError as error:
            return pa.Table.from_batches(batches, schema), dict(log.left_out), str(error)
        return pa.Table.from_batches(batches, schema), dict(log.left_out), ""


def damaged() -> logs.Example:
    """The example, and behind it bad headers, values and images, an operation that is not listed, an unknown table."""
    stock = logs.TABLES[2]
    writer = logs.Writer()
    logs._ordinary_units(writer, None, (0, 1, 2))
    logs._units_taken_back(writer)
    logs._changes_without_rows(writer, ())
    unit = logs.Unit(5, auth_id="OTHER")
    for number in range(24):
        row: logs.Row = {"NO": number, "KIND": "K" if number % 3 else None, "SUM": "1.25"}
        kind = "CM" if number == 9 else ("I", "D", "UB")[number % 3]
        before, after = (row if kind in ("D", "UB") else None), (row if kind in ("I", "UB") else None)
        unknown: Any = {"dbid": 0x0999} if number == 15 else {}
        if number % 8 == 2:
            writer.add(unit, stock, kind, parts=[b"\xff"] * (2 if kind == "UB" else 1))  # what no columns fill
        else:
            writer.add(unit, stock, kind, before, after, **unknown)
        record = writer.records[-1]
        if number == 3:
            bad = {**row, "SUM": b"ABCD"}
            record = record.replace(writer.row_image(stock, row), writer.row_image(stock, bad))
        if number % 8 == 5:
            record = record[:60] + b"\xff" * 17 + record[77:]  # its time is none
        if number == 9:
            record = record.replace("CM".encode("cp037"), "ZZ".encode("cp037"), 1)
        if number == 14:
            record = b"\x7f\xff" + record[2:]  # its LENGTH leads behind its end
        writer.records[-1] = record
    return writer.example()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Log:
    example = damaged()
    return Log(tmp_path_factory.mktemp("damaged"), example.data_records, example.control_records)


all_changes = cache(Log.changes)
"""With no filters: read once for all tests of one log."""

CHANGE_FILTERS = [
    [Filter("op", "=", "I")],
    [Filter("op", "!=", "I")],
    [Filter("op", "in", ("I", "T", "nothing"))],
    [Filter("op", "is null")],
    [Filter("op", "is not null")],
    [Filter("op", "<", "I")],
    [Filter("seq", ">", "0"), Filter("seq", "<", "00DE1234780300000000")],
    [Filter("seq", "starts with", "FFFFFFFFFFFFFFFFFFFF")],
    [Filter("txn_id", "=", logs.Unit(5, auth_id="OTHER").rba.rjust(24, "0").replace("0000", "0001", 1))],
    [Filter("commit_ts", ">=", datetime(2026, 3, 14, 10, 30, 2)), Filter("op", "!=", "D")],
    [Filter("commit_ts", "is null")],
    [Filter("ts", "<=", datetime(2026, 3, 14, 10, 11, 20))],
    [Filter("ts", "is null")],
    [Filter("table_name", "=", "ITEMS")],
    [Filter("table_name", "!=", "ITEMS"), Filter("op", "=", "D")],
    [Filter("table_name", "is null")],
    [Filter("schema_name", "starts with", "WARE"), Filter("auth_id", "=", "OTHER")],
    [Filter("auth_id", "in", ("DBA", "BATCH1"))],
    [Filter("plan", "starts with", "PLAN")],
    [Filter("correlation_id", "=", "NIGHTLY")],
    [Filter("sql_type", "=", "U")],
    [Filter("sql_src_type", "=", "")],
    [Filter("log_rec_disp", "!=", "C")],
    [Filter("uor_disp", "=", "")],
    [Filter("table_name_short", "=", False)],
    [Filter("_corrupt_record", "is not null")],
    [Filter("_corrupt_fields", "is null"), Filter("op", "=", "U")],
]


@pytest.mark.parametrize("filters", CHANGE_FILTERS, ids=str)
@pytest.mark.parametrize("include", ["committed", "all"])
@pytest.mark.parametrize("mode", ["permissive", "dropmalformed"])
def test_changes(log: Log, filters: list[Filter], include: str, mode: str) -> None:
    whole, left_out, _ = all_changes(log, (), include=include, mode=mode)
    found, same, _ = log.changes(filters, include=include, mode=mode)
    assert found.equals(left(whole, filters))
    assert same == left_out


def test_changes_that_are_filtered_are_of_every_kind(log: Log) -> None:
    """Or nothing would be shown by those above."""
    whole, left_out, _ = log.changes((), include="all")
    assert set(whole.column("op").to_pylist()) >= {*"IUDMTXSCO", None}
    assert whole.num_rows - whole.column("_corrupt_record").null_count >= 3
    faults = [row["_corrupt_record"] for row in whole.to_pylist() if row["_corrupt_fields"]]
    assert {fault is None for fault in faults} == {True, False}
    assert log.changes(())[1].keys() == {"rolled-back", "open"}
    assert not left_out


def test_changes_in_mode_failfast_end_where_they_end_without_filters(log: Log) -> None:
    """The first that is bad is an insert, or has no header."""
    fault = log.changes((), mode="failfast")[2]
    assert fault
    assert log.changes([Filter("op", "=", "M")], mode="failfast")[2] == fault


@pytest.fixture
def images(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many row images are decoded by the column at a time."""
    counts: list[int] = []
    decode = ImagePlan.decode

    def counted(self: ImagePlan, data: Any, starts: Any, *args: Any) -> Any:
        counts.append(len(starts))
        return decode(self, data, starts, *args)

    monkeypatch.setattr(ImagePlan, "decode", counted)
    return counts


def test_row_images_of_changes_that_are_ruled_out_are_not_read(log: Log, images: list[int]) -> None:
    log.changes((), include="all")
    every = sum(images)
    images.clear()
    log.changes([Filter("auth_id", "=", "OTHER"), Filter("op", "=", "D")], include="all")
    assert 0 < sum(images) < every / 3
    images.clear()
    log.changes([Filter("op", "=", "D"), Filter("plan", "=", "NONE")], include="all")
    assert sum(images) == 0
    log.changes([Filter("op", "is null")], include="all")
    assert sum(images) == every, "a bad image makes a row without an operation"


def undecided() -> logs.Example:
    """No image of the first thousand says whether nulls keep their bytes; a delete behind them does."""
    stock = logs.TABLES[2]
    writer, unit = logs.Writer(options=logs.Options(null_bytes="absent")), logs.Unit(1)
    for number in range(1010):
        writer._tick = number % 50
        writer.add(unit, stock, "I", after={"NO": number, "KIND": "K", "SUM": "1.25"})
    writer.add(unit, stock, "D", before={"NO": 5, "KIND": None, "SUM": None})
    for number in range(5):
        writer.add(unit, stock, "I", after={"NO": number, "KIND": "K", "SUM": None})
    return writer.example()


def test_no_image_is_passed_over_that_may_say_how_others_are_read(tmp_path: Path) -> None:
    example = undecided()
    log = Log(tmp_path, example.data_records, example.control_records, table=logs.TABLES[2].name)
    whole, _, _ = log.changes(())
    for filters in ([Filter("op", "=", "I")], [Filter("op", "=", "D")], [Filter("op", "=", "U")]):
        opened = open_changes(log.path, Options.parse(log.options))
        schema = changes_schema(opened.table_versions())
        found = pa.Table.from_batches(arrow.change_batches(opened, schema, None, filters), schema)
        assert found.equals(left(whole, filters))


# -- parts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("max_bytes", [1 << 30, 2000, 1])
@pytest.mark.parametrize("options", [{"include": "all"}, {"include": "all", "table": "PROD.ITEMS"}], ids=str)
def test_parts(log: Log, max_bytes: int, options: dict[str, str]) -> None:
    """Segments of one change stand in different parts; without a table images are text."""
    asked = Request((str(log.path),), Options.parse({**log.options, **options}), True, max_bytes)
    schema, parts = arrow.request_schema(asked), list(asked.parts())

    def rows(filters: Sequence[Filter]) -> pa.Table:
        read = (arrow.part_rows(part, schema, filters, with_changes=True) for part in parts)
        return pa.Table.from_batches([batch for batches in read for batch in batches], schema)

    whole = rows(())
    # A part of one change shows little more of a filter than what reading one by one does.
    for filters in CHANGE_FILTERS[:: amount(7, 3) if max_bytes > 1 else amount(40, 3)]:
        assert rows(filters).equals(left(whole, filters))


def test_both_engines_are_compared_over_all_rows(records: Path) -> None:
    asked = Request((str(records),), Options.parse({"spec": "bmc_lldf", "framing": "rdw", "engine": "check"}))
    schema = arrow.request_schema(asked)
    filters = [Filter("dbid", "=", 7)]
    (part,) = asked.parts()
    found = pa.Table.from_batches(arrow.part_rows(part, schema, filters, with_changes=False), schema)
    assert found.equals(records_of(records, filters)[0])


@pytest.mark.parametrize("column", [None, 1, ["op"]])
def test_a_column_is_a_name(column: Any) -> None:
    with pytest.raises(OptionError, match="column has no value"):
        Filter(column, "=", 1)
