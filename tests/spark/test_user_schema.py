"""Schemas of the user's own: which are read, and that each value in them is the source's, or null and listed."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import ArrayType, StringType, StructField, StructType, YearMonthIntervalType

from lmparse.errors import OptionError
from lmparse.spark.user_schema import as_arrow, as_requested, may_misfit, source_columns

SOURCE = pa.schema(
    [
        pa.field("op", pa.string()),
        pa.field("commit_ts", pa.timestamp("us")),
        pa.field("SALARY", pa.decimal128(9, 2)),
        pa.field("LENGTH", pa.int16()),
        pa.field("RATE", pa.float32()),
        pa.field("after", pa.struct([("ID", pa.int32()), ("Name", pa.string()), ("name2", pa.binary())])),
        pa.field("words", pa.list_(pa.int8())),
        pa.field("x", pa.int8()),
        pa.field("X", pa.int8()),
    ]
)
VALUES = {
    pa.int8(): st.integers(-128, 127),
    pa.int16(): st.integers(-(1 << 15), (1 << 15) - 1),
    pa.int32(): st.integers(-(1 << 31), (1 << 31) - 1),
    pa.int64(): st.integers(-(1 << 63), (1 << 63) - 1),
    pa.float32(): st.floats(width=32, allow_nan=False),
    pa.float64(): st.floats(allow_nan=False),
    pa.decimal128(3, 2): st.decimals(-9, 9, places=2),
    pa.decimal128(9, 2): st.decimals(-9999999, 9999999, places=2),
    pa.decimal128(11, 2): st.decimals(-999999999, 999999999, places=2),
    pa.decimal128(12, 5): st.decimals(-9999999, 9999999, places=5),
    pa.decimal128(24, 5): st.decimals(-9999999, 9999999, places=5),
    pa.string(): st.text(max_size=9),
    pa.binary(): st.binary(max_size=9),
    pa.timestamp("us"): st.datetimes(),
    pa.timestamp("us", "UTC"): st.datetimes(),
    pa.date32(): st.dates(),
    pa.bool_(): st.booleans(),
}
TYPES = list(VALUES)


def requested(source: pa.Schema, wanted: pa.Schema, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that a user schema gives of a source with these rows, all of whose values fit."""
    found, misfits = cast(source, wanted, rows)
    assert misfits == []
    return found


def cast(
    source: pa.Schema, wanted: pa.Schema, rows: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[tuple[int, str, Any]]]:
    """The rows that a user schema gives, and row, path and value of what does not fit."""
    columns = source_columns(source, wanted)
    read = pa.RecordBatch.from_pylist([_chosen(row, columns) for row in rows], columns)
    batch, misfits = as_requested(read, wanted)
    batch.validate(full=True)
    assert batch.schema == wanted
    assert may_misfit(columns, wanted) or not misfits
    found: list[dict[str, Any]] = batch.to_pylist()
    return found, [(one.row, one.path, one.value) for one in misfits]


def _chosen(row: dict[str, Any], columns: Any) -> dict[str, Any]:
    made = {}
    for entry in columns:
        value = row[entry.name]
        made[entry.name] = _chosen(value, entry.type) if value and pa.types.is_struct(entry.type) else value
    return made


@examples(300, 3000)
@given(st.data(), st.sampled_from(TYPES), st.sampled_from(TYPES))
def test_every_value_is_the_same_or_null_and_listed(data: st.DataObject, source: Any, wanted: Any) -> None:
    values = data.draw(st.lists(st.none() | VALUES[source], max_size=5))
    rows = [{"a": value, "b": {"c": value}, "d": [None, value]} for value in values]
    nested = [pa.schema([("a", one), ("b", pa.struct([("c", one)])), ("d", pa.list_(one))]) for one in (source, wanted)]
    found = None
    with suppress(OptionError):
        found, misfits = cast(*nested, rows)
    if found is None:
        assert source != wanted
        return
    of_source = pa.RecordBatch.from_pylist(rows, nested[0]).column(0).to_pylist()
    listed = {place for place, path, _ in misfits if path == "a"}
    for number, (value, row) in enumerate(zip(of_source, found, strict=True)):
        assert row["a"] == row["b"]["c"] == row["d"][1]
        assert row["d"][0] is None
        assert (row["a"] is None) == (value is None or number in listed)
        assert row["a"] is None or is_same(value, row["a"])
    assert {(place, path) for place, path, _ in misfits} == {(n, path) for n in listed for path in ("a", "b.c", "d[]")}
    assert all(value == of_source[place] for place, _, value in misfits)


