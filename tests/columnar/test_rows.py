"""Rows that are put into batches: as many as a batch has, or as many bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from columnar.test_decimal_columns import build
from engines import by_column, by_row

from lmparse.columnar import rows

SCHEMA = pa.schema([("a", pa.string()), ("b", pa.list_(pa.struct([("c", pa.binary())])))])


def row(size: int) -> dict[str, Any]:
    return {"a": "x" * (size // 2), "b": [{"c": bytes(size - size // 2)}]}


@pytest.mark.parametrize(
    ("size", "most", "expected"), [(10, 4, [4, 4, 2]), (500, 4, [2, 2, 2, 2, 2]), (1500, 4, [1] * 10)]
)
def test_a_batch_ends_behind_rows_or_bytes(
    size: int, most: int, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values of nested fields count: what is held of a batch is not many times as much as its limit."""
    monkeypatch.setattr(rows, "BATCH_BYTES", 1000)
    found = list(rows.batches((row(size) for _ in range(10)), SCHEMA, most))
    assert [batch.num_rows for batch in found] == expected
    assert pa.Table.from_batches(found).to_pylist() == [row(size)] * 10


@pytest.mark.parametrize("more", [[], [{"id": "l", "type": "u1", "repeat": "eos"}]])
def test_bad_records_in_front_of_damage_are_rows(more: list[dict[str, str]], tmp_path: Path) -> None:
    """By either engine, whether the spec is read by the column or by the row."""
    fields = [{"id": "n", "type": "u1"}, {"id": "m", "type": "u1", "valid": 1}, *more]
    path = tmp_path / "x.dat"
    path.write_bytes(
        b"".join((6).to_bytes(2) + bytes(2) + raw for raw in (b"\1\1", b"\2\2", b"\3\3")) + b"\0\xff\0\0\1"
    )
    options = {"spec": build(tmp_path, "bad", {"seq": fields}), "framing": "rdw", "mode": "permissive"}
    for found in (by_row(path, **options), by_column(path, **options)):
        assert found.table["_corrupt_record"].to_pylist() == [None, b"\2\2", b"\3\3"]
        assert found.errors[-1]["code"] == "LMP-F006"
