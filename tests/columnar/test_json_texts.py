"""JSON made by the column: byte for byte what `to_json` and `json.dumps` make of each value."""

from __future__ import annotations

import json
import math
import random
import struct
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st

from lmparse.columnar import json_texts
from lmparse.terminal import json_text
from lmparse.values.json_form import to_json

NASTY = (
    "", " ", '"', "\\", '\\"', "\\u0041", "a\nb\r\tc", "\x00", "\x1f\x7f\x80\x9f", "é", "日本", "\U0001f600",
    "\u00a0", "\u2028\u2029", "\u202e", "\ufeff", "\ufff9", "{}[],:", "null", "</script>", "x" * 300 + '"',
)  # fmt: skip
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=9) | st.sampled_from(NASTY)
PATTERNS = st.binary(min_size=8, max_size=8).map(lambda raw: struct.unpack(">d", raw)[0])
SCALED = st.builds(lambda number, power: number * 10.0**power, st.integers(-(10**17), 10**17), st.integers(-40, 10))
FLOATS = st.floats() | PATTERNS | SCALED | st.sampled_from((0.0, -0.0, 1e-4, 1e-5, 1e-10, 1e10, 1e15, 1e16, 1e17))
TYPES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.string(): TEXTS,
    pa.binary(): st.binary(max_size=9),
    pa.bool_(): st.booleans(),
    pa.float64(): FLOATS,
    **{type_: st.integers(-(2 ** (size - 1)), 2 ** (size - 1) - 1)
       for type_, size in ((pa.int16(), 16), (pa.int32(), 32), (pa.int64(), 64))},
    pa.uint64(): st.integers(0, 2**64 - 1),
}  # fmt: skip


def shown(value: Any) -> str | None:
    return None if value is None else json.dumps(to_json(value), ensure_ascii=False)


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_every_type(type_: pa.DataType) -> None:
    @examples(30, 500, database=None)
    @given(st.lists(TYPES[type_] | st.none(), max_size=20), st.integers(0, 4))
    def check(values: list[Any], cut: int) -> None:
        array = pa.array(values, type_).slice(cut)
        assert json_texts.values(array).to_pylist() == [shown(value) for value in values[cut:]]

    check()


@pytest.mark.parametrize(("digits", "scale"), [(1, 0), (5, 2), (18, 6), (18, 7), (31, 31), (38, 0), (38, 12), (38, 38)])
def test_decimals(digits: int, scale: int) -> None:
    random_ = random.Random(digits * scale)
    numbers = [0, 1, -1, 10**digits - 1, 1 - 10**digits, *(10**place for place in range(digits))]
    numbers += [random_.randrange(1 - 10 ** random_.randrange(1, digits + 1), 10**digits) for _ in range(200)]
    values = [None, *(Decimal(f"{number}E-{scale}") for number in numbers)]
    array = pa.array(values, pa.decimal128(digits, scale))
    assert json_texts.values(array).to_pylist() == [shown(value) for value in values]
    assert json_texts.values(array.slice(3)).to_pylist() == [shown(value) for value in values[3:]]


def test_floats_of_every_size() -> None:
    random_ = random.Random(7)
    values = [sign * math.ldexp(random_.random() + 0.5, power) for power in range(-1074, 1024) for sign in (1, -1)]
    values += [float(10**power + step) for power in range(23) for step in (-1, 0, 1)]
    values += [math.nextafter(10.0**power, toward) for power in range(-12, 18) for toward in (0, math.inf)]
    values += [random_.randrange(10**12) / 100 for _ in range(2000)]
    assert json_texts.values(pa.array(values)).to_pylist() == [shown(value) for value in values]


def test_bytes_under_a_null_are_not_shown() -> None:
    offsets, data = pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b'"x')
    array = pa.Array.from_buffers(pa.string(), 2, [pa.py_buffer(b"\2"), offsets, data])
    assert json_texts.values(array).to_pylist() == [None, '"x"']


def test_a_type_that_has_no_form() -> None:
    with pytest.raises(TypeError, match="timestamp"):
        json_texts.values(pa.array([1], pa.timestamp("us")))


ROWS = st.lists(st.tuples(TEXTS | st.none(), st.integers(-9, 9) | st.none(), st.binary(max_size=3) | st.none()))


@examples(40, 500, database=None)
@given(ROWS, st.lists(TEXTS, min_size=3, max_size=3, unique=True))
def test_objects(rows: list[tuple[Any, ...]], names: list[str]) -> None:
    types = (pa.string(), pa.int64(), pa.binary())
    parts = zip(names, zip(*rows, strict=True) if rows else [()] * 3, types, strict=True)
    columns = {name: pa.array(values, type_) for name, values, type_ in parts}
    made = json_texts.objects(columns, len(rows), omitted=(names[2],))
    expected = [dict(zip(names, row, strict=True)) for row in rows]
    for row in expected:
        if row[names[2]] is None:
            del row[names[2]]
    assert made.to_pylist() == [shown(row) for row in expected]
    lines = json_texts.harmless(json_texts.joined([made, "\n"], len(rows)))
    assert lines.to_pylist() == [f"{json_text(to_json(row))}\n" for row in expected]


def test_objects_without_a_column() -> None:
    assert json_texts.objects({}, 2).to_pylist() == ["{}", "{}"]
    assert json_texts.objects({}, 0).to_pylist() == []
    nothing = pa.nulls(2, pa.string())
    assert json_texts.objects({"a": nothing}, 2).to_pylist() == ['{"a": null}'] * 2
    # The first column of a record is never bytes behind what is known.
    assert json_texts.objects({"a": nothing, "b": nothing}, 2, omitted=("b",)).to_pylist() == ['{"a": null}'] * 2


@pytest.mark.parametrize(("one", "other", "found"), [
    ('{"a": 1, "b": 2}', '{"a": 1, "b": 3}', ("b", 2, 3)),
    ('{"a": 1}', '{"a": 1, "b": 3}', ("b", None, 3)),
    ('{"a":1}', '{"a": 1}', ("_line", '{"a":1}', '{"a": 1}')),
])  # fmt: skip
def test_what_differs_between_lines(one: str, other: str, found: Any) -> None:
    assert json_texts.difference(one.encode(), other.encode()) == found
