"""Random changes through both engines: every code, type and extreme occurs, and all values are equal.

`pytest -s tests/laws/test_engines.py` prints the counts; LMPARSE_RECORDS=1000000 takes more records.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from amounts import amount
from engines import by_column, by_row, changes, changes_difference, difference
from samples.bmc_random import CODES, write

from lmparse.columnar import arrays
from lmparse.values import decimals, floats, integers, packed_times, text_times, texts

RECORDS = int(os.environ.get("LMPARSE_RECORDS", amount(6_000, 100_000)))
"""More than a window of the engine by the column holds. Tests of parts and of small windows have many windows."""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return write(tmp_path_factory.mktemp("random"), RECORDS)


def counted(found: Any, records: pa.Table) -> Counter[str]:
    """How often everything that must occur does."""
    counts: Counter[str] = Counter()
    for entry in CODES.values():
        seen = Counter(records.column(entry.id).to_pylist())
        for code in entry.codes:
            counts[f"{entry.id} {code.id}"] = seen[(code.text or "").rstrip(" ")]
    counts["segments"] = pc.sum(pc.greater(records.column("total_segs"), 1)).as_py()
    for version, table in found.tables.items():
        if version:
            for role in ("before", "after"):
                images = table.column(role).combine_chunks()
                counts[f"{version} {role}"] = len(images) - images.null_count
                for column in images.type:
                    name = f"{version} {role}.{column.name}"
                    for what, number in extremes(images.filter(images.is_valid()).field(column.name)):
                        counts[f"{name} {what}"] += number
    return counts


def extremes(values: pa.Array) -> Iterator[tuple[str, int]]:
    """Null and not, shortest and longest, negative and not, of one column."""
    if values.null_count:
        yield "null", values.null_count
    held = values.drop_null()
    yield "not null", len(held)
    if pa.types.is_string(values.type) or pa.types.is_binary(values.type):
        lengths = pc.binary_length(held)
        bounds = pc.min_max(lengths).as_py()
        yield "shortest", pc.sum(pc.equal(lengths, bounds["min"])).as_py() or 0
        yield "longest", pc.sum(pc.equal(lengths, bounds["max"])).as_py() or 0
    elif pa.types.is_integer(values.type) or pa.types.is_decimal(values.type) or pa.types.is_floating(values.type):
        yield "negative", pc.sum(pc.less(held, pa.scalar(0, values.type))).as_py()
        yield "positive", pc.sum(pc.greater(held, pa.scalar(0, values.type))).as_py()


LOBS = ("PHOTO", "TEXT", "WIDE_TEXT")
"""Values that are kept elsewhere: null in every row, and said to be so in `detail`."""


def test_both_engines_give_the_same(log: dict[str, Any]) -> None:
    records = by_column(log["path"], framing="rdw")
    assert not difference(by_row(log["path"], framing="rdw"), records)
    one, other = (changes(**log, engine=engine, include="all") for engine in ("kaitai", "columnar"))
    assert not changes_difference(one, other)
    counts = counted(other, records.table)
    print(f"\n{records.table.num_rows} records", *(f"{counts[name]:8} {name}" for name in sorted(counts)), sep="\n")
    assert records.table.num_rows >= RECORDS
    assert len(other.tables) == 4, "every version, and nothing of none"
    assert not [name for name, count in counts.items() if not count and not any(f".{lob} " in name for lob in LOBS)]
    assert sum(table.num_rows for table in other.tables.values()) > 0.9 * RECORDS


Small = tuple[dict[str, Any], Any, Any]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """A log, and its records and changes row by row; the records by the column are the same."""
    log = write(tmp_path_factory.mktemp("small"), amount(600, 1500))
    records = by_row(log["path"], framing="rdw")
    assert not difference(records, by_column(log["path"], framing="rdw"))
    return log, records, changes(**log, engine="kaitai", include="all")


@pytest.mark.parametrize("include", ["committed", "rolled-back", "open"])
def test_what_is_left_out(include: str, small: Small) -> None:
    log = small[0]
    one, other = (changes(**log, engine=engine, include=include) for engine in ("kaitai", "columnar"))
    assert not changes_difference(one, other)
    assert sum(other.left_out.values())
    assert sum(table.num_rows for table in other.tables.values())


# one kernel broken on purpose


def shifted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel whose values are other ones."""

    def broken(*arguments: Any, **named: Any) -> Any:
        found = function(*arguments, **named)
        first = np.array(found[0] if isinstance(found, tuple) else found)
        first = first ^ 1 if first.dtype == np.uint8 else first + first.dtype.type(1)
        return (first, *found[1:]) if isinstance(found, tuple) else first

    return broken


def without_trim(raw: Any, page: Any) -> Any:
    data, offsets, bad = texts.decode_array(raw, page, trim=False)
    return arrays.strings(data, offsets), bad


MUTATIONS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "signed": (integers, "decode_signed_array", shifted(integers.decode_signed_array)),
    "unsigned": (integers, "decode_unsigned_array", shifted(integers.decode_unsigned_array)),
    "packed decimal": (decimals, "decode_packed_array", shifted(decimals.decode_packed_array)),
    "long packed decimal": (decimals, "decode_packed_array128", shifted(decimals.decode_packed_array128)),
    "hexadecimal float": (floats, "decode_hfp_array", shifted(floats.decode_hfp_array)),
    "text": (texts, "decode_ragged_array", shifted(texts.decode_ragged_array)),
    "trailing blanks": (arrays, "text", without_trim),
    "header timestamp": (packed_times, "timestamp17_micros_array", shifted(packed_times.timestamp17_micros_array)),
    "date": (text_times, "date_days_array", shifted(text_times.date_days_array)),
    "time": (text_times, "decode_time_array", shifted(text_times.decode_time_array)),
    "timestamp": (text_times, "timestamp_micros_array", shifted(text_times.timestamp_micros_array)),
    "timestamp with zone": (text_times, "decode_timestamp_tz_array", shifted(text_times.decode_timestamp_tz_array)),
    "nulls": (arrays, "without", lambda array, is_null: array),
    "bytes": (arrays, "together", shifted(arrays.together)),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_broken_kernel_is_noticed(name: str, small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    log, records, rows_ = small
    module, attribute, broken = MUTATIONS[name]
    monkeypatch.setattr(module, attribute, broken)
    try:
        differs = difference(records, by_column(log["path"], framing="rdw"))
        differs = differs or changes_difference(rows_, changes(**log, engine="columnar", include="all"))
    except (ValueError, AssertionError, IndexError, pa.ArrowInvalid) as error:
        differs = str(error)
    assert differs