def is_same(value: Any, found: Any) -> bool:
    """Whether a value is the same in another type; a decimal and a float are if each gives the other."""
    if isinstance(found, str):
        shown = f"{value:f}" if isinstance(value, Decimal) else str(value)
        return found == (value.hex().upper() if isinstance(value, bytes) else value if value == found else shown)
    if isinstance(value, Decimal) and isinstance(found, float):
        narrow = np.float32(found)  # of which it is the value, if the type is float
        return value in (Decimal(repr(found)), *[Decimal(str(narrow))] * (float(narrow) == found))
    if isinstance(value, float) and isinstance(found, Decimal):
        return np.float32(found) == np.float32(value) if value == np.float32(value) else float(found) == value
    if isinstance(found, datetime) or isinstance(value, datetime):
        return str(found)[:10] == str(value)[:10] and len({type(value), type(found)} - {datetime}) < 2
    return bool(value == found)


@pytest.mark.parametrize(
    ("source", "wanted", "good", "bad"),
    [
        (pa.float64(), pa.int32(), [2.0, -0.0], [2.5, 3e9, float("nan"), float("inf")]),
        (pa.float64(), pa.int64(), [-(2.0**52)], [2.0**63, 0.5]),
        (pa.float64(), pa.float32(), [0.5, float("nan")], [0.1, 1e300]),
        (pa.float64(), pa.decimal128(4, 2), [1.25, 0.1], [1.255, 100.0, 1e30, float("nan")]),
        (pa.int64(), pa.int16(), [-5, 32767], [32768]),
        (pa.int64(), pa.float64(), [1 << 53, 1 << 60, -(1 << 63)], [(1 << 53) + 1, (1 << 63) - 1]),
        (pa.int64(), pa.decimal128(3, 1), [-99, 5], [100, -(1 << 63)]),
        (pa.decimal128(9, 2), pa.int32(), [Decimal("7.00")], [Decimal("7.01"), Decimal("-0.01")]),
        (pa.decimal128(9, 2), pa.float64(), [Decimal("9999999.99"), Decimal("0.10")], []),
        (pa.decimal128(24, 5), pa.float64(), [Decimal("0.10000")], [Decimal("1234567890123456.78901")]),
        (pa.decimal128(9, 2), pa.decimal128(4, 1), [Decimal("99.90")], [Decimal("99.91"), Decimal("1000.00")]),
        (pa.timestamp("us"), pa.date32(), [datetime(2026, 3, 14)], [datetime(2026, 3, 14, 0, 0, 1)]),
        (pa.date32(), pa.timestamp("us"), [date(1, 1, 1), date(9999, 12, 31)], []),
        (pa.binary(), pa.string(), [b"", b"\x00\xff"], []),
    ],
    ids=str,
)
def test_casts_that_keep_the_value(source: Any, wanted: Any, good: list[Any], bad: list[Any]) -> None:
    rows = [{"a": value} for value in [*good, None, *bad, *good]]
    found, misfits = cast(pa.schema([("a", source)]), pa.schema([("a", wanted)]), rows)
    nulls = [number for number, row in enumerate(found) if row["a"] is None]
    assert nulls == list(range(len(good), len(good) + len(bad) + 1))
    assert [row for row, *_ in misfits] == nulls[1:]
    assert [str(value) for *_, value in misfits] == list(map(str, bad))


SIZES = st.integers(1, 38).flatmap(lambda digits: st.tuples(st.just(digits), st.integers(0, digits)))


