"""Schemas of the user's own: which are read, and that no value in them is another than the source's."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st

from lmparse.errors import OptionError
from lmparse.spark.user_schema import as_requested, source_columns

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
    """The rows that a user schema gives of a source with these rows."""
    columns = source_columns(source, wanted)
    read = pa.RecordBatch.from_pylist([_chosen(row, columns) for row in rows], columns)
    batch = as_requested(read, wanted)
    batch.validate(full=True)
    assert batch.schema == wanted
    found: list[dict[str, Any]] = batch.to_pylist()
    return found


def _chosen(row: dict[str, Any], columns: Any) -> dict[str, Any]:
    made = {}
    for entry in columns:
        value = row[entry.name]
        made[entry.name] = _chosen(value, entry.type) if value and pa.types.is_struct(entry.type) else value
    return made


@examples(300, 3000)
@given(st.data(), st.sampled_from(TYPES), st.sampled_from(TYPES))
def test_every_value_is_the_same_or_the_type_is_refused(data: st.DataObject, source: Any, wanted: Any) -> None:
    values = data.draw(st.lists(st.none() | VALUES[source], max_size=5))
    rows = [{"a": value, "b": {"c": value}, "d": [value]} for value in values]
    nested = [pa.schema([("a", one), ("b", pa.struct([("c", one)])), ("d", pa.list_(one))]) for one in (source, wanted)]
    found = None
    with suppress(OptionError):
        found = requested(*nested, rows)
    if source == wanted or found is not None:
        assert found == pa.RecordBatch.from_pylist(rows, nested[0]).to_pylist()


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
            "'commit_ts': expected timestamp_ntz or a wider type, found timestamp",
        ),
        ("SALARY", pa.float64(), "'SALARY': expected decimal(9,2) or a wider type, found double in the schema"),
        ("SALARY", pa.decimal128(9, 1), "expected decimal(9,2)"),
        ("SALARY", pa.decimal128(9, 3), "expected decimal(9,2)"),
        ("LENGTH", pa.int8(), "expected smallint or a wider type, found tinyint"),
        ("RATE", pa.int32(), "expected float or a wider type, found int"),
        ("after", pa.string(), "found string"),
        ("after", pa.struct([("ID", pa.string())]), "column 'after.ID': expected int"),
        ("words", pa.list_(pa.string()), "column 'words[]': expected tinyint"),
        ("op", pa.binary(), "expected string or a wider type, found binary"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(name: str, type_: Any, text: str) -> None:
    with pytest.raises(OptionError) as found:
        source_columns(SOURCE, pa.schema([(name, type_)]))
    assert text in found.value.message
    assert (found.value.code, bool(found.value.hint)) == ("LMP-S012", True)


def test_names_that_may_be_several_are_refused() -> None:
    source = pa.schema([("Name", pa.int8()), ("name", pa.int8())])
    with pytest.raises(OptionError, match="column 'NAME' may be any of Name, name"):
        source_columns(source, pa.schema([("NAME", pa.int8())]))
    with pytest.raises(OptionError, match="the schema has column 'OP' twice"):
        source_columns(SOURCE, pa.schema([("op", pa.string()), ("OP", pa.string())]))


def test_a_near_name_is_named() -> None:
    with pytest.raises(OptionError) as found:
        source_columns(SOURCE, pa.schema([("salery", pa.decimal128(9, 2))]))
    assert found.value.hint == "did you mean SALARY?"


def test_decimals_are_widened() -> None:
    wanted = pa.schema([("SALARY", pa.decimal128(14, 4)), ("LENGTH", pa.decimal128(10, 2)), ("RATE", pa.float64())])
    row = {"SALARY": Decimal("1.25"), "LENGTH": 3, "RATE": 0.5}
    assert requested(SOURCE, wanted, [row]) == [row]