@examples(300, 3000)
@given(st.data(), SIZES, st.sampled_from([(pa.float64(), float), (pa.float32(), np.float32)]))
def test_a_decimal_and_the_nearest_float(data: st.DataObject, size: tuple[int, int], kind: Any) -> None:
    """The float that Python reads from the digits, whose shortest text is the decimal; no other one, in either way."""
    (digits, scale), (type_, number) = size, kind
    of_decimal, most = pa.decimal128(digits, scale), 10**digits - 1
    with localcontext(prec=80):
        unscaled = data.draw(st.lists(st.integers(-most, most), min_size=1, max_size=5))
        decimals = [Decimal(value).scaleb(-scale) for value in unscaled]
        nearest = [number(str(value)) for value in decimals]
        is_same = [Decimal(str(one)) == value for one, value in zip(nearest, decimals, strict=True)]
        rows = [{"a": value} for value in decimals]
        found, _ = cast(pa.schema([("a", of_decimal)]), pa.schema([("a", type_)]), rows)
        made = [float(one) if same else None for one, same in zip(nearest, is_same, strict=True)]
        assert [row["a"] for row in found] == made
        floats = [*map(float, nearest), *map(float, map(number, data.draw(st.lists(VALUES[type_], max_size=5))))]
        found, _ = cast(pa.schema([("a", type_)]), pa.schema([("a", of_decimal)]), [{"a": value} for value in floats])
        for value, row in zip(floats, found, strict=True):
            text = Decimal(str(number(value)))
            is_held = abs(text.scaleb(scale)) <= most and text == round(text, scale)
            assert row["a"] == (text if is_held else None)


def test_what_does_not_fit_in_parts_of_an_array() -> None:
    """Arrow keeps the values of rows that a slice leaves out, and of lists that are null."""
    lists = pa.array([[300], [1, 400], None, [2], [500]], pa.list_(pa.int32()))
    batch = pa.RecordBatch.from_arrays([lists], ["a"]).slice(1, 3)
    found, misfits = as_requested(batch, pa.schema([("a", pa.list_(pa.int8()))]))
    assert found.to_pylist() == [{"a": [1, None]}, {"a": None}, {"a": [2]}]
    assert [(one.row, one.path, one.value) for one in misfits] == [(0, "a[]", 400)]
    error = misfits[0].error()
    assert str(error) == (
        "a[]: the type that the schema names does not represent the value: expected a value of tinyint, found 400 "
        "[LMP-V011]"
    )


def test_names_in_any_letter_case_and_order() -> None:
    wanted = pa.schema([("AFTER", pa.struct([("NAME", pa.string()), ("id", pa.int64())])), ("Op", pa.string())])
    row = {"op": "I", "after": {"ID": 7, "Name": "a", "name2": b"b"}}
    assert requested(SOURCE, wanted, [row, {"op": None, "after": None}]) == [
        {"AFTER": {"NAME": "a", "id": 7}, "Op": "I"},
        {"AFTER": None, "Op": None},
    ]
    assert source_columns(SOURCE, pa.schema([("X", pa.int8()), ("x", pa.int8())])).names == ["X", "x"]


@pytest.mark.parametrize(
    ("name", "type_", "text"),
    [
        ("salry", pa.decimal128(9, 2), "the source has no column 'salry'"),
        ("after", pa.struct([("IDENT", pa.int32())]), "the source has no column 'after.IDENT'"),
        (
            "commit_ts",
            pa.timestamp("us", "UTC"),
            "'commit_ts': expected timestamp_ntz or a type with the same values, found timestamp",
        ),
        ("SALARY", pa.bool_(), "'SALARY': expected decimal(9,2) or a type with the same values, found boolean"),
        ("RATE", pa.string(), "expected float or a type with the same values, found string"),
        ("after", pa.string(), "found string"),
        ("after", pa.struct([("ID", pa.date32())]), "column 'after.ID': expected int"),
        ("words", pa.list_(pa.bool_()), "column 'words[]': expected tinyint"),
        ("op", pa.binary(), "expected string or a type with the same values, found binary"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(name: str, type_: Any, text: str) -> None:
    with pytest.raises(OptionError) as found:
        source_columns(SOURCE, pa.schema([(name, type_)]))
    assert text in found.value.message
    assert (found.value.code, bool(found.value.hint)) == ("LMP-S012", True)


def not_null(type_: Any, chosen: frozenset[str], path: str = "") -> Any:
    """A type of Spark in which the columns of these paths must not be null."""
    if isinstance(type_, StructType):
        paths = {entry.name: f"{path}.{entry.name}".lstrip(".") for entry in type_}
        types = {name: not_null(type_[name].dataType, chosen, inside) for name, inside in paths.items()}
        return StructType([StructField(name, types[name], paths[name] not in chosen) for name in types])
    if isinstance(type_, ArrayType):
        return ArrayType(not_null(type_.elementType, chosen, f"{path}[]"), f"{path}[]" not in chosen)
    return type_


@examples(100, 1000)
@given(st.frozensets(st.sampled_from(("op", "x", "after", "after.ID", "words", "words[]", "deep[]", "deep[].a[]"))))
def test_not_null_is_refused_at_any_depth(chosen: frozenset[str]) -> None:
    """Spark would take nulls for values."""
    source = SOURCE.append(pa.field("deep", pa.list_(pa.struct([("a", pa.list_(pa.int8()))]))))
    wanted = as_arrow(not_null(from_arrow_schema(source), chosen))
    if not chosen:
        assert source_columns(source, wanted).names == source.names
        return
    with pytest.raises(OptionError, match=" may be null, and the schema says NOT NULL") as found:
        source_columns(source, wanted)
    assert found.value.message.split("'")[1] in chosen
    assert (found.value.code, bool(found.value.hint)) == ("LMP-S012", True)


def test_what_is_never_null_in_the_source_may_be_not_null() -> None:
    source = pa.schema([pa.field("a", pa.int8(), nullable=False), pa.field("b", pa.int8())])
    assert source_columns(source, source).equals(source)


@pytest.mark.parametrize("type_", [YearMonthIntervalType(), ArrayType(YearMonthIntervalType())], ids=str)
def test_a_type_that_arrow_does_not_have_is_refused(type_: Any) -> None:
    with pytest.raises(OptionError, match=r"column 'after': .*interval year to month") as found:
        as_arrow(StructType([StructField("op", StringType()), StructField("after", type_)]))
    assert (found.value.code, bool(found.value.hint)) == ("LMP-S012", True)


def test_names_that_may_be_several_are_refused() -> None:
    source = pa.schema([("Name", pa.int8()), ("name", pa.int8())])
    with pytest.raises(OptionError, match="column 'NAME' may be any of Name, name"):
        source_columns(source, pa.schema([("NAME", pa.int8())]))
    with pytest.raises(OptionError, match="the schema has column 'OP' twice"):
        source_columns(SOURCE, pa.schema([("op", pa.string()), ("OP", pa.string())]))


def test_a_schema_without_a_column_is_refused() -> None:
    """Arrow has no rows without columns, so that Spark would get none of the changes."""
    with pytest.raises(OptionError, match="the schema has no column") as found:
        source_columns(SOURCE, pa.schema([]))
    assert (found.value.code, bool(found.value.hint)) == ("LMP-S012", True)


def test_a_near_name_is_named() -> None:
    with pytest.raises(OptionError) as found:
        source_columns(SOURCE, pa.schema([("salery", pa.decimal128(9, 2))]))
    assert found.value.hint == "did you mean SALARY?"


def test_decimals_are_widened() -> None:
    wanted = pa.schema([("SALARY", pa.decimal128(14, 4)), ("LENGTH", pa.decimal128(10, 2)), ("RATE", pa.float64())])
    row = {"SALARY": Decimal("1.25"), "LENGTH": 3, "RATE": 0.5}
    assert requested(SOURCE, wanted, [row]) == [row]
